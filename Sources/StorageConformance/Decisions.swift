import Ledger
import Primitives
import Storage

extension StorageConformance {
    /// What was decided is read back as it was decided.
    static let decisions: [Behaviour] = [
        Behaviour("STORE-6", "A decision is read back equal: history and state") { store in
            try expect(try await store.subscription(Specimen.key()), equals: nil, "a subscription that is not known")
            let first = try await store.decide(on: [
                .fact(.transaction(Specimen.transaction())), .claim(Specimen.claim(Specimen.alice)),
            ])
            try await expectKept(first, by: store)
            let second = try await store.decide(on: [.fact(.transaction(Specimen.transaction(1)))])
            try await expectKept(second, by: store)
            let locked = try await store.write { try $0.lock([Specimen.key()], tokens: []).subscriptions }
            try expect(locked[Specimen.key()]?.history, equals: second.history, "the history inside a transaction")
            try expect(
                try await store.subscription(Specimen.key(in: Specimen.sandbox)), equals: nil, "the same id in the Sandbox")
            try expect(
                try await store.subscription(Specimen.key(in: Specimen.otherApp)), equals: nil, "the same id in another app")
        },
        Behaviour("STORE-7", "A customer's holdings are what the rules make of each of their subscriptions, by subscription") {
            store in
            let ids = ["1002", "1000", "1001"]
            var expected: [String: Holding] = [:]
            for id in ids {
                let transaction = Specimen.transaction(of: id)
                let claim = Claim(
                    id: .init("claim/\(id)"), customer: Specimen.alice, kind: .purchase, transaction: transaction,
                    productId: transaction.productId, claimedAt: Specimen.start)
                let decision = try await store.decide(
                    on: [.fact(.transaction(transaction)), .claim(claim)], about: Specimen.key(id))
                expected[id] = Holding(of: Specimen.alice, in: decision.state)
            }
            try expect(
                try await store.holdings(of: Specimen.alice, in: Specimen.scope),
                equals: ids.sorted().compactMap { expected[$0] },
                "holdings")
            for scope in [Specimen.sandbox, Specimen.otherApp] {
                try expect(try await store.holdings(of: Specimen.alice, in: scope), equals: [], "holdings in \(scope) (FACT-4)")
            }
            try expect(try await store.holdings(of: Specimen.bob, in: Specimen.scope), equals: [], "holdings of another customer")
            let both = try await store.access(of: [Specimen.bob, Specimen.alice, Specimen.bob], in: Specimen.scope)
            let alone = try await store.access(of: Specimen.alice, in: Specimen.scope)
            try expect(both.map(\.holdings), equals: [[], alone.holdings, []], "holdings of several")
            try expect(both[1], equals: alone, "what an answer needs, of one among several")
        },
        Behaviour("STORE-8", "Late evidence takes the holding from a customer who never owned it, not from one who did") {
            store in
            try await checkFormerCustomers(of: store)
        },
        Behaviour("STORE-9", "Audit rows are numbered 1, 2, 3 in each subscription and read on from any number") { store in
            for id in ["1000", "1001"] {
                var rows: [AuditRow] = []
                for index in 0..<5 as Range<Int64> {
                    var inputs: [LedgerInput] = [.fact(.transaction(Specimen.transaction(index, of: id)))]
                    if index == 0 { inputs.append(.claim(Specimen.claim(Specimen.alice))) }
                    rows += try await store.decide(on: inputs, about: Specimen.key(id)).auditRows
                }
                let kept = try await store.auditRows(of: Specimen.key(id), after: 0, limit: 100)
                try expect(rows.count >= 5, "each period is a change of access")
                try expect(kept.map(\.row), equals: rows, "audit rows of \(id)")
                try expect(kept.map(\.sequence), equals: Array(1...Int64(rows.count)), "their numbers")
                let page = try await store.auditRows(of: Specimen.key(id), after: 2, limit: 2)
                try expect(page.map(\.sequence), equals: [3, 4], "two rows after the second")
            }
        },
        Behaviour("STORE-10", "The outbox holds every event in order, numbered 1, 2, 3 in each subscription") { store in
            var events: [LedgerEvent] = []
            for index in 0..<3 as Range<Int64> {
                for id in ["1000", "1001"] {
                    var inputs: [LedgerInput] = [.fact(.transaction(Specimen.transaction(index, of: id)))]
                    if index == 0 { inputs.append(.claim(Specimen.claim(Specimen.alice))) }
                    events += try await store.decide(on: inputs, about: Specimen.key(id)).events
                }
            }
            let rows = try await store.outbox(after: 0, limit: 1000)
            try expect(rows.compactMap(\.event), equals: events, "events")
            for id in ["1000", "1001"] {
                let numbers = rows.filter { $0.event?.subscription == Specimen.key(id) }.map(\.sequence)
                try expect(numbers, equals: Array(1...Int64(numbers.count)), "their numbers in \(id)")
            }
            try expect(
                try await store.outbox(after: 0, limit: 2).compactMap(\.event), equals: Array(events.prefix(2)), "the two oldest")
            let rest = try await store.outbox(after: rows[1].id, limit: 1000)
            try expect(rest, equals: Array(rows.dropFirst(2)), "those after the second")
            for id in ["1000", "1001"] {
                let own = rows.filter { $0.event?.subscription == Specimen.key(id) }
                try expect(try await store.events(of: Specimen.key(id), limit: 100), equals: own, "events of \(id)")
                try expect(
                    try await store.events(of: Specimen.key(id), limit: 2), equals: Array(own.prefix(2)), "its two oldest")
            }
            let elsewhere = try await store.events(of: Specimen.key(in: Specimen.sandbox), limit: 100)
            try expect(elsewhere, equals: [], "events of the same id in the Sandbox")
        },
        Behaviour("STORE-54", "Subscriptions of which a claim waits are found, until it is decided") { store in
            try await checkWaiting(in: store)
        },
    ]

