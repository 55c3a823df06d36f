/// A compact JWS with its payload and its signature decoded, so that they are decoded once however many need them.
///
/// Source: RFC 7515, section 7.1.
package struct DecodedJWS: Sendable, Hashable {
    /// `header.payload.signature`, as it came.
    package let bytes: [UInt8]
    package let payload: [UInt8]
    package let signature: [UInt8]

    /// Of parts that were decoded from the bytes.
    package init(_ bytes: [UInt8], payload: [UInt8], signature: [UInt8]) {
        self.bytes = bytes
        self.payload = payload
        self.signature = signature
    }

    /// The header in base64url.
    package var header: ArraySlice<UInt8> { bytes.prefix { $0 != UInt8(ascii: ".") } }
}
