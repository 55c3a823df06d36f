import Ledger
import Primitives
import Storage

extension StorageConformance {
    /// What proves the books: the chain of audit rows, its seals, and that everything can be put together again from its rows.
    static let proof: [Behaviour] = [
        Behaviour("STORE-26", "Each audit row's hash covers its text, its place and the hash before (AUDIT-2)") { store in
            for index in 0..<4 as Range<Int64> { _ = try await store.decide(on: inputs(index)) }
            let kept = try await store.subscription(Specimen.key())
            let texts = try await store.auditTexts(of: Specimen.key(), after: 0, limit: 100)
            var head = AuditHead()
            try expect(texts.count >= 4, "each period is a change of access")
            for row in texts {
                head = head.followed(by: row.text, of: Specimen.key())
                try expect(row.head, equals: head, "the chain at row \(row.head.sequence)")
            }
            try expect(kept?.ends.audit, equals: head, "the head that the subscription names")
            let middle = try await store.auditTexts(of: Specimen.key(), after: 1, limit: 2)
            try expect(middle, equals: Array(texts[1...2]), "two rows after the first")
            let rows = try await store.auditRows(of: Specimen.key(), after: 0, limit: 100)
            try expect(rows.map(\.hash), equals: texts.map(\.head.hash), "hashes")
        },
        Behaviour("STORE-27", "A seal names each head that moved since the seal before, and is chained to it (AUDIT-2)") {
            store in
            try await checkSeals(of: store)
        },
        Behaviour("STORE-123", "The seals of a subscription are read by the place in its chain that each names (AUDIT-2)") {
            store in
            func seal() async throws { _ = try await store.write { try $0.seal(Specimen.app, at: Specimen.start, limit: 100) } }
            func chain(_ key: SubscriptionKey = Specimen.key()) async throws -> Int64 {
                try await store.subscription(key)?.ends.audit.sequence ?? 0
            }
            _ = try await store.decide(on: inputs(0))
            _ = try await store.decide(on: [.fact(.transaction(Specimen.transaction(of: "2000")))], about: Specimen.key("2000"))
            let first = try await chain()
            try await seal()
            _ = try await store.decide(on: inputs(1))
            // What is sealed at once with others, and what is in no seal yet.
            _ = try await store.decide(on: inputs(2))
            let second = try await chain()
            try await seal()
            _ = try await store.decide(on: inputs(3))
            try expect(first >= 1 && second > first + 1, "each period is a change of access")
            let both = [SealedPlace(seal: 1, sequence: first), SealedPlace(seal: 2, sequence: second)]
            func places(from sequence: Int64, limit: Int = 10) async throws -> [SealedPlace] {
                try await store.sealedPlaces(of: Specimen.key(), from: sequence, limit: limit)
            }
            try expect(try await places(from: 1), equals: both, "all of them")
            try expect(try await places(from: first), equals: both, "the place itself counts")
            try expect(try await places(from: first + 1), equals: [both[1]], "behind the first")
            try expect(try await places(from: second + 1), equals: [], "what no seal names yet")
            try expect(try await places(from: 1, limit: 1), equals: [both[0]], "at most so many")
            let unknown = try await store.sealedPlaces(of: Specimen.key("2000", in: Specimen.sandbox), from: 1, limit: 10)
            try expect(unknown, equals: [], "of what is unknown")
        },
        Behaviour(
            "STORE-28", "What is kept of a subscription equals a new fold of its facts, claims and registrations"
        ) {
            store in
            try await checkContents(of: store)
        },
        Behaviour("STORE-29", "A subscription is read under the policy under which it was written, until it is written again") {
            store in
            let policies = [AppPolicy(), AppPolicy(version: 7, onRestore: .transfer, partialRefunds: .keep)]
            for (index, policy) in policies.enumerated() {
                _ = try await store.decide(on: inputs(Int64(index)), policy: policy)
                let kept = try await store.subscription(Specimen.key())
                try expect(kept?.policy, equals: PolicyTimeline(policy), "the policy")
                try expect(kept?.isFoldCurrent, equals: true, "whether the fold is today's")
            }
        },
        Behaviour("STORE-30", "All subscriptions are listed by key, page by page, each once") { store in
            let keys = [
                Specimen.key("1000"), Specimen.key("1001"), Specimen.key("999"), Specimen.key("1000", in: Specimen.sandbox),
                Specimen.key("1000", in: Specimen.otherApp),
            ]
            for key in keys.reversed() {
                let transaction = Specimen.transaction(of: key.originalTransactionId.rawValue)
                _ = try await store.decide(on: [.fact(.transaction(transaction))], about: key)
            }
            var (found, last): ([SubscriptionKey], SubscriptionKey?) = ([], nil)
            while true {
                let page = try await store.subscriptions(after: last, limit: 2)
                guard let end = page.last else { break }
                found += page
                last = end
            }
            try expect(found, equals: keys, "subscriptions")
            let all = try await store.subscriptions(after: nil, limit: 100)
            try expect(all, equals: keys, "subscriptions on one page")
            let unknown = Specimen.key("5", in: Scope(app: AppID("apq"), environment: .sandbox))
            try expect(
                try await store.subscriptions(after: unknown, limit: 100), equals: Array(keys.suffix(1)),
                "those after a ledger that is not there")
        },
        Behaviour(
            "STORE-33", "Each fact of the contents names its document, which many facts may share and which is read by its number"
        ) { store in
            try await checkDocuments(of: store)
        },
    ]

