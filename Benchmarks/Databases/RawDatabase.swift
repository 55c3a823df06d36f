/// A connection that runs plain prepared statements, one after the other: floors are measured with it.
protocol RawDatabase {
    /// Prepares a statement with `$1`, `$2`, … in the order of their occurrence; returns its number.
    func prepare(_ sql: String) throws -> Int

    /// Runs a prepared statement; returns its rows.
    @discardableResult
    func run(_ statement: Int, _ values: [RawValue]) throws -> [[RawValue]]

    /// Runs statements without parameters and results.
    func script(_ sql: String) throws
}

/// A field as the database returned it: it is bound unchanged to a statement of another database of the same kind.
enum RawValue: Sendable, Hashable {
    case null
    case integer(Int64)
    case text(String)
    case bytes([UInt8])

    var byteCount: Int {
        switch self {
        case .null: 0
        case .integer: 8
        case .text(let text): text.utf8.count
        case .bytes(let bytes): bytes.count
        }
    }
}
