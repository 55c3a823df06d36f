import Ledger
import Primitives
import Storage

extension StorageConformance {
    /// What servers share that look through notification histories.
    static let sweeps: [Behaviour] = [
        Behaviour("STORE-75", "A plan of sweeps is read back as it is, and each app and environment has its own") { store in
            let scopes = [Specimen.scope, Specimen.sandbox, Specimen.otherApp]
            for (index, scope) in scopes.enumerated() {
                let found = try await store.write { write in
                    let found = try write.lockSweeps(of: scope)
                    try write.save(plan(Int64(index)), of: scope)
                    return found
                }
                try expect(found, equals: nil, "a plan before it is kept")
            }
            let changed = SweepPlan(
                aliveAt: Timestamp(millisecondsSince1970: .max), plannedUntil: Timestamp(millisecondsSince1970: .min),
                failuresAt: nil, nightlyAt: Specimen.day(3), slices: SweepSlices(planned: .max, open: []))
            let found = try await store.write { write in
                let before = try write.lockSweeps(of: scopes[0])
                try write.save(changed, of: scopes[0])
                return [before, try write.lockSweeps(of: scopes[0]), try write.lockSweeps(of: scopes[1])]
            }
            try expect(found, equals: [plan(0), changed, plan(1)], "plans in a transaction that changes one")
            let kept = zip(scopes, [changed, plan(1)]).map { StoredSweepPlan($0, $1) }
            try expect(try await store.sweeps(of: Specimen.app), equals: kept, "an app's, by environment")
            try expect(try await store.sweeps(of: AppID("third")), equals: [], "those of an app that never had any")
        },
        Behaviour("STORE-76", "Of transactions that plan at once, each sees what those before it planned") { store in
            for turn in 0..<25 as Range<Int> {
                let scope = Scope(app: AppID("app\(turn)"), environment: .production)
                let seen = try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 0..<3 {
                        group.addTask {
                            try await store.write { write in
                                var plan = try write.lockSweeps(of: scope) ?? SweepPlan(at: Specimen.start)
                                let seen = plan.open.count
                                _ = plan.plan(from: Specimen.start, until: Specimen.start.adding(.hours(1)), at: Specimen.start)
                                try write.save(plan, of: scope)
                                return seen
                            }
                        }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                try expect(seen.sorted(), equals: [0, 1, 2], "what each sees of the others")
            }
        },
        Behaviour("STORE-77", "Which notifications are kept is said for each ledger") { store in
            try await store.write { try $0.keep([Specimen.notification("n-1"), Specimen.notification("é")]) }
            let asked = ["n-1", "n-2", "é", "n-1"]
            try expect(
                try await store.knownNotifications(asked, in: Specimen.scope), equals: ["n-1", "é"], "those that are kept")
            try expect(try await store.knownNotifications(asked, in: Specimen.otherApp), equals: [], "another app's")
            try expect(try await store.knownNotifications([], in: Specimen.scope), equals: [], "of none")
        },
        Behaviour("STORE-78", "How much work is due is counted for each kind and ledger, up to a limit") { store in
            let orders = (0..<5 as Range<Int64>).map { Specimen.order("a\($0)", due: Specimen.start.adding(.minutes($0))) }
            let other = Specimen.order("b", in: Specimen.otherApp, due: Specimen.start)
            try await store.write { try $0.order(orders + [other]) }
            let kind = other.kind
            @Sendable func count(
                _ minute: Int64, limit: Int = 10, in scope: Scope = Specimen.scope
            ) async throws -> [WorkBacklog] {
                try await store.backlog(
                    of: [kind, WorkKind(rawValue: "other")], in: scope, at: Specimen.start.adding(.minutes(minute)), limit: limit)
            }
            func due(_ number: Int, since: Timestamp?) -> [WorkBacklog] {
                [
                    WorkBacklog(kind: kind, count: number, dueSince: since),
                    WorkBacklog(kind: WorkKind(rawValue: "other"), count: 0, dueSince: nil),
                ]
            }
            try expect(try await count(-1), equals: due(0, since: nil), "before any is due")
            try expect(try await count(2), equals: due(3, since: Specimen.start), "what is due by then")
            try expect(try await count(9, limit: 4), equals: due(4, since: Specimen.start), "up to the limit")
            try expect(try await count(9, in: Specimen.otherApp), equals: due(1, since: Specimen.start), "another app's")
            func left(_ scope: Scope, limit: Int = 10) async throws -> [String] {
                try await store.unfinished(of: kind, in: scope, limit: limit).map(\.order.key)
            }
            let all = ["a0", "a1", "a2", "a3", "a4"]
            try expect(try await left(Specimen.scope), equals: all, "all that is not done, also later")
            try expect(try await left(Specimen.scope, limit: 2), equals: ["a0", "a1"], "the first of it")
            try expect(try await left(Specimen.sandbox), equals: [], "of another environment")
            try expect(try await count(9, in: Specimen.sandbox), equals: due(0, since: nil), "where there never was any")
        },
    ]

    private static func plan(_ number: Int64) -> SweepPlan {
        let slice = SweepSlice(
            number: number, from: Specimen.day(number), until: Specimen.day(number + 1), purpose: .outage,
            plannedAt: Specimen.day(number + 2))
        return SweepPlan(
            aliveAt: Specimen.day(number + 3), plannedUntil: Specimen.day(number + 4), failuresAt: Specimen.day(number + 5),
            nightlyAt: Specimen.day(number + 6), slices: SweepSlices(planned: number, open: [slice]),
            heard: HeardNotification(receivedAt: Specimen.day(number + 7), signedDate: Specimen.day(number + 8)))
    }
}
