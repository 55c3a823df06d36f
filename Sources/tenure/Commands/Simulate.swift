import AppStoreModel
import AppStoreSimulator
import ArgumentParser
import Foundation
import Hummingbird
import Logging
import NIOCore
import Primitives
import ServiceLifecycle
import SimulatorPKI
import UnixSignals

struct Simulate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "A local App Store: run one, or use a running one.",
        subcommands: [SimulateStart.self, SimulateDo.self, SimulatePlay.self], defaultSubcommand: SimulateStart.self)
}

struct SimulateStart: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "start",
        abstract: "Run a local App Store with a clock that moves on request, or by itself.",
        discussion: """
            It sells what a .storekit file lists, signs with a root of its own, posts notifications, and answers the App Store
            Server API and /verifyReceipt as Apple does. A server trusts it only if `trust.additionalRootSHA256` names that
            root, which is printed at the start and kept in --authority if that is given. See docs/local-app-store.md.
            """)

    @Option(
        name: .long,
        help: """
            The server's configuration with a localAppStore (`tenure init local`): it replaces missing options, including \
            the address for notifications.
            """)
    var config: String?

    @Option(name: .long, help: "The catalogue: a .storekit file. Needed unless --config or --state has one.")
    var catalogue: String?

    @Option(name: .long, help: "The bundle id of the app whose products it sells. Needed unless --config or --state has one.")
    var bundle: String?

    @Option(name: .long, help: "The app's Apple id; 1 unless given.")
    var appAppleId: Int64?

    @Option(name: .long, help: "Another app, as BUNDLE:APPLEID:CATALOGUE; may be repeated.")
    var app: [String] = []

    @Option(name: .long, help: "Production or Sandbox, for accounts that name none; Sandbox unless given.")
    var environment: String?

    @Option(name: .long, help: "Where to send the first app's notifications.")
    var notificationURL: String?

    @Option(name: .long, help: "Which notifications: v2 or v1.")
    var notificationVersion = "v2"

    @Option(name: .long, help: "What /verifyReceipt requires as `password`.")
    var sharedSecret: String?

    @Option(
        name: .long,
        help: """
            Where to listen. Any address but this machine's own opens everything to that network: all who reach it can make \
            purchases, make it post to any address, and read its keys.
            """)
    var host = "127.0.0.1"

    @Option(name: .long, help: "Another host name that it answers to, such as a container's; may be repeated.")
    var allowHost: [String] = []

    @Option(name: .long, help: "The port of the control API and the page; 8081 unless given, 0 takes any free one.")
    var port: Int?

    @Option(name: .long, help: "The port of Production's API and /verifyReceipt; 0 takes any free one, -1 none.")
    var productionPort = -1

    @Option(name: .long, help: "The port of Sandbox's; 0 takes any free one, -1 none.")
    var sandboxPort = -1

    @Option(name: .long, help: "The clock at the start, in milliseconds since 1970; now unless given.")
    var startsAt: Int64?

    @Option(
        name: .long, help: "How fast the clock runs by itself: 0 stopped, 1 real time, up to 1000000; 0 unless saved otherwise.")
    var rate: Int64?

    @Option(name: .long, help: "A file with the simulated time, for a server whose configuration names it as clock.file.")
    var clockFile: String?

    @Option(
        name: .long, help: "A PEM file with its keys and certificates; created if it is missing, so that its roots are kept."
    )
    var authority: String?

    @Option(name: .long, help: "The id of the In-App Purchase key that clients sign with.")
    var keyId = "SIMULATED1"

    @Option(name: .long, help: "That key, a .p8 file; created if it is missing.")
    var key: String?

    @Option(name: .long, help: "The seed of its identifiers; the same seed and calls give the same ones.")
    var seed: UInt64 = 1

    @Option(
        name: .long,
        help: """
            A file to continue from if it exists, and to save everything to at the end: people, purchases, keys, the clock. \
            It then replaces the options about apps, clock, seed and keys.
            """)
    var state: String?

    @Flag(name: .long, help: "Answer without Apple's rate limits; otherwise 429 as Apple does.")
    var withoutRateLimits = false

    func run() async throws { try await configured().open() }

    private func open() async throws {
        let simulator = try AppStoreSimulator(configuration: try simulatorConfiguration())
        if let rate { try await simulator.setClockRate(rate == 0 ? .stands : .factor(rate)) }
        if let notificationURL { try await simulator.setNotificationURL(notificationURL) }
        let receiptRoot = try await keptReceiptRoot(simulator)
        var logger = Logger(label: "tenure.simulate")
        logger.logLevel = .warning
        let application = simulator.buildApplication(logger: logger) { listener, port in
            switch listener {
            case .control:
                let root = simulator.rootFingerprintText
                Console.print("Local App Store at http://127.0.0.1:\(port)/control/v1  root SHA-256 \(root)")
                if let receiptRoot {
                    Console.print("Receipts are signed under another root, as Apple's are: SHA-256 \(receiptRoot)")
                }
            case .face(let environment):
                Console.print("App Store Server API and /verifyReceipt, \(environment.rawValue): http://127.0.0.1:\(port)")
            }
        }
        if let state { try StateFile.prepare(state) }
        do {
            try await ServiceGroup(
                configuration: .init(services: [application], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
            ).run()
        } catch let error as IOError where error.errnoCode == EADDRINUSE {
            let ports = [port ?? ControlAddress.usualPort, productionPort, sandboxPort].filter { $0 > 0 }.map { String($0) }
                .joined(separator: ", ")
            throw CommandError("Another process listens at one of the ports already: \(ports).")
        } catch {
            // What was done until then is saved, whatever ended the run.
            if let state { try StateFile.write(try await simulator.save(), to: state) }
            throw error
        }
        if let state { try StateFile.write(try await simulator.save(), to: state) }
    }

    /// The root of receipts, where --authority keeps it. An older file without it gets it now; the file of another store, beside
    /// a --state that has keys of its own, stays as it is.
    private func keptReceiptRoot(_ simulator: AppStoreSimulator) async throws -> String? {
        guard let authority else { return nil }
        let file =
            FileManager.default.fileExists(atPath: authority)
            ? try AuthorityFile(pem: String(contentsOfFile: authority, encoding: .utf8)) : nil
        if file.map({ $0.receipts == nil && $0.signing.rootDER == simulator.rootDER }) ?? true {
            try SecretFile.write(try await simulator.exportedAuthority(), to: authority)
        }
        return try await simulator.receiptRootFingerprintText()
    }

    private func simulatorConfiguration() throws -> SimulatorConfiguration {
        var configuration = try resumedConfiguration() ?? newConfiguration()
        configuration.outsideTime = { MachineClock().now() }
        (configuration.host, configuration.allowedHosts) = (host, allowHost)
        configuration.port = port ?? ControlAddress.usualPort
        if productionPort >= 0 { configuration.facePorts[.production] = productionPort }
        if sandboxPort >= 0 { configuration.facePorts[.sandbox] = sandboxPort }
        if let clockFile { configuration.clockMoved = try ClockFile.writer(to: clockFile) }
        configuration.limitsRates = !withoutRateLimits
        return configuration
    }

    /// Nil where there is no state to continue from. The options for the first app must agree with the state.
    private func resumedConfiguration() throws -> SimulatorConfiguration? {
        guard let state, FileManager.default.fileExists(atPath: state) else { return nil }
        let configuration = try SimulatorConfiguration(resuming: try StateFile.read(state))
        let saved = configuration.apps[0]
        if let bundle, bundle != saved.bundleId {
            throw CommandError("\(state) belongs to \(saved.bundleId), not to \(bundle). Use another --state.")
        }
        if let catalogue, try CatalogueFile.read(catalogue) != saved.catalogue {
            throw CommandError("\(state) was saved with another catalogue than \(catalogue). Use another --state.")
        }
        return configuration
    }

    private func newConfiguration() throws -> SimulatorConfiguration {
        guard let catalogue, let bundle else { throw CommandError("--catalogue and --bundle are needed for a new store.") }
        guard let environment = Primitives.Environment(rawValue: environment ?? "Sandbox") else {
            throw CommandError("--environment must be Production or Sandbox.")
        }
        guard let version = NotificationVersion(rawValue: notificationVersion) else {
            throw CommandError("--notification-version must be v2 or v1.")
        }
        var first = SimulatedApp(bundleId: bundle, appAppleId: appAppleId ?? 1, catalogue: try CatalogueFile.read(catalogue))
        first.notificationURLs[environment] = notificationURL
        first.notificationVersion = version
        first.sharedSecret = sharedSecret
        first.keys = [try inAppPurchaseKey()]
        var configuration = SimulatorConfiguration(
            apps: [first] + (try app.map(otherApp)), environment: environment,
            startsAt: startsAt.map { Timestamp(millisecondsSince1970: $0) } ?? MachineClock().now())
        configuration.seed = seed
        if let authority, FileManager.default.fileExists(atPath: authority) {
            configuration.authorityPEM = try String(contentsOfFile: authority, encoding: .utf8)
        }
        return configuration
    }

    private func otherApp(_ text: String) throws -> SimulatedApp {
        let parts = text.split(separator: ":", maxSplits: 2).map(String.init)
        guard parts.count == 3, let appAppleId = Int64(parts[1]) else {
            throw CommandError("--app must be BUNDLE:APPLEID:CATALOGUE, such as com.example.notes:42:Notes.storekit.")
        }
        var app = SimulatedApp(bundleId: parts[0], appAppleId: appAppleId, catalogue: try CatalogueFile.read(parts[2]))
        app.keys = [try inAppPurchaseKey()]
        return app
    }

    private func inAppPurchaseKey() throws -> InAppPurchaseKey {
        guard let key else { return InAppPurchaseKey(id: keyId) }
        if FileManager.default.fileExists(atPath: key) {
            return try InAppPurchaseKey(id: keyId, pem: try String(contentsOfFile: key, encoding: .utf8))
        }
        let made = InAppPurchaseKey(id: keyId)
        try SecretFile.write(made.pem ?? "", to: key)
        return made
    }
}

