import Ledger
import Primitives
import Storage

/// How many calls may be made to Apple, and how far customers' histories were read.
enum BudgetQueries {
    private static let from = "SELECT \(StoredBudget.columns) FROM ledger JOIN callBudget ON callBudget.ledger = ledger.id"

    private static let selectBudget = from + " WHERE ledger.id = $1 AND endpoint = $2"

    static func budget(of endpoint: String, ledger: Int64) -> PostgresStatement {
        PostgresStatement(selectBudget, [.integer(ledger), .text(endpoint)])
    }

    private static let selectBudgets = from + " WHERE app = $1 ORDER BY environment, endpoint"

    static func budgets(of app: AppID) -> PostgresStatement { PostgresStatement(selectBudgets, [.text(app.rawValue)]) }

    private static let insertion = PostgresInsertion<WrittenBudget>(
        "ON CONFLICT (ledger, endpoint) DO UPDATE SET \(WrittenBudget.taken(except: WrittenBudget.key))")

    static func save(_ budget: WrittenBudget) -> PostgresStatement { insertion.statement(budget) }

    // MARK: Histories

    private static let selectRevision = "SELECT revision FROM historyRevision WHERE ledger = $1 AND subject = $2"

    static func historyRevision(of subject: String, ledger: Int64) -> PostgresStatement {
        PostgresStatement(selectRevision, [.integer(ledger), .text(subject)])
    }

    private static let revisionInsertion = PostgresInsertion<WrittenRevision>(
        "ON CONFLICT (ledger, subject) DO UPDATE SET \(WrittenRevision.taken(except: WrittenRevision.key))")

    static func save(_ revision: WrittenRevision) -> PostgresStatement { revisionInsertion.statement(revision) }
}