    private static func checkWaiting(in store: any Store) async throws {
        let policy = AppPolicy(onRestore: .ask)
        for id in ["1000", "1001", "1002"] {
            let first: [LedgerInput] = [
                .fact(.transaction(Specimen.transaction(of: id))), .claim(Specimen.claim(Specimen.alice, of: id)),
            ]
            _ = try await store.decide(on: first, about: Specimen.key(id), policy: policy)
        }
        func waiting(after id: String? = nil, limit: Int = 10) async throws -> [String] {
            try await store.subscriptionsThatWait(
                in: Specimen.scope, after: id.map { OriginalTransactionID($0) }, limit: limit
            ).filter(\.state.hasWaitingClaim).map(\.state.key.originalTransactionId.rawValue)
        }
        try expect(try await waiting(), equals: [], "what waits before anyone else claims")
        let restores = ["1000", "1002"].map { Specimen.claim(Specimen.bob, .restore, of: $0, at: Specimen.day(1)) }
        for (id, claim) in zip(["1000", "1002"], restores) {
            _ = try await store.decide(on: [.claim(claim)], about: Specimen.key(id), policy: policy)
        }
        try expect(try await waiting(), equals: ["1000", "1002"], "what waits")
        try expect(try await waiting(limit: 1), equals: ["1000"], "the first")
        try expect(try await waiting(after: "1000"), equals: ["1002"], "what waits after the first")
        let vote = OwnershipVote(
            id: .init("no"), kind: .deny(restores[0].id), actor: .operatorOfTenure("mia"), votedAt: Specimen.day(2))
        _ = try await store.decide(on: [.vote(vote)], about: Specimen.key(), policy: policy)
        try expect(try await waiting(), equals: ["1002"], "what waits once one is denied")
        let stored = try await store.subscriptionsThatWait(in: Specimen.scope, after: nil, limit: 10)
        try expect(stored.map(\.waits), equals: [true], "what their rows say")
        let elsewhere = try await store.subscriptionsThatWait(in: Specimen.sandbox, after: nil, limit: 10)
        try expect(elsewhere, equals: [], "what waits in the Sandbox")
    }

    private static func expectKept(_ decision: Decision, by store: any Store) async throws {
        let kept = try await store.subscription(decision.state.key)
        try expect(kept?.history, equals: decision.history, "the history")
        try expect(kept?.state, equals: decision.state, "the state (FACT-1)")
    }

    /// Bob claims late; then a registered token shows that it was Alice's all along, so Bob never had it. A restore under
    /// `transfer` on the other hand leaves the former owner what they had.
    private static func checkFormerCustomers(of store: any Store) async throws {
        let token = try Specimen.token()
        let facts: [LedgerInput] = [.fact(.transaction(Specimen.transaction(token: token)))]
        _ = try await store.decide(on: facts + [.claim(Specimen.claim(Specimen.bob, .restore))])
        try expect(try await store.holdings(of: Specimen.bob, in: Specimen.scope).count, equals: 1, "Bob's holdings before")
        let late = try await store.decide(on: [.registration(Specimen.registration(token, Specimen.alice))])
        try expect(late.state.customers, equals: [Specimen.alice], "owners after the late evidence")
        try expect(try await store.holdings(of: Specimen.bob, in: Specimen.scope), equals: [], "Bob's holdings after")
        let hers = try await store.holdings(of: Specimen.alice, in: Specimen.scope)
        try expect(hers, equals: [Holding(of: Specimen.alice, in: late.state)], "Alice's holdings after")

        let policy = AppPolicy(onRestore: .transfer)
        let key = Specimen.key("2000")
        let transaction = Specimen.transaction(of: "2000")
        for (customer, minutes) in [(Specimen.bob, 0), (Specimen.alice, 10)] as [(CustomerID, Int64)] {
            let claim = Claim(
                id: .init("\(customer)/2000"), customer: customer, kind: .restore, transaction: transaction,
                productId: transaction.productId,
                claimedAt: Specimen.start.adding(.minutes(minutes)))
            _ = try await store.decide(on: [.fact(.transaction(transaction)), .claim(claim)], about: key, policy: policy)
        }
        let state = try await store.subscription(key)?.state
        try expect(
            try await store.holdings(of: Specimen.bob, in: Specimen.scope),
            equals: state.map { [Holding(of: Specimen.bob, in: $0)] } ?? [],
            "what Bob had until Alice restored it")
    }
}
