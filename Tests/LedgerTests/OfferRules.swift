import Ledger
import Primitives
import Testing

@Suite struct OfferRules {
    let now = day(2026, 6, 1)
    let second = ProductID("second.monthly")
    let offer = PromotionalOffer(offerIdentifier: "back", productId: plus, subscriptionGroupIdentifier: "g", timesPerCustomer: 2)

    private func catalogue() throws -> PlanCatalogue {
        try PlanCatalogue(
            checking: PlanCatalogueDraft(families: [
                .init(
                    subscriptionGroupIdentifier: "g",
                    products: [
                        .init(productId: plus, level: 2, duration: "P1M"), .init(productId: pro, level: 1, duration: "P1M"),
                    ]),
                .init(subscriptionGroupIdentifier: "h", products: [.init(productId: second, level: 1, duration: "P1M")]),
            ]))
    }

    private func verdict(
        _ offers: [PromotionalOffer]? = nil, states: [SubscriptionState], log: [IssuedOffer] = [], isAuthenticated: Bool = true,
        at instant: Timestamp? = nil
    ) throws -> OfferVerdict {
        let desk = OfferDesk(offers: offers ?? [offer], signaturesPerHour: 3)
        return desk.verdict(
            on: plus, offerIdentifier: "back", for: try applicant(states, log, isAuthenticated, at: instant ?? now),
            catalogue: try catalogue(), map: map)
    }

    private let map = entitlements([plus: ["access"], pro: ["access"], ProductID("second.monthly"): ["access"]])

    private func applicant(
        _ states: [SubscriptionState], _ log: [IssuedOffer], _ isAuthenticated: Bool = true, at instant: Timestamp
    ) throws -> OfferDesk.Applicant {
        let situation = CustomerSituation(
            of: .init(customer: alice), states: states, catalogue: try catalogue(), map: map, at: instant)
        let offers = OfferLog(log)
        return .init(
            situation: situation, isAuthenticated: isAuthenticated, log: offers, redemptions: offers.redemptions(in: states))
    }

    private func issued(
        _ nonce: String, to customer: CustomerID = alice, _ product: ProductID = plus, _ offer: String = "back",
        user: OfferedUser = .nobody, at issuedAt: Timestamp
    ) -> IssuedOffer {
        IssuedOffer(
            nonce: .init(nonce), customer: customer, productId: product, offerIdentifier: offer, user: user, issuedAt: issuedAt)
    }

    /// A period that names the promotional offer.
    private func redeemed(
        _ id: String, from: Timestamp, _ product: ProductID = plus, _ change: (inout TransactionFact) -> Void = { _ in }
    ) -> TransactionFact {
        transaction(id, product, from: from, to: from + .days(30)) {
            ($0.details.offerType, $0.details.offerIdentifier) = (2, "back")
            ($0.details.price, $0.details.currency) = (Milliunits(990), "EUR")
            change(&$0)
        }
    }

    private let former = owned(
        "1", by: alice,
        transaction("1", from: day(2026, 1, 1), to: day(2026, 2, 1)) {
            $0.details.subscriptionGroupIdentifier = "g"
        })

    // MARK: Who may have it

    @Test func `WALL-5 only present and former subscribers of the group may have an offer`() throws {
        #expect(try verdict(states: [former]) == .allowed)
        #expect(try verdict(states: [former], at: day(2026, 1, 10)) == .allowed)
        #expect(try verdict(states: []) == .refused(.neverSubscribed))
        let elsewhere = owned("2", by: alice, transaction("2", second, from: day(2026, 1, 1), to: day(2026, 2, 1)))
        #expect(try verdict(states: [elsewhere]) == .refused(.neverSubscribed))
        let presents = PromotionalOffer(
            offerIdentifier: "back", productId: plus, subscriptionGroupIdentifier: "g", audience: .present)
        #expect(try verdict([presents], states: [former]) == .refused(.notActive))
        let formers = PromotionalOffer(
            offerIdentifier: "back", productId: plus, subscriptionGroupIdentifier: "g", audience: .former)
        #expect(try verdict([formers], states: [former], at: day(2026, 1, 10)) == .refused(.stillActive))
    }

    @Test func `WALL-5 only for an authenticated customer, and only an existing offer`() throws {
        #expect(try verdict(states: [former], isAuthenticated: false) == .refused(.notAuthenticated))
        #expect(try verdict([], states: [former]) == .refused(.unknownOffer))
    }

