/// DER written by hand, so that the receipts that test a parser are not made by the parser's own library.
///
/// Source: X.690, section 8; the lengths are definite and minimal.
package enum DERWriter {
    /// One value: its tag, its length, its content.
    package static func value(tag: UInt8, _ content: [UInt8]) -> [UInt8] { [tag] + length(content.count) + content }

    /// A SEQUENCE.
    package static func sequence(_ parts: [[UInt8]]) -> [UInt8] { value(tag: 0x30, parts.flatMap { $0 }) }
    /// A SET, in the order given.
    package static func set(_ parts: [[UInt8]]) -> [UInt8] { value(tag: 0x31, parts.flatMap { $0 }) }
    /// An OCTET STRING.
    package static func octets(_ bytes: [UInt8]) -> [UInt8] { value(tag: 0x04, bytes) }
    /// A UTF8String.
    package static func utf8(_ text: String) -> [UInt8] { value(tag: 0x0C, Array(text.utf8)) }
    /// An IA5String.
    package static func ia5(_ text: String) -> [UInt8] { value(tag: 0x16, Array(text.utf8)) }

    /// An INTEGER in as few bytes as it takes.
    package static func integer(_ number: Int64) -> [UInt8] {
        var bytes = withUnsafeBytes(of: number.bigEndian) { Array($0) }
        while bytes.count > 1, (bytes[0] == 0 && bytes[1] < 0x80) || (bytes[0] == 0xFF && bytes[1] >= 0x80) {
            bytes.removeFirst()
        }
        return value(tag: 0x02, bytes)
    }

    /// An OBJECT IDENTIFIER.
    package static func identifier(_ arcs: [UInt64]) -> [UInt8] {
        let first = arcs.prefix(2).reduce(0) { $0 * 40 + $1 }
        return value(tag: 0x06, ([first] + arcs.dropFirst(2)).flatMap(base128))
    }

    private static func base128(_ arc: UInt64) -> [UInt8] {
        var bytes = [UInt8(arc & 0x7F)]
        var rest = arc >> 7
        while rest > 0 {
            bytes.insert(UInt8(rest & 0x7F) | 0x80, at: 0)
            rest >>= 7
        }
        return bytes
    }

    private static func length(_ count: Int) -> [UInt8] {
        if count < 0x80 { return [UInt8(count)] }
        var bytes: [UInt8] = []
        var rest = count
        while rest > 0 {
            bytes.insert(UInt8(rest & 0xFF), at: 0)
            rest >>= 8
        }
        return [0x80 | UInt8(bytes.count)] + bytes
    }
}
