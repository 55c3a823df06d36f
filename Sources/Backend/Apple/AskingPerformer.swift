import AppStoreWire
import Ledger
package import Primitives
package import Storage

/// Asks Apple about a subscription whose period is over and of which nothing was heard (RECON-1, decision 0041).
///
/// One answer tells of all of a customer's subscriptions, and is taken for all of them. What cannot be asked is noted as a failed
/// question before the leeway ends (ENT-12), and so is an answer that says nothing about the subscription: whatever happens, the
/// decision about the subscription knows of it, and names the next question or ends the matter. Where there is no key, or the
/// App Store Server API does not know the transaction, `/verifyReceipt` is asked with the newest receipt (RECON-3).
package struct AskingPerformer: WorkPerformer {
    let backend: Backend
    let desk: AppleDesk

    package init(backend: Backend, desk: AppleDesk) {
        self.backend = backend
        self.desk = desk
    }

    package var kind: WorkKind { .askApple }

    /// A subscription that is asked about.
    struct Question: Sendable {
        let key: SubscriptionKey
        let app: AppSettings
        /// The decision's name for it.
        let name: String
        let dueAt: Timestamp
    }

    /// After so long a question that cannot be put is noted. It is due at most 20 minutes after the end, and at most 30 after a
    /// question that failed, so that it is noted before an hour of leeway is over (ENT-12).
    private static let overdue = Milliseconds.minutes(25)
    /// After so long a note prolongs nothing any more (ENT-6), and would end the questions: it is put whenever it can be.
    private static let useless = Milliseconds.hours(23)

    package func openings(at now: Timestamp) -> [LaneOpening] {
        desk.openingsOfQuestions(overdue: Self.overdue, at: now)
    }

    package func perform(_ work: LeasedWork, at now: Timestamp) async throws -> WorkOutcome {
        let scope = work.order.scope
        guard let app = backend.apps[scope.app] else { return .abandon(because: "the app is not configured") }
        let key = SubscriptionKey(scope, OriginalTransactionID(work.order.subject))
        let question = Question(key: key, app: app, name: work.order.key, dueAt: work.order.dueAt)
        if desk.isHeld(scope, at: now) { return notAsked(.unavailable, question, at: now) }
        guard app.asksByKey else { return try await askAboutReceipt(question, at: now) ?? Self.unproved }
        let call: ServerAPICall<StatusResponse>
        do {
            call = try .getAllSubscriptionStatuses(anyTransactionId: key.originalTransactionId.rawValue)
        } catch {
            return note(FailedQuestion(askedAt: now, reason: "request.\(error.code.rawValue)", isRetryable: false), key, app)
        }
        switch try await desk.ask(call, in: scope, .accessEnds, at: now) {
        case .notAsked(let why): return notAsked(why, question, at: now)
        case .failed(let failure) where failure.scope == .transaction:
            // A receipt may be of the time before the transaction ids that it knows.
            if let outcome = try await askAboutReceipt(question, hasAsked: true, at: now) { return outcome }
            return note(FailedQuestion(askedAt: now, reason: failure.code, isRetryable: false), key, app)
        case .failed(let failure): return note(FailedQuestion(askedAt: now, reason: failure.code), key, app)
        case .answered(let answer): return await take(answer.response, about: question)
        }
    }

    /// As it stands in the queue until it is overdue; then it is noted as not put.
    func notAsked(_ why: FailedQuestion.Unasked, _ question: Question, at now: Timestamp) -> WorkOutcome {
        let late = now.since(question.dueAt).count
        guard late >= Self.overdue.count else { return .back(because: why.rawValue) }
        guard late < Self.useless.count else { return .wait(.minutes(10), because: why.rawValue) }
        return note(FailedQuestion(askedAt: now, reason: why.rawValue), question.key, question.app)
    }

    /// What no receipt proves is not asked about in an app without a key, and not noted either (decision 0041, item 8): looked at
    /// now and then, since a receipt, or a key, may have come.
    private static let unproved = WorkOutcome.wait(.hours(6), because: "no receipt proves it, and the app has no key")

    // MARK: What came of it

    func note(_ question: FailedQuestion, _ key: SubscriptionKey, _ app: AppSettings) -> WorkOutcome {
        backend.metrics.countFailedQuestion(question, of: key.app)
        let (request, settings) = (Self.request(question, key, app), backend.chosen)
        return .done(
            keeping: WorkResult(of: [key]) { _, transaction in
                _ = try Ingest.apply([request], in: transaction, settings)
            })
    }

    private static func request(_ question: FailedQuestion, _ key: SubscriptionKey, _ app: AppSettings) -> IngestRequest {
        var request = IngestRequest(app: app, learnedAt: question.askedAt)
        request.arrivals = [
            Arrival(
                scope: key.scope, evidence: nil, facts: [.failedQuestion(question, about: key.originalTransactionId)],
                receivedAt: question.askedAt)
        ]
        return request
    }

    private func take(_ answer: StatusResponse, about question: Question) async -> WorkOutcome {
        let told = await backend.told(by: answer, about: question.key, question.app)
        return end(
            with: told.request, about: question,
            orNoting: FailedQuestion(
                askedAt: told.request.learnedAt, reason: "answer.\(told.refusal ?? "nothingNew")"))
    }

    /// Keeps what was answered, and where that leaves the question open, that it was put in vain.
    func end(with request: IngestRequest, about asked: Question, orNoting question: FailedQuestion) -> WorkOutcome {
        let (key, nothing) = (asked.key, Self.request(question, asked.key, request.app))
        let (answered, settings, now) = (request, backend.chosen, request.learnedAt)
        let (metrics, first) = (backend.metrics, FirstTime())
        return .done(
            keeping: WorkResult(of: Set(request.subscriptions + [key]).sorted()) { _, transaction in
                let results = try Ingest.apply([answered], in: transaction, settings)
                let decisions = results.flatMap(\.decisions).filter(\.changesHistory)
                // Without another decision nothing would name the next question: this one is done, and is not done again. What is
                // new may be another word for what was known.
                let isSettled = decisions.contains { decision in
                    decision.state.key == key && !decision.dueWork.contains { $0.key == asked.name }
                }
                if !isSettled {
                    // The transaction may run several times.
                    if first.isNow() { metrics.countFailedQuestion(question, of: key.app) }
                    _ = try Ingest.apply([nothing], in: transaction, settings)
                }
                guard answered.app.asksByKey else { return }
                let orders = try WorkOrder.fetchingGaps(in: decisions, at: now)
                if !orders.isEmpty { try transaction.order(orders) }
            })
    }
}

