import Ledger
import Primitives
import Storage

/// Signals of abuse.
enum SignalQueries {
    private static let from = "SELECT \(NumberedSignal.columns) FROM signal WHERE ledger = $1"

    private static let selectNamed = from + " AND kind = $2 AND subject = $3"

    /// - Parameter subject: with the number of a customer (``SignalCoding``).
    static func signal(_ kind: AbuseSignal.Kind, subject: String, ledger: Int64) -> PostgresStatement {
        PostgresStatement(selectNamed, [.integer(ledger), .text(kind.rawValue), .text(subject)])
    }

    private static let selectNumbered = from + " AND id = $2"

    static func signal(_ id: Int64, ledger: Int64) -> PostgresStatement {
        PostgresStatement(selectNumbered, [.integer(ledger), .integer(id)])
    }

    /// - Parameter subject: of the search, with the number of a customer.
    static func signals(
        _ search: SignalSearch, subject: String?, limit: Int, ledger: Int64
    ) -> PostgresStatement {
        var values: [PostgresValue] = [.integer(ledger), .integer(search.before ?? .max)]
        var sql = from + " AND id < $2"
        func add(_ column: String, _ value: PostgresValue) {
            values.append(value)
            sql += " AND \(column) = $\(values.count)"
        }
        if let subject { add("subject", .text(subject)) }
        if let isOpen = search.isOpen { add("isOpen", .bool(isOpen)) }
        if let kind = search.kind { add("kind", .text(kind.rawValue)) }
        values.append(.count(limit))
        return PostgresStatement(sql + " ORDER BY id DESC LIMIT $\(values.count)", values)
    }

    private static let insertion = PostgresInsertion<WrittenSignal>(
        "ON CONFLICT (ledger, kind, subject) DO UPDATE SET \(WrittenSignal.taken(except: WrittenSignal.key))")

    static func keep(_ signal: WrittenSignal) -> PostgresStatement { insertion.statement(signal) }
}
