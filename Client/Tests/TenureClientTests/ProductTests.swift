import Foundation
import Testing

@testable import TenureClient

@Suite("DEV-5 Products, and what was chosen in the App Store")
struct ProductTests {
    private func with(first: Int, _ body: (DeviceWorld) async throws -> Void) async throws {
        let world = try DeviceWorld(first: first)
        try await body(world)
        try world.remove()
    }

    @Test func `DEV-5 an empty list of products is an error that names the five usual causes`() async throws {
        try await with(first: 70_000_000) { world in
            await world.store.sell([])
            let tenure = try world.launch()
            #expect(try await tenure.products([]) == [])
            let problem = await #expect(throws: TenureProblem.self) { try await tenure.products(["plus", "pro"]) }
            #expect(problem?.kind == .noProducts)
            for cause in ["agreement", "product state", "bundle id", "region", "StoreKit file", "plus, pro"] {
                #expect(problem?.words.contains(cause) == true, "\(cause)")
            }
        }
    }

    @Test func `products come in the order that was asked for, and those that are missing are reported`() async throws {
        try await with(first: 71_000_000) { world in
            await world.store.sell(["plus", "pro"])
            let tenure = try world.launch()
            var problems = await tenure.problems().makeAsyncIterator()
            #expect(try await tenure.products(["pro", "gone", "plus"]).map(\.id) == ["pro", "plus"])
            let problem = await problems.next()
            #expect(problem?.kind == .noProducts && problem?.words.contains("these products: gone.") == true)
        }
    }

    @Test func `a product that the store does not have leaves no purchase behind that was begun`() async throws {
        try await with(first: 72_000_000) { world in
            let tenure = try world.launch()
            try await tenure.identify("alice")
            let problem = await #expect(throws: TenureProblem.self) { _ = try await tenure.purchase("gone") }
            #expect(problem?.kind == .noProducts)
            // A transaction of that product is delivered by the store, and is not alice's purchase.
            await world.store.sell(["gone"])
            await tenure.deliver(await world.store.renew("gone"))
            #expect(await world.server.facts.values.map(\.kind) == ["queue"])
        }
    }

    @Test func `DEV-5 what was chosen in the App Store waits until the app is ready, over launches, and for a day`() async throws
    {
        try await with(first: 73_000_000) { world in
            var tenure = try world.launch()
            await tenure.promote("plus")
            await tenure.promote("plus")
            tenure = try world.launch()
            var promoted = await tenure.promoted().makeAsyncIterator()
            #expect(await promoted.next()?.productId == "plus")
            await tenure.promote("pro")
            #expect(await promoted.next()?.productId == "pro", "plus came once, though it was chosen twice")
            // Nothing was taken up: another launch is told of both.
            tenure = try world.launch()
            promoted = await tenure.promoted().makeAsyncIterator()
            #expect([await promoted.next()?.productId, await promoted.next()?.productId] == ["plus", "pro"])
            _ = try await tenure.purchase("plus")
            tenure = try world.launch()
            promoted = await tenure.promoted().makeAsyncIterator()
            #expect(await promoted.next()?.productId == "pro", "plus was bought")
            await tenure.dismissPromoted("pro")
            #expect(await tenure.promotedOnes.live(at: world.clock.read().wall).isEmpty)
            await tenure.promote("max")
            world.clock.pass(Length.day)
            tenure = try world.launch()
            await tenure.promote("new")
            promoted = await tenure.promoted().makeAsyncIterator()
            #expect(await promoted.next()?.productId == "new", "max was chosen a day ago")
        }
    }

    @Test func `start listens to what is chosen in the store, and asks the server where the store hints at a change`()
        async throws
    {
        try await with(first: 74_000_000) { world in
            let tenure = try world.launch()
            await tenure.start()
            var promoted = await tenure.promoted().makeAsyncIterator()
            world.store.promoter.yield("plus")
            #expect(await promoted.next()?.productId == "plus")
            try await tenure.identify("alice")
            var changes = await tenure.changes().makeAsyncIterator()
            #expect(await changes.next()?.isActive == false)
            await world.server.give("alice", until: world.clock.truth + Length.day)
            world.store.hinter.yield()
            // The source of an answer changes, too: the window, then the server.
            var isActive = false
            for _ in 0..<3 where !isActive { isActive = await changes.next()?.isActive == true }
            #expect(isActive)
            await tenure.stop()
        }
    }
}
