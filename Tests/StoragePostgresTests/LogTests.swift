import Dispatch
import FaultProxy
import Ledger
import Primitives
import PrivatePostgres
import Storage
import Testing

@testable import StoragePostgres

extension PostgresTests {
    /// What PostgreSQL alone can get wrong about the order of the log: its transactions run side by side, and count from the
    /// beginning in another server.
    @Suite struct `The log` {
        private static let scope = Scope(app: AppID("app"), environment: .production)
        private static let start = Timestamp(millisecondsSince1970: 1_767_225_600_000)

        private static func key(_ id: String) -> SubscriptionKey { SubscriptionKey(scope, OriginalTransactionID(id)) }

        private static func withStore(
            _ body: (_ url: String, PostgresStore, PostgresConnection) async throws -> Void
        ) async throws {
            let server = try PrivatePostgres.shared()
            try await server.withDatabase { name in
                let url = server.url(name)
                let owner = try PostgresConnection(try server.settings(url), libpq: try Libpq.loaded())
                defer { owner.close() }
                try owner.migrate(PostgresSchema.steps, applicationRole: nil)
                let store = try await opened(url)
                do {
                    try await body(url, store, owner)
                } catch {
                    await store.close()
                    throw error
                }
                await store.close()
            }
        }

        private static func opened(_ url: String) async throws -> PostgresStore {
            var configuration = PostgresPool.Configuration()
            configuration.connections = 4
            return try await PostgresStore(
                try PrivatePostgres.shared().settings(url), libpq: try Libpq.loaded(), configuration, SplitMix64(seed: 1),
                knowing: PostgresSchema.version)
        }

        /// One more period of a subscription, which is told.
        private static func renew(_ id: String, _ number: Int64, in write: any StoreTransaction) throws {
            let key = key(id)
            var bought = TransactionFact(
                originalTransactionId: key.originalTransactionId, transactionId: TransactionID("\(id)-\(number)"),
                productId: ProductID("plus"), purchaseDate: start.adding(.hours(24 * 30 * number)),
                signedDate: start.adding(.hours(24 * 30 * number)))
            bought.expiresDate = start.adding(.hours(24 * 30 * (number + 1)))
            let stored = try write.lock([key], tokens: []).subscriptions[key]
            let decision = Decision(
                on: [.fact(.transaction(bought))], history: stored?.history ?? SubscriptionHistory(key: key),
                state: stored?.state, policy: AppPolicy(), learnedAt: start)
            try write.save([try Saving(stored: stored, decisions: [decision], policy: AppPolicy(), learnedAt: start)])
        }

        private static func told(_ id: String, _ events: [LoggedEvent]) -> [Int64] {
            events.filter { $0.subject == .subscription(key(id)) }.map(\.sequence)
        }

        @Test func `TELL-3 a transaction that began earlier and told later of one subscription stands after the other`()
            async throws
        {
            try await Self.withStore { url, store, _ in
                // Another server, so that the one that waits below holds nobody else up.
                let other = try await Self.opened(url)
                // So that the ledger is there, for which the first who write wait for each other.
                try await other.write { try Self.renew("before", 0, in: $0) }
                let place = try await other.logEnd(of: Self.scope)
                let (early, late) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
                async let first: Void = store.write { write in
                    try Self.renew("own", 0, in: write)
                    // What was written is sent before a question: now it has its number, which is the smaller one.
                    _ = try write.holdings(of: CustomerKey(Self.scope, CustomerID("alice")))
                    early.signal()
                    late.wait()
                    try Self.renew("shared", 1, in: write)
                }
                await Self.waiting(for: early)
                try await other.write { try Self.renew("shared", 0, in: $0) }
                // It is committed, and cannot be read while a transaction is open that may yet stand before it.
                #expect(try await other.log(of: Self.scope, after: place, limit: 100).events == [])
                #expect(try await other.logEnd(of: Self.scope) == place)
                late.signal()
                try await first
                await other.close()
                let events = try await store.log(of: Self.scope, after: place, limit: 100).events
                let numbers = Self.told("shared", events)
                #expect(numbers == Array(1...Int64(numbers.count)) && numbers.count >= 2)
                #expect(Self.told("own", events).first == 1)
                #expect(try await store.logEnd(of: Self.scope) == events.last?.place)
            }
        }

