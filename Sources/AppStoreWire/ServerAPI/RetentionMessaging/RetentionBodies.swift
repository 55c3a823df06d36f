public import Primitives

/// The images of an app.
///
/// Source: Apple, App Store Server API, Get Image List, `GetImageListResponse`.
public struct GetImageListResponse: Codable, Sendable, Hashable {
    /// The images.
    public var imageIdentifiers: [GetImageListResponseItem]

    /// Every field as Apple names it.
    public init(imageIdentifiers: [GetImageListResponseItem]) {
        self.imageIdentifiers = imageIdentifiers
    }
}

/// One image.
///
/// Source: Apple, App Store Server API, `GetImageListResponseItem`.
public struct GetImageListResponseItem: Codable, Sendable, Hashable {
    /// The image, a UUID.
    public var imageIdentifier: String?
    /// The state of the review.
    public var imageState: RetentionImageState?
    /// What it is for.
    public var imageSize: RetentionImageSize?

    /// Every field as Apple names it; nil leaves it out.
    public init(imageIdentifier: String? = nil, imageState: RetentionImageState? = nil, imageSize: RetentionImageSize? = nil) {
        self.imageIdentifier = imageIdentifier
        self.imageState = imageState
        self.imageSize = imageSize
    }
}

/// The messages of an app.
///
/// Source: Apple, App Store Server API, Get Message List, `GetMessageListResponse`.
public struct GetMessageListResponse: Codable, Sendable, Hashable {
    /// The messages.
    public var messageIdentifiers: [GetMessageListResponseItem]

    /// Every field as Apple names it.
    public init(messageIdentifiers: [GetMessageListResponseItem]) {
        self.messageIdentifiers = messageIdentifiers
    }
}

/// One message.
///
/// Source: Apple, App Store Server API, `GetMessageListResponseItem`.
public struct GetMessageListResponseItem: Codable, Sendable, Hashable {
    /// The message, a UUID.
    public var messageIdentifier: String?
    /// The state of the review.
    public var messageState: RetentionMessageState?

    /// Every field as Apple names it; nil leaves it out.
    public init(messageIdentifier: String? = nil, messageState: RetentionMessageState? = nil) {
        self.messageIdentifier = messageIdentifier
        self.messageState = messageState
    }
}

/// A message for customers who are about to leave. Lengths are counted in UTF-16 units: see ``ServerAPIRequestError``.
///
/// Source: Apple, App Store Server API, Upload Message, `UploadMessageRequestBody`.
public struct UploadMessageRequestBody: Codable, Sendable, Hashable {
    /// At most 66.
    public var header: String
    /// At most 144.
    public var body: String
    /// The image; nil: none.
    public var image: UploadMessageImage?
    /// The position of the header; above the image only where there is one.
    public var headerPosition: HeaderPosition?
    /// At most 5.
    public var bulletPoints: [BulletPoint]?

    /// Every field as Apple names it; nil leaves it out.
    public init(
        header: String, body: String, image: UploadMessageImage? = nil, headerPosition: HeaderPosition? = nil,
        bulletPoints: [BulletPoint]? = nil
    ) {
        self.header = header
        self.body = body
        self.image = image
        self.headerPosition = headerPosition
        self.bulletPoints = bulletPoints
    }
}

/// The image of a message.
///
/// Source: Apple, App Store Server API, `UploadMessageImage`.
public struct UploadMessageImage: Codable, Sendable, Hashable {
    /// The image, a UUID.
    public var imageIdentifier: String
    /// What it shows: at most 150 UTF-16 units.
    public var altText: String

    /// Every field as Apple names it.
    public init(imageIdentifier: String, altText: String) {
        self.imageIdentifier = imageIdentifier
        self.altText = altText
    }
}

/// One point of a message.
///
/// Source: Apple, App Store Server API, `BulletPoint`.
public struct BulletPoint: Codable, Sendable, Hashable {
    /// At most 66 UTF-16 units.
    public var text: String
    /// Its image, a UUID.
    public var imageIdentifier: String
    /// What the image shows: at most 150 UTF-16 units.
    public var altText: String

