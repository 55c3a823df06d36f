// A stand-in for Apple's StoreKit where there is none: it makes the adapter compile, and lets tests play it. It proves our syntax
// and our concurrency, not Apple's signatures. Each declaration names Apple's page, below
// https://developer.apple.com/documentation. What has no such page is `PretendStore`, with which a test plays the App Store.
public import Foundation

/// storekit/verificationresult
public enum VerificationResult<SignedType: Sendable>: Sendable {
    /// storekit/verificationresult/unverified(_:_:)
    case unverified(SignedType, VerificationError)
    /// storekit/verificationresult/verified(_:)
    case verified(SignedType)

    /// storekit/verificationresult/verificationerror
    public enum VerificationError: Error, Sendable {
        /// storekit/verificationresult/verificationerror/invalidsignature
        case invalidSignature
    }

    /// storekit/verificationresult/unsafepayloadvalue
    public var unsafePayloadValue: SignedType {
        switch self {
        case .unverified(let payload, _), .verified(let payload): payload
        }
    }
}

extension VerificationResult where SignedType == Transaction {
    /// storekit/verificationresult/jwsrepresentation-21vgo
    public var jwsRepresentation: String { unsafePayloadValue.signed }
}

extension VerificationResult where SignedType == AppTransaction {
    /// storekit/verificationresult/jwsrepresentation-7rxmt
    public var jwsRepresentation: String { unsafePayloadValue.signed }
}

extension VerificationResult where SignedType == Product.SubscriptionInfo.RenewalInfo {
    /// storekit/verificationresult/jwsrepresentation-54fbl
    public var jwsRepresentation: String { unsafePayloadValue.signed }
}

/// storekit/transaction
public struct Transaction: Sendable, Identifiable {
    /// storekit/transaction/id
    public let id: UInt64
    /// storekit/transaction/originalid
    public let originalID: UInt64
    /// storekit/transaction/productid
    public let productID: String
    /// storekit/transaction/purchasedate
    public let purchaseDate: Date
    /// storekit/transaction/subscriptiongroupid
    public let subscriptionGroupID: String?
    /// storekit/transaction/appaccounttoken
    public let appAccountToken: UUID?
    let signed: String

    /// storekit/transaction/transactions
    public struct Transactions: AsyncSequence, Sendable {
        /// storekit/transaction/transactions/element
        public typealias Element = VerificationResult<Transaction>
        let stream: AsyncStream<Element>
        /// storekit/transaction/transactions/makeasynciterator()
        public func makeAsyncIterator() -> AsyncStream<Element>.Iterator { stream.makeAsyncIterator() }

        init(_ stream: AsyncStream<Element>) { self.stream = stream }

        init(_ all: [Element]) {
            stream = AsyncStream { continuation in
                for one in all { continuation.yield(one) }
                continuation.finish()
            }
        }
    }

    /// storekit/transaction/updates
    public static var updates: Transactions { Transactions(PretendStore.shared.updates()) }
    /// storekit/transaction/unfinished
    public static var unfinished: Transactions { Transactions(PretendStore.shared.unfinished) }
    /// storekit/transaction/all
    public static var all: Transactions { Transactions(PretendStore.shared.all) }
    /// storekit/transaction/finish()
    public func finish() async { PretendStore.shared.finish(id) }

    /// storekit/transaction/refundrequeststatus
    public enum RefundRequestStatus: Sendable {
        /// storekit/transaction/refundrequeststatus/success
        case success
        /// storekit/transaction/refundrequeststatus/usercancelled
        case userCancelled
    }

    /// storekit/transaction/refundrequesterror
    public enum RefundRequestError: Error, Sendable {
        /// storekit/transaction/refundrequesterror/duplicaterequest
        case duplicateRequest
        /// storekit/transaction/refundrequesterror/failed
        case failed
    }
}

/// storekit/storefront
public struct Storefront: Sendable {
    /// storekit/storefront/countrycode
    public let countryCode: String

    /// storekit/storefront/current
    public static var current: Storefront? {
        get async { PretendStore.shared.storefront.map { Storefront(countryCode: $0) } }
    }
}

/// storekit/apptransaction
public struct AppTransaction: Sendable {
    let signed: String

    /// storekit/apptransaction/shared
    public static var shared: VerificationResult<AppTransaction> {
        get async throws {
            guard let signed = PretendStore.shared.signedApp else { throw StoreKitError.unknown }
            return .verified(AppTransaction(signed: signed))
        }
    }
}

/// storekit/product
public struct Product: Sendable, Identifiable {
    /// storekit/product/id
    public let id: String
    /// storekit/product/displayname
    public let displayName: String
    /// storekit/product/displayprice
    public let displayPrice: String

    /// storekit/product/products(for:)
    public static func products<Identifiers: Collection>(for identifiers: Identifiers) async throws -> [Product]
    where Identifiers.Element == String {
        let sold = PretendStore.shared.products
        return identifiers.compactMap { id in sold[id].map { Product(id: id, displayName: $0, displayPrice: "€9.99") } }
    }

    /// storekit/product/purchase(options:)
    public func purchase(options: Set<PurchaseOption> = []) async throws -> PurchaseResult {
        try PretendStore.shared.purchase(id, options)
    }

