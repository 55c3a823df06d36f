package import Ledger
import Primitives

/// How a fact is written in the table of facts. The form's number stands first; a form that this version does not know is
/// refused, and the fact can still be read from its evidence.
package enum FactCoding {
    private static let form: UInt8 = 1

    package static func encode(_ fact: Fact) -> [UInt8] {
        var writer = CompactWriter(reservingCapacity: 160)
        writer.byte(form)
        switch fact {
        case .transaction(let fact):
            writer.byte(0)
            writer.transaction(fact)
        case .renewal(let fact):
            writer.byte(1)
            writer.renewal(fact)
        case .notice(let fact, let id):
            writer.byte(2)
            writer.word(id.rawValue)
            writer.notice(fact)
        case .failedQuestion(let fact, let id):
            writer.byte(3)
            writer.word(id.rawValue)
            writer.question(fact)
        case .status(let fact, let id):
            writer.byte(4)
            writer.word(id.rawValue)
            writer.status(fact)
        }
        return writer.bytes
    }

    /// - Throws: `StorageError` with `corrupt` for anything that `encode` did not write.
    package static func decode(_ bytes: [UInt8]) throws -> Fact {
        var reader = CompactReader(bytes)
        guard try reader.byte() == form else { throw CompactReader.damaged("its form is unknown") }
        let fact: Fact
        switch try reader.byte() {
        case 0: fact = .transaction(try reader.transaction())
        case 1: fact = .renewal(try reader.renewal())
        case 2:
            let id = OriginalTransactionID(try reader.word())
            fact = .notice(try reader.notice(), about: id)
        case 3:
            let id = OriginalTransactionID(try reader.word())
            fact = .failedQuestion(try reader.question(), about: id)
        case 4:
            let id = OriginalTransactionID(try reader.word())
            fact = .status(try reader.status(), about: id)
        default: throw CompactReader.damaged("its kind is unknown")
        }
        guard reader.isAtEnd else { throw CompactReader.damaged("something follows it") }
        return fact
    }
}

/// Which optional members follow: one bit each, in the order in which they are asked for.
private struct Presence {
    private var bits: UInt64 = 0
    private var next: UInt64 = 1

    init(_ bits: UInt64 = 0) { self.bits = bits }

    var written: UInt64 { bits }

    mutating func note(_ isThere: Bool) {
        if isThere { bits |= next }
        next <<= 1
    }

    mutating func take() -> Bool {
        defer { next <<= 1 }
        return bits & next != 0
    }
}

extension CompactWriter {
    mutating func transaction(_ fact: TransactionFact) {
        let details = fact.details
        var presence = Presence()
        presence.note(fact.webOrderLineItemId != nil)
        presence.note(fact.expiresDate != nil)
        presence.note(fact.transactionReason != nil)
        presence.note(fact.isUpgraded)
        presence.note(fact.revocation != nil)
        presence.note(fact.appAccountToken != nil)
        presence.note(fact.appTransactionId != nil)
        presence.note(fact.source != nil)
        presence.note(details.subscriptionGroupIdentifier != nil)
        presence.note(details.originalPurchaseDate != nil)
        presence.note(details.quantity != nil)
        presence.note(details.inAppOwnershipType != nil)
        presence.note(details.offerType != nil)
        presence.note(details.offerIdentifier != nil)
        presence.note(details.offerDiscountType != nil)
        presence.note(details.offerPeriod != nil)
        presence.note(details.price != nil)
        presence.note(details.currency != nil)
        presence.note(details.storefront != nil)
        presence.note(details.billingPlanType != nil)
        presence.note(details.commitmentExpiresDate != nil)
        presence.note(details.additionalTransactionReason != nil)
        presence.note(fact.previousOriginalTransactionId != nil)
        number(presence.written)
        word(fact.originalTransactionId.rawValue)
        text(fact.transactionId.rawValue)
        word(fact.productId.rawValue)
        word(fact.type.rawValue)
        instant(fact.purchaseDate)
        instant(fact.signedDate)
        if let id = fact.webOrderLineItemId { text(id) }
        if let date = fact.expiresDate { instant(date) }
        if let reason = fact.transactionReason { word(reason.rawValue) }
        if let revocation = fact.revocation { self.revocation(revocation) }
        if let token = fact.appAccountToken { word(token.rawValue) }
        if let id = fact.appTransactionId { word(id) }
        if let source = fact.source { word(source.rawValue) }
        self.details(details)
        if let id = fact.previousOriginalTransactionId { word(id.rawValue) }
    }

