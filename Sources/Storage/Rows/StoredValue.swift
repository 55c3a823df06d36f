package import Primitives

/// What one column of a new row is. Nil is NULL; the type is always known, also then.
package enum StoredValue: Sendable, Hashable {
    case bool(Bool?)
    case integer(Int64?)
    case text(String?)
    case bytes([UInt8]?)

    /// In milliseconds since 1970.
    package static func instant(_ instant: Timestamp) -> StoredValue { .integer(instant.millisecondsSince1970) }

    package static func count(_ count: Int) -> StoredValue { .integer(Int64(count)) }
}
