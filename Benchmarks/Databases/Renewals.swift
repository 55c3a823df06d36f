import AppStoreWire
import Backend
import Foundation
import Ledger
import Primitives
import Server
import Storage

/// Stored subscriptions of three periods, each with its owner, and notifications about their renewals.
struct Renewals: Sendable {
    let samples: SignedSamples
    /// How many are stored.
    let subscriptions: Int

    init(subscriptions: Int) throws {
        samples = try SignedSamples()
        self.subscriptions = subscriptions
    }

    /// A subscription's life up to now: it ends in half a day, so its renewal may arrive at any moment.
    func life(_ number: Int) -> Life { Life(number: number, periods: 3, lastEnds: samples.signedAt.adding(.hours(12))) }

    /// A renewal that Apple has signed and that is not stored yet.
    struct Renewal: Sendable {
        let life: Life
        let notificationUUID: String
        /// The notification, and the two JWS inside it.
        let jws: String
        let transaction: String
        let renewalInfo: String
        /// What Apple posts.
        var body: [UInt8] { Array("{\"signedPayload\":\"\(jws)\"}".utf8) }
    }

    /// The renewal of the subscription's next period.
    func renewal(_ number: Int) throws -> Renewal { try renewal(of: life(number)) }

    func renewal(of life: Life) throws -> Renewal {
        let uuid = UUID().uuidString.lowercased()
        let charge = life.charge(life.periods)
        let (transaction, renewalInfo) = (try samples.transaction(charge), try samples.renewalInfo(charge))
        let jws = try samples.notification(of: (transaction, renewalInfo), uuid: uuid)
        return Renewal(life: life, notificationUUID: uuid, jws: jws, transaction: transaction, renewalInfo: renewalInfo)
    }

    /// In an order that is unrelated to their keys, each once.
    var shuffled: [Int] {
        var generator = SystemRandomNumberGenerator()
        return (0..<subscriptions).shuffled(using: &generator)
    }

    static let app = AppSettings(
        id: Life.app, expected: SignedSamples.app, policy: AppPolicy(), entitlements: Stage.entitlements)

    var verifier: AppStoreVerifier { AppStoreVerifier(roots: samples.roots) }

    func backend(_ store: any Store) -> Backend {
        Backend(store: store, verifier: verifier, apps: [Self.app], clock: MachineClock())
    }

    /// Through the rules and the store's own transaction, a few hundred subscriptions per commit; sealed at the end, as a
    /// server's chains are.
    func fill(_ store: any Store) async throws {
        let evidence = Evidence(form: .compactJWS, bytes: Array(try samples.transaction(SignedSamples.charge).utf8))
        for first in stride(from: 0, to: subscriptions, by: 500) {
            let lives = (first..<min(first + 500, subscriptions)).map(life)
            try await store.write { transaction in try Self.keep(lives, evidence, transaction) }
        }
        let (now, all) = (samples.signedAt, subscriptions)
        _ = try await store.write { try $0.seal(Life.app, at: now, limit: all) }
    }

    private static func keep(_ lives: [Life], _ evidence: Evidence, _ transaction: any StoreTransaction) throws {
        let scope = Scope(app: Life.app, environment: .production)
        _ = try transaction.keep(
            lives.flatMap { life in
                life.facts.map { Arrival(scope: scope, evidence: evidence, facts: [$0], receivedAt: $0.signedDate) }
            })
        for life in lives { try transaction.keep(life.claim, on: life.key) }
        try transaction.save(
            lives.map { life in
                try Saving(
                    stored: nil, decisions: [life.decision(on: life.inputs)], policy: AppPolicy(), learnedAt: life.lastEnds)
            })
    }
}

struct MachineClock: TimeSource {
    func now() -> Timestamp { Timestamp(millisecondsSince1970: Int64(Date().timeIntervalSince1970 * 1000)) }
}

/// A folder that exists while `body` runs.
enum TemporaryFolder {
    static func with<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tenure-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer {
            do {
                try FileManager.default.removeItem(at: folder)
            } catch {
                print("The folder \(folder.path) was left behind: \(error.localizedDescription)")
            }
        }
        return try await body(folder)
    }
}
