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
            if let step = tell(inputs.map { $0.1.embellished }, to: subscription) { steps.append(step) }
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
        }
        return steps
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
        return LiveStep(
            inputs: inputs, before: history, stateBefore: state, decision: decision, policies: policies, learnedAt: learnedAt,
            told: told[id] ?? [], audit: audit[id] ?? [], story: stories[id] ?? SubscriptionStory())
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
    /// The strongest name.
    let alias: PeriodAlias
    let versions: [TransactionFact]
    /// The version that Apple signed last.
    let newest: TransactionFact

    private init?(_ alias: PeriodAlias, _ versions: [TransactionFact]) {
        guard let newest = versions.max(by: { $0.signedDate < $1.signedDate }) else { return nil }
        (self.alias, self.versions, self.newest) = (alias, versions, newest)
    }

    /// The charges of one subscription, all of them auto-renewable.
    static func all(in inputs: [LedgerInput]) -> [Charge] {
        struct Name: Hashable {
            let productId: ProductID
            let second: Timestamp
        }
        let facts = inputs.compactMap(\.transaction)
        let named = Dictionary(grouping: facts) { Name(productId: $0.productId, second: $0.purchaseDate.truncatedToSecond) }
        return named.flatMap { name, facts -> [Charge?] in
            let keys = Set(facts.compactMap(\.webOrderLineItemId)).sorted { ($0.utf8.count, $0) < ($1.utf8.count, $1) }
            guard let lowest = keys.first else { return [Charge(.productAndSecond(name.productId, name.second), facts)] }
            return keys.map { key in
                Charge(
                    .webOrderLineItem(key),
                    facts.filter { $0.webOrderLineItemId == key || ($0.webOrderLineItemId == nil && key == lowest) })
            }
        }.compactMap { $0 }
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
