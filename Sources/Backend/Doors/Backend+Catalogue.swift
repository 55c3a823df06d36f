package import Ledger
package import Primitives
import Storage

/// The products that an app's configuration names, held against those that customers bought.
package struct CatalogueComparison: Sendable, Hashable {
    /// A product that somebody bought.
    package struct SeenProduct: Sendable, Hashable {
        package let productId: ProductID
        package let environment: Environment
        /// How many subscriptions and other purchases have a period of it.
        package fileprivate(set) var subscriptions: Int64
        /// Of its newest period.
        package fileprivate(set) var lastPurchaseDate: Timestamp
    }

    /// Bought, and the configuration gives nothing for it: its buyers have no access. The most bought first.
    package internal(set) var notConfigured: [SeenProduct] = []
    /// Configured, and nobody has bought it in any environment; sorted.
    package internal(set) var notSeen: [ProductID] = []
    /// Described in the configuration, and gives nothing; sorted.
    package internal(set) var givesNothing: [ProductID] = []
    /// Bought, and configured to give something; by product and environment.
    package internal(set) var configured: [SeenProduct] = []
    /// How many subscriptions and other purchases were looked at.
    package internal(set) var subscriptions: Int64 = 0
}

extension Backend {
    /// Looks at every subscription of an app, page by page, for its products.
    ///
    /// - Parameter progress: is told now and then how many subscriptions were looked at.
    package func compareCatalogue(
        of id: AppID, _ progress: (Int64) -> Void = { _ in }
    ) async throws -> CatalogueComparison {
        let app = try settings(of: id)
        let timeline = try chosen.learn(try await settingsVersions(of: id), of: app)
        var comparison = CatalogueComparison()
        var seen: [CatalogueComparison.SeenProduct] = []
        for scope in app.scopes {
            var products: [ProductID: CatalogueComparison.SeenProduct] = [:]
            var page = try await subscriptions(in: scope, after: nil)
            while let last = page.last {
                for stored in page { Self.count(stored.state.periods, in: scope.environment, &products) }
                comparison.subscriptions += Int64(page.count)
                progress(comparison.subscriptions)
                page = try await subscriptions(in: scope, after: last.history.key.originalTransactionId)
            }
            seen += products.values
        }
        let gives = Set(timeline.entitlements.entries.filter { !$0.entitlements.isEmpty }.map(\.productId))
        let described = Set(timeline.offerings.products.map(\.productId))
        let bought = Set(seen.map(\.productId))
        comparison.notConfigured = seen.filter { !gives.contains($0.productId) && !described.contains($0.productId) }
            .sorted { ($1.subscriptions, $0.productId) < ($0.subscriptions, $1.productId) }
        comparison.configured = seen.filter { gives.contains($0.productId) }
            .sorted { ($0.productId, $0.environment.rawValue) < ($1.productId, $1.environment.rawValue) }
        comparison.notSeen = gives.union(described).subtracting(bought).sorted()
        comparison.givesNothing = described.subtracting(gives).sorted()
        return comparison
    }

    private static func count(
        _ periods: [Period], in environment: Environment, _ products: inout [ProductID: CatalogueComparison.SeenProduct]
    ) {
        for (product, periods) in Dictionary(grouping: periods, by: \.productId) {
            guard let latest = periods.map(\.purchaseDate).max() else { continue }
            guard var known = products[product] else {
                products[product] = .init(
                    productId: product, environment: environment, subscriptions: 1, lastPurchaseDate: latest)
                continue
            }
            known.subscriptions += 1
            known.lastPurchaseDate = max(known.lastPurchaseDate, latest)
            products[product] = known
        }
    }
}
