import Foundation
import Ledger
import Primitives
import Testing

/// The fold of `owner.changed` alone: stretches of time, received in any order.
@Suite struct ToldOwnersTests {
    /// As a receiver reads it (docs/events.md).
    private func event(_ customer: CustomerID?, from start: Timestamp, until end: Timestamp? = nil) throws -> LedgerEvent {
        let named = customer.map { #","customer":"\#($0)""# } ?? ""
        let ended = end.map { #","until":\#($0.millisecondsSince1970)"# } ?? ""
        let text = """
            {"kind":"owner.changed","subscription":{"app":"app","environment":"Production","originalTransactionId":"1000"},\
            "effectiveAt":\(start.millisecondsSince1970),"rule":"OWN-5"\(named)\(ended)}
            """
        return try JSONDecoder().decode(LedgerEvent.self, from: Data(text.utf8))
    }

    private func owners(_ events: [LedgerEvent]) -> ToldOwners {
        events.reduce(into: SubscriptionStory()) { $0.take($1) }.owners
    }

    @Test func `I38 a past stretch changes the past and not the present`() throws {
        let told = owners([
            try event(alice, from: day(2026, 1, 1)), try event(bob, from: day(2026, 1, 10), until: day(2026, 1, 20)),
        ])
        #expect(told.owner(at: day(2025, 12, 31)) == nil)
        #expect(told.owner(at: day(2026, 1, 9)) == alice && told.owner(at: day(2026, 1, 10)) == bob)
        #expect(told.owner(at: day(2026, 1, 19)) == bob && told.owner(at: day(2026, 1, 20)) == alice)
        #expect(told.last == alice)
    }

    @Test func `I38 what was reported of a stretch is replaced by a later report`() throws {
        let told = owners([
            try event(alice, from: day(2026, 1, 1)), try event(bob, from: day(2026, 1, 10)),
            try event(carol, from: day(2026, 1, 5), until: day(2026, 1, 15)), try event(nil, from: day(2026, 1, 20)),
        ])
        let expected = [(4, alice), (5, carol), (14, carol), (15, bob), (19, bob)]
        for (date, customer) in expected { #expect(told.owner(at: day(2026, 1, Int64(date))) == customer) }
        #expect(told.owner(at: day(2026, 1, 20)) == nil && told.last == nil)
    }

    @Test func `I38 stories are equal if they say the same about every instant, however it was reported`() throws {
        let pieces = owners([
            try event(alice, from: day(2026, 1, 10)), try event(alice, from: day(2026, 1, 1), until: day(2026, 1, 10)),
        ])
        #expect(pieces == owners([try event(alice, from: day(2026, 1, 1))]))
        #expect(owners([try event(nil, from: day(2026, 1, 1))]) == ToldOwners())
    }
}
