import CLibpq
package import Storage

/// What one statement answered. Belongs to the thread of its connection; values are copied out of it.
package final class PostgresResult: Sequence {
    private let functions: LibpqFunctions
    private let result: OpaquePointer
    /// How many rows it returned.
    package let count: Int
    /// How many rows an `INSERT`, `UPDATE` or `DELETE` touched, or a `SELECT` returned; 0 for other statements.
    package let affectedRows: Int
    /// Such as `COMMIT`, `ROLLBACK` or `INSERT 0 1`.
    package let commandTag: String
    /// Whether this is no answer to a statement but the end of a batch.
    var isPipelineSync: Bool { functions.PQresultStatus(result) == PGRES_PIPELINE_SYNC }
    fileprivate let types: [UInt32]

    /// Takes the pointer over.
    init(taking result: OpaquePointer, _ functions: LibpqFunctions) {
        self.result = result
        self.functions = functions
        count = Int(functions.PQntuples(result))
        commandTag = functions.PQcmdStatus(result).map { String(cString: $0) } ?? ""
        affectedRows = functions.PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0
        types = (0..<functions.PQnfields(result)).map { functions.PQftype(result, $0) }
    }

    deinit { functions.PQclear(result) }

    /// The first row; nil where there is none.
    package var first: PostgresRow? { count > 0 ? PostgresRow(result: self, row: 0) : nil }

    package func makeIterator() -> some IteratorProtocol<PostgresRow> {
        (0..<count).lazy.map { PostgresRow(result: self, row: Int32($0)) }.makeIterator()
    }

    /// The bytes of a field, valid while `body` runs; nil for NULL.
    fileprivate func withField<Value>(
        _ column: Int, of row: Int32, _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Value
    ) throws(StorageError) -> Value? {
        let column = Int32(column)
        guard functions.PQgetisnull(result, row, column) == 0 else { return nil }
        let length = Int(functions.PQgetlength(result, row, column))
        return try body(UnsafeRawBufferPointer(start: functions.PQgetvalue(result, row, column), count: length))
    }
}

/// One row of a result. Columns are counted from 0. Every getter throws `StorageError`: `corrupt` where the column is of another
/// type, is missing, or is NULL and should not be; `invalidText` where a text's bytes are not UTF-8.
package struct PostgresRow: StoredRow {
    fileprivate let result: PostgresResult
    fileprivate let row: Int32

    private func field<Value>(
        _ column: Int, _ wanted: String, _ types: [UInt32],
        _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Value
    ) throws(StorageError) -> Value? {
        guard result.types.indices.contains(column) else {
            throw StorageError(.corrupt, "the answer has \(result.types.count) columns and no column \(column)")
        }
        guard types.contains(result.types[column]) else {
            throw StorageError(.corrupt, "column \(column) is of type \(result.types[column]) and not \(wanted)")
        }
        return try result.withField(column, of: row, body)
    }

    private func present<Value>(_ value: Value?, _ column: Int) throws(StorageError) -> Value {
        guard let value else { throw StorageError(.corrupt, "column \(column) is NULL") }
        return value
    }

    package func optionalInteger(_ column: Int) throws(StorageError) -> Int64? {
        try field(column, "an integer", [PostgresType.int8, PostgresType.int4, PostgresType.int2]) { bytes throws(StorageError) in
            switch bytes.count {
            case 8: bytes.loadUnaligned(as: Int64.self).bigEndian
            case 4: Int64(bytes.loadUnaligned(as: Int32.self).bigEndian)
            case 2: Int64(bytes.loadUnaligned(as: Int16.self).bigEndian)
            default: throw StorageError(.corrupt, "column \(column) is an integer of \(bytes.count) bytes")
            }
        }
    }

    package func integer(_ column: Int) throws(StorageError) -> Int64 { try present(optionalInteger(column), column) }

    package func optionalBool(_ column: Int) throws(StorageError) -> Bool? {
        try field(column, "boolean", [PostgresType.bool]) { bytes throws(StorageError) in
            guard bytes.count == 1 else { throw StorageError(.corrupt, "column \(column) is a boolean of \(bytes.count) bytes") }
            return bytes[0] != 0
        }
    }

    package func bool(_ column: Int) throws(StorageError) -> Bool { try present(optionalBool(column), column) }

    package func optionalText(_ column: Int) throws(StorageError) -> String? {
        try field(column, "text", Self.textTypes) { bytes throws(StorageError) in
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw StorageError(.invalidText, "column \(column) contains bytes that are not UTF-8")
            }
            return text
        }
    }

    package func text(_ column: Int) throws(StorageError) -> String { try present(optionalText(column), column) }

    package func optionalBytes(_ column: Int) throws(StorageError) -> [UInt8]? {
        try field(column, "bytea", [PostgresType.bytea]) { bytes throws(StorageError) in [UInt8](bytes) }
    }

    package func bytes(_ column: Int) throws(StorageError) -> [UInt8] { try present(optionalBytes(column), column) }

    private static let textTypes = [PostgresType.text, PostgresType.varchar, PostgresType.name]
}
