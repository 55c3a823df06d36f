package import Primitives
internal import SimulatorPKI

/// A local App Store: the ``Store``, its certificates, its clock, and the way its notifications take.
///
/// It shares no reading of the subscription rules with the server that it tests.
package actor AppStoreSimulator {
    package nonisolated let configuration: SimulatorConfiguration
    /// The time that everything here happens at.
    package nonisolated let clock: SimulatedClock
    nonisolated let poster = NotificationPoster()
    nonisolated let authority: SigningAuthority
    nonisolated let printer: StorePrinter
    private let turnstile = Turnstile()
    var store: Store
    var outbox: Outbox
    var notificationURL: String?

    /// Certificates last so long from the start; the clock does not pass their end.
    private static let lifetime = Milliseconds.days(365 * 60)

    /// - Throws: ``SimulatorConfigurationError``, or what makes certificates fails with.
    package init(configuration: SimulatorConfiguration) throws {
        let start = configuration.startsAt
        guard configuration.environment == .production || configuration.environment == .sandbox else {
            throw SimulatorConfigurationError.environment(configuration.environment)
        }
        guard Self.acceptedStarts.contains(start.millisecondsSince1970) else { throw SimulatorConfigurationError.startsAt(start) }
        guard configuration.notificationURL.map(Self.isNotificationURL) ?? true else {
            throw SimulatorConfigurationError.notificationURL
        }
        let validFrom = start.truncatedToSecond.adding(.days(-1))
        authority =
            if let pem = configuration.authorityPEM {
                try SigningAuthority(pem: pem)
            } else {
                try SigningAuthority(validity: validFrom...validFrom.adding(Self.lifetime))
            }
        self.configuration = configuration
        clock = SimulatedClock(start)
        printer = StorePrinter(authority: authority, app: configuration.app, storefront: configuration.catalogue.storefront)
        store = Store(app: configuration.app, catalogue: configuration.catalogue, startsAt: start, seed: configuration.seed)
        outbox = Outbox(environment: configuration.environment)
        notificationURL = configuration.notificationURL
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

    /// Signs, keeps and sends.
    func tell(_ notifications: [StoreNotification]) async throws {
        for notification in notifications {
            let copies = outbox.accept(notification, signedPayload: try printer.signed(notification))
            for _ in 0..<copies { await send(notification.notificationUUID) }
        }
    }

    /// One attempt at a notification, where there is an address to send it to.
    func send(_ uuid: String) async {
        guard let url = notificationURL, let record = outbox.record(uuid) else { return }
        let result = await poster.post(record.signedPayload, to: url)
        outbox.note(result, of: uuid, at: store.now)
    }
}

/// Why the simulator does not do what it was asked, where the store itself would; stable spellings.
package enum SimulatorRefusal: String, Error, Sendable, Hashable {
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