    /// Every field as Apple names it.
    public init(text: String, imageIdentifier: String, altText: String) {
        self.text = text
        self.imageIdentifier = imageIdentifier
        self.altText = altText
    }
}

/// The message that is shown where the server names none.
///
/// Source: Apple, App Store Server API, Configure Default Message, `DefaultConfigurationRequest`.
public struct DefaultConfigurationRequest: Codable, Sendable, Hashable {
    /// The message, a UUID.
    public var messageIdentifier: String

    /// Every field as Apple names it.
    public init(messageIdentifier: String) {
        self.messageIdentifier = messageIdentifier
    }
}

/// The message that is shown where the server names none.
///
/// Source: Apple, App Store Server API, Get Default Message, `DefaultConfigurationResponse`.
public struct DefaultConfigurationResponse: Codable, Sendable, Hashable {
    /// The message, a UUID.
    public var messageIdentifier: String

    /// Every field as Apple names it.
    public init(messageIdentifier: String) {
        self.messageIdentifier = messageIdentifier
    }
}

/// Where Apple asks which message to show.
///
/// Source: Apple, App Store Server API, Configure Realtime URL, `RealtimeUrlRequest`.
public struct RealtimeUrlRequest: Codable, Sendable, Hashable {
    /// At most 256 UTF-16 units.
    public var realtimeURL: String

    /// Every field as Apple names it.
    public init(realtimeURL: String) {
        self.realtimeURL = realtimeURL
    }
}

/// Where Apple asks which message to show.
///
/// Source: Apple, App Store Server API, Get Realtime URL, `RealtimeUrlResponse`.
public struct RealtimeUrlResponse: Codable, Sendable, Hashable {
    /// The URL.
    public var realtimeURL: String

    /// Every field as Apple names it.
    public init(realtimeURL: String) {
        self.realtimeURL = realtimeURL
    }
}

/// A subscription of the Sandbox to test the real-time URL with.
///
/// Source: Apple, App Store Server API, Initiate Performance Test, `PerformanceTestRequest`.
public struct PerformanceTestRequest: Codable, Sendable, Hashable {
    /// The subscription.
    public var originalTransactionId: String

    /// Every field as Apple names it.
    public init(originalTransactionId: String) {
        self.originalTransactionId = originalTransactionId
    }
}

/// A performance test that has begun.
///
/// Source: Apple, App Store Server API, Initiate Performance Test, `PerformanceTestResponse`.
public struct PerformanceTestResponse: Codable, Sendable, Hashable {
    /// Its requirements.
    public var config: PerformanceTestConfig
    /// The identifier with which to request its result.
    public var requestId: String

    /// Every field as Apple names it.
    public init(config: PerformanceTestConfig, requestId: String) {
        self.config = config
        self.requestId = requestId
    }
}

/// The requirements of a performance test.
///
/// Source: Apple, App Store Server API, `PerformanceTestConfig`.
public struct PerformanceTestConfig: Codable, Sendable, Hashable {
    /// How many requests are sent at once.
    public var maxConcurrentRequests: Int64
    /// How many are sent in total.
    public var totalRequests: Int64
    /// How long it takes, milliseconds.
    public var totalDuration: Int64
    /// How long an answer may take, milliseconds.
    public var responseTimeThreshold: Int64
    /// How many must succeed, per cent.
    public var successRateThreshold: Int64

    /// Every field as Apple names it.
    public init(
        maxConcurrentRequests: Int64, totalRequests: Int64, totalDuration: Int64, responseTimeThreshold: Int64,
        successRateThreshold: Int64
    ) {
        self.maxConcurrentRequests = maxConcurrentRequests
        self.totalRequests = totalRequests
        self.totalDuration = totalDuration
        self.responseTimeThreshold = responseTimeThreshold
        self.successRateThreshold = successRateThreshold
    }
}

/// How long answers took, milliseconds.
///
/// Source: Apple, App Store Server API, `PerformanceTestResponseTimes`.
public struct PerformanceTestResponseTimes: Codable, Sendable, Hashable {
    /// On average.
    public var average: Int64
    /// The median.
    public var p50: Int64
    /// Nine in ten took no longer.
    public var p90: Int64
    /// 95 of 100 took no longer.
    public var p95: Int64
    /// 99 of 100 took no longer.
    public var p99: Int64

