import GRDB
import Ledger
import Primitives
import Storage

/// What operators did.
enum OperatorAuditQueries {
    /// The condition, which all meet, has the plan say that it goes by the key.
    static let selectEnd = "SELECT \(OperatorChainEnd.columns) FROM operatorAudit WHERE number > 0 ORDER BY number DESC LIMIT 1"

    static func end(_ database: Database) throws -> AuditHead {
        let found: OperatorChainEnd? = try database.row(selectEnd, [])
        return found?.head ?? AuditHead()
    }

    private static let insertion = SQLiteInsertion<WrittenOperatorNote>()
    private static let searchInsertion = SQLiteInsertion<WrittenSearch>()

    static func append(_ act: WrittenOperatorNote, _ database: Database) throws {
        try database.run(insertion, act)
        if let searched = act.searched { try database.run(searchInsertion, searched) }
    }

    private static let joined = "operatorAudit LEFT JOIN operatorSearch ON operatorSearch.number = operatorAudit.number"
    private static let customerNumber = "(SELECT id FROM customer WHERE app = ? AND customer = ?)"

    /// Each condition only where it is asked for, so that each search is found by its index.
    private static func select(_ search: OperatorNoteSearch) -> String {
        var conditions: [String] = []
        if search.before != nil { conditions.append("operatorAudit.number < ?") }
        if search.actor != nil { conditions.append("actor = ?") }
        if search.what != nil { conditions.append("what = ?") }
        if search.customer != nil { conditions.append("operatorAudit.customer = \(customerNumber)") }
        let condition = conditions.isEmpty ? "" : "WHERE \(conditions.joined(separator: " AND "))"
        return """
            SELECT \(StoredOperatorNote.columns) FROM \(joined) LEFT JOIN customer ON customer.id = operatorAudit.customer
            \(condition) ORDER BY operatorAudit.number DESC LIMIT ?
            """
    }

    static func acts(_ search: OperatorNoteSearch, limit: Int, _ database: Database) throws -> [StoredOperatorNote] {
        var values: [SQLiteValue] = []
        if let before = search.before { values.append(.integer(before)) }
        if let actor = search.actor { values.append(.text(actor)) }
        if let what = search.what { values.append(.text(what)) }
        if let name = search.customer { values += [.text(name.app.rawValue), .text(name.customer.rawValue)] }
        return try database.rows(select(search), values + [.count(limit)])
    }

    static let selectRows = """
        SELECT \(OperatorNoteRow.columns) FROM \(joined)
        WHERE operatorAudit.number > ? ORDER BY operatorAudit.number LIMIT ?
        """

    static func rows(after number: Int64, limit: Int, _ database: Database) throws -> [OperatorNoteRow] {
        try database.rows(selectRows, [.integer(number), .count(limit)])
    }

    static let forget = """
        DELETE FROM operatorSearch WHERE number IN (
            SELECT operatorSearch.number FROM operatorSearch JOIN operatorAudit ON operatorAudit.number = operatorSearch.number
            WHERE at < ? ORDER BY operatorSearch.number LIMIT ?)
        """

    static func forgetSearches(before instant: Timestamp, limit: Int, _ database: Database) throws -> Int {
        Int(try database.run(forget, [.instant(instant), .count(limit)]))
    }

    /// Everywhere where the words have the id in them, of whichever app (I45).
    static func forgetSearches(naming customer: CustomerID, _ database: Database) throws {
        try database.run("DELETE FROM operatorSearch WHERE instr(words, ?) > 0", [.text(customer.rawValue)])
    }
}
