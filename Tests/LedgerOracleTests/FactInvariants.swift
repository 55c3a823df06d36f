import Ledger
import Primitives

/// Section D, facts and convergence, after one step: I10, I11, I12, I17, I21, I31, I35, I37.
extension LiveStep {
    func checkFacts(_ findings: inout Findings) {
        checkRepetition(&findings)
        if decision.changesHistory {
            checkOlderWords(&findings)
            checkNothingForgotten(&findings)
            checkPurity(&findings)
        }
        checkRefusals(&findings)
        checkAudit(&findings)
        checkEvents(&findings)
    }

    /// I10: repeating the same input changes nothing, and emits no events (I37).
    private func checkRepetition(_ findings: inout Findings) {
        let again = Decision(on: inputs, history: history, state: state, policies: policies, learnedAt: learnedAt)
        let isSame = again.history == history && again.state == state && !again.changesHistory
        findings.expect(.i10, isSame, "telling it again changes the state")
        findings.expect(.i37, again.events.isEmpty && again.auditRows.isEmpty, "telling it again tells the world")
    }

    /// Whether a copy says what the period's transaction does not, or bears a token first or earlier; is of another id of the
    /// charge, of which it may be the newest (FACT-2); or was signed before all others, which decides where the charge serves
    /// (PER-1).
    private func addsTo(_ period: Period, _ fact: TransactionFact) -> Bool {
        let known = period.transaction
        let token = fact.appAccountToken.map { token in
            !period.tokens.contains { $0.token == token && $0.since <= fact.signedDate }
        }
        return token ?? false || fact.transactionId != known.transactionId || fact.isUpgraded && !known.isUpgraded
            || fact.webOrderLineItemId != nil && known.webOrderLineItemId == nil
            || fact.transactionReason != nil && known.transactionReason == nil
            || fact.appTransactionId != nil && known.appTransactionId == nil
            || fact.details.inAppOwnershipType != nil && known.details.inAppOwnershipType == nil
            || fact.details.billingPlanType != nil && known.details.billingPlanType == nil
            || fact.previousOriginalTransactionId != nil && known.previousOriginalTransactionId == nil
            || before.chargesElsewhere.contains { $0.copy.webOrderLineItemId == known.webOrderLineItemId }
    }

    /// I11: data older than what is known about a charge changes no period, unless it says what no newer copy says.
    private func checkOlderWords(_ findings: inout Findings) {
        for fact in inputs.compactMap(\.transaction) {
            // One key may stand for charges with other dates, too; these lives never move the second of one.
            let names = PeriodAlias.aliases(of: fact)
            guard let alias = names.last,
                stateBefore.periods.contains(where: { $0.aliases.contains(alias) && $0.transaction.signedDate > fact.signedDate }
                ),
                stateBefore.periods.filter({ $0.aliases.contains(where: names.contains) }).count == 1,
                let known = stateBefore.periods.first(where: { $0.aliases.contains(alias) }), !addsTo(known, fact)
            else { continue }
            let isSame = zip(stateBefore.periods, state.periods).allSatisfy { one, other in
                one.transaction == other.transaction && one.end == other.end && one.beginning == other.beginning
                    && one.endReason == other.endReason
            }
            findings.expect(.i11, isSame && stateBefore.spans == state.spans, "older words changed a period")
        }
    }