    private static func inputs(_ index: Int64, of id: String = "1000") -> [LedgerInput] {
        let fact = LedgerInput.fact(.transaction(Specimen.transaction(index, of: id)))
        return index == 0 ? [fact, .claim(Specimen.claim(Specimen.alice, of: id))] : [fact]
    }

    private static func checkSeals(of store: any Store) async throws {
        func seal(_ day: Int64) async throws -> AuditSeal? {
            try await store.write { try $0.seal(Specimen.app, at: Specimen.day(day), limit: 100) }
        }
        func head(_ id: String) async throws -> AuditHead? { try await store.subscription(Specimen.key(id))?.ends.audit }
        try expect(try await seal(0), equals: nil, "nothing moved")
        for id in ["1000", "1001"] { _ = try await store.decide(on: inputs(0, of: id), about: Specimen.key(id)) }
        let elsewhere = Specimen.key("1000", in: Specimen.otherApp)
        _ = try await store.decide(on: inputs(0), about: elsewhere)
        let first = try await seal(1)
        try expect(
            first?.heads.map(\.subject), equals: [.subscription(Specimen.key("1000")), .subscription(Specimen.key("1001"))],
            "the first seal's subscriptions")
        try expect(first?.heads.first?.head, equals: try await head("1000"), "the first head")
        try expect(try await seal(2), equals: nil, "nothing moved since")
        _ = try await store.decide(on: inputs(1, of: "1001"), about: Specimen.key("1001"))
        let second = try await seal(3)
        try expect(second?.heads.map(\.subject), equals: [.subscription(Specimen.key("1001"))], "the second seal's subscriptions")
        try expect(second?.heads.first?.head, equals: try await head("1001"), "the second head")
        try expect(second?.previous, equals: first?.hash, "the seal before")
        let kept = try await store.seals(of: Specimen.app, after: 0, limit: 10)
        let expected = [first, second].compactMap { $0 }.map { StoredSeal(seal: $0, hash: $0.hash) }
        try expect(kept, equals: expected, "seals")
        try expect(
            try await store.seals(of: Specimen.app, after: 1, limit: 10), equals: Array(expected.suffix(1)), "the last one")
        for number in [1, 2] as [Int64] {
            try expect(try await store.missedHeads(of: Specimen.app, seal: number), equals: [], "what seal \(number) misses")
        }
    }

    private static func checkDocuments(of store: any Store) async throws {
        let receipt = Evidence(form: .appReceipt, bytes: [0x30, 0x03, 0x02, 0x01, 0x05])
        let lines = (0..<3 as Range<Int64>).map { Fact.transaction(Specimen.transaction($0)) }
        let id = Specimen.key().originalTransactionId
        let question = Fact.failedQuestion(FailedQuestion(askedAt: Specimen.day(200), reason: "5xx"), about: id)
        let single = Fact.transaction(Specimen.transaction(3))
        for arrival in [
            Specimen.arrival(lines, evidence: receipt), Specimen.arrival([single], evidence: Specimen.evidence("e31")),
            Specimen.arrival([question], evidence: nil),
        ] {
            try expect(try await store.keep(arrival), "\(arrival.facts) are new")
            _ = try await store.decide(on: arrival.facts.map { .fact($0) })
        }
        let facts = try await store.contents(of: Specimen.key())?.facts ?? []
        try expect(facts.map(\.fact), equals: lines + [single, question], "facts")
        let numbers = facts.map(\.evidence)
        try expect(Set(numbers.prefix(3)).count, equals: 1, "documents of the receipt's facts")
        try expect(numbers.last, equals: .some(nil), "the document of unsigned content")
        for (index, evidence) in [(0, receipt), (3, Specimen.evidence("e31"))] {
            guard let number = numbers[index] else { throw ConformanceFailure("fact \(index) names no document") }
            try expect(try await store.evidence(number), equals: evidence, "the document of fact \(index)")
        }
        try await expectError("corrupt", "a number that no document has") { _ = try await store.evidence(9_999_999) }
    }

    private static func checkContents(of store: any Store) async throws {
        let token = try Specimen.token()
        let registration = Specimen.registration(token, Specimen.alice)
        for index in 0..<3 as Range<Int64> {
            let fact = Fact.transaction(Specimen.transaction(index, token: token))
            try expect(try await store.keep(Specimen.arrival([fact])), "\(index) is new")
            _ = try await store.decide(on: [.fact(fact)])
        }
        let claim = Specimen.claim(Specimen.bob)
        try await store.write { write in
            try write.register(registration, app: Specimen.app)
            try write.keep(claim, on: Specimen.key())
            _ = try write.decide(on: [.claim(claim), .registration(registration)])
        }
        guard let contents = try await store.contents(of: Specimen.key()) else { throw ConformanceFailure("nothing is kept") }
        try expect(contents.claims, equals: [claim], "claims")
        try expect(contents.registrations, equals: [registration], "registrations")
        let history = SubscriptionHistory(
            key: Specimen.key(), facts: contents.facts.map(\.fact), claims: contents.claims,
            registrations: contents.registrations, inputs: contents.inputs.map(\.input))
        try expect(contents.stored.history.untold, equals: history.untold, "the history")
        let state = SubscriptionState(folding: history, under: contents.stored.policy)
        try expect(contents.tenures.map(\.step), equals: SubscriptionRows.tenures(of: state).map(\.step), "owners")
        try expect(contents.holdings, equals: SubscriptionRows.holdings(of: state), "holdings")
        let aliases = SubscriptionRows.aliases(of: state.periods).sorted { $0.alias < $1.alias }
        try expect(contents.aliases, equals: aliases, "names of periods")
        try expect(contents.refunds, equals: RefundPlace.all(in: state), "refunds")
    }
}
