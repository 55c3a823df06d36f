/// A product of the one subscription group of the lives.
package struct OracleProduct: Sendable, Hashable {
    package var id: String
    /// 1 is the highest.
    package var level: Int
    package var days: Int64

    package static let all = [
        OracleProduct(id: "gold.monthly", level: 1, days: 30),
        OracleProduct(id: "gold.yearly", level: 1, days: 365),
        OracleProduct(id: "silver.monthly", level: 2, days: 30),
        OracleProduct(id: "silver.monthly.b", level: 2, days: 30),
        OracleProduct(id: "silver.quarterly", level: 2, days: 91),
    ]

    /// A non-renewing subscription: how long one lasts is configured (PER-9).
    package static let pass = OracleProduct(id: "gold.pass", level: 1, days: 30)

    /// Whether Apple makes the change at once: to a higher level, or to the same level and duration (PER-3).
    func replacesAtOnce(_ other: OracleProduct) -> Bool {
        level < other.level || (level == other.level && days == other.days)
    }
}

/// The state of a subscription of the lives at Apple.
enum ShelfPhase: Hashable {
    case untouched, active, grace, retry, ended
}

/// One subscription in the simulated App Store.
struct Shelf {
    let originalTransactionId: String
    let appTransactionId: String?
    let ownership: OracleOwnership
    /// Another Apple Account pays for it.
    var isAnothers: Bool { ownership != .purchased }
    /// What Apple signs where that one takes it back; nil where it is the account's own.
    var takenBack: String? {
        switch ownership {
        case .purchased: nil
        case .familyShared: "FAMILY_REVOKE"
        case .assigned: "ASSIGNMENT_REVOKE"
        }
    }
    let hasCommitment: Bool
    /// The subscription from which its customer switched (PER-14); nil for one that was bought anew.
    var previousOriginalTransactionId: String?
    var phase = ShelfPhase.untouched
    /// The newest version of every transaction, the present one last.
    var transactions: [OracleTransaction] = []
    /// Every version as it was sent.
    var sent: [OracleTransaction] = []
    var product = OracleProduct.all[0]
    var nextProduct = OracleProduct.all[0]
    var renews = true
    /// What Apple writes as `appAccountToken` into the renewal info (0023, 7).
    var infoToken: String?
    var intent: Int64?
    var graceUntil: Int64?
    /// Its own clock: nothing is signed earlier.
    var now: Int64
    var signedDates: Set<Int64> = []

    /// When the present period ends according to Apple.
    var expiry: Int64 { transactions.last?.expiresDate ?? now }

    /// The `status` that Apple puts into a notification now.
    var status: Int64 {
        switch phase {
        case .untouched, .active: 1
        case .grace: 4
        case .retry: 3
        case .ended: transactions.last?.revocationDate == nil ? 2 : 5
        }
    }

    /// What Apple says about the next renewal now.
    func info(signedDate: Int64) -> OracleRenewalInfo {
        OracleRenewalInfo(
            originalTransactionId: originalTransactionId, autoRenewProductId: nextProduct.id, autoRenewStatus: renews,
            appAccountToken: infoToken, isInBillingRetryPeriod: phase == .grace || phase == .retry,
            gracePeriodExpiresDate: phase == .grace ? graceUntil : nil, expirationIntent: intent, signedDate: signedDate)
    }

    /// The first instant from `wish` at which it has signed nothing yet.
    mutating func freeDate(_ wish: Int64) -> Int64 {
        var date = wish
        while !signedDates.insert(date).inserted { date += 1 }
        return date
    }
}
