import Primitives

/// What is known of one period, of each source the version that prevails: what Apple signed as JWS, and what lines of receipts
/// and answers say. Never empty.
///
/// Keeping one per source, and computing what they come to, is what lets a poor source be newer without erasing what a rich one
/// knows, in any order (FACT-2): taking a version is the maximum of a total order within its source (decision 0016).
struct PeriodVersions: Sendable, Hashable {
    /// One per source; the richest source first.
    private(set) var kept: [KeptTransaction]
    var all: [TransactionFact] { kept.map(\.fact) }

    init(_ first: TransactionFact) { kept = [KeptTransaction(first)] }

    /// The version of one source.
    subscript(source: LegacySource?) -> TransactionFact? { kept.first { $0.fact.source == source }?.fact }

    /// Takes a version, where it prevails in its source; true if it does.
    @discardableResult
    mutating func take(_ version: TransactionFact) -> Bool {
        guard let index = kept.firstIndex(where: { $0.fact.source == version.source }) else {
            kept.append(KeptTransaction(version))
            kept.sort { $0.fact.rank > $1.fact.rank }
            return true
        }
        guard version.supersedes(kept[index].fact) else { return false }
        kept[index] = KeptTransaction(version)
        return true
    }

    /// Takes a version of a purchase that has no periods. A restored copy bears the date of the restore; the purchase is as old
    /// as its oldest copy says, whichever source that is of.
    mutating func takeOneTime(_ version: TransactionFact) -> Bool {
        var version = version
        for known in kept { version.purchaseDate = min(version.purchaseDate, known.fact.purchaseDate) }
        var isOlder = false
        for index in kept.indices where kept[index].fact.purchaseDate != version.purchaseDate {
            var known = kept[index].fact
            known.purchaseDate = version.purchaseDate
            kept[index] = KeptTransaction(known)
            isOlder = true
        }
        return take(version) || isOlder
    }

    // MARK: What they come to

    /// The version that prevails, with what the others know beside it.
    var prevailing: KeptTransaction {
        guard kept.count > 1 else { return kept[0] }
        let all = all
        let newestFirst = all.sorted { $0.supersedes($1) }
        var fact = newestFirst[0]
        for other in newestFirst.dropFirst() { fact.learn(from: other) }
        fact.details.takeOffer(ofRichestFirst: all.map(\.details))
        fact.revocation = revocation
        let upgraded = newestThat(\.isUpgraded)
        fact.isUpgraded = upgraded != nil
        // With no successor known yet, the date of the word that told of it bounds when it happened, not that of a later silence.
        if let upgraded { fact.signedDate = upgraded.signedDate }
        return KeptTransaction(fact)
    }

    /// Whether it was cancelled in the words of a source that writes the same for a refund and for an upgrade.
    var isCancellationUnexplained: Bool { newestThat(\.isRevoked)?.source.map { !$0.tellsUpgrades } ?? false }

    /// The newest revocation that stands, with what other words about the very same one know of its kind.
    private var revocation: Revocation? {
        guard var revocation = newestThat(\.isRevoked)?.revocation else { return nil }
        for other in all.compactMap(\.revocation) { revocation.learn(from: other) }
        return revocation
    }

    /// The newest version of which something is true that stands: what a source says is withdrawn only by a newer word of a
    /// source that is at least as rich. A poorer one's silence withdraws nothing.
    private func newestThat(_ says: (TransactionFact) -> Bool) -> TransactionFact? {
        let all = all
        return all.filter { version in
            says(version) && !all.contains { $0.rank > version.rank && $0.signedDate > version.signedDate && !says($0) }
        }.reduce(nil) { newest, version in newest.map { version.supersedes($0) ? version : $0 } ?? version }
    }
}

extension PeriodVersions {
    /// From what was stored; nil where it holds nothing.
    init?(kept: [TransactionFact]) {
        guard let first = kept.first else { return nil }
        self.init(first)
        // Not the first once more: to find that it says no more than itself costs more than all the rest.
        for version in kept.dropFirst() { take(version) }
    }
}

extension TransactionFact {
    /// How much its source tells.
    fileprivate var rank: Int { LegacySource.rank(source) }

    fileprivate var isRevoked: Bool { revocation != nil }

    /// Whether both show the period end at the same second, and for the same cause.
    func endsLike(_ other: TransactionFact) -> Bool {
        expiresDate?.truncatedToSecond == other.expiresDate?.truncatedToSecond
            && revocation?.revocationDate.truncatedToSecond == other.revocation?.revocationDate.truncatedToSecond
            && isUpgraded == other.isUpgraded
    }

    /// Takes over what this version does not say and another one knows. The newest must be asked first.
    fileprivate mutating func learn(from other: TransactionFact) {
        if type == .unstated { type = other.type }
        purchaseDate = purchaseDate.refined(by: other.purchaseDate)
        expiresDate = expiresDate.map { mine in other.expiresDate.map(mine.refined) ?? mine } ?? other.expiresDate
        webOrderLineItemId = webOrderLineItemId ?? other.webOrderLineItemId
        transactionReason = transactionReason ?? other.transactionReason
        appAccountToken = appAccountToken ?? other.appAccountToken
        appTransactionId = appTransactionId ?? other.appTransactionId
        details.learn(from: other.details)
    }
}

extension TransactionDetails {
    fileprivate mutating func learn(from other: TransactionDetails) {
        subscriptionGroupIdentifier = subscriptionGroupIdentifier ?? other.subscriptionGroupIdentifier
        originalPurchaseDate =
            originalPurchaseDate.map { mine in other.originalPurchaseDate.map(mine.refined) ?? mine }
            ?? other.originalPurchaseDate
        quantity = quantity ?? other.quantity
        inAppOwnershipType = inAppOwnershipType ?? other.inAppOwnershipType
        price = price ?? other.price
        currency = currency ?? other.currency
        storefront = storefront ?? other.storefront
    }

    /// The offer in the words of the richest source that names one: it does not change with time, and a receipt has no word for a
    /// win-back offer and would call a free one a trial. Fields of two different offers would make a third that nobody said.
    fileprivate mutating func takeOffer(ofRichestFirst others: [TransactionDetails]) {
        let naming = others.filter { $0.offerType != nil }
        guard let richest = naming.first else { return }
        let same = naming.filter { $0.offerType == richest.offerType }
        offerType = richest.offerType
        offerIdentifier = same.lazy.compactMap(\.offerIdentifier).first
        offerDiscountType = same.lazy.compactMap(\.offerDiscountType).first
        offerPeriod = same.lazy.compactMap(\.offerPeriod).first
    }
}

extension Revocation {
    /// A line writes when and perhaps why; only a JWS writes how much (PER-11).
    fileprivate mutating func learn(from other: Revocation) {
        guard revocationDate.truncatedToSecond == other.revocationDate.truncatedToSecond else { return }
        revocationDate = revocationDate.refined(by: other.revocationDate)
        revocationType = revocationType ?? other.revocationType
        revocationReason = revocationReason ?? other.revocationReason
        revocationPercentage = revocationPercentage ?? other.revocationPercentage
    }
}

extension Timestamp {
    /// App receipts write whole seconds: the same instant as another source wrote it, where that one is of the same second.
    fileprivate func refined(by other: Timestamp) -> Timestamp {
        self == truncatedToSecond && other.truncatedToSecond == self ? other : self
    }
}
