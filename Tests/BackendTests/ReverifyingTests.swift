import AppStoreWire
import Foundation
import Ledger
import Primitives
import Storage
import Testing

@testable import Backend

/// Subscriptions whose receipt is sent to Apple once more when their period is over.
@Suite struct `Receipts that are verified again` {
    private static let end = PretendAppStore.june.adding(.days(30))
    private static let asked = end.adding(.minutes(21))

    /// Alice shows an app receipt with a month from 1 June, and the time is some minutes after its end.
    private func shown(_ asking: ReceiptWorld) async throws -> [UInt8] {
        let receipt = try asking.world.apple.receipt(of: ["1001"])
        let results = try await asking.show(Data(receipt).base64EncodedString()).judged
        #expect(results.map(\.outcome) == [.bound])
        asking.world.clock.set(Self.asked)
        return receipt
    }

    @Test(arguments: [true, false])
    func `RECON-3 a subscription that is over is asked about with its newest receipt, where there is no key or it does not help`(
        hasKey: Bool
    ) async throws {
        try await withWorld { world in
            let asking = try ReceiptWorld(world, hasKey: hasKey)
            let receipt = try await shown(asking)
            asking.apple.reply([.body(OldReceipt.answer(toAppReceiptOf: "1001", months: [0, 1], requested: Self.asked))])
            try await asking.work()
            #expect(asking.apple.receipts == [StrictBase64.encodePadded(receipt)])
            #expect(asking.apple.asked == [.init(host: .production, password: ReceiptWorld.secrets[0])])
            #expect(asking.apple.statuses == (hasKey ? 1 : 0))
            let state = try #require(try await world.store.subscription(World.key())).state
            #expect(state.periods.map(\.end) == [Self.end, Self.end.adding(.days(30))])
            #expect(try await asking.questions().isEmpty)
            world.clock.set(Self.end.adding(.days(29)))
            #expect(try await asking.isActive())
        }
    }

    @Test func `RECON-3 what Apple gave as the latest receipt is the one that is sent the next time`() async throws {
        try await withWorld { world in
            let asking = try ReceiptWorld(world, hasKey: false)
            let latest = try OldReceipt.text("1001")
            _ = try await asking.show(latest)
            asking.apple.reply([.body(OldReceipt.answer(latestReceipt: "bGF0ZXN0"))])
            try await asking.work()
            world.clock.set(Self.asked)
            asking.apple.reply([.body(OldReceipt.answer(renewed: 1, latestReceipt: "bGF0ZXI="))])
            try await asking.work()
            #expect(asking.apple.receipts == [latest, "bGF0ZXN0"])
            world.clock.set(Self.asked.adding(.days(30)))
            asking.apple.reply([.body(OldReceipt.answer(renewed: 2, latestReceipt: "bGF0ZXI="))])
            try await asking.work()
            #expect(asking.apple.receipts.last == "bGF0ZXI=")
            #expect(try await asking.isActive())
        }
    }

    @Test func `RECON-6 of a receipt that is proved, and all of which is over, Apple is asked at once`() async throws {
        try await withWorld { world in
            let asking = try ReceiptWorld(world, hasKey: false)
            let text = Data(try world.apple.receipt(of: ["1001"])).base64EncodedString()
            let now = Self.end.adding(.days(35))
            world.clock.set(now)
            guard case .waits(let results, let meanwhile) = try await asking.show(text) else {
                Issue.record("it is over")
                return
            }
            #expect(results.map(\.outcome) == [.bound] && meanwhile?.answer.overall.isActive == false)
            asking.apple.reply([.body(OldReceipt.answer(toAppReceiptOf: "1001", months: [0, 1, 2], requested: now))])
            try await asking.work()
            #expect(asking.apple.asked.count == 1)
            #expect(try await asking.isActive())
            #expect(try await asking.show(text).judged.map(\.outcome) == [.alreadyOwner])
            // An app of which Apple is never asked has nothing to wait for.
            world.clock.set(now.adding(.days(100)))
            #expect(try await world.backend.claim(receipt: text, by: World.alice, .restore, app: World.app).waits == false)
        }
    }

    @Test func `RECON-6 what has ended for good is not waited for`() async throws {
        try await withWorld { world in
            let asking = try ReceiptWorld(world, hasKey: false)
            let text = Data(try world.apple.receipt(of: ["1001"])).base64EncodedString()
            world.clock.set(Self.end.adding(.days(35)))
            #expect(try await asking.show(text).waits)
            asking.apple.reply([
                .body(OldReceipt.answer(toAppReceiptOf: "1001", months: [0], requested: world.clock.now(), autoRenewStatus: 0))
            ])
            try await asking.work()
            #expect(try await asking.show(text).waits == false)
        }
    }

