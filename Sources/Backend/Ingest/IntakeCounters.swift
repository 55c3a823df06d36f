import Storage
import Synchronization

/// How many notifications and uploads came in and what became of them; refused ones are counted and kept nowhere (T49).
package final class IntakeCounters: Sendable {
    package enum Outcome: String, Sendable, CaseIterable {
        case applied
        case duplicate
        case refused
        /// It could not be kept, and whoever sent it was told to try again.
        case failed
        /// Signed by Apple, and kept to be applied later (RECON-4).
        case parked
    }

    private let counts = Mutex<[Outcome: Int64]>([:])
    private let heard = Mutex<[Scope: HeardNotification]>([:])

    package init() {}

    func count(_ outcome: Outcome) {
        counts.withLock { $0[outcome, default: 0] &+= 1 }
    }

    /// The last notification that this server took from Apple.
    func note(_ notification: HeardNotification, in scope: Scope) { heard.withLock { $0[scope] = notification } }

    /// The last notification that this server took from Apple since it started; nil where none.
    func lastNotification(in scope: Scope) -> HeardNotification? { heard.withLock { $0[scope] } }

    /// How many so far.
    package subscript(_ outcome: Outcome) -> Int64 { counts.withLock { $0[outcome] ?? 0 } }
}
