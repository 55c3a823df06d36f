package import Ledger

/// What erasing customers needs of a transaction (I45). The settings of the app must be locked, so that nobody writes what names
/// the customer beside it.
package protocol ErasingTransaction {
    /// Puts pseudonyms in the place of a person's own ids wherever these stand, and forgets what the app's backend said of them
    /// by names. What is hash-chained names customers by their numbers and stays as it is.
    ///
    /// - Parameters:
    ///   - customers: all ids of the person.
    ///   - subscriptions: that may name one of them.
    /// - Returns: those of which anything is kept.
    func erase(_ customers: [CustomerName], from subscriptions: [SubscriptionKey]) throws -> [Pseudonym]
}
