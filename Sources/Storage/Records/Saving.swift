package import Ledger
package import Primitives

/// What is to be written of one subscription after one or more decisions about it, in their order.
package struct Saving: Sendable {
    package let key: SubscriptionKey
    /// What was kept before; nil where nothing was.
    package let stored: StoredSubscription?
    /// Never empty.
    package let decisions: [Decision]
    /// Under which its state was folded last.
    package let policy: PolicyTimeline
    package let learnedAt: Timestamp
    /// Events that other subscriptions' histories show, told after those of the decisions.
    package var told: [LedgerEvent] = []

    /// - Parameters:
    ///   - stored: as the transaction found it.
    ///   - decisions: each on what the one before left.
    package init(
        stored: StoredSubscription?, decisions: [Decision], policy: PolicyTimeline, learnedAt: Timestamp
    ) throws {
        guard let last = decisions.last else { throw StorageError(.other, "nothing was decided") }
        key = last.state.key
        self.stored = stored
        self.decisions = decisions
        self.policy = policy
        self.learnedAt = learnedAt
    }

    /// Whether another subscription continues it (PER-14).
    package var isContinued: Bool { decisions.last.map { !$0.history.switches.continuations.isEmpty } ?? false }

    /// The same under one policy that always held.
    package init(stored: StoredSubscription?, decisions: [Decision], policy: AppPolicy, learnedAt: Timestamp) throws {
        try self.init(stored: stored, decisions: decisions, policy: PolicyTimeline(policy), learnedAt: learnedAt)
    }
}

/// The rows that a saving comes to: the same for every store, which only has to write them.
package struct SubscriptionRows: Sendable, Hashable {
    package let key: SubscriptionKey
    package let history: [UInt8]
    /// What lists say of it, as ``ListingCoding`` writes it.
    package let listing: [UInt8]
    /// After these rows are written.
    package let ends: StoredSubscription.Ends
    /// Whether a claim waits for a decision (OWN-9).
    package let waits: Bool
    package let audit: [Audit]
    /// What is told of it; one row, unless there is more than fits.
    package let outbox: [Outbox]
    /// The owners from the first on; nil where the last revision still holds.
    package let tenures: [TenureRow]?
    package let holdings: [HoldingRow]
    /// The customers that no longer have a holding.
    package let formerHolders: [CustomerID]
    /// Of whom lists have to say something else now.
    package var changedCustomers: [CustomerID] { holdings.map(\.customer) + formerHolders }
    /// Names of periods that are new or are another period's now (PER-1).
    package let aliases: [AliasRow]
    /// Refunds that are new (PER-11).
    package let refunds: [RefundPlace]
    /// Everything that the rules name to be done; takes the place of what they named before.
    package let work: [WorkOrder]

    package struct Audit: Sendable, Hashable {
        package let head: AuditHead
        package let text: String
    }

    package struct Outbox: Sendable, Hashable {
        /// The number of its first event.
        package let first: Int64
        /// As ``EventCoding`` writes them.
        package let events: String

        package init(first: Int64, events: String) { (self.first, self.events) = (first, events) }
    }

    package struct TenureRow: Sendable, Hashable {
        package let from: Timestamp
        package let customer: CustomerID?
        package let rule: String
        package let evidence: String

        package init(from: Timestamp, customer: CustomerID?, rule: String, evidence: String) {
            self.from = from
            self.customer = customer
            self.rule = rule
            self.evidence = evidence
        }

        /// Who, and from when; what a fold anew must come to again. Why may be said otherwise once more is known.
        package var step: Step { Step(from: from, customer: customer) }

        package struct Step: Sendable, Hashable {
            package let from: Timestamp
            package let customer: CustomerID?
        }
    }

    package struct HoldingRow: Sendable, Hashable {
        package let customer: CustomerID
        /// As ``HoldingCoding`` writes it.
        package let holding: [UInt8]

        package init(customer: CustomerID, holding: [UInt8]) {
            self.customer = customer
            self.holding = holding
        }
    }

    package struct AliasRow: Sendable, Hashable {
        package let alias: String
        package let period: String

        package init(alias: String, period: String) {
            self.alias = alias
            self.period = period
        }
    }
}

