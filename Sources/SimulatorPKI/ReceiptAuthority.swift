internal import Crypto
internal import CryptoExtras
package import Primitives
internal import SwiftASN1
internal import X509

/// A private copy of the pyramid that Apple signs receipts with: RSA, with SHA-1 (Apple's until 2023) or SHA-256 (Apple's since
/// then).
///
/// Source: RFC 5652 and RFC 2315 (signed data without attributes); Apple's receipts as found in apps; TN3138.
package struct ReceiptAuthority: Sendable {
    /// What certificates and contents are hashed with.
    package enum Digest: String, Sendable, Codable {
        case sha1, sha256
    }

    /// The certificates' DER, leaf first.
    package let chainDER: [[UInt8]]
    private let rootKey: _RSA.Signing.PrivateKey
    private let intermediateKey: _RSA.Signing.PrivateKey
    private let leafKey: _RSA.Signing.PrivateKey
    private let digest: Digest
    private let names: [[UInt8]]

    /// New keys of 2048 bits and certificates. Takes about half a second.
    package init(shape: ChainShape = .apple, digest: Digest = .sha256, validity: ClosedRange<Timestamp>) throws {
        self.digest = digest
        rootKey = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        intermediateKey = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        leafKey = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        let profile = CertificateProfile(shape: shape, validity: validity, signatureAlgorithm: digest.certificateAlgorithm)
        let leaf = try profile.leaf(publicKey: .init(leafKey.publicKey), issuedBy: .init(intermediateKey))
        let intermediate = try profile.intermediate(key: .init(intermediateKey), issuedBy: .init(rootKey))
        chainDER = [try leaf.der, try intermediate.der, try profile.root(key: .init(rootKey)).der]
        names = try Self.issuerAndSerialNumber(leaf)
    }

    /// One self-signed certificate, as Xcode signs receipts with.
    package init(xcodeNamed name: String, validity: ClosedRange<Timestamp>) throws {
        digest = .sha256
        leafKey = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        rootKey = leafKey
        intermediateKey = leafKey
        let leaf = try CertificateProfile(shape: .apple, validity: validity, signatureAlgorithm: .sha256WithRSAEncryption)
            .selfSigned(key: .init(leafKey), named: name)
        chainDER = [try leaf.der]
        names = try Self.issuerAndSerialNumber(leaf)
    }

    /// The root certificate's DER.
    package var rootDER: [UInt8] { chainDER.last ?? [] }

    /// A PKCS#7 of signed data with the content inside, without signed attributes, as Apple writes receipts.
    ///
    /// - Parameters:
    ///   - content: as a rule ``ReceiptContent/der``.
    ///   - certificates: those to include; nil: the chain.
    package func sign(content: [UInt8], certificates: [[UInt8]]? = nil) throws -> [UInt8] {
        Self.signedData(
            content: content, certificates: certificates ?? chainDER,
            signers: [signer(signature: try signature(over: content))])
    }

    /// The leaf's signature over any bytes.
    package func signature(over bytes: [UInt8]) throws -> [UInt8] {
        switch digest {
        case .sha1:
            Array(try leafKey.signature(for: Insecure.SHA1.hash(data: bytes), padding: .insecurePKCS1v1_5).rawRepresentation)
        case .sha256:
            Array(try leafKey.signature(for: SHA256.hash(data: bytes), padding: .insecurePKCS1v1_5).rawRepresentation)
        }
    }

    /// A SignerInfo that names the leaf.
    ///
    /// - Parameters:
    ///   - signature: any bytes.
    ///   - attributes: the signed attributes, in DER with their own tag; Apple's receipts have none.
    package func signer(signature: [UInt8], attributes: [UInt8] = []) -> [UInt8] {
        DERWriter.sequence([
            DERWriter.integer(1), DERWriter.sequence(names), digest.algorithm, attributes,
            Self.algorithm([1, 2, 840, 113549, 1, 1, 1]), DERWriter.octets(signature),
        ])
    }

    /// A PKCS#7 from any parts.
    package static func signedData(content: [UInt8], certificates: [[UInt8]], signers: [[UInt8]]) -> [UInt8] {
        let encapsulated = DERWriter.sequence([
            DERWriter.identifier([1, 2, 840, 113549, 1, 7, 1]), DERWriter.value(tag: 0xA0, DERWriter.octets(content)),
        ])
        let signedData = DERWriter.sequence([
            DERWriter.integer(1), DERWriter.set([Digest.sha256.algorithm]), encapsulated,
            DERWriter.value(tag: 0xA0, certificates.flatMap { $0 }), DERWriter.set(signers),
        ])
        return DERWriter.sequence([
            DERWriter.identifier([1, 2, 840, 113549, 1, 7, 2]), DERWriter.value(tag: 0xA0, signedData),
        ])
    }

    /// A leaf of its own that this authority's *leaf* issued, with all of Apple's marks: the forgery that shifts the chain by
    /// one.
    package func forgedLeaf(validity: ClosedRange<Timestamp>) throws -> ReceiptAuthority {
        try ReceiptAuthority(issuedByLeafOf: self, validity: validity)
    }

    private init(issuedByLeafOf authority: ReceiptAuthority, validity: ClosedRange<Timestamp>) throws {
        digest = authority.digest
        leafKey = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        intermediateKey = authority.leafKey
        rootKey = authority.intermediateKey
        let profile = CertificateProfile(shape: .apple, validity: validity, signatureAlgorithm: digest.certificateAlgorithm)
        let leaf = try profile.leaf(
            publicKey: .init(leafKey.publicKey), issuedBy: .init(intermediateKey),
            issuer: try Certificate(derEncoded: authority.chainDER[0]).subject)
        chainDER = [try leaf.der] + authority.chainDER
        names = try Self.issuerAndSerialNumber(leaf)
    }

    private static func issuerAndSerialNumber(_ leaf: Certificate) throws -> [[UInt8]] {
        var serializer = DER.Serializer()
        try serializer.serialize(leaf.issuer)
        return [serializer.serializedBytes, DERWriter.value(tag: 0x02, unsigned(Array(leaf.serialNumber.bytes)))]
    }

    /// An unsigned number as DER requires it: with a leading zero where the top bit is set.
    private static func unsigned(_ bytes: [UInt8]) -> [UInt8] {
        bytes.first.map { $0 >= 0x80 } ?? true ? [0] + bytes : bytes
    }

    fileprivate static func algorithm(_ arcs: [UInt64]) -> [UInt8] {
        DERWriter.sequence([DERWriter.identifier(arcs), [0x05, 0x00]])
    }
}

