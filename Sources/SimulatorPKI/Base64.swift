/// Base64 in both alphabets, written by hand so that the simulator shares no code with the verifier that it tests.
///
/// Source: RFC 4648, sections 4 and 5.
package enum Base64 {
    /// With padding, as certificates stand in `x5c` (RFC 7515, section 4.1.6).
    package static func encode(_ bytes: [UInt8]) -> String {
        encode(bytes, alphabet: standard, padded: true)
    }

    /// The URL alphabet without padding, as the parts of a compact JWS are written (RFC 7515, section 2).
    package static func encodeURL(_ bytes: [UInt8]) -> String {
        encode(bytes, alphabet: url, padded: false)
    }

    private static let standard = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let url = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    private static func encode(_ bytes: [UInt8], alphabet: [UInt8], padded: Bool) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count / 3 * 4 + 4)
        var index = 0
        while index < bytes.count {
            let group = bytes[index..<min(index + 3, bytes.count)]
            let word = group.reduce(0) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
            for position in 0..<4 where position <= group.count {
                text.append(alphabet[Int(word >> UInt32(18 - 6 * position) & 63)])
            }
            if padded { text.append(contentsOf: repeatElement(UInt8(ascii: "="), count: 3 - group.count)) }
            index += 3
        }
        return String(decoding: text, as: UTF8.self)
    }
}
