import Ledger
import Primitives
import Storage
import Testing

/// What is written by hand must equal what Foundation writes, member for member with sorted keys: Foundation reads it, and the
/// text of an audit row is hashed.
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
            "accessUntil", "deadline", "deliveredAt", "expirationIntent", "previousUntil", "provisionalUntil", "quantity",
            "until",
        ].enumerated().map { #""\#($1)":\#($0.isMultiple(of: 2) ? Int64.min : 1_767_225_600_000)"# }
        let others = [
            #""kind":"\#(kind.rawValue)","effectiveAt":-1,"rule":"PER-1","access":"until","endedBecause":"refunded""#,
            #""isLatestPeriod":true,"isPartial":false,"wasSetToRenew":true,"subscription":\#(try subscription(word))"#,
            #""offer":{"offerType":4,"offerIdentifier":\#(text),"offerDiscountType":\#(text),"offerPeriod":\#(text)}"#,
            #""revocation":{"revocationDate":7,"revocationType":\#(text),"revocationReason":1,"revocationPercentage":50000,"#
                + #""revokedSeatQuantity":2}"#,
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
        #expect(Mirror(reflecting: event).children.count == 32)
        #expect(Set(Mirror(reflecting: event).children.compactMap { "\($0.value)" }).contains("nil") == false)
    }

    @Test(arguments: words)
    func `an audit row is read, and written as JSON with sorted keys, customers as numbers and without its subscription`(
        _ word: String
    ) throws {
        let key = SubscriptionKey(app: .init("app"), environment: .sandbox, originalTransactionId: .init(word))
        let text = try Self.json(word)
        let token = #"{"registration":{"_0":"a11ce000-0000-4000-8000-000000000001"}}"#
        let evidence =
            ["fact", "claim", "vote", "intent", "reservation"].map { #"{"\#($0)":{"_0":\#(text)}}"# }
            + [#"{"merge":{"_0":\#(Int64.min)}}"#, #"{"settingsVersion":{"_0":7}}"#, token]
        let names = CustomerNames([CustomerRow(number: Int64.min, name: CustomerName(key.app, CustomerID(word)))])
        for actor in ["appStore", "customer", "appBackend", "operatorOfTenure", "tenure"] {
            for takeBacks in [0, 1, 2] {
                let takeBack = """
                    {"amount":5,"periodEndAfter":-9,"periodEndBefore":9,"productId":\(text),"transactionId":\(text)}
                    """
                let written = """
                    {"actor":"\(actor)","after":{"exists":true,"provisionalUntil":4,"until":3},"before":{"exists":false},\
                    "customer":\(Int64.min),"effectiveAt":1,"evidence":[\(evidence.joined(separator: ","))],"learnedAt":2,\
                    "rule":"OWN-1","takeBacks":[\([String](repeating: takeBack, count: takeBacks).joined(separator: ","))]}
                    """
                let kept = AuditRowText(head: AuditHead(), text: written, names: names)
                #expect(kept.unknownCustomers == [])
                let row = try StoredAuditRow(kept, of: key).row
                #expect(row.subscription == key && row.customer == CustomerID(word) && row.actor.rawValue == actor)
                #expect(row.evidence.count == evidence.count && row.evidence.contains(.merge(CustomerID(word))))
                #expect(row.takeBacks.count == takeBacks)
                #expect(try LedgerText.of(row) { try #require([CustomerID(word): Int64.min][$0]) } == written)
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
