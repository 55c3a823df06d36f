public import Primitives
internal import StrictJSON

/// A notification of version 2, as Apple signed it. The JWS inside it are verified by themselves: ``VerifiedNotification``.
///
/// Source: Apple, App Store Server Notifications, `responseBodyV2DecodedPayload`.
public struct NotificationPayload: Sendable, Hashable {
    /// What happened.
    public let notificationType: NotificationType
    /// A detail of it.
    public let subtype: NotificationSubtype?
    /// The notification; retried deliveries carry the same one.
    public let notificationUUID: String
    /// `2.0`.
    public let version: String?
    /// When Apple signed this; retried deliveries carry the same date.
    public let signedDate: Timestamp
    /// What a notification about a purchase is about.
    public let data: NotificationData?
    /// The result of a request to extend many subscriptions.
    public let summary: NotificationSummary?
    /// A token for purchases outside the App Store.
    public let externalPurchaseToken: ExternalPurchaseToken?
    /// What a notification about a download of the app is about.
    public let appData: NotificationAppData?
    /// The seats that were given back, as written, JSON; only in UNCLAIM_SEATS.
    public let unclaimInfo: [UInt8]?
    /// The app and environment that it is about, whichever of the objects above names them; also read from an object that is
    /// newer than this library, so that a notification of an unknown kind is still assigned to its app (FACT-5).
    public let subject: NotificationSubject

    init(_ reader: PayloadReader) throws(FieldRefusal) {
        notificationType = NotificationType(rawValue: try reader.requiredText("notificationType"))
        subtype = try reader.text("subtype").map(NotificationSubtype.init(rawValue:))
        notificationUUID = try reader.requiredText("notificationUUID")
        version = try reader.text("version")
        signedDate = try reader.requiredInstant("signedDate")
        data = try reader.reader("data").map { reader throws(FieldRefusal) in try NotificationData(reader) }
        summary = try reader.reader("summary").map { reader throws(FieldRefusal) in try NotificationSummary(reader) }
        externalPurchaseToken = try reader.reader("externalPurchaseToken")
            .map { reader throws(FieldRefusal) in try ExternalPurchaseToken(reader) }
        appData = try reader.reader("appData").map { reader throws(FieldRefusal) in try NotificationAppData(reader) }
        unclaimInfo = try reader.rawObject("unclaimInfo")
        subject = try NotificationSubject(reader, token: externalPurchaseToken)
    }
}

/// Which app and environment a notification is about.
///
/// Source: Apple, App Store Server Notifications, `data`, `summary`, `externalPurchaseToken`, `appData`.
public struct NotificationSubject: Sendable, Hashable {
    /// The app.
    public let bundleId: String
    /// Where it happened.
    public let environment: Environment
    /// The app's Apple id, when it is named.
    public let appAppleId: Int64?

    /// The one object of the notification that names a bundle. None or two are refused: it would be about no app, or ambiguous.
    init(_ notification: PayloadReader, token: ExternalPurchaseToken?) throws(FieldRefusal) {
        let named = notification.object.filter { $0.value.object?["bundleId"] != nil }.map(\.name)
        guard let name = named.first, let reader = try notification.reader(name) else {
            throw FieldRefusal(code: .fieldMissing, field: "data")
        }
        guard named.count == 1 else { throw notification.invalid(named[1]) }
        bundleId = try reader.requiredText("bundleId")
        appAppleId = try reader.integer("appAppleId")
        if let token {
            environment = token.environment
        } else {
            environment = try reader.requiredEnvironment("environment")
        }
    }
}

extension NotificationPayload: SignedPayload {
    static var kind: PayloadKind { .notification }
    static var part: JWSRefusal.Part { .notification }
    static var environmentField: String { "environment" }
    var signingDate: Timestamp { signedDate }
    var signedEnvironment: Environment { subject.environment }

    func check(_ app: ExpectedApp) throws(FieldRefusal) {
        try check(app, bundleId: subject.bundleId, environment: subject.environment, appAppleId: subject.appAppleId)
    }
}
