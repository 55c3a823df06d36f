/// One segment of a path, percent-encoded, that cannot be anything but one segment.
///
/// Everything but the unreserved characters is encoded. Refused are what encoding cannot tame: `.` and `..`, which a client or
/// a proxy removes with its neighbour even when they are encoded, and `/`, `\` and control characters, which some decode
/// before they look for the path. No identifier of Apple's has any of these.
///
/// Source: RFC 3986, sections 2.1, 2.3, 3.3 and 6.2.2.3.
enum PathSegment {
    static let maximumBytes = 512

    static func encoded(_ text: String, field: String) throws(ServerAPIRequestError) -> String {
        guard !text.isEmpty else { throw ServerAPIRequestError(.empty, field) }
        guard text.utf8.count <= maximumBytes else {
            throw ServerAPIRequestError(.tooLong, field, limit: Int64(maximumBytes))
        }
        guard text != ".", text != "..", !text.unicodeScalars.contains(where: isForbidden) else {
            throw ServerAPIRequestError(.pathSegmentNotAllowed, field)
        }
        return percentEncoded(text)
    }

    /// A text with every byte encoded that is not unreserved; also for names and values of a query, where `+` must not be a
    /// space.
    static func percentEncoded(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if isUnreserved(byte) {
                bytes.append(byte)
            } else {
                bytes.append(contentsOf: [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0x0F)]])
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "/" || scalar == "\\" || scalar.properties.generalCategory == .control
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
