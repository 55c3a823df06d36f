package import Ledger
package import Primitives
import Storage

/// Everything that is kept of one customer (I45): for them to read, or to take elsewhere.
extension Backend {
    /// Of one environment.
    package struct CustomerExport: Sendable {
        package let environment: Environment
        package let report: CustomerReport
        /// The latest first.
        package let timeline: [TimelineEntry]
        /// What Apple signed of each subscription while it was theirs; by subscription. What is of others is left out.
        package let purchases: [(subscription: OriginalTransactionID, facts: FactsReport)]
        package let offers: OfferHistory
    }

    /// In the order of the environments; those in which nothing is kept of the customer are left out.
    ///
    /// - Throws: `CustomerRefusal.unknownCustomer` where nothing is kept in any.
    package func export(of customer: CustomerID, app id: AppID) async throws -> [CustomerExport] {
        let app = try settings(of: id)
        var exports: [CustomerExport] = []
        for environment in app.environments {
            let report = try await self.customer(customer, app: id, environment: environment, at: nil)
            let offers = try await offerHistory(of: customer, app: id, environment: environment)
            guard !report.states.isEmpty || !report.account.inputs.isEmpty || !offers.issued.isEmpty || report.isAnonymous
            else { continue }
            var purchases: [(OriginalTransactionID, FactsReport)] = []
            for state in report.states {
                let facts = try await translatingStorageErrors {
                    try await store.facts(of: state.key, limit: StoredContents.limit)
                }
                let own = facts.filter { state.isOf(Set(report.person.customers), $0.fact) }
                if !own.isEmpty { purchases.append((state.key.originalTransactionId, FactsReport(own))) }
            }
            exports.append(
                CustomerExport(
                    environment: environment, report: report,
                    timeline: try await timeline(
                        of: customer, app: id, environment: environment, limit: StoredContents.limit),
                    purchases: purchases, offers: offers))
        }
        guard !exports.isEmpty else { throw CustomerRefusal.unknownCustomer(customer.rawValue) }
        return exports
    }
}

extension Ledger.SubscriptionState {
    /// Whether Apple said it while one of these owned the subscription: of a transaction, at its purchase.
    fileprivate func isOf(_ customers: Set<CustomerID>, _ fact: Fact) -> Bool {
        let instant: Timestamp = if case .transaction(let line) = fact { line.purchaseDate } else { fact.signedDate }
        return owner(at: instant).map(customers.contains) ?? false
    }
}
