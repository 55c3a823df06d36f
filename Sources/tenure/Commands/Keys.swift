import ArgumentParser
import Backend
import Crypto
import Foundation
import Ledger
import Primitives
import Server

struct Keys: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make, list and end the keys of an app (docs/operations/keys.md).",
        discussion: """
            Without a subcommand: new keys for the configuration file, where each one goes, and what to write into it. The \
            server key is shown once and not stored; the configuration holds only its SHA-256.
            """,
        subcommands: [FileKeys.self, AddKey.self, ListKeys.self, EndKey.self], defaultSubcommand: FileKeys.self)
}

/// Keys for the configuration file.
struct FileKeys: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "file", abstract: "Make the first keys of an app, for the configuration file.")

    func run() {
        let keys = AppKeys()
        Console.print(
            """
            For your backend, as a secret (shown only now):
              server key            \(keys.serverKey)
              customerTokenSecret   \(keys.customerTokenSecret)
            For the app itself:
              public key            \(keys.publicKey)
            For Tenure's configuration file:
              "publicKey": "\(keys.publicKey)",
              "serverKeySHA256": "\(keys.serverKeySHA256)",
              and the customerTokenSecret above, best as an environment variable (tenure serve --help).
            """)
    }
}

struct AddKey: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Make a key in the database; running servers take it at once.",
        discussion: """
            The key itself is printed once, alone on the first line, and is not kept. Scopes: \
            \(KeyScope.allCases.map(\.rawValue).joined(separator: ", ")).
            """)

    @Argument(help: "Its name in the audit: 1 to 64 of a-z, 0-9 and -. No other key ever has it.")
    var name: String

    @Option(name: .long, help: "What it may do; repeatable. Unless said: a server key all but admin, a public key all it can.")
    var scope: [String] = []

    @Flag(name: .customLong("public"), help: "For the app itself, in place of your backend.")
    var isPublic = false

    @Option(name: .long, help: "Until when it holds, such as 2026-12-31T00:00:00Z; without end unless said.")
    var until: String?

    @Option(name: .long, help: "Who makes it, for the record.")
    var actor = "commandLine"

    @OptionGroup var choice: AppChoice

    func run() async throws {
        let usual = isPublic ? Backend.publicScopes : KeyScope.allButAdmin
        var order = KeyOrder(
            name: name, kind: isPublic ? "public" : "server", scopes: scope.isEmpty ? usual.map(\.rawValue) : scope)
        (order.endsAt, order.actor) = (try until.map { try InstantArgument.read($0, option: "--until") }, actor)
        let wanted = order
        let (configuration, app) = try choice.read()
        let made = try await configuration.withBackend { backend, _ in
            try await KeyLine.sayingWhy { try await backend.makeKey(wanted, app: app.id, digest: SecretDigest.of) }
        }
        Console.print(made.text)
        Console.print(KeyLine.text(of: made.report))
    }
}

struct ListKeys: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the keys that the database has: what each may do, until when, and its last use.")

    @OptionGroup var choice: AppChoice

    func run() async throws {
        let (configuration, app) = try choice.read()
        let keys = try await configuration.withBackend { backend, _ in try await backend.keys(of: app.id) }
        for key in keys { Console.print(KeyLine.text(of: key)) }
        if keys.isEmpty { Console.print("The database has no keys of \(app.id); those of the configuration file hold.") }
    }
}

struct EndKey: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "end", abstract: "End a key; running servers refuse it within 5 seconds.")

    @Argument(help: "Its name.")
    var name: String

    @Option(name: .long, help: "When, such as 2026-12-31T00:00:00Z; now unless said.")
    var at: String?

    @Option(name: .long, help: "Who ends it, for the record.")
    var actor = "commandLine"

    @OptionGroup var choice: AppChoice

    func run() async throws {
        let instant = try at.map { try InstantArgument.read($0, option: "--at") }
        let (configuration, app) = try choice.read()
        let ended = try await configuration.withBackend { backend, _ in
            try await KeyLine.sayingWhy { try await backend.endKey(name, of: app.id, at: instant, by: actor) }
        }
        Console.print(KeyLine.text(of: ended))
    }
}

/// A key as a line.
enum KeyLine {
    static func text(of key: KeyReport) -> String {
        let end = key.endsAt.map { key.holds ? "until \($0)" : "ended \($0)" } ?? "without end"
        let use = key.lastUsedAt.map { "used in the hour of \($0)" } ?? "never used"
        let warning = key.isUsedNearEnd ? [key.holds ? "STILL USED, and ends soon" : "was used in its last days"] : []
        let words = [key.name, key.kind, end, use] + warning + ["made \(key.madeAt) by \(key.madeBy)"]
        return (words + [key.scopes.joined(separator: " ")]).joined(separator: "  ")
    }

    /// A refusal in its own words.
    static func sayingWhy<Value>(_ body: () async throws -> Value) async throws -> Value {
        do { return try await body() } catch let refusal as KeyRefusal { throw CommandError(refusal.description) }
    }
}

/// New keys of one app for the configuration file, from the system's generator.
struct AppKeys {
    /// The backend's own key, which may act for any customer; the configuration holds only its digest.
    let serverKey = "sk_" + secret()
    /// Is built into the app.
    let publicKey = "appl_" + secret(bytes: 16)
    /// What the backend signs customer tokens with.
    let customerTokenSecret = secret()
    /// With which the secrets of webhooks are encrypted: 32 bytes in hexadecimal digits.
    let webhookSecretKey = secret()

    /// The SHA-256 of ``serverKey``, in hexadecimal digits.
    var serverKeySHA256: String { Hexadecimal.encode(SHA256.hash(data: Array(serverKey.utf8))) }

    private static func secret(bytes count: Int = 32) -> String {
        Hexadecimal.encode(SymmetricKey(size: .init(bitCount: count * 8)).withUnsafeBytes { Array($0) })
    }
}
