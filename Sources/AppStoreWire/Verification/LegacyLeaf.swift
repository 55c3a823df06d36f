internal import CryptoExtras
internal import Primitives
internal import SwiftASN1
internal import X509

/// A certificate with an RSA key of 1024 bits, which the certificate library refuses to read: the certificate of transaction
/// receipts from before iOS 7. It is only ever the end of a chain.
///
/// Source: RFC 5280, section 4.1.
struct LegacyLeaf {
    let key: _RSA.Signing.PublicKey
    let serialNumber: ArraySlice<UInt8>
    let issuer: DistinguishedName
    let subject: DistinguishedName
    let validity: ClosedRange<Timestamp>
    private let body: ArraySlice<UInt8>
    private let signature: ArraySlice<UInt8>
    private let algorithm: Certificate.SignatureAlgorithm

    init(derEncoded der: [UInt8]) throws {
        let root = try DER.parse(der)
        let parts = try Self.parts(of: root)
        guard parts.count == 3 else { throw ChainRefusal(.certificateMalformed) }
        body = parts[0].encodedBytes
        signature = try ASN1BitString(derEncoded: parts[2]).bytes
        algorithm = try Self.algorithm(parts[1])
        let fields = try Self.parts(of: parts[0])
        // A version is there from X.509 version 2 on: version, serial number, algorithm, issuer, validity, subject, key.
        let first = fields.first?.identifier == ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific) ? 1 : 0
        guard fields.count >= first + 6 else { throw ChainRefusal(.certificateMalformed) }
        serialNumber = try ArraySlice<UInt8>(derEncoded: fields[first])
        issuer = try DistinguishedName(derEncoded: fields[first + 2])
        let instants = try Self.parts(of: fields[first + 3]).map(Self.instant)
        guard instants.count == 2, instants[0] <= instants[1] else { throw ChainRefusal(.certificateMalformed, "validity") }
        validity = instants[0]...instants[1]
        subject = try DistinguishedName(derEncoded: fields[first + 4])
        key = try _RSA.Signing.PublicKey(unsafeDERRepresentation: fields[first + 5].encodedBytes)
    }

    /// Whether the issuer's key signed this certificate.
    func isSigned(by issuer: Certificate) -> Bool {
        issuer.publicKey.isValidSignature(signature, for: body, signatureAlgorithm: algorithm)
    }

    private static func parts(of node: ASN1Node) throws -> [ASN1Node] {
        guard node.identifier == .sequence, case .constructed(let nodes) = node.content else {
            throw ChainRefusal(.certificateMalformed)
        }
        return Array(nodes)
    }

    private static func algorithm(_ node: ASN1Node) throws -> Certificate.SignatureAlgorithm {
        guard let identifier = try parts(of: node).first else { throw ChainRefusal(.certificateMalformed, "algorithm") }
        switch try ASN1ObjectIdentifier(derEncoded: identifier) {
        case [1, 2, 840, 113549, 1, 1, 5]: return .sha1WithRSAEncryption
        case [1, 2, 840, 113549, 1, 1, 11]: return .sha256WithRSAEncryption
        default: throw ChainRefusal(.certificateMalformed, "algorithm")
        }
    }

    /// A time as certificates write it: until 2049 with a two-digit year, later with four digits (RFC 5280, section 4.1.2.5).
    private static func instant(_ node: ASN1Node) throws -> Timestamp {
        if node.identifier == .generalizedTime {
            let time = try GeneralizedTime(derEncoded: node)
            return try instant(
                CivilDate(year: Int64(time.year), month: Int64(time.month), day: Int64(time.day)),
                time.hours * 3600 + time.minutes * 60 + time.seconds)
        }
        let time = try UTCTime(derEncoded: node)
        return try instant(
            CivilDate(year: Int64(time.year), month: Int64(time.month), day: Int64(time.day)),
            time.hours * 3600 + time.minutes * 60 + time.seconds)
    }

    private static func instant(_ date: CivilDate?, _ second: Int) throws -> Timestamp {
        guard let date else { throw ChainRefusal(.certificateMalformed, "validity") }
        return Timestamp(millisecondsSince1970: (date.daysSince1970 * 86_400 + Int64(second)) * 1000)
    }
}
