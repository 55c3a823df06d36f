internal import Crypto

/// The root certificates that a chain may end in, each named by the SHA-256 of its DER.
///
/// There is no empty or permissive value and no switch that skips the check: whoever wants to trust another root names it.
///
/// Source: RFC 5280, section 6.1.1 (trust anchors); Apple PKI, https://www.apple.com/certificateauthority/.
public struct TrustRoots: Sendable, Hashable {
    /// The trusted fingerprints: 32 bytes each.
    public let fingerprints: Set<[UInt8]>
    /// The DER of those roots that were given whole. Such a root is trusted by its name and key, as RFC 5280 defines an anchor:
    /// a chain may name it by another certificate of the same name and key. A root that is known by its fingerprint only must
    /// stand in the chain byte for byte.
    let certificates: Set<[UInt8]>

    /// Apple Root CA – G3, which App Store payloads of Production and Sandbox alike are signed under:
    /// 63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179.
    public static let apple = TrustRoots(fingerprints: [appleRootG3])

    /// Roots by the SHA-256 of their DER.
    ///
    /// - Parameter fingerprints: 32 bytes each; anything of another length can never match.
    public init(fingerprints: some Sequence<[UInt8]>) {
        self.init(fingerprints: Set(fingerprints), certificates: [])
    }

    private init(fingerprints: Set<[UInt8]>, certificates: Set<[UInt8]>) {
        self.fingerprints = fingerprints
        self.certificates = certificates
    }

    /// These roots and one more, by the SHA-256 of its DER.
    public func adding(fingerprint: [UInt8]) -> TrustRoots {
        TrustRoots(fingerprints: fingerprints.union([fingerprint]), certificates: certificates)
    }

    /// These roots and one more, by its DER, such as a simulator's exported root. It stays trusted when it is issued again with
    /// the same name and key, which happens to test roots; Apple's root is pinned byte for byte.
    public func adding(der: [UInt8]) -> TrustRoots {
        TrustRoots(
            fingerprints: fingerprints.union([Array(SHA256.hash(data: der))]), certificates: certificates.union([der]))
    }

    /// Whether payloads that Apple signed are trusted.
    public var containsAppleRoot: Bool { fingerprints.contains(Self.appleRootG3) }

    private static let appleRootG3: [UInt8] = [
        0x63, 0x34, 0x3A, 0xBF, 0xB8, 0x9A, 0x6A, 0x03, 0xEB, 0xB5, 0x7E, 0x9B, 0x3F, 0x5F, 0xA7, 0xBE,
        0x7C, 0x4F, 0x5C, 0x75, 0x6F, 0x30, 0x17, 0xB3, 0xA8, 0xC4, 0x88, 0xC3, 0x65, 0x3E, 0x91, 0x79,
    ]
}
