import Ledger
import LedgerOracle
import Primitives

/// One step of one subscription on the live path: the input, what was known before it, and what followed.
struct LiveStep {
    let inputs: [LedgerInput]
    let before: SubscriptionHistory
    let stateBefore: SubscriptionState
    let decision: Decision
    let policies: PolicyTimeline
    let learnedAt: Timestamp
    /// All inputs of the subscription up to and including this step, with repetitions.
    let told: [LedgerInput]
    /// All rows of the subscription up to and including this step.
    let audit: [AuditRow]
    /// The story of all events up to and including this step, folded from nothing.
    let story: SubscriptionStory
    /// The events that announce a period, up to and including this step.
    let announcements: [LedgerEvent]

    var state: SubscriptionState { decision.state }
    var history: SubscriptionHistory { decision.history }
}

/// A life delivered one input after another through `Decision`, as on a server: the state is carried along and never folded
/// again, a claim comes with the transaction that it shows, and a merge goes to all subscriptions.
struct LivePath {
    let policies: PolicyTimeline
    private(set) var histories: [String: SubscriptionHistory] = [:]
    private(set) var states: [String: SubscriptionState] = [:]
    private(set) var told: [String: [LedgerInput]] = [:]
    private(set) var audit: [String: [AuditRow]] = [:]
    private(set) var stories: [String: SubscriptionStory] = [:]
    private var announcements: [String: [LedgerEvent]] = [:]
    private let deliveries: [Delivery]
    private var clock: Int64 = 1_900_000_000_000

    init(_ deliveries: [Delivery], under policies: OraclePolicies) {
        self.policies = PolicyTimeline(policies)
        self.deliveries = deliveries
        for id in LedgerWorld.subscriptions(in: deliveries) {
            let history = SubscriptionHistory(key: LedgerWorld.key(id))
            histories[id] = history
            states[id] = SubscriptionState(folding: history, under: self.policies)
        }
    }

    var subscriptions: [String] { histories.keys.sorted() }

    /// By subscription.
    var allStates: [SubscriptionState] { subscriptions.compactMap { states[$0] } }

    /// Applies it to all subscriptions that it concerns; one step each, and one for each merge that follows from it (OWN-10).
    mutating func tell(_ delivery: Delivery) -> [LiveStep] {
        clock += 1
        let inputs = LedgerWorld.inputs(of: delivery, among: deliveries)
        var steps: [LiveStep] = []
        if let subscription = inputs.first?.0 {
            steps += hear(inputs.map { $0.1.embellished }, of: subscription)
        } else {
            steps += subscriptions.compactMap { tell(inputs.map(\.1), to: $0) }
        }
        var pending = steps.flatMap(\.state.merged)
        while let merge = pending.popLast() {
            for id in subscriptions where histories[id]?.merges.contains(merge) == false {
                guard states[id]?.merged.contains(merge) == false, let step = tell([.merge(merge)], to: id) else { continue }
                steps.append(step)
                pending += step.state.merged
            }
            steps += hearOfSwitches()
        }
        return steps + hearOfSwitches()
    }

    /// PER-14: what one subscription is told of another one until none has any news.
    private mutating func hearOfSwitches() -> [LiveStep] {
        var steps: [LiveStep] = []
        let pairs = subscriptions.flatMap { id in subscriptions.filter { $0 != id }.map { (id, $0) } }
        while true {
            let told = steps.count
            for (id, other) in pairs {
                guard let history = histories[id], let said = histories[other], let state = states[other] else { continue }
                let news = history.news(ofNext: said) + history.news(ofPrevious: said, state)
                if !news.isEmpty, let step = tell(news, to: id) { steps.append(step) }
            }
            if steps.count == told { return steps }
        }
    }

    /// PER-1: with a charge that other subscriptions name, too, comes what they say of it, and they hear what is said here.
    private mutating func hear(_ inputs: [LedgerInput], of id: String) -> [LiveStep] {
        let keys = Set(inputs.flatMap { self.keys(namedBy: $0, of: id) }).sorted()
        func names(_ history: SubscriptionHistory?, _ key: String) -> Bool {
            history?.book.lines.contains { $0.kept.contains { $0.webOrderLineItemId == key } } ?? false
        }
        func news(for one: String, from other: String) -> [LedgerInput] {
            guard let history = histories[one], let said = histories[other] else { return [] }
            let news = keys.filter { names(said, $0) }.flatMap { history.news(ofCharge: $0, in: said) }
            return news.map { LedgerInput.chargeElsewhere($0) }
        }
        let others = subscriptions.filter { $0 != id }
        let heard = others.flatMap { news(for: id, from: $0) }
        var steps = [tell(inputs + heard, to: id)].compactMap(\.self)
        for other in others where keys.contains(where: { names(histories[other], $0) }) {
            let news = news(for: other, from: id)
            if !news.isEmpty, let step = tell(news, to: other) { steps.append(step) }
        }
        return steps
    }

