import Foundation
import StoreKit
import TenureClient
import Testing

@testable import TenureStoreKit

/// StoreKit has one App Store for the whole process, so these run one after the other.
@Suite(.serialized, .timeLimit(.minutes(10))) enum OneAppStore {}

extension OneAppStore {
    @Suite struct `The adapter of StoreKit` {
        private let shop = PretendStore.shared
        private let store = StoreKitStore()

        init() { shop.begin(selling: ["plus": "Plus", "coins": "Coins"]) }

        @Test func `what StoreKit could not verify is uploaded all the same: the server judges`() async throws {
            shop.doNotVerify(true)
            let token = UUID()
            guard case .bought(let bought) = try await store.purchase("plus", appAccountToken: token) else {
                Issue.record("not bought")
                return
            }
            #expect(bought.transactionId == "1001")
            #expect(try await store.unfinished() == [bought])
            let first = try #require(await first(of: Transaction.all))
            #expect(first.unsafePayloadValue.appAccountToken == token)
        }

        @Test func `an offer that the server signed is passed to StoreKit as it was signed, beside the token`() async throws {
            let (token, nonce) = (UUID(), UUID())
            let offer = SignedOffer(
                offerIdentifier: "stay", keyId: "KEY", nonce: nonce, timestamp: 1_767_225_600_000, signature: Data([1, 2, 3]))
            _ = try await store.purchase("plus", appAccountToken: token, offer: offer)
            #expect(shop.lastPassed.tokens == [token])
            #expect(shop.lastPassed.offers == [["stay", "KEY", nonce.uuidString, "AQID", "1767225600000"]])
        }

        private func first(of all: Transaction.Transactions) async -> VerificationResult<Transaction>? {
            for await one in all { return one }
            return nil
        }

        @Test func `a purchase of a subscription has its renewal info, where that is to be had`() async throws {
            func renewal(_ productId: String) async throws -> String? {
                guard case .bought(let bought) = try await store.purchase(productId, appAccountToken: nil) else {
                    return "not bought"
                }
                return bought.signedRenewalInfo
            }
            #expect(try await renewal("plus") == "renewal of 1001")
            #expect(try await renewal("coins") == nil)
            shop.haveStatuses(false)
            #expect(try await renewal("plus") == nil)
        }

        @Test func `what buying comes to`() async throws {
            shop.answer { _ in .pending }
            #expect(try await store.purchase("plus", appAccountToken: nil) == .pending)
            shop.answer { _ in .userCancelled }
            #expect(try await store.purchase("plus", appAccountToken: nil) == .cancelled)
            shop.answer { _ in throw StoreKitError.userCancelled }
            #expect(try await store.purchase("plus", appAccountToken: nil) == .cancelled)
            shop.answer { _ in throw StoreKitError.unknown }
            await #expect(throws: StoreKitError.unknown) { try await store.purchase("plus", appAccountToken: nil) }
            let problem = await #expect(throws: TenureProblem.self) { try await store.purchase("gone", appAccountToken: nil) }
            #expect(problem?.kind == .noProducts)
        }

