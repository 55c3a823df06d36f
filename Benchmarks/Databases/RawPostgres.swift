import BenchmarkSamples
import CLibpq
import Foundation

/// libpq's own calls, without a layer between: `PQexecPrepared`, one round trip for each row; or, if requested, its pipeline.
final class RawPostgres: RawDatabase {
    private let functions: Functions
    private let connection: OpaquePointer
    private var statements = 0
    /// Whether statements are only sent, and their answers read at the end of the transaction.
    private let isPipelined: Bool
    private var awaited = 0

    /// - Parameter url: of a database that accepts connections without a password.
    init(url: String, isPipelined: Bool = false) throws {
        functions = try Functions.loaded.get()
        self.isPipelined = isPipelined
        guard let connection = functions.connect(url) else { throw BenchError("libpq has no memory") }
        self.connection = connection
        guard functions.status(connection) == CONNECTION_OK else { throw failure("connecting") }
    }

    deinit { functions.finish(connection) }

    let selectColumns = """
        SELECT tables.relname::text, columns.attname::text,
            coalesce((SELECT place FROM unnest(keys.indkey::smallint[]) WITH ORDINALITY AS named (number, place)
                WHERE named.number = columns.attnum), 0)
        FROM pg_class AS tables JOIN pg_attribute AS columns ON columns.attrelid = tables.oid
            LEFT JOIN pg_index AS keys ON keys.indrelid = tables.oid AND keys.indisprimary
        WHERE tables.relkind = 'r' AND tables.relnamespace = 'public'::regnamespace AND columns.attnum > 0
            AND NOT columns.attisdropped
        ORDER BY tables.relname, columns.attnum
        """

    func prepare(_ sql: String) throws -> Int {
        statements += 1
        try check(functions.prepare(connection, "r\(statements)", sql, 0, nil), "preparing \(sql)")
        return statements
    }

    @discardableResult
    func run(_ number: Int, _ values: [RawValue]) throws -> [[RawValue]] {
        let binary = values.map(\.binary)
        var buffer: [UInt8] = []
        var starts: [Int?] = []
        for field in binary {
            starts.append(field.map { _ in buffer.count })
            buffer += field ?? []
        }
        // An empty value needs an address too.
        buffer.append(0)
        let lengths = binary.map { Int32($0?.count ?? 0) }
        let formats = [Int32](repeating: 1, count: values.count)
        return try buffer.withUnsafeBytes { bytes in
            let base = bytes.assumingMemoryBound(to: CChar.self).baseAddress
            let pointers = starts.map { start in start.flatMap { offset in base.map { $0 + offset } } }
            if isInPipeline {
                awaited += 1
                guard functions.sendPrepared(connection, "r\(number)", Int32(values.count), pointers, lengths, formats, 1) == 1
                else { throw failure("sending") }
                return []
            }
            let result = functions.runPrepared(connection, "r\(number)", Int32(values.count), pointers, lengths, formats, 1)
            defer { functions.clear(result) }
            return try rows(of: result)
        }
    }

    func script(_ sql: String) throws {
        guard isPipelined, ["BEGIN", "COMMIT"].contains(sql) else {
            return try check(functions.run(connection, sql), sql)
        }
        if sql == "BEGIN" { try check(functions.enterPipeline(connection), "entering the pipeline") }
        guard functions.sendQuery(connection, sql, 0, nil, nil, nil, nil, 1) == 1 else { throw failure(sql) }
        awaited += 1
        if sql == "COMMIT" { try endPipeline() }
    }

    // MARK: Pipeline

    private var isInPipeline: Bool { isPipelined && awaited > 0 }

    private func endPipeline() throws {
        try check(functions.sync(connection), "ending the pipeline")
        for _ in 0..<awaited {
            let result = functions.next(connection)
            defer { functions.clear(result) }
            _ = try rows(of: result)
            // The results of each statement end with nil.
            guard functions.next(connection) == nil else { throw failure("reading") }
        }
        functions.clear(functions.next(connection))
        awaited = 0
        try check(functions.exitPipeline(connection), "leaving the pipeline")
    }

    private func check(_ code: Int32, _ what: String) throws {
        guard code == 1 else { throw failure(what) }
    }

    // MARK: COPY

    /// Copies rows into a table; `next` returns them in pieces, in the format that the options name, then nil.
    func copy(into columns: String, options: String, _ next: () throws -> [UInt8]?) throws {
        let begun = functions.run(connection, "COPY \(columns) FROM STDIN (\(options))")
        guard functions.resultStatus(begun) == PGRES_COPY_IN else { throw failure("COPY \(columns)") }
        functions.clear(begun)
        while let piece = try next() {
            let code = piece.withUnsafeBytes { bytes in
                functions.putCopy(connection, bytes.assumingMemoryBound(to: CChar.self).baseAddress, Int32(bytes.count))
            }
            try check(code, "COPY \(columns)")
        }
        try check(functions.endCopy(connection, nil), "COPY \(columns)")
        try check(functions.next(connection), "COPY \(columns)")
        guard functions.next(connection) == nil else { throw failure("COPY \(columns)") }
    }

