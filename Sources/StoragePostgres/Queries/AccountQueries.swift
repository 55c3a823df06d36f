import Ledger
import Primitives
import Storage

/// Which subscriptions are of one Apple Account, and whose they may be (OWN-14); and what was reserved (OWN-18).
enum AccountQueries {
    private static let selectOfSubscriptions = """
        SELECT \(AccountSighting.columns) FROM accountSighting WHERE ledger = $1 AND originalTransactionId = ANY ($2::text[])
        LIMIT $3
        """

    static func sightings(of ids: [OriginalTransactionID], limit: Int, ledger: Int64) -> PostgresStatement {
        PostgresStatement(selectOfSubscriptions, [.integer(ledger), .texts(ids.map(\.rawValue)), .count(limit)])
    }

    private static let selectByEvidence = """
        SELECT shown.* FROM unnest($2::text[]) WITH ORDINALITY AS asked (shownBy, place) CROSS JOIN LATERAL (
            SELECT \(AccountSighting.columns) FROM accountSighting
            WHERE ledger = $1 AND evidence = shownBy ORDER BY originalTransactionId LIMIT $3
        ) AS shown ORDER BY place, originalTransactionId
        """

    static func sightings(by evidence: [AppleAccount.Evidence], limit: Int, ledger: Int64) -> PostgresStatement {
        PostgresStatement(selectByEvidence, [.integer(ledger), .texts(evidence.map(\.text)), .count(limit)])
    }

    private static let selectOwnedOrShownOtherwise = """
        SELECT EXISTS (
            SELECT 1 FROM unnest($2::text[]) AS asked (shownBy) CROSS JOIN LATERAL (
                SELECT ledger, evidence, originalTransactionId FROM accountSighting
                WHERE ledger = $1 AND evidence = shownBy ORDER BY originalTransactionId LIMIT $3
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

    static func isOwnedOrShownOtherwise(by evidence: [AppleAccount.Evidence], limit: Int, ledger: Int64) -> PostgresStatement {
        PostgresStatement(
            selectOwnedOrShownOtherwise, [.integer(ledger), .texts(evidence.map(\.text)), .count(limit)])
    }

    private static let selectOwned = """
        SELECT DISTINCT originalTransactionId FROM tenure
        WHERE ledger = $1 AND originalTransactionId = ANY ($2::text[]) AND customer IS NOT NULL
        """

    static func owned(among ids: [OriginalTransactionID], ledger: Int64) -> PostgresStatement {
        PostgresStatement(selectOwned, [.integer(ledger), .texts(ids.map(\.rawValue))])
    }

    private static let sightingInsertion = PostgresInsertion<WrittenSighting>("ON CONFLICT DO NOTHING")

    static func insert(_ sightings: [WrittenSighting]) throws -> PostgresStatement {
        try sightingInsertion.statement(sightings)
    }

    private static let proposalInsertion = PostgresInsertion<WrittenProposal>("ON CONFLICT DO NOTHING")

    static func insert(_ proposal: WrittenProposal) -> PostgresStatement { proposalInsertion.statement(proposal) }

    static func endProposal(of id: OriginalTransactionID, ledger: Int64) -> PostgresStatement {
        PostgresStatement(
            "DELETE FROM ownerProposal WHERE ledger = $1 AND originalTransactionId = $2", [.integer(ledger), .text(id.rawValue)])
    }

    private static let selectProposed = """
        SELECT \(FoundSubscription.columns)
        FROM ownerProposal AS proposed
            JOIN subscription USING (ledger, originalTransactionId) JOIN policy ON policy.id = subscription.policy
        WHERE proposed.ledger = $1 AND proposed.originalTransactionId > $2 ORDER BY proposed.originalTransactionId LIMIT $3
        """

    static func proposed(after id: OriginalTransactionID?, ledger: Int64, limit: Int) -> PostgresStatement {
        PostgresStatement(selectProposed, [.integer(ledger), .text(id?.rawValue ?? ""), .count(limit)])
    }

    // MARK: Reservations

    private static let reservationInsertion = PostgresInsertion<WrittenPendingReservation>("ON CONFLICT DO NOTHING")

    static func insert(_ reservation: WrittenPendingReservation) -> PostgresStatement {
        reservationInsertion.statement(reservation)
    }

    private static let selectReserved = """
        SELECT \(FoundReservation.columns)
        FROM unnest($1::bigint[], $2::text[]) AS asked (inLedger, named)
        JOIN pendingReservation AS reserved ON ledger = inLedger AND transactionId = named
        LEFT JOIN customer AS owner ON owner.id = reserved.customer
        """

    /// - Parameters:
    ///   - ids: of transactions.
    ///   - ledgers: that of each.
    static func reservations(of ids: [TransactionID], ledgers: [Int64]) -> PostgresStatement {
        PostgresStatement(selectReserved, [.integers(ledgers), .texts(ids.map(\.rawValue))])
    }

    private static let selectReservedPage = """
        SELECT \(FoundReservation.columns)
        FROM pendingReservation AS reserved LEFT JOIN customer AS owner ON owner.id = reserved.customer
        WHERE ledger = $1 AND (transactionId, reservationId) > ($2, $3) ORDER BY transactionId, reservationId LIMIT $4
        """

    static func page(after place: PendingReservation.Place?, ledger: Int64, limit: Int) -> PostgresStatement {
        PostgresStatement(
            selectReservedPage,
            [.integer(ledger), .text(place?.transactionId.rawValue ?? ""), .text(place?.id.rawValue ?? ""), .count(limit)])
    }

    static func forget(_ place: PendingReservation.Place, ledger: Int64) -> PostgresStatement {
        PostgresStatement(
            "DELETE FROM pendingReservation WHERE ledger = $1 AND transactionId = $2 AND reservationId = $3",
            [.integer(ledger), .text(place.transactionId.rawValue), .text(place.id.rawValue)])
    }
}
