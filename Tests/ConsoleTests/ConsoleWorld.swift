import AppStoreWire
import Backend
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Ledger
import Logging
import NIOCore
import Primitives
import Server
import Storage
import StorageSQLite
import Synchronization
import Testing

@testable import Console

/// A clock that stands still where the test sets it.
final class StandingClock: TimeSource {
    private let instant: Mutex<Timestamp>

    init(_ instant: Timestamp) { self.instant = Mutex(instant) }

    func now() -> Timestamp { instant.withLock { $0 } }

    func set(_ instant: Timestamp) { self.instant.withLock { $0 = instant } }
}

/// Admits whoever says a role in a header, and keeps what they opened.
final class HeaderDoor: ConsoleDoor {
    static let role = "Test-Role"
    static let language = "Test-Language"
    private let opened = Mutex<[ConsoleRoute]>([])

    var notes: [ConsoleRoute] { opened.withLock { $0 } }

    func admit(_ call: ConsoleCall) async throws -> ConsoleAdmission {
        guard let role = Self.value(Self.role, call), let known = OperatorRole(rawValue: role) else {
            return .answer(
                Response(status: .seeOther, headers: [.location: call.site.address(ofDoor: ["login"]).text]))
        }
        var visitor = ConsoleVisitor(name: "mia", roles: .everywhere(known))
        if Self.value("Test-App", call) == "none" { visitor = ConsoleVisitor(name: "mia", roles: .byApp([:])) }
        visitor.language = Self.value(Self.language, call).flatMap(Language.init(rawValue:))
        return .visitor(visitor)
    }

    func note(_ route: ConsoleRoute, by visitor: ConsoleVisitor, _ call: ConsoleCall) async throws {
        opened.withLock { $0.append(route) }
    }

    func page(of route: ConsoleRoute, for visitor: ConsoleVisitor) async throws -> any PageModel {
        guard case .operatorsAudit(let view) = route else { return OperatorsPage(operators: [], keys: []) }
        return AuditPage(view: view, notes: [], next: nil)
    }

    private static func value(_ name: String, _ call: ConsoleCall) -> String? {
        HTTPField.Name(name).flatMap { call.request.headers[$0] }
    }
}

/// The console over a real SQLite file, with one app that takes Production and Sandbox.
struct ConsoleWorld: Sendable {
    static let app = AppID("app")
    static let place = ConsolePlace(app, .production)
    static let alice = CustomerID("alice")
    static let bob = CustomerID("bob")

    let apple: PretendAppStore
    let clock = StandingClock(PretendAppStore.june.adding(.minutes(1)))
    let store: SQLiteStore
    let backend: Backend
    let door = HeaderDoor()

    /// - Parameter changed: the app's settings, before anything is served.
    init(
        path: String, product: String = "plus.monthly", policy: AppPolicy = AppPolicy(),
        changed: (AppSettings) throws -> AppSettings = { $0 }
    ) throws {
        apple = try PretendAppStore.shared.get()
        let settings = try changed(
            AppSettings(
                id: Self.app,
                expected: ExpectedApp(bundleId: "com.example.app", appAppleId: 42, environments: [.production, .sandbox]),
                policy: policy, entitlements: EntitlementMap(entries: [Self.entry(product)])))
        store = try SQLiteStore(path: path)
        backend = Backend(store: store, verifier: apple.verifier, apps: [settings], clock: clock)
    }

    static func entry(_ product: String) -> EntitlementMap.Entry {
        EntitlementMap.Entry(
            productId: Ledger.ProductID(product), validFrom: Timestamp(millisecondsSince1970: 0),
            entitlements: [EntitlementID("plus")])
    }

    var dependencies: ConsoleDependencies { dependencies(.atRoot) }

    func dependencies(_ site: ConsoleSite) -> ConsoleDependencies {
        ConsoleDependencies(backend: backend, door: door, site: site, version: "1.2.3")
    }

    func application(_ site: ConsoleSite = .atRoot, isSimulated: Bool = false) -> some ApplicationProtocol {
        var dependencies = dependencies(site)
        dependencies.isClockSimulated = isSimulated
        return application(dependencies)
    }

