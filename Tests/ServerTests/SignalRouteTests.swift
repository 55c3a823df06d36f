import APIContract
import HTTPTypes
import HummingbirdTesting
import Ledger
import Primitives
import Storage
import Testing

@testable import Server

/// Signals of abuse over HTTP (ABUSE-1).
@Suite struct `Signals and their routes` {
    private static let list = "/api/v1/apps/app/signals"
    private static let scope = Scope(app: World.app, environment: .production)

    private static func keep(_ world: World, customers: [String]) async throws {
        let signals = customers.map { customer in
            let evidence = [1, 2, 3].map { number in
                let id = OriginalTransactionID("\(number)")
                return AbuseSignal.Evidence(
                    at: PretendAppStore.june.adding(.days(Int64(number))), what: .transaction(id, TransactionID("\(number)")))
            }
            return StoredSignal(
                raising: AbuseSignal(.repeatedRefunds, .customer(CustomerID(customer)), score: 50, count: 3, evidence: evidence),
                in: scope, at: world.clock.now())
        }
        try await world.store.write { write in for signal in signals { try write.keep(signal) } }
    }

    private static func page(_ answer: Answer) throws -> PageBody<SignalBody> {
        try PageBody<SignalBody>(json: Array(answer.text.utf8))
    }

    @Test func `ABUSE-1 signals are listed page by page, and a filter that is misspelt is refused`() async throws {
        try await withRouter { world, client in
            try await Self.keep(world, customers: ["alice", "bob", "carol"])
            let first = try Self.page(try await client.get("\(Self.list)?limit=2&state=open"))
            #expect(first.items.map(\.customer) == ["carol", "bob"])
            let next = try #require(first.next)
            let second = try Self.page(try await client.get(next))
            #expect(second.items.map(\.customer) == ["alice"] && second.next == nil)
            #expect(second.items.first?.evidence.map(\.transactionId) == ["1", "2", "3"])
            #expect(try Self.page(try await client.get("\(Self.list)?customer=bob")).items.map(\.customer) == ["bob"])
            #expect(try Self.page(try await client.get("\(Self.list)?state=acknowledged")).items.isEmpty)
            #expect(try await client.get(next.replacing("state=open", with: "state=acknowledged")).code == "cursorInvalid")
            for wrong in ["state=new", "signalKind=fraud", "customer=a&originalTransactionId=1", "kind=repeatedRefunds"] {
                #expect(try await client.get("\(Self.list)?\(wrong)").code == "invalidParameter", "\(wrong)")
            }
        }
    }

    @Test func `ABUSE-1 a signal is acknowledged as it was seen, and saying it again is safe`() async throws {
        try await withRouter { world, client in
            try await Self.keep(world, customers: ["alice"])
            let seen = try #require(try Self.page(try await client.get(Self.list)).items.first)
            let address = "\(Self.list)/\(seen.id)/acknowledgement"
            func acknowledge(_ changedAt: Int64) async throws -> Answer {
                let body = #"{"changedAt":\#(changedAt),"actor":"mia","reason":"a new phone"}"#
                return try await client.send(.put, address, body: Array(body.utf8))
            }
            let version = seen.changedAt.millisecondsSince1970
            #expect(try await acknowledge(version - 1).code == "signalChanged")
            let first = try await acknowledge(version)
            let answer = try SignalBody(json: Array(first.text.utf8))
            #expect(!answer.isOpen && answer.acknowledgement?.actor == "mia" && answer.acknowledgement?.count == 3)
            #expect(try await acknowledge(version).text == first.text)
            #expect(try await client.get("\(Self.list)/\(seen.id)").text == first.text)
            #expect(try await client.get("\(Self.list)/\(seen.id)?environment=Sandbox").code == "unknownSignal")
            #expect(try await client.get("\(Self.list)/17000").code == "unknownSignal")
            #expect(try await client.get("\(Self.list)/first").code == "invalidParameter")
        }
    }

    @Test func `ABUSE-1 a customer and a subscription show the open signals about them`() async throws {
        try await withRouter { world, client in
            #expect(try await client.upload(try world.uploadBody()).status == .ok)
            try await Self.keep(world, customers: ["alice", "bob"])
            let id = OriginalTransactionID("1001")
            let others: [AbuseSignal] = [
                AbuseSignal(.crossgradeLoop, .subscription(id), score: 50, count: 4, evidence: []),
                AbuseSignal(.accountOfManyCustomers, .appleAccount(id), score: 50, count: 6, evidence: []),
                AbuseSignal(.crossgradeLoop, .subscription(OriginalTransactionID("2")), score: 50, count: 4, evidence: []),
            ]
            let now = world.clock.now()
            try await world.store.write { write in
                for signal in others { try write.keep(StoredSignal(raising: signal, in: Self.scope, at: now)) }
            }
            func ofCustomer() async throws -> [SignalBody] {
                let answer = try await client.get("/api/v1/apps/app/customers/alice")
                return try CustomerBody(json: Array(answer.text.utf8)).signals
            }
            let shown = try await ofCustomer()
            #expect(shown.map(\.customer) == ["alice"])
            let answer = try await client.get("/api/v1/apps/app/subscriptions/1001")
            let subscription = try SubscriptionBody(json: Array(answer.text.utf8))
            #expect(subscription.signals.map(\.kind) == ["accountOfManyCustomers", "crossgradeLoop"])
            let body = #"{"changedAt":\#(now.millisecondsSince1970)}"#
            let address = "\(Self.list)/\(try #require(shown.first).id)/acknowledgement"
            #expect(try await client.send(.put, address, body: Array(body.utf8)).status == .ok)
            #expect(try await ofCustomer().isEmpty)
        }
    }

    @Test func `ABUSE-1 the API has a word for every kind of signal`() {
        #expect(SignalWords.kinds == AbuseSignal.Kind.allCases.map(\.rawValue))
    }
}
