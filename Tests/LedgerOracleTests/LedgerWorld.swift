import Ledger
import LedgerOracle
import Primitives

/// The same deliveries in the ledger's types, so that both can be asked the same questions. This is the only place where the
/// oracle and `Ledger` meet.
struct LedgerWorld {
    let policies: PolicyTimeline
    /// By originalTransactionId.
    private(set) var histories: [String: SubscriptionHistory] = [:]
    private(set) var accounts: [String: CustomerAccount] = [:]

    static let app = AppID("app")
    static let entitlement = EntitlementID("gold")

    init(_ policies: OraclePolicies) { self.policies = PolicyTimeline(policies) }

    /// The content of all deliveries, as `Backend` would store it: by subscription, merges and registrations with all of them.
    init(_ deliveries: [Delivery], under policies: OraclePolicies) {
        self.init(policies)
        for id in Self.subscriptions(in: deliveries) { histories[id] = SubscriptionHistory(key: Self.key(id)) }
        for delivery in deliveries {
            for (id, input) in Self.inputs(of: delivery, among: deliveries) {
                for subscription in id.map({ [$0] }) ?? histories.keys.sorted() { _ = histories[subscription]?.record(input) }
            }
            if case .customerVote(let vote) = delivery { record(vote) }
        }
        hearOfCharges()
        // A claim merges nobody by what it would have come to without the owner who carries over.
        repeat {
            while hearOfSwitches() {}
            mergeElsewhere()
        } while hearOfSwitches()
    }

    /// PER-14: what continues another subscription hears who owned that one, and that one that it is continued. True where
    /// anything was news.
    private mutating func hearOfSwitches() -> Bool {
        var heardAny = false
        for (id, other) in histories.keys.sorted().flatMap({ id in histories.keys.sorted().map { (id, $0) } }) where id != other {
            guard let history = histories[id], let said = histories[other] else { continue }
            let state = SubscriptionState(folding: said, under: policies)
            for word in history.news(ofPrevious: said, state) + history.news(ofNext: said) {
                heardAny = histories[id]?.record(word) == true || heardAny
            }
        }
        return heardAny
    }

    /// PER-1: each subscription hears what the others say of charges that it names, too.
    private mutating func hearOfCharges() {
        let before = histories
        for (id, history) in before {
            let keys = Set(history.book.lines.flatMap(\.kept).compactMap(\.webOrderLineItemId))
            for (other, said) in before where other != id {
                for charge in keys.sorted().flatMap({ history.news(ofCharge: $0, in: said) }) {
                    _ = histories[id]?.record(charge)
                }
            }
        }
    }

    static func key(_ id: String) -> SubscriptionKey {
        SubscriptionKey(app: app, environment: .production, originalTransactionId: .init(id))
    }

    /// OWN-10: customers merged by a claim on one subscription are merged in all others, too.
    private mutating func mergeElsewhere() {
        while true {
            let merges = histories.values.flatMap { SubscriptionState(folding: $0, under: policies).merged }
                .sorted { ($0.mergedAt, $0.anonymous) < ($1.mergedAt, $1.anonymous) }
            // One after the other, as they happened: an earlier one may change the meaning of a later one.
            let isNew = merges.contains { merge in
                histories.keys.sorted().filter { histories[$0]?.record(merge) == true }.isEmpty == false
            }
            if !isNew { return }
        }
    }

    /// By subscription.
    var states: [(id: String, state: SubscriptionState)] {
        histories.sorted { $0.key < $1.key }.map { ($0.key, SubscriptionState(folding: $0.value, under: policies)) }
    }

    // MARK: Deliveries

    static func subscriptions(in deliveries: [Delivery]) -> [String] {
        Set(
            deliveries.compactMap { delivery -> String? in
                switch delivery {
                case .transaction(let it): it.originalTransactionId
                case .renewalInfo(let it): it.originalTransactionId
                case .notice(let it): it.originalTransactionId
                case .status(let it): it.originalTransactionId
                case .failedQuestion(let it): it.originalTransactionId
                case .claim(let it): it.originalTransactionId
                case .reservation(let it): it.originalTransactionId
                case .registration, .intent, .merge, .join, .separation, .vote, .customerVote: nil
                }
            }
        ).sorted()
    }

