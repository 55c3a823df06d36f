package import Primitives

/// A stretch of time in which a subscription gives service, and why it ends where it ends.
package struct AccessSpan: Sendable, Hashable {
    package var from: Timestamp
    /// Nil for what does not expire.
    package var until: Timestamp?
    package var productId: ProductID
    package var kind: Kind
    package var endsBecause: End
    /// In a holding, where spans of several periods are joined: when each of these began, by time. The first may have begun
    /// before `from`: grace and late news belong to the period before them, and a subscription may move within one. Empty: it is
    /// one period, which began at `from`.
    package var periodStarts: [Timestamp] = []

    package init(from: Timestamp, until: Timestamp?, productId: ProductID, kind: Kind, endsBecause: End) {
        self.from = from
        self.until = until
        self.productId = productId
        self.kind = kind
        self.endsBecause = endsBecause
    }

    /// By what right; anything but `paid` is labelled as such in every answer.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Bought or given by the App Store, trials among it.
        case paid
        /// ENT-7: Apple signed a billing grace period.
        case gracePeriod
        /// ENT-6: late news; Apple has said nothing yet about what should have renewed.
        case provisional
    }

    package enum End: String, Sendable, Hashable, CaseIterable, Codable {
        case expired
        case replaced
        case refunded
        case familySharingStopped
        /// A seat of a group purchase was taken back (PER-12).
        case assignmentRevoked
        case graceOver
        case noNewsFromApple
        /// The subscription goes on for another customer.
        case ownershipMoved
        /// What had added up is used (ENT-3, PER-9).
        case balanceUsed
        /// A grant ended or was withdrawn (ENT-9).
        case grantEnded
        /// An operator's hold ended it or still prevents it (ENT-9).
        case held

        /// Apple took it back, and may give it back (ENT-5).
        var isTakenBack: Bool { self == .refunded || self == .familySharingStopped || self == .assignmentRevoked }
    }

    package func contains(_ instant: Timestamp) -> Bool {
        guard from <= instant else { return false }
        guard let until else { return true }
        return instant < until
    }

    /// The part of it inside the tenure; nil where they do not meet.
    func clipped(to tenure: Tenure) -> AccessSpan? {
        var span = self
        span.from = max(from, tenure.from)
        if let tenureEnd = tenure.until, until.map({ tenureEnd < $0 }) ?? true {
            span.until = tenureEnd
            span.endsBecause = .ownershipMoved
        }
        // An upgrade by another customer ends the old period at the same instant at which it moves the subscription.
        if tenure.until != nil, tenure.until == until, endsBecause == .replaced { span.endsBecause = .ownershipMoved }
        if let end = span.until, end <= span.from { return nil }
        return span
    }
}
