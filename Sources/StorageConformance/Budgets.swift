import Ledger
import Primitives
import Storage

extension StorageConformance {
    /// What servers share that ask Apple: how many calls are left, and how far a customer's history was read.
    static let budgets: [Behaviour] = [
        Behaviour("STORE-63", "A budget is read back as it is, and each app, environment and endpoint has its own") { store in
            let names = [
                BudgetName(Specimen.scope, "history"), BudgetName(Specimen.scope, "é"), BudgetName(Specimen.sandbox, "history"),
                BudgetName(Specimen.otherApp, "history"),
            ]
            for (index, name) in names.enumerated() {
                let found = try await store.write { write in
                    let found = try write.lockBudget(name)
                    try write.save(budget(Int64(index)), as: name)
                    return found
                }
                try expect(found, equals: nil, "a budget before it is kept")
            }
            let changed = CallBudget(
                tat: Timestamp(millisecondsSince1970: .max), blockedUntil: Specimen.day(9), callsPerHour: .max,
                raisedAt: Timestamp(millisecondsSince1970: .min))
            let found = try await store.write { write in
                let before = try write.lockBudget(names[0])
                try write.save(changed, as: names[0])
                return [before, try write.lockBudget(names[0]), try write.lockBudget(names[1])]
            }
            try expect(found, equals: [budget(0), changed, budget(1)], "budgets in a transaction that changes one")
            let kept = zip(names, [changed, budget(1), budget(2)]).map { StoredBudget($0, $1) }
            try expect(try await store.budgets(of: Specimen.app), equals: kept, "an app's, by environment and endpoint")
            try expect(
                try await store.budgets(of: AppID("third")), equals: [], "those of an app of which nothing was ever kept")
        },
        Behaviour("STORE-64", "Of transactions that take of one budget at once, each sees what those before it took") {
            store in
            for turn in 0..<25 as Range<Int> {
                let name = BudgetName(Specimen.scope, "\(turn)")
                let seen = try await withThrowingTaskGroup(of: Int64.self) { group in
                    for _ in 0..<3 {
                        group.addTask {
                            try await store.write { write in
                                let seen = try write.lockBudget(name)?.callsPerHour ?? 0
                                try write.save(CallBudget(callsPerHour: seen + 1, at: Specimen.start), as: name)
                                return seen
                            }
                        }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                try expect(seen.sorted(), equals: [0, 1, 2], "what each sees of the others")
            }
        },
        Behaviour("STORE-65", "Where a customer's history was read to is kept for each ledger, and the last word counts") {
            store in
            @Sendable func read(_ subject: String, in scope: Scope = Specimen.scope) async throws -> String? {
                try await store.write { try $0.historyRevision(of: subject, in: scope) }
            }
            try expect(try await read("1000"), equals: nil, "before any")
            for revision in ["r1", "é/2"] {
                try await store.write {
                    try $0.keep(historyRevision: revision, of: "1000", in: Specimen.scope, at: Specimen.start)
                }
            }
            let within = try await store.write { write in
                try write.keep(historyRevision: "s", of: "1000", in: Specimen.sandbox, at: Specimen.day(1))
                return try write.historyRevision(of: "1000", in: Specimen.sandbox)
            }
            try expect(within, equals: "s", "in the transaction that keeps it")
            try expect(try await read("1000"), equals: "é/2", "the last one")
            try expect(try await read("1001"), equals: nil, "another customer's")
            try expect(try await read("1000", in: Specimen.otherApp), equals: nil, "another app's")
        },
    ]

    private static func budget(_ number: Int64) -> CallBudget {
        CallBudget(
            tat: Specimen.day(number), blockedUntil: Specimen.day(number + 1), callsPerHour: 90_000 + number,
            raisedAt: Specimen.day(number + 2))
    }
}
