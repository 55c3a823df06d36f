/// All that is known about one subscription, each item once, in the order of Apple's dates.
struct KnownFacts {
    let originalTransactionId: String
    var transactions: [OracleTransaction]
    var infos: [OracleRenewalInfo]
    var notices: [OracleNotice]
    var statuses: [OracleStatus]
    var questions: [OracleFailedQuestion]
}

/// All deliveries, sorted by kind.
struct Known {
    var subscriptions: [KnownFacts] = []
    var registrations: [OracleRegistration] = []
    var intents: [OracleIntent] = []
    /// Claims, reservations, votes and who is who in the order of their instants; at one instant in this order, then by id.
    var acts: [Act] = []
    var customerVotes: [OracleCustomerVote] = []

    /// A claim, a reservation, a vote, a merge, a join or a separation.
    struct Act {
        let at: Int64
        /// Its place among acts of one instant.
        let rank: Int
        let id: String
        let delivery: Delivery
    }
}

extension Known {
    init(_ deliveries: [Delivery]) {
        var facts = Collected()
        for delivery in once(deliveries) {
            switch delivery {
            case .transaction(let it): facts.transactions.append(it)
            case .renewalInfo(let it): facts.infos.append(it)
            case .notice(let it): facts.notices.append(it)
            case .status(let it): facts.statuses.append(it)
            case .failedQuestion(let it): facts.questions.append(it)
            case .registration(let it): registrations.append(it)
            case .intent(let it): intents.append(it)
            case .claim(let it):
                facts.transactions.append(it.shown)
                acts.append(Act(at: it.claimedAt, rank: 0, id: it.id, delivery: delivery))
            case .reservation(let it): acts.append(Act(at: it.reservedAt, rank: 1, id: it.id, delivery: delivery))
            case .vote(let it): acts.append(Act(at: it.at, rank: 2, id: it.id, delivery: delivery))
            case .merge(let it):
                acts.append(Act(at: it.at, rank: 3, id: it.anonymous + " " + it.identified, delivery: delivery))
            case .join(let it): acts.append(Act(at: it.at, rank: 4, id: it.id, delivery: delivery))
            case .separation(let it): acts.append(Act(at: it.at, rank: 5, id: it.id, delivery: delivery))
            case .customerVote(let it): customerVotes.append(it)
            }
        }
        acts.sort { ($0.at, $0.rank, $0.id) < ($1.at, $1.rank, $1.id) }
        customerVotes.sort { ($0.at, $0.id) < ($1.at, $1.id) }
        subscriptions = facts.bySubscription()
    }
}

/// The facts of all subscriptions, not yet sorted.
private struct Collected {
    var transactions: [OracleTransaction] = []
    var infos: [OracleRenewalInfo] = []
    var notices: [OracleNotice] = []
    var statuses: [OracleStatus] = []
    var questions: [OracleFailedQuestion] = []

    func bySubscription() -> [KnownFacts] {
        let ids = Set(transactions.map(\.originalTransactionId)).sorted()
        return ids.map { id in
            KnownFacts(
                originalTransactionId: id,
                transactions: once(transactions.filter { $0.originalTransactionId == id })
                    .sorted { prevails($1, over: $0) },
                infos: infos.filter { $0.originalTransactionId == id }.sorted(by: isBefore),
                notices: notices.filter { $0.originalTransactionId == id }
                    .sorted { ($0.signedDate, $0.uuid) < ($1.signedDate, $1.uuid) },
                statuses: statuses.filter { $0.originalTransactionId == id }
                    .sorted { ($0.signedDate, $0.status) < ($1.signedDate, $1.status) },
                questions: questions.filter { $0.originalTransactionId == id }.sorted { $0.askedAt < $1.askedAt })
        }
    }
}

/// Each element once, in the order of its first appearance.
func once<Element: Hashable>(_ elements: [Element]) -> [Element] {
    var seen = Set<Element>()
    return elements.filter { seen.insert($0).inserted }
}

/// Infos are ordered by Apple's date; at one date by their content, so that the order of arrival does not matter.
private func isBefore(_ one: OracleRenewalInfo, _ other: OracleRenewalInfo) -> Bool {
    if one.signedDate != other.signedDate { return one.signedDate < other.signedDate }
    return String(describing: one) < String(describing: other)
}

/// Whether a version of a transaction prevails over another (FACT-2).
func prevails(_ one: OracleTransaction, over other: OracleTransaction) -> Bool {
    if one.signedDate != other.signedDate { return one.signedDate > other.signedDate }
    if (one.revocationDate != nil) != (other.revocationDate != nil) { return one.revocationDate != nil }
    if one.isUpgraded != other.isUpgraded { return one.isUpgraded }
    if one.transactionId != other.transactionId { return one.transactionId > other.transactionId }
    return String(describing: one) > String(describing: other)
}
