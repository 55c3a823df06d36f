import LedgerOracle
import Primitives
import SimulatorPKI
import StrictJSON

/// Signs the lives' statements, as Apple would, under a root that the server is configured to trust.
struct ChaosSigner: Sendable {
    private let authority: SigningAuthority

    /// Certificates that are valid for the whole time of the lives, and beyond.
    init() throws {
        let from = Timestamp(millisecondsSince1970: 631_152_000_000)
        let until = Timestamp(millisecondsSince1970: 2_208_988_800_000)
        authority = try SigningAuthority(validity: from...until)
    }

    var rootFingerprint: [UInt8] { authority.rootFingerprint }

    /// Whether certificates cover the instant.
    static func covers(_ signedDate: Int64) -> Bool { (631_152_000_001..<2_208_988_800_000).contains(signedDate) }

    func transaction(_ it: OracleTransaction, of app: ChaosApp) throws -> String {
        var writer = JSONWriter(reservingCapacity: 1024)
        writer.object { writer in
            writer.member("transactionId", it.transactionId)
            writer.member("originalTransactionId", it.originalTransactionId)
            writer.optionalMember("webOrderLineItemId", it.webOrderLineItemId)
            writer.member("bundleId", app.bundleId)
            writer.member("productId", it.productId)
            writer.member("subscriptionGroupIdentifier", "21500000")
            writer.member("purchaseDate", it.purchaseDate)
            writer.optionalMember("expiresDate", it.expiresDate)
            writer.member("quantity", 1 as Int64)
            writer.member("type", it.type.appleSpelling)
            writer.optionalMember("appAccountToken", it.appAccountToken)
            writer.optionalMember(
                "inAppOwnershipType",
                it.ownership.map { ownership in
                    switch ownership {
                    case .purchased: "PURCHASED"
                    case .familyShared: "FAMILY_SHARED"
                    case .assigned: "ASSIGNED"
                    }
                })
            writer.member("signedDate", it.signedDate)
            writer.optionalMember("revocationDate", it.revocationDate)
            writer.optionalMember("revocationType", it.revocationType)
            writer.optionalMember("revocationPercentage", it.revocationPercentage)
            if it.isUpgraded { writer.member("isUpgraded", true) }
            writer.member("environment", "Production")
            writer.member("storefront", "USA")
            writer.member("storefrontId", "143441")
            writer.optionalMember("transactionReason", it.reason.appleSpelling)
            writer.optionalMember("previousOriginalTransactionId", it.previousOriginalTransactionId)
            if it.isSeatAddition { writer.member("additionalTransactionReason", "SEAT_ADDITION") }
            writer.member("currency", "USD")
            writer.member("price", 9990 as Int64)
            writer.optionalMember("appTransactionId", it.appTransactionId)
            if it.monthlyCommitment { writer.member("billingPlanType", "MONTHLY") }
        }
        return try authority.sign(payload: writer.bytes)
    }

    func renewalInfo(_ it: OracleRenewalInfo) throws -> String {
        var writer = JSONWriter(reservingCapacity: 512)
        writer.object { writer in
            writer.member("originalTransactionId", it.originalTransactionId)
            writer.optionalMember("autoRenewProductId", it.autoRenewProductId)
            writer.member("autoRenewStatus", it.autoRenewStatus == true ? 1 : 0 as Int64)
            writer.member("isInBillingRetryPeriod", it.isInBillingRetryPeriod)
            writer.optionalMember("gracePeriodExpiresDate", it.gracePeriodExpiresDate)
            writer.optionalMember("expirationIntent", it.expirationIntent)
            writer.optionalMember("appAccountToken", it.appAccountToken)
            writer.member("signedDate", it.signedDate)
            writer.member("environment", "Production")
        }
        return try authority.sign(payload: writer.bytes)
    }

    /// The body of a notification V2.
    func notification(_ notice: OracleNotice, _ statement: ChaosLife.Statement, of app: ChaosApp) throws -> [UInt8] {
        let transaction = try transaction(statement.transaction, of: app)
        let renewalInfo = try statement.renewalInfo.map(renewalInfo)
        var writer = JSONWriter(reservingCapacity: 16_384)
        writer.object { writer in
            writer.member("notificationType", notice.type)
            writer.optionalMember("subtype", notice.subtype)
            writer.member("notificationUUID", notice.uuid)
            writer.member("version", "2.0")
            writer.member("signedDate", notice.signedDate)
            writer.member("data") { writer in
                writer.object { writer in
                    writer.member("appAppleId", app.appAppleId)
                    writer.member("bundleId", app.bundleId)
                    writer.member("bundleVersion", "1.0")
                    writer.member("environment", "Production")
                    writer.optionalMember("status", notice.status)
                    writer.member("signedTransactionInfo", transaction)
                    writer.optionalMember("signedRenewalInfo", renewalInfo)
                }
            }
        }
        let signedPayload = try authority.sign(payload: writer.bytes)
        var body = JSONWriter(reservingCapacity: signedPayload.utf8.count + 32)
        body.object { $0.member("signedPayload", signedPayload) }
        return body.bytes
    }
}

extension OracleProductType {
    fileprivate var appleSpelling: String {
        switch self {
        case .autoRenewable: "Auto-Renewable Subscription"
        case .nonConsumable: "Non-Consumable"
        case .consumable: "Consumable"
        case .nonRenewing: "Non-Renewing Subscription"
        }
    }
}

extension OracleReason {
    fileprivate var appleSpelling: String? {
        switch self {
        case .purchase: "PURCHASE"
        case .renewal: "RENEWAL"
        case .none: nil
        }
    }
}
