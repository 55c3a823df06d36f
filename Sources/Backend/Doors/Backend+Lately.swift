package import Ledger
package import Primitives
import Storage

/// What an overview shows: what came last, and counts that are bounded.
extension Backend {
    /// How many subscriptions give access now; looked at up to ``Backend/mostCounted``.
    package struct SubscriptionCount: Sendable, Hashable {
        package let active: Int
        /// Those of them whose last period is a free trial.
        package let trials: Int
        /// Whether there are more than were looked at, so that both are at least so many.
        package let isMore: Bool
    }

    /// So many subscriptions are looked at for one count.
    package static let mostCounted = 1000

    /// - Throws: `BackendError`.
    package func countSubscriptions(app id: AppID, environment: Environment) async throws -> SubscriptionCount {
        let (start, limit, now) = (ChangePosition.start, Self.mostCounted, clock.now())
        let listed = try await changedSubscriptions(app: id, environment: environment, after: start, limit: limit)
        let active = listed.items.filter { item in
            guard let service = item.service else { return false }
            return service.until.map { $0 > now } ?? true
        }.map(\.originalTransactionId)
        guard !active.isEmpty else { return SubscriptionCount(active: 0, trials: 0, isMore: listed.hasMore) }
        let periods = try await changedPeriods(app: id, environment: environment, after: start, limit: limit).items
        let onTrial = periods.filter { $0.transactions.last?.details.offerDiscountType == "FREE_TRIAL" }
        return SubscriptionCount(
            active: active.count, trials: Set(active).intersection(onTrial.map(\.originalTransactionId)).count,
            isMore: listed.hasMore)
    }

    /// An event, and whom it is about.
    package struct LatestEvent: Sendable, Hashable {
        /// Such as `subscription.renewed`.
        package let type: String
        /// When it took effect.
        package let timestamp: Timestamp
        /// When it was told, on the server's clock.
        package let toldAt: Timestamp
        /// Nil where it is about none.
        package let subscription: OriginalTransactionID?
        /// Nil where it is about a subscription or an endpoint.
        package let customer: CustomerID?

        init(_ event: LoggedEvent) throws {
            let envelope = try EventEnvelope(event)
            (type, timestamp, toldAt) = (envelope.type, envelope.timestamp, event.toldAt)
            var (subscription, customer): (OriginalTransactionID?, CustomerID?)
            switch event.subject {
            case .subscription(let key): subscription = key.originalTransactionId
            case .customer(let key): customer = key.customer
            case .endpoint: break
            }
            (self.subscription, self.customer) = (subscription, customer)
        }
    }

    /// The last events of an app's environment, the last one first; at most `limit`.
    ///
    /// - Throws: `BackendError`.
    package func latestEvents(app id: AppID, environment: Environment, limit: Int) async throws -> [LatestEvent] {
        try settings(of: id).checkTakes(environment)
        return try await translatingStorageErrors {
            try await store.newestEvents(of: Scope(app: id, environment: environment), limit: limit).map { try LatestEvent($0) }
        }
    }

    /// How many bytes the database has, of all apps.
    ///
    /// - Throws: `BackendError`.
    package func databaseSize() async throws -> Int64 {
        try await translatingStorageErrors { try await store.databaseSize() }
    }
}