    @Test func `WALL-5 redemptions are limited per customer, and within a time`() throws {
        let once = owned("1", by: alice, redeemed("1", from: day(2026, 3, 1)))
        let twice = owned("1", by: alice, redeemed("1", from: day(2026, 1, 1)), redeemed("2", from: day(2026, 3, 1)))
        #expect(try verdict(states: [once]) == .allowed)
        #expect(try verdict(states: [twice]) == .refused(.hadBefore(times: 2)))
        let windowed = PromotionalOffer(
            offerIdentifier: "back", productId: plus, subscriptionGroupIdentifier: "g", timesPerCustomer: 9,
            window: .init(times: 1, length: .days(100)))
        #expect(try verdict([windowed], states: [once]) == .refused(.hadLately(againAt: day(2026, 3, 1) + .days(100))))
        #expect(try verdict([windowed], states: [once], at: day(2026, 3, 1) + .days(100)) == .allowed)
    }

    @Test func `WALL-5 an offer of another group does not sell what the customer has (OWN-12)`() throws {
        let active = owned("2", by: alice, transaction("2", second, from: day(2026, 5, 20), to: day(2026, 6, 20)))
        #expect(try verdict(states: [former, active]) == .refused(.paidTwice))
    }

    @Test func `WALL-5 offers come in the order of preference`() throws {
        let best = PromotionalOffer(offerIdentifier: "half", productId: pro, subscriptionGroupIdentifier: "g")
        let none = PromotionalOffer(offerIdentifier: "stay", productId: pro, subscriptionGroupIdentifier: "g", audience: .present)
        let desk = OfferDesk(offers: [none, best, offer])
        let his = desk.offers(for: try applicant([former], [], at: now), catalogue: try catalogue(), map: map)
        #expect(his.map(\.offerIdentifier) == ["half", "back"])
    }

    // MARK: Signatures

    @Test func `WALL-5 a signature is valid for 24 hours, asking again gives the same, and signatures are rate limited`() throws {
        let one = issued("n1", at: now - .hours(23))
        #expect(one.validUntil == now + .hours(1))
        #expect(try verdict(states: [former], log: [one]) == .issuedBefore(one))
        #expect(try verdict(states: [former], log: [one], at: now + .hours(1)) == .allowed)
        let others = (1...3).map { issued("m\($0)", pro, "other\($0)", at: now - .minutes($0 * 10)) }
        #expect(try verdict(states: [former], log: others) == .refused(.tooOften(againAt: now - .minutes(30) + .hours(1))))
        #expect(try verdict(states: [former], log: others, at: now + .minutes(30)) == .allowed)
        #expect(OfferVerdict.refused(.tooOften(againAt: now)).isRetryable && !OfferVerdict.refused(.paidTwice).isRetryable)
    }

    @Test func `WALL-5 signatures of every kind count, and those of all customers together`() throws {
        let desk = OfferDesk(offers: [offer], signaturesPerHour: 2, signaturesPerMinute: 5)
        var his = try applicant([former], [issued("m1", pro, "other", at: now - .minutes(20))], at: now)
        func verdict() throws -> OfferVerdict {
            desk.verdict(on: plus, offerIdentifier: "back", for: his, catalogue: try catalogue(), map: map)
        }
        #expect(try verdict() == .allowed)
        his.signedBesides = [now - .minutes(50)]
        #expect(try verdict() == .refused(.tooOften(againAt: now - .minutes(50) + .hours(1))))
        his.signedBesides = [now - .hours(1)]
        #expect(try verdict() == .allowed)
        his.signedByAppLately = 4
        #expect(try verdict() == .allowed)
        his.signedByAppLately = 5
        #expect(try verdict() == .refused(.appTooOften) && verdict().isRetryable)
    }

    @Test func `WALL-5 one nonce is used once`() {
        var log = OfferLog([issued("n1", at: now)])
        let isTaken = log.record(issued("n1", to: bob, at: now + .hours(1)))
        #expect(!isTaken && log.issued.count == 1 && log.issued(to: [bob]).isEmpty)
    }

    @Test func `WALL-5 the user value signed is what the purchase will carry: any name, a UUID in lower case, or nothing`() throws
    {
        let token = try #require(AppAccountToken("A11CE000-0000-4000-8000-000000000001"))
        #expect(OfferedUser.appAccountToken(token).signedText == "a11ce000-0000-4000-8000-000000000001")
        #expect(OfferedUser.applicationUsername("Ärger & Co").signedText == "Ärger & Co")
        #expect(OfferedUser.nobody.signedText.isEmpty)
    }

    // MARK: Redemption

