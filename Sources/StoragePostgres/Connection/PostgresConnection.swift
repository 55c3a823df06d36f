import CLibpq
import Foundation
package import Storage

/// One session with a server. Used by one thread at a time, and its calls block that thread, each for a time that the settings
/// bound; so it belongs on a thread of its own and never on one that Swift's tasks run on (`PostgresPool` sees to that).
///
/// Everything is sent in pipeline mode. After an error the session is either ready for the next call or closed (`isOpen`).
package final class PostgresConnection {
    let functions: LibpqFunctions
    let settings: PostgresSettings
    let limits: PostgresLimits
    /// Nil once closed.
    private(set) var session: OpaquePointer?
    var statements: StatementCache
    var transaction = TransactionStage.none
    /// What the transaction that is open writes last of all; it goes out with COMMIT, and costs no round trip.
    var closing: [PostgresStatement] = []
    /// How many round trips were begun; for tests of what costs one.
    var batches = 0
    private let notices: NoticeSink

    /// Where a transaction stands.
    enum TransactionStage: Equatable {
        case none
        /// Announced; BEGIN goes out with the first batch.
        case pending(PostgresIsolation)
        case open
    }

    /// Connects to the first place of the URL that lets us in.
    ///
    /// - Throws: `StorageError` of the last place tried: `unavailable`, `notPermitted` (password, role), `misconfigured` (no such
    ///   database, a server older than 15), `notDurable`.
    package init(
        _ settings: PostgresSettings, libpq: Libpq, limits: PostgresLimits = PostgresLimits()
    ) throws(StorageError) {
        self.settings = settings
        self.limits = limits
        functions = libpq.functions
        statements = StatementCache(limit: settings.preparedStatementLimit)
        notices = NoticeSink(libpq.functions, settings.onNotice)
        var failure = StorageError(.misconfigured, "the PostgreSQL URL names no host")
        for endpoint in settings.url.endpoints {
            do throws(StorageError) {
                session = try Handshake(endpoint, settings, libpq.functions).connect(notices)
                try prepareSession()
                return
            } catch {
                close()
                failure = error
            }
        }
        throw failure
    }

    deinit { if let session { functions.PQfinish(session) } }

    /// False once the connection was lost or closed; then it stays so.
    package var isOpen: Bool { session != nil }

    /// Whether a transaction is open on the server, as libpq last heard.
    var isInTransaction: Bool {
        guard let session else { return false }
        return functions.PQtransactionStatus(session) != PQTRANS_IDLE
    }

    /// The process on the server that serves us; 0 once closed.
    package var backendPID: Int32 { session.map { functions.PQbackendPID($0) } ?? 0 }

    /// Whether the session is encrypted.
    package var usesTLS: Bool { session.map { functions.PQsslInUse($0) == 1 } ?? false }

    /// What the server reports of itself, such as `server_encoding` or `in_hot_standby`; nil where it does not.
    package func parameter(_ name: String) -> String? {
        session.flatMap { functions.PQparameterStatus($0, name) }.map { String(cString: $0) }
    }

    /// Ends the session; the server undoes what was not committed. Safe to call twice.
    package func close() {
        if let session { functions.PQfinish(session) }
        session = nil
        transaction = .none
        statements = StatementCache(limit: settings.preparedStatementLimit)
    }

    /// Whether the connection still stands, by what has come in while nobody asked: the server's farewell is found here rather
    /// than by the next statement. Does not wait.
    package func isStillOpen() -> Bool {
        // More than a few notices at a time are left for the next look.
        for _ in 0..<8 {
            guard let session else { return false }
            guard SocketWait.hasInput(functions.PQsocket(session)) else { return true }
            guard functions.PQconsumeInput(session) == 1 else {
                close()
                return false
            }
            // Hands what came to the receiver of notices.
            _ = functions.PQisBusy(session)
        }
        return true
    }

    private func prepareSession() throws(StorageError) {
        guard let session else { throw StorageError(.unavailable, "the connection is closed") }
        let version = functions.PQserverVersion(session)
        guard version >= 150_000 else {
            throw StorageError(.misconfigured, "the server is PostgreSQL \(version / 10_000); Tenure needs 15 or newer")
        }
        guard parameter("standard_conforming_strings") == "on", parameter("client_encoding") == "UTF8" else {
            throw StorageError(.misconfigured, "the session must have standard_conforming_strings on and client_encoding UTF8")
        }
        guard functions.PQsetnonblocking(session, 1) == 0, functions.PQenterPipelineMode(session) == 1 else {
            throw lost("libpq refuses pipeline mode")
        }
        // Each session by itself: a role's or a database's setting may have changed since the last, and a pooler may hand out
        // others.
        let answer = try execute(SessionQueries.prepare(settings))
        guard try SessionQueries.isDurable(answer) else {
            throw StorageError(.notDurable, "PostgreSQL runs with fsync or synchronous_commit off")
        }
    }

    // MARK: What goes wrong

    /// libpq's last words about the session, on one line.
    func words(of session: OpaquePointer) -> String {
        functions.PQerrorMessage(session).map { Handshake.oneLine(String(cString: $0)) } ?? ""
    }

    /// Closes the connection, which is of no more use, and returns the error to throw.
    func lost(_ what: String) -> StorageError {
        let words = session.map(words(of:)) ?? ""
        close()
        return StorageError(.unavailable, words.isEmpty ? what : "\(what): \(words)")
    }

    /// Waits until the session's socket is ready; closes the connection where it never is.
    func wait(_ session: OpaquePointer, for wanted: SocketWait.Readiness, _ patience: inout Patience) throws(StorageError) {
        guard SocketWait.wait(functions.PQsocket(session), for: wanted, until: patience.deadline) else {
            throw lost("the server did not answer in time")
        }
        patience.renew()
    }
}

/// Receives notices on the thread of the connection. The connection keeps it alive longer than libpq's session.
final class NoticeSink: Sendable {
    private let functions: LibpqFunctions
    private let receive: @Sendable (PostgresNotice) -> Void

    init(_ functions: LibpqFunctions, _ receive: @escaping @Sendable (PostgresNotice) -> Void) {
        self.functions = functions
        self.receive = receive
    }

    /// Has the session's notices sent here.
    func attach(to session: OpaquePointer) {
        _ = functions.PQsetNoticeReceiver(
            session,
            { sink, result in
                guard let sink, let result else { return }
                Unmanaged<NoticeSink>.fromOpaque(sink).takeUnretainedValue().take(result)
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    private func take(_ result: OpaquePointer) {
        let diagnostics = PostgresDiagnostics(result, statement: 0, functions)
        receive(
            PostgresNotice(
                severity: diagnostics.severity, sqlState: diagnostics.sqlState, message: diagnostics.message))
    }
}
