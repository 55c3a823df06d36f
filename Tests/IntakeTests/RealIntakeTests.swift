import AppStoreWire
import Intake
import Ledger
import Primitives
import Testing

/// What Apple itself wrote, as facts; the counts were determined with `openssl` and with a DER reader in Python.
@Suite(.needsFixtures) struct RealIntakeTests {
    private func receipt(_ name: String) async throws -> [Fact] {
        let der = try ReceiptEncoding.bytes(base64: Fixtures.bytes("real/\(name).b64")).get()
        let app = ExpectedApp(bundleId: "com.sumiapp.GridDiary", appAppleId: nil, environments: [.sandbox])
        let now = Timestamp(millisecondsSince1970: 1_784_000_000_000)
        return Intake.translate(try await AppStoreVerifier(roots: .apple).appReceipt(der, for: app, at: now).get()).map(\.fact)
    }

    @Test func `PER-8 Apple's answer about a trial is one period, a free trial that renews`() throws {
        let app = ExpectedApp(bundleId: "com.mbalib.ios.wiki", appAppleId: nil, environments: [.sandbox])
        let body = try Fixtures.bytes("mission/verifyReceipt-trial-sandbox.json")
        let answer = VerifyReceiptOutcome(httpStatus: 200, body: body, from: .sandbox)
        let now = Timestamp(millisecondsSince1970: 1_531_900_547_000)
        let facts = Intake.translate(try answer.fetched(for: app, at: now).get()).map(\.fact)
        #expect(facts.count == 2)
        let state = facts.state(of: "1000000419163890")
        let period = try #require(state.periods.first)
        #expect(state.periods.count == 1)
        #expect(period.purchaseDate.millisecondsSince1970 == 1_531_900_515_000)
        #expect(period.end?.millisecondsSince1970 == 1_531_904_115_000)
        #expect(period.transaction.details.offerType == 1 && period.transaction.details.offerDiscountType == "FREE_TRIAL")
        #expect(period.transaction.source == .latestReceiptInfo && period.transaction.webOrderLineItemId == "1000000039541410")
        #expect(period.transaction.signedDate.millisecondsSince1970 == 1_531_900_546_430)
        #expect(state.renewal?.autoRenewStatus == true)
        #expect(state.renewal?.autoRenewProductId == ProductID("com.mbalib.ios.wiki_r"))
    }

    @Test func `PER-1 of Apple's receipt with two non-consumables, one of them restored, each is one purchase`() async throws {
        let facts = try await receipt("app-receipt-griddiary")
        #expect(facts.subscriptions == ["1000000118990828", "1000000122102348"])
        for id in facts.subscriptions {
            let periods = facts.state(of: id).periods
            #expect(periods.count == 1 && periods.first?.end == nil && periods.first?.givesAccess == true)
        }
        let restored = facts.state(of: "1000000118990828").periods.first?.transaction
        #expect(restored?.details.originalPurchaseDate == Timestamp(millisecondsSince1970: 1_407_133_491_000))
    }

    @Test func `PER-1 Apple's receipt of 120 purchases is 119 periods of two subscriptions and one purchase`() async throws {
        let facts = try await receipt("app-receipt-120-purchases")
        #expect(facts.count == 120 && facts.subscriptions.count == 3)
        let states = facts.subscriptions.map(facts.state)
        #expect(states.map(\.periods.count).reduce(0, +) == 120)
        let periods = states.flatMap(\.periods)
        #expect(periods.filter { $0.end == nil }.count == 1)
        #expect(periods.filter { $0.transaction.details.offerDiscountType == "FREE_TRIAL" }.count == 1)
        // The same receipt again, with another date, contains nothing that a store must keep.
        for state in states {
            var history = SubscriptionHistory(key: state.key)
            let lines = facts.filter { $0.originalTransactionId == state.key.originalTransactionId }
            for line in lines { _ = history.record(line) }
            for var line in lines.transactions {
                line.signedDate = line.signedDate.adding(.days(30))
                #expect(history.book.repeats(line))
            }
        }
    }
}
