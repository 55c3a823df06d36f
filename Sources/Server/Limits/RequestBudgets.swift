import HTTPTypes
import Ledger
import Synchronization

/// How many requests each caller may make in a minute (T36). All of them may come at once; then they come back one after the
/// other, evenly.
///
/// Each holder costs one number, the instant at which all its requests are back (the generic cell rate algorithm, ITU-T I.371,
/// annex A).
final class RequestBudgets: Sendable {
    enum Holder: Sendable, Hashable {
        /// By its name.
        case serverKey(AppID, String)
        /// All customers of an app who show it together; by its name.
        case publicKey(AppID, String)
        case customer(AppID, CustomerID)
        /// Keys and tokens that are not right, from one address.
        case wrongKeys(ConnectionsPerAddress.Peer)
    }

    /// What is left of a budget after a request was counted.
    struct Standing: Sendable, Hashable {
        let holder: Holder
        /// How many requests the holder may make in a minute.
        let perMinute: Int
        /// How many of them may come at once, now.
        let remaining: Int
        /// After how many seconds all of them are back, if none comes until then.
        let secondsUntilFull: Int
    }

    /// The holder has made as many requests as it may.
    struct Spent: Error, Equatable {
        /// ``Standing/remaining`` is 0.
        let standing: Standing
        /// When the next one is there, in whole seconds from now; at least 1.
        let retryAfterSeconds: Int
    }

    /// Holders that are remembered at the most, about 100 bytes each.
    private static let mostHolders = 65_536

    private let clock: @Sendable () -> ContinuousClock.Instant
    private let full = Mutex<[Holder: ContinuousClock.Instant]>([:])

    /// - Parameter clock: one that does not jump.
    init(clock: @escaping @Sendable () -> ContinuousClock.Instant) { self.clock = clock }

    /// Counts one request.
    ///
    /// - Parameter perMinute: how many the holder may make; 0: any number, and nothing is counted.
    /// - Returns: what is left; nil where nothing is counted.
    /// - Throws: `Spent` if it may not make this one.
    @discardableResult func spend(_ holder: Holder, perMinute: Int) throws -> Standing? {
        guard perMinute > 0 else { return nil }
        let (now, minute) = (clock(), Duration.seconds(60))
        let each = minute / perMinute
        func standing(owing: Duration) -> Standing {
            let remaining = max(0, (minute - owing).nanoseconds / max(1, each.nanoseconds))
            return Standing(
                holder: holder, perMinute: perMinute, remaining: Int(remaining), secondsUntilFull: owing.wholeSeconds)
        }
        return try full.withLock { full in
            let owed = max(full[holder] ?? now, now)
            let early = owed + each - now - minute
            guard early <= .zero else {
                throw Spent(standing: standing(owing: owed - now), retryAfterSeconds: early.wholeSeconds)
            }
            if full[holder] == nil, full.count >= Self.mostHolders { Self.forget(&full, at: now) }
            full[holder] = owed + each
            return standing(owing: owed + each - now)
        }
    }

    /// Holders whose whole budget is back are forgotten. If those are too few, all are: forgetting favours the callers, and
    /// looking through the table again at each request would favour a caller with a million addresses.
    private static func forget(_ full: inout [Holder: ContinuousClock.Instant], at now: ContinuousClock.Instant) {
        full = full.filter { $0.value > now }
        if full.count > mostHolders / 2 { full = [:] }
    }
}

extension RequestBudgets.Standing {
    /// What the budget is called in `RateLimit` and `RateLimit-Policy`, between quotation marks.
    fileprivate var policy: String {
        switch holder {
        case .serverKey: "\"serverKey\""
        case .publicKey: "\"publicKey\""
        case .customer: "\"customer\""
        case .wrongKeys: "\"wrongKeys\""
        }
    }
}

extension HTTPFields {
    /// Says what is left of a budget.
    ///
    /// Source: draft-ietf-httpapi-ratelimit-headers, which is no RFC yet: a quota `q` in a window of `w` seconds; `r` requests
    /// remain, and after `t` seconds all are back.
    mutating func add(_ standing: RequestBudgets.Standing) {
        // Put together by hand: this is most of what a refusal costs, and interpolation is the slower way.
        self[.rateLimitPolicy] = standing.policy + ";q=" + String(standing.perMinute) + ";w=60"
        self[.rateLimit] =
            standing.policy + ";r=" + String(standing.remaining) + ";t=" + String(standing.secondsUntilFull)
    }
}

extension HTTPField.Name {
    // Valid field names, so they can always be made.
    fileprivate static let rateLimit = HTTPField.Name("RateLimit") ?? .authorization
    fileprivate static let rateLimitPolicy = HTTPField.Name("RateLimit-Policy") ?? .authorization
}

extension Duration {
    /// Rounded down. One of a minute or less always fits.
    fileprivate var nanoseconds: Int64 { components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000 }

    /// Rounded up.
    fileprivate var wholeSeconds: Int { Int(components.seconds) + (components.attoseconds > 0 ? 1 : 0) }
}
