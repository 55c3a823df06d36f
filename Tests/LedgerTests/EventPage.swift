import Foundation
import Ledger
import Primitives
import Testing

/// docs/events.md against the code: every kind, its fields, its example, and what RevenueCat calls it.
@Suite struct EventPage {
    private static let common: Set<String> = ["kind", "subscription", "effectiveAt", "rule"]

    private struct Row {
        let kind: LedgerEvent.Kind
        let fields: Set<String>
        let revenueCat: Set<String>
    }

    private static var page: String {
        get throws { try String(contentsOf: Project.root.appendingPathComponent("docs/events.md"), encoding: .utf8) }
    }

    private static func rows() throws -> [Row] {
        try page.matches(of: #/(?m)^\| `(\w+\.\w+)` \| ([^|]+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/#).map { match in
            Row(
                kind: try #require(LedgerEvent.Kind(rawValue: String(match.output.1))),
                fields: Set(match.output.3.matches(of: #/`(\w+)`/#).map { String($0.output.1) }),
                revenueCat: Set(match.output.5.matches(of: #/`([A-Z_]+)`/#).map { String($0.output.1) }))
        }
    }

    @Test func `every kind of event about a customer has a row, and no other has`() throws {
        let rows = try Self.page.matches(of: #/(?m)^\| `(\w+\.\w+)` \| ([^|]+) \| ([^|]+) \|$/#).map { String($0.output.1) }
        #expect(rows == CustomerEvent.Kind.allCases.map(\.rawValue))
    }

    /// The examples of the page, unchanged.
    private static func examples() throws -> [Data] {
        try page.matches(of: #/(?m)^\{.+\}$/#).map { Data($0.output.utf8) }
    }

    private static func keys(_ event: LedgerEvent) throws -> Set<String> {
        let object = try JSONSerialization.jsonObject(with: try JSONEncoder().encode(event))
        return Set((object as? [String: Any] ?? [:]).keys)
    }

    /// All events from the table of notifications and from random lives.
    private static func told() throws -> [LedgerEvent] {
        var events: [LedgerEvent] = []
        for row in try NotificationTable.rows() {
            let script = NotificationScript(row: row)
            var book = NotificationTableTests.book(in: script)
            book.tell(script.facts.map { .fact($0) }, at: script.signedAt)
            book.doWhatIsDue(until: day(2030, 1, 1))
            events += book.events
        }
        for seed in 1...UInt64(100) {
            var book = Book(AppPolicy(onRestore: seed.isMultiple(of: 2) ? .transfer : .ask))
            for input in Life(seed: seed).inputs { book.tell(input, at: input.instant) }
            book.doWhatIsDue(until: day(2040, 1, 1))
            events += book.events
        }
        return events
    }

    @Test func `every kind is on the page once, with an example`() throws {
        #expect(try Self.rows().map(\.kind) == LedgerEvent.Kind.allCases)
        let examples = try Self.examples().map { try JSONDecoder().decode(LedgerEvent.self, from: $0) }
        #expect(examples.map(\.kind) == LedgerEvent.Kind.allCases)
    }

    @Test func `each example has exactly the fields of its row, and is read and written without loss`() throws {
        for (row, example) in zip(try Self.rows(), try Self.examples()) {
            let written = Set(((try JSONSerialization.jsonObject(with: example)) as? [String: Any] ?? [:]).keys)
            #expect(written == row.fields.union(Self.common), "\(row.kind.rawValue)")
            let event = try JSONDecoder().decode(LedgerEvent.self, from: example)
            #expect(try Self.keys(event) == written, "\(row.kind.rawValue)")
            #expect(try JSONDecoder().decode(LedgerEvent.self, from: try JSONEncoder().encode(event)) == event)
        }
    }

    @Test func `no event has a field that the page does not name for its kind, and all kinds but four are seen`() throws {
        let fields = Dictionary(uniqueKeysWithValues: try Self.rows().map { ($0.kind, $0.fields.union(Self.common)) })
        let told = try Self.told()
        for event in told {
            let unnamed = try Self.keys(event).subtracting(fields[event.kind] ?? [])
            #expect(unnamed.isEmpty, "\(event.kind.rawValue) bears \(unnamed.sorted())")
        }
        let unseen = LedgerEvent.Kind.allCases.filter { kind in !told.contains { $0.kind == kind } }
        // No single subscription's history shows these; warnings and late news have their own tests.
        #expect(
            Set(unseen).isSubset(of: [
                .ownerProposed, .customerMerged, .paymentDoubled, .signalRaised, .warningUnknown, .newsLate,
                .deliveryRefused, .assignmentRevoked,
            ]))
    }

    @Test func `events made elsewhere have the fields of their row`() throws {
        let (other, instant) = (OriginalTransactionID("2000"), day(2026, 1, 1))
        var book = Book()
        book.tell(
            transaction("1000", ProductID("coins"), from: instant, to: nil) {
                ($0.type, $0.details.quantity) = (.consumable, 1)
            })
        let coins = try #require(book.state.periods.first)
        let had = CustomerDelivery(ConsumableDelivery(transactionId: TransactionID("1000"), deliveredAt: instant), to: alice)
        let events = [
            LedgerEvent.ownerProposed(of: key, alice, ownerOf: other, at: instant),
            .customerMerged(bob, into: alice, holding: key, at: instant),
            .paymentDoubled(of: key, and: other, by: alice, giving: EntitlementID("plus"), at: instant),
            .deliveryRefused(of: coins, key, to: bob, having: had, at: instant),
            .signalRaised("crossgradeLoop", about: alice, on: key, at: instant),
        ]
        let fields = Dictionary(uniqueKeysWithValues: try Self.rows().map { ($0.kind, $0.fields.union(Self.common)) })
        for event in events { #expect(try Self.keys(event) == fields[event.kind] ?? [], "\(event.kind.rawValue)") }
    }

    @Test func `the page has RevenueCat's name for each kind`() throws {
        for (row, example) in zip(try Self.rows(), try Self.examples()) {
            let event = try JSONDecoder().decode(LedgerEvent.self, from: example)
            let types = RevenueCatEvent.events(for: event).map(\.type.rawValue)
            #expect(Set(types) == row.revenueCat, "\(row.kind.rawValue)")
        }
    }

    // MARK: RevenueCat's reasons

    /// One event, as a receiver reads it, with these fields in addition to the common ones.
    private func event(_ kind: LedgerEvent.Kind, _ fields: String = "") throws -> LedgerEvent {
        let text = """
            {"kind":"\(kind.rawValue)","subscription":{"app":"app","environment":"Production","originalTransactionId":"1000"},\
            "effectiveAt":0,"rule":"PER-2"\(fields.isEmpty ? "" : "," + fields)}
            """
        return try JSONDecoder().decode(LedgerEvent.self, from: Data(text.utf8))
    }

    /// Source: RevenueCat, "Event Types and Fields", `cancel_reason` and `expiration_reason`; App Store, `expirationIntent`.
    @Test(arguments: [
        (LedgerEvent.Kind.renewalTurnedOff, "", ["CANCELLATION UNSUBSCRIBE"]),
        (.renewalTurnedOff, #""expirationIntent":1"#, ["CANCELLATION UNSUBSCRIBE"]),
        // The billing error was reported when the charge failed.
        (.renewalTurnedOff, #""expirationIntent":2"#, []),
        (.renewalTurnedOff, #""expirationIntent":3"#, ["CANCELLATION PRICE_INCREASE"]),
        (.renewalTurnedOff, #""expirationIntent":4"#, ["CANCELLATION DEVELOPER_INITIATED"]),
        (.renewalTurnedOff, #""expirationIntent":5"#, ["CANCELLATION UNKNOWN"]),
        (.billingFailed, "", ["BILLING_ISSUE -", "CANCELLATION BILLING_ERROR"]),
        (.accessEnded, #""endedBecause":"expired","wasSetToRenew":false"#, ["EXPIRATION UNSUBSCRIBE"]),
        (.accessEnded, #""endedBecause":"expired","expirationIntent":3"#, ["EXPIRATION PRICE_INCREASE"]),
        (.accessEnded, #""endedBecause":"noNewsFromApple","status":"billingRetry""#, ["EXPIRATION BILLING_ERROR"]),
        (.accessEnded, #""endedBecause":"noNewsFromApple","status":"expired""#, ["EXPIRATION UNKNOWN"]),
        (.accessEnded, #""endedBecause":"graceOver""#, ["EXPIRATION BILLING_ERROR"]),
        (.accessEnded, #""endedBecause":"graceOver","expirationIntent":1"#, ["EXPIRATION UNSUBSCRIBE"]),
        (.accessEnded, #""endedBecause":"refunded""#, ["EXPIRATION CUSTOMER_SUPPORT"]),
        (.purchaseRefunded, #""isLatestPeriod":true"#, ["CANCELLATION CUSTOMER_SUPPORT"]),
        (.purchaseRefunded, #""isLatestPeriod":false"#, []),
        (.subscriptionChanged, "", ["PRODUCT_CHANGE -", "RENEWAL -"]),
        (.changeScheduled, "", ["PRODUCT_CHANGE -"]),
        (.ownerChanged, #""customer":"alice""#, []),
        (.ownerChanged, #""previousCustomer":"alice""#, []),
        (.ownerChanged, #""customer":"alice","previousCustomer":"bob""#, ["TRANSFER -"]),
    ])
    func `an event has the types and reasons that RevenueCat sends`(kind: LedgerEvent.Kind, fields: String, expected: [String])
        throws
    {
        let sent = RevenueCatEvent.events(for: try event(kind, fields)).map {
            "\($0.type.rawValue) \($0.reason?.rawValue ?? "-")"
        }
        #expect(sent == expected)
    }

    @Test func `every type of RevenueCat's that the App Store can cause is sent for something`() throws {
        let sent = try Self.examples().flatMap {
            RevenueCatEvent.events(for: try JSONDecoder().decode(LedgerEvent.self, from: $0)).map(\.type)
        }
        #expect(Set(sent) == Set(RevenueCatEvent.Kind.allCases))
    }
}
