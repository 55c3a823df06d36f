package import Primitives

/// What Apple signed or said about one transaction, at one moment. The same transaction is signed anew whenever it is requested,
/// and later signatures may say more (a refund, an upgrade, an extension). A line of a receipt says less.
///
/// Source: Apple, App Store Server API, `JWSTransactionDecodedPayload`; names are Apple's.
package struct TransactionFact: Sendable, Hashable {
    package var originalTransactionId: OriginalTransactionID
    /// Never the identity of a period: a restore or a new device mints another for the same charge (PER-1).
    package var transactionId: TransactionID
    /// Apple's key of one paid period; nil where it is absent or "0" (Xcode, one-time purchases).
    package var webOrderLineItemId: String?
    package var productId: ProductID
    package var type: ProductKind
    package var purchaseDate: Timestamp
    /// Nil for what does not expire.
    package var expiresDate: Timestamp?
    /// Whether the customer bought it or it renewed by itself; nil in data from before Apple said so.
    package var transactionReason: ChargeReason?
    /// Apple replaced this transaction by an upgrade or an immediate crossgrade.
    package var isUpgraded: Bool
    package var revocation: Revocation?
    package var appAccountToken: AppAccountToken?
    /// One per Apple Account and app: the one thing that shows a common Apple Account.
    package var appTransactionId: String?
    /// The `originalTransactionId` of the subscription that this one replaced when its customer switched between a standalone
    /// subscription and a bundle, in either direction (PER-14).
    package var previousOriginalTransactionId: OriginalTransactionID?
    package var details: TransactionDetails
    /// When Apple signed or said this; what orders versions of one transaction (FACT-2).
    package var signedDate: Timestamp
    /// Where it stood; nil where Apple signed it by itself, as a JWS.
    package var source: LegacySource?

    package init(
        originalTransactionId: OriginalTransactionID, transactionId: TransactionID, productId: ProductID, purchaseDate: Timestamp,
        signedDate: Timestamp
    ) {
        self.originalTransactionId = originalTransactionId
        self.transactionId = transactionId
        self.productId = productId
        self.purchaseDate = purchaseDate
        self.signedDate = signedDate
        type = .autoRenewableSubscription
        isUpgraded = false
        details = TransactionDetails()
    }
}

/// What is kept of a transaction for accounts and display and decides nothing about access.
package struct TransactionDetails: Sendable, Hashable {
    package var subscriptionGroupIdentifier: String?
    package var originalPurchaseDate: Timestamp?
    package var quantity: Int64?
    package var inAppOwnershipType: String?
    package var offerType: Int64?
    package var offerIdentifier: String?
    package var offerDiscountType: String?
    package var offerPeriod: String?
    /// In thousandths of `currency`.
    package var price: Milliunits?
    package var currency: String?
    package var storefront: String?
    /// `BILLED_UPFRONT` or `MONTHLY`; nil in data from before commitments (PER-10).
    package var billingPlanType: String?
    /// When the commitment ends; for display only, access follows `expiresDate` (PER-10).
    package var commitmentExpiresDate: Timestamp?
    /// What else Apple says of why it was charged, as SEAT_ADDITION (PER-12).
    package var additionalTransactionReason: String?

    package init() {}

    /// Monthly billing with a commitment: no billing grace period, and a longer billing retry (PER-10).
    var isMonthlyCommitment: Bool { billingPlanType == "MONTHLY" }

    /// Whose it is at Apple is something that we model; another word is kept and shown, and gives nothing (FACT-5).
    var isOwnershipKnown: Bool {
        inAppOwnershipType.map { AppleWords.OwnershipType(rawValue: $0) != nil } ?? true
    }

    /// Shared by a member of the family, who bought it with another Apple Account (OWN-13).
    package var isFamilyShared: Bool { inAppOwnershipType == AppleWords.OwnershipType.familyShared.rawValue }

    /// A seat of a group purchase that Apple assigned to its Apple Account (PER-12).
    package var isAssigned: Bool { inAppOwnershipType == AppleWords.OwnershipType.assigned.rawValue }

    /// Seats of a group purchase that were added in mid-period: money and seats, and no time (PER-12).
    package var isSeatAddition: Bool { additionalTransactionReason == "SEAT_ADDITION" }

    /// Another Apple Account paid for it, a family's or that of a group's purchaser (OWN-13, PER-12).
    package var isPaidByAnother: Bool { isFamilyShared || isAssigned }

    /// Whether its Apple Account paid for it: what a family shares and a seat is somebody else's charge (OWN-13, PER-12). What
    /// says nothing of it was bought.
    package var isCharge: Bool { inAppOwnershipType.map { $0 == AppleWords.OwnershipType.purchased.rawValue } ?? true }
}

/// The kind of product; a kind that Apple invents later keeps its spelling (FACT-5).
package enum ProductKind: Sendable, Hashable {
    case autoRenewableSubscription
    case nonConsumable
    case consumable
    case nonRenewingSubscription
    /// Apple did not say: `/verifyReceipt` writes no type, and what does not expire may be any of the three others. Nothing is
    /// guessed; it is kept, and counts once another source says what it is.
    case unstated
    case unknown(String)
}

