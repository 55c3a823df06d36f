import Ledger
import Storage

/// A claim that waits for its customers' numbers.
struct UnsentClaim {
    let claim: Claim
    let key: SubscriptionKey
}

/// The same of a vote, an intent, a reservation or who is who.
struct UnsentInput {
    let input: LedgerInput
    let key: SubscriptionKey
}

/// The same of a registration.
struct UnsentRegistration {
    let registration: TokenRegistration
    let app: AppID
    let keyName: String?

    var customer: CustomerName { CustomerName(app, registration.customer) }
}
