/// Reads the DER that ``DERWriter`` and Apple write: definite lengths, one value after the other. Anything else is nil.
///
/// Written independently of the server's own reader. Source: X.690, section 8.
struct DERReader {
    private let bytes: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    struct Value {
        let tag: UInt8
        let content: ArraySlice<UInt8>
    }

    /// All values, to the last byte; nil where they do not end there, or there are too many.
    func values(atMost most: Int = 100_000) -> [Value]? {
        var (rest, values) = (bytes, [Value]())
        while let tag = rest.first {
            guard values.count < most, let length = Self.length(&rest) else { return nil }
            values.append(Value(tag: tag, content: rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        return values
    }

    /// The only value.
    func value(_ tag: UInt8) -> ArraySlice<UInt8>? {
        guard let values = values(atMost: 1), let first = values.first, first.tag == tag else { return nil }
        return first.content
    }

    /// Removes tag and length.
    private static func length(_ rest: inout ArraySlice<UInt8>) -> Int? {
        rest = rest.dropFirst()
        guard let first = rest.popFirst() else { return nil }
        guard first >= 0x80 else { return Int(first) <= rest.count ? Int(first) : nil }
        let count = Int(first & 0x7F)
        guard (1...4).contains(count), rest.count >= count else { return nil }
        let length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
        rest = rest.dropFirst(count)
        return length <= rest.count ? length : nil
    }

    static func integer(_ content: ArraySlice<UInt8>) -> Int64? {
        guard (1...8).contains(content.count), let first = content.first else { return nil }
        return content.reduce(first >= 0x80 ? -1 : 0) { $0 << 8 | Int64($1) }
    }
}
