import Backend
import Ledger
import Primitives
import Storage
import StorageSQLite
import Testing

@Suite struct `Looking through the history of a local App Store` {
    /// How many subscribe before the week (G2 names 50,000).
    private static let lives = askedSize("TENURE_LIVES_AWAY", else: 30)

    /// G2: a week in which no server lived, with purchases, renewals, refunds and cancellations.
    @Test func `RECON-2 what was told in a week without a server is known minutes after one lives, with a page for twenty`()
        async throws
    {
        try await AskingStage.play { stage in
            var keys: [SubscriptionKey] = []
            for number in 0..<Self.lives { keys.append(try await stage.buyUnheard("before\(number)")) }
            try await stage.passAway(to: AskingStage.start.adding(.hours(2)))
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
                for number in stride(from: Int(hour) % keys.count, to: keys.count, by: 158) {
                    let id = keys[number].originalTransactionId.rawValue
                    if hour % 3 == 0 { _ = try await stage.post("/subscriptions/\(id)/auto-renew", #"{"enabled":false}"#) }
                    if hour % 5 == 0 { _ = try await stage.post("/transactions/\(id)/refund", "{}") }
                }
            }
            try await stage.passAway(to: away.adding(.hours(158)))
            let before = try await stage.calls("getNotificationHistory")
            let asked = try await stage.calls("getAllSubscriptionStatuses")
            // A page holds twenty, and so many pages are allowed in a minute.
            try await stage.live(for: 3 + Int64(Self.lives) / 20 / 1500)
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
            // Eight slices, none of them full at its end; those that are divided are read a little beyond it.
            #expect(pages <= 8 + 1 + told / 20 + told / 400, "\(pages) pages for \(told) notifications")
            print("\(keys.count) subscriptions, \(told) notifications, \(pages) pages")
            #expect(try await stage.calls("getAllSubscriptionStatuses") == asked, "the sweep told of all")
            #expect(try await stage.sureUntil() >= away.adding(.hours(158)))
            #expect(try await stage.backend.prove(ProofDepth(rebuild: true)).findings == [])
        }
    }

    /// G12: a backup is restored three days later. All that Apple signed meanwhile is known again; who claimed what is not,
    /// and whoever shows it again has it.
    @Test func `RECON-7 after a backup of three days ago is restored only the claims made meanwhile are missing`() async throws {
        try await AskingSite.open(AppleAccess()) { site in
            let stage = AskingStage(at: site, server: try site.server())
            var names = (0..<20).map { "before\($0)" }
            var keys: [SubscriptionKey] = []
            for name in names { keys.append(try await stage.buy(name)) }
            try await stage.passAway(to: AskingStage.start.adding(.days(29)))
            try await stage.live(for: 2)
            let (backup, made) = (site.database + ".backup", stage.backend.now())
            try stage.store.backUp(to: backup) { _, _ in }
            // All renew meanwhile, and others buy.
            for hour in stride(from: Int64(1), through: 72, by: 1) {
                try await stage.pass(to: made.adding(.hours(hour)))
                try await stage.planner.look()
                guard hour % 6 == 0 else { continue }
                names.append("after\(hour)")
                keys.append(try await stage.buy("after\(hour)"))
            }
            try await stage.pass(to: made.adding(.hours(73)))
            let complete = try await stage.books(of: keys)
            let owners = try await stage.owners(of: keys)
            #expect(owners == names.map { CustomerID($0) })
            try stage.store.close()
            try site.restore(backup)
            let restored = AskingStage(at: site, server: try site.server())
            #expect(try await !restored.isKnown(keys[names.count - 1]), "the backup knows nothing of it")
            try await restored.live(for: 3)
            #expect(try await restored.sureUntil() >= made.adding(.hours(73)))
            #expect(try await restored.books(of: keys) == complete)
            let found = try await restored.owners(of: keys)
            #expect(Array(found[..<20]) == Array(owners[..<20]))
            #expect(found[20...].allSatisfy { $0 == nil }, "nobody signed who claimed them")
            for (key, name) in zip(keys, names).dropFirst(20) { try await restored.show(key, by: name) }
            #expect(try await restored.owners(of: keys) == owners)
            #expect(try await restored.backend.prove(ProofDepth(rebuild: true)).findings == [])
            try restored.store.close()
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
