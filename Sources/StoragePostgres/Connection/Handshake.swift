import CLibpq
import Foundation
import Storage

/// The way to a session with one place: libpq does the talking, the waiting is ours, since libpq bounds it only where it blocks.
struct Handshake {
    private let endpoint: PostgresURL.Endpoint
    private let settings: PostgresSettings
    private let functions: LibpqFunctions

    init(_ endpoint: PostgresURL.Endpoint, _ settings: PostgresSettings, _ functions: LibpqFunctions) {
        self.endpoint = endpoint
        self.settings = settings
        self.functions = functions
    }

    /// What the URL may say otherwise. A silent peer is given up by the kernel too, after about as long as by us.
    private static let defaults = [
        "gssencmode": "disable", "keepalives": "1", "keepalives_idle": "5", "keepalives_interval": "2", "keepalives_count": "3",
        "tcp_user_timeout": "5000",
    ]

    private var parameters: [String: String] {
        var parameters = Self.defaults.merging(settings.url.options) { _, chosen in chosen }
        parameters["fallback_application_name"] = settings.applicationName
        parameters["client_encoding"] = "UTF8"
        parameters["host"] = endpoint.host
        parameters["hostaddr"] = endpoint.hostaddr
        parameters["port"] = endpoint.port
        return parameters
    }

    /// The session, which the caller must finish.
    func connect(_ notices: NoticeSink) throws(StorageError) -> OpaquePointer {
        guard let session = start() else { throw StorageError(.unavailable, "libpq is out of memory") }
        notices.attach(to: session)
        // Verbose, because only so does libpq tell the SQLSTATE of a refused connection.
        _ = functions.PQsetErrorVerbosity(session, PQERRORS_VERBOSE)
        do throws(StorageError) {
            try converse(session)
            return session
        } catch {
            functions.PQfinish(session)
            throw error
        }
    }

    private func start() -> OpaquePointer? {
        let parameters = parameters.sorted { $0.key < $1.key }
        let keys = parameters.map { strdup($0.key) }
        let values = parameters.map { strdup($0.value) }
        defer { for text in keys + values { free(text) } }
        return functions.PQconnectStartParams(
            keys.map { UnsafePointer($0) } + [nil], values.map { UnsafePointer($0) } + [nil], 0)
    }

    private func converse(_ session: OpaquePointer) throws(StorageError) {
        let deadline = ContinuousClock().now + settings.connectTimeout
        guard functions.PQstatus(session) != CONNECTION_BAD else { throw refusal(session) }
        var turn = PGRES_POLLING_WRITING
        // Bounded by the deadline.
        while turn != PGRES_POLLING_OK {
            guard turn == PGRES_POLLING_READING || turn == PGRES_POLLING_WRITING else { throw refusal(session) }
            let wanted: SocketWait.Readiness = turn == PGRES_POLLING_READING ? .read : .write
            guard SocketWait.wait(functions.PQsocket(session), for: wanted, until: deadline) else {
                throw StorageError(.unavailable, "\(place) did not accept the connection within \(settings.connectTimeout)")
            }
            turn = functions.PQconnectPoll(session)
        }
    }

    private var place: String { "\(endpoint.host ?? endpoint.hostaddr ?? "the default host"):\(endpoint.port ?? "default port")" }

    private func refusal(_ session: OpaquePointer) -> StorageError {
        let message = functions.PQerrorMessage(session).map { String(cString: $0) } ?? ""
        let words = Self.oneLine(message)
        if let state = Self.sqlState(inRefusal: message) {
            return StorageError(PostgresDiagnostics(sqlState: state, message: words))
        }
        let isPasswordMissing = functions.PQconnectionNeedsPassword(session) == 1
        return StorageError(isPasswordMissing ? .notPermitted : .unavailable, words)
    }

    /// The SQLSTATE of a refused connection: libpq has no field for it, but its verbose form is fixed, whatever the language:
    /// `FATAL:  28P01: password authentication failed …`. Of several attempts (TLS, then without), the last.
    ///
    /// Source: PostgreSQL, src/interfaces/libpq/fe-protocol3.c, `pqBuildErrorMessage3`.
    static func sqlState(inRefusal message: String) -> String? {
        message.matches(of: #/:  ([0-9A-Z]{5}): /#).last.map { String($0.output.1) }
    }

    /// On one line, without the place in the server's source.
    static func oneLine(_ message: String) -> String {
        message.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.hasPrefix("LOCATION:") && !$0.isEmpty }.joined(separator: "; ")
    }
}
