internal import Primitives

/// Reads a document once, from the first byte to the last, and writes the flat index.
///
/// There is no recursion: a container that is open keeps its parent's index in its own entry, so depth costs no stack.
struct JSONScanner {
    private let bytes: [UInt8]
    private let limits: JSONLimits
    private var offset = 0
    private var nodes: [JSONNode] = []
    /// The entry of the innermost open container.
    private var open = Self.none
    private var depth = 0

    private static let none = UInt32.max

    init(bytes: [UInt8], limits: JSONLimits) {
        self.bytes = bytes
        self.limits = limits
    }

    mutating func scan() throws(JSONError) -> [JSONNode] {
        guard bytes.count <= limits.maximumBytes else { throw JSONError(.tooLong, at: limits.maximumBytes) }
        nodes.reserveCapacity(min(bytes.count / 12 + 8, 128))
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { throw JSONError(.invalidUTF8, at: 0) }
        skipSpace()
        try value()
        while open != Self.none { try continueContainer() }
        skipSpace()
        guard offset == bytes.count else { throw JSONError(.trailingBytes, at: offset) }
        return nodes
    }

    /// After a value inside a container: a comma and the next value, or the container's end.
    private mutating func continueContainer() throws(JSONError) {
        skipSpace()
        let isObject = nodes[Int(open)].kind == .object
        let byte = try current()
        if byte == UInt8(ascii: isObject ? "}" : "]") {
            offset += 1
            return try close()
        }
        if nodes[Int(open)].count > 0 {
            guard byte == UInt8(ascii: ",") else { throw JSONError(.unexpectedCharacter, at: offset) }
            offset += 1
            skipSpace()
        }
        nodes[Int(open)].count += 1
        if isObject { try name() }
        try value()
    }

    private mutating func close() throws(JSONError) {
        let index = Int(open)
        let parent = nodes[index].next
        nodes[index].end = UInt32(truncatingIfNeeded: offset)
        nodes[index].next = UInt32(truncatingIfNeeded: nodes.count)
        if nodes[index].kind == .object, nodes[index].count > 1 {
            try JSONDuplicateKeys.check(object: index, nodes: nodes, bytes: bytes)
        }
        open = parent
        depth -= 1
    }

    private mutating func name() throws(JSONError) {
        guard try current() == UInt8(ascii: "\"") else { throw JSONError(.unexpectedCharacter, at: offset) }
        try string()
        skipSpace()
        guard try current() == UInt8(ascii: ":") else { throw JSONError(.unexpectedCharacter, at: offset) }
        offset += 1
        skipSpace()
    }

