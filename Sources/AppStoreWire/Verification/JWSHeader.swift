internal import Primitives
internal import StrictJSON

/// A parsed header; nothing in it has been verified yet.
///
/// Source: RFC 7515, section 4; RFC 8725, section 3.1 (we determine the algorithm, not the token).
struct JWSHeader {
    /// The certificates' DER: leaf, intermediate, root; or the only one of Xcode.
    let certificates: [[UInt8]]

    private static let allowed: Set<String> = ["alg", "x5c", "kid", "typ"]

    init(_ text: ArraySlice<UInt8>, in part: JWSRefusal.Part, limits: JWSLimits) throws(JWSRefusal) {
        guard let json = StrictBase64.decodeURL(text) else { throw JWSRefusal(.headerNotBase64URL, in: part) }
        let object = try Self.object(json, in: part, limits: limits)
        guard object["alg"]?.utf8?.elementsEqual("ES256".utf8) == true else { throw JWSRefusal(.algorithmNotES256, in: part) }
        for member in object where !Self.allowed.contains(member.name) {
            throw JWSRefusal(.headerParameterNotAllowed, in: part)
        }
        guard let chain = object["x5c"]?.array else { throw JWSRefusal(.chainMissing, in: part) }
        guard chain.count == 3 || chain.count == 1 else {
            throw JWSRefusal(.chainLengthNotThree, ChainWords.notThree(chain.count), in: part)
        }
        var certificates: [[UInt8]] = []
        for (index, element) in chain.enumerated() {
            let place = ChainWords.place(index, of: chain.count)
            guard let text = element.utf8 else { throw JWSRefusal(.chainMissing, "\(place) is not a string", in: part) }
            guard text.count <= (limits.maximumCertificateBytes + 2) / 3 * 4 else {
                throw JWSRefusal(.certificateTooLong, "\(place), \(text.count) characters", in: part)
            }
            guard let certificate = StrictBase64.decodePadded(text) else {
                throw JWSRefusal(.certificateNotBase64, place, in: part)
            }
            certificates.append(certificate)
        }
        self.certificates = certificates
    }

    private static func object(
        _ json: [UInt8], in part: JWSRefusal.Part, limits: JWSLimits
    ) throws(JWSRefusal) -> JSONObject {
        let limits = JSONLimits(maximumBytes: limits.maximumHeaderBytes, maximumDepth: 4, maximumElements: 16 * 1024)
        do throws(JSONError) {
            let document = try JSONDocument(json, limits: limits)
            if let object = document.root.object { return object }
        } catch {
            throw JWSRefusal(.headerNotJSON, "\(error)", in: part)
        }
        throw JWSRefusal(.headerNotJSON, "not an object", in: part)
    }
}
