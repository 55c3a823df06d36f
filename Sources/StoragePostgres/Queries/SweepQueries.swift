import Ledger
import Primitives
import Storage

/// What is to be looked through of notification histories.
enum SweepQueries {
    private static let from = "SELECT \(StoredSweepPlan.columns) FROM ledger JOIN sweepPlan ON sweepPlan.ledger = ledger.id"

    private static let selectPlan = from + " WHERE ledger.id = $1"

    static func plan(ledger: Int64) -> PostgresStatement { PostgresStatement(selectPlan, [.integer(ledger)]) }

    private static let selectPlans = from + " WHERE app = $1 ORDER BY environment"

    static func plans(of app: AppID) -> PostgresStatement { PostgresStatement(selectPlans, [.text(app.rawValue)]) }

    private static let insertion = PostgresInsertion<WrittenSweepPlan>(
        "ON CONFLICT (ledger) DO UPDATE SET \(WrittenSweepPlan.taken(except: WrittenSweepPlan.key))")

    static func save(_ plan: WrittenSweepPlan) -> PostgresStatement { insertion.statement(plan) }
}
