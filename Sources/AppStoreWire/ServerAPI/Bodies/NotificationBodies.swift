public import Primitives

/// A test notification was requested.
///
/// Source: Apple, App Store Server API, Request a Test Notification, `SendTestNotificationResponse`.
public struct SendTestNotificationResponse: Codable, Sendable, Hashable {
    /// The token with which to request its status.
    public var testNotificationToken: String

    /// Every field as Apple names it.
    public init(testNotificationToken: String) {
        self.testNotificationToken = testNotificationToken
    }
}

/// The delivery of a test notification.
///
/// Source: Apple, App Store Server API, Get Test Notification Status, `CheckTestNotificationResponse`.
public struct CheckTestNotificationResponse: Codable, Sendable, Hashable {
    /// The notification, a compact JWS: not verified; the verifier looks into it.
    public var signedPayload: String
    /// At most 6 attempts.
    public var sendAttempts: [SendAttemptItem]?

    /// Every field as Apple names it; nil leaves it out.
    public init(signedPayload: String, sendAttempts: [SendAttemptItem]? = nil) {
        self.signedPayload = signedPayload
        self.sendAttempts = sendAttempts
    }
}

/// One attempt to deliver a notification.
///
/// Source: Apple, App Store Server API, `SendAttemptItem`.
public struct SendAttemptItem: Codable, Sendable, Hashable {
    /// When.
    public var attemptDate: Timestamp?
    /// Its result.
    public var sendAttemptResult: SendAttemptResult?

    /// Every field as Apple names it; nil leaves it out.
    public init(attemptDate: Timestamp? = nil, sendAttemptResult: SendAttemptResult? = nil) {
        self.attemptDate = attemptDate
        self.sendAttemptResult = sendAttemptResult
    }
}

/// Which notifications to list.
///
/// Source: Apple, App Store Server API, Get Notification History, `NotificationHistoryRequest`.
public struct NotificationHistoryRequest: Codable, Sendable, Hashable {
    /// From when: at most 180 days ago in Production, 30 in Sandbox.
    public var startDate: Timestamp
    /// Until when; later than ``startDate``.
    public var endDate: Timestamp
    /// Only this kind; not together with ``transactionId``.
    public var notificationType: NotificationType?
    /// Only this subtype; only together with ``notificationType``.
    public var notificationSubtype: NotificationSubtype?
    /// Only about this customer's subscription; not together with ``notificationType``.
    public var transactionId: String?
    /// Only what Apple could not deliver; nil: all.
    public var onlyFailures: Bool?

    /// Every field as Apple names it; nil leaves it out.
    public init(
        startDate: Timestamp, endDate: Timestamp, notificationType: NotificationType? = nil,
        notificationSubtype: NotificationSubtype? = nil, transactionId: String? = nil, onlyFailures: Bool? = nil
    ) {
        self.startDate = startDate
        self.endDate = endDate
        self.notificationType = notificationType
        self.notificationSubtype = notificationSubtype
        self.transactionId = transactionId
        self.onlyFailures = onlyFailures
    }
}

/// One page of notifications.
///
/// Source: Apple, App Store Server API, Get Notification History, `NotificationHistoryResponse`.
public struct NotificationHistoryResponse: Codable, Sendable, Hashable {
    /// What to request the next page with.
    public var paginationToken: String?
    /// Whether there is another page.
    public var hasMore: Bool
    /// At most 20 notifications, the oldest first.
    public var notificationHistory: [NotificationHistoryResponseItem]

    /// Every field as Apple names it; nil leaves it out.
    public init(paginationToken: String? = nil, hasMore: Bool, notificationHistory: [NotificationHistoryResponseItem]) {
        self.paginationToken = paginationToken
        self.hasMore = hasMore
        self.notificationHistory = notificationHistory
    }
}

/// One notification and the attempts to deliver it.
///
/// Source: Apple, App Store Server API, `NotificationHistoryResponseItem`.
public struct NotificationHistoryResponseItem: Codable, Sendable, Hashable {
    /// The notification, a compact JWS: not verified; the verifier looks into it.
    public var signedPayload: String
    /// The attempts.
    public var sendAttempts: [SendAttemptItem]?

    /// Every field as Apple names it; nil leaves it out.
    public init(signedPayload: String, sendAttempts: [SendAttemptItem]? = nil) {
        self.signedPayload = signedPayload
        self.sendAttempts = sendAttempts
    }
}
