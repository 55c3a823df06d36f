import Foundation
public import Primitives
import Testing

@testable import AppStoreModel
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

/// The notifications of a customer's subscription whose auto-renew was turned off and on.
func notifications(_ count: Int) throws -> [StoreNotification] {
    var store = AppStore(startsAt: World.start, seed: 7)
    let app = try store.add(StoreApp(bundleId: World.bundleId, appAppleId: 1, catalogue: try World.catalogue()))
    let account = try store.openAccount("anna", in: .production).id
    let purchase = try store.buy(PurchaseOrder(app: app, account: account, product: "plus.monthly"))
    var told = purchase.notifications
    for index in 1..<max(count, 1) {
        told += try store.setAutoRenew(index.isMultiple(of: 2), of: purchase.transaction.transactionId)
    }
    return told
}

extension ID: ExpressibleByStringLiteral {
    /// An id from a literal in a test.
    public init(stringLiteral text: String) { self.init(text) }
}
