/// A row of a table as both stores write it.
///
/// Its columns are cases, and `value(of:)` is a `switch` over them: the compiler asks for the value of a new one, and no two can
/// change places.
package protocol WrittenRow {
    associatedtype Column: StoredColumn

    static var table: String { get }
    /// The table's other columns, which a new row leaves to the database: numbers that it gives, and defaults.
    static var filled: [String] { get }

    /// Always of one case of ``StoredValue`` for one column.
    func value(of column: Column) -> StoredValue
}

extension WrittenRow {
    package static var filled: [String] { [] }

    /// In the order of the columns.
    package var values: [StoredValue] { Column.allCases.map(value) }

    /// What a row that is there already takes over from one that is written anew, for `ON CONFLICT DO UPDATE SET`.
    ///
    /// - Parameters:
    ///   - key: what makes it the same row, which stays.
    ///   - others: columns that do not simply take the new value, with what they become.
    package static func taken(except key: Set<Column>, _ others: [Column: String] = [:]) -> String {
        Column.allCases.filter { !key.contains($0) }
            .map { "\($0.name) = \(others[$0] ?? "excluded.\($0.name)")" }.joined(separator: ", ")
    }

    /// The same where only some columns take the new value.
    package static func taken(only columns: Set<Column>) -> String { taken(except: Set(Column.allCases).subtracting(columns)) }
}
