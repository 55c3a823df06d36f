/// The number in an error of the App Store Server API. The first three digits are the HTTP status.
///
/// A value that is not listed keeps its raw value (FACT-5).
///
/// Source: Apple, App Store Server API, Error codes.
public struct ServerAPIErrorCode: RawRepresentable, Codable, Sendable, Hashable {
    /// As Apple wrote it.
    public let rawValue: Int64

    /// Any value, known or not.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// Whether Apple says that the same request may succeed later.
    ///
    /// False for a code that is not listed; ``ServerAPIFailure/isRetryable`` then depends on the HTTP status.
    public var isRetryable: Bool {
        switch self {
        case .accountNotFoundRetryable, .appNotFoundRetryable, .originalTransactionIdNotFoundRetryable, .rateLimitExceeded,
            .generalInternal, .generalInternalRetryable:
            true
        default: false
        }
    }

    /// Whether the same question may have an answer in the other environment: Apple says to ask Production first and, where it
    /// does not know the transaction, Sandbox. Purchases in TestFlight and in review are there.
    public var mayBeOfOtherEnvironment: Bool { self == .transactionIdNotFound || self == .originalTransactionIdNotFound }

    /// Whether the code is one of those that Apple documents.
    public var isListed: Bool { Self.all.contains(self) }

    /// Every listed code, ascending.
    public static let all: [ServerAPIErrorCode] = [
        .generalBadRequest, .invalidAppIdentifier, .invalidRequestRevision, .invalidTransactionId,
        .invalidOriginalTransactionId, .invalidExtendByDays, .invalidExtendReasonCode, .invalidRequestIdentifier,
        .startDateTooFarInPast, .startDateAfterEndDate, .invalidPaginationToken, .invalidStartDate, .invalidEndDate,
        .paginationTokenExpired, .invalidNotificationType, .multipleFiltersSupplied, .invalidTestNotificationToken,
        .invalidSort, .invalidProductType, .invalidProductId, .invalidSubscriptionGroupIdentifier,
        .invalidExcludeRevoked, .invalidInAppOwnershipType, .invalidEmptyStorefrontCountryCodeList,
        .invalidStorefrontCountryCode, .invalidRevoked, .invalidStatus, .invalidAccountTenure,
        .invalidAppAccountToken, .invalidConsumptionStatus, .invalidCustomerConsented, .invalidDeliveryStatus,
        .invalidLifetimeDollarsPurchased, .invalidLifetimeDollarsRefunded, .invalidPlatform, .invalidPlayTime,
        .invalidSampleContentProvided, .invalidUserStatus, .invalidTransactionNotConsumable,
        .invalidTransactionTypeNotSupported, .appTransactionIdNotSupported, .invalidImage, .headerTooLong,
        .bodyTooLong, .invalidLocale, .altTextTooLong, .invalidAppAccountTokenUUID, .familyTransactionNotSupported,
        .transactionIdNotOriginal, .invalidPerformanceTestRequest, .invalidPerformanceTestRequestId,
        .performanceTestAlreadyRunning, .invalidRealtimeURL, .invalidImageSize, .tooManyBulletPoints,
        .bulletPointTextTooLong, .headerAboveImageWithoutImage, .subscriptionExtensionIneligible,
        .subscriptionMaxExtension, .familySharedSubscriptionExtensionIneligible, .maximumNumberOfImages,
        .maximumNumberOfMessages, .messageNotApproved, .imageNotApproved, .imageInUse, .noPassingPerformanceTest,
        .accountNotFound, .accountNotFoundRetryable, .appNotFound, .appNotFoundRetryable,
        .originalTransactionIdNotFound, .originalTransactionIdNotFoundRetryable, .serverNotificationURLNotFound,
        .testNotificationNotFound, .statusRequestNotFound, .transactionIdNotFound, .imageNotFound, .messageNotFound,
        .performanceTestNotFound, .appTransactionDoesNotExist, .defaultMessageNotFound, .realtimeURLNotFound,
        .imageAlreadyExists, .messageAlreadyExists, .rateLimitExceeded, .generalInternal, .generalInternalRetryable,
    ]
}

// MARK: 400: the request itself is wrong

