import Ledger
package import Primitives
package import Storage

/// Tells what time has brought (`DueWork.tell`): the end of a period, of grace, of access, as events.
package struct TellingPerformer: WorkPerformer {
    private let backend: Backend

    package init(backend: Backend) { self.backend = backend }

    package var kind: WorkKind { .tell }

    package func perform(_ work: LeasedWork, at now: Timestamp) async throws -> WorkOutcome {
        let key = SubscriptionKey(
            app: work.order.scope.app, environment: work.order.scope.environment,
            originalTransactionId: OriginalTransactionID(work.order.subject))
        // An app that is no longer configured sends no events; its ledger stays.
        guard backend.apps[key.app] != nil else { return .abandon(because: "the app is not configured") }
        return .done(
            keeping: WorkResult(of: [key]) { locked, write in
                guard let stored = locked.subscriptions[key] else { return }
                // A clock that has gone back since must not make us end what was not told.
                let decision = Decision(tellingAt: max(now, work.order.dueAt), history: stored.history, state: stored.state)
                guard decision.changesHistory else { return }
                try write.save([
                    try Saving(stored: stored, decisions: [decision], policy: stored.policy, learnedAt: now)
                ])
            })
    }
}