        /// The subscriptions that changed after a place, by id, and where the list ended.
        private static func changed(
            _ store: PostgresStore, after place: ChangePlace
        ) async throws -> (ids: [String], end: ChangePlace) {
            let page = try await store.listedSubscriptions(in: scope, after: place, limit: 100)
            return (page.items.map(\.originalTransactionId.rawValue), page.end)
        }

        @Test func `what a transaction changes that began earlier and waited for another is listed when it ends, and once`()
            async throws
        {
            try await Self.withStore { url, store, _ in
                let other = try await Self.opened(url)
                try await other.write { try Self.renew("before", 0, in: $0) }
                try await other.write { try Self.renew("shared", 0, in: $0) }
                let place = try await Self.changed(other, after: .start).end
                let (early, late) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
                async let first: Void = store.write { write in
                    try Self.renew("own", 0, in: write)
                    // What was written is sent before a question: now it has its number, which is the smaller one.
                    _ = try write.holdings(of: CustomerKey(Self.scope, CustomerID("alice")))
                    early.signal()
                    late.wait()
                    try Self.renew("shared", 2, in: write)
                }
                await Self.waiting(for: early)
                // Of a greater number, and committed first: nobody sees it while the smaller one is open.
                try await other.write { try Self.renew("shared", 1, in: $0) }
                try await other.write { try Self.renew("after", 0, in: $0) }
                #expect(try await Self.changed(other, after: place) == ([], place))
                late.signal()
                try await first
                let seen = try await Self.changed(other, after: place)
                #expect(Set(seen.ids) == ["own", "shared", "after"] && seen.ids.count == 3 && seen.ids.last == "after")
                let shared = try await other.listedSubscriptions(in: Self.scope, after: place, limit: 100).items.first {
                    $0.originalTransactionId.rawValue == "shared"
                }
                #expect(shared?.period?.transactionId == TransactionID("shared-2"), "as the last one left it")
                #expect(try await Self.changed(other, after: seen.end) == ([], seen.end))
                await other.close()
            }
        }

        @Test func `what changes in a database that was restored in another server is listed after what changed before`()
            async throws
        {
            try await Self.withStore { url, store, owner in
                try await store.write { try Self.renew("a", 0, in: $0) }
                try owner.runScript("UPDATE subscription SET writtenIn = writtenIn + 1000000000")
                let restored = try await Self.opened(url)
                let before = try await Self.changed(restored, after: .start)
                #expect(before.ids == ["a"] && before.end.transaction > 1_000_000_000)
                try await restored.write { try Self.renew("b", 0, in: $0) }
                #expect(try await Self.changed(restored, after: before.end).ids == ["b"])
                await restored.close()
            }
        }

        private static func waiting(for semaphore: DispatchSemaphore) async {
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async {
                    semaphore.wait()
                    continuation.resume()
                }
            }
        }

        @Test func `TELL-3 what is told in a database that was restored in another server stands after what was told before`()
            async throws
        {
            try await Self.withStore { url, store, owner in
                try await store.write { try Self.renew("a", 0, in: $0) }
                let before = try await store.log(of: Self.scope, after: .start, limit: 100)
                #expect(!before.events.isEmpty)
                // As the other server had counted further by a thousand million transactions.
                try owner.runScript("UPDATE outbox SET writtenIn = writtenIn + 1000000000")
                let restored = try await Self.opened(url)
                let end = LogPlace(
                    transaction: before.end.transaction + 1_000_000_000, row: before.end.row, event: before.end.event)
                #expect(try await restored.logEnd(of: Self.scope) == end)
                try await restored.write { try Self.renew("a", 1, in: $0) }
                let after = try await restored.log(of: Self.scope, after: end, limit: 100)
                #expect(after.events.first?.sequence == Int64(before.events.count) + 1)
                let base = try owner.one("SELECT base FROM logEpoch").integer(0)
                // Whoever starts next finds nothing to move.
                await (try Self.opened(url)).close()
                #expect(try owner.one("SELECT base FROM logEpoch").integer(0) == base && base > 1_000_000_000)
                await restored.close()
            }
        }
    }
}
