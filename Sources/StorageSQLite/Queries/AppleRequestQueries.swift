import GRDB
import Ledger
import Primitives
import Storage

/// What Apple was told or asked to do.
enum AppleRequestQueries {
    private static let from = "SELECT \(AppleRequest.columns) FROM ledger JOIN appleRequest ON appleRequest.ledger = ledger.id"

    static let selectRequest = from + " WHERE ledger.id = ? AND endpoint = ? AND requestId = ?"

    static func request(_ name: AppleRequestName, ledger: Int64, _ database: Database) throws -> AppleRequest? {
        try database.row(selectRequest, [.integer(ledger), .text(name.endpoint), .text(name.id)])
    }

    static let selectNewest = from + " WHERE ledger.id = ? ORDER BY requestedAt DESC, requestId LIMIT ?"
    static let selectAbout = from + " WHERE ledger.id = ? AND subject = ? ORDER BY requestedAt DESC, requestId LIMIT ?"

    static func requests(
        about subject: String?, limit: Int, ledger: Int64, _ database: Database
    ) throws -> [AppleRequest] {
        guard let subject else { return try database.rows(selectNewest, [.integer(ledger), .integer(Int64(limit))]) }
        return try database.rows(selectAbout, [.integer(ledger), .text(subject), .integer(Int64(limit))])
    }

    private static let insertion = SQLiteInsertion<WrittenAppleRequest>(
        "ON CONFLICT DO UPDATE SET \(WrittenAppleRequest.taken(except: WrittenAppleRequest.key))")

    static func save(_ request: WrittenAppleRequest, _ database: Database) throws { try database.run(insertion, request) }
}
