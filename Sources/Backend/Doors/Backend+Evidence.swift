package import Ledger
package import Primitives
import Storage

/// What a subscription rests on, and which claims on subscriptions wait.
extension Backend {
    /// The facts of a subscription with what proves them.
    package struct FactsReport: Sendable {
        /// By `signedDate`; at most ``Backend/longestFacts``.
        package let facts: [Item]
        /// Each document once.
        package let evidence: [Document]

        package struct Item: Sendable, Hashable {
            package let fact: Fact
            package let receivedAt: Timestamp
            /// Its place in ``FactsReport/evidence``; nil for a question that Apple did not answer.
            package let evidence: Int?
        }

        package struct Document: Sendable, Hashable {
            /// Stable, such as `compactJWS`.
            package let form: String
            /// A JWS as it came, anything else in base64.
            package let content: String

            fileprivate init(_ evidence: Evidence) {
                form = evidence.form.rawValue
                content =
                    evidence.form == .compactJWS
                    ? String(decoding: evidence.bytes, as: UTF8.self) : StrictBase64.encodePadded(evidence.bytes)
            }
        }
    }

    /// How many facts one report shows at the most.
    package static let longestFacts = 1000

    /// - Throws: `BackendError.unknownSubscription`.
    package func facts(of key: SubscriptionKey) async throws -> FactsReport {
        try settings(of: key.app).checkTakes(key.environment)
        let stored = try await translatingStorageErrors { try await store.facts(of: key, limit: Self.longestFacts) }
        guard !stored.isEmpty else { throw BackendError.unknownSubscription }
        var places: [Evidence: Int] = [:]
        var documents: [FactsReport.Document] = []
        let facts = stored.map { kept in
            let place = kept.evidence.map { evidence in
                if let known = places[evidence] { return known }
                places[evidence] = documents.count
                documents.append(FactsReport.Document(evidence))
                return documents.count - 1
            }
            return FactsReport.Item(fact: kept.fact, receivedAt: kept.receivedAt, evidence: place)
        }
        return FactsReport(facts: facts, evidence: documents)
    }

    // MARK: What waits

    /// A claim that waits, and whom its subscription serves meanwhile.
    package struct WaitingClaim: Sendable, Hashable {
        package let key: SubscriptionKey
        package let owner: CustomerID?
        package let weighed: Ledger.SubscriptionState.WeighedClaim
    }

    /// A page of the claims that wait, by subscription.
    package struct WaitingPage: Sendable {
        package let claims: [WaitingClaim]
        /// The last subscription that was looked at; nil where there are no more.
        package let last: OriginalTransactionID?
    }

    /// The claims that wait for a decision or for news from Apple (OWN-9), of so many subscriptions after one.
    package func waitingClaims(
        app id: AppID, environment: Environment, after last: OriginalTransactionID?, limit: Int
    ) async throws -> WaitingPage {
        try settings(of: id).checkTakes(environment)
        let now = clock.now()
        let page = try await translatingStorageErrors {
            try await store.subscriptionsThatWait(
                in: Scope(app: id, environment: environment), after: last, limit: limit)
        }
        let claims = page.map(\.state).flatMap { state in
            state.claims.filter { $0.waitsFor != nil }.map {
                WaitingClaim(key: state.key, owner: state.owner(at: now), weighed: $0)
            }
        }
        return WaitingPage(
            claims: claims, last: page.count < limit ? nil : page.last?.history.key.originalTransactionId)
    }

    // MARK: Time line

    /// One change of what a customer may use, or one thing that was said about them.
    package enum TimelineEntry: Sendable {
        case ofSubscription(AuditRow)
        case ofCustomer(CustomerAuditRow)

        package var effectiveAt: Timestamp {
            switch self {
            case .ofSubscription(let row): row.effectiveAt
            case .ofCustomer(let row): row.effectiveAt
            }
        }
    }

    /// What changed the customer's access, the latest first; at most ``longestAudit`` (AUDIT-1).
    package func timeline(
        of customer: CustomerID, app id: AppID, environment: Environment
    ) async throws -> [TimelineEntry] {
        try settings(of: id).checkTakes(environment)
        let key = CustomerKey(Scope(app: id, environment: environment), try Self.checked(customer))
        return try await translatingStorageErrors {
            var entries = try await store.auditRows(of: key, after: 0, limit: Self.longestAudit).map {
                TimelineEntry.ofCustomer($0.row)
            }
            for subscription in try await store.subscriptions(naming: key.name) where subscription.scope == key.scope {
                entries += try await store.auditRows(of: subscription, after: 0, limit: Self.longestAudit)
                    .filter { $0.row.customer == customer }.map { .ofSubscription($0.row) }
            }
            return Array(entries.sorted { $0.effectiveAt > $1.effectiveAt }.prefix(Self.longestAudit))
        }
    }
}
