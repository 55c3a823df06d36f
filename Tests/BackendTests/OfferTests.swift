import AppStoreWire
import Crypto
import Foundation
import Ledger
import Primitives
import Storage
import Testing

@testable import Backend

/// Which offers are signed for whom, and what becomes of them (WALL-5, WALL-6).
@Suite struct `Offers that are signed` {
    /// `make api-full` makes a million of them.
    private static let nonces = ProcessInfo.processInfo.environment["TENURE_NONCES"].flatMap(Int.init) ?? 20_000

    @Test func `T22 no nonce is made twice, and each is a UUID of version 4`() async {
        let mint = TokenMint(SystemRandomNumberGenerator())
        var seen: Set<String> = []
        for _ in 0..<Self.nonces / 1000 {
            await Task.yield()
            for _ in 0..<1000 { seen.insert(mint.mint().rawValue) }
        }
        #expect(seen.count == Self.nonces / 1000 * 1000)
        #expect(seen.allSatisfy { $0.utf8.count == 36 && Array($0.utf8)[14] == UInt8(ascii: "4") })
    }

    private static let plus = Ledger.ProductID("plus.monthly")
    private static let token = "a11ce000-0000-4000-8000-000000000001"

    private static func offerings(perHour: Int, perMinute: Int) -> AppOfferings {
        var listing = ProductListing(productId: plus, type: .autoRenewableSubscription)
        listing.plan = ProductListing.Plan(subscriptionGroupIdentifier: "21", level: 1, duration: "P1M")
        listing.plan?.introductoryOffer = PlanIntroductoryOffer(kind: .freeTrial, length: "P1W")
        return AppOfferings(
            products: [listing],
            offers: OfferDesk(
                offers: [
                    PromotionalOffer(
                        offerIdentifier: "back", productId: plus, subscriptionGroupIdentifier: "21", audience: .former),
                    PromotionalOffer(
                        offerIdentifier: "half", productId: plus, subscriptionGroupIdentifier: "21", timesPerCustomer: 9),
                ], signaturesPerHour: perHour, signaturesPerMinute: perMinute))
    }

    /// A world with a key that signs.
    private struct Desk {
        let world: World
        let backend: Backend

        func buy(_ purchase: Purchase, by customer: CustomerID) async throws {
            let upload = Backend.Upload(
                customer: customer, kind: .purchase, productId: nil, signedTransactionInfo: try world.apple.sign(purchase),
                signedRenewalInfo: nil)
            _ = try await backend.claim(upload, app: World.app)
        }

        func order(_ customer: CustomerID, showing shown: [String] = [], isByBackend: Bool = false) -> Backend.OfferOrder {
            .init(
                .init(customer: customer, shown: .init(transactions: shown)), productId: `Offers that are signed`.plus,
                isByBackend: isByBackend)
        }

        func sign(
            _ offer: String = "back", _ form: Backend.OfferForm = .v2, for customer: CustomerID = World.alice,
            isByBackend: Bool = false, in environment: Primitives.Environment = .production
        ) async throws -> Backend.SignedOffer {
            try await backend.signPromotionalOffer(
                offer, form, for: order(customer, isByBackend: isByBackend), app: World.app, environment: environment)
        }

        func history(of customer: CustomerID = World.alice) async throws -> Backend.OfferHistory {
            try await backend.offerHistory(of: customer, app: World.app, environment: .production)
        }
    }

    private func withDesk(
        perHour: Int = 10, perMinute: Int = 600, expected: ExpectedApp = World.productionOnly,
        sandboxAccess: SandboxAccess = .testers([]), _ body: (Desk) async throws -> Void
    ) async throws {
        try await withWorld { world in
            let entry = EntitlementMap.Entry(
                productId: Self.plus, validFrom: Timestamp(millisecondsSince1970: 0), entitlements: [EntitlementID("plus")])
            var settings = AppSettings(
                id: World.app, expected: expected,
                content: SettingsContent(
                    policy: AppPolicy(), products: [entry],
                    offerings: Self.offerings(perHour: perHour, perMinute: perMinute)),
                sandboxAccess: sandboxAccess)
            let key = try SigningKey(
                pem: P256.Signing.PrivateKey().pemRepresentation, keyId: "2X9R4HXF34",
                issuerId: "57246542-96fe-1a63-e053-0824d011072a")
            settings.offerSigner = try OfferSigner(key: key, bundleId: expected.bundleId)
            let backend = Backend(
                store: world.store, verifier: world.apple.verifier, apps: [settings], clock: world.clock)
            try await body(Desk(world: world, backend: backend))
        }
    }