    @Test func `RECON-3 an answer that says nothing new is a question in vain, and the next one is named`() async throws {
        try await withWorld { world in
            let asking = try ReceiptWorld(world, hasKey: false)
            _ = try await shown(asking)
            asking.apple.reply([
                .body(OldReceipt.answer(toAppReceiptOf: "1001", months: [0], requested: Self.asked, autoRenewStatus: nil))
            ])
            try await asking.work()
            #expect(try await asking.questions().map(\.reason) == ["answer.nothingNew"])
            #expect(try await asking.due() == [Self.asked.adding(.minutes(1))])
            #expect(try await asking.isActive())
        }
    }

    @Test func `RECON-3 that it was turned off ends it at once`() async throws {
        try await withWorld { world in
            let asking = try ReceiptWorld(world, hasKey: false)
            _ = try await shown(asking)
            #expect(try await asking.isActive(), "the leeway")
            asking.apple.reply([
                .body(OldReceipt.answer(toAppReceiptOf: "1001", months: [0], requested: Self.asked, autoRenewStatus: 0))
            ])
            try await asking.work()
            #expect(try await asking.isActive() == false)
            #expect(try await asking.due() == [])
        }
    }

    @Test func `FACT-7 only a receipt that Apple calls useless ends the questions`() async throws {
        let cases: [(ScriptedReceipts.Reply, String, Bool)] = [
            (.status(21003), "receipt.21003", false), (.body(#"{"status":21199,"is-retryable":"0"}"#), "receipt.21199", false),
            (.body(#"{"status":21199,"is-retryable":1}"#), "receipt.21199", true), (.status(21002), "receipt.21002", true),
            (.status(21010), "receipt.21010", true), (.status(21007), "receipt.21008", true),
            (.http(200, "<html>"), "receipt.notAnAnswer", true), (.http(500, ""), "receipt.http", true),
            (.failure(AppleFailure(.host, code: "network.readTimeout")), "network.readTimeout", true),
            (.body(OldReceipt.answer().replacing("com.example.app", with: "com.example.other")), "answer.wrongBundleId", true),
        ]
        for (reply, reason, isRetryable) in cases {
            try await withWorld { world in
                let asking = try ReceiptWorld(world)
                _ = try await shown(asking)
                asking.apple.reply([reply, .status(21008)])
                try await asking.work()
                #expect(
                    try await asking.questions() == [
                        FailedQuestion(askedAt: Self.asked, reason: reason, isRetryable: isRetryable)
                    ], "\(reason)")
                #expect(try await asking.due().isEmpty == !isRetryable, "\(reason)")
                // The leeway of an hour is over; a question that failed prolongs it by another one.
                world.clock.set(Self.end.adding(.minutes(70)))
                #expect(try await asking.isActive() == isRetryable, "\(reason)")
            }
        }
    }

    @Test func `ENT-12 a receipt that cannot be asked about is noted before the leeway ends`() async throws {
        try await withWorld { world in
            let asking = try ReceiptWorld(world, hasKey: false)
            _ = try await shown(asking)
            let due = try #require(try await asking.due().first)
            asking.apple.close(until: Self.end.adding(.hours(9)))
            world.clock.set(due.adding(.minutes(24)))
            try await asking.work()
            #expect(try await asking.questions() == [])
            world.clock.set(due.adding(.minutes(25)))
            try await asking.work()
            #expect(try await asking.questions().map(\.reason) == ["notAsked.unavailable"])
            #expect(try await asking.isActive() && asking.apple.asked.isEmpty)
        }
    }

    @Test func `ENT-12 in an app without a key, what no receipt proves is as in an app that asks nothing`() async throws {
        try await withWorld { world in
            let asking = try ReceiptWorld(world, hasKey: false)
            _ = try await world.claim(World.alice)
            for minute in [21, 50, 59] as [Int64] {
                world.clock.set(Self.end.adding(.minutes(minute)))
                try await asking.work()
                #expect(try await asking.isActive(), "the leeway")
            }
            world.clock.set(Self.end.adding(.hours(30)))
            try await asking.work()
            #expect(try await asking.questions() == [])
            #expect(try await asking.isActive() == false)
            #expect(try await asking.due().count == 1, "the question stands in the queue")
            #expect(asking.apple.asked.isEmpty && asking.apple.statuses == 0)
        }
    }
}
