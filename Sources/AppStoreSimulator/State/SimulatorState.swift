internal import AppStoreModel
package import Primitives
internal import SimulatorPKI

/// All of a local App Store at one moment: what ``AppStoreSimulator/save()`` returns, and what one is started from or restored
/// to.
///
/// It holds private keys, though only those of a test store. It does not contain callers that wait for an answer, the present
/// hours of rate limits, or the ports.
package struct SimulatorState: Sendable, Codable {
    /// By ``AppNumber``.
    let apps: [App]
    /// The environment of accounts that name none.
    package let environment: Environment
    /// The clock's first time: certificates are valid for 60 years from then.
    package let startsAt: Timestamp
    let store: AppStore
    let printer: StorePrinter
    let receipts: ReceiptPrinter
    let outbox: Outbox
    let targets: [Target]
    let faults: FaultPlan
    let offers: UsedNonces
    let retention: RetentionDesk
    let lostReceipts: [AccountID]
    let rate: ClockRate
    let testNotifications: [CompactUUID]
    // Nil in states that earlier versions saved.
    let behaviour: ServiceBehaviour?
    let limits: [RateLimiter.Chosen]?
    let calls: CallBook?
    let keys: Keyring.Changes?

    /// What App Store Connect knows about an app; the rest is in the store.
    struct App: Sendable, Hashable, Codable {
        let issuerId: String
        let sharedSecret: String?
        let keys: [Key]

        struct Key: Sendable, Hashable, Codable {
            let id: String
            let pem: String
        }
    }

    /// Where an app's notifications of one environment go.
    struct Target: Sendable, Hashable, Codable {
        let app: AppNumber
        let environment: Environment
        let url: String?
        let version: NotificationVersion
    }

    /// Checks that all references in it are valid.
    ///
    /// - Throws: ``SimulatorStateError/unreadable(_:)``.
    func check() throws {
        do throws(DanglingReference) {
            try store.check()
            try faults.stale?.check()
            for record in outbox.all { try store.check(record.notification) }
        } catch {
            throw SimulatorStateError.unreadable(error.description)
        }
        guard printer.isWhole, targets.allSatisfy({ store.has($0.app) }), apps.count == store.apps.count,
            retention.endpoints.allSatisfy({ store.has($0.app) }), limits?.allSatisfy({ store.has($0.of.app) }) ?? true,
            calls?.all.allSatisfy({ store.has($0.of.app) }) ?? true, calls?.isWhole ?? true, behaviour?.isWhole ?? true
        else { throw SimulatorStateError.unreadable("it refers to something that is missing") }
        // An error of the reader of keys, or of two keys with one id.
        _ = try Keyring(try SimulatorConfiguration(resuming: self).apps, keys ?? .init())
    }

    /// The clock.
    package var now: Timestamp { store.now }

    var notificationTargets: [AppEnvironment: NotificationTarget] {
        targets.reduce(into: [:]) {
            $0[AppEnvironment(app: $1.app, environment: $1.environment)] = NotificationTarget(url: $1.url, version: $1.version)
        }
    }
}

extension SimulatorState.App {
    init(_ app: SimulatedApp) {
        issuerId = app.issuerId
        sharedSecret = app.sharedSecret
        keys = app.keys.map { Key(id: $0.id, pem: $0.savedPEM) }
    }
}

extension SimulatorConfiguration {
    /// A store that continues from a saved state, on any ports. The apps, the clock and the keys of the configuration are the
    /// state's.
    package init(resuming state: SimulatorState) throws {
        let apps = try zip(state.store.apps, state.apps).map { sold, known in
            var app = SimulatedApp(bundleId: sold.bundleId, appAppleId: sold.appAppleId, catalogue: sold.catalogue)
            app.bundleVersion = sold.bundleVersion
            app.issuerId = known.issuerId
            app.sharedSecret = known.sharedSecret
            app.keys = try known.keys.map { try InAppPurchaseKey(id: $0.id, pem: $0.pem) }
            return app
        }
        self.init(apps: apps, environment: state.environment, startsAt: state.startsAt)
        resumed = state
    }
}

// MARK: - Saving and putting back

extension AppStoreSimulator {
    /// Everything as it is now.
    package func save() async throws -> SimulatorState {
        try await inTurn {
            SimulatorState(
                apps: configuration.apps.map(SimulatorState.App.init), environment: configuration.environment,
                startsAt: configuration.startsAt, store: store, printer: printer, receipts: receipts, outbox: outbox,
                targets: targets.map {
                    .init(app: $0.app, environment: $0.environment, url: $1.url, version: $1.version)
                }.sorted { ($0.app, $0.environment.rawValue) < ($1.app, $1.environment.rawValue) },
                faults: faults, offers: offers, retention: retention.withoutRunningTests, lostReceipts: lostReceipts.sorted(),
                rate: rate,
                testNotifications: testNotifications.sorted { $0.description < $1.description }, behaviour: behaviour,
                limits: rateLimits.allChosen, calls: calls, keys: keyring.changes)
        }
    }

    /// Restores everything to a state that this store saved: between two tests, in place of a new start.
    ///
    /// The clock goes back too, and the next ids were used before: a server that received notifications must be restored as well.
    ///
    /// - Throws: ``SimulatorRefusal/stateOfAnotherStore`` where another store saved it: one with another root, other apps or
    ///   keys.
    package func restore(_ state: SimulatorState) async throws {
        try await inTurn {
            guard state.printer.signers.first?.chainDER == authority.chainDER, state.startsAt == configuration.startsAt,
                state.environment == configuration.environment,
                state.apps == configuration.apps.map(SimulatorState.App.init),
                state.store.apps.map(\.bundleId) == configuration.apps.map(\.bundleId),
                state.store.apps.map(\.catalogue) == configuration.apps.map(\.catalogue)
            else { throw SimulatorRefusal.stateOfAnotherStore }
            let kept = try Keyring(configuration.apps, state.keys ?? .init())
            (store, printer) = (state.store, state.printer)
            // Keys that were made since the state was saved may be trusted already.
            receipts = state.receipts.completed(by: receipts)
            (outbox, targets, faults, offers) = (state.outbox, state.notificationTargets, state.faults, state.offers)
            (retention, lostReceipts, rate) = (state.retention, Set(state.lostReceipts), state.rate)
            testNotifications = Set(state.testNotifications)
            (behaviour, calls, keyring) = (state.behaviour ?? ServiceBehaviour(), state.calls ?? CallBook(), kept)
            rateLimits.reset(to: state.limits ?? [])
            clock.set(store.now)
        }
    }
}