    /// I12: nothing that was known is lost.
    private func checkNothingForgotten(_ findings: inout Findings) {
        let areRegistrationsKept = before.registrations.allSatisfy { known in
            // For one customer and token the strongest values of all registrations are kept as one.
            history.registrations.contains {
                $0.token == known.token && $0.customer == known.customer && $0.registeredAt <= known.registeredAt
            }
        }
        // Of the same two the first merge counts.
        let areMergesKept = before.merges.allSatisfy { known in
            history.merges.contains {
                $0.anonymous == known.anonymous && $0.identified == known.identified && $0.mergedAt <= known.mergedAt
            }
        }
        let kept = [
            ("renewal info", before.renewals.isKept(in: history.renewals)),
            ("notice", before.notices.isKept(in: history.notices)),
            ("question", before.questions.isKept(in: history.questions)), ("claim", before.claims.isKept(in: history.claims)),
            ("vote", before.votes.isKept(in: history.votes)), ("merge", areMergesKept),
            ("join", before.joins.isKept(in: history.joins)),
            ("separation", before.separations.isKept(in: history.separations)),
            ("intent", before.intents.isKept(in: history.intents)),
            ("reservation", before.reservations.isKept(in: history.reservations)),
            ("charge elsewhere", before.chargesElsewhere.isKept(in: history.chargesElsewhere)),
            ("registration", areRegistrationsKept),
        ]
        for (what, isKept) in kept { findings.expect(.i12, isKept, "a \(what) is gone") }
        let names = stateBefore.periods.allSatisfy { known in
            known.aliases.allSatisfy { alias in state.periods.contains { $0.aliases.contains(alias) } }
        }
        findings.expect(.i12, names, "a name of a period is gone")
    }

    /// I31: the same arguments give the same decision, whether the state is given or folded again (I13).
    private func checkPurity(_ findings: inout Findings) {
        let anew = Decision(on: inputs, history: before, policies: policies, learnedAt: learnedAt)
        findings.expect(.i31, anew == decision, "a state folded again decides otherwise")
        findings.expect(.i13, anew.state == state, "a state folded again differs")
    }

    /// I17: an input without news, or a refused one, changes nothing and emits no events.
    private func checkRefusals(_ findings: inout Findings) {
        if !decision.changesHistory {
            let isSilent = state == stateBefore && decision.auditRows.isEmpty && decision.events.isEmpty
            findings.expect(.i17, isSilent, "no news changed something")
        }
        guard case .refused(let reason, _) = decision.outcomes.first else { return }
        // A customer who may not take it has still shown that it was not somebody else's purchase (decision 0023, 6).
        guard reason != .anonymousClaimant else { return }
        var unclaimed = before
        for input in inputs where !input.isClaim { _ = unclaimed.record(input) }
        let without = SubscriptionState(folding: unclaimed, under: policies)
        let (owners, known) = (state.tenures, without.tenures)
        let isSame = owners.map(\.customer) == known.map(\.customer) && owners.map(\.from) == known.map(\.from)
        findings.expect(.i17, isSame && without.spans == state.spans, "a refused claim moved something")
    }

    /// I21: the rows describe each customer's actual access, each change with its cause, and take-backs name the customer who was
    /// credited.
    private func checkAudit(_ findings: inout Findings) {
        for customer in Set(state.customers + stateBefore.customers).sorted() {
            let said = audit.last { $0.customer == customer }?.after
            let extent = Extent(of: state.spans(of: customer))
            findings.expect(.i21, extent == said.map(Extent.init) ?? Extent(of: []), "rows of \(customer) end at \(said as Any)")
        }
        for row in decision.auditRows {
            findings.expect(.i21, !row.evidence.isEmpty, "a row of \(row.customer) without evidence")
            let (old, new) = (stateBefore.spans(of: row.customer), state.spans(of: row.customer))
            findings.expect(.i21, Extent(row.before) == Extent(of: old), "before \(row.before)")
            let isSame = old != new && Extent.isSame(old, new, until: row.effectiveAt)
            findings.expect(
                .i21, isSame || !row.takeBacks.isEmpty, "access differs from before \(row.effectiveAt), or not at all")
            for taken in row.takeBacks {
                let period = state.periods.first { $0.transaction.transactionId == taken.transactionId }
                let credited = period.flatMap { state.owner(at: $0.purchaseDate) }
                findings.expect(.i21, credited == row.customer, "taken from \(row.customer), credited to \(credited as Any)")
            }
        }
    }

