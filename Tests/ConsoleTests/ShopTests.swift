import Backend
import HTTPTypes
import HummingbirdTesting
import Ledger
import Primitives
import StrictJSON
import Testing

@testable import Console

/// What the pages about offers, walls and refunds say of a story whose outcome is known beforehand.
@Suite struct `The pages of an app that sells` {
    private func object(_ page: ConsoleRoute.Page, as role: OperatorRole = .admin, _ client: any TestClientProtocol) async throws
        -> JSONObject
    {
        let answer = try await client.json(Pages.path(page), as: role)
        try #require(answer.status == .ok)
        return try #require(try JSONDocument(answer.bytes).root.object)
    }

    private func row(_ rows: String, _ object: JSONObject, where name: String, is value: String) throws -> JSONObject {
        let found = try #require(object[rows]?.array).compactMap(\.object)
        return try #require(found.first { $0[name]?.string == value })
    }

    @Test func `WALL-5 an offer that was signed is redeemed, waits or has expired, and one period was 5 dollars cheaper`()
        async throws
    {
        try await withShop { world in
            try await world.application().test(.router) { client in
                let offers = try await object(.offers, client)
                let back = try row("promotional", offers, where: "offerIdentifier", is: "back")
                #expect(["issued", "signatures", "redeemed"].allSatisfy { back[$0]?.int64 == 1 })
                #expect(back["waiting"]?.int64 == 0 && back["expired"]?.int64 == 0)
                // The story's prices: 9.99 as a rule, 4.99 by the offer.
                let money = try #require(back["givenUp"]?.array?.first { _ in true }?.object)
                #expect(money["milliunits"]?.int64 == 5000 && money["currency"]?.string == "USD")
                let half = try row("promotional", offers, where: "offerIdentifier", is: "half")
                #expect(half["issued"]?.int64 == 2 && half["redeemed"]?.int64 == 0)
                #expect(half["waiting"]?.int64 == 1 && half["expired"]?.int64 == 1)
                // The configuration's order, also of an offer that was never signed.
                let names = try #require(offers["promotional"]?.array).compactMap { $0.object?["offerIdentifier"]?.string }
                #expect(names == ["back", "half", "year"])
                let states = try #require(offers["latest"]?.array).compactMap { $0.object?["offer"]?.string }
                #expect(states == ["true", "half", "half", "back"])
            }
        }
    }

    @Test func `who sees money and no customers is not told for whom an offer was signed`() async throws {
        try await withShop { world in
            try await world.application().test(.router) { client in
                for accepted in ["text/html", "application/json"] {
                    let analyst = try await client.open(Pages.path(.offers), as: .analyst, accepting: accepted)
                    #expect(analyst.status == .ok && !analyst.text.contains("alice") && !analyst.text.contains("bob"))
                    let admin = try await client.open(Pages.path(.offers), as: .admin, accepting: accepted)
                    #expect(admin.text.contains("alice") && admin.text.contains("bob"))
                    #expect(try await client.open(Pages.path(.offers), as: .support, accepting: accepted).status == .forbidden)
                }
            }
        }
    }

    @Test func `WALL-2 WALL-3 the wall says what a customer would be shown, and opening it is opening the customer`() async throws
    {
        try await withShop { world in
            try await world.application().test(.router) { client in
                // Carol never bought: the month with its trial, since her storefront is China's.
                let view = ConsoleRoute.WallView(CustomerID("carol"), storefront: "CHN", appVersion: "3.2")
                let carol = try await object(.wall(view), as: .support, client)
                #expect(carol["wall"]?.object?["cohort"]?.string == "china")
                let month = try row("products", carol, where: "productId", is: "plus.monthly")
                let introductory = try #require(month["introductoryOffer"]?.array).map(\.string)
                #expect(introductory == ["shown", "FREE_TRIAL", "P1W"])
                // Alice has the month: nothing to buy twice, and the change to the higher level takes effect at once.
                let alice = try await object(.wall(.init(ConsoleWorld.alice)), client)
                #expect(alice["products"]?.array?.count == 0)
                #expect(alice["manage"]?.array?.map { $0.object?["originalTransactionId"]?.string } == ["1001"])
                let change = try row("changes", alice, where: "to", is: "plus.yearly")
                #expect(change["kind"]?.string == "upgrade" && change["effect"]?.string == "atOnce")
                #expect(world.door.notes.contains(.page(ConsoleWorld.place, .wall(view))))
                let viewer = try await client.open(Pages.path(.wall(view)), as: .viewer)
                #expect(viewer.status == .forbidden)
                let catalogue = try await client.open(Pages.path(.catalogue), as: .viewer)
                #expect(catalogue.status == .ok && !catalogue.text.contains("/catalogue/wall"))
            }
        }
    }

    @Test func `ABUSE-2 a question of Apple stands in the inbox with its deadline and what would be answered`() async throws {
        try await withShop { world in
            try await world.application().test(.router) { client in
                let inbox = try await object(.inbox(after: nil), as: .support, client)
                let alices = try row("consumptionRequests", inbox, where: "transactionId", is: "1002")
                #expect(alices["deadline"]?.string == "\(PretendAppStore.june.adding(.days(55)).adding(.hours(13)))")
                // Twelve hours less the one that has passed.
                #expect(alices["leftMilliseconds"]?.int64 == 39_600_000)
                let answer = try #require(alices["answer"]?.array).compactMap(\.string)
                #expect(answer.first == "report" && answer.contains("refundPreference GRANT_PRORATED"))
                let bobs = try row("consumptionRequests", inbox, where: "transactionId", is: "3001")
                #expect(bobs["answer"]?.string == "noConsent")
            }
        }
    }
}
