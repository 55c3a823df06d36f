/// Why a body of Apple's legacy interfaces (`/verifyReceipt`, server notifications of version 1), or a receipt that was to be
/// sent to one, was not accepted.
///
/// Two refusals are equal when their codes are; the rest is for display. Nothing of the content is in it except names of fields
/// and numbers, so it may be logged.
///
/// Source: FACT-3, FACT-7; threat T15 of the threat model.
public struct LegacyRefusal: Error, Hashable, CustomStringConvertible {
    /// The reasons in order of precedence: where several apply, the first is given. Raw values are stable.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The receipt to be sent is empty.
        case receiptEmpty
        /// The receipt to be sent is longer than ``LegacyLimits/maximumBytes``.
        case receiptTooLong
        /// The receipt to be sent is not canonical base64: line breaks, the URL alphabet, missing padding.
        case receiptNotBase64
        /// The answer came with an HTTP status other than 200, which Apple uses even for errors.
        case httpStatusNotOK
        /// The body is too long or not strict JSON: HTML, empty, truncated, a name twice.
        case bodyUnreadable
        /// The body is JSON but not an object, or an element of a list is not one.
        case notAnObject
        /// `status` is missing or not a JSON integer; Apple writes it without quotes.
        case statusInvalid
        /// The environment that is stated cannot be that of the host that answered, or two places state different ones.
        case environmentContradicted
        /// A required field is missing.
        case fieldMissing
        /// A field has an impossible value.
        case fieldInvalid
    }

    /// The reason.
    public let code: Code
    /// What it was about, for display: the path of a field (`receipt.in_app[3].purchase_date_ms`), the parser's reason.
    public let detail: String

    init(_ code: Code, _ detail: String = "") {
        self.code = code
        self.detail = detail
    }

    /// Code and detail in one line.
    public var description: String { code.rawValue + (detail.isEmpty ? "" : " (\(detail))") }

    /// Equal codes are equal refusals.
    public static func == (left: LegacyRefusal, right: LegacyRefusal) -> Bool { left.code == right.code }

    /// By the code alone.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
