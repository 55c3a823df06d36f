import AppStoreWire
import Primitives
import StrictJSON

/// A JWS that a server of ours signs for Apple, recognised by its audience.
///
/// Source: Apple, "Generating JWS to sign App Store requests", "Generating JSON Web Tokens for API requests".
package enum OwnJWS {
    /// The inspection of a payload with a valid signature.
    static func inspection(payload: [UInt8], expecting bundleId: String?, at now: Timestamp) -> Inspection {
        let object: JSONObject
        do throws(JSONError) {
            guard let read = try JSONDocument(payload).root.object else {
                return Inspection(kind: .ownJWS, result: .refused(.payloadNotJSON, .found("not an object")))
            }
            object = read
        } catch {
            return Inspection(kind: .ownJWS, result: .refused(.payloadNotJSON, .found("\(error)")))
        }
        // Apple's own Python client leaves `iat` out of its tokens.
        var issued: Timestamp?
        if let stated = object["iat"] {
            issued = stated.int64.flatMap { Timestamp(validating: $0.multipliedClamped(by: 1000)) }
            guard issued != nil else { return Inspection(kind: .ownJWS, result: .refused(.fieldInvalid, .found("iat"))) }
        }
        guard bundleId == nil || object["bid"]?.string == bundleId else {
            return Inspection(kind: .ownJWS, result: .refused(.wrongBundleId, .found("bid")))
        }
        var meaning: [OwnMeaning] = [.signedByYourKey, .audience(Audience(rawValue: object["aud"]?.string ?? ""))]
        if let end = object["exp"]?.int64, end.multipliedClamped(by: 1000) <= now.millisecondsSince1970 {
            meaning.append(.hasExpired)
        }
        return Inspection(
            kind: .ownJWS, result: .verifiedOwn(.init(signedDate: issued, payload: payload)),
            meaning: meaning.map { .ownJWS($0) })
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

    /// Whom a JWS of ours is for: its `aud`.
    package enum Audience: String, Sendable, Hashable {
        case appStoreConnect = "appstoreconnect-v1"
        case promotionalOffer = "promotional-offer"
        case introductoryOfferEligibility = "introductory-offer-eligibility"
        case advancedCommerce = "advanced-commerce-api"
    }
}

/// What a JWS that a server of ours signed means.
package enum OwnMeaning: Sendable, Hashable {
    case signedByYourKey
    /// Nil: one that is newer than this program.
    case audience(OwnJWS.Audience?)
    case hasExpired

    var sentence: Sentence {
        switch self {
        case .signedByYourKey: Sentence("Signed by your key.", "由您的密钥签名。")
        case .audience(.appStoreConnect?):
            Sentence("A token for the App Store Server API.", "用于 App Store Server API 的令牌。")
        case .audience(.promotionalOffer?):
            Sentence("A promotional offer for one customer.", "为一位顾客提供的促销优惠。")
        case .audience(.introductoryOfferEligibility?):
            Sentence("Whether one customer may have an introductory offer.", "一位顾客可否享受推介促销优惠。")
        case .audience(.advancedCommerce?):
            Sentence("A request of the Advanced Commerce API.", "Advanced Commerce API 的一个请求。")
        case .audience(nil): Sentence("For an audience that is newer than this program.", "其对象 (aud) 比本程序更新。")
        case .hasExpired: Sentence("It has expired.", "它已过期。")
        }
    }
}

extension Int64 {
    /// The product, or the limit of the range where it does not fit.
    fileprivate func multipliedClamped(by factor: Int64) -> Int64 {
        let (product, overflow) = multipliedReportingOverflow(by: factor)
        return overflow ? (self < 0) == (factor < 0) ? .max : .min : product
    }
}
