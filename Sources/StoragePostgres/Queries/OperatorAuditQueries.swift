import Ledger
import Primitives
import Storage

/// What operators did.
enum OperatorAuditQueries {
    private static let selectEnd = "SELECT \(OperatorChainEnd.columns) FROM operatorAudit ORDER BY number DESC LIMIT 1"

    static func end() -> PostgresStatement { PostgresStatement(selectEnd) }

    private static let insertion = PostgresInsertion<WrittenOperatorNote>()
    private static let searchInsertion = PostgresInsertion<WrittenSearch>()

    static func append(_ act: WrittenOperatorNote) -> [PostgresStatement] {
        [insertion.statement(act)] + (act.searched.map { [searchInsertion.statement($0)] } ?? [])
    }

    private static let joined = "operatorAudit LEFT JOIN operatorSearch ON operatorSearch.number = operatorAudit.number"

    /// Each condition only where it is asked for, so that each search is found by its index.
    static func acts(_ search: OperatorNoteSearch, limit: Int) -> PostgresStatement {
        var conditions: [String] = []
        var values: [PostgresValue] = []
        func place(_ value: PostgresValue) -> String {
            values.append(value)
            return "$\(values.count)"
        }
        if let before = search.before { conditions.append("operatorAudit.number < \(place(.integer(before)))") }
        if let actor = search.actor { conditions.append("actor = \(place(.text(actor)))") }
        if let what = search.what { conditions.append("what = \(place(.text(what)))") }
        if let name = search.customer {
            let (app, id) = (place(.text(name.app.rawValue)), place(.text(name.customer.rawValue)))
            conditions.append("operatorAudit.customer = (SELECT id FROM customer WHERE app = \(app) AND customer = \(id))")
        }
        let condition = conditions.isEmpty ? "" : "WHERE \(conditions.joined(separator: " AND "))"
        let select = """
            SELECT \(StoredOperatorNote.columns) FROM \(joined) LEFT JOIN customer ON customer.id = operatorAudit.customer
            \(condition) ORDER BY operatorAudit.number DESC LIMIT \(place(.count(limit)))
            """
        return PostgresStatement(select, values)
    }

    private static let selectRows = """
        SELECT \(OperatorNoteRow.columns) FROM \(joined)
        WHERE operatorAudit.number > $1 ORDER BY operatorAudit.number LIMIT $2
        """

    static func rows(after number: Int64, limit: Int) -> PostgresStatement {
        PostgresStatement(selectRows, [.integer(number), .count(limit)])
    }

    private static let forget = """
        DELETE FROM operatorSearch WHERE number IN (
            SELECT operatorSearch.number FROM operatorSearch JOIN operatorAudit ON operatorAudit.number = operatorSearch.number
            WHERE at < $1 ORDER BY operatorSearch.number LIMIT $2) RETURNING 1
        """

    static func forgetSearches(before instant: Timestamp, limit: Int) -> PostgresStatement {
        PostgresStatement(forget, [.instant(instant), .count(limit)])
    }

    /// Everywhere where the words have the id in them, of whichever app (I45).
    static func forgetSearches(naming customer: CustomerID) -> PostgresStatement {
        PostgresStatement("DELETE FROM operatorSearch WHERE strpos(words, $1) > 0", [.text(customer.rawValue)])
    }
}
