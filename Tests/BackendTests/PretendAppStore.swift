import AppStoreWire
import Primitives
import SimulatorPKI
import StrictJSON

/// The tests' signer, and its payloads. It shares no code with the rooms under test except the JSON writer.
struct PretendAppStore: Sendable {
    /// Keys are expensive to make, and tests only read them.
    static let shared: Result<PretendAppStore, any Error> = Result { try PretendAppStore() }

    /// 2026-06-01T00:00:00Z.
    static let june = Timestamp(millisecondsSince1970: 1_780_272_000_000)

    let authority: SigningAuthority
    /// The signer of app receipts.
    let receipts: ReceiptAuthority

    init(authority: SigningAuthority, receipts: ReceiptAuthority) {
        self.authority = authority
        self.receipts = receipts
    }

    init() throws {
        let validity = Self.june.adding(.days(-400))...Self.june.adding(.days(400))
        authority = try SigningAuthority(validity: validity)
        receipts = try ReceiptAuthority(validity: validity)
    }

    var roots: TrustRoots { TrustRoots(fingerprints: [authority.rootFingerprint]).adding(der: receipts.rootDER) }
    var verifier: AppStoreVerifier { AppStoreVerifier(roots: roots) }

    /// An app receipt of Production, made on 2 June 2026, with a month of each of these subscriptions from 1 June.
    func receipt(of ids: [String], bundleId: String = "com.example.app") throws -> [UInt8] {
        var content = ReceiptContent()
        content.text(0, "Production")
        content.text(2, bundleId)
        content.attribute(4, [1, 2, 3, 4, 5, 6, 7, 8])
        content.attribute(5, Array(repeating: 7, count: 20))
        content.date(12, "2026-06-02T00:00:00Z")
        for id in ids {
            var purchase = ReceiptContent()
            purchase.integer(1701, 1)
            purchase.text(1702, "plus.monthly")
            purchase.text(1703, id)
            purchase.date(1704, "2026-06-01T00:00:00Z")
            purchase.text(1705, id)
            purchase.integer(1707, 3)
            purchase.date(1708, "2026-07-01T00:00:00Z")
            purchase.integer(1711, Int64(id) ?? 0)
            content.purchase(purchase)
        }
        return try receipts.sign(content: content.der)
    }

    func sign(_ purchase: Purchase) throws -> String { try authority.sign(payload: purchase.json) }

    func sign(_ renewalInfo: RenewalInfo) throws -> String { try authority.sign(payload: renewalInfo.json) }

    /// The app itself, downloaded on 1 June 2026.
    func signAppTransaction() throws -> String {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("receiptType", "Production")
            writer.member("appAppleId", 42)
            writer.member("bundleId", "com.example.app")
            writer.member("originalApplicationVersion", "1.0")
            writer.member("originalPurchaseDate", Self.june.millisecondsSince1970)
            writer.member("receiptCreationDate", Self.june.millisecondsSince1970)
        }
        return try authority.sign(payload: writer.bytes)
    }

    /// The body that Apple posts.
    func body(_ notification: Notification) throws -> [UInt8] {
        Self.body(signedPayload: try sign(notification))
    }

    /// - Parameter transaction: the JWS inside; nil signs the notification's own.
    func sign(_ notification: Notification, transaction: String? = nil) throws -> String {
        let transaction = try transaction ?? notification.purchase.map { try sign($0) }
        let renewalInfo = try notification.renewalInfo.map { try sign($0) }
        return try authority.sign(payload: notification.json(transaction: transaction, renewalInfo: renewalInfo))
    }

    static func body(signedPayload: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { $0.member("signedPayload", signedPayload) }
        return writer.bytes
    }
}

/// One period of a subscription as Apple signs it: thirty days from 1 June 2026 unless changed.
struct Purchase: Sendable {
    var transactionId = "1001"
    var originalTransactionId = "1001"
    var webOrderLineItemId = "91001"
    var productId = "plus.monthly"
    var bundleId = "com.example.app"
    var environment = "Production"
    var type = "Auto-Renewable Subscription"
    var transactionReason = "PURCHASE"
    var inAppOwnershipType = "PURCHASED"
    var purchaseDate = PretendAppStore.june
    var expiresDate: Timestamp? = PretendAppStore.june.adding(.days(30))
    var signedDate = PretendAppStore.june
    var appAccountToken: String?
    var appTransactionId: String?
    var previousOriginalTransactionId: String?
    var revocationDate: Timestamp?
    var revocationPercentage: Int64?
    var quantity: Int64 = 1
    /// Bought at an introductory offer.
    var isIntroductory = false
    /// Bought at a promotional offer; Apple's `offerIdentifier`.
    var promotionalOffer: String?

    /// The same subscription's period `count` periods later.
    func renewed(_ count: Int64 = 1) -> Purchase {
        var next = self
        next.transactionId = transactionId + "-\(count)"
        next.webOrderLineItemId = webOrderLineItemId + "\(count)"
        next.purchaseDate = purchaseDate.adding(.days(30 * count))
        next.expiresDate = purchaseDate.adding(.days(30 * count + 30))
        next.signedDate = next.purchaseDate
        next.transactionReason = "RENEWAL"
        return next
    }

