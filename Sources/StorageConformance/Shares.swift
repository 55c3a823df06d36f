import Ledger
import Primitives
import Storage

extension StorageConformance {
    /// How a lease is shared among apps and environments.
    static let shares: [Behaviour] = [
        Behaviour("STORE-66", "Work that is to be overdue is leased only when it is, and its lease lasts from now") { store in
            try await store.write { write in
                try write.order((0..<3).map { Specimen.order("\($0)", due: minute(Int64($0))) })
            }
            var request = WorkRequest(kinds: [.deliver], worker: "w", lease: .minutes(5))
            request.overdueBy = .minutes(10)
            let overdue = request
            @Sendable func lease(at now: Timestamp) async throws -> [LeasedWork] {
                try await store.write { try $0.lease(overdue, at: now) }
            }
            try expect(try await lease(at: minute(10).adding(Milliseconds(-1))), equals: [], "what is not overdue yet")
            let taken = try await lease(at: minute(11))
            try expect(taken.map(\.order.key), equals: ["0", "1"], "what is overdue")
            try expect(taken.map(\.until), equals: [minute(16), minute(16)], "when the lease ends")
            try expect(try await store.lease(at: minute(11)).map(\.order.key), equals: ["2"], "what is only due")
            request.overdueBy = Milliseconds(.min)
            let early = request
            let rest = try await store.write { try $0.lease(early, at: minute(1)) }
            try expect(rest, equals: [], "a time that is negative makes nothing due")
        },
        Behaviour("STORE-67", "Each scope gets its share of a lease, however much is due of another") { store in
            try await store.write { write in
                try write.order((0..<1000).map { Specimen.order("a\($0)", subject: "\($0)", due: minute(0)) })
                try write.order((0..<3).map { Specimen.order("b\($0)", in: Specimen.otherApp, due: minute(1 + Int64($0))) })
            }
            let request = WorkRequest(kinds: [.deliver], scopes: [Specimen.scope, Specimen.otherApp], worker: "w", limit: 5)
            @Sendable func lease(_ request: WorkRequest) async throws -> [LeasedWork] {
                try await store.write { try $0.lease(request, at: minute(9)) }
            }
            let first = try await lease(request)
            try expect(first.filter { $0.order.scope == Specimen.otherApp }.map(\.order.key), equals: ["b0", "b1"], "its share")
            try expect(first.count, equals: 5, "all that may be leased")
            let second = try await lease(request)
            try expect(second.filter { $0.order.scope == Specimen.otherApp }.map(\.order.key), equals: ["b2"], "what it has")
            try expect(second.count, equals: 5, "what one does not have, another gets")
            let singles = [0, 1].map { turn in
                var single = request
                (single.limit, single.scopes) = (1, request.scopes.beginning(at: turn))
                return single
            }
            try await store.write { try $0.order([Specimen.order("b3", in: Specimen.otherApp, due: minute(8))]) }
            let turns = [try await lease(singles[0]), try await lease(singles[1])].map { taken in taken.map(\.order.scope) }
            try expect(turns, equals: [[Specimen.scope], [Specimen.otherApp]], "one after the other where there is one")
        },
        Behaviour("STORE-68", "What some scopes do not use is shared equally among the others, and no other gives any") { store in
            try await store.write { write in
                for (index, scope) in [Specimen.scope, Specimen.sandbox, Specimen.otherApp].enumerated() {
                    let due = (0..<4).map { minute(Int64(10 * $0 + index)) }
                    try write.order(due.enumerated().map { Specimen.order("\(index)\($0)", in: scope, due: $1) })
                }
                try write.order([Specimen.order("0x", kind: .tell), Specimen.order("0y", due: minute(90))])
            }
            func lease(_ scopes: [Scope], limit: Int) async throws -> [String] {
                let request = WorkRequest(kinds: [.deliver], scopes: scopes, worker: "w", limit: limit)
                return try await store.write { try $0.lease(request, at: minute(40)) }.map(\.order.key)
            }
            try expect(
                try await lease([Specimen.sandbox, Specimen.scope, Specimen.sandbox], limit: 3), equals: ["00", "10", "11"],
                "equal shares, a scope that is named twice once, and one more for the first")
            try expect(try await lease([Specimen.otherApp], limit: 1), equals: ["20"], "of one scope")
            try expect(try await lease([], limit: 4), equals: ["01", "21", "02", "12"], "without scopes, by the time alone")
            let other = Scope(app: AppID("third"), environment: .production)
            try expect(
                try await lease([other, Specimen.scope, Specimen.sandbox, Specimen.otherApp], limit: 40),
                equals: ["22", "03", "13", "23"], "all that is left")
            try expect(try await lease([], limit: 40), equals: [], "nothing is due any more")
            try await store.write { write in
                try write.order((0..<20).map { Specimen.order("old\($0)", subject: "\($0)", due: minute(0)) })
                try write.order(
                    (0..<20).map { Specimen.order("new\($0)", subject: "\($0)", in: Specimen.otherApp, due: minute(39)) })
            }
            let shared = try await lease([other, Specimen.scope, Specimen.sandbox, Specimen.otherApp], limit: 8)
            try expect(shared.count { $0.hasPrefix("new") }, equals: 4, "of the two that have any each gets half")
            try expect(shared.count, equals: 8, "all that may be leased")
            let last = try await lease([other, Specimen.sandbox, Specimen.otherApp], limit: 1)
            try expect(last.count, equals: 1, "the only one that has any gives it, though its share is nothing at first")
        },
        Behaviour("STORE-69", "Many workers share what is due of many scopes, each work goes to one of them") { store in
            let scopes = [Specimen.scope, Specimen.sandbox, Specimen.otherApp]
            let orders = (0..<150).map { Specimen.order("\($0)", subject: "\($0)", in: scopes[$0 % 7 % 3]) }
            try await store.write { try $0.order(orders) }
            let taken = try await withThrowingTaskGroup(of: [String].self) { group in
                for worker in 0..<6 {
                    group.addTask {
                        let named = worker.isMultiple(of: 2) ? scopes : []
                        let request = WorkRequest(kinds: [.deliver], scopes: named, worker: "\(worker)", limit: 7)
                        var keys: [String] = []
                        while true {
                            let batch = try await store.write { try $0.lease(request, at: Specimen.start) }
                            guard !batch.isEmpty else { return keys }
                            try expect(batch.count <= 7, "no more than the limit")
                            keys += batch.map(\.order.key)
                        }
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            try expect(taken.sorted(), equals: orders.map(\.key).sorted(), "what was leased")
        },
    ]

    private static func minute(_ number: Int64) -> Timestamp { Specimen.start.adding(.minutes(number)) }
}
