/// Why the App Store refuses a request; the spellings are stable.
package enum StoreRefusal: String, Error, Sendable, Hashable, CaseIterable {
    case unknownApp, unknownAccount, unknownProduct, unknownSubscription, unknownTransaction, unknownFamily, unknownDevice
    case unknownSeat
    case unknownOffer, unknownEnvironment
    case appExists, accountExists, familyExists, deviceExists
    case invalidAccountId, invalidFamilyId, invalidDeviceId, invalidAppAccountToken, invalidStorefront, invalidQuantity
    case invalidGracePeriod, invalidEarlyCharge, invalidSandboxRate, invalidPercentage, invalidPrice, invalidExtension
    case alreadyOwned, alreadySubscribed, subscriptionEnded, subscriptionsActive
    case paymentDeclined
    /// The product is no longer sold.
    case productNotForSale
    /// The product is not sold by the month.
    case planNotOffered
    /// The offer is not for this customer, or not for this product.
    case offerNotEligible
    /// The offer's signature, nonce, time, account or product is wrong.
    case offerSignatureInvalid
    case alreadyRefunded, notRefunded, refundRequested, noRefundRequested
    /// What a family shares, and a seat, is its purchaser's: it cannot be refunded, extended or changed on a member's side.
    case familyShared
    /// The account has this subscription by a seat or by its family already.
    case seatAssigned
    /// The subscription is not in a paid period.
    case notActive
    /// The newest period did not recover a failed renewal.
    case notRecovered
    /// A switch goes to a subscription of another group.
    case invalidSwitch
    case notInFamily, alreadyInFamily, familyFull
    /// No price increase waits for the customer's consent.
    case noPriceIncrease
    case notExtendable, tooManyExtensions
    case storeFull
}
