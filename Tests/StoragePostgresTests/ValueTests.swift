import PrivatePostgres
import Storage
import Testing

@testable import StoragePostgres

extension PostgresTests {
    @Suite struct Values {
        /// The server's own text of each value is the reference, not our own decoding.
        @Test(arguments: [
            (Int64.min, "-9223372036854775808"), (-1, "-1"), (0, "0"), (1_767_225_600_000, "1767225600000"),
            (Int64.max, "9223372036854775807"),
        ])
        func `An integer arrives and is read back unchanged, to the limits of 64 bits`(_ integer: Int64, _ spelled: String)
            async throws
        {
            try await withConnection { connection in
                let row = try connection.one("SELECT $1::text, $1, $2::bigint", .integer(integer), .text(spelled))
                #expect(try row.text(0) == spelled)
                #expect(try row.integer(1) == integer)
                #expect(try row.integer(2) == integer)
            }
        }

        @Test func `A text arrives byte for byte, whatever it contains except NUL`() async throws {
            let texts = [
                "", "José", "Jose\u{301}", "💎/%2F'\"--\\", "\u{1}\u{7f}\u{10ffff}", String(repeating: "x", count: 1 << 20),
            ]
            try await withConnection { connection in
                for text in texts {
                    let row = try connection.one("SELECT convert_to($1, 'UTF8'), $1, octet_length($1)", .text(text))
                    #expect(try row.bytes(0) == Array(text.utf8))
                    #expect(try Array(row.text(1).utf8) == Array(text.utf8))
                    #expect(try row.integer(2) == Int64(text.utf8.count))
                }
            }
        }

