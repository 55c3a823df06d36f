package import Primitives

/// A copy of a charge that another subscription's book keeps, and that this subscription's transactions name too, by Apple's key
/// of it (PER-1). A history hears the copies that decide, whenever they make of the charge what it did not know.
///
/// Copies need no version: whatever order they are heard in, the charge is what the newest of them say (FACT-2).
package struct ChargeElsewhere: Sendable, Hashable {
    /// What the copy says of the charge: its ids, dates, kind, revocation; no token, price or offer.
    package let copy: TransactionFact
    /// The earliest `signedDate` of any copy there, also of one that is not kept.
    package let signedFirst: Timestamp
    /// When each REFUND_REVERSED there was signed that names an id of the charge; sorted (ENT-5).
    package let reversals: [Timestamp]

    package init(_ copy: TransactionFact, signedFirst: Timestamp, reversals: [Timestamp] = []) {
        var charge = TransactionFact(
            originalTransactionId: copy.originalTransactionId, transactionId: copy.transactionId, productId: copy.productId,
            purchaseDate: copy.purchaseDate, signedDate: copy.signedDate)
        charge.type = copy.type
        charge.source = copy.source
        charge.expiresDate = copy.expiresDate
        charge.webOrderLineItemId = copy.webOrderLineItemId
        charge.revocation = copy.revocation
        charge.isUpgraded = copy.isUpgraded
        charge.details.inAppOwnershipType = copy.details.inAppOwnershipType
        self.copy = charge
        self.signedFirst = signedFirst
        self.reversals = reversals
    }

    /// The other subscription.
    package var originalTransactionId: OriginalTransactionID { copy.originalTransactionId }

    /// Tells apart what one history hears.
    package var id: String {
        let revocation = copy.revocation
        let instants: [Timestamp?] = [
            copy.signedDate, signedFirst, reversals.last, copy.purchaseDate, copy.expiresDate, revocation?.revocationDate,
        ]
        let words: [String?] = [
            copy.source.map { "\($0)" }, revocation?.revocationType, revocation?.revocationReason.map { "\($0)" },
            revocation?.revocationPercentage.map { "\($0)" }, copy.details.inAppOwnershipType, copy.isUpgraded ? "upgraded" : nil,
        ]
        // Written only where it is said, so that the ids that are kept stay theirs.
        let seats = revocation?.revokedSeatQuantity.map { ["seats \($0)"] } ?? []
        let earlier = reversals.dropLast().map { "reversed \($0.millisecondsSince1970)" }
        let ids = [copy.webOrderLineItemId ?? "", originalTransactionId.rawValue, copy.transactionId.rawValue]
        let dates = instants.map { $0.map { "\($0.millisecondsSince1970)" } ?? "-" }
        return (ids + dates + words.map { $0 ?? "-" } + seats + earlier).joined(separator: "/")
    }

    static func inOrder(_ left: Self, _ right: Self) -> Bool {
        (left.copy.webOrderLineItemId ?? "", left.originalTransactionId, left.copy.signedDate, left.id)
            < (right.copy.webOrderLineItemId ?? "", right.originalTransactionId, right.copy.signedDate, right.id)
    }
}

/// A charge as one subscription's book has it: all that another subscription, which names it too, needs to know.
struct Charge: Hashable {
    let originalTransactionId: OriginalTransactionID
    let signedFirst: Timestamp
    let purchaseDate: Timestamp
    /// Nil where no copy says it.
    let expiresDate: Timestamp?
    /// The refund that stands; nil where none does.
    let revocation: Revocation?
    /// The refunds that copies show, standing or not.
    private let refunds: [ShownRefund]
    private let reversals: [Timestamp]
    private let transactionIds: [TransactionID]

    /// Nil for what is no charge of its own, as what a family shares (OWN-13).
    init?(_ entry: PeriodBook.Entry, of originalTransactionId: OriginalTransactionID) {
        let fact = entry.latest
        guard fact.details.isCharge else { return nil }
        self.originalTransactionId = originalTransactionId
        (signedFirst, refunds, reversals) = (entry.signedFirst, entry.shownRefunds, entry.reversals)
        (purchaseDate, expiresDate) = (fact.purchaseDate, fact.expiresDate)
        revocation = fact.isUpgraded ? nil : fact.revocation
        transactionIds = ([fact.transactionId] + entry.otherIds).sorted()
    }

    /// The first that was signed serves; of equal dates the one with the lower id.
    var order: (Timestamp, OriginalTransactionID) { (signedFirst, originalTransactionId) }
}

/// What is known of charges under other subscriptions, put together from all that was heard.
struct ChargesElsewhere {
    private var books: [OriginalTransactionID: PeriodBook] = [:]
    private var reversals: [OriginalTransactionID: [String: [Timestamp]]] = [:]

    init(_ heard: [ChargeElsewhere]) {
        for charge in heard {
            books[charge.originalTransactionId, default: PeriodBook()].record(charge.copy, signedFirst: charge.signedFirst)
            guard let key = charge.copy.webOrderLineItemId else { continue }
            reversals[charge.originalTransactionId, default: [:]][key, default: []] += charge.reversals
        }
    }

    /// The periods of Apple's key under other subscriptions; by subscription.
    func entries(called webOrderLineItemId: String) -> [(of: OriginalTransactionID, entry: PeriodBook.Entry)] {
        books.sorted { $0.key < $1.key }.flatMap { subscription, book in
            book.entries().filter { $0.webOrderLineItemId == webOrderLineItemId }.map { entry in
                var entry = entry
                entry.reverse(at: reversals[subscription]?[webOrderLineItemId] ?? [])
                return (subscription, entry)
            }
        }
    }
}

extension PeriodBook.Entry {
    /// Whether the other one is the same charge: the dates must overlap, else one key stands for two charges (PER-1).
    func isCharge(of other: PeriodBook.Entry) -> Bool {
        guard latest.details.isCharge, other.latest.details.isCharge else { return false }
        let (start, end) = (latest.purchaseDate, latest.expiresDate)
        let (otherStart, otherEnd) = (other.latest.purchaseDate, other.latest.expiresDate)
        return start == otherStart || start < otherEnd ?? otherStart && otherStart < end ?? start
    }
}

extension SubscriptionHistory {
    /// Copies of a charge that this history is to hear from another one: none where it knows the charge as that one has it.
    package func news(ofCharge webOrderLineItemId: String, in other: SubscriptionHistory) -> [ChargeElsewhere] {
        guard other.book.names(webOrderLineItemId) else { return [] }
        let entries = other.book.entries().filter { $0.webOrderLineItemId == webOrderLineItemId }
        let id = other.key.originalTransactionId
        let known = ChargesElsewhere(chargesElsewhere.filter { $0.originalTransactionId == id })
            .entries(called: webOrderLineItemId).compactMap { Charge($0.entry, of: id) }
        guard entries.compactMap({ Charge($0, of: id) }) != known else { return [] }
        return entries.flatMap { entry in
            entry.copies.map { ChargeElsewhere($0, signedFirst: entry.signedFirst, reversals: entry.reversals) }
        }
    }
}