        @Test func `only the one that is meant is finished, also one that could not be verified`() async throws {
            shop.doNotVerify(true)
            let first = shop.deliver("plus")
            let second = shop.deliver("plus")
            let delivered = try await store.unfinished()
            await store.finish(try #require(delivered.last))
            #expect(shop.unfinishedIds == [first.id])
            await store.finish(try #require(delivered.last))
            await store.finish(StoreTransaction(signedTransactionInfo: "no transaction"))
            #expect(shop.unfinishedIds == [first.id] && second.id != first.id)
        }

        @Test func `what comes by itself: transactions, products that were chosen in the store, hints`() async throws {
            var deliveries = store.deliveries().makeAsyncIterator()
            var promoted = store.promoted().makeAsyncIterator()
            var hints = store.hints().makeAsyncIterator()
            while shop.listeners != [1, 1, 1] { await Task.yield() }
            let transaction = shop.deliver("plus")
            shop.choose("coins")
            shop.hint(transaction)
            #expect(await deliveries.next()?.transactionId == "1001")
            #expect(await promoted.next() == "coins")
            #expect(await hints.next() != nil)
        }

        @Test
        func `DEV-5 before PurchaseIntent the payment queue says what was chosen; its payment is declined, and bought later`()
            async throws
        {
            let (chosen, continuation) = AsyncStream.makeStream(of: String.self)
            let following = Task { await PromotedPayments.follow { continuation.yield($0) } }
            while !shop.isObserved { await Task.yield() }
            #expect(shop.chooseForQueue("coins") == false)
            #expect(shop.chooseForQueue("plus") == false)
            var products = chosen.makeAsyncIterator()
            #expect(await products.next() == "coins")
            #expect(await products.next() == "plus")
            #expect(shop.unfinishedIds.isEmpty, "nothing was bought by it")
            following.cancel()
            await following.value
            #expect(!shop.isObserved && shop.chooseForQueue("plus") == nil)
        }

        @Test func `of each product the one that was bought last`() async throws {
            for productId in ["plus", "coins", "plus"] { _ = try await store.purchase(productId, appAccountToken: nil) }
            #expect(try await store.latest().map(\.transactionId) == ["1003", "1002"])
            try await store.synchronize()
            #expect(shop.synchronizations == 1)
            #expect(
                try await store.products(["coins", "gone"]) == [.init(id: "coins", displayName: "Coins", displayPrice: "€9.99")])
        }

        @Test func `the app transaction, and the receipt where there is one`() async throws {
            let url = FileManager.default.temporaryDirectory.appendingPathComponent("receipt-\(UUID().uuidString)")
            var store = StoreKitStore()
            store.receiptURL = { nil }
            #expect(try await store.receipt() == nil, "no address")
            store.receiptURL = { url }
            shop.haveApp(signed: "app", receiptURL: url, atApple: .success(Data("new".utf8)))
            #expect(try await store.signedAppTransaction() == "app")
            #expect(try await store.receipt() == nil, "no file")
            #expect(try await store.refreshReceipt() == Data("new".utf8))
            #expect(try await store.receipt() == Data("new".utf8))
            shop.haveApp(signed: nil, receiptURL: url, atApple: .failure(StoreKitError.userCancelled))
            await #expect(throws: StoreKitError.userCancelled) { try await store.refreshReceipt() }
            try FileManager.default.removeItem(at: url)
        }

        @Test func `DEV-5 the model says on the main actor what a purchase has changed, and what was chosen in the store`()
            async throws
        {
            let server = OneAnswer()
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("model-\(UUID().uuidString)")
            var configuration = try Tenure.Configuration(
                server: try #require(URL(string: "https://tenure.example.com")), app: "notes", publicKey: "pk", store: store,
                folder: folder, customerToken: { "token of \($0)" })
            configuration.keep = try FileKeep(folder.appendingPathComponent("state"))
            configuration.transport = server
            configuration.sleep = { _ in try await Task.sleep(nanoseconds: 3_600_000_000_000) }
            let tenure = try Tenure(configuration)
            await tenure.start()
            try await tenure.identify("alice")
            while shop.listeners != [1, 1, 1] { await Task.yield() }
            try await look(at: tenure)
            #expect(shop.unfinishedIds.isEmpty, "finished, since the server has it")
            await tenure.stop()
            try FileManager.default.removeItem(at: folder)
        }

        @MainActor private func look(at tenure: Tenure) async throws {
            let model = TenureModel(tenure)
            let following = Task { await model.follow() }
            while model.access.customer != "alice" { await Task.yield() }
            #expect(!model.access.isActive("plus"))
            shop.choose("plus")
            while model.promoted.isEmpty { await Task.yield() }
            #expect(model.promoted.map(\.productId) == ["plus"])
            guard case .bought = try await model.purchase("plus") else {
                Issue.record("not bought")
                return
            }
            #expect(model.access.isActive("plus") && model.promoted.isEmpty)
            following.cancel()
        }
    }
}
