import Foundation
import Ledger
import Primitives
import Storage

/// A database that is filled with ever more subscriptions.
struct GrowingDatabase {
    static let name = "growth"
    /// So many subscriptions get their purchase's JWS as evidence, cut and written as the store does; those beyond a stand-in.
    static let withRealEvidence = 1_000_000
    /// Of these the store itself writes the rows, and then the generator's must be the same.
    private static let compared = 10

    let site: any DatabaseSite
    let renewals: Renewals
    private var stored = 0
    private var lives: StoredLives?

    init(site: any DatabaseSite, renewals: Renewals) {
        (self.site, self.renewals) = (site, renewals)
    }

    /// Until so many are stored; returns how long that took, in seconds.
    mutating func grow(to count: Int) async throws -> Double {
        let start = ContinuousClock.now
        if lives == nil { lives = try await begin() }
        guard let lives else { return 0 }
        for (first, last) in [(stored, min(count, Self.withRealEvidence)), (max(stored, Self.withRealEvidence), count)]
        where first < last {
            var part = lives
            if first >= Self.withRealEvidence { part.document = Array("stand-in".utf8) }
            part.first = first
            part.given = try given()
            try await load(part, first..<last)
        }
        stored = max(stored, count)
        try site.settle(Self.name)
        return (ContinuousClock.now - start).seconds
    }

    private func given() throws -> StoredLives.Given {
        let raw = try site.connect(Self.name)
        func greatest(_ table: String) throws -> Int64 {
            try raw.run("SELECT max(id) FROM \(table)").first?.first?.number ?? 0
        }
        return StoredLives.Given(
            evidence: try greatest("evidence"), outbox: try greatest("outbox"), work: try greatest("work"))
    }

    /// The first ones, written by the store; what it wrote is what the generator makes.
    private mutating func begin() async throws -> StoredLives {
        let lastEnds = renewals.samples.signedAt.adding(.hours(1))
        let evidence = Evidence(form: .compactJWS, bytes: Array(try renewals.samples.transaction(SignedSamples.charge).utf8))
        let store = try await site.open(Self.name)
        try await store.write { transaction in
            for number in 0..<Self.compared {
                let life = StoredLives.life(number, lastEnds)
                let scope = Scope(app: Life.app, environment: .production)
                _ = try transaction.lock([life.key], tokens: [])
                _ = try transaction.keep([
                    Arrival(
                        scope: scope, evidence: evidence, facts: life.transactions.map { .transaction($0) },
                        receivedAt: life.claim.claimedAt)
                ])
                try transaction.keep(life.claim, on: life.key)
                try transaction.save([
                    try Saving(
                        stored: nil, decisions: [StoredLives.decision(of: life)], policy: AppPolicy(), learnedAt: life.lastEnds)
                ])
            }
        }
        await site.close(store)
        let raw = try site.connect(Self.name)
        let numbers = try ["SELECT id FROM ledger", "SELECT id FROM policy"].map { try raw.run($0).first?.first?.number ?? 0 }
        let document = EvidenceDocument(evidence)
        let lives = StoredLives(
            ledger: numbers[0], policy: numbers[1], kind: site.kind, lastEnds: lastEnds,
            document: try document.bytes(numbers: document.headers.map(ContentNumber.of)))
        try compare(lives, raw)
        stored = Self.compared
        return lives
    }

    /// Row by row, but for the numbers that the database gives.
    private func compare(_ lives: StoredLives, _ raw: any RawDatabase) throws {
        for (table, rows) in zip(StoredLives.tables, try lives.rows(of: 0..<Self.compared)) {
            let isNumbered = table.key == ["id"]
            let order = isNumbered ? "id" : table.key.joined(separator: ", ")
            let written = try raw.run("SELECT \(table.columns.joined(separator: ", ")) FROM \(table.name) ORDER BY \(order)")
            let generated = site.kind == .sqlite ? rows : rows.map { $0.map(\.asPostgresGivesIt) }
            // Evidence has its number in the fact, too: the first is 1 in both.
            let skipped = isNumbered ? 1 : 0
            guard written.map({ Array($0.dropFirst(skipped)) }) == generated.map({ Array($0.dropFirst(skipped)) }) else {
                let place = zip(written, generated).first { $0.dropFirst(skipped) != $1.dropFirst(skipped) }
                throw BenchError(
                    "\(table.name): the store writes \(String(describing: place?.0)), "
                        + "the generator makes \(String(describing: place?.1))"
                )
            }
        }
    }

    private static let chunk = 10_000

