package import Ledger
package import Primitives
import Storage

/// A customer whole.
extension Backend {
    /// Everything that is known of a customer, and what follows from it at one instant.
    package struct CustomerReport: Sendable {
        package let customer: CustomerID
        package let at: Timestamp
        package let isAnonymous: Bool
        /// All ids that they have; sorted (OWN-10).
        package let person: Person
        package let answer: CustomerAnswer
        /// Everything that names them, by id.
        package let states: [Ledger.SubscriptionState]
        /// What was said under all ids.
        package let account: CustomerAccount
        package let licences: LicenceReport
        package let doublePayments: [DoublePayment]
        /// What adds up, by entitlement (ENT-3).
        package let balances: [EntitlementBalance]
        /// With the name of the key with which each was said; nil where none was shown.
        package let tokens: [(registration: TokenRegistration, keyName: String?)]
        /// From the oldest on; at most ``Backend/longestAudit``.
        package let audit: [(sequence: Int64, row: CustomerAuditRow)]
        /// Open ones about any of their ids (ABUSE-1).
        package let signals: [ListedSignal]
    }

    package func customer(
        _ customer: CustomerID, app id: AppID, environment: Environment, at asked: Timestamp?
    ) async throws -> CustomerReport {
        let app = try settings(of: id)
        try app.checkTakes(environment)
        let key = CustomerKey(Scope(app: id, environment: environment), try Self.checked(customer))
        let timeline = try chosen.learn(try await settingsVersions(of: id), of: app)
        let instant = asked ?? clock.now()
        let known = try await person(of: key)
        let states = try await states(of: known)
        let (read, device, tokens, audit) = try await translatingStorageErrors {
            (
                try await store.access(of: customer, in: key.scope), try await store.device(of: key.name),
                try await store.write { try $0.tokens(of: key.name) },
                try await store.auditRows(of: key, after: 0, limit: Self.longestAudit)
            )
        }
        let access = try await whole(read, of: key)
        return CustomerReport(
            customer: customer, at: instant, isAnonymous: device != nil, person: known.person,
            answer: CustomerAnswer(
                at: instant, holdings: access.holdings, account: access.account, map: timeline.entitlements,
                heard: asked ?? .latestAccepted),
            states: states, account: known.account,
            licences: LicenceReport(of: known.person, states: states, timeline.offerings, at: instant),
            doublePayments: DoublePayment.all(of: known.customer, in: states, map: timeline.entitlements, at: instant),
            balances: timeline.entitlements.entitlements.compactMap {
                timeline.entitlements.balance(of: $0, access.holdings, access.account)
            },
            tokens: tokens.map { ($0.registration, $0.keyName) }, audit: audit.map { ($0.sequence, $0.row) },
            signals: try await openSignals(about: known.person.customers.map { .customer($0) }, in: key.scope))
    }

    /// What several customers may use at the instant, or now, in their order (ENT-1).
    package func entitlements(
        of customers: [CustomerID], app id: AppID, environment: Environment, at asked: Timestamp?
    ) async throws -> [CustomerAnswer] {
        let instant = asked ?? clock.now()
        let app = try settings(of: id)
        for customer in customers { try checkOpen(environment, to: try Self.checked(customer), of: app) }
        let place = AnswerPlace(app: app, scope: Scope(app: id, environment: environment))
        let read = try await translatingStorageErrors { try await store.access(of: customers, in: place.scope) }
        var answers: [CustomerAnswer] = []
        for (customer, access) in zip(customers, read) {
            answers.append(
                try await answer(of: customer, access, place, at: instant, heard: asked ?? .latestAccepted))
        }
        return answers
    }

    // MARK: Time line

    /// One change of what a customer may use, or one thing that was said about them.
    package enum TimelineEntry: Sendable {
        case ofSubscription(AuditRow)
        /// The vote, where one is what was said.
        case ofCustomer(CustomerAuditRow, CustomerVote?)

        package var effectiveAt: Timestamp {
            switch self {
            case .ofSubscription(let row): row.effectiveAt
            case .ofCustomer(let row, _): row.effectiveAt
            }
        }
    }

    /// What changed the customer's access, under whatever id, the latest first (AUDIT-1).
    ///
    /// - Parameter limit: how many entries, and of how many rows of each subscription and id.
    package func timeline(
        of customer: CustomerID, app id: AppID, environment: Environment, limit: Int = longestAudit
    ) async throws -> [TimelineEntry] {
        try settings(of: id).checkTakes(environment)
        let key = CustomerKey(Scope(app: id, environment: environment), try Self.checked(customer))
        let known = try await person(of: key)
        let ids = Set(known.person.customers + [customer])
        let votes = Dictionary(known.account.votes.map { ($0.id.rawValue, $0) }) { first, _ in first }
        return try await translatingStorageErrors {
            var entries: [TimelineEntry] = []
            var subscriptions: Set<SubscriptionKey> = []
            for id in ids.sorted() {
                let own = CustomerKey(key.scope, id)
                entries += try await store.auditRows(of: own, after: 0, limit: limit).map { kept in
                    .ofCustomer(kept.row, kept.row.cause.kind == .vote ? votes[kept.row.cause.id] : nil)
                }
                subscriptions.formUnion(try await store.subscriptions(naming: own.name).filter { $0.scope == key.scope })
            }
            for subscription in subscriptions.sorted() {
                entries += try await store.auditRows(of: subscription, after: 0, limit: limit)
                    .filter { ids.contains($0.row.customer) }.map { .ofSubscription($0.row) }
            }
            return Array(entries.sorted { $0.effectiveAt > $1.effectiveAt }.prefix(limit))
        }
    }
}
