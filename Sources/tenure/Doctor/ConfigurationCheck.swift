import AppStoreModel
import AppStoreWire
import Backend
import Foundation
import Ledger
import Logging
import Primitives
import Server
import SimulatorPKI
import Storage

/// Checks a configuration, and what it refers to on this machine.
struct ConfigurationCheck {
    let configuration: TenureConfiguration
    let path: String
    let bytes: [UInt8]

    func diagnoses() async throws -> [Diagnosis] {
        var found = [read, try fileAccess] + (await database()) + [descriptors, clock, roots]
        if let store = configuration.localAppStore { found += localAppStore(store) }
        let trustsApple = configuration.roots.containsAppleRoot
        found += configuration.warningsOfApps(environment: ProcessInfo.processInfo.environment).map {
            .warning($0.subject, $0.words, $0.remedy)
        }
        return found + configuration.apps.flatMap { AppCheck(app: $0, trustsApple: trustsApple).diagnoses() }
    }

    private var read: Diagnosis {
        let apps = configuration.apps.map { "\($0.settings.id) (\($0.settings.expected.bundleId))" }.joined(separator: ", ")
        return .ok("configuration", "\(path) is readable; it serves \(apps)")
    }

    private var fileAccess: Diagnosis {
        get throws {
            if let warning = try TenureConfiguration.warningOfReaders(path, bytes) {
                return .problem("secrets", warning, "chmod 600 \(path)")
            }
            let keys = URL(fileURLWithPath: path).deletingLastPathComponent().appendingPathComponent(Setup.keysName).path
            if FileManager.default.fileExists(atPath: keys), try FileAccess.isReadableByOthers(keys) {
                return .problem("secrets", "\(keys) contains keys that other users can read.", "chmod 600 \(keys)")
            }
            return .ok("secrets", "no file with secrets can be read by other users")
        }
    }

    // MARK: What it runs on

    /// Opens it, as `serve --check` does; a SQLite file that does not exist yet is not created.
    private func database() async -> [Diagnosis] {
        let subject = "database"
        if case .sqlite(let file) = configuration.database {
            do {
                if let found = try databaseFile(file) { return [found] }
            } catch {
                return [.problem(subject, "\(file): \(error)", "let the user who runs tenure read it.")]
            }
        }
        do {
            let opened = try await OpenDatabase(
                configuration.database, logger: Logger(label: "tenure.doctor") { _ in SwiftLogNoOpLogHandler() })
            try await opened.store.checkHealth()
            let standings = try await standings(in: opened.store)
            try await opened.close()
            return [.ok(subject, "\(configuration.database) can be opened")] + standings
        } catch {
            return [
                .problem(
                    subject, "\(configuration.database): \(error)",
                    "see docs/operations/sqlite.md or postgresql.md; the user who runs tenure needs to read and write it.")
            ]
        }
    }

    /// Whether Apple has the server's address, and up to when nothing is missing, of the apps that Apple is asked about.
    private func standings(in store: any Store) async throws -> [Diagnosis] {
        let now = try configuration.clock().now()
        var found: [Diagnosis] = []
        for app in configuration.apps where app.settings.asksByKey {
            for stored in try await store.sweeps(of: app.settings.id) { found.append(standing(stored, at: now)) }
        }
        let apps = Set(configuration.apps.map(\.settings.id))
        found += try await store.apiKeys(of: nil).filter { apps.contains($0.name.app) }.compactMap { keyThatEnds($0, at: now) }
        return found
    }

    /// Nil for a key that has ended, or does not end soon.
    private func keyThatEnds(_ key: StoredKey, at now: Timestamp) -> Diagnosis? {
        guard let end = key.endsAt, key.holds(at: now), key.isNearEnd(at: now) else { return nil }
        let subject = "key \(key.name.name) of \(key.name.app)"
        guard key.isUsedNearEnd else { return .ok(subject, "ends \(end), and nobody uses it in its last days") }
        return .warning(
            subject, "ends \(end), and is still used.",
            "give whoever uses it another one (tenure keys add), or a later end (tenure keys end \(key.name.name) --at …).")
    }

    private func standing(_ stored: StoredSweepPlan, at now: Timestamp) -> Diagnosis {
        let subject = "what Apple told of \(stored.scope.app) in \(stored.scope.environment.rawValue)"
        let heard =
            stored.plan.heard.map { "the last notification came at \($0.receivedAt)" }
            ?? "no notification has come yet: is the server's URL in App Store Connect?"
        guard !SureWatch.isLate(stored, at: now) else {
            return .problem(
                subject, "it is sure only until \(stored.plan.sureUntil) that nothing is missing; \(heard).",
                "see `tenure call readApple`: the last error, and what is left to look through.")
        }
        return stored.plan.heard == nil
            ? .warning(subject, heard, "`tenure call requestTestNotification` has Apple post one.")
            : .ok(subject, "sure until \(stored.plan.sureUntil) that nothing is missing; \(heard)")
    }

    /// Nil where it exists and is as it should be.
    private func databaseFile(_ file: String) throws -> Diagnosis? {
        let folder = URL(fileURLWithPath: file).deletingLastPathComponent().path
        guard FileManager.default.isWritableFile(atPath: folder) else {
            return .problem(
                "database", "the folder of \(file) is missing or cannot be written.", "make \(folder), or name another file.")
        }
        guard FileManager.default.fileExists(atPath: file) else {
            return .ok("database", "\(file) does not exist yet; the first start creates it")
        }
        guard try FileAccess.isReadableByOthers(file) else { return nil }
        return .problem("database", "other users of this machine can read \(file).", "chmod 600 \(file)")
    }

