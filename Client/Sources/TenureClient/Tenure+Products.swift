import Foundation

/// What the store sells, and what was chosen there (DEV-5).
extension Tenure {
    /// The products that the store has of these, in the order of `ids`. Those that it does not have are reported by
    /// ``problems()``.
    ///
    /// - Throws: ``TenureProblem``: `noProducts` where it has none of them, with the usual causes in its words; `storeFailed`.
    public func products(_ ids: [String]) async throws -> [StoreProduct] {
        guard !ids.isEmpty else { return [] }
        let found: [StoreProduct]
        do {
            found = try await configuration.store.products(ids)
        } catch {
            throw TenureProblem(.storeFailed, error)
        }
        let byId = Dictionary(found.map { ($0.id, $0) }) { first, _ in first }
        guard !byId.isEmpty else { throw TenureProblem.noProducts(ids) }
        let missing = ids.filter { byId[$0] == nil }
        if !missing.isEmpty { report(TenureProblem.noProducts(missing)) }
        return ids.compactMap { byId[$0] }
    }

    /// The app is ready to take up purchases that were begun in the App Store: those of the last day that it has not taken up,
    /// and those to come. One is taken up by buying its product, or by ``dismissPromoted(_:)``; until then it comes again at the
    /// next launch.
    public func promoted() -> AsyncStream<PromotedPurchase> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: PromotedPurchase.self, bufferingPolicy: .bufferingNewest(PromotedPurchase.most))
        let id = UUID()
        promotedListeners[id] = continuation
        continuation.onTermination = { [weak self] _ in
            Task { [weak self] in await self?.forget(id) }
        }
        for purchase in promotedOnes.live(at: configuration.clock.read().wall) { continuation.yield(purchase) }
        return stream
    }

    /// The app will not offer a promoted purchase, such as since the customer has the product.
    public func dismissPromoted(_ productId: String) {
        guard promotedOnes.remove(productId) else { return }
        keepPromoted()
    }

    /// The store says that somebody chose a product there.
    func promote(_ productId: String) {
        let now = configuration.clock.read().wall
        let purchase = PromotedPurchase(productId: productId, askedAt: now)
        promotedOnes.insert(purchase, at: now)
        keepPromoted()
        for listener in promotedListeners.values { listener.yield(purchase) }
    }

    private func keepPromoted() {
        do {
            try configuration.keep.keep(promotedOnes, as: Kept.promoted)
        } catch {
            report(TenureProblem(.notKept, error))
        }
    }
}
