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
            case .appTransaction(let signed): "appTransaction \(signed)"
            case .receipt(let receipt, let kind): "receipt \(kind.rawValue) \(receipt.base64EncodedString())"
            }
        }
    }

    /// One for each customer and text: what was shown once is not shown again.
    var name: String { Digest.hexadecimal(of: "\(customer)\n\(content.identity)") + ".json" }

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
