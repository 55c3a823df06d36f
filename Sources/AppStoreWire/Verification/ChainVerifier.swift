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

/// Verifies certificates against the pinned roots and Apple's marks. A JWS chain of three costs about a millisecond, nearly all
/// of it for two P-384 signatures; ``ChainCache`` remembers the outcome.
///
/// Source: RFC 5280, section 6; RFC 7515, section 4.1.6; Apple, "Validating receipts on the device" and App Store Server Library.
struct ChainVerifier: Sendable {
    /// What a chain is used for: determines the trusted roots, and the kind of key that the leaf must have.
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

    /// Three certificates, leaf first, that must end in a trusted root; or one, which must be a configured certificate of
    /// Xcode's.
    func verify(_ certificates: [[UInt8]]) async -> Result<VerifiedChain, ChainRefusal> {
        do throws(ChainRefusal) {
            switch certificates.count {
            case 3: return .success(try await verifyThree(certificates))
            case 1 where purpose == .receipt || !roots.xcodeFingerprints.isEmpty:
                return .success(try verifyXcode(certificates[0]))
            default: return .failure(ChainRefusal(.chainLengthNotThree, ChainWords.notThree(certificates.count)))
            }
        } catch {
            return .failure(error)
        }
    }

    private func verifyThree(_ certificates: [[UInt8]]) async throws(ChainRefusal) -> VerifiedChain {
        let root = try anchor(for: certificates[2])
        let path = [certificates[0], certificates[1], root]
        var chain: [Certificate] = []
        for (index, der) in path.enumerated() { chain.append(try Self.parse(der, ChainWords.place(index, of: path.count))) }
        let signer = Signer(path: zip(path, chain).map { $0 })
        try checkTrusted(signer)
        let leafKey = try checkShape(of: chain)
        let validity = try Self.validity(of: chain)
        try await Self.checkPath(chain, at: validity.lowerBound)
        let prints = [signer.intermediateFingerprint ?? [], signer.rootFingerprint]
        let authorities = zip(zip(chain.dropFirst(), [.intermediate, .root]), prints).map { pair, print in
            AuthorityCertificate(pair.0, pair.1, fingerprint: print)
        }
        return VerifiedChain(leafKey: leafKey, validity: validity, signer: signer, authorities: authorities)
    }

    /// Xcode signs with one self-signed certificate; it is trusted by its fingerprint alone.
    private func verifyXcode(_ der: [UInt8]) throws(ChainRefusal) -> VerifiedChain {
        guard roots.xcodeFingerprints.contains(TrustRoots.fingerprint(of: der)) else {
            throw ChainRefusal(
                .rootNotTrusted,
                ChainWords.untrusted(der, at: 0, of: 1, trusted: "as Xcode's \(roots.xcodeWords)"))
        }
        let certificate = try Self.parse(der, ChainWords.place(0, of: 1))
        let signer = Signer(path: [(der, certificate)])
        try checkTrusted(signer)
        return VerifiedChain(
            leafKey: try leafKey(of: [certificate]), validity: try Self.validity(of: [certificate]), signer: signer)
    }

    func checkTrusted(_ signer: Signer) throws(ChainRefusal) {
        guard !distrustedLeafSerials.contains(LeafSerial.plain(signer.leafSerial)) else {
            throw ChainRefusal(
                .leafDistrusted, "the leaf, \(ChainWords.quoted(signer.leafName)), of serial number \(signer.leafSerial)")
        }
    }

    /// The trusted root that the third certificate names: itself, when its fingerprint is pinned, or a root that was given as a
    /// whole and has the same name and key. The content of the third certificate itself is never trusted.
    private func anchor(for der: [UInt8]) throws(ChainRefusal) -> [UInt8] {
        let pinned = purpose == .jws ? roots.fingerprints : roots.receiptFingerprints
        if pinned.contains(TrustRoots.fingerprint(of: der)) { return der }
        if !roots.certificates.isEmpty {
            let named = try Self.parse(der, ChainWords.place(2, of: 3))
            for root in roots.certificates {
                let trusted = try Self.parse(root, "a configured root")
                if trusted.subject == named.subject, trusted.publicKey == named.publicKey { return root }
            }
        }
        throw ChainRefusal(.rootNotTrusted, ChainWords.untrusted(der, at: 2, of: 3, trusted: roots.words(for: purpose)))
    }

    /// - Parameter words: what a refusal says is malformed.
    static func parse(_ der: [UInt8], _ words: @autoclosure () -> String) throws(ChainRefusal) -> Certificate {
        do {
            return try Certificate(derEncoded: der)
        } catch {
            throw ChainRefusal(.certificateMalformed, words())
        }
    }

