/// A connection that runs plain prepared statements, one after the other: what a floor is measured with.
protocol RawDatabase {
    /// Prepares a statement with `$1`, `$2`, … in the order in which they stand in it; returns its number.
    func prepare(_ sql: String) throws -> Int

    /// Runs a prepared statement; returns its rows.
    @discardableResult
    func run(_ statement: Int, _ values: [RawValue]) throws -> [[RawValue]]

    /// Runs statements that take and give nothing.
    func script(_ sql: String) throws
}

/// A field as the database gave it: what is read from one database is bound to a statement of another of the same kind as it is.
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
