package import Backend
package import Primitives

/// The URL of an endpoint, read so strictly that every other reader finds the same host in it.
///
/// Source: RFC 3986, sections 2 and 3; the numeric spellings that are refused: WHATWG URL, "ends in a number checker"; T40.
package struct EndpointURL: Sendable, Hashable {
    package enum Host: Sendable, Hashable {
        /// In lower case, ASCII, without a dot at its end.
        case name(String)
        case address(IPAddress)
    }

    /// The most characters of a URL.
    package static let longest = 2048

    /// Whether it is `https:`; else `http:`.
    package let isSecure: Bool
    package let host: Host
    /// 1 to 65535.
    package let port: Int
    /// Path and query, at least `/`.
    package let target: String

    /// - Throws: a sentence that says what is wrong with it.
    package init(_ text: String) throws(AddressRefusal) {
        let bytes = Array(text.utf8)
        try Self.checkCharacters(bytes)
        let (scheme, rest) = try Self.scheme(of: bytes)
        let end = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? rest.endIndex
        let (authority, remainder) = (rest[..<end], rest[end...])
        if remainder.contains(where: { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "]") }) {
            throw AddressRefusal("the address has a bracket in its path or query; write %5B and %5D")
        }
        let (written, port) = try Self.parts(of: authority)
        isSecure = scheme == "https"
        self.port = port ?? (scheme == "https" ? 443 : 80)
        host = try Self.host(written)
        let target = String(decoding: remainder, as: UTF8.self)
        self.target = target.hasPrefix("/") ? target : "/" + target
    }

    /// The URL written again from its parts, which is what is asked for.
    package var text: String {
        let scheme = isSecure ? "https" : "http"
        let isDefault = port == (isSecure ? 443 : 80)
        return "\(scheme)://\(hostText)\(isDefault ? "" : ":\(port)")\(target)"
    }

    private var hostText: String {
        switch host {
        case .name(let name): name
        case .address(let address): address.family == .v4 ? "\(address)" : "[\(address)]"
        }
    }

    // MARK: Characters

    /// Only what may stand in a URL: readers disagree about all the rest.
    private static func checkCharacters(_ bytes: [UInt8]) throws(AddressRefusal) {
        guard bytes.count <= longest else { throw AddressRefusal("the address is longer than \(longest) characters") }
        if bytes.contains(where: { $0 >= 0x80 }) {
            throw AddressRefusal("the address has characters outside ASCII; write an international name in its xn-- form")
        }
        if bytes.contains(UInt8(ascii: "#")) { throw AddressRefusal("the address has a fragment (#…), which is never sent") }
        if let wrong = bytes.first(where: { !isPermitted($0) }) {
            let name = wrong > 0x20 && wrong < 0x7F ? "\(Character(Unicode.Scalar(wrong)))" : "a blank or control character"
            throw AddressRefusal("the address contains \(name), which no URL may")
        }
        for (place, byte) in bytes.enumerated() where byte == UInt8(ascii: "%") {
            let digits = bytes[(place + 1)...].prefix(2)
            guard digits.count == 2, digits.allSatisfy(isHexadecimal) else {
                throw AddressRefusal("the address has a % that two hexadecimal digits do not follow")
            }
        }
    }

    private static let marks = Set("-._~:/?[]@!$&'()*+,;=%".utf8)

    private static func isPermitted(_ byte: UInt8) -> Bool { isAlphanumeric(byte) || marks.contains(byte) }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte | 0x20 {
        case UInt8(ascii: "a")...UInt8(ascii: "z"): byte >= UInt8(ascii: "A")
        default: isDigit(byte)
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        isDigit(byte) || (isAlphanumeric(byte) && (byte | 0x20) <= UInt8(ascii: "f"))
    }

    // MARK: Parts

    private static func scheme(of bytes: [UInt8]) throws(AddressRefusal) -> (scheme: String, rest: ArraySlice<UInt8>) {
        for scheme in ["https", "http"] {
            let beginning = "\(scheme)://".utf8
            guard bytes.count >= beginning.count,
                zip(bytes, beginning).allSatisfy({ $0 == $1 || (isAlphanumeric($0) && $0 | 0x20 == $1) })
            else { continue }
            return (scheme, bytes[beginning.count...])
        }
        throw AddressRefusal("the address does not begin with https://")
    }

    /// The host with its brackets, and the port where there is one.
    private static func parts(of authority: ArraySlice<UInt8>) throws(AddressRefusal) -> (host: String, port: Int?) {
        if authority.contains(UInt8(ascii: "@")) {
            throw AddressRefusal("the address has a user name or password (…@); use a header of the endpoint")
        }
        if authority.contains(UInt8(ascii: "%")) { throw AddressRefusal("the host of the address has a % in it") }
        let text = String(decoding: authority, as: UTF8.self).lowercased()
        let colon = text.lastIndex(of: ":").flatMap { text[$0...].contains("]") ? nil : $0 }
        guard let colon else { return (text, nil) }
        let digits = text[text.index(after: colon)...]
        guard (1...5).contains(digits.utf8.count), digits.utf8.allSatisfy(isDigit), !digits.hasPrefix("0"),
            let port = UInt16(digits)
        else { throw AddressRefusal("the port of the address is not a number from 1 to 65535") }
        return (String(text[..<colon]), Int(port))
    }

    private static func host(_ text: String) throws(AddressRefusal) -> Host {
        guard !text.isEmpty else { throw AddressRefusal("the address has no host") }
        if text.contains(where: { "[]:".contains($0) }) {
            guard text.hasPrefix("["), text.hasSuffix("]"), text.contains(":"),
                let address = IPAddress(text.dropFirst().dropLast())
            else { throw AddressRefusal("the host of the address is no name and no IPv6 address in brackets") }
            return .address(address)
        }
        if text.hasSuffix(".") { throw AddressRefusal("the host of the address ends with a dot") }
        if let address = IPAddress(text) { return .address(address) }
        let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard let last = labels.last, text.utf8.count <= 253, labels.allSatisfy({ isLabel($0) }) else {
            throw AddressRefusal("the host of the address is not a host name")
        }
        // What resolvers read as an IPv4 address in octal, hexadecimal or fewer than four parts.
        if last.allSatisfy(isDigit) || last.starts(with: "0x".utf8) {
            throw AddressRefusal("the host of the address is a number, or an IPv4 address in another spelling than a.b.c.d")
        }
        return .name(text)
    }

    private static func isLabel(_ label: Substring.UTF8View) -> Bool {
        let hyphen = UInt8(ascii: "-")
        return (1...63).contains(label.count) && label.first != hyphen && label.last != hyphen
            && label.allSatisfy { isAlphanumeric($0) || $0 == hyphen || $0 == UInt8(ascii: "_") }
    }
}