    func with(_ change: (inout Purchase) -> Void) -> Purchase {
        var copy = self
        change(&copy)
        return copy
    }

    var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("transactionId", transactionId)
            writer.member("originalTransactionId", originalTransactionId)
            writer.member("webOrderLineItemId", webOrderLineItemId)
            writer.member("bundleId", bundleId)
            writer.member("productId", productId)
            writer.member("purchaseDate", purchaseDate.millisecondsSince1970)
            writer.optionalMember("expiresDate", expiresDate?.millisecondsSince1970)
            writer.member("quantity", quantity)
            writer.member("type", type)
            writer.optionalMember("appAccountToken", appAccountToken)
            writer.optionalMember("appTransactionId", appTransactionId)
            writer.optionalMember("previousOriginalTransactionId", previousOriginalTransactionId)
            if isIntroductory { writer.member("offerType", 1) }
            if let promotionalOffer {
                writer.member("offerType", 2)
                writer.member("offerIdentifier", promotionalOffer)
                writer.member("offerDiscountType", "PAY_AS_YOU_GO")
            }
            writer.member("inAppOwnershipType", inAppOwnershipType)
            writer.member("signedDate", signedDate.millisecondsSince1970)
            writer.optionalMember("revocationDate", revocationDate?.millisecondsSince1970)
            if revocationDate != nil { writer.member("revocationReason", 0) }
            writer.optionalMember("revocationPercentage", revocationPercentage)
            writer.member("environment", environment)
            writer.member("transactionReason", transactionReason)
            writer.member("storefront", "USA")
            writer.member("price", promotionalOffer == nil ? 9990 : 4990)
            writer.member("currency", "USD")
        }
        return writer.bytes
    }
}

/// A renewal info as Apple signs it.
struct RenewalInfo: Sendable {
    var originalTransactionId = "1001"
    var autoRenewProductId = "plus.monthly"
    var autoRenewStatus: Int64 = 1
    /// In thousandths of a euro.
    var renewalPrice: Int64?
    var environment = "Production"
    var signedDate = PretendAppStore.june

    var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("originalTransactionId", originalTransactionId)
            writer.member("autoRenewProductId", autoRenewProductId)
            writer.member("productId", "plus.monthly")
            writer.member("autoRenewStatus", autoRenewStatus)
            if let renewalPrice {
                writer.member("renewalPrice", renewalPrice)
                writer.member("currency", "EUR")
            }
            writer.member("signedDate", signedDate.millisecondsSince1970)
            writer.member("environment", environment)
        }
        return writer.bytes
    }
}

/// A notification as Apple signs it, about a purchase or, for TEST, about none.
struct Notification: Sendable {
    var uuid = "002e14d5-51f5-4503-b5a8-c3a1af68eb20"
    var type = "SUBSCRIBED"
    var subtype: String?
    var bundleId = "com.example.app"
    var appAppleId: Int64 = 42
    var environment = "Production"
    var status: Int64? = 1
    var signedDate = PretendAppStore.june
    var purchase: Purchase?
    var renewalInfo: RenewalInfo?
    var consumptionRequestReason: String?

    init(_ uuid: String, _ type: String = "SUBSCRIBED", about purchase: Purchase?, renewalInfo: RenewalInfo? = nil) {
        self.uuid = uuid
        self.type = type
        self.purchase = purchase
        self.renewalInfo = renewalInfo
        if let purchase {
            (bundleId, environment, signedDate) = (purchase.bundleId, purchase.environment, purchase.signedDate)
        }
    }

    func json(transaction: String?, renewalInfo: String?) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("notificationType", type)
            writer.optionalMember("subtype", subtype)
            writer.member("notificationUUID", uuid)
            writer.member("version", "2.0")
            writer.member("signedDate", signedDate.millisecondsSince1970)
            writer.member("data") { writer in
                writer.object { writer in
                    writer.member("appAppleId", appAppleId)
                    writer.member("bundleId", bundleId)
                    writer.member("environment", environment)
                    writer.optionalMember("status", status)
                    writer.optionalMember("consumptionRequestReason", consumptionRequestReason)
                    writer.optionalMember("signedTransactionInfo", transaction)
                    writer.optionalMember("signedRenewalInfo", renewalInfo)
                }
            }
        }
        return writer.bytes
    }
}

/// Other bytes with the same meaning (T07).
enum Malleable {
    /// The order of P-256's base point. Source: SEC 2, section 2.4.2.
    private static let order: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]

    /// The JWS with the signature (r, n − s), which is valid where (r, s) is.
    static func mirrored(_ jws: String) -> String {
        let parts = jws.split(separator: ".").map(String.init)
        guard parts.count == 3, let signature = StrictBase64.decodeURL(Array(parts[2].utf8)[...]), signature.count == 64 else {
            return jws
        }
        var mirrored = order
        var borrow = 0
        for index in order.indices.reversed() {
            let digit = Int(order[index]) - Int(signature[32 + index]) - borrow
            borrow = digit < 0 ? 1 : 0
            mirrored[index] = UInt8(truncatingIfNeeded: digit)
        }
        return parts[0] + "." + parts[1] + "." + StrictBase64.encodeURL(signature[..<32] + mirrored)
    }
}
