import Foundation

/// Waiting on one socket until a deadline, without trusting the kernel to notice that the other side is gone.
enum SocketWait {
    struct Readiness: OptionSet {
        let rawValue: Int16

        static let read = Readiness(rawValue: Int16(POLLIN))
        static let write = Readiness(rawValue: Int16(POLLOUT))
    }

    /// True once the socket is ready for one of what was asked, or broken; false when the deadline has come.
    static func wait(_ socket: Int32, for wanted: Readiness, until deadline: ContinuousClock.Instant) -> Bool {
        let clock = ContinuousClock()
        var descriptor = pollfd(fd: socket, events: wanted.rawValue, revents: 0)
        // Bounded by the deadline: a signal's interruption only computes the rest anew.
        while true {
            let rest = clock.now.duration(to: deadline)
            let ready = poll(&descriptor, 1, milliseconds(rest))
            if ready > 0 { return true }
            if ready == 0, clock.now >= deadline { return false }
            // Anything but an interruption (a bad descriptor) is for libpq to report.
            if ready < 0, errno != EINTR { return true }
        }
    }

    /// Whether something has come that nobody asked for: on an idle connection a notice, or the server's farewell.
    static func hasInput(_ socket: Int32) -> Bool {
        var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return poll(&descriptor, 1, 0) != 0
    }

    /// Rounded up, so that a wait never turns into spinning; at most an hour.
    private static func milliseconds(_ duration: Duration) -> Int32 {
        guard duration > .zero else { return 0 }
        guard duration < .seconds(3600) else { return 3_600_000 }
        return Int32(duration.wholeMilliseconds + 1)
    }
}

extension Duration {
    /// Rounded down; never beyond what an `Int64` holds for the durations of settings.
    var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds.multipliedReportingOverflow(by: 1000).partialValue &+ attoseconds / 1_000_000_000_000_000
    }
}

/// How long an answer is still waited for: `answerTimeout` from the last sign of life, `batchTimeout` in all.
struct Patience {
    private let answerTimeout: Duration
    private let end: ContinuousClock.Instant
    private(set) var deadline: ContinuousClock.Instant

    init(_ settings: PostgresSettings) {
        let now = ContinuousClock().now
        answerTimeout = settings.answerTimeout
        end = now + settings.batchTimeout
        deadline = min(end, now + answerTimeout)
    }

    /// Something moved.
    mutating func renew() { deadline = min(end, ContinuousClock().now + answerTimeout) }
}
