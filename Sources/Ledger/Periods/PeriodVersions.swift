import Primitives

/// Copies of one period: those that Apple signed as JWS, and lines of receipts and answers. Never empty.
///
/// Of each source the newest copy of each `transactionId` is kept, and each older one that says what no newer copy of that source
/// says: silence withdraws nothing but a revocation of the same id, and a poor source may be newer without erasing what a rich
/// one knows, in any order (FACT-2, decision 0063). A refund that no newer copy shows is kept too, since it may be given back
/// later (ENT-5). What is kept is a maximum over dates for each member, so taking copies is commutative, associative and
/// idempotent.
struct PeriodVersions: Sendable, Hashable {
    /// By source, the richest first; of one source the newest first.
    private(set) var kept: [KeptTransaction]
    /// The tokens that its copies bear; never two times the same, by the date of the first copy that bears each.
    private(set) var tokens: [BorneToken] = []
    /// The earliest `signedDate` of any copy.
    private(set) var signedFirst: Timestamp
    /// When each REFUND_REVERSED was signed that names one of its ids; sorted. It withdraws each revocation that was signed
    /// before (ENT-5). No copy says it: the book adds it where it reads the period.
    var reversals: [Timestamp] = []
    private var reversedAt: Timestamp? { reversals.last }
    var all: [TransactionFact] { kept.map(\.fact) }
    init(_ first: TransactionFact) {
        kept = [KeptTransaction(first)]
        signedFirst = first.signedDate
        note(first)
    }

    /// The newest copy of one source.
    subscript(source: LegacySource?) -> TransactionFact? { kept.first { $0.fact.source == source }?.fact }

    /// Takes a copy; true where anything of it is kept.
    @discardableResult
    mutating func take(_ version: TransactionFact) -> Bool {
        // It says who signed first, of two subscriptions that name one charge.
        let isFirst = version.signedDate < signedFirst
        signedFirst = min(signedFirst, version.signedDate)
        let isFirstBearer = note(version) || isFirst
        guard kept.contains(where: { $0.fact.source == version.source }) else {
            kept.append(KeptTransaction(version))
            kept.sort { $0.fact.rank > $1.fact.rank }
            return true
        }
        let copies = kept.filter { $0.fact.source == version.source }
        guard !copies.contains(where: { $0.fact == version }) else { return isFirstBearer }
        let newer = copies.prefix { !version.supersedes($0.fact) }
        guard version.says(whatNoneOf: newer) else { return isFirstBearer }
        var left = newer + [KeptTransaction(version)]
        for older in copies.dropFirst(newer.count) where older.fact.says(whatNoneOf: left) { left.append(older) }
        kept = kept.filter { $0.fact.rank > version.rank } + left + kept.filter { $0.fact.rank < version.rank }
        return true
    }

    /// True where the copy bears a token that none bore, or bears it earlier.
    @discardableResult
    private mutating func note(_ version: TransactionFact) -> Bool {
        guard let token = version.appAccountToken else { return false }
        let borne = BorneToken(token: token, since: version.signedDate)
        return note(borne)
    }

    private mutating func note(_ borne: BorneToken) -> Bool {
        if let known = tokens.firstIndex(where: { $0.token == borne.token }) {
            guard borne.since < tokens[known].since else { return false }
            tokens.remove(at: known)
        }
        tokens.append(borne)
        tokens.sort()
        return true
    }

    /// Takes a copy of a purchase that has no periods. A restored copy bears the date of the restore; the purchase is as old
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

    /// Takes over all that others know.
    mutating func join(_ other: PeriodVersions) {
        for version in other.all { take(version) }
        for borne in other.tokens { _ = note(borne) }
        signedFirst = min(signedFirst, other.signedFirst)
        reversals = Set(reversals).union(other.reversals).sorted()
    }

    mutating func lower(signedFirst instant: Timestamp) { signedFirst = min(signedFirst, instant) }

    // MARK: What they come to

