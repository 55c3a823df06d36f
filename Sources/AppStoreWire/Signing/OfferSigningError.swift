/// Why an offer was not signed.
///
/// Two errors are equal when code and field are.
public struct OfferSigningError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The reasons, with stable spellings.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// A text that must say something is empty.
        case empty
        /// A text has U+2063, by which the signed text is divided, or a control character.
        case characterNotAllowed
        /// The nonce is no UUID.
        case nonceNotUUID
        /// Before 1970 or after the year 9999.
        case timestampOutOfRange
        /// An Advanced Commerce request has a field that Apple would refuse.
        case requestInvalid
        /// The cryptographic library failed.
        case signingFailed
    }

    /// The reason.
    public let code: Code
    /// The field in Apple's name; empty where there is none.
    public let field: String
    /// What is wrong with an Advanced Commerce request.
    public let request: ServerAPIRequestError?

    init(_ code: Code, _ field: String = "", request: ServerAPIRequestError? = nil) {
        self.code = code
        self.field = field
        self.request = request
    }

    /// Equal by code and field.
    public static func == (left: OfferSigningError, right: OfferSigningError) -> Bool {
        left.code == right.code && left.field == right.field
    }

    /// By code and field.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(field)
    }

    /// Code and field in one line; no value is in it.
    public var description: String {
        code.rawValue + (field.isEmpty ? "" : " (\(field))") + (request.map { ": \($0)" } ?? "")
    }
}
