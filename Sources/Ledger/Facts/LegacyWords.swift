import Primitives

/// Everything that a line of a receipt or of an answer says, as one text: equal lines have equal texts, and different lines
/// different ones, since each part bears its length. Never a digest, and never of the receipt's bytes, which differ from one
/// encoding to the next (decision 0003).
struct LegacyWords {
    private(set) var text = ""

    mutating func append(_ part: String?) {
        guard let part else {
            text += "-"
            return
        }
        text += "\(part.utf8.count):\(part)"
    }

    mutating func append(_ number: Int64?) { append(number.map { "\($0)" }) }

    mutating func append(_ instant: Timestamp?) { append(instant?.millisecondsSince1970) }

    mutating func append(_ flag: Bool?) { append(flag.map { $0 ? "1" : "0" }) }
}

extension TransactionFact {
    /// What it says, without when it was said.
    var words: String {
        var words = LegacyWords()
        words.append(source?.rawValue)
        words.append(originalTransactionId.rawValue)
        words.append(transactionId.rawValue)
        words.append(webOrderLineItemId)
        words.append(productId.rawValue)
        words.append(type.rawValue)
        for instant in [purchaseDate, expiresDate, revocation?.revocationDate, details.originalPurchaseDate] {
            words.append(instant)
        }
        for flag in [isUpgraded, revocation != nil] { words.append(flag) }
        for text in [
            transactionReason?.rawValue, revocation?.revocationType, appAccountToken?.rawValue, appTransactionId,
            details.subscriptionGroupIdentifier, details.inAppOwnershipType, details.offerIdentifier, details.offerDiscountType,
            details.offerPeriod, details.currency, details.storefront,
        ] { words.append(text) }
        for number in [
            revocation?.revocationReason, revocation?.revocationPercentage, details.quantity, details.offerType,
            details.price?.count,
        ] { words.append(number) }
        return words.text
    }
}

extension RenewalFact {
    /// What it says, without when it was said.
    var words: String {
        var words = LegacyWords()
        for text in [source?.rawValue, originalTransactionId.rawValue, productId?.rawValue, autoRenewProductId?.rawValue] {
            words.append(text)
        }
        for flag in [autoRenewStatus, isInBillingRetryPeriod] { words.append(flag) }
        for instant in [gracePeriodExpiresDate, renewalDate] { words.append(instant) }
        words.append(expirationIntent)
        // What older lines did not keep is written only where it is said, so that the keys of stored lines stay theirs (0016).
        if [priceIncreaseStatus, offerType].contains(where: { $0 != nil }) || offerIdentifier != nil {
            for number in [priceIncreaseStatus, offerType] { words.append(number) }
            for text in [offerIdentifier, offerDiscountType, offerPeriod] { words.append(text) }
        }
        if appAccountToken != nil || renewalPrice != nil || currency != nil {
            words.append(renewalPrice?.count)
            for text in [currency, appAccountToken?.rawValue] { words.append(text) }
        }
        return words.text
    }
}
