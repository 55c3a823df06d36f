/// How much of a receipt is read before it is refused; every figure bounds what an unsigned sender can cost (T30).
///
/// Reading a receipt takes memory in proportion to its size: measured, 92 bytes for each of its own where an input is made of
/// nothing but the smallest elements, and at most 100.
///
/// Source: T30; Apple's real receipts (about 4 KiB and 400 bytes for each purchase, three certificates of 1.2 KiB).
public struct ReceiptLimits: Sendable, Hashable {
    /// The longest receipt in bytes, decoded: about five thousand purchases.
    public var maximumBytes = 2 * 1024 * 1024
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
