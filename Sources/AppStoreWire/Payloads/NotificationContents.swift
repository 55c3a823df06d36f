public import Primitives

/// What a notification about a purchase is about.
///
/// Source: Apple, App Store Server Notifications, `data`.
public struct NotificationData: Sendable, Hashable {
    /// The app's Apple id; absent in Sandbox for some types.
    public let appAppleId: Int64?
    /// The app.
    public let bundleId: String
    /// The app's version.
    public let bundleVersion: String?
    /// Where it happened.
    public let environment: Environment
    /// The transaction, a compact JWS of its own; the verifier looks into it.
    public let signedTransactionInfo: [UInt8]?
    /// The renewal info, a compact JWS of its own; the verifier looks into it.
    public let signedRenewalInfo: [UInt8]?
    /// The state of the subscription when this was signed.
    public let status: AutoRenewableSubscriptionStatus?
    /// Why the customer asks for a refund; only in CONSUMPTION_REQUEST.
    public let consumptionRequestReason: ConsumptionRequestReason?

    init(_ reader: PayloadReader) throws(FieldRefusal) {
        appAppleId = try reader.integer("appAppleId")
        bundleId = try reader.requiredText("bundleId")
        bundleVersion = try reader.text("bundleVersion")
        environment = try reader.requiredEnvironment("environment")
        signedTransactionInfo = try reader.compactJWS("signedTransactionInfo")
        signedRenewalInfo = try reader.compactJWS("signedRenewalInfo")
        status = try reader.integer("status").map(AutoRenewableSubscriptionStatus.init(rawValue:))
        consumptionRequestReason = try reader.text("consumptionRequestReason").map(ConsumptionRequestReason.init(rawValue:))
    }
}

/// The result of a request to extend many subscriptions.
///
/// Source: Apple, App Store Server Notifications, `summary`.
public struct NotificationSummary: Sendable, Hashable {
    /// The request to extend that this answers.
    public let requestIdentifier: String?
    /// Where it happened.
    public let environment: Environment
    /// The app's Apple id.
    public let appAppleId: Int64?
    /// The app.
    public let bundleId: String
    /// The product that was extended.
    public let productId: String?
    /// The storefronts, three letters each; nil: all.
    public let storefrontCountryCodes: [String]?
    /// How many subscriptions were extended.
    public let succeededCount: Int64?
    /// How many could not be extended.
    public let failedCount: Int64?

    init(_ reader: PayloadReader) throws(FieldRefusal) {
        requestIdentifier = try reader.text("requestIdentifier")
        environment = try reader.requiredEnvironment("environment")
        appAppleId = try reader.integer("appAppleId")
        bundleId = try reader.requiredText("bundleId")
        productId = try reader.text("productId")
        storefrontCountryCodes = try reader.texts("storefrontCountryCodes")
        succeededCount = try reader.integer("succeededCount")
        failedCount = try reader.integer("failedCount")
    }
}

/// A token for purchases outside the App Store. It has no environment field: ``environment`` is read from the identifier.
///
/// Source: Apple, App Store Server Notifications, `externalPurchaseToken`.
public struct ExternalPurchaseToken: Sendable, Hashable {
    /// The token; one that begins with `SANDBOX` is of the Sandbox.
    public let externalPurchaseId: String
    /// When it was made.
    public let tokenCreationDate: Timestamp?
    /// The app's Apple id.
    public let appAppleId: Int64?
    /// The app.
    public let bundleId: String
    /// The kind of token.
    public let tokenType: String?
    /// Until when it is valid.
    public let tokenExpirationDate: Timestamp?

    init(_ reader: PayloadReader) throws(FieldRefusal) {
        externalPurchaseId = try reader.requiredText("externalPurchaseId")
        tokenCreationDate = try reader.instant("tokenCreationDate")
        appAppleId = try reader.integer("appAppleId")
        bundleId = try reader.requiredText("bundleId")
        tokenType = try reader.text("tokenType")
        tokenExpirationDate = try reader.instant("tokenExpirationDate")
    }
}

extension ExternalPurchaseToken {
    /// Sandbox when the identifier begins with `SANDBOX`, else Production.
    public var environment: Environment { externalPurchaseId.hasPrefix("SANDBOX") ? .sandbox : .production }
}

/// What a notification about a download of the app is about.
///
/// Source: Apple, App Store Server Notifications, `appData`.
public struct NotificationAppData: Sendable, Hashable {
    /// The app's Apple id.
    public let appAppleId: Int64?
    /// The app.
    public let bundleId: String
    /// Where it happened.
    public let environment: Environment
    /// The app transaction, a compact JWS of its own; the verifier looks into it.
    public let signedAppTransactionInfo: [UInt8]?

    init(_ reader: PayloadReader) throws(FieldRefusal) {
        appAppleId = try reader.integer("appAppleId")
        bundleId = try reader.requiredText("bundleId")
        environment = try reader.requiredEnvironment("environment")
        signedAppTransactionInfo = try reader.compactJWS("signedAppTransactionInfo")
    }
}
