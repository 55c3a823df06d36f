import Primitives

/// A new row of `operatorWarning`.
package struct WrittenWarning: WrittenRow {
    package static let table = "operatorWarning"

    package enum Column: Int, StoredColumn { case ledger, kind, value, firstSeenAt }

    private let warning: OperatorWarning
    private let ledger: Int64

    package init(_ warning: OperatorWarning, ledger: Int64) {
        self.warning = warning
        self.ledger = ledger
    }

    package func value(of column: Column) -> StoredValue {
        switch column {
        case .ledger: .integer(ledger)
        case .kind: .text(warning.kind.rawValue)
        case .value: .text(warning.value)
        case .firstSeenAt: .instant(warning.firstSeenAt)
        }
    }
}

extension OperatorWarning: ReadRow {
    package enum Column: Int, StoredColumn { case kind, value, firstSeenAt }

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        let spelling = try row.text(.kind)
        guard let kind = OperatorWarning.Kind(rawValue: spelling) else {
            throw StorageError(.corrupt, "unknown kind of warning \(spelling)")
        }
        self.init(kind: kind, value: try row.text(.value), firstSeenAt: try row.instant(.firstSeenAt))
    }
}
