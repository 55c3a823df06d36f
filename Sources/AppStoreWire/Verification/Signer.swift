/// The certificates behind a signature: the signer, and why it is trusted.
///
/// Source: RFC 5280; RFC 7515, section 4.1.6; RFC 5652, section 5.
public struct Signer: Sendable, Hashable {
    /// Whose root a signature ends in.
    public enum Authority: String, Sendable, Hashable {
        /// One of Apple's own roots.
        case apple
        /// A copy of Xcode whose certificate was configured: test data of the environment `Xcode`.
        case xcode
        /// Another root that was configured, such as a local App Store's.
        case configured
    }

    /// Whose root it is.
    public let authority: Authority
    /// The leaf's common name, for display; empty where it has none.
    public let leafName: String
    /// The leaf's serial number in lower-case hexadecimal, two digits per byte; as in `distrustedLeafSerials`.
    public let leafSerial: String
    /// The SHA-256 of the leaf's DER.
    public let leafFingerprint: [UInt8]
    /// The SHA-256 of the intermediate's DER; nil where the chain has none: with Xcode, and with transaction receipts from before
    /// iOS 7.
    public let intermediateFingerprint: [UInt8]?
    /// The common name of the trusted certificate that the chain ends in, for display; empty where it has none.
    public let rootName: String
    /// The SHA-256 of that certificate's DER; with Xcode it is the leaf itself.
    public let rootFingerprint: [UInt8]
}
