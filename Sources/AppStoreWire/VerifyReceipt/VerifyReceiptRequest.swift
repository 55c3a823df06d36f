internal import Primitives
internal import StrictJSON

/// What is POSTed to `/verifyReceipt`. Sending it twice is safe: it changes nothing at Apple.
///
/// Its description holds neither receipt nor password.
///
/// Source: Apple, App Store Receipts, `requestBody`.
public struct VerifyReceiptRequest: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// `receipt-data`: the receipt in base64 without line breaks.
    public let receiptData: String
    /// `password`: the app's or the account's shared secret; nil where no subscription is expected.
    public let password: String?
    /// `exclude-old-transactions`: whether `latest_receipt_info` is to contain only the newest transaction of each subscription;
    /// for app receipts (iOS 7 style) only.
    public let excludeOldTransactions: Bool

    /// A request about a receipt's bytes: an app receipt (PKCS#7) or a transaction receipt of before iOS 7.
    ///
    /// - Throws: ``LegacyRefusal`` with `receiptEmpty` or `receiptTooLong`.
    public init(
        receipt: [UInt8], password: String?, excludeOldTransactions: Bool = false, limits: LegacyLimits = .verifyReceipt
    ) throws(LegacyRefusal) {
        guard !receipt.isEmpty else { throw LegacyRefusal(.receiptEmpty) }
        guard receipt.count <= limits.maximumBytes / 4 * 3 else {
            throw LegacyRefusal(.receiptTooLong, "\(receipt.count) bytes")
        }
        receiptData = StrictBase64.encodePadded(receipt)
        self.password = password
        self.excludeOldTransactions = excludeOldTransactions
    }

    /// A request about a receipt that is in base64 already, such as `latest_receipt` of an answer.
    ///
    /// - Throws: ``LegacyRefusal`` with `receiptEmpty`, `receiptTooLong`, or `receiptNotBase64` when the text is not the one
    ///   canonical spelling (RFC 4648, section 4): Apple answers 21002 to others, which it also does to a whole
    ///   receipt while the service has a temporary issue.
    public init(
        receiptData: String, password: String?, excludeOldTransactions: Bool = false, limits: LegacyLimits = .verifyReceipt
    ) throws(LegacyRefusal) {
        guard !receiptData.isEmpty else { throw LegacyRefusal(.receiptEmpty) }
        guard receiptData.utf8.count <= limits.maximumBytes else {
            throw LegacyRefusal(.receiptTooLong, "\(receiptData.utf8.count) bytes")
        }
        guard StrictBase64.decodePadded(Array(receiptData.utf8)[...]) != nil else { throw LegacyRefusal(.receiptNotBase64) }
        self.receiptData = receiptData
        self.password = password
        self.excludeOldTransactions = excludeOldTransactions
    }

    /// The body in JSON; the same request always has the same bytes.
    public var body: [UInt8] {
        var json = JSONWriter(reservingCapacity: receiptData.utf8.count + 128)
        json.object {
            $0.member("receipt-data", receiptData)
            $0.optionalMember("password", password)
            $0.member("exclude-old-transactions", excludeOldTransactions)
        }
        return json.bytes
    }

    /// How long the receipt is and whether there is a password.
    public var description: String {
        "\(receiptData.utf8.count) bytes of receipt-data, \(password == nil ? "no" : "a") password"
            + (excludeOldTransactions ? ", without old transactions" : "")
    }

    /// Like ``description``.
    public var debugDescription: String { description }

    /// Shows ``description`` alone, so that no dump holds the password.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