    private var descriptors: Diagnosis {
        let connections = configuration.server.maximumConnections
        do {
            try DescriptorLimit.raise(forConnections: connections)
            return .ok("connections", "\(connections) at once are within the limit of open files")
        } catch {
            return .problem("connections", "\(error)", "raise the limit, or lower http.maximumConnections.")
        }
    }

    /// When this was written. No correct clock shows an earlier time.
    private static let earliest = Timestamp(millisecondsSince1970: 1_767_225_600_000)
    /// Nobody will run it then.
    private static let latest = Timestamp(millisecondsSince1970: 4_102_444_800_000)

    private var clock: Diagnosis {
        do {
            let now = try configuration.clock().now()
            if let file = configuration.clockFile {
                return .ok("clock", "the server uses \(file), a local App Store's clock, which says \(now)")
            }
            guard (Self.earliest...Self.latest).contains(now) else {
                return .problem(
                    "clock",
                    "this machine says \(now). What Apple signs may be refused as signedDateInFuture, or accepted too long.",
                    "set the machine's clock, and keep it right with NTP.")
            }
            return .ok("clock", "this machine says \(now)")
        } catch {
            return .problem("clock", "\(error)", "start the local App Store first: tenure simulate --config \(path)")
        }
    }

    // MARK: Whom it believes

    private var roots: Diagnosis {
        if let words = configuration.rootsBesideApples {
            return .problem(
                "trust", words,
                "remove it from trust.additionalRootSHA256, unless Apple publishes it as a root of its own; a local App Store "
                    + "needs a separate server.")
        }
        if let ending = endingRoot { return ending }
        return .ok(
            "trust",
            configuration.roots.containsAppleRoot
                ? "Apple's roots, and no others" + (firstEnd.map { "; the first one ends \($0)" } ?? "")
                : "\(configuration.otherRoots), and not Apple's: a server for tests; Apple's notifications are refused")
    }

    private var firstEnd: Timestamp? { configuration.roots.authorities.min()?.notValidAfter }

    /// A root that ends soon (F19); nil where none does, or where the clock cannot be read, which is a problem of its own.
    private var endingRoot: Diagnosis? {
        let now: Timestamp
        do { now = try configuration.clock().now() } catch { return nil }
        guard let notice = CertificateWatch.soonest(of: configuration.roots.authorities, at: now) else { return nil }
        let words = "\(notice.certificate.name) ends \(notice.certificate.notValidAfter); what is signed later is refused."
        let remedy =
            "add Apple's new root to trust.additionalRootSHA256 (https://www.apple.com/certificateauthority/), or update."
        return notice.isUrgent ? .problem("trust", words, remedy) : .warning("trust", words, remedy)
    }

    private func localAppStore(_ store: LocalAppStoreConfiguration) -> [Diagnosis] {
        [catalogue(of: store)] + (store.authority.map { [authority($0)] } ?? [])
    }

    private func catalogue(of store: LocalAppStoreConfiguration) -> Diagnosis {
        let subject = "localAppStore.catalogue"
        do {
            let products = try CatalogueFile.read(store.catalogue).products
            let endless = withoutDuration(products)
            guard endless.isEmpty else {
                return .warning(
                    subject,
                    "\(endless.joined(separator: ", ")) does not renew, and no duration is configured: it gives nothing.",
                    "name its duration in apps[].nonRenewingDurations, such as P1M.")
            }
            let sold = products.filter { $0.kind != .consumable }.map(\.id.rawValue)
            let mapped = Set(configuration.apps.first?.settings.content.products.map(\.productId.rawValue) ?? [])
            let missing = sold.filter { !mapped.contains($0) }
            guard missing.isEmpty else {
                return .warning(
                    subject, "\(missing.joined(separator: ", ")) can be bought and give nothing.", "name them in apps[].products."
                )
            }
            return .ok(subject, "\(store.catalogue) is readable, and apps[].products has its products")
        } catch {
            return .problem(subject, "\(error)", "name the .storekit file of your Xcode project.")
        }
    }

    /// Apple does not say how long a non-renewing subscription lasts (PER-9).
    private func withoutDuration(_ products: [StoreProduct]) -> [String] {
        let named = Set(configuration.apps.first?.settings.content.durations.keys.map(\.rawValue) ?? [])
        return products.filter { $0.kind == .nonRenewingSubscription && !named.contains($0.id.rawValue) }.map(\.id.rawValue)
    }

    private func authority(_ file: String) -> Diagnosis {
        let subject = "localAppStore.authority"
        guard FileManager.default.fileExists(atPath: file) else {
            return .problem(
                subject, "\(file) is missing: the local App Store would create a root that no server trusts.",
                "tenure init local --force, or put the file back.")
        }
        do {
            let authority = try AuthorityFile(pem: String(contentsOfFile: file, encoding: .utf8))
            let ofReceipts = authority.receiptRootFingerprint.map { [(" of receipts", $0)] } ?? []
            let roots = [("", authority.signing.rootFingerprint)] + ofReceipts
            for (what, root) in roots where !configuration.roots.fingerprints.contains(root) {
                return .problem(
                    subject,
                    "its root\(what) is \(Hexadecimal.encode(root)), which is not trusted: what it signs is refused as "
                        + "rootNotTrusted.", "add it to trust.additionalRootSHA256.")
            }
            return .ok(subject, "its roots are trusted")
        } catch {
            return .problem(subject, "\(file) cannot be read: \(error)", "tenure init local --force writes a new one.")
        }
    }
}
