package import Primitives

/// How notifications differ from what the App Store Server API answers about the same charge.
package struct NotificationForm: Sendable, Hashable, Codable {
    /// Which `transactionId` a notification has.
    package enum TransactionId: String, Sendable, Hashable, CaseIterable, Codable {
        /// The charge's own, as in the histories.
        case same
        /// Another one, the same in every notification about the charge.
        ///
        /// Source: public reports: the ids of the device and of the notification differ for one charge.
        case another
    }

    package var transactionId = TransactionId.same
    /// How far apart a notification's transaction, renewal info and the whole are signed; nil: at once.
    package var partsApart: Milliseconds?

    package static let longestApart = Milliseconds(1000)

    package init() {}

    /// Whether its numbers are possible ones; in a saved state they may not be.
    var isWhole: Bool { partsApart.map { (1...Self.longestApart.count).contains($0.count) } ?? true }
}

extension AppStore {
    /// Sets how notifications are signed from now on; those that were signed before stay as they are.
    package mutating func setNotificationForm(_ form: NotificationForm) {
        notificationForm = form == NotificationForm() ? nil : form
    }

    /// The ids of the charge that a `transactionId` names: its own, and the one of its notifications where that is another.
    package func idsOfCharge(_ id: TransactionNumber) -> Set<TransactionNumber> {
        let own = find(id)?.restoredFrom ?? id
        return Set([id, own, notificationIds?[own]].compactMap(\.self))
    }

    /// The `transactionId` of a purchase in a notification that is made now. Another one than the purchase's own is a transaction
    /// that the API finds as well, but that no history lists.
    mutating func notifiedId(of purchase: StorePurchase) -> TransactionNumber {
        let id = purchase.transactionId
        guard notificationForm?.transactionId == .another else { return id }
        if let known = notificationIds?[id] { return known }
        guard transactionCount < Self.maximumTransactions, let next = books[self[purchase.account].environment]?.nextId else {
            return id
        }
        var copy = Self.copy(of: purchase, named: next, at: now)
        append(&copy)
        notificationIds = (notificationIds ?? [:]).merging([id: next]) { _, new in new }
        return next
    }
}
