/// Why the store does not do what it was asked, with stable spellings.
package enum StoreRefusal: String, Error, Sendable, Hashable, CaseIterable {
    case unknownAccount
    case unknownProduct
    case unknownSubscription
    case unknownTransaction
    /// An account of that id exists.
    case accountExists
    /// An account id is 1 to 64 letters, digits, dots, underscores and hyphens.
    case invalidAccountId
    /// An `appAccountToken` is a UUID.
    case invalidAppAccountToken
    /// The non-consumable is owned.
    case alreadyOwned
    /// This subscription is active, or it is what it will renew into.
    case alreadySubscribed
    /// The account's payment fails.
    case paymentDeclined
    /// Only an active subscription, or one in its grace period or in billing retry, has auto-renew to turn.
    case subscriptionEnded
    /// A grace period is 1 to 28 days.
    case invalidGracePeriod
    /// A refund is 1 to 100000 thousandths of a percent.
    case invalidPercentage
    case alreadyRefunded
    case notRefunded
    /// A limit of this store is reached.
    case storeFull
}
