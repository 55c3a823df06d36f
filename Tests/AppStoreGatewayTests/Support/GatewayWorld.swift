import AppStoreWire
import Crypto
import Primitives
import Synchronization
import Testing

@testable import AppStoreGateway

/// A gateway with a clock that stands still until it is moved, and everything it was observed to do.
final class GatewayWorld: Sendable {
    static let bundleId = "com.example.shop"
    static let start = Timestamp(millisecondsSince1970: 1_767_225_600_000)

    let gateway: AppStoreGateway
    let clock: TestClock
    private let call: ServerAPICall<TransactionInfoResponse>
    private let key: AppStoreKey
    private let observed: Observed

    var calls: [GatewayCall] { observed.calls.withLock { $0 } }

    /// - Parameter clock: nil: one that stands still at ``start``.
    static func run<Value>(
        _ configuration: GatewayConfiguration = .waiting(), clock: TestClock? = nil,
        _ body: (GatewayWorld) async throws -> Value
    ) async throws -> Value {
        let world = try GatewayWorld(configuration, clock ?? TestClock(start))
        return try await world.gateway.closing { try await body(world) }
    }

    private init(_ configuration: GatewayConfiguration, _ clock: TestClock) throws {
        let observed = Observed()
        gateway = try AppStoreGateway(configuration, now: { clock.now }, chance: { 1 }) { call in
            observed.calls.withLock { $0.append(call) }
        }
        self.clock = clock
        call = try Self.call()
        (key, _) = try Self.key()
        self.observed = observed
    }

    private final class Observed: Sendable {
        let calls = Mutex<[GatewayCall]>([])
    }

    /// A key of its own and the app it belongs to.
    static func key(_ keyId: String = "2X9R4HXF34", of bundleId: String = bundleId) throws -> (
        AppStoreKey, P256.Signing.PublicKey
    ) {
        let privateKey = P256.Signing.PrivateKey()
        let signingKey = try SigningKey(
            pem: privateKey.pemRepresentation, keyId: keyId, issuerId: "57246542-96fe-1a63-e053-0824d011072a")
        return (AppStoreKey(signingKey: signingKey, bundleId: bundleId), privateKey.publicKey)
    }

    /// One call that reads.
    static func call() throws -> ServerAPICall<TransactionInfoResponse> {
        try ServerAPICall.getTransactionInfo(transactionId: "2000000900000001")
    }

    /// Makes that call of a server.
    func ask(
        _ url: String, as key: AppStoreKey? = nil
    ) async -> Result<ServerAPIAnswer<TransactionInfoResponse>, GatewayFailure> {
        await gateway.answer(
            to: call, as: key ?? self.key, from: ServerAPIHost(baseURL: url, environment: .sandbox))
    }

    /// The failure of that call; nil: it has its answer.
    func failure(_ url: String, as key: AppStoreKey? = nil) async -> GatewayFailure? {
        switch await ask(url, as: key) {
        case .failure(let failure): failure
        case .success: nil
        }
    }

    struct UnexpectedSuccess: Error {}
}

/// A clock that is moved by hand.
final class TestClock: Sendable {
    private let instant: Mutex<Timestamp>

    init(_ instant: Timestamp) { self.instant = Mutex(instant) }

    var now: Timestamp { instant.withLock { $0 } }

    func move(by duration: Milliseconds) { instant.withLock { $0 = $0.adding(duration) } }
}

extension GatewayConfiguration {
    /// With another deadline or pause, for servers that never answer.
    static func waiting(deadline: Milliseconds? = nil, read: Milliseconds? = nil) -> GatewayConfiguration {
        var configuration = GatewayConfiguration()
        // Longer than any machine is busy, so that only what a test is about comes to its end.
        configuration.deadline = deadline ?? .minutes(10)
        configuration.readTimeout = read ?? .minutes(10)
        configuration.connectTimeout = .minutes(5)
        return configuration
    }
}
