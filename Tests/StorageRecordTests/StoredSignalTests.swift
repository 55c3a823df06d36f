import Ledger
import Primitives
import Testing

@testable import Storage

@Suite struct `A kept signal` {
    private static let scope = Scope(app: AppID("app"), environment: .production)
    private static let start = Timestamp(millisecondsSince1970: 1_767_225_600_000)

    private static func refunds(_ numbers: ClosedRange<Int>) -> AbuseSignal {
        AbuseSignal(
            .repeatedRefunds, .customer(CustomerID("alice")), score: 50, count: numbers.count,
            evidence: numbers.map { number in
                let id = "\(number)"
                return .init(at: start, what: .transaction(OriginalTransactionID(id), TransactionID(id)))
            })
    }

    @Test func `while it is open it takes what is found, and less only where everything was looked at`() {
        var kept = StoredSignal(raising: Self.refunds(1...3), in: Self.scope, at: Self.start)
        let step1 = kept.take(Self.refunds(1...3), isWhole: true, at: Self.start.adding(.days(1)))
        #expect(step1 == .nothing)
        let step2 = kept.take(Self.refunds(1...4), isWhole: false, at: Self.start.adding(.days(1)))
        #expect(step2 == .changed)
        let step3 = kept.take(Self.refunds(2...4), isWhole: false, at: Self.start.adding(.days(2)))
        #expect(step3 == .nothing)
        let step4 = kept.take(Self.refunds(2...4), isWhole: true, at: Self.start.adding(.days(2)))
        #expect(step4 == .changed)
        #expect(kept.isOpen && kept.raises == 1 && kept.raisedAt == Self.start && kept.signal.count == 3)
    }

    @Test func `acknowledged, it is raised again by more alone, and keeps what was said of it`() {
        var kept = StoredSignal(raising: Self.refunds(1...3), in: Self.scope, at: Self.start)
        let said5 = kept.acknowledge(by: "mia", because: "known", at: Self.start.adding(.days(1)))
        #expect(said5)
        let said6 = kept.acknowledge(by: "mia", because: "known", at: Self.start.adding(.days(2)))
        #expect(!said6)
        #expect(kept.acknowledgement?.at == Self.start.adding(.days(1)) && !kept.isOpen)
        let step7 = kept.take(Self.refunds(2...3), isWhole: true, at: Self.start.adding(.days(3)))
        #expect(step7 == .nothing)
        #expect(kept.signal.count == 3)
        let step8 = kept.take(Self.refunds(2...4), isWhole: true, at: Self.start.adding(.days(3)))
        #expect(step8 == .raised)
        #expect(kept.isOpen && kept.raises == 2 && kept.raisedAt == Self.start.adding(.days(3)))
        #expect(kept.firstRaisedAt == Self.start && kept.acknowledgement?.count == 3)
    }

    @Test func `each change is later than the one before, though the clock stands still or goes back`() {
        var kept = StoredSignal(raising: Self.refunds(1...3), in: Self.scope, at: Self.start)
        var last = kept.changedAt
        for (number, instant) in [Self.start, Self.start.adding(.days(-1)), Self.start].enumerated() {
            let said9 = kept.acknowledge(by: "mia \(number)", because: "", at: instant)
            #expect(said9)
            #expect(kept.changedAt > last)
            last = kept.changedAt
        }
    }

    @Test func `a row without its customers' names shows numbers, and one of another form is refused`() throws {
        let text = try SignalCoding.encode(
            [.init(at: Self.start, what: .customer(CustomerID("alice"), OriginalTransactionID("1")))]) { _ in 7 }
        #expect(!text.contains("alice"))
        #expect(try SignalCoding.customers(subject: "customer/9", evidence: text) == [7, 9])
        let erased = CustomerNames([])
        #expect(try SignalCoding.subject("customer/9", erased) == .customer(CustomerID("erased/9")))
        #expect(try SignalCoding.evidence(text, erased).map(\.customer) == [CustomerID("erased/7")])
        #expect(throws: StorageError.self) { try SignalCoding.subject("device/9", erased) }
        #expect(throws: StorageError.self) { try SignalCoding.evidence("[{\"at\":1,\"subscription\":\"1\"}]", erased) }
    }
}
