package import AppStoreModel
internal import Crypto
internal import Primitives
internal import SimulatorPKI

/// Signs receipts with RSA certificates of its own. Its keys are made when the first receipt is requested: that takes a while,
/// and most simulators never need one.
struct ReceiptPrinter: Sendable, Codable {
    private let validity: ClosedRange<Timestamp>
    private var receiptAuthority: ReceiptAuthority?
    private var transactionAuthority: TransactionReceiptAuthority?

    /// - Parameter kept: the keys that a file had.
    init(validity: ClosedRange<Timestamp>, kept: ReceiptAuthorities? = nil) {
        self.validity = validity
        (receiptAuthority, transactionAuthority) = (kept?.app, kept?.transaction)
    }

    /// A copy, with the other's keys where this one has none.
    func completed(by other: ReceiptPrinter) -> ReceiptPrinter {
        var printer = self
        printer.receiptAuthority = receiptAuthority ?? other.receiptAuthority
        printer.transactionAuthority = transactionAuthority ?? other.transactionAuthority
        return printer
    }

    /// The authority of app receipts.
    mutating func authority() throws -> ReceiptAuthority {
        if let receiptAuthority { return receiptAuthority }
        let made = try ReceiptAuthority(validity: validity)
        receiptAuthority = made
        return made
    }

    /// The authority of transaction receipts from before iOS 7.
    mutating func oldAuthority() throws -> TransactionReceiptAuthority {
        if let transactionAuthority { return transactionAuthority }
        let made = try TransactionReceiptAuthority(validity: validity)
        transactionAuthority = made
        return made
    }
}

extension AppStoreSimulator {
    /// The app receipt of an account, as a device holds it: DER.
    ///
    /// - Parameter device: the device whose `identifierForVendor` it is made for.
    package func appReceipt(of app: AppNumber, for account: AccountNumber, device: CompactUUID) throws -> [UInt8] {
        let content = receiptContent(of: app, for: account, device: device)
        return try receipts.authority().sign(content: content.der)
    }

    /// The app finds no receipt on the devices of the account from now on.
    package func loseReceipt(of id: AccountID) throws { lostReceipts.insert(try store.account(id).id) }

    package func hasReceipt(_ id: AccountID) -> Bool { !lostReceipts.contains(id) }

    /// What it signs with as one PEM file, for ``SimulatorConfiguration/authorityPEM``. Makes the keys that sign receipts if
    /// there are none yet, which takes a second.
    package func exportedAuthority() throws -> String {
        let kept = ReceiptAuthorities(app: try receipts.authority(), transaction: try receipts.oldAuthority())
        return AuthorityFile(signing: authority, receipts: kept).pem
    }

    /// The SHA-256 of ``receiptRootDER()`` in hexadecimal digits: what a server's configuration takes.
    package func receiptRootFingerprintText() throws -> String {
        Hexadecimal.encode(SHA256.hash(data: try receiptRootDER()))
    }

    /// The DER of the root of app receipts.
    package func receiptRootDER() throws -> [UInt8] { try receipts.authority().rootDER }

    /// The DER of the certificate that issued the signer of transaction receipts.
    package func transactionReceiptIssuerDER() throws -> [UInt8] { try receipts.oldAuthority().issuerDER }

    func latestReceipt(of app: AppNumber, for account: AccountNumber) -> String? {
        do {
            return StrictBase64.encodePadded(try appReceipt(of: app, for: account, device: CompactUUID(bytes: [])))
        } catch {
            return nil
        }
    }

    /// Source: Apple, "Receipt fields".
    private func receiptContent(of app: AppNumber, for account: AccountNumber, device: CompactUUID) -> ReceiptContent {
        let seller = store[app]
        let isProduction = store[account].environment == .production
        let bundle = DERWriter.utf8(seller.bundleId)
        let opaque = Array(SHA256.hash(data: Array("\(store[account].id)/\(seller.bundleId)".utf8)).prefix(16))
        var content = ReceiptContent()
        content.text(0, isProduction ? "Production" : "ProductionSandbox")
        content.integer(1, isProduction ? seller.appAppleId : 0)
        content.attribute(2, bundle)
        content.text(3, seller.bundleVersion)
        content.attribute(4, opaque)
        content.attribute(5, Array(Insecure.SHA1.hash(data: device.bytes + opaque + bundle)))
        content.date(12, ReceiptDate.text(store.signingInstant))
        for purchase in store.legacyPurchases(of: app, for: account) {
            content.purchase(Self.line(of: purchase, store))
        }
        if let installation = store[account].installations[app] {
            content.date(18, ReceiptDate.text(installation.originalPurchaseDate))
        }
        content.text(19, isProduction ? seller.bundleVersion : "1.0")
        content.date(21, "")
        return content
    }

