import Ledger
import Primitives
import Storage

/// One charge that two subscriptions name by Apple's key of it (PER-1): each hears what the other's books say of it.
extension Ingest {
    /// The charges that arrivals about a subscription name, known or not, and that other subscriptions name too; by key.
    func charges(in arrivals: [Arrival], of key: SubscriptionKey) -> [ChargeName] {
        let names = arrivals.flatMap { arrival in
            arrival.facts.filter { arrival.scope.key(of: $0) == key }.compactMap { ChargeName($0, in: arrival.scope) }
        }
        return Set(names).filter { !desk.bearers(of: $0, beside: key).isEmpty }.sorted()
    }

    /// Copies of them under the other subscriptions that this one is to hear.
    func news(of charges: [ChargeName], for key: SubscriptionKey) -> [LedgerInput] {
        let history = desk.history(of: key)
        return charges.flatMap { charge in
            desk.bearers(of: charge, beside: key).flatMap {
                history.news(ofCharge: charge.webOrderLineItemId, in: desk.history(of: $0))
            }
        }.map { .chargeElsewhere($0) }
    }

    /// Has the other subscriptions hear of them what they do not know.
    mutating func tellOthers(of charges: [ChargeName], in key: SubscriptionKey, _ request: IngestRequest) throws {
        let others = Set(charges.flatMap { desk.bearers(of: $0, beside: key) }).filter(desk.isKnown)
        for other in others.sorted() {
            let shared = charges.filter { desk.bearers(of: $0, beside: key).contains(other) }
            let news = shared.flatMap { charge in
                desk.history(of: other).news(ofCharge: charge.webOrderLineItemId, in: desk.history(of: key))
            }
            guard !news.isEmpty else { continue }
            // All at once: each decision folds the whole subscription.
            let decision = try decide(on: news.map { .chargeElsewhere($0) }, about: other, request)
            try warnOfCharges(in: decision, request)
        }
    }

    /// Two subscriptions with one charge, and one key with two charges, are shown to operators.
    func warnOfCharges(in decision: Decision, _ request: IngestRequest) throws {
        let key = decision.state.key
        for period in decision.state.periods.dropFirst(decision.before.periods.commonPrefix(with: decision.state.periods)) {
            guard let id = period.transaction.webOrderLineItemId else { continue }
            let found: (OperatorWarning.Kind, String)
            if let server = period.servedElsewhere {
                found = (.chargeOfTwoSubscriptions, "\(id): \(server), \(key.originalTransactionId)")
            } else if period.repeatsKey {
                found = (.keyOfTwoCharges, "\(id): \(key.originalTransactionId)")
            } else {
                continue
            }
            let warning = OperatorWarning(kind: found.0, value: found.1, firstSeenAt: request.learnedAt)
            try transaction.warn(warning, in: key.scope)
        }
    }
}

/// One of Apple's keys of charges in an app and environment.
struct ChargeName: Sendable, Hashable, Comparable {
    let scope: Scope
    let webOrderLineItemId: String

    /// Nil for anything but a period that has Apple's key. A copy that says that it is no charge counts, too: others may have
    /// heard of it as one.
    init?(_ fact: Fact, in scope: Scope) {
        guard case .transaction(let line) = fact, line.type == .autoRenewableSubscription, let id = line.webOrderLineItemId
        else { return nil }
        self.scope = scope
        webOrderLineItemId = id
    }

    /// As the store spells it.
    var name: String { PeriodAlias.webOrderLineItem(webOrderLineItemId).key }

    static func < (left: Self, right: Self) -> Bool {
        left.scope == right.scope
            ? ID<ChargeName>(left.webOrderLineItemId) < ID<ChargeName>(right.webOrderLineItemId) : left.scope < right.scope
    }
}

/// Which subscriptions name which charges (PER-1), and which ones continue which (PER-14), as far as some requests are about
/// them.
struct NamedElsewhere {
    private var bearers: [ChargeName: Set<SubscriptionKey>] = [:]
    /// Both of two of which one continues the other, by each of them.
    private var switched: [SubscriptionKey: Set<SubscriptionKey>] = [:]

    /// Of one name no more are looked at: two are a migration, hundreds are seats.
    private static let mostOfOne = 16

    /// Subscriptions and charges that arrivals name.
    init(_ requests: [IngestRequest]) {
        for arrival in requests.flatMap(\.arrivals) {
            for fact in arrival.facts {
                let key = arrival.scope.key(of: fact)
                if let name = ChargeName(fact, in: arrival.scope) { bearers[name, default: []].insert(key) }
                if case .transaction(let line) = fact, let previous = line.continuedId {
                    tie(key, to: SubscriptionKey(arrival.scope, previous))
                }
            }
        }
    }

    private mutating func tie(_ key: SubscriptionKey, to other: SubscriptionKey) {
        switched[key, default: []].insert(other)
        switched[other, default: []].insert(key)
    }

    /// Adds those that the store knows.
    ///
    /// - Parameter new: subscriptions of which nothing is kept; what continues one of them may have come first.
    mutating func complete(by transaction: any DecidingTransaction, new: Set<SubscriptionKey>) throws {
        var asked: [Scope: [String: Named]] = [:]
        for charge in bearers.keys { asked[charge.scope, default: [:]][charge.name] = .charge(charge) }
        for key in new { asked[key.scope, default: [:]][key.originalTransactionId.nameAsPrevious] = .previous(key) }
        for (scope, names) in asked.sorted(by: { $0.key < $1.key }) {
            for found in try transaction.bearers(of: Array(names.keys), limit: Self.mostOfOne, in: scope) {
                let key = SubscriptionKey(scope, found.subscription)
                switch names[found.name] {
                case .charge(let charge)?: bearers[charge, default: []].insert(key)
                case .previous(let previous)?: tie(key, to: previous)
                case nil: break
                }
            }
        }
    }

    /// Of what a name is by which the store finds subscriptions.
    private enum Named {
        case charge(ChargeName)
        /// A subscription that others may continue.
        case previous(SubscriptionKey)
    }

    /// The subscriptions that name a charge of the requests.
    var bearing: Set<SubscriptionKey> { bearers.values.reduce(into: []) { $0.formUnion($1) } }

    func others(of name: ChargeName, beside key: SubscriptionKey) -> [SubscriptionKey] {
        (bearers[name] ?? []).subtracting([key]).sorted()
    }

    /// The subscriptions that continue this one, or that it continues, as far as arrivals or the store say so.
    func switched(with key: SubscriptionKey) -> Set<SubscriptionKey> { switched[key] ?? [] }
}