    /// The newest copy, with what the others know beside it.
    var prevailing: KeptTransaction {
        let token = tokens.last?.token
        let isReversed = reversedAt != nil && kept[0].fact.revocation != nil
        guard kept.count > 1 || kept[0].fact.appAccountToken != token || isReversed else { return kept[0] }
        let newestFirst = kept.count > 1 ? all.sorted { $0.supersedes($1) } : all
        var fact = newestFirst[0]
        for other in newestFirst.dropFirst() { fact.learn(from: other) }
        fact.appAccountToken = token
        fact.details.takeOffer(ofRichestFirst: all.map(\.details))
        fact.details.takePrice(ofNewestFirst: newestFirst.map(\.details))
        fact.revocation = revocation
        let upgraded = newestFirst.first(where: \.isUpgraded)
        fact.isUpgraded = upgraded != nil
        // With no successor known yet, the date of the word that told of it bounds when it happened, not that of a later silence.
        if let upgraded { fact.signedDate = upgraded.signedDate }
        return KeptTransaction(fact)
    }

    /// Whether it was cancelled in the words of a source that writes the same for a refund and for an upgrade.
    var isCancellationUnexplained: Bool { newestRevoked?.source.map { !$0.tellsUpgrades } ?? false }

    /// The newest revocation that stands, with what other words about the very same one know of its kind.
    private var revocation: Revocation? {
        guard var revocation = newestRevoked?.revocation else { return nil }
        for other in all.compactMap(\.revocation) { revocation.learn(from: other) }
        return revocation
    }

    /// The newest copy with a revocation that stands: it is withdrawn by a newer copy of the same `transactionId` without one, of
    /// a source that is at least as rich, or by REFUND_REVERSED. It is the one thing that silence withdraws (FACT-2).
    private var newestRevoked: TransactionFact? {
        let all = all
        return all.filter { version in
            guard version.revocation != nil, reversedAt.map({ version.signedDate >= $0 }) ?? true else { return false }
            return !all.contains {
                $0.transactionId == version.transactionId && $0.rank >= version.rank && $0.signedDate > version.signedDate
                    && $0.revocation == nil
            }
        }.reduce(nil) { newest, version in newest.map { version.supersedes($0) ? version : $0 } ?? version }
    }
}

extension PeriodVersions {
    /// From what was stored, as it was; nil where it holds nothing.
    init?(kept: [TransactionFact], tokens: [BorneToken], signedFirst: Timestamp) {
        guard !kept.isEmpty else { return nil }
        self.kept = kept.map(KeptTransaction.init)
        self.tokens = tokens
        self.signedFirst = signedFirst
    }
}

extension TransactionFact {
    /// How much its source tells.
    fileprivate var rank: Int { LegacySource.rank(source) }

    /// Whether it says something that none of the newer copies of its source says, or is the newest of its id, which a restore
    /// mints anew (PER-1) and by which a revocation is withdrawn. Tokens are kept apart (FACT-2).
    fileprivate func says(whatNoneOf newer: some Collection<KeptTransaction>) -> Bool {
        guard newer.contains(where: { $0.fact.transactionId == transactionId }) else { return true }
        if let date = revocation?.revocationDate, !newer.contains(where: { $0.fact.revocation?.revocationDate == date }) {
            return true
        }
        return newer.reduce(stated) { $0.subtracting($1.fact.stated) } != []
    }

    /// Which of the members that a copy may lack it has.
    private var stated: StatedMembers {
        var stated = details.stated
        if type != .unstated { stated.insert(.type) }
        if expiresDate != nil { stated.insert(.expiresDate) }
        if webOrderLineItemId != nil { stated.insert(.webOrderLineItemId) }
        if transactionReason != nil { stated.insert(.transactionReason) }
        if isUpgraded { stated.insert(.isUpgraded) }
        if appTransactionId != nil { stated.insert(.appTransactionId) }
        if previousOriginalTransactionId != nil { stated.insert(.previousOriginalTransactionId) }
        if revocation?.revokedSeatQuantity != nil { stated.insert(.revokedSeatQuantity) }
        return stated
    }

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
        appTransactionId = appTransactionId ?? other.appTransactionId
        previousOriginalTransactionId = previousOriginalTransactionId ?? other.previousOriginalTransactionId
        details.learn(from: other.details)
    }
}

/// Members of a transaction that a later copy may lack and that stay said.
private struct StatedMembers: OptionSet {
    let rawValue: UInt32

