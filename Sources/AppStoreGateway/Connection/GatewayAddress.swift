/// Where a host is: the part of a URL before its path.
///
/// Source: RFC 3986, section 3.2.
struct GatewayAddress: Sendable, Hashable {
    /// Whether TLS is used.
    let isSecure: Bool
    /// The name or the IP address, lower case, without brackets.
    let host: String
    /// 1 to 65535.
    let port: Int
    /// Scheme and authority: what breakers and observations go by.
    let text: String

    /// Nil for anything but `http:` and `https:` with a host, and where there is user information: a token is never sent to an
    /// address that two readers could read differently.
    init?(_ url: String) {
        let lowered = url.lowercased()
        let rest: Substring
        if lowered.hasPrefix("https://") {
            (isSecure, rest) = (true, lowered.dropFirst("https://".count))
        } else if lowered.hasPrefix("http://") {
            (isSecure, rest) = (false, lowered.dropFirst("http://".count))
        } else {
            return nil
        }
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard !authority.contains("@"), !authority.contains("\\"),
            let (host, port) = Self.parts(of: authority), !host.isEmpty
        else { return nil }
        guard let port = port.isEmpty ? (isSecure ? 443 : 80) : UInt16(port).map(Int.init), port > 0 else { return nil }
        self.host = String(host)
        self.port = port
        text = (isSecure ? "https://" : "http://") + authority
    }

    private static func parts(of authority: Substring) -> (host: Substring, port: Substring)? {
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            let rest = authority[authority.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
            return (authority[authority.index(after: authority.startIndex)..<end], rest.dropFirst())
        }
        let pieces = authority.split(separator: ":", omittingEmptySubsequences: false)
        switch pieces.count {
        case 1: return (pieces[0], "")
        case 2: return (pieces[0], pieces[1])
        default: return nil
        }
    }
}
