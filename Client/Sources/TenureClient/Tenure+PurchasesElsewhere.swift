public import Foundation

/// A purchase that is about to be made by something else than ``Tenure/purchase(_:offer:anyway:)``.
public struct BegunPurchase: Sendable, Hashable {
    /// Whose purchase it is.
    public let customer: String
    /// The product that is bought.
    public let productId: String
    /// What the purchase must bear to be the customer's (OWN-4): StoreKit's option `appAccountToken`. Nil where the server has
    /// never said it to this device.
    public let appAccountToken: UUID?
    /// What the server says to the purchase (OWN-18); nil where it did not answer.
    public let forecast: PurchaseForecast?
    /// The name of the intent that was kept; nil where it could not be written.
    var intent: String?
}

/// Purchases that something else asks the store for: Apple's own views, or code of the app's own. What comes before and after is
/// that of ``Tenure/purchase(_:offer:anyway:)``.
extension Tenure {
    /// The customer is about to buy: to be called before the store is asked.
    ///
    /// The server is asked what the purchase would come to, and that it was begun is kept, so that it comes back as this
    /// customer's whatever becomes of the process. Nothing is refused here: Apple's views let nobody refuse. Calling it again for
    /// a purchase that nothing has come of begins no second one.
    ///
    /// - Returns: with what the purchase must be made. Where the intent could not be kept, ``problems()`` has it, and the token
    ///   alone says whose purchase it is.
    public func beginPurchase(_ productId: String) async -> BegunPurchase {
        while let beginning = beginningElsewhere[productId] { _ = await beginning.value }
        let customer = identity.customer
        if let begun = begunElsewhere[productId], begun.customer == customer, isOpen(begun) { return begun }
        let task = Task { await self.beginElsewhere(productId) }
        beginningElsewhere[productId] = task
        return await task.value
    }

    private func beginElsewhere(_ productId: String) async -> BegunPurchase {
        let customer = identity.customer
        let forecast = await heardForecast(of: productId)
        var begun = BegunPurchase(
            customer: customer, productId: productId, appAccountToken: token(of: customer, forecast), forecast: forecast)
        do {
            try keepIntent(of: &begun)
        } catch {
            report(TenureProblem(.notKept, error))
        }
        (begunElsewhere[productId], beginningElsewhere[productId]) = (begun, nil)
        return begun
    }

    /// Whether nothing has come of it yet.
    private func isOpen(_ begun: BegunPurchase) -> Bool {
        guard let name = begun.intent else { return false }
        do {
            return try intents.contains(name)
        } catch {
            report(TenureProblem(.notKept, error))
            return false
        }
    }

    /// The store has answered to a purchase that was begun by ``beginPurchase(_:)``: what it sold is uploaded, and finished once
    /// the server has it.
    ///
    /// - Parameters:
    ///   - productId: the product that was begun.
    ///   - result: what the store answered; its failure where it failed.
    /// - Throws: ``TenureProblem``: `storeFailed`. It may have been bought all the same, and is the customer's then.
    public func endPurchase(
        _ productId: String, _ result: Result<StorePurchase, any Error>
    ) async throws -> PurchaseOutcome {
        let begun = begunElsewhere.removeValue(forKey: productId)
        switch result {
        case .success(let bought): return await outcome(of: bought, begun)
        case .failure(let error): throw TenureProblem(.storeFailed, error)
        }
    }
}
