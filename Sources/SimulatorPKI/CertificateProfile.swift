internal import Crypto
internal import Primitives
internal import SwiftASN1
internal import X509

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The names, extensions and dates of the three certificates, according to a shape.
struct CertificateProfile {
    let shape: ChainShape
    let validity: ClosedRange<Timestamp>
    let signatureAlgorithm: Certificate.SignatureAlgorithm

    init(
        shape: ChainShape, validity: ClosedRange<Timestamp>,
        signatureAlgorithm: Certificate.SignatureAlgorithm = .ecdsaWithSHA384
    ) {
        self.shape = shape
        self.validity = validity
        self.signatureAlgorithm = signatureAlgorithm
    }

    func root(key: Certificate.PrivateKey) throws -> Certificate {
        let name = try rootName()
        let publicKey = key.publicKey
        let extensions = try Certificate.Extensions {
            if shape.hasKeyIdentifiers { SubjectKeyIdentifier(hash: publicKey) }
            Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
            Critical(KeyUsage(keyCertSign: true, cRLSign: true))
        }
        return try certificate(
            Subject(name: name, key: publicKey, validity: validity), issuer: name, extensions: extensions, signedBy: key)
    }

    func intermediate(key: Certificate.PrivateKey, issuedBy rootKey: Certificate.PrivateKey) throws -> Certificate {
        let publicKey = key.publicKey
        let extensions = try Certificate.Extensions {
            Critical(intermediateConstraints)
            if shape.hasKeyIdentifiers { authorityKeyIdentifier(of: rootKey) }
            AuthorityInformationAccess([.init(method: .ocspServer, location: location("ocsp03-simulatorrootcag3"))])
            CertificateExtensions.crlDistributionPoint("http://crl.simulator.invalid/root.crl")
            if shape.hasKeyIdentifiers { SubjectKeyIdentifier(hash: publicKey) }
            Critical(KeyUsage(keyCertSign: true, cRLSign: true))
            if shape.intermediateHasMarker { CertificateExtensions.intermediateMarker }
        }
        let subject = Subject(name: try intermediateName(), key: publicKey, validity: shape.intermediateValidity ?? validity)
        return try certificate(subject, issuer: try rootName(), extensions: extensions, signedBy: rootKey)
    }

    /// - Parameter issuer: the issuer's name; nil: the intermediate's.
    func leaf(
        publicKey: Certificate.PublicKey, issuedBy issuerKey: Certificate.PrivateKey, issuer: DistinguishedName? = nil
    ) throws -> Certificate {
        let policies = try CertificateExtensions.policies()
        let extensions = try Certificate.Extensions {
            Critical(leafConstraints)
            if shape.hasKeyIdentifiers { authorityKeyIdentifier(of: issuerKey) }
            AuthorityInformationAccess([
                .init(method: .issuingCA, location: location("wwdrg6.der")),
                .init(method: .ocspServer, location: location("ocsp03-wwdrg602")),
            ])
            policies
            if shape.hasKeyIdentifiers { SubjectKeyIdentifier(hash: publicKey) }
            if let usage = leafUsage { Critical(usage) }
            if shape.leafHasMarker { CertificateExtensions.leafMarker }
            if shape.leafHasIntermediateMarker { CertificateExtensions.intermediateMarker }
            if shape.leafHasUnknownCriticalExtension { CertificateExtensions.unknownCritical }
        }
        let subject = Subject(name: try leafName(), key: publicKey, validity: shape.leafValidity ?? validity)
        return try certificate(
            subject, issuer: try issuer ?? intermediateName(), extensions: extensions, signedBy: issuerKey)
    }

    private struct Subject {
        let name: DistinguishedName
        let key: Certificate.PublicKey
        let validity: ClosedRange<Timestamp>
    }

