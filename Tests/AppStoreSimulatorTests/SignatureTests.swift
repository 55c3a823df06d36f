import AppStoreWire
import Foundation
import Primitives
import SimulatorPKI
import Testing

@testable import AppStoreModel
@testable import AppStoreSimulator

/// The server's own verifier, which was written independently, accepts what the simulator signs.
@Suite struct SignatureTests {
    @Test(arguments: [Primitives.Environment.production, .sandbox])
    func `what the simulator signs is verified under its root, and only there`(environment: Primitives.Environment) async throws {
        let simulator = try AppStoreSimulator(configuration: try World.configuration(environment))
        let app = ExpectedApp(bundleId: World.bundleId, appAppleId: World.appAppleId, environments: [environment])
        let account = try await simulator.openAccount()
        var order = PurchaseOrder(app: try await simulator.app(nil), account: account.account.id, product: "plus.monthly")
        order.appAccountToken = CompactUUID(World.token)
        let (_, bought) = try await simulator.buy(order)
        _ = try await simulator.advance(by: .days(400))
        let now = simulator.clockNow()
        let verifier = AppStoreVerifier(roots: TrustRoots(fingerprints: [simulator.rootFingerprint]))
        let report = try await simulator.subscription(bought.transaction.originalTransactionId)
        let transaction = try await verifier.transaction(report.latest.signedTransactionInfo, for: app, at: now).get()
        #expect(transaction.payload.originalTransactionId == bought.transaction.transactionId.rawValue)
        #expect(transaction.signedDate == now)
        let renewal = try await verifier.renewalInfo(report.signedRenewalInfo, for: app, at: now).get()
        #expect(try renewal.bound(to: transaction).get().payload.renewalDate == transaction.payload.expiresDate)
        let records = try await simulator.notifications(limit: 100)
        #expect(records.count == 14)
        for record in records {
            let verified = try await verifier.notification(record.signedPayload, for: app, at: now).get()
            #expect(verified.transaction != nil)
            #expect(verified.renewalInfo != nil)
        }
        let apple = AppStoreVerifier(roots: .apple)
        if case .success = await apple.transaction(bought.signedTransactionInfo, for: app, at: now) {
            Issue.record("a verifier with Apple's root accepted the simulator")
        }
    }

    @Test(arguments: [Primitives.Environment.production, .sandbox])
    func `a device's app transaction is verified, and is of whoever is signed in`(environment: Primitives.Environment)
        async throws
    {
        let simulator = try AppStoreSimulator(configuration: try World.configuration(environment))
        let expected = ExpectedApp(bundleId: World.bundleId, appAppleId: World.appAppleId, environments: [environment])
        let verifier = AppStoreVerifier(roots: TrustRoots(fingerprints: [simulator.rootFingerprint]))
        let app = try await simulator.app(nil)
        let (anna, ben) = (try await simulator.openAccount("anna"), try await simulator.openAccount("ben"))
        let device = try await simulator.addDevice("ipad", for: "anna")
        let got = simulator.clockNow()
        _ = try await simulator.advance(by: .days(3))
        for account in [anna, ben] {
            _ = try await simulator.signIn(device.id, as: account.account.id)
            let signed = try await simulator.appTransaction(of: app, on: device.id)
            let said = try await verifier.appTransaction(signed, for: expected, at: simulator.clockNow()).get().payload
            #expect(said.appTransactionId == account.installations.first.map { String($0.installation.appTransactionId) })
            #expect(said.originalPurchaseDate == got && said.receiptType == environment)
        }
        _ = try await simulator.signIn(device.id, as: nil)
        await #expect(throws: SimulatorRefusal.appTransactionMissing) {
            try await simulator.appTransaction(of: app, on: device.id)
        }
    }

    @Test func `an exported authority keeps all roots across a restart`() async throws {
        var configuration = try World.configuration()
        let first = try AppStoreSimulator(configuration: configuration)
        let exported = try await first.exportedAuthority()
        configuration.authorityPEM = exported
        let second = try AppStoreSimulator(configuration: configuration)
        #expect(second.rootFingerprint == first.rootFingerprint)
        #expect(try await second.receiptRootDER() == first.receiptRootDER())
        #expect(try await second.transactionReceiptIssuerDER() == first.transactionReceiptIssuerDER())
        #expect(try await second.exportedAuthority() == exported)
        // The file format from before the receipts' keys were stored.
        let parts = exported.components(separatedBy: "-----BEGIN CERTIFICATE-----")
        configuration.authorityPEM = parts.prefix(4).joined(separator: "-----BEGIN CERTIFICATE-----")
        #expect(try AppStoreSimulator(configuration: configuration).rootFingerprint == first.rootFingerprint)
        configuration.authorityPEM = parts.prefix(6).joined(separator: "-----BEGIN CERTIFICATE-----")
        #expect(throws: SigningAuthorityError.notAnExport) { try AppStoreSimulator(configuration: configuration) }
    }

    @Test func `a simulator is Production or Sandbox, and starts at the present time`() throws {
        var configuration = try World.configuration()
        configuration.environment = .xcode
        #expect(throws: SimulatorConfigurationError.environment(.xcode)) { try AppStoreSimulator(configuration: configuration) }
        configuration.environment = .sandbox
        configuration.startsAt = Timestamp(millisecondsSince1970: .max)
        #expect(throws: SimulatorConfigurationError.startsAt(configuration.startsAt)) {
            try AppStoreSimulator(configuration: configuration)
        }
        configuration.startsAt = World.start
        configuration.notificationURL = "file:///etc/passwd"
        #expect(throws: SimulatorConfigurationError.notificationURL) { try AppStoreSimulator(configuration: configuration) }
    }
}

@Suite struct ConcurrencyTests {
    @Test func `concurrent calls are executed one after another`() async throws {
        let simulator = try AppStoreSimulator(configuration: try World.configuration())
        let app = try await simulator.app(nil)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<40 {
                group.addTask {
                    let account = try await simulator.openAccount()
                    _ = try await simulator.buy(
                        PurchaseOrder(app: app, account: account.account.id, product: "plus.monthly"))
                    _ = try await simulator.advance(by: .seconds(1))
                }
            }
            try await group.waitForAll()
        }
        let dates = try await simulator.notifications(limit: 100).map(\.record.notification.signedDate)
        #expect(dates.count == 40)
        #expect(zip(dates, dates.dropFirst()).allSatisfy { $0 > $1 })
        #expect(simulator.clockNow() == World.start.adding(.seconds(40)))
    }

    @Test func `a few subscriptions run for ten years in one call`() async throws {
        let simulator = try AppStoreSimulator(configuration: try World.configuration())
        let app = try await simulator.app(nil)
        for _ in 0..<3 {
            let account = try await simulator.openAccount().account.id
            _ = try await simulator.buy(PurchaseOrder(app: app, account: account, product: "plus.monthly"))
        }
        let report = try await simulator.advance(by: .days(3650))
        #expect(report.isComplete)
        #expect(report.steps == 3 * 120)
    }
}
