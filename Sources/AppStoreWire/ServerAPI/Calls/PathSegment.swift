internal import Primitives

/// One segment of a path, percent-encoded, that cannot be anything but one segment.
///
/// Everything but the unreserved characters is encoded. What encoding cannot make safe is refused: `.` and `..`, which a client
/// or a proxy removes with its neighbour even when they are encoded, and `/`, `\` and control characters, which some decode
/// before they match the path. No identifier of Apple's has any of these.
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
        return PercentEncoding.encode(text)
    }

    private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "/" || scalar == "\\" || scalar.properties.generalCategory == .control
    }
}
