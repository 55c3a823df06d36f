public import TenureClient

#if canImport(Combine)
    public import Combine
#endif

/// The customer's access for views, on the main actor (DEV-5).
///
/// ```swift
/// @StateObject private var model = TenureModel(tenure)
///
/// var body: some Scene {
///     WindowGroup { ContentView().tenure(model) }
/// }
/// ```
@MainActor
public final class TenureModel {
    /// What the customer may use; nothing of nobody until ``follow()`` was called.
    public internal(set) var access: Access {
        get { state.access }
        set { state.access = newValue }
    }

    /// What was chosen in the App Store, for the app to offer when it is ready; the oldest first.
    public internal(set) var promoted: [PromotedPurchase] {
        get { state.promoted }
        set { state.promoted = newValue }
    }

    private struct State {
        var access: Access = .nothing(of: "")
        var promoted: [PromotedPurchase] = []
    }

    #if canImport(Combine)
        @Published private var state = State()
    #else
        private var state = State()
    #endif

    /// What the model follows.
    public let tenure: Tenure

    /// - Parameter tenure: started by the app, before anything else at launch.
    public init(_ tenure: Tenure) { self.tenure = tenure }

    /// Follows the customer's access until the task is cancelled, or `Tenure.stop()` was called. `View.tenure(_:)` calls it.
    /// Several may follow at once, such as one for each window.
    public func follow() async {
        async let others: Void = followPromoted()
        for await access in await tenure.changes() { self.access = access }
        await others
    }

    private func followPromoted() async {
        for await purchase in await tenure.promoted() {
            promoted = promoted.filter { $0.productId != purchase.productId } + [purchase]
        }
    }

    /// Buys a product, and has the customer's access as it is then when it returns.
    ///
    /// - Throws: as `Tenure.purchase(_:offer:anyway:)`.
    public func purchase(
        _ productId: String, offer offerIdentifier: String? = nil, anyway: Bool = false
    ) async throws -> PurchaseOutcome {
        promoted.removeAll { $0.productId == productId }
        let outcome = try await tenure.purchase(productId, offer: offerIdentifier, anyway: anyway)
        access = await tenure.current()
        return outcome
    }

    /// The app will not offer what was chosen in the App Store.
    public func dismissPromoted(_ productId: String) async {
        promoted.removeAll { $0.productId == productId }
        await tenure.dismissPromoted(productId)
    }

    /// Restores what the customer has, and has it when it returns.
    ///
    /// - Throws: as `Tenure.restore(_:)`.
    public func restore(_ source: Tenure.RestoreSource) async throws {
        access = try await tenure.restore(source)
    }
}

#if canImport(Combine)
    extension TenureModel: ObservableObject {}
#endif
