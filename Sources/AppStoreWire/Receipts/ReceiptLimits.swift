/// How much of a receipt is read before it is refused; every figure bounds what an unsigned sender can cost (T30).
///
/// Reading a receipt takes memory in proportion to its size: at most about 90 bytes for each of its own, for an input made of
/// nothing but the smallest elements; Apple's real receipts take about 3.
///
/// Source: T30; Apple's real receipts (about 4 KiB and 400 bytes for each purchase, three certificates of 1.2 KiB).
public struct ReceiptLimits: Sendable, Hashable {
    /// The longest receipt in bytes, decoded: about ten thousand purchases.
    public var maximumBytes = 4 * 1024 * 1024
    /// The most certificates in a receipt.
    public var maximumCertificates = 8
    /// The longest certificate in bytes.
    public var maximumCertificateBytes = 4 * 1024
    /// The longest transaction receipt from before iOS 7 in bytes, decoded.
    public var maximumTransactionReceiptBytes = 64 * 1024

    /// The figures above.
    public static let `default` = ReceiptLimits()

    /// The figures above, to be changed one by one.
    public init() {}
}
