import BenchmarkSamples
import Foundation
import Ledger
import Primitives

/// The minimum cost of a read and of a commit in the same file: plain prepared statements on rows that are found by their keys.
struct PlainAccess {
    private let raw: any RawDatabase
    private let begin: String
    private let ledger: RawValue
    private let read: Int
    private let looked: [(statement: Int, name: WrittenTable.Name)]
    private let changed: [(statement: Int, name: WrittenTable.Name)]
    private let added: [Int]

    /// A stand-in for the signed bytes of a renewal's notification, with the same length as these without their certificates.
    private static let document = RawValue.bytes([UInt8](repeating: 0, count: 4000))
    /// The tables that a renewal reads, and what it changes in some of them. A new value must differ from the old one: SQLite
    /// does not write a page that would stay the same.
    private static let columns = [
        ("fact", "decoded"), ("claim", "decoded"), ("tenure", "customer"), ("periodAlias", "period"), ("audit", "hash"),
        ("subscription", "history"), ("holding", "holding"), ("work", "dueAt"),
    ]
    private static func rewritten(_ kind: DatabaseKind) -> [(table: String, change: String)] {
        let bytes = kind == .sqlite ? "BLOB" : "bytea"
        return [
            ("subscription", "eventCount = eventCount + 1"), ("holding", "holding = CAST(holding || ' ' AS \(bytes))"),
            ("holding", "holding = CAST(substr(holding, 1, length(holding) - 1) AS \(bytes))"), ("work", "fence = fence + 1"),
        ]
    }
    private static let added = [
        "INSERT INTO evidence (ledger, form, receivedAt, notificationUUID, document) VALUES ($1, $2, $3, $4, $5)"
    ]

    init(_ site: any DatabaseSite) throws {
        let raw = try site.connect(GrowingDatabase.name)
        func found(_ table: String) -> (where: String, name: WrittenTable.Name) {
            let column = table == "holding" ? "customer" : table == "work" ? "subject" : "originalTransactionId"
            return ("ledger = $1 AND \(column) = $2", table == "holding" ? .customer : .subscription)
        }
        read = try raw.prepare("SELECT holding FROM holding WHERE \(found("holding").where)")
        looked = try Self.columns.map { table, column in
            (try raw.prepare("SELECT \(column) FROM \(table) WHERE \(found(table).where)"), found(table).name)
        }
        changed = try Self.rewritten(site.kind).map { table, change in
            (try raw.prepare("UPDATE \(table) SET \(change) WHERE \(found(table).where)"), found(table).name)
        }
        added = try Self.added.map { try raw.prepare($0) }
        guard let number = try raw.run("SELECT id FROM ledger").first?.first?.number else {
            throw BenchError("nothing was ever kept")
        }
        (self.raw, begin, ledger) = (raw, site.begin, .integer(number))
    }

    /// Reads of what customers have; in milliseconds each.
    func reads(_ customers: [CustomerID]) throws -> [Double] {
        try customers.map { customer in
            let start = ContinuousClock.now
            let rows = try raw.run(read, [ledger, .text(customer.rawValue)])
            let time = (ContinuousClock.now - start).seconds * 1000
            guard !rows.isEmpty else { throw BenchError("a customer has nothing") }
            return time
        }
    }

    /// Reads the rows that renewals of the lives will read, so that their pages are in memory for some seconds.
    func look(at lives: [Life]) throws {
        for life in lives {
            for (statement, name) in looked { try raw.run(statement, [ledger, text(name, life)]) }
        }
    }

    private func text(_ name: WrittenTable.Name, _ life: Life) -> RawValue {
        .text(name == .customer ? life.customer.rawValue : life.originalTransactionId.rawValue)
    }

    /// Transactions that read eight tables and rewrite four rows of them for each of this many lives, as their renewals would,
    /// and add one row. In milliseconds for each transaction.
    func commits(of batch: Int, _ lives: [Life]) throws -> [Double] {
        try stride(from: 0, to: lives.count, by: batch).map { first in
            let start = ContinuousClock.now
            try raw.script(begin)
            for life in lives[first..<min(first + batch, lives.count)] {
                for (statement, name) in looked + changed {
                    try raw.run(statement, [ledger, text(name, life)])
                }
                let now = RawValue.integer(life.lastEnds.millisecondsSince1970)
                try raw.run(added[0], [ledger, .text("compactJWS"), now, .text(UUID().uuidString), Self.document])
            }
            try raw.script("COMMIT")
            return (ContinuousClock.now - start).seconds * 1000
        }
    }
}
