import AppStoreWire
import Foundation
import Primitives
import SimulatorPKI

/// Payloads of Apple's real shape and size, signed under a chain of Apple's shape and size.
struct SignedSamples: Sendable {
    static let app = ExpectedApp(bundleId: "com.example.tenure.bench", appAppleId: 1_234_567_890, environments: [.production])
    static let monthly = "com.example.tenure.bench.gold.monthly"
    static let month = Milliseconds.days(30)

    let authority: SigningAuthority
    /// When everything is signed: a minute before the run began.
    let signedAt: Timestamp

    init() throws {
        signedAt = Timestamp(millisecondsSince1970: Int64(Date().timeIntervalSince1970) * 1000).adding(.minutes(-1))
        authority = try SigningAuthority(validity: signedAt.adding(.days(-365))...signedAt.adding(.days(365)))
    }

    var roots: TrustRoots { TrustRoots(fingerprints: [authority.rootFingerprint]) }

    /// One period of a subscription, as in a payload.
    struct Charge: Sendable {
        /// Which subscription, from 0, fewer than 10 million.
        let subscription: Int
        /// Which of its periods, from 0, fewer than 1,000.
        let number: Int
        let purchaseDate: Timestamp

        /// Apple's ids have sixteen digits, and the first transaction's id is the original one.
        var originalTransactionId: String { "\(2_000_000_900_000_000 + subscription)" }
        var transactionId: String {
            number == 0 ? originalTransactionId : "\(2_100_000_000_000_000 + subscription * 1000 + number)"
        }
        var webOrderLineItemId: String { "\(2_200_000_000_000_000 + subscription * 1000 + number)" }
        /// Each customer's purchases carry a token of their own.
        var appAccountToken: String { Self.uuid(subscription) }

        /// A UUID that ends in the number.
        static func uuid(_ number: Int) -> String {
            let digits = String(number)
            return "7e3fb20b-4cdb-47cc-936d-" + String(repeating: "0", count: max(0, 12 - digits.count)) + digits
        }
        var expiresDate: Timestamp { purchaseDate.adding(SignedSamples.month) }
    }

    static let charge = Charge(
        subscription: 1, number: 2, purchaseDate: Timestamp(millisecondsSince1970: 1_767_225_600_000))

    /// A transaction with 29 fields, about 6 KB.
    func transaction(_ charge: Charge) throws -> String {
        let json = """
            {"transactionId":"\(charge.transactionId)","originalTransactionId":"\(charge.originalTransactionId)",\
            "webOrderLineItemId":"\(charge.webOrderLineItemId)","bundleId":"\(Self.app.bundleId)","productId":"\(Self.monthly)",\
            "subscriptionGroupIdentifier":"21500000","purchaseDate":\(charge.purchaseDate.millisecondsSince1970),\
            "originalPurchaseDate":\(charge.purchaseDate.adding(.days(-90)).millisecondsSince1970),\
            "expiresDate":\(charge.expiresDate.millisecondsSince1970),"quantity":1,"type":"Auto-Renewable Subscription",\
            "appAccountToken":"\(charge.appAccountToken)","inAppOwnershipType":"PURCHASED",\
            "signedDate":\(signedAt.millisecondsSince1970),"isUpgraded":false,"offerType":2,"offerIdentifier":"spring-2026",\
            "environment":"Production","storefront":"USA","storefrontId":"143441","transactionReason":"RENEWAL","currency":"USD",\
            "price":9990,"offerDiscountType":"PAY_AS_YOU_GO","appTransactionId":"704280000000000001","offerPeriod":"P1M",\
            "revocationPercentage":0,"billingPlanType":"UPFRONT","deviceVerificationNonce":"48ccfa42-7431-4f22-9908-7e88983e105a"}
            """
        return try authority.sign(payload: Array(json.utf8))
    }

    func renewalInfo(_ charge: Charge) throws -> String {
        let json = """
            {"originalTransactionId":"\(charge.originalTransactionId)","autoRenewProductId":"\(Self.monthly)",\
            "productId":"\(Self.monthly)","autoRenewStatus":1,"renewalPrice":9990,"currency":"USD",\
            "signedDate":\(signedAt.millisecondsSince1970),"environment":"Production",\
            "recentSubscriptionStartDate":\(charge.purchaseDate.adding(.days(-90)).millisecondsSince1970),\
            "renewalDate":\(charge.expiresDate.millisecondsSince1970),"appTransactionId":"704280000000000001"}
            """
        return try authority.sign(payload: Array(json.utf8))
    }

    /// A renewal's notification with a transaction and a renewal info inside, about 20 KB.
    func notification(_ charge: Charge) throws -> String {
        try notification(of: (try transaction(charge), try renewalInfo(charge)), uuid: UUID().uuidString.lowercased())
    }

    /// The same with a transaction and a renewal info that are signed already.
    func notification(of signed: (transaction: String, renewalInfo: String), uuid: String) throws -> String {
        let json = """
            {"notificationType":"DID_RENEW","notificationUUID":"\(uuid)","version":"2.0",\
            "signedDate":\(signedAt.millisecondsSince1970),\
            "data":{"appAppleId":\(Self.app.appAppleId ?? 0),"bundleId":"\(Self.app.bundleId)","bundleVersion":"1.2.3",\
            "environment":"Production","status":1,"signedTransactionInfo":"\(signed.transaction)",\
            "signedRenewalInfo":"\(signed.renewalInfo)"}}
            """
        return try authority.sign(payload: Array(json.utf8))
    }
}