    /// Checks Apple's marks, which certificates may issue others, and the use of the leaf's key. Returns that key.
    private func checkShape(of chain: [Certificate]) throws(ChainRefusal) -> LeafKey {
        let (leaf, intermediate) = (chain[0], chain[1])
        guard leaf.extensions[oid: Self.leafMarker] != nil else { throw Self.refusal(.leafMarkerMissing, 0, chain) }
        guard intermediate.extensions[oid: Self.intermediateMarker] != nil else {
            throw Self.refusal(.intermediateMarkerMissing, 1, chain)
        }
        guard try !Self.isCA(leaf, ChainWords.place(0, in: chain)) else { throw Self.refusal(.leafIsCA, 0, chain) }
        guard try Self.isCA(intermediate, ChainWords.place(1, in: chain)) else {
            throw Self.refusal(.intermediateNotCA, 1, chain)
        }
        guard try maySign(leaf, ChainWords.place(0, in: chain)) else { throw Self.refusal(.leafUsageNotSignature, 0, chain) }
        return try leafKey(of: chain)
    }

    private static func refusal(_ fault: ChainFault, _ index: Int, _ chain: [Certificate]) -> ChainRefusal {
        ChainRefusal(fault, ChainWords.place(index, in: chain))
    }

    private func leafKey(of chain: [Certificate]) throws(ChainRefusal) -> LeafKey {
        switch purpose {
        case .jws:
            guard let key = P256.Signing.PublicKey(chain[0].publicKey) else { throw Self.refusal(.leafKeyNotP256, 0, chain) }
            return .p256(key)
        case .receipt:
            guard let key = _RSA.Signing.PublicKey(chain[0].publicKey), key.keySizeInBits >= 2048 else {
                throw Self.refusal(.leafKeyNotRSA, 0, chain)
            }
            return .rsa(key)
        }
    }

    /// - Parameter words: what a refusal says is malformed.
    static func isCA(_ certificate: Certificate, _ words: @autoclosure () -> String) throws(ChainRefusal) -> Bool {
        do {
            if case .isCertificateAuthority? = try certificate.extensions.basicConstraints { return true }
            return false
        } catch {
            throw ChainRefusal(.certificateMalformed, "basicConstraints of \(words())")
        }
    }

    /// Without a key usage extension a key may be used for anything (RFC 5280, section 4.2.1.3); Apple's test certificates have
    /// none.
    private func maySign(_ certificate: Certificate, _ words: @autoclosure () -> String) throws(ChainRefusal) -> Bool {
        do {
            return try certificate.extensions.keyUsage?.digitalSignature ?? true
        } catch {
            throw ChainRefusal(.certificateMalformed, "keyUsage of \(words())")
        }
    }

    static func validity(of chain: [Certificate]) throws(ChainRefusal) -> ClosedRange<Timestamp> {
        let starts = chain.map(\.firstInstant)
        let ends = chain.map(\.lastInstant)
        guard let first = starts.max(), let last = ends.min(), first <= last else {
            throw ChainRefusal(.chainNeverValid, ChainWords.neverValid(chain, starts: starts, ends: ends))
        }
        return first...last
    }

    /// Checks names, signatures, constraints and unknown critical extensions of a path, leaf first, at an instant at which no
    /// certificate has expired. The signing date is compared with the validity later, once the signature proves that it is the
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
            let rule = failures.isEmpty ? "no path to the root" : "a certificate breaks a rule of RFC 5280"
            throw ChainRefusal(.chainInvalid, ChainWords.brokenLink(chain) ?? rule)
        }
    }

    private static let leafMarker: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 11, 1]
    private static let intermediateMarker: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 2, 1]
}

extension Certificate {
    /// From when on it is valid.
    var firstInstant: Timestamp { Self.timestamp(notValidBefore) }
    /// Until when it is valid, this instant included.
    var lastInstant: Timestamp { Self.timestamp(notValidAfter) }

    private static func timestamp(_ date: Date) -> Timestamp {
        Timestamp(millisecondsSince1970: Int64(exactly: (date.timeIntervalSince1970 * 1000).rounded()) ?? .max)
    }
}

extension Signer {
    /// The chain of a path of certificates with their DER, leaf first, whose last one is trusted.
    init(path: [(der: [UInt8], certificate: Certificate)]) {
        let prints = path.map { TrustRoots.fingerprint(of: $0.der) }
        let root = prints[prints.count - 1]
        let isApple = TrustRoots.appleFingerprints.contains(root)
        self.init(
            authority: path.count == 1 ? .xcode : isApple ? .apple : .configured,
            leafName: Self.commonName(path[0].certificate.subject),
            leafSerial: Hexadecimal.encode(path[0].certificate.serialNumber.bytes), leafFingerprint: prints[0],
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
}
