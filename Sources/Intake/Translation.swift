package import AppStoreWire
package import Ledger
package import Primitives

/// A fact with the bytes that prove it, as they came (FACT-6).
package struct ProvenFact: Sendable, Hashable {
    /// What the bytes of an evidence are. Only a JWS is one text per fact; the others prove many facts at once, and a receipt is
    /// no text at all.
    package enum Form: String, Sendable, Hashable, CaseIterable {
        case compactJWS
        /// A PKCS#7 in DER.
        case appReceipt
        /// A property list around a signature.
        case transactionReceipt
        /// JSON that our server fetched; nobody signed it.
        case verifyReceiptAnswer
    }

    package let fact: Fact
    /// The compact JWS, the receipt, or the answer's body; all facts of one receipt or answer share one copy.
    package let evidence: [UInt8]
    package let form: Form
    /// The evidence as its parts, where it is a JWS.
    package let jws: DecodedJWS?

    init(fact: Fact, evidence: [UInt8], form: Form = .compactJWS, jws: DecodedJWS? = nil) {
        self.fact = fact
        self.evidence = evidence
        self.form = form
        self.jws = jws
    }
}

/// What a notification comes to: its own words, and the facts that it carries.
package struct TranslatedNotification: Sendable, Hashable {
    package let notice: NoticeFact
    /// The compact JWS of the notification itself.
    package let evidence: [UInt8]
    /// The notification's words about its subscription, its transaction and its renewal info; empty where it is about no
    /// subscription, as TEST is.
    package let facts: [ProvenFact]
    /// The notification as its parts, and the transaction and the renewal info in it as theirs.
    package let jws: [DecodedJWS]
}

/// From what was verified to facts. Takes only `Verified` payloads, so nothing unproven can become a fact (FACT-3).
package enum Intake {
    /// The facts in a notification. A renewal info counts only beside a transaction of the same subscription (FACT-4).
    package static func translate(_ verified: VerifiedNotification) -> TranslatedNotification {
        let payload = verified.notification.payload
        var notice = NoticeFact(
            notificationUUID: payload.notificationUUID, notificationType: payload.notificationType.rawValue,
            subtype: payload.subtype?.rawValue, status: payload.data?.status?.rawValue, signedDate: payload.signedDate)
        var facts: [ProvenFact] = []
        if let transaction = verified.transaction {
            var fact = TransactionFact(transaction.payload).issued(by: transaction.signer)
            if payload.notificationType == .refund, payload.subtype == .seats { fact.revocation?.markAsOfSeats() }
            if payload.notificationType.isAboutOneTransaction {
                notice.transactionId = fact.transactionId
                notice.consumptionRequestReason = payload.data?.consumptionRequestReason?.rawValue
                if payload.notificationType == .refund { notice.revocation = fact.revocation }
            }
            facts.append(
                ProvenFact(fact: .notice(notice, about: fact.originalTransactionId), evidence: verified.notification.evidence))
            facts.append(ProvenFact(fact: .transaction(fact), evidence: transaction.evidence, jws: transaction.jws))
            if let renewalInfo = verified.renewalInfo { facts.append(translate(renewalInfo, beside: transaction)) }
        }
        return TranslatedNotification(
            notice: notice, evidence: verified.notification.evidence, facts: facts,
            jws: [verified.notification.jws, verified.transaction?.jws, verified.renewalInfo?.jws].compactMap { $0 })
    }

    /// The fact in a transaction.
    package static func translate(_ verified: Verified<TransactionPayload>) -> ProvenFact {
        let fact = TransactionFact(verified.payload).issued(by: verified.signer)
        return ProvenFact(fact: .transaction(fact), evidence: verified.evidence, jws: verified.jws)
    }

    /// The fact in a renewal info that its verification bound to the transaction beside it.
    package static func translate(
        _ verified: Verified<RenewalInfoPayload>, beside transaction: Verified<TransactionPayload>
    ) -> ProvenFact {
        let fact = RenewalFact(verified.payload).issued(by: verified.signer)
        return ProvenFact(fact: .renewal(fact), evidence: verified.evidence, jws: verified.jws)
    }
}

extension Intake {
    /// What a renewal info says that was not bound to a transaction: to compare with a fact that is kept, never to become one.
    package static func words(of renewalInfo: UnboundRenewalInfo) -> Fact {
        .renewal(RenewalFact(renewalInfo.unbound.payload).issued(by: renewalInfo.unbound.signer))
    }
}

