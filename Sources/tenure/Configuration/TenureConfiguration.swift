import AppStoreWire
import Backend
import Foundation
import Logging
import Primitives
import Server
import StrictJSON

/// The whole configuration of `tenure serve`: the configuration file, and environment variables that override it
/// (docs/operations/configuration.md).
struct TenureConfiguration {
    var server = ServerConfiguration()
    /// Where metrics can be read; nil: nowhere.
    var metrics: MetricsListenerConfiguration?
    var database: DatabaseAddress
    var roots: TrustRoots
    var distrustedLeafSerials: Set<String>
    var logLevel: Logger.Level
    var apps: [AppConfiguration]
    /// The file of a local App Store's clock, which the server follows; nil: the machine's clock.
    var clockFile: String?
    /// The local App Store that takes Apple's place; nil: none, or one that was started with options.
    var localAppStore: LocalAppStoreConfiguration?

    /// What signs answers; nil where none are signed (ENT-10).
    var signer: AnswerSigner?
    /// How events are sent to those who want them.
    var webhooks: WebhooksConfiguration
    /// Where people reach the console, and how they are let in.
    var console: ConsoleConfiguration

    private static let names: Set<String> = [
        "http", "database", "trust", "logLevel", "apps", "clock", "localAppStore", "signedAnswers", "webhooks", "console",
    ]

    /// Reads the file.
    ///
    /// - Throws: `CommandError` that names the member and what it should be.
    init(path: String, environment variables: [String: String]) throws {
        let bytes = try Self.bytes(path)
        try self.init(json: bytes, environment: variables)
        if let warning = try Self.warningOfReaders(path, bytes) { Console.complain("warning: \(warning)") }
        for warning in warnings(environment: variables) { Console.complain("warning: \(warning.text)") }
    }

    /// The content of the file.
    static func bytes(_ path: String) throws -> [UInt8] {
        do {
            return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        } catch {
            throw CommandError("The configuration file \(path) cannot be read: \(error.localizedDescription)")
        }
    }

    private static let secretMembers = ["\"customerTokenSecret\"", "\"sharedSecrets\"", "\"secretKeys\""]

    /// The warning where the file holds secrets that others can read; nil where it is fine.
    static func warningOfReaders(_ path: String, _ bytes: [UInt8]) throws -> String? {
        guard secretMembers.contains(where: { bytes.firstRange(of: Array($0.utf8)) != nil }),
            try FileAccess.isReadableByOthers(path)
        else { return nil }
        return "\(path) contains secrets that other users can read: chmod 600 \(path)"
    }

    /// Reads the text of a file.
    init(json bytes: [UInt8], environment variables: [String: String]) throws {
        do {
            try self.init(reading: bytes, variables)
        } catch let error as JSONFieldError {
            throw CommandError(error)
        }
    }

    private init(reading bytes: [UInt8], _ variables: [String: String]) throws {
        let document: JSONDocument
        do throws(JSONError) {
            document = try JSONDocument(bytes)
        } catch {
            throw CommandError("The configuration is not strict JSON: \(error).")
        }
        let file = try JSONFields(document.root, knowing: Self.names)
        let http = try file.fields("http", knowing: Self.httpNames)
        server = try Self.server(http, variables)
        metrics = try Self.metrics(http, beside: server)
        database = try DatabaseAddress(file.fields("database", knowing: ["sqlite", "postgres"]), variables)
        let trust = try file.fields("trust", knowing: Self.trustNames)
        roots = try Self.roots(trust)
        distrustedLeafSerials = Set(try trust?.texts("distrustedLeafSerials") ?? [])
        for serial in distrustedLeafSerials.sorted() where LeafSerial.readings(of: serial) == nil {
            throw CommandError(
                """
                trust.distrustedLeafSerials: \(serial) is not a serial number. Write it in hexadecimal, as \
                `openssl x509 -serial` prints it, or in decimal.
                """)
        }
        logLevel = try Self.logLevel(variables["TENURE_LOG_LEVEL"] ?? file.text("logLevel") ?? "info")
        apps = try (file.list("apps") ?? []).map { try AppConfiguration($0, environment: variables) }
        signer = try AnswerSigner(in: file)
        webhooks = try WebhooksConfiguration(in: file, environment: variables)
        console = try ConsoleConfiguration(in: file, beside: server)
        clockFile = try Self.clockFile(file, roots)
        localAppStore = try LocalAppStoreConfiguration(in: file, roots: roots)
        guard !apps.isEmpty else { throw CommandError("apps is missing or empty: there is nothing to serve.") }
        guard Set(apps.map(\.settings.id)).count == apps.count else { throw CommandError("Two apps have the same id.") }
    }

