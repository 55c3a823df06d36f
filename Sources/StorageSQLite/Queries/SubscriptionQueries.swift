import GRDB
import Ledger
import Primitives
import Storage

/// What follows from a subscription's facts and claims, which is a cache of them (decision 0001).
enum SubscriptionQueries {
    static let selectSubscription = """
        SELECT \(FoundSubscription.columns)
        FROM subscription JOIN policy ON policy.id = subscription.policy
        WHERE ledger = ? AND originalTransactionId = ?
        """

    static func find(_ id: OriginalTransactionID, ledger: Int64, _ database: Database) throws -> FoundSubscription? {
        try database.row(selectSubscription, [.integer(ledger), .text(id.rawValue)])
    }

    static let selectPage = """
        SELECT \(FoundSubscription.columns)
        FROM subscription JOIN policy ON policy.id = subscription.policy
        WHERE ledger = ? AND originalTransactionId > ? ORDER BY originalTransactionId LIMIT ?
        """

    /// By the table's own key.
    static func page(
        after id: OriginalTransactionID?, limit: Int, ledger: Int64, _ database: Database
    ) throws -> [FoundSubscription] {
        try database.rows(selectPage, [.integer(ledger), .text(id?.rawValue ?? ""), .count(limit)])
    }

    static let selectWaiting = """
        SELECT \(FoundSubscription.columns)
        FROM subscription JOIN policy ON policy.id = subscription.policy
        WHERE waits = 1 AND ledger = ? AND originalTransactionId > ? ORDER BY originalTransactionId LIMIT ?
        """

    static func waiting(
        after id: OriginalTransactionID?, limit: Int, ledger: Int64, _ database: Database
    ) throws -> [FoundSubscription] {
        try database.rows(selectWaiting, [.integer(ledger), .text(id?.rawValue ?? ""), .count(limit)])
    }

    /// The place among the changes is the database's own, in the place of the column's value.
    static let insertion = """
        INSERT INTO subscription (\(WrittenSubscription.Column.list)) VALUES (
            \(WrittenSubscription.Column.list {
                $0 == .writtenIn ? ListingQueries.place(in: "subscription", of: "?1") : "?\($0.rawValue + 1)"
            }))
        ON CONFLICT DO UPDATE SET
            \(WrittenSubscription.taken(except: WrittenSubscription.key, [.isSealed: "min(isSealed, excluded.isSealed)"]))
        """

    static func save(_ subscription: WrittenSubscription, _ database: Database) throws {
        try database.run(
            insertion, WrittenSubscription.Column.allCases.filter { $0 != .writtenIn }.map(subscription.value))
    }

    private static let aliasInsertion = SQLiteInsertion<WrittenAlias>("ON CONFLICT DO UPDATE SET period = excluded.period")

    /// PER-1: each name of a period, under a constraint that gives it to one period only.
    static func save(_ alias: WrittenAlias, _ database: Database) throws { try database.run(aliasInsertion, alias) }

    private static let tenureInsertion = SQLiteInsertion<WrittenTenure>()

    static func insert(_ tenure: WrittenTenure, _ database: Database) throws { try database.run(tenureInsertion, tenure) }

    static let selectAliases = """
        SELECT \(SubscriptionRows.AliasRow.columns) FROM periodAlias
        WHERE ledger = ? AND originalTransactionId = ? ORDER BY alias
        """
    static let selectBearers = """
        SELECT DISTINCT \(NameBearer.columns) FROM periodAlias WHERE ledger = ? AND period = ? ORDER BY originalTransactionId
        LIMIT ?
        """

    static func bearers(of name: String, ledger: Int64, limit: Int, _ database: Database) throws -> [NameBearer] {
        try database.rows(selectBearers, [.integer(ledger), .text(name), .count(limit)])
    }

    /// `CROSS JOIN` has SQLite take each ledger first.
    static let selectWithPeriod = """
        SELECT DISTINCT \(SubscriptionPlace.columns) FROM ledger
        CROSS JOIN periodAlias ON periodAlias.ledger = ledger.id AND period = ?2
        WHERE app = ?1 LIMIT ?3
        """