        @Test func `Bytes arrive as they are: none, all values, a megabyte`() async throws {
            let megabyte = (0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            try await withConnection { connection in
                for bytes in [[], Array(UInt8.min...UInt8.max), megabyte] {
                    let row = try connection.one("SELECT $1, octet_length($1), get_byte($1 || '\\x07'::bytea, 0)", .bytes(bytes))
                    #expect(try row.bytes(0) == bytes)
                    #expect(try row.integer(1) == Int64(bytes.count))
                    #expect(try row.integer(2) == Int64(bytes.first ?? 7))
                }
            }
        }

        @Test func `Nil is NULL of any type, and booleans keep their values`() async throws {
            try await withConnection { connection in
                let row = try connection.one(
                    "SELECT $1 IS NULL AND $2 IS NULL AND $3 IS NULL AND $4 IS NULL, $1, $2, $3, $4, $5, $6, $5::text",
                    .integer(nil),
                    .text(nil), .bytes(nil), .bool(nil), .bool(true), .bool(false))
                #expect(try row.bool(0))
                #expect(try row.optionalInteger(1) == nil)
                #expect(try row.optionalText(2) == nil)
                #expect(try row.optionalBytes(3) == nil)
                #expect(try row.optionalBool(4) == nil)
                #expect(try row.bool(5))
                #expect(try !row.bool(6))
                #expect(try row.text(7) == "true")
            }
        }

        @Test func `Arrays arrive in order with their gaps, and unnest side by side`() async throws {
            try await withConnection { connection in
                let rows = try connection.execute(
                    PostgresStatement(
                        "SELECT * FROM unnest($1::bigint[], $2::text[], $3::bytea[], $4::boolean[])",
                        [
                            .integers([1, nil, .max]), .texts(["a,\"{}", "", nil]), .byteStrings([nil, [], [0, 255]]),
                            .bools([false, true, nil]),
                        ]))
                #expect(try rows.map { try $0.optionalInteger(0) } == [1, nil, .max])
                #expect(try rows.map { try $0.optionalText(1) } == ["a,\"{}", "", nil])
                #expect(try rows.map { try $0.optionalBytes(2) } == [nil, [], [0, 255]])
                #expect(try rows.map { try $0.optionalBool(3) } == [false, true, nil])
                let empty = try connection.one(
                    "SELECT cardinality($1::bigint[]), cardinality($2::text[]), $3 = ANY($1)", .integers([]), .texts([]),
                    .integer(1))
                #expect(try empty.integer(0) == 0)
                #expect(try empty.integer(1) == 0)
                #expect(try !empty.bool(2))
            }
        }

        @Test func `A column of rows is one array with its gaps, and one of several types is refused`() throws {
            #expect(try PostgresValue(column: [.text("a"), .text(nil)]) == .texts(["a", nil]))
            #expect(try PostgresValue(column: [.bool(nil), .bool(true)]) == .bools([nil, true]))
            #expect(throws: StorageError(.other, "")) { try PostgresValue(column: [.integer(1), .text("a")]) }
            #expect(throws: StorageError(.other, "")) { try PostgresValue(column: [.bytes(nil), .integer(nil)]) }
        }

        @Test func `A text with NUL is refused before anything is sent, in an array too`() async throws {
            try await withConnection { connection in
                for value in [PostgresValue.text("a\0b"), .texts(["a", "\0"])] {
                    let error = try await storageError {
                        _ = try connection.pipeline([.init("CREATE TABLE t (x text)"), .init("SELECT $1", [value])])
                    }
                    #expect(error == StorageError(.invalidText, ""))
                }
                #expect(try connection.one("SELECT to_regclass('t') IS NULL").bool(0))
            }
        }

        @Test func `Bytes that are not UTF-8 are a typed error, whether the server finds them or we do`() async throws {
            let server = try PrivatePostgres.shared()
            try await server.withDatabase("TEMPLATE template0 ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C'") { name in
                let connection = try PostgresConnection(try server.settings(server.url(name)), libpq: try Libpq.loaded())
                defer { connection.close() }
                let bad = "SELECT convert_from('\\xff'::bytea, 'SQL_ASCII')"
                let found = try await storageError { _ = try connection.one(bad) }
                #expect(found == StorageError(.invalidText, ""))
                #expect((found?.underlying as? PostgresDiagnostics)?.sqlState == "22021")
                try connection.runScript("SET client_encoding TO SQL_ASCII")
                let row = try connection.one(bad)
                #expect(throws: StorageError(.invalidText, "")) { try row.text(0) }
            }
        }

        @Test func `A column of another type, a NULL and a missing column are typed errors`() async throws {
            try await withConnection { connection in
                let row = try connection.one("SELECT 'a'::text, NULL::bigint, 1.5::numeric")
                #expect(throws: StorageError(.corrupt, "")) { try row.integer(0) }
                #expect(throws: StorageError(.corrupt, "")) { try row.bool(0) }
                #expect(throws: StorageError(.corrupt, "")) { try row.bytes(0) }
                #expect(throws: StorageError(.corrupt, "")) { try row.integer(1) }
                #expect(throws: StorageError(.corrupt, "")) { try row.text(1) }
                #expect(throws: StorageError(.corrupt, "")) { try row.integer(2) }
                #expect(throws: StorageError(.corrupt, "")) { try row.text(3) }
                #expect(throws: StorageError(.corrupt, "")) { try row.text(-1) }
            }
        }

        @Test func `More parameters than the protocol can count are a typed error, and the maximum is not`() async throws {
            try await withConnection { connection in
                let error = try await storageError {
                    _ = try connection.execute(
                        PostgresStatement("SELECT 1", Array(repeating: .integer(1), count: 65_536)))
                }
                #expect(error == StorageError(.tooLarge, ""))
                let list = (1...65_535).map { "$\($0)" }.joined(separator: ",")
                let row = try connection.execute(
                    PostgresStatement("SELECT cardinality(ARRAY[\(list)])", (1...65_535).map { .integer($0) })
                ).first
                #expect(try row?.integer(0) == 65_535)
            }
        }
    }
}

@Suite struct `Encoding of parameters` {
    @Test func `Parameters beyond the server's gigabyte are refused while they are counted`() {
        var limits = PostgresLimits()
        limits.bytes = 64
        for value in [
            PostgresValue.text(String(repeating: "x", count: 65)), .bytes(Array(repeating: 0, count: 65)),
            .texts(Array(repeating: "xxxxxxxx", count: 8)), .integers(Array(repeating: 1, count: 8)),
            .byteStrings([Array(repeating: 0, count: 65)]),
        ] {
            #expect(throws: StorageError(.tooLarge, "")) { try EncodedParameters([value], limits: limits) }
        }
        #expect(throws: Never.self) { try EncodedParameters([.text("as much as fits")], limits: limits) }
    }
}
