import GRDB
import Ledger
import Primitives
import Storage
import StrictJSON

/// Which subscriptions are of one Apple Account, and whose they may be (OWN-14); and what was reserved (OWN-18).
enum AccountQueries {
    static let selectOfSubscriptions = """
        SELECT \(AccountSighting.columns) FROM accountSighting
        WHERE ledger = ? AND originalTransactionId IN (SELECT value FROM json_each(?)) LIMIT ?
        """

    static func sightings(
        of ids: [OriginalTransactionID], limit: Int, ledger: Int64, _ database: Database
    ) throws -> [AccountSighting] {
        try database.rows(selectOfSubscriptions, [.integer(ledger), list(ids), .count(limit)])
    }

    static let selectByEvidence = """
        SELECT \(AccountSighting.columns) FROM accountSighting
        WHERE ledger = ? AND evidence = ? ORDER BY originalTransactionId LIMIT ?
        """

    static func sightings(
        by evidence: AppleAccount.Evidence, limit: Int, ledger: Int64, _ database: Database
    ) throws -> [AccountSighting] {
        try database.rows(selectByEvidence, [.integer(ledger), .text(evidence.text), .count(limit)])
    }

    static let selectOwnedOrShownOtherwise = """
        SELECT EXISTS (
            SELECT 1 FROM (
                SELECT ledger, evidence, originalTransactionId FROM accountSighting
                WHERE ledger = ? AND evidence = ? ORDER BY originalTransactionId LIMIT ?
            ) AS shown
            WHERE EXISTS (
                SELECT 1 FROM tenure
                WHERE tenure.ledger = shown.ledger AND tenure.originalTransactionId = shown.originalTransactionId
                    AND customer IS NOT NULL
            ) OR EXISTS (
                SELECT 1 FROM accountSighting AS other
                WHERE other.ledger = shown.ledger AND other.originalTransactionId = shown.originalTransactionId
                    AND other.evidence <> shown.evidence
            ))
        """

    static func isOwnedOrShownOtherwise(
        by evidence: AppleAccount.Evidence, limit: Int, ledger: Int64, _ database: Database
    ) throws -> Bool {
        try database.rows(selectOwnedOrShownOtherwise, [.integer(ledger), .text(evidence.text), .count(limit)]) {
            $0.bool(0)
        }.contains(true)
    }

    static let selectOwned = """
        SELECT DISTINCT originalTransactionId FROM tenure
        WHERE ledger = ? AND originalTransactionId IN (SELECT value FROM json_each(?)) AND customer IS NOT NULL
        """

    static func owned(
        among ids: [OriginalTransactionID], ledger: Int64, _ database: Database
    ) throws -> [OriginalTransactionID] {
        try database.rows(selectOwned, [.integer(ledger), list(ids)]) {
            OriginalTransactionID($0.text(0))
        }
    }

    /// The ids as one JSON array: SQLite binds no lists.
    private static func list(_ ids: [OriginalTransactionID]) -> SQLiteValue {
        var json = JSONWriter(reservingCapacity: ids.count * 20)
        json.array { json in for id in ids { json.string(id.rawValue) } }
        return .text(json.text)
    }

    private static let sightingInsertion = SQLiteInsertion<WrittenSighting>("ON CONFLICT DO NOTHING")

    static func insert(_ sighting: WrittenSighting, _ database: Database) throws { try database.run(sightingInsertion, sighting) }

    private static let proposalInsertion = SQLiteInsertion<WrittenProposal>("ON CONFLICT DO NOTHING")

    static func insert(_ proposal: WrittenProposal, _ database: Database) throws { try database.run(proposalInsertion, proposal) }

    static let deleteProposal = "DELETE FROM ownerProposal WHERE ledger = ? AND originalTransactionId = ?"

    static func endProposal(of id: OriginalTransactionID, ledger: Int64, _ database: Database) throws {
        try database.run(deleteProposal, [.integer(ledger), .text(id.rawValue)])
    }

    static let selectProposed = """
        SELECT \(FoundSubscription.columns)
        FROM ownerProposal AS proposed
            JOIN subscription USING (ledger, originalTransactionId) JOIN policy ON policy.id = subscription.policy
        WHERE proposed.ledger = ? AND proposed.originalTransactionId > ? ORDER BY proposed.originalTransactionId LIMIT ?
        """

    static func proposed(
        after id: OriginalTransactionID?, limit: Int, ledger: Int64, _ database: Database
    ) throws -> [FoundSubscription] {
        try database.rows(selectProposed, [.integer(ledger), .text(id?.rawValue ?? ""), .count(limit)])
    }

    // MARK: Reservations

    private static let reservationInsertion = SQLiteInsertion<WrittenPendingReservation>("ON CONFLICT DO NOTHING")

    static func insert(_ reservation: WrittenPendingReservation, _ database: Database) throws {
        try database.run(reservationInsertion, reservation)
    }

    static let selectReserved = """
        SELECT \(FoundReservation.columns)
        FROM pendingReservation AS reserved LEFT JOIN customer AS owner ON owner.id = reserved.customer
        WHERE ledger = ? AND transactionId = ?
        """

    static func reservations(of id: TransactionID, ledger: Int64, _ database: Database) throws -> [FoundReservation] {
        try database.rows(selectReserved, [.integer(ledger), .text(id.rawValue)])
    }

    static let selectReservedPage = """
        SELECT \(FoundReservation.columns)
        FROM pendingReservation AS reserved LEFT JOIN customer AS owner ON owner.id = reserved.customer
        WHERE ledger = ? AND (transactionId, reservationId) > (?, ?) ORDER BY transactionId, reservationId LIMIT ?
        """

    static func page(
        after place: PendingReservation.Place?, limit: Int, ledger: Int64, _ database: Database
    ) throws -> [FoundReservation] {
        try database.rows(
            selectReservedPage,
            [.integer(ledger), .text(place?.transactionId.rawValue ?? ""), .text(place?.id.rawValue ?? ""), .count(limit)])
    }

    static let deleteReservation =
        "DELETE FROM pendingReservation WHERE ledger = ? AND transactionId = ? AND reservationId = ?"

    static func forget(_ place: PendingReservation.Place, ledger: Int64, _ database: Database) throws {
        try database.run(
            deleteReservation, [.integer(ledger), .text(place.transactionId.rawValue), .text(place.id.rawValue)])
    }
}
