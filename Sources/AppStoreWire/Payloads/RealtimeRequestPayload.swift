public import Primitives

/// A real-time request of the App Store, as Apple signed it: which message or offer to show to a customer who is about to turn
/// off auto-renew.
///
/// Source: Apple, Retention Messaging API, `DecodedRealtimeRequestBody`.
public struct RealtimeRequestPayload: Sendable, Hashable {
    /// The subscription.
    public let originalTransactionId: String
    /// The app's Apple id; the request names no bundle.
    public let appAppleId: Int64
    /// The product that the customer has.
    public let productId: String
    /// The language of the customer's device, such as `en-US`.
    public let userLocale: String
    /// The request, a UUID.
    public let requestIdentifier: String
    /// Where it happened.
    public let environment: Environment
    /// When Apple signed this.
    public let signedDate: Timestamp

    init(_ reader: PayloadReader) throws(FieldRefusal) {
        originalTransactionId = try reader.requiredText("originalTransactionId")
        appAppleId = try reader.required("appAppleId", try reader.integer("appAppleId"))
        productId = try reader.requiredText("productId")
        userLocale = try reader.requiredText("userLocale")
        requestIdentifier = try reader.requiredText("requestIdentifier")
        environment = try reader.requiredEnvironment("environment")
        signedDate = try reader.requiredInstant("signedDate")
    }
}

extension RealtimeRequestPayload: SignedPayload {
    static var kind: PayloadKind { .realtimeRequest }
    static var part: JWSRefusal.Part { .realtimeRequest }
    static var environmentField: String { "environment" }
    var signingDate: Timestamp { signedDate }
    var signedEnvironment: Environment { environment }

    func check(_ app: ExpectedApp) throws(FieldRefusal) {
        try check(app, bundleId: nil, environment: environment, appAppleId: appAppleId)
    }
}
