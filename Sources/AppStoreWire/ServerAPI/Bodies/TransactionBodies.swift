/// One transaction.
///
/// Source: Apple, App Store Server API, Get Transaction Info, `TransactionInfoResponse`.
public struct TransactionInfoResponse: Codable, Sendable, Hashable {
    /// The transaction, a compact JWS: not verified; the verifier looks into it.
    public var signedTransactionInfo: String

    /// Every field as Apple names it.
    public init(signedTransactionInfo: String) {
        self.signedTransactionInfo = signedTransactionInfo
    }
}

/// One page of a customer's transactions in an app.
///
/// Source: Apple, App Store Server API, Get Transaction History, `HistoryResponse`.
public struct HistoryResponse: Codable, Sendable, Hashable {
    /// What to request the next page with, together with the same filters; Apple writes it on every page.
    public var revision: String?
    /// Whether there is another page.
    public var hasMore: Bool
    /// The app.
    public var bundleId: String?
    /// The app's Apple id; absent in Sandbox.
    public var appAppleId: Int64?
    /// Where the transactions happened.
    public var environment: ReportedEnvironment?
    /// At most 20 transactions, each a compact JWS: not verified; the verifier looks into them.
    public var signedTransactions: [String]

    /// Every field as Apple names it; nil leaves it out.
    public init(
        revision: String? = nil, hasMore: Bool, bundleId: String? = nil, appAppleId: Int64? = nil,
        environment: ReportedEnvironment? = nil, signedTransactions: [String]
    ) {
        self.revision = revision
        self.hasMore = hasMore
        self.bundleId = bundleId
        self.appAppleId = appAppleId
        self.environment = environment
        self.signedTransactions = signedTransactions
    }
}

/// One page of a customer's refunded transactions in an app, ascending by `revocationDate`.
///
/// Source: Apple, App Store Server API, Get Refund History, `RefundHistoryResponse`.
public struct RefundHistoryResponse: Codable, Sendable, Hashable {
    /// At most 20 transactions, each a compact JWS: not verified; the verifier looks into them.
    public var signedTransactions: [String]
    /// What to request the next page with.
    public var revision: String?
    /// Whether there is another page.
    public var hasMore: Bool

    /// Every field as Apple names it; nil leaves it out.
    public init(signedTransactions: [String], revision: String? = nil, hasMore: Bool) {
        self.signedTransactions = signedTransactions
        self.revision = revision
        self.hasMore = hasMore
    }
}

/// A customer's refunded transactions in an app, version 1: one page, at most 50.
///
/// Source: Apple, App Store Server API, Get Refund History V1, `RefundLookupResponse`.
public struct RefundLookupResponse: Codable, Sendable, Hashable {
    /// The transactions, each a compact JWS: not verified; the verifier looks into them.
    public var signedTransactions: [String]

    /// Every field as Apple names it.
    public init(signedTransactions: [String]) {
        self.signedTransactions = signedTransactions
    }
}

/// The transactions of an order number on a customer's receipt.
///
/// Source: Apple, App Store Server API, Look Up Order ID, `OrderLookupResponse`.
public struct OrderLookupResponse: Codable, Sendable, Hashable {
    /// Whether the order number is one of this app.
    public var status: OrderLookupStatus
    /// The transactions, each a compact JWS: not verified. Absent or empty where the status is invalid.
    public var signedTransactions: [String]?

    /// Every field as Apple names it; nil leaves it out.
    public init(status: OrderLookupStatus, signedTransactions: [String]? = nil) {
        self.status = status
        self.signedTransactions = signedTransactions
    }
}

/// A customer's download of an app.
///
/// Source: Apple, App Store Server API, Get App Transaction Info, `AppTransactionInfoResponse`.
public struct AppTransactionInfoResponse: Codable, Sendable, Hashable {
    /// The app transaction, a compact JWS: not verified; the verifier looks into it.
    public var signedAppTransactionInfo: String

    /// Every field as Apple names it.
    public init(signedAppTransactionInfo: String) {
        self.signedAppTransactionInfo = signedAppTransactionInfo
    }
}

/// The token to attach to a purchase.
///
/// Source: Apple, App Store Server API, Set App Account Token, `UpdateAppAccountTokenRequest`.
public struct UpdateAppAccountTokenRequest: Codable, Sendable, Hashable {
    /// A UUID in upper or lower case.
    public var appAccountToken: String

    /// Every field as Apple names it.
    public init(appAccountToken: String) {
        self.appAccountToken = appAccountToken
    }
}
