import Foundation
import Primitives
import StrictJSON
import Testing

@testable import AppStoreModel
@testable import AppStoreSimulator

/// A state is the whole store: a store that is saved, restored or started from a state continues as if nothing had happened.
@Suite struct StateTests {
    /// A world in which everything that the store saves happened at least once.
    private func busyStore() async throws -> (simulator: AppStoreSimulator, bought: TransactionNumber) {
        var configuration = try World.configuration()
        configuration.apps[0].keys = [InAppPurchaseKey(id: "KEY1")]
        configuration.apps[0].sharedSecret = "secret"
        let simulator = try AppStoreSimulator(configuration: configuration)
        let app = try await simulator.app(nil)
        for name in ["anna", "ben"] { _ = try await simulator.openAccount(name) }
        _ = try await simulator.openFamily("ours", organizer: "anna")
        _ = try await simulator.join("ours", "ben")
        var order = PurchaseOrder(app: app, account: "anna", product: "plus.monthly")
        order.appAccountToken = CompactUUID(World.token)
        let (_, bought) = try await simulator.buy(order)
        let (_, lifetime) = try await simulator.buy(PurchaseOrder(app: app, account: "ben", product: "lifetime"))
        _ = try await simulator.addDevice("ipad", for: "anna")
        _ = try await simulator.setPayment(.fails(gracePeriodDays: 16), of: bought.transaction.originalTransactionId)
        _ = try await simulator.requestRefund(lifetime.transaction.transactionId, .legal)
        try await simulator.setSigning(.newLeaf)
        _ = try await simulator.setDelivery(.delay(.days(3)))
        try await simulator.setSigning(.endedLeaf)
        _ = try await simulator.setAutoRenew(false, of: bought.transaction.originalTransactionId)
        try await simulator.setSigning(.wrongChain)
        _ = try await simulator.setAutoRenew(true, of: bought.transaction.originalTransactionId)
        _ = try await simulator.setAutoRenew(false, of: bought.transaction.originalTransactionId)
        _ = try await simulator.setAutoRenew(true, of: bought.transaction.originalTransactionId)
        try await simulator.setSigning(.right)
        await simulator.setFaults([Fault(face: .verifyReceipt, kind: .stale)], seed: 3)
        _ = try await simulator.receiptRootDER()
        _ = try await simulator.setDelivery(nil, in: .sandbox, url: .address("http://127.0.0.1:9/v1"), version: .v1)
        let test = APICall(
            app: app, environment: .sandbox, method: "POST", path: ["inApps", "v1", "notifications", "test"], query: [], body: [])
        #expect(await simulator.answer(test).status == 200)
        let upload = APICall(
            app: app, environment: .production, method: "PUT",
            path: ["inApps", "v1", "messaging", "message", World.token], query: [],
            body: Array(#"{"header":"Stay","body":"Please."}"#.utf8))
        #expect(await simulator.answer(upload).status == 200)
        #expect(await simulator.takeNonce(World.token))
        try await misbehave(simulator, app)
        try await simulator.loseReceipt(of: "ben")
        try await simulator.setClockRate(.factor(60))
        return (simulator, bought.transaction.originalTransactionId)
    }

    /// What the services are told to do differently, and a change that they do not show yet.
    private func misbehave(_ simulator: AppStoreSimulator, _ app: AppNumber) async throws {
        let form: @Sendable (inout NotificationForm) -> Void = { ($0.transactionId, $0.partsApart) = (.another, Milliseconds(1)) }
        _ = try await simulator.setBehaviour(transactionLag: .days(30), form: form) {
            ($0.notificationLag, $0.paginationTokenLifetime, $0.retryAfter) = (.days(1), .minutes(5), .absent)
        }
        _ = try await simulator.openAccount("late")
        _ = try await simulator.buy(PurchaseOrder(app: app, account: "late", product: "pro.monthly"))
        var call = AskedCall(face: .serverAPI, environment: .production, path: "/")
        (call.endpoint, call.bundleId) = (.getNotificationHistory, World.bundleId)
        _ = await simulator.arrive(call)
        _ = await simulator.leave(call, status: 429, retryAt: World.days(1))
        let called = CalledEndpoint(app: app, environment: .production, endpoint: .getNotificationHistory)
        _ = await simulator.setLimit(7, of: called)
        _ = try await simulator.addKey("KEY2", to: app)
        _ = try await simulator.setRevoked(true, key: "KEY1", of: app)
    }

    /// Members of a state that versions before this one did not save.
    private static let newMembers = ["behaviour", "limits", "calls", "keys"]

    @Test func `a state that an earlier version saved is loaded`() async throws {
        let simulator = try AppStoreSimulator(configuration: try World.configuration())
        _ = try await simulator.openAccount("anna")
        let bytes = try SimulatorStateFile.bytes(of: try await simulator.save())
        let body = try #require(String(decoding: bytes, as: UTF8.self).split(separator: "\n").last)
        let state = try #require(try JSONDocument(Array(body.utf8)).root.object)
        #expect(Set(Self.newMembers).isSubset(of: state.map(\.name)))
        var old = JSONWriter()
        old.object { json in
            for member in state where !Self.newMembers.contains(member.name) {
                json.member(named: member.name) { $0.raw(member.value.rawBytes) }
            }
        }
        let loaded = try AppStoreSimulator(
            configuration: try SimulatorConfiguration(
                resuming: try SimulatorStateFile.state(from: SimulatorStateFile.framed(old.bytes))))
        #expect(try await loaded.account("anna").account.id == "anna")
        #expect(await loaded.presentBehaviour.behaviour == ServiceBehaviour())
        #expect(await loaded.store.showingLag.count == 0)
    }

    @Test func `a store restored from a state continues exactly as the one that saved it`() async throws {
        let (first, bought) = try await busyStore()
        let bytes = try SimulatorStateFile.bytes(of: try await first.save())
        let second = try AppStoreSimulator(
            configuration: try SimulatorConfiguration(resuming: try SimulatorStateFile.state(from: bytes)))
        #expect(second.rootFingerprint == first.rootFingerprint)
        #expect(second.clockNow() == first.clockNow())
        #expect(try SimulatorStateFile.bytes(of: try await second.save()) == bytes)
        for simulator in [first, second] { _ = try await simulator.advance(by: .days(400)) }
        #expect(await first.store == second.store)
        let told = try await first.notifications(limit: 1000)
        let toldBySecond = try await second.notifications(limit: 1000)
        #expect(told.map(\.record.notification) == toldBySecond.map(\.record.notification))
        #expect(told.count > 8)
        // What was signed before the state was saved is exactly the same text, whichever signer signed it.
        let old = { (reports: [NotificationReport]) in
            reports.filter { $0.record.notification.signedDate < World.start.adding(.hours(1)) }.map(\.signedPayload)
        }
        #expect(old(told).count >= 5)
        #expect(old(told) == old(toldBySecond))
        #expect(try await second.receiptRootDER() == first.receiptRootDER())
        #expect(await second.hasReceipt("ben") == false)
        #expect(await second.presentFaults == first.presentFaults)
        #expect(try await second.subscription(bought).subscription == first.subscription(bought).subscription)
        let keys = [await first.keyring, await second.keyring].map { $0.keys(of: World.bundleId) }
        #expect(keys[0].map(\.key.savedPEM) == keys[1].map(\.key.savedPEM))
        #expect(keys.map { $0.map(\.isRevoked) } == [[false, true], [false, true]])
        #expect(await second.behaviour == first.behaviour)
        #expect(await second.calls == first.calls)
        let app = try await first.app(nil)
        #expect(await second.limits(of: app, in: .production) == first.limits(of: app, in: .production))
    }

    @Test func `a store can be reset to its own state, and to no other store's`() async throws {
        let (simulator, bought) = try await busyStore()
        let state = try await simulator.save()
        let before = await simulator.store
        _ = try await simulator.advance(by: .days(100))
        try await simulator.restore(state)
        #expect(await simulator.store == before)
        #expect(simulator.clockNow() == before.now)
        #expect(try await simulator.subscription(bought).subscription.autoRenews)
        let (other, _) = try await busyStore()
        await #expect(throws: SimulatorRefusal.stateOfAnotherStore) { try await other.restore(state) }
    }

    @Test func `bytes that are not a state, or were changed, are refused`() async throws {
        let (simulator, _) = try await busyStore()
        let bytes = try SimulatorStateFile.bytes(of: try await simulator.save())
        let text = String(decoding: bytes, as: UTF8.self)
        func refusal(_ bytes: [UInt8]) throws -> SimulatorStateError {
            try #require(throws: SimulatorStateError.self) { try SimulatorStateFile.state(from: bytes) }
        }
        #expect(try refusal([]) == .notAState)
        #expect(try refusal(Array("{}\n{}\n".utf8)) == .notAState)
        #expect(try refusal(Array(bytes.dropLast(100))) == .changed)
        #expect(try refusal(Array(text.replacing(#""anna""#, with: #""anne""#).utf8)) == .changed)
        #expect(try refusal(Array(text.replacing(#""version":1"#, with: #""version":2"#).utf8)) == .ofVersion(2))
        // A newline that an editor adds at the end is not part of the content.
        _ = try SimulatorStateFile.state(from: bytes + [UInt8(ascii: "\n")])
    }

    @Test func `a state with a valid digest and a dangling reference is refused, and ends no process`() async throws {
        let (simulator, _) = try await busyStore()
        let bytes = try SimulatorStateFile.bytes(of: try await simulator.save())
        let text = String(decoding: bytes, as: UTF8.self)
        let body = String(try #require(text.split(separator: "\n").last))
        let wrongs = [
            (#""account":0"#, #""account":77"#), (#""app":0"#, #""app":9"#), (#""product":"#, #""product":-"#),
            (#""rightful":1"#, #""rightful":5"#), (#""forgotten":0"#, #""forgotten":9223372036854775807"#),
            (#""storefront":0"#, #""storefront":300"#), (#""begin":0"#, #""begin":9"#), (#""passed":0"#, #""passed":-1"#),
            (#""shownPlaces":"#, #""shownPlaces":-"#), (#""KEY2""#, #""KEY1""#), ("BEGIN CERTIFICATE", "BEGIN CERTIFICATION"),
        ]
        for (right, wrong) in wrongs {
            #expect(body.contains(right), "\(right)")
            let changed = Array(body.replacing(right, with: wrong).utf8)
            let error = #expect(throws: SimulatorStateError.self, "\(wrong)") {
                try SimulatorStateFile.state(from: SimulatorStateFile.framed(changed))
            }
            guard case .unreadable = error else {
                Issue.record("\(wrong): \(String(describing: error))")
                continue
            }
        }
        // It is not refused because of its first line.
        _ = try SimulatorStateFile.state(from: SimulatorStateFile.framed(Array(body.utf8)))
    }

    @Test func `a receipt root that was created after a state was saved is kept when the state is restored`() async throws {
        let simulator = try AppStoreSimulator(configuration: try World.configuration())
        let state = try await simulator.save()
        let root = try await simulator.receiptRootDER()
        try await simulator.restore(state)
        #expect(try await simulator.receiptRootDER() == root)
    }

    @Test func `a catalogue that is not from a file cannot be saved, and the error says so`() async throws {
        var configuration = try World.configuration()
        configuration.apps[0].catalogue = try Catalogue(products: [])
        let simulator = try AppStoreSimulator(configuration: configuration)
        let state = try await simulator.save()
        #expect(throws: SimulatorStateError.cannotBeSaved("the catalogue is not from a .storekit file")) {
            try SimulatorStateFile.bytes(of: state)
        }
    }
}

extension AppStoreSimulator {
    fileprivate func takeNonce(_ nonce: String) -> Bool {
        offers.take(nonce: nonce, signedAt: store.now, now: store.now)
    }
}
