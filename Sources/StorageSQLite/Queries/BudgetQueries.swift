import GRDB
import Ledger
import Primitives
import Storage

/// How many calls may be made to Apple, and how far customers' histories were read.
enum BudgetQueries {
    private static let from = "SELECT \(StoredBudget.columns) FROM ledger JOIN callBudget ON callBudget.ledger = ledger.id"

    static let selectBudget = from + " WHERE ledger.id = ? AND endpoint = ?"

    static func budget(of endpoint: String, ledger: Int64, _ database: Database) throws -> CallBudget? {
        let found: StoredBudget? = try database.row(selectBudget, [.integer(ledger), .text(endpoint)])
        return found?.budget
    }

    static let selectBudgets = from + " WHERE app = ? ORDER BY environment, endpoint"

    static func budgets(of app: AppID, _ database: Database) throws -> [StoredBudget] {
        try database.rows(selectBudgets, [.text(app.rawValue)])
    }

    private static let insertion = SQLiteInsertion<WrittenBudget>(
        "ON CONFLICT DO UPDATE SET \(WrittenBudget.taken(except: WrittenBudget.key))")

    static func save(_ budget: WrittenBudget, _ database: Database) throws { try database.run(insertion, budget) }

    // MARK: Histories

    static let selectRevision = "SELECT revision FROM historyRevision WHERE ledger = ? AND subject = ?"

    static func historyRevision(of subject: String, ledger: Int64, _ database: Database) throws -> String? {
        try database.rows(selectRevision, [.integer(ledger), .text(subject)]) { $0.text(0) }.first
    }

    private static let revisionInsertion = SQLiteInsertion<WrittenRevision>(
        "ON CONFLICT DO UPDATE SET \(WrittenRevision.taken(except: WrittenRevision.key))")

    static func save(_ revision: WrittenRevision, _ database: Database) throws { try database.run(revisionInsertion, revision) }
}
