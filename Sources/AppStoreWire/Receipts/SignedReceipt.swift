internal import SwiftASN1
internal import X509

/// A parsed PKCS#7 of signed data; nothing in it has been verified yet.
///
/// Source: RFC 5652, section 5; RFC 2315, section 9.
struct SignedReceipt {
    enum DigestAlgorithm { case sha1, sha256 }

    /// The signed content octets, without their own tag and length.
    let content: ArraySlice<UInt8>
    /// The certificates' DER, the signer's first, then its issuer's, then the issuer's issuer's; or the signer's alone.
    let path: [[UInt8]]
    let digestAlgorithm: DigestAlgorithm
    let signature: ArraySlice<UInt8>

    init(der: [UInt8], limits: ReceiptLimits) throws(ReceiptRefusal) {
        guard der.count <= limits.maximumBytes else { throw ReceiptRefusal(.tooLong, "\(der.count) bytes") }
        guard ElementCount.isAtMost(limits.maximumElements, in: der) else {
            throw ReceiptRefusal(.tooManyElements, "more than \(limits.maximumElements)")
        }
        let parsed = try Self.parse(der)
        guard parsed.certificates.count <= limits.maximumCertificates else {
            throw ReceiptRefusal(.tooManyCertificates, "\(parsed.certificates.count)")
        }
        if let index = parsed.certificates.firstIndex(where: { $0.der.count > limits.maximumCertificateBytes }) {
            let place = ChainWords.place(index, of: parsed.certificates.count)
            throw ReceiptRefusal(.certificateTooLong, "\(place) in the receipt, \(parsed.certificates[index].der.count) bytes")
        }
        guard parsed.signers.count == 1 else { throw ReceiptRefusal(.signerCountNotOne, "\(parsed.signers.count)") }
        let signer = parsed.signers[0]
        guard let algorithm = signer.digestAlgorithm else { throw ReceiptRefusal(.algorithmNotAllowed) }
        guard !signer.hasAttributes else { throw ReceiptRefusal(.signerAttributesNotAllowed) }
        content = parsed.content
        path = try Self.path(of: signer, among: parsed.certificates)
        digestAlgorithm = algorithm
        signature = signer.signature
    }

    /// The receipt with its DER: unchanged, or rewritten where it is BER, which only Xcode writes.
    ///
    /// - Parameter mayBeXcode: whether BER is read at all.
    static func read(
        _ bytes: [UInt8], limits: ReceiptLimits, mayBeXcode: Bool
    ) throws(ReceiptRefusal) -> (SignedReceipt, der: [UInt8]) {
        do throws(ReceiptRefusal) {
            return (try SignedReceipt(der: bytes, limits: limits), bytes)
        } catch {
            guard error.code == .notDER, mayBeXcode, let der = BasicEncoding.distinguished(bytes) else { throw error }
            return (try SignedReceipt(der: der, limits: limits), der)
        }
    }

    /// Where the set of attributes is in the receipt: the content, or, as Xcode wraps it, the only octet string in it.
    func attributes(of der: [UInt8], isXcode: Bool) -> Range<Int> {
        guard isXcode, let wrapped = DERElements.only(der, in: content.indices), wrapped.tag == DERElements.octetString else {
            return content.indices
        }
        return wrapped.content
    }

    private struct Parsed {
        let content: ArraySlice<UInt8>
        let certificates: [EmbeddedCertificate]
        let signers: [ReceiptSigner]
    }

    private static func parse(_ der: [UInt8]) throws(ReceiptRefusal) -> Parsed {
        let root: ASN1Node
        do {
            root = try DER.parse(der)
        } catch {
            throw ReceiptRefusal(hasTrailingBytes(der) ? .trailingBytes : .notDER)
        }
        guard root.identifier != .set else { throw ReceiptRefusal(.notSigned) }
        do {
            return try DER.sequence(root, identifier: .sequence) { contentInfo in
                guard try ASN1ObjectIdentifier(derEncoded: &contentInfo) == .pkcs7SignedData else {
                    throw ReceiptRefusal(.notSignedData)
                }
                return try DER.explicitlyTagged(&contentInfo, tagNumber: 0, tagClass: .contextSpecific) { node in
                    try signedData(node)
                }
            }
        } catch let refusal as ReceiptRefusal {
            throw refusal
        } catch {
            throw ReceiptRefusal(.notSignedData)
        }
    }

