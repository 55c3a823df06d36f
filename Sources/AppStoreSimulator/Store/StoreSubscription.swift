package import Primitives

/// One subscription, which is one `originalTransactionId`, and where it stands.
package struct StoreSubscription: Sendable, Hashable {
    /// Where a subscription stands. Each state that time ends carries the instant at which it does.
    package enum State: Sendable, Hashable {
        case active(until: Timestamp)
        /// The payment failed; the customer keeps access.
        case billingGracePeriod(until: Timestamp, retryUntil: Timestamp)
        /// The payment failed; the App Store goes on trying.
        case billingRetry(until: Timestamp)
        case expired(at: Timestamp, ExpirationIntent)
        case revoked
    }

    /// Why a subscription ended, in the values of `expirationIntent`.
    package enum ExpirationIntent: Int64, Sendable, Hashable {
        case customerTurnedAutoRenewOff = 1
        case billing = 2
    }

    /// What the customer's card will do.
    package enum Payment: Sendable, Hashable {
        case succeeds
        /// Nil days: the app has no billing grace period.
        case fails(gracePeriodDays: Int64?)
    }

    package let originalTransactionId: TransactionID
    package let account: AccountID
    package let group: SubscriptionGroupID
    package let originalPurchaseDate: Timestamp
    package internal(set) var state: State
    /// The newest period.
    package internal(set) var latest: TransactionID
    package internal(set) var product: Product
    /// What the next period will be of; not ``product`` after a downgrade.
    package internal(set) var autoRenewProduct: Product
    package internal(set) var autoRenews = true
    package internal(set) var payment = Payment.succeeds
    package internal(set) var appAccountToken: String?
    /// The billed periods of a pay-as-you-go introductory offer that are still to come.
    package internal(set) var offerPeriodsLeft: Int64
    /// When the customer came, or came back after a lapse of at least 60 days.
    package internal(set) var recentSubscriptionStartDate: Timestamp

    /// When the state ends by itself; nil when it does not.
    var due: Timestamp? {
        switch state {
        case .active(let until), .billingGracePeriod(let until, _), .billingRetry(let until): until
        case .expired, .revoked: nil
        }
    }

    /// Apple's `status`.
    package var status: Int64 {
        switch state {
        case .active: 1
        case .expired: 2
        case .billingRetry: 3
        case .billingGracePeriod: 4
        case .revoked: 5
        }
    }

    /// The offer that the next period will have.
    var nextOffer: IntroductoryOffer? {
        offerPeriodsLeft > 0 ? product.terms?.introductoryOffer : nil
    }
}

/// One customer of the App Store.
package struct StoreAccount: Sendable, Hashable {
    package let id: AccountID
    /// One per Apple Account and app, the same for ever.
    package let appTransactionId: String
    /// The groups in which the introductory offer was used.
    var introduced: Set<SubscriptionGroupID> = []
    var subscriptions: [SubscriptionGroupID: TransactionID] = [:]
    /// What was bought, oldest first; renewals included, restored copies not.
    package internal(set) var transactions: [TransactionID] = []
}
