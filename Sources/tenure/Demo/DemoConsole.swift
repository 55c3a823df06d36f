import Backend
import Console
import Crypto
import Delivery
import Hummingbird
import Logging
import OperatorFactors
import Primitives
import Server
import ServiceLifecycle

/// The console beside the demo, into which a link leads without a password: everything in it is made up, and it listens on this
/// machine alone.
struct DemoConsole {
    private static let operatorName = "demo"

    private let desk: OperatorDesk
    private let door: OperatorDoor
    private let url: ConsoleURL
    private let port: Int
    /// Whoever has it is let in as long as the demo runs.
    private let key = SecretToken(random: SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) })

    /// - Throws: `CommandError` where the port is none.
    init(_ backend: Backend, port: Int) throws {
        guard (1...65535).contains(port) else { throw CommandError("--console-port must be 1 to 65535.") }
        self.port = port
        url = try ConsoleURL("http://127.0.0.1:\(port)")
        let secrets = try SecretBox(keys: [SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) }])
        desk = OperatorDesk(backend, secrets: secrets, clock: MachineClock())
        door = OperatorDoor(desk, backend, at: url)
    }

    /// Where a newcomer begins.
    var link: String { "\(url.origin)/demo/\(key.text)" }

    /// Makes the operator of the demo.
    func prepare() async throws {
        _ = try await desk.make(Self.operatorName, grants: [OperatorGrant(app: nil, role: .admin)], by: .commandLine)
    }

    func application(_ backend: Backend, _ deliveries: DeliveryDesk, logger: Logger) -> some ApplicationProtocol {
        var dependencies = ConsoleDependencies(
            backend: backend, door: Door(door: door, path: "/demo/\(key.text)"), site: url.site, version: TenureCommand.version)
        (dependencies.isClockSimulated, dependencies.deliveries) = (true, deliveries)
        var configuration = ServerConfiguration()
        configuration.port = port
        return buildConsole(dependencies, configuration: configuration, logger: logger)
    }

    /// The usual door, and one address that lets in.
    private struct Door: ConsoleDoor {
        let door: OperatorDoor
        let path: String

        func admit(_ call: ConsoleCall) async throws -> ConsoleAdmission {
            guard call.path == path else { return try await door.admit(call) }
            return .answer(try await door.letIn(DemoConsole.operatorName, call))
        }

        func note(_ route: ConsoleRoute, by visitor: ConsoleVisitor, _ call: ConsoleCall) async throws {
            try await door.note(route, by: visitor, call)
        }

        func page(of route: ConsoleRoute, for visitor: ConsoleVisitor) async throws -> any PageModel {
            try await door.page(of: route, for: visitor)
        }
    }
}
