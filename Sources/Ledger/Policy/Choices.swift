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

/// Whether a partial refund ends the period it concerns: PER-11. The first is the default.
package enum PartialRefundPolicy: String, Sendable, Hashable, Codable, CaseIterable {
    /// Money only; the customer keeps the time.
    case keep
    /// Ends the period at its revocation date, as a full refund does.
    case revoke
}

/// Whether a `FAMILY_SHARED` transaction gives its member access: OWN-13. The first is the default.
package enum FamilySharingPolicy: String, Sendable, Hashable, Codable, CaseIterable {
    case serve
    /// It is kept and shown, and gives nothing.
    case ignore
}
