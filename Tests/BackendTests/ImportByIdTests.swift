import AppStoreWire
import Foundation
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

    @Test func `RECON-8 an id of Xcode is refused, since Apple knows nothing of it`() async throws {
        try await withWorld { world in
            let known = try #require(world.backend.apps[World.app])
            var settings = AppSettings(
                id: known.id,
                expected: ExpectedApp(
                    bundleId: known.expected.bundleId, appAppleId: known.expected.appAppleId,
                    environments: [.production, .xcode]),
                content: known.content)
            settings.apple = AppleAccess()
            let backend = Backend(store: world.store, verifier: world.apple.verifier, apps: [settings], clock: world.clock)
            let item = ImportItem(.transactionId(Ledger.TransactionID("1"), .xcode), customer: World.alice)
            let result = try #require(try await backend.take([item], app: World.app).first)
            guard case .failure(.environmentNotTaken(.xcode, let taken)) = result else {
                Issue.record("\(result)")
                return
            }
            #expect(taken == [.production])
        }
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
            func work(_ performer: any WorkPerformer) async throws {
                let loop = WorkLoop(
                    store: world.store, clock: world.clock, lanes: [WorkLane(performer, limits: limits)], worker: "w",
                    pauses: .patient, jitter: { 0.5 })
                while try await loop.runOnce() > 0 {}
            }
            let people: [(String, CustomerID)] = [("1001", World.alice), ("2002", World.bob)]
            let items = people.map { id, customer in
                ImportItem(.transactionId(Ledger.TransactionID(id), .production), customer: customer)
            }
            let unknown = ImportItem(.transactionId(Ledger.TransactionID("3003"), .production), customer: nil)
            for result in try await backend.take(items + [unknown], app: World.app) { #expect(try result.get() == .scheduled) }
            for (id, _) in people { calls.reply(to: Self.states, try states(of: purchase(id), world)) }
            let notFound = AppleFailure(.transaction, code: "apple.4040010")
            calls.reply(to: Self.states, .failure(notFound))
            // 25 a second.
            #expect(
                try await backend.importProgress(of: World.app).parts == [
                    ImportProgress.Part(kind: .fetchStatuses, count: 3, atLeast: Milliseconds(120))
                ])
            try await work(StatusesPerformer(backend: backend, desk: desk))
            #expect(calls.sent.map(\.endpoint) == Array(repeating: Self.states.name, count: 3))
            for (_, customer) in people { #expect(try await world.isActive(customer)) }
            #expect(try await backend.importProgress(of: World.app).parts.map(\.kind) == [.fetchHistory])
            for (id, _) in people { calls.reply(to: Self.history, try history(of: purchase(id), world)) }
            calls.reply(to: Self.history, .failure(notFound))
            try await work(HistoryPerformer(backend: backend, desk: desk))
            #expect(calls.sent.dropFirst(3).map(\.endpoint) == Array(repeating: Self.history.name, count: 3))
            #expect(try await backend.importProgress(of: World.app).isDone)
            let failures = try await backend.importFailures(of: World.app, after: 0)
            #expect(failures.failures.map(\.subject) == ["3003"] && failures.failures.map(\.code) == ["apple.4040010"])
            #expect(failures.next == nil)
        }
    }

    /// How many pages of twenty a history has, at least five (F23 names 500).
    private static let pages = max(5, ProcessInfo.processInfo.environment["TENURE_HISTORY_PAGES"].flatMap { Int64($0) } ?? 5)

    @Test func `RECON-1 F23 a long history is read to its end though the server dies at a page, and later what is new of it`()
        async throws
    {
        try await withWorld { world in
            var settings = try #require(world.backend.apps[World.app])
            settings.apple = AppleAccess()
            let backend = Backend(store: world.store, verifier: world.apple.verifier, apps: [settings], clock: world.clock)
            let calls = ScriptedCalls()
            let desk = AppleDesk(calls, store: world.store, apps: [settings])
            _ = try await world.claim(World.alice)
            world.clock.set(PretendAppStore.june.adding(.days(30 * 20 * Self.pages)))
            let now = world.clock.now()
            func order() async throws {
                let order = try WorkOrder(fetchingHistoryOf: World.key(), at: now)
                try await world.store.write { try $0.order([order]) }
            }
            func work() async throws {
                let loop = WorkLoop(
                    store: world.store, clock: world.clock,
                    lanes: [WorkLane(HistoryPerformer(backend: backend, desk: desk))], worker: "w", pauses: .patient,
                    jitter: { 0.5 })
                while try await loop.runOnce() > 0 {}
            }
            func page(_ number: Int64, of pages: Int64) throws -> ScriptedCalls.Reply {
                let signed = try (number * 20..<number * 20 + 20).map { period in
                    let renewed = Purchase().renewed(period + 1).with { $0.signedDate = PretendAppStore.june.adding(.days(1)) }
                    return "\"\(try world.apple.sign(renewed))\""
                }
                let hasMore = number + 1 < pages
                return .json(
                    #"{"revision":"r\#(number)","hasMore":\#(hasMore),"signedTransactions":[\#(signed.joined(separator: ","))]}"#)
            }
            try await order()
            for number in 0..<3 as Range<Int64> { calls.reply(to: Self.history, try page(number, of: Self.pages)) }
            calls.reply(to: Self.history, .failure(AppleFailure(.host, code: "network.connectionReset")))
            try await work()
            // Another server goes on where this one was.
            world.clock.set(now.adding(.minutes(20)))
            for number in 3..<Self.pages { calls.reply(to: Self.history, try page(number, of: Self.pages)) }
            let begun = ContinuousClock.now
            try await work()
            print("a history of \(Self.pages * 20) transactions: \(ContinuousClock.now - begun)")
            #expect(calls.sent.prefix(6).map(\.revision) == [nil, "r0", "r1", "r2", "r2", "r3"])
            #expect(Int64(calls.sent.count) == Self.pages + 1, "no page was asked for twice but the one that failed")
            let known = try #require(try await world.store.subscription(World.key()))
            #expect(Int64(known.state.periods.count) == Self.pages * 20 + 1)
            try await order()
            calls.reply(to: Self.history, .json(#"{"revision":"rx","hasMore":false,"signedTransactions":[]}"#))
            try await work()
            #expect(calls.sent.last?.revision == "r\(Self.pages - 1)")
        }
    }
}
