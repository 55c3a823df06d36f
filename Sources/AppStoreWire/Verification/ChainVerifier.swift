internal import Crypto
internal import Primitives
internal import SwiftASN1
@_spi(FixedExpiryValidationTime) internal import X509

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Verifies three certificates against the pinned roots and Apple's marks. Costs about a millisecond, nearly all of it two P-384
/// signatures; ``ChainCache`` remembers the outcome.
///
/// Source: RFC 5280, section 6; RFC 7515, section 4.1.6; Apple, "Validating receipts on the device" and App Store Server Library.
struct ChainVerifier: Sendable {
    let roots: TrustRoots
    private let distrustedLeafSerials: Set<String>

    init(roots: TrustRoots, distrustedLeafSerials: Set<String>) {
        self.roots = roots
        self.distrustedLeafSerials = Set(distrustedLeafSerials.map(Self.plainSerial))
    }

    func verify(_ certificates: [[UInt8]]) async -> Result<VerifiedChain, ChainRefusal> {
        guard certificates.count == 3 else { return .failure(ChainRefusal(.chainLengthNotThree)) }
        do throws(ChainRefusal) {
            let root = try anchor(for: certificates[2])
            let path = [certificates[0], certificates[1], root]
            let chain = try path.map { bytes throws(ChainRefusal) in try parse(bytes) }
            let prints = path.map { Array(SHA256.hash(data: $0)) }
            let signer = Signer(
                leafSerial: Self.hexadecimal(chain[0].serialNumber.bytes), leafFingerprint: prints[0],
                intermediateFingerprint: prints[1], rootFingerprint: prints[2])
            if distrustedLeafSerials.contains(Self.plainSerial(signer.leafSerial)) {
                throw ChainRefusal(.leafDistrusted, signer.leafSerial)
            }
            let leafKey = try checkShape(leaf: chain[0], intermediate: chain[1])
            let validity = try validity(of: chain)
            try await checkPath(chain, at: validity.lowerBound)
            return .success(VerifiedChain(leafKey: leafKey, validity: validity, signer: signer))
        } catch {
            return .failure(error)
        }
    }

    /// The trusted root that the third certificate names: itself, when its fingerprint is pinned, or a root that was given
    /// whole and has the same name and key. The third certificate itself is never trusted for what it says.
    private func anchor(for der: [UInt8]) throws(ChainRefusal) -> [UInt8] {
        if roots.fingerprints.contains(Array(SHA256.hash(data: der))) { return der }
        guard !roots.certificates.isEmpty else { throw ChainRefusal(.rootNotTrusted) }
        let named = try parse(der)
        for root in roots.certificates {
            let trusted = try parse(root)
            if trusted.subject == named.subject, trusted.publicKey == named.publicKey { return root }
        }
        throw ChainRefusal(.rootNotTrusted)
    }

    private func parse(_ der: [UInt8]) throws(ChainRefusal) -> Certificate {
        do {
            return try Certificate(derEncoded: der)
        } catch {
            throw ChainRefusal(.certificateMalformed)
        }
    }

    /// Apple's marks, who may issue, what the leaf's key is for. Returns that key.
    private func checkShape(leaf: Certificate, intermediate: Certificate) throws(ChainRefusal) -> P256.Signing.PublicKey {
        guard leaf.extensions[oid: Self.leafMarker] != nil else { throw ChainRefusal(.leafMarkerMissing) }
        guard intermediate.extensions[oid: Self.intermediateMarker] != nil else { throw ChainRefusal(.intermediateMarkerMissing) }
        guard try !isCA(leaf) else { throw ChainRefusal(.leafIsCA) }
        guard try isCA(intermediate) else { throw ChainRefusal(.intermediateNotCA) }
        guard try maySign(leaf) else { throw ChainRefusal(.leafUsageNotSignature) }
        guard let key = P256.Signing.PublicKey(leaf.publicKey) else { throw ChainRefusal(.leafKeyNotP256) }
        return key
    }

    private func isCA(_ certificate: Certificate) throws(ChainRefusal) -> Bool {
        do {
            if case .isCertificateAuthority? = try certificate.extensions.basicConstraints { return true }
            return false
        } catch {
            throw ChainRefusal(.certificateMalformed, "basicConstraints")
        }
    }

    /// Without a key usage extension a key may be used for anything (RFC 5280, section 4.2.1.3); Apple's test certificates have
    /// none.
    private func maySign(_ certificate: Certificate) throws(ChainRefusal) -> Bool {
        do {
            return try certificate.extensions.keyUsage?.digitalSignature ?? true
        } catch {
            throw ChainRefusal(.certificateMalformed, "keyUsage")
        }
    }

    private func validity(of chain: [Certificate]) throws(ChainRefusal) -> ClosedRange<Timestamp> {
        let starts = chain.map { timestamp($0.notValidBefore) }
        let ends = chain.map { timestamp($0.notValidAfter) }
        guard let first = starts.max(), let last = ends.min(), first <= last else { throw ChainRefusal(.chainNeverValid) }
        return first...last
    }

    private func timestamp(_ date: Date) -> Timestamp {
        Timestamp(millisecondsSince1970: Int64(exactly: (date.timeIntervalSince1970 * 1000).rounded()) ?? .max)
    }

    /// Names, signatures, constraints and unknown critical extensions, at an instant at which no certificate has expired: the
    /// signing date is held against the validity later, once the signature says that it is the signer's.
    private func checkPath(_ chain: [Certificate], at instant: Timestamp) async throws(ChainRefusal) {
        let time = Date(timeIntervalSince1970: Double(instant.millisecondsSince1970) / 1000)
        var verifier = Verifier(rootCertificates: CertificateStore([chain[2]])) {
            RFC5280Policy(fixedExpiryValidationTime: time)
        }
        switch await verifier.validate(leaf: chain[0], intermediates: CertificateStore([chain[1]])) {
        case .validCertificate(let path):
            guard Array(path) == chain else { throw ChainRefusal(.chainInvalid, "another path than x5c") }
        case .couldNotValidate(let failures):
            throw ChainRefusal(.chainInvalid, failures.isEmpty ? "no path to the root" : "breaks a rule of RFC 5280")
        }
    }

    private static let leafMarker: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 11, 1]
    private static let intermediateMarker: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 2, 1]

    /// A serial number without what tools write differently: case, colons, leading zeros. A list that never matches protects
    /// nobody.
    private static func plainSerial(_ serial: String) -> String {
        String(serial.lowercased().filter(\.isHexDigit).drop { $0 == "0" })
    }

    private static func hexadecimal(_ bytes: ArraySlice<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