    /// One chunk is made while the one before is written.
    private func load(_ lives: StoredLives, _ numbers: Range<Int>) async throws {
        let chunks = stride(from: numbers.lowerBound, to: numbers.upperBound, by: Self.chunk).map {
            $0..<min($0 + Self.chunk, numbers.upperBound)
        }
        let loader = try site.loader(Self.name)
        var next = try chunks.first.map { try lives.rows(of: $0) }
        for index in chunks.indices {
            guard let rows = next else { break }
            async let following: [[[RawValue]]]? =
                index + 1 < chunks.count ? try Self.make(lives, chunks[index + 1]) : nil
            try loader.load(rows)
            next = try await following
        }
        try loader.finish()
    }

    @concurrent private static func make(_ lives: StoredLives, _ numbers: Range<Int>) async throws -> [[[RawValue]]] {
        return try lives.rows(of: numbers)
    }
}

extension RawValue {
    /// What libpq hands over for it.
    fileprivate var asPostgresGivesIt: RawValue { binary.map { .bytes($0) } ?? .null }

    /// Of either database's integers.
    var number: Int64? {
        switch self {
        case .integer(let number): number
        case .bytes(let bytes) where bytes.count == 8: bytes.reduce(0) { $0 << 8 | Int64($1) }
        default: nil
        }
    }
}

/// Writes rows as fast as the database takes them: not durable, and without asking whether they refer to what is there.
protocol RowLoader {
    /// By table, in the order of `StoredLives.tables`.
    func load(_ rows: [[[RawValue]]]) throws
    /// Makes the database as durable and as strict as it is otherwise.
    func finish() throws
}

/// Inside large transactions, in the order of the keys, flushing nothing.
struct SQLiteLoader: RowLoader {
    private let database: RawSQLite
    private let statements: [Int]

    init(path: String) throws {
        database = try RawSQLite(path: path)
        try database.script(
            """
            PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; PRAGMA cache_size = -262144
            """)
        statements = try StoredLives.tables.map { [database] in try database.prepare(RowChange.sql(.insert, $0)) }
    }

    func load(_ rows: [[[RawValue]]]) throws {
        try database.script("BEGIN")
        for (statement, rows) in zip(statements, rows) {
            for row in rows { try database.run(statement, row) }
        }
        try database.script("COMMIT")
    }

    /// The next who opens the file sets its own settings; what was not flushed is flushed now.
    func finish() throws { try database.script("PRAGMA synchronous = FULL; PRAGMA journal_mode = WAL") }
}

/// By COPY, as a replica applies rows: without the triggers that ask whether a row refers to one that is there.
struct PostgresLoader: RowLoader {
    private let connection: RawPostgres
    private let names: [String]

    init(url: String) throws {
        connection = try RawPostgres(url: url)
        try connection.script("SET session_replication_role = replica")
        try connection.script("SET synchronous_commit = off")
        names = StoredLives.tables.map { "\($0.name) (\($0.columns.joined(separator: ", ")))" }
    }

    func load(_ rows: [[[RawValue]]]) throws {
        try connection.script("BEGIN")
        for (name, rows) in zip(names, rows) where !rows.isEmpty {
            var pieces = [Self.binary(rows)][...]
            try connection.copy(into: name) { pieces.popFirst() }
        }
        try connection.script("COMMIT")
    }

    /// Numbers that the database gives go on from those that were loaded.
    func finish() throws {
        for table in ["evidence", "outbox", "work"] {
            try connection.run("SELECT setval(pg_get_serial_sequence('\(table)', 'id'), (SELECT max(id) FROM \(table)))")
        }
    }

    /// Source: PostgreSQL documentation, COPY, "Binary Format".
    private static func binary(_ rows: [[RawValue]]) -> [UInt8] {
        var bytes = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00] + [UInt8](repeating: 0, count: 8)
        bytes.reserveCapacity(rows.count * 400)
        func append<Integer: FixedWidthInteger>(_ integer: Integer, _ bytes: inout [UInt8]) {
            withUnsafeBytes(of: integer.bigEndian) { bytes.append(contentsOf: $0) }
        }
        for row in rows {
            append(Int16(row.count), &bytes)
            for value in row {
                switch value {
                case .null: append(Int32(-1), &bytes)
                case .integer(let number):
                    append(Int32(8), &bytes)
                    append(number, &bytes)
                case .text(let text):
                    append(Int32(text.utf8.count), &bytes)
                    bytes.append(contentsOf: text.utf8)
                case .bytes(let value):
                    append(Int32(value.count), &bytes)
                    bytes.append(contentsOf: value)
                }
            }
        }
        append(Int16(-1), &bytes)
        return bytes
    }
}
