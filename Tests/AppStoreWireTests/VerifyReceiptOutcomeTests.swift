import AppStoreWire
import Foundation
import Primitives
import Testing

@Suite struct `Classes of answers of verifyReceipt` {
    /// One reply and its class; the classes are those of Apple's page "status" and of FACT-7.
    struct Reply: CustomTestStringConvertible {
        let name: String
        let expected: String
        let body: [UInt8]
        var http = 200
        var host = VerifyReceiptHost.production
        var testDescription: String { name }
        var outcome: VerifyReceiptOutcome { VerifyReceiptOutcome(httpStatus: http, body: body, from: host) }
    }

    /// The class in one word; for what is not an answer, the reason.
    static func word(_ outcome: VerifyReceiptOutcome) -> String {
        switch outcome.meaning {
        case .answer: "answer"
        case .expired: "expired"
        case .wrongEnvironment(let host): "ask \(host.rawValue)"
        case .wrongSecret: "wrong secret"
        case .retry: "retry"
        case .refused: "refused"
        case .notAnAnswer(let refusal): "no answer: \(refusal.code.rawValue)"
        }
    }

    private static let genuine = #"{"status":0,"receipt":{"bundle_id":"com.example.tenure","in_app":[]}}"#
    private static let flat = String(decoding: LegacySample.json(LegacySample.expired), as: UTF8.self)

    private static func replies(_ expected: String, _ bodies: [String], http: Int = 200, host: VerifyReceiptHost = .production)
        -> [Reply]
    {
        bodies.map { Reply(name: "\(http) \($0.prefix(60))", expected: expected, body: Array($0.utf8), http: http, host: host) }
    }

