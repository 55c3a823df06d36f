import Foundation
import Ledger
import Primitives
import Storage
import Testing

@testable import Backend

/// Random lives of which Apple tells before the device does, and servers whose clocks are wrong.
@Suite struct `Order of arrival and clocks` {
    /// `make apple-full` runs F13 with 5,000 lives and F14 200 times.
    private static func size(_ name: String, usually: Int) -> ClosedRange<UInt64> {
        1...UInt64(max(1, ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? usually))
    }

    /// What Apple tells of one subscription, in its order: a purchase, renewals, perhaps a refund of one of them.
    private static func life(_ id: String, _ chance: inout SplitMix64) -> [Notification] {
        let first = Purchase().with { ($0.originalTransactionId, $0.transactionId, $0.webOrderLineItemId) = (id, id, "9\(id)") }
        var purchases = [first]
        for number in 1...Int64.random(in: 1...3, using: &chance) {
            purchases.append(
                first.renewed(number).with {
                    $0.transactionId = "\(id)\(number)"
                    $0.signedDate = $0.purchaseDate
                })
        }
        var told = purchases.enumerated().map { index, purchase in
            Notification("\(id)-\(index)", index == 0 ? "SUBSCRIBED" : "DID_RENEW", about: purchase)
        }
        if Bool.random(using: &chance), var refunded = purchases.randomElement(using: &chance) {
            let at = refunded.purchaseDate.adding(.hours(Int64.random(in: 1...500, using: &chance)))
            (refunded.revocationDate, refunded.signedDate) = (at, at)
            told.append(Notification("\(id)-r", "REFUND", about: refunded))
        }
        return told
    }

    private func instants() -> [Timestamp] {
        (0..<40).map { PretendAppStore.june.adding(.days(4 * Int64($0))).adding(.minutes(1)) }
    }

    private func access(of customer: CustomerID, _ world: World) async throws -> [Bool] {
        var answers: [Bool] = []
        for instant in instants() {
            let answer = try await world.backend.entitlements(
                of: customer, app: World.app, environment: .production, at: instant)
            answers.append(answer.overall.isActive)
        }
        return answers
    }

    @Test
    func `OWN-1 F13 what Apple tells before the device uploads is kept, owned by nobody, and then the uploader's from the start`()
        async throws
    {
        try await withWorld { world in
            for seed in Self.size("TENURE_EARLY_NOTICES", usually: 25) {
                var chance = SplitMix64(state: seed)
                let (early, late) = ("\(10_000 + seed)1", "\(10_000 + seed)2")
                let told = Self.life(early, &chance)
                chance = SplitMix64(state: seed)
                let same = Self.life(late, &chance)
                let (anna, berta) = (CustomerID("anna\(seed)"), CustomerID("berta\(seed)"))
                let shown = try #require(told.first?.purchase)
                let before = Int.random(in: 1...told.count, using: &chance)
                func receive(_ notifications: some Sequence<Notification>) async throws {
                    for notification in notifications {
                        world.clock.set(max(world.clock.now(), notification.signedDate))
                        #expect(try await world.receive(notification) == .applied, "seed \(seed)")
                    }
                }
                world.clock.set(PretendAppStore.june)
                try await receive(told.prefix(before))
                world.clock.set(world.clock.now().adding(.hours(Int64.random(in: 0...72, using: &chance))))
                let waiting = try #require(try await world.store.subscription(World.key(early)))
                #expect(waiting.state.tenures.allSatisfy { $0.customer == nil }, "seed \(seed)")
                _ = try await world.claim(anna, .purchase, shown)
                try await receive(told.dropFirst(before))
                world.clock.set(PretendAppStore.june)
                _ = try await world.claim(berta, .purchase, try #require(same.first?.purchase))
                try await receive(same)
                world.clock.set(try #require(instants().last))
                let access = try await access(of: anna, world)
                #expect(try await access == self.access(of: berta, world), "seed \(seed)")
                let kept = try #require(try await world.store.subscription(World.key(early)))
                #expect(kept.state.tenures.first?.customer == anna, "seed \(seed)")
                #expect(kept.state.tenures.first?.from == shown.purchaseDate, "seed \(seed)")
                #expect(kept.history.notices.count == told.count, "seed \(seed)")
            }
        }
    }

    /// Two servers ten minutes apart; now and then a clock jumps, by a second or by a year.
    @Test func `RECON-1 F14 clocks that jump lose no fact and tell nothing twice`() async throws {
        for seed in Self.size("TENURE_CLOCK_RUNS", usually: 6) {
            try await withWorld { world in
                var chance = SplitMix64(state: seed)
                let ahead = StandingClock(world.clock.now())
                let other = Backend(
                    store: world.store, verifier: world.apple.verifier, apps: Array(world.backend.apps.values), clock: ahead)
                let told = Self.life("1001", &chance)
                _ = try await world.claim(World.alice, .purchase, try #require(told.first?.purchase))
                let jumps = [Milliseconds.seconds(1), .minutes(10), .hours(5), .days(40), .days(365)]
                for notification in told {
                    for (backend, clock, skew) in [(world.backend, world.clock, Int64(0)), (other, ahead, 10)] {
                        var now = notification.signedDate.adding(.minutes(1 + skew))
                        if Int.random(in: 0..<3, using: &chance) == 0, let jump = jumps.randomElement(using: &chance) {
                            now = now.adding(Bool.random(using: &chance) ? jump : Milliseconds(-jump.count))
                        }
                        clock.set(now)
                        do {
                            _ = try await backend.receiveNotification(try world.apple.body(notification), app: World.app)
                        } catch is BackendError {
                            // What is signed in the future, by a clock that went back, is refused; Apple tells again.
                        }
                        let loop = WorkLoop(
                            store: world.store, clock: clock, lanes: [WorkLane(TellingPerformer(backend: backend))],
                            worker: "w\(skew)", pauses: .patient, jitter: { 0.5 })
                        while try await loop.runOnce() > 0 {}
                    }
                }
                world.clock.set(PretendAppStore.june.adding(.days(400)))
                for notification in told { _ = try await world.receive(notification) }
                let known = try #require(try await world.store.subscription(World.key()))
                #expect(known.history.notices.count == told.count, "seed \(seed)")
                let loop = WorkLoop(
                    store: world.store, clock: world.clock, lanes: [WorkLane(TellingPerformer(backend: world.backend))],
                    worker: "last", pauses: .patient, jitter: { 0.5 })
                while try await loop.runOnce() > 0 {}
                let events = try await world.store.outbox(after: 0, limit: 1000).compactMap(\.event)
                for kind in [LedgerEvent.Kind.subscriptionRenewed, .subscriptionExpired, .accessEnded] {
                    let instants = events.filter { $0.kind == kind }.map(\.effectiveAt)
                    #expect(Set(instants).count == instants.count, "seed \(seed): \(kind) at \(instants)")
                }
            }
        }
    }
}
