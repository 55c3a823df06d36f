/// A connection that runs plain prepared statements, one after the other: floors are measured with it.
protocol RawDatabase {
    /// The statement that lists each table's columns in their order: the table, the column, and its place in the primary key,
    /// counted from 1; 0 for a column outside of it.
    var selectColumns: String { get }

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

    /// The text, from either database's texts.
    var characters: String? {
        switch self {
        case .text(let text): text
        case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
        default: nil
        }
    }

    /// The number, from either database's integers.
    var number: Int64? {
        switch self {
        case .integer(let number): number
        case .bytes(let bytes) where bytes.count == 8: bytes.reduce(0) { $0 << 8 | Int64($1) }
        default: nil
        }
    }

    var byteCount: Int {
        switch self {
        case .null: 0
        case .integer: 8
        case .text(let text): text.utf8.count
        case .bytes(let bytes): bytes.count
        }
    }
}

extension RawDatabase {
    /// Runs a statement once.
    @discardableResult
    func run(_ sql: String) throws -> [[RawValue]] { try run(try prepare(sql), []) }
}
