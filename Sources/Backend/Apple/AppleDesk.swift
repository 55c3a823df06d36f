import AppStoreWire
import Ledger
import Primitives
package import Storage
import Synchronization

/// Where this server's questions to Apple are put: through the shared budget, past hosts that are down and keys that are refused.
/// One for all lanes that ask.
package final class AppleDesk: Sendable {
    private let server: any AppleServer
    private let budget: AppleBudget
    private let apps: [AppID: AppSettings]
    private let pauses = Mutex(Pauses())

    /// What is known not to work for a while.
    private struct Pauses {
        /// Until when no call of an endpoint is left.
        var spent: [BudgetName: Timestamp] = [:]
        /// The app's own trouble, in each of its environments.
        var troubles: [Scope: Trouble] = [:]
        /// What became of the last calls.
        var last: [Scope: AppleStanding.LastCalls] = [:]
        /// Until when questions about single subscriptions wait for a sweep.
        var held: [Scope: Timestamp] = [:]
        /// Until when nobody may have Apple asked about a subscription again.
        var refreshed: [SubscriptionKey: Timestamp] = [:]
        /// How often was looked, so that none of many apps is always the last one.
        var turns = 0
    }

    private struct Trouble {
        /// How many answers in a row showed it.
        var count = 0
        var until: Timestamp
    }

    /// - Parameter apps: those that ask have ``AppSettings/apple``.
    package init(_ server: any AppleServer, store: any WritingStore, apps: [AppSettings]) {
        self.server = server
        budget = AppleBudget(store: store)
        self.apps = Dictionary(apps.map { ($0.id, $0) }) { first, _ in first }
    }

    /// What became of a question.
    enum Answer<Response: ServerAPIResponse>: Sendable {
        case answered(ServerAPIAnswer<Response>)
        case failed(AppleFailure)
        /// It was not put, or Apple counted it as one too many.
        case notAsked(FailedQuestion.Unasked)
    }

    /// Puts a question.
    ///
    /// - Throws: `StorageError` where the budget cannot be read.
    func ask<Response>(
        _ call: ServerAPICall<Response>, in scope: Scope, _ urgency: AskingUrgency, at now: Timestamp
    ) async throws -> Answer<Response> {
        guard let access = apps[scope.app]?.apple, admit(scope, at: now) else { return .notAsked(.unavailable) }
        let budgeted = BudgetedCall(call.endpoint, in: scope, access, urgency)
        if let until = try await budget.take(budgeted, at: now) {
            pauses.withLock { $0.spent[budgeted.name] = until }
            return .notAsked(.budget)
        }
        switch await server.answer(to: call, for: scope.app, in: scope.environment) {
        case .success(let answer):
            pauses.withLock { pauses in
                pauses.troubles[scope] = nil
                pauses.last[scope, default: AppleStanding.LastCalls()].answeredAt = now
            }
            return .answered(answer)
        case .failure(let failure):
            let noted = AppleStanding.Failure(code: failure.code, endpoint: call.endpoint.name, at: now)
            pauses.withLock { $0.last[scope, default: AppleStanding.LastCalls()].failure = noted }
            switch failure.scope {
            case .budget:
                let until = failure.retryAt ?? now.adding(Self.shortestStop)
                pauses.withLock { $0.spent[budgeted.name] = until }
                try await budget.block(budgeted.name, until: until, ceiling: budgeted.callsPerHour, at: now)
                return .notAsked(.budget)
            case .app: noteTrouble(in: scope, at: now)
            case .transaction, .request, .host: break
            }
            return failure.wasSent ? .failed(failure) : .notAsked(.unavailable)
        }
    }

    /// Which questions about an endpoint may be taken from the queue.
    ///
    /// - Parameter overdue: after how long a question that cannot be put must be noted as such (ENT-12), where it is one about a
    ///   single subscription; nil where it is another.
    func openings(for endpoint: ServerAPIEndpoint, overdue: Milliseconds?, at now: Timestamp) -> [LaneOpening] {
        let all = apps.values.filter { $0.apple != nil }.flatMap(\.scopes).sorted()
        let turn = pauses.withLock { pauses in
            pauses.turns &+= 1
            return pauses.turns
        }
        let asking = all.beginning(at: turn)
        let shut = asking.filter { scope in
            isClosed(scope, at: now) || (overdue != nil && isHeld(scope, at: now))
                || pauses.withLock { $0.spent[BudgetName(scope, endpoint.name)].map { $0 > now } ?? false }
        }
        let open = asking.filter { !shut.contains($0) }
        var openings: [LaneOpening] = []
        if !open.isEmpty { openings.append(LaneOpening(scopes: open)) }
        if let overdue, !shut.isEmpty { openings.append(LaneOpening(scopes: shut, overdueBy: overdue)) }
        return openings
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

    /// What this server knows of asking there.
    func standing(in scope: Scope, at now: Timestamp) -> AppleStanding.OfServer {
        let closed = server.closedUntil(for: scope.app, in: scope.environment)
        let (last, trouble) = pauses.withLock { ($0.last[scope], $0.troubles[scope]?.until) }
        return AppleStanding.OfServer(
            last: last ?? AppleStanding.LastCalls(), pausedUntil: [closed, trouble].compactMap { $0 }.filter { $0 > now }.max(),
            clockLead: server.clockLead(for: scope.app, in: scope.environment))
    }

    /// Questions about single subscriptions wait until the instant; nil: no longer.
    func hold(_ scope: Scope, until instant: Timestamp?) { pauses.withLock { $0.held[scope] = instant } }

    /// Whether questions about single subscriptions wait for a sweep.
    func isHeld(_ scope: Scope, at now: Timestamp) -> Bool { pauses.withLock { $0.held[scope].map { $0 > now } ?? false } }

    /// Whether nothing is asked there for a while.
    private func isClosed(_ scope: Scope, at now: Timestamp) -> Bool {
        let trouble = pauses.withLock { $0.troubles[scope]?.until }
        let closed = server.closedUntil(for: scope.app, in: scope.environment)
        return [trouble, closed].compactMap { $0 }.contains { $0 > now }
    }

    /// Whether a question may be put there. After a pause one alone is, which shows whether the trouble is over.
    private func admit(_ scope: Scope, at now: Timestamp) -> Bool {
        guard !isClosed(scope, at: now) else { return false }
        return pauses.withLock { pauses in
            guard var trouble = pauses.troubles[scope] else { return true }
            guard trouble.until <= now else { return false }
            trouble.until = now.adding(Self.shortestStop)
            pauses.troubles[scope] = trouble
            return true
        }
    }

    /// One answer that cannot be read is that answer's; the app's lane pauses longer with each that follows.
    private func noteTrouble(in scope: Scope, at now: Timestamp) {
        pauses.withLock { pauses in
            var trouble = pauses.troubles[scope] ?? Trouble(until: now)
            trouble.count += 1
            let pause = Backoff(first: .minutes(1), greatest: .minutes(10)).longestPause(afterFailures: trouble.count)
            trouble.until = now.adding(pause)
            pauses.troubles[scope] = trouble
        }
    }

    /// How many refreshed subscriptions are remembered before those are forgotten that may be asked about again.
    private static let mostRefreshed = 1000
    /// Where Apple names no instant, and while one question is put alone.
    private static let shortestStop = Milliseconds.minutes(1)
}
