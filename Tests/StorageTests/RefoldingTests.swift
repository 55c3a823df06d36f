import Foundation
import GRDB
import Ledger
import Primitives
import Storage
import Testing

@testable import StorageSQLite

/// A subscription that another version of Tenure's rules wrote, and that this version writes again.
@Suite struct `What another version of the fold wrote` {
    /// The rows as a version would have written them whose rules gave one more day, and nothing to Bob.
    private static func rewrite(_ file: DatabaseFile, holdings: [(CustomerID, Holding)]) throws {
        let policy = try StateCoding.encode(AppPolicy())
        try file.query { database in
            try database.execute(
                sql: "INSERT INTO policy (id, foldVersion, policy) VALUES (7, ?, ?)",
                arguments: [SubscriptionState.foldVersion - 1, policy])
            try database.execute(sql: "UPDATE subscription SET policy = 7; DELETE FROM holding")
            for (customer, holding) in holdings {
                try database.execute(
                    sql: "INSERT INTO holding VALUES (1, ?, ?, ?)",
                    arguments: [
                        customer.rawValue, Life.key.originalTransactionId.rawValue, Data(HoldingCoding.encode(holding)),
                    ])
            }
        }
    }

    private static func longer(_ holding: Holding) throws -> Holding {
        let span = try #require(holding.spans.last)
        let until = try #require(span.until)
        let longer = AccessSpan(
            from: span.from, until: until.adding(.days(1)), productId: span.productId, kind: span.kind,
            endsBecause: span.endsBecause)
        return Holding(
            originalTransactionId: holding.originalTransactionId, spans: holding.spans.dropLast() + [longer],
            words: holding.words)
    }

    @Test func `AUDIT-1 Access that only another version of the rules changes has an audit row of its own, before the fact's`()
        async throws
    {
        try await withDatabase { file in
            let store = try SQLiteStore(path: file.path)
            try await store.write { try Life.write($0) }
            let rows = try await store.auditRows(of: Life.key, after: 0, limit: 100)
            let today = try #require(try await store.holdings(of: Life.alice, in: Life.scope).first)
            let end = try #require(today.spans.last?.until)
            try Self.rewrite(file, holdings: [(Life.alice, try Self.longer(today))])
            try await store.write { try Life.keep(3, $0) }
            let new = Array(try await store.auditRows(of: Life.key, after: Int64(rows.count), limit: 100).map(\.row))
            #expect(new.count == 2)
            let refolded = try #require(new.first)
            #expect(refolded.actor == .tenure)
            #expect(refolded.evidence == [])
            #expect(refolded.customer == Life.alice)
            #expect(refolded.effectiveAt == end)
            #expect(refolded.before.provisionalUntil == end.adding(.days(1)))
            #expect(refolded.after.provisionalUntil == end)
            #expect(new.last?.actor == .appStore)
            #expect(new.last?.before.provisionalUntil == end)
        }
    }

    @Test func `AUDIT-1 A customer with access by today's rules alone has a row, one with unchanged access has none`()
        async throws
    {
        try await withDatabase { file in
            let store = try SQLiteStore(path: file.path)
            try await store.write { try Life.write($0) }
            let count = Int64(try await store.auditRows(of: Life.key, after: 0, limit: 100).count)
            let today = try #require(try await store.holdings(of: Life.alice, in: Life.scope).first)
            try Self.rewrite(file, holdings: [(Life.alice, today)])
            try await store.write { try Life.keep(3, $0) }
            let same = try await store.auditRows(of: Life.key, after: count, limit: 100).map(\.row.actor)
            #expect(same == [.appStore])
            try file.query { try $0.execute(sql: "UPDATE subscription SET policy = 7; DELETE FROM holding") }
            try await store.write { try Life.keep(4, $0) }
            let gained = try await store.auditRows(of: Life.key, after: count + 1, limit: 100).map(\.row)
            #expect(gained.map(\.actor) == [.tenure, .appStore])
            #expect(gained.first?.before.exists == false)
            #expect(gained.first?.effectiveAt == Life.start)
            #expect(try await store.holdings(of: Life.alice, in: Life.scope).count == 1)
        }
    }
}
