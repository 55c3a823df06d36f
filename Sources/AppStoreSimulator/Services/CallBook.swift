package import Primitives

/// The calls of one endpoint, one app and one environment, by the store's clock.
package struct CallCount: Sendable, Hashable, Codable {
    /// Some calls of one instant, or within one hour from an instant on.
    package struct Share: Sendable, Hashable, Codable {
        package internal(set) var from: Timestamp
        package internal(set) var calls: Int64
    }

    package private(set) var calls: Int64 = 0
    /// Calls that came although an earlier answer had said that it is too early for them.
    package private(set) var earlyCalls: Int64 = 0
    /// How many answers had each HTTP status; a call that was never answered has none.
    package private(set) var statuses: [Int: Int64] = [:]
    /// The calls of each hour of the clock that had any, oldest first; of the newest ones.
    package private(set) var hours: [Share] = []
    /// The hour with the most calls, wherever it begins: it begins with a call.
    package private(set) var busiestHour: Share?
    /// The calls of the last hour, by instant.
    private var recent: [Share] = []
    /// Where in ``recent`` the last hour begins, and how many calls it has.
    private var begin = 0
    private var recentCalls: Int64 = 0

    /// Hours of the clock that are kept: more than a year.
    static let maximumHours = 10_000
    private static let hour = Milliseconds.hours(1)

    mutating func note(at now: Timestamp, isEarly: Bool) {
        calls += 1
        if isEarly { earlyCalls += 1 }
        Self.add(to: &hours, at: Timestamp(millisecondsSince1970: now.millisecondsSince1970 / Self.hour.count * Self.hour.count))
        if hours.count > Self.maximumHours { hours.removeFirst(Self.maximumHours / 10) }
        Self.add(to: &recent, at: now)
        recentCalls += 1
        while now.since(recent[begin].from) >= Self.hour {
            recentCalls -= recent[begin].calls
            begin += 1
        }
        // Rarely, because it costs in proportion to what is left.
        if begin > 1000, begin > recent.count / 2 {
            recent.removeFirst(begin)
            begin = 0
        }
        if recentCalls > busiestHour?.calls ?? 0 { busiestHour = Share(from: recent[begin].from, calls: recentCalls) }
    }

    mutating func note(status: Int) { statuses[status, default: 0] += 1 }

    private static func add(to shares: inout [Share], at instant: Timestamp) {
        if shares.last?.from == instant {
            shares[shares.count - 1].calls += 1
        } else {
            shares.append(Share(from: instant, calls: 1))
        }
    }

    /// Whether its places exist, and counting on from here does not overflow; in a saved state it may be otherwise.
    var isWhole: Bool {
        let counts = [calls, earlyCalls, recentCalls] + statuses.values + (hours + recent).map(\.calls)
        return (recent.isEmpty ? begin == 0 : recent.indices.contains(begin))
            && counts.allSatisfy((0...Int64(1) << 60).contains)
    }
}

/// All calls of the App Store Server API: so that a test can say how many there were at most in any hour.
struct CallBook: Sendable, Hashable, Codable {
    struct Entry: Sendable, Hashable, Codable {
        let of: CalledEndpoint
        var count = CallCount()
        /// Before this instant, of the clock that limits are measured by, a call is too early.
        var retryAt: Timestamp?
    }

    private var entries: [Entry] = []

    /// One entry for each endpoint, app and environment that was called, in the order of the first calls.
    var all: [Entry] { entries }

    var isWhole: Bool { entries.allSatisfy(\.count.isWhole) }

    /// - Parameter limitNow: the time of the clock that limits are measured by.
    mutating func note(_ called: CalledEndpoint, at now: Timestamp, limitNow: Timestamp) {
        let place = place(of: called)
        let isEarly = entries[place].retryAt.map { limitNow < $0 } ?? false
        entries[place].count.note(at: now, isEarly: isEarly)
    }

    mutating func noteAnswer(_ called: CalledEndpoint, status: Int, retryAt: Timestamp?) {
        let place = place(of: called)
        entries[place].count.note(status: status)
        // A call that was accepted shows that it is no longer too early; other failures say nothing about it.
        if status == 429 || status < 300 { entries[place].retryAt = retryAt }
    }

    /// They mean nothing by another clock.
    mutating func forgetRetryInstants() {
        for place in entries.indices { entries[place].retryAt = nil }
    }

    /// There are few, so they are searched one by one.
    private mutating func place(of called: CalledEndpoint) -> Int {
        if let place = entries.firstIndex(where: { $0.of == called }) { return place }
        entries.append(Entry(of: called))
        return entries.count - 1
    }
}
