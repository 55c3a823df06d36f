import Primitives

/// The address at which browsers reach the console, as the configuration says it, such as `https://console.example.com` or
/// `https://example.com/tenure`. From it follow the origin that forms must come from, the base path of every link, and whether
/// cookies may go over a connection without TLS.
package struct ConsoleURL: Sendable, Hashable {
    /// As browsers write it in `Origin`. Source: RFC 6454, section 6.2.
    package let origin: String
    package let site: ConsoleSite
    /// False only for this machine itself.
    package let isSecure: Bool

    /// Why an address cannot be the console's.
    package enum Refusal: Error, Sendable, Hashable {
        /// It is not `https://host`, with a port and a path or without.
        case unreadable
        /// Without TLS whoever is between browser and server reads passwords and cookies; only on one machine there is nobody.
        case notSecure
        /// The path has characters that would have to be encoded, or an empty segment.
        case path
    }

    package init(_ text: String) throws(Refusal) {
        guard let end = text.firstRange(of: "://") else { throw .unreadable }
        let (scheme, rest) = (text[..<end.lowerBound].lowercased(), text[end.upperBound...])
        guard scheme == "https" || scheme == "http" else { throw .unreadable }
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        guard let authority = Authority(rest[..<slash]) else { throw .unreadable }
        isSecure = scheme == "https"
        guard isSecure || authority.isLoopback else { throw .notSecure }
        guard let site = ConsoleSite(basePath: String(rest[slash...])) else { throw .path }
        self.site = site
        let usual = isSecure ? 443 : 80
        origin = "\(scheme)://\(authority.host)" + (authority.port.map { $0 == usual ? "" : ":\($0)" } ?? "")
    }

    /// Host and port.
    private struct Authority {
        let host: String
        let port: Int?

        init?(_ text: Substring) {
            let isLiteral = text.first == "["
            let end =
                isLiteral ? text.firstIndex(of: "]").map { text.index(after: $0) } : text.firstIndex(of: ":") ?? text.endIndex
            guard let end else { return nil }
            host = text[..<end].lowercased()
            let rest = text[end...]
            port = rest.first == ":" ? Int(rest.dropFirst()) : nil
            guard rest.isEmpty || (port.map { (1...65535).contains($0) } ?? false) else { return nil }
            let isFine = host.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || [UInt8]("-.:[]".utf8).contains(byte)
            }
            guard !host.isEmpty, isFine, isLiteral || !host.contains(where: { "[]:".contains($0) }) else { return nil }
        }

        var isLoopback: Bool { host == "localhost" || host == "[::1]" || host == "127.0.0.1" }
    }
}
