import GRDB
import Ledger
import Primitives
import Storage

/// The log of what was signed so that customers may have offers.
enum OfferQueries {
    static let selectOfCustomer = """
        SELECT \(FoundOfferIssue.columns)
        FROM customer AS owner JOIN issuedOffer AS issued ON issued.customer = owner.id
        WHERE owner.app = ? AND owner.customer = ? AND ledger = ? ORDER BY issuedAt DESC, nonce DESC LIMIT ?
        """

    static func issued(
        to customer: CustomerName, limit: Int, ledger: Int64, _ database: Database
    ) throws -> [FoundOfferIssue] {
        try database.rows(
            selectOfCustomer,
            [.text(customer.app.rawValue), .text(customer.customer.rawValue), .integer(ledger), .count(limit)])
    }

    static let selectPage = """
        SELECT \(FoundOfferIssue.columns)
        FROM issuedOffer AS issued LEFT JOIN customer AS owner ON owner.id = issued.customer
        WHERE ledger = ? AND (issuedAt, nonce) > (?, ?) ORDER BY issuedAt, nonce LIMIT ?
        """

    static func page(
        after place: OfferIssue.Place?, limit: Int, ledger: Int64, _ database: Database
    ) throws -> [FoundOfferIssue] {
        try database.rows(
            selectPage,
            [
                .integer(ledger), .integer(place?.issuedAt.millisecondsSince1970 ?? .min), .text(place?.nonce.rawValue ?? ""),
                .count(limit),
            ])
    }

    static let selectNewest = """
        SELECT \(FoundOfferIssue.columns)
        FROM issuedOffer AS issued LEFT JOIN customer AS owner ON owner.id = issued.customer
        WHERE ledger = ? ORDER BY issuedAt DESC, nonce DESC LIMIT ?
        """

    static func newest(limit: Int, ledger: Int64, _ database: Database) throws -> [FoundOfferIssue] {
        try database.rows(selectNewest, [.integer(ledger), .count(limit)])
    }

    static let count = "SELECT count(*) FROM (SELECT 1 FROM issuedOffer WHERE ledger = ? AND issuedAt > ? LIMIT ?)"

    static func count(since instant: Timestamp, limit: Int, ledger: Int64, _ database: Database) throws -> Int {
        let values: [SQLiteValue] = [.integer(ledger), .integer(instant.millisecondsSince1970), .count(limit)]
        return Int(try database.rows(count, values) { $0.integer(0) }.first ?? 0)
    }

    private static let insertion = SQLiteInsertion<WrittenOfferIssue>(
        "ON CONFLICT DO UPDATE SET \(WrittenOfferIssue.taken(only: WrittenOfferIssue.changeable))")

    static func save(_ issue: WrittenOfferIssue, _ database: Database) throws { try database.run(insertion, issue) }
}
