/// How much of a receipt is read before it is refused; every figure bounds what an unsigned sender can cost (T30).
///
/// The signed content is in one element, so the number of all other elements does not grow with a receipt; the cost of parsing
/// them is limited separately from the size.
///
/// Source: T30; Apple's real receipts (about 4 KiB and 400 bytes for each purchase, three certificates of 1.2 KiB).
public struct ReceiptLimits: Sendable, Hashable {
    /// The longest receipt in bytes, decoded: about twelve thousand purchases.
    public var maximumBytes = 5 * 1024 * 1024
    /// The most elements of BER or DER around the signed content, at all depths. Apple's receipts have about 500, most of them in
    /// certificates; Xcode's one more for each kilobyte of content.
    public var maximumElements = 16 * 1024
    /// The most certificates in a receipt.
    public var maximumCertificates = 8
    /// The longest certificate in bytes.
    public var maximumCertificateBytes = 4 * 1024
    /// The longest transaction receipt from before iOS 7 in bytes, decoded.
    public var maximumTransactionReceiptBytes = 64 * 1024

    /// The figures above.
    public static let `default` = ReceiptLimits()

    /// The figures above; each can be changed.
    public init() {}
}
