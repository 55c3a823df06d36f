/// The header by which a client says that a request is the same as one it sent before.
///
/// Source: draft-ietf-httpapi-idempotency-key-header-07, section 2.1; RFC 9651, section 3.3.3 (String).
package struct IdempotencyKey: Sendable, Hashable {
    package static let header = "Idempotency-Key"
    /// Of an answer that was given before.
    package static let replayedHeader = "Idempotent-Replayed"
    /// How many characters a key has at the most.
    package static let longest = 255

    package let text: String

    /// A key as the draft writes it, in quotes, or as most clients do, without. Both are the same key.
    ///
    /// - Returns: nil for anything but 1 to 255 visible characters of ASCII; blanks may stand among them where there are quotes.
    package init?(_ field: String) {
        let bytes = Array(field.utf8)
        let isQuoted = bytes.first == UInt8(ascii: "\"")
        guard let key = isQuoted ? Self.unquoted(bytes) : bytes, (1...Self.longest).contains(key.count),
            key.allSatisfy({ (0x21...0x7E).contains($0) || (isQuoted && $0 == 0x20) })
        else { return nil }
        text = String(decoding: key, as: UTF8.self)
    }

    private static func unquoted(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count >= 2, bytes.last == UInt8(ascii: "\"") else { return nil }
        var (key, isEscaped): ([UInt8], Bool) = ([], false)
        for byte in bytes[1..<bytes.count - 1] {
            let isSpecial = byte == UInt8(ascii: "\\") || byte == UInt8(ascii: "\"")
            if isEscaped {
                guard isSpecial else { return nil }
                (isEscaped, key) = (false, key + [byte])
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else {
                guard !isSpecial else { return nil }
                key.append(byte)
            }
        }
        return isEscaped ? nil : key
    }
}
