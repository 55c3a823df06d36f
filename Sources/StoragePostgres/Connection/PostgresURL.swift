import CLibpq
package import Storage

/// Where PostgreSQL is and how to be let in, as one URL such as
/// `postgres://user:password@host1:5432,host2:5432/database?sslmode=verify-full&target_session_attrs=read-write`.
///
/// libpq reads it; what is accepted beyond that is less, because the rest would change what a session means. What the URL leaves
/// out comes from libpq's environment variables and password file.
///
/// Source: PostgreSQL documentation, 34.1.1 "Connection Strings" and 34.1.2 "Parameter Key Words".
package struct PostgresURL: Sendable, CustomStringConvertible {
    /// One place to look for the server; nil fields are libpq's defaults.
    package struct Endpoint: Sendable, Hashable {
        package let host: String?
        package let hostaddr: String?
        package let port: String?
    }

    /// In the order of the URL, tried one after the other; never empty and at most 16.
    package let endpoints: [Endpoint]
    /// Every other key word with its value, without those of `endpoints`.
    let options: [String: String]
    private let redacted: String

    /// The URL's parts without the password and other secrets; safe to log.
    package var description: String { redacted }

    private static let maximumEndpoints = 16
    /// Key words that would change what a session is to us.
    private static let refused: Set<String> = ["replication", "service", "fallback_application_name", "load_balance_hosts"]
    private static let sslModes: Set<String> = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"]
    /// Each server is asked by itself, so a preference among several cannot be honoured.
    private static let targetSessions: Set<String> = ["any", "read-write", "primary"]

    /// - Throws: `StorageError` with `misconfigured`; its reason holds nothing of the URL that could be a password.
    package init(_ text: String, libpq: Libpq) throws(StorageError) {
        guard text.hasPrefix("postgres://") || text.hasPrefix("postgresql://"), !text.utf8.contains(0) else {
            throw StorageError(.misconfigured, "a PostgreSQL URL begins with postgres:// or postgresql://")
        }
        var options: [String: String] = [:]
        var secrets: Set<String> = []
        for option in try Self.parsed(text, libpq) {
            options[option.keyword] = option.value
            if option.isSecret { secrets.insert(option.keyword) }
        }
        try Self.validate(options)
        endpoints = try Self.endpoints(options)
        for keyword in ["host", "hostaddr", "port"] { options[keyword] = nil }
        self.options = options
        let places = endpoints.map { "\($0.host ?? $0.hostaddr ?? "(default)"):\($0.port ?? "(default)")" }
        let shown = options.filter { !secrets.contains($0.key) }.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        redacted = "PostgreSQL at \(places.joined(separator: ",")) (\(shown.joined(separator: " ")))"
    }

    private struct Option {
        let keyword: String
        let value: String
        let isSecret: Bool
    }

    private static func parsed(_ text: String, _ libpq: Libpq) throws(StorageError) -> [Option] {
        var message: UnsafeMutablePointer<CChar>?
        let parsed = libpq.functions.PQconninfoParse(text, &message)
        guard let parsed else {
            // libpq's words may quote a part of the password.
            libpq.functions.PQfreemem(message)
            throw StorageError(
                .misconfigured,
                "libpq cannot read the PostgreSQL URL: an unknown keyword, or a character that must be percent-encoded")
        }
        defer { libpq.functions.PQconninfoFree(parsed) }
        var options: [Option] = []
        var next = parsed
        while let keyword = next.pointee.keyword {
            if let value = next.pointee.val {
                let isSecret = next.pointee.dispchar.map { String(cString: $0).contains("*") } ?? false
                options.append(
                    Option(keyword: String(cString: keyword), value: String(cString: value), isSecret: isSecret))
            }
            next += 1
        }
        return options
    }

    private static func validate(_ options: [String: String]) throws(StorageError) {
        if let keyword = options.keys.filter(refused.contains).min() {
            throw StorageError(.misconfigured, "the PostgreSQL URL may not set \(keyword)")
        }
        if let encoding = options["client_encoding"], !["UTF8", "UTF-8"].contains(encoding.uppercased()) {
            throw StorageError(.misconfigured, "the PostgreSQL URL may not set client_encoding to anything but UTF8")
        }
        for (keyword, known) in [("sslmode", sslModes), ("target_session_attrs", targetSessions)] {
            if let value = options[keyword], !known.contains(value) {
                throw StorageError(
                    .misconfigured, "the PostgreSQL URL's \(keyword) must be one of \(known.sorted().joined(separator: ", "))")
            }
        }
        if let timeout = options["connect_timeout"], Int(timeout).map({ (1...60).contains($0) }) != true {
            throw StorageError(.misconfigured, "the PostgreSQL URL's connect_timeout must be 1 to 60 seconds")
        }
    }

    /// libpq's rule: as many ports as hosts, or one for all of them.
    private static func endpoints(_ options: [String: String]) throws(StorageError) -> [Endpoint] {
        let hosts = list(options["host"])
        let addresses = list(options["hostaddr"])
        let ports = list(options["port"])
        let count = max(hosts.count, addresses.count, 1)
        guard count <= maximumEndpoints else {
            throw StorageError(.misconfigured, "the PostgreSQL URL names more than \(maximumEndpoints) hosts")
        }
        guard hosts.isEmpty || addresses.isEmpty || hosts.count == addresses.count, ports.count <= 1 || ports.count == count
        else {
            throw StorageError(.misconfigured, "the PostgreSQL URL must name one port, or as many ports and addresses as hosts")
        }
        for case let port? in ports where Int(port).map({ (1...65_535).contains($0) }) != true {
            throw StorageError(.misconfigured, "the PostgreSQL URL's ports must be 1 to 65535")
        }
        return (0..<count).map { index in
            Endpoint(
                host: hosts.indices.contains(index) ? hosts[index] : nil,
                hostaddr: addresses.indices.contains(index) ? addresses[index] : nil,
                port: ports.count == 1 ? ports[0] : ports.indices.contains(index) ? ports[index] : nil)
        }
    }

    /// An empty element is libpq's default for that place.
    private static func list(_ value: String?) -> [String?] {
        guard let value, !value.isEmpty else { return [] }
        return value.split(separator: ",", omittingEmptySubsequences: false).map { $0.isEmpty ? nil : String($0) }
    }
}
