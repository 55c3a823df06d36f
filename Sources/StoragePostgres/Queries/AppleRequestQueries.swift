import Ledger
import Primitives
import Storage

/// What Apple was told or asked to do.
enum AppleRequestQueries {
    private static let from = "SELECT \(AppleRequest.columns) FROM ledger JOIN appleRequest ON appleRequest.ledger = ledger.id"

    private static let selectRequest = from + " WHERE ledger.id = $1 AND endpoint = $2 AND requestId = $3"

    static func request(_ name: AppleRequestName, ledger: Int64) -> PostgresStatement {
        PostgresStatement(selectRequest, [.integer(ledger), .text(name.endpoint), .text(name.id)])
    }

    private static let selectNewest = from + " WHERE ledger.id = $1 ORDER BY requestedAt DESC, requestId LIMIT $2"
    private static let selectAbout =
        from + " WHERE ledger.id = $1 AND subject = $2 ORDER BY requestedAt DESC, requestId LIMIT $3"

    static func requests(about subject: String?, limit: Int, ledger: Int64) -> PostgresStatement {
        guard let subject else { return PostgresStatement(selectNewest, [.integer(ledger), .integer(Int64(limit))]) }
        return PostgresStatement(selectAbout, [.integer(ledger), .text(subject), .integer(Int64(limit))])
    }

    private static let insertion = PostgresInsertion<WrittenAppleRequest>(
        "ON CONFLICT (ledger, endpoint, requestId) DO UPDATE SET \(WrittenAppleRequest.taken(except: WrittenAppleRequest.key))")

    static func save(_ request: WrittenAppleRequest) -> PostgresStatement { insertion.statement(request) }
}
