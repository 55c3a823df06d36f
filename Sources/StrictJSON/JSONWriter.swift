import Primitives

/// Writes JSON the same way every time: members in the order in which they are written, no spaces, nothing escaped that need
/// not be.
///
/// ```swift
/// var json = JSONWriter()
/// json.object {
///     $0.member("product", "gold")
///     $0.member("periods") { $0.array { $0.integer(1) } }
/// }
/// ```
/// The writer puts commas; that names stand in objects only, and once, is the caller's care.
///
/// Source: RFC 8259.
package struct JSONWriter: Sendable {
    /// What was written so far.
    package private(set) var bytes: [UInt8] = []
    private var needsComma = false

    package init(reservingCapacity capacity: Int = 0) {
        bytes.reserveCapacity(capacity)
    }

    /// What was written so far, as text.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// A string.
    package mutating func string(_ text: String) {
        separate()
        appendString(text)
    }

    /// An integer.
    package mutating func integer(_ number: Int64) {
        separate()
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var place = digits.count
            var rest = number.magnitude
            // Nine digits at a time are a number of 32 bits, which is divided in half the time.
            while rest > 0 || place == digits.count {
                let (quotient, part) = rest.quotientAndRemainder(dividingBy: 1_000_000_000)
                var low = UInt32(truncatingIfNeeded: part)
                let first = quotient > 0 ? max(place - 9, 0) : 0
                repeat {
                    place -= 1
                    digits[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: low % 10)
                    low /= 10
                } while quotient > 0 ? place > first : low > 0
                rest = quotient
            }
            if number < 0 {
                place -= 1
                digits[place] = UInt8(ascii: "-")
            }
            bytes.append(contentsOf: UnsafeMutableBufferPointer(rebasing: digits[place...]))
        }
    }

    /// `true` or `false`.
    package mutating func bool(_ value: Bool) {
        separate()
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    /// `null`.
    package mutating func null() {
        separate()
        bytes.append(contentsOf: "null".utf8)
    }

    /// A value that is JSON already, such as ``JSONValue/rawBytes``; it is not checked.
    package mutating func raw(_ json: some Collection<UInt8>) {
        separate()
        bytes.append(contentsOf: json)
    }

    /// An object; `members` writes its members.
    package mutating func object(_ members: (inout JSONWriter) throws -> Void) rethrows {
        try enclosed("{", "}", members)
    }

    /// An object on a line of its own, ended by a line feed; `members` writes its members. Lines stand one after the other, in
    /// nothing else.
    package mutating func line(_ members: (inout JSONWriter) throws -> Void) rethrows {
        needsComma = false
        try object(members)
        bytes.append(UInt8(ascii: "\n"))
        needsComma = false
    }

    /// An array; `elements` writes its values.
    package mutating func array(_ elements: (inout JSONWriter) throws -> Void) rethrows {
        try enclosed("[", "]", elements)
    }

    /// A member's name; exactly one value must follow.
    package mutating func name(_ name: String) {
        separate()
        appendString(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// The same for a name of the program's own, which has nothing to escape.
    private mutating func ownName(_ name: StaticString) {
        // With the comma, the quotes and the colon in one piece.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: name.utf8CodeUnitCount + 4) { member in
            var count = 0
            if needsComma {
                member[0] = UInt8(ascii: ",")
                count = 1
            }
            member[count] = UInt8(ascii: "\"")
            count += 1
            name.withUTF8Buffer { utf8 in
                for byte in utf8 {
                    member[count] = byte
                    count += 1
                }
            }
            member[count] = UInt8(ascii: "\"")
            member[count + 1] = UInt8(ascii: ":")
            bytes.append(contentsOf: UnsafeMutableBufferPointer(rebasing: member[..<(count + 2)]))
        }
        needsComma = false
    }

    private mutating func enclosed(
        _ opening: Unicode.Scalar, _ closing: Unicode.Scalar, _ body: (inout JSONWriter) throws -> Void
    ) rethrows {
        separate()
        bytes.append(UInt8(ascii: opening))
        needsComma = false
        try body(&self)
        bytes.append(UInt8(ascii: closing))
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private mutating func appendString(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { utf8 in
            // Hardly any text has something to escape; what has not is copied in one go.
            if Self.hasEscaped(utf8) { appendEscaping(utf8) } else { bytes.append(contentsOf: utf8) }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func hasEscaped(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
        let words = UnsafeRawBufferPointer(utf8)
        var position = 0
        while position + 8 <= words.count,
            ByteSearch.arePlainJSON(words.loadUnaligned(fromByteOffset: position, as: UInt64.self))
        { position += 8 }
        while position < words.count {
            let byte = words[position]
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return true }
            position += 1
        }
        return false
    }

    private mutating func appendEscaping(_ utf8: UnsafeBufferPointer<UInt8>) {
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "\""): bytes.append(contentsOf: [0x5C, 0x22])
            case UInt8(ascii: "\\"): bytes.append(contentsOf: [0x5C, 0x5C])
            case 0x08: bytes.append(contentsOf: "\\b".utf8)
            case 0x0C: bytes.append(contentsOf: "\\f".utf8)
            case 0x0A: bytes.append(contentsOf: "\\n".utf8)
            case 0x0D: bytes.append(contentsOf: "\\r".utf8)
            case 0x09: bytes.append(contentsOf: "\\t".utf8)
            case 0..<0x20: bytes.append(contentsOf: "\\u00\(Hexadecimal.encode(CollectionOfOne(byte)))".utf8)
            default: bytes.append(byte)
            }
        }
    }
}

// Names of members are mostly the program's own; `named:` takes any text.
extension JSONWriter {
    /// A member whose name is any text, and whose one value `value` writes.
    package mutating func member(named name: String, _ value: (inout JSONWriter) throws -> Void) rethrows {
        self.name(name)
        try value(&self)
    }

    /// A member whose name is any text.
    package mutating func member(named name: String, _ text: String) {
        self.name(name)
        string(text)
    }

    /// A member whose name is any text.
    package mutating func member(named name: String, _ number: Int64) {
        self.name(name)
        integer(number)
    }

    /// A member that is a string.
    package mutating func member(_ name: StaticString, _ text: String) {
        ownName(name)
        string(text)
    }

    /// A member that is an integer.
    package mutating func member(_ name: StaticString, _ number: Int64) {
        ownName(name)
        integer(number)
    }

    /// A member that is `true` or `false`.
    package mutating func member(_ name: StaticString, _ value: Bool) {
        ownName(name)
        bool(value)
    }

    /// A member whose one value `value` writes.
    package mutating func member(_ name: StaticString, _ value: (inout JSONWriter) throws -> Void) rethrows {
        ownName(name)
        try value(&self)
    }

    /// A member that is a string or `null`.
    package mutating func nullableMember(_ name: StaticString, _ text: String?) {
        ownName(name)
        if let text { string(text) } else { null() }
    }

    /// A member that is an integer or `null`.
    package mutating func nullableMember(_ name: StaticString, _ number: Int64?) {
        ownName(name)
        if let number { integer(number) } else { null() }
    }

    /// A member that is left out when it is nil.
    package mutating func optionalMember(_ name: StaticString, _ text: String?) {
        if let text { member(name, text) }
    }

    /// A member that is left out when it is nil.
    package mutating func optionalMember(_ name: StaticString, _ number: Int64?) {
        if let number { member(name, number) }
    }
}
