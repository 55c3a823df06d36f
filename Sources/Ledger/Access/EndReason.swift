/// Why a window ended, for people and programs that must tell the reasons apart: what ended it, and where it ended because it did
/// not renew, the reason that Apple gave.
///
/// Source: `expirationIntent` of JWSRenewalInfoDecodedPayload, App Store Server API.
package enum EndReason: String, Sendable, Hashable, CaseIterable {
    /// `expirationIntent` 1: the customer turned auto-renew off.
    case customerCanceled
    /// `expirationIntent` 2: Apple could not charge.
    case billingError
    /// `expirationIntent` 3: the customer did not consent to a higher price, or to another conversion that needs consent.
    case priceIncreaseRefused
    /// `expirationIntent` 4: the product was not available at the renewal.
    case productUnavailable
    /// It did not renew, and Apple gave no reason.
    case expired
    /// An upgrade or crossgrade replaced it, and what follows does not give this.
    case replaced
    case refunded
    case familySharingStopped
    /// A seat of a group purchase was taken back (PER-12).
    case assignmentRevoked
    /// ENT-7: the billing grace period ended, and Apple gave no reason.
    case graceOver
    /// ENT-6: Apple has said nothing.
    case noNewsFromApple
    /// The subscription goes on for another customer.
    case ownershipMoved
    /// What had added up is used (ENT-3, PER-9).
    case balanceUsed
    /// A grant ended or was withdrawn (ENT-9).
    case grantEnded
    /// An operator's hold ended it or still prevents it (ENT-9).
    case held

    /// - Parameter expirationIntent: what Apple gave for the end; nil where it gave nothing.
    init(_ end: AccessSpan.End, expirationIntent: Int64?) {
        self =
            switch (end, expirationIntent) {
            case (.expired, 1), (.graceOver, 1), (.noNewsFromApple, 1): .customerCanceled
            case (.expired, 2), (.graceOver, 2), (.noNewsFromApple, 2): .billingError
            case (.expired, 3), (.graceOver, 3), (.noNewsFromApple, 3): .priceIncreaseRefused
            case (.expired, 4), (.graceOver, 4), (.noNewsFromApple, 4): .productUnavailable
            case (.expired, _): .expired
            case (.graceOver, _): .graceOver
            case (.noNewsFromApple, _): .noNewsFromApple
            case (.replaced, _): .replaced
            case (.refunded, _): .refunded
            case (.familySharingStopped, _): .familySharingStopped
            case (.assignmentRevoked, _): .assignmentRevoked
            case (.ownershipMoved, _): .ownershipMoved
            case (.balanceUsed, _): .balanceUsed
            case (.grantEnded, _): .grantEnded
            case (.held, _): .held
            }
    }
}

extension EntitlementAnswer {
    /// Why the window ended, with Apple's reason where it did not renew; nil while it is open.
    package var endReason: EndReason? { endedBecause.map { EndReason($0, expirationIntent: expirationIntent) } }
}