    private func lapsed(_ desk: Desk, _ customer: CustomerID = World.alice) async throws {
        try await desk.buy(Purchase(), by: customer)
        desk.world.clock.set(PretendAppStore.june.adding(.days(50)))
    }

    private func claims(_ signed: Backend.SignedOffer) throws -> String {
        guard case .jws(let jws) = signed.proof else { throw NotSigned() }
        let part = try #require(jws.split(separator: ".").dropFirst().first)
        return String(decoding: try #require(StrictBase64.decodeURL(Array(part.utf8)[...])), as: UTF8.self)
    }

    private struct NotSigned: Error {}

    // MARK: Signing

    @Test func `OWN-2 no offer is signed for a customer, a token or a name that names nobody`() async throws {
        let nilUUID = "00000000-0000-0000-0000-000000000000"
        let token = try #require(AppAccountToken(nilUUID))
        let forms: [(String, Backend.OfferForm, CustomerID)] = [
            ("customer", .v2, CustomerID("null")), ("customer", .v2, CustomerID(nilUUID)),
            ("appAccountToken", .v1(.appAccountToken(token)), World.alice),
            ("applicationUsername", .v1(.applicationUsername(nilUUID)), World.alice),
            ("applicationUsername", .v1(.applicationUsername("guest")), World.alice),
        ]
        try await withDesk { desk in
            try await lapsed(desk)
            for (name, form, customer) in forms {
                do {
                    _ = try await desk.sign("back", form, for: customer, isByBackend: true)
                    Issue.record("\(form) is signed for \(customer)")
                } catch BackendError.namesNobody(let refused) {
                    #expect(refused == name)
                }
            }
            _ = try await desk.sign("back", .v1(.nobody), isByBackend: true)
        }
    }

    @Test func `WALL-5 an offer is signed for who may have it, bound to their purchase, once, and stands in the log`()
        async throws
    {
        try await withDesk { desk in
            await #expect(throws: OfferRefusal.notAllowed(.neverSubscribed)) { try await desk.sign() }
            try await desk.buy(Purchase(), by: World.alice)
            await #expect(throws: OfferRefusal.notAllowed(.stillActive)) { try await desk.sign() }
            desk.world.clock.set(PretendAppStore.june.adding(.days(50)).adding(Milliseconds(700)))
            let signed = try await desk.sign()
            let claims = try claims(signed)
            #expect(claims.contains(#""aud":"promotional-offer""#) && claims.contains(#""transactionId":"1001""#), "\(claims)")
            #expect(claims.contains(#""offerIdentifier":"back""#) && claims.contains(signed.issue.nonce))
            #expect(signed.issue.issuedAt == PretendAppStore.june.adding(.days(50)), "in whole seconds, as iat is")
            #expect(signed.issue.validUntil == signed.issue.issuedAt.adding(.hours(24)))
            await #expect(throws: OfferRefusal.notAllowed(.neverSubscribed)) { try await desk.sign(for: World.bob) }
            await #expect(throws: OfferRefusal.unknownOffer(productId: Self.plus, offerIdentifier: "other")) {
                try await desk.sign("other")
            }
            let again = try await desk.sign("back", .v1(.nobody))
            #expect(again.issue.nonce == signed.issue.nonce && again.issue.issuedAt == signed.issue.issuedAt)
            #expect(again.issue.signatures == 2 && again.issue.content == .promotionalV1(offerIdentifier: "back", token: nil))
            #expect(try await desk.history().issued.map(\.nonce) == [signed.issue.nonce])
            desk.world.clock.set(signed.issue.validUntil)
            #expect(try await desk.sign().issue.nonce != signed.issue.nonce, "the first one is over")
            #expect(try desk.world.rowCounts()["issuedOffer"] == 2)
        }
    }