extension ServerAPIErrorCode {
    /// Something is wrong with the request.
    public static let generalBadRequest = ServerAPIErrorCode(rawValue: 4000000)
    /// The app is not known by that identifier.
    public static let invalidAppIdentifier = ServerAPIErrorCode(rawValue: 4000002)
    /// `revision` is not one that Apple gave.
    public static let invalidRequestRevision = ServerAPIErrorCode(rawValue: 4000005)
    /// The transaction id does not have the form of one.
    public static let invalidTransactionId = ServerAPIErrorCode(rawValue: 4000006)
    /// The original transaction id does not have the form of one.
    public static let invalidOriginalTransactionId = ServerAPIErrorCode(rawValue: 4000008)
    /// `extendByDays` is not 1 to 90.
    public static let invalidExtendByDays = ServerAPIErrorCode(rawValue: 4000009)
    /// `extendReasonCode` is not 0 to 3.
    public static let invalidExtendReasonCode = ServerAPIErrorCode(rawValue: 4000010)
    /// `requestIdentifier` is empty or too long.
    public static let invalidRequestIdentifier = ServerAPIErrorCode(rawValue: 4000011)
    /// `startDate` is before what Apple keeps.
    public static let startDateTooFarInPast = ServerAPIErrorCode(rawValue: 4000012)
    /// `startDate` is not before `endDate`.
    public static let startDateAfterEndDate = ServerAPIErrorCode(rawValue: 4000013)
    /// `paginationToken` is not one that Apple gave.
    public static let invalidPaginationToken = ServerAPIErrorCode(rawValue: 4000014)
    /// `startDate` is not an instant.
    public static let invalidStartDate = ServerAPIErrorCode(rawValue: 4000015)
    /// `endDate` is not an instant.
    public static let invalidEndDate = ServerAPIErrorCode(rawValue: 4000016)
    /// `paginationToken` is too old: begin with the first page.
    public static let paginationTokenExpired = ServerAPIErrorCode(rawValue: 4000017)
    /// The notification type or subtype is not known, or they do not go together.
    public static let invalidNotificationType = ServerAPIErrorCode(rawValue: 4000018)
    /// `notificationType` and `transactionId` came together.
    public static let multipleFiltersSupplied = ServerAPIErrorCode(rawValue: 4000019)
    /// The test's token does not have the form of one.
    public static let invalidTestNotificationToken = ServerAPIErrorCode(rawValue: 4000020)
    /// `sort` is not known.
    public static let invalidSort = ServerAPIErrorCode(rawValue: 4000021)
    /// `productType` is not known.
    public static let invalidProductType = ServerAPIErrorCode(rawValue: 4000022)
    /// `productId` is not one of the app's.
    public static let invalidProductId = ServerAPIErrorCode(rawValue: 4000023)
    /// `subscriptionGroupIdentifier` is not one of the app's.
    public static let invalidSubscriptionGroupIdentifier = ServerAPIErrorCode(rawValue: 4000024)
    /// `excludeRevoked`, the old name of `revoked`, is not `true` or `false`.
    public static let invalidExcludeRevoked = ServerAPIErrorCode(rawValue: 4000025)
    /// `inAppOwnershipType` is not known.
    public static let invalidInAppOwnershipType = ServerAPIErrorCode(rawValue: 4000026)
    /// The list of storefronts is empty.
    public static let invalidEmptyStorefrontCountryCodeList = ServerAPIErrorCode(rawValue: 4000027)
    /// A storefront is not known.
    public static let invalidStorefrontCountryCode = ServerAPIErrorCode(rawValue: 4000028)
    /// `revoked` is not `true` or `false`.
    public static let invalidRevoked = ServerAPIErrorCode(rawValue: 4000030)
    /// `status` is not 1 to 5.
    public static let invalidStatus = ServerAPIErrorCode(rawValue: 4000031)
    /// `accountTenure` is not known.
    public static let invalidAccountTenure = ServerAPIErrorCode(rawValue: 4000032)
    /// `appAccountToken` of a consumption is neither a UUID nor empty.
    public static let invalidAppAccountToken = ServerAPIErrorCode(rawValue: 4000033)
    /// `consumptionStatus` is not known.
    public static let invalidConsumptionStatus = ServerAPIErrorCode(rawValue: 4000034)
    /// The customer did not consent.
    public static let invalidCustomerConsented = ServerAPIErrorCode(rawValue: 4000035)
    /// `deliveryStatus` is not known.
    public static let invalidDeliveryStatus = ServerAPIErrorCode(rawValue: 4000036)
    /// `lifetimeDollarsPurchased` is not known.
    public static let invalidLifetimeDollarsPurchased = ServerAPIErrorCode(rawValue: 4000037)
    /// `lifetimeDollarsRefunded` is not known.
    public static let invalidLifetimeDollarsRefunded = ServerAPIErrorCode(rawValue: 4000038)
    /// `platform` is not known.
    public static let invalidPlatform = ServerAPIErrorCode(rawValue: 4000039)
    /// `playTime` is not known.
    public static let invalidPlayTime = ServerAPIErrorCode(rawValue: 4000040)
    /// `sampleContentProvided` is not `true` or `false`.
    public static let invalidSampleContentProvided = ServerAPIErrorCode(rawValue: 4000041)
    /// `userStatus` is not known.
    public static let invalidUserStatus = ServerAPIErrorCode(rawValue: 4000042)
    /// The transaction is not of a consumable.
    public static let invalidTransactionNotConsumable = ServerAPIErrorCode(rawValue: 4000043)
    /// The endpoint does not accept transactions of that type.
    public static let invalidTransactionTypeNotSupported = ServerAPIErrorCode(rawValue: 4000047)
    /// The endpoint does not accept an `appTransactionId`.
    public static let appTransactionIdNotSupported = ServerAPIErrorCode(rawValue: 4000048)
    /// The image cannot be read.
    public static let invalidImage = ServerAPIErrorCode(rawValue: 4000161)
    /// The header of a message is too long.
    public static let headerTooLong = ServerAPIErrorCode(rawValue: 4000162)
    /// The body of a message is too long.
    public static let bodyTooLong = ServerAPIErrorCode(rawValue: 4000163)
    /// The locale is not known.
    public static let invalidLocale = ServerAPIErrorCode(rawValue: 4000164)
    /// The alternative text of an image is too long.
    public static let altTextTooLong = ServerAPIErrorCode(rawValue: 4000175)
    /// `appAccountToken` is not a UUID.
    public static let invalidAppAccountTokenUUID = ServerAPIErrorCode(rawValue: 4000183)
    /// The transaction is a family member's.
    public static let familyTransactionNotSupported = ServerAPIErrorCode(rawValue: 4000185)
    /// The transaction is not the first of its subscription.
    public static let transactionIdNotOriginal = ServerAPIErrorCode(rawValue: 4000187)
    /// The request of a performance test is wrong.
    public static let invalidPerformanceTestRequest = ServerAPIErrorCode(rawValue: 4000211)
    /// The performance test's id does not have the form of one.
    public static let invalidPerformanceTestRequestId = ServerAPIErrorCode(rawValue: 4000212)
    /// A performance test is running.
    public static let performanceTestAlreadyRunning = ServerAPIErrorCode(rawValue: 4000213)
    /// The real-time URL is not a URL that Apple calls.
    public static let invalidRealtimeURL = ServerAPIErrorCode(rawValue: 4000215)
    /// The image does not have the size that it was uploaded for.
    public static let invalidImageSize = ServerAPIErrorCode(rawValue: 4000216)
    /// The message has more than five bullet points.
    public static let tooManyBulletPoints = ServerAPIErrorCode(rawValue: 4000218)
    /// The text of a bullet point is too long.
    public static let bulletPointTextTooLong = ServerAPIErrorCode(rawValue: 4000219)
    /// The header is to be shown above an image, but there is none.
    public static let headerAboveImageWithoutImage = ServerAPIErrorCode(rawValue: 4000224)
}

