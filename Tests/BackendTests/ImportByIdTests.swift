import AppStoreWire
import Ledger
import Primitives
import Storage
import StrictJSON
import Testing

@testable import Backend

@Suite struct `Imports by transaction ids` {
    private static let states = ServerAPIEndpoint.getAllSubscriptionStatuses
    private static let history = ServerAPIEndpoint.getTransactionHistory

    private func purchase(_ id: String) -> Purchase {
        Purchase().with { ($0.transactionId, $0.originalTransactionId, $0.webOrderLineItemId) = (id, id, "9\(id)") }
    }

    private func states(of purchase: Purchase, _ world: World) throws -> ScriptedCalls.Reply {
        let item = LastTransactionsItem(
            status: AutoRenewableSubscriptionStatus(rawValue: 1), originalTransactionId: purchase.originalTransactionId,
            signedTransactionInfo: try world.apple.sign(purchase),
            signedRenewalInfo: try world.apple.sign(RenewalInfo(originalTransactionId: purchase.originalTransactionId)))
        let body = StatusResponse(data: [SubscriptionGroupIdentifierItem(lastTransactions: [item])])
        return .json(String(decoding: try StrictJSONEncoder().encode(body), as: UTF8.self))
    }

    private func history(of purchase: Purchase, _ world: World) throws -> ScriptedCalls.Reply {
        .json(#"{"revision":"r","hasMore":false,"signedTransactions":["\#(try world.apple.sign(purchase))"]}"#)
    }

    @Test func `RECON-8 everybody who has access is known before anybody's past is read, and what nobody knows is shown`()
        async throws
    {
        try await withWorld { world in
            var settings = try #require(world.backend.apps[World.app])
            settings.apple = AppleAccess()
            let backend = Backend(store: world.store, verifier: world.apple.verifier, apps: [settings], clock: world.clock)
            let calls = ScriptedCalls()
            let desk = AppleDesk(calls, store: world.store, apps: [settings])
            var limits = WorkLimits()
            limits.concurrency = 1
            let loop = WorkLoop(
                store: world.store, clock: world.clock,
                lanes: [WorkLane(HistoryPerformer(backend: backend, desk: desk), limits: limits)], worker: "w",
                jitter: { 0.5 })
            let people: [(String, CustomerID)] = [("1001", World.alice), ("2002", World.bob)]
            let items = people.map { id, customer in
                ImportItem(.transactionId(Ledger.TransactionID(id), .production), customer: customer)
            }
            let unknown = ImportItem(.transactionId(Ledger.TransactionID("3003"), .production), customer: nil)
            for result in try await backend.take(items + [unknown], app: World.app) { #expect(try result.get() == .scheduled) }
            for (id, _) in people { calls.reply(to: Self.states, try states(of: purchase(id), world)) }
            let notFound = AppleFailure(.transaction, code: "apple.4040010")
            calls.reply(to: Self.states, .failure(notFound))
            while try await loop.runOnce() > 0 {}
            #expect(calls.sent.map(\.endpoint) == Array(repeating: Self.states.name, count: 3))
            for (_, customer) in people { #expect(try await world.isActive(customer)) }
            world.clock.set(world.clock.now().adding(.minutes(2)))
            for (id, _) in people { calls.reply(to: Self.history, try history(of: purchase(id), world)) }
            calls.reply(to: Self.history, .failure(notFound))
            while try await loop.runOnce() > 0 {}
            #expect(calls.sent.dropFirst(3).map(\.endpoint) == Array(repeating: Self.history.name, count: 3))
            let failed = try await world.store.work(about: World.key("3003"))
            #expect(failed.map(\.lastError) == ["apple.4040010"])
        }
    }
}
