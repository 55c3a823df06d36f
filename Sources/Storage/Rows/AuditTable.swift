import Primitives

/// A new row of `audit` (AUDIT-2).
package struct WrittenAudit: WrittenRow {
    package static let table = "audit"

    package enum Column: Int, StoredColumn { case ledger, originalTransactionId, sequence, auditRow, hash }

    private let row: SubscriptionRows.Audit
    private let place: SubscriptionPlace

    package init(_ row: SubscriptionRows.Audit, at place: SubscriptionPlace) {
        self.row = row
        self.place = place
    }

    package func value(of column: Column) -> StoredValue {
        switch column {
        case .ledger: .integer(place.ledger)
        case .originalTransactionId: .text(place.id.rawValue)
        case .sequence: .integer(row.head.sequence)
        case .auditRow: .text(row.text)
        case .hash: .bytes(row.head.hash)
        }
    }
}

extension SubscriptionRows.Audit: ReadRow {
    package enum Column: Int, StoredColumn { case sequence, auditRow, hash }

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        self.init(
            head: AuditHead(sequence: try row.integer(.sequence), hash: try row.bytes(.hash)), text: try row.text(.auditRow))
    }
}
