import Foundation
import Ledger
import Primitives
import Storage

/// The rows of subscriptions that were bought once and claimed, as the store would write them: made by its own coders, which is
/// faster than its transactions.
struct StoredLives: Sendable {
    /// The tables that such a subscription has rows in, in the order in which they are filled.
    static let tables: [TableShape] =
        [
            .evidence, .fact,
            TableShape(name: "customer", key: ["id"], others: ["app", "customer"], found: ("customer", .customer)),
            TableShape(
                name: "claim", key: ["ledger", "originalTransactionId", "claimId"], others: ["customer", "claimedAt", "decoded"],
                found: ("originalTransactionId", .subscription)),
            TableShape(
                name: "tokenOfSubscription", key: ["app", "token", "ledger", "originalTransactionId"], others: [],
                found: ("token", .customer)),
        ] + TableShape.decided

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

    /// The rows of some subscriptions as the store's coders make them, by table; ids are derived from the numbers.
    func rows(of numbers: Range<Int>) throws -> [[[RawValue]]] {
        var rows = [[[RawValue]]](repeating: [], count: Self.tables.count)
        for number in numbers {
            let life = life(number)
            let saving = try Saving(
                stored: nil, decisions: [Self.decision(of: life)], policy: AppPolicy(), learnedAt: life.lastEnds)
            let decided = try SubscriptionRows(saving, number: Self.number) { [] }
            for (table, values) in try said(life).enumerated() { rows[table].append(contentsOf: values) }
            for (table, values) in try self.decided(decided, life).enumerated() { rows[table + 5].append(contentsOf: values) }
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

    private func said(_ life: Life) throws -> [[[RawValue]]] {
        let (ledger, id) = (RawValue.integer(ledger), RawValue.text(life.originalTransactionId.rawValue))
        let number = RawValue.integer(evidenceNumber(of: life.number))
        let facts: [[RawValue]] = life.transactions.map { transaction in
            let fact = Fact.transaction(transaction)
            return [
                ledger, id, .text(fact.key), fact.signedTransactionId.map { .text($0.rawValue) } ?? .null,
                .instant(fact.signedDate), .instant(life.claim.claimedAt), .bytes(FactCoding.encode(fact)), number,
            ]
        }
        let claim = life.claim
        let document = life.number < Self.withRealEvidence ? document : Array("stand-in".utf8)
        return [
            [[number, ledger, .text(Evidence.Form.compactJWS.rawValue), .instant(claim.claimedAt), .null, .bytes(document)]],
            facts,
            [[.integer(try Self.number(of: life.customer)), .text(Life.app.rawValue), .text(life.customer.rawValue)]],
            [
                [
                    ledger, id, .text(claim.id.rawValue), .integer(try Self.number(of: claim.customer)),
                    .instant(claim.claimedAt),
                    .bytes(try ClaimCoding.encode(claim, Self.number)),
                ]
            ],
            [[.text(Life.app.rawValue), .text(life.charge(0).appAccountToken), ledger, id]],
        ]
    }

    /// In the order of `TableShape.decided`.
    private func decided(_ rows: SubscriptionRows, _ life: Life) throws -> [[[RawValue]]] {
        let (ledger, id) = (RawValue.integer(ledger), RawValue.text(life.originalTransactionId.rawValue))
        let ends = rows.ends
        // No life has more than 64 events, or tasks.
        func number(_ place: Int, after given: Int64) -> RawValue {
            .integer(given + Int64((life.number - first) * 64 + place + 1))
        }
        return [
            [
                [
                    ledger, id, .integer(policy), .integer(ends.tenureRevision), .integer(ends.audit.sequence),
                    .bytes(ends.audit.hash), .integer(ends.events), bool(rows.audit.isEmpty), .bytes(rows.history),
                ]
            ],
            try (rows.tenures ?? []).map { tenure in
                [
                    ledger, id, .integer(ends.tenureRevision), .instant(tenure.from),
                    try tenure.customer.map { .integer(try Self.number(of: $0)) } ?? .null, .text(tenure.rule),
                    .text(tenure.evidence),
                    .instant(life.lastEnds),
                ]
            },
            rows.holdings.map { [ledger, .text($0.customer.rawValue), id, .bytes($0.holding)] },
            rows.aliases.sorted { $0.alias < $1.alias }.map { [ledger, id, .text($0.alias), .text($0.period)] },
            rows.audit.map {
                [ledger, id, .integer($0.head.sequence), .text($0.text), .bytes($0.head.hash)]
            },
            (life.number < Self.withEvents ? rows.outbox : []).enumerated().map { place, told in
                [
                    number(place, after: given.outbox), ledger, id, .integer(told.first), .text(told.events),
                    .instant(life.lastEnds),
                ]
            },
            rows.work.enumerated().map { place, order in
                [
                    number(place, after: given.work), ledger, .text(order.subject), .text(order.key),
                    .text(order.kind.rawValue), .text(order.body),
                    .instant(order.dueAt), bool(order.isDecided), .integer(1), .integer(0), .integer(0), .null,
                    .instant(order.dueAt), .null, .null, .null,
                ]
            },
        ]
    }

    private func bool(_ value: Bool) -> RawValue {
        kind == .sqlite ? .integer(value ? 1 : 0) : .bytes([value ? 1 : 0])
    }
}

extension RawValue {
    fileprivate static func instant(_ instant: Timestamp) -> RawValue { .integer(instant.millisecondsSince1970) }
}