    @Test func `WALL-5 when its transaction arrives an offer is marked redeemed, by whom and at what price`() {
        let log = OfferLog([
            issued("n1", at: day(2026, 3, 1) - .hours(2)), issued("n2", to: bob, at: day(2026, 3, 1) - .hours(1)),
        ])
        let state = owned("1", by: alice, redeemed("1", from: day(2026, 3, 1)))
        let found = log.redemptions(in: [state])
        #expect(found.map(\.nonce?.rawValue) == ["n1"] && found.map(\.customer) == [alice])
        #expect(found.map(\.price) == [Milliunits(990)] && found.map(\.currency) == ["EUR"])
        #expect(found.map(\.redeemedDate) == [day(2026, 3, 1)])
    }

    @Test func `WALL-5 what was given up is the price without the offer less the price with it, and unknown is not 0`() throws {
        func priced(_ id: String, from: Timestamp, _ currency: String = "EUR") -> TransactionFact {
            transaction(id, from: from, to: from + .days(30)) {
                ($0.details.price, $0.details.currency) = (Milliunits(4990), currency)
            }
        }
        func found(_ currency: String = "EUR", period: String? = "P1M", _ listings: [ProductListing] = []) throws
            -> OfferRedemption
        {
            let state = owned(
                "1", by: alice, priced("1", from: day(2026, 1, 1), currency),
                redeemed("2", from: day(2026, 3, 1)) { $0.details.offerPeriod = period })
            return try #require(OfferLog().redemptions(in: [state], listings: listings).first)
        }
        var listing = ProductListing(
            productId: plus, type: .autoRenewableSubscription,
            plan: .init(subscriptionGroupIdentifier: "g", level: 1, duration: "P1M"))
        listing.prices = [.init(currency: "EUR", amount: Milliunits(5990))]
        let charged = try found(listing: listing)
        #expect(charged.regularPrice == Milliunits(4990) && charged.givenUp == Milliunits(4000))
        let listed = try found("USD", listing: listing)
        #expect(listed.regularPrice == Milliunits(5990) && listed.givenUp == Milliunits(5000))
        #expect(try found(period: "P1W", listing: listing).givenUp == nil)
        let unknown = try found("USD")
        #expect(unknown.regularPrice == nil && unknown.givenUp == nil)

        func found(_ currency: String = "EUR", period: String = "P1M", listing: ProductListing) throws -> OfferRedemption {
            try found(currency, period: period, [listing])
        }
    }

    @Test func `WALL-5 the purchase's own user value identifies the offer's customer, whoever was credited`() throws {
        let token = try #require(bobToken)
        let log = OfferLog([
            issued("n1", at: day(2026, 3, 1) - .hours(2)),
            issued("n2", to: bob, user: .applicationUsername(token.rawValue), at: day(2026, 3, 1) - .hours(3)),
        ])
        let state = owned("1", by: alice, redeemed("1", from: day(2026, 3, 1)) { $0.appAccountToken = token })
        #expect(log.redemptions(in: [state]).map(\.nonce?.rawValue) == ["n2"])
        #expect(log.redemptions(in: [state]).map(\.customer) == [alice])
    }

    @Test func `WALL-5 a row is redeemed once, an old signature never, and an offer over several renewals at its first`() {
        let log = OfferLog([issued("n1", at: day(2026, 3, 1) - .hours(24)), issued("n2", at: day(2026, 3, 1) - .hours(1))])
        let over = owned(
            "1", by: alice, redeemed("1", from: day(2026, 3, 1)),
            redeemed("2", from: day(2026, 3, 31)) { $0.transactionReason = .renewal })
        #expect(log.redemptions(in: [over]).map(\.nonce?.rawValue) == ["n2"])
        let again = owned("3", by: alice, redeemed("3", from: day(2026, 3, 1) + .hours(1)))
        #expect(log.redemptions(in: [over, again]).map(\.nonce?.rawValue) == ["n2", nil])
    }

    @Test func `WALL-5 an active customer redeems in the running period, at the price of the next renewal`() {
        let log = OfferLog([issued("n1", at: day(2026, 1, 10))])
        let state = owned(
            "1", by: alice, transaction("1", from: day(2026, 1, 1), to: day(2026, 2, 1)),
            redeemed("2", from: day(2026, 2, 1)) { $0.transactionReason = .renewal })
        #expect(log.redemptions(in: [state]).map(\.nonce?.rawValue) == ["n1"])
        #expect(log.redemptions(in: [state]).map(\.transactionId.rawValue) == ["2"])
    }

    @Test func `WALL-5 a redeemed offer is no longer outstanding`() throws {
        let row = issued("n1", at: day(2026, 3, 1) - .hours(1))
        let state = owned("1", by: alice, redeemed("1", from: day(2026, 3, 1)))
        #expect(try verdict(states: [state], log: [row], at: day(2026, 3, 1) + .hours(2)) == .allowed)
    }
}