    func application(_ dependencies: ConsoleDependencies) -> some ApplicationProtocol {
        Application(
            responder: ConsoleResponder(dependencies),
            logger: Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() })
    }

    func claim(_ customer: CustomerID, _ kind: Claim.Kind, _ purchase: Purchase) async throws -> Backend.ClaimResult {
        try await backend.claim(
            Backend.Upload(
                customer: customer, kind: kind, productId: nil, signedTransactionInfo: try apple.sign(purchase),
                signedRenewalInfo: nil), app: Self.app)
    }

    func hear(_ notification: Notification) async throws {
        _ = try await backend.receiveNotification(try apple.body(notification), app: Self.app)
    }

    /// Alice buys and renews once; Bob's restore is refused; it expires, Bob buys it anew and owns it. What Alice buys beside it
    /// is refunded.
    func play() async throws {
        let june = PretendAppStore.june
        let first = Purchase()
        try await hear(Notification("00000000-0000-4000-8000-000000000001", about: first))
        clock.set(june.adding(.minutes(2)))
        _ = try await claim(Self.alice, .purchase, first)
        clock.set(june.adding(.days(3)))
        _ = try await claim(Self.bob, .restore, first)
        var renewal = RenewalInfo()
        renewal.signedDate = june.adding(.days(30))
        clock.set(june.adding(.days(30)).adding(.minutes(1)))
        try await hear(
            Notification("00000000-0000-4000-8000-000000000002", "DID_RENEW", about: first.renewed(), renewalInfo: renewal))
        clock.set(june.adding(.days(40)))
        let second = Purchase(transactionId: "2002", originalTransactionId: "2002", webOrderLineItemId: "92002").with {
            ($0.purchaseDate, $0.signedDate) = (june.adding(.days(40)), june.adding(.days(40)))
            $0.expiresDate = june.adding(.days(70))
        }
        _ = try await claim(Self.alice, .purchase, second)
        clock.set(june.adding(.days(42)))
        let refunded = second.with { ($0.revocationDate, $0.signedDate) = (june.adding(.days(41)), june.adding(.days(42))) }
        try await hear(Notification("00000000-0000-4000-8000-000000000003", "REFUND", about: refunded))
        clock.set(june.adding(.days(80)).adding(.minutes(1)))
        let again = first.with {
            ($0.transactionId, $0.webOrderLineItemId) = ("1003", "91003")
            ($0.purchaseDate, $0.signedDate) = (june.adding(.days(80)), june.adding(.days(80)))
            $0.expiresDate = june.adding(.days(110))
        }
        _ = try await claim(Self.bob, .purchase, again)
        clock.set(june.adding(.days(81)))
    }
}

extension ConsoleWorld {
    /// The second version holds from 11 June and gives restores; the third reaches back to 6 June and changes a product, and is
    /// tried once more.
    func changePolicy() async throws {
        let june = PretendAppStore.june
        _ = try await backend.adoptSettings()
        clock.set(june.adding(.days(10)))
        var order = SettingsOrder(
            app: Self.app,
            content: SettingsContent(policy: AppPolicy(onRestore: .transfer), products: [Self.entry("plus.monthly")]),
            actor: "mia")
        _ = try await backend.apply(order)
        clock.set(june.adding(.days(20)))
        var policy = AppPolicy(onRestore: .ask)
        (policy.restoreLimit, policy.balanced) = (nil, [EntitlementID("plus")])
        let content = SettingsContent(
            policy: policy, products: [Self.entry("plus.yearly")], durations: [Ledger.ProductID("pass"): .days(30)])
        order = SettingsOrder(app: Self.app, content: content, actor: "bo")
        order.from = june.adding(.days(5))
        order.code = try ConfirmationCode.of(content, app: Self.app, newest: 2, from: order.from)
        _ = try await backend.apply(order)
        let document = try await backend.settingsHistory(of: Self.app).last?.document
        clock.set(june.adding(.days(21)))
        _ = try await backend.startTrial("again", of: document, from: nil, app: Self.app)
    }
}

