import Ledger
package import Primitives

/// A new row of `outbox`: what was told at once.
package struct WrittenOutbox: WrittenRow {
    package static let table = "outbox"
    package static let filled = ["id"]

    package enum Column: Int, StoredColumn { case ledger, originalTransactionId, sequence, events, createdAt }

    private let told: SubscriptionRows.Outbox
    private let instant: Timestamp
    private let place: SubscriptionPlace

    package init(_ told: SubscriptionRows.Outbox, at instant: Timestamp, of place: SubscriptionPlace) {
        self.told = told
        self.instant = instant
        self.place = place
    }

    package func value(of column: Column) -> StoredValue {
        switch column {
        case .ledger: .integer(place.ledger)
        case .originalTransactionId: .text(place.id.rawValue)
        case .sequence: .integer(told.first)
        case .events: .text(told.events)
        case .createdAt: .instant(instant)
        }
    }
}

extension OutboxEntry {
    package enum Column: Int, StoredColumn { case id, ledger, originalTransactionId, sequence, events }

    /// - Parameter scope: of a ledger's number.
    package init(_ row: NamedRow<Column, some StoredRow>, scope: (Int64) throws -> Scope) throws {
        self.init(
            id: try row.integer(.id),
            key: SubscriptionKey(try scope(row.integer(.ledger)), try row.originalTransactionID(.originalTransactionId)),
            first: try row.integer(.sequence), events: try row.text(.events))
    }
}
