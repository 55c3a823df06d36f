import Ledger
import Primitives
import Storage
import Testing

/// The hand-written encoding must equal `Codable`'s, member for member: `Codable` reads it, and rows of both kinds are in one
/// chain.
@Suite struct `Audit rows, events and work as text` {
    /// Characters that may occur in our names or Apple's, and those that JSON must escape.
    private static let words = [
        "gold", "", "Jos\u{E9} \u{1F48E}", #"a "quoted" \ word"#, "a/b", "\u{7F}\u{2028}",
        "\u{0}\u{1}\u{8}\t\n\u{B}\u{C}\r\u{E}\u{1F} ",
    ]

    private static func json(_ text: String) throws -> String { try StateCoding.encode(text) }

    private static func subscription(_ word: String) throws -> String {
        #"{"app":\#(try json(word)),"environment":"Sandbox","originalTransactionId":\#(try json(word))}"#
    }

    /// An event with all members.
    private static func event(_ kind: LedgerEvent.Kind, _ word: String) throws -> LedgerEvent {
        let text = try json(word)
        let texts = [
            "claim", "customer", "entitlement", "nextProductId", "notificationUUID", "otherSubscription", "previousCustomer",
            "previousProductId", "productId", "reason", "status", "transactionId", "value",
        ].map { #""\#($0)":\#(text)"# }
        let numbers = [
            "accessUntil", "deadline", "expirationIntent", "previousUntil", "provisionalUntil", "quantity", "until",
        ].enumerated().map { #""\#($1)":\#($0.isMultiple(of: 2) ? Int64.min : 1_767_225_600_000)"# }
        let others = [
            #""kind":"\#(kind.rawValue)","effectiveAt":-1,"rule":"PER-1","access":"until","endedBecause":"refunded""#,
            #""isLatestPeriod":true,"isPartial":false,"wasSetToRenew":true,"subscription":\#(try subscription(word))"#,
            #""offer":{"offerType":4,"offerIdentifier":\#(text),"offerDiscountType":\#(text),"offerPeriod":\#(text)}"#,
            #""revocation":{"revocationDate":7,"revocationType":\#(text),"revocationReason":1,"revocationPercentage":50000}"#,
        ]
        return try StateCoding.decode(
            LedgerEvent.self, from: "{" + (texts + numbers + others).joined(separator: ",") + "}")
    }

    @Test(arguments: LedgerEvent.Kind.allCases)
    func `an event of every kind is written as Codable writes it`(_ kind: LedgerEvent.Kind) throws {
        for word in Self.words {
            let event = try Self.event(kind, word)
            let text = LedgerText.of(event)
            #expect(text == (try StateCoding.encode(event)))
            #expect(try StateCoding.decode(LedgerEvent.self, from: text) == event)
        }
        let bare = try StateCoding.decode(
            LedgerEvent.self,
            from: """
                {"kind":"\(kind.rawValue)","subscription":\(try Self.subscription("1")),"effectiveAt":0,"rule":"PER-1",
                "offer":{},"revocation":{"revocationDate":0}}
                """)
        #expect(LedgerText.of(bare) == (try StateCoding.encode(bare)))
    }

    @Test func `no member of an event is forgotten`() throws {
        let event = try Self.event(.accessChanged, "gold")
        #expect(Mirror(reflecting: event).children.count == 31)
        #expect(Set(Mirror(reflecting: event).children.compactMap { "\($0.value)" }).contains("nil") == false)
    }

    @Test(arguments: words)
    func `an audit row is written as Codable writes it, but for customers, who are numbers, and its subscription`(
        _ word: String
    ) throws {
        let numbers = [CustomerID(word): Int64.min]
        let text = try Self.json(word)
        let evidence = ["fact", "claim", "vote", "merge"].map { #"{"\#($0)":{"_0":\#(text)}}"# }.joined(separator: ",")
        let token = #"{"registration":{"_0":"a11ce000-0000-4000-8000-000000000001"}}"#
        for actor in ["appStore", "customer", "appBackend", "operatorOfTenure"] {
            for takeBacks in [0, 1, 2] {
                let takeBack = """
                    {"transactionId":\(text),"productId":\(text),"amount":5,"periodEndBefore":9,"periodEndAfter":-9}
                    """
                let row = try StateCoding.decode(
                    AuditRow.self,
                    from: """
                        {"subscription":\(try Self.subscription(word)),"customer":\(text),"effectiveAt":1,"learnedAt":2,
                        "rule":"OWN-1","evidence":[\(evidence),\(token)],"before":{"exists":false},
                        "after":{"exists":true,"until":3,"provisionalUntil":4},"actor":"\(actor)",
                        "takeBacks":[\([String](repeating: takeBack, count: takeBacks).joined(separator: ","))]}
                        """)
                let written = try LedgerText.of(row) { try #require(numbers[$0]) }
                let (named, merged) = (#""customer":\#(text),"#, #"{"merge":{"_0":\#(text)}}"#)
                let subscription = #","subscription":\#(try Self.subscription(word))"#
                let expected = try StateCoding.encode(row).replacing(subscription, with: "")
                    .replacing(named, with: #""customer":\#(Int64.min),"#)
                    .replacing(merged, with: #"{"merge":{"_0":\#(Int64.min)}}"#)
                #expect(written == expected)
                let name = CustomerName(row.subscription.app, CustomerID(word))
                let kept = AuditRowText(
                    head: AuditHead(), text: written, names: CustomerNames([CustomerRow(number: Int64.min, name: name)]))
                #expect(kept.unknownCustomers == [])
                #expect(try StoredAuditRow(kept, of: row.subscription).row == row)
                let unknown = AuditRowText(head: AuditHead(), text: written, names: CustomerNames())
                #expect(unknown.unknownCustomers == [Int64.min])
            }
        }
    }

    @Test(arguments: words)
    func `work is written as Codable writes it`(_ word: String) throws {
        let instant = Timestamp(millisecondsSince1970: 1_767_225_600_000)
        let actions: [DueWork.Action] =
            DueWork.AskReason.allCases.map { .askApple($0) } + [
                .tell, .answerConsumptionRequest(transactionId: .init(word), reason: nil, deadline: instant),
                .answerConsumptionRequest(transactionId: .init(word), reason: word, deadline: instant),
            ]
        for action in actions { #expect(LedgerText.of(action) == (try StateCoding.encode(action))) }
    }
}
