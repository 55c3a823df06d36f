import Ledger
import Primitives

/// A subscription with its own id: what Apple signed about it, and who claimed its first transaction when it was bought.
func owned(
    _ id: String, by customer: CustomerID?, _ facts: TransactionFact..., then change: (inout Book) -> Void = { _ in }
) -> SubscriptionState {
    let subscription = OriginalTransactionID(id)
    var book = Book(
        key: SubscriptionKey(app: AppID("app"), environment: .production, originalTransactionId: subscription))
    let own = facts.map { fact in
        var fact = fact
        fact.originalTransactionId = subscription
        return fact
    }
    for fact in own { book.tell(fact) }
    if let customer, let first = own.first { _ = book.hear(claim(customer, .purchase, first, at: first.purchaseDate)) }
    change(&book)
    return book.state
}

/// The entitlement of both products, unless a test says otherwise.
let access = EntitlementID("access")
let accessMap = entitlements([plus: ["access"], pro: ["access"]])

/// An entitlement map without earlier versions.
func entitlements(_ given: KeyValuePairs<ProductID, [String]>) -> EntitlementMap {
    EntitlementMap(
        entries: given.map { product, names in
            .init(productId: product, validFrom: day(2000, 1, 1), entitlements: names.map { EntitlementID($0) })
        })
}
