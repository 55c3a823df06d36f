package import Ledger

/// What is kept of subscriptions and tokens that a transaction has made its own.
package struct Locked: Sendable {
    /// Without those of which nothing is kept.
    package let subscriptions: [SubscriptionKey: StoredSubscription]
    /// Everything that was said of whose the tokens are; by `registeredAt` and customer. Without those of which nothing was.
    package let registrations: [TokenName: [TokenRegistration]]
    /// The number of each app's newest version of what it chose, which stays the newest until the transaction ends (OWN-17);
    /// without those apps of which none is kept.
    package let settings: [AppID: Int64]

    package init(
        subscriptions: [SubscriptionKey: StoredSubscription], registrations: [TokenName: [TokenRegistration]],
        settings: [AppID: Int64]
    ) {
        self.subscriptions = subscriptions
        self.registrations = registrations
        self.settings = settings
    }
}