// MARK: 403: what is asked for is not allowed

extension ServerAPIErrorCode {
    /// The subscription is not in a state in which it may be extended.
    public static let subscriptionExtensionIneligible = ServerAPIErrorCode(rawValue: 4030004)
    /// The subscription was extended twice within 365 days.
    public static let subscriptionMaxExtension = ServerAPIErrorCode(rawValue: 4030005)
    /// A family member's subscription is extended with its purchaser's.
    public static let familySharedSubscriptionExtensionIneligible = ServerAPIErrorCode(rawValue: 4030007)
    /// The maximum number of images is reached.
    public static let maximumNumberOfImages = ServerAPIErrorCode(rawValue: 4030014)
    /// The maximum number of messages is reached.
    public static let maximumNumberOfMessages = ServerAPIErrorCode(rawValue: 4030016)
    /// The message was not approved.
    public static let messageNotApproved = ServerAPIErrorCode(rawValue: 4030017)
    /// The image was not approved.
    public static let imageNotApproved = ServerAPIErrorCode(rawValue: 4030018)
    /// The image belongs to a message.
    public static let imageInUse = ServerAPIErrorCode(rawValue: 4030019)
    /// No performance test was passed.
    public static let noPassingPerformanceTest = ServerAPIErrorCode(rawValue: 4030026)
}

