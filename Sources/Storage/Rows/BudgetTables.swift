import Ledger
package import Primitives

/// A row of `callBudget`.
package struct WrittenBudget: WrittenRow {
    package static let table = "callBudget"
    package static let key: Set<Column> = [.ledger, .endpoint]

    package enum Column: Int, StoredColumn { case ledger, endpoint, tat, blockedUntil, callsPerHour, raisedAt }

    private let budget: CallBudget
    private let endpoint: String
    private let ledger: Int64

    package init(_ budget: CallBudget, of endpoint: String, ledger: Int64) {
        self.budget = budget
        self.endpoint = endpoint
        self.ledger = ledger
    }

    package func value(of column: Column) -> StoredValue {
        switch column {
        case .ledger: .integer(ledger)
        case .endpoint: .text(endpoint)
        case .tat: .instant(budget.tat)
        case .blockedUntil: .instant(budget.blockedUntil)
        case .callsPerHour: .integer(budget.callsPerHour)
        case .raisedAt: .instant(budget.raisedAt)
        }
    }
}

extension StoredBudget: ReadRow {
    /// Of `callBudget` joined with its `ledger`.
    package enum Column: Int, StoredColumn { case app, environment, endpoint, tat, blockedUntil, callsPerHour, raisedAt }

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        self.init(
            BudgetName(try row.scope(.app, .environment), try row.text(.endpoint)),
            CallBudget(
                tat: try row.instant(.tat), blockedUntil: try row.instant(.blockedUntil),
                callsPerHour: try row.integer(.callsPerHour), raisedAt: try row.instant(.raisedAt)))
    }
}

/// A row of `historyRevision`: where the next reading of a customer's transaction history begins.
package struct WrittenRevision: WrittenRow {
    package static let table = "historyRevision"
    package static let key: Set<Column> = [.ledger, .subject]

    package enum Column: Int, StoredColumn { case ledger, subject, revision, readAt }

    private let revision: String
    private let subject: String
    private let readAt: Timestamp
    private let ledger: Int64

    package init(_ revision: String, of subject: String, at instant: Timestamp, ledger: Int64) {
        self.revision = revision
        self.subject = subject
        readAt = instant
        self.ledger = ledger
    }

    package func value(of column: Column) -> StoredValue {
        switch column {
        case .ledger: .integer(ledger)
        case .subject: .text(subject)
        case .revision: .text(revision)
        case .readAt: .instant(readAt)
        }
    }
}
