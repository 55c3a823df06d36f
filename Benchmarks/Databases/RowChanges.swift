import Crypto
import Foundation
import Primitives

/// A table of the store: what must be known to write the same rows into another one.
struct TableShape: Sendable {
    let name: String
    let key: [String]
    let others: [String]
    /// How to find its rows of one subscription quickly: a column, and which of a subscription's names it contains.
    let found: (column: String, by: Name)

    enum Name: Sendable { case subscription, customer }

    var columns: [String] { key + others }

    /// The rows that a notification adds before anything is decided; its document is found by its `notificationUUID`.
    static let fact = TableShape(
        name: "fact", key: ["ledger", "originalTransactionId", "factKey"],
        others: ["transactionId", "signedDate", "receivedAt", "decoded", "evidence"],
        found: ("originalTransactionId", .subscription))
    static let evidence = TableShape(
        name: "evidence", key: ["id"], others: ["ledger", "form", "receivedAt", "notificationUUID", "document"],
        found: ("notificationUUID", .subscription))

    /// The rows that follow from it, in the order in which the store writes them.
    static let decided: [TableShape] = [
        TableShape(
            name: "subscription", key: ["ledger", "originalTransactionId"],
            others: ["policy", "tenureRevision", "auditCount", "auditHead", "eventCount", "isSealed", "history"],
            found: ("originalTransactionId", .subscription)),
        TableShape(
            name: "tenure", key: ["ledger", "originalTransactionId", "revision", "effectiveFrom"],
            others: ["customer", "rule", "evidence", "learnedAt"], found: ("originalTransactionId", .subscription)),
        TableShape(
            name: "holding", key: ["ledger", "customer", "originalTransactionId"], others: ["holding"],
            found: ("customer", .customer)),
        TableShape(
            name: "periodAlias", key: ["ledger", "originalTransactionId", "alias"], others: ["period"],
            found: ("originalTransactionId", .subscription)),
        TableShape(
            name: "audit", key: ["ledger", "originalTransactionId", "sequence"], others: ["auditRow", "hash"],
            found: ("originalTransactionId", .subscription)),
        TableShape(
            name: "outbox", key: ["id"], others: ["ledger", "originalTransactionId", "sequence", "events", "createdAt"],
            found: ("originalTransactionId", .subscription)),
        TableShape(
            name: "work", key: ["id"],
            others: [
                "ledger", "subject", "workKey", "kind", "body", "dueAt", "isDecided", "asked", "attempts", "fence", "worker",
                "availableAt", "finishedAt", "failedAt", "lastError",
            ], found: ("subject", .subscription)),
    ]

    /// Every table, for comparing whole databases; each ordered by its unique columns.
    static let all: [(name: String, order: String)] =
        ([evidence, fact] + decided).map { ($0.name, $0.key.joined(separator: ", ")) } + [
            ("ledger", "id"), ("customer", "id"), ("jwsHeader", "id"), ("policy", "id"),
            ("claim", "ledger, originalTransactionId, claimId"),
            ("tokenRegistration", "app, token"), ("tokenOfSubscription", "app, token, ledger, originalTransactionId"),
            ("operatorWarning", "ledger, kind, value"), ("auditSeal", "app, number"),
            ("sealedHead", "app, number, ledger, originalTransactionId"),
        ]
}

/// One row that is written.
struct RowChange: Sendable {
    enum Kind: Sendable, Hashable { case insert, update, delete }

    let kind: Kind
    /// The table's name.
    let table: String
    /// Bound in the order of the statement: for an insert all columns, for an update the other columns and then the key, for a
    /// delete the key.
    let values: [RawValue]

    /// The one statement for the rows of a table that change in this way.
    static func sql(_ kind: Kind, _ table: TableShape) -> String {
        func numbered(_ columns: [String], from first: Int, _ separator: String) -> String {
            columns.enumerated().map { "\($1) = $\($0 + first)" }.joined(separator: separator)
        }
        let places = (1...table.columns.count).map { "$\($0)" }.joined(separator: ", ")
        switch kind {
        case .insert: return "INSERT INTO \(table.name) (\(table.columns.joined(separator: ", "))) VALUES (\(places))"
        case .update:
            return "UPDATE \(table.name) SET \(numbered(table.others, from: 1, ", ")) "
                + "WHERE \(numbered(table.key, from: table.others.count + 1, " AND "))"
        case .delete: return "DELETE FROM \(table.name) WHERE \(numbered(table.key, from: 1, " AND "))"
        }
    }
}

/// The rows that one notification wrote: first those of its content, then those that follow from it.
struct CapturedRows: Sendable {
    let originalTransactionId: String
    let said: [RowChange]
    let decided: [RowChange]

    var bytes: Int { (said + decided).reduce(0) { $0 + $1.values.reduce(0) { $0 + $1.byteCount } } }

    /// The rows of several notifications in one transaction, in the order in which the store writes them.
    static func transaction(_ captured: some Collection<CapturedRows>) -> [RowChange] {
        captured.flatMap(\.said)
            + captured.sorted { $0.originalTransactionId < $1.originalTransactionId }.flatMap(\.decided)
    }
}

/// Finds the rows that the store wrote, by comparing its database with one in the earlier state.
struct RowCapture {
    private let store: any RawDatabase
    private let before: any RawDatabase
    private let ledger: RawValue
    private var statements: [String: (store: Int, before: Int)] = [:]

