import Ledger
import Primitives
import Storage

/// Whether the rows of one subscription agree with each other: a fold of everything anew. They are held in memory; its audit rows
/// and documents are not among them (`ChainProof`, `EvidenceProof`).
struct ContentsProof {
    let contents: StoredContents
    let key: SubscriptionKey

    init(_ contents: StoredContents) {
        self.contents = contents
        key = contents.stored.history.key
    }

    /// What stands beside each document, and the list of notifications.
    func columns() -> [Finding] {
        var findings: [Finding] = []
        let notifications = Dictionary(contents.notifications.map { ($0.notificationUUID, $0) }) { first, _ in first }
        for kept in contents.facts {
            if kept.columns != FactColumns(kept.fact) { findings.append(Finding(.columnsDiffer, key, kept.fact.key)) }
            if let receivedAt = kept.evidenceReceivedAt, receivedAt != kept.receivedAt {
                findings.append(Finding(.columnsDiffer, key, "\(kept.fact.key): receivedAt"))
            }
            guard case .notice(let notice, _) = kept.fact, let evidence = kept.evidence else { continue }
            let row = notifications[notice.notificationUUID]
            if row != NotificationRow(notificationUUID: notice.notificationUUID, evidence: evidence) {
                let words = row == nil ? "is not in the list" : "differs in the list"
                findings.append(Finding(.notificationDiffers, key, "\(notice.notificationUUID) \(words)"))
            }
        }
        for (claim, columns) in zip(contents.claims, contents.claimColumns) where columns != ClaimColumns(claim) {
            findings.append(Finding(.columnsDiffer, key, "a claim of \(claim.claimedAt)"))
        }
        return findings
    }

    /// I13: the history, which is nobody's opinion, whatever version of the fold wrote the rest.
    func history() -> [Finding] {
        let kept = contents.stored.history
        var history = rebuiltHistory
        history.carryOver(kept)
        guard HistoryCoding.encode(history) != HistoryCoding.encode(kept) else { return [] }
        return [Finding(.historyDiffers, key, "\(contents.facts.count) facts fold to another history")]
    }

    private var rebuiltHistory: SubscriptionHistory {
        SubscriptionHistory(
            key: key, facts: contents.facts.map(\.fact), claims: contents.claims, registrations: contents.registrations)
    }

    /// I13: what is a cache of the history under its policy, folded anew.
    func fold() -> [Finding] {
        var findings: [Finding] = []
        let state = SubscriptionState(folding: rebuiltHistory, under: contents.stored.policy)
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

/// AUDIT-2: whether each audit row of a subscription follows from the one before, and the last is the one that the subscription
/// names. Takes them page by page, so that a chain may be longer than memory.
struct ChainProof {
    private let key: SubscriptionKey
    private let end: AuditHead
    private(set) var head = AuditHead()
    private(set) var finding: Finding?

    /// - Parameter end: of the chain, as the subscription's row names it.
    init(_ key: SubscriptionKey, end: AuditHead) {
        self.key = key
        self.end = end
    }

    /// Whether more rows are wanted: what came after the end was named is another's to prove.
    var isOpen: Bool { finding == nil && head.sequence < end.sequence }

    mutating func take(_ row: AuditRowText) {
        guard isOpen else { return }
        head = head.followed(by: row.text, of: key)
        if row.head != head {
            finding = Finding(.auditRowChanged, key, "row \(row.head.sequence), or a row before it, was changed later")
        }
    }

    /// There are no more rows.
    mutating func close() {
        guard finding == nil, head != end else { return }
        finding = Finding(.auditChainCut, key, "\(head.sequence) rows exist, and the subscription names \(end.sequence)")
    }

    /// What stands after the end although the subscription's row, read once more, names no more than it did.
    mutating func addsRow(_ row: AuditRowText) {
        finding = Finding(
            .auditChainCut, key, "row \(row.head.sequence) exists, and the subscription names \(end.sequence)")
    }
}
