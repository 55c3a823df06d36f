package import Primitives

/// One subscription, which is one `originalTransactionId`, and its state.
package struct StoreSubscription: Sendable, Hashable, Codable {
    /// The state of a subscription. Each state that ends with time carries the instant at which it ends.
    package enum State: Sendable, Hashable, Codable {
        case active(until: Timestamp)
        /// The payment failed; the customer keeps access.
        case billingGracePeriod(until: Timestamp, retryUntil: Timestamp)
        /// The payment failed; the App Store keeps trying.
        case billingRetry(until: Timestamp)
        case expired(at: Timestamp, ExpirationIntent)
        case revoked
    }

    /// Why a subscription ended, in the values of `expirationIntent`.
    package enum ExpirationIntent: Int64, Sendable, Hashable, Codable {
        case customerTurnedAutoRenewOff = 1
        case billing = 2
        case noConsentToPriceIncrease = 3
        case productNotAvailable = 4
        case other = 5
    }

    package let originalTransactionId: TransactionNumber
    package let account: AccountNumber
    package let app: AppNumber
    package let group: SubscriptionGroupID
    package let originalPurchaseDate: Timestamp
    package let ownership: StorePurchase.Ownership
    package internal(set) var state: State
    /// The newest period.
    package internal(set) var latest: TransactionNumber
    package internal(set) var product: ProductNumber
    /// The product of the next period; not ``product`` after a downgrade.
    package internal(set) var autoRenewProduct: ProductNumber
    package internal(set) var autoRenews = true
    /// Nil: the account's card decides.
    package internal(set) var payment: Payment?
    package internal(set) var appAccountToken: CompactUUID?
    /// The offer of the periods to come.
    package internal(set) var nextOffer: RunningOffer?
    /// What the next period costs by default: a subscriber who is not informed of a higher price keeps the old one. Nil for a
    /// family's copy.
    package internal(set) var keptPrice: Milliunits?
    package internal(set) var priceIncrease: PriceIncrease?
    /// The month of a year that is paid by the month.
    package internal(set) var commitment: Commitment?
    /// How the next period, or after the twelfth month the next year, is paid.
    package internal(set) var renewalPlan = StoreBillingPlan.billedUpfront
    /// When the customer subscribed, or subscribed again after a lapse of at least 60 days.
    package internal(set) var recentSubscriptionStartDate: Timestamp
    /// Renewals since the last purchase: Sandbox has a limit.
    var renewals: Int32 = 0
    /// When the next period is charged before this one ends; nil where that was done or tried, or does not happen.
    var chargesAt: Timestamp?
    /// Whether its notifications are turned off: a server must find out by asking.
    package internal(set) var isSilent = false
    /// Whether the notifications that are turned off can be read in the notification history, as where only the sending fails.
    /// Nil, also in states that earlier versions saved: no.
    package internal(set) var isToldInHistory: Bool?
    /// The subscription that this one replaced in a switch between a standalone subscription and a bundle; nil: none.
    package internal(set) var previousOriginalTransactionId: TransactionNumber?
    /// The failed renewal that the newest period ended; nil where that period was not a recovery.
    package internal(set) var recoveredFailure: RecoveredFailure?
    /// Where the end of its billing grace period is signed; nil: everywhere.
    package internal(set) var graceEnd: GraceEnd?

    /// How long a billing grace period may be, in days.
    package static let acceptedGraceDays: ClosedRange<Int64> = 1...28

    /// What the customer's card will do.
    package enum Payment: Sendable, Hashable, Codable {
        case succeeds
        /// Nil days: the app has no billing grace period.
        case fails(gracePeriodDays: Int64?)
    }

    /// Where `gracePeriodExpiresDate` is signed.
    ///
    /// Source: public reports of grace notifications without it.
    package enum GraceEnd: String, Sendable, Hashable, CaseIterable, Codable {
        /// In notifications and in statuses, as Apple documents.
        case signed
        /// In statuses alone.
        case notInNotifications
        case unsigned
    }

    /// A failed renewal that was recovered.
    package struct RecoveredFailure: Sendable, Hashable, Codable {
        /// The billing grace period or billing retry.
        let state: State
        /// The period before it.
        let period: TransactionNumber
    }

    /// An offer and how many of its billed periods remain.
    package struct RunningOffer: Sendable, Hashable, Codable {
        package let number: OfferNumber
        package var periodsLeft: Int64
    }

    /// A higher price that applies from the next renewal on.
    package struct PriceIncrease: Sendable, Hashable, Codable {
        package let price: Milliunits
        package let needsConsent: Bool
        /// `priceIncreaseStatus` 1: the customer agreed, or was informed of an increase that needs no consent.
        package var isAgreed: Bool
    }

    /// When its next scheduled event is due; nil where there is none.
    package var due: Timestamp? {
        switch state {
        case .active(let until): autoRenews ? chargesAt ?? until : until
        case .billingGracePeriod(let until, _), .billingRetry(let until): until
        case .expired, .revoked: nil
        }
    }

    /// Whether it has ended; it can then be bought again.
    package var hasEnded: Bool {
        switch state {
        case .active, .billingGracePeriod, .billingRetry: false
        case .expired, .revoked: true
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
}
