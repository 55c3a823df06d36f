/// What a key may do. Each endpoint that asks for a key names the one scope that the key must have
/// (docs/decisions/0053); a key has any number of them. The spellings stand in databases and requests.
package enum KeyScope: String, Sendable, Hashable, CaseIterable {
    /// What customers may use, and what to show to them.
    case entitlementsRead = "entitlements:read"
    /// Customers with everything that is known of them.
    case customersRead = "customers:read"
    /// Who is who, what is said of customers, and what they were delivered.
    case customersWrite = "customers:write"
    /// What devices show.
    case uploadsWrite = "uploads:write"
    /// What operators decide about customers and subscriptions.
    case votesWrite = "votes:write"
    /// Signatures of offers.
    case offersSign = "offers:sign"
    /// Subscriptions, what they rest on, and how asking Apple stands.
    case subscriptionsRead = "subscriptions:read"
    /// Asking Apple now.
    case subscriptionsRefresh = "subscriptions:refresh"
    /// Having Apple change a subscription.
    case subscriptionsExtend = "subscriptions:extend"
    /// What happened.
    case eventsRead = "events:read"
    /// Where events are sent, and what became of them.
    case webhooksRead = "webhooks:read"
    case webhooksWrite = "webhooks:write"
    /// What the app chose, and what other choices would change.
    case policyRead = "policy:read"
    case policyWrite = "policy:write"
    /// Everything, in bulk.
    case exportRead = "export:read"
    /// Other keys.
    case admin

    /// All but `admin`, in the declared order: what the server key of the configuration file may do.
    package static let allButAdmin = allCases.filter { $0 != .admin }
}
