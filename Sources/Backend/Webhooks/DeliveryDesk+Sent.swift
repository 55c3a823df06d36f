package import Ledger
package import Primitives
package import Storage

/// What was sent to endpoints, and what is to be sent once more.
extension DeliveryDesk {
    /// The attempts of an endpoint, the last one first.
    ///
    /// - Parameters:
    ///   - delivered: only those that were taken, or only those that were not; nil: all.
    ///   - place: where the page before ended.
    /// - Throws: ``WebhookRefusal/unknownEndpoint(_:)``.
    package func attempts(
        of name: EndpointName, delivered: Bool?, after place: AttemptPlace, limit: Int
    ) async throws -> (attempts: [AttemptView], end: AttemptPlace) {
        try await translatingStorageErrors {
            try await checkKnown(name)
            func read(_ which: Bool, before number: Int64) async throws -> [StoredAttempt] {
                guard delivered ?? which == which else { return [] }
                return try await store.webhookAttempts(of: name, delivered: which, before: number, limit: limit)
            }
            let found = try await read(true, before: place.delivered) + read(false, before: place.failed)
            // Of one outcome the later one has the greater number, whatever the clock said.
            let page = found.sorted { ($0.attempt.at, $0.number) > ($1.attempt.at, $1.number) }.prefix(limit)
            var end = place
            for stored in page {
                if stored.attempt.isDelivered {
                    end.delivered = min(end.delivered, stored.number)
                } else {
                    end.failed = min(end.failed, stored.number)
                }
            }
            return (page.map { AttemptView($0.attempt) }, end)
        }
    }

    /// An attempt, and at which endpoint.
    package struct AttemptAtEndpoint: Sendable, Hashable {
        package let endpoint: String
        package let attempt: AttemptView
    }

    /// So many of an endpoint's last attempts are looked at for one customer: no index leads from a subject to them.
    package static let mostLookedAt = 200

    /// The attempts about some subscriptions or customers, the last one first, among the last of each endpoint.
    package func lastAttempts(
        about subscriptions: Set<OriginalTransactionID>, _ customers: Set<CustomerID>, app: AppID, environment: Environment
    ) async throws -> [AttemptAtEndpoint] {
        var found: [AttemptAtEndpoint] = []
        for endpoint in try await endpoints(of: app) where endpoint.environments.contains(environment) {
            let page = try await attempts(
                of: EndpointName(app, endpoint.id), delivered: nil, after: .newest, limit: Self.mostLookedAt)
            for attempt in page.attempts {
                guard let event = attempt.event, event.environment == environment else { continue }
                let isAbout =
                    event.subscription.map(subscriptions.contains) ?? event.customer.map(customers.contains) ?? false
                if isAbout { found.append(AttemptAtEndpoint(endpoint: endpoint.id, attempt: attempt)) }
            }
        }
        return found.sorted { $0.attempt.at > $1.attempt.at }
    }

    /// The parked events of an endpoint, by number; at most `limit` after one.
    ///
    /// - Throws: ``WebhookRefusal/unknownEndpoint(_:)``.
    package func parked(of name: EndpointName, after number: Int64, limit: Int) async throws -> [ParkedView] {
        try await translatingStorageErrors {
            try await checkKnown(name)
            return try await store.parkedEvents(of: name, after: number, limit: limit).map(ParkedView.init)
        }
    }

    /// What is to be sent once more, whatever the receiver said of it before; the ids stay the same.
    package enum ResendOrder: Sendable, Hashable {
        /// Of a subscription or a customer, by its number there.
        case event(subscription: OriginalTransactionID?, customer: CustomerID?, Environment, sequence: Int64)
        /// What was told from an instant on and before another one; nil: now.
        case range(Environment, from: Timestamp, to: Timestamp?)
        case parked
    }

    /// Notes it; it is sent when the endpoint has time, after what is new.
    ///
    /// - Throws: ``WebhookRefusal``; ``AnsweredBefore``.
    package func resend(
        _ orders: [ResendOrder], to name: EndpointName, once: Once<EndpointView> = .unkeyed
    ) async throws -> EndpointView {
        try await translatingStorageErrors {
            let isRaw = try await checkKnown(name).content.format == .raw
            var resends: [DeliveryStanding.Resend] = []
            guard !isRaw || orders == [.parked] else {
                throw WebhookRefusal.invalid(
                    field: "format", reason: "is raw, of which only what is parked can be sent once more")
            }
            for order in orders { resends.append(try await resend(order, name.app)) }
            let all = resends
            return try await change(name, .resentEvents, once: once) { endpoint in
                for resend in all {
                    guard endpoint.standing.resend(resend.upTo(endpoint.standing.parked)) else {
                        throw WebhookRefusal.tooManyResends
                    }
                }
            }
        }
    }

    private func resend(_ order: ResendOrder, _ app: AppID) async throws -> DeliveryStanding.Resend {
        switch order {
        case .parked: return .parked(after: 0, through: .max)
        case .range(let environment, let from, let to):
            let scope = Scope(app: app, environment: environment)
            let after = try await store.logPlace(of: scope, before: from)
            let end = try await store.logEnd(of: scope)
            let through = if let to { try await store.logPlace(of: scope, before: to) } else { end }
            return .range(environment, after: after, through: max(after, through))
        case .event(let subscription, let customer, let environment, let sequence):
            let scope = Scope(app: app, environment: environment)
            let subject: OutboxEntry.Subject
            switch (subscription, customer) {
            case (let id?, nil): subject = .subscription(SubscriptionKey(scope, id))
            case (nil, let customer?): subject = .customer(CustomerKey(scope, customer))
            default: throw WebhookRefusal.invalid(field: "events", reason: "name a subscription or a customer")
            }
            let found = try await store.events(of: subject, from: sequence, limit: 1).first
            guard let found, found.sequence == sequence else {
                throw WebhookRefusal.unknownEvent(subject: subscription?.rawValue ?? customer?.rawValue ?? "", sequence: sequence)
            }
            let envelope = try EventEnvelope(found)
            return .event(
                SentEvent(id: envelope.id, type: envelope.type, subject: SubjectName(subject), sequence: sequence))
        }
    }

    @discardableResult
    private func checkKnown(_ name: EndpointName) async throws -> StoredEndpoint {
        guard let endpoint = try await store.webhookEndpoint(name) else { throw WebhookRefusal.unknownEndpoint(name.id) }
        return endpoint
    }
}

extension DeliveryStanding.Resend {
    /// What is parked later is not meant.
    fileprivate func upTo(_ parked: Int64) -> DeliveryStanding.Resend {
        if case .parked(let after, let through) = self { .parked(after: after, through: min(through, parked)) } else { self }
    }
}
