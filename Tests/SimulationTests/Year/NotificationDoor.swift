import AppStoreWire
import Backend
import Hummingbird
import LedgerOracle
import Primitives
import Storage
import StrictJSON
import Synchronization
import Testing

/// Stands where Apple's notifications arrive. Of everything that Apple sends it keeps what the oracle is told; every tenth
/// notification it loses, as a proxy does that answers 200 by itself: Apple never tells that one again. The others go to our
/// server's own door, and while no server lives they are answered 503.
final class NotificationDoor: Sendable {
    private struct State {
        /// By originalTransactionId.
        var told: [String: [Delivery]] = [:]
        var seen: Set<String> = []
        var lost: Set<String> = []
        var refusals = 0
        var loses = true
    }

    private let server: MortalServer
    private let state = Mutex(State())

    init(to server: MortalServer) { self.server = server }

    /// Whether anything is lost from now on.
    var loses: Bool {
        get { state.withLock { $0.loses } }
        set { state.withLock { $0.loses = newValue } }
    }

    /// What Apple told of each subscription, whether it arrived or not.
    var told: [String: [Delivery]] { state.withLock { $0.told } }
    var sent: Int { state.withLock { $0.seen.count } }
    var lost: Int { state.withLock { $0.lost.count } }
    var refusals: Int { state.withLock { $0.refusals } }

    /// The oracle is told this, too.
    func note(_ deliveries: [Delivery], of id: String) { state.withLock { $0.told[id, default: []] += deliveries } }

    func application() -> some ApplicationProtocol {
        let router = Router()
        router.post("/notifications") { request, _ -> HTTPResponse.Status in
            let body = try await request.body.collect(upTo: 1 << 20)
            return try await self.take(Array(body.readableBytesView))
        }
        return Application(router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)))
    }

    private func take(_ body: [UInt8]) async throws -> HTTPResponse.Status {
        let payload = try #require(try JSONDocument(body).root.object?["signedPayload"]?.string)
        let claimed = try #require(ClaimedNotification(jws: payload))
        let (isLost, isNew) = state.withLock { state in
            let isLost = state.loses && Self.isTenth(claimed.uuid)
            if isLost { state.lost.insert(claimed.uuid) }
            return (isLost, state.seen.insert(claimed.uuid).inserted)
        }
        if isNew {
            let (id, deliveries) = try OracleReading.deliveries(ofNotification: payload)
            note(deliveries, of: id)
        }
        if isLost { return .ok }
        guard try await deliver(body) else {
            state.withLock { $0.refusals += 1 }
            return .serviceUnavailable
        }
        return .ok
    }

    /// Whether our server acknowledged it.
    private func deliver(_ body: [UInt8]) async throws -> Bool {
        if try server.strikes(.beforeNotification) { return false }
        guard let living = server.living else { return false }
        do {
            _ = try await living.backend.receiveNotification(body, app: AskingSite.app)
        } catch BackendError.store where server.living == nil {
            return false
        }
        return try !server.strikes(.afterNotification)
    }

    /// Every tenth, by its UUID, so that each attempt to deliver it is lost.
    private static func isTenth(_ uuid: String) -> Bool { (UInt64(uuid.prefix(8), radix: 16) ?? 1).isMultiple(of: 10) }
}
