import Primitives

/// Writes a JSON text that Apple signed short: each of the words that stand in most of them is one byte (docs/decisions/0029).
///
/// Such a byte has its highest bit set, so only a text of ASCII is written so. A word is a string with its quotation marks, of a
/// member's name also with the colon after it.
enum PayloadWords {
    /// By their bytes, from 0x80 on. What is kept names them by their place: words are added at the end and never changed.
    static let words: [[UInt8]] =
        members.map { Array("\"\($0)\":".utf8) } + values.map { Array("\"\($0)\"".utf8) }

    private static let members = [
        // Of a notification.
        "notificationType", "subtype", "notificationUUID", "data", "version", "signedDate", "appAppleId", "bundleId",
        "bundleVersion", "environment", "status", "signedTransactionInfo", "signedRenewalInfo", "summary",
        "consumptionRequestReason", "externalPurchaseToken",
        // Of a transaction.
        "transactionId", "originalTransactionId", "webOrderLineItemId", "productId", "subscriptionGroupIdentifier",
        "purchaseDate", "originalPurchaseDate", "expiresDate", "quantity", "type", "appAccountToken", "inAppOwnershipType",
        "offerType", "offerIdentifier", "offerDiscountType", "offerPeriod", "isUpgraded", "revocationDate", "revocationReason",
        "revocationType", "revocationPercentage", "storefront", "storefrontId", "transactionReason", "currency", "price",
        "appTransactionId", "billingPlanType", "commitmentInfo", "advancedCommerceInfo", "deviceVerification",
        "deviceVerificationNonce",
        // Of a renewal info.
        "autoRenewProductId", "autoRenewStatus", "expirationIntent", "gracePeriodExpiresDate", "isInBillingRetryPeriod",
        "priceIncreaseStatus", "recentSubscriptionStartDate", "renewalDate", "renewalPrice", "eligibleWinBackOfferIds",
    ]

    private static let values = [
        "Production", "Sandbox", "Auto-Renewable Subscription", "Non-Renewing Subscription", "Consumable", "Non-Consumable",
        "PURCHASED", "FAMILY_SHARED", "PURCHASE", "RENEWAL", "DID_RENEW", "SUBSCRIBED", "DID_CHANGE_RENEWAL_STATUS",
        "DID_FAIL_TO_RENEW", "EXPIRED", "REFUND", "2.0", "FREE_TRIAL", "PAY_AS_YOU_GO", "PAY_UP_FRONT", "USA", "USD", "143441",
        "UPFRONT", "MONTHLY", "P1W", "P1M", "P1Y",
    ]

    private static let first: UInt8 = 0x80

    /// The words and their bytes, by how long they are.
    private static let byLength: [[(word: [UInt8], byte: UInt8)]] = {
        var table = [[(word: [UInt8], byte: UInt8)]](repeating: [], count: (words.map(\.count).max() ?? 0) + 1)
        for (place, word) in words.enumerated() { table[word.count].append((word, first + UInt8(place))) }
        return table
    }()

    /// Nil for a text that is not ASCII.
    static func shortened(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        guard text.allSatisfy({ $0 < first }) else { return nil }
        var short: [UInt8] = []
        short.reserveCapacity(text.count)
        return text.withUnsafeBytes { text in
            var (kept, index) = (0, 0)
            let quote = UInt8(ascii: "\"")
            while let start = ByteSearch.firstIndex(of: quote, in: text, from: index),
                let end = ByteSearch.firstIndex(of: quote, in: text, from: start + 1)
            {
                let isMember = end + 1 < text.count && text[end + 1] == UInt8(ascii: ":")
                let count = end + (isMember ? 2 : 1) - start
                if let byte = byte(of: UnsafeRawBufferPointer(rebasing: text[start..<start + count])) {
                    short.append(contentsOf: text[kept..<start])
                    short.append(byte)
                    kept = start + count
                    index = kept
                } else {
                    // Strings that are read wrongly, because of a quotation mark inside, are no words or stand for themselves.
                    index = end + 1
                }
            }
            short.append(contentsOf: text[kept...])
            return short
        }
    }

    private static func byte(of word: UnsafeRawBufferPointer) -> UInt8? {
        guard word.count < byLength.count else { return nil }
        return byLength[word.count].first { known in
            known.word.withUnsafeBytes { ByteSearch.contains($0, in: word, at: 0) }
        }?.byte
    }

    /// - Throws: `StorageError` with `corrupt` where a byte stands for no word.
    static func restored(_ short: some Collection<UInt8>) throws -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(2 * short.count)
        for byte in short {
            if byte < first {
                text.append(byte)
            } else {
                guard Int(byte - first) < words.count else { throw CompactReader.damaged("evidence has an unknown word") }
                text += words[Int(byte - first)]
            }
        }
        return text
    }
}
