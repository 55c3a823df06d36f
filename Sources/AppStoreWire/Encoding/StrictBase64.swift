/// Base64 that has one spelling for each value: every other one is refused, so that a signed fact has no second form (T07).
///
/// Refused are characters outside the alphabet, white space, padding that is missing or too much, and unused bits that are not zero.
///
/// Source: RFC 4648, sections 3.5, 4 and 5; RFC 7515, section 2.
package enum StrictBase64 {
    /// The URL alphabet without padding: the parts of a compact JWS. nil when it is not canonical.
    package static func decodeURL(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        decode(text, table: urlTable)
    }

    /// The standard alphabet with padding: certificates in `x5c` (RFC 7515, section 4.1.6). nil when it is not canonical.
    package static func decodePadded(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        guard text.count % 4 == 0 else { return nil }
        let padding = text.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
        return decode(text.dropLast(padding), table: standardTable)
    }

    private static let invalid: UInt8 = 0xFF
    private static let urlTable = table(last: "-_")
    private static let standardTable = table(last: "+/")

    private static func table(last: String) -> [UInt8] {
        var table = [UInt8](repeating: invalid, count: 256)
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + last
        for (value, character) in alphabet.utf8.enumerated() { table[Int(character)] = UInt8(value) }
        return table
    }

    private static func decode(_ text: ArraySlice<UInt8>, table: [UInt8]) -> [UInt8]? {
        guard text.count % 4 != 1 else { return nil }
        var isValid = true
        let size = text.count / 4 * 3 + max(0, text.count % 4 - 1)
        let decoded = [UInt8](unsafeUninitializedCapacity: size) { output, count in
            text.withUnsafeBufferPointer { text in
                table.withUnsafeBufferPointer { table in
                    isValid = decode(text, table, into: output)
                }
            }
            count = isValid ? size : 0
        }
        return isValid ? decoded : nil
    }

    /// Writes `text.count / 4 * 3 + max(0, text.count % 4 - 1)` bytes; false when the text is not canonical.
    private static func decode(
        _ text: UnsafeBufferPointer<UInt8>, _ table: UnsafeBufferPointer<UInt8>, into output: UnsafeMutableBufferPointer<UInt8>
    ) -> Bool {
        var seen: UInt8 = 0
        var read = 0
        var written = 0
        while read + 4 <= text.count {
            let (a, b) = (table[Int(text[read])], table[Int(text[read + 1])])
            let (c, d) = (table[Int(text[read + 2])], table[Int(text[read + 3])])
            seen |= a | b | c | d
            output[written] = a << 2 | b >> 4
            output[written + 1] = b << 4 | c >> 2
            output[written + 2] = c << 6 | d
            read += 4
            written += 3
        }
        // A valid character is below 64; only the mark of an invalid one has the top bit.
        guard seen < 0x80, read < text.count else { return seen < 0x80 }
        let (a, b) = (table[Int(text[read])], table[Int(text[read + 1])])
        guard a != invalid, b != invalid else { return false }
        output[written] = a << 2 | b >> 4
        guard text.count - read == 3 else { return b & 0x0F == 0 }
        let c = table[Int(text[read + 2])]
        guard c != invalid else { return false }
        output[written + 1] = b << 4 | c >> 2
        return c & 0x03 == 0
    }
}