    /// Apple's keys of the charge that a transaction names, or that a notification is about.
    private func keys(namedBy input: LedgerInput, of id: String) -> [String] {
        if let key = input.transaction?.webOrderLineItemId { return [key] }
        guard case .fact(.notice(let notice, _)) = input, let transaction = notice.transactionId else { return [] }
        let lines = histories[id]?.book.lines.filter { $0.kept.contains { $0.transactionId == transaction } } ?? []
        return lines.flatMap { $0.kept.compactMap(\.webOrderLineItemId) }
    }

    private mutating func tell(_ inputs: [LedgerInput], to id: String) -> LiveStep? {
        guard let history = histories[id], let state = states[id] else { return nil }
        let learnedAt = Timestamp(clock)
        let decision = Decision(on: inputs, history: history, state: state, policies: policies, learnedAt: learnedAt)
        histories[id] = decision.history
        states[id] = decision.state
        told[id, default: []] += inputs
        audit[id, default: []] += decision.auditRows
        for event in decision.events { stories[id, default: SubscriptionStory()].take(event) }
        announcements[id, default: []] += decision.events.filter(\.announcesPeriod)
        return LiveStep(
            inputs: inputs, before: history, stateBefore: state, decision: decision, policies: policies, learnedAt: learnedAt,
            told: told[id] ?? [], audit: audit[id] ?? [], story: stories[id] ?? SubscriptionStory(),
            announcements: announcements[id] ?? [])
    }
}

extension LedgerEvent {
    /// Whether it says that a period began or begins.
    fileprivate var announcesPeriod: Bool {
        switch kind {
        case .subscriptionStarted, .subscriptionRenewed, .subscriptionRecovered, .subscriptionResubscribed, .subscriptionChanged:
            true
        default: false
        }
    }
}

extension LedgerInput {
    /// Adds what the oracle's lives do not have: a price for each charge, a group, and sometimes an introductory offer. It is the
    /// same in every version of a period.
    var embellished: LedgerInput {
        guard case .fact(.transaction(var fact)) = self else { return self }
        let second = fact.purchaseDate.truncatedToSecond.millisecondsSince1970 / 1000
        fact.details.subscriptionGroupIdentifier = "gold"
        fact.details.price = Milliunits(990 + second % 7 * 1000)
        fact.details.currency = "USD"
        if second % 3 == 0 { fact.details.offerType = 1 }
        return .fact(.transaction(fact))
    }

    var transaction: TransactionFact? {
        guard case .fact(.transaction(let fact)) = self else { return nil }
        return fact
    }

    var renewal: RenewalFact? {
        guard case .fact(.renewal(let fact)) = self else { return nil }
        return fact
    }

    var isFailedQuestion: Bool {
        guard case .fact(.failedQuestion) = self else { return false }
        return true
    }

    var isClaim: Bool {
        guard case .claim = self else { return false }
        return true
    }
}

/// One charge, identified by its names alone and without the ledger's code (PER-1), and all inputs about it.
struct Charge {
    /// The strongest name that is of no earlier charge, too.
    private(set) var alias: PeriodAlias
    let versions: [TransactionFact]
    /// The version that Apple signed last, with what earlier ones said and it does not: only a revocation is withdrawn by
    /// silence (FACT-2).
    let newest: TransactionFact

