import AppStoreWire
import Ledger
import Primitives
import Storage
import Testing

@testable import Backend

@Suite struct `What is at hand of Apple's calls` {
    /// Five calls a second.
    private static func call(in scope: Scope) -> BudgetedCall {
        BudgetedCall(.getAllSubscriptionStatuses, in: scope, AppleAccess(share: 10), .accessEnds)
    }

    @Test func `RECON-8 many who ask at once take no more from all servers than they use, but for a second's worth`() async throws
    {
        try await withWorld { world in
            let scope = Scope(app: World.app, environment: .production)
            let (budget, now, call) = (AppleBudget(store: world.store), world.clock.now(), Self.call(in: scope))
            #expect(call.callsPerHour == 18_000)
            for turn in 1...3 as ClosedRange<Int64> {
                let waits = try await withThrowingTaskGroup(of: Timestamp?.self) { group in
                    for _ in 0..<64 { group.addTask { try await budget.take(call, at: now) } }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(waits.allSatisfy { $0 == nil })
                let kept = try #require(try await world.store.budgets(of: World.app).first { $0.name == call.name })
                // 64, 128 and 192 calls, in fives.
                #expect(kept.budget.tat.since(now).count == (64 * turn + 4) / 5 * 1000)
            }
        }
    }

    @Test func `RECON-8 what was granted before Apple refused a call is not used after it`() async throws {
        try await withWorld { world in
            let scope = Scope(app: World.app, environment: .production)
            let (budget, now, call) = (AppleBudget(store: world.store), world.clock.now(), Self.call(in: scope))
            #expect(try await budget.take(call, at: now) == nil)
            let until = now.adding(.minutes(3))
            try await budget.block(call.name, until: until, ceiling: call.callsPerHour, at: now)
            #expect(try await budget.take(call, at: now) == until)
        }
    }
}