extension Backend {
    /// What an answer about all of a customer's subscriptions proves, and why what it says of the one asked about was refused;
    /// nil where it was not.
    func told(
        by answer: StatusResponse, about key: SubscriptionKey, _ app: AppSettings
    ) async -> (request: IngestRequest, refusal: String?) {
        var request = IngestRequest(app: app, learnedAt: clock.now())
        var refusal: String?
        for item in answer.data.flatMap(\.lastTransactions) {
            do {
                let arrivals = try await proved(
                    item.signedTransactionInfo, item.signedRenewalInfo, app: app, at: request.learnedAt)
                // Each environment is a ledger of its own (FACT-4), and its host tells of its own.
                let taken = arrivals.filter { $0.scope == key.scope }
                request.arrivals += taken + [Arrival(of: item.status, beside: taken, at: request.learnedAt)].compactMap { $0 }
            } catch {
                // What Apple says of the others counts all the same.
                if item.originalTransactionId == key.originalTransactionId.rawValue {
                    refusal = BackendError(error).refusalCode ?? "unreadable"
                }
            }
        }
        return (request, refusal)
    }
}

extension Arrival {
    /// The status in an answer (ENT-7), about the subscription that the signed parts name; nil where none of them is taken.
    fileprivate init?(of status: AutoRenewableSubscriptionStatus, beside signed: [Arrival], at receivedAt: Timestamp) {
        guard let last = signed.flatMap(\.facts).max(by: { $0.signedDate < $1.signedDate }), let scope = signed.first?.scope
        else { return nil }
        let fact = StatusFact(status.rawValue, signedDate: last.signedDate)
        self.init(
            scope: scope, evidence: nil, facts: [.status(fact, about: last.originalTransactionId)], receivedAt: receivedAt)
    }
}

extension Decision {
    /// Whether periods between what was known and what is known now may be missing: an answer about the status tells only of the
    /// last one.
    fileprivate var leavesGap: Bool {
        let known = before.periods.last { $0.transaction.expiresDate != nil && !$0.neverServes }
        let last = state.periods.last { $0.transaction.expiresDate != nil && !$0.neverServes }
        guard let new = last, new.aliases != known?.aliases else { return false }
        guard let end = known?.end else { return true }
        // What Apple charges at the end, or while it still tries to, follows.
        return new.purchaseDate > end.adding(.hours(1))
    }
}

/// For whom a history is fetched: work for each is another one.
enum HistoryReason: String, Sendable {
    /// Periods may be missing.
    case gap = "history"
    /// Somebody waits for it.
    case refresh
    /// A list of what was sold before.
    case imported = "import"

    /// The name of the work before it (``StatusesPerformer``).
    static let importedStatuses = "statuses"

    var urgency: AskingUrgency {
        switch self {
        case .gap: .accessEnds
        case .refresh: .someoneWaits
        case .imported: .bulk
        }
    }
}

extension WorkOrder {
    /// Asks Apple for all transactions of the customer of the App Store who has a subscription.
    init(fetchingHistoryOf key: SubscriptionKey, for reason: HistoryReason = .gap, at instant: Timestamp) throws {
        let id = key.originalTransactionId.rawValue
        self.init(
            scope: key.scope, subject: id, key: reason.rawValue, kind: .fetchHistory,
            body: try FetchHistoryBody(transactionId: id).json, dueAt: instant)
    }

    /// One for each subscription of which periods may be missing now.
    static func fetchingGaps(in decisions: [Decision], at instant: Timestamp) throws -> [WorkOrder] {
        try decisions.filter { $0.changesHistory && $0.leavesGap }.map { decision in
            try WorkOrder(fetchingHistoryOf: decision.state.key, at: instant)
        }
    }
}

extension BackendError {
    /// Why evidence was refused, in a stable spelling; nil where it is another error.
    fileprivate var refusalCode: String? {
        if case .refusedEvidence(let refusal) = self { return refusal.code }
        return nil
    }
}
