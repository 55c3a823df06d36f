import Backend
import HTTPTypes
import HummingbirdTesting
import Ledger
import Primitives
import Storage
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

    @Test func `the overview counts who is active, shows what came last and what Apple waits for`() async throws {
        try await withShop { world in
            try await world.application().test(.router) { client in
                let overview = try await object(.overview, client)
                let counts = try #require(overview["subscriptions"]?.object)
                // Alice's and Bob's; coins are no subscription and give nothing.
                #expect(counts["active"]?.int64 == 2 && counts["trials"]?.int64 == 0)
                let need = try row("needs", overview, where: "what", is: "consumptionRequests")
                #expect(need["count"]?.int64 == 2)
                #expect(need["deadline"]?.string == "\(PretendAppStore.june.adding(.days(55)).adding(.hours(13)))")
                let told = try #require(overview["events"]?.array).compactMap { $0.object?["toldAt"]?.string }
                #expect(told.count <= 10 && told == told.sorted(by: >) && !told.isEmpty)
                let environments = try #require(overview["notifications"]?.array).compactMap { $0.object?["environment"]?.string }
                #expect(environments == ["Production", "Sandbox"])
                // Numbers, and nobody's name.
                let viewer = try await client.open(Pages.path(.overview), as: .viewer)
                #expect(viewer.status == .ok && !viewer.text.contains("alice") && !viewer.text.contains("/subscriptions/"))
            }
        }
    }

    @Test func `a notification is found by its UUID, also from the other environment`() async throws {
        try await withShop { world in
            try await world.application().test(.router) { client in
                let uuid = "00000000-0000-4000-8000-000000000011"
                let found = try await object(.search(uuid.uppercased()), as: .support, client)
                #expect(found["notification"]?.object?["notificationUUID"]?.string == uuid.uppercased())
                let sandbox = ConsoleRoute.page(ConsolePlace(ConsoleWorld.app, .sandbox), .search(uuid)).path
                let elsewhere = try await client.open(sandbox)
                #expect(elsewhere.text.contains("Found in Production"))
                let unknown = try await client.open(Pages.path(.search("00000000-0000-4000-8000-0000000000ff")))
                #expect(unknown.text.contains("Searched in were") && !unknown.text.contains("Found in"))
            }
        }
    }

    @Test func `OWN-16 the last what-if stands on the policy's page with its age, and whose access would differ`() async throws {
        try await withConsole { world in
            // Nobody takes over what another bought: Bob would lose what he bought anew.
            let content = SettingsContent(policy: AppPolicy(onPurchase: .stay), products: [ConsoleWorld.entry("plus.monthly")])
            _ = try await world.backend.startTrial(
                "t1", of: try SettingsCoding.encode(content), from: PretendAppStore.june, app: ConsoleWorld.app)
            let loop = WorkLoop(
                store: world.store, clock: world.clock, lanes: [WorkLane(JobPerformer(backend: world.backend))], worker: "w",
                jitter: { 0.5 })
            var turns = 0
            while try await loop.runOnce() > 0 {
                turns += 1
                try #require(turns < 100, "the work does not end")
            }
            world.clock.set(world.clock.now().adding(.days(2)))
            try await world.application().test(.router) { client in
                let policy = try await object(.policy, client)
                #expect(policy["trial"]?.object?["state"]?.string == "done")
                #expect(policy["trial"]?.object?["ageMilliseconds"]?.int64 == 172_800_000)
                let bob = try row("differences", policy, where: "customer", is: "bob")
                #expect(bob["effect"]?.string == "loses" && bob["subscription"]?.string == "1001")
                #expect(try await client.open(Pages.path(.policy)).text.contains("older than a day"))
                let viewer = try await client.open(Pages.path(.policy), as: .viewer)
                #expect(viewer.status == .ok && !viewer.text.contains("bob"))
            }
        }
    }

    @Test func `a customer can be told in both languages what they may use, with the offer that they had`() async throws {
        try await withShop { world in
            try await world.application().test(.router) { client in
                let alice = try await object(.customer(ConsoleWorld.alice, .init()), as: .support, client)
                let sentence = try #require(alice["sentence"]?.object)
                // Thirty days from the purchase on, 21 July; Apple said nothing about renewal.
                #expect(sentence["en"]?.string == "You have access until 2026-08-20 00:00 UTC.")
                #expect(sentence["zh-Hans"]?.string == "您的访问权限至 2026年8月20日 00:00 UTC。")
                let offer = try row("offers", alice, where: "offer", is: "back")
                #expect(offer["state"]?.array?.compactMap(\.string).first == "redeemed")
                #expect(offer["subscription"]?.string == "1001")
                // No sum of money for a role that may see none.
                #expect(offer["givenUp"] == nil)
                let nobody = try await object(.customer(CustomerID("nobody"), .init()), client)
                #expect(nobody["sentence"]?.object?["en"]?.string?.contains("Restore Purchases") == true)
            }
        }
    }

    @Test func `the page of operations says how large the database is and which version runs`() async throws {
        try await withConsole { world in
            try await world.application().test(.router) { client in
                let server = try #require(try await object(.operations, client)["server"]?.object)
                #expect(server["version"]?.string == "1.2.3")
                // SQLite's file has whole pages, of 512 bytes at the least.
                let size = try #require(server["databaseBytes"]?.int64)
                #expect(size > 0 && size % 512 == 0)
            }
        }
    }
}
