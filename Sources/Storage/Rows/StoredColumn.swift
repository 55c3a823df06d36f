/// The columns of an answer or of a new row: the cases of an enum, each named as its column.
///
/// Their order is the order of the statement's list, and a value is read and bound by its case, so that names, lists and places
/// cannot disagree. The raw value is the place, counted from 0; no case states one.
package protocol StoredColumn: CaseIterable, Hashable, Sendable, RawRepresentable
where RawValue == Int, AllCases == [Self] {
    /// How a statement names it: as the case, unless several tables of the statement have a column of that name.
    var sql: String { get }
}

extension StoredColumn {
    package var name: String { String(describing: self) }

    package var sql: String { name }

    /// All of them as a statement lists them. Made anew by each call, so a statement is a constant that has called it once.
    package static var list: String { list { $0.sql } }

    /// The same with something else for each.
    package static func list(_ words: (Self) -> String) -> String { allCases.map(words).joined(separator: ", ") }
}
