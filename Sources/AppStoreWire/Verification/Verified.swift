public import Primitives

/// A payload whose origin, date and app were verified. Only an ``AppStoreVerifier`` makes one from signed bytes, so a function
/// that takes it cannot be given anything unverified (FACT-3). Code outside this package cannot make one from a fetched answer.
///
/// Source: RFC 7515; RFC 5652; FACT-3, FACT-6.
public struct Verified<Payload: Sendable>: Sendable {
    /// What Apple said.
    public let payload: Payload
    /// The bytes exactly as received, as evidence (FACT-6): the compact JWS, the receipt's DER, the answer's body.
    public let evidence: [UInt8]
    /// When the signer says that it signed: `signedDate`. For an app transaction and a receipt it is the creation date; for a
    /// fetched answer `request_date`, else the receipt's creation date, else when we fetched it; for a transaction receipt from
    /// before iOS 7, which does not state it, the purchase date.
    public let signedDate: Timestamp
    /// The environment of the payload. For a transaction receipt from before iOS 7 it is **not signed**:
    /// ``TransactionReceiptPayload/unsignedEnvironment``.
    public let environment: Environment
    /// Why it is trusted.
    public let proof: Proof
    /// The evidence as its parts; nil for anything but a JWS.
    package let jws: DecodedJWS?

    init(
        payload: Payload, evidence: [UInt8], signedDate: Timestamp, environment: Environment, proof: Proof, jws: DecodedJWS? = nil
    ) {
        self.jws = jws
        self.payload = payload
        self.evidence = evidence
        self.signedDate = signedDate
        self.environment = environment
        self.proof = proof
    }

    /// The signer; nil for a fetched answer, which is not signed.
    public var signer: Signer? {
        if case .signature(let signer) = proof { return signer }
        return nil
    }
}

extension Verified: Equatable where Payload: Equatable {}
extension Verified: Hashable where Payload: Hashable {}

/// Why a payload is trusted.
///
/// Source: FACT-3.
public enum Proof: Sendable, Hashable {
    /// A valid signature under a trusted root.
    case signature(Signer)
    /// Our own server fetched it from this host of Apple's over TLS; it is not signed.
    case fetched(host: String)
}

extension Verified where Payload: JWSPayload {
    /// The payload's JSON exactly as it was signed, including fields that this library does not know.
    public var payloadJSON: [UInt8] { jws?.payload ?? [] }
}
