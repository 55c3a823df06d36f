public import Primitives
internal import StrictJSON

/// What `/verifyReceipt` answered about a genuine receipt.
///
/// It is only as trustworthy as its connection: a fact only where our own server asked one of the two hosts over TLS (FACT-3),
/// and only if ``bundleId`` is the app's. The order of ``purchases`` and ``pendingRenewalInfo`` is the body's and has no meaning.
/// Properties are Apple's keys in camel case.
///
/// What is in the answer counts. What is *not* in it counts only where ``isComplete`` says so: a broken answer never shortens
/// anyone's time (FACT-7).
///
/// Source: Apple, App Store Receipts, `responseBody`; PER-8.
public struct VerifyReceiptAnswer: Sendable, Hashable {
    /// `environment`; that of the host that answered, where Apple wrote none (iOS 6 style).
    public let environment: Environment
    /// `receipt` of the iOS 7 style without its `in_app`; nil where a transaction receipt of the iOS 6 style was sent, which is
    /// among ``purchases``.
    public let receipt: AppReceipt?
    /// Everything bought, from all lists (PER-8): first the iOS 6 receipt, then `in_app`, `latest_receipt_info` and
    /// `latest_expired_receipt_info`. Empty is valid: the customer bought nothing.
    public let purchases: [LegacyPurchase]
    /// `pending_renewal_info`: one for each subscription.
    public let pendingRenewalInfo: [LegacyRenewal]
    /// `latest_receipt` in base64, as it was written; ``VerifyReceiptRequest`` checks it when it is sent.
    public let latestReceipt: String?
    /// `auto_renew_status`, iOS 6 style only.
    public let autoRenewStatus: AutoRenewStatus?
    /// `auto_renew_product_id`, iOS 6 style only.
    public let autoRenewProductId: String?
    /// `expiration_intent`, iOS 6 style only.
    public let expirationIntent: ExpirationIntent?
    /// `is_in_billing_retry_period`, iOS 6 style only.
    public let isInBillingRetryPeriod: Bool?
    /// The app: `receipt.bundle_id`, or `receipt.bid` in the iOS 6 style. The caller must compare it (FACT-4).
    public let bundleId: String
    /// Elements of the lists that could not be read; an operator should see them.
    public let unreadableItems: [UnreadableItem]
    /// Whether a renewal that is missing here does not exist.
    ///
    /// False where an element could not be read, where `latest_receipt_info` is present and empty (FACT-7), and where there is a
    /// subscription in the device's receipt but none in `latest_receipt_info`: that receipt is as old as its last refresh. With
    /// `exclude-old-transactions` old periods are missing even so.
    public let isComplete: Bool

    /// An app receipt: `receipt` of the iOS 7 style.
    ///
    /// Source: Apple, App Store Receipts, `responseBody.Receipt`.
    public struct AppReceipt: Sendable, Hashable {
        /// `receipt_type`.
        public let receiptType: ReceiptType?
        /// `adam_id`: the app's Apple id; 0 in Sandbox.
        public let adamId: Int64?
        /// `app_item_id`: the same.
        public let appItemId: Int64?
        /// `bundle_id`.
        public let bundleId: String
        /// `application_version`: the version that made the receipt.
        public let applicationVersion: String?
        /// `original_application_version`: the version that was bought first; "1.0" in Sandbox.
        public let originalApplicationVersion: String?
        /// `download_id`: the download of the app; 0 in Sandbox.
        public let downloadId: Int64?
        /// `version_external_identifier`: Apple's number of the version; 0 in Sandbox.
        public let versionExternalIdentifier: Int64?
        /// `receipt_creation_date`: when the receipt was made; FACT-2 orders by it where there is no request date.
        public let receiptCreationDate: Timestamp?
        /// `request_date`: when Apple answered; FACT-2 orders by it.
        public let requestDate: Timestamp?
        /// `original_purchase_date`: when the app was bought; 2013-08-01 in Sandbox.
        public let originalPurchaseDate: Timestamp?
        /// `expiration_date`: when the receipt of an app from the Volume Purchase Program expires.
        public let expirationDate: Timestamp?
        /// `preorder_date`: when the app was ordered before its release.
        public let preorderDate: Timestamp?
        /// The object as it was written, `in_app` included, with the fields that this library does not know (FACT-5, FACT-6).
        public let json: [UInt8]
    }