    @Test func `WALL-5 a device names only a token of its customer, the app's backend whatever it likes`() async throws {
        try await withDesk { desk in
            try await lapsed(desk)
            let made = Ledger.AppAccountToken(Self.token)
            let token = try #require(made)
            let form = Backend.OfferForm.v1(.appAccountToken(token))
            await #expect(throws: OfferRefusal.userOfAnother) { try await desk.sign("back", form) }
            await #expect(throws: OfferRefusal.userOfAnother) { try await desk.sign("back", .v1(.applicationUsername("bob"))) }
            await #expect(throws: OfferRefusal.userOfAnother) {
                try await desk.sign("back", .v1(.applicationUsername(Self.token)))
            }
            #expect(try await desk.history().issued.isEmpty)
            #expect(
                try await desk.sign("back", form, isByBackend: true).issue.content
                    == .promotionalV1(offerIdentifier: "back", token: token))
            try await desk.backend.register(token, for: World.alice, isMinted: false, app: World.app)
            _ = try await desk.sign("back", form)
            _ = try await desk.sign("back", .v1(.applicationUsername("alice")))
            await #expect(throws: BackendError.self) {
                try await desk.sign("back", .v1(.applicationUsername("a\u{2063}b")), isByBackend: true)
            }
        }
    }

    @Test func `WALL-5 limits per customer and of the app hold, also for many who ask at once`() async throws {
        try await withDesk(perHour: 2, perMinute: 3) { desk in
            try await lapsed(desk)
            func many(_ offers: [String], of customer: CustomerID) async -> [String] {
                await withTaskGroup(of: String?.self) { group in
                    for offer in offers {
                        group.addTask {
                            do { return try await desk.sign(offer, for: customer).issue.nonce } catch { return nil }
                        }
                    }
                    return await group.reduce(into: []) { nonces, nonce in if let nonce { nonces.append(nonce) } }
                }
            }
            #expect(Set(await many(Array(repeating: "back", count: 8), of: World.alice)).count == 1, "one offer, one nonce")
            #expect(Set(await many(Array(repeating: "half", count: 8), of: World.alice)).count == 1)
            await #expect(throws: OfferRefusal.self) {
                try await desk.backend.signIntroductoryOffer(
                    for: desk.order(World.alice), app: World.app, environment: .production)
            }
            try await desk.buy(
                Purchase().with { ($0.transactionId, $0.originalTransactionId, $0.webOrderLineItemId) = ("2", "2", "92") },
                by: World.bob)
            _ = try await desk.sign("half", for: World.bob)
            await #expect(throws: OfferRefusal.notAllowed(.appTooOften)) { try await desk.sign("back", for: World.bob) }
            desk.world.clock.set(desk.world.clock.now().adding(.minutes(2)))
            _ = try await desk.sign("back", for: World.bob)
        }
    }

    @Test func `WALL-5 FACT-4 what is bought in the Sandbox for nothing gives no signature for Production`() async throws {
        let both = ExpectedApp(
            bundleId: World.productionOnly.bundleId, appAppleId: World.productionOnly.appAppleId,
            environments: [.production, .sandbox])
        for (access, refusal) in [
            (SandboxAccess.everyone, OfferRefusal.notATester(.sandbox)), (.testers([World.alice]), nil),
        ] as [(SandboxAccess, OfferRefusal?)] {
            try await withDesk(expected: both, sandboxAccess: access) { desk in
                let old = Purchase().with { $0.environment = "Sandbox" }
                try await desk.buy(old, by: World.alice)
                desk.world.clock.set(PretendAppStore.june.adding(.days(50)))
                if let refusal {
                    await #expect(throws: refusal) { try await desk.sign(in: .sandbox) }
                } else {
                    _ = try await desk.sign(in: .sandbox)
                }
                await #expect(throws: OfferRefusal.notAllowed(.neverSubscribed)) { try await desk.sign() }
            }
        }
    }

    @Test func `WALL-6 an introductory offer is allowed or withheld for a transaction that is known or shown`() async throws {
        try await withDesk { desk in
            func sign(_ customer: CustomerID, showing shown: [String] = []) async throws -> Backend.SignedOffer {
                try await desk.backend.signIntroductoryOffer(
                    for: desk.order(customer, showing: shown), app: World.app, environment: .production)
            }
            await #expect(throws: OfferRefusal.transactionNeeded) { try await sign(World.alice) }
            let trial = Purchase().with { $0.isIntroductory = true }
            try await desk.buy(trial, by: World.alice)
            let his = try await sign(World.alice)
            #expect(his.issue.content == .introductory(isAllowed: false) && his.issue.transactionId == "1001")
            #expect(try claims(his).contains(#""allowIntroductoryOffer":false"#))
            #expect(try await sign(World.alice).issue.nonce == his.issue.nonce, "asked again")
            let shown = try await sign(World.bob, showing: [try desk.world.apple.sign(trial)])
            #expect(shown.issue.content == .introductory(isAllowed: false), "the Apple Account had it")
            let plain = Purchase().with {
                ($0.transactionId, $0.originalTransactionId, $0.webOrderLineItemId) = ("3", "3", "93")
            }
            try await desk.buy(plain, by: CustomerID("carol"))
            let first = try await sign(CustomerID("carol"))
            #expect(first.issue.content == .introductory(isAllowed: true) && first.issue.transactionId == "3")
            await #expect(throws: OfferRefusal.unknownPlan(Ledger.ProductID("x"))) {
                try await desk.backend.signIntroductoryOffer(
                    for: .init(
                        .init(customer: World.alice, shown: .init(transactions: [])), productId: .init("x"), isByBackend: true),
                    app: World.app, environment: .production)
            }
        }
    }

    // MARK: What becomes of them

    @Test func `WALL-5 the log says by whom an offer was redeemed, at what price, and what was given up`() async throws {
        try await withDesk { desk in
            try await lapsed(desk)
            let signed = try await desk.sign()
            let at = desk.world.clock.now().adding(.hours(1))
            desk.world.clock.set(at)
            let bought = Purchase().with {
                ($0.transactionId, $0.webOrderLineItemId, $0.promotionalOffer) = ("1002", "91002", "back")
                ($0.purchaseDate, $0.expiresDate, $0.signedDate) = (at, at.adding(.days(30)), at)
            }
            try await desk.buy(bought, by: World.alice)
            let history = try await desk.history()
            let redemption = try #require(history.issued.first?.redemption)
            #expect(history.issued.map(\.nonce) == [signed.issue.nonce] && history.redemptions == [redemption])
            #expect(redemption.transactionId == TransactionID("1002") && redemption.customer == World.alice)
            #expect(redemption.price == Milliunits(4990) && redemption.currency == "USD")
            #expect(redemption.regularPrice == Milliunits(9990) && redemption.givenUp == Milliunits(5000))
            let page = try await desk.backend.issuedOffers(
                app: World.app, environment: .production, after: nil, limit: 1)
            #expect(page.issued == history.issued && page.last?.nonce == signed.issue.nonce)
            let rest = try await desk.backend.issuedOffers(
                app: World.app, environment: .production, after: page.last, limit: 1)
            #expect(rest.issued.isEmpty && rest.last == nil)
            desk.world.clock.set(at.adding(.days(60)))
            await #expect(throws: OfferRefusal.notAllowed(.hadBefore(times: 1))) { try await desk.sign() }
            let report = try await desk.backend.offers(
                for: .init(customer: World.alice, shown: .init(transactions: [])), app: World.app, environment: .production)
            #expect(report.promotional.map(\.verdict) == [.refused(.hadBefore(times: 1)), .allowed])
            #expect(report.introductory.map(\.isAllowed) == [true])
        }
    }

    @Test func `WALL-5 an offer that nobody here signed is listed without a nonce`() async throws {
        try await withDesk { desk in
            try await desk.buy(Purchase().with { $0.promotionalOffer = "back" }, by: World.alice)
            let history = try await desk.history()
            #expect(history.issued.isEmpty && history.redemptions.map(\.nonce) == [nil])
            #expect(try await desk.history(of: World.bob).redemptions.isEmpty)
        }
    }
}
