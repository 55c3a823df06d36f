/// The endpoints of the App Store Server API, by which calls are limited and counted.
///
/// Source: Apple, App Store Server API, endpoints; "Identifying rate limits"; Retention Messaging API.
package enum ServiceEndpoint: String, Sendable, Hashable, CaseIterable, Codable {
    case getTransactionInfo, getTransactionHistory, getTransactionHistoryV1, getAllSubscriptionStatuses, getAppTransactionInfo
    case lookUpOrderID, getRefundHistory, getRefundHistoryV1
    case sendConsumptionInformation, sendConsumptionInformationV1
    case setAppAccountToken, finishTransaction
    case extendSubscriptionRenewalDate, extendRenewalDateForAllActiveSubscribers, getStatusOfSubscriptionRenewalDateExtensions
    case requestTestNotification, getTestNotificationStatus, getNotificationHistory
    case uploadImage, deleteImage, getImageList
    case uploadMessage, deleteMessage, getMessageList
    case configureDefaultMessage, getDefaultMessage, deleteDefaultMessage
    case configureRealtimeURL, getRealtimeURL, deleteRealtimeURL
    case initiatePerformanceTest, getPerformanceTestResults

    /// How many calls Apple allows an app per second in Production; counted by the hour, so 3600 times as many in an hour.
    var callsPerSecond: Int64 {
        switch self {
        case .getTransactionInfo, .getTransactionHistory, .getTransactionHistoryV1, .getAllSubscriptionStatuses,
            .getAppTransactionInfo, .sendConsumptionInformation, .sendConsumptionInformationV1, .finishTransaction,
            .getNotificationHistory:
            50
        case .setAppAccountToken, .extendSubscriptionRenewalDate: 20
        case .lookUpOrderID, .getRefundHistory, .getRefundHistoryV1, .configureDefaultMessage: 10
        case .extendRenewalDateForAllActiveSubscribers, .getStatusOfSubscriptionRenewalDateExtensions,
            .requestTestNotification, .getTestNotificationStatus, .uploadImage, .deleteImage, .getImageList, .uploadMessage,
            .deleteMessage, .getMessageList, .getDefaultMessage, .deleteDefaultMessage, .configureRealtimeURL, .getRealtimeURL,
            .deleteRealtimeURL, .initiatePerformanceTest, .getPerformanceTestResults:
            1
        }
    }
}

extension APIRoute {
    var endpoint: ServiceEndpoint {
        switch self {
        case .transaction: .getTransactionInfo
        case .history(_, let isV2): isV2 ? .getTransactionHistory : .getTransactionHistoryV1
        case .statuses: .getAllSubscriptionStatuses
        case .order: .lookUpOrderID
        case .refunds(_, let isV2): isV2 ? .getRefundHistory : .getRefundHistoryV1
        case .extend: .extendSubscriptionRenewalDate
        case .extendAll: .extendRenewalDateForAllActiveSubscribers
        case .extensionStatus: .getStatusOfSubscriptionRenewalDateExtensions
        case .consumption(_, let isV2): isV2 ? .sendConsumptionInformation : .sendConsumptionInformationV1
        case .appAccountToken: .setAppAccountToken
        case .appTransaction: .getAppTransactionInfo
        case .finish: .finishTransaction
        case .requestTest: .requestTestNotification
        case .testStatus: .getTestNotificationStatus
        case .notificationHistory: .getNotificationHistory
        case .retention(let route): route.endpoint
        }
    }
}

extension RetentionRoute {
    fileprivate var endpoint: ServiceEndpoint {
        switch self {
        case .uploadImage: .uploadImage
        case .deleteImage: .deleteImage
        case .images: .getImageList
        case .uploadMessage: .uploadMessage
        case .deleteMessage: .deleteMessage
        case .messages: .getMessageList
        case .setDefault: .configureDefaultMessage
        case .default: .getDefaultMessage
        case .deleteDefault: .deleteDefaultMessage
        case .setRealtimeURL: .configureRealtimeURL
        case .realtimeURL: .getRealtimeURL
        case .deleteRealtimeURL: .deleteRealtimeURL
        case .startTest: .initiatePerformanceTest
        case .testResult: .getPerformanceTestResults
        }
    }
}
