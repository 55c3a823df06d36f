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
        /// Instant for which the report explains the subscription.
        package let at: Timestamp
        private let history: SubscriptionHistory
        /// Under which versions of the policy the state was folded.
        private let policies: PolicyTimeline
        private let products: EntitlementMap
        /// The holdings, votes and licences of its owner at the instant; nil where it had no owner then.
        private let owner: OwnerAccess?
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

        init(of read: SubscriptionRead, at instant: Timestamp) {
            (state, history, policies) = (read.stored.state, read.stored.history, read.stored.policy)
            (at, products, owner) = (instant, read.products, read.owner)
            (revisions, accountReport) = (read.revisions.map(Revision.init), read.account)
            audit = read.audit.map { ($0.sequence, $0.row, $0.hash) }
            events = read.events.compactMap { row in row.event.map { (row.sequence, $0) } }
            work = read.work.map(Work.init)
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

        /// Explanation in English for operators who answer a customer (OWN-15).
        package var explanation: [String] { explanationLines.map(Explanation.english) }

        /// Explanation as values, for every language.
        package var explanationLines: [ExplanationLine] {
            Explanation(
                of: history, state, at: at, knowing: .init(policies: policies, products: products, owner: owner)
            ).lines
        }
    }

    /// Everything that a report of a subscription is made of.
    struct SubscriptionRead {
        let stored: StoredSubscription
        let products: EntitlementMap
        let owner: OwnerAccess?
        let audit: [StoredAuditRow]
        let events: [OutboxRow]
        let work: [StoredWork]
        let revisions: [OwnerRevision]
        let account: AccountReport
    }

    /// How many audit rows one report shows at the most.
    package static let longestAudit = 1000
    /// How many rows of revisions of owners.
    private static let longestRevisions = 5000

    /// A subscription with what is explained of it for an instant; nil: now.
    ///
    /// - Throws: `BackendError.unknownApp`, `.environmentNotTaken`, `.unknownSubscription`.
    package func subscription(_ key: SubscriptionKey, at instant: Timestamp? = nil) async throws -> SubscriptionReport {
        let app = try settings(of: key.app)
        try app.checkTakes(key.environment)
        let instant = instant ?? clock.now()
        let timeline = try chosen.learn(try await settingsVersions(of: app.id), of: app)
        return try await translatingStorageErrors {
            guard let stored = try await store.subscription(key) else { throw BackendError.unknownSubscription }
            let account = try await account(of: key, stored.state)
            let members = account.account?.subscriptions ?? [key.originalTransactionId]
            let read = SubscriptionRead(
                stored: stored, products: timeline.entitlements,
                owner: try await ownerAccess(of: stored.state, timeline.offerings, at: instant),
                audit: try await store.auditRows(of: key, after: 0, limit: Self.longestAudit),
                events: try await store.events(of: key, limit: Self.longestAudit), work: try await store.work(about: key),
                revisions: try await store.ownerRevisions(of: key, limit: Self.longestRevisions),
                account: account)
            var report = SubscriptionReport(of: read, at: instant)
            report.signals = try await openSignals(
                about: [.subscription(key.originalTransactionId)] + members.map { .appleAccount($0) }, in: key.scope)
            return report
        }
    }

    /// The holdings, votes and licences of the subscription's owner at the instant; nil where it had no owner then. Licences are
    /// read only where the app releases features under them.
    private func ownerAccess(
        of state: Ledger.SubscriptionState, _ offerings: AppOfferings, at instant: Timestamp
    ) async throws -> OwnerAccess? {
        guard let owner = state.owner(at: instant) else { return nil }
        let key = CustomerKey(state.key.scope, owner)
        let read = try await whole(try await store.access(of: owner, in: key.scope), of: key)
        var access = OwnerAccess(of: owner, holdings: read.holdings, account: read.account)
        guard !offerings.features.features.isEmpty else { return access }
        let known = try await person(of: key)
        access.licences = CustomerLicences(
            of: known.person, states: try await states(of: known), policy: offerings.licences)
        return access
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