/// A file that only its owner may read.
enum SecretFile {
    static func write(_ text: String, to path: String) throws { try write(Data(text.utf8), to: path) }

    static func write(_ content: Data, to path: String) throws {
        let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
        guard FileManager.default.createFile(atPath: path, contents: content, attributes: attributes) else {
            throw CommandError("\(path) cannot be written.")
        }
    }

    /// A new file, so that no content is lost and no permissions of an old file remain.
    static func writeNew(_ text: String, to path: String, replacing: Bool) throws {
        if replacing, FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
        do {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .withoutOverwriting)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        } catch {
            throw CommandError("\(path) cannot be written: \(error.localizedDescription)")
        }
    }
}

/// What a local App Store saved.
enum StateFile {
    static func bytes(_ path: String) throws -> [UInt8] {
        do {
            return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        } catch {
            throw CommandError("The state \(path) cannot be read: \(error.localizedDescription)")
        }
    }

    static func read(_ path: String) throws -> SimulatorState {
        do {
            return try SimulatorStateFile.state(from: try bytes(path))
        } catch let error as SimulatorStateError {
            throw CommandError("\(path): \(error)")
        }
    }

    /// Fails at once for what would otherwise fail only at the end, when everything would be lost.
    static func prepare(_ path: String) throws {
        guard FileManager.default.isWritableFile(atPath: folder(of: path)) else {
            throw CommandError("\(path) cannot be written: its folder is missing, or is not ours.")
        }
    }

    /// Replaces the old file as a whole or not at all: the new one is on the disk before it gets its name.
    static func write(_ state: SimulatorState, to path: String) throws {
        let new = "\(path).\(ProcessInfo.processInfo.processIdentifier).new"
        try SecretFile.write(Data(try SimulatorStateFile.bytes(of: state)), to: new)
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: new))
        try file.synchronize()
        try file.close()
        guard rename(new, path) == 0 else { throw CommandError("\(path) cannot be written.") }
        let names = try FileHandle(forReadingFrom: URL(fileURLWithPath: folder(of: path)))
        fsync(names.fileDescriptor)
        try names.close()
    }

    private static func folder(of path: String) -> String {
        URL(fileURLWithPath: path).deletingLastPathComponent().path
    }
}

/// A `.storekit` file.
enum CatalogueFile {
    static func read(_ path: String) throws -> Catalogue {
        do {
            return try Catalogue(storeKitFile: Array(try Data(contentsOf: URL(fileURLWithPath: path))))
        } catch let error as CatalogueError {
            throw CommandError("The catalogue \(path) cannot be used: \(error)")
        } catch {
            throw CommandError("The catalogue \(path) cannot be read: \(error.localizedDescription)")
        }
    }
}
