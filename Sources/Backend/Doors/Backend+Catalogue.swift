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
        /// Of a product that is not configured: who paid for it, the newest first; at most ``CatalogueComparison/mostPayers``.
        package fileprivate(set) var payers: [Payer] = []
    }

    /// A charge for a product that gave nothing.
    package struct Payer: Sendable, Hashable {
        package let subscription: OriginalTransactionID
        /// The owner at the purchase; nil where there is none.
        package let customer: CustomerID?
        package let purchaseDate: Timestamp
    }

    package static let mostPayers = 100

    /// Bought while no version of the configuration that held then or later named it, as after it was removed: its buyers have no
    /// access (FACT-5). The most bought first.
    package internal(set) var notConfigured: [SeenProduct] = []
    /// Configured, and nobody has bought it in any environment; sorted.
    package internal(set) var notSeen: [ProductID] = []
    /// Described in the configuration, and gives nothing; sorted.
    package internal(set) var givesNothing: [ProductID] = []
    /// Bought, and named by the configuration then or later; by product and environment.
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
        var (named, unnamed) = ([CatalogueComparison.SeenProduct](), [CatalogueComparison.SeenProduct]())
        for scope in app.scopes {
            var products = [true: [ProductID: CatalogueComparison.SeenProduct](), false: [:]]
            var page = try await subscriptions(in: scope, after: nil)
            while let last = page.last {
                for stored in page {
                    for (isNamed, periods) in Dictionary(
                        grouping: stored.state.periods, by: { timeline.names($0.productId, at: $0.purchaseDate) })
                    {
                        Self.count(periods, of: stored.state, in: scope.environment, &products[isNamed, default: [:]])
                    }
                }
                comparison.subscriptions += Int64(page.count)
                progress(comparison.subscriptions)
                page = try await subscriptions(in: scope, after: last.history.key.originalTransactionId)
            }
            named += products[true, default: [:]].values
            unnamed += products[false, default: [:]].values
        }
        let now = clock.now()
        let configured = Set(timeline.newest.content.products.map(\.productId))
            .union(timeline.offerings.products.map(\.productId))
        comparison.notConfigured = unnamed.map(\.withoutMorePayers)
            .sorted { ($1.subscriptions, $0.productId) < ($0.subscriptions, $1.productId) }
        comparison.configured = named.map(\.withoutPayers)
            .sorted { ($0.productId, $0.environment.rawValue) < ($1.productId, $1.environment.rawValue) }
        comparison.notSeen = configured.subtracting(named.map(\.productId)).sorted()
        comparison.givesNothing = configured.filter { product in
            timeline.entitlements.given(by: product, toPeriodFrom: now, asOf: .latestAccepted).isEmpty
        }.sorted()
        return comparison
    }

    private static func count(
        _ periods: [Period], of state: Ledger.SubscriptionState, in environment: Environment,
        _ products: inout [ProductID: CatalogueComparison.SeenProduct]
    ) {
        for (product, periods) in Dictionary(grouping: periods, by: \.productId) {
            guard let latest = periods.map(\.purchaseDate).max() else { continue }
            var known =
                products[product]
                ?? .init(productId: product, environment: environment, subscriptions: 0, lastPurchaseDate: latest)
            known.subscriptions += 1
            known.lastPurchaseDate = max(known.lastPurchaseDate, latest)
            known.payers += periods.map {
                CatalogueComparison.Payer(
                    subscription: state.key.originalTransactionId, customer: state.owner(at: $0.purchaseDate),
                    purchaseDate: $0.purchaseDate)
            }
            // Of a product that everybody buys only the newest ones are kept.
            if known.payers.count > 2 * CatalogueComparison.mostPayers { known = known.withoutMorePayers }
            products[product] = known
        }
    }
}

extension CatalogueComparison.SeenProduct {
    fileprivate var withoutPayers: Self {
        var one = self
        one.payers = []
        return one
    }

    /// The newest ones, in that order.
    fileprivate var withoutMorePayers: Self {
        var one = self
        one.payers.sort { ($1.purchaseDate, $0.subscription) < ($0.purchaseDate, $1.subscription) }
        one.payers.removeLast(max(0, payers.count - CatalogueComparison.mostPayers))
        return one
    }
}
