package import AppStoreWire
import Ledger
import Primitives

extension Intake {
    /// The facts in an answer of `/verifyReceipt`.
    ///
    /// Both lists are read, and where two lists tell of one period, the richer one's line alone becomes a fact (PER-8). What is
    /// not in the answer becomes nothing: an answer that is incomplete says what it says and takes nothing from anyone (FACT-7).
    package static func translate(_ verified: Verified<VerifyReceiptAnswer>) -> [ProvenFact] {
        let lines = AnswerLines(verified)
        let facts = lines.transactions.map(Fact.transaction) + lines.renewals.map(Fact.renewal)
        return proven(facts, by: verified.evidence, form: .verifyReceiptAnswer)
    }
}

/// An answer's purchases and renewals as facts.
private struct AnswerLines {
    private let answer: VerifyReceiptAnswer
    private let answeredAt: Timestamp

    init(_ verified: Verified<VerifyReceiptAnswer>) {
        answer = verified.payload
        answeredAt = verified.signedDate
    }

    // MARK: Purchases (PER-8)

    /// From the richest list down, each without the periods that a richer list told of. Lines of one list are all kept: a
    /// restored purchase stands in it twice.
    var transactions: [TransactionFact] {
        var told = ToldPeriods()
        var facts: [TransactionFact] = []
        for origin in [LegacyPurchase.Origin.latestReceiptInfo, .latestExpiredReceiptInfo, .inApp, .iOS6Receipt] {
            let new = answer.purchases(in: origin).map(fact).filter { !told.contains($0) }
            for fact in new { told.insert(fact) }
            facts += new
        }
        return facts
    }

    private func fact(_ line: LegacyPurchase) -> TransactionFact {
        TransactionFact(line, source: source(of: line.origin), saidAt: date(of: line))
    }

    private func source(of origin: LegacyPurchase.Origin) -> LegacySource {
        switch origin {
        case .latestReceiptInfo: answer.receipt == nil ? .latestTransaction : .latestReceiptInfo
        case .latestExpiredReceiptInfo: .latestTransaction
        case .inApp: .inApp
        case .iOS6Receipt: .transactionReceipt
        }
    }

    /// When the line was true (FACT-2). What the device's receipt held is as old as that receipt, or it would undo what Apple
    /// said since; unless it tells of a cancellation after it, which Apple then added when it answered.
    private func date(of line: LegacyPurchase) -> Timestamp {
        let writtenAt: Timestamp? =
            switch line.origin {
            case .latestReceiptInfo, .latestExpiredReceiptInfo: nil
            case .inApp: answer.receipt?.receiptCreationDate
            case .iOS6Receipt: line.purchaseDate
            }
        guard let writtenAt, writtenAt < answeredAt else { return answeredAt }
        return line.cancellationDate.map { $0 > writtenAt } ?? false ? answeredAt : writtenAt
    }

    // MARK: Renewals (FACT-4)

    /// Only of subscriptions that the same answer shows a purchase of: a renewal names no app.
    var renewals: [RenewalFact] {
        let subscriptions = Dictionary(grouping: answer.purchases.filter { $0.expiresDate != nil }, by: \.originalTransactionId)
        var facts: [RenewalFact] = []
        for (id, purchases) in subscriptions.sorted(by: { $0.key < $1.key }) {
            if let line = pendingRenewal(of: id, with: purchases, among: subscriptions) {
                facts.append(RenewalFact(line, of: OriginalTransactionID(id), saidAt: answeredAt))
            }
        }
        return facts + [iOS6Renewal].compactMap { $0 }
    }

    /// The one that is about the subscription as it is now: after a change of plan there may be one for the old product as well,
    /// which says that it ended.
    private func pendingRenewal(
        of id: String, with purchases: [LegacyPurchase], among subscriptions: [String: [LegacyPurchase]]
    ) -> LegacyRenewal? {
        let lines = answer.pendingRenewalInfo.filter { line in
            if let named = line.originalTransactionId { return named == id }
            // In the first years it named the product only, which is enough where one subscription has it.
            let holders = subscriptions.filter { $0.value.contains { $0.productId == line.productId } }
            return holders.count == 1 && holders[id] != nil
        }
        guard lines.count > 1 else { return lines.first }
        let newest = purchases.max { ($0.purchaseDate, $0.transactionId) < ($1.purchaseDate, $1.transactionId) }
        let present = lines.filter { $0.productId == newest?.productId }
        return present.count == 1 ? present.first : nil
    }

