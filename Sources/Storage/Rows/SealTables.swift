package import Ledger
package import Primitives

/// A row of `auditSeal`: a seal without its heads (AUDIT-2).
package struct SealRow: Sendable, Hashable {
    package let app: AppID
    package let number: Int64
    package let sealedAt: Timestamp
    package let previous: [UInt8]
    package let hash: [UInt8]

    package init(_ seal: AuditSeal) {
        app = seal.app
        number = seal.number
        sealedAt = seal.sealedAt
        previous = seal.previous
        hash = seal.hash
    }

    /// The seal with its heads.
    package func seal(_ heads: [ChainHead]) -> StoredSeal {
        StoredSeal(
            seal: AuditSeal(app: app, number: number, sealedAt: sealedAt, heads: heads.map(\.entry), previous: previous),
            hash: hash)
    }
}

extension SealRow: WrittenRow, ReadRow {
    package static let table = "auditSeal"

    package enum Column: Int, StoredColumn { case app, number, sealedAt, previous, hash }

    package func value(of column: Column) -> StoredValue {
        switch column {
        case .app: .text(app.rawValue)
        case .number: .integer(number)
        case .sealedAt: .instant(sealedAt)
        case .previous: .bytes(previous)
        case .hash: .bytes(hash)
        }
    }

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        app = AppID(try row.text(.app))
        number = try row.integer(.number)
        sealedAt = try row.instant(.sealedAt)
        previous = try row.bytes(.previous)
        hash = try row.bytes(.hash)
    }
}

/// A new row of `sealedHead`.
package struct WrittenHead: WrittenRow {
    package static let table = "sealedHead"

    package enum Column: Int, StoredColumn { case app, number, ledger, originalTransactionId, auditCount, auditHead }

    private let head: ChainHead
    private let number: Int64

    /// - Parameter number: of the seal.
    package init(_ head: ChainHead, in number: Int64) {
        self.head = head
        self.number = number
    }

    package func value(of column: Column) -> StoredValue {
        switch column {
        case .app: .text(head.entry.key.app.rawValue)
        case .number: .integer(number)
        case .ledger: .integer(head.ledger)
        case .originalTransactionId: .text(head.entry.key.originalTransactionId.rawValue)
        case .auditCount: .integer(head.entry.head.sequence)
        case .auditHead: .bytes(head.entry.head.hash)
        }
    }
}

/// Where a subscription's chain ends, or ended when it was sealed, with the number of its ledger.
package struct ChainHead: Sendable, Hashable {
    package let ledger: Int64
    package let entry: AuditSeal.Entry
}

extension ChainHead {
    /// Of `subscription` or `sealedHead`, joined with its `ledger`.
    package enum Column: Int, StoredColumn {
        case ledgerNumber, environment, originalTransactionId, auditCount, auditHead

        package var sql: String { self == .ledgerNumber ? "ledger.id" : name }
    }

    /// - Parameter app: for whose heads the statement asked.
    package init(_ row: NamedRow<Column, some StoredRow>, of app: AppID) throws {
        ledger = try row.integer(.ledgerNumber)
        entry = AuditSeal.Entry(
            key: SubscriptionKey(
                app: app, environment: try row.environment(.environment),
                originalTransactionId: try row.originalTransactionID(.originalTransactionId)),
            head: AuditHead(sequence: try row.integer(.auditCount), hash: try row.bytes(.auditHead)))
    }
}

extension MissedHead: ReadRow {
    /// Of `sealedHead`, joined with its `ledger`, beside which stand `subscription` and `audit`.
    package enum Column: Int, StoredColumn {
        case app, environment, originalTransactionId, auditCount, auditHead, isSubscriptionThere

        package var sql: String {
            switch self {
            case .environment: "ledger.environment"
            case .isSubscriptionThere: "subscription.ledger IS NOT NULL"
            default: "sealedHead.\(name)"
            }
        }
    }

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        self.init(
            entry: AuditSeal.Entry(
                key: SubscriptionKey(
                    try row.scope(.app, .environment), try row.originalTransactionID(.originalTransactionId)),
                head: AuditHead(sequence: try row.integer(.auditCount), hash: try row.bytes(.auditHead))),
            isSubscriptionThere: try row.bool(.isSubscriptionThere))
    }
}
