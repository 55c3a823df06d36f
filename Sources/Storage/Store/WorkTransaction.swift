package import Primitives

/// What every caller needs that orders work for later.
package protocol OrderingTransaction {
    /// Orders work. What was ordered before and is not finished is done once, at the earlier of the instants.
    func order(_ orders: [WorkOrder]) throws
}

/// What workers need: they lease work and end it.
package protocol WorkTransaction: OrderingTransaction {
    /// Records progress: replaces the body, extends the lease, and counts attempts from 1 again.
    ///
    /// - Throws: `StorageError` with `staleLease`, as ``finish(_:at:)``, and where it was ordered once more meanwhile.
    func note(_ body: String, on work: LeasedWork, until: Timestamp) throws

    /// Leases work that is due at the instant and not leased: kind by kind in the order of the request, the longest due first,
    /// and each scope its share where the request names any.
    func lease(_ request: WorkRequest, at now: Timestamp) throws -> [LeasedWork]

    /// Finishes it, in the transaction that keeps its result.
    ///
    /// - Throws: `StorageError` with `staleLease` where the lease has ended and another worker holds it, or the work was
    ///   withdrawn: then nothing of the transaction may be kept.
    func finish(_ work: LeasedWork, at now: Timestamp) throws

    /// Returns it to the queue, for another attempt at the instant.
    ///
    /// - Parameter counts: whether this one counts as an attempt; waiting does not.
    /// - Throws: `StorageError` with `staleLease`, as ``finish(_:at:)``.
    func postpone(_ work: LeasedWork, to instant: Timestamp, because reason: String, counts: Bool) throws

    /// Gives it up; operators can still see it.
    ///
    /// - Throws: `StorageError` with `staleLease`, as ``finish(_:at:)``.
    func abandon(_ work: LeasedWork, at now: Timestamp, because reason: String) throws
}
