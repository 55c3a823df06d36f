import AppStoreWire
import Ledger
package import Primitives
package import Storage

/// Looks through a slice of an app's notification history, page by page (RECON-2, decision 0042).
///
/// Each page is kept in one transaction with the place of the next one, so that a server that is killed loses no page and another
/// one goes on. What is known is passed over by its UUID, before its signature is checked. A slice that holds much is divided,
/// and its parts are looked through side by side, since pages follow each other.
package struct SweepPerformer: WorkPerformer {
    private let backend: Backend
    private let desk: AppleDesk
    private let limits: Limits

    /// How a slice is looked through.
    package struct Limits: Sendable {
        /// After so many pages what is left is divided.
        package var pagesUndivided: Int64 = 50
        /// What is left is not divided below this.
        package var shortestSlice = Milliseconds.minutes(2)
        /// A slice with more pages does not end, whatever is said (gateway trap 7): it is begun anew after a pause.
        package var mostPages: Int64 = 10_000

        package init() {}
    }

    private static let lease = Milliseconds.seconds(60)
    /// How far beyond its end a divided slice is read: Apple may order by another instant than the signing.
    private static let beyondEnd = Milliseconds.minutes(5)

    /// As patient as this work needs: nothing is sure before a slice was looked through, so it is never given up.
    ///
    /// - Parameter concurrency: how many slices are looked through at once.
    package static func limits(concurrency: Int) -> WorkLimits {
        var limits = WorkLimits()
        limits.concurrency = concurrency
        (limits.attempts, limits.backoff) = (.max, Backoff(first: .seconds(5), greatest: .minutes(10)))
        return limits
    }

    package init(backend: Backend, desk: AppleDesk, limits: Limits = Limits()) {
        self.backend = backend
        self.desk = desk
        self.limits = limits
    }

    package var kind: WorkKind { .sweepNotifications }

    package func openings(at now: Timestamp) -> [LaneOpening] {
        desk.openings(for: .getNotificationHistory, overdue: nil, at: now)
    }

    package func perform(_ work: LeasedWork, at now: Timestamp) async throws -> WorkOutcome {
        let scope = work.order.scope
        guard let app = backend.apps[scope.app] else { return .wait(.hours(1), because: "the app is not configured") }
        var body = try StateCoding.decode(SweepBody.self, from: work.order.body)
        while true {
            try Task.checkCancellation()
            guard let call = try Self.call(for: body, in: scope, at: backend.clock.now()) else {
                // Apple keeps nothing of so long ago.
                return end(body, scope)
            }
            let page: NotificationHistoryResponse
            switch try await desk.ask(call, in: scope, body.slice.purpose.urgency, at: backend.clock.now()) {
            case .notAsked(let why): return .back(because: why.rawValue)
            case .failed(let failure) where body.token != nil && Self.isAboutToken(failure):
                body.beginAnew()
                try await keep(body, with: nil, on: work)
                continue
            case .failed(let failure): return .retry(because: failure.code)
            case .answered(let answer): page = answer.response
            }
            let request = try await take(page, into: &body, app, scope)
            guard page.hasMore, !isBeyondEnd(body) else {
                try await apply(request)
                return end(body, scope)
            }
            guard let next = page.paginationToken, next != body.token, body.pages < limits.mostPages else {
                body.beginAnew()
                try await keep(body, with: request, on: work)
                return .retry(because: page.paginationToken == nil ? "a page has no token" : "the pages do not end")
            }
            body.token = next
            body = try await keep(body, with: request, on: work)
        }
    }

    // MARK: Pages

    /// The call for the next page; nil where Apple keeps nothing of the slice any more.
    private static func call(
        for body: SweepBody, in scope: Scope, at now: Timestamp
    ) throws -> ServerAPICall<NotificationHistoryResponse>? {
        let oldest = now.adding(Milliseconds(-SweepPlanner.reach(of: scope.environment).count))
        // The window of a token stays as it was when the first page was asked for.
        let from = body.token == nil ? max(body.slice.from, oldest) : body.slice.from
        guard from < body.slice.until else { return nil }
        let request = NotificationHistoryRequest(
            startDate: from, endDate: body.window ?? body.slice.until,
            onlyFailures: body.slice.purpose.wantsFailuresOnly ? true : nil)
        return try .getNotificationHistory(request, paginationToken: body.token)
    }

    private static func isAboutToken(_ failure: AppleFailure) -> Bool {
        let codes: [ServerAPIErrorCode] = [.paginationTokenExpired, .invalidPaginationToken]
        return codes.contains { failure.code == "apple.\($0.rawValue)" }
    }

    /// What a page proves that is not kept yet. A notification that is refused is left out, and counted: the others are true
    /// without it.
    private func take(
        _ page: NotificationHistoryResponse, into body: inout SweepBody, _ app: AppSettings, _ scope: Scope
    ) async throws -> IngestRequest {
        var request = IngestRequest(app: app, learnedAt: backend.clock.now())
        let claimed = page.notificationHistory.map { ClaimedNotification(jws: $0.signedPayload) }
        let known = try await backend.store.knownNotifications(claimed.compactMap { $0?.uuid }, in: scope)
        body.pages += 1
        for (item, claimed) in zip(page.notificationHistory, claimed) {
            body.seen += 1
            if let claimed { body.note(claimed.signedDate) }
            if let claimed, known.contains(claimed.uuid) { continue }
            do {
                let arrivals = try await backend.request(
                    ofNotification: Array(item.signedPayload.utf8), app: app, at: request.learnedAt
                ).arrivals.filter { $0.scope == scope }
                body.new += Int64(arrivals.count)
                request.arrivals += arrivals
            } catch let error as BackendError {
                body.refused += 1
                guard let reason = error.parkingReason else { continue }
                try await backend.park(Array(item.signedPayload.utf8), app: app, because: reason, at: request.learnedAt)
            }
        }
        return request
    }

    /// Whether all that follows is another slice's.
    private func isBeyondEnd(_ body: SweepBody) -> Bool {
        guard body.window != nil, let reached = body.reached, body.isInOrder else { return false }
        return reached >= body.slice.until.adding(Self.beyondEnd)
    }

    // MARK: Keeping

    /// Keeps a page and where the next one is; divides what is left where that seems to be much.
    ///
    /// - Returns: what is then to be done.
    @discardableResult
    private func keep(_ body: SweepBody, with request: IngestRequest?, on work: LeasedWork) async throws -> SweepBody {
        do {
            return try await keepAll(body, with: request, on: work)
        } catch let error as StorageError where error.isAboutOneRequest && request != nil {
            if let request { try await apply(request) }
            return try await keepAll(body, with: nil, on: work)
        }
    }

    /// Keeps what a page proves by itself. A subscription whose books are damaged keeps no other's news from being known
    /// (RECON-4).
    private func apply(_ request: IngestRequest) async throws {
        let singles = request.arrivals.map { arrival in
            var single = IngestRequest(app: request.app, learnedAt: request.learnedAt)
            single.arrivals = [arrival]
            return single
        }
        for (arrival, outcome) in zip(request.arrivals, await backend.queue.commitAll(singles)) {
            guard case .failure(let error) = outcome else { continue }
            guard let refusal = error as? StorageError, refusal.isAboutOneRequest, arrival.notification != nil,
                let evidence = arrival.evidence
            else { throw error }
            try await backend.park(
                evidence.bytes, app: request.app, because: "store.\(refusal.code.rawValue)", at: request.learnedAt)
        }
    }

    private func keepAll(_ body: SweepBody, with request: IngestRequest?, on work: LeasedWork) async throws -> SweepBody {
        let (settings, now, scope, middle) = (backend.chosen, backend.clock.now(), work.order.scope, middle(of: body))
        return try await backend.store.write { transaction in
            var kept = body
            if let request, !request.arrivals.isEmpty { _ = try Ingest.apply([request], in: transaction, settings) }
            if let middle, var plan = try transaction.lockSweeps(of: scope),
                let rest = plan.divide(body.slice.number, at: middle)
            {
                kept.shorten(to: middle)
                try transaction.save(plan, of: scope)
                try transaction.order([WorkOrder(sweeping: rest, in: scope)])
            }
            try transaction.note(kept.json, on: work, until: now.adding(Self.lease))
            return kept
        }
    }

    /// Where to divide what is left; nil where it is not to be.
    private func middle(of body: SweepBody) -> Timestamp? {
        guard body.pages >= limits.pagesUndivided, body.isInOrder, let reached = body.reached, reached < body.slice.until
        else { return nil }
        let left = body.slice.until.since(reached).count
        return left < 2 * limits.shortestSlice.count ? nil : reached.adding(Milliseconds(left / 2))
    }

    private func end(_ body: SweepBody, _ scope: Scope) -> WorkOutcome {
        .done(
            keeping: WorkResult { _, transaction in
                guard var plan = try transaction.lockSweeps(of: scope) else { return }
                plan.end(body.slice.number)
                try transaction.save(plan, of: scope)
            })
    }
}

extension SweepSlice.Purpose {
    /// Whether a regular sweep, or one of what may have been missed in an outage.
    fileprivate var urgency: AskingUrgency {
        switch self {
        case .outage, .asked: .afterOutage
        case .hourly, .failures, .nightly: .regularly
        }
    }
}
