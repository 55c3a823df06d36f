import Ledger
import Primitives

/// A row of `subscription` as it is written, new or once more.
package struct WrittenSubscription: WrittenRow {
    package static let table = "subscription"
    package static let key: Set<Column> = [.ledger, .originalTransactionId]

    package enum Column: Int, StoredColumn {
        case ledger, originalTransactionId, policy, tenureRevision, auditCount, auditHead, eventCount, isSealed, waits, history
        case listing, writtenIn
    }

    private let rows: SubscriptionRows
    private let policy: Int64
    private let ledger: Int64

    /// - Parameter policy: the number of the policy under which the state was folded.
    package init(_ rows: SubscriptionRows, policy: Int64, ledger: Int64) {
        self.rows = rows
        self.policy = policy
        self.ledger = ledger
    }

    package func value(of column: Column) -> StoredValue {
        switch column {
        case .ledger: .integer(ledger)
        case .originalTransactionId: .text(rows.key.originalTransactionId.rawValue)
        case .policy: .integer(policy)
        case .tenureRevision: .integer(rows.ends.tenureRevision)
        case .auditCount: .integer(rows.ends.audit.sequence)
        case .auditHead: .bytes(rows.ends.audit.hash)
        case .eventCount: .integer(rows.ends.events)
        case .isSealed: .bool(rows.audit.isEmpty)
        case .waits: .bool(rows.waits)
        case .history: .bytes(rows.history)
        case .listing: .bytes(rows.listing)
        // Each database puts the place of its own in its stead (``ChangePlace/transaction``).
        case .writtenIn: .integer(0)
        }
    }
}

/// A row of `subscription`, its history not read yet.
package struct FoundSubscription: ReadRow {
    /// Of `subscription`, joined with its `policy`.
    package enum Column: Int, StoredColumn {
        case ledger, originalTransactionId, policyNumber, foldVersion, tenureRevision, auditCount, auditHead, eventCount, waits
        case history

        package var sql: String { self == .policyNumber ? "policy.id" : name }
    }

    package let place: SubscriptionPlace
    /// The number of the policy under which it was folded last.
    package let policy: Int64
    package let foldVersion: Int64
    package let ends: StoredSubscription.Ends
    /// Whether a claim may wait for a decision.
    package let waits: Bool
    package let history: [UInt8]

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        place = SubscriptionPlace(
            ledger: try row.integer(.ledger), id: try row.originalTransactionID(.originalTransactionId))
        policy = try row.integer(.policyNumber)
        foldVersion = try row.integer(.foldVersion)
        ends = StoredSubscription.Ends(
            tenureRevision: try row.integer(.tenureRevision),
            audit: AuditHead(sequence: try row.integer(.auditCount), hash: try row.bytes(.auditHead)),
            events: try row.integer(.eventCount))
        waits = try row.bool(.waits)
        history = try row.bytes(.history)
    }
}