// MARK: - Saving

extension ReceiptAuthority: Codable {
    private enum CodingKeys: String, CodingKey {
        case chain, keys, digest
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let keys = try container.decode([String].self, forKey: .keys)
        let chain = try container.decode([[UInt8]].self, forKey: .chain)
        guard keys.count == 3, !chain.isEmpty else {
            throw DecodingError.dataCorruptedError(forKey: .keys, in: container, debugDescription: "not three keys and a chain")
        }
        try self.init(chain: chain, keys: keys, digest: try container.decode(Digest.self, forKey: .digest))
    }

    /// From three certificates, each before its key: what ``exportedPEM()`` wrote.
    init(documents: [PEMDocument]) throws {
        guard documents.certificates.count == 3, documents.keys.count == 3 else { throw SigningAuthorityError.notAnExport }
        try self.init(chain: documents.certificates, keys: documents.keys, digest: .sha256)
        let certified = try chainDER.map { try Certificate(derEncoded: $0).publicKey }
        guard certified == [leafKey, intermediateKey, rootKey].map({ Certificate.PublicKey($0.publicKey) }) else {
            throw SigningAuthorityError.keysDoNotMatch
        }
    }

    func exportedPEM() -> String {
        PEMDocument.text(zip(chainDER, [leafKey, intermediateKey, rootKey].map(\.pemRepresentation)).map { ($0, $1) })
    }

    /// From a chain and its keys, leaf first.
    private init(chain: [[UInt8]], keys: [String], digest: Digest) throws {
        chainDER = chain
        self.digest = digest
        leafKey = try _RSA.Signing.PrivateKey(pemRepresentation: keys[0])
        intermediateKey = try _RSA.Signing.PrivateKey(pemRepresentation: keys[1])
        rootKey = try _RSA.Signing.PrivateKey(pemRepresentation: keys[2])
        names = try Self.issuerAndSerialNumber(try Certificate(derEncoded: chain[0]))
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(chainDER, forKey: .chain)
        try container.encode([leafKey, intermediateKey, rootKey].map(\.pemRepresentation), forKey: .keys)
        try container.encode(digest, forKey: .digest)
    }
}

extension ReceiptAuthority.Digest {
    fileprivate var algorithm: [UInt8] {
        switch self {
        case .sha1: ReceiptAuthority.algorithm([1, 3, 14, 3, 2, 26])
        case .sha256: ReceiptAuthority.algorithm([2, 16, 840, 1, 101, 3, 4, 2, 1])
        }
    }

    fileprivate var certificateAlgorithm: Certificate.SignatureAlgorithm {
        switch self {
        case .sha1: .sha1WithRSAEncryption
        case .sha256: .sha256WithRSAEncryption
        }
    }
}