extension ProductKind: RawRepresentable {
    /// Every spelling is accepted; an unknown one is kept.
    package init(rawValue: String) {
        self =
            switch rawValue {
            case "Auto-Renewable Subscription": .autoRenewableSubscription
            case "Non-Consumable": .nonConsumable
            case "Consumable": .consumable
            case "Non-Renewing Subscription": .nonRenewingSubscription
            case "": .unstated
            default: .unknown(rawValue)
            }
    }

    /// Apple's spelling; empty where it did not say.
    package var rawValue: String {
        switch self {
        case .autoRenewableSubscription: "Auto-Renewable Subscription"
        case .nonConsumable: "Non-Consumable"
        case .consumable: "Consumable"
        case .nonRenewingSubscription: "Non-Renewing Subscription"
        case .unstated: ""
        case .unknown(let spelling): spelling
        }
    }
}

/// Why a transaction exists; a reason that Apple invents later keeps its spelling and moves nothing.
package enum ChargeReason: Sendable, Hashable {
    case purchase
    case renewal
    case unknown(String)
}

extension ChargeReason: RawRepresentable {
    /// Every spelling is accepted; an unknown one is kept.
    package init(rawValue: String) {
        self =
            switch rawValue {
            case "PURCHASE": .purchase
            case "RENEWAL": .renewal
            default: .unknown(rawValue)
            }
    }

    /// Apple's spelling.
    package var rawValue: String {
        switch self {
        case .purchase: "PURCHASE"
        case .renewal: "RENEWAL"
        case .unknown(let spelling): spelling
        }
    }
}

extension ProductKind {
    /// Bought once, and known to be.
    package var isOneTime: Bool {
        switch self {
        case .consumable, .nonConsumable, .nonRenewingSubscription: true
        case .autoRenewableSubscription, .unstated, .unknown: false
        }
    }
}

extension TransactionFact {
    /// How many were bought: at least one.
    package var units: Int64 { max(1, details.quantity ?? 1) }

    /// How many units of a one-time purchase a refund took back (PER-11): all of them, or, where a part of the price was given
    /// back, the whole units in that part; never the last one. Nil for anything else, and where Apple does not say which part.
    ///
    /// A percentage is rounded by Apple (of three units one is 33 333 or 33 334), so that what lacks less than a thousandth of a
    /// percent of a unit is one.
    package func units(refundedBy revocation: Revocation) -> Int64? {
        guard type.isOneTime else { return nil }
        guard revocation.isPartial else { return units }
        guard let percentage = revocation.revocationPercentage else { return nil }
        let whole: Int64 = 100_000
        let part = min(max(0, percentage), whole - 1) + 1
        let (high, low) = units.multipliedFullWidth(by: part)
        return min(whole.dividingFullWidth((high, low)).quotient, units - 1)
    }
}

/// What Apple took back with a transaction.
package enum TakenBack: Sendable, Hashable {
    case money
    /// Family Sharing stopped (PER-2).
    case familySharing
    /// A seat of a group purchase (PER-12).
    case assignment
}

extension TransactionFact {
    /// What a revocation of it took back. What another Apple Account paid is no purchase of its own, so that no money can be
    /// returned for it, whatever the revocation is called; Apple gave no type for years.
    package func takenBack(by revocation: Revocation) -> TakenBack {
        switch revocation.type {
        case .assignmentRevoke?: .assignment
        case .familyRevoke?: .familySharing
        case .refundFull?, .refundProrated?, nil:
            details.isFamilyShared ? .familySharing : details.isAssigned ? .assignment : .money
        }
    }
}

/// Apple took a transaction back: a refund, or Family Sharing that stopped.
package struct Revocation: Sendable, Hashable, Codable {
    package var revocationDate: Timestamp
    /// `REFUND_FULL`, `REFUND_PRORATED`, `FAMILY_REVOKE` or newer; nil in data from before December 2025.
    package var revocationType: String?
    /// The same as one of the words that have a meaning here; nil where it is none of them.
    package var type: AppleWords.RevocationType? { revocationType.flatMap(AppleWords.RevocationType.init) }
    /// 0 another reason, 1 an issue with the app.
    package var revocationReason: Int64?
    /// Thousandths of a percent: 100 000 is all of it; nil where Apple does not say.
    package var revocationPercentage: Int64?
    /// How many seats of a purchase of several are refunded in all (PER-12): 0 where Apple calls it a refund of seats and does
    /// not say of how many, nil where it is none.
    package var revokedSeatQuantity: Int64?

    package init(
        revocationDate: Timestamp, revocationType: String? = nil, revocationReason: Int64? = nil,
        revocationPercentage: Int64? = nil
    ) {
        self.revocationDate = revocationDate
        self.revocationType = revocationType
        self.revocationReason = revocationReason
        self.revocationPercentage = revocationPercentage
    }

    /// Whether it is a refund of some of the seats that a transaction bought, and not of all (PER-12): it ends nobody's access
    /// but that of these seats.
    package func isOfSeats(of fact: TransactionFact) -> Bool { revokedSeatQuantity.map { $0 < fact.units } ?? false }

    /// Only a part of the price was given back; whether that ends access depends on what was bought and on the app's policy
    /// (`PolicyTimeline.part(takenBy:of:)`).
    package var isPartial: Bool {
        if revocationType == "REFUND_PRORATED" { return true }
        guard let revocationPercentage else { return false }
        return revocationPercentage < 100_000
    }
}
