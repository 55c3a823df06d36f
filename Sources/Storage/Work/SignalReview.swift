package import Ledger
package import Primitives

/// What is to be looked through for signals of abuse (ABUSE-1).
package enum SignalReview: Sendable, Hashable {
    /// The Apple Account of a subscription: everything that is shown to be of the same one.
    case account(OriginalTransactionID)
    /// Everything of one customer.
    case customer(CustomerID)
    /// Every subscription of the ledger: after a change of what counts as a signal, and once of what was there before signals
    /// were kept.
    case everything

    /// How long a review waits after what asked for it, so that whatever comes in one burst is looked through once.
    package static let pause = Milliseconds.seconds(10)
}

/// Work about signals: the subject is behind a prefix that no `originalTransactionId` has, or empty for the whole ledger.
extension WorkOrder {
    private static let accountPrefix = "appleAccount/"
    private static let customerPrefix = "customer/"
    private static let signals = "signals"

    package init(_ review: SignalReview, in scope: Scope, at instant: Timestamp) {
        let subject =
            switch review {
            case .account(let id): Self.accountPrefix + id.rawValue
            case .customer(let customer): Self.customerPrefix + customer.rawValue
            case .everything: ""
            }
        self.init(scope: scope, subject: subject, key: Self.signals, kind: .reviewSignals, dueAt: instant)
    }

    /// What is to be looked through; nil where it is other work.
    package var review: SignalReview? {
        guard kind == .reviewSignals else { return nil }
        if subject.isEmpty { return .everything }
        if subject.hasPrefix(Self.accountPrefix) {
            return .account(OriginalTransactionID(String(subject.dropFirst(Self.accountPrefix.count))))
        }
        guard subject.hasPrefix(Self.customerPrefix) else { return nil }
        return .customer(CustomerID(String(subject.dropFirst(Self.customerPrefix.count))))
    }
}

/// How far the review of a whole ledger is: the body of its work.
package struct SignalReviewProgress: Sendable, Hashable, Codable {
    /// The last subscription that was looked at; nil before the first.
    package var after: String?

    package init(after: String? = nil) { self.after = after }

    package init(json: String) throws { self = try StateCoding.decode(Self.self, from: json) }

    package var json: String { get throws { try StateCoding.encode(self) } }
}
