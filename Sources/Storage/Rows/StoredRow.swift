package import Ledger
package import Primitives

/// The row at which an answer of a database stands. Columns are counted from 0; all but answers of a single column are read
/// through ``NamedRow``.
///
/// Every getter may throw `StorageError`: `corrupt` where the column is of another type, is missing, or is NULL and should not
/// be; `invalidText` where a text's bytes are not UTF-8.
package protocol StoredRow {
    func optionalInteger(_ column: Int) throws(StorageError) -> Int64?
    func integer(_ column: Int) throws(StorageError) -> Int64
    func bool(_ column: Int) throws(StorageError) -> Bool
    func optionalText(_ column: Int) throws(StorageError) -> String?
    func text(_ column: Int) throws(StorageError) -> String
    func optionalBytes(_ column: Int) throws(StorageError) -> [UInt8]?
    func bytes(_ column: Int) throws(StorageError) -> [UInt8]
}

/// A row whose columns are asked for by name. Every getter throws what ``StoredRow`` does.
package struct NamedRow<Column: StoredColumn, Row: StoredRow> {
    private let row: Row

    /// - Parameter row: of a statement that lists exactly these columns.
    package init(_ row: Row) { self.row = row }

    package func optionalInteger(_ column: Column) throws(StorageError) -> Int64? {
        try row.optionalInteger(column.rawValue)
    }

    package func integer(_ column: Column) throws(StorageError) -> Int64 { try row.integer(column.rawValue) }

    package func bool(_ column: Column) throws(StorageError) -> Bool { try row.bool(column.rawValue) }

    package func optionalText(_ column: Column) throws(StorageError) -> String? { try row.optionalText(column.rawValue) }

    package func text(_ column: Column) throws(StorageError) -> String { try row.text(column.rawValue) }

    package func optionalBytes(_ column: Column) throws(StorageError) -> [UInt8]? { try row.optionalBytes(column.rawValue) }

    package func bytes(_ column: Column) throws(StorageError) -> [UInt8] { try row.bytes(column.rawValue) }

    package func optionalInstant(_ column: Column) throws(StorageError) -> Timestamp? {
        try optionalInteger(column).map { Timestamp(millisecondsSince1970: $0) }
    }

    package func instant(_ column: Column) throws(StorageError) -> Timestamp {
        Timestamp(millisecondsSince1970: try integer(column))
    }

    package func originalTransactionID(_ column: Column) throws(StorageError) -> OriginalTransactionID {
        OriginalTransactionID(try text(column))
    }

    /// - Throws: `StorageError` with `corrupt` for an environment that Apple does not have.
    package func environment(_ column: Column) throws(StorageError) -> Environment {
        let spelling = try text(column)
        guard let environment = Environment(rawValue: spelling) else {
            throw StorageError(.corrupt, "unknown environment \(spelling)")
        }
        return environment
    }

    package func scope(_ app: Column, _ environment: Column) throws(StorageError) -> Scope {
        Scope(app: AppID(try text(app)), environment: try self.environment(environment))
    }

    /// A customer of rows that are never changed: their own id, or words for one who was erased; nil for none.
    ///
    /// - Parameters:
    ///   - customer: the customer's own id, which an erased customer has not.
    ///   - number: what stands for the customer; NULL where there is none.
    package func customer(_ customer: Column, number: Column) throws(StorageError) -> CustomerID? {
        if let customer = try optionalText(customer) { return CustomerID(customer) }
        return try optionalInteger(number).map { CustomerNames.erased($0) }
    }
}

/// A value that one row of an answer is, read in the same way from every database.
package protocol ReadRow {
    /// What a statement that asks for it lists.
    associatedtype Column: StoredColumn

    init(_ row: NamedRow<Column, some StoredRow>) throws
}

extension ReadRow {
    /// The list for a statement; see ``StoredColumn/list``.
    package static var columns: String { Column.list }

    package init(row: some StoredRow) throws { try self.init(NamedRow(row)) }
}
