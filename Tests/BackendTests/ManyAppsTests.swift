import AppStoreWire
import Foundation
import Ledger
import Primitives
import Storage
import Synchronization
import Testing

@testable import Backend

/// What one app, or Apple, does to the others.
@Suite struct `Apps and lanes beside each other` {
    /// How many questions of one app are due; `make apple-full` has a million (G13).
    private static let due = ProcessInfo.processInfo.environment["TENURE_DUE_QUESTIONS"].flatMap { Int($0) } ?? 3000
    private static let ofOther = 20

    private func order(_ count: Int, of app: AppID, first: Int, dueAt: Timestamp, in world: World) async throws {
        let scope = Scope(app: app, environment: .production)
        for start in stride(from: 0, to: count, by: 1000) {
            let orders = (start..<min(start + 1000, count)).map { number in
                WorkOrder(
                    scope: scope, subject: "\(first + number)", key: "ask/\(number)", kind: .askApple, body: "{}", dueAt: dueAt)
            }
            try await world.store.write { try $0.order(orders) }
        }
    }

    /// G13: counted in calls, not in time, so that a busy machine changes nothing.
    @Test func `RECON-8 an app of which a great many questions are due delays another's by a turn each, not by all of them`()
        async throws
    {
        try await withWorld { world in
            var many = try #require(world.backend.apps[World.app])
            many.apple = AppleAccess()
            var few = try #require(world.backend.apps[World.other])
            few.apple = AppleAccess()
            let backend = Backend(store: world.store, verifier: world.apple.verifier, apps: [many, few], clock: world.clock)
            let calls = ScriptedCalls()
            let desk = AppleDesk(calls, store: world.store, apps: [many, few])
            let now = world.clock.now()
            try await order(Self.due, of: World.app, first: 1_000_000, dueAt: now.adding(.minutes(-50)), in: world)
            try await order(Self.ofOther, of: World.other, first: 9_000_000, dueAt: now.adding(.minutes(-1)), in: world)
            var limits = WorkLimits()
            limits.concurrency = 4
            let loop = WorkLoop(
                store: world.store, clock: world.clock,
                lanes: [WorkLane(AskingPerformer(backend: backend, desk: desk), limits: limits)], worker: "w", pauses: .patient,
                jitter: { 0.5 })
            func isOther(_ sent: ScriptedCalls.Sent) -> Bool { sent.path.contains("/9000") }
            while calls.sent.count(where: isOther) < Self.ofOther { try #require(try await loop.runOnce() > 0) }
            let last = try #require(calls.sent.lastIndex(where: isOther))
            #expect(last < 2 * Self.ofOther + limits.concurrency, "the last of \(Self.ofOther) was call \(last + 1)")
        }
    }

    /// Apple, as one that answers nothing until it is let go.
    private final class SilentApple: AppleServer {
        private struct State {
            var waiting: [CheckedContinuation<Void, Never>] = []
            var isOver = false
        }

        private let state = Mutex(State())

        var waiting: Int { state.withLock { $0.waiting.count } }

        func letGo() {
            let waiting = state.withLock { state in
                state.isOver = true
                defer { state.waiting = [] }
                return state.waiting
            }
            for continuation in waiting { continuation.resume() }
        }

        func answer<Response>(
            to call: ServerAPICall<Response>, for app: AppID, in environment: Primitives.Environment
        ) async -> Result<ServerAPIAnswer<Response>, AppleFailure> {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if !state.isOver { state.waiting.append(continuation) }
                    return state.isOver
                }
                if isOver { continuation.resume() }
            }
            return .failure(AppleFailure(.host, code: "network.timeout"))
        }
    }

    /// G14, F39: the figures are `Tests/Peers/apple_slow.py`'s.
    @Test func `RECON-8 while Apple answers nothing, notifications are taken and all other work is done`() async throws {
        try await withWorld { world in
            var settings = try #require(world.backend.apps[World.app])
            settings.apple = AppleAccess()
            let backend = Backend(store: world.store, verifier: world.apple.verifier, apps: [settings], clock: world.clock)
            let apple = SilentApple()
            let desk = AppleDesk(apple, store: world.store, apps: [settings])
            let now = world.clock.now()
            try await order(16, of: World.app, first: 1_000_000, dueAt: now.adding(.minutes(-10)), in: world)
            var limits = WorkLimits()
            limits.concurrency = 16
            let asking = WorkLoop(
                store: world.store, clock: world.clock,
                lanes: [WorkLane(AskingPerformer(backend: backend, desk: desk), limits: limits)], worker: "asking",
                pauses: .patient, jitter: { 0.5 })
            let others = WorkLoop(
                store: world.store, clock: world.clock, lanes: [WorkLane(TellingPerformer(backend: backend))], worker: "others",
                pauses: .patient, jitter: { 0.5 })
            async let asked = asking.runOnce()
            // Also where an expectation fails: nothing else would end the questions.
            defer { apple.letGo() }
            while apple.waiting < 16 { await Task.yield() }
            for number in 0..<50 {
                let id = "\(5000 + number)"
                let purchase = Purchase().with {
                    ($0.originalTransactionId, $0.transactionId, $0.webOrderLineItemId) = (id, id, "9\(id)")
                }
                _ = try await world.receive(Notification("u\(number)", "SUBSCRIBED", about: purchase))
            }
            world.clock.set((Purchase().expiresDate ?? now).adding(.hours(2)))
            let told = try await world.store.outbox(after: 0, limit: 1000).count
            while try await others.runOnce() > 0 {}
            #expect(try await world.store.outbox(after: 0, limit: 1000).count >= told + 50, "each end was told")
            #expect(apple.waiting == 16)
            apple.letGo()
            #expect(try await asked == 16)
        }
    }
}