    // MARK: Answers

    private func rows(of result: OpaquePointer?) throws -> [[RawValue]] {
        let status = functions.resultStatus(result)
        guard status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK else { throw failure("a statement") }
        return (0..<functions.rowCount(result)).map { row in
            (0..<functions.columnCount(result)).map { column in
                guard functions.isNull(result, row, column) == 0 else { return .null }
                let count = Int(functions.length(result, row, column))
                return .bytes(Array(UnsafeRawBufferPointer(start: functions.value(result, row, column), count: count)))
            }
        }
    }

    private func check(_ result: OpaquePointer?, _ what: String) throws {
        let status = functions.resultStatus(result)
        functions.clear(result)
        guard status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK else { throw failure(what) }
    }

    private func failure(_ what: String) -> BenchError {
        BenchError("PostgreSQL, \(what.prefix(200)): \(functions.message(connection).map { String(cString: $0) } ?? "")")
    }
}

extension RawValue {
    /// In PostgreSQL's binary form; nil for NULL.
    var binary: [UInt8]? {
        switch self {
        case .null: nil
        case .integer(let number): withUnsafeBytes(of: number.bigEndian) { Array($0) }
        case .text(let text): Array(text.utf8)
        case .bytes(let bytes): bytes
        }
    }
}

/// libpq's functions, by their addresses: not linked, as in `StoragePostgres`, but separate from it.
private struct Functions: Sendable {
    typealias Connection = OpaquePointer?
    typealias Result = OpaquePointer?
    typealias Text = UnsafePointer<CChar>?
    typealias Texts = UnsafePointer<UnsafePointer<CChar>?>?
    typealias Numbers = UnsafePointer<Int32>?

    let connect: @convention(c) (Text) -> Connection
    let finish: @convention(c) (Connection) -> Void
    let status: @convention(c) (Connection) -> ConnStatusType
    let message: @convention(c) (Connection) -> UnsafeMutablePointer<CChar>?
    let run: @convention(c) (Connection, Text) -> Result
    let prepare: @convention(c) (Connection, Text, Text, Int32, UnsafePointer<UInt32>?) -> Result
    let runPrepared: @convention(c) (Connection, Text, Int32, Texts, Numbers, Numbers, Int32) -> Result
    let sendPrepared: @convention(c) (Connection, Text, Int32, Texts, Numbers, Numbers, Int32) -> Int32
    let sendQuery:
        @convention(c) (Connection, Text, Int32, UnsafePointer<UInt32>?, Texts, Numbers, Numbers, Int32) ->
            Int32
    let enterPipeline: @convention(c) (Connection) -> Int32
    let exitPipeline: @convention(c) (Connection) -> Int32
    let sync: @convention(c) (Connection) -> Int32
    let next: @convention(c) (Connection) -> Result
    let clear: @convention(c) (Result) -> Void
    let resultStatus: @convention(c) (Result) -> ExecStatusType
    let rowCount: @convention(c) (Result) -> Int32
    let columnCount: @convention(c) (Result) -> Int32
    let isNull: @convention(c) (Result, Int32, Int32) -> Int32
    let length: @convention(c) (Result, Int32, Int32) -> Int32
    let value: @convention(c) (Result, Int32, Int32) -> UnsafeMutablePointer<CChar>?
    let putCopy: @convention(c) (Connection, Text, Int32) -> Int32
    let endCopy: @convention(c) (Connection, Text) -> Int32

    static let loaded = Swift.Result<Functions, any Error> { try Functions() }

    private init() throws {
        guard let library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL) else { throw BenchError("libpq cannot be loaded") }
        func function<Function>(_ name: String) throws -> Function {
            guard let symbol = dlsym(library, name) else { throw BenchError("libpq has no \(name)") }
            return unsafeBitCast(symbol, to: Function.self)
        }
        connect = try function("PQconnectdb")
        finish = try function("PQfinish")
        status = try function("PQstatus")
        message = try function("PQerrorMessage")
        run = try function("PQexec")
        prepare = try function("PQprepare")
        runPrepared = try function("PQexecPrepared")
        sendPrepared = try function("PQsendQueryPrepared")
        sendQuery = try function("PQsendQueryParams")
        enterPipeline = try function("PQenterPipelineMode")
        exitPipeline = try function("PQexitPipelineMode")
        sync = try function("PQpipelineSync")
        next = try function("PQgetResult")
        clear = try function("PQclear")
        resultStatus = try function("PQresultStatus")
        rowCount = try function("PQntuples")
        columnCount = try function("PQnfields")
        isNull = try function("PQgetisnull")
        length = try function("PQgetlength")
        value = try function("PQgetvalue")
        putCopy = try function("PQputCopyData")
        endCopy = try function("PQputCopyEnd")
    }
}
