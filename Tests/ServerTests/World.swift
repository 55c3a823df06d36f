import AppStoreWire
import Backend
import Crypto
import Foundation
import GRDB
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Ledger
import Logging
import NIOCore
import NativeFace
import Primitives
import Server
import SimulatorPKI
import Storage
import StorageSQLite
import StrictJSON
import Synchronization
import Testing

/// A clock that stands still where the test sets it.
final class StandingClock: TimeSource {
    private let instant: Mutex<Timestamp>

    init(_ instant: Timestamp) { self.instant = Mutex(instant) }

    func now() -> Timestamp { instant.withLock { $0 } }

    func set(_ instant: Timestamp) { self.instant.withLock { $0 = instant } }
}

/// The server over a real SQLite file, with the apps `app` and `other`, and their keys; and `young`, which is not in Production
/// yet and has no secret for customer tokens.
struct World: Sendable {
    static let app = AppID("app")
    static let serverKey = "tsk_canary-server-key"
    static let publicKey = "tpk_canary-public-key"
    static let otherServerKey = "tsk_canary-other-server-key"
    static let youngServerKey = "tsk_canary-young-server-key"
    static let secret = Array("canary-secret-of-customer-tokens-32b".utf8)

    let path: String
    let apple: PretendAppStore
    let clock = StandingClock(PretendAppStore.june.adding(.days(1)))
    let store: any Store
    let dependencies: ServerDependencies

    /// - Parameter wrapping: puts something between the server and its store.
    init(path: String, wrapping: (any Store) -> any Store = { $0 }) throws {
        apple = try PretendAppStore.shared.get()
        self.path = path
        store = wrapping(try SQLiteStore(path: path))
        let backend = Backend(
            store: store, verifier: apple.verifier,
            apps: [
                Self.settings("app", bundleId: "com.example.app"), Self.settings("other", bundleId: "com.example.other"),
                Self.settings("young", bundleId: "com.example.young", environments: [.sandbox], sandboxAccess: .testers([])),
            ],
            clock: clock)
        dependencies = ServerDependencies(
            backend: backend,
            credentials: [
                Self.credentials("app", publicKey: Self.publicKey, serverKey: Self.serverKey),
                Self.credentials("other", publicKey: "tpk_other", serverKey: Self.otherServerKey),
                Self.credentials("young", publicKey: "tpk_young", serverKey: Self.youngServerKey, secret: nil),
            ])
    }

    private static func settings(
        _ id: String, bundleId: String, environments: Set<Primitives.Environment> = [.production, .sandbox],
        sandboxAccess: SandboxAccess = .testers([CustomerID("tester")])
    ) -> AppSettings {
        let entry = EntitlementMap.Entry(
            productId: ProductID("plus.monthly"), validFrom: Timestamp(millisecondsSince1970: 0),
            entitlements: [EntitlementID("plus")])
        return AppSettings(
            id: AppID(id), expected: ExpectedApp(bundleId: bundleId, appAppleId: 42, environments: environments),
            policy: AppPolicy(), entitlements: EntitlementMap(entries: [entry]), sandboxAccess: sandboxAccess)
    }

    private static func credentials(
        _ id: String, publicKey: String, serverKey: String, secret: [UInt8]? = World.secret
    ) -> AppCredentials {
        AppCredentials(
            app: AppID(id), publicKey: publicKey, serverKeyDigest: Array(SHA256.hash(data: Array(serverKey.utf8))),
            customerTokenSecret: secret)
    }

    func router(
        _ configuration: ServerConfiguration = ServerConfiguration(), signer: AnswerSigner? = nil, logger: Logger = .silent
    ) -> some ApplicationProtocol {
        let face = NativeFace(dependencies.backend, webhooks: .closed(dependencies.backend), signer: signer)
        return Application(
            router: ServerRouter(dependencies, faces: [face], configuration: configuration), logger: logger)
    }

    func application(_ configuration: ServerConfiguration, logger: Logger = .silent) -> some ApplicationProtocol {
        buildApplication(
            dependencies, faces: [NativeFace(dependencies.backend, webhooks: .closed(dependencies.backend))],
            configuration: configuration, logger: logger)
    }

