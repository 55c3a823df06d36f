/// A parameter of a statement. Its type is always known, also where the value is nil (NULL), so that one SQL text is one prepared
/// statement. Sent in binary form.
package enum PostgresValue: Sendable, Hashable {
    case bool(Bool?)
    /// `bigint`.
    case integer(Int64?)
    /// `text`; may hold any character but NUL.
    case text(String?)
    /// `bytea`.
    case bytes([UInt8]?)
    /// `bigint[]`, for `unnest` and `ANY`; an element may be nil.
    case integers([Int64?])
    /// `text[]`.
    case texts([String?])
    /// `bytea[]`.
    case byteStrings([[UInt8]?])

    /// The type's number in the server's catalogue.
    ///
    /// Source: PostgreSQL, src/include/catalog/pg_type.dat: `bool` 16, `bytea` 17, `int8` 20, `text` 25 and their arrays.
    var type: UInt32 {
        switch self {
        case .bool: PostgresType.bool
        case .integer: PostgresType.int8
        case .text: PostgresType.text
        case .bytes: PostgresType.bytea
        case .integers: 1016
        case .texts: 1009
        case .byteStrings: 1001
        }
    }
}

/// Numbers of the types that are read and written.
enum PostgresType {
    static let bool: UInt32 = 16
    static let bytea: UInt32 = 17
    static let name: UInt32 = 19
    static let int8: UInt32 = 20
    static let int2: UInt32 = 21
    static let int4: UInt32 = 23
    static let text: UInt32 = 25
    static let varchar: UInt32 = 1043
}

/// One statement with what is bound to it.
package struct PostgresStatement: Sendable {
    package let sql: String
    package let parameters: [PostgresValue]

    /// - Parameter sql: one statement with `$1`, `$2` … for the parameters; a constant, since each text stays prepared.
    package init(_ sql: String, _ parameters: [PostgresValue] = []) {
        self.sql = sql
        self.parameters = parameters
    }
}
