package import Ledger
import Primitives

/// A new row of `accountSighting`: something shows which Apple Account a subscription is of (OWN-14).
package struct WrittenSighting: WrittenRow {
    package static let table = "accountSighting"

    package enum Column: Int, StoredColumn { case ledger, evidence, originalTransactionId }

    private let sighting: AccountSighting
    private let ledger: Int64

    package init(_ sighting: AccountSighting, ledger: Int64) {
        self.sighting = sighting
        self.ledger = ledger
    }

    package func value(of column: Column) -> StoredValue {
        switch column {
        case .ledger: .integer(ledger)
        case .evidence: .text(sighting.evidence.text)
        case .originalTransactionId: .text(sighting.subscription.rawValue)
        }
    }
}

extension AccountSighting: ReadRow {
    /// Of `accountSighting`.
    package enum Column: Int, StoredColumn { case evidence, originalTransactionId }

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        guard let evidence = AppleAccount.Evidence(try row.text(.evidence)) else {
            throw StorageError(.corrupt, "unknown evidence of an Apple Account")
        }
        self.init(of: try row.originalTransactionID(.originalTransactionId), by: evidence)
    }
}

/// A row of `ownerProposal`: for this subscription an owner was proposed (OWN-14).
package struct WrittenProposal: WrittenRow {
    package static let table = "ownerProposal"

    package enum Column: Int, StoredColumn { case ledger, originalTransactionId }

    private let place: SubscriptionPlace

    package init(at place: SubscriptionPlace) { self.place = place }

    package func value(of column: Column) -> StoredValue {
        switch column {
        case .ledger: .integer(place.ledger)
        case .originalTransactionId: .text(place.id.rawValue)
        }
    }
}

/// A new row of `pendingReservation` (OWN-18).
package struct WrittenPendingReservation: WrittenRow {
    package static let table = "pendingReservation"

    package enum Column: Int, StoredColumn {
        case ledger, transactionId, reservationId, customer, isAnonymous, reservedAt
    }

    private let pending: PendingReservation
    private let customer: Int64
    private let ledger: Int64

    /// - Parameter customer: the number of the customer whose it is to be.
    package init(_ pending: PendingReservation, customer: Int64, ledger: Int64) {
        self.pending = pending
        self.customer = customer
        self.ledger = ledger
    }

    package func value(of column: Column) -> StoredValue {
        switch column {
        case .ledger: .integer(ledger)
        case .transactionId: .text(pending.transactionId.rawValue)
        case .reservationId: .text(pending.reservation.id.rawValue)
        case .customer: .integer(customer)
        case .isAnonymous: .bool(pending.reservation.isAnonymous)
        case .reservedAt: .instant(pending.reservation.reservedAt)
        }
    }
}

/// A reservation as it is kept, in a ledger that the reader knows by its number.
package struct FoundReservation: ReadRow {
    /// Of `pendingReservation` as `reserved`, beside which stands `customer` as `owner`.
    package enum Column: Int, StoredColumn {
        case ledger, transactionId, reservationId, customer, isAnonymous, reservedAt, customerNumber

        package var sql: String {
            switch self {
            case .customer: "owner.customer"
            case .customerNumber: "reserved.customer"
            default: name
            }
        }
    }

    package let ledger: Int64
    private let transactionId: TransactionID
    private let reservation: Reservation

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        guard let customer = try row.customer(.customer, number: .customerNumber) else {
            throw StorageError(.corrupt, "a reservation without a customer")
        }
        ledger = try row.integer(.ledger)
        transactionId = TransactionID(try row.text(.transactionId))
        reservation = Reservation(
            id: .init(try row.text(.reservationId)), customer: customer, isAnonymous: try row.bool(.isAnonymous),
            reservedAt: try row.instant(.reservedAt))
    }

    /// With the ledger's name.
    package func pending(in scope: Scope) -> PendingReservation { PendingReservation(scope, transactionId, reservation) }
}
