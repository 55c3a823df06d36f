internal import Crypto
internal import CryptoExtras
internal import Primitives
internal import SwiftASN1
@_spi(FixedExpiryValidationTime) internal import X509

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Verifies certificates against the pinned roots and Apple's marks. A chain of three costs about a millisecond where it is of
/// JWS, nearly all of it two P-384 signatures; ``ChainCache`` remembers the outcome.
///
/// Source: RFC 5280, section 6; RFC 7515, section 4.1.6; Apple, "Validating receipts on the device" and App Store Server Library.
struct ChainVerifier: Sendable {
    /// What a chain is to vouch for: which roots are asked, and which key the leaf must have.
    enum Purpose: Sendable {
        case jws, receipt
    }

    let roots: TrustRoots
    private let purpose: Purpose
    private let distrustedLeafSerials: Set<String>

    init(roots: TrustRoots, purpose: Purpose, distrustedLeafSerials: Set<String>) {
        self.roots = roots
        self.purpose = purpose
        self.distrustedLeafSerials = Set(distrustedLeafSerials.flatMap { LeafSerial.readings(of: $0) ?? [] })
    }

    /// Three certificates, leaf first, that must end in a trusted root; or one, which must be a configured copy of Xcode's.
    func verify(_ certificates: [[UInt8]]) async -> Result<VerifiedChain, ChainRefusal> {
        do throws(ChainRefusal) {
            switch certificates.count {
            case 3: return .success(try await verifyThree(certificates))
            case 1 where purpose == .receipt || !roots.xcodeFingerprints.isEmpty:
                return .success(try verifyXcode(certificates[0]))
            default: return .failure(ChainRefusal(.chainLengthNotThree, "\(certificates.count)"))
            }
        } catch {
            return .failure(error)
        }
    }

    private func verifyThree(_ certificates: [[UInt8]]) async throws(ChainRefusal) -> VerifiedChain {
        let root = try anchor(for: certificates[2])
        let path = [certificates[0], certificates[1], root]
        let chain = try path.map { bytes throws(ChainRefusal) in try Self.parse(bytes) }
        let signer = Signer(path: zip(path, chain).map { $0 })
        try checkTrusted(signer)
        let leafKey = try checkShape(leaf: chain[0], intermediate: chain[1])
        let validity = try Self.validity(of: chain)
        try await Self.checkPath(chain, at: validity.lowerBound)
        return VerifiedChain(leafKey: leafKey, validity: validity, signer: signer)
    }

    /// Xcode signs with one certificate that nobody issued; it is trusted by its fingerprint alone.
    private func verifyXcode(_ der: [UInt8]) throws(ChainRefusal) -> VerifiedChain {
        guard roots.xcodeFingerprints.contains(TrustRoots.fingerprint(of: der)) else { throw Self.notTrusted(der) }
        let certificate = try Self.parse(der)
        let signer = Signer(path: [(der, certificate)])
        try checkTrusted(signer)
        return VerifiedChain(
            leafKey: try leafKey(of: certificate), validity: try Self.validity(of: [certificate]), signer: signer)
    }

    func checkTrusted(_ signer: Signer) throws(ChainRefusal) {
        guard !distrustedLeafSerials.contains(LeafSerial.plain(signer.leafSerial)) else {
            throw ChainRefusal(.leafDistrusted, signer.leafSerial)
        }
    }

    /// The trusted root that the third certificate names: itself, when its fingerprint is pinned, or a root that was given
    /// whole and has the same name and key. The third certificate itself is never trusted for what it says.
    private func anchor(for der: [UInt8]) throws(ChainRefusal) -> [UInt8] {
        let pinned = purpose == .jws ? roots.fingerprints : roots.receiptFingerprints
        if pinned.contains(TrustRoots.fingerprint(of: der)) { return der }
        guard !roots.certificates.isEmpty else { throw Self.notTrusted(der) }
        let named = try Self.parse(der)
        for root in roots.certificates {
            let trusted = try Self.parse(root)
            if trusted.subject == named.subject, trusted.publicKey == named.publicKey { return root }
        }
        throw Self.notTrusted(der)
    }

    /// Names the certificate as a configuration would that is to trust it.
    private static func notTrusted(_ der: [UInt8]) -> ChainRefusal {
        ChainRefusal(.rootNotTrusted, "found SHA-256 \(Signer.hexadecimal(TrustRoots.fingerprint(of: der)[...]))")
    }

