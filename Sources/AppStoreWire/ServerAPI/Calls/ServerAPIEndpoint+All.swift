extension ServerAPIEndpoint {
    /// Every endpoint.
    public static let all: [ServerAPIEndpoint] = [
        .getTransactionInfo, .getTransactionHistory, .getTransactionHistoryV1, .getAllSubscriptionStatuses,
        .lookUpOrderID, .getRefundHistory, .getRefundHistoryV1, .sendConsumptionInformation,
        .sendConsumptionInformationV1, .setAppAccountToken, .getAppTransactionInfo, .finishTransaction,
        .extendSubscriptionRenewalDate, .extendRenewalDateForAllActiveSubscribers,
        .getStatusOfSubscriptionRenewalDateExtensions, .requestTestNotification, .getTestNotificationStatus,
        .getNotificationHistory, .uploadImage, .deleteImage, .getImageList, .uploadMessage, .deleteMessage,
        .getMessageList, .configureDefaultMessage, .getDefaultMessage, .deleteDefaultMessage, .configureRealtimeURL,
        .getRealtimeURL, .deleteRealtimeURL, .initiatePerformanceTest, .getPerformanceTestResults,
        .cancelSubscription, .changeSubscriptionMetadata, .changeSubscriptionPrice, .migrateSubscription,
        .revokeSubscription, .requestTransactionRefund, .getCurrentGroups, .getGroup, .getSeatInfo, .claimSeat,
    ]
}

// MARK: Transactions

extension ServerAPIEndpoint {
    /// Get Transaction Info.
    public static let getTransactionInfo = ServerAPIEndpoint(
        "Get Transaction Info", .get, "/inApps/v1/transactions/{transactionId}",
        .fiftyPerSecond)
    /// Get Transaction History.
    public static let getTransactionHistory = ServerAPIEndpoint(
        "Get Transaction History", .get, "/inApps/v2/history/{anyTransactionId}",
        .fiftyPerSecond)
    /// Get Transaction History V1. Deprecated by Apple.
    public static let getTransactionHistoryV1 = ServerAPIEndpoint(
        "Get Transaction History V1", .get, "/inApps/v1/history/{originalTransactionId}",
        .fiftyPerSecond)
    /// Get All Subscription Statuses.
    public static let getAllSubscriptionStatuses = ServerAPIEndpoint(
        "Get All Subscription Statuses", .get, "/inApps/v1/subscriptions/{anyTransactionId}",
        .fiftyPerSecond)
    /// Look Up Order ID.
    public static let lookUpOrderID = ServerAPIEndpoint("Look Up Order ID", .get, "/inApps/v1/lookup/{orderId}", .tenPerSecond)
    /// Get Refund History.
    public static let getRefundHistory = ServerAPIEndpoint(
        "Get Refund History", .get, "/inApps/v2/refund/lookup/{anyTransactionId}",
        .tenPerSecond)
    /// Get Refund History V1. Deprecated by Apple.
    public static let getRefundHistoryV1 = ServerAPIEndpoint(
        "Get Refund History V1", .get, "/inApps/v1/refund/lookup/{originalTransactionId}",
        .tenPerSecond)
    /// Send Consumption Information.
    public static let sendConsumptionInformation = ServerAPIEndpoint(
        "Send Consumption Information", .put, "/inApps/v2/transactions/consumption/{transactionId}",
        .fiftyPerSecond, expectedStatus: 202)
    /// Send Consumption Information V1. Deprecated by Apple.
    public static let sendConsumptionInformationV1 = ServerAPIEndpoint(
        "Send Consumption Information V1", .put, "/inApps/v1/transactions/consumption/{transactionId}",
        .fiftyPerSecond, expectedStatus: 202)
    /// Set App Account Token.
    public static let setAppAccountToken = ServerAPIEndpoint(
        "Set App Account Token", .put, "/inApps/v1/transactions/{originalTransactionId}/appAccountToken",
        .twentyPerSecond)
    /// Get App Transaction Info.
    public static let getAppTransactionInfo = ServerAPIEndpoint(
        "Get App Transaction Info", .get, "/inApps/v1/transactions/appTransactions/{anyTransactionId}",
        .fiftyPerSecond)
    /// Finish Transaction.
    public static let finishTransaction = ServerAPIEndpoint(
        "Finish Transaction", .post, "/inApps/v1/transactions/{transactionId}/finish",
        .fiftyPerSecond)
}

// MARK: Renewal dates and notifications

extension ServerAPIEndpoint {
    /// Extend a Subscription Renewal Date.
    public static let extendSubscriptionRenewalDate = ServerAPIEndpoint(
        "Extend a Subscription Renewal Date", .put, "/inApps/v1/subscriptions/extend/{originalTransactionId}",
        .twentyPerSecond)
    /// Extend Subscription Renewal Dates for All Active Subscribers.
    public static let extendRenewalDateForAllActiveSubscribers = ServerAPIEndpoint(
        "Extend Subscription Renewal Dates for All Active Subscribers", .post, "/inApps/v1/subscriptions/extend/mass",
        .onePerSecond)
    /// Get Status of Subscription Renewal Date Extensions. Its rate is assumed to be that of the request.
    public static let getStatusOfSubscriptionRenewalDateExtensions = ServerAPIEndpoint(
        "Get Status of Subscription Renewal Date Extensions", .get,
        "/inApps/v1/subscriptions/extend/mass/{productId}/{requestIdentifier}",
        .undocumented)
    /// Request a Test Notification.
    public static let requestTestNotification = ServerAPIEndpoint(
        "Request a Test Notification", .post, "/inApps/v1/notifications/test",
        .onePerSecond)
    /// Get Test Notification Status.
    public static let getTestNotificationStatus = ServerAPIEndpoint(
        "Get Test Notification Status", .get, "/inApps/v1/notifications/test/{testNotificationToken}",
        .onePerSecond)
    /// Get Notification History.
    public static let getNotificationHistory = ServerAPIEndpoint(
        "Get Notification History", .post, "/inApps/v1/notifications/history",
        .fiftyPerSecond)
}

