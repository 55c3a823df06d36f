// One customer's purchases. Each call throws ``ServerAPIRequestError`` for what Apple would refuse;
// making one sends nothing.

extension ServerAPICall where Response == TransactionInfoResponse {
    /// One transaction; an `appTransactionId` does not identify one.
    public static func getTransactionInfo(transactionId: String) throws(ServerAPIRequestError) -> Self {
        try Self(.getTransactionInfo, [transactionId])
    }
}

extension ServerAPICall where Response == HistoryResponse {
    /// One page of a customer's transactions; `revision` of the previous page requests the next.
    public static func getTransactionHistory(
        anyTransactionId: String, matching query: TransactionHistoryQuery = TransactionHistoryQuery(), revision: String? = nil
    ) throws(ServerAPIRequestError) -> Self {
        try Self(.getTransactionHistory, [anyTransactionId], query: query.items(revision: revision))
    }

    /// One page of a customer's transactions without finished consumables; deprecated by Apple.
    public static func getTransactionHistoryV1(
        originalTransactionId: String, matching query: TransactionHistoryQuery = TransactionHistoryQuery(),
        revision: String? = nil
    ) throws(ServerAPIRequestError) -> Self {
        try Self(.getTransactionHistoryV1, [originalTransactionId], query: query.items(revision: revision))
    }
}

extension ServerAPICall where Response == StatusResponse {
    /// The states of all of a customer's subscriptions; only those in one of `status` where it is not empty.
    public static func getAllSubscriptionStatuses(anyTransactionId: String, status: [AutoRenewableSubscriptionStatus] = [])
        throws(ServerAPIRequestError) -> Self
    {
        try Self(
            .getAllSubscriptionStatuses, [anyTransactionId],
            query: status.map { ServerAPIQueryItem(name: "status", value: String($0.rawValue)) })
    }
}

extension ServerAPICall where Response == OrderLookupResponse {
    /// The transactions of the order number on a customer's receipt; in Production only.
    public static func lookUpOrderID(orderId: String) throws(ServerAPIRequestError) -> Self {
        try Self(.lookUpOrderID, [orderId])
    }
}

extension ServerAPICall where Response == RefundHistoryResponse {
    /// One page of a customer's refunds; `revision` of the previous page requests the next.
    public static func getRefundHistory(anyTransactionId: String, revision: String? = nil) throws(ServerAPIRequestError) -> Self {
        try Self(.getRefundHistory, [anyTransactionId], query: .optional("revision", revision))
    }
}

extension ServerAPICall where Response == RefundLookupResponse {
    /// A customer's refunds, at most 50; deprecated by Apple.
    public static func getRefundHistoryV1(originalTransactionId: String) throws(ServerAPIRequestError) -> Self {
        try Self(.getRefundHistoryV1, [originalTransactionId])
    }
}

extension ServerAPICall where Response == AppTransactionInfoResponse {
    /// A customer's download of the app.
    public static func getAppTransactionInfo(anyTransactionId: String) throws(ServerAPIRequestError) -> Self {
        try Self(.getAppTransactionInfo, [anyTransactionId])
    }
}

extension ServerAPICall where Response == NoResponseBody {
    /// Marks a transaction as finished, as the app would. Calling it twice has the same effect as once [not confirmed].
    public static func finishTransaction(transactionId: String) throws(ServerAPIRequestError) -> Self {
        try Self(.finishTransaction, [transactionId])
    }

    /// Attaches a token to a purchase, or replaces it. Calling it twice has the same effect as once.
    public static func setAppAccountToken(originalTransactionId: String, _ request: UpdateAppAccountTokenRequest)
        throws(ServerAPIRequestError) -> Self
    {
        try Self(.setAppAccountToken, [originalTransactionId], body: request)
    }

    /// Answers Apple's `CONSUMPTION_REQUEST`, within 12 hours.
    public static func sendConsumptionInformation(transactionId: String, _ request: ConsumptionRequest)
        throws(ServerAPIRequestError) -> Self
    {
        try Self(.sendConsumptionInformation, [transactionId], body: request)
    }

    /// The same in version 1, for consumables only; deprecated by Apple.
    public static func sendConsumptionInformationV1(transactionId: String, _ request: ConsumptionRequestV1)
        throws(ServerAPIRequestError) -> Self
    {
        try Self(.sendConsumptionInformationV1, [transactionId], body: request)
    }
}
