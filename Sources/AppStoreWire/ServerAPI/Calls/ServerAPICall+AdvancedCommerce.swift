// Advanced Commerce. Each call throws ``ServerAPIRequestError`` for what Apple would refuse; making one sends nothing.

extension ServerAPICall where Response == AdvancedCommerceSubscriptionCancelResponse {
    /// Turns a subscription's auto-renew off.
    public static func cancelSubscription(transactionId: String, _ request: AdvancedCommerceSubscriptionCancelRequest)
        throws(ServerAPIRequestError) -> Self
    {
        try Self(.cancelSubscription, [transactionId], body: request)
    }
}

extension ServerAPICall where Response == AdvancedCommerceSubscriptionChangeMetadataResponse {
    /// Changes what the customer reads.
    public static func changeSubscriptionMetadata(
        transactionId: String, _ request: AdvancedCommerceSubscriptionChangeMetadataRequest
    ) throws(ServerAPIRequestError) -> Self {
        try Self(.changeSubscriptionMetadata, [transactionId], body: request)
    }
}

extension ServerAPICall where Response == AdvancedCommerceSubscriptionPriceChangeResponse {
    /// Changes prices of items.
    public static func changeSubscriptionPrice(transactionId: String, _ request: AdvancedCommerceSubscriptionPriceChangeRequest)
        throws(ServerAPIRequestError) -> Self
    {
        try Self(.changeSubscriptionPrice, [transactionId], body: request)
    }
}

extension ServerAPICall where Response == AdvancedCommerceSubscriptionMigrateResponse {
    /// Migrates an ordinary subscription to Advanced Commerce.
    public static func migrateSubscription(transactionId: String, _ request: AdvancedCommerceSubscriptionMigrateRequest)
        throws(ServerAPIRequestError) -> Self
    {
        try Self(.migrateSubscription, [transactionId], body: request)
    }
}

extension ServerAPICall where Response == AdvancedCommerceSubscriptionRevokeResponse {
    /// Ends a subscription at once and refunds it.
    public static func revokeSubscription(transactionId: String, _ request: AdvancedCommerceSubscriptionRevokeRequest)
        throws(ServerAPIRequestError) -> Self
    {
        try Self(.revokeSubscription, [transactionId], body: request)
    }
}

extension ServerAPICall where Response == AdvancedCommerceRequestRefundResponse {
    /// Requests a refund from Apple.
    public static func requestTransactionRefund(transactionId: String, _ request: AdvancedCommerceRequestRefundRequest)
        throws(ServerAPIRequestError) -> Self
    {
        try Self(.requestTransactionRefund, [transactionId], body: request)
    }
}