    private static func signedData(_ node: ASN1Node) throws -> Parsed {
        try DER.sequence(node, identifier: .sequence) { fields in
            _ = try Int64(derEncoded: &fields)
            try skip(&fields, .set)
            let content = try DER.sequence(try next(&fields), identifier: .sequence) { encapsulated in
                guard try ASN1ObjectIdentifier(derEncoded: &encapsulated) == .pkcs7Data else {
                    throw ReceiptRefusal(.notSignedData, "content type")
                }
                return try DER.explicitlyTagged(&encapsulated, tagNumber: 0, tagClass: .contextSpecific) {
                    try ASN1OctetString(derEncoded: $0).bytes
                }
            }
            // Certificates and revocation lists may be missing, in this order and once each; the signers come last.
            var certificates: [EmbeddedCertificate] = []
            var node = try next(&fields)
            if node.identifier == .certificates, case .constructed(let nodes) = node.content {
                certificates = try nodes.map(EmbeddedCertificate.init)
                node = try next(&fields)
            }
            if node.identifier == .revocationLists { node = try next(&fields) }
            guard node.identifier == .set, case .constructed(let nodes) = node.content, fields.next() == nil else {
                throw ReceiptRefusal(.notSignedData)
            }
            return Parsed(content: content, certificates: certificates, signers: try nodes.map(ReceiptSigner.init))
        }
    }

    private static func next(_ fields: inout ASN1NodeCollection.Iterator) throws -> ASN1Node {
        guard let node = fields.next() else { throw ReceiptRefusal(.notSignedData) }
        return node
    }

    private static func skip(_ fields: inout ASN1NodeCollection.Iterator, _ identifier: ASN1Identifier) throws {
        guard fields.next()?.identifier == identifier else { throw ReceiptRefusal(.notSignedData) }
    }

    /// The signer's certificate, its issuer's and that one's issuer's, found by their names; signatures are checked later.
    /// Xcode's certificate is the only one in its receipts and names itself as its issuer.
    private static func path(
        of signer: ReceiptSigner, among certificates: [EmbeddedCertificate]
    ) throws(ReceiptRefusal) -> [[UInt8]] {
        guard let leaf = certificates.first(where: { $0.issuer == signer.issuer && $0.serialNumber == signer.serialNumber })
        else {
            throw missing("the signer's certificate, by its issuer", signer.issuer)
        }
        if certificates.count == 1, leaf.issuer == leaf.subject { return [Array(leaf.der)] }
        guard let intermediate = certificates.first(where: { $0.subject == leaf.issuer && $0.der != leaf.der }) else {
            throw missing("the intermediate", leaf.issuer)
        }
        guard let root = certificates.first(where: { $0.subject == intermediate.issuer && $0.der != intermediate.der }) else {
            throw missing("the root", intermediate.issuer)
        }
        return [Array(leaf.der), Array(intermediate.der), Array(root.der)]
    }

    /// The refusal for a certificate that should be in the receipt, with its common name if that is known.
    private static func missing(_ words: String, _ name: ArraySlice<UInt8>) -> ReceiptRefusal {
        do {
            let name = try DistinguishedName(derEncoded: try DER.parse(name))
            return ReceiptRefusal(.chainMissing, ChainWords.named(words, name))
        } catch {
            return ReceiptRefusal(.chainMissing, words)
        }
    }

    /// Whether the bytes begin with a complete DER value and something follows it.
    private static func hasTrailingBytes(_ der: [UInt8]) -> Bool {
        guard der.count > 2 else { return false }
        var length = Int(der[1])
        var header = 2
        if length & 0x80 != 0 {
            let count = length & 0x7F
            guard (1...4).contains(count), der.count > 2 + count else { return false }
            length = der[2..<2 + count].reduce(0) { $0 << 8 | Int($1) }
            header += count
        }
        return der.count > header + length
    }
}

/// A certificate in the receipt: what is needed to find the chain, without the cost of reading all of it.
private struct EmbeddedCertificate {
    let der: ArraySlice<UInt8>
    let serialNumber: ArraySlice<UInt8>
    let issuer: ArraySlice<UInt8>
    let subject: ArraySlice<UInt8>

