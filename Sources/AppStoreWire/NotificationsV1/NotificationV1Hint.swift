internal import Crypto
public import Primitives

/// What a server notification of version 1 says. **It proves nothing**: it is not signed, and anyone who knows the URL can send
/// one.
///
/// It is a hint to ask Apple, with `latest_receipt` or by `originalTransactionId`; what it says about purchases is a fact only if
/// the receipt in it verifies (FACT-3). ``hasPassword(equalTo:)`` keeps strangers from triggering these requests; it proves
/// nothing about the content. One action of a customer sends several notifications in no order, and Apple repeats them after 6,
/// 24 and 48 hours.
///
/// Fields that Apple withdrew on 10 March 2021 are read too, as old backends stored them. Properties are Apple's keys in camel
/// case; dates are read as in ``LegacyPurchase``. nil means that Apple did not write the field, or wrote an empty string.
///
/// Its description holds neither password nor identifiers.
///
/// Source: Apple, App Store Server Notifications, `responseBodyV1`; FACT-3.
public struct NotificationV1Hint: Sendable, Hashable {
    /// `notification_type`: what is said to have happened; ``meaning`` translates it to version 2.
    public let notificationType: NotificationV1Type
    /// `environment`, which is written `PROD` here for Production; that of the unified receipt, where it is missing.
    public let environment: Environment
    /// `bid`: the app's bundle id; notifications of the first years have it in their purchases only (``bundleId``).
    public let bid: String?
    /// `bvrs`: the app's version.
    public let bvrs: String?
    /// `original_transaction_id`: the subscription; absent in the first years.
    public let originalTransactionId: String?
    /// `auto_renew_product_id`: the product of the next period.
    public let autoRenewProductId: String?
    /// `auto_renew_adam_id`: Apple's number of that product.
    public let autoRenewAdamId: Int64?
    /// `auto_renew_status`, which is written `"true"` or `"false"` here.
    public let autoRenewStatus: AutoRenewStatus?
    /// `auto_renew_status_change_date`: when auto-renew was turned on or off.
    public let autoRenewStatusChangeDate: Timestamp?
    /// `expiration_intent`: why it expired.
    public let expirationIntent: ExpirationIntent?
    /// `deprecation`: since when version 1 is deprecated, a date as Apple writes it.
    public let deprecation: String?
    /// `unified_receipt`: what `/verifyReceipt` would have answered, with the 100 newest purchases.
    public let unifiedReceipt: UnifiedReceipt?
    /// `latest_receipt` in base64; withdrawn.
    public let latestReceipt: String?
    /// `latest_expired_receipt` in base64; withdrawn.
    public let latestExpiredReceipt: String?
    /// `cancellation_date`: when Apple's support ended the subscription, or an upgrade; withdrawn.
    public let cancellationDate: Timestamp?
    /// `web_order_line_item_id`; withdrawn.
    public let webOrderLineItemId: String?
    /// `latest_receipt_info` and `latest_expired_receipt_info`, at most one of each; withdrawn.
    public let withdrawnPurchases: [LegacyPurchase]
    /// Purchases and renewals that could not be read; an operator should see them.
    public let unreadableItems: [UnreadableItem]
    /// The body as it came, with the fields that this library does not know (FACT-5, FACT-6). **It holds the shared secret**: not
    /// for logs.
    public let json: [UInt8]
    private let password: String?

    /// `unified_receipt` of a notification.
    ///
    /// Source: Apple, App Store Server Notifications, `unified_receipt`.
    public struct UnifiedReceipt: Sendable, Hashable {
        /// `environment`; written as in `/verifyReceipt`.
        public let environment: Environment?
        /// `status` as it was written: `0`, in the first months `OK`.
        public let status: String?
        /// `latest_receipt` in base64: what to send to `/verifyReceipt`.
        public let latestReceipt: String?
        /// `latest_receipt_info`.
        public let purchases: [LegacyPurchase]
        /// `pending_renewal_info`.
        public let pendingRenewalInfo: [LegacyRenewal]
    }

