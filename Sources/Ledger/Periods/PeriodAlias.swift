package import Primitives

/// One name under which facts may speak of a period (PER-1). A period may have several; each belongs to one period only.
package enum PeriodAlias: Sendable, Hashable, Comparable {
    /// Apple's own key of a paid period.
    case webOrderLineItem(String)
    /// What older data has instead: product and purchase date, truncated to the second.
    case productAndSecond(ProductID, Timestamp)
    /// A purchase that has no periods: a restored non-consumable shows a new purchase date and is still one.
    case oneTimePurchase
    /// Seats that were added in mid-period (PER-12): a charge of its own beside the period's, by its transaction's id.
    case seatAddition(TransactionID)

    /// Its spelling in the store, where aliases stand under a unique constraint.
    package var key: String {
        switch self {
        case .webOrderLineItem(let id): "w/\(id)"
        case .productAndSecond(let product, let second): "t/\(second.millisecondsSince1970)/\(product)"
        case .oneTimePurchase: "o"
        case .seatAddition(let id): "a/\(id)"
        }
    }

    /// Added seats, one-time purchases, then products by second, then Apple's keys: as their spellings in the store are ordered,
    /// and cheaper.
    package static func < (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.webOrderLineItem(let one), .webOrderLineItem(let other)): ID<Period>(one) < ID<Period>(other)
        case (.productAndSecond(let one, let second), .productAndSecond(let other, let otherSecond)):
            second == otherSecond ? one < other : second < otherSecond
        case (.seatAddition(let one), .seatAddition(let other)): one < other
        default: left.rank < right.rank
        }
    }

    private var rank: Int {
        switch self {
        case .seatAddition: 0
        case .oneTimePurchase: 1
        case .productAndSecond: 2
        case .webOrderLineItem: 3
        }
    }

    /// The names that one fact gives to its period: the strongest first.
    package static func aliases(of fact: TransactionFact) -> [PeriodAlias] {
        guard fact.type == .autoRenewableSubscription else { return [.oneTimePurchase] }
        if fact.details.isSeatAddition { return [.seatAddition(fact.transactionId)] }
        let triple = PeriodAlias.productAndSecond(fact.productId, fact.purchaseDate.truncatedToSecond)
        guard let id = fact.webOrderLineItemId else { return [triple] }
        return [.webOrderLineItem(id), triple]
    }
}
