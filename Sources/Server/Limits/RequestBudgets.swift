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

    /// The holder has made as many requests as it may.
    struct Spent: Error, Equatable {
        let holder: Holder
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
    /// - Throws: `Spent` if it may not make this one.
    func spend(_ holder: Holder, perMinute: Int) throws {
        guard perMinute > 0 else { return }
        let now = clock()
        let each = Duration.seconds(60) / perMinute
        let retryAfter: Duration? = full.withLock { full in
            let isFull = max(full[holder] ?? now, now) + each
            let early = isFull - now - .seconds(60)
            guard early <= .zero else { return early }
            if full[holder] == nil, full.count >= Self.mostHolders { Self.forget(&full, at: now) }
            full[holder] = isFull
            return nil
        }
        guard let retryAfter else { return }
        let (seconds, attoseconds) = retryAfter.components
        throw Spent(holder: holder, retryAfterSeconds: Int(seconds) + (attoseconds > 0 ? 1 : 0))
    }

    /// Holders whose whole budget is back are forgotten. If those are too few, all are: forgetting favours the callers, and
    /// looking through the table again at each request would favour a caller with a million addresses.
    private static func forget(_ full: inout [Holder: ContinuousClock.Instant], at now: ContinuousClock.Instant) {
        full = full.filter { $0.value > now }
        if full.count > mostHolders / 2 { full = [:] }
    }
}
