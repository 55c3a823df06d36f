internal import Crypto
package import Primitives
internal import X509

/// A copy of Xcode that signs what StoreKit Testing makes: one self-signed certificate.
///
/// Source: JWS of StoreKit Testing in Xcode: `kid` is `Apple_Xcode_Key`, `typ` is `JWT`, `x5c` holds one certificate.
package struct XcodeAuthority: Sendable {
    /// The certificate's DER: what Editor ▸ Save Public Certificate writes.
    package let certificateDER: [UInt8]
    private let key: P256.Signing.PrivateKey

    /// A new key and certificate.
    package init(validity: ClosedRange<Timestamp>) throws {
        key = P256.Signing.PrivateKey()
        certificateDER = try CertificateProfile(shape: .apple, validity: validity, signatureAlgorithm: .ecdsaWithSHA256)
            .selfSigned(key: .init(key), named: "StoreKit Testing in Xcode").der
    }

    /// A compact JWS of the payload with Xcode's header.
    package func sign(payload: [UInt8]) throws -> String {
        let certificate = StrictBase64.encodePadded(certificateDER)
        let header = #"{"kid":"Apple_Xcode_Key","alg":"ES256","typ":"JWT","x5c":["\#(certificate)"]}"#
        let input = StrictBase64.encodeURL(Array(header.utf8)) + "." + StrictBase64.encodeURL(payload)
        return input + "." + StrictBase64.encodeURL(Array(try key.signature(for: Array(input.utf8)).rawRepresentation))
    }
}
