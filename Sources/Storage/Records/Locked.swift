package import Ledger

/// What is kept of subscriptions, tokens and customers that a transaction has made its own.
package struct Locked: Sendable {
    /// Without those of which nothing is kept.
    package let subscriptions: [SubscriptionKey: StoredSubscription]
    /// Everything that was said of whose the tokens are; by `registeredAt` and customer. Without those of which nothing was.
    package let registrations: [TokenName: [TokenRegistration]]
    /// The number of each app's newest version of what it chose, which stays the newest until the transaction ends (OWN-17);
    /// without those apps of which none is kept.
    package let settings: [AppID: Int64]
    /// Without those of whom nothing is kept.
    package var customers: [CustomerKey: StoredCustomer] = [:]
    /// Into whom the customers were merged that were asked for or that anonymous registrations name (OWN-10); by anonymous id.
    package var merges: [CustomerName: CustomerMerge] = [:]
    /// Those among the customers asked for that are anonymous and not merged.
    package var devices: [CustomerName: CustomerDevice] = [:]

    package init(
        subscriptions: [SubscriptionKey: StoredSubscription], registrations: [TokenName: [TokenRegistration]],
        settings: [AppID: Int64]
    ) {
        self.subscriptions = subscriptions
        self.registrations = registrations
        self.settings = settings
    }
}

extension Locked {
    /// Whose merges the lock must tell: those asked for, and the anonymous ones that registrations name.
    package func namesThatMayBeMerged(_ customers: [CustomerKey]) -> Set<CustomerName> {
        var names = Set(customers.map(\.name))
        for (token, said) in registrations {
            for registration in said where registration.isAnonymous {
                names.insert(CustomerName(token.app, registration.customer))
            }
        }
        return names
    }
}
