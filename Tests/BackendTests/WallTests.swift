import AppStoreWire
import Ledger
import Primitives
import Storage
import Testing

@testable import Backend

/// What is shown to whom, from what is stored of them (WALL-1…3, WALL-6).
@Suite struct `What to show to a customer` {
    private static let (monthly, plain, yearly) = (
        Ledger.ProductID("plus.monthly"), Ledger.ProductID("plus.monthly.plain"), Ledger.ProductID("plus.yearly")
    )
    private static let trial = PlanIntroductoryOffer(kind: .freeTrial, length: "P1W")

    private static func listing(_ id: Ledger.ProductID, level: Int, _ duration: String, trial: Bool = false) -> ProductListing {
        var listing = ProductListing(productId: id, type: .autoRenewableSubscription, displayName: "The \(id)")
        var plan = ProductListing.Plan(subscriptionGroupIdentifier: "21", level: level, duration: duration)
        if trial { (plan.introductoryOffer, plan.withoutIntroductoryOffer) = (Self.trial, plain) }
        listing.plan = plan
        return listing
    }

    /// Gold customers see the year alone, who lapsed sees the month, everybody else both.
    private static func offerings() throws -> AppOfferings {
        let links = try #require(
            OfferingLinks(privacyPolicy: "https://a.example", terms: "https://b.example", questions: "mailto:c@example"))
        func offering(_ id: String, _ products: [Ledger.ProductID]) -> Offering {
            Offering(id: OfferingID(id), products: products, links: links)
        }
        func cohort(_ id: String, _ condition: CohortCondition, _ offering: String) -> Cohort {
            Cohort(id: CohortID(id), condition: condition, offering: OfferingID(offering))
        }
        return AppOfferings(
            products: [
                listing(monthly, level: 2, "P1M", trial: true), listing(plain, level: 2, "P1M"), listing(yearly, level: 1, "P1Y"),
            ],
            wall: Wall(
                cohorts: [
                    cohort("gold", .attribute(name: "plan", equals: "gold"), "year"),
                    cohort("lapsed", .lapsed(group: "21", atLeast: nil, atMost: nil), "month"),
                    cohort("china", .storefront(["CHN"]), "month"), cohort("everybody", .all([]), "both"),
                ],
                offerings: [
                    offering("year", [yearly]), offering("month", [monthly]), offering("both", [monthly, yearly]),
                ], inAppChanges: true))
    }

    private func withWalls(_ body: (World, Backend) async throws -> Void) async throws {
        try await withWorld { world in
            let products = [Self.monthly, Self.plain, Self.yearly].map {
                EntitlementMap.Entry(
                    productId: $0, validFrom: Timestamp(millisecondsSince1970: 0), entitlements: [EntitlementID("plus")])
            }
            let settings = AppSettings(
                id: World.app, expected: World.productionOnly,
                content: SettingsContent(policy: AppPolicy(), products: products, offerings: try Self.offerings()))
            let backend = Backend(
                store: world.store, verifier: world.apple.verifier, apps: [settings], clock: world.clock)
            try await body(world, backend)
        }
    }

    private func wall(
        _ backend: Backend, _ customer: CustomerID, storefront: String? = nil, showing shown: [String] = []
    ) async throws -> WallAnswer {
        try await backend.wall(
            for: .init(customer: customer, storefront: storefront, appVersion: nil, shown: .init(transactions: shown)),
            app: World.app, environment: .production
        ).answer
    }

    private func buy(_ purchase: Purchase, by customer: CustomerID, _ world: World, _ backend: Backend) async throws {
        let upload = Backend.Upload(
            customer: customer, kind: .purchase, productId: nil, signedTransactionInfo: try world.apple.sign(purchase),
            signedRenewalInfo: try world.apple.sign(RenewalInfo()))
        _ = try await backend.claim(upload, app: World.app)
    }

    @Test func `WALL-1 WALL-2 a customer is shown what to buy, then how to manage and change it, then what brings them back`()
        async throws
    {
        try await withWalls { world, backend in
            let stranger = try await wall(backend, World.alice)
            #expect(stranger.cohort == CohortID("everybody") && stranger.links?.terms == "https://b.example")
            #expect(stranger.products.map(\.productId) == [Self.monthly, Self.yearly])
            #expect(stranger.products.map(\.introductoryOffer) == [.show(Self.trial), .none])
            #expect(try await wall(backend, World.alice, storefront: "CHN").products.map(\.productId) == [Self.monthly])
            try await buy(Purchase(), by: World.alice, world, backend)
            let active = try await wall(backend, World.alice)
            #expect(active.products.isEmpty && active.manage == [World.key().originalTransactionId])
            #expect(active.changes.map(\.to) == [Self.yearly] && active.changes.map(\.kind) == [.upgrade])
            world.clock.set(PretendAppStore.june.adding(.days(50)))
            let lapsed = try await wall(backend, World.alice)
            #expect(lapsed.cohort == CohortID("lapsed") && lapsed.products.map(\.productId) == [Self.monthly])
            #expect(try await wall(backend, World.bob).cohort == CohortID("everybody"))
        }
    }

    @Test func `WALL-3 an Apple Account that had the offer is shown the plan without it, whoever its customer was`() async throws
    {
        try await withWalls { world, backend in
            let trial = Purchase().with { $0.isIntroductory = true }
            try await buy(trial, by: World.alice, world, backend)
            world.clock.set(PretendAppStore.june.adding(.days(50)))
            let shown = try await wall(backend, World.bob, showing: [try world.apple.sign(trial)])
            #expect(shown.products.map(\.productId) == [Self.plain, Self.yearly])
            #expect(shown.products.map(\.introductoryOffer) == [.hide, .none])
            let other = try await wall(backend, World.bob)
            #expect(other.products.map(\.introductoryOffer) == [.show(Self.trial), .none])
            #expect(
                try await refusal { _ = try await wall(backend, World.bob, showing: ["a.b.c"]) } != nil,
                "what is not signed proves nothing")
        }
    }

    @Test func `WALL-1 what the app's backend says of a customer chooses what is shown, until it says otherwise`() async throws {
        try await withWalls { world, backend in
            func say(_ said: [String: String?], of customer: CustomerID = World.alice) async throws -> [String: String] {
                try await backend.say(said, of: customer, app: World.app, environment: .production)
            }
            #expect(try await say(["plan": "gold", "seat": "9"]) == ["plan": "gold", "seat": "9"])
            #expect(try await wall(backend, World.alice).products.map(\.productId) == [Self.yearly])
            #expect(try await wall(backend, World.bob).cohort == CohortID("everybody"))
            #expect(try await say(["plan": "gold"]) == ["plan": "gold", "seat": "9"])
            #expect(try world.rowCounts()["customerInput"] == 2, "the same again is not kept")
            // The clock of another server is behind: the last word counts all the same.
            world.clock.set(world.clock.now().adding(.minutes(-1)))
            #expect(try await say(["plan": "silver", "seat": nil]) == ["plan": "silver"])
            #expect(try await wall(backend, World.alice).cohort == CohortID("everybody"))
            let report = try await backend.prove(ProofDepth(rebuild: true))
            #expect(report.findings == [])
            let many = Dictionary(uniqueKeysWithValues: (1...49).map { ("a\($0)", Optional("x")) })
            #expect(try await say(many).count == 50)
            await #expect(throws: CustomerRefusal.tooManyAttributes(most: 50)) { try await say(["one more": "x", "seat": "1"]) }
            await #expect(throws: BackendError.self) { try await say([String(repeating: "n", count: 65): "x"]) }
            await #expect(throws: BackendError.self) { try await say(["a1": String(repeating: "v", count: 257)]) }
            #expect(try await say([:]).count == 50)
        }
    }
}
