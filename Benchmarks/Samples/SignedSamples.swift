package import AppStoreWire
import Foundation
package import Primitives
package import SimulatorPKI

/// Payloads of Apple's real shape and size, signed under a chain of Apple's shape and size.
package struct SignedSamples: Sendable {
    package static let app = ExpectedApp(
        bundleId: "com.example.tenure.bench", appAppleId: 1_234_567_890, environments: [.production])
    package static let monthly = "com.example.tenure.bench.gold.monthly"
    package static let month = Milliseconds.days(30)

    package let authority: SigningAuthority
    /// When everything is signed.
    package let signedAt: Timestamp

    /// - Parameter instant: when everything is signed; nil for a minute before now.
    package init(signedAt instant: Timestamp? = nil) throws {
        signedAt = instant ?? MachineClock().now().truncatedToSecond.adding(.minutes(-1))
        authority = try SigningAuthority(validity: signedAt.adding(.days(-365))...signedAt.adding(.days(365)))
    }

    package var roots: TrustRoots { TrustRoots(fingerprints: [authority.rootFingerprint]) }

    /// One period of a subscription, as in a payload.
    package struct Charge: Sendable {
        /// Which subscription, from 0, fewer than 10 million.
        package let subscription: Int
        /// Which Apple Account bought it, from 0, fewer than 10 million.
        package let account: Int
        /// Which of its periods, from 0, fewer than 1,000.
        package let number: Int
        package let purchaseDate: Timestamp
        /// Whether it was bought with a promotional offer, as few are.
        package var isOffered = false

        /// - Parameter account: nil where each subscription has an Apple Account of its own, with the same number.
        package init(subscription: Int, account: Int? = nil, number: Int, purchaseDate: Timestamp) {
            (self.subscription, self.account) = (subscription, account ?? subscription)
            (self.number, self.purchaseDate) = (number, purchaseDate)
        }

        /// Apple's ids have sixteen digits, and the first transaction's id is the original one.
        package var originalTransactionId: String { "\(2_000_000_900_000_000 + subscription)" }
        package var transactionId: String {
            number == 0 ? originalTransactionId : "\(2_100_000_000_000_000 + subscription * 1000 + number)"
        }
        package var webOrderLineItemId: String { "\(2_200_000_000_000_000 + subscription * 1000 + number)" }
        /// One for each Apple Account, as Apple gives it for a download of the app.
        package var appTransactionId: String { "\(704_280_000_000_000_000 + account)" }
        /// Each customer's purchases carry a token of their own.
        package var appAccountToken: String { Self.uuid(subscription) }

        /// A UUID that ends in the number.
        package static func uuid(_ number: Int) -> String {
            let digits = String(number)
            return "7e3fb20b-4cdb-47cc-936d-" + String(repeating: "0", count: max(0, 12 - digits.count)) + digits
        }
        package var expiresDate: Timestamp { purchaseDate.adding(SignedSamples.month) }
    }

    /// One with everything that a transaction can say.
    package static let charge = {
        var charge = Charge(subscription: 1, number: 2, purchaseDate: Timestamp(millisecondsSince1970: 1_767_225_600_000))
        charge.isOffered = true
        return charge
    }()

    /// A transaction with 29 fields, about 6 KB; 25 without an offer.
    package func transaction(_ charge: Charge) throws -> String {
        let reason = charge.number == 0 ? "PURCHASE" : "RENEWAL"
        let offer = #""offerType":2,"offerIdentifier":"spring-2026","offerDiscountType":"PAY_AS_YOU_GO","offerPeriod":"P1M","#
        let json = """
            {"transactionId":"\(charge.transactionId)","originalTransactionId":"\(charge.originalTransactionId)",\
            "webOrderLineItemId":"\(charge.webOrderLineItemId)","bundleId":"\(Self.app.bundleId)","productId":"\(Self.monthly)",\
            "subscriptionGroupIdentifier":"21500000","purchaseDate":\(charge.purchaseDate.millisecondsSince1970),\
            "originalPurchaseDate":\(charge.purchaseDate.adding(.days(-90)).millisecondsSince1970),\
            "expiresDate":\(charge.expiresDate.millisecondsSince1970),"quantity":1,"type":"Auto-Renewable Subscription",\
            "appAccountToken":"\(charge.appAccountToken)","inAppOwnershipType":"PURCHASED",\
            "signedDate":\(signedAt.millisecondsSince1970),"isUpgraded":false,\(charge.isOffered ? offer : "")\
            "environment":"Production","storefront":"USA","storefrontId":"143441","transactionReason":"\(reason)",\
            "currency":"USD",\
            "price":9990,"appTransactionId":"\(charge.appTransactionId)",\
            "revocationPercentage":0,"billingPlanType":"UPFRONT","deviceVerificationNonce":"48ccfa42-7431-4f22-9908-7e88983e105a"}
            """
        return try authority.sign(payload: Array(json.utf8))
    }

    package func renewalInfo(_ charge: Charge) throws -> String {
        let json = """
            {"originalTransactionId":"\(charge.originalTransactionId)","autoRenewProductId":"\(Self.monthly)",\
            "productId":"\(Self.monthly)","autoRenewStatus":1,"renewalPrice":9990,"currency":"USD",\
            "signedDate":\(signedAt.millisecondsSince1970),"environment":"Production",\
            "recentSubscriptionStartDate":\(charge.purchaseDate.adding(.days(-90)).millisecondsSince1970),\
            "renewalDate":\(charge.expiresDate.millisecondsSince1970),"appTransactionId":"\(charge.appTransactionId)"}
            """
        return try authority.sign(payload: Array(json.utf8))
    }

    /// A notification about a charge with a transaction and a renewal info inside, about 20 KB: `DID_RENEW`, or `SUBSCRIBED` with
    /// `INITIAL_BUY` about the first one.
    package func notification(_ charge: Charge) throws -> String {
        try notification(
            about: charge, of: (try transaction(charge), try renewalInfo(charge)), uuid: UUID().uuidString.lowercased())
    }

    /// The same with a transaction and a renewal info that are signed already.
    package func notification(
        about charge: Charge, of signed: (transaction: String, renewalInfo: String), uuid: String
    ) throws -> String {
        let type = charge.number == 0 ? #""SUBSCRIBED","subtype":"INITIAL_BUY""# : #""DID_RENEW""#
        let json = """
            {"notificationType":\(type),"notificationUUID":"\(uuid)","version":"2.0",\
            "signedDate":\(signedAt.millisecondsSince1970),\
            "data":{"appAppleId":\(Self.app.appAppleId ?? 0),"bundleId":"\(Self.app.bundleId)","bundleVersion":"1.2.3",\
            "environment":"Production","status":1,"signedTransactionInfo":"\(signed.transaction)",\
            "signedRenewalInfo":"\(signed.renewalInfo)"}}
            """
        return try authority.sign(payload: Array(json.utf8))
    }
}
