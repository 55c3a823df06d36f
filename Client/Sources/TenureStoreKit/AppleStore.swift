#if canImport(SwiftUI) && canImport(StoreKit)
    import StoreKit
    public import SwiftUI
    public import TenureClient

    /// Apple's view for a shelf.
    ///
    /// Source: Apple, `SubscriptionStoreView.init(productIDs:)`, which takes subscriptions of one group;
    /// `StoreView.init(ids:prefersPromotionalIcon:)`.
    @available(iOS 17, macOS 14, tvOS 17, watchOS 10, visionOS 1, *)
    struct AppleStore: View {
        let shelf: StoreShelf

        var body: some View {
            if shelf.isOneGroup {
                subscriptions
            } else {
                StoreView(ids: shelf.productIds)
            }
        }

        @ViewBuilder private var subscriptions: some View {
            #if os(tvOS)
                SubscriptionStoreView(productIDs: shelf.productIds)
            #else
                if let links = shelf.links {
                    SubscriptionStoreView(productIDs: shelf.productIds)
                        .subscriptionStorePolicyDestination(url: links.privacyPolicy, for: .privacyPolicy)
                        .subscriptionStorePolicyDestination(url: links.terms, for: .termsOfService)
                        .storeButton(.visible, for: .policies)
                } else {
                    SubscriptionStoreView(productIDs: shelf.productIds)
                }
            #endif
        }
    }

    @available(iOS 17, macOS 14, tvOS 17, watchOS 10, visionOS 1, *)
    extension View {
        /// Purchases in Apple's store views inside are the customer's: begun at the server, made with the customer's token,
        /// uploaded, and finished once the server has them. The ``TenureModel`` is the environment's.
        ///
        /// Source: Apple, `View.inAppPurchaseOptions(_:)`, `View.onInAppPurchaseStart(perform:)`,
        /// `View.onInAppPurchaseCompletion(perform:)`.
        ///
        /// - Parameter ended: told what each purchase came to; its product, and `TenureProblem` where it failed.
        public func tenurePurchases(
            _ ended: @escaping @MainActor (_ productId: String, Result<PurchaseOutcome, TenureProblem>) -> Void = { _, _ in }
        ) -> some View {
            modifier(ApplePurchases(ended: ended))
        }
    }

    @available(iOS 17, macOS 14, tvOS 17, watchOS 10, visionOS 1, *)
    private struct ApplePurchases: ViewModifier {
        @EnvironmentObject private var model: TenureModel
        let ended: @MainActor (String, Result<PurchaseOutcome, TenureProblem>) -> Void

        func body(content: Content) -> some View {
            content
                .onInAppPurchaseStart { product in await model.purchaseBegins(product.id) }
                .inAppPurchaseOptions { product in await model.purchaseOptions(for: product.id) }
                .onInAppPurchaseCompletion { product, result in
                    ended(product.id, await StoreFailure.caught { try await model.purchaseEnded(product.id, result) })
                }
        }
    }

    /// What went wrong with a purchase, for a view.
    enum StoreFailure {
        @MainActor
        static func caught(
            _ purchase: @MainActor () async throws -> PurchaseOutcome
        ) async -> Result<PurchaseOutcome, TenureProblem> {
            do {
                return .success(try await purchase())
            } catch {
                return .failure(error as? TenureProblem ?? TenureProblem(.storeFailed, words: "\(error)"))
            }
        }
    }
#endif
