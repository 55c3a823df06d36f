package import Primitives

/// Looks for signs of abuse in everything that is known (ABUSE-1). It changes nothing and decides no access.
package struct AbuseReview {
    private let states: [SubscriptionState]
    private let accounts: AppleAccounts
    private let credited: [CustomerPeriod]
    private let consumptions: [TransactionID: [Consumption]]
    private let thresholds: AbuseThresholds
    private let instant: Timestamp

    /// - Parameters:
    ///   - states: all subscriptions of one app and environment that are to be looked at together.
    ///   - accounts: which of them are of one Apple Account.
    ///   - consumptions: what the app's backend said was used.
    package init(
        _ states: [SubscriptionState], accounts: AppleAccounts, consumptions: [Consumption] = [],
        thresholds: AbuseThresholds = AbuseThresholds(), at instant: Timestamp
    ) {
        self.states = states.sorted { $0.key < $1.key }
        self.accounts = accounts
        credited = CustomerPeriod.all(in: states).filter { $0.purchaseDate <= instant }
        self.consumptions = Dictionary(grouping: consumptions, by: \.transactionId)
        self.thresholds = thresholds
        self.instant = instant
    }

    /// The strongest first, then by kind and subject.
    package var signals: [AbuseSignal] {
        let all =
            accountsOfManyCustomers + customersOfManyAccounts + tokensOfManyAccounts + introductoryOffersAgain + refunds
            + refundsAfterConsumption + claimsWithOthersReceipts + crossgradeLoops + contestedPurchases
        return all.sorted(by: AbuseSignal.inOrder)
    }

    /// When something begins to count that lies ahead, and is known already: a tenure, a period or a change. Nil where nothing
    /// does. Until then the same books give no more than now: time takes evidence out of the windows, and adds none.
    package var beginsLater: Timestamp? {
        let instants = states.flatMap { state -> [Timestamp] in
            let owned: [Timestamp] = state.tenures.map(\.from)
            let claimed: [Timestamp] = state.claims.map(\.claim.claimedAt)
            let contested: [Timestamp] = state.contested.map(\.at)
            let bought: [Timestamp] = state.periods.map(\.purchaseDate)
            let revoked: [Timestamp] = state.periods.compactMap { $0.transaction.revocation?.revocationDate }
            return owned + claimed + contested + bought + revoked
        }
        return instants.filter { $0 > instant }.min()
    }

    private func isRecent(_ at: Timestamp, within window: Milliseconds) -> Bool { at <= instant && instant.since(at) <= window }

    // MARK: Accounts

    /// Who stood before a subscription with the Apple Account in hand: every owner and every claimant, the refused ones among
    /// them, since each claim shows possession of the account (OWN-4). Anonymous customers are left out: each new install
    /// creates one, who may be counted already (OWN-10).
    private func contacts(with state: SubscriptionState) -> [(customer: CustomerID, at: Timestamp)] {
        let anonymous = Set(state.claims.map(\.claim).filter(\.isAnonymous).map(\.customer))
        let owners = state.tenures.compactMap { tenure -> (customer: CustomerID, at: Timestamp)? in
            guard let customer = tenure.customer, tenure.from <= instant else { return nil }
            // A tenure that still ran within the window is as recent as its last instant.
            return (customer, min(tenure.until ?? instant, instant))
        }
        let claimants = state.claims.map { (customer: $0.claim.customer, at: $0.claim.claimedAt) }
        return (owners + claimants).filter { isRecent($0.at, within: thresholds.window) && !anonymous.contains($0.customer) }
    }

    private var accountsOfManyCustomers: [AbuseSignal] {
        accounts.accounts.compactMap { account in
            var latest: [CustomerID: AbuseSignal.Evidence] = [:]
            for state in states where account.subscriptions.contains(state.key.originalTransactionId) {
                for contact in contacts(with: state) {
                    let new = AbuseSignal.Evidence(
                        at: contact.at, what: .customer(contact.customer, state.key.originalTransactionId))
                    let known = latest[contact.customer]
                    if known.map({ AbuseSignal.Evidence.inOrder($0, new) }) ?? true { latest[contact.customer] = new }
                }
            }
            guard let name = account.subscriptions.first else { return nil }
            return AbuseSignal(
                .accountOfManyCustomers, .appleAccount(name), count: latest.count, threshold: thresholds.customersOfOneAccount,
                evidence: Array(latest.values))
        }
    }

    private var customersOfManyAccounts: [AbuseSignal] {
        var evidence: [CustomerID: [OriginalTransactionID: AbuseSignal.Evidence]] = [:]
        for account in accounts.accounts {
            guard let name = account.subscriptions.first else { continue }
            for state in states where account.subscriptions.contains(state.key.originalTransactionId) {
                for contact in contacts(with: state) {
                    let new = AbuseSignal.Evidence(
                        at: contact.at, what: .customer(contact.customer, state.key.originalTransactionId))
                    let known = evidence[contact.customer]?[name]
                    if known.map({ AbuseSignal.Evidence.inOrder($0, new) }) ?? true {
                        evidence[contact.customer, default: [:]][name] = new
                    }
                }
            }
        }
        return evidence.compactMap { customer, accounts in
            AbuseSignal(
                .customerOfManyAccounts, .customer(customer), count: accounts.count, threshold: thresholds.accountsOfOneCustomer,
                evidence: Array(accounts.values))
        }
    }

    /// A token stands for one customer, and so for as many accounts as one has. Of each account the last purchase counts.
    private var tokensOfManyAccounts: [AbuseSignal] {
        var evidence: [AppAccountToken: [OriginalTransactionID: AbuseSignal.Evidence]] = [:]
        for account in accounts.accounts {
            guard let name = account.subscriptions.first else { continue }
            for state in states where account.subscriptions.contains(state.key.originalTransactionId) {
                let id = state.key.originalTransactionId
                for period in state.periods where isRecent(period.purchaseDate, within: thresholds.window) {
                    guard let token = period.purchaseToken else { continue }
                    let new = AbuseSignal.Evidence(
                        at: period.purchaseDate, what: .transaction(id, period.transaction.transactionId))
                    let known = evidence[token]?[name]
                    if known.map({ AbuseSignal.Evidence.inOrder($0, new) }) ?? true { evidence[token, default: [:]][name] = new }
                }
            }
        }
        return evidence.compactMap { token, accounts in
            AbuseSignal(
                .tokenOfManyAccounts, .token(token), count: accounts.count, threshold: thresholds.accountsOfOneCustomer,
                evidence: Array(accounts.values))
        }
    }

    // MARK: Offers and refunds

    /// WALL-3: an introductory offer that runs over several periods is one offer; it begins where the subscription's period
    /// before it was none.
    private var introductoryOffersAgain: [AbuseSignal] {
        let offers = credited.filter { $0.isIntroductoryOffer && ($0.isBought || !followsIntroductoryOffer($0)) }
        let recent = offers.filter { $0.customer != nil && isRecent($0.purchaseDate, within: thresholds.window) }
        let groups = Dictionary(grouping: recent) { [$0.customer?.rawValue ?? "", $0.subscriptionGroupIdentifier ?? ""] }
        let most = groups.values.reduce(into: [CustomerID: [CustomerPeriod]]()) { most, offers in
            guard let customer = offers.first?.customer else { return }
            most[customer] = Self.greater(offers, most[customer] ?? [])
        }
        return most.compactMap { customer, offers in
            AbuseSignal(
                .introductoryOfferAgain, .customer(customer), count: offers.count, threshold: thresholds.introductoryOffers,
                evidence: offers.map { $0.evidence(at: $0.purchaseDate) })
        }
    }

    /// The longer list; of equal lists, the one whose group comes first, so that the dictionary's order does not matter.
    private static func greater(_ one: [CustomerPeriod], _ other: [CustomerPeriod]) -> [CustomerPeriod] {
        if one.count != other.count { return one.count > other.count ? one : other }
        let (group, otherGroup) = (one.first?.subscriptionGroupIdentifier ?? "", other.first?.subscriptionGroupIdentifier ?? "")
        return group <= otherGroup ? one : other
    }

    private func followsIntroductoryOffer(_ period: CustomerPeriod) -> Bool {
        let before = credited.last {
            $0.originalTransactionId == period.originalTransactionId && $0.purchaseDate < period.purchaseDate
        }
        return before?.isIntroductoryOffer ?? false
    }

    /// Refunds of one customer within the window: what they were credited with, not what they own today (ENT-4).
    private func refunded(where isCounted: (CustomerPeriod, Revocation) -> Bool) -> [CustomerID: [AbuseSignal.Evidence]] {
        credited.reduce(into: [:]) { evidence, period in
            guard let customer = period.customer, let refund = period.refund,
                isRecent(refund.revocationDate, within: thresholds.window), isCounted(period, refund)
            else { return }
            evidence[customer, default: []].append(period.evidence(at: refund.revocationDate))
        }
    }

    private var refunds: [AbuseSignal] {
        refunded { _, _ in true }.compactMap { customer, evidence in
            AbuseSignal(
                .repeatedRefunds, .customer(customer), count: evidence.count, threshold: thresholds.refunds, evidence: evidence)
        }
    }

    private var refundsAfterConsumption: [AbuseSignal] {
        refunded { period, refund in
            let told = period.period.transactionIds.flatMap { consumptions[$0] ?? [] }
                .filter { $0.consumedAt <= refund.revocationDate }
            let used = max(told.map(\.percentage).max() ?? 0, period.usedTime(at: refund.revocationDate))
            return used >= thresholds.consumed
        }.compactMap { customer, evidence in
            AbuseSignal(
                .refundAfterConsumption, .customer(customer), count: evidence.count,
                threshold: thresholds.refundsAfterConsumption, evidence: evidence)
        }
    }

    // MARK: Claims and changes

    /// Counts different subscriptions, not repetitions: pressing "restore" ten times counts once.
    private var claimsWithOthersReceipts: [AbuseSignal] {
        var evidence: [CustomerID: [OriginalTransactionID: AbuseSignal.Evidence]] = [:]
        for state in states {
            for weighed in state.claims where isRecent(weighed.claim.claimedAt, within: thresholds.window) {
                // OWN-11: a claim pending because of a limit is flagged like a refused one.
                guard weighed.outcome.isRefusedOrPastLimit else { continue }
                let id = state.key.originalTransactionId
                evidence[weighed.claim.customer, default: [:]][id] = AbuseSignal.Evidence(
                    at: weighed.claim.claimedAt, what: .claim(id, weighed.claim.id))
            }
        }
        return evidence.compactMap { customer, claims in
            AbuseSignal(
                .claimsWithOthersReceipts, .customer(customer), count: claims.count, threshold: thresholds.refusedClaims,
                evidence: Array(claims.values))
        }
    }

    /// One is a signal: an operator may have to say whose it is. Tokens make it rare.
    private var contestedPurchases: [AbuseSignal] {
        states.compactMap { state in
            let id = state.key.originalTransactionId
            let contested = state.contested.filter { isRecent($0.at, within: thresholds.window) }
            return AbuseSignal(
                .contestedPurchase, .subscription(id), count: contested.count, threshold: 1,
                evidence: contested.map { .init(at: $0.at, what: .transaction(id, $0.transactionId)) })
        }
    }

    private var crossgradeLoops: [AbuseSignal] {
        states.compactMap { state in
            let id = state.key.originalTransactionId
            let changes = credited.filter { period in
                period.originalTransactionId == id && period.period.beginning == .immediateChange
                    && isRecent(period.purchaseDate, within: thresholds.loopWindow)
            }
            return AbuseSignal(
                .crossgradeLoop, .subscription(id), count: changes.count, threshold: thresholds.crossgrades,
                evidence: changes.map { $0.evidence(at: $0.purchaseDate) })
        }
    }
}

extension CustomerPeriod {
    fileprivate func evidence(at instant: Timestamp) -> AbuseSignal.Evidence {
        AbuseSignal.Evidence(at: instant, what: .transaction(originalTransactionId, transactionId))
    }

    /// How much of its time was over at the instant, in thousandths of a percent; 0 for what does not expire.
    func usedTime(at instant: Timestamp) -> Int64 {
        guard let expiresDate = period.transaction.expiresDate else { return 0 }
        let (whole, used) = (expiresDate.since(purchaseDate).count, instant.since(purchaseDate).count)
        guard whole > 0, used > 0 else { return 0 }
        guard used < whole else { return 100_000 }
        // Divided first where multiplying could overflow: an instant from outside is below 2^48.
        let (product, overflow) = used.multipliedReportingOverflow(by: 100_000)
        return overflow ? used / (whole / 100_000) : product / whole
    }
}

extension ClaimOutcome {
    fileprivate var isRefusedOrPastLimit: Bool {
        switch self {
        case .refused, .waiting(.limit): true
        case .bound, .alreadyOwner, .moved, .noted, .waiting: false
        }
    }
}
