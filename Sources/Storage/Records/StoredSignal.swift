package import Ledger
package import Primitives

/// A signal of abuse as it is kept (ABUSE-1): one for each kind and subject of a ledger, with what shows it and what an operator
/// said to it. It is no input of any rule: nobody is served otherwise because of it, and no row of it is ever deleted.
package struct StoredSignal: Sendable, Hashable {
    /// Given by the store; 0 until it is kept. Greater ones were raised for the first time later.
    package let id: Int64
    package let scope: Scope
    /// What was found last. Of an acknowledged one: what was acknowledged.
    package private(set) var signal: AbuseSignal
    package let firstRaisedAt: Timestamp
    /// When it was raised last: for the first time, or because it had grown beyond what was acknowledged.
    package private(set) var raisedAt: Timestamp
    /// How often it was raised.
    package private(set) var raises: Int64
    /// Grows with each change, also where a clock stands still or goes back, so that it says which state somebody saw.
    package private(set) var changedAt: Timestamp
    /// Whether it waits for somebody to look at it.
    package private(set) var isOpen: Bool
    /// What an operator said last; stays when it is raised again.
    package private(set) var acknowledgement: Acknowledgement?

    /// Somebody has looked at it.
    package struct Acknowledgement: Sendable, Hashable {
        package let at: Timestamp
        package let actor: String
        /// Empty where nothing was said.
        package let reason: String
        /// How much there was then.
        package let count: Int

        package init(at: Timestamp, actor: String, reason: String, count: Int) {
            (self.at, self.actor, self.reason, self.count) = (at, actor, reason, count)
        }
    }

    /// A signal that is raised for the first time.
    package init(raising signal: AbuseSignal, in scope: Scope, at instant: Timestamp) {
        self.init(
            id: 0, scope, signal,
            .init(firstRaisedAt: instant, raisedAt: instant, raises: 1, changedAt: instant, isOpen: true))
    }

    /// When what became of it.
    package struct Standing: Sendable, Hashable {
        let firstRaisedAt: Timestamp
        let raisedAt: Timestamp
        let raises: Int64
        let changedAt: Timestamp
        let isOpen: Bool
        var acknowledgement: Acknowledgement?
    }

    /// As it was kept.
    init(id: Int64, _ scope: Scope, _ signal: AbuseSignal, _ standing: Standing) {
        self.id = id
        self.scope = scope
        self.signal = signal
        (firstRaisedAt, raisedAt, raises) = (standing.firstRaisedAt, standing.raisedAt, standing.raises)
        (changedAt, isOpen, acknowledgement) = (standing.changedAt, standing.isOpen, standing.acknowledgement)
    }

    /// What makes it one in its store.
    package var name: SignalName { SignalName(scope, signal.kind, signal.subject) }

    /// What finding a signal again comes to.
    package enum Change: Sendable, Hashable {
        case nothing
        /// There is more or less of it, and it is open already.
        case changed
        /// It is to be told of.
        case raised
    }

    /// Takes what was found of the same kind and subject, under whatever name the subject was found.
    ///
    /// - Parameter isWhole: everything that belongs to the subject was looked at. Otherwise only more than is known counts.
    package mutating func take(_ found: AbuseSignal, isWhole: Bool, at instant: Timestamp) -> Change {
        let found = found.about(signal.subject)
        guard isOpen else {
            guard found.grows(beyond: signal) else { return .nothing }
            (signal, isOpen, raises) = (found, true, raises + 1)
            raisedAt = instant
            note(instant)
            return .raised
        }
        guard !found.saysTheSame(as: signal), isWhole || found.count > signal.count else { return .nothing }
        signal = found
        note(instant)
        return .changed
    }

    /// Takes what an operator says. False where the same was said of the same before.
    package mutating func acknowledge(by actor: String, because reason: String, at instant: Timestamp) -> Bool {
        if !isOpen, let acknowledgement, acknowledgement.actor == actor, acknowledgement.reason == reason { return false }
        acknowledgement = Acknowledgement(at: instant, actor: actor, reason: reason, count: signal.count)
        isOpen = false
        note(instant)
        return true
    }

    private mutating func note(_ instant: Timestamp) { changedAt = max(instant, changedAt.adding(Milliseconds(1))) }
}

/// What makes a signal one among those of all ledgers.
package struct SignalName: Sendable, Hashable, Comparable {
    package let scope: Scope
    package let kind: AbuseSignal.Kind
    package let subject: AbuseSignal.Subject

    package init(_ scope: Scope, _ kind: AbuseSignal.Kind, _ subject: AbuseSignal.Subject) {
        (self.scope, self.kind, self.subject) = (scope, kind, subject)
    }

    /// Everybody who locks several takes them in this order.
    package static func < (left: Self, right: Self) -> Bool {
        if left.scope != right.scope { return left.scope < right.scope }
        return (left.kind.rawValue, left.subject.name) < (right.kind.rawValue, right.subject.name)
    }
}

/// Which signals are asked for; nil: whichever.
package struct SignalSearch: Sendable, Hashable {
    package var isOpen: Bool?
    package var kind: AbuseSignal.Kind?
    package var subject: AbuseSignal.Subject?
    /// Only those with a lesser id: the next page after one that ended with it.
    package var before: Int64?

    package init(
        isOpen: Bool? = nil, kind: AbuseSignal.Kind? = nil, subject: AbuseSignal.Subject? = nil, before id: Int64? = nil
    ) {
        (self.isOpen, self.kind, self.subject, before) = (isOpen, kind, subject, id)
    }
}

extension AbuseSignal {
    /// Everybody whom it names.
    var customers: Set<CustomerID> {
        var customers = Set(evidence.compactMap(\.customer))
        if case .customer(let customer) = subject { customers.insert(customer) }
        return customers
    }
}

extension StoredSignal {
    /// Everybody whom its row names.
    package var customers: Set<CustomerName> { Set(signal.customers.map { CustomerName(scope.app, $0) }) }
}
