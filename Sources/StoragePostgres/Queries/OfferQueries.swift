import Ledger
import Primitives
import Storage

/// The log of what was signed so that customers may have offers.
enum OfferQueries {
    private static let selectOfCustomer = """
        SELECT \(FoundOfferIssue.columns)
        FROM customer AS owner JOIN issuedOffer AS issued ON issued.customer = owner.id
        WHERE owner.app = $1 AND owner.customer = $2 AND ledger = $3 ORDER BY issuedAt DESC, nonce DESC LIMIT $4
        """

    static func issued(to customer: CustomerName, limit: Int, ledger: Int64) -> PostgresStatement {
        PostgresStatement(
            selectOfCustomer,
            [.text(customer.app.rawValue), .text(customer.customer.rawValue), .integer(ledger), .count(limit)])
    }

    private static let selectPage = """
        SELECT \(FoundOfferIssue.columns)
        FROM issuedOffer AS issued LEFT JOIN customer AS owner ON owner.id = issued.customer
        WHERE ledger = $1 AND (issuedAt, nonce) > ($2, $3) ORDER BY issuedAt, nonce LIMIT $4
        """

    static func page(after place: OfferIssue.Place?, limit: Int, ledger: Int64) -> PostgresStatement {
        PostgresStatement(
            selectPage,
            [
                .integer(ledger), .integer(place?.issuedAt.millisecondsSince1970 ?? .min), .text(place?.nonce.rawValue ?? ""),
                .count(limit),
            ])
    }

    private static let selectNewest = """
        SELECT \(FoundOfferIssue.columns)
        FROM issuedOffer AS issued LEFT JOIN customer AS owner ON owner.id = issued.customer
        WHERE ledger = $1 ORDER BY issuedAt DESC, nonce DESC LIMIT $2
        """

    static func newest(limit: Int, ledger: Int64) -> PostgresStatement {
        PostgresStatement(selectNewest, [.integer(ledger), .count(limit)])
    }

    private static let count = """
        SELECT count(*) FROM (
            SELECT 1 FROM issuedOffer WHERE ledger = $1 AND issuedAt > $2 ORDER BY issuedAt DESC LIMIT $3) AS lately
        """

    static func count(since instant: Timestamp, limit: Int, ledger: Int64) -> PostgresStatement {
        PostgresStatement(count, [.integer(ledger), .integer(instant.millisecondsSince1970), .count(limit)])
    }

    private static let insertion = PostgresInsertion<WrittenOfferIssue>(
        "ON CONFLICT (ledger, nonce) DO UPDATE SET \(WrittenOfferIssue.taken(only: WrittenOfferIssue.changeable))")

    static func save(_ issue: WrittenOfferIssue) -> PostgresStatement { insertion.statement(issue) }
}