    private func certificate(
        _ subject: Subject, issuer: DistinguishedName, extensions: Certificate.Extensions,
        signedBy key: Certificate.PrivateKey
    ) throws -> Certificate {
        try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: subject.key,
            notValidBefore: date(subject.validity.lowerBound), notValidAfter: date(subject.validity.upperBound),
            issuer: issuer, subject: subject.name, signatureAlgorithm: signatureAlgorithm, extensions: extensions,
            issuerPrivateKey: key)
    }

    private func date(_ instant: Timestamp) -> Date {
        Date(timeIntervalSince1970: Double(instant.truncatedToSecond.millisecondsSince1970 / 1000))
    }

    private var intermediateConstraints: BasicConstraints {
        shape.intermediateIsCA ? .isCertificateAuthority(maxPathLength: 0) : .notCertificateAuthority
    }

    private var leafConstraints: BasicConstraints {
        shape.leafIsCA ? .isCertificateAuthority(maxPathLength: nil) : .notCertificateAuthority
    }

    private var leafUsage: KeyUsage? {
        switch shape.leafUsage {
        case .digitalSignature: KeyUsage(digitalSignature: true)
        case .keyAgreement: KeyUsage(keyAgreement: true)
        case .absent: nil
        }
    }

    private func authorityKeyIdentifier(of key: Certificate.PrivateKey) -> AuthorityKeyIdentifier {
        let identifier = SubjectKeyIdentifier(hash: key.publicKey).keyIdentifier
        return AuthorityKeyIdentifier(keyIdentifier: identifier)
    }

    private func location(_ path: String) -> GeneralName {
        .uniformResourceIdentifier("http://certs.simulator.invalid/" + path)
    }
}

extension CertificateProfile {
    /// A certificate that names itself as its issuer and carries no mark, as Xcode's.
    func selfSigned(key: Certificate.PrivateKey, named commonName: String) throws -> Certificate {
        let name = try DistinguishedName { CommonName(commonName) }
        let subject = Subject(name: name, key: key.publicKey, validity: validity)
        let extensions = try Certificate.Extensions { Critical(KeyUsage(digitalSignature: true)) }
        return try certificate(subject, issuer: name, extensions: extensions, signedBy: key)
    }

    /// A certificate of transaction receipts from before iOS 7, issued by an authority that no receipt carries.
    func purchaseReceiptLeaf(publicKey: Certificate.PublicKey, issuedBy issuerKey: Certificate.PrivateKey) throws -> Certificate {
        let name = try DistinguishedName {
            CommonName("PurchaseReceiptCertificate")
            OrganizationName("Tenure")
        }
        let extensions = try Certificate.Extensions {
            Critical(BasicConstraints.notCertificateAuthority)
            authorityKeyIdentifier(of: issuerKey)
            Critical(KeyUsage(digitalSignature: true))
            SubjectKeyIdentifier(hash: publicKey)
        }
        let subject = Subject(name: name, key: publicKey, validity: validity)
        return try certificate(subject, issuer: try rootName(), extensions: extensions, signedBy: issuerKey)
    }

    private var isApple: Bool { shape.names == .apple }

    private func rootName() throws -> DistinguishedName {
        try DistinguishedName {
            CommonName(isApple ? "Apple Root CA - G3" : "Simulator Root CA - G3")
            OrganizationalUnitName(isApple ? "Apple Certification Authority" : "Tenure Simulator Authority")
            OrganizationName(isApple ? "Apple Inc." : "Tenure")
            CountryName("US")
        }
    }

    private func intermediateName() throws -> DistinguishedName {
        let apple = "Apple Worldwide Developer Relations Certification Authority"
        return try DistinguishedName {
            CommonName(isApple ? apple : "Simulator Developer Relations Intermediate Authority")
            OrganizationalUnitName("G6")
            OrganizationName(isApple ? "Apple Inc." : "Tenure")
            CountryName("US")
        }
    }

    private func leafName() throws -> DistinguishedName {
        let apple = "Prod ECC Mac App Store and iTunes Store Receipt Signing"
        return try DistinguishedName {
            CommonName(isApple ? apple : "Simulator App Store and Receipt Signing, not Apple's")
            OrganizationalUnitName(isApple ? "Apple Worldwide Developer Relations" : "Simulator Developer Relations")
            OrganizationName(isApple ? "Apple Inc." : "Tenure")
            CountryName("US")
        }
    }
}