    /// Every field as Apple names it.
    public init(average: Int64, p50: Int64, p90: Int64, p95: Int64, p99: Int64) {
        self.average = average
        self.p50 = p50
        self.p90 = p90
        self.p95 = p95
        self.p99 = p99
    }
}

/// The result of a performance test.
///
/// Source: Apple, App Store Server API, Get Performance Test Results, `PerformanceTestResultResponse`.
public struct PerformanceTestResultResponse: Codable, Sendable, Hashable {
    /// Its requirements.
    public var config: PerformanceTestConfig
    /// The URL that was tested.
    public var target: String
    /// Whether it passed.
    public var result: PerformanceTestStatus
    /// How many succeeded, per cent.
    public var successRate: Int64
    /// How many are still pending.
    public var numPending: Int64
    /// How long answers took.
    public var responseTimes: PerformanceTestResponseTimes
    /// How many failed, by reason.
    public var failures: SendAttemptCounts?

    /// Every field as Apple names it; nil leaves it out.
    public init(
        config: PerformanceTestConfig, target: String, result: PerformanceTestStatus, successRate: Int64,
        numPending: Int64, responseTimes: PerformanceTestResponseTimes, failures: SendAttemptCounts? = nil
    ) {
        self.config = config
        self.target = target
        self.result = result
        self.successRate = successRate
        self.numPending = numPending
        self.responseTimes = responseTimes
        self.failures = failures
    }
}

/// Another product, to switch to.
///
/// Source: Apple, App Store Server API, Real-time response, `AlternateProduct`.
public struct AlternateProduct: Codable, Sendable, Hashable {
    /// The message, a UUID.
    public var messageIdentifier: String?
    /// The product.
    public var productId: String?
    /// How it is paid.
    public var billingPlanType: BillingPlanType?

    /// Every field as Apple names it; nil leaves it out.
    public init(messageIdentifier: String? = nil, productId: String? = nil, billingPlanType: BillingPlanType? = nil) {
        self.messageIdentifier = messageIdentifier
        self.productId = productId
        self.billingPlanType = billingPlanType
    }
}

/// A signed promotional offer, version 1: what a device, or the App Store after its real-time question, needs to make the offer.
///
/// Source: Apple, App Store Server API, `PromotionalOfferSignatureV1`; In-App Purchase, Generating a signature for promotional
/// offers.
public struct PromotionalOfferSignatureV1: Codable, Sendable, Hashable {
    /// The signature: DER of ECDSA with SHA-256, base64.
    public var encodedSignature: String
    /// The product.
    public var productId: String
    /// The UUID that makes it unique, in lower case, as it was signed; Apple accepts it once.
    public var nonce: String
    /// When it was signed; Apple accepts it for 24 hours.
    public var timestamp: Timestamp
    /// The key.
    public var keyId: String
    /// The offer.
    public var offerIdentifier: String
    /// The token that was signed, in lower case; nil: none.
    public var appAccountToken: String?

    /// Every field as Apple names it; nil leaves it out.
    public init(
        encodedSignature: String, productId: String, nonce: String, timestamp: Timestamp, keyId: String,
        offerIdentifier: String, appAccountToken: String? = nil
    ) {
        self.encodedSignature = encodedSignature
        self.productId = productId
        self.nonce = nonce
        self.timestamp = timestamp
        self.keyId = keyId
        self.offerIdentifier = offerIdentifier
        self.appAccountToken = appAccountToken
    }
}

/// An Advanced Commerce offer.
///
/// Source: Apple, App Store Server API, Real-time response, `AdvancedCommerceInfo`.
public struct RetentionAdvancedCommerceInfo: Codable, Sendable, Hashable {
    /// The message, a UUID.
    public var messageIdentifier: String?
    /// The signed request, see ``OfferSigner``.
    public var advancedCommerceData: String?

    /// Every field as Apple names it; nil leaves it out.
    public init(messageIdentifier: String? = nil, advancedCommerceData: String? = nil) {
        self.messageIdentifier = messageIdentifier
        self.advancedCommerceData = advancedCommerceData
    }
}
