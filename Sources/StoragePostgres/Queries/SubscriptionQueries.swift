import Ledger
import Primitives
import Storage

/// What follows from a subscription's facts and claims, which is a cache of them (decision 0001).
enum SubscriptionQueries {
    /// A row of the table, its history not read yet.
    struct Found {
        let ledger: Int64
        let id: OriginalTransactionID
        let policy: Int64
        let foldVersion: Int64
        let ends: StoredSubscription.Ends
        let history: [UInt8]
    }

    private static let columns =
        "ledger, originalTransactionId, policy.id, foldVersion, tenureRevision, auditCount, auditHead, eventCount, history"

    private static let select = """
        SELECT \(columns)
        FROM unnest($1::bigint[], $2::text[]) AS asked (inLedger, named)
        JOIN subscription ON ledger = inLedger AND originalTransactionId = named
        JOIN policy ON policy.id = subscription.policy
        """

    static func find(_ subscriptions: [(ledger: Int64, id: OriginalTransactionID)]) -> PostgresStatement {
        PostgresStatement(
            select, [.integers(subscriptions.map(\.ledger)), .texts(subscriptions.map(\.id.rawValue))])
    }

    /// The same, and each row is the transaction's own until it ends. Locked in one order, so that transactions do not wait for
    /// each other in a circle.
    static func lock(_ subscriptions: [(ledger: Int64, id: OriginalTransactionID)]) -> PostgresStatement {
        PostgresStatement(
            select + " ORDER BY ledger, originalTransactionId FOR UPDATE OF subscription",
            [.integers(subscriptions.map(\.ledger)), .texts(subscriptions.map(\.id.rawValue))])
    }

    static func found(in row: PostgresRow) throws -> Found {
        Found(
            ledger: try row.integer(0), id: OriginalTransactionID(try row.text(1)), policy: try row.integer(2),
            foldVersion: try row.integer(3),
            ends: .init(
                tenureRevision: try row.integer(4), audit: AuditHead(sequence: try row.integer(5), hash: try row.bytes(6)),
                events: try row.integer(7)),
            history: try row.bytes(8))
    }

    /// By the table's own key.
    static func page(after id: OriginalTransactionID?, ledger: Int64, limit: Int) -> PostgresStatement {
        PostgresStatement(
            """
            SELECT \(columns)
            FROM subscription JOIN policy ON policy.id = subscription.policy
            WHERE ledger = $1 AND originalTransactionId > $2 ORDER BY originalTransactionId LIMIT $3
            """,
            [.integer(ledger), .text(id?.rawValue ?? ""), .count(limit)])
    }

    /// Everything that a saving comes to, in the order in which it must be written.
    ///
    /// - Parameter owners: the numbers of the rows' owners.
    static func save(
        _ rows: SubscriptionRows, owners: [Int64?], policy: Int64, ledger: Int64, at instant: Timestamp
    ) -> [PostgresStatement] {
        let (ledger, id) = (PostgresValue.integer(ledger), PostgresValue.text(rows.key.originalTransactionId.rawValue))
        var statements = [upsert(rows, policy: policy, ledger, id)]
        if let tenures = rows.tenures, !tenures.isEmpty {
            statements.append(insert((tenures, owners), (rows.ends.tenureRevision, instant), ledger, id))
        }
        if !rows.formerHolders.isEmpty {
            statements.append(
                PostgresStatement(
                    "DELETE FROM holding WHERE ledger = $1 AND originalTransactionId = $2 AND customer = ANY ($3::text[])",
                    [ledger, id, .texts(rows.formerHolders.map(\.rawValue))]))
        }
        if !rows.holdings.isEmpty { statements.append(upsert(rows.holdings, ledger, id)) }
        if !rows.aliases.isEmpty { statements.append(upsert(rows.aliases, ledger, id)) }
        return statements + AuditQueries.append(rows, ledger, id, at: instant)
            + [WorkQueries.replaceDecided(rows.work, ledger, id)]
    }

