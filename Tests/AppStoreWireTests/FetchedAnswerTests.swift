import AppStoreWire
import Primitives
import Testing

/// An answer that our own server fetched, compared with the app that asked.
@Suite struct `Fetched answers` {
    let app = ExpectedApp(bundleId: "com.example.tenure", appAppleId: 4711, environments: [.production, .sandbox])
    /// A minute after the sample's `request_date`.
    let now = World.instant(1_531_900_606_430)

    private func fetched(
        _ body: [String: Any], from host: VerifyReceiptHost = .sandbox, status: Int = 200, for other: ExpectedApp? = nil,
        at instant: Timestamp? = nil
    ) -> Result<Verified<VerifyReceiptAnswer>, FetchedAnswerRefusal> {
        VerifyReceiptOutcome(httpStatus: status, body: LegacySample.json(body), from: host)
            .fetched(for: other ?? app, at: instant ?? now)
    }

    private func refusal(_ result: Result<Verified<VerifyReceiptAnswer>, FetchedAnswerRefusal>) -> FetchedAnswerRefusal? {
        if case .failure(let refusal) = result { return refusal }
        return nil
    }

    /// The sample as Production would answer it, with the app's Apple id where given.
    private func production(adamId: Int? = nil, appItemId: Int? = nil) -> [String: Any] {
        var body = LegacySample.changing(LegacySample.answer, "environment", to: "Production")
        body = LegacySample.changing(body, "receipt", "receipt_type", to: "Production")
        body = LegacySample.changing(body, "receipt", "adam_id", to: adamId)
        return LegacySample.changing(body, "receipt", "app_item_id", to: appItemId)
    }

    @Test func `FACT-3 a fetched answer names its host, and keeps its body`() throws {
        for (host, body, name) in [
            (VerifyReceiptHost.sandbox, LegacySample.answer, "sandbox.itunes.apple.com"),
            (.production, production(adamId: 4711), "buy.itunes.apple.com"),
        ] {
            let verified = try fetched(body, from: host).get()
            #expect(verified.proof == .fetched(host: name) && verified.signer == nil)
            #expect(verified.evidence == LegacySample.json(body) && verified.environment == host.environment)
            #expect(host.url == "https://\(name)/verifyReceipt")
        }
    }

    @Test func `FACT-2 its date is the request's, else the receipt's, else its arrival`() throws {
        #expect(try fetched(LegacySample.answer).get().signedDate == World.instant(1_531_900_546_430))
        var body = LegacySample.changing(LegacySample.answer, "receipt", "request_date_ms", to: nil)
        body = LegacySample.changing(body, "receipt", "request_date", to: nil)
        #expect(try fetched(body).get().signedDate == World.instant(1_531_900_517_000))
        let old = ExpectedApp(bundleId: "com.example.old", appAppleId: 774_384_491, environments: [.production])
        #expect(try fetched(LegacySample.expired, from: .production, for: old).get().signedDate == now)
    }

    @Test func `FACT-4 an answer about another app, environment or Apple id does not count`() {
        let other = ExpectedApp(bundleId: "com.example.tenurE", appAppleId: 4711, environments: [.sandbox])
        #expect(refusal(fetched(LegacySample.answer, for: other)) == .wrongBundleId)
        let productionOnly = ExpectedApp(bundleId: "com.example.tenure", appAppleId: 4711, environments: [.production])
        #expect(refusal(fetched(LegacySample.answer, for: productionOnly)) == .wrongEnvironment)
        for (adamId, appItemId, isRefused) in [
            (4711, 4711, false), (nil, nil, false), (0, 0, false), (4711, nil, false), (4712, nil, true), (4711, 4712, true),
            (0, 4712, true),
        ] as [(Int?, Int?, Bool)] {
            let outcome = refusal(fetched(production(adamId: adamId, appItemId: appItemId), from: .production))
            #expect(outcome == (isRefused ? .wrongAppAppleId : nil))
        }
        let unnamed = ExpectedApp(bundleId: "com.example.tenure", appAppleId: nil, environments: [.production])
        #expect(refusal(fetched(production(adamId: 4711), from: .production, for: unnamed)) == .wrongAppAppleId)
        // The sample's app_item_id is 7; in the Sandbox it is not compared.
        #expect(refusal(fetched(LegacySample.answer)) == nil)
    }

    @Test func `FACT-4 a transaction receipt in an answer names the Apple id too`() {
        for (number, expected) in [(774_384_491, nil), (774_384_492, .wrongAppAppleId)] as [(Int64, FetchedAnswerRefusal?)] {
            let old = ExpectedApp(bundleId: "com.example.old", appAppleId: number, environments: [.production])
            #expect(refusal(fetched(LegacySample.expired, from: .production, for: old)) == expected)
        }
    }

    @Test func `an answer from the future does not count yet`() {
        let early = World.instant(1_531_900_546_430 - 5 * 60_000 - 1)
        #expect(refusal(fetched(LegacySample.answer, at: early)) == .dateInFuture)
        #expect(refusal(fetched(LegacySample.answer, at: early.adding(Milliseconds(1)))) == nil)
        #expect(FetchedAnswerRefusal.allCases.filter(\.isRetryable) == [.dateInFuture])
    }

    @Test(arguments: [21000, 21002, 21003, 21004, 21005, 21007, 21009, 21010, 21100, 21199, 7])
    func `FACT-7 what is not an answer is never accepted as one, even if it contains purchases`(status: Int) {
        let body = LegacySample.changing(LegacySample.answer, "status", to: status)
        #expect(refusal(fetched(body)) == .noAnswer)
    }

    @Test func `FACT-7 HTML, nothing, half an answer and another HTTP status are not answers`() {
        for bytes in [Array("<html></html>".utf8), [], Array(LegacySample.json(LegacySample.answer).dropLast(9))] {
            #expect(
                refusal(VerifyReceiptOutcome(httpStatus: 200, body: bytes, from: .sandbox).fetched(for: app, at: now))
                    == .noAnswer)
        }
        for status in [204, 404, 500, 503] { #expect(refusal(fetched(LegacySample.answer, status: status)) == .noAnswer) }
    }
}
