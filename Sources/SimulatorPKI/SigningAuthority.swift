internal import Crypto
package import Primitives
internal import SwiftASN1
internal import X509

/// A private copy of the pyramid that Apple signs App Store payloads with: root, intermediate and leaf certificate with their
/// keys.
///
/// Chains made here have Apple's shape, sizes and marker extensions, but another root. They prove something only to a verifier
/// that is configured to trust ``rootFingerprint``.
///
/// Source: RFC 7515 (compact JWS, `x5c`), RFC 5280; Apple's certificates as found in signed payloads.
package struct SigningAuthority: Sendable {
    private let rootKey: P384.Signing.PrivateKey
    private let intermediateKey: P384.Signing.PrivateKey
    private let leafKey: LeafSigningKey
    /// The header and the dot after it, and their digest so far: they are the same each time, and most of what is signed.
    private let header: [UInt8]
    private let headerDigest: SHA256

    /// The certificates' DER, leaf first, as `x5c` lists them.
    package let chainDER: [[UInt8]]

    /// New keys and certificates.
    ///
    /// - Parameters:
    ///   - shape: Apple's, or a deliberately wrong one.
    ///   - validity: when the certificates are valid, in whole seconds.
    package init(shape: ChainShape = .apple, validity: ClosedRange<Timestamp>) throws {
        let keys = Keys(
            root: P384.Signing.PrivateKey(), intermediate: P384.Signing.PrivateKey(), leaf: LeafSigningKey(shape.leafKey))
        let profile = CertificateProfile(shape: shape, validity: validity)
        let root = try profile.root(key: .init(keys.root))
        self.init(keys: keys, chainDER: try keys.issued(profile) + [try root.der])
    }

    /// The same root and intermediate with a new leaf, as when Apple renews its leaf every two years.
    package func renewingLeaf(shape: ChainShape = .apple, validity: ClosedRange<Timestamp>) throws -> SigningAuthority {
        let keys = Keys(root: rootKey, intermediate: intermediateKey, leaf: LeafSigningKey(shape.leafKey))
        let leaf = try CertificateProfile(shape: shape, validity: validity)
            .leaf(publicKey: keys.leaf.publicKey, issuedBy: .init(intermediateKey))
        return SigningAuthority(keys: keys, chainDER: [try leaf.der] + chainDER.dropFirst())
    }

    /// The same root with a new intermediate, of a new key, and a new leaf under it, as when Apple renews its intermediate.
    package func renewingIntermediate(
        shape: ChainShape = .apple, validity: ClosedRange<Timestamp>
    ) throws -> SigningAuthority {
        let keys = Keys(root: rootKey, intermediate: P384.Signing.PrivateKey(), leaf: LeafSigningKey(shape.leafKey))
        let issued = try keys.issued(CertificateProfile(shape: shape, validity: validity))
        return SigningAuthority(keys: keys, chainDER: issued + chainDER.suffix(1))
    }

    /// The same keys with a new certificate of the root: same name, same key, other bytes.
    package func reissuingRoot(validity: ClosedRange<Timestamp>) throws -> SigningAuthority {
        let root = try CertificateProfile(shape: .apple, validity: validity).root(key: .init(rootKey))
        let keys = Keys(root: rootKey, intermediate: intermediateKey, leaf: leafKey)
        return SigningAuthority(keys: keys, chainDER: chainDER.dropLast() + [try root.der])
    }

    /// The root certificate's DER; a verifier is configured to trust this or ``rootFingerprint``.
    package var rootDER: [UInt8] { chainDER.last ?? [] }

    /// The SHA-256 of ``rootDER``.
    package var rootFingerprint: [UInt8] { Array(SHA256.hash(data: rootDER)) }

    /// A compact JWS of the payload with the header `{"alg":"ES256","x5c":[leaf, intermediate, root]}`, as Apple writes it.
    package func sign(payload: [UInt8]) throws -> String { try signed(payload).compact }

    /// The same, and its signature by itself: the payload and the signature are enough to rebuild the JWS.
    package func signed(_ payload: [UInt8]) throws -> (compact: String, signature: [UInt8]) {
        let encoded = StrictBase64.encodedURL(payload)
        var digest = headerDigest
        digest.update(data: encoded)
        let signature = try leafKey.signature(over: digest.finalize())
        return (Self.compact(header, encoded, signature), signature)
    }

    /// The compact JWS that ``signed(_:)`` made of this payload with this signature.
    package func compact(_ payload: [UInt8], signature: [UInt8]) -> String {
        Self.compact(header, StrictBase64.encodedURL(payload), signature)
    }

    private static func compact(_ header: [UInt8], _ payload: [UInt8], _ signature: [UInt8]) -> String {
        var jws = header
        jws.reserveCapacity(header.count + payload.count + 88)
        jws += payload
        jws.append(UInt8(ascii: "."))
        jws += StrictBase64.encodedURL(signature)
        return String(decoding: jws, as: UTF8.self)
    }

    /// A compact JWS with any header at all; the signature is valid whatever the header claims.
    package func sign(payload: [UInt8], header: [UInt8]) throws -> String {
        let input = StrictBase64.encodeURL(header) + "." + StrictBase64.encodeURL(payload)
        return input + "." + StrictBase64.encodeURL(try leafKey.signature(over: Array(input.utf8)))
    }

    /// The leaf key's signature over any bytes: r and s of 32 bytes each (48 each for a P-384 leaf).
    package func signature(over bytes: [UInt8]) throws -> [UInt8] {
        try leafKey.signature(over: bytes)
    }

    /// The header that ``sign(payload:)`` writes, with other certificates in `x5c`.
    package static func header(x5c certificates: [[UInt8]]) -> [UInt8] {
        let list = certificates.map { "\"" + StrictBase64.encodePadded($0) + "\"" }.joined(separator: ",")
        return Array("{\"alg\":\"ES256\",\"x5c\":[\(list)]}".utf8)
    }
}

