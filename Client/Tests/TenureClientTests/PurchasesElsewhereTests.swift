import Foundation
import Testing

@testable import TenureClient

@Suite("DEV-1 Purchases that Apple's views make")
struct PurchasesElsewhereTests {
    private func with(first: Int, _ body: (DeviceWorld, Tenure) async throws -> Void) async throws {
        let world = try DeviceWorld(first: first)
        let tenure = try world.launch()
        try await tenure.identify("alice")
        try await body(world, tenure)
        try world.remove()
    }

    /// As something else than the client asks the store.
    private func buy(_ world: DeviceWorld, _ begun: BegunPurchase) async throws -> StorePurchase {
        try await world.store.purchase(begun.productId, appAccountToken: begun.appAccountToken)
    }

    /// How many purchases were begun and came to nothing yet.
    private func waiting(_ world: DeviceWorld, _ tenure: Tenure) async throws -> Int {
        try await tenure.intents.begun(at: world.clock.read().wall).count
    }

    @Test func `one that is begun, made elsewhere and ended is as one of the client's own`() async throws {
        try await with(first: 80_000_000) { world, tenure in
            let begun = await tenure.beginPurchase("plus")
            #expect(begun.customer == "alice" && begun.forecast?.answer == .yes)
            #expect(begun.appAccountToken == PretendServer.token(of: "alice"))
            let outcome = try await tenure.endPurchase("plus", .success(try await buy(world, begun)))
            guard case .bought(let access) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(access.isActive("plus") && access.source == .server)
            #expect(await world.server.facts["80000001"] == .init(customer: "alice", kind: "purchase"))
            #expect(await world.store.finished == ["80000001"])
            let left = try await waiting(world, tenure)
            #expect(left == 0)
        }
    }

    @Test func `Apple's view says twice that one purchase begins, at once or one after the other: it is begun once`()
        async throws
    {
        try await with(first: 81_000_000) { world, tenure in
            async let first = tenure.beginPurchase("plus")
            async let second = tenure.beginPurchase("plus")
            let both = await [first, second]
            #expect(both[0] == both[1])
            #expect(await tenure.beginPurchase("plus") == both[0])
            let one = try await waiting(world, tenure)
            #expect(one == 1)
            #expect(await world.server.asked.filter { $0.hasSuffix("intents") }.count == 1)
            _ = try await tenure.endPurchase("plus", .success(.cancelled))
            let left = try await waiting(world, tenure)
            #expect(left == 0, "nothing comes of it")
            #expect(await tenure.beginPurchase("plus") != both[0], "the next is another one")
        }
    }

    @Test func `what was begun by one customer and came to nothing is not the next one's`() async throws {
        try await with(first: 82_000_000) { world, tenure in
            let alice = await tenure.beginPurchase("plus")
            try await tenure.identify("bob")
            let bob = await tenure.beginPurchase("plus")
            #expect(bob.customer == "bob" && bob.appAccountToken == PretendServer.token(of: "bob") && bob.intent != alice.intent)
            _ = try await tenure.endPurchase("plus", .success(try await buy(world, bob)))
            #expect(await world.server.facts["82000001"] == .init(customer: "bob", kind: "purchase"))
        }
    }

    @Test func `a purchase that outlasts its buyer's login is the buyer's`() async throws {
        try await with(first: 83_000_000) { world, tenure in
            let begun = await tenure.beginPurchase("plus")
            let bought = try await buy(world, begun)
            try await tenure.identify("bob")
            guard case .waiting = try await tenure.endPurchase("plus", .success(bought)) else {
                Issue.record("nobody may upload it but alice")
                return
            }
            #expect(await world.server.facts.isEmpty)
            try await tenure.identify("alice")
            #expect(await world.server.facts["83000001"] == .init(customer: "alice", kind: "purchase"))
            #expect(await world.server.impostors.isEmpty)
        }
    }

    @Test func `the process ends between Apple's view and its answer: the transaction comes back as the buyer's purchase`()
        async throws
    {
        try await with(first: 84_000_000) { world, tenure in
            _ = try await buy(world, await tenure.beginPurchase("plus"))
            let next = try world.launch()
            await next.start()
            #expect(await world.server.facts["84000001"] == .init(customer: "alice", kind: "purchase"))
            await next.stop()
        }
    }

    @Test func `a failure of the store leaves the intent, and pending too: the purchase may come`() async throws {
        try await with(first: 85_000_000) { world, tenure in
            _ = await tenure.beginPurchase("plus")
            let problem = await #expect(throws: TenureProblem.self) {
                _ = try await tenure.endPurchase("plus", .failure(URLError(.timedOut)))
            }
            #expect(problem?.kind == .storeFailed)
            let one = try await waiting(world, tenure)
            #expect(one == 1)
            _ = await tenure.beginPurchase("pro")
            let outcome = try await tenure.endPurchase("pro", .success(.pending))
            #expect(outcome == .pending)
            let two = try await waiting(world, tenure)
            #expect(two == 2)
        }
    }

    @Test func `the server is away: the purchase bears the token that it said before`() async throws {
        try await with(first: 86_000_000) { world, tenure in
            _ = try await tenure.forecast("plus")
            await world.server.disturb { _ in throw URLError(.notConnectedToInternet) }
            let begun = await tenure.beginPurchase("plus")
            #expect(begun.forecast == nil && begun.appAccountToken == PretendServer.token(of: "alice") && begun.intent != nil)
        }
    }

    @Test func `an intent that cannot be written is a problem, and the purchase bears the token all the same`() async throws {
        try await with(first: 87_000_000) { world, tenure in
            var problems = await tenure.problems().makeAsyncIterator()
            try FileManager.default.removeItem(at: world.folder.appendingPathComponent("intents"))
            let begun = await tenure.beginPurchase("plus")
            #expect(begun.intent == nil && begun.appAccountToken == PretendServer.token(of: "alice"))
            #expect(await problems.next()?.kind == .notKept)
        }
    }

    @Test func `an answer to what was never begun here is taken as a purchase of who is the customer`() async throws {
        try await with(first: 88_000_000) { world, tenure in
            #expect(try await tenure.endPurchase("plus", .success(.cancelled)) == .cancelled)
            let bought = try await world.store.purchase("plus", appAccountToken: nil)
            _ = try await tenure.endPurchase("plus", .success(bought))
            #expect(await world.server.facts["88000001"] == .init(customer: "alice", kind: "purchase"))
        }
    }
}
