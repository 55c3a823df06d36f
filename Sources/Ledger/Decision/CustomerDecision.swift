package import Primitives

/// Everything that follows from an input about a customer, as values (ENT-3, ENT-8, ENT-9): the customer's account, the audit
/// rows, and what the world should be told.
package struct CustomerDecision: Sendable, Hashable {
    /// What was decided on.
    package let input: CustomerInput
    package let account: CustomerAccount
    /// False where the input says nothing new; then nothing need be written.
    package let changesAccount: Bool
    /// One for each entitlement whose use it changes, by entitlement (AUDIT-1); one that names none where it changes no use.
    package private(set) var auditRows: [CustomerAuditRow]
    /// In the order in which they are told (docs/events.md).
    package let events: [CustomerEvent]

    /// Pure: the same arguments give the same decision, and an input that is known changes nothing.
    ///
    /// - Parameter learnedAt: when we learned it, on our clock; goes into audit rows only.
    package init(on input: CustomerInput, about standing: CustomerStanding, map: EntitlementMap, learnedAt: Timestamp) {
        self.input = input
        let before = standing.account
        var after = before
        changesAccount = after.record(input)
        account = after
        guard changesAccount else {
            (auditRows, events) = ([], [])
            return
        }
        let changes = after.votes == before.votes ? [] : standing.changes(to: after, map)
        let cause = CustomerAuditRow.Cause(input, learnedAt: learnedAt)
        auditRows =
            changes.isEmpty
            ? [CustomerAuditRow(of: before, change: nil, because: cause)]
            : changes.map { CustomerAuditRow(of: before, change: $0, because: cause) }
        events = CustomerEvent.events(on: input, account: after, changes: changes)
    }

    /// The same, with the key named in its audit rows with which the request came; nil where none was shown.
    package func naming(key: String?) -> CustomerDecision {
        guard let key else { return self }
        var named = self
        for index in named.auditRows.indices { named.auditRows[index].name(key) }
        return named
    }

    /// The same of a customer who has no other id.
    ///
    /// - Parameter holdings: what the customer has from Apple's facts.
    package init(
        on input: CustomerInput, account: CustomerAccount, holdings: [Holding], map: EntitlementMap, learnedAt: Timestamp
    ) {
        self.init(on: input, about: CustomerStanding(account, holdings), map: map, learnedAt: learnedAt)
    }

    /// The same for a vote.
    package init(
        on vote: CustomerVote, account: CustomerAccount, holdings: [Holding], map: EntitlementMap, learnedAt: Timestamp
    ) {
        self.init(on: .vote(vote), account: account, holdings: holdings, map: map, learnedAt: learnedAt)
    }
}

/// All that must be known of a customer to decide on what is said about them.
package struct CustomerStanding: Sendable {
    /// What was said about the customer before.
    package let account: CustomerAccount
    /// What was said under the person's other ids, and under those of whoever is joined with them now (OWN-10).
    private let others: [CustomerAccount]
    /// What each of them has from Apple's facts before it is decided, and after.
    private let held: [CustomerID: [Holding]]
    private let heldAfter: [CustomerID: [Holding]]

    package init(_ account: CustomerAccount, _ holdings: [Holding]) {
        self.init(account, others: [], held: [account.customer: holdings], heldAfter: [account.customer: holdings])
    }

    package init(
        _ account: CustomerAccount, others: [CustomerAccount], held: [CustomerID: [Holding]], heldAfter: [CustomerID: [Holding]]
    ) {
        (self.account, self.others, self.held, self.heldAfter) = (account, others, held, heldAfter)
    }

    /// Whose use of what changes when, where this is said of the customer from now on.
    func changes(to after: CustomerAccount, _ map: EntitlementMap) -> [CustomerAccessChange] {
        let persons = [Person(account, others), Person(after, others)]
        let accounts = persons.map(\.account)
        let holdings = zip(persons, [held, heldAfter]).map { person, held in person.customers.flatMap { held[$0] ?? [] } }
        return map.entitlements.compactMap { entitlement in
            let windows = zip(accounts, holdings).map { map.windows(of: entitlement, $1, $0) }
            return windows[0].firstDifference(from: windows[1]).map {
                CustomerAccessChange(entitlement: entitlement, effectiveAt: $0, before: windows[0], after: windows[1])
            }
        }
    }
}

