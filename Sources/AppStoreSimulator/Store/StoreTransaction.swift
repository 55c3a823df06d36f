package import Primitives

/// Names the kind of ``ID`` that a transaction has.
package enum TransactionName {}
/// Names the kind of ``ID`` that an Apple Account has here; Apple never tells it to an app.
package enum AccountName {}

package typealias TransactionID = ID<TransactionName>
package typealias AccountID = ID<AccountName>

/// One purchase or renewal as the App Store keeps it; what is signed about it is ``TransactionPayload``.
///
/// Source: Apple, `JWSTransactionDecodedPayload`.
package struct StoreTransaction: Sendable, Hashable {
    /// Why the App Store charged, in the spelling of `transactionReason`.
    package enum Reason: String, Sendable, Hashable {
        case purchase = "PURCHASE"
        case renewal = "RENEWAL"
    }

    package internal(set) var transactionId: TransactionID
    package let originalTransactionId: TransactionID
    /// One per paid period of a subscription, the same for every copy of it; nil for what does not renew.
    package let webOrderLineItemId: String?
    package let account: AccountID
    package let product: Product
    package internal(set) var purchaseDate: Timestamp
    package let originalPurchaseDate: Timestamp
    /// Nil for what does not renew.
    package let expiresDate: Timestamp?
    /// A UUID in lower case.
    package let appAccountToken: String?
    package let reason: Reason
    package let price: Milliunits
    package let offer: AppliedOffer?
    /// Whether an upgrade took its place.
    package internal(set) var isUpgraded = false
    package internal(set) var revocation: Revocation?
}

/// The introductory offer that a period was bought with.
package struct AppliedOffer: Sendable, Hashable {
    package let paymentMode: IntroductoryOffer.PaymentMode
    package let period: SubscriptionPeriod
}

/// A refund.
package struct Revocation: Sendable, Hashable {
    /// Why, in the values of `revocationReason`.
    package enum Reason: Int64, Sendable, Hashable {
        case other = 0
        case appIssue = 1
    }

    package let date: Timestamp
    package let reason: Reason
    /// In thousandths of a percent: 100000 is everything.
    package let percentage: Int64

    static let wholePercentage: Int64 = 100_000
}
