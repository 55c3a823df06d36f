package import Primitives

/// What is left to be looked through of an app's notification history in one environment, and up to which instant nothing is
/// missing (RECON-2, RECON-7).
///
/// A plain value: time comes in as an argument. Servers share it by keeping it in their store under a lock, and order the work
/// for a slice in the transaction that keeps the plan.
///
/// ```
/// ──────────── sureUntil ──── a slice ────────── plannedUntil ─────── now
///  all is kept            is looked through                not yet Apple's to show
/// ```
package struct SweepPlan: Sendable, Hashable {
    /// When a server that can ask Apple was last known to live. A longer pause than ``longestSilence`` is a stretch in which no
    /// server lived, or of which a restored backup knows nothing.
    package private(set) var aliveAt: Timestamp
    /// Everything before it stands in a slice, or was looked through.
    package private(set) var plannedUntil: Timestamp
    /// When an hourly sweep was last planned; nil before the first. It is kept by this name since it was about failures alone.
    package private(set) var failuresAt: Timestamp?
    /// When the last nightly sweep was planned; at first when the plan began.
    package private(set) var nightlyAt: Timestamp
    /// What is not looked through to its end yet, in the order in which it was planned.
    package private(set) var open: [SweepSlice]
    /// The last notification that any server took from Apple; nil where none was since there is a plan.
    package private(set) var heard: HeardNotification?
    private var planned: Int64

    /// Where nothing is known of what came before: nothing is missing from now on.
    package init(at now: Timestamp) {
        self.init(aliveAt: now, plannedUntil: now, failuresAt: nil, nightlyAt: now, slices: SweepSlices(planned: 0, open: []))
    }

    /// As it is kept.
    package init(
        aliveAt: Timestamp, plannedUntil: Timestamp, failuresAt: Timestamp?, nightlyAt: Timestamp, slices: SweepSlices,
        heard: HeardNotification? = nil
    ) {
        self.heard = heard
        self.aliveAt = aliveAt
        self.plannedUntil = plannedUntil
        self.failuresAt = failuresAt
        self.nightlyAt = nightlyAt
        (planned, open) = (slices.planned, slices.open)
    }

    package var slices: SweepSlices { SweepSlices(planned: planned, open: open) }

    /// The instant up to which it is sure that nothing is missing: everything that Apple told before it is kept.
    package var sureUntil: Timestamp {
        open.lazy.filter(\.purpose.decidesWhatIsSure).map(\.from).reduce(plannedUntil) { min($0, $1) }
    }

    /// When the oldest sweep of a stretch was planned in which no server lived; nil where none is open.
    package var sweepsOutageSince: Timestamp? { open.lazy.filter { $0.purpose == .outage }.map(\.plannedAt).min() }

    /// Notes what a server took from Apple since it looked last.
    package mutating func note(_ heard: HeardNotification?) {
        guard let heard, heard.receivedAt > self.heard?.receivedAt ?? Timestamp(millisecondsSince1970: .min) else { return }
        self.heard = heard
    }

    // MARK: Planning

    /// What a sweep rests on.
    package struct Terms: Sendable, Hashable {
        /// How far back Apple keeps notifications.
        package var reach: Milliseconds
        /// Whether everything is looked through every night as well.
        package var isNightly: Bool
        /// What is looked through every hour, at a start and after refusals.
        package var hourly: HourlySweep

        package init(reach: Milliseconds, isNightly: Bool = true, hourly: HourlySweep = .everything) {
            self.reach = reach
            self.isNightly = isNightly
            self.hourly = hourly
        }
    }

    /// Why a server looks at the plan.
    package enum Occasion: Sendable, Hashable {
        /// It has just started.
        case start
        /// A minute has passed.
        case minute
        /// It could not take some of Apple's notifications lately, and can again.
        case afterRefusals
    }

    /// A silence of the servers that is longer counts as a stretch in which none lived.
    package static let longestSilence = Milliseconds.minutes(5)
    /// How long Apple may need to show what it told. Nobody documents it; the next sweep overlaps by ``overlap``.
    package static let settling = Milliseconds.minutes(1)
    /// How far an hourly sweep goes back behind what is sure.
    package static let overlap = Milliseconds.hours(1)
    /// An hourly sweep at a start or after refusals is not planned twice in so short a time, however often servers start.
    package static let shortestPause = Milliseconds.minutes(5)
    /// What a nightly sweep looks through: a day, and an hour beside.
    package static let night = Milliseconds.hours(25)
    /// The hour of the day (UTC) at which a nightly sweep is planned.
    package static let nightlyHour = Milliseconds.hours(3)
    /// So many slices are begun side by side, whatever a sweep looks through: those that turn out to hold much are divided
    /// (``divide(_:at:)``), so that a history that holds little costs few calls.
    package static let sideBySide: Int64 = 8

    /// Notes that a server lives, and plans what is to be looked through.
    ///
    /// - Returns: new slices; their work is to be ordered.
    package mutating func plan(_ occasion: Occasion, at now: Timestamp, _ terms: Terms) -> [SweepSlice] {
        forgetWrongClocks(at: now)
        let (settled, oldest) = (now.adding(Milliseconds(-Self.settling.count)), now.adding(Milliseconds(-terms.reach.count)))
        var new: [SweepSlice] = []
        if now.since(aliveAt).count > Self.longestSilence.count {
            let lastSeen = min(aliveAt, plannedUntil).adding(Milliseconds(-Self.shortestPause.count))
            new += slices(.outage, max(lastSeen, oldest), now, at: now)
            // All of it is looked through, so that it need not be by the hour, nor what lies within it at night.
            if now.since(aliveAt).count >= Self.night.count { nightlyAt = now }
            (failuresAt, plannedUntil) = (now, now)
        } else if isTimeForHourly(occasion, at: now), !open.contains(where: \.purpose.isHourly) {
            let from = max(plannedUntil.adding(Milliseconds(-Self.overlap.count)), oldest)
            new.append(slice(terms.hourly == .failures ? .failures : .hourly, from, settled, at: now))
            (failuresAt, plannedUntil) = (now, max(plannedUntil, settled))
        }
        aliveAt = now
        if terms.isNightly, Self.night(of: now) > Self.night(of: nightlyAt), !open.contains(where: { $0.purpose == .nightly }) {
            nightlyAt = now
            new += slices(.nightly, max(now.adding(Milliseconds(-Self.night.count)), oldest), settled, at: now)
        }
        open += new
        return new
    }

    /// Notes that a server has lived without a pause since an instant, though a clock moved by more meanwhile than time passed: a
    /// local App Store's. What others noted before that instant stays a silence.
    package mutating func live(since begin: Timestamp, until now: Timestamp) {
        if aliveAt >= begin { aliveAt = max(aliveAt, now) }
    }

    /// Plans to look through everything of a stretch, because somebody asked for it.
    ///
    /// - Returns: new slices; their work is to be ordered.
    package mutating func plan(from: Timestamp, until: Timestamp, at now: Timestamp) -> [SweepSlice] {
        guard from < until else { return [] }
        let new = slices(.asked, from, until, at: now)
        open += new
        return new
    }

    private func isTimeForHourly(_ occasion: Occasion, at now: Timestamp) -> Bool {
        guard let failuresAt else { return true }
        let pause = now.since(failuresAt).count
        return pause >= (occasion == .minute ? Self.overlap : Self.shortestPause).count
    }

    private static func night(of instant: Timestamp) -> Int64 {
        let day = Milliseconds.hours(24).count
        let since = instant.adding(Milliseconds(-nightlyHour.count)).millisecondsSince1970
        return since >= 0 ? since / day : (since - day + 1) / day
    }

    /// Several, since pages follow each other and slices do not; none shorter than an hour but the last.
    private mutating func slices(_ purpose: SweepSlice.Purpose, _ from: Timestamp, _ until: Timestamp, at now: Timestamp)
        -> [SweepSlice]
    {
        let span = until.since(from).count
        let length = max(Milliseconds.hours(1).count, (span + Self.sideBySide - 1) / Self.sideBySide)
        return stride(from: Int64(0), to: span, by: Int64.Stride(length)).map { offset in
            let begin = from.adding(Milliseconds(offset))
            return slice(purpose, begin, min(until, begin.adding(Milliseconds(length))), at: now)
        }
    }

    private mutating func slice(_ purpose: SweepSlice.Purpose, _ from: Timestamp, _ until: Timestamp, at now: Timestamp)
        -> SweepSlice
    {
        planned += 1
        return SweepSlice(number: planned, from: from, until: until, purpose: purpose, plannedAt: now)
    }

    /// A clock that was ahead would hide that no server lived.
    private mutating func forgetWrongClocks(at now: Timestamp) {
        aliveAt = min(aliveAt, now)
        plannedUntil = min(plannedUntil, now)
        failuresAt = failuresAt.map { min($0, now) }
        nightlyAt = min(nightlyAt, now)
    }

    // MARK: Looking through

    /// A slice was looked through to its end.
    package mutating func end(_ number: Int64) { open.removeAll { $0.number == number } }

    /// Divides a slice that turned out to hold much: it ends at the instant, and what comes after is another one's.
    ///
    /// - Returns: the new one, whose work is to be ordered; nil where the instant does not lie within the slice.
    package mutating func divide(_ number: Int64, at middle: Timestamp) -> SweepSlice? {
        guard let index = open.firstIndex(where: { $0.number == number }), open[index].from < middle, middle < open[index].until
        else { return nil }
        let whole = open[index]
        open[index].until = middle
        planned += 1
        let rest = SweepSlice(
            number: planned, from: middle, until: whole.until, purpose: whole.purpose, plannedAt: whole.plannedAt)
        open.append(rest)
        return rest
    }
}

