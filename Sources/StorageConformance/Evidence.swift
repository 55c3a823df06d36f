import Ledger
import Primitives
import Storage

extension StorageConformance {
    /// What was signed is kept once and comes back as it came.
    static let evidence: [Behaviour] = [
        Behaviour("STORE-1", "A fact is kept once by its key, per app and environment, and the first stays") { store in
            let record = Specimen.record(.transaction(Specimen.transaction()))
            try expect(try await store.write { try $0.insert(record) }, "a new fact is kept")
            let again = Specimen.record(.transaction(Specimen.transaction()), evidence: Specimen.evidence("e31"))
            try expect(!(try await store.write { try $0.insert(again) }), "the same key is known, whatever its bytes")
            for scope in [Specimen.otherApp, Specimen.sandbox] {
                let elsewhere = Specimen.record(.transaction(Specimen.transaction()), in: scope)
                try expect(try await store.write { try $0.insert(elsewhere) }, "it is another fact in \(scope)")
                try expect(try store.facts(of: Specimen.key(in: scope), limit: 10), equals: [elsewhere], "facts in \(scope)")
            }
            try expect(try store.facts(of: Specimen.key(), limit: 10), equals: [record], "facts")
        },
        Behaviour("STORE-2", "A notification is kept once by its UUID, per app and environment") { store in
            for scope in [Specimen.scope, Specimen.otherApp, Specimen.sandbox] {
                try expect(try await store.write { try $0.insert(Specimen.notification("u1", in: scope)) }, "new in \(scope)")
                try expect(
                    !(try await store.write { try $0.insert(Specimen.notification("u1", in: scope)) }), "known in \(scope)")
            }
            try expect(try await store.write { try $0.insert(Specimen.notification("u2")) }, "another UUID is new")
        },
        Behaviour("STORE-3", "Where the body throws, nothing of it is kept and its error is thrown on") { store in
            try await checkNothingIsKept(of: store)
        },
        Behaviour("STORE-4", "Facts come back byte for byte with their evidence, by signing date, no more than asked for") {
            store in
            let facts = [
                Specimen.record(.transaction(Specimen.transaction(0)), evidence: Specimen.evidence("e30")),
                Specimen.record(
                    .transaction(Specimen.transaction(1)),
                    evidence: .init(header: "other\u{301}", payloadAndSignature: "e31.c2ln")),
                Specimen.record(
                    .renewal(RenewalFact(originalTransactionId: Specimen.key().originalTransactionId, signedDate: day(31)))),
                Specimen.record(
                    .failedQuestion(FailedQuestion(askedAt: day(32), reason: "5xx"), about: .init("1000")), evidence: nil),
            ]
            for fact in facts.reversed() { try expect(try await store.write { try $0.insert(fact) }, "\(fact.fact.key) is new") }
            let kept = try store.facts(of: Specimen.key(), limit: 10)
            try expect(kept, equals: facts, "facts")
            let compacts = kept.map { $0.evidence.map { Array($0.compact.utf8) } }
            try expect(compacts, equals: facts.map { $0.evidence.map { Array($0.compact.utf8) } }, "evidence, byte for byte")
            try expect(try store.facts(of: Specimen.key(), limit: 2), equals: Array(facts.prefix(2)), "the first two")
            try expect(try store.facts(of: Specimen.key("1001"), limit: 10), equals: [], "facts of another subscription")
        },
        Behaviour("STORE-5", "A claim's id is kept once: a second one breaks a constraint and keeps nothing") { store in
            let claim = Specimen.claim(Specimen.alice)
            try await store.write { try $0.insert(claim, on: Specimen.key()) }
            do {
                try await store.write { try $0.insert(claim, on: Specimen.key()) }
            } catch let error as StorageError {
                return try expect(error.code.rawValue, equals: "constraint", "the code")
            }
            throw ConformanceFailure("a second claim with the same id was kept")
        },
    ]

    private static func day(_ number: Int64) -> Timestamp { Specimen.start.adding(.days(number)) }

    private struct Stop: Error {}

    private static func checkNothingIsKept(of store: any Store) async throws {
        let token = AppAccountToken("a11ce000-0000-4000-8000-000000000001")
        let transaction = Specimen.transaction(token: token)
        let decision = Specimen.decision(on: [.fact(.transaction(transaction)), .claim(Specimen.claim(Specimen.alice))])
        do {
            try await store.write { write in
                _ = try write.insert(Specimen.notification("u1"))
                _ = try write.insert(Specimen.record(.transaction(transaction)))
                try write.insert(Specimen.claim(Specimen.alice), on: Specimen.key())
                if let token {
                    _ = try write.register(
                        TokenRegistration(token: token, customer: Specimen.alice), app: Specimen.app, at: day(0))
                }
                try write.warn(OperatorWarning(kind: .unknownProduct, value: "x", firstSeenAt: day(0)), in: Specimen.scope)
                try write.save(decision, learnedAt: day(0))
                throw Stop()
            }
            throw ConformanceFailure("the body's error was not thrown on")
        } catch is Stop {}
        try expect(try store.facts(of: Specimen.key(), limit: 10), equals: [], "facts")
        try expect(try store.subscription(Specimen.key()), equals: nil, "the subscription")
        try expect(try store.holdings(of: Specimen.alice, in: Specimen.scope), equals: [], "holdings")
        try expect(try store.auditRows(of: Specimen.key(), after: 0, limit: 10), equals: [], "audit rows")
        try expect(try store.outbox(limit: 10), equals: [], "outbox rows")
        try expect(try store.warnings(in: Specimen.scope, limit: 10), equals: [], "warnings")
        try await store.write { write in
            try expect(try write.insert(Specimen.notification("u1")), "the notification is new still")
            try write.insert(Specimen.claim(Specimen.alice), on: Specimen.key())
            guard let token else { return }
            try expect(try write.customer(of: token, app: Specimen.app), equals: nil, "the token's customer")
            try expect(try write.subscriptions(bearing: token, app: Specimen.app), equals: [], "subscriptions bearing the token")
        }
    }
}
