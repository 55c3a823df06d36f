import Ledger
package import Primitives
package import Storage
import Synchronization

/// Notes that this server lives, and plans what is to be looked through of notification histories: at the start, every hour,
/// after refusals of our own, after a stretch in which no server lived, and every night (RECON-2, RECON-7, decision 0042).
package final class SweepPlanner: Sendable {
    private let backend: Backend
    private let desk: AppleDesk
    private let isTimeLapse: Bool
    private let noted = Mutex(Noted())

    private struct Noted {
        /// When this was last looked at; nil before the first time.
        var lookedAt: Timestamp?
        /// How many notifications were not taken when this was last looked at, and when the last was found not to be.
        var refusals: Int64 = 0
        var refusedAt: Timestamp?
    }

    /// - Parameter isTimeLapse: whether the clock is a local App Store's, which moves by any span at once. Between two looks of
    ///   this server that is no outage.
    package init(backend: Backend, desk: AppleDesk, isTimeLapse: Bool = false) {
        self.backend = backend
        self.desk = desk
        self.isTimeLapse = isTimeLapse
    }

    /// How often to look, in time of the machine. A silence of ``/Storage/SweepPlan/longestSilence`` counts as an outage; a clock
    /// in time lapse may move by hours between two looks, so that what is due by the hour is due soon.
    package var interval: Milliseconds { isTimeLapse ? .seconds(1) : Self.minute }

    private static let minute = Milliseconds.minutes(1)

    /// How long questions about single subscriptions wait for a sweep of an outage, which answers twenty with one call.
    private static let questionsWait = Milliseconds.minutes(20)

    /// Looks once; safe to call on any number of servers at once.
    ///
    /// - Returns: the plans as they are now.
    /// - Throws: `BackendError` where the store fails; then nothing is noted.
    @discardableResult
    package func look() async throws -> [StoredSweepPlan] {
        let now = backend.clock.now()
        let occasion = occasion(at: now)
        let livedSince = isTimeLapse ? noted.withLock(\.lookedAt) : nil
        var plans: [StoredSweepPlan] = []
        for app in backend.apps.values.sorted(by: { $0.id < $1.id }) {
            guard let apple = app.apple, apple.hasKey else { continue }
            for scope in app.scopes {
                let terms = SweepPlan.Terms(
                    reach: Self.reach(of: scope.environment), isNightly: apple.sweepsNightly, hourly: apple.sweepsHourly)
                let heard = backend.counters.lastNotification(in: scope)
                let plan = try await translatingStorageErrors {
                    try await backend.store.write { transaction in
                        var plan = try transaction.lockSweeps(of: scope) ?? SweepPlan(at: now)
                        if let livedSince { plan.live(since: livedSince, until: now) }
                        let new = plan.plan(occasion, at: now, terms)
                        plan.note(heard)
                        try transaction.save(plan, of: scope)
                        if !new.isEmpty { try transaction.order(new.map { try WorkOrder(sweeping: $0, in: scope) }) }
                        return plan
                    }
                }
                desk.hold(scope, until: plan.sweepsOutageSince?.adding(Self.questionsWait))
                plans.append(StoredSweepPlan(scope, plan))
            }
        }
        noted.withLock { $0.lookedAt = now }
        return plans
    }

    /// Refusals count once a minute has passed without another one: whoever still refuses would refuse what the sweep finds.
    private func occasion(at now: Timestamp) -> SweepPlan.Occasion {
        let refusals = backend.counters[.failed]
        return noted.withLock { noted in
            if refusals > noted.refusals { (noted.refusals, noted.refusedAt) = (refusals, now) }
            guard noted.lookedAt != nil else { return .start }
            guard let refusedAt = noted.refusedAt, now.since(refusedAt).count >= Self.minute.count else { return .minute }
            noted.refusedAt = nil
            return .afterRefusals
        }
    }

    /// How far back Apple keeps notifications, less an hour, so that a slice that waits for its turn is not refused.
    ///
    /// Source: Apple, App Store Server API, Get Notification History.
    static func reach(of environment: Environment) -> Milliseconds {
        .hours((environment == .production ? 180 : 30) * 24 - 1)
    }
}

extension WorkOrder {
    /// Looks through a slice as soon as Apple can be expected to show all of it.
    init(sweeping slice: SweepSlice, in scope: Scope) throws {
        self.init(
            scope: scope, subject: "", key: "slice/\(slice.number)", kind: .sweepNotifications,
            body: try SweepBody(slice).json, dueAt: slice.until.adding(SweepPlan.settling))
    }
}

/// What is needed to look through a slice.
struct SweepBody: Sendable, Hashable, Codable {
    var slice: SweepSlice
    /// What asks for the next page; nil before the first one.
    var token: String?
    /// How many were read since it was begun or divided.
    var pages: Int64 = 0
    /// When the last notification was signed that was read; nil where none was.
    var reached: Timestamp?
    /// Whether all came in the order of their signing.
    var isInOrder = true
    /// Where the slice ended when its first page was asked for, and so the window of its token; nil where it still ends there.
    var window: Timestamp?
    /// How many were looked at, how many of them were new, and how many were refused.
    var seen: Int64 = 0
    var new: Int64 = 0
    var refused: Int64 = 0

    init(_ slice: SweepSlice) { self.slice = slice }

    var json: String { get throws { try StateCoding.encode(self) } }

    /// From the first page on; what is kept is passed over.
    mutating func beginAnew() { (token, pages, reached, isInOrder, window) = (nil, 0, nil, true, nil) }

    /// What follows the instant is another slice's from now on.
    mutating func shorten(to end: Timestamp) {
        window = window ?? slice.until
        slice = SweepSlice(
            number: slice.number, from: slice.from, until: end, purpose: slice.purpose, plannedAt: slice.plannedAt)
        pages = 0
    }

    /// Notes when a notification was signed that was read.
    mutating func note(_ signed: Timestamp?) {
        guard let signed else { return }
        if let reached, signed < reached { isInOrder = false }
        reached = max(reached ?? signed, signed)
    }
}
