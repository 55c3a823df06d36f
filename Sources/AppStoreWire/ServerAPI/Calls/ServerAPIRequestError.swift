/// Why a request was not made: Apple would refuse it, or its path could become another one.
///
/// Two errors are equal when code and field are equal.
///
/// **How lengths are counted.** Apple says "characters" without a definition; its libraries for Swift, Java, Python and Node
/// count differently. Here a text's length is its number of UTF-16 code units, which is never less than its code points or its
/// characters, so that what is accepted here is not too long by any of these counts.
///
/// Source: Apple, App Store Server API, the limits of each field.
public struct ServerAPIRequestError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The reasons, with stable spellings.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// A required text is empty.
        case empty
        /// A text or a list is longer than its limit.
        case tooLong
        /// A number is outside its range.
        case outOfRange
        /// A text is not a UUID.
        case notUUID
        /// The customer did not consent.
        case consentMissing
        /// Two fields exclude each other, or one needs another that is missing.
        case contradiction
        /// The first instant is not before the second.
        case startNotBeforeEnd
        /// A part of the path contains, or as a whole is, something that could turn it into another path.
        case pathSegmentNotAllowed
        /// The body could not be written as JSON.
        case notEncodable
    }

    /// The reason.
    public let code: Code
    /// The field, with Apple's names: `bulletPoints[2].text`.
    public let field: String
    /// The limit, where it is a number.
    public let limit: Int64?

    init(_ code: Code, _ field: String, limit: Int64? = nil) {
        self.code = code
        self.field = field
        self.limit = limit
    }

    /// Equal by code and field.
    public static func == (left: ServerAPIRequestError, right: ServerAPIRequestError) -> Bool {
        left.code == right.code && left.field == right.field
    }

    /// By code and field.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(field)
    }

    /// Field, code and limit in one line, without the value.
    public var description: String { "\(field): \(code.rawValue)" + (limit.map { " (limit \($0))" } ?? "") }
}
