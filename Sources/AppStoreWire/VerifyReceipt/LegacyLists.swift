internal import StrictJSON

/// The lists of an answer, or of a notification, while they are read.
struct LegacyLists {
    private(set) var purchases: [LegacyPurchase] = []
    private(set) var renewals: [LegacyRenewal] = []
    private(set) var unreadable: [UnreadableItem] = []
    /// Whether the list with the App Store's present knowledge was present and empty.
    private var hasEmptyLatest = false

    mutating func append(_ purchase: LegacyPurchase) { purchases.append(purchase) }

    mutating func readPurchases(
        _ name: String, of reader: LegacyReader, as origin: LegacyPurchase.Origin
    ) throws(LegacyRefusal) {
        let items = try reader.items(name, allowsObject: origin != .inApp, unreadable: &unreadable) {
            value, reader throws(LegacyRefusal) in try LegacyPurchase(value, reader, origin: origin)
        }
        guard let items else { return }
        if origin == .latestReceiptInfo, items.isEmpty { hasEmptyLatest = true }
        purchases += items
    }

    mutating func readRenewals(of reader: LegacyReader) throws(LegacyRefusal) {
        let items = try reader.items("pending_renewal_info", unreadable: &unreadable) {
            value, reader throws(LegacyRefusal) in try LegacyRenewal(value, reader)
        }
        renewals += items ?? []
    }

    /// Whether a renewal that is missing in the lists does not exist.
    var isComplete: Bool {
        let hasLatest = purchases.contains { $0.origin == .latestReceiptInfo || $0.origin == .latestExpiredReceiptInfo }
        let hasSubscription = purchases.contains { $0.expiresDate != nil }
        return unreadable.isEmpty && !hasEmptyLatest && (hasLatest || !hasSubscription)
    }
}
