package import Primitives

/// How many calls all servers together may still make to one endpoint of Apple's, for one app in one environment.
///
/// A generic cell rate: each call takes its part of an hour, and the end of what is taken (``tat``) may run ahead of now by an
/// allowance. A plain value: time comes in as an argument. Servers share it by keeping it in their store under a lock, and they
/// keep it after every change, also where it says to wait: that is how a clock that was wrong is forgotten.
///
/// ```
/// now ──────────── tat ─────────────── now + allowance
///      is taken         may be taken
/// ```
/// In any hour at most `ceiling` calls are granted and the allowance's worth beside them. Apple counts by the hour, so that calls
/// in a burst do no harm.
package struct CallBudget: Sendable, Hashable {
    /// Until when the time for calls is taken ("theoretical arrival time"); free where it is in the past.
    package private(set) var tat: Timestamp
    /// No call is granted before this instant: Apple refused one for being too many.
    package private(set) var blockedUntil: Timestamp
    /// The rate in force; the ceiling, unless Apple refused calls lately.
    package private(set) var callsPerHour: Int64
    /// From when on quiet hours count that raise the rate; the end of the block where there is one.
    package private(set) var raisedAt: Timestamp

    /// What ``take(upTo:at:ceiling:allowance:)`` answers.
    package enum Grant: Sendable, Hashable {
        /// So many calls may be made at once; at least 1.
        case granted(Int)
        /// None; the instant is the earliest at which one may be granted.
        case wait(until: Timestamp)
    }

    /// However far a caller lets ``tat`` run ahead. Where it is further ahead, a clock was wrong.
    package static let longestAllowance = Milliseconds(hour)
    /// Whatever an answer says. Where a block lasts longer, a clock was wrong.
    package static let longestBlock = Milliseconds.hours(24)
    /// The same where an answer names an instant that is past: servers take calls for about a second at once, and those that were
    /// taken are refused, too.
    package static let shortestBlock = Milliseconds.seconds(1)
    /// How far what is taken runs ahead of now when a block ends, so that calls begin again one by one.
    package static let spentByBlock = Milliseconds.minutes(5)
    /// The rate never falls below this part of the ceiling.
    package static let lowestPart: Int64 = 60
    /// A quiet hour gives this part of the ceiling back.
    package static let raisedPart: Int64 = 10

    private static let hour: Int64 = 3_600_000
    /// So that no product overflows; far more than anybody can send.
    private static let highestRate: Int64 = 1_000_000_000

    /// Of which nothing is taken.
    package init(callsPerHour: Int64, at now: Timestamp) {
        self.init(tat: now, blockedUntil: now, callsPerHour: callsPerHour, raisedAt: now)
    }

    /// As it is kept.
    package init(tat: Timestamp, blockedUntil: Timestamp, callsPerHour: Int64, raisedAt: Timestamp) {
        self.tat = tat
        self.blockedUntil = blockedUntil
        self.callsPerHour = callsPerHour
        self.raisedAt = raisedAt
    }

    /// Takes calls, as many as there are.
    ///
    /// - Parameters:
    ///   - calls: how many are wanted; at least 1 is.
    ///   - ceiling: our share of Apple's limit, in calls per hour; nothing is granted where it is not positive.
    ///   - allowance: how far ``tat`` may run ahead of `now`, at most an hour. Callers of less urgent classes give a smaller one:
    ///     while others keep ``tat`` ahead of that, they get none. One call is always granted where nothing is taken, however
    ///     small it is.
    package mutating func take(upTo calls: Int, at now: Timestamp, ceiling: Int64, allowance: Milliseconds) -> Grant {
        guard ceiling > 0 else { return .wait(until: now.adding(Milliseconds(Self.hour))) }
        forgetWrongClocks(at: now)
        raise(to: min(ceiling, Self.highestRate), at: now)
        guard blockedUntil <= now else { return .wait(until: blockedUntil) }
        let single = duration(of: 1)
        let lead = max(min(allowance.count, Self.longestAllowance.count), single)
        let begin = max(tat, now)
        let room = now.adding(Milliseconds(lead)).since(begin).count
        let fitting = room > 0 ? room * callsPerHour / Self.hour : 0
        guard fitting > 0 else { return .wait(until: tat.adding(Milliseconds(single - lead))) }
        let granted = min(Int64(max(calls, 1)), fitting)
        tat = begin.adding(Milliseconds(duration(of: granted)))
        return .granted(Int(granted))
    }

    /// Stops all servers: Apple refused a call for being too many. Halves the rate, once for all refusals of one block; the next
    /// ``take(upTo:at:ceiling:allowance:)``, which knows the ceiling, keeps it from falling too low.
    ///
    /// - Parameter until: when calls may be made again, as Apple says; between ``shortestBlock`` and ``longestBlock`` from `now`.
    package mutating func block(until: Timestamp, at now: Timestamp) {
        forgetWrongClocks(at: now)
        if blockedUntil <= now { callsPerHour = max(callsPerHour / 2, 1) }
        let end = max(min(until, now.adding(Self.longestBlock)), now.adding(Self.shortestBlock))
        blockedUntil = max(blockedUntil, end)
        // Nothing is saved up for a burst: Apple counts otherwise than this did.
        tat = max(tat, blockedUntil.adding(Self.spentByBlock))
        raisedAt = blockedUntil
    }

    /// The part of an hour that so many calls take, rounded up.
    private func duration(of calls: Int64) -> Int64 { (calls * Self.hour + callsPerHour - 1) / callsPerHour }

    /// Gives back what quiet hours give, within the bounds. At the ceiling the quiet hours stay uncounted: a higher one, which an
    /// operator chose, then counts at once.
    private mutating func raise(to ceiling: Int64, at now: Timestamp) {
        callsPerHour = min(max(callsPerHour, ceiling / Self.lowestPart, 1), ceiling)
        let quietHours = now.since(raisedAt).count / Self.hour
        guard callsPerHour < ceiling, quietHours > 0 else { return }
        let step = (ceiling + Self.raisedPart - 1) / Self.raisedPart
        callsPerHour = min(callsPerHour + min(quietHours, Self.raisedPart) * step, ceiling)
        raisedAt = raisedAt.adding(Milliseconds(quietHours * Self.hour))
    }

    /// A clock that is ahead would stop all servers until the others reach it.
    private mutating func forgetWrongClocks(at now: Timestamp) {
        tat = min(tat, now.adding(Self.longestAllowance))
        blockedUntil = min(blockedUntil, now.adding(Self.longestBlock))
        raisedAt = min(raisedAt, max(now, blockedUntil))
    }
}

/// The budget of one endpoint, for one app in one environment.
package struct BudgetName: Sendable, Hashable {
    package let scope: Scope
    /// Which calls share the budget; the words are those of whoever makes them, and stable.
    package let endpoint: String

    package init(_ scope: Scope, _ endpoint: String) {
        self.scope = scope
        self.endpoint = endpoint
    }
}

/// A budget as it is kept, for operators.
package struct StoredBudget: Sendable, Hashable {
    package let name: BudgetName
    package let budget: CallBudget

    package init(_ name: BudgetName, _ budget: CallBudget) {
        self.name = name
        self.budget = budget
    }
}
