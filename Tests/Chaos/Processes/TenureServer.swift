import Crypto
import Foundation
import Glibc
import Primitives
import SpawnedProcesses
import StrictJSON

/// The database of the server under test.
enum Database: Sendable {
    /// A file.
    case sqlite(String)
    /// An address, `postgres://…`.
    case postgres(String)

    var kind: String {
        switch self {
        case .sqlite: "SQLite"
        case .postgres: "PostgreSQL"
        }
    }

    fileprivate func write(to writer: inout JSONWriter) {
        writer.object { writer in
            switch self {
            case .sqlite(let path): writer.member("sqlite", path)
            case .postgres(let address): writer.member("postgres", address)
            }
        }
    }
}

/// `tenure serve` as a separate process, which can be ended and started again on the same port.
final class TenureServer: Sendable {
    static let serverKey = "sk_chaos_harness"

    let port: Int
    let log: String
    private let binary: String
    private let configuration: String
    private let wrapper: [String]
    private let environment: [String: String]
    private let present = Present()

    /// The process that runs now.
    private actor Present {
        var child: Child?

        func set(_ child: Child?) { self.child = child }
    }

    /// How a server is started.
    struct Start: Sendable {
        /// The built `tenure`.
        var binary: String
        var database: Database
        /// Where its configuration and its log are written.
        var folder: String
        var name = "server"
        /// A program that runs it, with its arguments, such as a tracer; empty: none.
        var wrapper: [String] = []
        /// In addition to our own environment.
        var environment: [String: String] = [:]
    }

    /// Writes the configuration and takes a free port.
    init(_ start: Start, world: ChaosWorld) throws {
        port = try LoopbackPort.free()
        binary = start.binary
        wrapper = start.wrapper
        environment = start.environment
        log = "\(start.folder)/\(start.name).log"
        configuration = "\(start.folder)/\(start.name).json"
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("http") { writer in
                writer.object { writer in
                    writer.member("host", "127.0.0.1")
                    writer.member("port", Int64(port))
                }
            }
            writer.member("database") { start.database.write(to: &$0) }
            writer.member("logLevel", "error")
            writer.member("trust") { writer in
                writer.object { writer in
                    writer.member("appleRoots", false)
                    writer.member("additionalRootSHA256") { writer in
                        writer.array { $0.string(Hexadecimal.encode(world.signer.rootFingerprint)) }
                    }
                }
            }
            let digest = Hexadecimal.encode(SHA256.hash(data: Array(Self.serverKey.utf8)))
            writer.member("apps") { writer in
                writer.array { writer in
                    for app in world.apps { app.write(to: &writer, serverKeyDigest: digest) }
                }
            }
        }
        try Data(writer.bytes).write(to: URL(fileURLWithPath: configuration))
    }

    var address: String { "http://127.0.0.1:\(port)" }

    /// Starts the process; it may not answer yet.
    func start() async throws {
        guard await present.child == nil else { throw ChaosError("the server runs already") }
        var variables = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("TENURE_") }
        for (name, value) in environment { variables[name] = value }
        let words = wrapper + [binary, "serve", "--config", configuration]
        let child = try Child.spawn(
            words[0], Array(words.dropFirst()), environment: variables, streams: .init(output: log, errors: log))
        await present.set(child)
    }

    /// Ends the process with SIGKILL, as a power switch would.
    func kill() async throws {
        guard let child = await present.child else { return }
        try await child.kill()
        await present.set(nil)
    }

    /// How it ended, if it ended by itself; nil while it runs.
    func endedByItself() async -> Child.Ending? {
        guard let child = await present.child, let ending = child.ending() else { return nil }
        await present.set(nil)
        return ending
    }

    /// How it ended; nil if it still runs when the time is over.
    func waitForEnding(within limit: Duration) async throws -> Child.Ending? {
        guard let child = await present.child, let ending = try await child.waitForEnding(within: limit) else { return nil }
        await present.set(nil)
        return ending
    }

    func send(_ signal: Int32) async { await present.child?.send(signal) }

    /// The process id; nil while none runs.
    var pid: pid_t? { get async { await present.child?.pid } }

    /// Its last output, for the report of a failure.
    var lastWords: String {
        get throws {
            let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: log)), as: UTF8.self)
            return text.split(separator: "\n").suffix(5).joined(separator: "\n")
        }
    }
}