/// Runs the body with a world whose file is removed afterwards, after the story or before anything happened.
func withConsole(
    product: String = "plus.monthly", policy: AppPolicy = AppPolicy(), isEmpty: Bool = false,
    changed: (AppSettings) throws -> AppSettings = { $0 },
    _ body: (ConsoleWorld) async throws -> Void
) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "tenure-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer {
        do { try FileManager.default.removeItem(at: folder) } catch { print("\(folder) is left over: \(error)") }
    }
    let world = try ConsoleWorld(
        path: folder.appending(path: "tenure.sqlite").path(), product: product, policy: policy, changed: changed)
    if !isEmpty { try await world.play() }
    try await body(world)
}

/// An answer that was read.
struct Answer: Sendable {
    let status: HTTPResponse.Status
    let headers: HTTPFields
    let bytes: [UInt8]

    var text: String { String(decoding: bytes, as: UTF8.self) }
}

extension TestClientProtocol {
    func open(
        _ uri: String, as role: OperatorRole? = .admin, _ language: Language = .english, method: HTTPRequest.Method = .get,
        accepting: String = "text/html", headers more: [String: String] = [:], body: [UInt8]? = nil
    ) async throws -> Answer {
        var headers = HTTPFields()
        headers[.accept] = accepting
        var given = more
        given[HeaderDoor.role] = role?.rawValue
        given[HeaderDoor.language] = language.rawValue
        for (name, value) in given { if let name = HTTPField.Name(name) { headers[name] = value } }
        return try await execute(uri: uri, method: method, headers: headers, body: body.map { ByteBuffer(bytes: $0) }) {
            Answer(status: $0.status, headers: $0.headers, bytes: Array($0.body.readableBytesView))
        }
    }

    func json(_ uri: String, as role: OperatorRole = .admin) async throws -> Answer {
        try await open(uri, as: role, accepting: "application/json")
    }
}

/// Every page that can be asked for by a GET, for the fixed story.
enum Pages {
    static let all: [(name: String, page: ConsoleRoute.Page)] = [
        ("overview", .overview), ("search", .search(nil)), ("search-alice", .search("alice")), ("search-1001", .search("1001")),
        ("search-nothing", .search("nobody")), ("search-period", .search("910011")),
        ("search-notification", .search("00000000-0000-4000-8000-000000000003")),
        ("customer-alice", .customer(ConsoleWorld.alice, .init())),
        ("customer-bob", .customer(ConsoleWorld.bob, .init())),
        ("customer-unknown", .customer(CustomerID("nobody"), .init())),
        ("subscription-1001", .subscription(OriginalTransactionID("1001"), at: nil)),
        ("subscription-1001-in-june", .subscription(OriginalTransactionID("1001"), at: PretendAppStore.june.adding(.days(5)))),
        ("facts-1001", .records(OriginalTransactionID("1001"), .facts, before: 5)),
        ("subscription-2002", .subscription(OriginalTransactionID("2002"), at: nil)), ("inbox", .inbox(after: nil)),
        ("policy", .policy), ("catalogue", .catalogue), ("wall", .wall(.init())), ("wall-bob", .wall(.init(ConsoleWorld.bob))),
        ("offers", .offers), ("jobs", .jobs), ("verify", .verify),
    ]

    /// The same for the story of an app that has a wall and signs offers.
    static let shop: [(name: String, page: ConsoleRoute.Page)] = [
        ("shop-catalogue", .catalogue), ("shop-wall-alice", .wall(.init(ConsoleWorld.alice))),
        ("shop-wall-new", .wall(.init(CustomerID("carol"), storefront: "CHN", appVersion: "3.2"))), ("shop-offers", .offers),
        ("shop-inbox", .inbox(after: nil)), ("shop-overview", .overview),
        ("shop-customer", .customer(ConsoleWorld.alice, .init())),
    ]

    /// The same for the story of an app whose policy was changed twice.
    static let versions: [(name: String, page: ConsoleRoute.Page)] = [
        ("versions-policy", .policy), ("versions-1", .policyVersion(1)), ("versions-2", .policyVersion(2)),
        ("versions-3", .policyVersion(3)),
    ]

    static func path(_ page: ConsoleRoute.Page) -> String { ConsoleRoute.page(ConsoleWorld.place, page).path }
}