    /// The inputs of one delivery, and their subscription; nil for all of them.
    static func inputs(of delivery: Delivery, among deliveries: [Delivery]) -> [(String?, LedgerInput)] {
        switch delivery {
        case .transaction(let it): [(it.originalTransactionId, .fact(.transaction(TransactionFact(it))))]
        case .renewalInfo(let it): [(it.originalTransactionId, .fact(.renewal(RenewalFact(it))))]
        case .notice(let it): [(it.originalTransactionId, .fact(.notice(NoticeFact(it), about: .init(it.originalTransactionId))))]
        case .status(let it):
            [
                (
                    it.originalTransactionId,
                    .fact(
                        .status(
                            StatusFact(it.status, signedDate: Timestamp(it.signedDate)), about: .init(it.originalTransactionId)))
                )
            ]
        case .failedQuestion(let it):
            [
                (
                    it.originalTransactionId,
                    .fact(.failedQuestion(FailedQuestion(it), about: .init(it.originalTransactionId)))
                )
            ]
        case .registration(let it):
            AppAccountToken(it.token).map { token in
                [(nil, .registration(TokenRegistration(it, token)))]
            } ?? []
        case .intent(let it): [(nil, .intent(PurchaseIntent(it)))]
        case .reservation(let it): [(it.originalTransactionId, .reservation(Reservation(it)))]
        case .claim(let it):
            [
                (it.originalTransactionId, .fact(.transaction(TransactionFact(it.shown)))),
                (it.originalTransactionId, .claim(Claim(it))),
            ]
        case .merge(let it):
            [
                (
                    nil,
                    .merge(
                        .init(
                            anonymous: .init(it.anonymous), identified: .init(it.identified), mergedAt: Timestamp(it.at),
                            isIntoAnonymous: it.intoAnonymous))
                )
            ]
        case .join(let it): [(nil, .join(CustomerJoin(it)))]
        case .separation(let it):
            [
                (
                    nil,
                    .separation(
                        CustomerSeparation(
                            id: .init(it.id), of: .init(it.join.id), CustomerJoin(it.join).pair, separatedAt: Timestamp(it.at)))
                )
            ]
        case .vote(let it): [(subject(of: it, among: deliveries), .vote(OwnershipVote(it)))]
        case .customerVote: []
        }
    }

    private static func subject(of vote: OracleVote, among deliveries: [Delivery]) -> String {
        let claim: String
        switch vote.kind {
        case .transfer(let id, _): return id
        case .approve(let id, _), .deny(let id): claim = id
        }
        for case .claim(let it) in deliveries where it.id == claim { return it.originalTransactionId }
        return ""
    }

    // MARK: Votes about customers

    private mutating func record(_ vote: OracleCustomerVote) {
        let kind: CustomerVote.Kind
        var customers = [String]()
        switch vote.kind {
        case .grant(let customer, let entitlement, let from, let until):
            kind = .grant(.init(entitlement), TimeWindow(from: Timestamp(from), until: until.map { Timestamp($0) }))
            customers = [customer]
        case .hold(let customer, let entitlement, let from, let until):
            kind = .hold(.init(entitlement), TimeWindow(from: Timestamp(from), until: until.map { Timestamp($0) }))
            customers = [customer]
        case .credit(let customer, let entitlement, let at, let duration):
            kind = .credit(.init(entitlement), at: Timestamp(at), Milliseconds(duration))
            customers = [customer]
        case .withdraw(let vote, _):
            kind = .withdraw(.init(vote))
            customers = accounts.keys.sorted()
        }
        var at = vote.at
        if case .withdraw(_, let instant) = vote.kind { at = instant }
        for customer in customers {
            var account =
                accounts[customer]
                ?? CustomerAccount(app: Self.app, environment: .production, customer: .init(customer))
            _ = account.record(
                CustomerVote(id: .init(vote.id), kind: kind, actor: "operator", reason: "", votedAt: Timestamp(at)))
            accounts[customer] = account
        }
    }

    /// The answer about a customer.
    func answer(_ customer: String, _ states: [SubscriptionState], at instant: Int64, balanced: Bool) -> CustomerAnswer {
        let holdings = states.map { Holding(of: .init(customer), in: $0, keepingCredits: balanced) }
        return CustomerAnswer(
            at: Timestamp(instant), holdings: holdings, account: accounts[customer], map: Self.map(balanced: balanced))
    }

