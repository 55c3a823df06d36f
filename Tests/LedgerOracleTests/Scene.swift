import LedgerOracle

/// Day 0 of the hand-written scenes, in whole seconds.
let zero: Int64 = 1_750_000_000_000
let minute: Int64 = 60_000
let hour: Int64 = 3_600_000
let day: Int64 = 24 * hour

/// The instant this many days (and milliseconds) after day 0.
func at(_ days: Int64, _ more: Int64 = 0) -> Int64 { zero + days * day + more }

/// A transaction of the subscription "S", signed when it was bought unless said otherwise.
func bought(
    _ product: String, _ from: Int64, _ until: Int64, _ reason: OracleReason = .purchase, id: String? = nil,
    order: String? = nil, token: String? = nil, signed: Int64? = nil
) -> OracleTransaction {
    OracleTransaction(
        originalTransactionId: "S", transactionId: id ?? "t\(from)", webOrderLineItemId: order ?? "w\(from)",
        productId: product, purchaseDate: from, expiresDate: until, reason: reason, appAccountToken: token,
        signedDate: signed ?? from)
}

func refunded(_ transaction: OracleTransaction, _ instant: Int64) -> OracleTransaction {
    var copy = transaction
    copy.revocationDate = instant
    copy.revocationType = "REFUND_FULL"
    copy.signedDate = instant + 1000
    return copy
}

func upgraded(_ transaction: OracleTransaction, signed: Int64) -> OracleTransaction {
    var copy = transaction
    copy.isUpgraded = true
    copy.signedDate = signed
    return copy
}

func info(
    _ signed: Int64, next: String? = nil, renews: Bool? = true, retry: Bool = false, grace: Int64? = nil,
    intent: Int64? = nil, token: String? = nil
) -> Delivery {
    .renewalInfo(
        OracleRenewalInfo(
            originalTransactionId: "S", autoRenewProductId: next, autoRenewStatus: renews, appAccountToken: token,
            isInBillingRetryPeriod: retry, gracePeriodExpiresDate: grace, expirationIntent: intent, signedDate: signed))
}

func notice(_ signed: Int64, status: Int64) -> Delivery {
    .notice(
        OracleNotice(originalTransactionId: "S", uuid: "n\(signed)", type: "ANY", status: status, signedDate: signed))
}

func failed(_ asked: Int64, retryable: Bool = true) -> Delivery {
    .failedQuestion(OracleFailedQuestion(originalTransactionId: "S", askedAt: asked, retryable: retryable))
}

func claim(
    _ customer: String, _ kind: OracleClaimKind, _ shown: OracleTransaction, _ instant: Int64, names: String? = nil,
    anonymous: Bool = false, others: [String] = [], intents: Bool = false, id: String? = nil
) -> Delivery {
    .claim(
        OracleClaim(
            id: id ?? "c\(instant)", originalTransactionId: shown.originalTransactionId, customer: customer,
            anonymous: anonymous, kind: kind, shown: shown, productId: names ?? shown.productId, claimedAt: instant,
            othersServed: others, keepsIntents: intents))
}

func registration(
    _ token: String, _ customer: String, _ instant: Int64, anonymous: Bool = false, vouched: Bool = false,
    borneBefore: Bool = false
) -> Delivery {
    .registration(
        OracleRegistration(
            token: token, customer: customer, anonymous: anonymous, registeredAt: instant, vouched: vouched,
            borneBefore: borneBefore))
}

func intent(_ customer: String, _ product: String, _ instant: Int64) -> Delivery {
    .intent(OracleIntent(id: "i\(instant)", customer: customer, productId: product, madeAt: instant))
}

func reservation(_ customer: String, _ instant: Int64) -> Delivery {
    .reservation(OracleReservation(id: "r\(instant)", originalTransactionId: "S", customer: customer, reservedAt: instant))
}

func vote(_ instant: Int64, _ kind: OracleVoteKind) -> Delivery {
    .vote(OracleVote(id: "v\(instant)", at: instant, kind: kind))
}

func facts(_ transactions: OracleTransaction...) -> [Delivery] { transactions.map { .transaction($0) } }

func answer(_ deliveries: [Delivery], _ policy: OraclePolicy = OraclePolicy()) -> OracleAnswer {
    Oracle(policy: policy).answer(to: deliveries)
}

func answer(_ deliveries: [Delivery], _ policies: OraclePolicies) -> OracleAnswer {
    Oracle(policies: policies).answer(to: deliveries)
}

extension OracleAnswer {
    /// The line of owners of "S" in short: `A@0 B@10`, in days.
    var line: String {
        (self["S"]?.steps ?? []).map { "\($0.customer ?? "-")@\(inDays($0.from))" }.joined(separator: " ")
    }

    /// The spans of "S" in short: `paid 0-30`, in days, with minutes where there are any.
    var spans: [String] {
        (self["S"]?.spans ?? []).map { "\($0.kind) \(inDays($0.from))-\($0.until.map(inDays) ?? "")" }
    }

    /// The outcome of each claim and reservation, in the order of receipt.
    var outcomes: [OracleVerdict] { verdicts.map(\.verdict) }

    /// The contests of "S" in short: `V,X@10`, in days.
    var contests: [String] {
        (self["S"]?.contested ?? []).map { $0.customers.joined(separator: ",") + "@" + inDays($0.purchaseDate) }
    }

    var beginnings: [OracleBeginning] { (self["S"]?.periods ?? []).map(\.beginning) }
    var endReasons: [OracleEndReason] { (self["S"]?.periods ?? []).map(\.endReason) }
}

/// `12` or `12+60m`.
func inDays(_ instant: Int64) -> String {
    let since = instant - zero
    let rest = since % day
    return rest == 0 ? "\(since / day)" : "\(since / day)+\(rest / minute)m"
}
