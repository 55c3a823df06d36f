import BenchmarkSamples
import Foundation
import Ledger
import Primitives
import Storage

/// The rows of subscriptions that were bought once and claimed, as the store would write them: made by its own coders, which is
/// faster than its transactions.
struct StoredLives: Sendable {
    /// The tables that such a subscription has rows in, in the order in which they are filled.
    static let tables: [LoadedTable] = [
        LoadedTable(WrittenEvidence.self, isNumbered: true, key: ["id"], found: "notificationUUID"),
        LoadedTable(WrittenFact.self, key: ["ledger", "originalTransactionId", "factKey"]),
        LoadedTable("customer", ["id", "app", "customer"], key: ["id"], found: "customer", by: .customer),
        LoadedTable(WrittenClaim.self, key: ["ledger", "originalTransactionId", "claimId"]),
        LoadedTable(
            WrittenBearer.self, key: ["app", "token", "ledger", "originalTransactionId"], found: "token", by: .customer),
        LoadedTable(WrittenSighting.self, key: ["ledger", "evidence", "originalTransactionId"]),
        LoadedTable(WrittenSubscription.self, key: ["ledger", "originalTransactionId"]),
        LoadedTable(WrittenTenure.self, key: ["ledger", "originalTransactionId", "revision", "effectiveFrom"]),
        LoadedTable(
            WrittenHolding.self, key: ["ledger", "customer", "originalTransactionId"], found: "customer", by: .customer),
        LoadedTable(WrittenAlias.self, key: ["ledger", "originalTransactionId", "alias"]),
        LoadedTable(WrittenAudit.self, key: ["ledger", "originalTransactionId", "sequence"]),
        LoadedTable(WrittenOutbox.self, isNumbered: true, key: ["id"]),
        LoadedTable(WrittenWork.self, isNumbered: true, key: ["id"], found: "subject"),
    ]

    let ledger: Int64
    let policy: Int64
    let kind: DatabaseKind
    let lastEnds: Timestamp
    /// The evidence of the first ones, as it is written.
    let document: [UInt8]
    /// The number of the first of them, and the greatest numbers that the database assigned before.
    var first = 0
    var given = Given()

    /// This many get their purchase's JWS as evidence, cut and written as the store does; later ones get a stand-in.
    static let withRealEvidence = 1_000_000
    /// The events of this many are pending in the outbox; those of the others count as delivered, and are removed.
    static let withEvents = 10_000
    /// This many were bought in one instant: their rows differ only in numbers.
    static let family = 1000

    /// When the first of them ends: after the end of any run, so that all of them still give access.
    static func lastEnds(_ renewals: Renewals) -> Timestamp { renewals.samples.signedAt.adding(.hours(12)) }

    struct Given: Sendable {
        var evidence: Int64 = 0
        var outbox: Int64 = 0
        var work: Int64 = 0
    }

    /// Bought a month before it ends; a thousand in one instant, eight seconds after the previous thousand.
    func life(_ number: Int) -> Life { Self.life(number, lastEnds) }

    static func life(_ number: Int, _ lastEnds: Timestamp) -> Life {
        Life(number: number, periods: 1, lastEnds: lastEnds.adding(.seconds(8 * Int64(number / family))))
    }

    /// The decision about the customer's upload of the purchase.
    static func decision(of life: Life) -> Decision {
        life.decision(on: life.transactions.map { .fact(.transaction($0)) } + [.claim(life.claim)])
    }

    /// The rows of some subscriptions as the store's own rows are made, by table; ids are derived from the numbers.
    func rows(of numbers: Range<Int>) throws -> [[[RawValue]]] {
        var rows = [[[RawValue]]](repeating: [], count: Self.tables.count)
        for number in numbers {
            let life = life(number)
            let decision = Self.decision(of: life)
            let saving = try Saving(stored: nil, decisions: [decision], policy: AppPolicy(), learnedAt: life.lastEnds)
            let decided = try SubscriptionRows(saving, number: Self.number) { [] }
            let all = try said(life, decision) + self.decided(decided, life)
            for (table, values) in all.enumerated() { rows[table].append(contentsOf: values) }
        }
        return rows
    }

    func evidenceNumber(of number: Int) -> Int64 { given.evidence + Int64(number - first + 1) }

    /// The number of a customer: not random, so that lives differ linearly, but as long as a random one.
    static func number(of customer: CustomerID) throws -> Int64 {
        guard let number = Int64(customer.rawValue.suffix(12)) else { throw BenchError("a customer without a number") }
        return firstNumber + number
    }

    private static let firstNumber: Int64 = 4_000_000_000_000_000_000

    /// The same numbers for a store, which takes them for one life after the other.
    struct Numbers: RandomNumberGenerator {
        private var drawn: UInt64 = 0

        mutating func next() -> UInt64 {
            defer { drawn += 1 }
            return UInt64(StoredLives.firstNumber) + drawn
        }
    }

