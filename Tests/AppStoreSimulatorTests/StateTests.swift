import Foundation
import Primitives
import Testing

@testable import AppStoreModel
@testable import AppStoreSimulator

/// A state is the whole store: what is saved, put back and started from goes on as if nothing had been.
@Suite struct StateTests {
    /// A world in which everything that is kept of the store's happened at least once.
    private func busyStore() async throws -> (simulator: AppStoreSimulator, bought: TransactionID) {
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
        try await simulator.setSigning(.wrongChain)
        _ = try await simulator.setAutoRenew(false, of: bought.transaction.originalTransactionId)
        _ = try await simulator.setAutoRenew(true, of: bought.transaction.originalTransactionId)
        try await simulator.setSigning(.right)
        await simulator.setFaults([Fault(face: .verifyReceipt, kind: .stale)], seed: 3)
        _ = try await simulator.receiptRootDER()
        try await simulator.loseReceipt(of: "ben")
        try await simulator.setClockRate(.factor(60))
        return (simulator, bought.transaction.originalTransactionId)
    }

    @Test func `a store that goes on from a state lives on exactly as the one that saved it`() async throws {
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
        // What was signed before the state was saved is the very same text, whoever signed it.
        let old = { (reports: [NotificationReport]) in
            reports.filter { $0.record.notification.signedDate < World.start.adding(.hours(1)) }.map(\.signedPayload)
        }
        #expect(old(told).count >= 5)
        #expect(old(told) == old(toldBySecond))
        #expect(try await second.receiptRootDER() == first.receiptRootDER())
        #expect(await second.hasReceipt("ben") == false)
        #expect(await second.presentFaults == first.presentFaults)
        #expect(try await second.subscription(bought).subscription == first.subscription(bought).subscription)
        #expect(second.keyring.key("KEY1", of: World.bundleId)?.pem == first.keyring.key("KEY1", of: World.bundleId)?.pem)
    }

    @Test func `a store is put back to what it saved, and to nothing else's`() async throws {
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

    @Test func `bytes that are no state, or not what was written, are refused`() async throws {
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
        // An editor's newline at the end is none of its words.
        _ = try SimulatorStateFile.state(from: bytes + [UInt8(ascii: "\n")])
    }

    @Test func `a catalogue that is of no file cannot be saved, and says so`() async throws {
        var configuration = try World.configuration()
        configuration.apps[0].catalogue = try Catalogue(products: [])
        let simulator = try AppStoreSimulator(configuration: configuration)
        let state = try await simulator.save()
        #expect(throws: SimulatorStateError.cannotBeSaved("the catalogue is of no .storekit file")) {
            try SimulatorStateFile.bytes(of: state)
        }
    }
}
