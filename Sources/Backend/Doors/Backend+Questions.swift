package import Ledger
package import Primitives
import Storage

extension Backend {
    /// What the customer may use at the instant, or now (ENT-1).
    package func entitlements(
        of customer: CustomerID, app id: AppID, environment: Environment, at instant: Timestamp?
    ) async throws -> CustomerAnswer {
        try await entitlements(
            of: customer, app: id, environment: environment, at: instant ?? clock.now(), heard: instant ?? .latestAccepted)
    }

    /// - Parameter heard: what Apple signed later about renewals is not heard.
    func entitlements(
        of customer: CustomerID, app id: AppID, environment: Environment, at instant: Timestamp, heard: Timestamp
    ) async throws -> CustomerAnswer {
        let app = try settings(of: id)
        try checkOpen(environment, to: customer, of: app)
        let scope = Scope(app: id, environment: environment)
        let access = try await translatingStorageErrors { try await store.access(of: customer, in: scope) }
        return try await answer(of: customer, access, AnswerPlace(app: app, scope: scope), at: instant, heard: heard)
    }

    /// - Throws: `BackendError.environmentNotTaken`, `.environmentNotOpen`.
    func checkOpen(_ environment: Environment, to customer: CustomerID, of app: AppSettings) throws {
        try app.checkTakes(environment)
        guard environment == .production || app.sandboxAccess.admits(customer) else {
            throw BackendError.environmentNotOpen(environment, app.sandboxAccess)
        }
    }

    /// What the customer may use, from what the store has of them.
    func answer(
        of customer: CustomerID, _ read: CustomerHoldings, _ place: AnswerPlace, at instant: Timestamp, heard: Timestamp
    ) async throws -> CustomerAnswer {
        let (app, scope) = (place.app, place.scope)
        let access = try await whole(read, of: CustomerKey(scope, customer))
        let map = try await timeline(of: app, newest: access.settings).entitlements
        return CustomerAnswer(
            at: instant, holdings: access.holdings, account: access.account, map: map, heard: heard)
    }

    /// The app and the ledger that are asked.
    struct AnswerPlace: Sendable {
        let app: AppSettings
        let scope: Scope
    }