    static func parse(_ der: [UInt8]) throws(ChainRefusal) -> Certificate {
        do {
            return try Certificate(derEncoded: der)
        } catch {
            throw ChainRefusal(.certificateMalformed)
        }
    }

    /// Apple's marks, who may issue, what the leaf's key is for. Returns that key.
    private func checkShape(leaf: Certificate, intermediate: Certificate) throws(ChainRefusal) -> LeafKey {
        guard leaf.extensions[oid: Self.leafMarker] != nil else { throw ChainRefusal(.leafMarkerMissing) }
        guard intermediate.extensions[oid: Self.intermediateMarker] != nil else { throw ChainRefusal(.intermediateMarkerMissing) }
        guard try !Self.isCA(leaf) else { throw ChainRefusal(.leafIsCA) }
        guard try Self.isCA(intermediate) else { throw ChainRefusal(.intermediateNotCA) }
        guard try maySign(leaf) else { throw ChainRefusal(.leafUsageNotSignature) }
        return try leafKey(of: leaf)
    }

    private func leafKey(of leaf: Certificate) throws(ChainRefusal) -> LeafKey {
        switch purpose {
        case .jws:
            guard let key = P256.Signing.PublicKey(leaf.publicKey) else { throw ChainRefusal(.leafKeyNotP256) }
            return .p256(key)
        case .receipt:
            guard let key = _RSA.Signing.PublicKey(leaf.publicKey), key.keySizeInBits >= 2048 else {
                throw ChainRefusal(.leafKeyNotRSA)
            }
            return .rsa(key)
        }
    }

    static func isCA(_ certificate: Certificate) throws(ChainRefusal) -> Bool {
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

    static func validity(of chain: [Certificate]) throws(ChainRefusal) -> ClosedRange<Timestamp> {
        let starts = chain.map { timestamp($0.notValidBefore) }
        let ends = chain.map { timestamp($0.notValidAfter) }
        guard let first = starts.max(), let last = ends.min(), first <= last else { throw ChainRefusal(.chainNeverValid) }
        return first...last
    }

    private static func timestamp(_ date: Date) -> Timestamp {
        Timestamp(millisecondsSince1970: Int64(exactly: (date.timeIntervalSince1970 * 1000).rounded()) ?? .max)
    }

    /// Names, signatures, constraints and unknown critical extensions of a path, leaf first, at an instant at which no
    /// certificate has expired: the signing date is held against the validity later, once the signature says that it is the
    /// signer's.
    static func checkPath(_ chain: [Certificate], at instant: Timestamp) async throws(ChainRefusal) {
        let time = Date(timeIntervalSince1970: Double(instant.millisecondsSince1970) / 1000)
        var verifier = Verifier(rootCertificates: CertificateStore(chain.suffix(1))) {
            RFC5280Policy(fixedExpiryValidationTime: time)
        }
        switch await verifier.validate(leaf: chain[0], intermediates: CertificateStore(chain.dropFirst().dropLast())) {
        case .validCertificate(let path):
            guard Array(path) == chain else { throw ChainRefusal(.chainInvalid, "another path than the certificates given") }
        case .couldNotValidate(let failures):
            throw ChainRefusal(.chainInvalid, failures.isEmpty ? "no path to the root" : "breaks a rule of RFC 5280")
        }
    }

    private static let leafMarker: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 11, 1]
    private static let intermediateMarker: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 2, 1]
}

extension Signer {
    /// Of a path of certificates with their DER, leaf first, whose last one is trusted.
    init(path: [(der: [UInt8], certificate: Certificate)]) {
        let prints = path.map { TrustRoots.fingerprint(of: $0.der) }
        let root = prints[prints.count - 1]
        let isApple = TrustRoots.appleFingerprints.contains(root)
        self.init(
            authority: path.count == 1 ? .xcode : isApple ? .apple : .configured,
            leafName: Self.commonName(path[0].certificate.subject),
            leafSerial: Self.hexadecimal(path[0].certificate.serialNumber.bytes), leafFingerprint: prints[0],
            intermediateFingerprint: path.count == 3 ? prints[1] : nil,
            rootName: Self.commonName(path[path.count - 1].certificate.subject), rootFingerprint: root)
    }

    static func commonName(_ name: DistinguishedName) -> String {
        for relative in name {
            for attribute in relative where attribute.type == .RDNAttributeType.commonName {
                return String(attribute.value) ?? ""
            }
        }
        return ""
    }

    static func hexadecimal(_ bytes: ArraySlice<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
