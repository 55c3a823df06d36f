import Ledger
import Primitives
import Storage
import Synchronization
import Testing

@testable import Backend

/// What a server knows of keys, over a real store.
@Suite struct `The ring of keys` {
    /// A steady clock that stands still where the test sets it.
    private final class SteadyTime: Sendable {
        private let instant = Mutex(ContinuousClock.now)

        func now() -> ContinuousClock.Instant { instant.withLock { $0 } }

        func pass(_ duration: Duration) { instant.withLock { $0 += duration } }
    }

    private static let now = Timestamp(millisecondsSince1970: 1_780_000_000_000)

    private static func digest(_ number: Int) -> [UInt8] {
        [UInt8(number / 256), UInt8(number % 256)] + [UInt8](repeating: 7, count: 30)
    }

    private static func key(_ number: Int, until end: Timestamp? = nil) -> StoredKey {
        var key = StoredKey(
            KeyName(World.app, "k\(number)"), .server, digest: KeyDigest(bytes: digest(number)), scopes: ["admin"],
            made: StoredKey.Making(at: now, by: "mia"))
        key.endsAt = end
        return key
    }

    private func withRing(_ body: (KeyRing, WatchedStore, SteadyTime) async throws -> Void) async throws {
        try await withWorld { world in
            let (watched, steady) = (WatchedStore(world.store), SteadyTime())
            let ring = KeyRing(
                WatchedStoreFace(watched: watched, writers: 1), metrics: BackendMetrics(world.backend.metrics.factory),
                steadyClock: { steady.now() })
            try await body(ring, watched, steady)
        }
    }

    private func name(_ ring: KeyRing, _ number: Int, at now: Timestamp = now, app: AppID = World.app) async throws -> String? {
        try await ring.key(digest: Self.digest(number), of: app, at: now)?.name
    }

    @Test func `A known key costs no question; a new one costs one, and works at once`() async throws {
        try await withRing { ring, watched, _ in
            try await watched.store.write { try $0.save(Self.key(1)) }
            try await ring.refresh()
            let before = watched.keyQuestions
            for _ in 0..<100 {
                let found = try await name(ring, 1)
                #expect(found == "k1")
            }
            #expect(watched.keyQuestions == before)
            try await watched.store.write { try $0.save(Self.key(2)) }
            for _ in 0..<100 {
                let found = try await name(ring, 2)
                #expect(found == "k2")
            }
            #expect(watched.keyQuestions == before + 1)
        }
    }

    @Test func `T24 made-up keys cost the database 40 questions at once, and 20 in a second`() async throws {
        try await withRing { ring, watched, steady in
            for number in 0..<500 {
                let found = try await name(ring, number)
                #expect(found == nil)
            }
            #expect(watched.keyQuestions == 40)
            steady.pass(.seconds(1))
            for number in 0..<500 {
                let found = try await name(ring, number)
                #expect(found == nil)
            }
            #expect(watched.keyQuestions == 60)
        }
    }

    @Test func `A key that was ended elsewhere opens nothing after the next look, and one that ends by itself at its instant`()
        async throws
    {
        try await withRing { ring, watched, _ in
            let end = Self.now.adding(.hours(1))
            try await watched.store.write { write in for key in [Self.key(1), Self.key(2, until: end)] { try write.save(key) } }
            try await ring.refresh()
            try await watched.store.write { try $0.save(Self.key(1, until: Self.now)) }
            try await ring.refresh()
            #expect(try await name(ring, 1) == nil)
            #expect(try await name(ring, 2, at: end.adding(Milliseconds(-1))) == "k2")
            #expect(try await name(ring, 2, at: end) == nil)
            #expect(try await name(ring, 2, app: AppID("other")) == nil)
        }
    }

    @Test func `While the database is away known keys go on, and of an unknown one is not said that it is wrong`() async throws {
        try await withRing { ring, watched, _ in
            try await watched.store.write { try $0.save(Self.key(1)) }
            try await ring.refresh()
            watched.fail(with: StorageError(.unavailable, "away"))
            await #expect(throws: StorageError.self) { try await ring.refresh() }
            #expect(try await name(ring, 1) == "k1")
            await #expect(throws: BackendError.self) { try await name(ring, 2) }
        }
    }

    @Test func `Uses that cannot be kept are kept later, the last hour of each`() async throws {
        try await withRing { ring, watched, _ in
            try await watched.store.write { try $0.save(Self.key(1)) }
            try await ring.refresh()
            let held = try #require(try await ring.key(digest: Self.digest(1), of: World.app, at: Self.now))
            ring.noteUse(of: held, at: Self.now)
            watched.fail(with: StorageError(.unavailable, "away"))
            await #expect(throws: StorageError.self) { try await ring.refresh() }
            let later = Self.now.adding(.hours(2))
            ring.noteUse(of: held, at: later)
            watched.fail(with: nil)
            try await ring.refresh()
            let kept = try await watched.store.apiKey(KeyDigest(bytes: Self.digest(1)))
            let hour = later.millisecondsSince1970 / 3_600_000 * 3_600_000
            #expect(kept?.lastUsedAt == Timestamp(millisecondsSince1970: hour))
        }
    }

    /// The checksum by hand: zlib's `crc32` of `tnr_sk_0123456789abcdefghijkl`, in base 62.
    @Test func `A key has the checksum that other programs compute, and any other character breaks it`() {
        let right = Array("tnr_sk_0123456789abcdefghijkl_00S62w".utf8)
        #expect(KeyText.isWellFormed(right))
        #expect(KeyText.crc32(Array("123456789".utf8)) == 0xCBF4_3926, "the check value of CRC-32/ISO-HDLC")
        for index in right.indices {
            var wrong = right
            wrong[index] = wrong[index] == UInt8(ascii: "z") ? UInt8(ascii: "y") : UInt8(ascii: "z")
            #expect(!KeyText.isWellFormed(wrong), "\(index)")
        }
        for other in [[], Array(right.dropLast()), right + [0x30], [UInt8](repeating: 0xFF, count: right.count)] {
            #expect(!KeyText.isWellFormed(other))
        }
        var generator = SystemRandomNumberGenerator()
        for kind in [StoredKey.Kind.server, .public] {
            let made = (0..<100).map { _ in KeyText.make(kind, by: &generator) }
            #expect(Set(made).count == 100 && made.allSatisfy { KeyText.isWellFormed(Array($0.utf8)) })
        }
    }
}