    private mutating func details(_ details: TransactionDetails) {
        if let group = details.subscriptionGroupIdentifier { word(group) }
        if let date = details.originalPurchaseDate { instant(date) }
        if let quantity = details.quantity { signed(quantity) }
        if let type = details.inAppOwnershipType { word(type) }
        if let type = details.offerType { signed(type) }
        if let id = details.offerIdentifier { word(id) }
        if let type = details.offerDiscountType { word(type) }
        if let period = details.offerPeriod { word(period) }
        if let price = details.price { signed(price.count) }
        if let currency = details.currency { word(currency) }
        if let storefront = details.storefront { word(storefront) }
        if let type = details.billingPlanType { word(type) }
        if let date = details.commitmentExpiresDate { instant(date) }
        if let reason = details.additionalTransactionReason { word(reason) }
    }

    mutating func revocation(_ revocation: Revocation) {
        var presence = Presence()
        presence.note(revocation.revocationType != nil)
        presence.note(revocation.revocationReason != nil)
        presence.note(revocation.revocationPercentage != nil)
        presence.note(revocation.revokedSeatQuantity != nil)
        number(presence.written)
        instant(revocation.revocationDate)
        if let type = revocation.revocationType { word(type) }
        if let reason = revocation.revocationReason { signed(reason) }
        if let percentage = revocation.revocationPercentage { signed(percentage) }
        if let seats = revocation.revokedSeatQuantity { signed(seats) }
    }

    mutating func renewal(_ fact: RenewalFact) {
        var presence = Presence()
        presence.note(fact.productId != nil)
        presence.note(fact.autoRenewProductId != nil)
        presence.note(fact.autoRenewStatus != nil)
        presence.note(fact.autoRenewStatus ?? false)
        presence.note(fact.isInBillingRetryPeriod)
        presence.note(fact.gracePeriodExpiresDate != nil)
        presence.note(fact.expirationIntent != nil)
        presence.note(fact.renewalDate != nil)
        presence.note(fact.priceIncreaseStatus != nil)
        presence.note(fact.offerType != nil)
        presence.note(fact.offerIdentifier != nil)
        presence.note(fact.offerDiscountType != nil)
        presence.note(fact.offerPeriod != nil)
        presence.note(fact.source != nil)
        presence.note(fact.appAccountToken != nil)
        presence.note(fact.renewalPrice != nil)
        presence.note(fact.currency != nil)
        number(presence.written)
        word(fact.originalTransactionId.rawValue)
        instant(fact.signedDate)
        if let product = fact.productId { word(product.rawValue) }
        if let product = fact.autoRenewProductId { word(product.rawValue) }
        if let date = fact.gracePeriodExpiresDate { instant(date) }
        if let intent = fact.expirationIntent { signed(intent) }
        if let date = fact.renewalDate { instant(date) }
        if let status = fact.priceIncreaseStatus { signed(status) }
        if let type = fact.offerType { signed(type) }
        if let id = fact.offerIdentifier { word(id) }
        if let type = fact.offerDiscountType { word(type) }
        if let period = fact.offerPeriod { word(period) }
        if let source = fact.source { word(source.rawValue) }
        if let token = fact.appAccountToken { word(token.rawValue) }
        if let price = fact.renewalPrice { signed(price.count) }
        if let currency = fact.currency { word(currency) }
    }

    mutating func notice(_ fact: NoticeFact) {
        var presence = Presence()
        presence.note(fact.subtype != nil)
        presence.note(fact.status != nil)
        presence.note(fact.transactionId != nil)
        presence.note(fact.consumptionRequestReason != nil)
        presence.note(fact.revocation != nil)
        number(presence.written)
        text(fact.notificationUUID)
        word(fact.notificationType)
        instant(fact.signedDate)
        if let subtype = fact.subtype { word(subtype) }
        if let status = fact.status { signed(status) }
        if let id = fact.transactionId { text(id.rawValue) }
        if let reason = fact.consumptionRequestReason { word(reason) }
        if let revocation = fact.revocation { self.revocation(revocation) }
    }

    mutating func status(_ fact: StatusFact) {
        signed(fact.answered)
        instant(fact.signedDate)
    }

    mutating func question(_ fact: FailedQuestion) {
        instant(fact.askedAt)
        word(fact.reason)
        byte(fact.isRetryable ? 1 : 0)
    }
}

