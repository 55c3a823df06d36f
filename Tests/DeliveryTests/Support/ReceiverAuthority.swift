import Crypto
import Foundation
import NIOSSL
import SwiftASN1
import X509

/// A certificate authority and the certificates that it issues to receivers of a test.
struct ReceiverAuthority {
    private let key = P256.Signing.PrivateKey()
    private let name: DistinguishedName
    /// Its own certificate, in PEM.
    let pem: [UInt8]

    init() throws {
        name = try DistinguishedName { CommonName("Authority of receivers") }
        let certificate = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(key.publicKey),
            notValidBefore: Date(timeIntervalSinceNow: -86_400),
            notValidAfter: Date(timeIntervalSinceNow: 864_000), issuer: name, subject: name, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
                Critical(KeyUsage(keyCertSign: true))
            }, issuerPrivateKey: .init(key))
        pem = Array(try certificate.serializeAsPEM().pemString.utf8)
    }

    /// What a receiver presents.
    ///
    /// - Parameters:
    ///   - host: the name in the certificate.
    ///   - days: from when to when it is valid, in days from now.
    func server(_ host: String, days: ClosedRange<Double> = -1...10) throws -> NIOSSLContext {
        let leafKey = P256.Signing.PrivateKey()
        let leaf = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(leafKey.publicKey),
            notValidBefore: Date(timeIntervalSinceNow: days.lowerBound * 86_400),
            notValidAfter: Date(timeIntervalSinceNow: days.upperBound * 86_400), issuer: name,
            subject: try DistinguishedName { CommonName(host) }, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.serverAuth])
                SubjectAlternativeNames([.dnsName(host)])
            }, issuerPrivateKey: .init(key))
        let chain = try NIOSSLCertificate.fromPEMBytes(Array(try leaf.serializeAsPEM().pemString.utf8))
        return try NIOSSLContext(
            configuration: .makeServerConfiguration(
                certificateChain: chain.map { .certificate($0) },
                privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(leafKey.pemRepresentation.utf8), format: .pem))))
    }
}
