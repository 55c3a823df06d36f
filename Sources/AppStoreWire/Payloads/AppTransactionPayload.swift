public import Primitives

/// The download of an app, as Apple signed it.
///
/// Source: Apple, StoreKit, `AppTransaction`.
public struct AppTransactionPayload: Sendable, Hashable {
    /// The environment.
    public let receiptType: Environment
    /// The app's Apple id.
    public let appAppleId: Int64?
    /// The app.
    public let bundleId: String
    /// The version that was signed for.
    public let applicationVersion: String?
    /// Apple's number of that version.
    public let versionExternalIdentifier: Int64?
    /// When Apple signed this.
    public let receiptCreationDate: Timestamp
    /// When the customer first got the app.
    public let originalPurchaseDate: Timestamp?
    /// The version the customer first got.
    public let originalApplicationVersion: String?
    /// What ties this to one device, base64.
    public let deviceVerification: String?
    /// The nonce in ``deviceVerification``.
    public let deviceVerificationNonce: String?
    /// When the app was ordered before its release.
    public let preorderDate: Timestamp?
    /// The download of the app by this customer.
    public let appTransactionId: String?
    /// Where the customer first got the app.
    public let originalPlatform: PurchasePlatform?

    init(_ reader: PayloadReader) throws(FieldRefusal) {
        receiptType = try reader.requiredEnvironment("receiptType")
        appAppleId = try reader.integer("appAppleId")
        bundleId = try reader.requiredText("bundleId")
        applicationVersion = try reader.text("applicationVersion")
        versionExternalIdentifier = try reader.integer("versionExternalIdentifier")
        receiptCreationDate = try reader.requiredInstant("receiptCreationDate")
        originalPurchaseDate = try reader.instant("originalPurchaseDate")
        originalApplicationVersion = try reader.text("originalApplicationVersion")
        deviceVerification = try reader.text("deviceVerification")
        deviceVerificationNonce = try reader.text("deviceVerificationNonce")
        preorderDate = try reader.instant("preorderDate")
        appTransactionId = try reader.text("appTransactionId")
        originalPlatform = try reader.text("originalPlatform").map(PurchasePlatform.init(rawValue:))
    }
}

extension AppTransactionPayload: SignedPayload {
    static var kind: PayloadKind { .appTransaction }
    static var part: JWSRefusal.Part { .appTransaction }
    static var environmentField: String { "receiptType" }
    var signingDate: Timestamp { receiptCreationDate }
    var signedEnvironment: Environment { receiptType }

    func check(_ app: ExpectedApp) throws(FieldRefusal) {
        try check(app, bundleId: bundleId, environment: receiptType, appAppleId: appAppleId)
    }
}