    /// Reads a notification's body.
    ///
    /// - Throws: ``LegacyRefusal`` with `bodyUnreadable`, `notAnObject`, `fieldMissing` (`notification_type`, `environment`),
    ///   `fieldInvalid` or `environmentContradicted`. A purchase or renewal that cannot be read is no reason: it goes to
    ///   ``unreadableItems``.
    public init(body: [UInt8], limits: LegacyLimits = .notification) throws(LegacyRefusal) {
        let root = try LegacyReader(body: body, limits: limits)
        notificationType = NotificationV1Type(rawValue: try root.requiredText("notification_type"))
        var unified = LegacyLists()
        unifiedReceipt = try root.reader("unified_receipt").map { reader throws(LegacyRefusal) in
            try UnifiedReceipt(reader, lists: &unified)
        }
        environment = try Self.environment(root, unified: unifiedReceipt?.environment)
        bid = try root.text("bid")
        bvrs = try root.text("bvrs")
        originalTransactionId = try root.text("original_transaction_id")
        autoRenewProductId = try root.text("auto_renew_product_id")
        autoRenewAdamId = try root.integer("auto_renew_adam_id")
        autoRenewStatus = try root.autoRenewStatus("auto_renew_status")
        autoRenewStatusChangeDate = try root.instant("auto_renew_status_change_date")
        expirationIntent = try root.integer("expiration_intent").map(ExpirationIntent.init(rawValue:))
        deprecation = try root.text("deprecation")
        latestReceipt = try root.text("latest_receipt")
        latestExpiredReceipt = try root.text("latest_expired_receipt")
        cancellationDate = try root.instant("cancellation_date")
        webOrderLineItemId = try root.text("web_order_line_item_id")
        var withdrawn = LegacyLists()
        try withdrawn.readPurchases("latest_receipt_info", of: root, as: .latestReceiptInfo)
        try withdrawn.readPurchases("latest_expired_receipt_info", of: root, as: .latestExpiredReceiptInfo)
        withdrawnPurchases = withdrawn.purchases
        unreadableItems = unified.unreadable + withdrawn.unreadable
        password = try root.text("password")
        json = body
    }

    private static func environment(
        _ root: LegacyReader, unified: Environment?
    ) throws(LegacyRefusal) -> Environment {
        let stated = try root.environment("environment", others: ["PROD": .production])
        let environment = try root.required("environment", stated ?? unified)
        guard unified ?? environment == environment else {
            throw LegacyRefusal(.environmentContradicted, "unified_receipt.environment")
        }
        return environment
    }

    /// All purchases that are named: first those of the unified receipt, then those of the withdrawn fields.
    public var purchases: [LegacyPurchase] { (unifiedReceipt?.purchases ?? []) + withdrawnPurchases }

    /// The app that the notification says it is about: `bid`, else that of the first purchase which names one.
    public var bundleId: String? { bid ?? withdrawnPurchases.lazy.compactMap { $0.iOS6?.bid }.first }

    /// Whether `password` is this shared secret. Takes as long for a wrong secret as for the right one.
    ///
    /// An app has a secret of its own and shares one with the account's other apps; Apple may send either. False where the
    /// notification has no password, or an empty one.
    public func hasPassword(equalTo secret: String) -> Bool {
        guard let password else { return false }
        // Digests are compared in constant time, and their length says nothing about the secret's.
        return SHA256.hash(data: Array(password.utf8)) == SHA256.hash(data: Array(secret.utf8))
    }
}

extension NotificationV1Hint: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Type, environment and size.
    public var description: String { "\(notificationType.rawValue) of \(environment.rawValue), \(json.count) bytes" }

    /// Like ``description``.
    public var debugDescription: String { description }

    /// Shows ``description`` alone, so that no dump holds the password.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension NotificationV1Hint.UnifiedReceipt {
    init(_ reader: LegacyReader, lists: inout LegacyLists) throws(LegacyRefusal) {
        environment = try reader.environment("environment", others: ["PROD": .production])
        status = try reader.text("status")
        latestReceipt = try reader.text("latest_receipt")
        try lists.readPurchases("latest_receipt_info", of: reader, as: .latestReceiptInfo)
        try lists.readRenewals(of: reader)
        purchases = lists.purchases
        pendingRenewalInfo = lists.renewals
    }
}
