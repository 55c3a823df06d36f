internal import Crypto
internal import CryptoExtras
package import Primitives
internal import SwiftASN1
internal import X509

/// Signs transaction receipts as iOS 6 and earlier kept them: a property list in NeXT's style around a signature with the
/// signer's certificate.
///
/// Source: Apple's receipts as found in old databases; the layout of the signature is observed, not documented.
package struct TransactionReceiptAuthority: Sendable {
    /// The DER of the authority that issued ``leafDER``; no receipt carries it.
    package let issuerDER: [UInt8]
    /// The signer's certificate.
    package let leafDER: [UInt8]
    private let leafKey: _RSA.Signing.PrivateKey

    /// New keys: 2048 bits for the issuer, 1024 for the leaf, as Apple's.
    package init(validity: ClosedRange<Timestamp>) throws {
        let issuerKey = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        leafKey = try _RSA.Signing.PrivateKey(unsafeKeySize: .init(bitCount: 1024))
        let profile = CertificateProfile(shape: .apple, validity: validity, signatureAlgorithm: .sha1WithRSAEncryption)
        issuerDER = try profile.root(key: .init(issuerKey)).der
        leafDER = try profile.purchaseReceiptLeaf(publicKey: .init(leafKey.publicKey), issuedBy: .init(issuerKey)).der
    }

    /// The receipt as a property list, not yet in base64.
    ///
    /// - Parameters:
    ///   - purchaseInfo: the decoded `purchase-info`.
    ///   - environment: `Sandbox` or `Production`; nil leaves the key out. It is not signed.
    package func sign(purchaseInfo: String, environment: String?) throws -> String {
        let bytes = Array(purchaseInfo.utf8)
        let signature = try leafKey.signature(for: Insecure.SHA1.hash(data: [2] + bytes), padding: .insecurePKCS1v1_5)
        return Self.propertyList(
            signature: signatureField(signature: Array(signature.rawRepresentation)), purchaseInfo: bytes,
            environment: environment)
    }

    /// Version, signature, length of the certificate, certificate.
    package func signatureField(version: UInt8 = 2, signature: [UInt8]) -> [UInt8] {
        let length = withUnsafeBytes(of: UInt32(leafDER.count).bigEndian) { Array($0) }
        return [version] + signature + length + leafDER
    }

    /// The property list from any parts.
    package static func propertyList(signature: [UInt8], purchaseInfo: [UInt8], environment: String?) -> String {
        var lines = [
            "\t\"signature\" = \"\(StrictBase64.encodePadded(signature))\";",
            "\t\"purchase-info\" = \"\(StrictBase64.encodePadded(purchaseInfo))\";",
        ]
        if let environment { lines.append("\t\"environment\" = \"\(environment)\";") }
        lines += ["\t\"pod\" = \"100\";", "\t\"signing-status\" = \"0\";"]
        return "{\n" + lines.joined(separator: "\n") + "\n}"
    }
}

// MARK: - Saving

extension TransactionReceiptAuthority: Codable {
    private enum CodingKeys: String, CodingKey {
        case issuer, leaf, key
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        issuerDER = try container.decode([UInt8].self, forKey: .issuer)
        leafDER = try container.decode([UInt8].self, forKey: .leaf)
        leafKey = try _RSA.Signing.PrivateKey(unsafePEMRepresentation: try container.decode(String.self, forKey: .key))
    }

    /// From the issuer's certificate, the signer's and its key: what ``exportedPEM()`` wrote.
    init(documents: [PEMDocument]) throws {
        guard documents.certificates.count == 2, documents.keys.count == 1 else { throw SigningAuthorityError.notAnExport }
        (issuerDER, leafDER) = (documents.certificates[0], documents.certificates[1])
        leafKey = try _RSA.Signing.PrivateKey(unsafePEMRepresentation: documents.keys[0])
    }

    func exportedPEM() -> String { PEMDocument.text([(issuerDER, nil), (leafDER, leafKey.pemRepresentation)]) }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(issuerDER, forKey: .issuer)
        try container.encode(leafDER, forKey: .leaf)
        try container.encode(leafKey.pemRepresentation, forKey: .key)
    }
}
