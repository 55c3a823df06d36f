import AppStoreWire
import Ledger
package import Metrics
import Primitives
package import Storage
import Synchronization

/// Where this server's questions to Apple are put: through the shared budget, past hosts that are down and keys that are refused.
/// One for all lanes that ask.
package final class AppleDesk: Sendable {
    private let server: any AppleServer
    private let budget: AppleBudget
    private let apps: [AppID: AppSettings]
    private let metrics: BackendMetrics
    private let steadyClock: @Sendable () -> ContinuousClock.Instant
    private let pauses = Mutex(Pauses())

    /// What is known not to work for a while.
    private struct Pauses {
        /// Until when no call of an endpoint is left, for each urgency.
        var spent: [BudgetName: [AskingUrgency: Timestamp]] = [:]
        /// The app's own trouble, in each of its environments.
        var troubles: [Place: Trouble] = [:]
        /// What became of the last calls.
        var last: [Scope: AppleStanding.LastCalls] = [:]
        /// Until when questions about single subscriptions wait for a sweep.
        var held: [Scope: Timestamp] = [:]
        /// Until when nobody may have Apple asked about a subscription again.
        var refreshed: [SubscriptionKey: Timestamp] = [:]
        /// How often was looked, so that none of many apps is always the last one.
        var turns = 0
    }

    /// How Apple is asked. Each way has its own hosts and its own credentials: a shared secret that is wrong stops nothing that
    /// is asked by key.
    enum Way: Sendable, Hashable {
        /// The App Store Server API, with the app's In-App Purchase key.
        case key
        /// `/verifyReceipt`, with its shared secrets.
        case receipt
    }

    /// Where an app's trouble is.
    struct Place: Sendable, Hashable {
        let scope: Scope
        let way: Way
    }

    private struct Trouble {
        /// How many answers in a row showed it.
        var count = 0
        var until: Timestamp
        /// Whether the last one refused the key.
        var isOfKey = false
    }

    /// - Parameters:
    ///   - apps: those that ask have ``AppSettings/apple``.
    ///   - metrics: where calls are counted; nowhere, unless somebody reads it.
    ///   - steadyClock: by which calls are timed: a clock that does not jump.
    package init(
        _ server: any AppleServer, store: any WritingStore, apps: [AppSettings],
        metrics: any MetricsFactory = NOOPMetricsHandler.instance,
        steadyClock: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
    ) {
        self.server = server
        self.metrics = BackendMetrics(metrics)
        self.steadyClock = steadyClock
        budget = AppleBudget(store: store)
        self.apps = Dictionary(apps.map { ($0.id, $0) }) { first, _ in first }
    }

    /// What became of a question.
    enum Answer<Value: Sendable>: Sendable {
        case answered(Value)
        case failed(AppleFailure)
        /// It was not put, or Apple counted it as one too many.
        case notAsked(FailedQuestion.Unasked)
    }

    /// Puts a question to the App Store Server API.
    ///
    /// - Throws: `StorageError` where the budget cannot be read.
    func ask<Response>(
        _ call: ServerAPICall<Response>, in scope: Scope, _ urgency: AskingUrgency, at now: Timestamp
    ) async throws -> Answer<ServerAPIAnswer<Response>> {
        let place = Place(scope: scope, way: .key)
        guard let app = apps[scope.app], app.asksByKey, let access = app.apple else { return .notAsked(.unavailable) }
        guard admit(place, of: call.endpoint.name, at: now) else { return .notAsked(.unavailable) }
        return try await put(BudgetedCall(call.endpoint, in: scope, access, urgency), at: place, now) {
            await server.answer(to: call, for: scope.app, in: scope.environment)
        }
    }

    /// Makes one call of `/verifyReceipt`; ``ask(_:at:)`` says which. The place was admitted.
    func call(
        _ request: VerifyReceiptRequest, _ host: VerifyReceiptHost, _ question: ReceiptQuestion, at now: Timestamp
    ) async throws -> Answer<VerifyReceiptOutcome> {
        let place = question.place(at: host)
        guard let access = apps[question.app]?.apple else { return .notAsked(.unavailable) }
        let budgeted = BudgetedCall(ofReceiptIn: place.scope, access, question.urgency)
        return try await put(budgeted, at: place, now, isGood: { !$0.refusesSecret }) {
            await server.outcome(of: request, from: host, for: question.app).flatMap(\.usable)
        }
    }

    /// Sends what was admitted, within the budget, and notes what became of it.
    ///
    /// - Parameter isGood: whether an answer shows that nothing is wrong with the app's credentials.
    private func put<Value: Sendable>(
        _ budgeted: BudgetedCall, at place: Place, _ now: Timestamp, isGood: @Sendable (Value) -> Bool = { _ in true },
        _ send: () async -> Result<Value, AppleFailure>
    ) async throws -> Answer<Value> {
        let endpoint = budgeted.name.endpoint
        if let until = try await budget.take(budgeted, at: now) {
            pauses.withLock { $0.spent[budgeted.name, default: [:]][budgeted.urgency] = until }
            metrics.countCall(endpoint, in: place.scope, .notAsked(.budget))
            return .notAsked(.budget)
        }
        let begun = steadyClock()
        let result = await send()
        measure(result.map { _ in () }, of: endpoint, in: place.scope, since: begun)
        switch result {
        case .success(let answer):
            let endsTrouble = isGood(answer)
            pauses.withLock { pauses in
                if endsTrouble { pauses.troubles[place] = nil }
                pauses.last[place.scope, default: AppleStanding.LastCalls()].answeredAt = now
            }
            return .answered(answer)
        case .failure(let failure):
            note(failure, of: endpoint, in: place.scope, at: now)
            switch failure.scope {
            case .budget:
                let until = failure.retryAt ?? now.adding(Self.shortestStop)
                let all = Dictionary(uniqueKeysWithValues: AskingUrgency.allCases.map { ($0, until) })
                pauses.withLock { $0.spent[budgeted.name] = all }
                try await budget.block(budgeted.name, until: until, ceiling: budgeted.callsPerHour, at: now)
                return .notAsked(.budget)
            case .app: noteTrouble(failure, at: place, now)
            // Apple looked at what was asked.
            case .transaction, .request: pauses.withLock { $0.troubles[place]?.isOfKey = false }
            case .host: break
            }
            return failure.wasSent ? .failed(failure) : .notAsked(.unavailable)
        }
    }

    private func measure(
        _ result: Result<Void, AppleFailure>, of endpoint: String, in scope: Scope, since begun: ContinuousClock.Instant
    ) {
        switch result {
        case .failure(let failure) where !failure.wasSent: metrics.countCall(endpoint, in: scope, .notAsked(.unavailable))
        case .failure(let failure): metrics.countCall(endpoint, in: scope, .failed(failure))
        case .success: metrics.countCall(endpoint, in: scope, .answered)
        }
        if case .failure(let failure) = result, !failure.wasSent { return }
        metrics.timeCall(endpoint, begun.duration(to: steadyClock()))
    }

    /// Keeps the last failure, for operators to see.
    func note(_ failure: AppleFailure, of endpoint: String, in scope: Scope, at now: Timestamp) {
        let noted = AppleStanding.Failure(code: failure.code, endpoint: endpoint, at: now)
        pauses.withLock { $0.last[scope, default: AppleStanding.LastCalls()].failure = noted }
    }

    /// The shared secrets of an app.
    func secrets(of app: AppID) -> [String] { apps[app]?.sharedSecrets ?? [] }

    // MARK: What may be taken from the queue

    /// Which questions about an endpoint may be taken from the queue.
    ///
    /// - Parameter overdue: after how long a question that cannot be put must be noted as such (ENT-12), where it is one about a
    ///   single subscription; nil where it is another.
    func openings(for endpoint: ServerAPIEndpoint, overdue: Milliseconds?, at now: Timestamp) -> [LaneOpening] {
        openings(
            apps.values.filter(\.asksByKey).flatMap(\.scopes).map { Counter($0, .key, endpoint.name) }, overdue: overdue, at: now)
    }

    /// The same of questions whether subscriptions have ended: put by key, and where an app has none, by receipt.
    func openingsOfQuestions(overdue: Milliseconds, at now: Timestamp) -> [LaneOpening] {
        let counters = apps.values.flatMap { app -> [Counter] in
            if app.asksByKey {
                return app.scopes.map { Counter($0, .key, ServerAPIEndpoint.getAllSubscriptionStatuses.name) }
            }
            return app.receiptScopes.map { Counter($0, .receipt, BudgetedCall.verifyReceipt, .accessEnds) }
        }
        return openings(counters, overdue: overdue, at: now)
    }

    /// The same of receipts. What waits for both hosts stands in the queue of the one that is asked first.
    func openingsOfReceipts(_ urgency: AskingUrgency, at now: Timestamp) -> [LaneOpening] {
        let counters = apps.values.flatMap(\.receiptScopes).map {
            Counter($0, .receipt, BudgetedCall.verifyReceipt, urgency)
        }
        return openings(counters, overdue: nil, at: now)
    }

    /// Where a question stands in line.
    private struct Counter {
        let place: Place
        let budget: BudgetName
        /// Nil: any.
        let urgency: AskingUrgency?

        init(_ scope: Scope, _ way: Way, _ endpoint: String, _ urgency: AskingUrgency? = nil) {
            place = Place(scope: scope, way: way)
            budget = BudgetName(scope, endpoint)
            self.urgency = urgency
        }
    }

    private func openings(_ counters: [Counter], overdue: Milliseconds?, at now: Timestamp) -> [LaneOpening] {
        let turn = pauses.withLock { pauses in
            pauses.turns &+= 1
            return pauses.turns
        }
        let shut = Set(counters.filter { isShut($0, holds: overdue != nil, at: now) }.map(\.place.scope))
        let asking = counters.map(\.place.scope).sorted().beginning(at: turn)
        let (open, closed) = (asking.filter { !shut.contains($0) }, asking.filter(shut.contains))
        var openings: [LaneOpening] = []
        if !open.isEmpty { openings.append(LaneOpening(scopes: open)) }
        if let overdue, !closed.isEmpty { openings.append(LaneOpening(scopes: closed, overdueBy: overdue)) }
        return openings
    }

    private func isShut(_ counter: Counter, holds: Bool, at now: Timestamp) -> Bool {
        if isClosed(counter.place, at: now) || (holds && isHeld(counter.place.scope, at: now)) { return true }
        let spent = pauses.withLock { $0.spent[counter.budget] ?? [:] }
        return spent.contains { urgency, until in until > now && (counter.urgency ?? urgency) == urgency }
    }

    /// Begins to ask about a subscription because somebody wants it.
    ///
    /// - Returns: nil where it may be asked about; otherwise from when on it may be.
    func beginRefresh(of key: SubscriptionKey, at now: Timestamp) -> Timestamp? {
        pauses.withLock { pauses in
            if let until = pauses.refreshed[key], until > now { return until }
            if pauses.refreshed.count >= Self.mostRefreshed { pauses.refreshed = pauses.refreshed.filter { $0.value > now } }
            pauses.refreshed[key] = now.adding(.seconds(10))
            return nil
        }
    }

    // MARK: What is known

    /// What this server knows of asking there.
    func standing(in scope: Scope, at now: Timestamp) -> AppleStanding.OfServer {
        let place = Place(scope: scope, way: apps[scope.app]?.asksByKey ?? true ? .key : .receipt)
        let last = pauses.withLock { $0.last[scope] }
        return AppleStanding.OfServer(
            last: last ?? AppleStanding.LastCalls(), pausedUntil: closures(of: place).filter { $0 > now }.max(),
            clockLead: server.clockLead(for: scope.app, in: scope.environment))
    }

    /// Whether Apple refused the app's key when it was last asked with it, in any environment.
    func isKeyRefused(of app: AppSettings) -> Bool {
        pauses.withLock { pauses in
            app.scopes.contains { pauses.troubles[Place(scope: $0, way: .key)]?.isOfKey ?? false }
        }
    }

    /// Questions about single subscriptions wait until the instant; nil: no longer.
    func hold(_ scope: Scope, until instant: Timestamp?) { pauses.withLock { $0.held[scope] = instant } }

    /// Whether questions about single subscriptions wait for a sweep.
    func isHeld(_ scope: Scope, at now: Timestamp) -> Bool { pauses.withLock { $0.held[scope].map { $0 > now } ?? false } }

    /// Whether nothing is asked there for a while.
    private func isClosed(_ place: Place, at now: Timestamp) -> Bool { closures(of: place).contains { $0 > now } }

    /// Until when nothing is asked there: because of the app's trouble, and because of the host's.
    private func closures(of place: Place) -> [Timestamp] {
        let (app, environment) = (place.scope.app, place.scope.environment)
        let closed =
            switch place.way {
            case .key: server.closedUntil(for: app, in: environment)
            case .receipt: VerifyReceiptHost(of: environment).flatMap { server.closedUntil(for: app, at: $0) }
            }
        return [pauses.withLock { $0.troubles[place]?.until }, closed].compactMap { $0 }
    }

    /// Whether a question may be put there. After a pause one alone is, which shows whether the trouble is over.
    ///
    /// - Parameter endpoint: which question; where it may not be put, that is counted.
    func admit(_ place: Place, of endpoint: String, at now: Timestamp) -> Bool {
        let isAdmitted = admit(place, at: now)
        if !isAdmitted { metrics.countCall(endpoint, in: place.scope, .notAsked(.unavailable)) }
        return isAdmitted
    }

    private func admit(_ place: Place, at now: Timestamp) -> Bool {
        guard !isClosed(place, at: now) else { return false }
        return pauses.withLock { pauses in
            guard var trouble = pauses.troubles[place] else { return true }
            guard trouble.until <= now else { return false }
            trouble.until = now.adding(Self.shortestStop)
            pauses.troubles[place] = trouble
            return true
        }
    }

    /// One answer that cannot be read is that answer's; the app's lane pauses longer with each that follows.
    func noteTrouble(_ failure: AppleFailure, at place: Place, _ now: Timestamp) {
        pauses.withLock { pauses in
            var trouble = pauses.troubles[place] ?? Trouble(until: now)
            trouble.count += 1
            trouble.isOfKey = failure.refusesKey
            let pause = Backoff(first: .minutes(1), greatest: .minutes(10)).longestPause(afterFailures: trouble.count)
            trouble.until = now.adding(pause)
            pauses.troubles[place] = trouble
        }
    }

    /// How many refreshed subscriptions are remembered before those are forgotten that may be asked about again.
    private static let mostRefreshed = 1000
    /// Where Apple names no instant, and while one question is put alone.
    private static let shortestStop = Milliseconds.minutes(1)
}
