/// The environment that an answer names.
///
/// A value that is not listed keeps its raw value (FACT-5).
///
/// Source: Apple, App Store Server API, `environment`.
public struct ReportedEnvironment: RawRepresentable, Codable, Sendable, Hashable {
    /// As Apple writes it.
    public let rawValue: String

    /// Any value, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Where customers pay.
    public static let production = ReportedEnvironment(rawValue: "Production")
    /// Where testers buy, TestFlight included.
    public static let sandbox = ReportedEnvironment(rawValue: "Sandbox")
    /// StoreKit Testing in Xcode.
    public static let xcode = ReportedEnvironment(rawValue: "Xcode")
    /// A test of Apple's libraries.
    public static let localTesting = ReportedEnvironment(rawValue: "LocalTesting")
}

/// Whether an order number is valid.
///
/// A value that is not listed keeps its raw value (FACT-5).
///
/// Source: Apple, App Store Server API, `OrderLookupStatus`.
public struct OrderLookupStatus: RawRepresentable, Codable, Sendable, Hashable {
    /// As Apple writes it.
    public let rawValue: Int64

    /// Any value, known or not.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// There are transactions of this app under it.
    public static let valid = OrderLookupStatus(rawValue: 0)
    /// It is unknown, or belongs to another app; Apple answers with this and not with 404.
    public static let invalid = OrderLookupStatus(rawValue: 1)
}

/// Why renewal dates are extended.
///
/// A value that is not listed keeps its raw value (FACT-5).
///
/// Source: Apple, App Store Server API, `extendReasonCode`.
public struct ExtendReasonCode: RawRepresentable, Codable, Sendable, Hashable {
    /// As Apple writes it.
    public let rawValue: Int64

    /// Any value, known or not.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// Not stated.
    public static let undeclared = ExtendReasonCode(rawValue: 0)
    /// To make up for something.
    public static let customerSatisfaction = ExtendReasonCode(rawValue: 1)
    /// Another reason.
    public static let other = ExtendReasonCode(rawValue: 2)
    /// The service failed.
    public static let serviceIssueOrOutage = ExtendReasonCode(rawValue: 3)
}

/// The result of one attempt to deliver a notification or a retention request.
///
/// A value that is not listed keeps its raw value (FACT-5).
///
/// Source: Apple, App Store Server API, `sendAttemptResult`.
public struct SendAttemptResult: RawRepresentable, Codable, Sendable, Hashable {
    /// As Apple writes it.
    public let rawValue: String

    /// Any value, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Delivered.
    public static let success = SendAttemptResult(rawValue: "SUCCESS")
    /// No answer in time.
    public static let timedOut = SendAttemptResult(rawValue: "TIMED_OUT")
    /// No secure connection.
    public static let tlsIssue = SendAttemptResult(rawValue: "TLS_ISSUE")
    /// A redirect led back.
    public static let circularRedirect = SendAttemptResult(rawValue: "CIRCULAR_REDIRECT")
    /// No answer.
    public static let noResponse = SendAttemptResult(rawValue: "NO_RESPONSE")
    /// The connection failed.
    public static let socketIssue = SendAttemptResult(rawValue: "SOCKET_ISSUE")
    /// An answer in a character set that Apple does not read.
    public static let unsupportedCharset = SendAttemptResult(rawValue: "UNSUPPORTED_CHARSET")
    /// An answer that Apple does not understand.
    public static let invalidResponse = SendAttemptResult(rawValue: "INVALID_RESPONSE")
    /// The connection was closed too early.
    public static let prematureClose = SendAttemptResult(rawValue: "PREMATURE_CLOSE")
    /// A status other than success.
    public static let unsuccessfulHttpResponseCode = SendAttemptResult(rawValue: "UNSUCCESSFUL_HTTP_RESPONSE_CODE")
    /// Another reason.
    public static let other = SendAttemptResult(rawValue: "OTHER")
}

/// A kind of product in a history query; its spelling differs from ``ProductType``.
///
/// A value that is not listed keeps its raw value (FACT-5).
///
/// Source: Apple, Get Transaction History, `productType`.
public struct HistoryProductType: RawRepresentable, Codable, Sendable, Hashable {
    /// As Apple writes it.
    public let rawValue: String

    /// Any value, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Renews until it is ended.
    public static let autoRenewable = HistoryProductType(rawValue: "AUTO_RENEWABLE")
    /// A subscription that does not renew.
    public static let nonRenewable = HistoryProductType(rawValue: "NON_RENEWABLE")
    /// Used up and bought again.
    public static let consumable = HistoryProductType(rawValue: "CONSUMABLE")
    /// Kept forever.
    public static let nonConsumable = HistoryProductType(rawValue: "NON_CONSUMABLE")
}

/// The order of a history, by when a transaction was last modified.
///
/// A value that is not listed keeps its raw value (FACT-5).
///
/// Source: Apple, Get Transaction History, `sort`.
public struct HistorySort: RawRepresentable, Codable, Sendable, Hashable {
    /// As Apple writes it.
    public let rawValue: String

    /// Any value, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The longest unmodified first; Apple's default. A transaction that is modified meanwhile appears again.
    public static let ascending = HistorySort(rawValue: "ASCENDING")
    /// The last modified first.
    public static let descending = HistorySort(rawValue: "DESCENDING")
}