    /// The renewal that an answer of the iOS 6 style has at its top; it is about the receipt that was sent.
    private var iOS6Renewal: RenewalFact? {
        guard let receipt = answer.purchases(in: .iOS6Receipt).first(where: { $0.expiresDate != nil }) else { return nil }
        let saysNothing =
            answer.autoRenewStatus == nil && answer.autoRenewProductId == nil && answer.expirationIntent == nil
            && answer.isInBillingRetryPeriod == nil
        if saysNothing { return nil }
        var fact = RenewalFact(
            originalTransactionId: OriginalTransactionID(receipt.originalTransactionId), signedDate: answeredAt)
        let latest = answer.purchases.filter { $0.originalTransactionId == receipt.originalTransactionId }
            .max { ($0.purchaseDate, $0.transactionId) < ($1.purchaseDate, $1.transactionId) }
        fact.source = .latestTransaction
        fact.productId = latest.map { ProductID($0.productId) }
        fact.autoRenewProductId = answer.autoRenewProductId.map { ProductID($0) }
        fact.autoRenewStatus = answer.autoRenewStatus?.isOn
        fact.expirationIntent = answer.expirationIntent?.rawValue
        fact.isInBillingRetryPeriod = answer.isInBillingRetryPeriod ?? false
        return fact
    }
}

/// The periods that a list told of, by the names of PER-1.
private struct ToldPeriods {
    private struct Name: Hashable {
        let originalTransactionId: OriginalTransactionID
        let alias: PeriodAlias
    }

    private var strongest: Set<Name> = []
    private var all: Set<Name> = []

    private func names(of fact: TransactionFact) -> [Name] {
        PeriodAlias.aliases(of: fact).map { Name(originalTransactionId: fact.originalTransactionId, alias: $0) }
    }

    mutating func insert(_ fact: TransactionFact) {
        let names = names(of: fact)
        strongest.formUnion(names.prefix(1))
        all.formUnion(names)
    }

    /// Different keys of Apple's are different periods, even of one product and second; without one, product and second tell.
    func contains(_ fact: TransactionFact) -> Bool {
        let names = names(of: fact)
        if names.count == 1 { return all.contains(names[0]) }
        return names.contains(where: strongest.contains)
    }
}

extension TransactionFact {
    fileprivate init(_ line: LegacyPurchase, source: LegacySource, saidAt date: Timestamp) {
        self.init(
            originalTransactionId: OriginalTransactionID(line.originalTransactionId),
            transactionId: TransactionID(line.transactionId), productId: ProductID(line.productId),
            purchaseDate: line.purchaseDate, signedDate: date)
        self.source = source
        webOrderLineItemId = line.webOrderLineItemId.flatMap { $0 == "0" ? nil : $0 }
        expiresDate = line.expiresDate
        type = ProductKind(nil, expires: line.expiresDate != nil)
        isUpgraded = line.isUpgraded ?? false
        revocation = line.cancellationDate.map {
            Revocation(revocationDate: $0, revocationReason: line.cancellationReason?.rawValue)
        }
        appAccountToken = line.appAccountToken.flatMap { Ledger.AppAccountToken($0.rawValue) }
        details.quantity = line.quantity
        details.originalPurchaseDate = line.originalPurchaseDate
        details.subscriptionGroupIdentifier = line.subscriptionGroupIdentifier
        details.inAppOwnershipType = line.inAppOwnershipType?.rawValue
        details.setOffer(
            LegacyOffer(
                isTrialPeriod: line.isTrialPeriod, isInIntroOfferPeriod: line.isInIntroOfferPeriod,
                promotionalOfferId: line.promotionalOfferId, offerCodeRefName: line.offerCodeRefName))
    }
}

extension RenewalFact {
    fileprivate init(_ line: LegacyRenewal, of id: OriginalTransactionID, saidAt date: Timestamp) {
        self.init(originalTransactionId: id, signedDate: date)
        source = .latestReceiptInfo
        productId = ProductID(line.productId)
        autoRenewProductId = line.autoRenewProductId.map { ProductID($0) }
        autoRenewStatus = line.autoRenewStatus?.isOn
        isInBillingRetryPeriod = line.isInBillingRetryPeriod ?? false
        gracePeriodExpiresDate = line.gracePeriodExpiresDate
        expirationIntent = line.expirationIntent?.rawValue
    }
}
