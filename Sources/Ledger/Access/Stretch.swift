import Primitives

/// One stretch of time that gives a customer an entitlement, and by what right: a span of a subscription, what is left of a
/// balance, a grant. A class, since each answer passes it on many times, and a copy of its parts costs more than the answer.
final class Stretch: Sendable {
    let window: TimeWindow
    let right: EntitlementAnswer.Right
    let endsBecause: AccessSpan.End
    /// Nil for a grant.
    let productId: ProductID?
    /// The subscription or purchase; nil where it is none, or more than one.
    let holding: Holding?
    /// The vote; nil for what rests on Apple's facts.
    let vote: ID<VoteEvidence>?

    var from: Timestamp { window.from }
    /// With "no end" as the latest instant there is.
    var end: Timestamp { window.until ?? .latestAccepted }

    init(of span: AccessSpan, in holding: Holding) {
        window = TimeWindow(from: span.from, until: span.until)
        right = EntitlementAnswer.Right(span.kind)
        endsBecause = span.endsBecause
        productId = span.productId
        self.holding = holding
        vote = nil
    }

    init(ofBalance window: TimeWindow, of productId: ProductID?, in holding: Holding?) {
        self.window = window
        right = .balance
        endsBecause = .balanceUsed
        self.productId = productId
        self.holding = holding
        vote = nil
    }

    init(granted window: TimeWindow, by vote: ID<VoteEvidence>) {
        self.window = window
        right = .granted
        endsBecause = .grantEnded
        productId = nil
        holding = nil
        self.vote = vote
    }

    /// What is left of one in a window of it, because something holds the rest (ENT-9).
    init(_ stretch: Stretch, in window: TimeWindow) {
        self.window = window
        right = stretch.right
        endsBecause = window.until == stretch.window.until ? stretch.endsBecause : .held
        (productId, holding, vote) = (stretch.productId, stretch.holding, stretch.vote)
    }

    /// Of several at one instant the answer rests on what was paid for before grants, grace and late news, then on what lasts
    /// longest.
    func outranks(_ other: Stretch) -> Bool {
        if right != other.right { return right.rank > other.right.rank }
        if end != other.end { return end > other.end }
        return name < other.name
    }

    /// By start, then by end, then by name: the order must not depend on how holdings were read.
    func precedes(_ other: Stretch) -> Bool {
        if from != other.from { return from < other.from }
        if end != other.end { return end < other.end }
        return name < other.name
    }

    private var name: ID<Stretch> { ID(holding?.originalTransactionId.rawValue ?? vote?.rawValue ?? productId?.rawValue ?? "") }
}

extension EntitlementAnswer.Right {
    fileprivate var rank: Int {
        switch self {
        case .paid: 4
        case .balance: 3
        case .granted: 2
        case .gracePeriod: 1
        case .provisional: 0
        }
    }
}

extension EntitlementMap {
    /// Everything that gives a customer an entitlement, by whatever right.
    func stretches(giving entitlement: EntitlementID, by holdings: [Holding], and account: CustomerAccount?) -> [Stretch] {
        let addsUp = everAddsUp(entitlement)
        var stretches: [Stretch] = []
        for holding in holdings {
            for span in holding.spans {
                // Under a balance what was paid for is in it; grace and late news stay what they are (decision 0017.24).
                let isInBalance = addsUp && span.kind == .paid && span.until != nil
                for followed in isInBalance ? following(entitlement, in: span) : [span] {
                    for part in parts(of: followed, giving: entitlement) { stretches.append(Stretch(of: part, in: holding)) }
                }
            }
        }
        if let balance = balance(of: entitlement, holdings, account) { stretches += balance.stretches }
        if hasDurations { stretches += nonRenewing(giving: entitlement, holdings) }
        for grant in account?.grants(of: entitlement) ?? [] {
            stretches.append(Stretch(granted: grant.window, by: grant.vote))
        }
        return stretches
    }

    /// ENT-3: one balance of everything that gives the entitlement and of what other sources added to it; where the entitlement
    /// follows the subscription's periods, of the latter alone. Nil where nothing was ever added to one.
    package func balance(
        of entitlement: EntitlementID, _ holdings: [Holding], _ account: CustomerAccount?
    ) -> EntitlementBalance? {
        var added = account?.credits(to: entitlement) ?? []
        var last: (period: CreditedPeriod, holding: Holding)?
        for holding in everAddsUp(entitlement) ? holdings : [] {
            for period in holding.credited where period.type == .autoRenewableSubscription {
                guard addsUp(entitlement, at: period.purchaseDate),
                    gives(entitlement, by: period.productId, at: period.purchaseDate)
                else { continue }
                let source = EntitlementBalance.Source.period(period.transactionId, of: holding.originalTransactionId)
                if let credit = period.credit(named: source.name) { added.append(.init(credit, by: source)) }
                if last.map({ $0.period.purchaseDate <= period.purchaseDate }) ?? true { last = (period, holding) }
            }
        }
        guard !added.isEmpty else { return nil }
        return EntitlementBalance(of: entitlement, added, showing: last?.period.productId, of: last?.holding)
    }

    /// PER-9: each non-renewing product has a balance of its own; what is bought while something is left is added to it.
    private func nonRenewing(giving entitlement: EntitlementID, _ holdings: [Holding]) -> [Stretch] {
        var added: [ProductID: (credits: [Balance.Credit], holding: Holding)] = [:]
        for holding in holdings {
            for period in holding.credited where period.type == .nonRenewingSubscription {
                guard let duration = duration(of: period.productId, boughtAt: period.purchaseDate),
                    gives(entitlement, by: period.productId, at: period.purchaseDate)
                else { continue }
                let source = EntitlementBalance.Source.period(period.transactionId, of: holding.originalTransactionId)
                guard let credit = period.credit(named: source.name, lasting: duration) else { continue }
                let known = added[period.productId]
                let isLater = known.map { $0.holding.originalTransactionId < holding.originalTransactionId } ?? true
                added[period.productId] = (
                    (known?.credits ?? []) + [credit], isLater ? holding : known?.holding ?? holding
                )
            }
        }
        return added.sorted { $0.key < $1.key }.flatMap { product, bought in
            Balance(bought.credits).windows.map { Stretch(ofBalance: $0, of: product, in: bought.holding) }
        }
    }
}
