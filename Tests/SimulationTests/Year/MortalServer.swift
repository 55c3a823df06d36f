import AppStoreWire
import Backend
import Ledger
import Primitives
import Storage
import StorageSQLite
import Synchronization

/// Our server in this process, which can be made to die in the middle of its work and to live again on the same database.
///
/// Its death closes the database under it: a transaction that was begun is committed, everything after it fails, nothing is
/// handed back, and all that was in memory is forgotten, but for what the client of Apple knows of the host. Leases are waited
/// out on the simulated clock. What only a kill -9 shows (a torn file, a log that was not folded in, a dead socket) is shown by
/// the chaos tool with real processes (docs/operations/chaos.md).
final class MortalServer: Sendable {
    /// Where it dies.
    enum DeathPoint: CaseIterable, Sendable {
        /// Before a question leaves; of a sweep: after a page was kept, before the next one.
        case beforeQuestion
        /// Apple has answered, and nothing of it is kept.
        case afterAnswer
        /// Apple's notification is not kept.
        case beforeNotification
        /// It is kept, and Apple does not hear so.
        case afterNotification
    }

    private struct State {
        var server: AskingServer?
        var fuse: DeathPoint?
        var deaths = 0
    }

    private let site: AskingSite
    private let state = Mutex(State())

    init(_ site: AskingSite) { self.site = site }

    /// The one that lives; nil where none does.
    var living: AskingServer? { state.withLock { $0.server } }
    var deaths: Int { state.withLock { $0.deaths } }

    func start() throws {
        let server = try site.server(asking: { MortalApple(server: $0, of: self) }) { backend, _ in
            [WorkLane(ParkingPerformer(backend: backend))]
        }
        state.withLock { $0.server = server }
    }

    /// It ends in order, as for an upgrade.
    func stop() throws { try end(isDeath: false) }

    /// It will die when it comes to the point.
    func light(_ fuse: DeathPoint) { state.withLock { $0.fuse = fuse } }

    /// Dies if it was to die here; whether it did.
    func strikes(_ point: DeathPoint) throws -> Bool {
        guard state.withLock({ $0.fuse == point && $0.server != nil }) else { return false }
        try end(isDeath: true)
        return true
    }

    private func end(isDeath: Bool) throws {
        let server = state.withLock { state in
            defer { state.server = nil }
            if isDeath, state.server != nil { (state.deaths, state.fuse) = (state.deaths + 1, nil) }
            return state.server
        }
        try server?.store.close()
    }
}

/// Apple, as a server asks it that may die of it.
private struct MortalApple<Server: AppleServer>: AppleServer {
    let server: Server
    let mortal: MortalServer

    init(server: Server, of mortal: MortalServer) { (self.server, self.mortal) = (server, mortal) }

    private static var dead: AppleFailure { AppleFailure(.host, code: "dead", wasSent: false) }

    private func dies(_ point: MortalServer.DeathPoint) -> Bool {
        // Where the database cannot be closed, the death is none, and the number of deaths shows it.
        do { return try mortal.strikes(point) } catch { return false }
    }

    func answer<Response>(
        to call: ServerAPICall<Response>, for app: AppID, in environment: Primitives.Environment
    ) async -> Result<ServerAPIAnswer<Response>, AppleFailure> {
        if dies(.beforeQuestion) { return .failure(Self.dead) }
        let answer = await server.answer(to: call, for: app, in: environment)
        _ = dies(.afterAnswer)
        return answer
    }

    func outcome(
        of receipt: VerifyReceiptRequest, from host: VerifyReceiptHost, for app: AppID
    ) async -> Result<VerifyReceiptOutcome, AppleFailure> {
        await server.outcome(of: receipt, from: host, for: app)
    }

    func closedUntil(for app: AppID, at host: VerifyReceiptHost) -> Timestamp? { server.closedUntil(for: app, at: host) }

    func closedUntil(for app: AppID, in environment: Primitives.Environment) -> Timestamp? {
        server.closedUntil(for: app, in: environment)
    }

    func clockLead(for app: AppID, in environment: Primitives.Environment) -> Milliseconds? {
        server.clockLead(for: app, in: environment)
    }
}
