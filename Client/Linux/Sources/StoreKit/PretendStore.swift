public import Foundation

/// The App Store of one Apple Account, as a test plays it: nothing of it is Apple's.
public final class PretendStore: @unchecked Sendable {
    /// StoreKit has one for the whole process, too.
    public static let shared = PretendStore()

    private let lock = NSLock()
    private var state = State()

    private struct State {
        var products: [String: String] = [:]
        var all: [VerificationResult<Transaction>] = []
        var unfinished: [UInt64] = []
        var next: UInt64 = 1000
        var answer: (@Sendable (String) throws -> Product.PurchaseResult?)?
        var isUnverified = false
        var hasStatuses = true
        var storefront: String?
        var signedApp: String?
        var receiptURL: URL?
        var atApple: Result<Data, any Error>?
        var synchronizations = 0
        var lastOptions: Set<Product.PurchaseOption> = []
        var updates: [AsyncStream<VerificationResult<Transaction>>.Continuation] = []
        var statusUpdates: [AsyncStream<Product.SubscriptionInfo.Status>.Continuation] = []
        var intents: [AsyncStream<PurchaseIntent>.Continuation] = []
        /// Of the payment queue, which does not keep it.
        weak var observer: (any SKPaymentTransactionObserver)?
    }

    // MARK: What a test says

    /// Forgets everything, and ends every sequence.
    public func begin(selling products: [String: String]) {
        let before = with { state in
            defer { state = State() }
            return state
        }
        for one in before.updates { one.finish() }
        for one in before.statusUpdates { one.finish() }
        for one in before.intents { one.finish() }
        with { $0.products = products }
    }

    /// What buying comes to; nil: a purchase.
    public func answer(_ answer: (@Sendable (String) throws -> Product.PurchaseResult?)?) { with { $0.answer = answer } }

    /// Whether StoreKit says of what is made from now on that it could not verify it.
    public func doNotVerify(_ isUnverified: Bool) { with { $0.isUnverified = isUnverified } }

    /// Whether the statuses of subscriptions are to be had.
    public func haveStatuses(_ hasStatuses: Bool) { with { $0.hasStatuses = hasStatuses } }

    /// The storefront's country in three letters; nil until said.
    public func stand(in storefront: String?) { with { $0.storefront = storefront } }

    /// The app transaction, the file of the receipt, and what is in it once it was fetched anew.
    public func haveApp(signed: String?, receiptURL: URL? = nil, atApple: Result<Data, any Error>? = nil) {
        with { ($0.signedApp, $0.receiptURL, $0.atApple) = (signed, receiptURL, atApple) }
    }

    /// A transaction that comes by itself.
    @discardableResult
    public func deliver(_ productId: String, appAccountToken: UUID? = nil) -> Transaction {
        let result = make(productId, appAccountToken)
        for listener in with({ $0.updates }) { listener.yield(result) }
        return result.unsafePayloadValue
    }

    /// Somebody chose a product in the App Store.
    public func choose(_ productId: String) {
        let intent = PurchaseIntent(product: Product(id: productId, displayName: productId, displayPrice: ""))
        for listener in with({ $0.intents }) { listener.yield(intent) }
    }

    /// Somebody chose a product in the App Store, on a system that says so to the payment queue's observer.
    ///
    /// - Returns: whether the queue is to go on with it; nil where nobody observes.
    public func chooseForQueue(_ productId: String) -> Bool? {
        with { $0.observer }?.paymentQueue(queue, shouldAddStorePayment: SKPayment(productId), for: SKProduct())
    }

    /// Whether somebody observes the payment queue.
    public var isObserved: Bool { with { $0.observer != nil } }

    /// The status of a subscription may have changed.
    public func hint(_ transaction: Transaction) {
        for listener in with({ $0.statusUpdates }) { listener.yield(Self.status(.verified(transaction))) }
    }

