import GRDB
import Ledger
import Primitives
import Storage

/// Signals of abuse.
enum SignalQueries {
    private static let from = "SELECT \(NumberedSignal.columns) FROM signal WHERE ledger = ?"

    static let selectNamed = from + " AND kind = ? AND subject = ?"

    /// - Parameter subject: with the number of a customer (``SignalCoding``).
    static func signal(
        _ name: SignalName, subject: String, ledger: Int64, _ database: Database
    ) throws -> StoredSignal? {
        let values: [SQLiteValue] = [.integer(ledger), .text(name.kind.rawValue), .text(subject)]
        return try named(selectNamed, values, in: name.scope, database).first
    }

    static let selectNumbered = from + " AND id = ?"

    static func signal(_ id: Int64, in scope: Scope, ledger: Int64, _ database: Database) throws -> StoredSignal? {
        try named(selectNumbered, [.integer(ledger), .integer(id)], in: scope, database).first
    }

    static func select(_ search: SignalSearch) -> String {
        from + " AND id < ?" + (search.subject == nil ? "" : " AND subject = ?") + (search.isOpen == nil ? "" : " AND isOpen = ?")
            + (search.kind == nil ? "" : " AND kind = ?") + " ORDER BY id DESC LIMIT ?"
    }

    /// - Parameter subject: of the search, with the number of a customer.
    static func signals(
        _ search: SignalSearch, subject: String?, limit: Int, in place: NumberedScope, _ database: Database
    ) throws -> [StoredSignal] {
        var values: [SQLiteValue] = [.integer(place.number), .integer(search.before ?? .max)]
        if search.subject != nil { values.append(.text(subject)) }
        if let isOpen = search.isOpen { values.append(.bool(isOpen)) }
        if let kind = search.kind { values.append(.text(kind.rawValue)) }
        return try named(select(search), values + [.count(limit)], in: place.scope, database)
    }

    private static func named(
        _ sql: String, _ values: [SQLiteValue], in scope: Scope, _ database: Database
    ) throws -> [StoredSignal] {
        try NumberedSignal.named(database.rows(sql, values), in: scope) { try CustomerQueries.names(of: $0, database) }
    }

    private static let insertion = SQLiteInsertion<WrittenSignal>(
        "ON CONFLICT (ledger, kind, subject) DO UPDATE SET \(WrittenSignal.taken(except: WrittenSignal.key))")

    static func keep(_ signal: WrittenSignal, _ database: Database) throws { try database.run(insertion, signal) }
}