/// What an input changed of the use of one entitlement.
package struct CustomerAccessChange: Sendable, Hashable {
    package let entitlement: EntitlementID
    /// The first instant at which the customer's access differs from what it was before.
    package let effectiveAt: Timestamp
    /// All windows of the entitlement before the input and after it; by start.
    package let before: [TimeWindow]
    package let after: [TimeWindow]

    package init(entitlement: EntitlementID, effectiveAt: Timestamp, before: [TimeWindow], after: [TimeWindow]) {
        self.entitlement = entitlement
        self.effectiveAt = effectiveAt
        self.before = before
        self.after = after
    }
}

/// One thing that was said about a customer, and what it changed of what the customer may use (AUDIT-1).
package struct CustomerAuditRow: Sendable, Hashable {
    package let customer: CustomerID
    package let app: AppID
    package let environment: Environment
    /// Nil where it changes no use.
    package let change: CustomerAccessChange?
    package private(set) var cause: Cause

    package var entitlement: EntitlementID? { change?.entitlement }
    /// The first instant at which the customer's access differs; where none does, when it was said.
    package var effectiveAt: Timestamp { change?.effectiveAt ?? cause.recordedAt }
    package var learnedAt: Timestamp { cause.learnedAt }
    package var rule: Rule { cause.rule }
    package var before: [TimeWindow] { change?.before ?? [] }
    package var after: [TimeWindow] { change?.after ?? [] }
    package var actor: String { cause.actor }
    /// The name of the key with which it was said; nil where none was shown.
    package var keyName: String? { cause.keyName }

    fileprivate mutating func name(_ key: String) { cause.keyName = key }

    package init(of account: CustomerAccount, change: CustomerAccessChange?, because cause: Cause) {
        (customer, app, environment) = (account.customer, account.app, account.environment)
        self.change = change
        self.cause = cause
    }

    /// What was said, by whom, and when we learned it.
    package struct Cause: Sendable, Hashable {
        package let kind: CustomerInput.Kind
        /// Of the input among the customer's others of its kind.
        package let id: String
        package let rule: Rule
        package let actor: String
        /// When it was said, on our clock.
        package let recordedAt: Timestamp
        package let learnedAt: Timestamp
        package var keyName: String?

        package init(
            _ kind: CustomerInput.Kind, id: String, rule: Rule, said: Saying
        ) {
            (self.kind, self.id, self.rule) = (kind, id, rule)
            (actor, recordedAt, learnedAt) = (said.actor, said.recordedAt, said.learnedAt)
        }

        init(_ input: CustomerInput, learnedAt: Timestamp) {
            self.init(
                input.kind, id: input.id, rule: input.rule,
                said: Saying(by: input.actor, at: input.recordedAt, learnedAt: learnedAt))
        }

        /// By whom it was said, and when.
        package struct Saying: Sendable {
            let actor: String
            let recordedAt: Timestamp
            let learnedAt: Timestamp

            package init(by actor: String, at recordedAt: Timestamp, learnedAt: Timestamp) {
                self.actor = actor
                self.recordedAt = recordedAt
                self.learnedAt = learnedAt
            }
        }
    }
}

extension EntitlementMap {
    /// When the customer may use the entitlement, what is provisional included.
    func windows(of entitlement: EntitlementID, _ holdings: [Holding], _ account: CustomerAccount) -> [TimeWindow] {
        [TimeWindow](joining: stretches(giving: entitlement, by: holdings, and: account).map(\.window))
            .removing(account.holds(of: entitlement))
    }
}
