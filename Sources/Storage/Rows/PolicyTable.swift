extension PolicyRow: WrittenRow, ReadRow {
    package static let table = "policy"

    package enum Column: Int, StoredColumn { case id, foldVersion, policy }

    package func value(of column: Column) -> StoredValue {
        switch column {
        case .id: .integer(number)
        case .foldVersion: .integer(foldVersion)
        case .policy: .text(text)
        }
    }

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        self.init(number: try row.integer(.id), foldVersion: try row.integer(.foldVersion), text: try row.text(.policy))
    }
}
