import Ledger
import Primitives

/// A subscription with its own id: what Apple signed about it, and who claimed its first transaction when it was bought.
func owned(
    _ id: String, by customer: CustomerID?, _ facts: TransactionFact..., policy: AppPolicy = AppPolicy(),
    then change: (inout Book) -> Void = { _ in }
) -> SubscriptionState {
    let subscription = OriginalTransactionID(id)
    var book = Book(
        policy,
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

extension Person {
    /// Who a customer is, from the app purchases that some customers showed and votes that stand in the books of both whom they
    /// name, as `Backend` has them stand.
    init(of customer: CustomerID, showing app: [AppPurchase] = [], _ votes: [CustomerVote] = []) {
        var accounts: [CustomerID: CustomerAccount] = [:]
        func tell(_ customer: CustomerID, _ input: CustomerInput) {
            let empty = CustomerAccount(app: key.app, environment: key.environment, customer: customer)
            _ = accounts[customer, default: empty].record(input)
        }
        for purchase in app {
            tell(purchase.customer, .appPurchase(ShownAppPurchase(purchase, appTransactionId: nil, shownAt: day(2020, 1, 1))))
        }
        for vote in votes {
            switch vote.kind {
            case .join(let pair): for customer in [pair.from, pair.into] { tell(customer, .vote(vote)) }
            case .withdraw(let id):
                for account in accounts.values where account.votes.contains(where: { $0.id == id }) {
                    tell(account.customer, .vote(vote))
                }
            case .grant, .hold, .credit, .redelivery: tell(customer, .vote(vote))
            }
        }
        let own = accounts[customer] ?? CustomerAccount(app: key.app, environment: key.environment, customer: customer)
        self.init(own, Array(accounts.values))
    }
}

extension CustomerLicences {
    /// Of a customer who has no other id.
    init(of customer: CustomerID, states: [SubscriptionState], appPurchases: [AppPurchase], policy: LicencePolicy) {
        self.init(of: Person(of: customer, showing: appPurchases), states: states, policy: policy)
    }
}