    init(_ node: ASN1Node) throws {
        der = node.encodedBytes
        (serialNumber, issuer, subject) = try DER.sequence(node, identifier: .sequence) { certificate in
            guard let body = certificate.next() else { throw ReceiptRefusal(.certificateMalformed) }
            while certificate.next() != nil {}
            return try DER.sequence(body, identifier: .sequence) { fields in
                let all = Self.rest(&fields)
                // A version is there from X.509 version 2 on: version, serial number, algorithm, issuer, validity, subject.
                let first = all.first?.identifier == ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific) ? 1 : 0
                guard all.count >= first + 5 else { throw ReceiptRefusal(.certificateMalformed) }
                return (all[first].encodedBytes, all[first + 2].encodedBytes, all[first + 4].encodedBytes)
            }
        }
    }

    private static func rest(_ fields: inout ASN1NodeCollection.Iterator) -> [ASN1Node] {
        var all: [ASN1Node] = []
        while let node = fields.next() { all.append(node) }
        return all
    }
}

/// Who signed and how.
private struct ReceiptSigner {
    let issuer: ArraySlice<UInt8>
    let serialNumber: ArraySlice<UInt8>
    /// Nil where it is not one that receipts are signed with.
    let digestAlgorithm: SignedReceipt.DigestAlgorithm?
    let signature: ArraySlice<UInt8>
    let hasAttributes: Bool

    init(_ node: ASN1Node) throws {
        self = try DER.sequence(node, identifier: .sequence) { fields in
            _ = try Int64(derEncoded: &fields)
            guard let identifier = fields.next() else { throw ReceiptRefusal(.notSignedData) }
            let (issuer, serialNumber) = try DER.sequence(identifier, identifier: .sequence) { name in
                guard let issuer = name.next(), let serialNumber = name.next() else { throw ReceiptRefusal(.notSignedData) }
                return (issuer.encodedBytes, serialNumber.encodedBytes)
            }
            let digest = try Self.algorithm(&fields)
            var hasAttributes = false
            var field = fields.next()
            if field?.identifier == .signedAttributes {
                hasAttributes = true
                field = fields.next()
            }
            guard let encryption = field else { throw ReceiptRefusal(.notSignedData) }
            let signature = try ASN1OctetString(derEncoded: &fields).bytes
            if fields.next() != nil { hasAttributes = true }
            while fields.next() != nil {}
            return ReceiptSigner(
                issuer: issuer, serialNumber: serialNumber,
                digestAlgorithm: Self.digestAlgorithm(digest, signedWith: try Self.algorithm(encryption)), signature: signature,
                hasAttributes: hasAttributes)
        }
    }

    private init(
        issuer: ArraySlice<UInt8>, serialNumber: ArraySlice<UInt8>, digestAlgorithm: SignedReceipt.DigestAlgorithm?,
        signature: ArraySlice<UInt8>, hasAttributes: Bool
    ) {
        self.issuer = issuer
        self.serialNumber = serialNumber
        self.digestAlgorithm = digestAlgorithm
        self.signature = signature
        self.hasAttributes = hasAttributes
    }

    private static func algorithm(_ fields: inout ASN1NodeCollection.Iterator) throws -> ASN1ObjectIdentifier {
        guard let node = fields.next() else { throw ReceiptRefusal(.notSignedData) }
        return try algorithm(node)
    }

    private static func algorithm(_ node: ASN1Node) throws -> ASN1ObjectIdentifier {
        try DER.sequence(node, identifier: .sequence) { fields in
            let algorithm = try ASN1ObjectIdentifier(derEncoded: &fields)
            while fields.next() != nil {}
            return algorithm
        }
    }

    private static func digestAlgorithm(
        _ digest: ASN1ObjectIdentifier, signedWith encryption: ASN1ObjectIdentifier
    ) -> SignedReceipt.DigestAlgorithm? {
        switch (digest, encryption) {
        case (.sha1, .rsaEncryption), (.sha1, .sha1WithRSA): .sha1
        case (.sha256, .rsaEncryption), (.sha256, .sha256WithRSA): .sha256
        default: nil
        }
    }
}

extension ASN1ObjectIdentifier {
    fileprivate static let pkcs7Data: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 7, 1]
    fileprivate static let pkcs7SignedData: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 7, 2]
    fileprivate static let sha1: ASN1ObjectIdentifier = [1, 3, 14, 3, 2, 26]
    fileprivate static let sha256: ASN1ObjectIdentifier = [2, 16, 840, 1, 101, 3, 4, 2, 1]
    fileprivate static let rsaEncryption: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 1, 1]
    fileprivate static let sha1WithRSA: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 1, 5]
    fileprivate static let sha256WithRSA: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 1, 11]
}

extension ASN1Identifier {
    fileprivate static let certificates = ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific)
    fileprivate static let revocationLists = ASN1Identifier(tagWithNumber: 1, tagClass: .contextSpecific)
    fileprivate static let signedAttributes = ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific)
}
