import AppStoreWire
import Backend
import Crypto
import Ledger
import Primitives
import Testing

@testable import Console

/// An app that sells two plans, has a wall, signs offers, and answers Apple's questions about refunds.
enum Shop {
    static let (monthly, plain, yearly) = (
        Ledger.ProductID("plus.monthly"), Ledger.ProductID("plus.monthly.plain"), Ledger.ProductID("plus.yearly")
    )
    static let coins = Ledger.ProductID("coins.100")
    /// When the story is told.
    static let now = PretendAppStore.june.adding(.days(55)).adding(.hours(2))

    static func settings(_ settings: AppSettings) throws -> AppSettings {
        let products = [monthly, plain, yearly].map { ConsoleWorld.entry($0.rawValue) }
        var settings = AppSettings(
            id: settings.id, expected: settings.expected,
            content: SettingsContent(policy: AppPolicy(), products: products, offerings: try offerings()))
        let key = try SigningKey(
            pem: P256.Signing.PrivateKey().pemRepresentation, keyId: "2X9R4HXF34",
            issuerId: "57246542-96fe-1a63-e053-0824d011072a")
        settings.offerSigner = try OfferSigner(key: key, bundleId: settings.expected.bundleId)
        settings.apple = AppleAccess(consumption: ConsumptionSettings(consent: .customer, refundPreference: .grantProrated))
        return settings
    }

    private static func listing(_ id: Ledger.ProductID, level: Int, _ duration: String, hasTrial: Bool = false) -> ProductListing
    {
        var listing = ProductListing(productId: id, type: .autoRenewableSubscription, displayName: "The \(id)")
        var plan = ProductListing.Plan(subscriptionGroupIdentifier: "21", level: level, duration: duration)
        if hasTrial {
            plan.introductoryOffer = PlanIntroductoryOffer(kind: .freeTrial, length: "P1W")
            plan.withoutIntroductoryOffer = plain
        }
        listing.plan = plan
        return listing
    }

    private static func offerings() throws -> AppOfferings {
        let links = try #require(
            OfferingLinks(privacyPolicy: "https://a.example", terms: "https://b.example", questions: "mailto:c@example"))
        func offering(_ id: String, _ products: [Ledger.ProductID]) -> Offering {
            Offering(id: OfferingID(id), products: products, links: links)
        }
        return AppOfferings(
            products: [
                listing(monthly, level: 2, "P1M", hasTrial: true), listing(plain, level: 2, "P1M"),
                listing(yearly, level: 1, "P1Y"),
            ],
            wall: Wall(
                cohorts: [
                    Cohort(id: CohortID("china"), condition: .storefront(["CHN"]), offering: OfferingID("month")),
                    Cohort(id: CohortID("everybody"), condition: .all([]), offering: OfferingID("both")),
                ],
                offerings: [offering("month", [monthly]), offering("both", [monthly, yearly])], inAppChanges: true),
            offers: OfferDesk(
                offers: [
                    PromotionalOffer(
                        offerIdentifier: "back", productId: monthly, subscriptionGroupIdentifier: "21", audience: .former),
                    PromotionalOffer(
                        offerIdentifier: "half", productId: monthly, subscriptionGroupIdentifier: "21", timesPerCustomer: 9),
                    PromotionalOffer(offerIdentifier: "year", productId: yearly, subscriptionGroupIdentifier: "21"),
                ]))
    }

    private static func order(_ customer: CustomerID) -> Backend.OfferOrder {
        .init(
            .init(customer: customer, shown: .init(transactions: [])), productId: monthly, isByBackend: true)
    }

    private static func sign(_ offer: String, for customer: CustomerID, _ world: ConsoleWorld) async throws {
        _ = try await world.backend.signPromotionalOffer(
            offer, .v2, for: order(customer), app: ConsoleWorld.app, environment: .production)
    }

    private static func ask(_ uuid: String, about purchase: Purchase, _ world: ConsoleWorld) async throws {
        let asked = PretendAppStore.june.adding(.days(55)).adding(.hours(1))
        var notification = Notification(uuid, "CONSUMPTION_REQUEST", about: purchase.with { $0.signedDate = asked })
        notification.consumptionRequestReason = "UNINTENDED_PURCHASE"
        notification.signedDate = asked
        world.clock.set(asked)
        try await world.hear(notification)
    }

    /// Alice lapses, comes back by an offer, and wants a refund, to which she consented; Bob is offered half the price, lets it
    /// pass and is offered it again, and wants a refund of coins without any consent.
    static func play(_ world: ConsoleWorld) async throws {
        let june = PretendAppStore.june
        let first = Purchase()
        _ = try await world.claim(ConsoleWorld.alice, .purchase, first)
        world.clock.set(june.adding(.days(50)))
        try await sign("back", for: ConsoleWorld.alice, world)
        let back = first.with {
            ($0.transactionId, $0.webOrderLineItemId) = ("1002", "91002")
            ($0.purchaseDate, $0.signedDate) = (
                june.adding(.days(50)).adding(.hours(1)), june.adding(.days(50)).adding(.hours(1))
            )
            ($0.expiresDate, $0.promotionalOffer) = (june.adding(.days(80)), "back")
        }
        world.clock.set(june.adding(.days(50)).adding(.hours(1)))
        _ = try await world.claim(ConsoleWorld.alice, .purchase, back)
        let bobs = Purchase(transactionId: "2001", originalTransactionId: "2001", webOrderLineItemId: "92001").with {
            ($0.purchaseDate, $0.signedDate) = (june.adding(.days(51)), june.adding(.days(51)))
            $0.expiresDate = june.adding(.days(81))
        }
        world.clock.set(june.adding(.days(51)))
        _ = try await world.claim(ConsoleWorld.bob, .purchase, bobs)
        let coins = Purchase(transactionId: "3001", originalTransactionId: "3001", webOrderLineItemId: "93001").with {
            ($0.type, $0.expiresDate, $0.productId) = ("Consumable", nil, Shop.coins.rawValue)
            ($0.purchaseDate, $0.signedDate) = (june.adding(.days(51)), june.adding(.days(51)))
        }
        _ = try await world.claim(ConsoleWorld.bob, .purchase, coins)
        world.clock.set(june.adding(.days(52)))
        try await sign("half", for: ConsoleWorld.bob, world)
        world.clock.set(june.adding(.days(55)))
        try await sign("half", for: ConsoleWorld.bob, world)
        // What is signed at one instant has no order that is known beforehand.
        world.clock.set(june.adding(.days(55)).adding(.minutes(1)))
        _ = try await world.backend.signIntroductoryOffer(
            for: order(ConsoleWorld.bob), app: ConsoleWorld.app, environment: .production)
        _ = try await world.backend.note(
            ConsumptionKnowledge(customerConsented: true), of: TransactionID("1002"), by: ConsoleWorld.alice,
            app: ConsoleWorld.app, environment: .production)
        try await ask("00000000-0000-4000-8000-000000000011", about: back, world)
        try await ask("00000000-0000-4000-8000-000000000012", about: coins, world)
        world.clock.set(now)
    }
}

/// Runs the body with the story of the shop.
func withShop(_ body: (ConsoleWorld) async throws -> Void) async throws {
    try await withConsole(isEmpty: true, changed: Shop.settings) { world in
        try await Shop.play(world)
        try await body(world)
    }
}
