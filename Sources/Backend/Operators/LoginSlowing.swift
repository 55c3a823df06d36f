import Primitives
import Storage

/// How failed logins slow down those that follow (docs/decisions/0059): the tenth failure with a name, or from an address, asks
/// for a second's pause, each one after it for twice as long, and none for more than a minute. Nobody is ever locked out.
///
/// Source: OWASP ASVS 4.0.3, 2.2.1.
enum LoginSlowing {
    /// So many failures ask for no pause.
    static let free: Int64 = 10
    static let longest = Milliseconds.seconds(60)
    /// After so long without another one failures are forgotten.
    static let remembered = Milliseconds.days(1)

    /// How long after the last of so many failures the next login may be tried.
    static func pause(after failures: Int64) -> Milliseconds {
        guard failures >= free else { return .seconds(0) }
        return min(.seconds(1 << min(failures - free, 6)), longest)
    }

    /// How many seconds are left; nil where the next one may be tried.
    static func wait(after failures: LoginFailures?, at now: Timestamp) -> Int64? {
        guard let failures else { return nil }
        let end = failures.lastAt.adding(pause(after: failures.count))
        // A clock that went back makes nobody wait for longer than the longest pause.
        let left = min(end.since(now), longest)
        return left > Milliseconds(0) ? (left.count + 999) / 1000 : nil
    }

    /// Whether a failure is written into the audit: the first ten, then every hundredth, so that whoever tries names does not
    /// fill it.
    static func isNoted(_ failures: Int64) -> Bool { failures <= free || failures % 100 == 0 }
}
