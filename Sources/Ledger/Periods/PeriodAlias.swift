package import Primitives

/// One name under which facts may speak of a period (PER-1). A period may have several; each belongs to one period only.
package enum PeriodAlias: Sendable, Hashable, Comparable {
    /// Apple's own key of a paid period.
    case webOrderLineItem(String)
    /// What older data has instead: product and purchase date, truncated to the second.
    case productAndSecond(ProductID, Timestamp)
    /// A purchase that has no periods: a restored non-consumable shows a new purchase date and is still one.
    case oneTimePurchase

    /// Its spelling in the store, where aliases stand under a unique constraint.
    package var key: String {
        switch self {
        case .webOrderLineItem(let id): "w/\(id)"
        case .productAndSecond(let product, let second): "t/\(second.millisecondsSince1970)/\(product)"
        case .oneTimePurchase: "o"
        }
    }

    /// One-time purchases, then products by second, then Apple's keys: as their spellings in the store are ordered, and cheaper.
    package static func < (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.webOrderLineItem(let one), .webOrderLineItem(let other)): ID<Period>(one) < ID<Period>(other)
        case (.productAndSecond(let one, let second), .productAndSecond(let other, let otherSecond)):
            second == otherSecond ? one < other : second < otherSecond
        default: left.rank < right.rank
        }
    }

    private var rank: Int {
        switch self {
        case .oneTimePurchase: 0
        case .productAndSecond: 1
        case .webOrderLineItem: 2
        }
    }

    /// The names that one fact gives to its period: the strongest first.
    package static func aliases(of fact: TransactionFact) -> [PeriodAlias] {
        guard fact.type == .autoRenewableSubscription else { return [.oneTimePurchase] }
        let triple = PeriodAlias.productAndSecond(fact.productId, fact.purchaseDate.truncatedToSecond)
        guard let id = fact.webOrderLineItemId else { return [triple] }
        return [.webOrderLineItem(id), triple]
    }
}
