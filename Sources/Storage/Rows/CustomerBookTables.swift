package import Ledger
import Primitives

/// A row of `customerBook` as it is written, new or once more: all that was said about a customer, and where the numbered rows
/// end.
package struct WrittenCustomerBook: WrittenRow {
    package static let table = "customerBook"
    package static let key: Set<Column> = [.ledger, .customer]

    package enum Column: Int, StoredColumn {
        case ledger, customer, number, auditCount, auditHead, eventCount, isSealed, account
    }

    /// What changes of a row that is there where something is told and nothing was said: audit rows that are not sealed stay so.
    package static let told: Set<Column> = [.eventCount]

    private let rows: CustomerRows
    private let ledger: Int64

    package init(_ rows: CustomerRows, ledger: Int64) {
        self.rows = rows
        self.ledger = ledger
    }

    package func value(of column: Column) -> StoredValue {
        switch column {
        case .ledger: .integer(ledger)
        case .customer: .text(rows.key.customer.rawValue)
        case .number: .integer(rows.number)
        case .auditCount: .integer(rows.ends.audit.sequence)
        case .auditHead: .bytes(rows.ends.audit.hash)
        case .eventCount: .integer(rows.ends.events)
        case .isSealed: .bool(rows.audit.isEmpty)
        case .account: .bytes(rows.account)
        }
    }
}

/// A row of `customerBook`, its account not read yet.
package struct FoundCustomerBook: ReadRow {
    package enum Column: Int, StoredColumn { case ledger, customer, number, auditCount, auditHead, eventCount, account }

    package let ledger: Int64
    package let customer: CustomerID
    package let number: Int64
    package let ends: StoredCustomer.Ends
    package let account: [UInt8]

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        ledger = try row.integer(.ledger)
        customer = CustomerID(try row.text(.customer))
        number = try row.integer(.number)
        ends = StoredCustomer.Ends(
            audit: AuditHead(sequence: try row.integer(.auditCount), hash: try row.bytes(.auditHead)),
            events: try row.integer(.eventCount))
        account = try row.bytes(.account)
    }

    /// - Parameter rebuilt: the customer's inputs as their rows have them.
    package func stored(_ key: CustomerKey, rebuilt: () throws -> [CustomerInput]) throws -> StoredCustomer {
        StoredCustomer(account: try CustomerCoding.decode(account, of: key, rebuilt: rebuilt), ends: ends)
    }
}

/// A new row of `customerInput`: one thing that was said about a customer.
package struct WrittenCustomerInput: WrittenRow {
    package static let table = "customerInput"

    package enum Column: Int, StoredColumn { case ledger, customer, kind, inputId, recordedAt, decoded }

    private let input: CustomerRows.Input
    private let customer: Int64
    private let ledger: Int64

    /// - Parameter customer: the customer's number.
    package init(_ input: CustomerRows.Input, of customer: Int64, ledger: Int64) {
        self.input = input
        self.customer = customer
        self.ledger = ledger
    }

    package func value(of column: Column) -> StoredValue {
        switch column {
        case .ledger: .integer(ledger)
        case .customer: .integer(customer)
        case .kind: .text(input.columns.kind)
        case .inputId: .text(input.columns.inputId)
        case .recordedAt: .instant(input.columns.recordedAt)
        case .decoded: .bytes(input.decoded)
        }
    }
}

/// An input as its row has it.
package struct KeptInputRow: ReadRow {
    package enum Column: Int, StoredColumn { case kind, inputId, recordedAt, decoded }

    package let columns: InputColumns
    package let decoded: [UInt8]

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        columns = InputColumns(
            kind: try row.text(.kind), inputId: try row.text(.inputId), recordedAt: try row.instant(.recordedAt))
        decoded = try row.bytes(.decoded)
    }

    /// What some of them say of a customer, with the own ids of whoever else they name.
    ///
    /// - Parameter names: of some numbers.
    package static func kept(
        _ rows: [KeptInputRow], of key: CustomerKey, _ names: (Set<Int64>) throws -> CustomerNames
    ) throws -> [CustomerContents.KeptInput] {
        let numbers = try CustomerCoding.customers(in: rows.map(\.decoded), of: key)
        let names = numbers.isEmpty ? CustomerNames() : try names(numbers)
        return try rows.map { row in
            CustomerContents.KeptInput(
                input: try CustomerCoding.decode(row.decoded, of: key) { names[$0] }, columns: row.columns)
        }
    }

    /// What some of them say of a subscription, with their customers' own ids.
    ///
    /// - Parameter names: of some numbers.
    package static func named(
        _ rows: [KeptInputRow], _ names: (Set<Int64>) throws -> CustomerNames
    ) throws -> [StoredContents.KeptInput] {
        let numbers = try rows.reduce(into: Set<Int64>()) { $0.formUnion(try InputCoding.customers(in: $1.decoded)) }
        let names = try names(numbers)
        return try rows.map { row in
            StoredContents.KeptInput(input: try InputCoding.decode(row.decoded) { names[$0] }, columns: row.columns)
        }
    }
}

/// A new row of `subscriptionInput`: a vote, an intent, a reservation or who is who, as one subscription heard it.
package struct WrittenSubscriptionInput: WrittenRow {
    package static let table = "subscriptionInput"

    package enum Column: Int, StoredColumn {
        case ledger, originalTransactionId, kind, inputId, customer, recordedAt, decoded
    }

    private let columns: InputColumns
    private let place: SubscriptionPlace
    private let customer: Int64?
    private let decoded: [UInt8]

    /// - Parameter number: of a customer.
    package init(_ input: LedgerInput, at place: SubscriptionPlace, number: (CustomerID) throws -> Int64) throws {
        guard let columns = try InputCoding.columns(of: input, number) else {
            throw StorageError(.other, "this input has a table of its own")
        }
        self.columns = columns
        self.place = place
        customer = try input.customers.first.map(number)
        decoded = try InputCoding.encode(input, number)
    }

    package func value(of column: Column) -> StoredValue {
        switch column {
        case .ledger: .integer(place.ledger)
        case .originalTransactionId: .text(place.id.rawValue)
        case .kind: .text(columns.kind)
        case .inputId: .text(columns.inputId)
        case .customer: .integer(customer)
        case .recordedAt: .instant(columns.recordedAt)
        case .decoded: .bytes(decoded)
        }
    }
}

/// A new row of `customerAudit` (AUDIT-2).
package struct WrittenCustomerAudit: WrittenRow {
    package static let table = "customerAudit"

    package enum Column: Int, StoredColumn { case ledger, customer, sequence, auditRow, hash }

    private let row: SubscriptionRows.Audit
    private let customer: Int64
    private let ledger: Int64

    /// - Parameter customer: the customer's number.
    package init(_ row: SubscriptionRows.Audit, of customer: Int64, ledger: Int64) {
        self.row = row
        self.customer = customer
        self.ledger = ledger
    }

    package func value(of column: Column) -> StoredValue {
        switch column {
        case .ledger: .integer(ledger)
        case .customer: .integer(customer)
        case .sequence: .integer(row.head.sequence)
        case .auditRow: .text(row.text)
        case .hash: .bytes(row.head.hash)
        }
    }
}
