/// The kind of product that was bought, in Apple's terms.
package enum OracleProductType: Sendable, Hashable {
    case autoRenewable, nonConsumable, consumable, nonRenewing
}

/// Apple's `transactionReason`; `none` in older data.
package enum OracleReason: Sendable, Hashable {
    case purchase, renewal, none
}

/// `inAppOwnershipType`: bought, shared by a family, or a seat that a group's purchaser paid for (OWN-13, PER-12).
package enum OracleOwnership: Sendable, Hashable { case purchased, familyShared, assigned }

/// One version of one transaction, as Apple signed it. Times are milliseconds since 1970.
package struct OracleTransaction: Sendable, Hashable {
    package var originalTransactionId: String
    package var transactionId: String
    /// Absent, or "0", where Apple gave none.
    package var webOrderLineItemId: String?
    package var productId: String
    package var type: OracleProductType
    package var purchaseDate: Int64
    package var expiresDate: Int64?
    package var reason: OracleReason
    package var isUpgraded: Bool
    package var revocationDate: Int64?
    package var revocationType: String?
    /// In thousandths of a percent: 100000 is all.
    package var revocationPercentage: Int64?
    package var appAccountToken: String?
    package var appTransactionId: String?
    /// Nil: the copy does not say.
    package var ownership: OracleOwnership?
    /// `billingPlanType` MONTHLY (PER-10).
    package var monthlyCommitment: Bool
    /// How many were bought at once.
    package var quantity: Int64 = 1
    /// `additionalTransactionReason` SEAT_ADDITION (PER-12).
    package var isSeatAddition = false
    /// `previousOriginalTransactionId`: the subscription that this one continues after a switch of bundles (PER-14).
    package var previousOriginalTransactionId: String?
    package var signedDate: Int64

    package init(
        originalTransactionId: String, transactionId: String, webOrderLineItemId: String? = nil, productId: String,
        type: OracleProductType = .autoRenewable, purchaseDate: Int64, expiresDate: Int64? = nil,
        reason: OracleReason = .none, isUpgraded: Bool = false, revocationDate: Int64? = nil,
        revocationType: String? = nil, revocationPercentage: Int64? = nil, appAccountToken: String? = nil,
        appTransactionId: String? = nil, ownership: OracleOwnership? = .purchased, monthlyCommitment: Bool = false,
        signedDate: Int64
    ) {
        self.originalTransactionId = originalTransactionId
        self.transactionId = transactionId
        self.webOrderLineItemId = webOrderLineItemId
        self.productId = productId
        self.type = type
        self.purchaseDate = purchaseDate
        self.expiresDate = expiresDate
        self.reason = reason
        self.isUpgraded = isUpgraded
        self.revocationDate = revocationDate
        self.revocationType = revocationType
        self.revocationPercentage = revocationPercentage
        self.appAccountToken = appAccountToken
        self.appTransactionId = appTransactionId
        self.ownership = ownership
        self.monthlyCommitment = monthlyCommitment
        self.signedDate = signedDate
    }

    /// The id of the charge, if it is a real one (PER-1).
    var realWebOrderLineItemId: String? {
        webOrderLineItemId == "0" ? nil : webOrderLineItemId
    }

    /// `purchaseDate` truncated to the second, in milliseconds (PER-1).
    var purchaseSecond: Int64 { second(of: purchaseDate) }

    /// Whether only a part was refunded (0017, 5).
    var isPartialRefund: Bool {
        revocationType == "REFUND_PRORATED" || (revocationPercentage ?? 100_000) < 100_000
    }
}

/// The second that contains an instant, in milliseconds.
func second(of instant: Int64) -> Int64 {
    let rest = instant % 1000
    return instant - (rest < 0 ? rest + 1000 : rest)
}

/// One version of what Apple says about the next renewal.
package struct OracleRenewalInfo: Sendable, Hashable {
    package var originalTransactionId: String
    package var autoRenewProductId: String?
    /// `true`: auto-renew on; `nil`: not stated.
    package var autoRenewStatus: Bool?
    package var appAccountToken: String?
    package var isInBillingRetryPeriod: Bool
    package var gracePeriodExpiresDate: Int64?
    package var expirationIntent: Int64?
    package var signedDate: Int64

    package init(
        originalTransactionId: String, autoRenewProductId: String? = nil, autoRenewStatus: Bool? = nil,
        appAccountToken: String? = nil, isInBillingRetryPeriod: Bool = false, gracePeriodExpiresDate: Int64? = nil,
        expirationIntent: Int64? = nil, signedDate: Int64
    ) {
        self.originalTransactionId = originalTransactionId
        self.autoRenewProductId = autoRenewProductId
        self.autoRenewStatus = autoRenewStatus
        self.appAccountToken = appAccountToken
        self.isInBillingRetryPeriod = isInBillingRetryPeriod
        self.gracePeriodExpiresDate = gracePeriodExpiresDate
        self.expirationIntent = expirationIntent
        self.signedDate = signedDate
    }

    /// Retry, an `expirationIntent` or auto-renew off: these values end grace and late news (0017, 10 and 11).
    var showsAnEnd: Bool {
        isInBillingRetryPeriod || expirationIntent != nil || autoRenewStatus == false
    }
}

/// A notification: its name, and the `status` that Apple sent with it.
package struct OracleNotice: Sendable, Hashable {
    package var originalTransactionId: String
    package var uuid: String
    package var type: String
    package var subtype: String?
    /// 1 active, 2 expired, 3 billing retry, 4 billing grace period, 5 revoked.
    package var status: Int64?
    /// The transaction that it is about.
    package var transactionId: String?
    package var signedDate: Int64

    package init(
        originalTransactionId: String, uuid: String, type: String, subtype: String? = nil, status: Int64? = nil,
        transactionId: String? = nil, signedDate: Int64
    ) {
        self.transactionId = transactionId
        self.originalTransactionId = originalTransactionId
        self.uuid = uuid
        self.type = type
        self.subtype = subtype
        self.status = status
        self.signedDate = signedDate
    }

    /// Status 2, 3 or 5 (0017, 10 and 11).
    var showsAnEnd: Bool { status == 2 || status == 3 || status == 5 }
}

/// The `status` in Apple's answer to a question about a subscription (ENT-7).
package struct OracleStatus: Sendable, Hashable {
    package var originalTransactionId: String
    /// As in a notification.
    package var status: Int64
    /// When Apple answered.
    package var signedDate: Int64

    package init(originalTransactionId: String, status: Int64, signedDate: Int64) {
        self.originalTransactionId = originalTransactionId
        self.status = status
        self.signedDate = signedDate
    }

    /// As with a notification.
    var showsAnEnd: Bool { status == 2 || status == 3 || status == 5 }
}

/// A failed request to Apple (ENT-6).
package struct OracleFailedQuestion: Sendable, Hashable {
    package var originalTransactionId: String
    package var askedAt: Int64
    /// `false`: Apple said that retrying is useless (FACT-7).
    package var retryable: Bool

    package init(originalTransactionId: String, askedAt: Int64, retryable: Bool) {
        self.originalTransactionId = originalTransactionId
        self.askedAt = askedAt
        self.retryable = retryable
    }
}

extension OracleTransaction {
    /// Its own Apple Account paid for it; what says nothing of it was bought.
    var isOwn: Bool { ownership ?? .purchased == .purchased }
}