    /// The purchases of one list.
    public func purchases(in origin: LegacyPurchase.Origin) -> [LegacyPurchase] { purchases.filter { $0.origin == origin } }

    /// The date by which FACT-2 orders legacy facts: the request date, else the receipt's creation date; nil in the iOS 6 style,
    /// which writes neither.
    public var orderingDate: Timestamp? { receipt?.requestDate ?? receipt?.receiptCreationDate }
}

extension VerifyReceiptAnswer {
    /// Reads the body of an answer whose status is 0 or 21006.
    init(_ root: LegacyReader, from host: VerifyReceiptHost) throws(LegacyRefusal) {
        guard let value = root.value("receipt"), let receipt = try root.reader("receipt") else {
            throw LegacyRefusal(.fieldMissing, "receipt")
        }
        var lists = LegacyLists()
        let isAppReceipt = receipt.value("bundle_id") != nil
        let appReceipt = isAppReceipt ? try AppReceipt(value, receipt) : nil
        if isAppReceipt {
            _ = try receipt.required("in_app", receipt.value("in_app"))
            bundleId = try receipt.requiredText("bundle_id")
        } else {
            bundleId = try receipt.requiredText("bid")
            lists.append(try LegacyPurchase(value, receipt, origin: .iOS6Receipt))
        }
        try lists.readPurchases("in_app", of: receipt, as: .inApp)
        try lists.readPurchases("latest_receipt_info", of: root, as: .latestReceiptInfo)
        try lists.readPurchases("latest_expired_receipt_info", of: root, as: .latestExpiredReceiptInfo)
        try lists.readRenewals(of: root)
        environment = try Self.environment(root, receiptType: appReceipt?.receiptType, host: host)
        self.receipt = appReceipt
        purchases = lists.purchases
        pendingRenewalInfo = lists.renewals
        unreadableItems = lists.unreadable
        isComplete = lists.isComplete
        latestReceipt = try root.text("latest_receipt")
        autoRenewStatus = try root.autoRenewStatus("auto_renew_status")
        autoRenewProductId = try root.text("auto_renew_product_id")
        expirationIntent = try root.integer("expiration_intent").map(ExpirationIntent.init(rawValue:))
        isInBillingRetryPeriod = try root.flag("is_in_billing_retry_period")
    }

    /// A host answers for its own ledger only; an answer that names the other one is not genuine, or not about this request
    /// (FACT-4).
    private static func environment(
        _ root: LegacyReader, receiptType: ReceiptType?, host: VerifyReceiptHost
    ) throws(LegacyRefusal) -> Environment {
        for stated in [try root.environment("environment"), receiptType?.environment].compactMap({ $0 }) {
            guard stated == host.environment else { throw LegacyRefusal(.environmentContradicted, "environment") }
        }
        return host.environment
    }
}

extension VerifyReceiptAnswer.AppReceipt {
    init(_ value: JSONValue, _ reader: LegacyReader) throws(LegacyRefusal) {
        receiptType = try reader.text("receipt_type").map(ReceiptType.init(rawValue:))
        adamId = try reader.integer("adam_id")
        appItemId = try reader.integer("app_item_id")
        bundleId = try reader.requiredText("bundle_id")
        applicationVersion = try reader.text("application_version")
        originalApplicationVersion = try reader.text("original_application_version")
        downloadId = try reader.integer("download_id")
        versionExternalIdentifier = try reader.integer("version_external_identifier")
        receiptCreationDate = try reader.instant("receipt_creation_date")
        requestDate = try reader.instant("request_date")
        originalPurchaseDate = try reader.instant("original_purchase_date")
        expirationDate = try reader.instant("expiration_date")
        preorderDate = try reader.instant("preorder_date")
        json = LegacyReader.json(value)
    }
}
