/// The encoding in which people type the secret of time-based codes: without padding, and read in any case.
///
/// Source: RFC 4648, section 6.
package enum Base32 {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        var (text, buffer, bits) = ([UInt8](), UInt32(0), 0)
        for byte in bytes {
            buffer = buffer << 8 | UInt32(byte)
            bits += 8
            while bits >= 5 {
                bits -= 5
                text.append(digits[Int(buffer >> UInt32(bits) & 31)])
            }
        }
        if bits > 0 { text.append(digits[Int(buffer << UInt32(5 - bits) & 31)]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Nil where a character is none of the digits.
    package static func decode(_ text: String) -> [UInt8]? {
        var (bytes, buffer, bits) = ([UInt8](), UInt32(0), 0)
        for character in text.uppercased().utf8 {
            guard let digit = digits.firstIndex(of: character) else { return nil }
            buffer = buffer << 5 | UInt32(digit)
            bits += 5
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
            }
        }
        return bytes
    }
}