    private static func upsert(
        _ rows: SubscriptionRows, policy: Int64, _ ledger: PostgresValue, _ id: PostgresValue
    ) -> PostgresStatement {
        PostgresStatement(
            """
            INSERT INTO subscription (ledger, originalTransactionId, policy, tenureRevision, auditCount, auditHead, eventCount,
                isSealed, history)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
            ON CONFLICT (ledger, originalTransactionId) DO UPDATE SET policy = excluded.policy,
                tenureRevision = excluded.tenureRevision, auditCount = excluded.auditCount, auditHead = excluded.auditHead,
                eventCount = excluded.eventCount, isSealed = subscription.isSealed AND excluded.isSealed,
                history = excluded.history
            """,
            [
                ledger, id, .integer(policy), .integer(rows.ends.tenureRevision), .integer(rows.ends.audit.sequence),
                .bytes(rows.ends.audit.hash), .integer(rows.ends.events), .bool(rows.audit.isEmpty),
                .bytes(rows.history),
            ])
    }

    private static func insert(
        _ tenures: (rows: [SubscriptionRows.TenureRow], owners: [Int64?]), _ revision: (number: Int64, learnedAt: Timestamp),
        _ ledger: PostgresValue, _ id: PostgresValue
    ) -> PostgresStatement {
        PostgresStatement(
            """
            INSERT INTO tenure (ledger, originalTransactionId, revision, effectiveFrom, customer, rule, evidence, learnedAt)
            SELECT $1, $2, $3, since, owner, byRule, proof, $4
            FROM unnest($5::bigint[], $6::bigint[], $7::text[], $8::text[]) AS new (since, owner, byRule, proof)
            """,
            [
                ledger, id, .integer(revision.number), .instant(revision.learnedAt),
                .integers(tenures.rows.map(\.from.millisecondsSince1970)), .integers(tenures.owners),
                .texts(tenures.rows.map(\.rule)), .texts(tenures.rows.map(\.evidence)),
            ])
    }

    private static func upsert(
        _ holdings: [SubscriptionRows.HoldingRow], _ ledger: PostgresValue, _ id: PostgresValue
    ) -> PostgresStatement {
        PostgresStatement(
            """
            INSERT INTO holding (ledger, customer, originalTransactionId, holding)
            SELECT $1, owner, $2, has FROM unnest($3::text[], $4::bytea[]) AS new (owner, has)
            ON CONFLICT (ledger, customer, originalTransactionId) DO UPDATE SET holding = excluded.holding
            """,
            [ledger, id, .texts(holdings.map(\.customer.rawValue)), .byteStrings(holdings.map(\.holding))])
    }

    /// PER-1: each name of a period, under a constraint that gives it to one period only; the last one named has it.
    private static func upsert(
        _ aliases: [SubscriptionRows.AliasRow], _ ledger: PostgresValue, _ id: PostgresValue
    ) -> PostgresStatement {
        let periods = Dictionary(aliases.map { ($0.alias, $0.period) }) { _, last in last }.sorted { $0.key < $1.key }
        return PostgresStatement(
            """
            INSERT INTO periodAlias (ledger, originalTransactionId, alias, period)
            SELECT $1, $2, named, meant FROM unnest($3::text[], $4::text[]) AS new (named, meant)
            ON CONFLICT (ledger, originalTransactionId, alias) DO UPDATE SET period = excluded.period
            """,
            [ledger, id, .texts(periods.map(\.key)), .texts(periods.map(\.value))])
    }

    // MARK: Reading

    static func aliases(of id: OriginalTransactionID, ledger: Int64) -> PostgresStatement {
        PostgresStatement(
            "SELECT alias, period FROM periodAlias WHERE ledger = $1 AND originalTransactionId = $2 ORDER BY alias",
            [.integer(ledger), .text(id.rawValue)])
    }

    static func tenures(of id: OriginalTransactionID, revision: Int64, ledger: Int64) -> PostgresStatement {
        PostgresStatement(
            """
            SELECT effectiveFrom, owner.customer, rule, evidence, tenure.customer
            FROM tenure LEFT JOIN customer AS owner ON owner.id = tenure.customer
            WHERE ledger = $1 AND originalTransactionId = $2 AND revision = $3 ORDER BY effectiveFrom
            """,
            [.integer(ledger), .text(id.rawValue), .integer(revision)])
    }

    /// By the table's own key: a page costs what stands on it.
    static func next(after id: String, ledger: Int64, limit: Int) -> PostgresStatement {
        PostgresStatement(
            """
            SELECT originalTransactionId FROM subscription
            WHERE ledger = $1 AND originalTransactionId > $2 ORDER BY originalTransactionId LIMIT $3
            """,
            [.integer(ledger), .text(id), .count(limit)])
    }
}
