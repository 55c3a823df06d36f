import AppStoreWire
import Backend
import Foundation
import GRDB
import Ledger
import Primitives
import Storage
import StorageSQLite
import Synchronization

/// A clock that stands still where the test sets it.
final class StandingClock: TimeSource {
    private let instant: Mutex<Timestamp>

    init(_ instant: Timestamp) { self.instant = Mutex(instant) }

    func now() -> Timestamp { instant.withLock { $0 } }

    func set(_ instant: Timestamp) { self.instant.withLock { $0 = instant } }
}

/// The inside of a server: real verifier, real SQLite file, a clock that stands still. Two apps are configured, `app` and
/// `other`.
struct World: Sendable {
    static let alice = CustomerID("alice")
    static let bob = CustomerID("bob")
    static let app = AppID("app")
    static let other = AppID("other")
    /// The app without its Sandbox.
    static let productionOnly = ExpectedApp(bundleId: "com.example.app", appAppleId: 42, environments: [.production])

    let store: any Store
    let path: String
    let backend: Backend
    let apple: PretendAppStore
    let clock = StandingClock(PretendAppStore.june.adding(.days(1)))

    /// What Apple sends with a notification V1.
    static let sharedSecret = "5ha2ed"

    init(path: String, sandboxAccess: SandboxAccess = .testers([Self.alice]), policy: AppPolicy = AppPolicy()) throws {
        apple = try PretendAppStore.shared.get()
        self.path = path
        store = try SQLiteStore(path: path)
        backend = Backend(
            store: store, verifier: apple.verifier,
            apps: [
                Self.settings(Self.app, bundleId: "com.example.app", sandboxAccess: sandboxAccess, policy: policy),
                Self.settings(Self.other, bundleId: "com.example.other", sandboxAccess: sandboxAccess, policy: policy),
            ], clock: clock)
    }

    private static func settings(
        _ id: AppID, bundleId: String, sandboxAccess: SandboxAccess, policy: AppPolicy
    ) -> AppSettings {
        let entry = EntitlementMap.Entry(
            productId: ProductID("plus.monthly"), validFrom: Timestamp(millisecondsSince1970: 0),
            entitlements: [EntitlementID("plus")])
        var settings = AppSettings(
            id: id, expected: ExpectedApp(bundleId: bundleId, appAppleId: 42, environments: [.production, .sandbox]),
            policy: policy,
            entitlements: EntitlementMap(entries: [entry]), sandboxAccess: sandboxAccess)
        if id == app { settings.sharedSecrets = ["of the account", sharedSecret] }
        return settings
    }

    static func key(_ id: String = "1001", _ app: AppID = app, _ environment: Primitives.Environment = .production)
        -> SubscriptionKey
    {
        SubscriptionKey(app: app, environment: environment, originalTransactionId: OriginalTransactionID(id))
    }

    func receive(_ notification: Notification, app: AppID = app) async throws -> Backend.NotificationOutcome {
        try await backend.receiveNotification(try apple.body(notification), app: app)
    }

    func claim(
        _ customer: CustomerID, _ kind: Claim.Kind = .purchase, _ purchase: Purchase = Purchase(),
        renewalInfo: RenewalInfo? = nil,
        app: AppID = app
    ) async throws -> Backend.ClaimResult {
        let upload = Backend.Upload(
            customer: customer, kind: kind, productId: nil, signedTransactionInfo: try apple.sign(purchase),
            signedRenewalInfo: try renewalInfo.map { try apple.sign($0) })
        return try await backend.claim(upload, app: app)
    }

    func isActive(_ customer: CustomerID, _ environment: Primitives.Environment = .production, app: AppID = app)
        async throws -> Bool
    {
        try await backend.entitlements(of: customer, app: app, environment: environment, at: nil).overall.isActive
    }

    /// How many rows each table has.
    func rowCounts() throws -> [String: Int] {
        try DatabaseQueue(path: path).writeWithoutTransaction { database in
            let tables = try String.fetchAll(database, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
            return try Dictionary(
                uniqueKeysWithValues: tables.map { ($0, try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM \($0)") ?? 0) })
        }
    }

    func texts(_ sql: String) throws -> [String] {
        try DatabaseQueue(path: path).writeWithoutTransaction { try String.fetchAll($0, sql: sql) }
    }
}

extension WorkPauses {
    /// No attempt is cut short by real time, however busy the machine is.
    static let patient = WorkPauses(
        untilNextLook: { try await Task.sleep(for: $0) }, untilTimeIsUp: { _ in try await Task.sleep(for: .seconds(86_400)) })
}

/// So many worlds are there at once at the most. All tests begin together, and each world has some thirty files open: without a
/// limit a slow machine ran out of them.
private actor OpenWorlds {
    static let all = OpenWorlds()
    private static let most = 64
    private var open = 0
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func enter() async {
        if open < Self.most {
            open += 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    /// Hands the place on, where somebody waits for it.
    func leave() {
        if waiting.isEmpty { open -= 1 } else { waiting.removeFirst().resume() }
    }
}

/// Runs the body with a world whose file is removed afterwards.
func withWorld(
    sandboxAccess: SandboxAccess = .testers([World.alice]), policy: AppPolicy = AppPolicy(), _ body: (World) async throws -> Void
) async throws {
    await OpenWorlds.all.enter()
    do {
        try await inFolder(sandboxAccess: sandboxAccess, policy: policy, body)
    } catch {
        await OpenWorlds.all.leave()
        throw error
    }
    await OpenWorlds.all.leave()
}

private func inFolder(
    sandboxAccess: SandboxAccess, policy: AppPolicy, _ body: (World) async throws -> Void
) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "tenure-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer {
        do { try FileManager.default.removeItem(at: folder) } catch { print("\(folder) is left over: \(error)") }
    }
    try await body(try World(path: folder.appending(path: "tenure.sqlite").path(), sandboxAccess: sandboxAccess, policy: policy))
}

extension BackendError {
    /// The verifier's reason, if there was one.
    var refusal: String? {
        if case .refusedEvidence(let refusal) = self { return refusal.code }
        return nil
    }
}

/// The code of the verifier's refusal that the body throws; nil where it throws none.
func refusal(_ body: () async throws -> Void) async throws -> String? {
    do {
        try await body()
        return nil
    } catch let error as BackendError {
        return error.refusal
    }
}
