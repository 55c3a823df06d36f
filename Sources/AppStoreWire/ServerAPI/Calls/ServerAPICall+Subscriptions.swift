// Renewal dates, notifications, groups and seats. Each call throws ``ServerAPIRequestError`` for what Apple would refuse;
// making one sends nothing.

extension ServerAPICall where Response == ExtendRenewalDateResponse {
    /// Extends one subscription, at most twice in 365 days.
    public static func extendSubscriptionRenewalDate(originalTransactionId: String, _ request: ExtendRenewalDateRequest)
        throws(ServerAPIRequestError) -> Self
    {
        try Self(.extendSubscriptionRenewalDate, [originalTransactionId], body: request)
    }
}

extension ServerAPICall where Response == MassExtendRenewalDateResponse {
    /// Extends the subscriptions of all active subscribers of a product.
    public static func extendRenewalDateForAllActiveSubscribers(_ request: MassExtendRenewalDateRequest)
        throws(ServerAPIRequestError) -> Self
    {
        try Self(.extendRenewalDateForAllActiveSubscribers, body: request)
    }
}

extension ServerAPICall where Response == MassExtendRenewalDateStatusResponse {
    /// The progress of such an extension.
    public static func getStatusOfSubscriptionRenewalDateExtensions(productId: String, requestIdentifier: String)
        throws(ServerAPIRequestError) -> Self
    {
        try Self(.getStatusOfSubscriptionRenewalDateExtensions, [productId, requestIdentifier])
    }
}

extension ServerAPICall where Response == SendTestNotificationResponse {
    /// Requests a test notification to the configured URL.
    public static func requestTestNotification() throws(ServerAPIRequestError) -> Self {
        try Self(.requestTestNotification)
    }
}

extension ServerAPICall where Response == CheckTestNotificationResponse {
    /// The delivery of a test notification.
    public static func getTestNotificationStatus(testNotificationToken: String) throws(ServerAPIRequestError) -> Self {
        try Self(.getTestNotificationStatus, [testNotificationToken])
    }
}

extension ServerAPICall where Response == NotificationHistoryResponse {
    /// One page of notifications; `paginationToken` of the previous page, with the same request, requests the next.
    public static func getNotificationHistory(_ request: NotificationHistoryRequest, paginationToken: String? = nil)
        throws(ServerAPIRequestError) -> Self
    {
        try Self(.getNotificationHistory, query: .optional("paginationToken", paginationToken), body: request)
    }
}

extension ServerAPICall where Response == UnlistedResponseBody {
    /// The groups whose purchases a customer may use, ``GroupEntry`` each. The JSON around them is not documented: see the raw
    /// body.
    public static func getCurrentGroups(anyTransactionId: String) throws(ServerAPIRequestError) -> Self {
        try Self(.getCurrentGroups, [anyTransactionId])
    }

    /// One page of a group's members, ``GroupMember`` each. The JSON around them is not documented: see the raw body.
    public static func getGroup(groupId: String, limit: Int64? = nil, paginationToken: String? = nil)
        throws(ServerAPIRequestError) -> Self
    {
        try Self(
            .getGroup, [groupId],
            query: .optional("limit", limit.map { String($0) }) + .optional("paginationToken", paginationToken))
    }
}

extension ServerAPICall where Response == SeatInfoResponse {
    /// The seats of a purchase. Not confirmed against Apple's server.
    public static func getSeatInfo(originalTransactionId: String) throws(ServerAPIRequestError) -> Self {
        try Self(.getSeatInfo, [originalTransactionId])
    }
}

extension ServerAPICall where Response == ClaimSeatResponse {
    /// Gives a customer a seat. Not confirmed against Apple's server.
    public static func claimSeat(originalTransactionId: String, _ request: ClaimSeatRequest) throws(ServerAPIRequestError) -> Self
    {
        try Self(.claimSeat, [originalTransactionId], body: request)
    }
}
