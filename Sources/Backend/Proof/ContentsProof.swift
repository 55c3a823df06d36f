import Ledger
import Storage

/// Whether the rows of one subscription agree with each other: the chain of its audit rows, and a fold of everything anew.
struct ContentsProof {
    let contents: StoredContents
    let key: SubscriptionKey

    init(_ contents: StoredContents) {
        self.contents = contents
        key = contents.stored.history.key
    }

    /// AUDIT-2: each row follows from the one before, and the last is the one that the subscription names.
    func chain() -> [Finding] {
        var head = AuditHead()
        for row in contents.audit {
            head = head.followed(by: row.text, of: key)
            if row.head != head {
                return [Finding(.auditRowChanged, key, "row \(row.head.sequence), or a row before it, is not as it was written")]
            }
        }
        guard head != contents.stored.ends.audit else { return [] }
        let named = contents.stored.ends.audit.sequence
        return [Finding(.auditChainCut, key, "\(head.sequence) rows are there and the subscription names \(named)")]
    }

    /// AUDIT-2: the row at which a chain stood when it was sealed.
    func isSealed(_ head: AuditHead) -> Bool {
        contents.audit.contains { $0.head == head }
    }

    /// I13: everything that is a cache, folded anew from the rows of facts, claims and registrations.
    func rebuilt() -> [Finding] {
        let kept = contents.stored.history
        var history = SubscriptionHistory(
            key: key, facts: contents.facts.map(\.fact), claims: contents.claims, registrations: contents.registrations)
        if let toldUntil = kept.toldUntil { _ = history.record(toldUntil: toldUntil) }
        var findings: [Finding] = []
        if HistoryCoding.encode(history) != HistoryCoding.encode(kept) {
            findings.append(Finding(.historyDiffers, key, "\(contents.facts.count) facts come to another history"))
        }
        let state = SubscriptionState(folding: history, under: contents.stored.policy)
        if contents.tenures.map(\.step) != SubscriptionRows.tenures(of: state).map(\.step) {
            findings.append(Finding(.ownersDiffer, key, "revision \(contents.stored.ends.tenureRevision)"))
        }
        if contents.holdings != SubscriptionRows.holdings(of: state) {
            findings.append(Finding(.holdingsDiffer, key, "\(contents.holdings.count) holdings"))
        }
        let aliases = SubscriptionRows.aliases(of: state.periods)
        if !Set(aliases).isSubset(of: contents.aliases) {
            findings.append(Finding(.periodsDiffer, key, "\(state.periods.count) periods"))
        }
        return findings
    }
}
