/// Base64 that has one spelling for each value: every other one is refused, so that a signed fact has no second form (T07).
///
/// Refused are characters outside the alphabet, white space, padding that is missing or too much, and unused bits that are not
/// zero.
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

    /// The URL alphabet without padding; ``decodeURL(_:)`` reads it back.
    package static func encodeURL(_ bytes: some Collection<UInt8>) -> String {
        String(decoding: encodedURL(Array(bytes)), as: UTF8.self)
    }

    /// The same as bytes.
    package static func encodedURL(_ bytes: [UInt8]) -> [UInt8] { encoded(bytes, alphabet: urlAlphabet, isPadded: false) }

    /// The standard alphabet with padding; ``decodePadded(_:)`` reads it back.
    package static func encodePadded(_ bytes: some Collection<UInt8>) -> String {
        String(decoding: encoded(Array(bytes), alphabet: standardAlphabet, isPadded: true), as: UTF8.self)
    }

    private static let invalid: UInt8 = 0xFF
    private static let urlAlphabet = alphabet(last: "-_")
    private static let standardAlphabet = alphabet(last: "+/")
    private static let urlTable = table(urlAlphabet)
    private static let standardTable = table(standardAlphabet)

    private static func alphabet(last: String) -> [UInt8] {
        Array(("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + last).utf8)
    }

    private static func table(_ alphabet: [UInt8]) -> [UInt8] {
        var table = [UInt8](repeating: invalid, count: 256)
        for (value, character) in alphabet.enumerated() { table[Int(character)] = UInt8(value) }
        return table
    }

    private static func encoded(_ bytes: [UInt8], alphabet: [UInt8], isPadded: Bool) -> [UInt8] {
        let rest = bytes.count % 3
        let count = bytes.count / 3 * 4 + (rest == 0 ? 0 : isPadded ? 4 : rest + 1)
        return [UInt8](unsafeUninitializedCapacity: count) { text, written in
            bytes.withUnsafeBufferPointer { bytes in
                alphabet.withUnsafeBufferPointer { alphabet in encode(bytes, alphabet, into: text) }
            }
            written = count
        }
    }

    /// Writes all of `text`, whose length says whether there is padding.
    private static func encode(
        _ bytes: UnsafeBufferPointer<UInt8>, _ alphabet: UnsafeBufferPointer<UInt8>,
        into text: UnsafeMutableBufferPointer<UInt8>
    ) {
        var (read, written) = (0, 0)
        while read + 2 < bytes.count {
            let word = UInt32(bytes[read]) << 16 | UInt32(bytes[read + 1]) << 8 | UInt32(bytes[read + 2])
            text[written] = alphabet[Int(word >> 18)]
            text[written + 1] = alphabet[Int(word >> 12 & 0x3F)]
            text[written + 2] = alphabet[Int(word >> 6 & 0x3F)]
            text[written + 3] = alphabet[Int(word & 0x3F)]
            (read, written) = (read + 3, written + 4)
        }
        let rest = bytes.count - read
        guard rest > 0 else { return }
        let word = UInt32(bytes[read]) << 16 | (rest == 2 ? UInt32(bytes[read + 1]) << 8 : 0)
        for place in 0...rest { text[written + place] = alphabet[Int(word >> UInt32(18 - 6 * place) & 0x3F)] }
        for place in written + rest + 1..<text.count { text[place] = UInt8(ascii: "=") }
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
