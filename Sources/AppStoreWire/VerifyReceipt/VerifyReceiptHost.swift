public import Primitives

/// The two hosts of `/verifyReceipt`: two ledgers that know nothing of each other (FACT-4).
///
/// Production is asked first; it says when a receipt belongs to the other (status 21007).
///
/// Source: Apple, App Store Receipts, `verifyReceipt`.
public enum VerifyReceiptHost: String, Sendable, Hashable, CaseIterable {
    /// `https://buy.itunes.apple.com/verifyReceipt`
    case production
    /// `https://sandbox.itunes.apple.com/verifyReceipt`
    case sandbox

    /// Where to POST.
    public var url: String { "https://\(name)/verifyReceipt" }

    /// Its name, which the certificate of the connection must contain.
    public var name: String {
        switch self {
        case .production: "buy.itunes.apple.com"
        case .sandbox: "sandbox.itunes.apple.com"
        }
    }

    /// The environment whose receipts it knows.
    public var environment: Environment {
        switch self {
        case .production: .production
        case .sandbox: .sandbox
        }
    }
}

/// What `/verifyReceipt` says about the receipt, or about itself.
///
/// A value that is not listed keeps its raw value (FACT-5).
///
/// Source: Apple, App Store Receipts, `status`.
public struct VerifyReceiptStatus: RawRepresentable, Sendable, Hashable {
    /// As Apple wrote it.
    public let rawValue: Int64

    /// Any value, known or not.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// The receipt is genuine; its subscription may have expired all the same.
    public static let valid = VerifyReceiptStatus(rawValue: 0)
    /// The request was not a POST.
    public static let notPost = VerifyReceiptStatus(rawValue: 21000)
    /// Apple sends it no longer.
    public static let noLongerSent = VerifyReceiptStatus(rawValue: 21001)
    /// `receipt-data` is malformed or missing, or the service has a temporary issue; the two cannot be told apart.
    public static let malformedOrTemporary = VerifyReceiptStatus(rawValue: 21002)
    /// The receipt could not be authenticated.
    public static let notAuthenticated = VerifyReceiptStatus(rawValue: 21003)
    /// The password is not the shared secret.
    public static let sharedSecretMismatch = VerifyReceiptStatus(rawValue: 21004)
    /// The receipt server is not available at the moment.
    public static let unavailable = VerifyReceiptStatus(rawValue: 21005)
    /// A transaction receipt of the iOS 6 style is genuine and its subscription expired.
    public static let expired = VerifyReceiptStatus(rawValue: 21006)
    /// A Sandbox receipt was sent to Production.
    public static let belongsToSandbox = VerifyReceiptStatus(rawValue: 21007)
    /// A Production receipt was sent to Sandbox.
    public static let belongsToProduction = VerifyReceiptStatus(rawValue: 21008)
    /// Internal data access error; try again.
    public static let dataAccessError = VerifyReceiptStatus(rawValue: 21009)
    /// The customer's account was not found or was deleted.
    public static let accountNotFound = VerifyReceiptStatus(rawValue: 21010)

    /// 21100 to 21199: errors inside Apple; `is-retryable` says whether they are temporary.
    public var isInternalError: Bool { (21100...21199).contains(rawValue) }
}