    private static let trustNames: Set<String> = [
        "appleRoots", "additionalRootSHA256", "xcodeCertificateSHA256", "distrustedLeafSerials",
    ]

    private static let httpNames: Set<String> = [
        "host", "port", "maximumConnections", "connectionsPerAddress", "wrongKeysPerMinute", "metricsPort", "metricsAddress",
    ]

    private static func server(_ http: JSONFields?, _ variables: [String: String]) throws -> ServerConfiguration {
        var server = ServerConfiguration()
        server.host = try variables["TENURE_HOST"] ?? http?.text("host") ?? server.host
        if let text = variables["TENURE_PORT"] {
            guard let port = Int(text), (0...65535).contains(port) else { throw CommandError("TENURE_PORT must be 0 to 65535.") }
            server.port = port
        } else if let port = try http?.integer("port", in: 0...65535) {
            server.port = Int(port)
        }
        if let maximum = try http?.integer("maximumConnections", in: 1...1_000_000) { server.maximumConnections = Int(maximum) }
        if let each = try http?.integer("connectionsPerAddress", in: 0...1_000_000) { server.connectionsPerAddress = Int(each) }
        if let each = try http?.integer("wrongKeysPerMinute", in: 0...AppConfiguration.mostPerMinute) {
            server.wrongKeysPerMinute = Int(each)
        }
        return server
    }

    /// A listener of its own: whoever reaches it reads everything that is measured, without a key.
    private static func metrics(
        _ http: JSONFields?, beside server: ServerConfiguration
    ) throws -> MetricsListenerConfiguration? {
        let address = try http?.text("metricsAddress")
        guard let port = try http?.integer("metricsPort", in: 0...65535).map({ Int($0) }) else {
            guard address == nil else { throw CommandError("http.metricsAddress says nothing without http.metricsPort.") }
            return nil
        }
        guard port == 0 || port != server.port else {
            throw CommandError("http.metricsPort is the port of the API too: metrics have a listener of their own.")
        }
        var listener = MetricsListenerConfiguration(port: port)
        if let address { listener.host = address }
        return listener
    }

    /// Apple's root, unless it is switched off, and the roots that the file names. There is no way to trust everything.
    private static func roots(_ trust: JSONFields?) throws -> TrustRoots {
        let base: TrustRoots = try trust?.bool("appleRoots") ?? true ? .apple : TrustRoots(fingerprints: [])
        let added = try trust?.texts("additionalRootSHA256") ?? []
        var roots = base
        for text in added { roots = roots.adding(fingerprint: try fingerprint(text, "trust.additionalRootSHA256")) }
        for text in try trust?.texts("xcodeCertificateSHA256") ?? [] {
            roots = roots.adding(xcodeFingerprint: try fingerprint(text, "trust.xcodeCertificateSHA256"))
        }
        guard !roots.fingerprints.isEmpty else { throw CommandError("trust names no root: nothing could be verified.") }
        return roots
    }

    /// Also as `openssl x509 -fingerprint -sha256` writes it, with colons.
    private static func fingerprint(_ text: String, _ place: String) throws -> [UInt8] {
        guard let fingerprint = Hexadecimal.decode(text), fingerprint.count == 32 else {
            throw CommandError("\(place) must hold SHA-256 digests: 64 hexadecimal digits, with or without colons.")
        }
        return fingerprint
    }

    /// A simulated clock must never be used with real purchases.
    private static func clockFile(_ file: JSONFields, _ roots: TrustRoots) throws -> String? {
        guard let path = try file.fields("clock", knowing: ["file"])?.requiredText("file") else { return nil }
        guard roots.fingerprints.isDisjoint(with: TrustRoots.apple.fingerprints) else {
            throw CommandError("clock.file is for tests against a local App Store: it needs trust.appleRoots to be false.")
        }
        return path
    }

    /// Where the server's time comes from.
    ///
    /// - Throws: `CommandError` where the clock's file has no time in it.
    func clock() throws -> any TimeSource {
        if let clockFile { return try FollowedClock(path: clockFile) }
        return MachineClock()
    }

    private static func logLevel(_ spelling: String) throws -> Logger.Level {
        guard let level = Logger.Level(rawValue: spelling) else {
            throw CommandError("logLevel must be one of \(Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")).")
        }
        return level
    }
}
