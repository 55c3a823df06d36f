internal import Crypto
internal import Primitives

/// What remains of three certificates once they are verified: all that checking a signature needs.
struct VerifiedChain: Sendable {
    let leafKey: P256.Signing.PublicKey
    /// The instants at which all three certificates are valid.
    let validity: ClosedRange<Timestamp>
    let signer: Signer
}

/// Why three certificates were not accepted; remembered like an acceptance.
struct ChainRefusal: Error, Sendable {
    let code: JWSRefusal.Code
    let detail: String

    init(_ code: JWSRefusal.Code, _ detail: String = "") {
        self.code = code
        self.detail = detail
    }
}
