public import Primitives

/// A payload whose origin, date and app were verified. Only an ``AppStoreVerifier`` makes one from signed bytes, so a function
/// that takes it cannot be given anything unverified (FACT-3). Outside this package nobody can make one of what was fetched.
///
/// Source: RFC 7515; RFC 5652; FACT-3, FACT-6.
public struct Verified<Payload: Sendable>: Sendable {
    /// What Apple said.
    public let payload: Payload
    /// The bytes exactly as they came, as evidence (FACT-6): the compact JWS, the receipt's DER, the answer's body.
    public let evidence: [UInt8]
    /// When the signer says that it signed: `signedDate`; of an app transaction and of a receipt the creation date; of an answer
    /// that was fetched, `request_date`, else the receipt's creation date, else when we fetched it; of a transaction receipt from
    /// before iOS 7, which says nothing of it, the purchase.
    public let signedDate: Timestamp
    /// The environment that the payload is of. Of a transaction receipt from before iOS 7 it is **not signed**:
    /// ``TransactionReceiptPayload/unsignedEnvironment``.
    public let environment: Environment
    /// Why it is believed.
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

    /// Who signed; nil where nobody did and the answer was fetched.
    public var signer: Signer? {
        if case .signature(let signer) = proof { return signer }
        return nil
    }
}

extension Verified: Equatable where Payload: Equatable {}
extension Verified: Hashable where Payload: Hashable {}

/// Why a payload is believed.
///
/// Source: FACT-3.
public enum Proof: Sendable, Hashable {
    /// A signature under a trusted root holds.
    case signature(Signer)
    /// Our own server fetched it from this host of Apple's over TLS; it is not signed.
    case fetched(host: String)
}

extension Verified where Payload: JWSPayload {
    /// The payload's JSON exactly as it was signed, fields included that this library does not know.
    public var payloadJSON: [UInt8] { jws?.payload ?? [] }
}
