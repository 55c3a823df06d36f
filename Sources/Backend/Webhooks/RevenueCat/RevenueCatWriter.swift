import Ledger
import Primitives
import Storage
import Synchronization

/// Writes events as RevenueCat's webhooks, so that an app that moves keeps its receiver (docs/operations/webhooks.md).
///
/// What an event does not bear is read from what is kept, and ``RevenueCatTranslation`` makes the bodies of it. What cannot be
/// read is null: a damaged history must not stop an endpoint.
struct RevenueCatWriter: ParcelWriter {
    /// So many facts of one subscription are read: ten years of months in twenty versions each, and as much again.
    private static let mostFacts = 10_000
    private static let page = 512

    let store: any Store
    private let memory = Memory()

    init(_ store: any Store) { self.store = store }

    func write(_ envelope: EventEnvelope, of event: LoggedEvent) async throws -> [WrittenParcel] {
        let bodies: [RevenueCatBody] =
            switch event.told {
            case .ofSubscription(let told) where RevenueCatTranslation.concerns(told):
                RevenueCatTranslation(told, toldAt: event.toldAt, try await kept(for: told, event)).bodies
            case .ofCustomer(let told, let scope) where RevenueCatGrants.concerns(told):
                RevenueCatGrants(
                    event: told, scope: scope, toldAt: event.toldAt, account: try await account(of: told.customer, in: scope)
                ).bodies
            // What this version cannot read it cannot tell in the words of others.
            case .ofSubscription, .ofCustomer, .ofEndpoint, nil: []
            }
        return bodies.enumerated().map { index, body in
            let id = index == 0 ? envelope.id : "\(envelope.id)_\(index + 1)"
            return WrittenParcel(id: id, body: body.text(id: id))
        }
    }

    // MARK: Reading

    private func kept(
        for told: LedgerEvent, _ event: LoggedEvent
    ) async throws -> RevenueCatTranslation.KeptSubscription {
        var kept = try await subscription(told.subscription, through: event.sequence)
        kept.settings = try await settings(of: told.subscription.app, at: event.toldAt)
        if told.kind == .ownerChanged, told.previousCustomer == nil { kept.lastPurchase = try await lastPurchase(before: event) }
        return kept
    }

    /// Reads it once for all events of a round that had been told by then.
    private func subscription(
        _ key: SubscriptionKey, through sequence: Int64
    ) async throws -> RevenueCatTranslation.KeptSubscription {
        if let known = memory.subscription(key, through: sequence) { return known }
        var kept = RevenueCatTranslation.KeptSubscription()
        // First the number of the last event, then the facts: so those of all events up to it are among them.
        let stored = try await readable { try await store.subscription(key) } ?? nil
        let facts = try await readable { try await store.facts(of: key, limit: Self.mostFacts) } ?? []
        kept.facts = facts.map { ReceivedFact($0.fact, at: $0.receivedAt) }
        kept.history = stored?.history
        // Only a policy can make claims merge customers, and only anonymous ones.
        if let stored, stored.history.claims.contains(where: \.isAnonymous) { kept.merged = stored.state.merged }
        memory.keep(kept, key, through: max(sequence, stored?.ends.events ?? 0))
        return kept
    }

    private func account(of customer: CustomerID, in scope: Scope) async throws -> CustomerAccount? {
        try await readable { try await store.customer(CustomerKey(scope, customer)) }??.account
    }

    /// What the app had chosen by an instant; nil where nothing is kept of it.
    private func settings(of app: AppID, at instant: Timestamp) async throws -> SettingsTimeline? {
        // The first version holds for everything before it.
        let kept = try await store.settings(of: app).filter { $0.number == 1 || $0.appliedAt <= instant }
        return try await readable { try memory.timeline(of: kept) } ?? nil
    }

    /// The event that told of the last purchase before another event.
    private func lastPurchase(before event: LoggedEvent) async throws -> LedgerEvent? {
        var first = event.sequence
        while first > 1 {
            let end = first
            first = max(1, end - Int64(Self.page))
            let told = try await store.events(of: event.subject, from: first, limit: Int(end - first))
            for earlier in told.reversed() {
                if case .ofSubscription(let purchase) = earlier.told, purchase.kind.beginsPurchase { return purchase }
            }
        }
        return nil
    }

    /// Nil where it is damaged.
    private func readable<Value>(_ read: () async throws -> Value) async throws -> Value? {
        do {
            return try await read()
        } catch let error as StorageError where error.code == .corrupt {
            return nil
        }
    }

    /// What one round has read.
    private final class Memory: Sendable {
        private struct Subscription {
            let kept: RevenueCatTranslation.KeptSubscription
            /// Up to which event it has all that was known.
            let through: Int64
        }

        private struct State {
            var subscriptions: [SubscriptionKey: Subscription] = [:]
            var timelines: [[Int64]: SettingsTimeline] = [:]
        }

        private let state = Mutex(State())

        func subscription(
            _ key: SubscriptionKey, through sequence: Int64
        ) -> RevenueCatTranslation.KeptSubscription? {
            state.withLock { $0.subscriptions[key].flatMap { $0.through >= sequence ? $0.kept : nil } }
        }

        func keep(_ kept: RevenueCatTranslation.KeptSubscription, _ key: SubscriptionKey, through sequence: Int64) {
            state.withLock { $0.subscriptions[key] = Subscription(kept: kept, through: sequence) }
        }

        /// The versions never change, so that their numbers name what they come to.
        func timeline(of versions: [SettingsVersion]) throws -> SettingsTimeline? {
            let numbers = versions.map(\.number)
            if let known = state.withLock({ $0.timelines[numbers] }) { return known }
            let timeline = try SettingsTimeline(versions)
            state.withLock { $0.timelines[numbers] = timeline }
            return timeline
        }
    }
}

extension LedgerEvent.Kind {
    /// Whether it tells of a purchase or a renewal.
    fileprivate var beginsPurchase: Bool {
        switch self {
        case .subscriptionStarted, .subscriptionRenewed, .subscriptionRecovered, .subscriptionResubscribed, .subscriptionChanged,
            .purchaseMade:
            true
        default: false
        }
    }
}