/// What is looked through every hour.
package enum HourlySweep: String, Sendable, Hashable, CaseIterable {
    /// All that Apple told, whether it arrived or not: whatever answers Apple in our place, nothing is missed for longer than an
    /// hour. Each notification is read twice, since sweeps overlap: a page for ten of them.
    case everything
    /// What Apple could not deliver, which is an empty page as a rule. What somebody else answered is found at night.
    case failures
}

/// A stretch of an app's notification history that is looked through page by page.
package struct SweepSlice: Sendable, Hashable, Codable {
    /// Its own among all of its plan.
    package let number: Int64
    package let from: Timestamp
    /// Not included.
    package internal(set) var until: Timestamp
    package let purpose: Purpose
    package let plannedAt: Timestamp

    package init(number: Int64, from: Timestamp, until: Timestamp, purpose: Purpose, plannedAt: Timestamp) {
        self.number = number
        self.from = from
        self.until = until
        self.purpose = purpose
        self.plannedAt = plannedAt
    }

    package enum Purpose: String, Sendable, Hashable, Codable, CaseIterable {
        /// Everything since the last one, hour by hour.
        case hourly
        /// In its place, what Apple could not deliver.
        case failures
        /// Everything of a stretch in which no server lived.
        case outage
        /// Everything of the last day, which shows whether the other sweeps miss anything.
        case nightly
        /// Everything of a stretch that somebody asked for.
        case asked

        /// Whether nothing is sure before it is done. A nightly sweep looks through again what was sure already.
        package var decidesWhatIsSure: Bool { self != .nightly }
        package var wantsFailuresOnly: Bool { self == .failures }
        fileprivate var isHourly: Bool { self == .hourly || self == .failures }
    }
}

/// A notification that Apple posted, as evidence that it knows where to post.
package struct HeardNotification: Sendable, Hashable {
    package let receivedAt: Timestamp
    package let signedDate: Timestamp

    package init(receivedAt: Timestamp, signedDate: Timestamp) {
        self.receivedAt = receivedAt
        self.signedDate = signedDate
    }
}

/// The open slices of a plan, as they are kept.
package struct SweepSlices: Sendable, Hashable, Codable {
    /// How many were ever planned.
    package let planned: Int64
    package let open: [SweepSlice]

    package init(planned: Int64, open: [SweepSlice]) {
        self.planned = planned
        self.open = open
    }
}

/// A plan as it is kept, for operators.
package struct StoredSweepPlan: Sendable, Hashable {
    package let scope: Scope
    package let plan: SweepPlan

    package init(_ scope: Scope, _ plan: SweepPlan) {
        self.scope = scope
        self.plan = plan
    }
}