    /// I37: one event for each change and none without a change; I38: folded, they match the state; I35: all of them belong to
    /// this ledger.
    private func checkEvents(_ findings: inout Findings) {
        let accessChanges = decision.events.filter { $0.kind == .accessChanged }
        findings.expect(.i37, accessChanges.count == decision.auditRows.count, "\(accessChanges.count) events")
        for row in decision.auditRows {
            let isTold = accessChanges.contains { $0.customer == row.customer && $0.effectiveAt == row.effectiveAt }
            findings.expect(.i37, isTold, "the row of \(row.customer) is not told")
        }
        let moved = decision.events.filter { $0.kind == .ownerChanged }
        for instant in Set((stateBefore.tenures + state.tenures).map(\.from)).sorted() {
            let (old, new) = (stateBefore.toldOwner(at: instant), state.toldOwner(at: instant))
            let told = moved.filter { TimeWindow(from: $0.effectiveAt, until: $0.until).contains(instant) }
            findings.expect(.i37, told.count == (old == new ? 0 : 1), "an owner changed \(told.count) times at \(instant)")
            findings.expect(.i37, told.allSatisfy { $0.previousCustomer == old && $0.customer == new }, "another owner is told")
        }
        checkAnnouncements(&findings)
        // Of a subscription whose charges all serve under another one nothing is told of renewals (PER-1).
        let (expected, servesHere) = (SubscriptionStory(of: state), state.periods.contains { $0.servedElsewhere == nil })
        let isTold = servesHere ? story == expected : story.owners == expected.owners && story.access == expected.access
        findings.expect(.i38, isTold, "the events tell \(story), the state is \(expected)")
        let keys = decision.auditRows.map(\.subscription) + decision.events.map(\.subscription) + [state.key]
        findings.expect(.i35, keys.allSatisfy { $0 == before.key }, "of another ledger")
    }

    /// I37: each period that serves has been announced once by now, and no period twice.
    private func checkAnnouncements(_ findings: inout Findings) {
        // Which of two charges has one of Apple's keys may change while the copies arrive (PER-1).
        guard !state.periods.contains(where: \.repeatsKey) else { return }
        for period in state.periods where period.transaction.type == .autoRenewableSubscription {
            let own = announcements.count {
                $0.productId == period.productId
                    && $0.effectiveAt.truncatedToSecond == period.purchaseDate.truncatedToSecond
            }
            let isRight = period.neverServes ? own <= 1 : own == 1
            findings.expect(.i37, isRight, "\(period.transaction.transactionId) is announced \(own) times")
        }
    }
}

extension SubscriptionState {
    /// The owner at the instant according to the tenures: nobody before the first of them, because no event covers that time.
    fileprivate func toldOwner(at instant: Timestamp) -> CustomerID? { tenures.first { $0.contains(instant) }?.customer }
}

/// How far access extends, computed here and not by the ledger.
private struct Extent: Equatable {
    let exists: Bool
    let until: Timestamp?
    let provisionalUntil: Timestamp?

    init(_ said: AuditRow.Extent) { (exists, until, provisionalUntil) = (said.exists, said.until, said.provisionalUntil) }

    init(of spans: [AccessSpan]) {
        exists = !spans.isEmpty
        let signed = spans.filter { $0.kind != .provisional }
        let isOpen = signed.contains { $0.until == nil }
        let lastSigned = isOpen ? nil : signed.compactMap(\.until).max()
        until = lastSigned
        let late = spans.filter { $0.kind == .provisional }.compactMap(\.until).max()
        let isLater = late.map { late in lastSigned.map { late > $0 } ?? true } ?? false
        provisionalUntil = isLater && !isOpen ? late : nil
    }

    /// Whether both give the same access at every instant before one, sampled at all boundaries.
    static func isSame(_ old: [AccessSpan], _ new: [AccessSpan], until instant: Timestamp) -> Bool {
        let boundaries = (old + new).flatMap { [$0.from, $0.until ?? $0.from] }.filter { $0 < instant }
        return boundaries.allSatisfy { boundary in
            let one = old.last { $0.contains(boundary) }
            let other = new.last { $0.contains(boundary) }
            return one?.kind == other?.kind && one?.productId == other?.productId
        }
    }
}

extension Array where Element: Equatable {
    /// Whether the other list contains all of these in the same order.
    fileprivate func isKept(in other: [Element]) -> Bool {
        var rest = other[...]
        for element in self {
            guard let index = rest.firstIndex(of: element) else { return false }
            rest = rest[(index + 1)...]
        }
        return true
    }
}
