/// Base64 in both alphabets, written by hand so that the simulator shares no code with the verifier that it tests.
///
/// Source: RFC 4648, sections 4 and 5.
package enum Base64 {
    /// With padding, as certificates stand in `x5c` (RFC 7515, section 4.1.6).
    package static func encode(_ bytes: [UInt8]) -> String {
        String(decoding: encoded(bytes, standard, isPadded: true), as: UTF8.self)
    }

    /// The URL alphabet without padding, as the parts of a compact JWS are written (RFC 7515, section 2).
    package static func encodeURL(_ bytes: [UInt8]) -> String {
        String(decoding: encodedURL(bytes), as: UTF8.self)
    }

    /// The same as bytes.
    static func encodedURL(_ bytes: [UInt8]) -> [UInt8] { encoded(bytes, url, isPadded: false) }

    private static let standard = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let url = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    private static func encoded(_ bytes: [UInt8], _ alphabet: [UInt8], isPadded: Bool) -> [UInt8] {
        let rest = bytes.count % 3
        let count = bytes.count / 3 * 4 + (rest == 0 ? 0 : isPadded ? 4 : rest + 1)
        return [UInt8](unsafeUninitializedCapacity: count) { text, written in
            bytes.withUnsafeBufferPointer { bytes in
                alphabet.withUnsafeBufferPointer { alphabet in
                    var (from, to) = (0, 0)
                    while from + 2 < bytes.count {
                        let word = UInt32(bytes[from]) << 16 | UInt32(bytes[from + 1]) << 8 | UInt32(bytes[from + 2])
                        text[to] = alphabet[Int(word >> 18)]
                        text[to + 1] = alphabet[Int(word >> 12 & 63)]
                        text[to + 2] = alphabet[Int(word >> 6 & 63)]
                        text[to + 3] = alphabet[Int(word & 63)]
                        (from, to) = (from + 3, to + 4)
                    }
                    guard rest > 0 else { return }
                    let word = UInt32(bytes[from]) << 16 | (rest == 2 ? UInt32(bytes[from + 1]) << 8 : 0)
                    for place in 0...rest { text[to + place] = alphabet[Int(word >> UInt32(18 - 6 * place) & 63)] }
                    for place in to + rest + 1..<max(count, to + rest + 1) { text[place] = UInt8(ascii: "=") }
                }
            }
            written = count
        }
    }
}
