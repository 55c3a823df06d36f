internal import Crypto
internal import SwiftASN1
internal import X509

/// The certificates that a chain may end in, each named by the SHA-256 of its DER.
///
/// There is no empty or permissive value and no switch that skips the check: to trust another root, name it. Apple signs JWS
/// under one root and receipts under another, so each is trusted for its own purpose only; a root that is added is trusted for
/// both.
///
/// Source: RFC 5280, section 6.1.1 (trust anchors); Apple PKI, https://www.apple.com/certificateauthority/.
public struct TrustRoots: Sendable, Hashable {
    /// The fingerprints trusted for JWS: 32 bytes each.
    public let fingerprints: Set<[UInt8]>
    /// The fingerprints trusted for receipts: 32 bytes each.
    public let receiptFingerprints: Set<[UInt8]>
    /// The fingerprints of certificates with which copies of Xcode sign what StoreKit Testing makes: 32 bytes each. Such a
    /// certificate is trusted for payloads of the environment `Xcode` only.
    public private(set) var xcodeFingerprints: Set<[UInt8]> = []
    /// The DER of intermediates that are trusted to issue the certificates of transaction receipts from before iOS 7, which carry
    /// no chain.
    public private(set) var transactionReceiptIssuers: Set<[UInt8]> = []
    /// The DER of those roots that were given as a whole. Such a root is trusted by its name and key, as RFC 5280 defines an
    /// anchor: a chain may name it by another certificate of the same name and key. A root that is known only by its fingerprint
    /// must be in the chain byte for byte.
    let certificates: Set<[UInt8]>

    /// Apple Root CA – G3, which signs JWS of both Production and Sandbox,
    /// 63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179, and Apple Root CA, which signs receipts,
    /// b0b1730ecbc7ff4505142c49f1295e6eda6bcaed7e2c68c5be91b5a11001f024.
    public static let apple = TrustRoots(
        fingerprints: [appleRootG3], receiptFingerprints: [appleRoot], certificates: [])

    /// Roots by the SHA-256 of their DER, for JWS and receipts alike.
    ///
    /// - Parameter fingerprints: 32 bytes each; anything of another length can never match.
    public init(fingerprints: some Sequence<[UInt8]>) {
        let fingerprints = Set(fingerprints)
        self.init(fingerprints: fingerprints, receiptFingerprints: fingerprints, certificates: [])
    }

    private init(fingerprints: Set<[UInt8]>, receiptFingerprints: Set<[UInt8]>, certificates: Set<[UInt8]>) {
        self.fingerprints = fingerprints
        self.receiptFingerprints = receiptFingerprints
        self.certificates = certificates
    }

    /// These roots and one more, by the SHA-256 of its DER.
    public func adding(fingerprint: [UInt8]) -> TrustRoots { adding(fingerprint, certificates: []) }

    /// These roots and one more, by its DER, such as a simulator's exported root. It stays trusted when it is reissued with the
    /// same name and key, as test roots are; Apple's root is pinned byte for byte.
    public func adding(der: [UInt8]) -> TrustRoots { adding(Self.fingerprint(of: der), certificates: [der]) }

    /// These roots and the certificate of one copy of Xcode: Editor ▸ Save Public Certificate while a StoreKit configuration is
    /// open.
    ///
    /// - Parameter der: the certificate. The holder of its key can make any purchase of the environment `Xcode`.
    public func adding(xcodeCertificate der: [UInt8]) -> TrustRoots {
        adding(xcodeFingerprint: Self.fingerprint(of: der))
    }

    /// These roots and the certificate of one copy of Xcode, by the SHA-256 of its DER.
    ///
    /// - Parameter fingerprint: 32 bytes; anything of another length can never match.
    public func adding(xcodeFingerprint fingerprint: [UInt8]) -> TrustRoots {
        var roots = self
        roots.xcodeFingerprints.insert(fingerprint)
        return roots
    }

    /// These roots and an intermediate that may issue the certificates of transaction receipts from before iOS 7: Apple iTunes
    /// Store Certification Authority.
    public func adding(transactionReceiptIssuer der: [UInt8]) -> TrustRoots {
        var roots = self
        roots.transactionReceiptIssuers.insert(der)
        return roots
    }

    private func adding(_ fingerprint: [UInt8], certificates added: Set<[UInt8]>) -> TrustRoots {
        var roots = TrustRoots(
            fingerprints: fingerprints.union([fingerprint]), receiptFingerprints: receiptFingerprints.union([fingerprint]),
            certificates: certificates.union(added))
        roots.xcodeFingerprints = xcodeFingerprints
        roots.transactionReceiptIssuers = transactionReceiptIssuers
        return roots
    }

    /// Whether anything that Apple itself signed is trusted.
    public var containsAppleRoot: Bool {
        !Self.appleFingerprints.isDisjoint(with: fingerprints.union(receiptFingerprints))
    }

    /// Whether these bytes are one certificate in DER (RFC 5280, section 4.1); only such can be a root.
    package static func isCertificate(_ der: [UInt8]) -> Bool {
        do {
            _ = try Certificate(derEncoded: der)
            return true
        } catch {
            return false
        }
    }

    static func fingerprint(of der: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: der)) }

    /// The fingerprints of Apple's own roots.
    static let appleFingerprints: Set<[UInt8]> = [appleRootG3, appleRoot]

    /// Their common names.
    static let appleNames: [[UInt8]: String] = [appleRootG3: "Apple Root CA - G3", appleRoot: "Apple Root CA"]

    static let appleRootG3: [UInt8] = [
        0x63, 0x34, 0x3A, 0xBF, 0xB8, 0x9A, 0x6A, 0x03, 0xEB, 0xB5, 0x7E, 0x9B, 0x3F, 0x5F, 0xA7, 0xBE,
        0x7C, 0x4F, 0x5C, 0x75, 0x6F, 0x30, 0x17, 0xB3, 0xA8, 0xC4, 0x88, 0xC3, 0x65, 0x3E, 0x91, 0x79,
    ]

    static let appleRoot: [UInt8] = [
        0xB0, 0xB1, 0x73, 0x0E, 0xCB, 0xC7, 0xFF, 0x45, 0x05, 0x14, 0x2C, 0x49, 0xF1, 0x29, 0x5E, 0x6E,
        0xDA, 0x6B, 0xCA, 0xED, 0x7E, 0x2C, 0x68, 0xC5, 0xBE, 0x91, 0xB5, 0xA1, 0x10, 0x01, 0xF0, 0x24,
    ]
}
