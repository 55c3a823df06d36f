import Ledger
import Primitives
import Storage

extension StorageConformance {
    /// What was signed is kept once and comes back as it came.
    static let evidence: [Behaviour] = [
        Behaviour("STORE-1", "A fact is kept once by its key, per app and environment, and the first version stays") { store in
            let fact = Fact.transaction(Specimen.transaction())
            try expect(try await store.keep(Specimen.arrival([fact])), "a new fact is kept")
            let again = Specimen.arrival([fact], evidence: Specimen.evidence("e31"))
            try expect(!(try await store.keep(again)), "the same key is known, whatever its bytes")
            for scope in [Specimen.otherApp, Specimen.sandbox] {
                try expect(try await store.keep(Specimen.arrival([fact], in: scope)), "it is another fact in \(scope)")
                try await expectFacts([fact], of: Specimen.key(in: scope), in: store)
            }
            let kept = try await store.facts(of: Specimen.key(), limit: 10)
            try expect(kept.map(\.evidence), equals: [Specimen.evidence("e30")], "the first bytes")
        },
        Behaviour("STORE-2", "A notification is kept once by its UUID, per app and environment") { store in
            for scope in [Specimen.scope, Specimen.otherApp, Specimen.sandbox] {
                try expect(try await store.keep(Specimen.notification("u1", in: scope)), "new in \(scope)")
                try expect(!(try await store.keep(Specimen.notification("u1", in: scope))), "known in \(scope)")
            }
            try expect(try await store.keep(Specimen.notification("u2")), "another UUID is new")
        },
        Behaviour("STORE-3", "If the body throws, nothing of it is kept and its error is rethrown") { store in
            try await checkNothingIsKept(of: store)
        },
        Behaviour("STORE-4", "Facts come back with their evidence, byte for byte, by signing date, within the limit") {
            store in
            try await checkFacts(of: store)
        },
        Behaviour("STORE-5", "A claim's id is kept once: a second one breaks a constraint and keeps nothing") { store in
            let claim = Specimen.claim(Specimen.alice)
            try await store.write { try $0.keep(claim, on: Specimen.key()) }
            try await expectError("constraint", "a second claim with the same id") {
                try await store.write { try $0.keep(claim, on: Specimen.key()) }
            }
        },
        Behaviour(
            "STORE-18", "Apple's certificates are kept once, and every form of evidence is read back with the same bytes"
        ) {
            store in
            try await checkForms(of: store)
        },
        Behaviour("STORE-19", "One transaction signed at one instant is one fact, whatever subscription a second copy names") {
            store in
            let first = Specimen.transaction()
            var second = first
            second.originalTransactionId = OriginalTransactionID("2000")
            try expect(try await store.keep(Specimen.arrival([.transaction(first)])), "the first is new")
            try expect(!(try await store.keep(Specimen.arrival([.transaction(second)]))), "the second is known")
        },
    ]

    private static func expectFacts(_ facts: [Fact], of key: SubscriptionKey, in store: any Store) async throws {
        try expect(try await store.facts(of: key, limit: 100).map(\.fact), equals: facts, "facts of \(key)")
    }

    private static func checkFacts(of store: any Store) async throws {
        let id = Specimen.key().originalTransactionId
        let arrivals = [
            Specimen.arrival([.transaction(Specimen.transaction(0))], evidence: Specimen.evidence("e30")),
            Specimen.arrival(
                [.transaction(Specimen.transaction(1))],
                evidence: Evidence(form: .compactJWS, bytes: Array("other\u{301}.e31.c2ln".utf8))),
            Specimen.arrival([.renewal(RenewalFact(originalTransactionId: id, signedDate: Specimen.day(31)))]),
            Specimen.arrival(
                [.failedQuestion(FailedQuestion(askedAt: Specimen.day(32), reason: "5xx"), about: id)], evidence: nil),
            Specimen.arrival([.status(StatusFact(4, signedDate: Specimen.day(33)), about: id)], evidence: nil),
        ]
        for arrival in arrivals.reversed() { try expect(try await store.keep(arrival), "\(arrival.facts) is new") }
        let expected = arrivals.map { StoredFact(fact: $0.facts[0], evidence: $0.evidence, receivedAt: Specimen.start) }
        try expect(try await store.facts(of: Specimen.key(), limit: 10), equals: expected, "facts")
        try expect(try await store.facts(of: Specimen.key(), limit: 2), equals: Array(expected.prefix(2)), "the first two")
        try await expectFacts([], of: Specimen.key("1001"), in: store)
    }

