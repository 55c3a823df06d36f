import Foundation

/// How a transaction reached the device (OWN-4), in the server's words.
public enum UploadKind: String, Sendable, Hashable, Codable {
    /// The customer bought it here.
    case purchase
    /// The store delivered it: a renewal, a purchase on another device, or one whose buyer is not known.
    case queue
    /// The customer asked for what their Apple Account has.
    case restore
}

/// What waits in an ``UploadQueue``.
protocol QueuedUpload: Sendable, Codable {
    /// The name of its file; two of one name are one.
    var name: String { get }
    var addedAt: Instant { get }
    /// Whether it is sent before what is older: somebody waits for it.
    var goesFirst: Bool { get }
    /// How often it was sent without an answer that ends it.
    var attempts: Int { get set }
    /// The server's code, where it will not take it as it is; nil while it is sent.
    var parkedBecause: String? { get set }
    /// The same without what is long in it: of a thousand that wait, only the one that is sent is in memory as a whole.
    var inBrief: Self { get }
}

/// A transaction that the server does not have yet.
struct UploadItem: Sendable, Hashable, Codable, QueuedUpload {
    /// Whom it belongs to: who was the customer when it was bought, or when it was delivered. It never changes.
    let customer: String
    let kind: UploadKind
    /// StoreKit's `jwsRepresentation`.
    private(set) var signedTransactionInfo: String
    private(set) var signedRenewalInfo: String?
    /// Of the transaction, as its text says; not proved here: the server judges.
    let transactionId: String
    let signedDate: Int64
    let productId: String?
    let appAccountToken: String?
    let addedAt: Instant
    /// How often it was sent without an answer that ends it.
    var attempts = 0
    /// Why it is not sent any more; nil while it is. Nothing removes it but ``UploadQueue/retryParked()`` and a person's support.
    var parkedBecause: String?

    /// More are not kept: the store keeps the rest.
    static let most = 1000

    /// One item for each transaction as it was signed: what is delivered twice is kept once.
    var name: String { "\(transactionId)-\(signedDate).json" }

    var goesFirst: Bool { kind == .purchase }

    var inBrief: UploadItem {
        var brief = self
        (brief.signedTransactionInfo, brief.signedRenewalInfo) = ("", nil)
        return brief
    }
}

/// The payload of what the store signed, read and not verified: the server verifies.
enum SignedText {
    static let longest = 256 * 1024

    /// Nil where it is no JWS in compact form with a payload of that shape.
    static func payload<Value: Decodable>(of text: String) -> Value? {
        let parts = Array(text.utf8).split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, text.utf8.count <= longest, let payload = Base64URL.decode(parts[1]) else { return nil }
        do {
            return try JSONDecoder().decode(Value.self, from: Data(payload))
        } catch {
            return nil
        }
    }
}

/// What a transaction's signed text says. It is read and not verified: the server verifies, and nothing is given for it here.
///
/// Source: Apple, `JWSTransactionDecodedPayload`.
struct TransactionText: Sendable, Hashable, Decodable {
    let transactionId: String
    /// Apple has left out dates (DEV-4); 0 where there is none.
    let signedDate: Int64
    let productId: String?
    let appAccountToken: String?
    let environment: String?

    private enum Key: String, CodingKey { case transactionId, signedDate, productId, appAccountToken, environment }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        transactionId = try container.decode(String.self, forKey: .transactionId)
        signedDate = try container.decodeIfPresent(Int64.self, forKey: .signedDate) ?? 0
        productId = try container.decodeIfPresent(String.self, forKey: .productId)
        appAccountToken = try container.decodeIfPresent(String.self, forKey: .appAccountToken)?.lowercased()
        environment = try container.decodeIfPresent(String.self, forKey: .environment)
    }

    /// Nil where it is no JWS of a transaction, or its id could not be the name of a file.
    init?(signed text: String) {
        guard let said: Self = SignedText.payload(of: text) else { return nil }
        self = said
        let isName = transactionId.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard (1...40).contains(transactionId.utf8.count), isName else { return nil }
    }
}