    static let statuses: [Reply] =
        replies("answer", [genuine, genuine + " \n", " " + genuine])
        + replies("expired", [flat, genuine.replacing(":0,", with: ":21006,")])
        + replies("ask sandbox", [#"{"status":21007}"#, #"{"environment":"Sandbox","status":21007}"#])
        + replies("ask production", [#"{"status":21008}"#], host: .sandbox)
        + replies("no answer: environmentContradicted", [#"{"status":21008}"#])
        + replies("no answer: environmentContradicted", [#"{"status":21007}"#], host: .sandbox)
        + replies("wrong secret", [#"{"status":21004}"#, #"{"environment":"Production","status":21004}"#])
        + replies(
            "retry",
            [
                #"{"status":21002}"#, #"{"status":21005}"#, #"{"status":21009}"#, #"{"status":21100}"#, #"{"status":21150}"#,
                #"{"status":21199}"#, #"{"status":21199,"is-retryable":true}"#, #"{"status":21199,"is_retryable":1}"#,
                #"{"status":21100,"is-retryable":"1"}"#, #"{"status":21100,"is-retryable":"true"}"#,
                #"{"status":21100,"is-retryable":null}"#, #"{"status":21100,"is-retryable":"perhaps"}"#,
                #"{"status":21100,"is-retryable":{}}"#, #"{"status":21100,"is-retryable":0,"is_retryable":1}"#,
                // Apple defines is-retryable for 21100 to 21199 only.
                #"{"status":21002,"is-retryable":0}"#, #"{"status":21005,"is_retryable":false}"#,
                // Unknown statuses are never final (FACT-5), unless they say so.
                #"{"status":1}"#, #"{"status":-1}"#, #"{"status":21011}"#, #"{"status":21099}"#, #"{"status":21200}"#,
                #"{"status":9223372036854775807}"#,
            ])
        + replies(
            "refused",
            [
                #"{"status":21000}"#, #"{"status":21001}"#, #"{"status":21003}"#, #"{"status":21010}"#,
                #"{"environment":"Production","status":21010,"is_retryable":false}"#, #"{"status":21010,"is_retryable":true}"#,
                #"{"status":21100,"is-retryable":0}"#, #"{"status":21199,"is_retryable":0}"#,
                #"{"status":21150,"is-retryable":false}"#, #"{"status":21150,"is_retryable":"false"}"#,
                #"{"status":21150,"is-retryable":"0"}"#, #"{"status":21200,"is-retryable":0}"#,
            ])

    static let forgeries: [Reply] =
        replies(
            "no answer: bodyUnreadable",
            [
                "", " ", "\u{0}", "<html><body>503</body></html>", "<!DOCTYPE html>", "OK", "status=0", "{", "{}}", "[", "\"",
                "{'status':0}", "{status:0}", #"{"status":0,}"#, #"{"status":00}"#, #"{"status":+0}"#, #"{"status":NaN}"#,
                #"{"status":0,"status":21003}"#, #"{"status":0,"\u0073tatus":0}"#, "\u{FEFF}" + genuine, genuine + genuine,
                genuine + "\u{0}", "\u{0}" + genuine, genuine.replacing("}", with: "", maxReplacements: 1),
                genuine.replacing("com.", with: "com\u{0}."),
                genuine.replacing(#""in_app""#, with: #""bundle_id":"com.example.other","in_app""#),
                String(repeating: "[", count: 500) + String(repeating: "]", count: 500),
                #"{"status":0,"receipt":"# + String(repeating: #"{"a":"#, count: 500) + "1" + String(repeating: "}", count: 501),
            ])
        + replies("no answer: notAnObject", ["0", "true", "null", "[]", #""status""#, #"[{"status":0}]"#, "[\(genuine)]"])
        + replies(
            "no answer: statusInvalid",
            [
                "{}", #"{"Status":0}"#, #"{"status":null}"#, #"{"status":"0"}"#, #"{"status":""}"#, #"{"status":false}"#,
                #"{"status":0.0}"#, #"{"status":0e0}"#, #"{"status":[0]}"#, #"{"status":9223372036854775808}"#,
                #"{"status":1e400}"#, #"{"error":"invalid_grant"}"#, genuine.replacing(":0,", with: #":"0","#),
            ])
        + replies(
            "no answer: fieldMissing",
            [
                #"{"status":0}"#, #"{"status":21006}"#, #"{"status":0,"environment":"Production"}"#,
                #"{"status":0,"receipt":null}"#, #"{"status":0,"receipt":""}"#, #"{"status":0,"receipt":{}}"#,
                #"{"status":0,"receipt":{"in_app":[]}}"#, #"{"status":0,"receipt":{"bundle_id":"com.example.tenure"}}"#,
                #"{"status":0,"receipt":{"bundle_id":"com.example.tenure","in_app":null}}"#,
                #"{"status":0,"receipt":{"bundle_id":"","in_app":[]}}"#, #"{"status":0,"receipt":{"bid":"com.example.tenure"}}"#,
                #"{"status":0,"latest_receipt_info":[],"pending_renewal_info":[]}"#,
            ])
        + replies(
            "no answer: fieldInvalid",
            [
                #"{"status":0,"receipt":[]}"#, #"{"status":0,"receipt":"TUlJ"}"#, #"{"status":0,"receipt":1}"#,
                #"{"status":0,"receipt":{"bundle_id":["com.example.tenure"],"in_app":[]}}"#,
                #"{"status":0,"receipt":{"bundle_id":"com\u0000.example","in_app":[]}}"#,
                genuine.replacing("[]", with: "{}"), genuine.replacing("[]", with: #""none""#),
                genuine.replacing("{\"s", with: #"{"latest_receipt_info":"none","s"#),
                genuine.replacing("{\"s", with: #"{"pending_renewal_info":{},"s"#),
                genuine.replacing("{\"s", with: #"{"environment":"production","s"#),
                genuine.replacing("{\"s", with: #"{"environment":"Xcode","s"#),
                genuine.replacing("[]", with: #"[],"request_date_ms":"1e400""#),
                genuine.replacing("[]", with: #"[],"receipt_creation_date":"yesterday""#),
                genuine.replacing("[]", with: #"[],"adam_id":1.5"#),
            ])
        + replies(
            "no answer: environmentContradicted",
            [
                genuine.replacing("{\"s", with: #"{"environment":"Sandbox","s"#),
                genuine.replacing("[]", with: #"[],"receipt_type":"ProductionSandbox""#),
                genuine.replacing("[]", with: #"[],"receipt_type":"ProductionVPPSandbox""#),
            ])
        + replies(
            "no answer: environmentContradicted", [genuine.replacing("[]", with: #"[],"receipt_type":"ProductionVPP""#)],
            host: .sandbox)

    static let transports: [Reply] =
        [429, 500, 502, 503, 504, 599].flatMap { replies("retry", [genuine, "", "<html>"], http: $0) }
        + [0, -1, 100, 199, 201, 204, 206, 301, 302, 400, 401, 403, 404, 413, 600].flatMap {
            replies("no answer: httpStatusNotOK", [genuine, "<html>"], http: $0)
        }
        + [
            Reply(
                name: "2 MB of spaces", expected: "no answer: bodyUnreadable",
                body: [UInt8](repeating: 0x20, count: 2 << 20)),
            Reply(
                name: "2 MB of receipt", expected: "answer",
                body: Array(
                    genuine.replacing("[]", with: #"[],"x":""# + String(repeating: "A", count: 2 << 20) + "\"").utf8)),
            Reply(
                name: "17 MB", expected: "no answer: bodyUnreadable",
                body: Array(genuine.utf8) + [UInt8](repeating: 0x20, count: 17 << 20)),
            Reply(
                name: "no UTF-8", expected: "no answer: bodyUnreadable",
                body: Array(genuine.utf8).map { $0 == UInt8(ascii: "x") ? 0xFF : $0 }),
        ]

    @Test(arguments: statuses) func `F18 every status has one class`(_ reply: Reply) throws {
        #expect(Self.word(reply.outcome) == reply.expected)
        #expect(reply.outcome.body == reply.body)
        let json = try #require(try JSONSerialization.jsonObject(with: Data(reply.body)) as? [String: Any])
        #expect(reply.outcome.status?.rawValue == (json["status"] as? NSNumber)?.int64Value)
    }

    @Test(arguments: forgeries) func `T15 only a body with the shape of Apple's answers is an answer`(_ reply: Reply) {
        #expect(Self.word(reply.outcome) == reply.expected)
        #expect(reply.outcome.answer == nil && reply.outcome.isRetryable && reply.outcome.body == reply.body)
    }

    @Test(arguments: transports) func `F17 an answer with another HTTP status, or of great length, is classified`(_ reply: Reply)
    {
        #expect(Self.word(reply.outcome) == reply.expected)
        #expect(reply.outcome.isRetryable == (reply.expected != "answer"))
    }

    @Test func `F17 the corpus is large`() {
        #expect(Self.statuses.count + Self.forgeries.count + Self.transports.count >= 140)
    }

    @Test func `temporary faults and non-answers are retried`() {
        let expected = [
            "answer": false, "expired": false, "ask sandbox": false, "ask production": false, "wrong secret": false,
            "refused": false, "retry": true,
        ]
        for reply in Self.statuses {
            #expect(reply.outcome.isRetryable == expected[reply.expected] ?? true, "\(reply.name)")
        }
    }

    @Test func `RECON-3 F18 21007 and 21008 in turn never cause a third request`() {
        let toSandbox = VerifyReceiptOutcome(httpStatus: 200, body: Array(#"{"status":21007}"#.utf8), from: .production)
        #expect(toSandbox.hostToAsk(havingAsked: [.production]) == .sandbox)
        let back = VerifyReceiptOutcome(httpStatus: 200, body: Array(#"{"status":21008}"#.utf8), from: .sandbox)
        #expect(back.hostToAsk(havingAsked: [.production, .sandbox]) == nil)
        #expect(back.hostToAsk(havingAsked: [.sandbox]) == .production)
        let refused = VerifyReceiptOutcome(httpStatus: 200, body: Array(#"{"status":21003}"#.utf8), from: .production)
        #expect(refused.hostToAsk(havingAsked: [.production]) == nil)
    }

    @Test(.needsFixtures) func `T15 Apple's answer cut off anywhere is never an answer`() throws {
        let body = try Fixtures.bytes("mission/verifyReceipt-trial-sandbox.json")
        let end = try #require(body.lastIndex(of: UInt8(ascii: "}")))
        for count in 0...end {
            let outcome = VerifyReceiptOutcome(httpStatus: 200, body: Array(body.prefix(count)), from: .sandbox)
            #expect(outcome.refusal?.code == .bodyUnreadable, "\(count) bytes")
        }
        #expect(VerifyReceiptOutcome(httpStatus: 200, body: Array(body[...end]), from: .sandbox).answer != nil)
    }

    @Test func `T15 an answer of either style cut off anywhere is never an answer`() {
        for sample in [LegacySample.answer, LegacySample.expired] {
            let body = LegacySample.json(sample)
            for count in body.indices {
                let outcome = VerifyReceiptOutcome(httpStatus: 200, body: Array(body.prefix(count)), from: .sandbox)
                #expect(outcome.refusal?.code == .bodyUnreadable, "\(count) bytes")
            }
        }
    }

    @Test func `T33 an answer with any bytes changed never traps and never gains a purchase`() throws {
        let seed = UInt64.random(in: 0 ... .max)
        var numbers = SeededNumbers(seed: seed)
        let body = LegacySample.json(LegacySample.answer)
        for _ in 0..<3000 {
            var other = body
            for _ in 0..<Int.random(in: 1...3, using: &numbers) {
                other[Int.random(in: other.indices, using: &numbers)] = UInt8.random(in: 0...255, using: &numbers)
            }
            let outcome = VerifyReceiptOutcome(httpStatus: 200, body: other, from: .sandbox)
            let purchases = outcome.answer?.purchases ?? []
            #expect(purchases.count <= 2, "seed \(seed)")
            for purchase in purchases {
                #expect(Timestamp(validating: purchase.purchaseDate.millisecondsSince1970) != nil, "seed \(seed)")
            }
        }
    }

    @Test func `the caller's limits are kept`() {
        let body = LegacySample.json(LegacySample.answer)
        func code(_ limits: LegacyLimits) -> LegacyRefusal.Code? {
            VerifyReceiptOutcome(httpStatus: 200, body: body, from: .sandbox, limits: limits).refusal?.code
        }
        #expect(code(LegacyLimits(maximumBytes: body.count, maximumElements: 1000)) == nil)
        #expect(code(LegacyLimits(maximumBytes: body.count - 1, maximumElements: 1000)) == .bodyUnreadable)
        #expect(code(LegacyLimits(maximumBytes: body.count, maximumElements: 20)) == .bodyUnreadable)
    }
}

@Suite struct `Requests to verifyReceipt` {
    private func members(_ request: VerifyReceiptRequest) throws -> NSDictionary {
        try #require(try JSONSerialization.jsonObject(with: Data(request.body)) as? NSDictionary)
    }

    @Test func `the body is Apple's, whatever the password contains`() throws {
        let password = "a\"b\\c\u{1}é"
        let request = try VerifyReceiptRequest(receipt: Array("MII".utf8), password: password, excludeOldTransactions: true)
        let expected: [String: Any] = ["receipt-data": "TUlJ", "password": password, "exclude-old-transactions": true]
        #expect(try members(request) == expected as NSDictionary)
        let bare = try VerifyReceiptRequest(receiptData: "TUlJ", password: nil)
        #expect(try members(bare) == ["receipt-data": "TUlJ", "exclude-old-transactions": false] as NSDictionary)
    }

    @Test func `receipts of any length are encoded as Foundation encodes them, on one line`() throws {
        let seed = UInt64.random(in: 0 ... .max)
        var numbers = SeededNumbers(seed: seed)
        for count in 1...300 {
            let receipt = (0..<count).map { _ in UInt8.random(in: 0...255, using: &numbers) }
            let request = try VerifyReceiptRequest(receipt: receipt, password: nil)
            #expect(request.receiptData == Data(receipt).base64EncodedString(), "seed \(seed)")
            #expect(try VerifyReceiptRequest(receiptData: request.receiptData, password: nil) == request)
        }
    }

    @Test(arguments: [
        "TUl", "TUlJ=", "TUlJ\n", "TU\r\nlJ", " TUlJ", "TU-_", "TR==", "T===", "====", "TUlJ\u{0}AAA", "é123", "{}", "%54UlJ",
    ])
    func `a text that is not canonical base64 is not sent`(_ text: String) {
        #expect(throws: LegacyRefusal.self) { try VerifyReceiptRequest(receiptData: text, password: nil) }
        do {
            _ = try VerifyReceiptRequest(receiptData: text, password: nil)
        } catch {
            #expect(error.code == .receiptNotBase64)
        }
    }

    @Test func `nothing and too much are not sent`() throws {
        let limits = LegacyLimits(maximumBytes: 8, maximumElements: 0)
        func code(_ make: () throws -> VerifyReceiptRequest) -> LegacyRefusal.Code? {
            do {
                _ = try make()
                return nil
            } catch { return (error as? LegacyRefusal)?.code }
        }
        #expect(code { try VerifyReceiptRequest(receipt: [], password: nil) } == .receiptEmpty)
        #expect(code { try VerifyReceiptRequest(receiptData: "", password: nil) } == .receiptEmpty)
        #expect(code { try VerifyReceiptRequest(receipt: [1, 2, 3, 4, 5, 6], password: nil, limits: limits) } == nil)
        #expect(
            code { try VerifyReceiptRequest(receipt: [1, 2, 3, 4, 5, 6, 7], password: nil, limits: limits) } == .receiptTooLong)
        #expect(code { try VerifyReceiptRequest(receiptData: "AQIDBAUG", password: nil, limits: limits) } == nil)
        #expect(code { try VerifyReceiptRequest(receiptData: "AQIDBAUGBw==", password: nil, limits: limits) } == .receiptTooLong)
    }

    @Test func `no description or dump contains the password or the receipt`() throws {
        let request = try VerifyReceiptRequest(receipt: Array("MIIMIIMII".utf8), password: "hush-hush")
        var dumped = ""
        dump(request, to: &dumped)
        for text in ["\(request)", String(reflecting: request), dumped, "\([request])"] {
            #expect(!text.contains("hush") && !text.contains("TUlJ"))
        }
    }

    @Test func `the hosts are Apple's two`() {
        #expect(VerifyReceiptHost.production.url == "https://buy.itunes.apple.com/verifyReceipt")
        #expect(VerifyReceiptHost.sandbox.url == "https://sandbox.itunes.apple.com/verifyReceipt")
        #expect(VerifyReceiptHost.allCases.map(\.environment) == [.production, .sandbox])
    }
}
