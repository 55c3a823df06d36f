/// Why bytes are not JSON that we read, and where.
///
/// Two errors are equal when their codes are.
///
/// Source: RFC 8259.
package struct JSONError: Error, Hashable, CustomStringConvertible {
    /// The reasons, with stable spellings.
    package enum Code: String, Sendable, Hashable, CaseIterable {
        /// More bytes than the limit; nothing was read.
        case tooLong
        /// More containers inside each other than the limit.
        case tooDeep
        /// More values and names than the limit.
        case tooManyElements
        /// Not UTF-8, or a byte order mark (RFC 8259, section 8.1).
        case invalidUTF8
        /// A character below U+0020 inside a string (section 7).
        case controlCharacter
        /// A backslash that no escape follows, or half a surrogate pair (section 7 and 8.2).
        case invalidEscape
        /// A number with a leading zero, without digits where they must be, `NaN` and the like (section 6).
        case invalidNumber
        /// The same member name twice in one object, escaped or not (section 4).
        case duplicateKey
        /// A character that may not stand here.
        case unexpectedCharacter
        /// The end came too early.
        case unexpectedEnd
        /// Something stands after the value.
        case trailingBytes
    }

    /// The reason.
    package let code: Code
    /// How many bytes into the input.
    package let offset: Int

    package init(_ code: Code, at offset: Int) {
        self.code = code
        self.offset = offset
    }

    package static func == (left: JSONError, right: JSONError) -> Bool { left.code == right.code }

    package func hash(into hasher: inout Hasher) { hasher.combine(code) }

    package var description: String { "\(code.rawValue) at byte \(offset)" }
}

/// How much JSON is read before it is refused.
package struct JSONLimits: Sendable, Hashable {
    /// The longest input in bytes; never more than 2³² − 1.
    package var maximumBytes: Int
    /// How many containers may stand inside each other.
    package var maximumDepth: Int
    /// How many values and member names there may be in all.
    package var maximumElements: Int

    package init(maximumBytes: Int = 1 << 20, maximumDepth: Int = 64, maximumElements: Int = 100_000) {
        self.maximumBytes = min(maximumBytes, Int(UInt32.max))
        self.maximumDepth = maximumDepth
        self.maximumElements = maximumElements
    }

    /// 1 MiB, 64 deep, 100,000 values.
    package static let `default` = JSONLimits()
}