    /// storekit/product/purchaseoption
    public struct PurchaseOption: Hashable, Sendable {
        var token: UUID?
        /// What was passed for an offer, in order.
        var offer: [String] = []
        /// storekit/product/purchaseoption/appaccounttoken(_:)
        public static func appAccountToken(_ token: UUID) -> PurchaseOption { PurchaseOption(token: token) }
        /// storekit/product/purchaseoption/promotionaloffer(offerid:keyid:nonce:signature:timestamp:)
        public static func promotionalOffer(
            offerID: String, keyID: String, nonce: UUID, signature: Data, timestamp: Int
        ) -> PurchaseOption {
            PurchaseOption(offer: [offerID, keyID, nonce.uuidString, signature.base64EncodedString(), "\(timestamp)"])
        }
    }

    /// storekit/product/purchaseresult
    public enum PurchaseResult: Sendable {
        /// storekit/product/purchaseresult/success(_:)
        case success(VerificationResult<Transaction>)
        /// storekit/product/purchaseresult/usercancelled
        case userCancelled
        /// storekit/product/purchaseresult/pending
        case pending
    }

    /// storekit/product/subscriptioninfo
    public struct SubscriptionInfo: Sendable {
        /// storekit/product/subscriptioninfo/renewalinfo
        public struct RenewalInfo: Sendable {
            let signed: String
        }

        /// storekit/product/subscriptioninfo/status-swift.struct
        public struct Status: Sendable {
            /// storekit/product/subscriptioninfo/status-swift.struct/transaction
            public let transaction: VerificationResult<Transaction>
            /// storekit/product/subscriptioninfo/status-swift.struct/renewalinfo
            public let renewalInfo: VerificationResult<RenewalInfo>

            /// storekit/product/subscriptioninfo/status-swift.struct/updates-swift.type.property
            public static var updates: AsyncStream<Status> { PretendStore.shared.statusUpdates() }
        }

        /// storekit/product/subscriptioninfo/status(for:)
        public static func status(for groupID: String) async throws -> [Status] { try PretendStore.shared.statuses(of: groupID) }
    }
}

/// storekit/purchaseintent
public struct PurchaseIntent: Sendable {
    /// storekit/purchaseintent/product
    public let product: Product
    /// storekit/purchaseintent/intents
    public static var intents: AsyncStream<PurchaseIntent> { PretendStore.shared.intents() }
}

/// storekit/appstore
public enum AppStore {
    /// storekit/appstore/sync()
    public static func sync() async throws { PretendStore.shared.synchronize() }
}

/// storekit/storekiterror
public enum StoreKitError: Error, Sendable {
    /// storekit/storekiterror/unknown
    case unknown
    /// storekit/storekiterror/usercancelled
    case userCancelled
}

/// storekit/skpaymentqueue
public final class SKPaymentQueue: NSObject, @unchecked Sendable {
    /// storekit/skpaymentqueue/default()
    public class func `default`() -> SKPaymentQueue { PretendStore.shared.queue }
    /// storekit/skpaymentqueue/add(_:)-5ciz2
    public func add(_ observer: any SKPaymentTransactionObserver) { PretendStore.shared.observe(observer) }
    /// storekit/skpaymentqueue/remove(_:)
    public func remove(_ observer: any SKPaymentTransactionObserver) { PretendStore.shared.observe(nil) }
}

/// storekit/skpaymenttransactionobserver
public protocol SKPaymentTransactionObserver: NSObjectProtocol {
    /// storekit/skpaymenttransactionobserver/paymentqueue(_:updatedtransactions:)
    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction])
    /// storekit/skpaymenttransactionobserver/paymentqueue(_:shouldaddstorepayment:for:)
    func paymentQueue(_ queue: SKPaymentQueue, shouldAddStorePayment payment: SKPayment, for product: SKProduct) -> Bool
}

/// storekit/skpayment
open class SKPayment: NSObject {
    /// storekit/skpayment/productidentifier
    public let productIdentifier: String

    init(_ productIdentifier: String) { self.productIdentifier = productIdentifier }
}

/// storekit/skpaymenttransaction
open class SKPaymentTransaction: NSObject {}

/// storekit/skproduct
open class SKProduct: NSObject {}

/// storekit/skrequest
open class SKRequest: NSObject {
    /// storekit/skrequest/delegate
    public weak var delegate: (any SKRequestDelegate)?
    /// storekit/skrequest/start()
    open func start() {}
}

/// storekit/skrequestdelegate
public protocol SKRequestDelegate: AnyObject {
    /// storekit/skrequestdelegate/requestdidfinish(_:)
    func requestDidFinish(_ request: SKRequest)
    /// storekit/skrequestdelegate/request(_:didfailwitherror:)
    func request(_ request: SKRequest, didFailWithError error: any Error)
}

/// storekit/skreceiptrefreshrequest
public final class SKReceiptRefreshRequest: SKRequest {
    /// storekit/skreceiptrefreshrequest/init(receiptproperties:)
    override public init() {}

    /// storekit/skrequest/start()
    override public func start() {
        if let failure = PretendStore.shared.refresh() {
            delegate?.request(self, didFailWithError: failure)
        } else {
            delegate?.requestDidFinish(self)
        }
    }
}
