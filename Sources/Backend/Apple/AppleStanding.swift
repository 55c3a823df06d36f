package import Ledger
package import Primitives
import Storage

/// How asking Apple stands for an app in one environment; for operators.
package struct AppleStanding: Sendable, Hashable {
    /// What this server found when it asked.
    package struct OfServer: Sendable, Hashable {
        package let last: LastCalls
        /// Until when it asks nothing there: the host failed too often, or the key is refused. Nil: it asks.
        package let pausedUntil: Timestamp?
        /// How far its clock is ahead of Apple's; nil where Apple has not answered yet.
        package let clockLead: Milliseconds?
    }

    package struct LastCalls: Sendable, Hashable {
        package var answeredAt: Timestamp?
        package var failure: Failure?
    }

    /// Why a call has no usable answer.
    package struct Failure: Sendable, Hashable {
        /// As of a failed question: `apple.4040010`, `unauthenticated`, `network.…`.
        package let code: String
        /// Apple's name of what was called.
        package let endpoint: String
        package let at: Timestamp
    }

    /// A stretch that is looked through.
    package struct Sweep: Sendable, Hashable {
        package let purpose: String
        package let from: Timestamp
        package let until: Timestamp
        package let plannedAt: Timestamp
    }

    /// What is left of Apple's limit for one endpoint.
    package struct Budget: Sendable, Hashable {
        package let endpoint: String
        package let callsPerHour: Int64
        package let takenUntil: Timestamp
        package let blockedUntil: Timestamp
    }

    /// How much of one kind of work is due; counted up to ``Backend/longestBacklog``.
    package struct Backlog: Sendable, Hashable {
        package let kind: String
        package let count: Int
        package let dueSince: Timestamp?
    }

    /// A notification that Apple posted.
    package struct Heard: Sendable, Hashable {
        package let receivedAt: Timestamp
        package let signedDate: Timestamp
    }

    /// Nil before a server looked at it, or where the app is never asked about.
    package let sureUntil: Timestamp?
    package let isLate: Bool
    package let sweeps: [Sweep]
    /// Of this environment, by endpoint; only those that were ever called.
    package let budgets: [Budget]
    package let backlog: [Backlog]
    package let lastNotification: Heard?
    /// Nil where the app is never asked about.
    package let server: OfServer?

    init(_ stored: StoredSweepPlan?, budgets: [StoredBudget], backlog: [WorkBacklog], server: OfServer?, at now: Timestamp) {
        sureUntil = stored?.plan.sureUntil
        isLate = stored.map { SureWatch.isLate($0, at: now) } ?? false
        sweeps = (stored?.plan.open ?? []).map {
            Sweep(purpose: $0.purpose.rawValue, from: $0.from, until: $0.until, plannedAt: $0.plannedAt)
        }
        self.budgets = budgets.map {
            Budget(
                endpoint: $0.name.endpoint, callsPerHour: $0.budget.callsPerHour, takenUntil: $0.budget.tat,
                blockedUntil: $0.budget.blockedUntil)
        }
        self.backlog = backlog.map { Backlog(kind: $0.kind.rawValue, count: $0.count, dueSince: $0.dueSince) }
        lastNotification = stored?.plan.heard.map { Heard(receivedAt: $0.receivedAt, signedDate: $0.signedDate) }
        self.server = server
    }
}

extension Backend {
    /// Each kind of work that asks Apple.
    private static let askingKinds: [WorkKind] = [
        .askApple, .fetchStatuses, .fetchHistory, .sweepNotifications, .verifyReceipt, .verifyImportedReceipt,
        .answerConsumptionRequest, .applyNotification,
    ]
    /// Work is counted up to this.
    package static let longestBacklog = 10_000

    /// How asking Apple stands (RECON-7, RECON-8).
    ///
    /// - Parameter desk: of this server; nil where it asks nothing.
    /// - Throws: `BackendError`.
    package func appleStanding(of id: AppID, in environment: Environment, desk: AppleDesk?) async throws -> AppleStanding {
        let app = try settings(of: id)
        try app.checkTakes(environment)
        let (scope, now) = (Scope(app: id, environment: environment), clock.now())
        return try await translatingStorageErrors {
            AppleStanding(
                try await store.sweeps(of: id).first { $0.scope == scope },
                budgets: try await store.budgets(of: id).filter { $0.name.scope == scope },
                backlog: try await store.backlog(of: Self.askingKinds, in: scope, at: now, limit: Self.longestBacklog),
                server: app.apple == nil ? nil : desk?.standing(in: scope, at: now), at: now)
        }
    }

    /// Plans to look through everything that Apple told in a stretch (RECON-2): what was told before the first server, or what
    /// somebody does not trust.
    ///
    /// - Parameter until: nil: now.
    /// - Throws: `BackendError.appleNotAsked` where the app has no key, and `invalidStretch` where the stretch is empty, or lies
    ///   before what Apple keeps.
    package func sweep(
        _ id: AppID, in environment: Environment, from: Timestamp, until: Timestamp? = nil
    ) async throws {
        let app = try settings(of: id)
        try app.checkTakes(environment)
        guard app.asksByKey else { throw BackendError.appleNotAsked(id) }
        let (scope, now) = (Scope(app: id, environment: environment), clock.now())
        let oldest = now.adding(Milliseconds(-SweepPlanner.reach(of: environment).count))
        let (begin, end) = (max(from, oldest), min(until ?? now, now))
        guard begin < end else { throw BackendError.invalidStretch(oldest: oldest, now: now) }
        return try await translatingStorageErrors {
            try await store.write { transaction in
                var plan = try transaction.lockSweeps(of: scope) ?? SweepPlan(at: now)
                let slices = plan.plan(from: begin, until: end, at: now)
                try transaction.save(plan, of: scope)
                try transaction.order(slices.map { try WorkOrder(sweeping: $0, in: scope) })
            }
        }
    }

    /// Whether this server asks Apple about any app.
    package var asksApple: Bool { apps.values.contains { $0.apple != nil } }
}
