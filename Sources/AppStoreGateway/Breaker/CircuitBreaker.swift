package import Primitives

/// Leaves a host alone that fails: calls that would only wait for its time-out are refused at once, and one at a time asks
/// whether it works again.
///
/// A plain value: the time and the chance come in as arguments. Each call is admitted first and its result recorded afterwards,
/// with what admission gave.
///
/// ```
/// closed ── 5 failures in a row, or 10 of the last 20 ──▶ open ── its pause is over, one call is admitted ──▶ probing
///   ▲                                                      ▲                                                   │
///   └───────────────── any success ────────────────────────┴──────────── the probe fails: a longer pause ──────┘
/// ```
/// Only a failure opens it. A host that refuses a call for the caller's own reasons (429, 401, 404) works: its results are
/// successes here.
///
/// Source: reliability case F16.
package struct CircuitBreaker: Sendable, Hashable {
    /// What is visible of it.
    package enum State: Sendable, Hashable {
        /// Calls go through.
        case closed
        /// No call goes through before this instant.
        case open(until: Timestamp)
        /// One call is on its way; the others wait for its result.
        case probing
    }

    /// The permission for one call.
    package enum Ticket: Sendable, Hashable {
        /// One of many.
        case ordinary
        /// The only one; the number tells a probe that is given up from the one after it.
        case probe(Int64)
    }

    /// Whether a call may be made.
    package enum Admission: Sendable, Hashable {
        /// It may; its result is to be recorded with the ticket.
        case admitted(Ticket)
        /// It may not; the instant is the earliest for another attempt.
        case refused(until: Timestamp)
    }

    /// What a call says about the host.
    package enum Outcome: Sendable, Hashable {
        /// The host answered, whatever it answered.
        case answered
        /// The host did not answer, or said that it cannot.
        case failed
        /// Nothing: the call was cancelled.
        case unknown
    }

    /// So many failures in a row open it.
    package static let failuresInARow = 5
    /// Half of so many results open it, too.
    package static let window = 20
    /// The pause before the first probe.
    package static let firstPause = Milliseconds.seconds(30)
    /// The pauses after that: each twice as long as the one before, by chance between half and all of it.
    package static let laterPauses = Backoff(first: firstPause, greatest: .minutes(10))
    /// A probe without a result after this long is given up, so that a lost one cannot keep the host closed off.
    package static let longestProbe = Milliseconds.minutes(2)

    private enum Phase: Hashable {
        case closed
        case open(until: Timestamp, failedProbes: Int)
        case probing(number: Int64, givenUpAt: Timestamp, failedProbes: Int)
    }

    private var phase = Phase.closed
    private var consecutiveFailures = 0
    /// A bit for each of the last results, 1 for a failure, the newest lowest.
    private var recent: UInt32 = 0
    private var recentCount = 0
    private var probes: Int64 = 0

    /// Closed, without any results.
    package init() {}

    /// What is visible of it.
    package var state: State {
        switch phase {
        case .closed: .closed
        case .open(let until, _): .open(until: until)
        case .probing: .probing
        }
    }

    /// Whether a call may be made now.
    package mutating func admit(at now: Timestamp) -> Admission {
        switch phase {
        case .closed: return .admitted(.ordinary)
        case .open(let until, let failedProbes): return admit(at: now, from: until, failedProbes)
        case .probing(_, let givenUpAt, let failedProbes): return admit(at: now, from: givenUpAt, failedProbes)
        }
    }

    private mutating func admit(at now: Timestamp, from instant: Timestamp, _ failedProbes: Int) -> Admission {
        // A clock that was set back must not prolong a pause without bounds.
        guard now >= instant || instant.since(now) > Self.laterPauses.greatest else { return .refused(until: instant) }
        probes += 1
        phase = .probing(number: probes, givenUpAt: now.adding(Self.longestProbe), failedProbes: failedProbes)
        return .admitted(.probe(probes))
    }

    /// Records a call's result.
    ///
    /// - Parameters:
    ///   - outcome: what the call says about the host.
    ///   - ticket: what admission gave for the call.
    ///   - now: when the result arrived.
    ///   - chance: 0 to 1, another one each time.
    package mutating func record(_ outcome: Outcome, of ticket: Ticket, at now: Timestamp, chance: Double) {
        switch outcome {
        case .answered: succeed()
        case .failed: fail(ticket, at: now, chance: chance)
        case .unknown: release(ticket, at: now)
        }
    }

    private mutating func succeed() {
        guard phase == .closed else {
            self = CircuitBreaker(probes: probes)
            return
        }
        consecutiveFailures = 0
        note(isFailure: false)
    }

    private mutating func fail(_ ticket: Ticket, at now: Timestamp, chance: Double) {
        switch (phase, ticket) {
        case (.closed, _):
            consecutiveFailures += 1
            note(isFailure: true)
            let isHalf = recentCount == Self.window && recent.nonzeroBitCount * 2 >= Self.window
            guard consecutiveFailures >= Self.failuresInARow || isHalf else { return }
            phase = .open(until: now.adding(Self.firstPause), failedProbes: 0)
        case (.probing(let number, _, let failedProbes), .probe(let failed)) where failed == number:
            // The second pause is the first that is doubled.
            let pause = Self.laterPauses.pause(afterFailures: failedProbes + 2, chance: chance)
            phase = .open(until: now.adding(pause), failedProbes: failedProbes + 1)
        default:
            // A call from before it opened, or a probe that was given up: known already.
            return
        }
    }

    /// A probe that says nothing leaves its place to the next call.
    private mutating func release(_ ticket: Ticket, at now: Timestamp) {
        guard case .probing(let number, _, let failedProbes) = phase, ticket == .probe(number) else { return }
        phase = .open(until: now, failedProbes: failedProbes)
    }

    private mutating func note(isFailure: Bool) {
        recent = (recent << 1 | (isFailure ? 1 : 0)) & (1 << UInt32(Self.window) - 1)
        recentCount = min(recentCount + 1, Self.window)
    }

    private init(probes: Int64) { self.probes = probes }
}
