import GRDB
import Ledger
import Primitives
import Storage

/// What is to be looked through of notification histories.
enum SweepQueries {
    private static let from = "SELECT \(StoredSweepPlan.columns) FROM ledger JOIN sweepPlan ON sweepPlan.ledger = ledger.id"

    static let selectPlan = from + " WHERE ledger.id = ?"

    static func plan(ledger: Int64, _ database: Database) throws -> SweepPlan? {
        let found: StoredSweepPlan? = try database.row(selectPlan, [.integer(ledger)])
        return found?.plan
    }

    static let selectPlans = from + " WHERE app = ? ORDER BY environment"

    static func plans(of app: AppID, _ database: Database) throws -> [StoredSweepPlan] {
        try database.rows(selectPlans, [.text(app.rawValue)])
    }

    private static let insertion = SQLiteInsertion<WrittenSweepPlan>(
        "ON CONFLICT DO UPDATE SET \(WrittenSweepPlan.taken(except: WrittenSweepPlan.key))")

    static func save(_ plan: WrittenSweepPlan, _ database: Database) throws { try database.run(insertion, plan) }
}
