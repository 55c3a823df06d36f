/// Why an offer was not signed.
///
/// Two errors are equal when code and field are equal.
public struct OfferSigningError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The reasons, with stable spellings.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// A required text is empty.
        case empty
        /// A text contains U+2063, which separates the parts of the signed text, or a control character.
        case characterNotAllowed
        /// The nonce is not a UUID.
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
    /// The field, with Apple's name; empty where there is none.
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

    /// Code and field in one line, without the value.
    public var description: String {
        code.rawValue + (field.isEmpty ? "" : " (\(field))") + (request.map { ": \($0)" } ?? "")
    }
}