extension TransactionFact {
    init(_ payload: TransactionPayload) {
        self.init(
            originalTransactionId: OriginalTransactionID(payload.originalTransactionId),
            transactionId: TransactionID(payload.transactionId), productId: ProductID(payload.productId),
            purchaseDate: payload.purchaseDate, signedDate: payload.signedDate)
        webOrderLineItemId = payload.webOrderLineItemId.flatMap { $0 == "0" ? nil : $0 }
        type = ProductKind(rawValue: payload.type.rawValue)
        expiresDate = payload.expiresDate
        transactionReason = payload.transactionReason.map { ChargeReason(rawValue: $0.rawValue) }
        isUpgraded = payload.isUpgraded ?? false
        appAccountToken = payload.appAccountToken.flatMap { Ledger.AppAccountToken($0.rawValue) }
        appTransactionId = payload.appTransactionId
        previousOriginalTransactionId = payload.previousOriginalTransactionId.map { OriginalTransactionID($0) }
        details = TransactionDetails(payload)
        revocation = Revocation(payload)
    }
}

extension Revocation {
    /// Nil where the transaction is not revoked.
    fileprivate init?(_ payload: TransactionPayload) {
        guard let revocationDate = payload.revocationDate else { return nil }
        self.init(
            revocationDate: revocationDate, revocationType: payload.revocationType?.rawValue,
            revocationReason: payload.revocationReason?.rawValue, revocationPercentage: payload.revocationPercentage)
        if let seats = payload.revokedSeatQuantity, seats > 0 { revokedSeatQuantity = seats }
    }

    /// The REFUND that carries it has the subtype SEATS: perhaps the payload does not say of how many.
    fileprivate mutating func markAsOfSeats() { revokedSeatQuantity = revokedSeatQuantity ?? 0 }
}

extension TransactionDetails {
    fileprivate init(_ payload: TransactionPayload) {
        self.init()
        subscriptionGroupIdentifier = payload.subscriptionGroupIdentifier
        originalPurchaseDate = payload.originalPurchaseDate
        quantity = payload.quantity
        inAppOwnershipType = payload.inAppOwnershipType?.rawValue
        additionalTransactionReason = payload.additionalTransactionReason?.rawValue
        offerType = payload.offerType?.rawValue
        offerIdentifier = payload.offerIdentifier
        offerDiscountType = payload.offerDiscountType?.rawValue
        offerPeriod = payload.offerPeriod
        price = payload.price
        currency = payload.currency
        storefront = payload.storefront
        billingPlanType = payload.billingPlanType?.rawValue
        commitmentExpiresDate = payload.commitmentInfo?.commitmentExpiresDate
    }
}

extension RenewalFact {
    fileprivate init(_ payload: RenewalInfoPayload) {
        self.init(originalTransactionId: OriginalTransactionID(payload.originalTransactionId), signedDate: payload.signedDate)
        productId = payload.productId.map { ProductID($0) }
        autoRenewProductId = payload.autoRenewProductId.map { ProductID($0) }
        autoRenewStatus = payload.autoRenewStatus.isOn
        isInBillingRetryPeriod = payload.isInBillingRetryPeriod ?? false
        gracePeriodExpiresDate = payload.gracePeriodExpiresDate
        expirationIntent = payload.expirationIntent?.rawValue
        renewalDate = payload.renewalDate
        priceIncreaseStatus = payload.priceIncreaseStatus?.rawValue
        (renewalPrice, currency) = (payload.renewalPrice, payload.currency)
        offerType = payload.offerType?.rawValue
        offerIdentifier = payload.offerIdentifier
        offerDiscountType = payload.offerDiscountType?.rawValue
        offerPeriod = payload.offerPeriod
        appAccountToken = payload.appAccountToken.flatMap { Ledger.AppAccountToken($0.rawValue) }
    }
}

extension NotificationType {
    /// About one transaction and a refund of it, and not about the subscription that it belongs to.
    fileprivate var isAboutOneTransaction: Bool {
        [.consumptionRequest, .refund, .refundDeclined, .refundReversed].contains(self)
    }
}

extension AutoRenewStatus {
    /// Nil for a value that has no meaning here (FACT-5).
    var isOn: Bool? {
        switch self {
        case .on: true
        case .off: false
        default: nil
        }
    }
}
