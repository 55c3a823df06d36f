import Ledger
import Primitives
import Storage

/// Puts a pseudonym in the place of a customer's own id (I45).
enum ErasureQueries {
    private static let selectMerged = """
        SELECT lesser.customer FROM customer AS greater
            JOIN customerMerge ON identified = greater.id JOIN customer AS lesser ON lesser.id = anonymous
        WHERE greater.app = $1 AND greater.customer = $2 ORDER BY lesser.customer
        """

    static func anonymousCustomers(mergedInto name: CustomerName) -> PostgresStatement {
        PostgresStatement(selectMerged, [.text(name.app.rawValue), .text(name.customer.rawValue)])
    }

    private static let ledgers = "(SELECT id FROM ledger WHERE app = $1)"

    /// - Parameter person: all pseudonyms of the person; what is told of one id may name another.
    static func erase(_ pseudonym: Pseudonym, beside person: [Pseudonym]) throws -> [PostgresStatement] {
        let (old, new) = (PostgresValue.text(pseudonym.id.rawValue), PostgresValue.text(pseudonym.name.rawValue))
        let (number, app) = (PostgresValue.integer(pseudonym.number), PostgresValue.text(pseudonym.app.rawValue))
        var statements = [
            PostgresStatement("UPDATE customer SET customer = $1 WHERE id = $2", [new, number]),
            PostgresStatement(
                "DELETE FROM customerInput WHERE ledger IN \(ledgers) AND customer = $2 AND kind = $3",
                [app, number, .text(CustomerInput.Kind.attribute.rawValue)]),
            PostgresStatement(
                "UPDATE customerBook SET customer = $2, account = $3 WHERE ledger IN \(ledgers) AND number = $4",
                [app, new, .bytes(CustomerCoding.forgotten), number]),
            PostgresStatement(
                "UPDATE holding SET customer = $2 WHERE ledger IN \(ledgers) AND customer = $3", [app, new, old]),
            PostgresStatement(
                "UPDATE customerChange SET writtenIn = \(ListingQueries.place) WHERE ledger IN \(ledgers) AND customer = $2",
                [app, number]),
            PostgresStatement(
                "UPDATE work SET subject = $2 WHERE ledger IN \(ledgers) AND subject = $3",
                [
                    app, .text(WorkOrder.subject(of: pseudonym.name)), .text(WorkOrder.subject(of: pseudonym.id)),
                ]),
        ]
        for replacement in try pseudonym.replacements {
            let (before, after) = (PostgresValue.text(replacement.old), PostgresValue.text(replacement.new))
            statements += person.map { other in
                PostgresStatement(
                    "UPDATE outbox SET events = replace(events, $2, $3) WHERE ledger IN \(ledgers) AND customer = $4",
                    [app, before, after, .integer(other.number)])
            }
            statements += told.map { table, column in
                PostgresStatement(
                    "UPDATE \(table) SET \(column) = replace(\(column), $2, $3) WHERE app = $1 AND strpos(\(column), $2) > 0",
                    [app, before, after])
            }
        }
        statements.append(IdempotencyQueries.forget(about: SubjectDigest(pseudonym.id), app: pseudonym.app))
        statements.append(OperatorAuditQueries.forgetSearches(naming: pseudonym.id))
        // Attempts are kept for people and are forgotten anyway; what a receiver answered may say anything.
        statements.append(
            PostgresStatement("DELETE FROM webhookAttempt WHERE app = $1 AND strpos(content, $2) > 0", [app, old]))
        return statements
    }

    /// Where JSON of an app may name a customer.
    private static let told = [
        ("webhookParked", "content"), ("webhookEndpoint", "standing"), ("jobRow", "content"),
        ("job", "progress"),
    ]

    static func history(of id: OriginalTransactionID, ledger: Int64) -> PostgresStatement {
        PostgresStatement(
            "SELECT history FROM subscription WHERE ledger = $1 AND originalTransactionId = $2",
            [.integer(ledger), .text(id.rawValue)])
    }

    /// Has the subscription's history put together again when it is read, and its events name the pseudonym.
    static func erase(
        _ pseudonym: Pseudonym, from id: OriginalTransactionID, ledger: Int64, history: [UInt8]?
    ) throws -> [PostgresStatement] {
        let place: [PostgresValue] = [.integer(ledger), .text(id.rawValue)]
        let histories = try history.map { history in
            PostgresStatement(
                """
                UPDATE subscription SET history = $3, listing = NULL, writtenIn = \(ListingQueries.place)
                WHERE ledger = $1 AND originalTransactionId = $2
                """,
                place + [.bytes(try HistoryCoding.forgetting(history))])
        }
        return [histories].compactMap { $0 }
            + (try pseudonym.replacements.map { replacement in
                PostgresStatement(
                    """
                    UPDATE outbox SET events = replace(events, $3, $4) WHERE ledger = $1 AND originalTransactionId = $2
                    """, place + [.text(replacement.old), .text(replacement.new)])
            })
    }
}
