#if canImport(SwiftUI) && canImport(StoreKit)
    import StoreKit
    public import SwiftUI
    public import TenureClient

    /// Sells what the server's wall says, in Apple's own views: `SubscriptionStoreView` where it is all of one subscription
    /// group, `StoreView` otherwise; before iOS 17 a plain list. It has no design of its own. The ``TenureModel`` is the
    /// environment's.
    ///
    /// ```swift
    /// TenureStoreView(otherwise: ["plus.monthly", "plus.yearly"]) { productId, result in … } absent: { absence in … }
    /// ```
    ///
    /// A purchase in it goes the way of ``TenureModel/purchase(_:offer:anyway:)``, but for one thing: Apple's views let nobody
    /// refuse, so that what the customer would get nothing for is not held back by the question before buying. The wall does not
    /// name what the customer has (WALL-2).
    public struct TenureStoreView<Absent: View>: View {
        /// What a purchase came to; its product, and `TenureProblem` where it failed.
        public typealias Ended = @MainActor (_ productId: String, Result<PurchaseOutcome, TenureProblem>) -> Void

        @EnvironmentObject private var model: TenureModel
        @State private var state = StoreState.asking
        private let ids: [String]
        private let ended: Ended
        private let absent: (StoreAbsence) -> Absent

        /// - Parameters:
        ///   - ids: what to sell where the server does not answer, or has no wall, in order.
        ///   - ended: told what each purchase came to.
        ///   - absent: what to show where there is nothing to sell, or not yet.
        public init(
            otherwise ids: [String] = [], ended: @escaping Ended = { _, _ in },
            @ViewBuilder absent: @escaping (StoreAbsence) -> Absent
        ) {
            (self.ids, self.ended, self.absent) = (ids, ended, absent)
        }

        /// Apple's view, or what the app shows in its place.
        public var body: some View {
            // A stack, and no group: a group would begin the task anew with each of its views.
            VStack {
                switch state {
                case .selling(let shelf):
                    if #available(iOS 17, macOS 14, tvOS 17, watchOS 10, *) {
                        AppleStore(shelf: shelf).tenurePurchases(ended)
                    } else {
                        PlainStore(shelf: shelf, ended: ended) { state = .withoutProducts(shelf) }
                    }
                case .absent(let absence): absent(absence)
                }
            }
            .task(id: StoreOccasion(model.access)) { state = await model.store(otherwise: ids) }
        }
    }

    /// Products with their prices, each a button: for systems that have no store view.
    private struct PlainStore: View {
        @EnvironmentObject private var model: TenureModel
        @State private var products: [StoreProduct] = []
        @State private var isBuying = false
        let shelf: StoreShelf
        let ended: TenureStoreView<EmptyView>.Ended
        /// The store has none of the products, or failed.
        let failed: @MainActor () -> Void

        var body: some View {
            VStack {
                ForEach(products, id: \.id) { product in
                    Button {
                        buy(product.id)
                    } label: {
                        HStack {
                            Text(product.displayName)
                            Spacer()
                            Text(product.displayPrice)
                        }
                    }
                    .disabled(isBuying)
                }
                if let links = shelf.links {
                    Link("Privacy Policy", destination: links.privacyPolicy)
                    Link("Terms of Use", destination: links.terms)
                }
            }
            .task(id: shelf) {
                do {
                    products = try await model.tenure.products(shelf.productIds)
                } catch {
                    failed()
                }
            }
        }

        private func buy(_ productId: String) {
            isBuying = true
            Task {
                ended(productId, await StoreFailure.caught { try await model.purchase(productId) })
                isBuying = false
            }
        }
    }
#endif
