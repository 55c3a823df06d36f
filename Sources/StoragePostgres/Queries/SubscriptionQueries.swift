import Ledger
import Primitives
import Storage

/// What follows from a subscription's facts and claims, which is a cache of them (decision 0001).
enum SubscriptionQueries {
    private static let selectPlaces = """
        SELECT \(FoundSubscription.columns)
        FROM unnest($1::bigint[], $2::text[]) AS asked (inLedger, named)
        JOIN subscription ON ledger = inLedger AND originalTransactionId = named
        JOIN policy ON policy.id = subscription.policy
        """
    private static let selectLocked = selectPlaces + " ORDER BY ledger, originalTransactionId FOR UPDATE OF subscription"

    static func find(_ places: [SubscriptionPlace]) -> PostgresStatement {
        PostgresStatement(selectPlaces, [.integers(places.map(\.ledger)), .texts(places.map(\.id.rawValue))])
    }

    /// The same, and each row is the transaction's own until it ends. Locked in one order, so that transactions do not wait for
    /// each other in a circle.
    static func lock(_ places: [SubscriptionPlace]) -> PostgresStatement {
        PostgresStatement(selectLocked, [.integers(places.map(\.ledger)), .texts(places.map(\.id.rawValue))])
    }

    private static let selectPage = """
        SELECT \(FoundSubscription.columns)
        FROM subscription JOIN policy ON policy.id = subscription.policy
        WHERE ledger = $1 AND originalTransactionId > $2 ORDER BY originalTransactionId LIMIT $3
        """

    /// By the table's own key.
    static func page(after id: OriginalTransactionID?, ledger: Int64, limit: Int) -> PostgresStatement {
        PostgresStatement(selectPage, [.integer(ledger), .text(id?.rawValue ?? ""), .count(limit)])
    }

    private static let selectWaiting = """
        SELECT \(FoundSubscription.columns)
        FROM subscription JOIN policy ON policy.id = subscription.policy
        WHERE waits AND ledger = $1 AND originalTransactionId > $2 ORDER BY originalTransactionId LIMIT $3
        """

    static func waiting(after id: OriginalTransactionID?, ledger: Int64, limit: Int) -> PostgresStatement {
        PostgresStatement(selectWaiting, [.integer(ledger), .text(id?.rawValue ?? ""), .count(limit)])
    }

    /// Everything that a saving comes to, in the order in which it must be written.
    ///
    /// - Parameters:
    ///   - policy: its number.
    ///   - number: of a customer.
    static func save(
        _ rows: SubscriptionRows, policy: Int64, ledger: Int64, at instant: Timestamp, number: (CustomerID) throws -> Int64
    ) throws -> [PostgresStatement] {
        let place = SubscriptionPlace(ledger: ledger, id: rows.key.originalTransactionId)
        var statements = [save(WrittenSubscription(rows, policy: policy, ledger: ledger))]
        let revision = WrittenTenure.Revision(number: rows.ends.tenureRevision, learnedAt: instant)
        let tenures = try (rows.tenures ?? []).map { tenure in
            WrittenTenure(tenure, customer: try tenure.customer.map(number), in: revision, at: place)
        }
        if !tenures.isEmpty { statements.append(try tenureInsertion.statement(tenures)) }
        if !rows.formerHolders.isEmpty {
            statements.append(
                PostgresStatement(
                    "DELETE FROM holding WHERE ledger = $1 AND originalTransactionId = $2 AND customer = ANY ($3::text[])",
                    [.integer(ledger), .text(place.id.rawValue), .texts(rows.formerHolders.map(\.rawValue))]))
        }
        let holdings = rows.holdings.map { WrittenHolding($0, at: place) }
        if !holdings.isEmpty { statements.append(try holdingInsertion.statement(holdings)) }
        if !rows.aliases.isEmpty { statements.append(try upsert(rows.aliases, of: place)) }
        if !rows.refunds.isEmpty {
            statements.append(try RefundQueries.insert(rows.refunds.map { WrittenRefund($0, ledger: ledger) }))
        }
        return try statements + AuditQueries.append(rows, to: place, at: instant)
            + [WorkQueries.replaceDecided(rows.work, about: place)]
    }