    /// OWN-10: a decision about a merged customer applies to the customer they were merged into.
    mutating func mergeAccounts(_ representative: (String) -> String) {
        for name in accounts.keys.sorted() where representative(name) != name {
            let other = representative(name)
            var account = accounts[other] ?? CustomerAccount(app: Self.app, environment: .production, customer: .init(other))
            if let merged = accounts[name] { account.absorb(merged) }
            accounts[other] = account
        }
    }

    /// A product that gives what all give, and that nobody buys.
    static let besides = ProductID("besides")

    static let settings: SettingsTimeline = {
        func listing(_ product: ProductID, in group: String, level: Int) -> ProductListing {
            let plan = ProductListing.Plan(subscriptionGroupIdentifier: group, level: level, duration: "P1M")
            return ProductListing(productId: product, type: .autoRenewableSubscription, plan: plan)
        }
        let bought = OracleProduct.all.map { listing(ProductID($0.id), in: "gold", level: $0.level) }
        let listings = bought + [listing(besides, in: "beside gold", level: 1)]
        return SettingsTimeline(
            SettingsContent(
                policy: AppPolicy(),
                products: listings.map {
                    .init(productId: $0.productId, validFrom: Timestamp(0), entitlements: [entitlement])
                }, offerings: AppOfferings(products: listings)))
    }()

    static func map(balanced: Bool) -> EntitlementMap {
        EntitlementMap(
            entries: (OracleProduct.all + [.pass]).map {
                .init(productId: .init($0.id), validFrom: Timestamp(0), entitlements: [entitlement])
            }, balanced: balanced ? [entitlement] : [],
            durations: [ProductID(OracleProduct.pass.id): .days(OracleProduct.pass.days)])
    }
}

// MARK: - The same words

extension PolicyTimeline {
    init(_ policies: OraclePolicies) {
        self.init(
            AppPolicy(policies.first),
            then: policies.then.enumerated().map { index, version in
                var policy = AppPolicy(version.policy)
                policy.version = Int64(index + 2)
                return Version(validFrom: Timestamp(version.validFrom), policy: policy)
            })
    }
}

extension TokenRegistration {
    init(_ it: OracleRegistration, _ token: AppAccountToken) {
        self.init(
            token: token, customer: .init(it.customer), isAnonymous: it.anonymous, registeredAt: Timestamp(it.registeredAt),
            isVouched: it.vouched, wasBorneBefore: it.borneBefore)
    }
}

extension CustomerJoin {
    init(_ it: OracleJoin) {
        self.init(
            id: .init(it.id), of: CustomerPair(CustomerID(it.from), into: CustomerID(it.into)), joinedAt: Timestamp(it.at))
    }
}

extension PurchaseIntent {
    init(_ it: OracleIntent) {
        self.init(
            id: .init(it.id), customer: .init(it.customer), isAnonymous: it.anonymous, productId: .init(it.productId),
            madeAt: Timestamp(it.madeAt))
    }
}

extension Reservation {
    init(_ it: OracleReservation) {
        self.init(
            id: .init(it.id), customer: .init(it.customer), isAnonymous: it.anonymous, reservedAt: Timestamp(it.reservedAt))
    }
}

extension Timestamp {
    init(_ milliseconds: Int64) { self.init(millisecondsSince1970: milliseconds) }
}

extension AppPolicy {
    init(_ policy: OraclePolicy) {
        self.init()
        onPurchase =
            switch policy.onPurchase {
            case .followPurchase: .followPurchase
            case .stay: .stay
            case .ask: .ask
            }
        onRestore =
            switch policy.onRestore {
            case .keep: .keep
            case .transfer: .transfer
            case .transferIfInactive: .transferIfInactive
            case .ask: .ask
            }
        anonymousMayTake = policy.anonymousMayTake
        mergeOnClaim = policy.mergeOnClaim
        restoreLimit = policy.restoreLimit
        restoreWindow = .days(policy.restoreWindowDays)
        customersPerAppleAccount = policy.customersPerAppleAccount
        partialRefunds = policy.partialRefunds == .keep ? .keep : .endSubscriptions
        partialRefundsOfOthers = policy.partialRefundsOfOthers == .keep ? .keep : .end
        familySharing = policy.familySharing == .serve ? .serve : .ignore
        productionLeeway = Milliseconds(policy.leeway)
        billingGracePeriodDays = policy.graceDays
        promptWindow = Milliseconds(policy.promptWindow)
        purchaseWindow = Milliseconds(policy.purchaseWindow)
        purchaseEvidence = policy.tokenOnly ? .tokenOnly : .claims
        tokenLocks = policy.tokenLocks
    }
}