    init(rawValue: UInt32) { self.rawValue = rawValue }

    private init(bit: UInt32) { rawValue = 1 << bit }

    static let type = Self(bit: 0)
    static let expiresDate = Self(bit: 1)
    static let webOrderLineItemId = Self(bit: 2)
    static let transactionReason = Self(bit: 3)
    static let isUpgraded = Self(bit: 4)
    static let appTransactionId = Self(bit: 5)
    static let subscriptionGroupIdentifier = Self(bit: 6)
    static let originalPurchaseDate = Self(bit: 7)
    static let quantity = Self(bit: 8)
    static let inAppOwnershipType = Self(bit: 9)
    static let offer = Self(bit: 10)
    static let price = Self(bit: 11)
    static let currency = Self(bit: 12)
    static let priceInCurrency = Self(bit: 13)
    static let storefront = Self(bit: 14)
    static let billingPlanType = Self(bit: 15)
    static let commitmentExpiresDate = Self(bit: 16)
    static let additionalTransactionReason = Self(bit: 17)
    static let previousOriginalTransactionId = Self(bit: 18)
    static let revokedSeatQuantity = Self(bit: 19)
}

extension TransactionDetails {
    fileprivate var stated: StatedMembers {
        var stated: StatedMembers = []
        if subscriptionGroupIdentifier != nil { stated.insert(.subscriptionGroupIdentifier) }
        if originalPurchaseDate != nil { stated.insert(.originalPurchaseDate) }
        if quantity != nil { stated.insert(.quantity) }
        if inAppOwnershipType != nil { stated.insert(.inAppOwnershipType) }
        if offerType != nil { stated.insert(.offer) }
        if price != nil { stated.insert(.price) }
        if currency != nil { stated.insert(.currency) }
        if price != nil, currency != nil { stated.insert(.priceInCurrency) }
        if storefront != nil { stated.insert(.storefront) }
        if billingPlanType != nil { stated.insert(.billingPlanType) }
        if commitmentExpiresDate != nil { stated.insert(.commitmentExpiresDate) }
        if additionalTransactionReason != nil { stated.insert(.additionalTransactionReason) }
        return stated
    }

    fileprivate mutating func learn(from other: TransactionDetails) {
        subscriptionGroupIdentifier = subscriptionGroupIdentifier ?? other.subscriptionGroupIdentifier
        originalPurchaseDate =
            originalPurchaseDate.map { mine in other.originalPurchaseDate.map(mine.refined) ?? mine }
            ?? other.originalPurchaseDate
        quantity = quantity ?? other.quantity
        inAppOwnershipType = inAppOwnershipType ?? other.inAppOwnershipType
        storefront = storefront ?? other.storefront
        billingPlanType = billingPlanType ?? other.billingPlanType
        commitmentExpiresDate = commitmentExpiresDate ?? other.commitmentExpiresDate
        additionalTransactionReason = additionalTransactionReason ?? other.additionalTransactionReason
    }

    /// The price in the words of the newest copy that says an amount and its currency: an amount in another copy's currency was
    /// never paid. Where none says both, what one says alone.
    fileprivate mutating func takePrice(ofNewestFirst others: [TransactionDetails]) {
        if let whole = others.first(where: { $0.price != nil && $0.currency != nil }) {
            (price, currency) = (whole.price, whole.currency)
        } else {
            price = others.lazy.compactMap(\.price).first
            currency = others.lazy.compactMap(\.currency).first
        }
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
    mutating func learn(from other: Revocation) {
        guard revocationDate.truncatedToSecond == other.revocationDate.truncatedToSecond else { return }
        revocationDate = revocationDate.refined(by: other.revocationDate)
        revocationType = revocationType ?? other.revocationType
        revocationReason = revocationReason ?? other.revocationReason
        revocationPercentage = revocationPercentage ?? other.revocationPercentage
        revokedSeatQuantity = revokedSeatQuantity ?? other.revokedSeatQuantity
    }
}

extension Timestamp {
    /// App receipts write whole seconds: the same instant as another source wrote it, where that one is of the same second.
    fileprivate func refined(by other: Timestamp) -> Timestamp {
        self == truncatedToSecond && other.truncatedToSecond == self ? other : self
    }
}
