import Ledger
import Primitives
import Storage

extension StorageConformance {
    /// Many writers and readers at once.
    static let concurrency: [Behaviour] = [
        Behaviour("STORE-15", "Eight concurrent writers of one subscription lose no writes") { store in
            let (writers, decisions) = (8, 50) as (Int64, Int64)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<writers {
                    group.addTask {
                        for turn in 0..<decisions {
                            let question = FailedQuestion(
                                askedAt: Specimen.start.adding(.seconds(turn * writers + writer)), reason: "timeout")
                            _ = try await store.decide(on: [.fact(.failedQuestion(question, about: .init("1000")))])
                        }
                    }
                }
                try await group.waitForAll()
            }
            let questions = try await store.subscription(Specimen.key())?.history.questions ?? []
            try expect(Int64(questions.count), equals: writers * decisions, "questions in the history")
        },
        Behaviour("STORE-16", "Of many concurrent writers of one fact exactly one finds it new") { store in
            let arrival = Specimen.arrival([.transaction(Specimen.transaction())])
            let found = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<32 { group.addTask { try await store.keep(arrival) } }
                return try await group.reduce(into: 0) { count, isNew in if isNew { count += 1 } }
            }
            try expect(found, equals: 1, "writers who found it new")
        },
        Behaviour("STORE-17", "Every read after a write has returned sees it, and no read sees part of a write") { store in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for id in ["1000", "1001", "1002", "1003"] {
                    group.addTask {
                        let transaction = Specimen.transaction(of: id)
                        for customer in [Specimen.alice, Specimen.bob] {
                            let claim = Claim(
                                id: .init("\(customer)/\(id)"), customer: customer, kind: .restore, transaction: transaction,
                                productId: transaction.productId, claimedAt: Specimen.start)
                            let decision = try await store.decide(
                                on: [.fact(.transaction(transaction)), .claim(claim)], about: Specimen.key(id))
                            let kept = try await store.subscription(Specimen.key(id))
                            try expect(kept?.state, equals: decision.state, "the state right after its write")
                            let owners = Set(decision.state.customers)
                            for owner in owners {
                                let holdings = try await store.holdings(of: owner, in: Specimen.scope)
                                try expect(
                                    holdings.contains(Holding(of: owner, in: decision.state)),
                                    "\(owner)'s holding right after its write")
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
        },
        Behaviour("STORE-34", "A transaction may lock ten thousand subscriptions and as many tokens, and excludes others") {
            store in
            try await checkManyLocks(of: store)
        },
    ]

    /// One writer names very many of which nothing is kept, the others one of them each: the second finds what the first has
    /// written.
    private static func checkManyLocks(of store: any Store) async throws {
        let count = 10_000 as Int64
        let keys = (0..<count).map { Specimen.key("\($0)") }
        let tokens = try (0..<count).map { number in
            let digits = String(number)
            return try Specimen.token("a11ce000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits)
        }
        let names = tokens.map { TokenName(app: Specimen.app, token: $0) }
        /// Registers the token, and makes the subscription, unless that was done.
        @Sendable func take(_ number: Int, by customer: CustomerID, naming all: Bool) async throws -> Bool {
            try await store.write { write in
                let locked = try write.lock(all ? keys : [keys[number]], tokens: all ? names : [names[number]])
                guard locked.registrations[names[number]] == nil else { return false }
                try expect(locked.subscriptions[keys[number]] == nil, "the token's writer creates the subscription")
                let registration = Specimen.registration(tokens[number], customer)
                try write.register(registration, app: Specimen.app)
                let fact = LedgerInput.fact(.transaction(Specimen.transaction(of: keys[number].originalTransactionId.rawValue)))
                _ = try write.decide(on: [fact], about: keys[number])
                return true
            }
        }
        let taken = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<8 {
                group.addTask { try await take(number, by: Specimen.alice, naming: number.isMultiple(of: 4)) }
                group.addTask { try await take(number, by: Specimen.bob, naming: false) }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        try expect(taken, equals: 8, "how many found their token free")
    }
}