extension TransactionFact {
    init(_ it: OracleTransaction) {
        self.init(
            originalTransactionId: .init(it.originalTransactionId), transactionId: .init(it.transactionId),
            productId: .init(it.productId), purchaseDate: Timestamp(it.purchaseDate), signedDate: Timestamp(it.signedDate))
        webOrderLineItemId = it.webOrderLineItemId.flatMap { $0 == "0" ? nil : $0 }
        expiresDate = it.expiresDate.map { Timestamp($0) }
        type =
            switch it.type {
            case .autoRenewable: .autoRenewableSubscription
            case .nonConsumable: .nonConsumable
            case .consumable: .consumable
            case .nonRenewing: .nonRenewingSubscription
            }
        transactionReason =
            switch it.reason {
            case .purchase: .purchase
            case .renewal: .renewal
            case .none: nil
            }
        isUpgraded = it.isUpgraded
        revocation = it.revocationDate.map {
            Revocation(
                revocationDate: Timestamp($0), revocationType: it.revocationType, revocationPercentage: it.revocationPercentage)
        }
        appAccountToken = it.appAccountToken.flatMap { AppAccountToken($0) }
        appTransactionId = it.appTransactionId
        details.inAppOwnershipType = it.ownership.map { ownership in
            switch ownership {
            case .purchased: "PURCHASED"
            case .familyShared: "FAMILY_SHARED"
            case .assigned: "ASSIGNED"
            }
        }
        details.billingPlanType = it.monthlyCommitment ? "MONTHLY" : nil
        details.quantity = it.quantity == 1 ? nil : it.quantity
        previousOriginalTransactionId = it.previousOriginalTransactionId.map { OriginalTransactionID($0) }
        details.additionalTransactionReason = it.isSeatAddition ? "SEAT_ADDITION" : nil
    }
}

extension RenewalFact {
    init(_ it: OracleRenewalInfo) {
        self.init(originalTransactionId: .init(it.originalTransactionId), signedDate: Timestamp(it.signedDate))
        autoRenewProductId = it.autoRenewProductId.map { .init($0) }
        autoRenewStatus = it.autoRenewStatus
        isInBillingRetryPeriod = it.isInBillingRetryPeriod
        gracePeriodExpiresDate = it.gracePeriodExpiresDate.map { Timestamp($0) }
        expirationIntent = it.expirationIntent
        appAccountToken = it.appAccountToken.flatMap { AppAccountToken($0) }
    }
}

extension NoticeFact {
    init(_ it: OracleNotice) {
        self.init(
            notificationUUID: it.uuid, notificationType: it.type, subtype: it.subtype, status: it.status,
            signedDate: Timestamp(it.signedDate))
        transactionId = it.transactionId.map { TransactionID($0) }
    }
}

extension FailedQuestion {
    init(_ it: OracleFailedQuestion) {
        self.init(askedAt: Timestamp(it.askedAt), reason: "5xx", isRetryable: it.retryable)
    }
}

extension Claim {
    init(_ it: OracleClaim) {
        let kind: Kind =
            switch it.kind {
            case .purchase: .purchase
            case .queue: .queue
            case .restore: .restore
            }
        self.init(
            id: .init(it.id),
            customer: Claimant(
                .init(it.customer), isAnonymous: it.anonymous, othersServed: it.othersServed.map { .init($0) },
                keepsIntents: it.keepsIntents),
            kind: kind, transaction: TransactionFact(it.shown), productId: .init(it.productId),
            claimedAt: Timestamp(it.claimedAt))
    }
}

extension OwnershipVote {
    init(_ it: OracleVote) {
        let (kind, actor): (Kind, Actor) =
            switch it.kind {
            case .transfer(_, let customer): (.transfer(to: .init(customer)), .operatorOfTenure("operator"))
            case .approve(let claim, let owner?): (.approve(.init(claim)), .owner(.init(owner)))
            case .approve(let claim, nil): (.approve(.init(claim)), .operatorOfTenure("operator"))
            case .deny(let claim): (.deny(.init(claim)), .operatorOfTenure("operator"))
            }
        self.init(id: .init(it.id), kind: kind, actor: actor, votedAt: Timestamp(it.at))
    }
}
