package import Primitives

/// One purchase or renewal as the App Store stores it; ``TransactionPayload`` is what is signed about it.
///
/// Kept small, because there are many: products and offers are numbers in their app's catalogue.
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
        /// A seat that another account pays for.
        case assigned = "ASSIGNED"
    }

    package internal(set) var transactionId: TransactionNumber
    package let originalTransactionId: TransactionNumber
    /// One per paid period of a subscription, the same for every copy of it; nil for a purchase that does not renew.
    package let webOrderLineItemId: Int64?
    package let account: AccountNumber
    package let app: AppNumber
    package let product: ProductNumber
    package internal(set) var purchaseDate: Timestamp
    package let originalPurchaseDate: Timestamp
    /// Nil for a purchase that does not renew. Moves when the period is extended.
    package internal(set) var expiresDate: Timestamp?
    package internal(set) var appAccountToken: CompactUUID?
    package let reason: Reason
    package let ownership: Ownership
    package let quantity: Int32
    /// The total price, for the whole quantity.
    package let price: Milliunits
    package let storefront: StorefrontNumber
    package let offer: OfferNumber?
    /// Which month it is of a year that is paid by the month; nil for anything else.
    package let commitment: Commitment?
    /// Whether an upgrade replaced it.
    package internal(set) var isUpgraded = false
    /// Whether the app said that it delivered what was bought.
    package internal(set) var isFinished = false
    package internal(set) var revocation: StoreRevocation?
    /// When anything about it last changed.
    package internal(set) var modifiedAt: Timestamp
    /// Which of the store's changes last changed it; nil where an earlier version saved it.
    private(set) var changeNumber: Int64?
    /// The purchase that this is a restored copy of; everything but the id and one date is read there.
    let restoredFrom: TransactionNumber?

    /// When it last changed, as a number that is greater for each later change, also while the clock stands still: the history is
    /// sorted by this.
    package var lastChange: Int64 { changeNumber ?? modifiedAt.millisecondsSince1970 }

    /// Notes that something about it changed.
    mutating func noteChange(_ number: Int64, at now: Timestamp) { (changeNumber, modifiedAt) = (number, now) }
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

/// A refund, the end of a family's sharing or of a seat, or a switch to another subscription.
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
        case assignmentRevoke = "ASSIGNMENT_REVOKE"
        /// A switch between a standalone subscription and a bundle. Apple publishes neither a spelling nor a number for it, so
        /// only its date is signed.
        case switched = "SWITCHED"
    }

    package let date: Timestamp
    package let reason: Reason
    package let kind: Kind
    /// In thousandths of a percent: 100000 is everything.
    package let percentage: Int64

    package static let wholePercentage: Int64 = 100_000

    /// A refund of this percentage.
    init(date: Timestamp, reason: Reason, percentage: Int64) {
        self.date = date
        self.reason = reason
        self.percentage = percentage
        kind = percentage == Self.wholePercentage ? .refundFull : .refundProrated
    }

    /// The end of what no money is returned for.
    init(_ kind: Kind, at date: Timestamp) {
        self.date = date
        self.kind = kind
        reason = .other
        percentage = Self.wholePercentage
    }

    /// Whether money was returned.
    package var isRefund: Bool { kind == .refundFull || kind == .refundProrated }
}

/// All transactions of one environment, by their number.
struct TransactionBook: Sendable, Hashable, Codable {
    private let first: Int64
    private var transactions: [StorePurchase] = []

    init(first: Int64) { self.first = first }

    var count: Int { transactions.count }
    var all: [StorePurchase] { transactions }

    /// Whether counting on from here does not overflow.
    var isPlausible: Bool { (1...1_000_000_000_000_000_000).contains(first) }

    /// The id of the next transaction.
    var nextId: TransactionNumber { TransactionNumber(number: first + Int64(transactions.count)) }

    /// Appends the next transaction, whose id is ``nextId``.
    mutating func append(_ transaction: StorePurchase) { transactions.append(transaction) }

    /// Nil where there is none of that id. Setting changes an existing one.
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
