import Ledger
import LedgerOracle
import Primitives

/// Section D at a cut through a life: I08, I09, I10 and I13 (all servers arrive at the same state), I22, I23 and I30 (what would
/// follow if one more or one less input were known).
struct ConvergenceInvariants {
    let path: LivePath
    var chance: Chance

    mutating func check(_ findings: inout Findings) throws {
        for id in path.subscriptions {
            guard let history = path.histories[id], let state = path.states[id] else { continue }
            // A claim without news was answered and not stored (OWN-3); all other inputs are stored.
            let stored = (path.told[id] ?? []).filter { !$0.isClaim } + history.claims.map { .claim($0) }
            checkOrder(stored, history, state, &findings)
            checkServers(stored, history, state, &findings)
            checkRebuilding(history, state, &findings)
            checkRefunds(history, state, &findings)
            checkQuestions(stored, state, &findings)
        }
    }

    private func fold(_ inputs: [LedgerInput], _ key: SubscriptionKey) -> SubscriptionHistory {
        var history = SubscriptionHistory(key: key)
        for input in inputs { _ = history.record(input) }
        return history
    }

    /// I08: any order, with some inputs twice; I10: an input that was kept says nothing new.
    private mutating func checkOrder(
        _ stored: [LedgerInput], _ history: SubscriptionHistory, _ state: SubscriptionState, _ findings: inout Findings
    ) {
        let doubled = (stored + stored.prefix(7)).shuffled(using: &chance)
        let shuffled = fold(doubled, history.key)
        findings.expect(
            .i08, shuffled == history.untold, "\(history.key.originalTransactionId): another history in another order")
        let refolded = SubscriptionState(folding: shuffled, under: path.policies)
        findings.expect(.i08, refolded == state, "\(history.key.originalTransactionId): another state in another order")
        guard let input = chance.pick(stored) else { return }
        var again = history
        findings.expect(.i10, !again.record(input), "an input that was kept says something new")
    }

    /// I09: several servers that each receive a part, with some overlap; each stores what was news to it, and what they stored is
    /// combined in some order.
    private mutating func checkServers(
        _ stored: [LedgerInput], _ history: SubscriptionHistory, _ state: SubscriptionState, _ findings: inout Findings
    ) {
        let servers = 2 + chance.below(3)
        var rows: [[LedgerInput]] = Array(repeating: [], count: servers)
        var known = Array(repeating: SubscriptionHistory(key: history.key), count: servers)
        for input in stored {
            let first = chance.below(servers)
            for server in Set([first, chance.happens(30) ? chance.below(servers) : first]).sorted() {
                let isNews = known[server].record(input)
                if isNews { rows[server].append(input) }
            }
        }
        let together = fold(rows.shuffled(using: &chance).flatMap { $0 }, history.key)
        findings.expect(.i09, together == history.untold, "\(servers) servers know something else than one")
        findings.expect(
            .i09, SubscriptionState(folding: together, under: path.policies) == state, "\(servers) servers come to another state")
    }

    /// I13: the state, discarded and folded again from what a store keeps of the history.
    private func checkRebuilding(_ history: SubscriptionHistory, _ state: SubscriptionState, _ findings: inout Findings) {
        var parts = history.parts
        parts.lines = parts.lines.compactMap {
            PeriodBook.Line(
                aliases: $0.aliases, kept: $0.kept, tokens: $0.tokens, signedFirst: $0.signedFirst)
        }
        let rebuilt = SubscriptionHistory(parts)
        findings.expect(.i13, rebuilt == history, "\(history.key.originalTransactionId): another history from its parts")
        let folded = SubscriptionState(folding: rebuilt, under: path.policies)
        findings.expect(.i13, folded == state, "\(history.key.originalTransactionId): another state from its parts")
    }

