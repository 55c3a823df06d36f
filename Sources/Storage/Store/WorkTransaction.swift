package import Primitives

/// What everybody needs who leaves something to be done later.
package protocol OrderingTransaction {
    /// Asks for work; what was asked for already and is not done is done once, at the earlier of the instants.
    func order(_ orders: [WorkOrder]) throws
}

/// What workers need: they lease work and end it.
package protocol WorkTransaction: OrderingTransaction {
    /// Notes how far the work is: replaces its body, prolongs its lease, and counts its attempts from 1 again, since it got on.
    ///
    /// - Throws: `StorageError` with `staleLease`, as ``finish(_:at:)``, and where it was asked for once more meanwhile.
    func note(_ body: String, on work: LeasedWork, until: Timestamp) throws

    /// Takes work that is due at the instant, the longest due first, which nobody holds.
    func lease(_ request: WorkRequest, at now: Timestamp) throws -> [LeasedWork]

    /// Ends it well, inside the transaction that keeps what came of it.
    ///
    /// - Throws: `StorageError` with `staleLease` where the lease is over and another holds it, or the work was taken back: then
    ///   nothing of the transaction may be kept.
    func finish(_ work: LeasedWork, at now: Timestamp) throws

    /// Puts it back, for another attempt at the instant.
    ///
    /// - Parameter counts: whether this one counts as an attempt; being made to wait does not.
    /// - Throws: `StorageError` with `staleLease`, as ``finish(_:at:)``.
    func postpone(_ work: LeasedWork, to instant: Timestamp, because reason: String, counts: Bool) throws

    /// Gives it up; it stays for operators to see.
    ///
    /// - Throws: `StorageError` with `staleLease`, as ``finish(_:at:)``.
    func abandon(_ work: LeasedWork, at now: Timestamp, because reason: String) throws
}
