import Foundation
import StoreKit
import TenureClient
import Testing

@testable import TenureStoreKit

@Suite struct `What a store's view shows` {
    private func product(_ id: String, group: String) -> String {
        """
        {"productId":"\(id)","subscriptionGroupIdentifier":"\(group)","level":1,"duration":"P1M","introductoryOffer":"none"}
        """
    }

    private func wall(_ products: [String], manage: String = "", links: String = "null") throws -> Wall {
        let text = """
            {"cohort":null,"offering":"main","products":[\(products.joined(separator: ","))],"manage":[\(manage)],
             "manageLink":"https://apps.apple.com/account/subscriptions","changes":[],"links":\(links)}
            """
        return try JSONDecoder().decode(Wall.self, from: Data(text.utf8))
    }

    @Test func `the wall's products in the wall's order, each once, for the view that sells one group`() throws {
        let shelf = StoreShelf(
            try wall([product("year", group: "plus"), product("month", group: "plus"), product("year", group: "plus")]))
        #expect(shelf.productIds == ["year", "month"] && shelf.isOneGroup)
        #expect(shelf.links == nil && shelf.manageLink == nil)
        #expect(StoreState(shelf) == .selling(shelf))
    }

    @Test func `products of several groups are for the view that sells anything`() throws {
        let shelf = StoreShelf(try wall([product("plus", group: "plus"), product("music", group: "music")]))
        #expect(shelf.productIds == ["plus", "music"] && !shelf.isOneGroup)
    }

    @Test func `who has all of it is shown where to manage it`() throws {
        let shelf = StoreShelf(try wall([], manage: #""2000000000000001""#))
        #expect(shelf.productIds.isEmpty && !shelf.isOneGroup)
        let link = try #require(URL(string: "https://apps.apple.com/account/subscriptions"))
        #expect(StoreState(shelf) == .absent(.init(reason: .nothingToBuy, manageLink: link)))
        #expect(StoreState.withoutProducts(shelf) == .absent(.init(reason: .noProducts, manageLink: link)))
        #expect(StoreState(StoreShelf(try wall([]))) == .absent(.init(reason: .nothingToBuy, manageLink: nil)))
    }

    @Test func `the policies are the wall's`() throws {
        let links = #"{"privacyPolicy":"https://a.example/p","terms":"https://a.example/t","questions":"https://a.example/q"}"#
        let shelf = StoreShelf(try wall([product("plus", group: "plus")], links: links))
        #expect(shelf.links?.privacyPolicy.path == "/p" && shelf.links?.terms.path == "/t")
    }

    @Test func `what the app names for the time without a server is of no known group`() {
        let shelf = StoreShelf(productIds: ["b", "a", "b"])
        #expect(shelf.productIds == ["b", "a"] && !shelf.isOneGroup && shelf.links == nil && shelf.manageLink == nil)
    }
}

extension OneAppStore {
    /// Apple's views are not here; what they call is called in their place.
    @Suite struct `What Apple's views call` {
        private let shop = PretendStore.shared

        @MainActor private func with(_ body: (TenureModel, OneAnswer) async throws -> Void) async throws {
            shop.begin(selling: ["plus": "Plus", "coins": "Coins"])
            let server = OneAnswer()
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("views-\(UUID().uuidString)")
            var configuration = try Tenure.Configuration(
                server: try #require(URL(string: "https://tenure.example.com")), app: "notes", publicKey: "pk",
                store: StoreKitStore(), folder: folder, customerToken: { "token of \($0)" })
            configuration.keep = try FileKeep(folder.appendingPathComponent("state"))
            configuration.transport = server
            configuration.sleep = { _ in try await Task.sleep(nanoseconds: 3_600_000_000_000) }
            let tenure = try Tenure(configuration)
            try await tenure.identify("alice")
            try await body(TenureModel(tenure), server)
            await tenure.stop()
            try FileManager.default.removeItem(at: folder)
        }

        /// As Apple's view buys: it says that a purchase begins and asks for options, in an order that Apple does not say.
        @MainActor private func buy(_ id: String, _ model: TenureModel) async throws -> Result<Product.PurchaseResult, any Error>
        {
            let product = try #require(try await Product.products(for: [id]).first)
            async let begins: Void = model.purchaseBegins(id)
            let options = await model.purchaseOptions(for: id)
            await begins
            do {
                return .success(try await product.purchase(options: options))
            } catch {
                return .failure(error)
            }
        }

        @MainActor private func bought(_ id: String, _ model: TenureModel) async throws -> PurchaseOutcome {
            try await model.purchaseEnded(id, try await buy(id, model))
        }

        @MainActor @Test func `a purchase bears the customer's token, is uploaded as a purchase, and finished`() async throws {
            try await with { model, server in
                let outcome = try await bought("plus", model)
                guard case .bought = outcome else {
                    Issue.record("\(outcome)")
                    return
                }
                #expect(model.access.isActive("plus"))
                #expect(await server.kinds == ["alice purchase"])
                #expect(shop.unfinishedIds.isEmpty)
                var tokens: [UUID?] = []
                for await one in Transaction.all { tokens.append(one.unsafePayloadValue.appAccountToken) }
                #expect(tokens == [OneAnswer.token])
            }
        }

        @MainActor @Test func `what else Apple's view can come to`() async throws {
            try await with { model, server in
                shop.answer { _ in .userCancelled }
                #expect(try await bought("plus", model) == .cancelled)
                shop.answer { _ in throw StoreKitError.userCancelled }
                #expect(try await bought("plus", model) == .cancelled)
                shop.answer { _ in .pending }
                #expect(try await bought("plus", model) == .pending)
                shop.answer { _ in throw StoreKitError.unknown }
                let result = try await buy("plus", model)
                let problem = await #expect(throws: TenureProblem.self) { _ = try await model.purchaseEnded("plus", result) }
                #expect(problem?.kind == .storeFailed)
                #expect(await server.kinds.isEmpty)
            }
        }

        @MainActor @Test func `the wall is asked for the storefront, and where it is not to be had the app's own list counts`()
            async throws
        {
            try await with { model, server in
                shop.stand(in: "DEU")
                await server.show(
                    #"""
                    {"products":[{"productId":"plus","subscriptionGroupIdentifier":"g","level":1,"duration":"P1M",
                     "introductoryOffer":"none"}],"manage":[],"manageLink":"https://apps.apple.com","changes":[]}
                    """#)
                let shelf = try await model.shelf(otherwise: ["coins"])
                #expect(shelf.productIds == ["plus"])
                #expect(await server.storefronts == ["DEU"])
                guard case .selling = await model.store(otherwise: []) else {
                    Issue.record("nothing is sold")
                    return
                }
                await server.show(nil)
                let otherwise = try await model.shelf(otherwise: ["coins"])
                #expect(otherwise.productIds == ["coins"])
                await #expect(throws: TenureProblem.self) { _ = try await model.shelf() }
                #expect(await model.store(otherwise: []) == .absent(.init(reason: .notAnswered, manageLink: nil)))
            }
        }

        @MainActor @Test
        func `a wall is asked for again where what the customer may use has changed, and not each time it is asked`()
            async throws
        {
            try await with { model, _ in
                let before = StoreOccasion(try await model.tenure.refresh())
                #expect(StoreOccasion(await model.tenure.current()) == before, "answered, and from the window")
                _ = try await bought("plus", model)
                #expect(StoreOccasion(model.access) != before)
                try await model.tenure.signOut()
                #expect(StoreOccasion(await model.tenure.current()) != before, "another customer")
            }
        }
    }
}
