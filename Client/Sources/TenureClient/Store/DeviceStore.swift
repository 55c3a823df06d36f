public import Foundation

/// The App Store as a device sees it. `TenureStoreKit` is StoreKit 2; a test has one of its own.
public protocol DeviceStore: Sendable {
    /// What the store delivers while the app runs: renewals, purchases on other devices, what was waiting for a parent. To be
    /// listened to before anything else at launch (DEV-1).
    func deliveries() -> AsyncStream<StoreTransaction>

    /// The products that somebody chose on the app's page in the App Store, by id, as they come (DEV-5).
    func promoted() -> AsyncStream<String>

    /// Something of a subscription may have changed: a reason to ask the server, and nothing more.
    func hints() -> AsyncStream<Void>

    /// The products that the store has of these, in any order; those that it does not have are left out.
    func products(_ ids: [String]) async throws -> [StoreProduct]

    /// What was delivered and not finished.
    func unfinished() async throws -> [StoreTransaction]

    /// The latest transaction of each product that the Apple Account has here; a hint, and never a reason to end anything.
    func latest() async throws -> [StoreTransaction]

    /// Buys a product.
    ///
    /// - Parameters:
    ///   - productId: its id in App Store Connect.
    ///   - appAccountToken: the customer's, which makes the purchase theirs (OWN-4).
    ///   - offer: a promotional offer that the server signed for exactly this purchase; nil: none.
    /// - Throws: ``TenureProblem/noProducts(_:)`` where the store does not have it; anything else where it failed.
    func purchase(_ productId: String, appAccountToken: UUID?, offer: SignedOffer?) async throws -> StorePurchase

    /// The app has given what was bought, since the server has it.
    func finish(_ transaction: StoreTransaction) async

    /// StoreKit's `jwsRepresentation` of `AppTransaction.shared`; nil where the system has none (iOS 15).
    func signedAppTransaction() async throws -> String?

    /// The app receipt as it is on the device, without asking anybody; nil where there is none.
    func receipt() async throws -> Data?

    /// Fetches the app receipt anew and returns it; nil where there is none then. It is slow, and the system may ask for the
    /// password: only on a restore (DEV-5).
    func refreshReceipt() async throws -> Data?

    /// Asks the store for what the Apple Account has. The system may ask for the password: only when the customer wants it
    /// (DEV-3).
    func synchronize() async throws
}

extension DeviceStore {
    /// Buys a product without a promotional offer.
    public func purchase(_ productId: String, appAccountToken: UUID?) async throws -> StorePurchase {
        try await purchase(productId, appAccountToken: appAccountToken, offer: nil)
    }
}

/// A promotional offer that the server signed for one purchase of one customer (WALL-5). It is valid for 24 hours, and once.
///
/// Source: Apple, `Product.PurchaseOption.promotionalOffer(offerID:keyID:nonce:signature:timestamp:)`.
public struct SignedOffer: Sendable, Hashable {
    /// Apple's name of the offer, from App Store Connect.
    public let offerIdentifier: String
    /// The id of the In-App Purchase key that signed it.
    public let keyId: String
    /// What makes it valid once.
    public let nonce: UUID
    /// When it was signed, in milliseconds since 1970.
    public let timestamp: Int
    /// ECDSA over the purchase, in DER.
    public let signature: Data

    /// What the server signed, or another server of the app's.
    public init(offerIdentifier: String, keyId: String, nonce: UUID, timestamp: Int, signature: Data) {
        (self.offerIdentifier, self.keyId, self.nonce) = (offerIdentifier, keyId, nonce)
        (self.timestamp, self.signature) = (timestamp, signature)
    }
}

/// A transaction as the store delivered it.
public struct StoreTransaction: Sendable, Hashable {
    /// StoreKit's `jwsRepresentation`, also where StoreKit could not verify it: the server judges.
    public var signedTransactionInfo: String
    /// StoreKit's `jwsRepresentation` of the renewal info, where it was to be had.
    public var signedRenewalInfo: String?

    /// A transaction, and its renewal info where it was to be had.
    public init(signedTransactionInfo: String, signedRenewalInfo: String? = nil) {
        (self.signedTransactionInfo, self.signedRenewalInfo) = (signedTransactionInfo, signedRenewalInfo)
    }

    /// Apple's `transactionId`, as the text says, which nothing verified here; nil where it is no transaction.
    public var transactionId: String? { TransactionText(signed: signedTransactionInfo)?.transactionId }
}

/// What buying came to at the store.
public enum StorePurchase: Sendable, Hashable {
    /// It was bought.
    case bought(StoreTransaction)
    /// A parent is asked, or the bank: the transaction may come in days, on another device.
    case pending
    /// The customer changed their mind.
    case cancelled
}
