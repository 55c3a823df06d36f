import Crypto
import Foundation

/// A receiver's check of a webhook, written from Standard Webhooks 1.0 and not from our code: it shares no line with it.
struct WebhookVerifier {
    enum Key {
        case shared(SymmetricKey)
        case publicKey(Curve25519.Signing.PublicKey)
    }

    private let key: Key

    /// - Parameter text: `whsec_…` or `whpk_…`.
    init?(_ text: String) throws {
        guard let bytes = Data(base64Encoded: String(text.drop { $0 != "_" }.dropFirst())) else { return nil }
        if text.hasPrefix("whsec_") {
            key = .shared(SymmetricKey(data: bytes))
        } else {
            key = .publicKey(try Curve25519.Signing.PublicKey(rawRepresentation: bytes))
        }
    }

    /// Whether one of the signatures is one of this id, timestamp and body.
    func accepts(id: String, timestamp: String, body: [UInt8], signatures: String) -> Bool {
        let content = Data(id.utf8) + Data([0x2E]) + Data(timestamp.utf8) + Data([0x2E]) + Data(body)
        return signatures.split(separator: " ").contains { signature in
            let parts = signature.split(separator: ",", maxSplits: 1)
            // Only the one spelling of the bytes: others would be the same signature.
            guard parts.count == 2, let bytes = Data(base64Encoded: String(parts[1])),
                bytes.base64EncodedString() == parts[1]
            else { return false }
            switch key {
            case .shared(let key):
                return parts[0] == "v1" && HMAC<SHA256>.isValidAuthenticationCode(bytes, authenticating: content, using: key)
            case .publicKey(let key): return parts[0] == "v1a" && key.isValidSignature(bytes, for: content)
            }
        }
    }

    /// The same of a request as it arrived.
    func accepts(_ request: Receiver.Request) -> Bool {
        accepts(
            id: request.headers["webhook-id"] ?? "", timestamp: request.headers["webhook-timestamp"] ?? "", body: request.body,
            signatures: request.headers["webhook-signature"] ?? "")
    }
}
