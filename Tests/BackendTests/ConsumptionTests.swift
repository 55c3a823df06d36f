import AppStoreWire
import Ledger
import Primitives
import Storage
import Testing

@testable import Backend

@Suite struct `Apple's questions of what became of a purchase` {
    private static let endpoint = ServerAPIEndpoint.sendConsumptionInformation

    /// A server that reports, and alice's purchase of 100 coins, about which Apple asks ten days later.
    private struct Reporting {
        static let asked = PretendAppStore.june.adding(.days(10))

        let world: World
        let backend: Backend
        let calls = ScriptedCalls()
        let desk: AppleDesk
        let purchase: Purchase

        init(_ world: World, _ consumption: ConsumptionSettings, _ change: (inout Purchase) -> Void = { _ in }) throws {
            self.world = world
            var settings = try #require(world.backend.apps[World.app])
            settings.apple = AppleAccess(consumption: consumption)
            backend = Backend(store: world.store, verifier: world.apple.verifier, apps: [settings], clock: world.clock)
            desk = AppleDesk(calls, store: world.store, apps: [settings])
            var bought = Purchase()
            (bought.type, bought.expiresDate, bought.productId) = ("Consumable", nil, "coins.100")
            change(&bought)
            purchase = bought
        }

        func buy() async throws { _ = try await world.claim(World.alice, .purchase, purchase) }

        func ask(
            _ uuid: String = "11111111-51f5-4503-b5a8-c3a1af68eb20", after delay: Milliseconds = Milliseconds(0)
        ) async throws {
            var notification = Notification(uuid, "CONSUMPTION_REQUEST", about: purchase.with { $0.signedDate = Self.asked })
            notification.consumptionRequestReason = "UNINTENDED_PURCHASE"
            notification.signedDate = Self.asked.adding(delay)
            world.clock.set(notification.signedDate)
            _ = try await world.receive(notification)
        }

        func note(_ percentage: Int64?, consent: Bool = true) async throws {
            var knowledge = ConsumptionKnowledge(customerConsented: consent)
            knowledge.consumptionPercentage = percentage
            _ = try await backend.note(
                knowledge, of: TransactionID(purchase.transactionId), by: World.alice, app: World.app, environment: .production)
        }

        /// Works until nothing is due, at an instant.
        func work(after delay: Milliseconds) async throws {
            world.clock.set(Self.asked.adding(delay))
            let loop = WorkLoop(
                store: world.store, clock: world.clock, lanes: [WorkLane(ConsumptionPerformer(backend: backend, desk: desk))],
                worker: "w", pauses: .patient, jitter: { 0.5 })
            var turns = 0
            while try await loop.runOnce() > 0 {
                turns += 1
                try #require(turns < 100, "the work does not end")
            }
        }

        func outcomes() async throws -> [String?] {
            try await backend.appleRequests(about: nil, app: World.app, environment: .production).map { $0.result?.outcome }
        }
    }