    private static func line(of purchase: StorePurchase, _ store: AppStore) -> ReceiptContent {
        let catalogue = store[purchase.app].catalogue
        let product = catalogue[purchase.product]
        let offer = purchase.offer.map { catalogue[$0] }
        var line = ReceiptContent()
        line.integer(1701, Int64(purchase.quantity))
        line.text(1702, product.id.rawValue)
        line.text(1703, purchase.transactionId.rawValue)
        line.date(1704, ReceiptDate.text(purchase.purchaseDate))
        line.text(1705, purchase.originalTransactionId.rawValue)
        line.date(1706, ReceiptDate.text(purchase.originalPurchaseDate))
        line.integer(1707, product.kind.receiptType)
        line.date(1708, purchase.expiresDate.map(ReceiptDate.text) ?? "")
        line.integer(1711, purchase.webOrderLineItemId ?? 0)
        line.date(1712, store.cancellation(of: purchase).map { ReceiptDate.text($0.date) } ?? "")
        if product.terms != nil {
            line.integer(1713, offer?.kind == .introductory && offer?.paymentMode == .free ? 1 : 0)
            line.integer(1719, offer?.kind == .introductory && offer?.paymentMode != .free ? 1 : 0)
        }
        if let offer, offer.kind == .promotional || offer.kind == .winBack, let id = offer.identifier { line.text(1721, id) }
        return line
    }

    // MARK: Before iOS 7

    /// The receipt of one transaction as iOS 6 kept it: base64 of a property list.
    package func transactionReceipt(of id: TransactionNumber) throws -> String {
        let transaction = try store.transaction(id)
        let environment = store[transaction.account].environment
        let text = try receipts.oldAuthority().sign(
            purchaseInfo: purchaseInfo(of: transaction), environment: environment == .production ? nil : "Sandbox")
        return StrictBase64.encodePadded(Array(text.utf8))
    }

    private func purchaseInfo(of transaction: StorePurchase) -> String {
        let app = store[transaction.app]
        var entries: [(String, String)] = [
            ("original-purchase-date-ms", "\(transaction.originalPurchaseDate.millisecondsSince1970)"),
            ("purchase-date-ms", "\(transaction.purchaseDate.millisecondsSince1970)"),
            ("original-transaction-id", transaction.originalTransactionId.rawValue),
            ("transaction-id", transaction.transactionId.rawValue), ("quantity", "\(transaction.quantity)"),
            ("product-id", app.catalogue[transaction.product].id.rawValue), ("bid", app.bundleId),
            ("bvrs", app.bundleVersion), ("item-id", "\(app.appAppleId)"),
            ("unique-identifier", "0000000000000000000000000000000000000000"),
        ]
        if let expires = transaction.expiresDate { entries.append(("expires-date", "\(expires.millisecondsSince1970)")) }
        if let line = transaction.webOrderLineItemId { entries.append(("web-order-line-item-id", "\(line)")) }
        return "{\n" + entries.map { "\t\"\($0.0)\" = \"\($0.1)\";" }.joined(separator: "\n") + "\n}"
    }
}

enum ReceiptDate {
    /// `2026-11-21T17:40:00Z`.
    static func text(_ instant: Timestamp) -> String { instant.truncatedToSecond.description }
}

extension StoreProduct.Kind {
    /// In the values of attribute 1707.
    fileprivate var receiptType: Int64 {
        switch self {
        case .nonConsumable: 0
        case .consumable: 1
        case .nonRenewingSubscription: 2
        case .autoRenewable: 3
        }
    }
}
