internal import Crypto
internal import CryptoExtras
internal import Primitives

/// What is kept of verified certificates: all that is needed to check a signature.
struct VerifiedChain: Sendable {
    let leafKey: LeafKey
    /// The instants at which all certificates are valid.
    let validity: ClosedRange<Timestamp>
    let signer: Signer
    /// The intermediate and the root; none of a signer that has no authority above it, and of receipts from before iOS 7, which
    /// nobody signs any more.
    var authorities: [AuthorityCertificate] = []
    /// What it signed last.
    let use = ChainUse()
}

/// A leaf's key: P-256 for a JWS, RSA for a receipt.
enum LeafKey: Sendable {
    case p256(P256.Signing.PublicKey)
    case rsa(_RSA.Signing.PublicKey)
}

/// Why certificates were not accepted; remembered like an acceptance.
struct ChainRefusal: Error, Sendable {
    let fault: ChainFault
    let detail: String

    init(_ fault: ChainFault, _ detail: String = "") {
        self.fault = fault
        self.detail = detail
    }
}

/// The faults of a chain, whatever its purpose. ``JWSRefusal`` and ``ReceiptRefusal`` each have a code for every one.
enum ChainFault: Sendable {
    case chainLengthNotThree, rootNotTrusted, certificateMalformed, leafDistrusted, leafMarkerMissing, intermediateMarkerMissing
    case leafIsCA, intermediateNotCA, leafUsageNotSignature, leafKeyNotP256, leafKeyNotRSA, chainNeverValid, chainInvalid
}
