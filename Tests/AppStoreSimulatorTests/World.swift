import Foundation
public import Primitives
import StrictJSON
import Testing

@testable import AppStoreSimulator

/// The shop that the tests buy in: the example catalogue of the documentation, in January of 2026.
enum World {
    static let start = Timestamp(millisecondsSince1970: 1_767_225_600_000)  // 2026-01-01T00:00:00Z
    static let token = "2f0c3b1e-7a55-4c0d-9a51-0d8a6f1f9b11"
    static let bundleId = "com.example.tenure.demo"
    static let appAppleId: Int64 = 6_400_000_001

    static func catalogue() throws -> Catalogue {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        return try Catalogue(storeKitFile: Array(try Data(contentsOf: root.appending(path: "Examples/demo.storekit"))))
    }

    static func store(_ environment: Primitives.Environment = .production, seed: UInt64 = 7) throws -> Store {
        let app = StoreApp(bundleId: bundleId, appAppleId: appAppleId, bundleVersion: "1", environment: environment)
        return Store(app: app, catalogue: try catalogue(), startsAt: start, seed: seed)
    }

    static func configuration(_ environment: Primitives.Environment = .production) throws -> SimulatorConfiguration {
        SimulatorConfiguration(
            bundleId: bundleId, appAppleId: appAppleId, environment: environment, catalogue: try catalogue(), startsAt: start)
    }

    static func days(_ count: Int64) -> Timestamp { start.adding(.days(count)) }

    static func date(_ year: Int64, _ month: Int64, _ day: Int64) throws -> Timestamp {
        let date = try #require(CivilDate(year: year, month: month, day: day))
        return Timestamp(millisecondsSince1970: date.daysSince1970 * 86_400_000)
    }
}

/// A store with one customer, and what it said so far.
struct Story {
    var store: Store
    let account: AccountID
    var told: [StoreNotification] = []

    init(_ environment: Primitives.Environment = .production) throws {
        store = try World.store(environment)
        account = try store.openAccount("anna").id
    }

    /// Forgets what was said, to look at what comes.
    mutating func forget() { told = [] }

    @discardableResult
    mutating func buy(_ product: String, token: String? = nil) throws -> StoreTransaction {
        let purchase = try store.buy(ProductID(product), for: account, appAccountToken: token)
        told += purchase.notifications
        return purchase.transaction
    }

    mutating func advance(to target: Timestamp) throws {
        while let next = try store.step(upTo: target) { told += next }
    }

    mutating func autoRenew(_ isOn: Bool) throws {
        told += try store.setAutoRenew(isOn, of: try subscription.originalTransactionId)
    }

    mutating func pay(_ payment: StoreSubscription.Payment) throws {
        told += try store.setPayment(payment, of: try subscription.originalTransactionId)
    }

    mutating func refund(_ id: TransactionID, _ order: RefundOrder = RefundOrder()) throws { told += try store.refund(id, order) }

    mutating func reverse(_ id: TransactionID) throws { told += try store.reverseRefund(id) }

    /// The customer's one subscription.
    var subscription: StoreSubscription {
        get throws {
            let first = try #require(try store.account(account).transactions.first)
            return try store.subscription(try store.transaction(first).originalTransactionId)
        }
    }

    var latest: StoreTransaction {
        get throws { try store.latestTransaction(of: try subscription) }
    }

    /// `TYPE/SUBTYPE` of what was said.
    var names: [String] {
        told.map { [$0.event.notificationType, $0.event.subtype].compactMap(\.self).joined(separator: "/") }
    }

    /// A payload's members as an app's server reads them.
    func renewalMembers() throws -> JSONObject {
        let payload = RenewalPayload(
            subscription: try subscription, renewalDate: try latest.expiresDate, appTransactionId: "1", app: store.app,
            storefront: store.catalogue.storefront, signedDate: store.signingInstant)
        return try #require(try JSONDocument(payload.bytes).root.object)
    }

    func members(of transaction: StoreTransaction) throws -> JSONObject {
        let payload = TransactionPayload(
            transaction: transaction, appTransactionId: "1", app: store.app, storefront: store.catalogue.storefront,
            signedDate: store.signingInstant)
        return try #require(try JSONDocument(payload.bytes).root.object)
    }
}

extension ID: ExpressibleByStringLiteral {
    /// An id as it stands in a test.
    public init(stringLiteral text: String) { self.init(text) }
}