// MARK: Retention messaging

extension ServerAPIEndpoint {
    /// Upload Image.
    public static let uploadImage = ServerAPIEndpoint(
        "Upload Image", .put, "/inApps/v1/messaging/image/{imageIdentifier}",
        .onePerSecond)
    /// Delete Image.
    public static let deleteImage = ServerAPIEndpoint(
        "Delete Image", .delete, "/inApps/v1/messaging/image/{imageIdentifier}",
        .onePerSecond)
    /// Get Image List.
    public static let getImageList = ServerAPIEndpoint("Get Image List", .get, "/inApps/v1/messaging/image/list", .onePerSecond)
    /// Upload Message.
    public static let uploadMessage = ServerAPIEndpoint(
        "Upload Message", .put, "/inApps/v1/messaging/message/{messageIdentifier}",
        .onePerSecond)
    /// Delete Message.
    public static let deleteMessage = ServerAPIEndpoint(
        "Delete Message", .delete, "/inApps/v1/messaging/message/{messageIdentifier}",
        .onePerSecond)
    /// Get Message List.
    public static let getMessageList = ServerAPIEndpoint(
        "Get Message List", .get, "/inApps/v1/messaging/message/list",
        .onePerSecond)
    /// Configure Default Message.
    public static let configureDefaultMessage = ServerAPIEndpoint(
        "Configure Default Message", .put, "/inApps/v1/messaging/default/{productId}/{locale}",
        .tenPerSecond)
    /// Get Default Message.
    public static let getDefaultMessage = ServerAPIEndpoint(
        "Get Default Message", .get, "/inApps/v1/messaging/default/{productId}/{locale}",
        .onePerSecond)
    /// Delete Default Message.
    public static let deleteDefaultMessage = ServerAPIEndpoint(
        "Delete Default Message", .delete, "/inApps/v1/messaging/default/{productId}/{locale}",
        .onePerSecond)
    /// Configure Realtime URL.
    public static let configureRealtimeURL = ServerAPIEndpoint(
        "Configure Realtime URL", .put, "/inApps/v1/messaging/realtime/url",
        .onePerSecond)
    /// Get Realtime URL.
    public static let getRealtimeURL = ServerAPIEndpoint(
        "Get Realtime URL", .get, "/inApps/v1/messaging/realtime/url",
        .onePerSecond)
    /// Delete Realtime URL.
    public static let deleteRealtimeURL = ServerAPIEndpoint(
        "Delete Realtime URL", .delete, "/inApps/v1/messaging/realtime/url",
        .onePerSecond)
    /// Initiate Performance Test.
    public static let initiatePerformanceTest = ServerAPIEndpoint(
        "Initiate Performance Test", .post, "/inApps/v1/messaging/performanceTest",
        .onePerSecond)
    /// Get Performance Test Results.
    public static let getPerformanceTestResults = ServerAPIEndpoint(
        "Get Performance Test Results", .get, "/inApps/v1/messaging/performanceTest/result/{requestId}",
        .onePerSecond)
}

// MARK: Advanced Commerce

extension ServerAPIEndpoint {
    /// Cancel a Subscription.
    public static let cancelSubscription = ServerAPIEndpoint(
        "Cancel a Subscription", .post, "/advancedCommerce/v1/subscription/cancel/{transactionId}",
        .undocumented)
    /// Change Subscription Metadata.
    public static let changeSubscriptionMetadata = ServerAPIEndpoint(
        "Change Subscription Metadata", .post, "/advancedCommerce/v1/subscription/changeMetadata/{transactionId}",
        .undocumented)
    /// Change Subscription Price.
    public static let changeSubscriptionPrice = ServerAPIEndpoint(
        "Change Subscription Price", .post, "/advancedCommerce/v1/subscription/changePrice/{transactionId}",
        .undocumented)
    /// Migrate a Subscription to Advanced Commerce API.
    public static let migrateSubscription = ServerAPIEndpoint(
        "Migrate a Subscription to Advanced Commerce API", .post, "/advancedCommerce/v1/subscription/migrate/{transactionId}",
        .undocumented)
    /// Revoke Subscription.
    public static let revokeSubscription = ServerAPIEndpoint(
        "Revoke Subscription", .post, "/advancedCommerce/v1/subscription/revoke/{transactionId}",
        .undocumented)
    /// Request Transaction Refund.
    public static let requestTransactionRefund = ServerAPIEndpoint(
        "Request Transaction Refund", .post, "/advancedCommerce/v1/transaction/requestRefund/{transactionId}",
        .undocumented)
}

// MARK: Groups and seats: not confirmed against Apple's server

extension ServerAPIEndpoint {
    /// Get Current Groups.
    public static let getCurrentGroups = ServerAPIEndpoint(
        "Get Current Groups", .get, "/groups/v1/currentGroups/{anyTransactionId}",
        .undocumented)
    /// Get Group.
    public static let getGroup = ServerAPIEndpoint("Get Group", .get, "/groups/v1/group/{groupId}", .undocumented)
    /// Get Seat Info.
    public static let getSeatInfo = ServerAPIEndpoint(
        "Get Seat Info", .get, "/groups/v1/transactions/{originalTransactionId}/seats",
        .undocumented)
    /// Claim Seat.
    public static let claimSeat = ServerAPIEndpoint(
        "Claim Seat", .post, "/groups/v1/transactions/{originalTransactionId}/seats",
        .undocumented)
}
