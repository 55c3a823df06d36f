import Primitives

/// Reads what ``CompactWriter`` wrote. Bytes that it did not write are an error, never a trap.
struct CompactReader {
    private let bytes: [UInt8]
    private var position = 0
    private var words: [String] = []
    private var lastInstant: Int64 = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    mutating func byte() throws -> UInt8 {
        guard position < bytes.count else { throw Self.damaged("it ends too early") }
        defer { position += 1 }
        return bytes[position]
    }

    /// The next `count` bytes.
    mutating func bytes(_ count: Int) throws -> ArraySlice<UInt8> {
        guard count <= bytes.count - position else { throw Self.damaged("it ends too early") }
        defer { position += count }
        return bytes[position..<(position + count)]
    }

    mutating func number() throws -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let next = try byte()
            guard shift < 63 || next <= 1 else { throw Self.damaged("a number is too large") }
            value |= UInt64(next & 0x7F) << shift
            if next < 0x80 { return value }
            shift += 7
        }
    }

    mutating func signed() throws -> Int64 {
        let value = try number()
        return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }

    /// How many elements follow; each takes a byte at least, so that no count can ask for more memory than there are bytes.
    mutating func count() throws -> Int {
        let value = try number()
        guard value <= UInt64(bytes.count - position) else { throw Self.damaged("a count is too great") }
        return Int(value)
    }

    mutating func list<Element>(_ read: (inout CompactReader) throws -> Element) throws -> [Element] {
        let count = try count()
        var elements: [Element] = []
        elements.reserveCapacity(count)
        for _ in 0..<count { elements.append(try read(&self)) }
        return elements
    }

    mutating func instant() throws -> Timestamp {
        lastInstant = lastInstant &+ (try signed())
        return Timestamp(millisecondsSince1970: lastInstant)
    }

    mutating func text() throws -> String {
        let form = try number()
        if form == TextForm.decimal.rawValue { return String(try number()) }
        guard form >= TextForm.first.rawValue else { throw Self.damaged("a text refers to another") }
        return try text(of: form - TextForm.first.rawValue)
    }

    mutating func word() throws -> String {
        let form = try number()
        if form == TextForm.known.rawValue {
            let index = try number()
            guard index < UInt64(words.count) else { throw Self.damaged("a text refers to none") }
            return words[Int(index)]
        }
        let text = try form == TextForm.decimal.rawValue ? String(number()) : self.text(of: form - TextForm.first.rawValue)
        words.append(text)
        return text
    }

    private mutating func text(of count: UInt64) throws -> String {
        guard count <= UInt64(bytes.count - position) else { throw Self.damaged("a text is too long") }
        guard let text = String(validating: try bytes(Int(count)), as: UTF8.self) else {
            throw Self.damaged("a text is not UTF-8")
        }
        return text
    }

    static func damaged(_ reason: String) -> StorageError { StorageError(.corrupt, "stored bytes cannot be read: \(reason)") }
}