extension Certificate {
    /// The certificate's DER.
    var der: [UInt8] {
        get throws {
            var serializer = DER.Serializer()
            try serializer.serialize(self)
            return serializer.serializedBytes
        }
    }
}

extension SigningAuthority {
    private struct Keys {
        let root: P384.Signing.PrivateKey
        let intermediate: P384.Signing.PrivateKey
        let leaf: LeafSigningKey

        /// New certificates of the leaf and of the intermediate, as DER.
        func issued(_ profile: CertificateProfile) throws -> [[UInt8]] {
            [
                try profile.leaf(publicKey: leaf.publicKey, issuedBy: .init(intermediate)).der,
                try profile.intermediate(key: .init(intermediate), issuedBy: .init(root)).der,
            ]
        }
    }

    private init(keys: Keys, chainDER: [[UInt8]]) {
        rootKey = keys.root
        intermediateKey = keys.intermediate
        leafKey = keys.leaf
        self.chainDER = chainDER
        header = StrictBase64.encodedURL(Self.header(x5c: chainDER)) + [UInt8(ascii: ".")]
        var digest = SHA256()
        digest.update(data: header)
        headerDigest = digest
    }

    /// Certificates and keys as PEM, leaf first, each certificate before its key: what ``init(pem:)`` reads.
    ///
    /// It holds private keys. They are a simulator's own and never a real secret, but the file is still readable by its owner
    /// only.
    package func exportedPEM() -> String {
        let keys = [leafKey.pem, intermediateKey.pemRepresentation, rootKey.pemRepresentation]
        return PEMDocument.text(zip(chainDER, keys).map { ($0, $1) })
    }

    /// The authority that ``exportedPEM()`` wrote, so that a simulator keeps its root across restarts.
    ///
    /// - Throws: ``SigningAuthorityError`` when the text is not three certificates with their keys, or the ASN.1 or key error.
    package init(pem: String) throws { try self.init(documents: try PEMDocument.parseMultiple(pemString: pem)) }

    init(documents: [PEMDocument]) throws {
        let (certificates, keys) = (documents.certificates, documents.keys)
        guard certificates.count == 3, keys.count == 3, documents.count == 6 else { throw SigningAuthorityError.notAnExport }
        let read = Keys(
            root: try P384.Signing.PrivateKey(pemRepresentation: keys[2]),
            intermediate: try P384.Signing.PrivateKey(pemRepresentation: keys[1]),
            leaf: .p256(try P256.Signing.PrivateKey(pemRepresentation: keys[0])))
        let publicKeys = [read.leaf.publicKey, .init(read.intermediate.publicKey), .init(read.root.publicKey)]
        let certified = try certificates.map { try Certificate(derEncoded: $0).publicKey }
        guard certified == publicKeys else { throw SigningAuthorityError.keysDoNotMatch }
        self.init(keys: read, chainDER: certificates)
    }
}

extension SigningAuthority: Codable {
    /// Reads what ``exportedPEM()`` wrote.
    package init(from decoder: any Decoder) throws {
        try self.init(pem: try decoder.singleValueContainer().decode(String.self))
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(exportedPEM())
    }
}

/// Why a text is not an exported ``SigningAuthority``.
package enum SigningAuthorityError: Error, Equatable {
    /// Not three certificates and three private keys.
    case notAnExport
    /// A certificate does not match the key that follows it.
    case keysDoNotMatch
}

/// The leaf's key, on the right curve or, for tests, on a wrong one.
private enum LeafSigningKey: Sendable {
    case p256(P256.Signing.PrivateKey)
    case p384(P384.Signing.PrivateKey)

    init(_ curve: ChainShape.LeafKey) {
        switch curve {
        case .p256: self = .p256(P256.Signing.PrivateKey())
        case .p384: self = .p384(P384.Signing.PrivateKey())
        }
    }

    var publicKey: Certificate.PublicKey {
        switch self {
        case .p256(let key): Certificate.PublicKey(key.publicKey)
        case .p384(let key): Certificate.PublicKey(key.publicKey)
        }
    }

    var pem: String {
        switch self {
        case .p256(let key): key.pemRepresentation
        case .p384(let key): key.pemRepresentation
        }
    }

    func signature(over bytes: [UInt8]) throws -> [UInt8] {
        switch self {
        case .p256(let key): Array(try key.signature(for: bytes).rawRepresentation)
        case .p384(let key): Array(try key.signature(for: bytes).rawRepresentation)
        }
    }

    /// ES256 always uses SHA-256, whatever the key.
    func signature(over digest: SHA256Digest) throws -> [UInt8] {
        switch self {
        case .p256(let key): Array(try key.signature(for: digest).rawRepresentation)
        case .p384(let key): Array(try key.signature(for: digest).rawRepresentation)
        }
    }
}
