package import Primitives

/// Something Apple signed or said, or a failure to ask Apple; kept for ever (FACT-1, FACT-6).
package indirect enum Fact: Sendable, Hashable {
    case transaction(TransactionFact)
    case renewal(RenewalFact)
    /// A notification's own words, about the subscription that it names.
    case notice(NoticeFact, about: OriginalTransactionID)
    /// The status in an answer to our own question.
    case status(StatusFact, about: OriginalTransactionID)
    case failedQuestion(FailedQuestion, about: OriginalTransactionID)

    /// The subscription, or the one-time purchase, that it speaks of.
    package var originalTransactionId: OriginalTransactionID {
        switch self {
        case .transaction(let fact): fact.originalTransactionId
        case .renewal(let fact): fact.originalTransactionId
        case .notice(_, let id), .status(_, let id), .failedQuestion(_, let id): id
        }
    }

    /// The instant that orders it among facts: Apple's `signedDate`, or when we asked.
    package var signedDate: Timestamp {
        switch self {
        case .transaction(let fact): fact.signedDate
        case .renewal(let fact): fact.signedDate
        case .notice(let fact, _): fact.signedDate
        case .status(let fact, _): fact.signedDate
        case .failedQuestion(let fact, _): fact.askedAt
        }
    }

    /// The id of a transaction that Apple signed by itself; nil for any other fact. With the environment and `signedDate` it
    /// names one fact.
    package var signedTransactionId: TransactionID? {
        if case .transaction(let fact) = self, fact.source == nil { fact.transactionId } else { nil }
    }

    /// What makes it the same fact in any encoding, inside one app and environment; never the hash of a JWS or of a receipt,
    /// which have many (T07). Lines of receipts are known by when they were said and by what they say (decision 0016).
    package var key: String {
        switch self {
        case .transaction(let fact) where fact.source != nil:
            "line/\(fact.transactionId)/\(fact.signedDate.millisecondsSince1970)/\(fact.words)"
        case .renewal(let fact) where fact.source != nil:
            "pending/\(fact.originalTransactionId)/\(fact.signedDate.millisecondsSince1970)/\(fact.words)"
        case .transaction(let fact): "transaction/\(fact.transactionId)/\(fact.signedDate.millisecondsSince1970)"
        case .renewal(let fact): "renewal/\(fact.originalTransactionId)/\(fact.signedDate.millisecondsSince1970)"
        case .notice(let fact, _): "notification/\(fact.notificationUUID)"
        case .status(let fact, let id): "status/\(id)/\(fact.signedDate.millisecondsSince1970)/\(fact.answered)"
        case .failedQuestion(let fact, let id): "question/\(id)/\(fact.askedAt.millisecondsSince1970)"
        }
    }
}

extension TransactionFact {
    /// Whether this version of a period wins over another: by `signedDate`, then revocations first, then kind, then identifier,
    /// and never by arrival (FACT-2). Versions that are equal in all of that are told apart by what they say, so that any order
    /// gives one winner.
    func supersedes(_ other: TransactionFact) -> Bool {
        if signedDate != other.signedDate { return signedDate > other.signedDate }
        if (revocation != nil) != (other.revocation != nil) { return revocation != nil }
        if isUpgraded != other.isUpgraded { return isUpgraded }
        let (rank, otherRank) = (LegacySource.rank(source), LegacySource.rank(other.source))
        if rank != otherRank { return rank > otherRank }
        if transactionId != other.transactionId { return transactionId > other.transactionId }
        return saysMore(than: other)
    }

    /// A total order over what two versions with one signature date and one id can differ in.
    private func saysMore(than other: TransactionFact) -> Bool {
        let mine = [
            expiresDate?.millisecondsSince1970 ?? -1, revocation?.revocationDate.millisecondsSince1970 ?? -1,
            purchaseDate.millisecondsSince1970,
        ]
        let others = [
            other.expiresDate?.millisecondsSince1970 ?? -1, other.revocation?.revocationDate.millisecondsSince1970 ?? -1,
            other.purchaseDate.millisecondsSince1970,
        ]
        if mine != others { return others.lexicographicallyPrecedes(mine) }
        let (named, otherNamed) = (
            (productId, appAccountToken?.rawValue ?? ""), (other.productId, other.appAccountToken?.rawValue ?? "")
        )
        return named == otherNamed ? words > other.words : named > otherNamed
    }
}

extension RenewalFact {
    /// The order of renewal infos that were signed in one millisecond: what shows an end or a retry comes last and so prevails.
    static func inOrder(_ left: RenewalFact, _ right: RenewalFact) -> Bool {
        if left.signedDate != right.signedDate { return left.signedDate < right.signedDate }
        if left.showsEndOrRetry != right.showsEndOrRetry { return right.showsEndOrRetry }
        let leftGrace = left.gracePeriodExpiresDate?.millisecondsSince1970 ?? -1
        let rightGrace = right.gracePeriodExpiresDate?.millisecondsSince1970 ?? -1
        if leftGrace != rightGrace { return leftGrace < rightGrace }
        let (leftRank, rightRank) = (LegacySource.rank(left.source), LegacySource.rank(right.source))
        if leftRank != rightRank { return leftRank < rightRank }
        let (leftNext, rightNext) = (left.autoRenewProductId?.rawValue ?? "", right.autoRenewProductId?.rawValue ?? "")
        return leftNext == rightNext ? left.words < right.words : leftNext < rightNext
    }
}

extension Fact {
    /// The token that it bears; only transactions and words about renewals bear any.
    package var appAccountToken: AppAccountToken? {
        switch self {
        case .transaction(let fact): fact.appAccountToken
        case .renewal(let fact): fact.appAccountToken
        case .notice, .status, .failedQuestion: nil
        }
    }

    /// From when on a token that it bears was borne at the earliest (OWN-2); a token that was set later, from then on (decision
    /// 0063).
    package var borneFrom: Timestamp {
        if case .transaction(let fact) = self { fact.purchaseDate } else { signedDate }
    }
}
