import AppStoreModel
import AppStoreSimulator
import Foundation
import Primitives
import StrictJSON

/// The files of a setup.
extension Setup {
    /// One file: only its owner may read it, whatever it holds.
    struct File {
        let name: String
        let content: String
    }

    /// All files, the configuration last: if it exists, the others exist.
    func files() async throws -> [File] {
        var files = [File(name: Self.keysName, content: keysText), File(name: Self.guideName, content: guideText)]
        var roots: [String] = []
        if purpose == .local {
            let store = try localAppStore()
            roots = [store.rootFingerprintText, try await store.receiptRootFingerprintText()]
            files.append(File(name: Self.authorityName, content: try await store.exportedAuthority()))
            files.append(File(name: Self.clockName, content: ClockFile.text(of: store.clockNow())))
        }
        return files + [File(name: Self.configurationName, content: configuration(trusting: roots))]
    }

    static let configurationName = "tenure.json"
    static let keysName = "keys.env"
    static let guideName = "tenure.md"
    static let authorityName = "store.pem"
    static let clockName = "store.clock"
    static let stateName = "store.state"
    static let databaseName = "tenure.sqlite"

    /// Made only for its keys and its root.
    private func localAppStore() throws -> AppStoreSimulator {
        guard let catalogue else { throw CommandError("A local App Store needs a .storekit file: --catalogue.") }
        return try AppStoreSimulator(
            configuration: SimulatorConfiguration(
                bundleId: bundleId, appAppleId: appAppleId ?? 1, environment: .sandbox,
                catalogue: try CatalogueFile.read(catalogue), startsAt: startsAt ?? MachineClock().now()))
    }

    /// For a shell: `. ./keys.env`.
    private var keysText: String {
        """
        # Keys of the app \(app), made by tenure init. TENURE_SERVER_KEY and TENURE_CUSTOMER_TOKEN_SECRET belong to your
        # backend alone; TENURE_PUBLIC_KEY is built into the app. The server key is stored only here:
        # tenure.json has its SHA-256.
        TENURE_APP_URL=\(address)/api/v1/apps/\(app)
        TENURE_SERVER_KEY=\(keys.serverKey)
        TENURE_PUBLIC_KEY=\(keys.publicKey)
        TENURE_CUSTOMER_TOKEN_SECRET=\(keys.customerTokenSecret)

        """
    }

    /// `tenure.json`, with one member per line where people will change it.
    private func configuration(trusting roots: [String]) -> String {
        var members = [
            ("http", "{ \"host\": \"127.0.0.1\", \"port\": \(port) }"),
            ("database", "{ \"sqlite\": \(Self.json(path(Self.databaseName))) }"),
        ]
        if !roots.isEmpty {
            // A user who opens the log while trying Tenure sees what matters.
            members.append(("logLevel", Self.json("notice")))
            members.append(("trust", "{ \"appleRoots\": false, \"additionalRootSHA256\": \(Self.list(roots)) }"))
            members.append(("clock", "{ \"file\": \(Self.json(path(Self.clockName))) }"))
            members.append(("localAppStore", Self.object(localAppStoreMembers, at: 1)))
        }
        members.append(("webhooks", "{ \"secretKeys\": \(Self.list([keys.webhookSecretKey])) }"))
        members.append(("apps", "[\n    \(Self.object(appMembers, at: 2))\n  ]"))
        return Self.object(members, at: 0) + "\n"
    }

    private var localAppStoreMembers: [(String, String)] {
        var members = [
            ("catalogue", Self.json(catalogue ?? "")), ("authority", Self.json(path(Self.authorityName))),
            ("state", Self.json(path(Self.stateName))), ("port", "\(storePort)"),
        ]
        if let startsAt { members.append(("startsAt", "\(startsAt.millisecondsSince1970)")) }
        return members
    }

    private var appMembers: [(String, String)] {
        var members = [("id", Self.json(app.rawValue)), ("bundleId", Self.json(bundleId))]
        if let appAppleId { members.append(("appAppleId", "\(appAppleId)")) }
        members += [
            ("environments", Self.list(environments.map(\.rawValue))), ("publicKey", Self.json(keys.publicKey)),
            ("serverKeySHA256", Self.json(keys.serverKeySHA256)),
            ("customerTokenSecret", Self.json(keys.customerTokenSecret)),
            ("sandboxAccess", testers.map { "{ \"testers\": \(Self.list($0)) }" } ?? "\"everyone\""),
            ("products", Self.object(products.map { ($0.id, Self.list($0.entitlements)) }, at: 3)),
        ]
        return members
    }

    private static func json(_ text: String) -> String {
        var writer = JSONWriter()
        writer.string(text)
        return writer.text
    }

    private static func list(_ texts: [String]) -> String { "[\(texts.map(json).joined(separator: ", "))]" }

    /// An object with each member on its own line.
    private static func object(_ members: [(String, String)], at depth: Int) -> String {
        let margin = String(repeating: "  ", count: depth)
        let lines = members.map { "\(margin)  \(json($0.0)): \($0.1)" }
        return "{\n\(lines.joined(separator: ",\n"))\n\(margin)}"
    }
}

extension Setup {
    /// A local App Store continues from its state with its earlier keys: its signatures would not be trusted. And without the
    /// state the earlier identifiers are used again, for which the server's database has other purchases.
    private func checkNothingOfEarlierKeys() throws {
        guard purpose == .local else { return }
        let kept = [Self.stateName, Self.databaseName].map(path).filter { FileManager.default.fileExists(atPath: $0) }
        guard kept.isEmpty else {
            throw CommandError(
                """
                \(kept.joined(separator: " and ")) belong to an earlier local App Store, and new keys do not fit \
                it. Remove them, or use another --folder.
                """)
        }
    }

    /// Writes all files, or none where one of them exists already.
    ///
    /// - Throws: `CommandError` that names those that exist, unless they are to be replaced.
    func write(replacing: Bool) async throws {
        let files = try await files()
        let present = files.map { path($0.name) }.filter { FileManager.default.fileExists(atPath: $0) }
        guard replacing || present.isEmpty else {
            throw CommandError("Existing files were not changed: \(present.joined(separator: ", ")). --force replaces them.")
        }
        try checkNothingOfEarlierKeys()
        // It must be what `serve` reads; a strange value is reported before anything is written.
        if let configuration = files.last {
            _ = try TenureConfiguration(json: Array(configuration.content.utf8), environment: [:])
        }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for file in files { try SecretFile.writeNew(file.content, to: path(file.name), replacing: replacing) }
    }
}
