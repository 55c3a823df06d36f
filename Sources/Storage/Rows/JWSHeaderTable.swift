/// A row of `jwsHeader`: a header that many documents share, under a number that was made from its text.
package struct JWSHeaderRow: Sendable, Hashable {
    package let number: Int64
    package let header: String

    package init(number: Int64, header: String) {
        self.number = number
        self.header = header
    }
}

extension JWSHeaderRow: WrittenRow, ReadRow {
    package static let table = "jwsHeader"

    package enum Column: Int, StoredColumn { case id, header }

    package func value(of column: Column) -> StoredValue {
        switch column {
        case .id: .integer(number)
        case .header: .text(header)
        }
    }

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        self.init(number: try row.integer(.id), header: try row.text(.header))
    }
}
