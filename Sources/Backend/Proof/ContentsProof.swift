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
        for kept in contents.inputs where !kept.columns.fit(kept.input) {
            findings.append(Finding(.columnsDiffer, key, "\(kept.columns.kind) of \(kept.columns.recordedAt)"))
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
            key: key, facts: contents.facts.map(\.fact), claims: contents.claims, registrations: contents.registrations,
            inputs: contents.inputs.map(\.input))
    }

    /// I13: what is a cache of the history under its policy, folded anew.
    ///
    /// - Throws: `StorageError` with `corrupt` where what lists say cannot be read.
    func fold() throws -> [Finding] {
        var findings: [Finding] = []
        let state = SubscriptionState(folding: rebuiltHistory, under: contents.stored.policy)
        if contents.tenures.map(\.step) != SubscriptionRows.tenures(of: state).map(\.step) {
            findings.append(Finding(.ownersDiffer, key, "revision \(contents.stored.ends.tenureRevision)"))
        }
        if contents.holdings != SubscriptionRows.holdings(of: state) {
            findings.append(Finding(.holdingsDiffer, key, "\(contents.holdings.count) holdings"))
        }
        if state.hasWaitingClaim, !contents.stored.waits {
            findings.append(Finding(.columnsDiffer, key, "a claim waits, and the subscription's row does not say so"))
        }
        if !Set(state.accountSightings).isSubset(of: contents.sightings) {
            findings.append(Finding(.columnsDiffer, key, "its transactions show an Apple Account that is not listed"))
        }
        let aliases = SubscriptionRows.aliases(of: state.periods)
        if !Set(aliases).isSubset(of: contents.aliases) {
            findings.append(Finding(.periodsDiffer, key, "\(state.periods.count) periods"))
        }
        if !Set(RefundPlace.all(in: state)).isSubset(of: contents.refunds) {
            findings.append(Finding(.columnsDiffer, key, "a refund is not listed"))
        }
        // When it became known is nobody's to fold.
        if let listed = try contents.listing.flatMap({ try ListingCoding.decode($0, of: key.originalTransactionId) }),
            listed != ListedSubscription(of: state, changedAt: listed.changedAt)
        {
            findings.append(Finding(.listingDiffers, key, "what lists say of it does not follow from its history"))
        }
        return findings
    }
}

/// AUDIT-2: whether each audit row of a subscription follows from the one before, and the last is the one that the subscription
/// names. Takes them page by page, so that a chain may be longer than memory.
struct ChainProof {
    private let subject: ChainSubject
    private let end: AuditHead
    private(set) var head = AuditHead()
    private(set) var finding: Finding?

    /// - Parameter end: of the chain, as the row of the subscription or the customer names it.
    init(_ subject: ChainSubject, end: AuditHead) {
        self.subject = subject
        self.end = end
    }

    /// Whether more rows are wanted: what came after the end was named is another's to prove.
    var isOpen: Bool { finding == nil && head.sequence < end.sequence }

    mutating func take(_ kept: AuditHead, _ text: String) {
        guard isOpen else { return }
        head = head.followed(by: text, of: subject)
        if kept != head {
            finding = Finding(
                .auditRowChanged, about: subject, "row \(kept.sequence), or a row before it, was changed later")
        }
    }

    /// There are no more rows.
    mutating func close() {
        guard finding == nil, head != end else { return }
        finding = Finding(
            .auditChainCut, about: subject, "\(head.sequence) rows exist, and the \(subject.noun) names \(end.sequence)")
    }

    /// What stands after the end although the subscription's row, read once more, names no more than it did.
    mutating func addsRow(_ sequence: Int64) {
        finding = Finding(
            .auditChainCut, about: subject, "row \(sequence) exists, and the \(subject.noun) names \(end.sequence)")
    }
}

extension ChainSubject {
    /// What it is, for people.
    fileprivate var noun: String {
        switch self {
        case .subscription: "subscription"
        case .customer: "customer's book"
        }
    }
}

extension InputColumns {
    /// Whether they say what the input says. The id of who is who begins with a customer's number, which its document has too.
    fileprivate func fit(_ input: LedgerInput) -> Bool {
        guard let expected = InputCoding.columns(of: input, { _ in 0 }) else { return false }
        guard kind == expected.kind, recordedAt == expected.recordedAt else { return false }
        switch input {
        case .merge: return Int64(inputId) != nil
        case .join, .separation:
            return inputId.split(separator: "/", maxSplits: 1).last == expected.inputId.split(separator: "/", maxSplits: 1).last
        default: return inputId == expected.inputId
        }
    }
}
