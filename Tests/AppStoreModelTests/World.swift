import Foundation
public import Primitives
import StrictJSON
import Testing

@testable import AppStoreModel

/// The shop that the tests buy in: the example catalogue of the documentation, in January of 2026.
enum World {
    static let start = Timestamp(millisecondsSince1970: 1_767_225_600_000)  // 2026-01-01T00:00:00Z
    static let token = "2f0c3b1e-7a55-4c0d-9a51-0d8a6f1f9b11"

    static func catalogue() throws -> Catalogue {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        return try Catalogue(storeKitFile: Array(try Data(contentsOf: root.appending(path: "Examples/demo.storekit"))))
    }

    static func store(seed: UInt64 = 7, _ catalogue: Catalogue? = nil) throws -> (store: AppStore, app: AppNumber) {
        var store = AppStore(startsAt: start, seed: seed)
        let app = try store.add(
            StoreApp(
                bundleId: "com.example.tenure.demo", appAppleId: 6_400_000_001, catalogue: try catalogue ?? World.catalogue()))
        return (store, app)
    }

    static func days(_ count: Int64) -> Timestamp { start.adding(.days(count)) }

    static func date(_ year: Int64, _ month: Int64, _ day: Int64) throws -> Timestamp {
        let date = try #require(CivilDate(year: year, month: month, day: day))
        return Timestamp(millisecondsSince1970: date.daysSince1970 * 86_400_000)
    }

    static func transaction(_ number: Int64) throws -> TransactionNumber { try #require(TransactionNumber(String(number))) }
}

/// A store with one customer, and the notifications so far.
struct Story {
    var store: AppStore
    let app: AppNumber
    let account: AccountID
    var told: [StoreNotification] = []

    init(
        _ environment: Primitives.Environment = .production, seed: UInt64 = 7, catalogue: Catalogue? = nil
    ) throws {
        (store, app) = try World.store(seed: seed, catalogue)
        account = try store.openAccount("anna", in: environment).id
    }

    /// A catalogue of one subscription group, whose subscriptions are written as in a `.storekit` file.
    init(_ environment: Primitives.Environment = .production, subscriptions: String) throws {
        let text = #"{"subscriptionGroups":[{"id":"g","subscriptions":[\#(subscriptions)]}]}"#
        try self.init(environment, catalogue: try Catalogue(storeKitFile: Array(text.utf8)))
    }

    /// Drops the notifications so far, to look only at new ones.
    mutating func forget() { told = [] }

    func order(_ product: String, by account: AccountID? = nil) -> PurchaseOrder {
        PurchaseOrder(app: app, account: account ?? self.account, product: StoreProductID(product))
    }

    @discardableResult
    mutating func buy(_ product: String, token: String? = nil) throws -> StorePurchase {
        var order = order(product)
        order.appAccountToken = token.flatMap { CompactUUID($0) }
        return try buy(order).transaction
    }

    @discardableResult
    mutating func buy(_ order: PurchaseOrder) throws -> Purchase {
        let purchase = try store.buy(order)
        told += purchase.notifications
        return purchase
    }

    mutating func advance(to target: Timestamp) throws {
        while let next = try store.step(upTo: target) { told += next }
    }

    mutating func autoRenew(_ isOn: Bool) throws {
        told += try store.setAutoRenew(isOn, of: try subscription.originalTransactionId)
    }

    mutating func pay(_ payment: StoreSubscription.Payment?) throws {
        told += try store.setPayment(payment, of: try subscription.originalTransactionId)
    }

    mutating func refund(_ id: TransactionNumber, _ order: RefundOrder = RefundOrder()) throws {
        told += try store.refund(id, order)
    }

    mutating func reverse(_ id: TransactionNumber) throws { told += try store.reverseRefund(id) }

    /// The customer's one subscription.
    var subscription: StoreSubscription {
        get throws { try #require(store.subscriptions(of: app, for: try store.account(account).number).first) }
    }

    func subscription(of name: AccountID) throws -> StoreSubscription {
        try #require(store.subscriptions(of: app, for: try store.account(name).number).first)
    }

    var latest: StorePurchase {
        get throws { try store.latestTransaction(of: try subscription) }
    }

    /// The prices of all charges, in order.
    var prices: [Int64] {
        get throws {
            let ids = try #require(store.account(account).installations[app]).transactions
            return try ids.map { try store.transaction($0).price.count }
        }
    }

    /// `TYPE/SUBTYPE` of the notifications.
    var names: [String] {
        told.map { [$0.event.notificationType, $0.event.subtype].compactMap(\.self).joined(separator: "/") }
    }

    func productId(of transaction: StorePurchase) -> String {
        store[app].catalogue[transaction.product].id.rawValue
    }

    /// A payload's members as an app's server reads them.
    func renewalMembers(of name: AccountID? = nil) throws -> JSONObject {
        let subscription = try subscription(of: name ?? account)
        let payload = store.payload(
            of: subscription, renewalDate: try store.latestTransaction(of: subscription).expiresDate,
            signedDate: store.signingInstant)
        return try #require(try JSONDocument(payload).root.object)
    }

    func members(of transaction: StorePurchase) throws -> JSONObject {
        try #require(try JSONDocument(store.payload(of: transaction, signedDate: store.signingInstant)).root.object)
    }
}

extension ID: ExpressibleByStringLiteral {
    /// An id from a literal in a test.
    public init(stringLiteral text: String) { self.init(text) }
}