extension SubscriptionRows {
    /// Only what differs from what is kept. Where an older version of the fold wrote that, or nothing is kept, everything is
    /// written.
    ///
    /// - Parameters:
    ///   - number: of a customer.
    ///   - keptHoldings: what all customers have now; asked for only if another version of the fold wrote it. What a
    ///   customer may use and is another by today's fold alone, the first audit rows say.
    package init(
        _ saving: Saving, number: (CustomerID) throws -> Int64, keptHoldings: () throws -> [HoldingRow]
    ) throws {
        guard let first = saving.decisions.first, let last = saving.decisions.last else {
            throw StorageError(.other, "nothing was decided")
        }
        key = saving.key
        history = HistoryCoding.encode(last.history)
        listing = ListingCoding.encode(ListedSubscription(of: last.state, changedAt: saving.learnedAt))
        waits = last.state.hasWaitingClaim
        let before = saving.stored?.isFoldCurrent == true ? first.before : nil
        let isFirst = saving.stored == nil
        let isForeign = saving.stored?.isFoldCurrent == false
        let foreign = try isForeign ? keptHoldings() : []
        let refolded = try isForeign ? Self.refolded(foreign, into: first.before, saving) : []
        var head = saving.stored?.ends.audit ?? AuditHead()
        audit = try (refolded + saving.decisions.flatMap(\.auditRows)).map { row in
            let text = try LedgerText.of(row, number)
            head = head.followed(by: text, of: saving.key)
            return Audit(head: head, text: text)
        }
        let events = saving.decisions.flatMap(\.events) + saving.told
        let told = saving.stored?.ends.events ?? 0
        outbox = stride(from: 0, to: events.count, by: EventCoding.most).map { place in
            let some = events[place..<min(place + EventCoding.most, events.count)]
            return Outbox(first: told + 1 + Int64(place), events: EventCoding.encode(some))
        }
        let owners = Self.tenures(of: last.state)
        // The same owners at the same instants, for whatever reason, are no revision.
        let keptSteps = isFirst ? [] : before.map { Self.tenures(of: $0).map(\.step) }
        tenures = keptSteps == owners.map(\.step) ? nil : owners
        let kept = before.map(Self.holdings) ?? []
        let holdings = Self.holdings(of: last.state)
        self.holdings = holdings.filter { !kept.contains($0) }
        let holders = (kept + foreign).map(\.customer)
        formerHolders = holders.filter { former in !holdings.contains { $0.customer == former } }
        let same = before.map { $0.periods.commonPrefix(with: last.state.periods) } ?? 0
        aliases = Self.aliases(of: last.state.periods, from: same)
        let knownRefunds = before.map(RefundPlace.all) ?? []
        // Also what a later decision of the transaction undid.
        let shown = Set(saving.decisions.flatMap { RefundPlace.all(in: $0.state) })
        refunds = shown.subtracting(knownRefunds).sorted()
        work = last.dueWork.map { WorkOrder($0, about: saving.key) }
        ends = StoredSubscription.Ends(
            tenureRevision: (saving.stored?.ends.tenureRevision ?? 0) + (tenures == nil ? 0 : 1), audit: head,
            events: told + Int64(events.count))
    }

    /// What today's fold changes by itself in what another fold wrote.
    private static func refolded(
        _ foreign: [HoldingRow], into state: SubscriptionState, _ saving: Saving
    ) throws -> [AuditRow] {
        var spans: [CustomerID: [AccessSpan]] = [:]
        for row in foreign { spans[row.customer] = try HoldingCoding.decode(row.holding).spans }
        return AuditRow.refolding(spans, into: state, at: saving.learnedAt)
    }

    /// The owners of a state, as rows.
    package static func tenures(of state: SubscriptionState) -> [TenureRow] {
        state.tenures.map {
            TenureRow(from: $0.from, customer: $0.customer, rule: $0.cause.rule.rawValue, evidence: $0.cause.evidence.text)
        }
    }

    /// One for each present and former owner.
    package static func holdings(of state: SubscriptionState) -> [HoldingRow] {
        state.customers.map { HoldingRow(customer: $0, holding: HoldingCoding.encode(Holding(of: $0, in: state))) }
    }

    /// The names of periods, in one place (PER-1). A period is called by Apple's key of it where that is known, which is its last
    /// name; each of its other names has a row, and a period that has one name only stands there under that. A name that several
    /// keys bear belongs to the lowest of them. Beside them stands which subscription this one continues (PER-14).
    ///
    /// - Parameter first: the periods before it are looked at and have their rows already.
    package static func aliases(of periods: [Period], from first: Int = 0) -> [AliasRow] {
        var owners: [PeriodAlias: String] = [:]
        for period in periods[first...] {
            for alias in others(of: period) { owners[alias] = "" }
        }
        let previous = Set(periods[first...].compactMap { $0.transaction.continuedId?.nameAsPrevious })
        guard !owners.isEmpty else { return [] }
        for period in periods {
            let name = period.aliases.last?.key ?? ""
            for alias in others(of: period) {
                guard let owner = owners[alias] else { continue }
                if owner.isEmpty || isLower(name, owner) { owners[alias] = name }
            }
        }
        return (owners.map { AliasRow(alias: $0.key.key, period: $0.value) } + previous.map { AliasRow(alias: $0, period: $0) })
            .sorted { ID<AliasRow>($0.alias) < ID<AliasRow>($1.alias) }
    }

    private static func others(of period: Period) -> ArraySlice<PeriodAlias> {
        period.aliases.count > 1 ? period.aliases.dropLast() : period.aliases[...]
    }

    /// Apple's keys are decimal numbers: the shorter is the lower, then digit by digit.
    private static func isLower(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count ? ID<AliasRow>(left) < ID<AliasRow>(right) : left.utf8.count < right.utf8.count
    }
}
