/// Who becomes owner when another customer buys: OWN-5. The first is the default.
package enum PurchasePolicy: String, Sendable, Hashable, Codable, CaseIterable {
    /// The customer who bought the upgrade, immediate crossgrade or resubscription becomes owner at its purchase date.
    case followPurchase
    /// The owner keeps it, whichever customer buys.
    case stay
    /// Nothing moves until an operator decides.
    case ask
}

/// What shows who bought: OWN-4. The first is the default.
package enum PurchaseEvidencePolicy: String, Sendable, Hashable, Codable, CaseIterable {
    /// A registered token, and uploads in time.
    case claims
    /// A registered token alone.
    case tokenOnly
}

/// What a restore by another customer does: OWN-9. The first is the default.
package enum RestorePolicy: String, Sendable, Hashable, Codable, CaseIterable {
    /// Refused, with the reason and a masked hint of the owner.
    case keep
    /// Moves now.
    case transfer
    /// Moves only if nothing is active or in billing retry.
    case transferIfInactive
    /// Nothing moves until an operator or the owner decides.
    case ask
}

/// What a partial refund does to the period of an auto-renewable subscription: PER-11. The first is the default.
package enum PartialRefundPolicy: String, Sendable, Hashable, Codable, CaseIterable {
    /// Ends it at its revocation date, as a full refund does: Apple's percentage follows the time that was left.
    case endSubscriptions
    /// Money only; the customer keeps the time.
    case keep

    /// The word of versions before decision 0075, which ended everything that was refunded in part.
    package static let endingAll = "revoke"

    /// Nil for any other word.
    package init?(_ word: String) {
        guard let policy = word == Self.endingAll ? .endSubscriptions : Self(rawValue: word) else { return nil }
        self = policy
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let policy = Self(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "unknown partialRefunds")
        }
        self = policy
    }
}

/// What a partial refund does to access by something else than an auto-renewable subscription, where it cannot be divided into
/// units: PER-11. The first is the default.
package enum PartialRefundOfOthersPolicy: String, Sendable, Hashable, Codable, CaseIterable {
    /// Money only.
    case keep
    /// Ends it at the revocation date, as a full refund does.
    case end
}

/// Whether a `FAMILY_SHARED` transaction gives its member access: OWN-13. The first is the default.
package enum FamilySharingPolicy: String, Sendable, Hashable, Codable, CaseIterable {
    case serve
    /// It is kept and shown, and gives nothing.
    case ignore
}
