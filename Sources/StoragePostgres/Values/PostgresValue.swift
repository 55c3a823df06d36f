import Primitives
import Storage

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
    /// `boolean[]`; as those below, for `unnest` and `ANY`; an element may be nil.
    case bools([Bool?])
    /// `bigint[]`.
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
        case .bools: 1000
        case .integers: 1016
        case .texts: 1009
        case .byteStrings: 1001
        }
    }
}

extension PostgresValue {
    static func instant(_ instant: Timestamp) -> PostgresValue { .integer(instant.millisecondsSince1970) }
    static func count(_ count: Int) -> PostgresValue { .integer(Int64(count)) }

    init(_ value: StoredValue) {
        self =
            switch value {
            case .bool(let bool): .bool(bool)
            case .integer(let integer): .integer(integer)
            case .text(let text): .text(text)
            case .bytes(let bytes): .bytes(bytes)
            }
    }

    /// One column of some rows as an array.
    ///
    /// - Parameter values: all of one case.
    /// - Throws: `StorageError` with `other` where they are not.
    init(column values: [StoredValue]) throws(StorageError) {
        let mixed = StorageError(.other, "a column has values of several types")
        switch values.first {
        case .bool:
            self = .bools(
                try values.map { value throws(StorageError) in
                    guard case .bool(let bool) = value else { throw mixed }
                    return bool
                })
        case .integer, nil:
            self = .integers(
                try values.map { value throws(StorageError) in
                    guard case .integer(let integer) = value else { throw mixed }
                    return integer
                })
        case .text:
            self = .texts(
                try values.map { value throws(StorageError) in
                    guard case .text(let text) = value else { throw mixed }
                    return text
                })
        case .bytes:
            self = .byteStrings(
                try values.map { value throws(StorageError) in
                    guard case .bytes(let bytes) = value else { throw mixed }
                    return bytes
                })
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