    /// In the order of the first tables.
    private func said(_ life: Life, _ decision: Decision) throws -> [[[RawValue]]] {
        let place = SubscriptionPlace(ledger: ledger, id: life.originalTransactionId)
        let evidence = evidenceNumber(of: life.number)
        let facts = life.transactions.map { Fact.transaction($0) }
        let arrival = Arrival(
            scope: Life.scope, evidence: Evidence(form: .compactJWS, bytes: []), facts: facts, receivedAt: life.claim.claimedAt)
        let written = WrittenEvidence(
            document: life.number < Self.withRealEvidence ? document : Array("stand-in".utf8), form: .compactJWS, of: arrival,
            ledger: ledger)
        guard let token = life.transactions[0].appAccountToken else { throw BenchError("a life without a token") }
        return [
            [[.integer(evidence)] + values(written)],
            facts.map { values(WrittenFact($0, evidence: evidence, receivedAt: arrival.receivedAt, ledger: ledger)) },
            [[.integer(try Self.number(of: life.customer)), .text(Life.app.rawValue), .text(life.customer.rawValue)]],
            [values(try WrittenClaim(life.claim, at: place, number: Self.number))],
            [values(WrittenBearer(of: TokenName(app: Life.app, token: token), at: place))],
            decision.state.accountSightings.map { values(WrittenSighting($0, ledger: ledger)) },
        ]
    }

    /// In the order of the other tables.
    private func decided(_ rows: SubscriptionRows, _ life: Life) throws -> [[[RawValue]]] {
        let place = SubscriptionPlace(ledger: ledger, id: life.originalTransactionId)
        // No life has more than 64 events, or tasks.
        func number(_ index: Int, after given: Int64) -> RawValue {
            .integer(given + Int64((life.number - first) * 64 + index + 1))
        }
        let revision = WrittenTenure.Revision(number: rows.ends.tenureRevision, learnedAt: life.lastEnds)
        return [
            [values(WrittenSubscription(rows, policy: policy, ledger: ledger))],
            try (rows.tenures ?? []).map { tenure in
                values(WrittenTenure(tenure, customer: try tenure.customer.map(Self.number), in: revision, at: place))
            },
            rows.holdings.map { values(WrittenHolding($0, at: place)) },
            rows.aliases.sorted { $0.alias < $1.alias }.map { values(WrittenAlias($0, at: place)) },
            rows.audit.map { values(WrittenAudit($0, at: place)) },
            (life.number < Self.withEvents ? rows.outbox : []).enumerated().map { index, told in
                [number(index, after: given.outbox)] + values(WrittenOutbox(told, at: life.lastEnds, of: place))
            },
            rows.work.enumerated().map { index, order in
                [number(index, after: given.work)] + values(WrittenWork(order, ledger: ledger))
            },
        ]
    }

    private func values<Row: WrittenRow>(_ row: Row) -> [RawValue] {
        LoadedTable.columns(of: Row.self).map { RawValue(row.value(of: $0), kind) }
    }
}

/// A table that is filled by a loader, with the columns of the store's own rows.
struct LoadedTable: Sendable {
    let name: String
    let columns: [String]
    let key: [String]
    /// How the rows of a life are found: a column, and the name that it contains.
    let found: (column: String, by: WrittenTable.Name)

    init(
        _ name: String, _ columns: [String], key: [String], found column: String = "originalTransactionId",
        by kind: WrittenTable.Name = .subscription
    ) {
        (self.name, self.columns, self.key) = (name, columns, key)
        found = (column, kind)
    }

    /// - Parameter isNumbered: whether the database numbers the rows, which a loader does in its stead.
    init<Row: WrittenRow>(
        _ row: Row.Type, isNumbered: Bool = false, key: [String], found column: String = "originalTransactionId",
        by name: WrittenTable.Name = .subscription
    ) {
        self.init(
            Row.table, (isNumbered ? ["id"] : []) + Self.columns(of: row).map(\.name), key: key, found: column, by: name)
    }

    /// All but the place in the order of changes: each database has its own, and a default.
    static func columns<Row: WrittenRow>(of row: Row.Type) -> [Row.Column] {
        Row.Column.allCases.filter { $0.name != "writtenIn" }
    }

    /// The statement that writes a row.
    var insertion: String {
        let places = (1...columns.count).map { "$\($0)" }.joined(separator: ", ")
        return "INSERT INTO \(name) (\(columns.joined(separator: ", "))) VALUES (\(places))"
    }
}

extension RawValue {
    /// A value of the store's own row, as the database takes it.
    fileprivate init(_ value: StoredValue, _ kind: DatabaseKind) {
        switch value {
        case .bool(let value):
            self = value.map { kind == .sqlite ? .integer($0 ? 1 : 0) : .bytes([$0 ? 1 : 0]) } ?? .null
        case .integer(let value): self = value.map { .integer($0) } ?? .null
        case .text(let value): self = value.map { .text($0) } ?? .null
        case .bytes(let value): self = value.map { .bytes($0) } ?? .null
        }
    }
}