extension CompactReader {
    mutating func transaction() throws -> TransactionFact {
        var presence = Presence(try number())
        let (original, transaction, product) = (try word(), try text(), try word())
        let type = ProductKind(rawValue: try word())
        let (purchaseDate, signedDate) = (try instant(), try instant())
        var fact = TransactionFact(
            originalTransactionId: .init(original), transactionId: .init(transaction), productId: .init(product),
            purchaseDate: purchaseDate, signedDate: signedDate)
        fact.type = type
        if presence.take() { fact.webOrderLineItemId = try text() }
        if presence.take() { fact.expiresDate = try instant() }
        if presence.take() { fact.transactionReason = ChargeReason(rawValue: try word()) }
        fact.isUpgraded = presence.take()
        if presence.take() { fact.revocation = try revocation() }
        if presence.take() { fact.appAccountToken = try token() }
        if presence.take() { fact.appTransactionId = try word() }
        if presence.take() { fact.source = try source() }
        fact.details = try details(&presence)
        if presence.take() { fact.previousOriginalTransactionId = OriginalTransactionID(try word()) }
        return fact
    }

    private mutating func details(_ presence: inout Presence) throws -> TransactionDetails {
        var details = TransactionDetails()
        if presence.take() { details.subscriptionGroupIdentifier = try word() }
        if presence.take() { details.originalPurchaseDate = try instant() }
        if presence.take() { details.quantity = try signed() }
        if presence.take() { details.inAppOwnershipType = try word() }
        if presence.take() { details.offerType = try signed() }
        if presence.take() { details.offerIdentifier = try word() }
        if presence.take() { details.offerDiscountType = try word() }
        if presence.take() { details.offerPeriod = try word() }
        if presence.take() { details.price = Milliunits(try signed()) }
        if presence.take() { details.currency = try word() }
        if presence.take() { details.storefront = try word() }
        if presence.take() { details.billingPlanType = try word() }
        if presence.take() { details.commitmentExpiresDate = try instant() }
        if presence.take() { details.additionalTransactionReason = try word() }
        return details
    }

    mutating func revocation() throws -> Revocation {
        var presence = Presence(try number())
        var revocation = Revocation(revocationDate: try instant())
        if presence.take() { revocation.revocationType = try word() }
        if presence.take() { revocation.revocationReason = try signed() }
        if presence.take() { revocation.revocationPercentage = try signed() }
        if presence.take() { revocation.revokedSeatQuantity = try signed() }
        return revocation
    }

    mutating func token() throws -> AppAccountToken {
        guard let token = AppAccountToken(try word()) else { throw Self.damaged("an appAccountToken is not a UUID") }
        return token
    }

    private mutating func source() throws -> LegacySource {
        guard let source = LegacySource(rawValue: try word()) else { throw Self.damaged("a source is unknown") }
        return source
    }

    mutating func renewal() throws -> RenewalFact {
        var presence = Presence(try number())
        let original = try word()
        var fact = RenewalFact(originalTransactionId: .init(original), signedDate: try instant())
        if presence.take() { fact.productId = ProductID(try word()) }
        if presence.take() { fact.autoRenewProductId = ProductID(try word()) }
        let (saysWhether, renews) = (presence.take(), presence.take())
        fact.autoRenewStatus = saysWhether ? renews : nil
        fact.isInBillingRetryPeriod = presence.take()
        if presence.take() { fact.gracePeriodExpiresDate = try instant() }
        if presence.take() { fact.expirationIntent = try signed() }
        if presence.take() { fact.renewalDate = try instant() }
        if presence.take() { fact.priceIncreaseStatus = try signed() }
        if presence.take() { fact.offerType = try signed() }
        if presence.take() { fact.offerIdentifier = try word() }
        if presence.take() { fact.offerDiscountType = try word() }
        if presence.take() { fact.offerPeriod = try word() }
        if presence.take() { fact.source = try source() }
        // In what was written before they were kept there are none.
        if presence.take() { fact.appAccountToken = try token() }
        if presence.take() { fact.renewalPrice = Milliunits(try signed()) }
        if presence.take() { fact.currency = try word() }
        return fact
    }

    mutating func notice() throws -> NoticeFact {
        var presence = Presence(try number())
        let (uuid, type) = (try text(), try word())
        var fact = NoticeFact(notificationUUID: uuid, notificationType: type, signedDate: try instant())
        if presence.take() { fact.subtype = try word() }
        if presence.take() { fact.status = try signed() }
        if presence.take() { fact.transactionId = TransactionID(try text()) }
        if presence.take() { fact.consumptionRequestReason = try word() }
        if presence.take() { fact.revocation = try revocation() }
        return fact
    }

    mutating func status() throws -> StatusFact {
        let answered = try signed()
        return StatusFact(answered, signedDate: try instant())
    }

    mutating func question() throws -> FailedQuestion {
        let (askedAt, reason) = (try instant(), try word())
        return FailedQuestion(askedAt: askedAt, reason: reason, isRetryable: try byte() == 1)
    }
}
