internal import Primitives

/// A certificate's serial number as people write it: hexadecimal as `openssl x509 -serial` prints it, with colons, dashes, spaces
/// or `0x` too, or decimal as browsers and some tools show it.
public enum LeafSerial {
    /// The possible readings of the text, in lower-case hexadecimal without leading zeros. Digits alone are read both ways,
    /// because the wrong reading of a number of twenty bytes belongs to no certificate. Nil where the text is not a serial
    /// number.
    ///
    /// Source: RFC 5280, section 4.1.2.2: at most 20 bytes, not zero.
    public static func readings(of text: String) -> Set<String>? {
        var digits = text.lowercased().filter { $0.isLetter || $0.isNumber }
        if digits.hasPrefix("0x") { digits.removeFirst(2) }
        guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isHexDigit }) else { return nil }
        var readings = [plain(digits)]
        if digits.allSatisfy(\.isNumber), let hexadecimal = hexadecimal(ofDecimal: digits) { readings.append(hexadecimal) }
        readings = readings.filter { (1...40).contains($0.count) }
        return readings.isEmpty ? nil : Set(readings)
    }

    /// Without leading zeros, in lower case.
    static func plain(_ hexadecimal: String) -> String { String(hexadecimal.lowercased().drop { $0 == "0" }) }

    /// Nil where it is longer than any serial number.
    private static func hexadecimal(ofDecimal digits: String) -> String? {
        guard digits.utf8.count <= 49 else { return nil }
        // Twenty bytes as base 256, the least significant first, and one more to detect an overflow.
        var bytes = [UInt16](repeating: 0, count: 21)
        for digit in digits.utf8 {
            var carry = UInt16(digit) - 48
            for index in bytes.indices {
                let value = bytes[index] * 10 + carry
                (bytes[index], carry) = (value & 0xFF, value >> 8)
            }
        }
        guard bytes[20] == 0 else { return nil }
        return plain(Hexadecimal.encode(bytes.reversed().map { UInt8(truncatingIfNeeded: $0) }))
    }
}