    /// The place among the changes is this database's own, in the place of the column's value.
    private static let insertion = """
        INSERT INTO subscription (\(WrittenSubscription.Column.list)) VALUES (
            \(WrittenSubscription.Column.list { $0 == .writtenIn ? ListingQueries.place : "$\($0.rawValue + 1)" }))
        ON CONFLICT (ledger, originalTransactionId) DO UPDATE SET
            \(WrittenSubscription.taken(
                except: WrittenSubscription.key, [.isSealed: "subscription.isSealed AND excluded.isSealed"]))
        """

    private static func save(_ row: WrittenSubscription) -> PostgresStatement {
        PostgresStatement(
            insertion,
            WrittenSubscription.Column.allCases.filter { $0 != .writtenIn }.map { PostgresValue(row.value(of: $0)) })
    }

    private static let tenureInsertion = PostgresInsertion<WrittenTenure>()
    private static let holdingInsertion = PostgresInsertion<WrittenHolding>(
        "ON CONFLICT (ledger, customer, originalTransactionId) DO UPDATE SET holding = excluded.holding")
    private static let aliasInsertion = PostgresInsertion<WrittenAlias>(
        "ON CONFLICT (ledger, originalTransactionId, alias) DO UPDATE SET period = excluded.period")

    /// PER-1: each name of a period, under a constraint that gives it to one period only; the last one named has it.
    private static func upsert(
        _ aliases: [SubscriptionRows.AliasRow], of place: SubscriptionPlace
    ) throws -> PostgresStatement {
        let last = Dictionary(aliases.map { ($0.alias, $0) }) { _, last in last }.values.sorted { $0.alias < $1.alias }
        return try aliasInsertion.statement(last.map { WrittenAlias($0, at: place) })
    }

    // MARK: Reading

    private static let selectAliases = """
        SELECT \(SubscriptionRows.AliasRow.columns) FROM periodAlias
        WHERE ledger = $1 AND originalTransactionId = $2 ORDER BY alias
        """

    static func aliases(of id: OriginalTransactionID, ledger: Int64) -> PostgresStatement {
        PostgresStatement(selectAliases, [.integer(ledger), .text(id.rawValue)])
    }

    private static let selectWithPeriod = """
        SELECT DISTINCT \(SubscriptionPlace.columns) FROM periodAlias
        WHERE ledger IN (SELECT id FROM ledger WHERE app = $1) AND period = $2 LIMIT $3
        """

    static func places(withPeriod name: PeriodAlias, app: AppID, limit: Int) -> PostgresStatement {
        PostgresStatement(selectWithPeriod, [.text(app.rawValue), .text(name.key), .count(limit)])
    }

    private static let selectBearers = """
        SELECT DISTINCT \(NameBearer.columns) FROM periodAlias WHERE ledger = $1 AND period = ANY($2)
        ORDER BY period, originalTransactionId LIMIT $3
        """

    /// The subscriptions that have one of the names.
    static func bearers(of names: [String], ledger: Int64, limit: Int) -> PostgresStatement {
        PostgresStatement(selectBearers, [.integer(ledger), .texts(names), .count(limit)])
    }

    private static let selectAllTenures = """
        SELECT \(FoundTenure.columns)
        FROM tenure LEFT JOIN customer AS owner ON owner.id = tenure.customer
        WHERE ledger = $1 AND originalTransactionId = $2 ORDER BY revision, effectiveFrom LIMIT $3
        """

    static func allTenures(of id: OriginalTransactionID, limit: Int, ledger: Int64) -> PostgresStatement {
        PostgresStatement(selectAllTenures, [.integer(ledger), .text(id.rawValue), .count(limit)])
    }

    private static let selectTenures = """
        SELECT \(SubscriptionRows.TenureRow.columns)
        FROM tenure LEFT JOIN customer AS owner ON owner.id = tenure.customer
        WHERE ledger = $1 AND originalTransactionId = $2 AND revision = $3 ORDER BY effectiveFrom
        """

    static func tenures(of id: OriginalTransactionID, revision: Int64, ledger: Int64) -> PostgresStatement {
        PostgresStatement(selectTenures, [.integer(ledger), .text(id.rawValue), .integer(revision)])
    }

    /// What lists say of it.
    static func listing(of id: OriginalTransactionID, ledger: Int64) -> PostgresStatement {
        PostgresStatement(
            "SELECT listing FROM subscription WHERE ledger = $1 AND originalTransactionId = $2",
            [.integer(ledger), .text(id.rawValue)])
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