    /// How often the app asked for everything anew.
    public var synchronizations: Int { with { $0.synchronizations } }
    /// The tokens that the last purchase was made with, and the offers.
    public var lastPassed: (tokens: [UUID], offers: [[String]]) {
        let options = with { $0.lastOptions }
        return (options.compactMap(\.token), options.map(\.offer).filter { !$0.isEmpty })
    }
    /// What the app did not finish, by id.
    public var unfinishedIds: [UInt64] { with { $0.unfinished } }
    /// How many listen to updates, to hints and to what is chosen.
    public var listeners: [Int] { with { [$0.updates.count, $0.statusUpdates.count, $0.intents.count] } }

    // MARK: What StoreKit asks

    var products: [String: String] { with { $0.products } }
    var all: [VerificationResult<Transaction>] { with { $0.all } }
    var unfinished: [VerificationResult<Transaction>] {
        with { state in state.all.filter { state.unfinished.contains($0.unsafePayloadValue.id) } }
    }
    let queue = SKPaymentQueue()
    func observe(_ observer: (any SKPaymentTransactionObserver)?) { with { $0.observer = observer } }
    var storefront: String? { with { $0.storefront } }
    var signedApp: String? { with { $0.signedApp } }
    var receiptURL: URL? { with { $0.receiptURL } }

    func finish(_ id: UInt64) { with { $0.unfinished.removeAll { $0 == id } } }
    func synchronize() { with { $0.synchronizations += 1 } }

    func updates() -> AsyncStream<VerificationResult<Transaction>> { listen { $0.updates.append($1) } }
    func statusUpdates() -> AsyncStream<Product.SubscriptionInfo.Status> { listen { $0.statusUpdates.append($1) } }
    func intents() -> AsyncStream<PurchaseIntent> { listen { $0.intents.append($1) } }

    func purchase(_ productId: String, _ options: Set<Product.PurchaseOption>) throws -> Product.PurchaseResult {
        with { $0.lastOptions = options }
        if let answer = try with({ $0.answer })?(productId) { return answer }
        return .success(make(productId, options.compactMap(\.token).first))
    }

    func statuses(of groupID: String) throws -> [Product.SubscriptionInfo.Status] {
        guard with({ $0.hasStatuses }) else { throw StoreKitError.unknown }
        return all.filter { $0.unsafePayloadValue.subscriptionGroupID == groupID }.map(Self.status)
    }

    func refresh() -> (any Error)? {
        let (result, url) = with { ($0.atApple, $0.receiptURL) }
        do {
            if let data = try result?.get(), let url { try data.write(to: url) }
            return nil
        } catch {
            return error
        }
    }

    private static func status(_ result: VerificationResult<Transaction>) -> Product.SubscriptionInfo.Status {
        Product.SubscriptionInfo.Status(
            transaction: result, renewalInfo: .verified(.init(signed: "renewal of \(result.unsafePayloadValue.originalID)")))
    }

    private func make(_ productId: String, _ token: UUID?) -> VerificationResult<Transaction> {
        with { state in
            state.next += 1
            let bears = token.map { #","appAccountToken":"\#($0.uuidString.lowercased())""# } ?? ""
            let payload = #"{"transactionId":"\#(state.next)","signedDate":\#(state.next),"productId":"\#(productId)"\#(bears)}"#
            let text = Data(payload.utf8).base64EncodedString().replacingOccurrences(of: "=", with: "")
                .replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
            let transaction = Transaction(
                id: state.next, originalID: state.next, productID: productId,
                purchaseDate: Date(timeIntervalSince1970: Double(state.next)),
                subscriptionGroupID: productId.hasPrefix("plus") ? "group" : nil, appAccountToken: token,
                signed: "e30.\(text).c2ln")
            let result: VerificationResult<Transaction> =
                state.isUnverified ? .unverified(transaction, .invalidSignature) : .verified(transaction)
            state.all.append(result)
            state.unfinished.append(transaction.id)
            return result
        }
    }

    private func listen<Element: Sendable>(
        _ add: (inout State, AsyncStream<Element>.Continuation) -> Void
    ) -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(of: Element.self)
        with { add(&$0, continuation) }
        return stream
    }

    private func with<Value>(_ body: (inout State) throws -> Value) rethrows -> Value {
        lock.lock()
        defer { lock.unlock() }
        return try body(&state)
    }
}
