internal import AppStoreModel
package import Primitives
internal import SimulatorPKI

/// A local App Store: the ``AppStore``, its certificates, its clock, its faces, and the delivery of its notifications.
///
/// It shares no implementation of the subscription rules with the server that it tests.
package actor AppStoreSimulator {
    package nonisolated let configuration: SimulatorConfiguration
    /// The time at which everything here happens.
    package nonisolated let clock: SimulatedClock
    nonisolated let poster = NotificationPoster()
    /// The root that everything is signed under; its leaves may be renewed.
    nonisolated let authority: SigningAuthority
    var keyring: Keyring
    private let turnstile = Turnstile()
    var store: AppStore
    var printer: StorePrinter
    var receipts: ReceiptPrinter
    var outbox = Outbox()
    var targets: [AppEnvironment: NotificationTarget] = [:]
    var faults = FaultPlan()
    var offers = UsedNonces()
    var rateLimits: RateLimiter
    var behaviour = ServiceBehaviour()
    var calls = CallBook()
    var rate = ClockRate.stands
    /// Notifications that were sent because a server requested a test.
    var testNotifications: Set<CompactUUID> = []
    var retention = RetentionDesk()
    /// Accounts on whose devices the app's receipt is missing, until something is bought or restored.
    var lostReceipts: Set<AccountID> = []
    nonisolated let performanceTests = PerformanceTestQueue()

    /// How long certificates are valid from the start; the clock does not pass their end.
    private static let lifetime = Milliseconds.days(365 * 60)

    /// When the certificates that sign here are valid.
    private nonisolated var validity: ClosedRange<Timestamp> { Self.validity(from: configuration.startsAt) }

    private static func validity(from start: Timestamp) -> ClosedRange<Timestamp> {
        let validFrom = start.truncatedToSecond.adding(.days(-1))
        return validFrom...validFrom.adding(lifetime)
    }

    /// - Throws: ``SimulatorConfigurationError``, or the error of making the certificates.
    package init(configuration: SimulatorConfiguration) throws {
        let start = configuration.startsAt
        let environments = [configuration.environment] + configuration.facePorts.keys
        for environment in environments where environment != .production && environment != .sandbox {
            throw SimulatorConfigurationError.environment(environment)
        }
        guard Self.acceptedStarts.contains(start.millisecondsSince1970) else { throw SimulatorConfigurationError.startsAt(start) }
        guard !configuration.apps.isEmpty else { throw SimulatorConfigurationError.noApps }
        let authorities = try Self.authorities(of: configuration)
        authority = authorities.signing
        var kept = configuration
        kept.resumed = nil
        self.configuration = kept
        clock = SimulatedClock(configuration.resumed?.now ?? start, moved: configuration.clockMoved)
        keyring = try Keyring(configuration.apps, configuration.resumed?.keys ?? .init())
        rateLimits = RateLimiter(appliesApples: configuration.limitsRates)
        if let state = configuration.resumed {
            printer = state.printer
            receipts = state.receipts
            outbox = state.outbox
            targets = state.notificationTargets
            faults = state.faults
            offers = state.offers
            retention = state.retention
            lostReceipts = Set(state.lostReceipts)
            rate = state.rate
            testNotifications = Set(state.testNotifications)
            behaviour = state.behaviour ?? ServiceBehaviour()
            rateLimits.reset(to: state.limits ?? [])
            calls = state.calls ?? CallBook()
            store = state.store
        } else {
            printer = StorePrinter(authority)
            receipts = ReceiptPrinter(validity: Self.validity(from: start), kept: authorities.receipts)
            let opened = try Self.opened(configuration)
            store = opened.store
            targets = opened.targets
        }
    }

    /// An empty store with its apps, and where their notifications go.
    private static func opened(
        _ configuration: SimulatorConfiguration
    ) throws -> (store: AppStore, targets: [AppEnvironment: NotificationTarget]) {
        var store = AppStore(startsAt: configuration.startsAt, seed: configuration.seed)
        var targets: [AppEnvironment: NotificationTarget] = [:]
        for app in configuration.apps {
            let number = try add(app, to: &store)
            for (environment, url) in app.notificationURLs {
                guard isNotificationURL(url) else { throw SimulatorConfigurationError.notificationURL }
                targets[AppEnvironment(app: number, environment: environment)] = NotificationTarget(
                    url: url, version: app.notificationVersion)
            }
        }
        return (store, targets)
    }

    private static func authorities(of configuration: SimulatorConfiguration) throws -> AuthorityFile {
        if let state = configuration.resumed { return AuthorityFile(signing: state.printer.signers[0], receipts: nil) }
        if let pem = configuration.authorityPEM { return try AuthorityFile(pem: pem) }
        return AuthorityFile(
            signing: try SigningAuthority(validity: validity(from: configuration.startsAt)), receipts: nil)
    }

    private static func add(_ app: SimulatedApp, to store: inout AppStore) throws -> AppNumber {
        do throws(StoreRefusal) {
            return try store.add(
                StoreApp(
                    bundleId: app.bundleId, appAppleId: app.appAppleId, bundleVersion: app.bundleVersion,
                    catalogue: app.catalogue))
        } catch {
            throw SimulatorConfigurationError.apps(error)
        }
    }

    /// The simulated time; cheap, and from any thread.
    package nonisolated func clockNow() -> Timestamp { clock.now }

    /// The root certificate's DER.
    package nonisolated var rootDER: [UInt8] { authority.rootDER }

    /// The SHA-256 of the root's DER: what a server is configured to trust.
    package nonisolated var rootFingerprint: [UInt8] { authority.rootFingerprint }

    /// ``rootFingerprint`` in hexadecimal digits: what a server's configuration takes.
    package nonisolated var rootFingerprintText: String { Hexadecimal.encode(rootFingerprint) }

    /// 1980 to 2100.
    private static let acceptedStarts: ClosedRange<Int64> = 315_532_800_000...4_102_444_800_000

    static func isNotificationURL(_ text: String) -> Bool {
        (text.hasPrefix("http://") || text.hasPrefix("https://")) && text.utf8.count <= 2048
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}

/// One app in one environment.
struct AppEnvironment: Sendable, Hashable, Codable {
    let app: AppNumber
    let environment: Environment
}

/// Where an app's notifications of one environment go.
struct NotificationTarget: Sendable, Hashable {
    var url: String?
    var version: NotificationVersion
}

// MARK: - One thing at a time

extension AppStoreSimulator {
    /// Completes a change and everything it causes, including the delivery of notifications, before the next one begins.
    func inTurn<Value: Sendable>(_ change: () async throws -> Value) async throws -> Value {
        guard await turnstile.enter() else { throw SimulatorRefusal.busy }
        do {
            let value = try await change()
            await turnstile.leave()
            return value
        } catch {
            await turnstile.leave()
            throw error
        }
    }

    /// A change of the store, and the notifications that it causes.
    func changing<Value: Sendable>(
        _ change: @Sendable (inout AppStore) throws(StoreRefusal) -> (Value, [StoreNotification])
    ) async throws -> Value {
        try await inTurn {
            let (value, told) = try change(&store)
            try await tell(told)
            return value
        }
    }

    /// Signs, stores and sends.
    func tell(_ notifications: [StoreNotification]) async throws {
        for notification in notifications {
            let (signedPayload, signatures) = try printer.signed(notification, in: store)
            for _ in 0..<outbox.accept(notification, signatures, at: store.now) { await send(notification, signedPayload) }
        }
    }

    /// Sends a notification again that was signed before, with exactly the same bytes.
    func sendAgain(_ uuid: CompactUUID) async throws {
        guard let record = outbox.record(uuid) else { return }
        await send(
            record.notification, try printer.signedAgain(record.notification, record.signatures, in: store))
    }

    /// One attempt to deliver a notification, if there is an address to send it to.
    private func send(_ notification: StoreNotification, _ signedPayload: String) async {
        let endpoint = AppEnvironment(app: notification.subject.app, environment: notification.environment)
        guard let target = targets[endpoint], let url = target.url else { return }
        var result = DeliveryResult.success
        for body in bodies(of: notification, signedPayload, for: target, endpoint) {
            let attempt = await poster.post(body, to: url)
            if attempt != .success { result = attempt }
        }
        outbox.note(
            result, of: notification.notificationUUID, at: store.now,
            retryDelays: Outbox.retryDelays(target.version, notification.environment))
    }

    /// The bodies of a notification: several or none where it is of version 1.
    private func bodies(
        of notification: StoreNotification, _ signedPayload: String, for target: NotificationTarget, _ endpoint: AppEnvironment
    ) -> [[UInt8]] {
        guard target.version == .v1 else { return [NotificationPoster.body(signedPayload: signedPayload)] }
        let isShared = notification.subject.transaction.map { $0.ownership != .purchased } ?? false
        let secret = configuration.apps[endpoint.app.index].sharedSecret
        return NotificationV1.words(for: notification.event, isShared: isShared, notification.environment).map { word in
            store.payload(
                of: word, about: notification, password: secret,
                latestReceipt: notification.subject.transaction.flatMap { latestReceipt(of: $0.app, for: $0.account) })
        }
    }

    /// Makes a wrong chain sign from now on, on purpose, or the right one again.
    func setImpostor(_ isOn: Bool) throws {
        try printer.setImpostor(isOn) { try SigningAuthority(validity: validity) }
    }

    /// Another leaf under the same root, as Apple renews its own.
    ///
    /// - Throws: `StoreRefusal.storeFull`: what was signed before is rebuilt with the leaf of that time, so all leaves are kept.
    func renewLeaf() throws { printer.renew(try leaf(validity: validity)) }

    /// Makes a leaf under the same root sign from now on that is valid until an instant, until another signing is set.
    ///
    /// - Throws: `StoreRefusal.storeFull`, as ``renewLeaf()``.
    func signWithLeaf(validUntil end: Timestamp) throws {
        let start = validity.lowerBound
        printer.signTemporarily(with: try leaf(validity: start...max(start, end.truncatedToSecond)))
    }

    private func leaf(validity: ClosedRange<Timestamp>) throws -> SigningAuthority {
        guard printer.signers.count < StorePrinter.maximumSigners else { throw StoreRefusal.storeFull }
        return try authority.renewingLeaf(validity: validity)
    }
}

/// Why the simulator refuses a request that the store itself would accept; the spellings are stable.
package enum SimulatorRefusal: String, Error, Sendable, Hashable, CaseIterable {
    /// Too many changes are waiting.
    case busy
    /// The clock cannot go back.
    case clockGoesForward
    /// At most ten years at a time, and not past the certificates' end.
    case tooFar
    case unknownNotification
    /// It names neither an image nor a message of retention messaging.
    case unknownMessage
    /// The app finds no receipt on the device; a purchase or a restore creates one.
    case receiptLost
    /// The device's Apple Account does not have the app.
    case appTransactionMissing
    /// The state was saved by a store with another root, other apps or other keys.
    case stateOfAnotherStore
    /// No address for notifications is set.
    case noNotificationURL
    /// The app has no In-App Purchase key of that id, or has one already.
    case unknownKey, keyExists
    /// A key's id is 1 to 64 letters and digits.
    case invalidKeyId
}
