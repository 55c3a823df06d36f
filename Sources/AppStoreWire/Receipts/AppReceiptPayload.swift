internal import Crypto
public import Primitives

/// An app receipt, as Apple signed it: the app that the customer got, and the purchases in it.
///
/// Source: Apple, "Receipt fields"; numbers in the comments are Apple's attribute types, those marked * are observed and not
/// documented.
public struct AppReceiptPayload: Sendable, Hashable {
    /// 0*: which kind of receipt.
    public let receiptType: ReceiptType
    /// The environment, read from ``receiptType``.
    public let environment: Environment
    /// 1*: the app's Apple id; 0 in Sandbox.
    public let adamId: Int64?
    /// 2: the app.
    public let bundleId: String
    /// 3: `CFBundleVersion`; on macOS `CFBundleShortVersionString`.
    public let applicationVersion: String?
    /// 4: bytes that are used only by ``isMadeFor(device:)``.
    public let opaqueValue: [UInt8]
    /// 5: ties the receipt to one device: ``isMadeFor(device:)``; 20 bytes in all of Apple's receipts.
    public let sha1Hash: [UInt8]
    /// 10*: the age rating, such as `4+`.
    public let ageRating: String?
    /// 12: when the App Store made and signed this receipt.
    public let receiptCreationDate: Timestamp
    /// 15*: the download.
    public let downloadId: Int64?
    /// 16*: Apple's number of the version.
    public let versionExternalIdentifier: Int64?
    /// 17: the purchases, in the receipt's order, which has no meaning.
    public let inApp: [InAppReceipt]
    /// 18*: when the customer first got the app; constant in Sandbox.
    public let originalPurchaseDate: Timestamp?
    /// 19: the version that the customer first got; `1.0` in Sandbox.
    public let originalApplicationVersion: String?
    /// 21: when the receipt expires; only of apps from the Volume Purchase Program. Xcode writes the year 4001.
    public let expirationDate: Timestamp?
    /// Attributes that this library has no name for, in the receipt's order.
    public let unknownAttributes: [ReceiptAttribute]

    private let bundleIdBytes: [UInt8]

    /// Reads the content of a receipt out of the bytes that contain it; the caller has checked the signature.
    package init(_ bytes: [UInt8], in range: Range<Int>) throws(ReceiptRefusal) {
        let attributes = try ReceiptAttributes(bytes, in: range)
        receiptType = ReceiptType(rawValue: try attributes.requiredText(0))
        guard let environment = receiptType.environment else { throw ReceiptRefusal(.wrongEnvironment, receiptType.rawValue) }
        self.environment = environment
        adamId = try attributes.integer(1)
        bundleId = try attributes.requiredText(2)
        bundleIdBytes = try attributes.required(2, try attributes.bytes(2))
        applicationVersion = try attributes.text(3)
        opaqueValue = try attributes.required(4, try attributes.bytes(4))
        sha1Hash = try attributes.required(5, try attributes.bytes(5))
        ageRating = try attributes.text(10)
        receiptCreationDate = try attributes.required(12, try attributes.instant(12))
        downloadId = try attributes.integer(15)
        versionExternalIdentifier = try attributes.integer(16)
        var inApp: [InAppReceipt] = []
        for purchase in attributes.all(17) { inApp.append(try InAppReceipt(bytes, in: purchase, position: inApp.count)) }
        self.inApp = inApp
        originalPurchaseDate = try attributes.instant(18)
        originalApplicationVersion = try attributes.text(19)
        expirationDate = try attributes.instant(21)
        unknownAttributes = attributes.others(than: [0, 1, 2, 3, 4, 5, 10, 12, 15, 16, 17, 18, 19, 21])
    }

    /// Whether this receipt was made for a device: SHA-1 over the device's identifier, the opaque value and the bundle identifier
    /// as it is encoded.
    ///
    /// - Parameter identifier: on iOS the 16 bytes of `identifierForVendor`, on macOS the 6 bytes of the primary network
    ///   interface's address.
    /// - Returns: false also for an empty identifier.
    ///
    /// Source: Apple, "Validating receipts on the device", "Compute a GUID hash".
    public func isMadeFor(device identifier: [UInt8]) -> Bool {
        guard !identifier.isEmpty else { return false }
        var hash = Insecure.SHA1()
        hash.update(data: identifier)
        hash.update(data: opaqueValue)
        hash.update(data: bundleIdBytes)
        return Array(hash.finalize()) == sha1Hash
    }
}
