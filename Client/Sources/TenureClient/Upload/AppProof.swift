import Foundation

/// What shows how a customer came by the app, which may be a licence of its own (LIC-3): the signed app transaction, or the app
/// receipt where there is none.
struct AppProof: Sendable, Hashable, Codable, QueuedUpload {
    /// Who was the customer when the store was asked. It never changes.
    let customer: String
    let content: Content
    let addedAt: Instant
    var attempts = 0
    var parkedBecause: String?

    enum Content: Sendable, Hashable, Codable {
        /// StoreKit's `jwsRepresentation` of `AppTransaction.shared`.
        case appTransaction(String)
        /// The file of `appStoreReceiptURL`.
        case receipt(Data, UploadKind)

        fileprivate var identity: String {
            switch self {
            // The store signs it anew from time to time; it is the same download then.
            case .appTransaction(let signed): "appTransaction \(AppTransactionText(signed: signed)?.identity ?? signed)"
            case .receipt(let receipt, let kind): "receipt \(kind.rawValue) \(receipt.base64EncodedString())"
            }
        }
    }

    /// One for each customer and download: what was shown once is not shown again.
    var name: String { Digest.hexadecimal(of: "\(customer)\n\(content.identity)") + ".json" }

    var goesFirst: Bool { false }

    /// There are few, and the name is that of the whole.
    var inBrief: AppProof { self }

    /// Of each customer the newest is enough.
    func replaces(_ other: AppProof) -> Bool { customer == other.customer && name != other.name }
}

/// What the server has of the proofs of this device: their names, the newest last.
struct ShownProofs: Sendable, Hashable, Codable {
    private var names: [String] = []

    /// More than a device has customers; the oldest is forgotten then, and shown once more.
    static let most = 100

    func contains(_ name: String) -> Bool { names.contains(name) }

    mutating func insert(_ name: String) {
        names.removeAll { $0 == name }
        names = names.suffix(Self.most - 1) + [name]
    }
}

/// What an app transaction's signed text says; read and not verified, as with ``TransactionText``.
///
/// Source: Apple, `JWSAppTransactionDecodedPayload`.
struct AppTransactionText: Decodable {
    /// The environment.
    let receiptType: String?
    /// One for each Apple Account and app.
    private let appTransactionId: String?
    private let originalPurchaseDate: Int64?
    private let originalApplicationVersion: String?

    /// Nil where it is no JWS of an app transaction.
    init?(signed text: String) {
        guard let said: Self = SignedText.payload(of: text) else { return nil }
        self = said
    }

    /// What stays the same however often it is signed; nil where it does not say whose download it is.
    var identity: String? {
        guard let appTransactionId, let originalPurchaseDate else { return nil }
        return "\(appTransactionId) \(receiptType ?? "") \(originalPurchaseDate) \(originalApplicationVersion ?? "")"
    }
}
