// An app in its smallest form, for any platform: who the customer is and what they may use. `scripts/publish-client --check`
// builds it against the published package.
import Foundation
import TenureClient
import TenureStoreKit

/// A store that sells nothing, for a platform that has none. On Apple's platforms an app says `StoreKitStore()` in its place.
struct EmptyStore: DeviceStore {
    func deliveries() -> AsyncStream<StoreTransaction> { AsyncStream { $0.finish() } }
    func promoted() -> AsyncStream<String> { AsyncStream { $0.finish() } }
    func hints() -> AsyncStream<Void> { AsyncStream { $0.finish() } }
    func products(_ ids: [String]) async throws -> [StoreProduct] { [] }
    func unfinished() async throws -> [StoreTransaction] { [] }
    func latest() async throws -> [StoreTransaction] { [] }
    func purchase(_ productId: String, appAccountToken: UUID?, offer: SignedOffer?) async throws -> StorePurchase {
        throw TenureProblem.noProducts([productId])
    }
    func finish(_ transaction: StoreTransaction) async {}
    func signedAppTransaction() async throws -> String? { nil }
    func receipt() async throws -> Data? { nil }
    func refreshReceipt() async throws -> Data? { nil }
    func synchronize() async throws {}
}

#if canImport(StoreKit)
    let store = StoreKitStore()
#else
    let store = EmptyStore()
#endif
let folder = URL(fileURLWithPath: CommandLine.arguments.count > 1 ? CommandLine.arguments[1] : "data", isDirectory: true)
guard let server = URL(string: "http://127.0.0.1:1") else { throw URLError(.badURL) }
let tenure = try Tenure(.init(server: server, app: "notes", publicKey: "tnr_pk_", store: store, folder: folder))
// Before anything else at launch.
await tenure.start()
let model = TenureModel(tenure)
do {
    _ = try await tenure.products(["plus"])
} catch let problem as TenureProblem {
    print(problem.words)
}
let access = await tenure.current()
print("\(access.customer) is \(access.isActive("plus") ? "active" : "not active")")
await tenure.stop()
