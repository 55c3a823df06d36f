public import Foundation
public import TenureClient

/// The local App Store of `tenure simulate`, as a device of it sees it: what StoreKit would say, by the control API.
///
/// What it signs is signed at the moment of asking; StoreKit repeats what it has, and so does this while the process lasts.
///
/// Source: `Sources/AppStoreSimulator/Control/openapi.json`; docs/local-app-store.md.
public actor LocalAppStore: DeviceStore {
    private let control: URL
    private let device: String
    private let transport: any ServerTransport
    private let play: Play
    private var signed: [String: StoreTransaction] = [:]
    private var told: Set<String> = []
    /// How many were finished by this process.
    public private(set) var finished = 0

    /// What a test or a story changes of it.
    public struct Play: Sendable {
        /// The app hears by itself what comes into the device's queue while it runs.
        public var listens = true
        /// A purchase bears the `appAccountToken` that the app passes; an app that passes none is played without.
        public var passesTokens = true
        /// The device has the app transaction, as from iOS 16 on; without, only the app receipt.
        public var hasAppTransaction = true
        /// The customer has bought, and the app has not heard it yet.
        public var afterPurchase: @Sendable () async throws -> Void = {}
        /// The server has it, and the store has not heard it yet.
        public var beforeFinish: @Sendable () async -> Void = {}
        /// Is told what went wrong where nobody can be.
        public var complain: @Sendable (String) -> Void = { _ in }

        /// A device like anybody's.
        public init() {}
    }

    /// - Parameters:
    ///   - control: the address of the control API, with `/control/v1`.
    ///   - device: one that was added to the store.
    ///   - transport: how the store is asked.
    public init(control: URL, device: String, transport: any ServerTransport, play: Play = Play()) {
        (self.control, self.device, self.transport, self.play) = (control, device, transport, play)
    }

    /// What the store answered in place of what was asked for.
    public struct Refusal: Error, Sendable {
        /// The HTTP status; 0 where it was not asked.
        public let status: Int
        /// The store's code.
        public let code: String
    }

    // MARK: What comes by itself

    /// What comes into the device's queue, looked for five times a second; nothing where it does not listen.
    public nonisolated func deliveries() -> AsyncStream<StoreTransaction> {
        AsyncStream { continuation in
            guard play.listens else { return continuation.finish() }
            let task = Task {
                while !Task.isCancelled {
                    do {
                        for one in try await news() { continuation.yield(one) }
                        try await Task.sleep(nanoseconds: 200_000_000)
                    } catch {
                        return
                    }
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// What the device's queue holds and was not said before.
    private func news() async throws -> [StoreTransaction] {
        try await unfinished().filter { told.insert($0.transactionId ?? "").inserted }
    }

    /// Nobody chooses anything in the local App Store.
    public nonisolated func promoted() -> AsyncStream<String> { AsyncStream { $0.finish() } }

    /// It gives none.
    public nonisolated func hints() -> AsyncStream<Void> { AsyncStream { $0.finish() } }

    // MARK: What is asked for

    /// Those of the first app that it sells.
    public func products(_ ids: [String]) async throws -> [StoreProduct] {
        let sold: Products = try await ask("GET", "products")
        return sold.products.filter { ids.contains($0.productId) }.map {
            StoreProduct(id: $0.productId, displayName: $0.name, displayPrice: "\(Double($0.price) / 1000) \($0.currency)")
        }
    }

    /// The device's queue.
    public func unfinished() async throws -> [StoreTransaction] {
        let queue: Transactions = try await ask("GET", "devices/\(device)/queue")
        return try await transactions(queue)
    }

    /// The latest transaction of each product, of the Apple Account's last fifty.
    public func latest() async throws -> [StoreTransaction] {
        let all: Transactions = try await ask("GET", "accounts/\(try await account())/transactions?limit=50")
        var products: Set<String> = []
        return try await transactions(.init(transactions: all.transactions.filter { products.insert($0.productId).inserted }))
    }

    /// Buys for the Apple Account that the device is signed in with.
    public func purchase(_ productId: String, appAccountToken: UUID?, offer: SignedOffer?) async throws -> StorePurchase {
        guard try await products([productId]).first != nil else { throw TenureProblem.noProducts([productId]) }
        var body = PurchaseOrder(productId: productId)
        if play.passesTokens { body.appAccountToken = appAccountToken }
        if let offer {
            (body.offer, body.offerIdentifier) = ("promotional", offer.offerIdentifier)
            body.signature = .init(offer)
        }
        let bought: Transaction = try await ask("POST", "accounts/\(try await account())/purchases", body)
        told.insert(bought.transactionId)
        try await play.afterPurchase()
        return .bought(try await transaction(bought))
    }

    /// Takes it out of the queue.
    public func finish(_ transaction: StoreTransaction) async {
        guard let id = transaction.transactionId else { return }
        await play.beforeFinish()
        do {
            let _: Nothing = try await ask("POST", "transactions/\(id)/finish")
            finished += 1
        } catch {
            // The store has it unfinished still, and delivers it again.
            play.complain("not finished: \(error)")
        }
    }

    /// That of the Apple Account; nil where the device has none.
    public func signedAppTransaction() async throws -> String? {
        guard play.hasAppTransaction else { return nil }
        do {
            let answer: AppTransaction = try await ask("GET", "devices/\(device)/appTransaction")
            return answer.signedAppTransaction
        } catch let refusal as Refusal where refusal.code == "appTransactionMissing" {
            return nil
        }
    }

    /// That of the Apple Account; nil where it was lost.
    public func receipt() async throws -> Data? {
        do {
            let answer: Receipt = try await ask("GET", "accounts/\(try await account())/receipt")
            return Data(base64Encoded: answer.receipt)
        } catch let refusal as Refusal where refusal.status == 404 {
            return nil
        }
    }

    /// Restores first.
    public func refreshReceipt() async throws -> Data? {
        let _: Transactions = try await ask("POST", "accounts/\(try await account())/restore")
        return try await receipt()
    }

    /// Nobody is asked for a password here.
    public func synchronize() async throws { _ = try await account() }

    // MARK: The control API

    private struct Products: Decodable { let products: [Product] }
    private struct Product: Decodable {
        let productId: String
        let name: String
        let price: Int64
        let currency: String
    }
    private struct Transactions: Decodable { let transactions: [Transaction] }
    private struct Transaction: Decodable {
        let transactionId: String
        let originalTransactionId: String
        let productId: String
        /// Of subscriptions.
        let expiresDate: Int64?
        let signedTransactionInfo: String
    }
    private struct Subscription: Decodable { let signedRenewalInfo: String? }
    private struct Device: Decodable { let account: String? }
    private struct Receipt: Decodable { let receipt: String }
    private struct AppTransaction: Decodable { let signedAppTransaction: String }
    private struct Nothing: Decodable {}

    private struct PurchaseOrder: Encodable {
        let productId: String
        var appAccountToken: UUID?
        var offer: String?
        var offerIdentifier: String?
        var signature: Signature?

        struct Signature: Encodable {
            let keyIdentifier: String
            let nonce: String
            let timestamp: Int
            let signature: String

            init(_ offer: SignedOffer) {
                (keyIdentifier, nonce) = (offer.keyId, offer.nonce.uuidString.lowercased())
                (timestamp, signature) = (offer.timestamp, offer.signature.base64EncodedString())
            }
        }
    }
    private struct Problem: Decodable { let code: String }

    /// The Apple Account that the device is signed in with.
    private func account() async throws -> String {
        let answer: Device = try await ask("GET", "devices/\(device)")
        guard let account = answer.account else { throw Refusal(status: 0, code: "signedOut") }
        return account
    }

    private func transactions(_ all: Transactions) async throws -> [StoreTransaction] {
        var found: [StoreTransaction] = []
        for one in all.transactions { found.append(try await transaction(one)) }
        return found
    }

    /// With the renewal info of a subscription, as a device of Apple's has it.
    private func transaction(_ one: Transaction) async throws -> StoreTransaction {
        if let known = signed[one.transactionId] { return known }
        var transaction = StoreTransaction(signedTransactionInfo: one.signedTransactionInfo)
        if one.expiresDate != nil {
            let subscription: Subscription = try await ask("GET", "subscriptions/\(one.originalTransactionId)")
            transaction.signedRenewalInfo = subscription.signedRenewalInfo
        }
        signed[one.transactionId] = transaction
        return transaction
    }

    private func ask<Answer: Decodable>(
        _ method: String, _ path: String, _ body: some Encodable = [String: String]()
    ) async throws -> Answer {
        guard let url = URL(string: "\(control.absoluteString)/\(path)") else { throw Refusal(status: 0, code: "address") }
        let response = try await transport.send(
            ServerRequest(
                method: method, url: url, headers: ["Content-Type": "application/json"],
                body: method == "GET" ? nil : try JSONEncoder().encode(body)))
        guard (200..<300).contains(response.status) else {
            throw Refusal(status: response.status, code: try JSONDecoder().decode(Problem.self, from: response.body).code)
        }
        return try JSONDecoder().decode(Answer.self, from: response.body)
    }
}
