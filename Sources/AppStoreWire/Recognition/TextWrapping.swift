internal import Primitives
internal import StrictJSON

/// The wrapping or encoding that an artifact has when it comes out of a log, a database, an e-mail or a shell. It is removed
/// before anything is read; the content is then verified or refused as usual.
package enum TextWrapping: String, Sendable, Hashable, CaseIterable {
    /// A byte order mark: of UTF-8, or of UTF-16, whose other characters must then be ASCII's.
    case byteOrderMark
    /// The escapes of a JSON string, such as `\/`, `\n` and `\u003d` (RFC 8259, section 7).
    case jsonEscapes
    /// `-----BEGIN …-----` and `-----END …-----` (RFC 7468).
    case armour
    /// `Bearer` before a JWS, with the name of the HTTP header or without it (RFC 6750, section 2.1).
    case bearer
    /// A compact JWS broken into lines of equal length, as e-mail and terminals do. Any other white space in it is damage, which
    /// the verifier refuses.
    case brokenLines
    /// The body of a request to `/verifyReceipt`.
    case verifyReceiptRequest
    /// Base64 of the URL alphabet (RFC 4648, section 5), with its padding or without.
    case urlAlphabet
    /// Base64 of the standard alphabet without its padding (RFC 4648, section 4).
    case missingPadding

    /// The text inside this wrapping; nil where the text is not wrapped in this way.
    func removed(from text: [UInt8]) -> [UInt8]? {
        switch self {
        case .byteOrderMark: Self.withoutMark(text)
        case .jsonEscapes: Self.unescaped(text)
        case .armour: Self.withoutArmour(text)
        case .bearer: Self.token(text)
        case .brokenLines: Self.joined(text)
        case .verifyReceiptRequest: Self.receiptData(text)
        case .urlAlphabet: text.contains { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") } ? Self.canonical(text) : nil
        case .missingPadding: Self.canonical(text)
        }
    }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private static func isURLBase64(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static func withoutMark(_ text: [UInt8]) -> [UInt8]? {
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { return Array(text.dropFirst(3)) }
        let isBigEndian = text.starts(with: [0xFE, 0xFF])
        guard isBigEndian || text.starts(with: [0xFF, 0xFE]), text.count % 2 == 0 else { return nil }
        var ascii: [UInt8] = []
        for position in stride(from: 2, to: text.count, by: 2) {
            let (high, low) = isBigEndian ? (text[position], text[position + 1]) : (text[position + 1], text[position])
            guard high == 0, low < 0x80 else { return nil }
            ascii.append(low)
        }
        return ascii
    }

    private static func unescaped(_ text: [UInt8]) -> [UInt8]? {
        guard text.contains(UInt8(ascii: "\\")) else { return nil }
        let quote = UInt8(ascii: "\"")
        // A terminal or an e-mail broke the line: a JSON string contains no such character.
        let line = AppleArtifact.spaceTrimmed(text).filter { !(0x09...0x0D).contains($0) }
        let isQuoted = line.count > 1 && line.first == quote && line.last == quote
        let json = isQuoted ? line : [quote] + line + [quote]
        do throws(JSONError) {
            return try JSONDocument(json, limits: AppleArtifact.limits).root.utf8.map { Array($0) }
        } catch {
            return nil
        }
    }

    private static func withoutArmour(_ text: [UInt8]) -> [UInt8]? {
        guard let begin = text.firstRange(of: Array("-----BEGIN ".utf8)),
            let label = text[begin.upperBound...].firstRange(of: Array("-----".utf8))
        else { return nil }
        let rest = text[label.upperBound...]
        let inside = rest.firstRange(of: Array("-----END ".utf8)).map { rest[..<$0.lowerBound] } ?? rest
        // Older writers put headers before the text (RFC 1421, section 4.4).
        let lines = inside.split { $0 == 0x0A || $0 == 0x0D }.filter { !$0.contains(UInt8(ascii: ":")) }
        return Array(lines.joined(separator: [0x0A]))
    }

    private static func token(_ text: [UInt8]) -> [UInt8]? {
        var rest = AppleArtifact.trimmed(text)[...]
        func drop(_ word: String) -> Bool {
            guard rest.count >= word.utf8.count, zip(rest, word.utf8).allSatisfy({ $0 | 0x20 == $1 | 0x20 }) else { return false }
            rest = rest.dropFirst(word.utf8.count).drop(while: isSpace)
            return true
        }
        _ = drop("authorization:")
        return drop("bearer ") ? Array(rest) : nil
    }

    private static func joined(_ text: [UInt8]) -> [UInt8]? {
        let trimmed = AppleArtifact.trimmed(text)
        guard trimmed.starts(with: AppleArtifact.jwsBeginning) else { return nil }
        let lines = trimmed.split { $0 == 0x0A || $0 == 0x0D }.map { AppleArtifact.spaceTrimmed(Array($0)) }
        guard lines.count > 2, let first = lines.first, let last = lines.last, last.count <= first.count,
            lines.dropLast().allSatisfy({ $0.count == first.count })
        else { return nil }
        let joined = Array(lines.joined())
        return joined.allSatisfy { isURLBase64($0) || $0 == UInt8(ascii: ".") } ? joined : nil
    }

    private static func receiptData(_ text: [UInt8]) -> [UInt8]? {
        AppleArtifact.object(AppleArtifact.trimmed(text))?["receipt-data"]?.utf8.map { Array($0) }
    }

    /// Base64 in its canonical form, with the standard alphabet and padding; nil where it has that form already, or is not
    /// base64.
    private static func canonical(_ text: [UInt8]) -> [UInt8]? {
        let compact = AppleArtifact.trimmed(text).filter { !isSpace($0) }
        let padding = compact.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
        let url = compact.dropLast(padding).map { byte in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: byte
            }
        }
        guard !url.isEmpty, let bytes = StrictBase64.decodeURL(url[...]) else { return nil }
        let canonical = Array(StrictBase64.encodePadded(bytes).utf8)
        return canonical == compact ? nil : canonical
    }
}
