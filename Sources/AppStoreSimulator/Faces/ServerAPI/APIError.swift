/// An error of the App Store Server API.
///
/// Source: Apple, App Store Server API, "Error codes".
struct APIError: Error, Sendable, Hashable {
    let errorCode: Int64
    let errorMessage: String

    init(_ errorCode: Int64, _ errorMessage: String) {
        self.errorCode = errorCode
        self.errorMessage = errorMessage
    }

    /// The code begins with it.
    var status: Int { Int(errorCode / 10_000) }

    static let generalBadRequest = APIError(4_000_000, "Bad request.")
    static let invalidRevision = APIError(4_000_005, "Invalid revision.")
    static let invalidTransactionId = APIError(4_000_006, "Invalid transaction id.")
    static let invalidOriginalTransactionId = APIError(4_000_008, "Invalid original transaction id.")
    static let invalidExtendByDays = APIError(4_000_009, "Invalid extend by days value.")
    static let invalidExtendReasonCode = APIError(4_000_010, "Invalid extend reason code.")
    static let invalidRequestIdentifier = APIError(4_000_011, "Invalid request identifier.")
    static let startDateTooFarInPast = APIError(4_000_012, "Start date is too far in the past.")
    static let startDateAfterEndDate = APIError(4_000_013, "Start date is not before end date.")
    static let invalidPaginationToken = APIError(4_000_014, "Invalid pagination token.")
    static let invalidStartDate = APIError(4_000_015, "Invalid start date.")
    static let invalidEndDate = APIError(4_000_016, "Invalid end date.")
    static let invalidNotificationType = APIError(4_000_018, "Invalid notification type or subtype.")
    static let multipleFilters = APIError(4_000_019, "Supply either a transaction id or a notification type.")
    static let invalidTestToken = APIError(4_000_020, "Invalid test notification token.")
    static let invalidSort = APIError(4_000_021, "Invalid sort.")
    static let invalidProductType = APIError(4_000_022, "Invalid product type.")
    static let invalidProductId = APIError(4_000_023, "Invalid product id.")
    static let invalidGroup = APIError(4_000_024, "Invalid subscription group identifier.")
    static let invalidExcludeRevoked = APIError(4_000_025, "Invalid exclude revoked.")
    static let invalidOwnership = APIError(4_000_026, "Invalid in-app ownership type.")
    static let emptyStorefronts = APIError(4_000_027, "Empty storefront country code list.")
    static let invalidStorefront = APIError(4_000_028, "Invalid storefront country code.")
    static let invalidRevoked = APIError(4_000_030, "Invalid revoked.")
    static let invalidStatus = APIError(4_000_031, "Invalid status.")
    static let invalidCustomerConsented = APIError(4_000_035, "Invalid customer consented.")
    static let invalidDeliveryStatus = APIError(4_000_036, "Invalid delivery status.")
    static let invalidSampleContent = APIError(4_000_041, "Invalid sample content provided.")
    static let notConsumable = APIError(4_000_043, "The transaction is not a consumable.")
    static let appTransactionIdNotSupported = APIError(4_000_048, "This endpoint takes no app transaction id.")
    static let tokenNotUUID = APIError(4_000_183, "The app account token is not a UUID.")
    static let familyTransactionNotSupported = APIError(4_000_185, "Family Sharing transactions are not supported.")
    static let notOriginalTransactionId = APIError(4_000_187, "The transaction id is not an original transaction id.")
    static let extensionIneligible = APIError(4_030_004, "The subscription is in no state in which it can be extended.")
    static let extensionMaximum = APIError(4_030_005, "The subscription was extended as often as allowed.")
    static let familyExtension = APIError(4_030_007, "A family's subscription is extended with its purchaser's.")
    static let originalTransactionNotFound = APIError(4_040_005, "Original transaction id not found.")
    static let noNotificationURL = APIError(4_040_007, "No server notification URL is set.")
    static let testNotFound = APIError(4_040_008, "Test notification not found.")
    static let extensionRequestNotFound = APIError(4_040_009, "Status request not found.")
    static let transactionNotFound = APIError(4_040_010, "Transaction id not found.")
    static let appTransactionNotFound = APIError(4_040_019, "No app transaction exists for the customer.")
    static let realtimeURLNotFound = APIError(4_040_021, "No realtime URL is set.")
    static let invalidRealtimeURL = APIError(4_000_215, "Invalid realtime URL.")
    static let rateLimited = APIError(4_290_000, "Rate limit exceeded.")
    static let general = APIError(5_000_000, "An unknown error occurred.")
}
