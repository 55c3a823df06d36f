package import Ledger
package import Primitives
package import Storage

/// Does work of one kind.
package protocol WorkPerformer: Sendable {
    var kind: WorkKind { get }

    /// Which work may be taken at the instant, one after the other. None while what the work needs is known not to be there, such
    /// as a destination that is down: then nothing is asked of the store, and nothing is taken only to be put back.
    func openings(at now: Timestamp) -> [LaneOpening]

    /// Does it, as often as it is called: a worker may die after it was done and before that is kept. Cancelled when the lease is
    /// about to end.
    ///
    /// - Throws: anything; it is then tried again later, as after ``WorkOutcome/retry(because:)``.
    func perform(_ work: LeasedWork, at now: Timestamp) async throws -> WorkOutcome

    /// Keeps what follows from giving the work up, in the transaction that does.
    func giveUp(
        _ work: LeasedWork, because reason: String, at now: Timestamp, in transaction: any StoreTransaction
    ) throws
}

extension WorkPerformer {
    package func openings(at now: Timestamp) -> [LaneOpening] { [LaneOpening()] }

    package func giveUp(
        _ work: LeasedWork, because reason: String, at now: Timestamp, in transaction: any StoreTransaction
    ) throws {}
}

/// Work that a lane may take.
package struct LaneOpening: Sendable, Hashable {
    /// In these ledgers, each its share; empty: in all.
    package let scopes: [Scope]
    /// Only what is due so long.
    package let overdueBy: Milliseconds

    package init(scopes: [Scope] = [], overdueBy: Milliseconds = Milliseconds(0)) {
        self.scopes = scopes
        self.overdueBy = overdueBy
    }
}

/// What became of an attempt.
package enum WorkOutcome: Sendable {
    /// It ends in the transaction that keeps what came of it, so that neither is there without the other.
    case done(keeping: WorkResult? = nil)
    /// It made progress and is not at its end; any worker may take it again at once. Not a failed attempt.
    case goesOn
    /// It has to wait so long: the other side said so, or a budget is spent. Not a failed attempt.
    case wait(Milliseconds, because: String)
    /// It was not begun, and stands in the queue as it stood before. Not a failed attempt.
    case back(because: String)
    /// It failed; to be tried again after a pause that grows.
    case retry(because: String)
    /// Trying again is useless.
    case abandon(because: String)
}

/// What is kept of work that is done.
package struct WorkResult: Sendable {
    /// The subscriptions that are locked for it.
    let subscriptions: [SubscriptionKey]
    /// The customers that are locked for it.
    let customers: [CustomerKey]
    let keep: @Sendable (Locked, any StoreTransaction) throws -> Void

    /// - Parameters:
    ///   - subscriptions: to be locked; what is kept must be decided on what is then known of them.
    ///   - customers: to be locked too.
    ///   - keep: keeps it. The work has ended already in the same transaction, so that a decision that no longer names it does
    ///     not take it away from its holder. May be run several times, as the body of any transaction.
    package init(
        of subscriptions: [SubscriptionKey] = [], customers: [CustomerKey] = [],
        _ keep: @escaping @Sendable (Locked, any StoreTransaction) throws -> Void
    ) {
        self.subscriptions = subscriptions
        self.customers = customers
        self.keep = keep
    }
}
