#if canImport(StoreKit)
    import Foundation
    public import StoreKit
    public import TenureClient

    /// Purchases that Apple's own views make.
    extension TenureModel {
        /// With which options Apple's view must buy a product to be the customer's purchase: `View.inAppPurchaseOptions(_:)`.
        public func purchaseOptions(for productId: String) async -> Set<Product.PurchaseOption> {
            let begun = await tenure.beginPurchase(productId)
            return begun.appAccountToken.map { [.appAccountToken($0)] } ?? []
        }

        /// A customer chose a product in Apple's view: `View.onInAppPurchaseStart(perform:)`.
        public func purchaseBegins(_ productId: String) async { _ = await tenure.beginPurchase(productId) }

        /// What Apple's view came to: `View.onInAppPurchaseCompletion(perform:)`. What was bought is uploaded, and finished once
        /// the server has it; the model has the access when it returns.
        ///
        /// - Throws: as `Tenure.endPurchase(_:_:)`.
        public func purchaseEnded(
            _ productId: String, _ result: Result<Product.PurchaseResult, any Error>
        ) async throws -> PurchaseOutcome {
            promoted.removeAll { $0.productId == productId }
            let bought: Result<StorePurchase, any Error>
            switch result {
            case .success(let said): bought = .success(await StoreKitStore.purchase(said))
            case .failure(StoreKitError.userCancelled): bought = .success(.cancelled)
            case .failure(let error): bought = .failure(error)
            }
            let outcome = try await tenure.endPurchase(productId, bought)
            access = await tenure.current()
            return outcome
        }

        /// What to sell to the customer now: what the server's wall says, for this storefront and this version of the app.
        ///
        /// - Parameter ids: what to sell where the server does not answer, or has no wall; empty: nothing then.
        /// - Throws: `TenureProblem` where there is neither an answer nor an id.
        public func shelf(otherwise ids: [String] = []) async throws -> StoreShelf {
            do {
                let version = Bundle.main.infoDictionary?["CFBundleShortVersionString"] as? String
                return StoreShelf(
                    try await tenure.wall(storefront: await Storefront.current?.countryCode, appVersion: version))
            } catch {
                guard !ids.isEmpty else { throw error }
                return StoreShelf(productIds: ids)
            }
        }

        /// The same for a view, which has to show something whatever happens.
        func store(otherwise ids: [String]) async -> StoreState {
            do {
                return StoreState(try await shelf(otherwise: ids))
            } catch {
                return .absent(StoreAbsence(reason: .notAnswered, manageLink: nil))
            }
        }
    }
#endif
