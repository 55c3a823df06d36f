internal import SwiftASN1
internal import X509

/// The extensions of Apple's certificates that the certificate library has no type for.
enum CertificateExtensions {
    /// Says that the leaf signs App Store receipts; the value is an ASN.1 null, as Apple writes it.
    static let leafMarker = Certificate.Extension(
        oid: [1, 2, 840, 113635, 100, 6, 11, 1], critical: false, value: [0x05, 0x00])

    /// Says that the intermediate is Apple's Worldwide Developer Relations authority.
    static let intermediateMarker = Certificate.Extension(
        oid: [1, 2, 840, 113635, 100, 6, 2, 1], critical: false, value: [0x05, 0x00])

    /// A critical extension that no verifier knows; a verifier must refuse it (RFC 5280, section 4.2).
    static let unknownCritical = Certificate.Extension(
        oid: [1, 3, 6, 1, 4, 1, 99999, 1], critical: true, value: [0x05, 0x00])

    /// A policy with a notice of the length of Apple's, so that sizes and times measured with our chain are those of the real
    /// one.
    static func policies() throws -> Certificate.Extension {
        let notice =
            "Made by a local App Store simulator for tests. It proves nothing about a purchase, is trusted only where somebody "
            + "configured its root by hand, and must never be trusted elsewhere."
        var serializer = DER.Serializer()
        try serializer.appendConstructedNode(identifier: .sequence) { policies in
            try policies.appendConstructedNode(identifier: .sequence) { policy in
                try policy.serialize(ASN1ObjectIdentifier(elements: [1, 3, 6, 1, 4, 1, 99999, 2]))
                try policy.appendConstructedNode(identifier: .sequence) { qualifiers in
                    try qualifiers.appendConstructedNode(identifier: .sequence) { qualifier in
                        try qualifier.serialize(ASN1ObjectIdentifier(elements: [1, 3, 6, 1, 5, 5, 7, 2, 2]))
                        try qualifier.appendConstructedNode(identifier: .sequence) { text in
                            try text.serialize(ASN1UTF8String(notice))
                        }
                    }
                    try qualifiers.appendConstructedNode(identifier: .sequence) { qualifier in
                        try qualifier.serialize(ASN1ObjectIdentifier(elements: [1, 3, 6, 1, 5, 5, 7, 2, 1]))
                        try qualifier.serialize(ASN1IA5String("http://www.simulator.invalid/authority/"))
                    }
                }
            }
        }
        return Certificate.Extension(
            oid: [2, 5, 29, 32], critical: false, value: serializer.serializedBytes[...])
    }

    /// One place where a revocation list could be; nothing is there.
    static func crlDistributionPoint(_ address: String) -> Certificate.Extension {
        let name = [UInt8](address.utf8)
        let tagged = tlv(0x86, name)
        let point = tlv(0x30, tlv(0xA0, tlv(0xA0, tagged)))
        return Certificate.Extension(oid: [2, 5, 29, 31], critical: false, value: tlv(0x30, point)[...])
    }

    /// Tag, length below 128, content.
    private static func tlv(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        [tag, UInt8(truncatingIfNeeded: content.count)] + content
    }
}
