import AppStoreWire
import Primitives
import StrictJSON

/// A JWS that a server of ours signs for Apple, recognised by its audience.
///
/// Source: Apple, "Generating JWS to sign App Store requests", "Generating JSON Web Tokens for API requests".
enum OwnJWS {
    /// The inspection of a payload with a valid signature.
    static func inspection(payload: [UInt8], expecting bundleId: String?, at now: Timestamp) -> Inspection {
        let object: JSONObject
        do throws(JSONError) {
            guard let read = try JSONDocument(payload).root.object else {
                return Inspection(kind: "ownJWS", result: .refused(.payloadNotJSON, "not an object"))
            }
            object = read
        } catch {
            return Inspection(kind: "ownJWS", result: .refused(.payloadNotJSON, "\(error)"))
        }
        // Apple's own Python client leaves `iat` out of its tokens.
        var issued: Timestamp?
        if let stated = object["iat"] {
            issued = stated.int64.flatMap { Timestamp(validating: $0.multipliedClamped(by: 1000)) }
            guard issued != nil else { return Inspection(kind: "ownJWS", result: .refused(.fieldInvalid, "iat")) }
        }
        guard bundleId == nil || object["bid"]?.string == bundleId else {
            return Inspection(kind: "ownJWS", result: .refused(.wrongBundleId, "bid"))
        }
        var words = ["Signed by your key."]
        words.append(meaning[object["aud"]?.string ?? ""] ?? "For an audience that is newer than this program.")
        if let end = object["exp"]?.int64, end.multipliedClamped(by: 1000) <= now.millisecondsSince1970 {
            words.append("It has expired.")
        }
        return Inspection(
            kind: "ownJWS", result: .verifiedOwn(.init(signedDate: issued, payload: payload)), meaning: words)
    }

    /// Whether a header names the only algorithm that Apple accepts; the header is not trusted, but the name is required.
    static func isES256(header: ArraySlice<UInt8>) -> Bool {
        guard let json = StrictBase64.decodeURL(header) else { return false }
        do throws(JSONError) {
            return try JSONDocument(json).root.object?["alg"]?.string == "ES256"
        } catch {
            return false
        }
    }

    private static let meaning = [
        "appstoreconnect-v1": "A token for the App Store Server API.",
        "promotional-offer": "A promotional offer for one customer.",
        "introductory-offer-eligibility": "Whether one customer may have an introductory offer.",
        "advanced-commerce-api": "A request of the Advanced Commerce API.",
    ]
}

extension Int64 {
    /// The product, or the limit of the range where it does not fit.
    fileprivate func multipliedClamped(by factor: Int64) -> Int64 {
        let (product, overflow) = multipliedReportingOverflow(by: factor)
        return overflow ? (self < 0) == (factor < 0) ? .max : .min : product
    }
}