    private mutating func value() throws(JSONError) {
        switch try current() {
        case UInt8(ascii: "\""): try string()
        case UInt8(ascii: "{"): try container(.object)
        case UInt8(ascii: "["): try container(.array)
        case UInt8(ascii: "t"): try literal("true", .true)
        case UInt8(ascii: "f"): try literal("false", .false)
        case UInt8(ascii: "n"): try literal("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try number()
        default: throw JSONError(.unexpectedCharacter, at: offset)
        }
    }

    private mutating func container(_ kind: JSONNode.Kind) throws(JSONError) {
        guard depth < limits.maximumDepth else { throw JSONError(.tooDeep, at: offset) }
        depth += 1
        let parent = open
        open = UInt32(truncatingIfNeeded: nodes.count)
        let start = offset
        offset += 1
        try append(kind, start, offset)
        nodes[Int(open)].next = parent
    }

    private mutating func literal(_ word: StaticString, _ kind: JSONNode.Kind) throws(JSONError) {
        let end = offset + word.utf8CodeUnitCount
        for position in offset..<min(end, bytes.count) where bytes[position] != word.utf8Start[position - offset] {
            throw JSONError(.unexpectedCharacter, at: position)
        }
        guard end <= bytes.count else { throw JSONError(.unexpectedEnd, at: bytes.count) }
        let start = offset
        offset = end
        try append(kind, start, end)
    }

    private mutating func append(_ kind: JSONNode.Kind, _ start: Int, _ end: Int) throws(JSONError) {
        guard nodes.count < limits.maximumElements else { throw JSONError(.tooManyElements, at: start) }
        nodes.append(
            JSONNode(
                kind: kind, start: UInt32(truncatingIfNeeded: start), end: UInt32(truncatingIfNeeded: end),
                next: UInt32(truncatingIfNeeded: nodes.count + 1), count: 0))
    }

    private func current() throws(JSONError) -> UInt8 {
        guard offset < bytes.count else { throw JSONError(.unexpectedEnd, at: offset) }
        return bytes[offset]
    }

    private mutating func skipSpace() {
        while offset < bytes.count {
            switch bytes[offset] {
            case 0x20, 0x09, 0x0A, 0x0D: offset += 1
            default: return
            }
        }
    }
}

// MARK: Strings and numbers

extension JSONScanner {
    private mutating func string() throws(JSONError) {
        offset += 1
        let start = offset
        var isEscaped = false
        while true {
            skipPlain()
            let byte = try current()
            if byte == UInt8(ascii: "\"") { break }
            if byte == UInt8(ascii: "\\") {
                isEscaped = true
                offset += try JSONEscapes.read(bytes[...], at: offset).length
            } else if byte < 0x20 {
                throw JSONError(.controlCharacter, at: offset)
            } else {
                offset += try multibyteLength()
            }
        }
        try append(isEscaped ? .escapedString : .string, start, offset)
        offset += 1
    }

    /// Goes over the characters that stand for themselves in one byte, eight at a time where there are so many.
    private mutating func skipPlain() {
        offset = bytes.withUnsafeBytes { [offset] bytes in
            var position = offset
            while position + 8 <= bytes.count,
                ByteSearch.arePlainJSON(bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
            { position += 8 }
            while position < bytes.count {
                let byte = bytes[position]
                guard byte >= 0x20, byte < 0x80, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") else { break }
                position += 1
            }
            return position
        }
    }

    /// The length of the character at the offset, which is not ASCII.
    ///
    /// Source: RFC 3629, section 4.
    private func multibyteLength() throws(JSONError) -> Int {
        let rest = bytes[offset...].prefix(4)
        let tail = rest.dropFirst()
        let second: ClosedRange<UInt8>
        let length: Int
        switch bytes[offset] {
        case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: throw JSONError(.invalidUTF8, at: offset)
        }
        guard rest.count >= length, let next = tail.first, second.contains(next),
            tail.prefix(length - 1).dropFirst().allSatisfy({ (0x80...0xBF).contains($0) })
        else { throw JSONError(.invalidUTF8, at: offset) }
        return length
    }

    private mutating func number() throws(JSONError) {
        let start = offset
        if bytes[offset] == UInt8(ascii: "-") { offset += 1 }
        let leadsWithZero = offset < bytes.count && bytes[offset] == UInt8(ascii: "0")
        let digits = try digits()
        if leadsWithZero, digits > 1 { throw JSONError(.invalidNumber, at: start) }
        var kind = JSONNode.Kind.integer
        if isCurrent(".") {
            offset += 1
            kind = .decimal
            _ = try self.digits()
        }
        if isCurrent("e") || isCurrent("E") {
            offset += 1
            kind = .decimal
            if isCurrent("+") || isCurrent("-") { offset += 1 }
            _ = try self.digits()
        }
        try append(kind, start, offset)
    }

    /// Goes over at least one digit and says how many there were.
    private mutating func digits() throws(JSONError) -> Int {
        let start = offset
        while offset < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[offset]) { offset += 1 }
        guard offset > start else { throw JSONError(.invalidNumber, at: offset) }
        return offset - start
    }

    private func isCurrent(_ character: Unicode.Scalar) -> Bool {
        offset < bytes.count && bytes[offset] == UInt8(ascii: character)
    }
}
