package import Ledger

/// What is kept of subscriptions and tokens that a transaction has made its own.
package struct Locked: Sendable {
    /// Without those of which nothing is kept.
    package let subscriptions: [SubscriptionKey: StoredSubscription]
    /// The tokens that are registered, and for whom.
    package let registrations: [TokenName: TokenRegistration]

    package init(subscriptions: [SubscriptionKey: StoredSubscription], registrations: [TokenName: TokenRegistration]) {
        self.subscriptions = subscriptions
        self.registrations = registrations
    }
}
