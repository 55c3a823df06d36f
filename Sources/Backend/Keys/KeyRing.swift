package import Ledger
import Metrics
package import Primitives
import Storage
import Synchronization

/// A key that holds, as whoever checks requests sees it.
package struct HeldKey: Sendable {
    let stored: StoredKey

    package var name: String { stored.name.name }
    /// Where it is neither, it opens nothing.
    package var isServer: Bool { stored.kind == .server }
    package var isPublic: Bool { stored.kind == .public }

    package func has(_ scope: KeyScope) -> Bool { stored.has(scope) }
}

/// The keys that hold, as this server knows them: no request waits for the database because of a key that is known.
///
/// ``refresh()`` reads all of them again and again, so that a key which another server ended opens nothing here a few seconds
/// later. A key that is not known is looked up, so that a new one works at once; those questions are limited, since anybody can
/// make up keys. While the database is away, known keys go on until their end.
package final class KeyRing: Sendable {
    /// How often ``refresh()`` is to be called: two of them and a slow answer are less than the 5 seconds that are promised.
    package static let interval = Duration.seconds(2)

    private struct State {
        var keys: [KeyDigest: StoredKey] = [:]
        /// The hours of use that are not kept yet.
        var uses: [KeyName: Timestamp] = [:]
        /// When all questions are back that may be asked at once; as ``RequestBudgets`` counts.
        var full: ContinuousClock.Instant?
    }

    /// Unknown keys that are looked up: 40 at once, and then 20 in a second.
    private static let (mostQuestions, betweenQuestions) = (40, Duration.milliseconds(50))

    private let store: any Store
    private let steadyClock: @Sendable () -> ContinuousClock.Instant
    private let metrics: BackendMetrics
    private let state = Mutex(State())

    init(
        _ store: any Store, metrics: BackendMetrics,
        steadyClock: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
    ) {
        (self.store, self.metrics, self.steadyClock) = (store, metrics, steadyClock)
    }

    /// The key of an app that has the digest; nil where there is none, it has ended, or it is another app's: none of these is
    /// answered faster than the others (T23, T44).
    ///
    /// - Parameter digest: its SHA-256.
    /// - Throws: `BackendError.store` where it is not known here and the database cannot say.
    package func key(digest bytes: [UInt8], of app: AppID, at now: Timestamp) async throws -> HeldKey? {
        let digest = KeyDigest(bytes: bytes)
        let known = state.withLock { $0.keys[digest] }
        if let known, known.name.app == app, known.holds(at: now) { return HeldKey(stored: known) }
        guard mayAsk() else { return nil }
        let found = try await translatingStorageErrors { try await store.apiKey(digest) }
        guard let found, found.name.app == app, found.holds(at: now) else { return nil }
        state.withLock { $0.keys[digest] = found }
        return HeldKey(stored: found)
    }

    /// Whether a question for an unknown key may be asked now.
    private func mayAsk() -> Bool {
        let now = steadyClock()
        return state.withLock { state in
            let full = max(state.full ?? now, now) + Self.betweenQuestions
            guard full - now <= Self.betweenQuestions * Self.mostQuestions else { return false }
            state.full = full
            return true
        }
    }

    /// Notes that a key was used: to the hour, and counted where it ends soon.
    package func noteUse(of held: HeldKey, at now: Timestamp) {
        let key = held.stored
        if key.isNearEnd(at: now) { metrics.countUseNearEnd(of: key.name.app) }
        let hour = now.beginningOfHour
        guard key.lastUsedAt.map({ $0 < hour }) ?? true else { return }
        state.withLock { state in
            state.keys[key.digest]?.lastUsedAt = hour
            state.uses[key.name] = hour
        }
    }

    /// Reads all keys, and keeps what was used since.
    ///
    /// - Throws: `StorageError`; what was known stays.
    package func refresh() async throws {
        try await keepUses()
        try await read()
    }

    /// Reads all keys.
    func read() async throws {
        let keys = try await store.apiKeys(of: nil)
        state.withLock { state in
            // Another server's note of the use may be older than ours.
            let used = state.keys.compactMapValues(\.lastUsedAt)
            state.keys = Dictionary(keys.map { ($0.digest, $0) }) { first, _ in first }
            for (digest, hour) in used where state.keys[digest].map({ ($0.lastUsedAt ?? hour) <= hour }) ?? false {
                state.keys[digest]?.lastUsedAt = hour
            }
        }
    }

    /// Keeps the hours of use that are not kept yet; those that cannot be kept are tried again.
    private func keepUses() async throws {
        let uses = state.withLock { state in
            defer { state.uses = [:] }
            return state.uses
        }
        guard !uses.isEmpty else { return }
        do {
            try await store.write { transaction in
                for app in Set(uses.keys.map(\.app)).sorted() {
                    for var key in try transaction.lockKeys(of: app) {
                        guard let hour = uses[key.name], key.lastUsedAt.map({ $0 < hour }) ?? true else { continue }
                        key.lastUsedAt = hour
                        try transaction.save(key)
                    }
                }
            }
        } catch {
            state.withLock { state in state.uses.merge(uses) { newer, _ in newer } }
            throw error
        }
    }
}

extension Timestamp {
    fileprivate var beginningOfHour: Timestamp {
        Timestamp(millisecondsSince1970: millisecondsSince1970 / Milliseconds.hours(1).count * Milliseconds.hours(1).count)
    }
}