    @Test func `ABUSE-2 with the customer's consent Apple is told at once what the app's backend noted, and once`() async throws {
        try await withWorld { world in
            let reporting = try Reporting(
                world,
                ConsumptionSettings(
                    consent: .customer, refundPreference: .grantProrated, samples: [ProductID("coins.100")]))
            try await reporting.buy()
            try await reporting.note(40_000)
            try await reporting.ask()
            reporting.calls.reply(to: Self.endpoint, .json(""))
            try await reporting.work(after: .minutes(1))
            let sent = try #require(reporting.calls.sent.first)
            #expect(sent.path == "/inApps/v2/transactions/consumption/1001")
            // Apple, ConsumptionRequest: the names and values of its fields.
            for member in [
                #""customerConsented":true"#, #""consumptionPercentage":40000"#, #""deliveryStatus":"DELIVERED""#,
                #""refundPreference":"GRANT_PRORATED""#, #""sampleContentProvided":true"#,
            ] { #expect(sent.body.contains(member), "\(sent.body)") }
            #expect(try await reporting.outcomes() == ["accepted"])
            // Apple delivers the notification again.
            try await reporting.ask()
            try await reporting.work(after: .hours(3))
            #expect(reporting.calls.sent.count == 1)
        }
    }

    @Test(arguments: [ConsumptionSettings.Consent.customer, .never])
    func `ABUSE-2 without consent nothing is sent, and it is kept why`(consent: ConsumptionSettings.Consent) async throws {
        try await withWorld { world in
            let reporting = try Reporting(world, ConsumptionSettings(consent: consent))
            try await reporting.buy()
            try await reporting.ask()
            try await reporting.work(after: .minutes(1))
            // A customer may still consent.
            #expect(try await reporting.outcomes() == (consent == .never ? ["notSent.noConsent"] : []))
            try await reporting.work(after: .minutes(11 * 60 + 29))
            try await reporting.work(after: .minutes(11 * 60 + 35))
            #expect(try await reporting.outcomes() == ["notSent.noConsent"])
            #expect(reporting.calls.sent.isEmpty)
        }
    }

    @Test func `ABUSE-2 a consent that comes later is in time`() async throws {
        try await withWorld { world in
            let reporting = try Reporting(world, ConsumptionSettings(consent: .customer))
            try await reporting.buy()
            try await reporting.ask()
            try await reporting.work(after: .minutes(1))
            world.clock.set(Reporting.asked.adding(.hours(9)))
            try await reporting.note(nil)
            reporting.calls.reply(to: Self.endpoint, .json(""))
            try await reporting.work(after: .hours(10))
            #expect(try await reporting.outcomes() == ["accepted"])
        }
    }

    @Test func `ABUSE-2 an app with everybody's consent leaves its backend an hour to say what it knows`() async throws {
        try await withWorld { world in
            let reporting = try Reporting(world, ConsumptionSettings(consent: .always))
            try await reporting.buy()
            try await reporting.ask()
            reporting.calls.reply(to: Self.endpoint, .json(""))
            try await reporting.work(after: .minutes(59))
            #expect(reporting.calls.sent.isEmpty)
            try await reporting.work(after: .minutes(66))
            #expect(reporting.calls.sent.count == 1)
            #expect(try await reporting.outcomes() == ["accepted"])
        }
    }

    @Test func `ABUSE-2 Apple's bad hours are waited out, its refusal ends the matter, and after the deadline nothing is sent`()
        async throws
    {
        try await withWorld { world in
            let reporting = try Reporting(world, ConsumptionSettings(consent: .customer))
            try await reporting.buy()
            try await reporting.note(0)
            try await reporting.ask()
            reporting.calls.reply(to: Self.endpoint, .failure(AppleFailure(.host, code: "network.connectionRefused")))
            try await reporting.work(after: .minutes(1))
            #expect(try await reporting.outcomes() == [nil])
            // 4000185: a family-shared purchase.
            reporting.calls.reply(to: Self.endpoint, .failure(AppleFailure(.request, code: "apple.4000185")))
            try await reporting.work(after: .hours(2))
            #expect(try await reporting.outcomes() == ["apple.4000185"])
            // Apple asks again, and nobody is there for twelve hours.
            try await reporting.ask("22222222-51f5-4503-b5a8-c3a1af68eb20", after: .hours(3))
            try await reporting.work(after: .hours(16))
            #expect(reporting.calls.sent.count == 2)
            #expect(Set(try await reporting.outcomes()) == ["apple.4000185", "notSent.tooLate"])
        }
    }

    @Test func `ABUSE-2 after the refund nothing is sent, and of a subscription no percentage`() async throws {
        try await withWorld { world in
            let reporting = try Reporting(world, ConsumptionSettings(consent: .customer)) { purchase in
                purchase = Purchase()
            }
            try await reporting.buy()
            try await reporting.note(70_000)
            try await reporting.ask()
            reporting.calls.reply(to: Self.endpoint, .json(""))
            try await reporting.work(after: .minutes(1))
            #expect(reporting.calls.sent.first?.body.contains("consumptionPercentage") == false)
            try await reporting.ask("33333333-51f5-4503-b5a8-c3a1af68eb20", after: .hours(1))
            var refund = Notification(
                "44444444-51f5-4503-b5a8-c3a1af68eb20", "REFUND",
                about: reporting.purchase.with {
                    ($0.revocationDate, $0.signedDate) = (Reporting.asked, Reporting.asked.adding(.hours(2)))
                })
            refund.signedDate = Reporting.asked.adding(.hours(2))
            world.clock.set(refund.signedDate)
            _ = try await world.receive(refund)
            try await reporting.work(after: .hours(4))
            #expect(reporting.calls.sent.count == 1)
        }
    }
}
