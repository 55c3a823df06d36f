package import Primitives

/// One stretch of time that was bought or given inside a subscription, as all facts together show it.
package struct Period: Sendable, Hashable, Codable {
    /// Every name under which facts speak of it (PER-1); sorted, the first one names it.
    package let aliases: [PeriodAlias]
    /// What Apple last said of it.
    package let transaction: TransactionFact
    package let beginning: Beginning
    /// When it stopped or stops giving service; nil for a purchase that does not expire.
    package let end: Timestamp?
    package let endReason: EndReason

    package var productId: ProductID { transaction.productId }
    package var purchaseDate: Timestamp { transaction.purchaseDate }

    /// How a period came to be, which decides whether it can move the subscription to its buyer.
    package enum Beginning: String, Sendable, Hashable, Codable {
        /// The first period that we know of.
        case firstKnown
        /// It renewed by itself; moves nothing (OWN-8).
        case renewal
        /// An upgrade or an immediate crossgrade: bought while another product's period ran (PER-3).
        case immediateChange
        /// Bought again after the end.
        case resubscription
    }

    package enum EndReason: Sendable, Hashable, Codable {
        /// It lasts to its `expiresDate`, or for ever.
        case ran
        /// An upgrade or immediate crossgrade took its place; Apple refunded the rest (PER-3).
        case replaced
        /// Refunded, or Family Sharing stopped (PER-2).
        case revoked(Revocation)
    }

    /// Whether its kind of product gives time or possession by itself. Consumables and non-renewing subscriptions are kept and
    /// give nothing yet (PER-9, later), and so does a kind that we do not know (FACT-5).
    package var givesAccess: Bool {
        (transaction.type == .autoRenewableSubscription && transaction.expiresDate != nil) || transaction.type == .nonConsumable
    }

    /// Whether it gives service at the instant.
    package func contains(_ instant: Timestamp) -> Bool {
        guard purchaseDate <= instant else { return false }
        guard let end else { return true }
        return instant < end
    }
}
