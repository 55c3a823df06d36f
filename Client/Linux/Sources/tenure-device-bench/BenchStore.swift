import Foundation
import Synchronization
import TenureClient

/// A store that delivers as many transactions as it is asked for, each as long as Apple's are.
final class BenchStore: DeviceStore {
    private let (stream, continuation) = AsyncStream.makeStream(of: StoreTransaction.self)
    private let made = Mutex(0)

    /// Of a transaction and its renewal info, which have three certificates each in their headers.
    static let (transactionBytes, renewalBytes) = (4600, 4200)
    static var bytes: Int { transactionBytes + renewalBytes }

    func deliver() {
        let number = made.withLock { made in
            made += 1
            return made
        }
        let payload = #"{"transactionId":"\#(number)","signedDate":\#(number),"productId":"plus","environment":"Production"}"#
        continuation.yield(
            StoreTransaction(
                signedTransactionInfo: Self.signed(payload, Self.transactionBytes, number),
                signedRenewalInfo: Self.signed(payload, Self.renewalBytes, number)))
    }

    /// A text of the form of a JWS, no two alike.
    private static func signed(_ payload: String, _ length: Int, _ number: Int) -> String {
        let middle = Data(payload.utf8).base64EncodedString().replacingOccurrences(of: "=", with: "")
        let head = "\(number)".padding(toLength: length - middle.utf8.count - 88, withPad: "aB3dE5gH", startingAt: 0)
        return "\(head).\(middle).\(String(repeating: "s", count: 86))"
    }

    func deliveries() -> AsyncStream<StoreTransaction> { stream }
    func promoted() -> AsyncStream<String> { AsyncStream { $0.finish() } }
    func hints() -> AsyncStream<Void> { AsyncStream { $0.finish() } }
    func products(_ ids: [String]) async throws -> [StoreProduct] { [] }
    func unfinished() async throws -> [StoreTransaction] { [] }
    func latest() async throws -> [StoreTransaction] { [] }
    func purchase(_ productId: String, appAccountToken: UUID?, offer: SignedOffer?) async throws -> StorePurchase { .cancelled }
    func finish(_ transaction: StoreTransaction) async {}
    func signedAppTransaction() async throws -> String? { nil }
    func receipt() async throws -> Data? { nil }
    func refreshReceipt() async throws -> Data? { nil }
    func synchronize() async throws {}
}

/// The network, which can be away.
final class SwitchedTransport: ServerTransport {
    private let network = URLSessionTransport()
    private let state = Mutex((isAway: false, sent: 0))

    var isAway: Bool {
        get { state.withLock { $0.isAway } }
        set { state.withLock { $0.isAway = newValue } }
    }

    /// How many uploads were answered.
    var sent: Int { state.withLock { $0.sent } }

    func send(_ request: ServerRequest) async throws -> ServerResponse {
        if isAway { throw CancellationError() }
        let response = try await network.send(request)
        if request.url.path.hasSuffix("/transactions") { state.withLock { $0.sent += 1 } }
        return response
    }
}
