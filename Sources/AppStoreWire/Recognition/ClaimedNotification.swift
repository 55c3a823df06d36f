package import Primitives
internal import StrictJSON

/// What a compact JWS claims to be as a notification. The claim is not verified: it serves to pass over what is known already,
/// never to act on it.
package struct ClaimedNotification: Sendable, Hashable {
    /// Apple's `notificationUUID`.
    package let uuid: String
    /// Nil where it claims none.
    package let signedDate: Timestamp?
    /// Whom it claims to be about, and in which environment, in Apple's spelling; nil where it does not say.
    package let bundleId: String?
    package let environment: String?

    /// - Returns: nil where it names no UUID.
    package init?(jws: String) {
        let parts = Array(jws.utf8).split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3, let json = StrictBase64.decodeURL(parts[1]) else { return nil }
        do throws(JSONError) {
            guard let object = try JSONDocument(json).root.object, let uuid = object["notificationUUID"]?.string else {
                return nil
            }
            self.uuid = uuid
            signedDate = object["signedDate"]?.int64.map { Timestamp(millisecondsSince1970: $0) }
            let parts = ["data", "summary", "appData", "externalPurchaseToken"].compactMap { object[$0]?.object }
            bundleId = parts.lazy.compactMap { $0["bundleId"]?.string }.first
            environment = parts.lazy.compactMap { $0["environment"]?.string }.first
        } catch {
            return nil
        }
    }
}
