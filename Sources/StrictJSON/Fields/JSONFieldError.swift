/// What is wrong with a member of a JSON object: where, what was expected there and what was found. Each face says it in words of
/// its own.
///
/// Besides names of members, no content of the document is in it.
package struct JSONFieldError: Error, Hashable, CustomStringConvertible {
    /// What may stand at a place.
    package enum Expected: Sendable, Hashable {
        case object, array, bool
        /// Any string.
        case text
        /// A string of at least one character.
        case textNotEmpty
        /// A number without fraction and exponent, of this range.
        case integer(ClosedRange<Int64>)
        /// No member of that name: only these are known there, in the order of the alphabet.
        case noneBut([String])

        /// Any integer that is read at all.
        package static let anyInteger = Expected.integer(.min ... .max)
    }

    /// What stands at a place.
    package enum Found: String, Sendable, Hashable {
        /// The member is not there, or its value counts as absent (``JSONFields/Rules``).
        case nothing
        case null
        case bool = "true or false"
        /// A number that ``JSONValue/int64`` reads.
        case integer = "an integer"
        /// Any other number.
        case number = "a number that is not a 64-bit integer"
        case text = "a text"
        case emptyText = "an empty text"
        /// A text with U+0000 in it.
        case textWithZero = "a text with U+0000"
        case array = "an array"
        case object = "an object"
    }

    /// Such as `apps[0].policy.version`; empty: the whole document.
    package let path: String
    package let expected: Expected
    package let found: Found

    package init(at path: String, expected: Expected, found: Found) {
        self.path = path
        self.expected = expected
        self.found = found
    }

    package var description: String {
        (path.isEmpty ? "" : path + ": ") + "expected \(expected), found \(found.rawValue)"
    }
}

extension JSONFieldError.Expected: CustomStringConvertible {
    package var description: String {
        switch self {
        case .object: "an object"
        case .array: "an array"
        case .bool: "true or false"
        case .text: "a text"
        case .textNotEmpty: "a text that is not empty"
        case .anyInteger: "an integer"
        case .integer(let range): "an integer from \(range.lowerBound) to \(range.upperBound)"
        case .noneBut(let names): names.isEmpty ? "no member" : "no member but \(names.joined(separator: ", "))"
        }
    }
}

extension JSONFieldError.Found {
    init(_ value: JSONValue) {
        switch value.kind {
        case .null: self = .null
        case .true, .false: self = .bool
        case .integer: self = value.int64 == nil ? .number : .integer
        case .decimal: self = .number
        case .string, .escapedString:
            let text = value.utf8 ?? []
            self = text.isEmpty ? .emptyText : text.contains(0) ? .textWithZero : .text
        case .array: self = .array
        case .object: self = .object
        }
    }
}
