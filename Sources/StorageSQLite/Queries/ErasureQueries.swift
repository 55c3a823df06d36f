import GRDB
import Ledger
import Primitives
import Storage

/// Puts a pseudonym in the place of a customer's own id (I45).
enum ErasureQueries {
    static let selectMerged = """
        SELECT lesser.customer FROM customer AS greater
            JOIN customerMerge ON identified = greater.id JOIN customer AS lesser ON lesser.id = anonymous
        WHERE greater.app = ? AND greater.customer = ? ORDER BY lesser.customer
        """

    static func anonymousCustomers(mergedInto name: CustomerName, _ database: Database) throws -> [CustomerID] {
        try database.rows(selectMerged, [.text(name.app.rawValue), .text(name.customer.rawValue)]) { CustomerID($0.text(0)) }
    }

    private static let ledgers = "(SELECT id FROM ledger WHERE app = ?)"

    /// - Parameter person: all pseudonyms of the person; what is told of one id may name another.
    static func erase(_ pseudonym: Pseudonym, beside person: [Pseudonym], _ database: Database) throws {
        let (old, new) = (SQLiteValue.text(pseudonym.id.rawValue), SQLiteValue.text(pseudonym.name.rawValue))
        let (number, app) = (SQLiteValue.integer(pseudonym.number), SQLiteValue.text(pseudonym.app.rawValue))
        try database.run("UPDATE customer SET customer = ? WHERE id = ?", [new, number])
        try database.run(
            "DELETE FROM customerInput WHERE ledger IN \(ledgers) AND customer = ? AND kind = ?",
            [
                app, number, .text(CustomerInput.Kind.attribute.rawValue),
            ])
        try database.run(
            "UPDATE customerBook SET customer = ?, account = ? WHERE ledger IN \(ledgers) AND number = ?",
            [
                new, .bytes(CustomerCoding.forgotten), app, number,
            ])
        try database.run("UPDATE holding SET customer = ? WHERE ledger IN \(ledgers) AND customer = ?", [new, app, old])
        for ledger in try database.rows(selectChanged, [number], { $0.integer(0) }) {
            try ListingQueries.note(pseudonym.number, ledger: ledger, database)
        }
        try database.run(
            "UPDATE work SET subject = ? WHERE ledger IN \(ledgers) AND subject = ?",
            [
                .text(WorkOrder.subject(of: pseudonym.name)), app, .text(WorkOrder.subject(of: pseudonym.id)),
            ])
        for replacement in try pseudonym.replacements {
            let (before, after) = (SQLiteValue.text(replacement.old), SQLiteValue.text(replacement.new))
            for other in person {
                try database.run(
                    "UPDATE outbox SET events = replace(events, ?, ?) WHERE ledger IN \(ledgers) AND customer = ?",
                    [before, after, app, .integer(other.number)])
            }
            for (table, column) in told {
                try database.run(
                    "UPDATE \(table) SET \(column) = replace(\(column), ?, ?) WHERE app = ? AND instr(\(column), ?) > 0",
                    [before, after, app, before])
            }
        }
        try IdempotencyQueries.forget(about: SubjectDigest(pseudonym.id), app: pseudonym.app, database)
        try OperatorAuditQueries.forgetSearches(naming: pseudonym.id, database)
        // Attempts are kept for people and are forgotten anyway; what a receiver answered may say anything.
        try database.run("DELETE FROM webhookAttempt WHERE app = ? AND instr(content, ?) > 0", [app, old])
    }

    /// The ledgers in which lists name the customer.
    static let selectChanged = """
        SELECT ledger.id FROM ledger JOIN customerChange ON customerChange.ledger = ledger.id
        WHERE customerChange.customer = ? ORDER BY ledger.id
        """

    /// Where JSON of an app may name a customer.
    private static let told = [
        ("webhookParked", "content"), ("webhookEndpoint", "standing"), ("jobRow", "content"),
        ("job", "progress"),
    ]

    static let selectHistory = "SELECT history FROM subscription WHERE ledger = ? AND originalTransactionId = ?"

    /// Has the subscription's history put together again when it is read, and its events name the pseudonym.
    static func erase(
        _ pseudonym: Pseudonym, from id: OriginalTransactionID, ledger: Int64, _ database: Database
    ) throws {
        let place: [SQLiteValue] = [.integer(ledger), .text(id.rawValue)]
        let histories = try database.rows(selectHistory, place) { $0.bytes(0) }
        for history in histories {
            try database.run(
                """
                UPDATE subscription
                SET history = ?1, listing = NULL, writtenIn = \(ListingQueries.place(in: "subscription", of: "?2"))
                WHERE ledger = ?2 AND originalTransactionId = ?3
                """,
                [.bytes(try HistoryCoding.forgetting(history))] + place)
        }
        for replacement in try pseudonym.replacements {
            try database.run(
                "UPDATE outbox SET events = replace(events, ?, ?) WHERE ledger = ? AND originalTransactionId = ?",
                [.text(replacement.old), .text(replacement.new)] + place)
        }
    }
}
