import Ledger
import Primitives

/// A new row of `ledger`.
package struct WrittenLedger: WrittenRow {
    package static let table = "ledger"
    package static let filled = ["id"]

    package enum Column: Int, StoredColumn { case app, environment }

    private let scope: Scope

    package init(_ scope: Scope) { self.scope = scope }

    package func value(of column: Column) -> StoredValue {
        switch column {
        case .app: .text(scope.app.rawValue)
        case .environment: .text(scope.environment.rawValue)
        }
    }
}

/// An app in an environment, and the number that stands for both in every key.
package struct NumberedScope: Sendable, Hashable {
    package let number: Int64
    package let scope: Scope

    package init(number: Int64, scope: Scope) {
        self.number = number
        self.scope = scope
    }
}

extension NumberedScope: ReadRow {
    package enum Column: Int, StoredColumn { case id, app, environment }

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        self.init(number: try row.integer(.id), scope: try row.scope(.app, .environment))
    }
}
