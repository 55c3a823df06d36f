import Ledger
import Primitives
import Storage
import Testing

/// What is kept of a request of Apple's (TELL-5).
@Suite struct `Copies of what Apple posted` {
    private static let scope = Scope(app: AppID("app"), environment: .production)

    private static func copy(_ body: String, uuid: String? = "u1", about id: String? = "1000") -> NotificationCopy {
        NotificationCopy(
            scope: scope, uuid: uuid, subscription: id.map { OriginalTransactionID($0) },
            receivedAt: Timestamp(millisecondsSince1970: 5),
            content: NotificationCopy.Content(contentType: "application/json; charset=utf-8", body: body))
    }

    @Test func `TELL-5 each byte of a body is kept, whatever stands in it`() throws {
        let bodies = [
            "{\"signedPayload\":\"a.b.c\"}", " \t\r\n{ \"signedPayload\" : \"a.b.c\" }\n", "{\"é\":\"\u{1F600}\\u0000\\/\\\"\"}",
            "{\"a\":\"\u{2028}\u{2029}\u{7F}\"}", "",
        ]
        for body in bodies {
            let row = try WrittenCopy(Self.copy(body), ledger: 1)
            guard case .text(let text?) = row.value(of: .content) else {
                Issue.record("the content is no text")
                continue
            }
            let event = LoggedEvent(
                place: .start, subject: .subscription(SubscriptionKey(Self.scope, OriginalTransactionID("1000"))), sequence: 1,
                text: text, toldAt: Timestamp(millisecondsSince1970: 5))
            let content = try event.copiedContent
            #expect(Array(content.body.utf8) == Array(body.utf8))
            #expect(content.contentType == "application/json; charset=utf-8")
        }
    }

    @Test func `TELL-5 a notification is one by its UUID, and one of version 1 by its bytes`() {
        let first = Self.copy("{\"a\":1}")
        #expect(first.name == Self.copy("{\"a\": 1}").name && first.name != Self.copy("{\"a\":1}", uuid: "u2").name)
        let old = Self.copy("{\"a\":1}", uuid: nil)
        #expect(old.name == Self.copy("{\"a\":1}", uuid: nil, about: "7").name)
        #expect(old.name != Self.copy("{\"a\": 1}", uuid: nil).name && old.name.hasPrefix("v1/"))
        #expect(first.subject == "1000" && Self.copy("{}", about: nil).subject == "notification/u1")
    }

    @Test func `what is no copy is not read as one`() {
        let event = LoggedEvent(
            place: .start, subject: .customer(CustomerKey(Self.scope, CustomerID("c"))), sequence: 1, text: "{\"kind\":\"x\"}",
            toldAt: Timestamp(millisecondsSince1970: 5))
        #expect(throws: StorageError.self) { try event.copiedContent }
    }
}
