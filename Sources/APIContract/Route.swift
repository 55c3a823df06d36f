/// Where our own API answers; shared by server, client and command line, so that an address is written once.
package enum Route {
    /// Apple's POST of a notification V2; to be entered in App Store Connect.
    package static let notifications = "/api/v1/apps/{app}/apple/notifications"
    /// A customer's upload of a signed transaction.
    package static let transactions = "/api/v1/apps/{app}/customers/{customer}/transactions"
    /// A customer's upload of a receipt of the old kind.
    package static let receipts = "/api/v1/apps/{app}/customers/{customer}/receipts"
    /// What a customer may use.
    package static let entitlements = "/api/v1/apps/{app}/customers/{customer}/entitlements"
    /// The app's backend says which customer an `appAccountToken` stands for.
    package static let appAccountToken = "/api/v1/apps/{app}/customers/{customer}/appAccountTokens/{token}"
    /// A subscription with its tenures and an explanation in words.
    package static let subscription = "/api/v1/apps/{app}/subscriptions/{originalTransactionId}"
    /// What Apple sent that this version does not understand.
    package static let warnings = "/api/v1/apps/{app}/warnings"
    /// Whether the process lives.
    package static let live = "/health/live"
    /// Whether it can answer questions.
    package static let ready = "/health/ready"

    /// The path with its placeholders filled in, each percent-encoded (RFC 3986, section 2.1).
    package static func path(_ template: String, _ values: KeyValuePairs<String, String>) -> String {
        values.reduce(template) { path, value in
            guard let range = path.firstRange(of: "{\(value.key)}") else { return path }
            return path.replacingCharacters(in: range, with: PercentEncoding.encode(value.value))
        }
    }
}

extension String {
    fileprivate func replacingCharacters(in range: Range<String.Index>, with text: String) -> String {
        String(self[..<range.lowerBound]) + text + String(self[range.upperBound...])
    }
}

/// Percent-encoding of one path segment.
///
/// Source: RFC 3986, sections 2.1 and 2.3.
package enum PercentEncoding {
    /// Everything but unreserved characters as `%XX`.
    package static func encode(_ text: String) -> String {
        var encoded: [UInt8] = []
        for byte in text.utf8 {
            if isUnreserved(byte) {
                encoded.append(byte)
            } else {
                encoded += [UInt8(ascii: "%"), hexadecimal[Int(byte >> 4)], hexadecimal[Int(byte & 15)]]
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    /// The text that a segment stands for; nil where a `%` is not followed by two hexadecimal digits or the bytes are not UTF-8.
    package static func decode(_ segment: Substring) -> String? {
        guard segment.utf8.contains(UInt8(ascii: "%")) else { return String(segment) }
        var decoded: [UInt8] = []
        var rest = segment.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                decoded.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(value), let low = rest.popFirst().flatMap(value) else { return nil }
            decoded.append(high << 4 | low)
        }
        return String(validating: decoded, as: UTF8.self)
    }

    private static let hexadecimal = Array("0123456789ABCDEF".utf8)

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
