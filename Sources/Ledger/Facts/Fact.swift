package import Primitives

/// Something Apple signed or said, or a failure to ask Apple; kept for ever (FACT-1, FACT-6).
package enum Fact: Sendable, Hashable, Codable {
    case transaction(TransactionFact)
    case renewal(RenewalFact)
    /// A notification's own words, about the subscription that it names.
    case notice(NoticeFact, about: OriginalTransactionID)
    case failedQuestion(FailedQuestion, about: OriginalTransactionID)

    /// The subscription, or the one-time purchase, that it speaks of.
    package var originalTransactionId: OriginalTransactionID {
        switch self {
        case .transaction(let fact): fact.originalTransactionId
        case .renewal(let fact): fact.originalTransactionId
        case .notice(_, let id), .failedQuestion(_, let id): id
        }
    }

    /// The instant that orders it among facts: Apple's `signedDate`, or when we asked.
    package var signedDate: Timestamp {
        switch self {
        case .transaction(let fact): fact.signedDate
        case .renewal(let fact): fact.signedDate
        case .notice(let fact, _): fact.signedDate
        case .failedQuestion(let fact, _): fact.askedAt
        }
    }

    /// What makes it the same fact in any encoding, inside one app and environment; never the hash of a JWS, which has many
    /// (T07).
    package var key: String {
        switch self {
        case .transaction(let fact): "transaction/\(fact.transactionId)/\(fact.signedDate.millisecondsSince1970)"
        case .renewal(let fact): "renewal/\(fact.originalTransactionId)/\(fact.signedDate.millisecondsSince1970)"
        case .notice(let fact, _): "notification/\(fact.notificationUUID)"
        case .failedQuestion(let fact, let id): "question/\(id)/\(fact.askedAt.millisecondsSince1970)"
        }
    }
}

extension TransactionFact {
    /// Whether this version of a period wins over another: by `signedDate`, then revocations first, then identifier, and never by
    /// arrival (FACT-2). Versions that are equal in all of that are told apart by what they say, so that any order gives one
    /// winner.
    func supersedes(_ other: TransactionFact) -> Bool {
        if signedDate != other.signedDate { return signedDate > other.signedDate }
        if (revocation != nil) != (other.revocation != nil) { return revocation != nil }
        if isUpgraded != other.isUpgraded { return isUpgraded }
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
        return (productId, appAccountToken?.rawValue ?? "") > (other.productId, other.appAccountToken?.rawValue ?? "")
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
        return (left.autoRenewProductId?.rawValue ?? "") < (right.autoRenewProductId?.rawValue ?? "")
    }
}
