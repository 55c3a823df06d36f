package import Primitives

/// How Apple's services behave where Apple documents nothing, or may behave in several ways.
package struct ServiceBehaviour: Sendable, Hashable, Codable {
    /// In what form 429 says when to retry.
    package enum RetryAfterForm: String, Sendable, Hashable, CaseIterable, Codable {
        /// UNIX time in milliseconds.
        ///
        /// Source: Apple, "Identifying rate limits".
        case unixMilliseconds
        case unixSeconds
        /// Seconds from now, rounded up.
        ///
        /// Source: RFC 9110, section 10.2.3.
        case delaySeconds
        /// UNIX milliseconds, an hour before now.
        case past
        /// UNIX milliseconds, a hundred years from now.
        case farFuture
        /// There is no such header.
        case absent
    }

    /// Which clock the hours of rate limits are measured by, and `Retry-After` is given in.
    package enum LimitClock: String, Sendable, Hashable, CaseIterable, Codable {
        /// The real time: a limit passes even where the store's clock stands.
        case outside
        case store
    }

    /// Which date of a notification decides whether it is in the window of a history request.
    package enum NotificationWindow: String, Sendable, Hashable, CaseIterable, Codable {
        case signedDate
        /// The date of the first attempt to send it; `signedDate` where there was none.
        case firstAttempt
    }

    package var retryAfter = RetryAfterForm.unixMilliseconds
    package var limitClock = LimitClock.outside
    package var notificationWindow = NotificationWindow.signedDate
    /// How long after its page a `paginationToken` of the notification history is accepted, by the store's clock; nil: always.
    package var paginationTokenLifetime: Milliseconds?
    /// How many of the next tokens of that kind have expired when they are given.
    package var deadPaginationTokens: Int64 = 0
    /// How old a notification must be, by the store's clock, to be in the notification history.
    package var notificationLag = Milliseconds(0)

    /// Notifications before this place in the outbox are shown whatever the lag is: they were shown when it was set.
    var shownPlaces = 0

    static let longestTokenLifetime = Milliseconds.days(30)
    static let longestLag = Milliseconds.days(30)
    static let mostDeadTokens: Int64 = 1_000_000

    package init() {}

    /// Whether its numbers are possible ones; in a saved state they may not be.
    var isWhole: Bool {
        shownPlaces >= 0 && (0...Self.mostDeadTokens).contains(deadPaginationTokens)
            && (0...Self.longestLag.count).contains(notificationLag.count)
            && paginationTokenLifetime.map { (0...Self.longestTokenLifetime.count).contains($0.count) } ?? true
    }

    /// What 429 says about an instant at which a call would be accepted: when to retry, and in what words; nil: nothing.
    func retryAfter(_ instant: Timestamp, now: Timestamp) -> (instant: Timestamp, text: String)? {
        let said: Timestamp =
            switch retryAfter {
            case .unixMilliseconds, .unixSeconds, .delaySeconds, .absent: instant
            case .past: now.adding(.hours(-1))
            case .farFuture: now.adding(.days(36_525))
            }
        switch retryAfter {
        case .unixMilliseconds, .past, .farFuture: return (said, "\(said.millisecondsSince1970)")
        case .unixSeconds: return (said, "\(Self.wholeSeconds(said.millisecondsSince1970))")
        case .delaySeconds: return (said, "\(Self.wholeSeconds(max(0, said.since(now).count)))")
        case .absent: return nil
        }
    }

    /// Rounded up, so that nobody is told to come back before it helps.
    private static func wholeSeconds(_ milliseconds: Int64) -> Int64 { (milliseconds + 999) / 1000 }
}
