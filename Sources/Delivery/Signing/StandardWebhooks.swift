package import Backend
package import Primitives

/// The headers that make a request a webhook whose receiver can tell who sent it, and when.
///
/// Source: Standard Webhooks 1.0, "Webhook headers" and "Signature scheme"; TELL-1, T48.
package enum StandardWebhooks {
    /// `webhook-id`, `webhook-timestamp` (whole seconds since 1970) and `webhook-signature` (one signature for each secret, in
    /// their order, with blanks between).
    ///
    /// What is signed is `id.timestamp.body`, the body byte for byte.
    ///
    /// - Parameters:
    ///   - id: has no `.` in it: where it ends would be a matter of opinion.
    ///   - instant: of this attempt; a receiver refuses what is more than some five minutes off.
    /// - Throws: what the cryptographic library fails with, for no reason that is known.
    package static func headers(
        id: String, at instant: Timestamp, body: [UInt8], secrets: [SigningSecret]
    ) throws -> [ParcelHeader] {
        let timestamp = String(instant.truncatedToSecond.millisecondsSince1970 / 1000)
        let content = Array("\(id).\(timestamp).".utf8) + body
        let signatures = try secrets.map { try $0.signature(of: content) }
        return [
            ParcelHeader("webhook-id", id), ParcelHeader("webhook-timestamp", timestamp),
            ParcelHeader("webhook-signature", signatures.joined(separator: " ")),
        ]
    }
}