    static func places(
        withPeriod name: PeriodAlias, app: AppID, limit: Int, _ database: Database
    ) throws -> [SubscriptionPlace] {
        try database.rows(selectWithPeriod, [.text(app.rawValue), .text(name.key), .count(limit)])
    }

    static let selectAllTenures = """
        SELECT \(FoundTenure.columns)
        FROM tenure LEFT JOIN customer AS owner ON owner.id = tenure.customer
        WHERE ledger = ? AND originalTransactionId = ? ORDER BY revision, effectiveFrom LIMIT ?
        """

    static func allTenures(
        of id: OriginalTransactionID, limit: Int, ledger: Int64, _ database: Database
    ) throws -> [FoundTenure] {
        try database.rows(selectAllTenures, [.integer(ledger), .text(id.rawValue), .count(limit)])
    }

    static let selectTenures = """
        SELECT \(SubscriptionRows.TenureRow.columns)
        FROM tenure LEFT JOIN customer AS owner ON owner.id = tenure.customer
        WHERE ledger = ? AND originalTransactionId = ? AND revision = ? ORDER BY effectiveFrom
        """
    static let selectCustomers = """
        SELECT DISTINCT owner.customer FROM tenure JOIN customer AS owner ON owner.id = tenure.customer
        WHERE ledger = ? AND originalTransactionId = ? AND owner.customer IS NOT NULL
        """

    static func aliases(of id: OriginalTransactionID, ledger: Int64, _ database: Database) throws -> [SubscriptionRows.AliasRow] {
        try database.rows(selectAliases, [.integer(ledger), .text(id.rawValue)])
    }

    static func tenures(
        of id: OriginalTransactionID, revision: Int64, ledger: Int64, _ database: Database
    ) throws -> [SubscriptionRows.TenureRow] {
        try database.rows(selectTenures, [.integer(ledger), .text(id.rawValue), .integer(revision)])
    }

    /// All customers that any revision named: only they can have a holding.
    static func customers(of id: OriginalTransactionID, ledger: Int64, _ database: Database) throws -> [CustomerID] {
        try database.rows(selectCustomers, [.integer(ledger), .text(id.rawValue)]) { CustomerID($0.text(0)) }
    }

    /// What lists say of it.
    static func listing(of id: OriginalTransactionID, ledger: Int64, _ database: Database) throws -> [UInt8]? {
        try database.rows(
            "SELECT listing FROM subscription WHERE ledger = ? AND originalTransactionId = ?",
            [.integer(ledger), .text(id.rawValue)]
        ) { $0.optionalBytes(0) }.first ?? nil
    }

    static let selectNext = """
        SELECT originalTransactionId FROM subscription
        WHERE ledger = ? AND originalTransactionId > ? ORDER BY originalTransactionId LIMIT ?
        """

    /// By the table's own key, one ledger after the other: a page costs what stands on it.
    static func next(after key: SubscriptionKey?, limit: Int, _ database: Database) throws -> [SubscriptionKey] {
        var keys: [SubscriptionKey] = []
        var last = key?.originalTransactionId.rawValue ?? ""
        var place = try key.flatMap { key in
            try NameQueries.ledger(of: key.scope, database).map { NumberedScope(number: $0, scope: key.scope) }
        }
        if place == nil {
            last = ""
            place = try NameQueries.nextLedger(after: key?.scope, database)
        }
        // Bounded by the ledgers, which are the apps and environments there are.
        while let ledger = place, keys.count < limit {
            let values: [SQLiteValue] = [.integer(ledger.number), .text(last), .count(limit - keys.count)]
            keys += try database.rows(selectNext, values) { row in
                SubscriptionKey(ledger.scope, OriginalTransactionID(row.text(0)))
            }
            last = ""
            place = try NameQueries.nextLedger(after: ledger.scope, database)
        }
        return keys
    }
}
