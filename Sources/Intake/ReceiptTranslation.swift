package import AppStoreWire
import Ledger
import Primitives

/// What a transaction receipt from before iOS 7 comes to.
package enum TranslatedTransactionReceipt: Sendable, Hashable {
    /// Proved, and of the Sandbox.
    case fact(ProvenFact)
    /// It proves too little; what `/verifyReceipt` says about it is a fact.
    case mustAskApple(Reason)

    package enum Reason: Sendable, Hashable, CaseIterable {
        /// Nobody vouches for the certificate that signed it.
        case signerUnknown
        /// It says that it is of Production, or of a test environment; nobody signed that, and any holder of a Sandbox
        /// receipt can claim it.
        case environmentNotSigned
    }
}

extension Intake {
    /// The facts in an app receipt: one for each purchase (PER-8), dated by the receipt (FACT-2).
    package static func translate(_ verified: Verified<AppReceiptPayload>) -> [ProvenFact] {
        let facts = verified.payload.inApp.map { purchase in
            Fact.transaction(TransactionFact(purchase, saidAt: verified.signedDate).issued(by: verified.signer))
        }
        return proven(facts, by: verified.evidence, form: .appReceipt)
    }

    /// The fact in a transaction receipt, or why Apple must be asked first (FACT-3).
    ///
    /// The environment is outside of what is signed. Taken for Sandbox, a receipt can only enter the ledger that counts for
    /// nothing in Production; taken for Production, it could make a test purchase count as paid.
    package static func translate(_ receipt: TransactionReceipt) -> TranslatedTransactionReceipt {
        guard case .proved(let verified) = receipt else { return .mustAskApple(.signerUnknown) }
        guard verified.environment == .sandbox else { return .mustAskApple(.environmentNotSigned) }
        let fact = Fact.transaction(TransactionFact(verified.payload, saidAt: verified.signedDate))
        return .fact(ProvenFact(fact: fact, evidence: verified.evidence, form: .transactionReceipt))
    }

    /// One fact for each that says something different, in the order given.
    static func proven(_ facts: [Fact], by evidence: [UInt8], form: ProvenFact.Form) -> [ProvenFact] {
        var keys: Set<String> = []
        return facts.filter { keys.insert($0.key).inserted }.map { ProvenFact(fact: $0, evidence: evidence, form: form) }
    }
}

extension TransactionFact {
    fileprivate init(_ purchase: InAppReceipt, saidAt date: Timestamp) {
        // Receipts of Xcode name no original transaction: there each purchase stands for itself.
        self.init(
            originalTransactionId: OriginalTransactionID(purchase.originalTransactionId ?? purchase.transactionId),
            transactionId: TransactionID(purchase.transactionId), productId: ProductID(purchase.productId),
            purchaseDate: purchase.purchaseDate, signedDate: date)
        source = .appReceipt
        webOrderLineItemId = purchase.webOrderLineItemId.flatMap { $0 == 0 ? nil : "\($0)" }
        expiresDate = purchase.expiresDate
        type = ProductKind(purchase.productType, expires: purchase.expiresDate != nil)
        revocation = purchase.cancellationDate.map { Revocation(revocationDate: $0) }
        details.quantity = purchase.quantity
        details.originalPurchaseDate = purchase.originalPurchaseDate
        details.setOffer(
            LegacyOffer(
                isTrialPeriod: purchase.isTrialPeriod, isInIntroOfferPeriod: purchase.isInIntroOfferPeriod,
                promotionalOfferId: purchase.promotionalOfferId))
    }

    fileprivate init(_ purchase: TransactionReceiptPayload, saidAt date: Timestamp) {
        self.init(
            originalTransactionId: OriginalTransactionID(purchase.originalTransactionId),
            transactionId: TransactionID(purchase.transactionId), productId: ProductID(purchase.productId),
            purchaseDate: purchase.purchaseDate, signedDate: date)
        source = .transactionReceipt
        webOrderLineItemId = purchase.webOrderLineItemId.flatMap { $0 == "0" ? nil : $0 }
        expiresDate = purchase.expiresDate
        type = ProductKind(nil, expires: purchase.expiresDate != nil)
        details.quantity = purchase.quantity
        details.originalPurchaseDate = purchase.originalPurchaseDate
        details.setOffer(
            LegacyOffer(isTrialPeriod: purchase.isTrialPeriod, isInIntroOfferPeriod: purchase.isInIntroOfferPeriod))
    }
}

extension ProductKind {
    /// What a receipt says, else what follows from an end: only subscriptions that renew have one. What does not end may be a
    /// non-consumable, a consumable or a non-renewing subscription, and which of them is not guessed.
    init(_ stated: InAppProductType?, expires: Bool) {
        switch stated {
        case .autoRenewableSubscription: self = .autoRenewableSubscription
        case .nonConsumable: self = .nonConsumable
        case .consumable: self = .consumable
        case .nonRenewingSubscription: self = .nonRenewingSubscription
        case let other?: self = .unknown("\(other.rawValue)")
        case nil: self = expires ? .autoRenewableSubscription : .unstated
        }
    }
}

/// The flags and names by which receipts tell of offers.
struct LegacyOffer {
    var isTrialPeriod: Bool?
    var isInIntroOfferPeriod: Bool?
    var promotionalOfferId: String?
    var offerCodeRefName: String?
}

extension TransactionDetails {
    /// PER-7, in the words of a JWS: a name tells which offer it was, the flags how it was paid. Of an introductory price no
    /// receipt says whether it is paid as the customer goes or up front.
    mutating func setOffer(_ offer: LegacyOffer) {
        if let name = offer.promotionalOfferId {
            (offerType, offerIdentifier) = (OfferType.promotional.rawValue, name)
        } else if let name = offer.offerCodeRefName {
            (offerType, offerIdentifier) = (OfferType.offerCode.rawValue, name)
        } else if offer.isTrialPeriod == true || offer.isInIntroOfferPeriod == true {
            offerType = OfferType.introductory.rawValue
        }
        if offer.isTrialPeriod == true { offerDiscountType = OfferDiscountType.freeTrial.rawValue }
    }
}
