import BenchmarkSamples
import Foundation
import Ledger
import Primitives
import Storage

/// A database that is filled with more and more subscriptions.
struct GrowingDatabase {
    static let name = "growth"
    /// The store itself writes the rows of this many, and the generator's rows must be the same.
    private static let compared = 10

    let site: any DatabaseSite
    let renewals: Renewals
    private var stored = 0
    private var lives: StoredLives?

    init(site: any DatabaseSite, renewals: Renewals) {
        (self.site, self.renewals) = (site, renewals)
    }

    /// Loads until this many are stored; returns how long that took, in seconds.
    mutating func grow(to count: Int) async throws -> Double {
        let start = ContinuousClock.now
        if lives == nil { lives = try await begin() }
        guard var lives, stored < count else { return 0 }
        // Read before the loader has exclusive access to the database.
        let given = try given()
        let loader = try site.loader(Self.name)
        lives.first = loader.startsAnew ? 0 : stored
        lives.given = loader.startsAnew ? .init() : given
        try await load(lives, lives.first..<count, loader)
        stored = count
        try site.settle(Self.name)
        try confirm(lives, lives.first..<count)
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

    /// Writes the first ones through the store, and checks that the generator makes the same rows.
    private mutating func begin() async throws -> StoredLives {
        let lastEnds = StoredLives.lastEnds(renewals)
        let evidence = Evidence(form: .compactJWS, bytes: Array(try renewals.samples.transaction(SignedSamples.charge).utf8))
        let store = try await site.open(Self.name, generator: StoredLives.Numbers())
        try await store.write { transaction in
            for number in 0..<Self.compared {
                let life = StoredLives.life(number, lastEnds)
                _ = try transaction.lock([life.key], tokens: [])
                try transaction.keep([
                    Arrival(
                        scope: Life.scope, evidence: evidence, facts: life.transactions.map { .transaction($0) },
                        receivedAt: life.claim.claimedAt)
                ])
                try transaction.keep(life.claim, on: life.key)
                let decision = StoredLives.decision(of: life)
                try transaction.keep(decision.state.accountSightings, in: Life.scope)
                try transaction.save([
                    try Saving(stored: nil, decisions: [decision], policy: AppPolicy(), learnedAt: life.lastEnds)
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

    /// Compares row by row, except for the numbers that the database assigns.
    private func compare(_ lives: StoredLives, _ raw: any RawDatabase) throws {
        for (table, rows) in zip(StoredLives.tables, try lives.rows(of: 0..<Self.compared)) {
            let isNumbered = table.columns.first == "id"
            let order = table.key.joined(separator: ", ")
            let written = try raw.run("SELECT \(table.columns.joined(separator: ", ")) FROM \(table.name) ORDER BY \(order)")
            let generated = site.kind == .sqlite ? rows : rows.map { $0.map(\.asPostgresGivesIt) }
            // The number of evidence is also in the fact: the first is 1 in both.
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

    /// This many of the loaded subscriptions are read from the database and compared with the coders' rows.
    private static let confirmed = 1000

    private func confirm(_ lives: StoredLives, _ numbers: Range<Int>) throws {
        let raw = try site.connect(Self.name)
        let statements = try StoredLives.tables.map { table in
            let found =
                switch table.name {
                case "evidence": "id = $1"
                case "customer", "tokenOfSubscription": "app = $1 AND \(table.found.column) = $2"
                default: "ledger = $1 AND \(table.found.column) = $2"
                }
            return try raw.prepare(
                "SELECT \(table.columns.joined(separator: ", ")) FROM \(table.name) WHERE \(found) "
                    + "ORDER BY \(table.key.joined(separator: ", "))")
        }
        for _ in 0..<Self.confirmed {
            let number = Int.random(in: numbers)
            let life = lives.life(number)
            for (index, coded) in try lives.rows(of: number..<number + 1).enumerated() {
                let table = StoredLives.tables[index]
                let name = table.found.by == .customer ? life.customer.rawValue : life.originalTransactionId.rawValue
                let values: [RawValue] =
                    switch table.name {
                    case "evidence": [.integer(lives.evidenceNumber(of: number))]
                    case "customer", "tokenOfSubscription": [.text(Life.app.rawValue), .text(name)]
                    default: [.integer(lives.ledger), .text(name)]
                    }
                let rows = site.kind == .sqlite ? coded : coded.map { $0.map(\.asPostgresGivesIt) }
                guard Set(try raw.run(statements[index], values)) == Set(rows) else {
                    throw BenchError("\(table.name): the database has other rows of life \(number) than the coders make")
                }
            }
        }
    }

    // MARK: Loading

    /// This many are made together, and written together.
    private static let chunk = 10_000
    /// This many of each family are also made by the store's coders, and compared.
    private static let checked = 4

    /// One chunk is made while the previous one is written.
    private func load(_ lives: StoredLives, _ numbers: Range<Int>, _ loader: any RowLoader) async throws {
        let bounds = [numbers.lowerBound] + stride(from: 0, to: numbers.upperBound, by: Self.chunk).filter(numbers.contains)
        let chunks = Set(bounds).sorted().map { first in
            first..<min((first / Self.chunk + 1) * Self.chunk, numbers.upperBound)
        }
        var progress = LoadProgress(kind: site.kind, all: numbers.upperBound)
        var next = try chunks.first.map { try Self.packed(lives, $0) }
        for index in chunks.indices {
            guard let rows = next else { break }
            async let following: [PackedRows]? = index + 1 < chunks.count ? try Self.make(lives, chunks[index + 1]) : nil
            try loader.load(rows)
            next = try await following
            try progress.report(chunks[index].upperBound, since: numbers.lowerBound)
        }
        try loader.finish()
    }

    @concurrent private static func make(_ lives: StoredLives, _ numbers: Range<Int>) async throws -> [PackedRows] {
        try packed(lives, numbers)
    }

    private static func packed(_ lives: StoredLives, _ numbers: Range<Int>) throws -> [PackedRows] {
        var made = StoredLives.tables.map { _ in PackedRows() }
        let size = StoredLives.family
        for first in stride(from: numbers.lowerBound / size * size, to: numbers.upperBound, by: size) {
            let template = try LifeTemplate(lives, family: first..<first + size)
            let part = (first..<first + size).clamped(to: numbers)
            template.append(part, to: &made)
            for _ in 0..<checked { try template.check(.random(in: part)) }
        }
        return made
    }
}

/// Reports the progress of a load every few seconds, and ends it before the disk is full.
private struct LoadProgress {
    let kind: DatabaseKind
    let all: Int
    /// How much of the disk stays free for others, in bytes.
    private static let reserve = 10 << 30
    private let start = ContinuousClock.now
    private var told = ContinuousClock.now

    init(kind: DatabaseKind, all: Int) { (self.kind, self.all) = (kind, all) }

    mutating func report(_ loaded: Int, since first: Int) throws {
        let now = ContinuousClock.now
        guard (now - told).seconds >= 10 else { return }
        told = now
        let folder = FileManager.default.temporaryDirectory.path
        let free = try FileManager.default.attributesOfFileSystem(forPath: folder)[.systemFreeSize] as? Int ?? 0
        let rate = Int(Double(loaded - first) / (now - start).seconds)
        Report.progress("\(kind.rawValue): \(loaded) of \(all) loaded, \(rate)/s, \(free >> 30) GiB of the disk free")
        guard free > Self.reserve else { throw BenchError("the disk is nearly full") }
    }
}

extension RawValue {
    /// What libpq returns for it.
    fileprivate var asPostgresGivesIt: RawValue { binary.map { .bytes($0) } ?? .null }
}
