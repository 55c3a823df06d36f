import Foundation
import TenureClient

/// The local App Store of `tenure simulate`, as a device of it sees it: what StoreKit would say, by the control API.
///
/// It signs no app transaction for devices, so a device has the app receipt, as below iOS 16. What it signs is signed at the
/// moment of asking; StoreKit repeats what it has, and so does this while the process lasts.
///
/// Source: `Sources/AppStoreSimulator/Control/openapi.json`; docs/local-app-store.md.
actor LocalAppStore: DeviceStore {
    private let control: URL
    private let device: String
    private let transport = URLSessionTransport()
    private var signed: [String: StoreTransaction] = [:]
    private var told: Set<String> = []
    /// At which moment the process is to be killed.
    private let end: End?
    /// How many were finished by this process.
    private(set) var finished = 0

    enum End: String, Sendable {
        /// The customer has bought, and the app has not heard it yet.
        case afterPurchase
        /// The server has it, and the store has not heard it yet.
        case beforeFinish
    }

    /// - Parameters:
    ///   - control: the address of the control API, with `/control/v1`.
    ///   - device: one that was added to the store.
    init(control: URL, device: String, end: End?) { (self.control, self.device, self.end) = (control, device, end) }

    /// What the store answered in place of what was asked for.
    struct Refusal: Error, Sendable {
        let status: Int
        let code: String
    }

    // MARK: What comes by itself

    nonisolated func deliveries() -> AsyncStream<StoreTransaction> {
        AsyncStream { continuation in
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

    nonisolated func promoted() -> AsyncStream<String> { AsyncStream { $0.finish() } }

    nonisolated func hints() -> AsyncStream<Void> { AsyncStream { $0.finish() } }

    // MARK: What is asked for

    func products(_ ids: [String]) async throws -> [StoreProduct] {
        let sold: Products = try await ask("GET", "products")
        return sold.products.filter { ids.contains($0.productId) }.map {
            StoreProduct(id: $0.productId, displayName: $0.name, displayPrice: "\(Double($0.price) / 1000) \($0.currency)")
        }
    }

    func unfinished() async throws -> [StoreTransaction] {
        let queue: Transactions = try await ask("GET", "devices/\(device)/queue")
        return try await transactions(queue)
    }

    func latest() async throws -> [StoreTransaction] {
        let all: Transactions = try await ask("GET", "accounts/\(try await account())/transactions?limit=50")
        var products: Set<String> = []
        return try await transactions(.init(transactions: all.transactions.filter { products.insert($0.productId).inserted }))
    }

    func purchase(_ productId: String, appAccountToken: UUID?) async throws -> StorePurchase {
        guard try await products([productId]).first != nil else { throw TenureProblem.noProducts([productId]) }
        let body = ["productId": productId].merging(appAccountToken.map { ["appAccountToken": $0.uuidString] } ?? [:]) { $1 }
        let bought: Transaction = try await ask("POST", "accounts/\(try await account())/purchases", body)
        dieIf(.afterPurchase)
        told.insert(bought.transactionId)
        return .bought(try await transaction(bought))
    }

    func finish(_ transaction: StoreTransaction) async {
        guard let id = transaction.transactionId else { return }
        dieIf(.beforeFinish)
        do {
            let _: Nothing = try await ask("POST", "transactions/\(id)/finish")
            finished += 1
        } catch {
            // The store has it unfinished still, and delivers it again.
            complain("not finished: \(error)")
        }
    }

    func signedAppTransaction() async throws -> String? { nil }

    func receipt() async throws -> Data? {
        do {
            let answer: Receipt = try await ask("GET", "accounts/\(try await account())/receipt")
            return Data(base64Encoded: answer.receipt)
        } catch let refusal as Refusal where refusal.status == 404 {
            return nil
        }
    }

    func refreshReceipt() async throws -> Data? {
        let _: Transactions = try await ask("POST", "accounts/\(try await account())/restore")
        return try await receipt()
    }

    func synchronize() async throws { _ = try await account() }

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
    private struct Nothing: Decodable {}
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

    private func ask<Answer: Decodable>(_ method: String, _ path: String, _ body: [String: String] = [:]) async throws -> Answer {
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

    private func dieIf(_ moment: End) {
        guard end == moment else { return }
        kill(getpid(), SIGKILL)
    }
}

/// Writes a line to standard error.
func complain(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }
