import APIContract
import HTTPTypes
import HummingbirdTesting
import Ledger
import Logging
import Primitives
import Storage
import StrictJSON
import Testing

@testable import Server

@Suite struct `Lists and what a subscription rests on` {
    private static let facts = "/api/v1/apps/app/subscriptions/1001/facts"

    @Test func `FACT-6 the facts of a subscription come with the bytes that prove them, each document once`() async throws {
        try await withRouter { world, client in
            let body = try world.apple.body(Notification("u1", about: Purchase(), renewalInfo: RenewalInfo()))
            #expect(try await client.notify(body).status == .ok)
            let shown = try FactsBody(json: Array(try await client.get(Self.facts).text.utf8))
            #expect(shown.facts.map(\.kind).sorted() == ["notification", "renewal", "transaction"])
            #expect(shown.facts.allSatisfy { $0.evidence == 0 } && shown.evidence.count == 1)
            let payload = try JSONDocument(body).root.object?["signedPayload"]?.string
            #expect(shown.evidence.first?.form == "compactJWS" && shown.evidence.first?.content == payload)
            #expect(shown.facts.compactMap(\.notificationUUID) == ["u1"])
            #expect(try await client.get("/api/v1/apps/app/subscriptions/nothing/facts").code == "unknownSubscription")
        }
    }

    @Test func `a subscription shows what was told of it and what is to be done`() async throws {
        try await withRouter { world, client in
            #expect(try await client.upload(try world.uploadBody()).status == .ok)
            let shown = try SubscriptionBody(json: Array(try await client.get("/api/v1/apps/app/subscriptions/1001").text.utf8))
            #expect(shown.events.first?.kind == "subscription.started" && shown.events.first?.customer == "alice")
            #expect(shown.events.map(\.sequence) == Array(1...Int64(shown.events.count)))
            #expect(shown.work.contains { $0.state == "waiting" && $0.attempts == 0 })
        }
    }

    @Test func `OWN-9 a cursor is taken by its own list alone`() async throws {
        try await withRouter { _, client in
            let list = "/api/v1/apps/app/claims"
            let empty = try await client.get("\(list)?limit=5")
            #expect(empty.text == #"{"items":[]}"#)
            let cursor = PageCursor.encode("1001", of: "listWaitingClaims/app/Production")
            #expect(cursor.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") })
            #expect(try await client.get("\(list)?after=\(cursor)").status == .ok)
            for wrong in [
                "\(list)?after=\(cursor)&environment=Sandbox", "\(list)?after=abc", "\(list)?after=%2541", "\(list)?after=",
            ] {
                #expect(try await client.get(wrong).code == "cursorInvalid", "\(wrong)")
            }
            for limit in ["0", "1001", "-1", "x", ""] {
                #expect(try await client.get("\(list)?limit=\(limit)").code == "invalidParameter", "\(limit)")
            }
        }
    }

    @Test(
        arguments: [
            ("application/json", nil), ("application/json; charset=utf-8", nil), ("application/vnd.example+json", nil),
            (nil, nil),
            ("text/plain", "unsupportedMediaType"), ("application/x-www-form-urlencoded", "unsupportedMediaType"),
            ("application/json; charset=latin1", "unsupportedMediaType"), ("", "unsupportedMediaType"),
        ] as [(String?, String?)])
    func `a body that is said to be no JSON is refused`(_ type: String?, _ code: String?) async throws {
        try await withRouter { world, client in
            let answer = try await client.send(
                .post, "/api/v1/apps/app/customers/alice/transactions", body: try world.uploadBody(), type: type)
            #expect(answer.code == code)
            #expect(answer.status.code == (code == nil ? 200 : 415))
        }
    }

    @Test func `a refusal names its request in the body as in the header`() async throws {
        try await withWorld { world in
            // The id stands in what the logger knows, which the silent one forgets.
            var logger = Logger(label: "tests") { StreamLogHandler.standardError(label: $0) }
            logger.logLevel = .critical
            try await world.router(logger: logger).test(.router) { client in
                let answer = try await client.get("/api/v1/apps/app/subscriptions/nothing")
                let id = try #require(HTTPField.Name("Request-Id").flatMap { answer.headers[$0] })
                #expect(answer.member("instance") == id)
            }
        }
    }

    @Test func `the contract knows each reason for which what Apple told is looked through`() {
        #expect(Set(AppleBody.Sweep.purposes) == Set(SweepSlice.Purpose.allCases.map(\.rawValue)))
    }

    @Test func `the contract knows each reason for which a window ends`() {
        #expect(Set(AccessEndWords.all) == Set(EndReason.allCases.map(\.rawValue)))
    }
}
