import Storage

/// What a key looks like: `tnr_sk_` or `tnr_pk_`, 22 random characters of base 62 (131 bits), and after another `_` the CRC-32 of
/// all before it in 6 more.
///
/// The checksum lets a scanner of secrets know a key from other words, and a server refuse a mistyped one without asking the
/// database. It protects nothing.
package enum KeyText {
    private static let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
    private static let (randomLength, checkLength) = (22, 6)

    private static func prefix(of kind: StoredKey.Kind) -> String { kind == .public ? "tnr_pk_" : "tnr_sk_" }

    static func make(_ kind: StoredKey.Kind, by generator: inout some RandomNumberGenerator) -> String {
        let random = (0..<randomLength).map { _ in digits[Int.random(in: 0..<digits.count, using: &generator)] }
        let text = prefix(of: kind) + String(decoding: random, as: UTF8.self)
        return "\(text)_\(String(decoding: check(of: Array(text.utf8)), as: UTF8.self))"
    }

    /// Whether a text is spelled as keys are, with the right checksum.
    package static func isWellFormed(_ text: [UInt8]) -> Bool {
        let length = prefix(of: .server).utf8.count + randomLength
        guard text.count == length + 1 + checkLength, text[length] == UInt8(ascii: "_"),
            [StoredKey.Kind.server, .public].contains(where: { text.starts(with: prefix(of: $0).utf8) })
        else { return false }
        return text[(length + 1)...].elementsEqual(check(of: text[..<length]))
    }

    private static func check(of text: some Sequence<UInt8>) -> [UInt8] {
        var (rest, check) = (crc32(text), [UInt8]())
        for _ in 0..<checkLength {
            check.append(digits[Int(rest % 62)])
            rest /= 62
        }
        return check.reversed()
    }

    /// The CRC-32 of ISO/IEC 13239, as in gzip (RFC 1952, section 8).
    static func crc32(_ bytes: some Sequence<UInt8>) -> UInt32 {
        ~bytes.reduce(~UInt32(0)) { crc, byte in
            (0..<8).reduce(crc ^ UInt32(byte)) { crc, _ in crc >> 1 ^ (crc & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
    }
}
