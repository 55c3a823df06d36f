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
    package func seal(_ heads: [AuditSeal.Entry]) -> StoredSeal {
        StoredSeal(
            seal: AuditSeal(app: app, number: number, sealedAt: sealedAt, heads: heads, previous: previous), hash: hash)
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
        case .app: .text(head.entry.subject.scope.app.rawValue)
        case .number: .integer(number)
        case .ledger: .integer(head.ledger)
        case .originalTransactionId: .text(head.entry.subject.subscription?.originalTransactionId.rawValue)
        case .auditCount: .integer(head.entry.head.sequence)
        case .auditHead: .bytes(head.entry.head.hash)
        }
    }
}

/// A new row of `sealedCustomerHead`.
package struct WrittenCustomerHead: WrittenRow {
    package static let table = "sealedCustomerHead"

    package enum Column: Int, StoredColumn { case app, number, ledger, customer, auditCount, auditHead }

    private let head: CustomerChainHead
    private let number: Int64

    /// - Parameter number: of the seal.
    package init(_ head: CustomerChainHead, in number: Int64) {
        self.head = head
        self.number = number
    }

    package func value(of column: Column) -> StoredValue {
        switch column {
        case .app: .text(head.scope.app.rawValue)
        case .number: .integer(number)
        case .ledger: .integer(head.ledger)
        case .customer: .integer(head.customer)
        case .auditCount: .integer(head.head.sequence)
        case .auditHead: .bytes(head.head.hash)
        }
    }
}

/// Where a customer's chain ends, or ended when it was sealed.
package struct CustomerChainHead: Sendable, Hashable {
    package let ledger: Int64
    package let scope: Scope
    /// The customer's number.
    package let customer: Int64
    package let head: AuditHead

    package var entry: AuditSeal.Entry { AuditSeal.Entry(.customer(scope, customer), head: head) }

    /// Of `customerBook` or `sealedCustomerHead`, joined with its `ledger`.
    package enum Column: Int, StoredColumn {
        case ledgerNumber, environment, customer, auditCount, auditHead

        package var sql: String { sql(customer: "sealedCustomerHead.customer") }

        /// - Parameter expression: what is the customer's number there.
        package func sql(customer expression: String) -> String {
            switch self {
            case .ledgerNumber: "ledger.id"
            case .customer: expression
            default: name
            }
        }
    }

    /// What a statement lists that asks the books.
    package static let ofBooks = Column.list { $0.sql(customer: "customerBook.number") }

    /// - Parameter app: for whose heads the statement asked.
    package init(_ row: NamedRow<Column, some StoredRow>, of app: AppID) throws {
        ledger = try row.integer(.ledgerNumber)
        scope = Scope(app: app, environment: try row.environment(.environment))
        customer = try row.integer(.customer)
        head = AuditHead(sequence: try row.integer(.auditCount), hash: try row.bytes(.auditHead))
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
            .subscription(
                SubscriptionKey(
                    app: app, environment: try row.environment(.environment),
                    originalTransactionId: try row.originalTransactionID(.originalTransactionId))),
            head: AuditHead(sequence: try row.integer(.auditCount), hash: try row.bytes(.auditHead)))
    }
}

extension MissedHead: ReadRow {
    /// Of `sealedHead`, joined with its `ledger`, beside which stand `subscription` and `audit`.
    package enum Column: Int, StoredColumn {
        case app, environment, originalTransactionId, auditCount, auditHead, isSubjectThere

        package var sql: String {
            switch self {
            case .environment: "ledger.environment"
            case .isSubjectThere: "subscription.ledger IS NOT NULL"
            default: "sealedHead.\(name)"
            }
        }
    }

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        self.init(
            entry: AuditSeal.Entry(
                .subscription(
                    SubscriptionKey(
                        try row.scope(.app, .environment), try row.originalTransactionID(.originalTransactionId))),
                head: AuditHead(sequence: try row.integer(.auditCount), hash: try row.bytes(.auditHead))),
            isSubjectThere: try row.bool(.isSubjectThere))
    }
}

/// A head of a customer's chain that a seal names and that is not in the books.
package struct MissedCustomerHead: ReadRow {
    /// Of `sealedCustomerHead`, joined with its `ledger`, beside which stand `customerBook` and `customerAudit`.
    package enum Column: Int, StoredColumn {
        case app, environment, customer, auditCount, auditHead, isSubjectThere

        package var sql: String {
            switch self {
            case .environment: "ledger.environment"
            case .isSubjectThere: "customerBook.ledger IS NOT NULL"
            default: "sealedCustomerHead.\(name)"
            }
        }
    }

    package let missed: MissedHead

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        missed = MissedHead(
            entry: AuditSeal.Entry(
                .customer(try row.scope(.app, .environment), try row.integer(.customer)),
                head: AuditHead(sequence: try row.integer(.auditCount), hash: try row.bytes(.auditHead))),
            isSubjectThere: try row.bool(.isSubjectThere))
    }
}

/// A place in a subscription's chain that a seal names: its head when it was sealed.
package struct SealedPlace: Sendable, Hashable, ReadRow {
    package enum Column: Int, StoredColumn { case number, auditCount }

    /// The seal's number.
    package let seal: Int64
    /// The number of the audit row.
    package let sequence: Int64

    package init(seal: Int64, sequence: Int64) { (self.seal, self.sequence) = (seal, sequence) }

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        self.init(seal: try row.integer(.number), sequence: try row.integer(.auditCount))
    }
}
