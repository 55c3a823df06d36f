internal import AppStoreModel
package import Primitives
internal import SimulatorPKI

/// A local App Store: the ``Store``, its certificates, its clock, its faces, and the way its notifications take.
///
/// It shares no reading of the subscription rules with the server that it tests.
package actor AppStoreSimulator {
    package nonisolated let configuration: SimulatorConfiguration
    /// The time that everything here happens at.
    package nonisolated let clock: SimulatedClock
    nonisolated let poster = NotificationPoster()
    /// The root that everything is signed under; its leaves may be renewed.
    nonisolated let authority: SigningAuthority
    nonisolated let keyring: Keyring
    private let turnstile = Turnstile()
    private var impostor: SigningAuthority?
    var store: Store
    var printer: StorePrinter
    var receipts: ReceiptPrinter
    var outbox = Outbox()
    var targets: [Endpoint: NotificationTarget] = [:]
    var faults = FaultPlan()
    var offers = OfferDesk()
    var rateLimits: RateLimiter
    var rate = ClockRate.stands
    /// What was sent because a server asked for a test.
    var testNotifications: Set<CompactUUID> = []
    /// Where the App Store asks while a customer waits, by app.
    var realtimeURLs: [AppNumber: String] = [:]

    /// Certificates last so long from the start; the clock does not pass their end.
    private static let lifetime = Milliseconds.days(365 * 60)

    /// - Throws: ``SimulatorConfigurationError``, or what makes certificates fails with.
    package init(configuration: SimulatorConfiguration) throws {
        let start = configuration.startsAt
        let environments = [configuration.environment] + configuration.facePorts.keys
        for environment in environments where environment != .production && environment != .sandbox {
            throw SimulatorConfigurationError.environment(environment)
        }
        guard Self.acceptedStarts.contains(start.millisecondsSince1970) else { throw SimulatorConfigurationError.startsAt(start) }
        guard !configuration.apps.isEmpty else { throw SimulatorConfigurationError.noApps }
        let validFrom = start.truncatedToSecond.adding(.days(-1))
        let validity = validFrom...validFrom.adding(Self.lifetime)
        authority =
            if let pem = configuration.authorityPEM { try SigningAuthority(pem: pem) } else {
                try SigningAuthority(validity: validity)
            }
        self.configuration = configuration
        clock = SimulatedClock(start, moved: configuration.clockMoved)
        keyring = try Keyring(configuration.apps)
        printer = StorePrinter(authority)
        receipts = ReceiptPrinter(validity: validity)
        rateLimits = RateLimiter(isOn: configuration.limitsRates)
        var store = Store(startsAt: start, seed: configuration.seed)
        for app in configuration.apps {
            let number = try Self.add(app, to: &store)
            for (environment, url) in app.notificationURLs {
                guard Self.isNotificationURL(url) else { throw SimulatorConfigurationError.notificationURL }
                targets[Endpoint(app: number, environment: environment)] = NotificationTarget(
                    url: url, version: app.notificationVersion)
            }
        }
        self.store = store
    }

    private static func add(_ app: SimulatedApp, to store: inout Store) throws -> AppNumber {
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

    /// The SHA-256 of the root's DER: what a server is told to trust.
    package nonisolated var rootFingerprint: [UInt8] { authority.rootFingerprint }

    /// Certificates and keys as PEM, for ``SimulatorConfiguration/authorityPEM``.
    package nonisolated func exportedAuthority() -> String { authority.exportedPEM() }

    /// 1980 to 2100.
    private static let acceptedStarts: ClosedRange<Int64> = 315_532_800_000...4_102_444_800_000

    static func isNotificationURL(_ text: String) -> Bool {
        (text.hasPrefix("http://") || text.hasPrefix("https://")) && text.utf8.count <= 2048
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}

/// One app in one environment.
struct Endpoint: Sendable, Hashable {
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
    /// Lets a change happen and everything it causes, notifications delivered included, before the next one begins.
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

    /// A change of the store, and what it makes the store say.
    func changing<Value: Sendable>(
        _ change: @Sendable (inout Store) throws(StoreRefusal) -> (Value, [StoreNotification])
    ) async throws -> Value {
        try await inTurn {
            let (value, told) = try change(&store)
            try await tell(told)
            return value
        }
    }

    /// Signs, keeps and sends.
    func tell(_ notifications: [StoreNotification]) async throws {
        for notification in notifications {
            let (signedPayload, signatures) = try printer.signed(notification, in: store)
            for _ in 0..<outbox.accept(notification, signatures) { await send(notification, signedPayload) }
        }
    }

    /// Sends what was signed before once more, the very same bytes.
    func sendAgain(_ uuid: CompactUUID) async throws {
        guard let record = outbox.record(uuid) else { return }
        await send(
            record.notification, try printer.signedAgain(record.notification, record.signatures, in: store))
    }

    /// One attempt at a notification, where there is an address to send it to.
    private func send(_ notification: StoreNotification, _ signedPayload: String) async {
        let endpoint = Endpoint(app: notification.subject.app, environment: notification.environment)
        guard let target = targets[endpoint], let url = target.url else { return }
        var result = SendAttemptResult.success
        for body in bodies(of: notification, signedPayload, for: target, endpoint) {
            let attempt = await poster.post(body, to: url)
            if attempt != .success { result = attempt }
        }
        outbox.note(
            result, of: notification.notificationUUID, at: store.now,
            retryDelays: Outbox.retryDelays(target.version, notification.environment))
    }

    /// Of version 1 several, or none.
    private func bodies(
        of notification: StoreNotification, _ signedPayload: String, for target: NotificationTarget, _ endpoint: Endpoint
    ) -> [[UInt8]] {
        guard target.version == .v1 else { return [NotificationPoster.body(signedPayload: signedPayload)] }
        let isShared = notification.subject.transaction?.ownership == .familyShared
        let secret = configuration.apps[endpoint.app.index].sharedSecret
        return NotificationV1.words(for: notification.event, isShared: isShared, notification.environment).map { word in
            store.payload(
                of: word, about: notification, password: secret,
                latestReceipt: notification.subject.transaction.flatMap { latestReceipt(of: $0.app, for: $0.account) })
        }
    }

    /// What the present leaf signs with, and what it signs with while something is wrong on purpose.
    func setImpostor(_ isOn: Bool) throws {
        if isOn, impostor == nil {
            let start = configuration.startsAt.truncatedToSecond.adding(.days(-1))
            impostor = try SigningAuthority(validity: start...start.adding(Self.lifetime))
        }
        printer.impostor = isOn ? impostor : nil
    }

    /// Another leaf under the same root, as Apple renews its own.
    ///
    /// - Throws: `StoreRefusal.storeFull`: what was signed before is put together again with the leaf of then, so all are kept.
    func renewLeaf() throws {
        guard printer.authorities.count < StorePrinter.maximumAuthorities else { throw StoreRefusal.storeFull }
        let start = configuration.startsAt.truncatedToSecond.adding(.days(-1))
        printer.renew(try authority.renewingLeaf(validity: start...start.adding(Self.lifetime)))
    }
}

/// Why the simulator does not do what it was asked, where the store itself would; stable spellings.
package enum SimulatorRefusal: String, Error, Sendable, Hashable, CaseIterable {
    /// Too many changes wait.
    case busy
    /// The clock does not go back.
    case clockGoesForward
    /// At most ten years at a time, and not past the certificates' end.
    case tooFar
    case unknownNotification
    /// No address for notifications is set.
    case noNotificationURL
}