    /// A subscription as it is known, and why anyone's access from it changed.
    package struct SubscriptionReport: Sendable {
        package let state: Ledger.SubscriptionState
        private let history: SubscriptionHistory
        /// Under which versions of the policy the state was folded.
        private let policies: PolicyTimeline
        private let products: EntitlementMap
        /// What operators and owners decided, in that order.
        package var votes: [OwnershipVote] { history.votes }
        package var reservations: [Reservation] { history.reservations }
        /// From the oldest change on, numbered 1, 2, 3, …; at most ``Backend/longestAudit``. Each hash covers its row and,
        /// through the one before, all before it (AUDIT-2).
        package let audit: [(sequence: Int64, row: AuditRow, hash: [UInt8])]
        /// From the oldest on; at most ``Backend/longestAudit``.
        package let events: [(sequence: Int64, event: LedgerEvent)]
        /// By id.
        package let work: [Work]
        /// Whose it was as it was known from time to time, from the first revision on.
        package let revisions: [Revision]
        private let accountReport: AccountReport
        /// What is shown of the Apple Account that bought it (OWN-14).
        package var account: AppleAccount? { accountReport.account }
        /// Open ones about it and about its Apple Account (ABUSE-1).
        package internal(set) var signals: [ListedSignal] = []

        init(
            of stored: StoredSubscription, _ products: EntitlementMap, audit: [StoredAuditRow], events: [OutboxRow],
            work: [StoredWork], revisions: [OwnerRevision], account: AccountReport
        ) {
            (state, history, policies, self.products) = (stored.state, stored.history, stored.policy, products)
            (self.revisions, accountReport) = (revisions.map(Revision.init), account)
            self.audit = audit.map { ($0.sequence, $0.row, $0.hash) }
            self.events = events.compactMap { row in row.event.map { (row.sequence, $0) } }
            self.work = work.map(Work.init)
        }

        /// Whose it was, as it was known from an instant of ours on.
        package struct Revision: Sendable, Hashable {
            /// 1, 2, 3, … without gaps.
            package let number: Int64
            package let learnedAt: Timestamp
            /// By their beginning.
            package let owners: [Owner]

            package struct Owner: Sendable, Hashable {
                package let from: Timestamp
                package let customer: CustomerID?
                package let rule: String
            }

            init(_ stored: OwnerRevision) {
                (number, learnedAt) = (stored.number, stored.learnedAt)
                owners = stored.owners.map { Owner(from: $0.from, customer: $0.customer, rule: $0.rule) }
            }
        }

        /// What is to be done about it, or was.
        package struct Work: Sendable, Hashable {
            /// Stable, such as `askApple`.
            package let kind: String
            package let dueAt: Timestamp
            /// `waiting`, `leased`, `done` or `failed`.
            package let state: String
            package let attempts: Int64
            /// Why the last attempt failed; nil where none did.
            package let lastError: String?

            init(_ stored: StoredWork) {
                kind = stored.order.kind.rawValue
                dueAt = stored.order.dueAt
                attempts = stored.attempts
                lastError = stored.lastError
                state =
                    switch stored.state {
                    case .waiting: "waiting"
                    case .leased: "leased"
                    case .done: "done"
                    case .failed: "failed"
                    }
            }
        }

        /// Who probably owns it, where nobody is shown to (OWN-14).
        package func proposal(at instant: Timestamp) -> OwnerProposal? { accountReport.proposal(for: state.key, at: instant) }

        /// What an operator can tell a customer about it, for an instant; in English (OWN-15).
        package func explanation(at instant: Timestamp) -> [String] { explanationLines(at: instant).map(Explanation.english) }

        /// The same as values, for other languages.
        package func explanationLines(at instant: Timestamp) -> [ExplanationLine] {
            Explanation(of: history, state, at: instant, policies: policies, products: products).lines
        }
    }

    /// How many audit rows one report shows at the most.
    package static let longestAudit = 1000
    /// How many rows of revisions of owners.
    private static let longestRevisions = 5000

    package func subscription(_ key: SubscriptionKey) async throws -> SubscriptionReport {
        let app = try settings(of: key.app)
        try app.checkTakes(key.environment)
        let products = try chosen.learn(try await settingsVersions(of: app.id), of: app).entitlements
        return try await translatingStorageErrors {
            guard let stored = try await store.subscription(key) else { throw BackendError.unknownSubscription }
            let account = try await account(of: key, stored.state)
            let members = account.account?.subscriptions ?? [key.originalTransactionId]
            var report = SubscriptionReport(
                of: stored, products, audit: try await store.auditRows(of: key, after: 0, limit: Self.longestAudit),
                events: try await store.events(of: key, limit: Self.longestAudit), work: try await store.work(about: key),
                revisions: try await store.ownerRevisions(of: key, limit: Self.longestRevisions),
                account: account)
            report.signals = try await openSignals(
                about: [.subscription(key.originalTransactionId)] + members.map { .appleAccount($0) }, in: key.scope)
            return report
        }
    }

    /// What Apple sent that this version does not understand, from the oldest on (FACT-5); at most 1000.
    package func warnings(app id: AppID, environment: Environment) async throws -> [Warning] {
        try settings(of: id).checkTakes(environment)
        return try await translatingStorageErrors {
            try await store.warnings(in: Scope(app: id, environment: environment), limit: 1000).map {
                Warning(kind: $0.kind.rawValue, value: $0.value, firstSeenAt: $0.firstSeenAt)
            }
        }
    }

    /// Something for operators to look at.
    package struct Warning: Sendable, Hashable {
        /// Stable.
        package let kind: String
        package let value: String
        package let firstSeenAt: Timestamp
    }
}
