import BenchmarkSamples
import Crypto
import Foundation
import Primitives

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
    private let shapes: [String: TableShape]
    private var statements: [String: (store: Int, before: Int)] = [:]

    init(store: any RawDatabase, before: any RawDatabase) throws {
        (self.store, self.before) = (store, before)
        guard let id = try store.run(store.prepare("SELECT id FROM ledger"), []).first?.first else {
            throw BenchError("nothing was ever kept")
        }
        ledger = id
        shapes = try TableShape.all(in: store)
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
            originalTransactionId: id, said: said, decided: try WrittenTable.decided.flatMap { try changes(of: $0, life) })
    }

    private mutating func changes(of table: WrittenTable, _ life: Life) throws -> [RowChange] {
        let name: RawValue =
            switch table.by {
            case .subscription: .text(life.originalTransactionId.rawValue)
            case .customer: .text(life.customer.rawValue)
            }
        let (now, before) = try rows(of: table, [ledger, name])
        let keys = try shape(of: table).key.count
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

    private func shape(of table: WrittenTable) throws -> TableShape {
        guard let shape = shapes.named(table.name) else { throw BenchError("there is no table \(table.name)") }
        return shape
    }

    private mutating func rows(
        of table: WrittenTable, _ values: [RawValue]
    ) throws -> (store: [[RawValue]], before: [[RawValue]]) {
        if statements[table.key] == nil {
            let columns = try shape(of: table).columns.joined(separator: ", ")
            let sql = "SELECT \(columns) FROM \(table.name) WHERE ledger = $1 AND \(table.found)"
            statements[table.key] = (try store.prepare(sql), try before.prepare(sql))
        }
        guard let numbers = statements[table.key] else { return ([], []) }
        return (try store.run(numbers.store, values), try before.run(numbers.before, values))
    }
}

extension [String: TableShape] {
    /// A table by its name in the schema; PostgreSQL keeps names in small letters.
    func named(_ name: String) -> TableShape? { self[name] ?? self[name.lowercased()] }
}

/// Writes rows by plain prepared statements, each prepared once.
struct RowWriter {
    private let database: any RawDatabase
    private var statements: [String: [RowChange.Kind: Int]] = [:]
    private let begin: String

    init(_ database: any RawDatabase, begin: String) throws {
        self.database = database
        self.begin = begin
        let shapes = try TableShape.all(in: database)
        for table in WrittenTable.all {
            guard let shape = shapes.named(table.name) else { throw BenchError("there is no table \(table.name)") }
            statements[table.name] = [
                .insert: try database.prepare(RowChange.sql(.insert, shape)),
                .delete: try database.prepare(RowChange.sql(.delete, shape)),
            ]
            guard !shape.others.isEmpty else { continue }
            statements[table.name]?[.update] = try database.prepare(RowChange.sql(.update, shape))
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

    /// Of every table, by name.
    static func tables(of database: any RawDatabase) throws -> [Table] {
        try TableShape.all(in: database).values.sorted { $0.name < $1.name }.map { shape in
            var (table, hasher) = (Table(name: shape.name), SHA256())
            let (columns, order) = (shape.columns.joined(separator: ", "), shape.key.joined(separator: ", "))
            let sql = "SELECT \(columns) FROM \(shape.name)" + (order.isEmpty ? "" : " ORDER BY \(order)")
            for row in try database.run(sql) {
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
