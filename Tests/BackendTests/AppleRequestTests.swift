import AppStoreWire
import Ledger
import Primitives
import Storage
import StrictJSON
import Testing

@testable import Backend

@Suite struct `What Apple is asked on request` {
    private struct Asking {
        let world: World
        let backend: Backend
        let calls = ScriptedCalls()
        let desk: AppleDesk

        init(_ world: World) throws {
            self.world = world
            var settings = try #require(world.backend.apps[World.app])
            settings.apple = AppleAccess()
            backend = Backend(store: world.store, verifier: world.apple.verifier, apps: [settings], clock: world.clock)
            desk = AppleDesk(calls, store: world.store, apps: [settings])
        }

        func extend(_ id: String = "outage-may", days: Int64 = 7) async throws -> Backend.AppleRequestReport {
            try await backend.extend(
                World.key(), by: Backend.Extension(days: days, reasonCode: 3), try Backend.RequestedBy(id: id, actor: "mia"),
                desk: desk)
        }

        func statuses(_ purchase: Purchase) throws -> ScriptedCalls.Reply {
            let item = LastTransactionsItem(
                status: AutoRenewableSubscriptionStatus(rawValue: 1), originalTransactionId: purchase.originalTransactionId,
                signedTransactionInfo: try world.apple.sign(purchase), signedRenewalInfo: try world.apple.sign(RenewalInfo()))
            let body = StatusResponse(data: [SubscriptionGroupIdentifierItem(lastTransactions: [item])])
            return .json(String(decoding: try StrictJSONEncoder().encode(body), as: UTF8.self))
        }
    }

    private static let extended = #"{"success":true,"effectiveDate":1783000000000}"#

    @Test func `An extension is asked for once under its id, and its history is then read`() async throws {
        try await withWorld { world in
            let asking = try Asking(world)
            _ = try await world.claim(World.alice)
            asking.calls.reply(to: .extendSubscriptionRenewalDate, .json(Self.extended))
            let first = try await asking.extend()
            #expect(first.result?.outcome == "accepted" && first.result?.answer == Self.extended && first.actor == "mia")
            #expect(try await asking.extend() == first)
            #expect(asking.calls.sent.count == 1)
            let sent = asking.calls.sent[0]
            #expect(sent.path == "/inApps/v1/subscriptions/extend/1001")
            #expect(sent.body.contains(#""requestIdentifier":"outage-may""#) && sent.body.contains(#""extendByDays":7"#))
            let work = try await world.store.work(about: World.key())
            #expect(work.contains { $0.order.kind == .fetchHistory && $0.state == .waiting })
            await #expect(throws: CustomerRefusal.idTaken("outage-may")) { _ = try await asking.extend(days: 8) }
        }
    }

