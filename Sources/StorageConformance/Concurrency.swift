import Ledger
import Primitives
import Storage

extension StorageConformance {
    /// Many writers and readers at once.
    static let concurrency: [Behaviour] = [
        Behaviour("STORE-15", "Eight writers of one subscription lose nothing of each other's work") { store in
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
        Behaviour("STORE-16", "Of many writers of one fact exactly one finds it new") { store in
            let arrival = Specimen.arrival([.transaction(Specimen.transaction())])
            let found = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<32 { group.addTask { try await store.keep(arrival) } }
                return try await group.reduce(into: 0) { count, isNew in if isNew { count += 1 } }
            }
            try expect(found, equals: 1, "writers who found it new")
        },
        Behaviour("STORE-17", "What a write has returned is seen by every read after it, and a reader never sees half of a write")
        { store in
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
    ]
}
