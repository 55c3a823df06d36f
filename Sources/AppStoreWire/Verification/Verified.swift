public import Primitives

/// A payload whose signature, chain, signing date and app were verified. Only ``AppStoreVerifier`` makes one, so a function
/// that takes it cannot be given anything unverified (FACT-3).
///
/// Source: RFC 7515; FACT-3, FACT-6.
public struct Verified<Payload: Sendable>: Sendable {
    /// What Apple said.
    public let payload: Payload
    /// The compact JWS exactly as it came, as evidence (FACT-6).
    public let compact: [UInt8]
    /// When the signer says that it signed: `signedDate`, for an app transaction `receiptCreationDate`.
    public let signedDate: Timestamp
    /// Whose signature it is.
    public let signer: Signer

    init(payload: Payload, compact: [UInt8], signedDate: Timestamp, signer: Signer) {
        self.payload = payload
        self.compact = compact
        self.signedDate = signedDate
        self.signer = signer
    }

    /// The payload's JSON exactly as it was signed, fields included that this library does not know.
    public var payloadJSON: [UInt8] {
        let parts = compact.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 3 ? StrictBase64.decodeURL(parts[1]) ?? [] : []
    }
}

extension Verified: Equatable where Payload: Equatable {}
extension Verified: Hashable where Payload: Hashable {}

/// The certificates behind a signature.
///
/// Source: RFC 5280; RFC 7515, section 4.1.6.
public struct Signer: Sendable, Hashable {
    /// The leaf's serial number in lower-case hexadecimal, two digits a byte; what `distrustedLeafSerials` names.
    public let leafSerial: String
    /// The SHA-256 of the leaf's DER.
    public let leafFingerprint: [UInt8]
    /// The SHA-256 of the intermediate's DER.
    public let intermediateFingerprint: [UInt8]
    /// The SHA-256 of the root's DER.
    public let rootFingerprint: [UInt8]
}

/// A renewal info whose signature, chain, date and environment were verified, but not to which app it belongs: it names no
/// bundle.
///
/// It counts only together with a transaction of the same subscription (FACT-4): ``bound(to:)``.
///
/// Source: FACT-4, T05; Apple, `JWSRenewalInfoDecodedPayload`.
public struct UnboundRenewalInfo: Sendable, Hashable {
    /// What was verified so far. To look at, not to act on.
    public let unbound: Verified<RenewalInfoPayload>

    init(_ unbound: Verified<RenewalInfoPayload>) { self.unbound = unbound }

    /// The renewal info as one that counts, beside a transaction of the same subscription.
    ///
    /// - Parameter transaction: of the same app, which its own verification proved.
    /// - Returns: a refusal with `renewalInfoNotOfTransaction` when the two name different values of `originalTransactionId`, or
    ///   both name an `appTransactionId` and these differ; with `wrongEnvironment` when they are of different environments.
    public func bound(to transaction: Verified<TransactionPayload>) -> Result<Verified<RenewalInfoPayload>, JWSRefusal> {
        let renewal = unbound.payload
        let other = transaction.payload
        guard renewal.environment == other.environment else {
            return .failure(JWSRefusal(.wrongEnvironment, renewal.environment.rawValue, in: .renewalInfo))
        }
        guard renewal.originalTransactionId == other.originalTransactionId else {
            return .failure(JWSRefusal(.renewalInfoNotOfTransaction, "originalTransactionId", in: .renewalInfo))
        }
        if let mine = renewal.appTransactionId, let its = other.appTransactionId, mine != its {
            return .failure(JWSRefusal(.renewalInfoNotOfTransaction, "appTransactionId", in: .renewalInfo))
        }
        return .success(unbound)
    }
}
