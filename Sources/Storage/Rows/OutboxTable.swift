import Ledger
package import Primitives

/// A new row of `outbox`: what was told at once.
package struct WrittenOutbox: WrittenRow {
    package static let table = "outbox"
    package static let filled = ["id"]

    package enum Column: Int, StoredColumn {
        case ledger, originalTransactionId, customer, sequence, events, createdAt, writtenIn
    }

    private let told: SubscriptionRows.Outbox
    private let instant: Timestamp
    private let ledger: Int64
    /// One of the two.
    private let subscription: OriginalTransactionID?
    private let customer: Int64?

    package init(_ told: SubscriptionRows.Outbox, at instant: Timestamp, of place: SubscriptionPlace) {
        (self.told, self.instant, ledger) = (told, instant, place.ledger)
        (subscription, customer) = (place.id, nil)
    }

    /// - Parameter customer: the number of the customer of whom it was told.
    package init(_ told: SubscriptionRows.Outbox, at instant: Timestamp, of customer: Int64, ledger: Int64) {
        (self.told, self.instant, self.ledger) = (told, instant, ledger)
        (subscription, self.customer) = (nil, customer)
    }

    package func value(of column: Column) -> StoredValue {
        switch column {
        case .ledger: .integer(ledger)
        case .originalTransactionId: .text(subscription?.rawValue)
        case .customer: .integer(customer)
        case .sequence: .integer(told.first)
        case .events: .text(told.events)
        case .createdAt: .instant(instant)
        // A database in which transactions run side by side puts the place of its own in its stead (``LogPlace/transaction``).
        case .writtenIn: .integer(0)
        }
    }
}

/// A row of `outbox` by its age.
package struct AgedRow: Sendable, Hashable, ReadRow {
    package enum Column: Int, StoredColumn { case id, writtenIn, createdAt }

    /// After all of its events.
    package let end: LogPlace
    package let createdAt: Timestamp

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        end = LogPlace(transaction: try row.integer(.writtenIn), row: try row.integer(.id), event: EventCoding.most)
        createdAt = try row.instant(.createdAt)
    }
}

/// A row of `logFloor`: everything to a place is forgotten.
package struct WrittenFloor: WrittenRow {
    package static let table = "logFloor"
    package static let key: Set<Column> = [.ledger]

    package enum Column: Int, StoredColumn { case ledger, place, forgottenAt }

    private let place: LogPlace
    private let ledger: Int64
    private let instant: Timestamp

    package init(_ place: LogPlace, at instant: Timestamp, ledger: Int64) {
        (self.place, self.ledger, self.instant) = (place, ledger, instant)
    }

    package func value(of column: Column) -> StoredValue {
        switch column {
        case .ledger: .integer(ledger)
        case .place: .text(place.text)
        case .forgottenAt: .instant(instant)
        }
    }
}

/// Where a log begins by now.
package struct LogFloor: Sendable, Hashable, ReadRow {
    package enum Column: Int, StoredColumn { case place }

    package let place: LogPlace

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        let text = try row.text(.place)
        guard let place = LogPlace(text) else { throw StorageError(.corrupt, "\(text) is no place in a log") }
        self.place = place
    }
}

extension OutboxEntry {
    /// Of `outbox`, beside which stands `customer` as `subject`.
    package enum Column: Int, StoredColumn {
        case id, writtenIn, ledger, originalTransactionId, customer, customerNumber, sequence, events, createdAt

        package var sql: String {
            switch self {
            case .id: "outbox.id"
            case .customer: "subject.customer"
            case .customerNumber: "outbox.customer"
            default: name
            }
        }
    }

    /// - Parameter scope: of a ledger's number.
    package init(_ row: NamedRow<Column, some StoredRow>, scope: (Int64) throws -> Scope) throws {
        let scope = try scope(row.integer(.ledger))
        let subject: Subject
        let id = try row.optionalText(.originalTransactionId)
        if let key = id.flatMap({ EndpointKey(scope, row: $0) }) {
            subject = .endpoint(key)
        } else if let id {
            subject = .subscription(SubscriptionKey(scope, OriginalTransactionID(id)))
        } else if let customer = try row.customer(.customer, number: .customerNumber) {
            subject = .customer(CustomerKey(scope, customer))
        } else {
            throw StorageError(.corrupt, "a row of the outbox is about nothing")
        }
        self.init(
            id: try row.integer(.id), transaction: try row.integer(.writtenIn), subject: subject,
            first: try row.integer(.sequence), events: try row.text(.events), createdAt: try row.instant(.createdAt))
    }
}
