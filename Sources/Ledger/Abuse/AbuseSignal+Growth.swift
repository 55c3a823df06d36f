/// What becomes of a signal that is found again.
extension AbuseSignal {
    /// Whether it shows more than one that an operator acknowledged, and so is to be raised again: there is more of it, or
    /// something of it was not acknowledged. Time alone takes evidence out of the window and adds none, so it never grows by
    /// that.
    ///
    /// A customer is the same evidence whatever subscription shows them, and so is an account of one customer: which of its
    /// subscriptions was used last says nothing new, so that only their number counts.
    package func grows(beyond acknowledged: AbuseSignal) -> Bool {
        if count > acknowledged.count { return true }
        guard kind != .customerOfManyAccounts else { return false }
        // Of as much evidence as one signal carries nobody knows what else was acknowledged.
        guard acknowledged.count <= Self.mostEvidence else { return false }
        return !identities.isSubset(of: acknowledged.identities)
    }

    /// Whether it says what another one says, but for the instants of evidence that goes on.
    package func saysTheSame(as other: AbuseSignal) -> Bool {
        kind == other.kind && subject == other.subject && score == other.score && count == other.count
            && Set(evidence.map(\.what)) == Set(other.evidence.map(\.what))
    }

    /// The same under another name of its subject.
    package func about(_ subject: Subject) -> AbuseSignal {
        AbuseSignal(kind, subject, score: score, count: count, evidence: evidence)
    }

    /// The subscription whose events tell of it: that of the newest evidence.
    package var toldOf: OriginalTransactionID? {
        if case .subscription(let id) = subject { return id }
        return evidence.last?.subscription
    }

    private var identities: Set<Identity> {
        Set(evidence.map { piece in piece.customer.map { .customer($0) } ?? .other(piece.what) })
    }

    private enum Identity: Hashable {
        case customer(CustomerID)
        case other(Evidence.What)
    }
}