    /// - Parameter reversals: by the transaction that each names.
    private init?(_ alias: PeriodAlias, _ versions: [TransactionFact], _ reversals: [(TransactionID, Timestamp)]) {
        let newestFirst = versions.sorted { $0.signedDate > $1.signedDate }
        guard var said = newestFirst.first else { return nil }
        for older in newestFirst.dropFirst() {
            said.webOrderLineItemId = said.webOrderLineItemId ?? older.webOrderLineItemId
            said.transactionReason = said.transactionReason ?? older.transactionReason
            said.appTransactionId = said.appTransactionId ?? older.appTransactionId
            said.previousOriginalTransactionId = said.previousOriginalTransactionId ?? older.previousOriginalTransactionId
            said.details.inAppOwnershipType = said.details.inAppOwnershipType ?? older.details.inAppOwnershipType
            said.details.billingPlanType = said.details.billingPlanType ?? older.details.billingPlanType
        }
        if let upgraded = newestFirst.first(where: \.isUpgraded) {
            (said.isUpgraded, said.signedDate) = (true, upgraded.signedDate)
        }
        // Of the tokens the one that was borne first most lately.
        var firstBorne: [AppAccountToken: Timestamp] = [:]
        for older in newestFirst { if let token = older.appAccountToken { firstBorne[token] = older.signedDate } }
        said.appAccountToken = firstBorne.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key
        // A refund stands until a newer copy of the same id is silent of it, or a reversal names any id of the charge.
        let ids = Set(versions.map(\.transactionId))
        let reversed = reversals.filter { ids.contains($0.0) }.map(\.1).max()
        let standing = newestFirst.first { version in
            let isSilenced = versions.contains {
                $0.transactionId == version.transactionId && $0.signedDate > version.signedDate && $0.revocation == nil
            }
            return version.revocation != nil && !isSilenced && reversed.map { version.signedDate >= $0 } ?? true
        }
        said.revocation = standing?.revocation
        (self.alias, self.versions, newest) = (alias, versions, said)
    }

    /// The charges of one subscription, or the one of a one-time purchase.
    static func all(in inputs: [LedgerInput]) -> [Charge] {
        struct Name: Hashable {
            let productId: ProductID
            let second: Timestamp
        }
        let known = inputs.compactMap(\.transaction)
        let all = known.filter { !$0.type.isOneTime }
        let facts = all.filter { !$0.details.isSeatAddition }
        let reversals = inputs.compactMap { input -> (TransactionID, Timestamp)? in
            guard case .fact(.notice(let notice, _)) = input, notice.notificationType == "REFUND_REVERSED" else { return nil }
            return notice.transactionId.map { ($0, notice.signedDate) }
        }
        let named = Dictionary(grouping: facts) { Name(productId: $0.productId, second: $0.purchaseDate.truncatedToSecond) }
        let charges = named.flatMap { name, facts -> [Charge?] in
            let keys = Set(facts.compactMap(\.webOrderLineItemId)).sorted { ($0.utf8.count, $0) < ($1.utf8.count, $1) }
            guard let lowest = keys.first else {
                return [Charge(.productAndSecond(name.productId, name.second), facts, reversals)]
            }
            return keys.map { key in
                Charge(
                    .webOrderLineItem(key),
                    facts.filter { $0.webOrderLineItemId == key || ($0.webOrderLineItemId == nil && key == lowest) }, reversals)
            }
        }.compactMap { $0 }
        // Seats are added by a charge of its own, whatever key it has (PER-12).
        let seats = Dictionary(grouping: all.filter(\.details.isSeatAddition), by: \.transactionId)
        let bought = Charge(.oneTimePurchase, known.filter(\.type.isOneTime), reversals)
        return [bought].compactMap(\.self) + seats.compactMap { Charge(.seatAddition($0), $1, reversals) }
            + charges.map { charge in
                // One key with dates that do not overlap, as they never do in these lives: the earliest charge has it.
                let isRepeated = charges.contains {
                    $0.alias == charge.alias && $0.newest.purchaseDate < charge.newest.purchaseDate
                }
                var charge = charge
                if isRepeated {
                    let fact = charge.newest
                    charge.alias = .productAndSecond(fact.productId, fact.purchaseDate.truncatedToSecond)
                }
                return charge
            }
    }
}

/// Instants that several windows cover together, as whole milliseconds.
struct Coverage: Equatable {
    /// By start; they never touch.
    private(set) var windows: [Range<Int64>] = []
    static let never = Int64.max / 4

    init(_ ranges: some Sequence<Range<Int64>>) {
        for range in ranges.filter({ !$0.isEmpty }).sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = windows.last, range.lowerBound <= last.upperBound {
                windows[windows.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                windows.append(range)
            }
        }
    }

    init(_ spans: [AccessSpan]) { self.init(spans.map(\.range)) }

    var length: Int64 { windows.reduce(0) { $0 + Int64($1.count) } }

    func covers(_ other: Coverage) -> Bool {
        other.windows.allSatisfy { window in
            windows.contains { $0.lowerBound <= window.lowerBound && window.upperBound <= $0.upperBound }
        }
    }

    func meets(_ other: Coverage) -> Bool {
        windows.contains { window in other.windows.contains { $0.overlaps(window) } }
    }
}

extension AccessSpan {
    var range: Range<Int64> {
        let (start, end) = (from.millisecondsSince1970, until?.millisecondsSince1970 ?? Coverage.never)
        return start..<max(start, end)
    }
}