    /// The total number of rows of all tables.
    func rowCount() throws -> Int {
        try DatabaseQueue(path: path).writeWithoutTransaction { database in
            let tables = try String.fetchAll(database, sql: "SELECT name FROM sqlite_schema WHERE type = 'table'")
            return try tables.reduce(0) { $0 + (try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM \($1)") ?? 0) }
        }
    }
}

/// Runs the body with a world whose file is removed afterwards.
func withWorld(wrapping: (any Store) -> any Store = { $0 }, _ body: (World) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "tenure-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer {
        do { try FileManager.default.removeItem(at: folder) } catch { print("\(folder) is left over: \(error)") }
    }
    try await body(try World(path: folder.appending(path: "tenure.sqlite").path(), wrapping: wrapping))
}

/// Runs the body with a world and an in-process client of its router.
func withRouter(
    wrapping: (any Store) -> any Store = { $0 }, _ body: @escaping @Sendable (World, any TestClientProtocol) async throws -> Void
) async throws {
    try await withWorld(wrapping: wrapping) { world in
        try await world.router().test(.router) { client in
            try await body(world, client)
            let live = try await client.get("/health/live", key: nil)
            #expect(live.status == .ok, "the server still answers")
        }
    }
}

extension Logger {
    static var silent: Logger { Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() } }
}

/// An answer that was read.
struct Answer: Sendable {
    let status: HTTPResponse.Status
    let headers: HTTPFields
    let text: String

    /// A member of the JSON object; nil where there is none.
    func member(_ name: String) -> String? {
        do {
            let value = try JSONDocument(Array(text.utf8)).root.object?[name]
            return value.map { $0.string ?? String(decoding: $0.rawBytes, as: UTF8.self) }
        } catch {
            return nil
        }
    }

    var code: String? { member("code") }

    /// Whether it is a problem as RFC 9457 and our API define it.
    var isProblem: Bool {
        headers[.contentType] == "application/problem+json" && member("type") == "about:blank"
            && member("status") == "\(status.code)"
            && code?.isEmpty == false && member("detail")?.isEmpty == false
    }
}

extension TestClientProtocol {
    func send(
        _ method: HTTPRequest.Method, _ uri: String, key: String? = World.serverKey, token: String? = nil, body: [UInt8]? = nil,
        type: String? = nil
    ) async throws -> Answer {
        var headers = HTTPFields()
        headers[.contentType] = type
        if let key { headers[.authorization] = "Bearer \(key)" }
        if let token, let name = HTTPField.Name("Tenure-Customer-Token") { headers[name] = token }
        let answer = try await execute(uri: uri, method: method, headers: headers, body: body.map { ByteBuffer(bytes: $0) }) {
            response in
            Answer(status: response.status, headers: response.headers, text: String(buffer: response.body))
        }
        if method != .head { ContractCheck.check(answer, to: method, uri) }
        return answer
    }

    func get(_ uri: String, key: String? = World.serverKey, token: String? = nil) async throws -> Answer {
        try await send(.get, uri, key: key, token: token)
    }

    func notify(_ body: [UInt8], app: String = "app") async throws -> Answer {
        try await send(.post, "/api/v1/apps/\(app)/apple/notifications", key: nil, body: body)
    }

    func upload(_ body: [UInt8], customer: String = "alice", key: String? = World.serverKey, token: String? = nil) async throws
        -> Answer
    {
        try await send(.post, "/api/v1/apps/app/customers/\(customer)/transactions", key: key, token: token, body: body)
    }
}

extension World {
    func uploadBody(_ purchase: Purchase = Purchase(), kind: String = "purchase") throws -> [UInt8] {
        Array(#"{"kind":"\#(kind)","signedTransactionInfo":"\#(try apple.sign(purchase))"}"#.utf8)
    }

    static let entitlements = "/api/v1/apps/app/customers/alice/entitlements"
}

/// Customer tokens as an app's backend mints them, and invalid ones.
struct TokenMint {
    var algorithm = "HS256"
    var secret = World.secret
    var subject: String? = #""alice""#
    var audience: String? = #""app""#
    var issuedAt: String?
    var expiresAt: String?
    var notBefore: String?
    var extra = ""

    init(at now: Timestamp) {
        let seconds = now.millisecondsSince1970 / 1000
        (issuedAt, expiresAt) = ("\(seconds)", "\(seconds + 3600)")
    }

    func with(_ change: (inout TokenMint) -> Void) -> TokenMint {
        var copy = self
        change(&copy)
        return copy
    }

    var text: String {
        let header = #"{"alg":"\#(algorithm)","typ":"JWT"\#(extra)}"#
        let claims = [("sub", subject), ("aud", audience), ("iat", issuedAt), ("exp", expiresAt), ("nbf", notBefore)]
            .compactMap { name, value in value.map { #""\#(name)":\#($0)"# } }.joined(separator: ",")
        let input = StrictBase64.encodeURL(Array(header.utf8)) + "." + StrictBase64.encodeURL(Array("{\(claims)}".utf8))
        let code = HMAC<SHA256>.authenticationCode(for: Array(input.utf8), using: SymmetricKey(data: secret))
        return input + "." + StrictBase64.encodeURL(Array(code))
    }
}
