package import Primitives

/// One purchase or renewal as the App Store keeps it; what is signed about it is ``TransactionPayload``.
///
/// Kept small: there are many. Products and offers are numbers of their app's catalogue.
///
/// Source: Apple, `JWSTransactionDecodedPayload`.
package struct StorePurchase: Sendable, Hashable, Codable {
    /// Why the App Store charged, in the spelling of `transactionReason`.
    package enum Reason: String, Sendable, Hashable, Codable {
        case purchase = "PURCHASE"
        case renewal = "RENEWAL"
    }

    /// Whose it is, in the spelling of `inAppOwnershipType`.
    package enum Ownership: String, Sendable, Hashable, Codable {
        case purchased = "PURCHASED"
        case familyShared = "FAMILY_SHARED"
    }

    package internal(set) var transactionId: TransactionNumber
    package let originalTransactionId: TransactionNumber
    /// One per paid period of a subscription, the same for every copy of it; nil for what does not renew.
    package let webOrderLineItemId: Int64?
    package let account: AccountNumber
    package let app: AppNumber
    package let product: ProductNumber
    package internal(set) var purchaseDate: Timestamp
    package let originalPurchaseDate: Timestamp
    /// Nil for what does not renew. Moves when the period is extended.
    package internal(set) var expiresDate: Timestamp?
    package internal(set) var appAccountToken: CompactUUID?
    package let reason: Reason
    package let ownership: Ownership
    package let quantity: Int32
    /// Of all of it together.
    package let price: Milliunits
    package let storefront: StorefrontNumber
    package let offer: OfferNumber?
    /// Which month of a year that is paid by the month; nil for anything else.
    package let commitment: Commitment?
    /// Whether an upgrade took its place.
    package internal(set) var isUpgraded = false
    /// Whether the app said that it gave what was bought.
    package internal(set) var isFinished = false
    package internal(set) var revocation: StoreRevocation?
    /// When anything about it changed last: what Apple's history is sorted by.
    package internal(set) var modifiedAt: Timestamp
    /// The purchase that a restore gave another name to; everything but the name and one date is read there.
    let restoredFrom: TransactionNumber?
}

/// A month of twelve.
///
/// Source: Apple, `commitmentInfo` of a transaction.
package struct Commitment: Sendable, Hashable, Codable {
    /// From 1 to 12: `billingPeriodNumber`.
    package let billingPeriodNumber: Int64
    /// When the twelfth month ends, as it looks now.
    package let expiresDate: Timestamp
}

/// A refund, or the end of a family's sharing.
package struct StoreRevocation: Sendable, Hashable, Codable {
    /// Why, in the values of `revocationReason`.
    package enum Reason: Int64, Sendable, Hashable, Codable {
        case other = 0
        case appIssue = 1
    }

    /// In the spelling of `revocationType`.
    package enum Kind: String, Sendable, Hashable, Codable {
        case refundFull = "REFUND_FULL"
        case refundProrated = "REFUND_PRORATED"
        case familyRevoke = "FAMILY_REVOKE"
    }

    package let date: Timestamp
    package let reason: Reason
    package let kind: Kind
    /// In thousandths of a percent: 100000 is everything.
    package let percentage: Int64

    package static let wholePercentage: Int64 = 100_000

    /// A refund of so much.
    init(date: Timestamp, reason: Reason, percentage: Int64) {
        self.date = date
        self.reason = reason
        self.percentage = percentage
        kind = percentage == Self.wholePercentage ? .refundFull : .refundProrated
    }

    /// What a family member had is over.
    init(endOfSharingAt date: Timestamp) {
        self.date = date
        reason = .other
        percentage = Self.wholePercentage
        kind = .familyRevoke
    }
}

/// All transactions of one environment, by their number.
struct TransactionBook: Sendable, Hashable, Codable {
    private let first: Int64
    private var transactions: [StorePurchase] = []

    init(first: Int64) { self.first = first }

    var count: Int { transactions.count }
    var all: [StorePurchase] { transactions }

    /// Whether counting on does not end at the end of numbers.
    var isPlausible: Bool { (1...1_000_000_000_000_000_000).contains(first) }

    /// What the next one will be called.
    var nextId: TransactionNumber { TransactionNumber(number: first + Int64(transactions.count)) }

    /// Takes the next one; it bears ``nextId``.
    mutating func append(_ transaction: StorePurchase) { transactions.append(transaction) }

    /// Nil where there is none of that id. Setting changes one that is there.
    subscript(id: TransactionNumber) -> StorePurchase? {
        get { place(of: id).map { transactions[$0] } }
        set {
            guard let place = place(of: id), let newValue else { return }
            transactions[place] = newValue
        }
    }

    private func place(of id: TransactionNumber) -> Int? {
        let place = id.number &- first
        return place >= 0 && place < Int64(transactions.count) ? Int(place) : nil
    }
}
