import Backend
import Ledger
import Primitives
import Storage
import Testing

@Suite struct `Looking through the history of a local App Store` {
    /// G2 in small: a week in which no server lived, with purchases, renewals, refunds and cancellations.
    @Test func `RECON-2 what was told in a week without a server is known minutes after one lives, with a page for twenty`()
        async throws
    {
        try await AskingStage.play { stage in
            var keys: [SubscriptionKey] = []
            for number in 0..<30 { keys.append(try await stage.buyUnheard("before\(number)")) }
            try await stage.passAway(to: AskingStage.start.adding(.minutes(10)))
            try await stage.live(for: 2)
            let start = stage.backend.now()
            // Nobody refused them: Apple had no URL. What came before the first server is not sure, and an import's.
            for key in keys { #expect(try await !stage.isKnown(key)) }
            // They renew within the week in which no server lives; others buy, stop and are refunded.
            try await stage.passAway(to: start.adding(.days(25)))
            try await stage.live(for: 3)
            let away = stage.backend.now()
            for hour in stride(from: Int64(0), to: 158, by: 2) {
                try await stage.passAway(to: away.adding(.hours(hour)))
                keys.append(try await stage.buyUnheard("away\(hour)"))
                let id = keys[Int(hour) % keys.count].originalTransactionId.rawValue
                if hour % 3 == 0 { _ = try await stage.post("/subscriptions/\(id)/auto-renew", #"{"enabled":false}"#) }
                if hour % 5 == 0 { _ = try await stage.post("/transactions/\(id)/refund", "{}") }
            }
            try await stage.passAway(to: away.adding(.hours(158)))
            let before = try await stage.calls("getNotificationHistory")
            let asked = try await stage.calls("getAllSubscriptionStatuses")
            try await stage.live(for: 3)
            var told: Int64 = 0
            for key in keys {
                #expect(try await stage.isKnown(key))
                let (shown, history) = (try await stage.shown(key), try await stage.history(of: key))
                told += Int64(history.notices.count)
                let last = try await stage.lastTransaction(of: key)
                #expect(last?.expiresDate == shown.expires)
                #expect(last?.revocation?.revocationDate == shown.revoked)
                let renewal = history.renewals.max { $0.signedDate < $1.signedDate }
                #expect(renewal?.autoRenewStatus == shown.autoRenews)
            }
            let pages = try await stage.calls("getNotificationHistory") - before
            // Eight slices, none of them full at its end; and one look for failures.
            #expect(pages <= 8 + 1 + told / 20, "\(pages) pages for \(told) notifications")
            #expect(try await stage.calls("getAllSubscriptionStatuses") == asked, "the sweep told of all")
            #expect(try await stage.sureUntil() >= away.adding(.hours(158)))
            #expect(try await stage.backend.prove(ProofDepth(rebuild: true)).findings == [])
        }
    }

    /// What the server's absence cost: nobody who paid is told that he has no access once a server lives again, though neither
    /// the sweep nor a question has told of his renewal yet.
    @Test func `ENT-12 whose period ended while no server lived has access from the first minute on`() async throws {
        try await AskingStage.play { stage in
            let names = (0..<20).map { "c\($0)" }
            var keys: [SubscriptionKey] = []
            for name in names { keys.append(try await stage.buy(name)) }
            try await stage.live(for: 2)
            let end = try #require(try await stage.periods(of: keys[0]).last ?? nil)
            try await stage.passAway(to: end.adding(.minutes(-30)))
            try await stage.live(for: 2)
            // Apple cannot be asked in the first hour after the servers are back, so that nothing tells of the renewals.
            let back = end.adding(.hours(3))
            _ = try await stage.post(
                "/faults",
                """
                {"faults":[{"face":"serverAPI","kind":"status","status":500,"from":\(end.millisecondsSince1970),\
                "until":\(back.adding(.hours(1)).millisecondsSince1970)}]}
                """)
            try await stage.passAway(to: back)
            for minute in 0..<90 as Range<Int64> {
                if minute > 0 { try await stage.passAway(to: back.adding(.minutes(minute))) }
                try await stage.planner.look()
                try await stage.work()
                for name in names { #expect(try await stage.isActive(name).isActive, "\(name), minute \(minute)") }
            }
            for key in keys { #expect(try await stage.periods(of: key).count == 2) }
            #expect(try await stage.sureUntil() >= back)
        }
    }
}