// MARK: 404: there is nothing by that name

extension ServerAPIErrorCode {
    /// The customer's account is not found.
    public static let accountNotFound = ServerAPIErrorCode(rawValue: 4040001)
    /// The customer's account is not found at the moment; ask again.
    public static let accountNotFoundRetryable = ServerAPIErrorCode(rawValue: 4040002)
    /// The app is not found.
    public static let appNotFound = ServerAPIErrorCode(rawValue: 4040003)
    /// The app is not found at the moment; ask again.
    public static let appNotFoundRetryable = ServerAPIErrorCode(rawValue: 4040004)
    /// The original transaction id is not found; it may be of the other environment.
    public static let originalTransactionIdNotFound = ServerAPIErrorCode(rawValue: 4040005)
    /// The original transaction id is not found at the moment; ask again.
    public static let originalTransactionIdNotFoundRetryable = ServerAPIErrorCode(rawValue: 4040006)
    /// No URL for notifications is configured.
    public static let serverNotificationURLNotFound = ServerAPIErrorCode(rawValue: 4040007)
    /// The test notification is not found; it may be too old.
    public static let testNotificationNotFound = ServerAPIErrorCode(rawValue: 4040008)
    /// The request to extend renewal dates is not found.
    public static let statusRequestNotFound = ServerAPIErrorCode(rawValue: 4040009)
    /// The transaction is not found; it may be of the other environment.
    public static let transactionIdNotFound = ServerAPIErrorCode(rawValue: 4040010)
    /// The image is not found.
    public static let imageNotFound = ServerAPIErrorCode(rawValue: 4040014)
    /// The message is not found.
    public static let messageNotFound = ServerAPIErrorCode(rawValue: 4040015)
    /// The performance test is not found.
    public static let performanceTestNotFound = ServerAPIErrorCode(rawValue: 4040018)
    /// The customer has no app transaction.
    public static let appTransactionDoesNotExist = ServerAPIErrorCode(rawValue: 4040019)
    /// No default message is configured.
    public static let defaultMessageNotFound = ServerAPIErrorCode(rawValue: 4040020)
    /// No real-time URL is configured.
    public static let realtimeURLNotFound = ServerAPIErrorCode(rawValue: 4040021)
}

// MARK: 409: it is there already

extension ServerAPIErrorCode {
    /// There is an image by that identifier.
    public static let imageAlreadyExists = ServerAPIErrorCode(rawValue: 4090000)
    /// There is a message by that identifier.
    public static let messageAlreadyExists = ServerAPIErrorCode(rawValue: 4090001)
}

// MARK: 429: too many requests

extension ServerAPIErrorCode {
    /// Too many requests: wait until ``ServerAPIFailure/retryAt``.
    public static let rateLimitExceeded = ServerAPIErrorCode(rawValue: 4290000)
}

// MARK: 500: Apple's fault

extension ServerAPIErrorCode {
    /// An unknown error.
    public static let generalInternal = ServerAPIErrorCode(rawValue: 5000000)
    /// An unknown error; ask again.
    public static let generalInternalRetryable = ServerAPIErrorCode(rawValue: 5000001)
}
