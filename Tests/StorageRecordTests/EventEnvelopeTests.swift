import Ledger
import Primitives
import Storage
import Testing

@Suite struct `The envelope of an event` {
    private static let scope = Scope(app: AppID("notes"), environment: .production)

    private static func event(
        _ subject: OutboxEntry.Subject, _ sequence: Int64, _ text: String
    ) -> LoggedEvent {
        LoggedEvent(place: .start, subject: subject, sequence: sequence, text: text, toldAt: Timestamp(millisecondsSince1970: 0))
    }

    private static let renewed = event(
        .subscription(SubscriptionKey(scope, OriginalTransactionID("2000000111"))), 4,
        #"{"effectiveAt":1767225600000,"kind":"subscription.renewed","rule":"OWN-8"}"#)
    private static let granted = event(
        .customer(CustomerKey(scope, CustomerID("alice"))), 1,
        #"{"effectiveAt":1767225600250,"id":"v","kind":"grant.made","rule":"ENT-9"}"#)

    /// Expected values by Python: `"evt_" + b32encode(sha256("\0".join((app, environment, kind, name, sequence,
    /// sha256(text).hexdigest())))).lower()[:26]`.
    @Test func `TELL-1 an event has an id of its own, which covers whose it is, its number and its bytes`() throws {
        #expect(try EventEnvelope(Self.renewed).id == "evt_sjwmyg5hhnhjlcmymzgowvjvjy")
        #expect(try EventEnvelope(Self.granted).id == "evt_abocdtfux2zsrtsd6cr2zsoq7q")
        let others = [
            Self.event(Self.renewed.subject, 5, Self.renewed.text),
            Self.event(Self.renewed.subject, 4, Self.renewed.text.replacing("OWN-8", with: "OWN-7")),
            Self.event(.subscription(SubscriptionKey(Self.scope, OriginalTransactionID("2000000112"))), 4, Self.renewed.text),
            Self.event(.customer(CustomerKey(Self.scope, CustomerID("2000000111"))), 4, Self.renewed.text),
            Self.event(
                .subscription(
                    SubscriptionKey(
                        Scope(app: AppID("notes"), environment: .sandbox), OriginalTransactionID("2000000111"))), 4,
                Self.renewed.text),
        ]
        let ids = try ([Self.renewed] + others).map { try EventEnvelope($0).id }
        #expect(Set(ids).count == ids.count)
        let elsewhere = LoggedEvent(
            place: LogPlace(transaction: 7, row: 8, event: 9), subject: Self.renewed.subject, sequence: 4,
            text: Self.renewed.text, toldAt: Timestamp(millisecondsSince1970: 7))
        #expect(try EventEnvelope(elsewhere) == EventEnvelope(Self.renewed), "wherever it stands")
    }

    @Test func `I39 its content is what was kept, behind what the log adds`() throws {
        let renewed = try EventEnvelope(Self.renewed)
        #expect(renewed.type == "subscription.renewed" && "\(renewed.timestamp)" == "2026-01-01T00:00:00Z")
        let key = #""subscription":{"app":"notes","environment":"Production","originalTransactionId":"2000000111"}"#
        #expect(
            renewed.data
                == #"{"app":"notes","environment":"Production","sequence":4,\#(key),"# + Self.renewed.text.dropFirst())
        let granted = try EventEnvelope(Self.granted)
        #expect("\(granted.timestamp)" == "2026-01-01T00:00:00.250Z")
        #expect(
            granted.data
                == #"{"app":"notes","environment":"Production","sequence":1,"customer":"alice","# + Self.granted.text.dropFirst())
    }

    @Test(arguments: ["", "{}", "[]", "{", #"{"kind":7,"effectiveAt":1}"#, #"{"kind":"x"}"#, #"{"kind":"x","effectiveAt":"1"}"#])
    func `what is no event is an error`(_ text: String) {
        let error = #expect(throws: StorageError.self) { try EventEnvelope(Self.event(Self.renewed.subject, 1, text)) }
        #expect(error?.code == .corrupt)
    }

    @Test(arguments: ["", "1.2", "1.2.3.4", "-1.2.3", "1.2.-2", "01.2.3", "a.b.c", "1.2.3 ", "9223372036854775808.0.0"])
    func `TELL-3 what is no place in a log is none`(_ text: String) {
        #expect(LogPlace(text) == nil)
    }

    @Test func `TELL-3 places are in the order of transactions, rows and events, and are read back from their texts`() {
        let places = [
            .start, LogPlace(transaction: 0, row: 1, event: 0), LogPlace(transaction: 0, row: 1, event: 1),
            LogPlace(transaction: 0, row: 2, event: 0), LogPlace(transaction: 3, row: 1, event: -1),
        ]
        #expect(places.shuffled().sorted() == places)
        #expect(places.map { LogPlace($0.text) } == places)
    }
}