    @Test func `What Apple refuses stays refused under its id; where Apple is away it is sent again`() async throws {
        try await withWorld { world in
            let asking = try Asking(world)
            _ = try await world.claim(World.alice)
            asking.calls.reply(
                to: .extendSubscriptionRenewalDate, .failure(AppleFailure(.host, code: "network.connectionRefused")),
                .failure(AppleFailure(.request, code: "apple.4030004")))
            #expect(await code { _ = try await asking.extend() } == "unavailable network.connectionRefused")
            #expect(await code { _ = try await asking.extend() } == "refused apple.4030004")
            #expect(await code { _ = try await asking.extend() } == "refused apple.4030004")
            #expect(asking.calls.sent.count == 2)
            asking.calls.reply(to: .extendSubscriptionRenewalDate, .json(#"{"success":false}"#))
            #expect(await code { _ = try await asking.extend("third") } == "refused apple.notDone")
            // Apple takes 1 to 90 days: nothing is sent, and nothing is kept.
            #expect(await code { _ = try await asking.extend("other", days: 91) } == "invalid extendByDays")
            #expect(asking.calls.sent.count == 3)
            let kept = try await asking.backend.appleRequests(about: "1001", app: World.app, environment: .production)
            #expect(kept.map(\.id).sorted() == ["outage-may", "third"])
        }
    }

    @Test func `RECON-6 a refresh asks now, once in ten seconds; what cannot be asked now is asked as soon as it can be`()
        async throws
    {
        try await withWorld { world in
            let asking = try Asking(world)
            _ = try await world.claim(World.alice)
            let purchase = Purchase()
            let end = try #require(purchase.expiresDate)
            world.clock.set(end.adding(.minutes(2)))
            asking.calls.reply(to: .getAllSubscriptionStatuses, try asking.statuses(purchase.renewed()))
            #expect(try await asking.backend.refresh(World.key(), desk: asking.desk) == .answered(isNew: true))
            #expect(try await world.isActive(World.alice))
            #expect(
                await code { _ = try await asking.backend.refresh(World.key(), desk: asking.desk) }
                    == "justNow \(end.adding(.minutes(2)).adding(.seconds(10)))")
            world.clock.set(end.adding(.minutes(3)))
            asking.calls.reply(to: .getAllSubscriptionStatuses, try asking.statuses(purchase.renewed()))
            #expect(try await asking.backend.refresh(World.key(), desk: asking.desk) == .answered(isNew: false))
            world.clock.set(end.adding(.minutes(4)))
            asking.calls.reply(to: .getAllSubscriptionStatuses, .failure(AppleFailure(.host, code: "network.timedOut")))
            #expect(try await asking.backend.refresh(World.key(), desk: asking.desk) == .later(code: "network.timedOut"))
            let work = try await world.store.work(about: World.key())
            #expect(work.contains { $0.order.key == "refresh" && $0.state == .waiting })
        }
    }

    @Test func `Purchases of an order and refunds are kept, those with a forged signature are counted`() async throws {
        try await withWorld { world in
            let asking = try Asking(world)
            _ = try await world.claim(World.alice)
            let refunded = Purchase().with {
                $0.revocationDate = PretendAppStore.june.adding(.days(1))
                $0.signedDate = PretendAppStore.june.adding(.days(2))
            }
            world.clock.set(PretendAppStore.june.adding(.days(3)))
            let jws = try world.apple.sign(refunded)
            let forged = String(jws.dropLast(8)) + "AAAAAAAA"
            asking.calls.reply(
                to: .getRefundHistory,
                .json(#"{"signedTransactions":["\#(jws)"],"revision":"r1","hasMore":true}"#),
                .json(#"{"signedTransactions":["\#(forged)"],"revision":"r2","hasMore":false}"#))
            let told = try await asking.backend.refunds(of: World.key(), desk: asking.desk)
            #expect(told.purchases.map(\.isNew) == [true] && told.refused == 1 && told.isComplete)
            #expect(try await !world.isActive(World.alice))
            asking.calls.reply(
                to: .lookUpOrderID, .json(#"{"status":0,"signedTransactions":["\#(jws)"]}"#), .json(#"{"status":1}"#))
            let order = try await asking.backend.lookUp(order: "MQ6X2Z9T1B", app: World.app, desk: asking.desk)
            #expect(order.purchases.map(\.fact.transactionId) == [TransactionID("1001")] && !order.purchases[0].isNew)
            #expect(
                await code { _ = try await asking.backend.lookUp(order: "NONE", app: World.app, desk: asking.desk) }
                    == "unknownOrder")
        }
    }

    @Test func `A test notification is watched until it arrives`() async throws {
        try await withWorld { world in
            let asking = try Asking(world)
            let way = Backend.AppleWay(World.app, .production, by: asking.desk)
            asking.calls.reply(to: .requestTestNotification, .json(#"{"testNotificationToken":"t-1"}"#))
            #expect(try await asking.backend.requestTestNotification(way) == "t-1")
            let notification = Notification("55555555-51f5-4503-b5a8-c3a1af68eb20", "TEST", about: nil)
            let jws = try world.apple.sign(notification)
            let sending = #"{"signedPayload":"\#(jws)"}"#
            let sent = #"{"signedPayload":"\#(jws)","sendAttempts":[{"attemptDate":1,"sendAttemptResult":"SUCCESS"}]}"#
            asking.calls.reply(to: .getTestNotificationStatus, .json(sending), .json(sent))
            #expect(try await !asking.backend.testNotification("t-1", way).isReceived)
            _ = try await world.receive(notification)
            let found = try await asking.backend.testNotification("t-1", way)
            #expect(found.isReceived && found.attempts.map(\.result) == ["SUCCESS"])
        }
    }

    /// What a call is refused with, in short.
    private func code(_ body: () async throws -> Void) async -> String {
        do {
            try await body()
            return "nothing"
        } catch let error as BackendError {
            switch error {
            case .appleRefused(let code): return "refused \(code)"
            case .appleUnavailable(let code): return "unavailable \(code)"
            case .appleRequestInvalid(let field, _): return "invalid \(field)"
            case .refreshedJustNow(let until): return "justNow \(until)"
            case .unknownOrder: return "unknownOrder"
            default: return "\(error)"
            }
        } catch {
            return "\(error)"
        }
    }
}
