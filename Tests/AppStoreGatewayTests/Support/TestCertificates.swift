import Crypto
import Foundation
import NIOSSL
import SwiftASN1
import X509

/// A certificate authority and the certificates that it issues to servers of a test.
struct TestAuthority {
    private let key = P256.Signing.PrivateKey()
    private let name: DistinguishedName
    let certificate: Certificate

    init() throws {
        name = try DistinguishedName { CommonName("Test Authority") }
        certificate = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(key.publicKey),
            notValidBefore: Date(timeIntervalSinceNow: -86_400),
            notValidAfter: Date(timeIntervalSinceNow: 864_000), issuer: name, subject: name, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
                Critical(KeyUsage(keyCertSign: true))
            }, issuerPrivateKey: .init(key))
    }

    var der: [UInt8] {
        get throws {
            var serializer = DER.Serializer()
            try serializer.serialize(certificate)
            return serializer.serializedBytes
        }
    }

    var pem: [UInt8] { get throws { Array(try certificate.serializeAsPEM().pemString.utf8) } }

    /// What a server presents.
    ///
    /// - Parameters:
    ///   - host: the name in the certificate.
    ///   - days: from when to when it is valid, in days from now.
    ///   - isSelfSigned: whether its own key signs it.
    func server(
        _ host: String = "localhost", days: ClosedRange<Double> = -1...10, isSelfSigned: Bool = false
    ) throws -> NIOSSLContext {
        let leafKey = P256.Signing.PrivateKey()
        let subject = try DistinguishedName { CommonName(host) }
        let leaf = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(leafKey.publicKey),
            notValidBefore: Date(timeIntervalSinceNow: days.lowerBound * 86_400),
            notValidAfter: Date(timeIntervalSinceNow: days.upperBound * 86_400), issuer: isSelfSigned ? subject : name,
            subject: subject, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.serverAuth])
                SubjectAlternativeNames([.dnsName(host)])
            }, issuerPrivateKey: .init(isSelfSigned ? leafKey : key))
        let certificates = [try leaf.serializeAsPEM()].map { Array($0.pemString.utf8) }
        return try NIOSSLContext(
            configuration: .makeServerConfiguration(
                certificateChain: try certificates.flatMap { try NIOSSLCertificate.fromPEMBytes($0) }.map { .certificate($0) },
                privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(leafKey.pemRepresentation.utf8), format: .pem))))
    }
}
