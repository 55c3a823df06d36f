import AppStoreWire
import Foundation
import Ledger
import Primitives
import Storage
import Testing

@testable import Backend

/// Customers who are erased, and what is kept of one (I45).
@Suite struct `What the law gives a customer` {
    /// Nothing else in the file is spelt so, and every way of writing it down has something to escape.
    private static let zoe = CustomerID(#"qzx-zoe/"é""#)
    private static let mark = Array("qzx-zoe".utf8)
    private static let anonymous = CustomerID("qzx-zoe-anonymous")

    private func ballot(_ world: World, _ id: String = "request-1") throws -> Backend.Ballot {
        try Backend.Ballot(id: id, actor: "mia", reason: "request 1", at: world.clock.now())
    }

    private func isNamed(_ world: World) throws -> Bool {
        for end in ["", "-wal"] {
            let path = world.path + end
            guard FileManager.default.fileExists(atPath: path) else { continue }
            let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            if bytes.firstRange(of: Data(Self.mark)) != nil { return true }
        }
        return false
    }

    /// She buys, renews, is granted time, says who she is in every way, and shares an Apple Account with bob.
    private func live(_ world: World) async throws {
        let app = World.app
        try await world.backend.registerDevice(of: Self.anonymous, secretDigest: Array(repeating: 7, count: 32), app: app)
        _ = try await world.claim(Self.anonymous)
        try await world.backend.identify(
            Self.anonymous, as: Self.zoe, secretDigest: Array(repeating: 7, count: 32), app: app)
        world.clock.set(PretendAppStore.june.adding(.days(31)))
        _ = try await world.claim(Self.zoe, .queue, Purchase().renewed())
        _ = try await world.claim(World.bob, .restore, Purchase().renewed())
        let made = Ledger.AppAccountToken("a11ce000-0000-4000-8000-000000000009")
        try await world.backend.register(try #require(made), for: Self.zoe, isMinted: true, app: app)
        _ = try await world.backend.vote(
            .grant(EntitlementID("plus"), TimeWindow(from: world.clock.now(), until: nil)), try ballot(world, "g"), of: Self.zoe,
            app: app, environment: .production)
        _ = try await world.backend.say(
            ["mail": "qzx-zoe@example.com"], of: Self.zoe, app: app, environment: .production)
        _ = try await world.backend.vote(
            .join(CustomerPair(CustomerID("qzx-zoe-old"), into: Self.zoe)), try ballot(world, "j"), of: Self.zoe, app: app,
            environment: .production)
        let other = Purchase().with {
            ($0.transactionId, $0.originalTransactionId, $0.webOrderLineItemId) = ("3003", "3003", "93003")
            ($0.purchaseDate, $0.expiresDate) = (world.clock.now(), world.clock.now().adding(.days(30)))
        }
        _ = try await world.claim(World.bob, .purchase, other)
        _ = try await world.claim(CustomerID("qzx-zoe-old"), .restore, other)
        world.clock.set(world.clock.now().adding(.minutes(1)))
    }

    @Test func `I45 after erasure nothing in the file names the customer, and everything is proved as before`() async throws {
        try await withWorld(policy: AppPolicy(onRestore: .ask)) { world in
            try await live(world)
            #expect(try isNamed(world))
            let before = try await world.backend.prove(ProofDepth(rebuild: true))
            #expect(before.findings == [])
            let report = try await world.backend.erase(Self.zoe, by: try ballot(world), app: World.app)
            #expect(report.pseudonyms.count == 3 && report.subscriptions == 2)
            #expect(report.pseudonyms.allSatisfy { $0.rawValue.hasPrefix("erased/") })
            #expect(try !isNamed(world), "neither the file nor its log")
            let after = try await world.backend.prove(ProofDepth(rebuild: true))
            #expect(after.findings == [] && after.auditRows > before.auditRows)
            #expect(try world.texts("SELECT customer FROM customer WHERE customer LIKE 'qzx%'").isEmpty)
        }
    }

    @Test func `I45 what was theirs is nobody's, others keep what is theirs, and the next valid claim binds`() async throws {
        try await withWorld(policy: AppPolicy(onRestore: .ask)) { world in
            try await live(world)
            let report = try await world.backend.erase(Self.zoe, by: try ballot(world), app: World.app)
            let now = world.clock.now()
            func owner(_ id: String) async throws -> CustomerID? {
                try #require(try await world.store.subscription(World.key(id))).state.owner(at: now)
            }
            #expect(try await owner("1001") == nil)
            #expect(try await owner("3003") == World.bob)
            #expect(try await !world.isActive(Self.zoe))
            #expect(try await world.isActive(World.bob))
            let events = try await world.store.events(of: World.key(), limit: 100)
            let named = events.compactMap { row -> CustomerID? in
                if case .ofSubscription(let event) = row.told { event.previousCustomer } else { nil }
            }
            #expect(named.contains { report.pseudonyms.contains($0) }, "what was told bears the pseudonym")
            await #expect(throws: CustomerRefusal.unknownCustomer(Self.zoe.rawValue)) {
                try await world.backend.erase(Self.zoe, by: try ballot(world, "again"), app: World.app)
            }
            // She comes back as somebody new.
            world.clock.set(now.adding(.hours(1)))
            #expect(try await world.claim(Self.zoe, .restore, Purchase().renewed()).outcome == .bound)
            #expect(try await world.isActive(Self.zoe))
            let export = try await world.backend.export(of: Self.zoe, app: World.app)
            #expect(export.map(\.environment) == [.production])
            #expect(try #require(export.first).report.account.inputs.isEmpty, "and nothing of before is hers")
            #expect(try await world.backend.prove(ProofDepth(rebuild: true)).findings == [])
        }
    }

    @Test func `I45 nobody can be called what stands for somebody who was erased`() async throws {
        try await withWorld { world in
            await #expect(throws: BackendError.self) { try await world.claim(CustomerID("erased/5")) }
            await #expect(throws: CustomerRefusal.unknownCustomer("alice")) {
                try await world.backend.erase(World.alice, by: try ballot(world), app: World.app)
            }
        }
    }

    @Test func `I45 an export has everything of the customer, and nothing of others`() async throws {
        try await withWorld(policy: AppPolicy(onRestore: .transfer)) { world in
            await #expect(throws: CustomerRefusal.unknownCustomer("alice")) {
                try await world.backend.export(of: World.alice, app: World.app)
            }
            _ = try await world.claim(World.alice)
            world.clock.set(PretendAppStore.june.adding(.days(2)))
            _ = try await world.claim(World.bob, .restore)
            world.clock.set(PretendAppStore.june.adding(.days(31)))
            _ = try await world.claim(World.bob, .queue, Purchase().renewed())
            func facts(_ customer: CustomerID) async throws -> [String] {
                let parts = try await world.backend.export(of: customer, app: World.app)
                return parts.flatMap(\.purchases).flatMap(\.facts.facts).compactMap {
                    if case .transaction(let line) = $0.fact { line.transactionId.rawValue } else { nil }
                }
            }
            #expect(try await facts(World.alice) == ["1001"])
            #expect(try await facts(World.bob) == ["1001-1"], "what was bought before it was his is hers")
            let hers = try #require(try await world.backend.export(of: World.alice, app: World.app).first)
            #expect(!hers.timeline.isEmpty && hers.report.customer == World.alice)
        }
    }
}
