import AppStoreWire
import Foundation
import Primitives
import Testing

/// F16, F17: every reply that is not an answer has one class, says whether to retry, and never traps.
@Suite struct `Answers of the App Store Server API` {
    /// The class of a reply; with the field, for an unexpected shape.
    enum Class: Sendable, Equatable {
        case answer
        case apple(Int64)
        case unauthenticated
        case notJSON
        case shape(String)
        case tooLarge
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let status: Int
        let body: [UInt8]
        let type: String?
        let expected: Class
        let isRetryable: Bool

        init(
            _ name: String, _ status: Int, _ body: String, type: String? = "application/json", _ expected: Class,
            retry: Bool = false
        ) {
            self.init(name, status, Array(body.utf8), type: type, expected, retry: retry)
        }

        init(
            _ name: String, _ status: Int, _ body: [UInt8], type: String? = "application/json", _ expected: Class,
            retry: Bool = false
        ) {
            self.name = name
            self.status = status
            self.body = body
            self.type = type
            self.expected = expected
            isRetryable = retry
        }

        var testDescription: String { name }
    }

    static let page = "<!DOCTYPE html><html><body>Sorry</body></html>"
    static let good = #"{"hasMore":false,"signedTransactions":["a.b.c"],"revision":"r"}"#

    static func error(_ code: String) -> String { #"{"errorCode":\#(code),"errorMessage":"m"}"# }

    /// Replies to Get Transaction History, which only reads.
    static let corpus: [Case] = [
        Case("an answer", 200, good, .answer), Case("status 202", 202, good, .answer),
        Case("with a character set", 200, good, type: "application/json; charset=utf-8", .answer),
        Case("in capitals", 200, good, type: "Application/JSON;charset=UTF-8", .answer),
        Case("of a JSON subtype", 200, good, type: "application/problem+json", .answer),
        Case("without a media type", 200, good, type: nil, .answer), Case("with spaces around", 200, " \n\(good)\r\n", .answer),
        Case("with new fields", 200, good.dropLast() + #","new":{"a":[1.5,null]}}"#, .answer),
        Case("null for what is optional", 200, good.dropLast() + #","appAppleId":null}"#, .answer),
        Case("an unknown environment", 200, good.dropLast() + #","environment":"Moon"}"#, .answer),
        Case("JSON that says it is text", 200, good, type: "text/plain", .notJSON, retry: true),
        Case("JSON that says it is a page", 200, good, type: "text/html; charset=utf-8", .notJSON, retry: true),
        Case("JSON that says it is JavaScript", 200, good, type: "text/json-seq", .notJSON, retry: true),
        Case("a page with 200", 200, page, type: "text/html", .notJSON, retry: true),
        Case("a page that says it is JSON", 200, page, .notJSON, retry: true),
        Case("nothing", 200, "", .notJSON, retry: true),
        Case("nothing without a type", 200, "", type: nil, .notJSON, retry: true),
        Case("a space", 200, " ", .notJSON, retry: true), Case("a NUL", 200, [0], .notJSON, retry: true),
        Case("cut off after a brace", 200, "{", .notJSON, retry: true),
        Case("cut off in a string", 200, String(good.dropLast(20)), .notJSON, retry: true),
        Case("cut off before the end", 200, String(good.dropLast()), .notJSON, retry: true),
        Case("two answers", 200, good + good, .notJSON, retry: true),
        Case("a byte order mark", 200, "\u{FEFF}" + good, .notJSON, retry: true),
        Case("no UTF-8", 200, [0x22, 0xC3, 0x28, 0x22], .notJSON, retry: true),
        Case("UTF-16", 200, [0x7B, 0, 0x7D, 0], .notJSON, retry: true),
        Case("gzip", 200, [0x1F, 0x8B, 8, 0], .notJSON, retry: true),
        Case("a field twice", 200, #"{"hasMore":true,"hasMore":false,"signedTransactions":[]}"#, .notJSON, retry: true),
        Case("a trailing comma", 200, #"{"hasMore":true,}"#, .notJSON, retry: true),
        Case("NaN", 200, "NaN", .notJSON, retry: true),
        Case("too deep", 200, String(repeating: "[", count: 100_000), .notJSON, retry: true),
        Case("204 without a body", 204, "", .notJSON, retry: true),
        Case("an array", 200, "[]", .shape("")), Case("a string", 200, #""ok""#, .shape("")),
        Case("null", 200, "null", .shape("")),
        Case("a number", 200, "1", .shape("")), Case("true", 200, "true", .shape("")),
        Case("an empty object", 200, "{}", .shape("hasMore")),
        Case("another answer", 200, #"{"data":[],"bundleId":"b"}"#, .shape("hasMore")),
        Case("a list that is missing", 200, #"{"hasMore":false}"#, .shape("signedTransactions")),
        Case("a list that is null", 200, #"{"hasMore":false,"signedTransactions":null}"#, .shape("signedTransactions")),
        Case("a number in the list", 200, #"{"hasMore":false,"signedTransactions":["a",1]}"#, .shape("signedTransactions[1]")),
        Case("a truth as a number", 200, #"{"hasMore":0,"signedTransactions":[]}"#, .shape("hasMore")),
        Case("a truth as a text", 200, #"{"hasMore":"false","signedTransactions":[]}"#, .shape("hasMore")),
        Case("an id beyond 64 bits", 200, good.dropLast() + #","appAppleId":9223372036854775808}"#, .shape("appAppleId")),
        Case("an id with a fraction", 200, good.dropLast() + #","appAppleId":1.0}"#, .shape("appAppleId")),
        Case("2 MB", 200, [UInt8](repeating: 0x20, count: 2_000_000), .tooLarge),
        Case("2 MB of a fault", 503, [UInt8](repeating: 0x20, count: 2_000_000), .tooLarge),
        Case("401 with nothing", 401, "", type: nil, .unauthenticated),
        Case("401 with a word", 401, "Unauthenticated\n\nRequest ID: X\n", type: "text/plain", .unauthenticated),
        Case("401 with a page", 401, page, type: "text/html", .unauthenticated),
        Case("401 with an object", 401, "{}", .unauthenticated), Case("401 with an answer", 401, good, .unauthenticated),
        Case("401 with 2 MB", 401, [UInt8](repeating: 0x20, count: 2_000_000), .unauthenticated),
        Case("401 with a code", 401, error("4010000"), .apple(4_010_000)),
        Case("400", 400, error("4000006"), .apple(4_000_006)), Case("404 of Apple's", 404, error("4040010"), .apple(4_040_010)),
        Case("4040001", 404, error("4040001"), .apple(4_040_001)),
        Case("4040002", 404, error("4040002"), .apple(4_040_002), retry: true),
        Case("4040004", 404, error("4040004"), .apple(4_040_004), retry: true),
        Case("4040006", 404, error("4040006"), .apple(4_040_006), retry: true),
        Case("4040005", 404, error("4040005"), .apple(4_040_005)),
        Case("429", 429, error("4290000"), .apple(4_290_000), retry: true),
        Case("5000000", 500, error("5000000"), .apple(5_000_000), retry: true),
        Case("5000001", 500, error("5000001"), .apple(5_000_001), retry: true),
        Case("an unlisted code with 400", 400, error("9990000"), .apple(9_990_000)),
        Case("an unlisted code with 404", 404, error("4049999"), .apple(4_049_999)),
        Case("an unlisted code with 500", 500, error("5009999"), .apple(5_009_999), retry: true),
        Case("an unlisted code with 429", 429, error("4299999"), .apple(4_299_999), retry: true),
        Case("a listed final code with 500", 500, error("4000006"), .apple(4_000_006)),
        Case("an error with 200", 200, error("4040010"), .apple(4_040_010)),
        Case("an error as text", 400, error("4000006"), type: "text/plain", .apple(4_000_006)),
        Case("an error with a character set", 404, error("4040010"), type: "application/json; charset=utf-8", .apple(4_040_010)),
        Case("an error without a text", 400, #"{"errorCode":4000006}"#, .apple(4_000_006)),
        Case("an error with a number for a text", 400, #"{"errorCode":4000006,"errorMessage":7}"#, .apple(4_000_006)),
        Case("a code of 64 bits", 400, error("-9223372036854775808"), .apple(.min)),
        Case("a code as a text", 400, error("\"4000006\""), .shape("errorCode")),
        Case("a code with a fraction", 400, error("4000006.0"), .shape("errorCode")),
        Case("a code beyond 64 bits", 500, error("99999999999999999999"), .shape("errorCode"), retry: true),
        Case("a fault without a code", 500, #"{"message":"Internal"}"#, .shape("errorCode"), retry: true),
        Case("404 with another object", 404, #"{"timestamp":1,"status":404}"#, .shape("errorCode")),
        Case("404 with a page", 404, page, type: "text/html", .notJSON), Case("404 with nothing", 404, "", type: nil, .notJSON),
        Case("403 of a proxy", 403, page, type: "text/html", .notJSON), Case("407", 407, "", type: nil, .notJSON),
        Case("408", 408, "", type: nil, .notJSON, retry: true), Case("413", 413, "", type: nil, .notJSON),
        Case("429 without a body", 429, "", type: nil, .notJSON, retry: true),
        Case("301", 301, page, type: "text/html", .notJSON), Case("302 with nothing", 302, "", type: nil, .notJSON),
        Case("304", 304, "", type: nil, .notJSON), Case("500 with nothing", 500, "", type: nil, .notJSON, retry: true),
        Case("502 with a page", 502, page, type: "text/html", .notJSON, retry: true),
        Case("503 with a page", 503, page, type: "text/html", .notJSON, retry: true),
        Case("504 cut off", 504, #"{"errorCode":50000"#, .notJSON, retry: true), Case("599", 599, "", .notJSON, retry: true),
        Case("an answer with 500", 500, good, .shape("errorCode"), retry: true),
        Case("status 0", 0, good, .shape("errorCode")), Case("status -1", -1, "", .notJSON),
        Case("status 600", 600, "", .notJSON),
        Case("status 100", 100, "", .notJSON),
    ]

    static func reply(_ sample: Case) -> ServerAPIReply {
        ServerAPIReply(
            status: sample.status, headers: sample.type.map { [ServerAPIReply.Header(name: "content-TYPE", value: $0)] } ?? [],
            body: sample.body)
    }

    static func classify<Response>(_ result: Result<ServerAPIAnswer<Response>, ServerAPIFailure>) -> Class {
        switch result {
        case .success: .answer
        case .failure(let failure):
            switch failure.reason {
            case .apple(let code, _): .apple(code.rawValue)
            case .unauthenticated: .unauthenticated
            case .notJSON: .notJSON
            case .unexpectedShape(let field): .shape(field)
            case .tooLarge: .tooLarge
            }
        }
    }

    @Test(arguments: corpus) func `F17 a reply has its class and says whether to ask again`(_ sample: Case) throws {
        let call = try ServerAPICall.getTransactionHistory(anyTransactionId: "1")
        let result = call.answer(to: Self.reply(sample), at: World.now)
        #expect(Self.classify(result) == sample.expected)
        if let failure = result.failure {
            #expect(failure.isRetryable == sample.isRetryable)
            #expect(failure.status == sample.status)
            #expect(!failure.description.contains("Sorry"))
            #expect(failure.retryAt == nil)
        }
    }

    @Test func `the corpus is complete`() {
        #expect(Self.corpus.count >= 80)
        #expect(Set(Self.corpus.map(\.name)).count == Self.corpus.count)
    }

    @Test func `F17 every truncated answer and every answer with a changed byte has a class`() throws {
        let call = try ServerAPICall.getTransactionHistory(anyTransactionId: "1")
        let good = Array(Self.good.utf8)
        for length in 0..<good.count {
            #expect(
                Self.classify(call.answer(to: ServerAPIReply(status: 200, body: Array(good[..<length])), at: World.now))
                    == .notJSON)
        }
        for position in good.indices {
            for byte: UInt8 in [0, 0x22, 0x2C, 0x30, 0x5C, 0x7B, 0x80, 0xFF] {
                var bytes = good
                bytes[position] = byte
                for status in [200, 404, 503] {
                    _ = call.answer(to: ServerAPIReply(status: status, body: bytes), at: World.now)
                }
            }
        }
    }

    @Test func `an answer keeps its bytes, including fields that are newer than this library`() throws {
        let body = Array((Self.good.dropLast() + #","seats":{"x":1}}"#).utf8)
        let answer = try ServerAPICall.getTransactionHistory(anyTransactionId: "1")
            .answer(to: ServerAPIReply(status: 200, body: body), at: World.now).get()
        #expect(answer.rawBody == body)
        #expect(answer.response == HistoryResponse(revision: "r", hasMore: false, signedTransactions: ["a.b.c"]))
    }

    @Test(arguments: [
        ("nothing", 200, "", Class.answer), ("nothing with 202", 202, "", .answer), ("nothing with 204", 204, "", .answer),
        ("an object", 200, "{}", .answer), ("an object with fields", 202, #"{"a":1}"#, .answer), ("a page", 200, page, .notJSON),
        ("an array", 200, "[]", .shape("")), ("an error", 200, #"{"errorCode":4000035}"#, .apple(4_000_035)),
        ("302", 302, "", .notJSON), ("401", 401, "", .unauthenticated), ("503", 503, "", .notJSON),
    ])
    func `a call without an answer body succeeds with nothing`(
        _ name: String, _ status: Int, _ body: String, _ expected: Class
    ) throws {
        let request = ConsumptionRequest(customerConsented: true, deliveryStatus: .delivered, sampleContentProvided: true)
        let call = try ServerAPICall.sendConsumptionInformation(transactionId: "1", request)
        let result = call.answer(to: ServerAPIReply(status: status, body: Array(body.utf8)), at: World.now)
        #expect(Self.classify(result) == expected)
        // A call that changes something is not blindly repeated when its successful answer was lost.
        #expect(result.failure.map(\.isRetryable) == (expected == .answer ? nil : status == 503))
    }

    @Test func `what Apple's pages do not list is read from the raw body`() throws {
        let body = Array(#"{"groups":[{"groupId":"g"}]}"#.utf8)
        let answer = try ServerAPICall.getCurrentGroups(anyTransactionId: "1")
            .answer(to: ServerAPIReply(status: 200, body: body), at: World.now).get()
        #expect(answer.rawBody == body)
    }

    // MARK: Retry-After

    static let hour: Int64 = 3_600_000
    static let now = World.now.millisecondsSince1970

    @Test(arguments: [
        ("milliseconds, as Apple documents", "\(now + hour)", now + hour), ("with spaces", " \(now + 1)\t", now + 1),
        ("in the past", "\(now - hour)", now), ("now", "\(now)", now), ("far away", "\(now + 24 * hour + 1)", now + 24 * hour),
        ("the last that is not cut", "\(now + 24 * hour)", now + 24 * hour),
        ("very far away", "9223372036854775807", now + 24 * hour),
        ("beyond 64 bits", "99999999999999999999", now + 24 * hour), ("seconds from now, as HTTP has it", "120", now + 120_000),
        ("no seconds from now", "0", now), ("a day and more from now", "999999999", now + 24 * hour),
        ("UNIX seconds", "\((now + hour) / 1000)", (now + hour) / 1000 * 1000), ("UNIX seconds in the past", "1000000000", now),
        ("the smallest that is taken for milliseconds", "100000000000", now),
        ("the largest that is taken for seconds", "99999999999", now + 24 * hour),
    ])
    func `F15 an instant for a retry is between now and a day from now`(
        _ name: String, _ header: String, _ expected: Int64
    ) throws {
        #expect(try retryAt(header)?.millisecondsSince1970 == expected)
    }

    @Test(arguments: ["", " ", "-1", "+5", "1.5", "1e3", "0x10", "soon", "Fri, 31 Dec 2027 23:59:59 GMT", "1 2", "１２", "1,2"])
    func `F15 a value that is not a number names no instant`(_ header: String) throws {
        #expect(try retryAt(header) == nil)
    }

    private func retryAt(_ header: String, name: String = "rEtRy-AfTeR", status: Int = 429) throws -> Timestamp? {
        let headers = [ServerAPIReply.Header(name: "X", value: "1"), ServerAPIReply.Header(name: name, value: header)]
        let reply = ServerAPIReply(status: status, headers: headers, body: Array(Self.error("4290000").utf8))
        let failure = try #require(
            try ServerAPICall.getTransactionInfo(transactionId: "1").answer(to: reply, at: World.now).failure)
        #expect(failure.isRetryable)
        return failure.retryAt
    }

    @Test func `F15 without the header, or where a retry is useless, there is no instant`() throws {
        let call = try ServerAPICall.getTransactionInfo(transactionId: "1")
        let absent = call.answer(to: ServerAPIReply(status: 429, body: Array(Self.error("4290000").utf8)), at: World.now)
        #expect(absent.failure?.retryAt == nil)
        let headers = [ServerAPIReply.Header(name: "Retry-After", value: "60")]
        let final = call.answer(
            to: ServerAPIReply(status: 404, headers: headers, body: Array(Self.error("4040010").utf8)), at: World.now)
        #expect(final.failure?.retryAt == nil)
        let fault = call.answer(to: ServerAPIReply(status: 503, headers: headers), at: World.now)
        #expect(fault.failure?.retryAt == World.now.adding(.seconds(60)))
    }
}
