/// Why a value could not be read from JSON or written as JSON, and where.
///
/// Two errors are equal when code and path are. No content of the document is in them, so they may be logged.
package struct JSONCodingError: Error, Hashable, CustomStringConvertible {
    /// The reasons, with stable spellings.
    package enum Code: String, Sendable, Hashable, CaseIterable {
        /// The bytes are not strict JSON; ``JSONCodingError/syntax`` says why.
        case notJSON
        /// A value of another type stands there, `null` and a number with a fraction or an exponent among them.
        case wrongType
        /// A member or an element that must be there is not.
        case missing
        /// An integer that does not fit its type.
        case outOfRange
        /// The type itself refused the value.
        case refused
        /// Floating-point numbers, which neither reader nor writer knows.
        case unsupported
        /// The same member was written twice.
        case duplicateKey
        /// A value wrote nothing at all.
        case nothingWritten
        /// More containers inside each other than the limit.
        case tooDeep
    }

    /// The reason.
    package let code: Code
    /// Where, such as `data[0].status`; empty: the whole document.
    package let path: String
    /// What is wrong with the bytes; only of ``Code/notJSON``.
    package let syntax: JSONError?

    package init(_ code: Code, at path: String, syntax: JSONError? = nil) {
        self.code = code
        self.path = path
        self.syntax = syntax
    }

    init(_ code: Code, at path: [any CodingKey]) { self.init(code, at: JSONCodingPath.text(path)) }

    /// What a type's own `init(from:)` or `encode(to:)` threw.
    init(_ error: any Error) {
        switch error {
        case let error as JSONCodingError: self = error
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
            self.init(.wrongType, at: context.codingPath)
        case DecodingError.keyNotFound(let key, let context): self.init(.missing, at: context.codingPath + [key])
        case DecodingError.dataCorrupted(let context): self.init(.refused, at: context.codingPath)
        case EncodingError.invalidValue(_, let context): self.init(.refused, at: context.codingPath)
        default: self.init(.refused, at: "")
        }
    }

    package static func == (left: JSONCodingError, right: JSONCodingError) -> Bool {
        left.code == right.code && left.path == right.path
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(path)
    }

    package var description: String {
        let reason = syntax.map { "\(code.rawValue): \($0)" } ?? code.rawValue
        return path.isEmpty ? reason : "\(path): \(reason)"
    }
}
