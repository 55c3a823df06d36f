internal import Crypto
internal import Primitives
internal import SwiftASN1

/// An In-App Purchase key of App Store Connect: it signs offers and the tokens for the App Store Server API.
///
/// The private key cannot be read back out, and the description does not show it.
///
/// Source: Apple, App Store Server API, Generating JSON Web Tokens for API requests; RFC 5958; RFC 5480, section 2.1.1.
public struct SigningKey: Sendable, CustomStringConvertible {
    /// The key's identifier, such as `2X9R4HXF34`.
    public let keyId: String
    /// The issuer of the team, a UUID, as App Store Connect shows it.
    public let issuerId: String
    private let privateKey: P256.Signing.PrivateKey

    /// Reads the text of a `.p8` file.
    ///
    /// - Parameters:
    ///   - pem: The file's text: one PEM block `PRIVATE KEY` of PKCS#8 with a key on P-256.
    ///   - keyId: The key's identifier.
    ///   - issuerId: The issuer, a UUID.
    ///   - fileName: The file's name as App Store Connect gave it, or its path. Only the names of Apple's files show the kind of
    ///     key; with the name, the commonest mistake is found here and not by a 401. nil: not checked.
    /// - Throws: ``SigningKeyError``.
    public init(pem: String, keyId: String, issuerId: String, fileName: String? = nil) throws(SigningKeyError) {
        try Self.check(keyId: keyId, issuerId: issuerId, fileName: fileName)
        self.keyId = keyId
        self.issuerId = issuerId
        privateKey = try Self.privateKey(pem)
    }

    /// The public half, to check signatures with.
    public var publicKey: SigningPublicKey { SigningPublicKey(key: privateKey.publicKey) }

    /// The key's identifier; never the key.
    public var description: String { "SigningKey(\(keyId))" }

    /// ECDSA with SHA-256. The cryptographic library chooses the nonce of ECDSA, so two signatures of one text differ.
    func signature(for bytes: [UInt8]) throws(SigningFailure) -> P256.Signing.ECDSASignature {
        do {
            return try privateKey.signature(for: bytes)
        } catch {
            throw SigningFailure()
        }
    }

    private static func check(keyId: String, issuerId: String, fileName: String?) throws(SigningKeyError) {
        let isUUID = { (text: String) in AppAccountToken(rawValue: text).canonicalUUID != nil }
        if isUUID(keyId), !isUUID(issuerId) { throw SigningKeyError(.keyIdAndIssuerIdExchanged) }
        guard (1...64).contains(keyId.utf8.count), keyId.utf8.allSatisfy(isLetterOrDigit) else {
            throw SigningKeyError(.keyIdInvalid)
        }
        guard isUUID(issuerId) else { throw SigningKeyError(.issuerIdNotUUID) }
        guard let name = fileName?.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last else { return }
        if name.hasPrefix("AuthKey_") || name.hasPrefix("ApiKey_") { throw SigningKeyError(.notInAppPurchaseKey) }
        let prefix = "SubscriptionKey_"
        if name.hasPrefix(prefix), name.dropFirst(prefix.count).prefix(while: { $0 != "." && $0 != " " }) != keyId {
            throw SigningKeyError(.fileOfAnotherKey)
        }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }

    private static func privateKey(_ pem: String) throws(SigningKeyError) -> P256.Signing.PrivateKey {
        let document: PEMDocument
        do {
            document = try PEMDocument(pemString: pem)
        } catch {
            throw SigningKeyError(.notPEM)
        }
        guard document.discriminator == "PRIVATE KEY" else { throw SigningKeyError(.wrongPEMKind) }
        try checkAlgorithm(document.derBytes)
        do {
            return try P256.Signing.PrivateKey(derRepresentation: document.derBytes)
        } catch {
            throw SigningKeyError(.malformed)
        }
    }

    /// Checks the algorithm first: the cryptographic library only says that a key is not one on P-256.
    private static func checkAlgorithm(_ der: [UInt8]) throws(SigningKeyError) {
        let algorithm: AlgorithmOfKey
        do {
            algorithm = try AlgorithmOfKey(derEncoded: der)
        } catch {
            throw SigningKeyError(.malformed)
        }
        guard algorithm.algorithm == [1, 2, 840, 10045, 2, 1] else { throw SigningKeyError(.notEllipticCurve) }
        guard algorithm.curve == [1, 2, 840, 10045, 3, 1, 7] else { throw SigningKeyError(.wrongCurve) }
    }
}

/// The cryptographic library failed to sign.
struct SigningFailure: Error {}

/// What a PKCS#8 structure says about the kind of its key.
///
/// Source: RFC 5958, section 2; RFC 5480, section 2.1.1.
private struct AlgorithmOfKey: DERParseable {
    let algorithm: ASN1ObjectIdentifier
    /// The named curve; nil where the algorithm has other parameters or none.
    let curve: ASN1ObjectIdentifier?

    init(derEncoded node: ASN1Node) throws {
        (algorithm, curve) = try DER.sequence(node, identifier: .sequence) { nodes in
            guard nodes.next()?.identifier == .integer, let kind = nodes.next() else { throw SigningKeyError(.malformed) }
            while nodes.next() != nil {}
            return try DER.sequence(kind, identifier: .sequence) { nodes in
                let algorithm = try ASN1ObjectIdentifier(derEncoded: &nodes)
                guard let parameters = nodes.next() else { return (algorithm, nil) }
                while nodes.next() != nil {}
                guard parameters.identifier == .objectIdentifier else { return (algorithm, nil) }
                return (algorithm, try ASN1ObjectIdentifier(derEncoded: parameters))
            }
        }
    }
}
