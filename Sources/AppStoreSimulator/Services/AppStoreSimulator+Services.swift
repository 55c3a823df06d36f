package import AppStoreModel
package import Primitives

/// How Apple's services behave: limits, keys, what they show late, and the calls that came.
extension AppStoreSimulator {
    // MARK: Behaviour

    /// How everything behaves that is Apple's.
    package struct BehaviourReport: Sendable {
        package let behaviour: ServiceBehaviour
        /// How old purchases and their changes must be to be shown.
        package let transactionLag: Milliseconds
        package let notificationForm: NotificationForm
    }

    package var presentBehaviour: BehaviourReport {
        BehaviourReport(
            behaviour: behaviour, transactionLag: store.showingLag,
            notificationForm: store.notificationForm ?? NotificationForm())
    }

    /// Changes what is given, from now on.
    ///
    /// - Parameter transactionLag: how old purchases and their changes must be to be in statuses and histories, at most 30 days;
    ///   nil: as before. What is shown now stays shown.
    package func setBehaviour(
        transactionLag: Milliseconds? = nil, form: @Sendable (inout NotificationForm) -> Void = { _ in },
        _ change: @Sendable (inout ServiceBehaviour) -> Void
    ) async throws -> BehaviourReport {
        try await inTurn {
            var changed = behaviour
            change(&changed)
            if changed.notificationLag != behaviour.notificationLag { changed.shownPlaces = shownNotifications }
            if changed.limitClock != behaviour.limitClock {
                rateLimits.forgetHours()
                calls.forgetRetryInstants()
            }
            behaviour = changed
            if let transactionLag { store.setShowingLag(transactionLag) }
            var changedForm = presentBehaviour.notificationForm
            form(&changedForm)
            store.setNotificationForm(changedForm)
            return presentBehaviour
        }
    }

    /// Where in the outbox the notifications end that the notification history shows.
    var shownNotifications: Int {
        guard behaviour.notificationLag.count > 0 else { return outbox.end }
        let horizon = store.now.adding(Milliseconds(-behaviour.notificationLag.count))
        return outbox.end(of: horizon, from: behaviour.shownPlaces)
    }

    /// The time that limits are measured by.
    var limitNow: Timestamp {
        switch behaviour.limitClock {
        case .outside: configuration.outsideTime()
        case .store: store.now
        }
    }

    // MARK: Limits

    /// A limit, and whether it was chosen in place of Apple's.
    package struct EndpointLimit: Sendable, Hashable {
        package let endpoint: ServiceEndpoint
        /// Nil: there is no limit.
        package let perHour: Int64?
        package let isChosen: Bool
    }

    package func limits(of app: AppNumber, in environment: Environment) -> [EndpointLimit] {
        ServiceEndpoint.allCases.map { limit(of: CalledEndpoint(app: app, environment: environment, endpoint: $0)) }
    }

    private func limit(of called: CalledEndpoint) -> EndpointLimit {
        EndpointLimit(endpoint: called.endpoint, perHour: rateLimits.perHour(called), isChosen: rateLimits.isChosen(called))
    }

    /// - Parameter perHour: nil: Apple's again, or none where Apple's do not apply.
    package func setLimit(_ perHour: Int64?, of called: CalledEndpoint) -> EndpointLimit {
        rateLimits.choose(perHour, for: called)
        return limit(of: called)
    }

    // MARK: Calls

    package func callCounts(of app: AppNumber, in environment: Environment) -> [(endpoint: ServiceEndpoint, count: CallCount)] {
        calls.all.filter { $0.of.app == app && $0.of.environment == environment }.map { ($0.of.endpoint, $0.count) }
    }

    /// Begins to count anew, for all apps.
    package func forgetCalls() { calls = CallBook() }

    /// Counts a call of the App Store Server API and decides what goes wrong with it, nil: nothing; and says when it arrived.
    func arrive(_ call: AskedCall) -> (fault: Fault.Kind?, at: Timestamp) {
        if let called = called(call) { calls.note(called, at: store.now, limitNow: limitNow) }
        return (faults.strike(call, at: store.now), store.now)
    }

    /// Counts an answer; returns what it says in `Retry-After`.
    func leave(_ call: AskedCall, status: Int, retryAt: Timestamp?) -> String? {
        let said = retryAt.flatMap { behaviour.retryAfter($0, now: limitNow) }
        if let called = called(call) { calls.noteAnswer(called, status: status, retryAt: said?.instant) }
        return said?.text
    }

    /// Whose call it is, as its token says; nil for an unknown app or address.
    private func called(_ call: AskedCall) -> CalledEndpoint? {
        guard let endpoint = call.endpoint, let bundleId = call.bundleId else { return nil }
        do throws(StoreRefusal) {
            return CalledEndpoint(app: try store.app(bundleId), environment: call.environment, endpoint: endpoint)
        } catch {
            return nil
        }
    }

    // MARK: Keys

    /// A key as the control API shows it.
    package struct KeyReport: Sendable {
        package let key: InAppPurchaseKey
        package let isRevoked: Bool
    }

    package func keys(of app: AppNumber) -> (issuerId: String?, keys: [KeyReport]) {
        let bundleId = store[app].bundleId
        return (
            keyring.issuer(of: bundleId), keyring.keys(of: bundleId).map { KeyReport(key: $0.key, isRevoked: $0.isRevoked) }
        )
    }

    /// Makes a further key, which is accepted at once.
    package func addKey(_ id: String, to app: AppNumber) throws -> KeyReport {
        let key = InAppPurchaseKey(id: id)
        try keyring.add(key, to: store[app].bundleId)
        return KeyReport(key: key, isRevoked: false)
    }

    /// Refuses a key's tokens and offers from now on, or accepts them again.
    package func setRevoked(_ isRevoked: Bool, key id: String, of app: AppNumber) throws -> KeyReport {
        let bundleId = store[app].bundleId
        try keyring.setRevoked(isRevoked, id, of: bundleId)
        guard let report = keys(of: app).keys.first(where: { $0.key.id == id }) else { throw SimulatorRefusal.unknownKey }
        return report
    }
}
