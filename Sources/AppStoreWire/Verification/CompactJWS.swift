internal import Primitives

/// The three parts of a compact JWS, found but not decoded.
///
/// Source: RFC 7515, section 7.1.
struct CompactJWS {
    let bytes: [UInt8]
    let part: JWSRefusal.Part
    private let firstDot: Int
    private let secondDot: Int

    init(_ bytes: [UInt8], in part: JWSRefusal.Part, limits: JWSLimits) throws(JWSRefusal) {
        guard bytes.count <= limits.maximumJWSBytes else { throw JWSRefusal(.jwsTooLong, "\(bytes.count) bytes", in: part) }
        guard let (firstDot, secondDot) = Self.dots(bytes) else { throw JWSRefusal(.notThreeParts, in: part) }
        guard firstDot <= (limits.maximumHeaderBytes * 4 + 2) / 3 else { throw JWSRefusal(.headerTooLong, in: part) }
        self.bytes = bytes
        self.part = part
        self.firstDot = firstDot
        self.secondDot = secondDot
    }

    /// Where the two full stops are; nil when there are not exactly two.
    private static func dots(_ bytes: [UInt8]) -> (Int, Int)? {
        bytes.withUnsafeBytes { bytes in
            let dot = UInt8(ascii: ".")
            guard let first = ByteSearch.firstIndex(of: dot, in: bytes),
                let second = ByteSearch.firstIndex(of: dot, in: bytes, from: first + 1),
                ByteSearch.firstIndex(of: dot, in: bytes, from: second + 1) == nil
            else { return nil }
            return (first, second)
        }
    }

    /// The header in base64url.
    var header: ArraySlice<UInt8> { bytes[..<firstDot] }
    /// The signed bytes: header, full stop, payload.
    var signingInput: ArraySlice<UInt8> { bytes[..<secondDot] }

    func signature() throws(JWSRefusal) -> [UInt8] {
        guard let signature = StrictBase64.decodeURL(bytes[(secondDot + 1)...]) else {
            throw JWSRefusal(.signatureNotBase64URL, in: part)
        }
        guard signature.count == 64 else { throw JWSRefusal(.signatureLengthWrong, "\(signature.count) bytes", in: part) }
        return signature
    }

    func payload() throws(JWSRefusal) -> [UInt8] {
        guard let payload = StrictBase64.decodeURL(bytes[(firstDot + 1)..<secondDot]) else {
            throw JWSRefusal(.payloadNotBase64URL, in: part)
        }
        return payload
    }
}