    /// I22: a full refund removes the rest of its period, and its reversal gives back exactly that; I23: a partial one removes
    /// nothing unless the policy says so, and then only from its own period.
    private mutating func checkRefunds(
        _ history: SubscriptionHistory, _ state: SubscriptionState, _ findings: inout Findings
    ) {
        let candidates = state.periods.filter {
            $0.transaction.revocation == nil && !$0.transaction.isUpgraded && $0.givesAccess && $0.endReason == .ran
                && $0.continuedBy == nil
        }
        guard let period = chance.pick(candidates), let end = period.end else { return }
        // A notification that a refund was reversed takes back what was signed before it, under whichever subscription (ENT-5).
        let elsewhere = history.chargesElsewhere.flatMap { [$0.copy.signedDate] + $0.reversals }
        let here = state.periods.map(\.transaction.signedDate) + history.notices.map(\.signedDate)
        let newest = (here + elsewhere).max() ?? end
        let length = end.since(period.purchaseDate).count
        let at = period.purchaseDate.adding(Milliseconds(chance.between(0, max(0, length - 1))))
        var (refunded, reversed, partial) = (period.transaction, period.transaction, period.transaction)
        refunded.revocation = Revocation(revocationDate: at, revocationType: "REFUND_FULL")
        refunded.signedDate = newest.adding(.seconds(1))
        reversed.signedDate = newest.adding(.seconds(2))
        partial.revocation = Revocation(
            revocationDate: at, revocationType: "REFUND_PRORATED", revocationPercentage: chance.between(1, 99_999))
        partial.signedDate = newest.adding(.seconds(1))
        let after = told(history, and: refunded)
        let paid = after.spans.filter { $0.kind == .paid && $0.from == period.purchaseDate && $0.productId == period.productId }
        findings.expect(.i22, paid.allSatisfy { ($0.until ?? .latestAccepted) <= at }, "paid access after a refund at \(at)")
        let restored = told(history, and: refunded, reversed)
        findings.expect(.i22, restored.spans == state.spans, "a reversed refund gives back something else")
        findings.expect(.i22, restored.tenures == state.tenures, "a reversed refund leaves another owner")
        let partly = told(history, and: partial)
        let was = Coverage(state.spans.filter { $0.kind == .paid })
        let has = Coverage(partly.spans.filter { $0.kind == .paid })
        findings.expect(.i23, was.covers(has), "a partial refund lengthens paid time")
        if path.policies.policy(at: at).partialRefunds == .keep {
            findings.expect(.i23, partly.spans == state.spans, "a partial refund takes time")
        }
        let others = partly.periods.filter { $0.aliases != period.aliases }
        findings.expect(.i23, others.allSatisfy { isRevoked($0, in: state) == isRevoked($0) }, "a refund revokes another period")
    }

    private func isRevoked(_ period: Period) -> Bool {
        guard case .revoked = period.endReason else { return false }
        return true
    }

    private func isRevoked(_ period: Period, in state: SubscriptionState) -> Bool {
        state.periods.first { $0.aliases == period.aliases }.map { isRevoked($0) } ?? false
    }

    private func told(_ history: SubscriptionHistory, and facts: TransactionFact...) -> SubscriptionState {
        var history = history
        for fact in facts { _ = history.record(.fact(.transaction(fact))) }
        return SubscriptionState(folding: history, under: path.policies)
    }

    /// I30: without the failed requests, paid and grace time is the same, and late-news access is not longer.
    private func checkQuestions(_ stored: [LedgerInput], _ state: SubscriptionState, _ findings: inout Findings) {
        let without = SubscriptionState(folding: fold(stored.filter { !$0.isFailedQuestion }, state.key), under: path.policies)
        let isSame = without.spans.filter { $0.kind != .provisional } == state.spans.filter { $0.kind != .provisional }
        findings.expect(.i30, isSame, "a failed question changed what Apple signed")
        for span in without.spans where span.kind == .provisional {
            let isThere = state.spans.contains {
                $0.kind == .provisional && $0.from == span.from && $0.range.upperBound >= span.range.upperBound
            }
            findings.expect(.i30, isThere, "a failed question shortened \(span)")
        }
    }
}