    /// A notification holds two JWS with the same certificates inside; an answer holds some beside words of its own; a receipt
    /// is no text at all.
    private static func checkForms(of store: any Store) async throws {
        let header = "eyJ" + String(repeating: "Ab-_9", count: 800)
        let inner = "\(header).eyJwIjoxfQ.c2ln"
        let words = #"{"data":{"signedTransactionInfo":"\#(inner)","signedRenewalInfo":"\#(inner)"},"x":"eyJ"}"#
        let payload = StrictBase64.encodeURL(Array(words.utf8))
        let evidence = [
            Evidence(form: .compactJWS, bytes: Array("\(header).\(payload).c2ln".utf8)),
            Evidence(form: .verifyReceiptAnswer, bytes: Array(#"{"a":"\#(header).x","b":"eyJ\#(header)","eyJ":1}"#.utf8)),
            Evidence(form: .appReceipt, bytes: (0...255).map { UInt8($0) } + [0, 0x22, 0x65, 0x79, 0x4A]),
            Evidence(form: .transactionReceipt, bytes: []),
        ]
        for (index, one) in evidence.enumerated() {
            let fact = Fact.transaction(Specimen.transaction(Int64(index)))
            try expect(try await store.keep(Specimen.arrival([fact], evidence: one)), "\(one.form) is new")
        }
        let kept = try await store.facts(of: Specimen.key(), limit: 10).map(\.evidence)
        try expect(kept, equals: evidence, "evidence")
    }

    private struct Stop: Error {}

    private static func checkNothingIsKept(of store: any Store) async throws {
        let token = try Specimen.token()
        let name = TokenName(app: Specimen.app, token: token)
        let transaction = Specimen.transaction(token: token)
        do {
            try await store.write { write in
                _ = try write.lock([Specimen.key()], tokens: [name])
                try write.keep([Specimen.notification("u1"), Specimen.arrival([.transaction(transaction)])])
                try write.keep(Specimen.claim(Specimen.alice), on: Specimen.key())
                try write.register(
                    Specimen.registration(token, Specimen.alice), app: Specimen.app)
                try write.warn(
                    OperatorWarning(kind: .unknownProduct, value: "x", firstSeenAt: Specimen.start), in: Specimen.scope)
                try write.order([Specimen.order("a")])
                _ = try write.decide(on: [.fact(.transaction(transaction)), .claim(Specimen.claim(Specimen.alice))])
                throw Stop()
            }
            throw ConformanceFailure("the body's error was not rethrown")
        } catch is Stop {}
        try await expectFacts([], of: Specimen.key(), in: store)
        try expect(try await store.subscription(Specimen.key()), equals: nil, "the subscription")
        try expect(try await store.contents(of: Specimen.key()), equals: nil, "its contents")
        try expect(try await store.holdings(of: Specimen.alice, in: Specimen.scope), equals: [], "holdings")
        try expect(try await store.auditRows(of: Specimen.key(), after: 0, limit: 10), equals: [], "audit rows")
        try expect(try await store.outbox(after: 0, limit: 10), equals: [], "outbox rows")
        try expect(try await store.warnings(in: Specimen.scope, limit: 10), equals: [], "warnings")
        try expect(try await store.work(after: 0, limit: 10), equals: [], "work")
        try expect(try await store.keep(Specimen.notification("u1")), "the notification is still new")
        try await store.write { write in
            try write.keep(Specimen.claim(Specimen.alice), on: Specimen.key())
            let locked = try write.lock([], tokens: [name])
            try expect(locked.registrations, equals: [:], "the token's customer")
            try expect(try write.subscriptions(bearing: [name]), equals: [], "subscriptions bearing the token")
        }
    }
}
