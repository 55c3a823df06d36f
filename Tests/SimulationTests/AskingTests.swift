import Backend
import Ledger
import Primitives
import Storage
import StorageSQLite
import Testing

@Suite struct `Asking Apple in a simulation` {
    /// How many renew in silence; `make apple-full` has 1,000 (G1).
    private static let silent = askedSize("TENURE_SILENT_RENEWALS", else: 40)
    /// How many end within an hour (G7 names 20,000).
    private static let ending = askedSize("TENURE_ENDS_IN_AN_HOUR", else: 0)

    @Test func `RECON-1 silent renewals are known within half an hour, and nobody is without access meanwhile`() async throws {
        try await AskingStage.play { stage in
            let names = (0..<Self.silent).map { "c\($0)" }
            var keys: [SubscriptionKey] = []
            for name in names { keys.append(try await stage.buy(name)) }
            let end = try #require(try await stage.periods(of: keys[0]).last ?? nil)
            // Every five minutes for an hour, from before the end.
            for minute in stride(from: Int64(-5), through: 55, by: 5) {
                try await stage.pass(to: end.adding(.minutes(minute)))
                for name in names { #expect(try await stage.isActive(name).isActive, "\(name), minute \(minute)") }
                guard minute >= 30 else { continue }
                for key in keys { #expect(try await stage.periods(of: key).count == 2, "minute \(minute)") }
            }
            let reasons = try await stage.reasons(of: keys)
            #expect(reasons == [])
            let calls = try await stage.calls("getAllSubscriptionStatuses")
            #expect(calls == Self.silent, "each was asked about once")
            #expect(try await stage.calls("getTransactionHistory") == 0, "nothing was missing")
        }
    }

    @Test func `RECON-1 an answer shows the last period alone, and the history fills the gap`() async throws {
        try await AskingStage.play { stage in
            let key = try await stage.buy("anna")
            let end = try #require(try await stage.periods(of: key).last ?? nil)
            // Nothing is asked for three periods: no server lived.
            try await stage.pass(to: end.adding(.days(75)))
            #expect(try await stage.periods(of: key).count == 4)
            #expect(try await stage.calls("getTransactionHistory") == 1)
            #expect(try await stage.isActive("anna").isActive)
            let kept = try await stage.periods(of: key).count
            // The next one follows what is known.
            try await stage.pass(to: end.adding(.days(93)))
            #expect(try await stage.periods(of: key).count == kept + 1)
            #expect(try await stage.calls("getTransactionHistory") == 1)
            let report = try await stage.backend.prove(ProofDepth(rebuild: true))
            #expect(report.findings == [])
        }
    }

    @Test func `RECON-1 what has ended is known to have ended, and is not asked about again`() async throws {
        try await AskingStage.play { stage in
            let key = try await stage.buy("anna")
            let id = key.originalTransactionId.rawValue
            let end = try #require(try await stage.periods(of: key).last ?? nil)
            _ = try await stage.post("/subscriptions/\(id)/auto-renew", #"{"enabled":false}"#)
            try await stage.pass(to: end.adding(.minutes(30)))
            let answer = try await stage.isActive("anna")
            #expect(!answer.isActive && answer.endReason == .customerCanceled)
            let calls = try await stage.calls("getAllSubscriptionStatuses")
            try await stage.pass(to: end.adding(.days(3)))
            #expect(try await stage.calls("getAllSubscriptionStatuses") == calls)
        }
    }

    /// G5: Apple is away for 23 hours, in each way in which it can be.
    @Test(arguments: [#""kind":"status","status":500"#, #""kind":"html""#, #""kind":"truncated""#])
    func `ENT-12 F16 while Apple is away nobody who paid loses access, and all is known soon after it is back`(
        fault: String
    ) async throws {
        try await AskingStage.play { stage in
            let names = (0..<12).map { "c\($0)" }
            var keys: [SubscriptionKey] = []
            for name in names { keys.append(try await stage.buy(name)) }
            let end = try #require(try await stage.periods(of: keys[0]).last ?? nil)
            let (from, until) = (end.adding(.hours(-1)), end.adding(.hours(22)))
            _ = try await stage.post(
                "/faults",
                """
                {"faults":[{"face":"serverAPI",\(fault),"from":\(from.millisecondsSince1970),\
                "until":\(until.millisecondsSince1970)}]}
                """)
            for minute in stride(from: Int64(-10), to: 22 * 60, by: 5) {
                try await stage.pass(to: end.adding(.minutes(minute)))
                for name in names { #expect(try await stage.isActive(name).isActive, "\(name), minute \(minute)") }
            }
            for key in keys {
                let questions = try await stage.history(of: key).questions
                #expect(questions.allSatisfy(\.isRetryable) && !questions.isEmpty)
                // One in 35 minutes, and what failed before the host was left alone.
                #expect(questions.count <= 22 * 60 / 35 + 8, "\(questions.count) rows for 22 hours")
            }
            for minute in 0...15 as ClosedRange<Int64> { try await stage.pass(to: until.adding(.minutes(minute))) }
            var known = 0
            for key in keys { known += try await stage.periods(of: key).count == 2 ? 1 : 0 }
            #expect(known >= keys.count - 3, "all but those that tried last")
            try await stage.pass(to: until.adding(.minutes(31)))
            for key in keys { #expect(try await stage.periods(of: key).count == 2) }
            let failed = try await stage.store.work(after: 0, limit: 1000).filter {
                if case .failed = $0.state { true } else { false }
            }
            #expect(failed.isEmpty, "no attempt was lost")
        }
    }

    /// G6
    @Test func `ENT-12 a revoked key takes nothing from anybody, and all is asked with the new one`() async throws {
        try await AskingStage.play { stage in
            let keys = [try await stage.buy("anna"), try await stage.buy("berta"), try await stage.buy("carla")]
            let end = try #require(try await stage.periods(of: keys[0]).last ?? nil)
            _ = try await stage.post("/keys/KEY1/revocation", #"{"enabled":true}"#)
            for minute in stride(from: Int64(0), to: 6 * 60, by: 5) {
                try await stage.pass(to: end.adding(.minutes(minute)))
                for name in ["anna", "berta", "carla"] { #expect(try await stage.isActive(name).isActive, "minute \(minute)") }
            }
            let refused = try await stage.calls("getAllSubscriptionStatuses")
            #expect(refused <= 6 * 60 / 10 + 6, "a lane in trouble tries now and then: \(refused) calls")
            for key in keys { #expect(try await stage.history(of: key).questions.allSatisfy(\.isRetryable)) }
            _ = try await stage.post("/keys/KEY1/revocation", #"{"enabled":false}"#)
            for minute in 0...25 as ClosedRange<Int64> {
                try await stage.pass(to: end.adding(.hours(6)).adding(.minutes(minute)))
            }
            for key in keys { #expect(try await stage.periods(of: key).count == 2) }
        }
    }

    /// G7: a question each second, and more ends in an hour than that.
    @Test(.enabled(if: ending >= 8000, "needs 8,000 ends, so that some wait for longer than the leeway: TENURE_ENDS_IN_AN_HOUR"))
    func `ENT-12 RECON-8 whatever the queue of questions is, nobody loses access for it`() async throws {
        try await AskingStage.play(share: 2) { stage in
            var keys: [SubscriptionKey] = []
            for minute in 0..<60 {
                try await stage.passAway(to: AskingStage.start.adding(.minutes(Int64(minute))))
                for _ in 0..<Self.ending / 60 { keys.append(try await stage.buy("c\(keys.count)")) }
            }
            let end = try #require(try await stage.periods(of: keys[0]).last ?? nil)
            // A question each second; whoever is not asked about at the end of it was never asked about.
            let hours = Int64(Self.ending) / 3600 + 3
            var polls = 0
            for minute in stride(from: Int64(0), through: hours * 60, by: 5) {
                try await stage.pass(to: end.adding(.minutes(minute)))
                // Each is polled every hour, at another time than its neighbour.
                for number in stride(from: Int(minute / 5) % 12, to: keys.count, by: 12) {
                    polls += 1
                    #expect(try await stage.isActive("c\(number)").isActive, "c\(number), minute \(minute)")
                }
            }
            var most = 0, unasked = 0
            for key in keys {
                let questions = try await stage.history(of: key).questions
                #expect(questions.allSatisfy { $0.reason == FailedQuestion.Unasked.budget.rawValue })
                (most, unasked) = (max(most, questions.count), unasked + questions.count)
                #expect(try await stage.periods(of: key).count == 2)
            }
            let calls = try await stage.calls("getAllSubscriptionStatuses")
            print(
                "\(keys.count) ends, \(calls) questions, \(unasked) notes of not asking, at most \(most) of one, \(polls) polls")
            #expect(unasked > 0 && Int64(most) <= hours * 60 / 45 + 1)
            #expect(calls == keys.count, "each was asked about once")
        }
    }

    /// G4, G7: the limit of the endpoint is reached by somebody else with the same key.
    @Test(arguments: ["unixMilliseconds", "unixSeconds", "past", "absent"])
    func `RECON-8 F15 a 429 stops all questions until it says, and nobody loses access for it`(header: String) async throws {
        try await AskingStage.play { stage in
            let names = (0..<10).map { "c\($0)" }
            var keys: [SubscriptionKey] = []
            for name in names { keys.append(try await stage.buy(name)) }
            let end = try #require(try await stage.periods(of: keys[0]).last ?? nil)
            _ = try await stage.post("/behaviour", #"{"retryAfter":"\#(header)"}"#)
            _ = try await stage.post("/limits", #"{"endpoint":"getAllSubscriptionStatuses","perHour":2}"#)
            for minute in stride(from: Int64(0), through: 5 * 60, by: 5) {
                try await stage.pass(to: end.adding(.minutes(minute)))
                for name in names { #expect(try await stage.isActive(name).isActive, "\(name), minute \(minute)") }
            }
            let reasons = try await stage.reasons(of: keys)
            #expect(reasons.allSatisfy { $0 == FailedQuestion.Unasked.budget.rawValue } && !reasons.isEmpty)
            if header.hasPrefix("unix") {
                let early = try await stage.earlyCalls("getAllSubscriptionStatuses")
                #expect(early <= 12, "only those on their way when one was refused: \(early)")
            }
        }
    }
}