    init(store: any RawDatabase, before: any RawDatabase) throws {
        (self.store, self.before) = (store, before)
        guard let id = try store.run(store.prepare("SELECT id FROM ledger"), []).first?.first else {
            throw BenchError("nothing was ever kept")
        }
        ledger = id
    }

    /// The rows that the notification about the subscription wrote.
    mutating func rows(of life: Life, notificationUUID: String) throws -> CapturedRows {
        let id = life.originalTransactionId.rawValue
        guard let evidence = try rows(of: .evidence, [ledger, .text(notificationUUID)]).store.first else {
            throw BenchError("notification \(notificationUUID) was not kept")
        }
        var said = [RowChange(kind: .insert, table: "evidence", values: evidence)]
        said += try changes(of: .fact, life)
        return CapturedRows(
            originalTransactionId: id, said: said, decided: try TableShape.decided.flatMap { try changes(of: $0, life) })
    }

    private mutating func changes(of table: TableShape, _ life: Life) throws -> [RowChange] {
        let name: RawValue =
            switch table.found.by {
            case .subscription: .text(life.originalTransactionId.rawValue)
            case .customer: .text(life.customer.rawValue)
            }
        let (now, before) = try rows(of: table, [ledger, name])
        let keys = table.key.count
        let known = Dictionary(before.map { ($0.prefix(keys), $0) }) { first, _ in first }
        let present = Set(now.map { $0.prefix(keys) })
        let gone = before.filter { !present.contains($0.prefix(keys)) }.map {
            RowChange(kind: .delete, table: table.name, values: Array($0.prefix(keys)))
        }
        return gone
            + now.filter { known[$0.prefix(keys)] != $0 }.map { row in
                known[row.prefix(keys)] == nil
                    ? RowChange(kind: .insert, table: table.name, values: row)
                    : RowChange(kind: .update, table: table.name, values: Array(row.dropFirst(keys) + row.prefix(keys)))
            }
    }

    private mutating func rows(of table: TableShape, _ values: [RawValue]) throws -> (store: [[RawValue]], before: [[RawValue]]) {
        if statements[table.name] == nil {
            let scope = values.count > 1 ? "ledger = $1 AND \(table.found.column) = $2" : "\(table.found.column) = $1"
            let sql = "SELECT \(table.columns.joined(separator: ", ")) FROM \(table.name) WHERE \(scope)"
            statements[table.name] = (try store.prepare(sql), try before.prepare(sql))
        }
        guard let numbers = statements[table.name] else { return ([], []) }
        return (try store.run(numbers.store, values), try before.run(numbers.before, values))
    }
}

/// Writes rows by plain prepared statements, each prepared once.
struct RowWriter {
    private let database: any RawDatabase
    private var statements: [String: [RowChange.Kind: Int]] = [:]
    private let begin: String

    init(_ database: any RawDatabase, begin: String) throws {
        self.database = database
        self.begin = begin
        for table in [.evidence, .fact] + TableShape.decided {
            statements[table.name] = [
                .insert: try database.prepare(RowChange.sql(.insert, table)),
                .delete: try database.prepare(RowChange.sql(.delete, table)),
            ]
            guard !table.others.isEmpty else { continue }
            statements[table.name]?[.update] = try database.prepare(RowChange.sql(.update, table))
        }
    }

    /// In one transaction, durable when it returns.
    func write(_ changes: [RowChange]) throws {
        try database.script(begin)
        do {
            try run(changes)
        } catch {
            try database.script("ROLLBACK")
            throw error
        }
        try database.script("COMMIT")
    }

    private func run(_ changes: [RowChange]) throws {
        for change in changes {
            guard let statement = statements[change.table]?[change.kind] else {
                throw BenchError("no statement for \(change.table)")
            }
            try database.run(statement, change.values)
        }
    }
}

/// Whole databases, compared: the same rows and the same bytes.
enum DatabaseComparison {
    struct Table: Hashable {
        let name: String
        var rows = 0
        var bytes = 0
        var digest: [UInt8] = []
    }

    static func tables(of database: any RawDatabase) throws -> [Table] {
        try TableShape.all.map { name, order in
            var (table, hasher) = (Table(name: name), SHA256())
            for row in try database.run(database.prepare("SELECT * FROM \(name) ORDER BY \(order)"), []) {
                table.rows += 1
                for value in row {
                    table.bytes += value.byteCount
                    hasher.update(data: Array("\(value.byteCount):".utf8))
                    hasher.update(data: value.binary ?? [])
                }
            }
            table.digest = Array(hasher.finalize())
            return table
        }
    }

    /// - Throws: `BenchError` where a table of one differs from the other's.
    static func check(_ ours: any RawDatabase, _ floor: any RawDatabase) throws {
        let (ours, floor) = (try tables(of: ours), try tables(of: floor))
        for (mine, theirs) in zip(ours, floor) where mine != theirs {
            throw BenchError(
                "\(mine.name): the store wrote \(mine.rows) rows of \(mine.bytes) bytes, "
                    + "the floor \(theirs.rows) of \(theirs.bytes)" + (mine.rows == theirs.rows ? ", or others" : ""))
        }
    }
}
