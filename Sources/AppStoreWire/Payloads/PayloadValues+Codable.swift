// One raw value each, known or not: bodies of the App Store Server API carry it unchanged.

extension AutoRenewStatus: Codable {}
extension ExpirationIntent: Codable {}
extension PriceIncreaseStatus: Codable {}
extension AutoRenewableSubscriptionStatus: Codable {}
extension ConsumptionRequestReason: Codable {}
extension PurchasePlatform: Codable {}
extension ProductType: Codable {}
extension InAppOwnershipType: Codable {}
extension TransactionReason: Codable {}
extension OfferType: Codable {}
extension OfferDiscountType: Codable {}
extension RevocationReason: Codable {}
extension RevocationType: Codable {}
extension BillingPlanType: Codable {}
extension NotificationType: Codable {}
extension NotificationSubtype: Codable {}
