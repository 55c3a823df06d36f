internal import StrictJSON

/// The body in which Apple delivers a notification: `{"signedPayload":"…"}`.
///
/// Source: Apple, App Store Server Notifications, `responseBodyV2`.
public enum NotificationBody {
    /// The compact JWS in a body; nothing in it is verified.
    ///
    /// - Parameters:
    ///   - body: the request's body as it came.
    ///   - limits: apply to the body as to the JWS in it.
    /// - Returns: the JWS for ``AppStoreVerifier``, or a refusal with `bodyUnreadable`: too long, not strict JSON, not an object,
    ///   or `signedPayload` is not a string. Other members are ignored.
    public static func signedPayload(in body: [UInt8], limits: JWSLimits = .default) -> Result<[UInt8], JWSRefusal> {
        let room = JSONLimits(maximumBytes: limits.maximumJWSBytes + 1024, maximumDepth: 8, maximumElements: 256)
        do throws(JSONError) {
            guard let text = try JSONDocument(body, limits: room).root.object?["signedPayload"]?.utf8 else {
                return .failure(JWSRefusal(.bodyUnreadable, "signedPayload", in: .notification))
            }
            return .success(Array(text))
        } catch {
            return .failure(JWSRefusal(.bodyUnreadable, "\(error)", in: .notification))
        }
    }
}
