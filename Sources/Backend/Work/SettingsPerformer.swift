import Ledger
package import Primitives
package import Storage

/// Works a new version of the policy through all subscriptions of an app in one environment (OWN-17): page by page, reading and
/// folding outside any transaction, and writing only where something differs. Each transaction moves the cursor on and prolongs
/// the lease, so that a server that is killed loses no more than one of them, and another goes on where it was.
package struct SettingsPerformer: WorkPerformer {
    private let backend: Backend
    private let report: @Sendable (Scope, SettingsProgress, _ isDone: Bool) -> Void

    /// How many are read at once.
    private static let page = 500
    /// How many are written in one transaction: so long others wait who write.
    private static let mostWritten = 25
    /// After so many pages it gives its place back, for this server or another one to go on.
    private static let pages = 10
    private static let lease = Milliseconds.seconds(60)

    /// - Parameter report: told after each page how far it is.
    package init(
        backend: Backend, report: @escaping @Sendable (Scope, SettingsProgress, _ isDone: Bool) -> Void = { _, _, _ in }
    ) {
        self.backend = backend
        self.report = report
    }

    package var kind: WorkKind { .applySettings }

    package func perform(_ work: LeasedWork, at now: Timestamp) async throws -> WorkOutcome {
        let scope = work.order.scope
        guard let app = backend.apps[scope.app] else { return .abandon(because: "the app is not configured") }
        var progress = try SettingsProgress(json: work.order.body)
        guard let timeline = try SettingsTimeline(await backend.store.settings(of: app.id)) else {
            return .abandon(because: "no version is stored")
        }
        let application = Application(app, work, timeline)
        for _ in 0..<Self.pages {
            try Task.checkCancellation()
            let page = try await backend.store.subscriptions(
                in: scope, after: progress.after.map { OriginalTransactionID($0) }, limit: Self.page)
            if page.isEmpty {
                report(scope, progress, true)
                // Claims may come to something else now, and so may what they show (ABUSE-1).
                let review =
                    timeline.policies.versions.count > 1
                    ? [WorkOrder(.everything, in: scope, at: now.adding(SignalReview.pause))] : []
                let (last, instant) = (progress, backend.clock.now())
                return .done(
                    keeping: WorkResult { _, transaction in
                        if !review.isEmpty { try transaction.order(review) }
                        try Self.note(last, of: scope, endedAt: instant, in: transaction)
                    })
            }
            guard try await apply(application, to: page, &progress) else { return .goesOn }
            report(scope, progress, false)
        }
        return .goesOn
    }

    package func giveUp(
        _ work: LeasedWork, because reason: String, at now: Timestamp, in transaction: any StoreTransaction
    ) throws {
        let version = try SettingsProgress(json: work.order.body).version
        try transaction.fail(.application(of: version, work.order.scope.app), because: reason, at: now)
    }

    private struct Application: Sendable {
        let app: AppSettings
        let work: LeasedWork
        let timeline: SettingsTimeline
        /// Products gave something else once: whoever has any may use something else now, also where nothing is decided anew.
        /// Which of several versions was worked through is not kept, so everybody is looked at.
        let looksAtHolders: Bool

        init(_ app: AppSettings, _ work: LeasedWork, _ timeline: SettingsTimeline) {
            (self.app, self.work, self.timeline) = (app, work, timeline)
            looksAtHolders = Set(timeline.versions.map(\.content.products)).count > 1
        }
    }

    /// What one transaction does.
    private struct Step: Sendable {
        /// Of which the versions make something else.
        var differing: [SubscriptionKey] = []
        /// Whose use of something may be another one, and by which subscription.
        var holders: [CustomerKey: OriginalTransactionID] = [:]
        /// How far it is then.
        var progress: SettingsProgress
    }

    /// False where a newer version came meanwhile.
    private func apply(
        _ application: Application, to page: [StoredSubscription], _ progress: inout SettingsProgress
    ) async throws -> Bool {
        var step = Step(progress: progress)
        for (index, stored) in page.enumerated() {
            let key = stored.history.key
            step.progress.looked += 1
            step.progress.after = key.originalTransactionId.rawValue
            if Self.differs(stored, under: application.timeline.policies) { step.differing.append(key) }
            if application.looksAtHolders {
                for customer in stored.state.customers {
                    step.holders[CustomerKey(key.scope, customer)] = key.originalTransactionId
                }
            }
            let isLast = index == page.count - 1
            guard isLast || step.differing.count == Self.mostWritten else { continue }
            let (taken, now) = (step, backend.clock.now())
            let written = try await backend.store.write { write in
                try Self.write(taken, application, at: now, in: write)
            }
            guard let written else { return false }
            progress = written
            step = Step(progress: written)
        }
        return true
    }

    /// Whether the versions make anything else of it than what is kept.
    private static func differs(_ stored: StoredSubscription, under policies: PolicyTimeline) -> Bool {
        guard stored.policy != policies else { return false }
        return !SubscriptionState(folding: stored.history, under: policies).saysTheSame(as: stored.state)
    }

    /// Nil where they do not.
    private static func decision(on stored: StoredSubscription, _ policies: PolicyTimeline, at now: Timestamp) -> Decision? {
        guard stored.policy != policies else { return nil }
        let decision = Decision(applying: policies, history: stored.history, state: stored.state, learnedAt: now)
        return decision.changesHistory ? decision : nil
    }

    /// Decides again on what is locked now, and moves the cursor; nil where a newer version came meanwhile.
    private static func write(
        _ step: Step, _ application: Application, at now: Timestamp, in transaction: any DecidingTransaction & JobTransaction
    ) throws -> SettingsProgress? {
        var (progress, holders) = (step.progress, step.holders)
        var orders: [WorkOrder] = []
        if !step.differing.isEmpty {
            let locked = try transaction.lock(step.differing, tokens: [])
            guard locked.settings[application.app.id] == application.timeline.newest.number else { return nil }
            let policies = application.timeline.policies
            var savings: [Saving] = []
            for key in step.differing {
                guard let stored = locked.subscriptions[key], let decision = decision(on: stored, policies, at: now) else {
                    continue
                }
                savings.append(try Saving(stored: stored, decisions: [decision], policy: policies, learnedAt: now))
                for customer in decision.changedHolders {
                    holders[CustomerKey(key.scope, customer)] = key.originalTransactionId
                }
            }
            progress.changed += Int64(savings.count)
            if !savings.isEmpty { try transaction.save(savings) }
            var request = IngestRequest(app: application.app, learnedAt: now)
            request.decided = savings.filter(\.isContinued).map(\.key)
            if !request.decided.isEmpty { _ = try Ingest.apply([request], in: transaction) }
        }
        orders += try holders.sorted { $0.key < $1.key }.map { customer, subscription in
            try WorkOrder(telling: customer, because: subscription.rawValue, at: now)
        }
        if !orders.isEmpty { try transaction.order(orders) }
        try transaction.note(progress.json, on: application.work, until: now.adding(lease))
        try note(progress, of: application.work.order.scope, endedAt: nil, in: transaction)
        return progress
    }

    /// Keeps in the version's job how far one ledger is.
    ///
    /// - Parameter instant: when it came to its end; nil where it goes on.
    private static func note(
        _ progress: SettingsProgress, of scope: Scope, endedAt instant: Timestamp?, in transaction: any JobTransaction
    ) throws {
        // None where an older version of Tenure ordered the work.
        guard var job = try transaction.lockJob(.application(of: progress.version, scope.app)), job.state == .running else {
            return
        }
        var whole = try ApplicationProgress(json: job.progress)
        whole.ledgers[scope.environment.rawValue] = .init(
            looked: progress.looked, changed: progress.changed, isDone: instant != nil)
        job.progress = try whole.json
        if let instant, whole.isDone { job.end(.done, at: instant) }
        try transaction.save(job)
    }
}
