import Storage

/// The statements that write rows of a table: one, or many at once.
struct PostgresInsertion<Row: WrittenRow>: Sendable {
    private let one: String
    private let many: String

    /// - Parameters:
    ///   - rest: what follows the values, such as `ON CONFLICT DO NOTHING`; for many rows it may also order or group them.
    ///   - expressions: what many rows have in a column in place of their own values.
    init(_ rest: String = "", instead expressions: [Row.Column: String] = [:]) {
        let list = Row.Column.list
        let places = Row.Column.list { "$\($0.rawValue + 1)" }
        let selected = Row.Column.list { expressions[$0] ?? $0.name }
        one = "INSERT INTO \(Row.table) (\(list)) VALUES (\(places)) \(rest)"
        many = "INSERT INTO \(Row.table) (\(list)) SELECT \(selected) FROM unnest(\(places)) AS new (\(list)) \(rest)"
    }

    func statement(_ row: Row) -> PostgresStatement { PostgresStatement(one, row.values.map(PostgresValue.init)) }

    /// - Throws: `StorageError` with `other` where a column has values of several types.
    func statement(_ rows: [Row]) throws(StorageError) -> PostgresStatement {
        PostgresStatement(many, try Row.arrays(of: rows))
    }
}

extension WrittenRow {
    /// Each column of some rows as an array, for `unnest`, in the order of the columns.
    ///
    /// - Throws: `StorageError` with `other` where a column has values of several types.
    static func arrays(of rows: [Self]) throws(StorageError) -> [PostgresValue] {
        var arrays: [PostgresValue] = []
        for column in Column.allCases { arrays.append(try PostgresValue(column: rows.map { $0.value(of: column) })) }
        return arrays
    }
}
