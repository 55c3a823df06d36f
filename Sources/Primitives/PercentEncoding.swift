/// Percent-encoding of one part of an address: a segment of the path, a name or a value of the query.
///
/// Source: RFC 3986, sections 2.1 and 2.3.
package enum PercentEncoding {
    /// Everything but unreserved characters as `%XX`, so that a slash, a plus or a percent sign never means anything of its own.
    package static func encode(_ text: String) -> String {
        var encoded: [UInt8] = []
        encoded.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            if isUnreserved(byte) {
                encoded.append(byte)
            } else {
                // In upper case (section 2.1).
                encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    /// The text that a part stands for; nil where a `%` is not followed by two hexadecimal digits or the bytes are not UTF-8.
    package static func decode(_ part: Substring) -> String? { decode(Array(part.utf8)[...]) }

    /// The same from the bytes of a part.
    package static func decode(_ part: ArraySlice<UInt8>) -> String? {
        guard part.contains(UInt8(ascii: "%")) else { return String(validating: part, as: UTF8.self) }
        var decoded: [UInt8] = []
        var rest = part
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                decoded.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(Hexadecimal.value(of:)),
                let low = rest.popFirst().flatMap(Hexadecimal.value(of:))
            else { return nil }
            decoded.append(high << 4 | low)
        }
        return String(validating: decoded, as: UTF8.self)
    }

    private static let digits = Array("0123456789ABCDEF".utf8)

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
