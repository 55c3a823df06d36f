import Ledger
import Storage

/// A signal of abuse as a review found it (ABUSE-1).
struct FoundSignal: Sendable, Hashable {
    let scope: Scope
    let signal: AbuseSignal
    /// What is shown to be of the same Apple Account, where it is about one; sorted. Nil where nobody has looked.
    let members: [OriginalTransactionID]?
    /// Everything that belongs to its subject was looked at.
    let isWhole: Bool

    init(_ signal: AbuseSignal, in scope: Scope, members: [OriginalTransactionID]? = nil, isWhole: Bool) {
        (self.signal, self.scope, self.members, self.isWhole) = (signal, scope, members, isWhole)
    }

    var name: SignalName { SignalName(scope, signal.kind, signal.subject) }

    /// The subscription whose events tell of it.
    var toldOf: SubscriptionKey? { signal.toldOf.map { SubscriptionKey(scope, $0) } }
}
