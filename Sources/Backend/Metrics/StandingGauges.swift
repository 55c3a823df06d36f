import AppStoreWire
import Ledger
package import Metrics
import Primitives
import PrometheusMetrics
import Storage
import Synchronization

/// The gauges that say how a server and its store stand, read when somebody scrapes: what `GET …/apple` tells, by the same
/// functions.
///
/// What only the store knows is read at most once in ``interval``, however often is scraped, and with bounded questions: work is
/// counted up to ``Backend/longestBacklog`` of each kind in each app's environment. Where the store cannot be read,
/// `tenure_database_up` is 0 and what it would say is not shown.
package final class StandingGauges: Sendable {
    private let backend: Backend
    private let desk: AppleDesk?
    private let board: GaugeBoard
    private let steadyClock: @Sendable () -> ContinuousClock.Instant
    private let lastRead = Mutex<ContinuousClock.Instant?>(nil)

    /// How long what was read holds.
    package static let interval = Duration.seconds(10)

    /// - Parameters:
    ///   - desk: of this server; nil where it asks nothing.
    ///   - metrics: where the gauges are made.
    ///   - steadyClock: by which the interval is counted: a clock that does not jump.
    package init(
        _ backend: Backend, desk: AppleDesk?, metrics: any MetricsFactory,
        steadyClock: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
    ) {
        self.backend = backend
        self.desk = desk
        self.steadyClock = steadyClock
        board = GaugeBoard(metrics)
    }

    /// Brings the gauges up to date, unless they were read less than the interval ago, or are being read.
    package func read() async {
        let instant = steadyClock()
        let isDue = lastRead.withLock { last in
            if let last, last.duration(to: instant) < Self.interval { return false }
            last = instant
            return true
        }
        guard isDue else { return }
        let now = backend.clock.now()
        do {
            board.show(try await stored(at: now) + known + [GaugeReading(Self.databaseUp, value: 1)])
        } catch {
            board.show(known + [GaugeReading(Self.databaseUp, value: 0)])
        }
    }

    // MARK: What this server knows

    static let databaseUp = MetricFamily(
        "tenure_database_up", .gauge, help: "1 where the database could be read when that was last tried, else 0.")
    static let keyRefused = MetricFamily(
        "tenure_apple_key_refused", .gauge, labels: ["app"],
        help: "1 from when Apple refused what was asked with the app's key, or no token could be signed, until an answer comes.")

    static let certificateExpires = MetricFamily(
        "tenure_certificate_expires_timestamp_seconds", .gauge, labels: ["role", "name", "sha256"],
        help: "When a certificate ends on which the trust in what Apple signs rests, in seconds since 1970.")

    private var known: [GaugeReading] {
        let certificates = backend.authorities.map { certificate in
            GaugeReading(
                Self.certificateExpires, certificate.role.rawValue, certificate.name,
                String(Hexadecimal.encode(certificate.fingerprint).prefix(16)),
                value: certificate.notValidAfter.secondsSince1970)
        }
        guard let desk else { return certificates }
        let keys = apps.filter(\.asksByKey).map { app in
            GaugeReading(Self.keyRefused, app.id.rawValue, value: desk.isKeyRefused(of: app) ? 1 : 0)
        }
        return certificates + keys
    }

    private var apps: [AppSettings] { backend.apps.values.sorted { $0.id < $1.id } }

    // MARK: What the store knows

    static let sureUntil = MetricFamily(
        "tenure_apple_sure_until_timestamp_seconds", .gauge, labels: ["app", "environment"],
        help: "The instant up to which nothing that Apple told is missing, in seconds since 1970.")
    static let blocked = MetricFamily(
        "tenure_apple_blocked", .gauge, labels: ["app", "environment", "endpoint"],
        help: "1 while no server calls, because Apple answered 429.")
    static let budgetRemaining = MetricFamily(
        "tenure_apple_budget_remaining", .gauge, labels: ["app", "environment", "endpoint"],
        help: "How many calls all servers together may make at once, before the next one waits for the rate.")
    static let lastNotification = MetricFamily(
        "tenure_last_notification_timestamp_seconds", .gauge, labels: ["app", "environment"],
        help: "When the last notification was received, in seconds since 1970.")
    static let parked = MetricFamily(
        "tenure_parked_notifications", .gauge, labels: ["app", "environment"],
        help: "Notifications that Apple signed and that cannot be applied; they are tried every hour.")
    static let workDue = MetricFamily(
        "tenure_work_due", .gauge, labels: ["kind"], help: "Work that is due and that nobody has begun.")
    static let workOldest = MetricFamily(
        "tenure_work_oldest_seconds", .gauge, labels: ["kind"], help: "How long the longest due work has been; 0 where none is.")

    static let lastBackup = MetricFamily(
        "tenure_backup_timestamp_seconds", .gauge,
        help: "When `tenure backup` last made a copy of the database, in seconds since 1970; not shown where it never did.")

    static let families = [
        databaseUp, keyRefused, certificateExpires, sureUntil, blocked, budgetRemaining, lastNotification, parked, workDue,
        workOldest, lastBackup,
    ]

    private func stored(at now: Timestamp) async throws -> [GaugeReading] {
        var readings: [GaugeReading] = []
        var due: [WorkKind: DueWorkGauge] = [:]
        for app in apps {
            let sweeps = try await backend.store.sweeps(of: app.id)
            let budgets = try await backend.store.budgets(of: app.id)
            readings += budgets.flatMap { Self.readings(of: $0, at: now) }
            for scope in app.scopes {
                readings += Self.readings(of: sweeps.first { $0.scope == scope }, heard: backend.counters, scope)
                readings.append(try await self.parked(in: scope))
                let backlog = try await backend.store.backlog(
                    of: WorkKind.all, in: scope, at: now, limit: Backend.longestBacklog)
                for one in backlog { due[one.kind, default: DueWorkGauge()].add(one, at: now) }
            }
        }
        for kind in WorkKind.all {
            let gauge = due[kind] ?? DueWorkGauge()
            readings.append(GaugeReading(Self.workDue, kind.rawValue, value: Double(gauge.count)))
            readings.append(GaugeReading(Self.workOldest, kind.rawValue, value: gauge.oldest.seconds))
        }
        if let backup = try await backend.lastBackup() {
            readings.append(GaugeReading(Self.lastBackup, value: backup.madeAt.secondsSince1970))
        }
        return readings
    }

    private static func readings(of stored: StoredBudget, at now: Timestamp) -> [GaugeReading] {
        let (scope, endpoint) = (stored.name.scope, stored.name.endpoint)
        let (app, environment) = (scope.app.rawValue, scope.environment.rawValue)
        return [
            GaugeReading(blocked, app, environment, endpoint, value: stored.budget.blockedUntil > now ? 1 : 0),
            GaugeReading(
                budgetRemaining, app, environment, endpoint, value: Double(AppleBudget.remaining(of: stored.budget, at: now))),
        ]
    }

    private static func readings(of stored: StoredSweepPlan?, heard: IntakeCounters, _ scope: Scope) -> [GaugeReading] {
        let (app, environment) = (scope.app.rawValue, scope.environment.rawValue)
        // Of all servers the plan knows, at most a minute late; where nobody sweeps, this one's is all that is known.
        let received = [stored?.plan.heard, heard.lastNotification(in: scope)].compactMap { $0?.receivedAt }.max()
        return [
            stored.map { GaugeReading(sureUntil, app, environment, value: $0.plan.sureUntil.secondsSince1970) },
            received.map { GaugeReading(lastNotification, app, environment, value: $0.secondsSince1970) },
        ].compactMap { $0 }
    }

    private func parked(in scope: Scope) async throws -> GaugeReading {
        let waiting = try await backend.parkedCount(in: scope)
        return GaugeReading(Self.parked, scope.app.rawValue, scope.environment.rawValue, value: Double(waiting))
    }
}

extension WorkKind {
    /// Every kind that this version knows, so that a lane without work is shown, too.
    static let all: [WorkKind] = [
        .askApple, .tell, .answerConsumptionRequest, .fetchStatuses, .fetchHistory, .verifyReceipt, .verifyImportedReceipt,
        .sweepNotifications, .applyNotification, .deliver, .applySettings, .runJob, .tellCustomer, .reviewSignals,
    ]
}

/// Due work of one kind in all ledgers.
private struct DueWorkGauge {
    var count = 0
    var oldest = Milliseconds(0)

    mutating func add(_ backlog: WorkBacklog, at now: Timestamp) {
        count += backlog.count
        if let since = backlog.dueSince { oldest = max(oldest, now.since(since)) }
    }
}

extension Timestamp {
    fileprivate var secondsSince1970: Double { Double(millisecondsSince1970) / 1000 }
}

extension Milliseconds {
    fileprivate var seconds: Double { Double(count) / 1000 }
}
