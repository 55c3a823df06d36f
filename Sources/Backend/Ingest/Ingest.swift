import AppStoreWire
import Ledger
import Primitives
package import Storage

/// The one write path: whatever comes in becomes facts, claims and registrations, is decided by the rules, and is kept, all of
/// it or nothing (decision 0002). Takes many requests at once, since a transaction costs the same for one and for fifty: first
/// everything is locked and read, then decided in memory, one request after the other, then written.
package struct Ingest {
    private let requests: [IngestRequest]
    let transaction: any DecidingTransaction
    var desk: Desk
    var customers = CustomerDesk()
    private var known = Known()
    /// What each app chose, as of this transaction.
    private var timelines: [AppID: SettingsTimeline] = [:]
    private var kept: [Arrival] = []
    private var claims: [(Claim, SubscriptionKey)] = []
    private var heard: [(LedgerInput, SubscriptionKey)] = []
    /// Who may use something else now, and what changed it.
    var tellings: [CustomerKey: DueTelling] = [:]
    /// What the request that is carried out changes of owners and Apple Accounts (OWN-14).
    private var accounts = AccountChanges()
    /// Since when the tokens of the arrival that is taken are borne, as far as it was looked up: an arrival may have thousands of
    /// facts with one token.
    private var bearing: [TokenName: [SubscriptionKey: Timestamp?]] = [:]
    /// What is known now of what was reserved.
    private var settled: [PendingReservation] = []
    private var results: [IngestResult] = []
    /// The consumables that were delivered in this transaction (PER-9).
    var delivered: [Scope: [CustomerDelivery]] = [:]
    /// Signals of abuse that were found, and what is to be looked through for more of them (ABUSE-1).
    var signs = Signs()
    /// Why the last two customers who were to be joined were not.
    var joinRefusal: JoinRefusal?

    /// Carries out the requests in their order, in the transaction; returns a result for each.
    ///
    /// - Throws: `StorageError`; then the transaction must be given up.
    package static func apply(
        _ requests: [IngestRequest], in transaction: any DecidingTransaction, _ settings: SettingsCache = SettingsCache()
    ) throws -> [IngestResult] {
        var ingest = try Ingest(requests, in: transaction, settings)
        for request in requests { try ingest.apply(request) }
        return try ingest.write()
    }

    private init(_ requests: [IngestRequest], in transaction: any DecidingTransaction, _ settings: SettingsCache) throws {
        self.requests = requests
        self.transaction = transaction
        desk = try Desk(for: requests, in: transaction, &customers)
        for request in requests where timelines[request.app.id] == nil {
            let app = request.app
            timelines[app.id] = try settings.timeline(of: app, newest: desk.settings[app.id] ?? 0) {
                try transaction.settings(of: app.id)
            }
        }
        let arrivals = requests.flatMap(\.arrivals)
        if !arrivals.isEmpty { known = try transaction.known(of: arrivals) }
    }

    // MARK: Deciding

    private mutating func apply(_ request: IngestRequest) throws {
        var result = IngestResult()
        accounts = AccountChanges()
        if let registration = request.registration {
            result.holder = try register(registration, request)
        }
        if let device = request.device { try take(device, request, &result) }
        if let identification = request.identification {
            result.identified = try identify(identification, request)
        }
        joinRefusal = nil
        for said in request.customerInputs { result.customerDecisions.append(try decide(on: said, request)) }
        result.joinRefusal = joinRefusal
        if let delivery = request.delivery { result.delivery = try decide(on: delivery, request) }
        var (facts, others) = ([SubscriptionKey: [LedgerInput]](), [SubscriptionKey: [LedgerInput]]())
        for arrival in request.arrivals {
            bearing = [:]
            let new = takeNew(of: arrival)
            result.isNew.append(new != nil)
            if let new {
                kept.append(new)
                try warn(of: new, request.app)
            }
            for fact in new?.facts ?? [] { facts[arrival.scope.key(of: fact), default: []].append(.fact(fact)) }
            for fact in arrival.facts {
                try noteEarlierBearer(fact, of: arrival, request)
                // A fact that is known bears its token still.
                for registration in desk.registrations(for: fact, app: arrival.scope.app) {
                    others[arrival.scope.key(of: fact), default: []].append(.registration(registration))
                    if let merge = merge(of: registration.customer, registration.isAnonymous, request) {
                        others[arrival.scope.key(of: fact), default: []].append(.merge(merge))
                    }
                }
                let reserved = known.reservations(of: fact, in: arrival.scope)
                others[arrival.scope.key(of: fact), default: []] += reserved.map { .reservation($0.reservation) }
                settled += reserved
            }
        }
        for (key, claim) in request.claims {
            let counted = try claim.served(beside: othersServed(of: key, request))
            others[key, default: []] += inputs(with: counted, on: key, request)
        }
        for said in request.subscriptionInputs { others[said.key, default: []].append(said.input) }
        for key in request.subscriptions {
            let charges = charges(in: request.arrivals, of: key)
            var inputs = (facts[key] ?? []) + (others[key] ?? []) + news(of: charges, for: key)
            guard !inputs.isEmpty else { continue }
            inputs += try newsOfSwitches(for: key, with: inputs, request)
            try mergeAnonymous(by: inputs, about: key, request)
            let decision = try decide(on: inputs, about: key, request)
            result.decisions.append(decision)
            if facts[key] != nil { try warnOfCharges(in: decision, request) }
            try tellOthers(of: charges, in: key, request)
        }
        for key in request.decided { try tellSwitched(with: key, request) }
        try propose(after: accounts, request)
        if let telling = request.telling { try tell(telling, request) }
        for signal in request.signals { signs.take(signal, request) }
        results.append(result)
    }

    /// The part of an arrival that says anything new; nil where nothing does. A fact that is known already is not handed on:
    /// what is folded is exactly what is stored (FACT-1).
    private mutating func takeNew(of arrival: Arrival) -> Arrival? {
        guard var new = known.takeNew(of: arrival) else { return nil }
        new.facts.removeAll { fact in
            guard case .transaction(let line) = fact else { return false }
            return desk.history(of: arrival.scope.key(of: fact)).book.repeats(line)
        }
        return new.notification != nil || !new.facts.isEmpty ? new : nil
    }

    /// Registers a token and applies it to every subscription that bears it (OWN-2); returns the customer that it names
    /// now, or nil.
    private mutating func register(_ registration: TokenRegistration, _ request: IngestRequest) throws -> CustomerID? {
        let name = TokenName(app: request.app.id, token: registration.token)
        let isTooLate = !registration.isVouched && desk.isBorne(name, before: registration.registeredAt)
        try take(isTooLate ? registration.borneBefore : registration, request)
        return desk.holder(of: name)
    }

    /// If a fact bore a token before the token was registered, its registrant may have seen it there; in whatever order both
    /// become known.
    private mutating func noteEarlierBearer(_ fact: Fact, of arrival: Arrival, _ request: IngestRequest) throws {
        let registrations = desk.registrations(for: fact, app: request.app.id).filter { $0.mayBeOvertaken(by: fact) }
        guard let token = fact.appAccountToken, !registrations.isEmpty else { return }
        let (name, key) = (TokenName(app: request.app.id, token: token), arrival.scope.key(of: fact))
        if bearing[name]?[key] == nil {
            var history = desk.history(of: key)
            for other in arrival.facts where other.originalTransactionId == fact.originalTransactionId {
                _ = history.record(other)
            }
            bearing[name, default: [:]].updateValue(history.firstInstant(bearing: token), forKey: key)
        }
        guard let found = bearing[name]?[key], let instant = found else { return }
        for registration in registrations where instant < registration.registeredAt {
            try take(registration.borneBefore, request)
        }
    }

    private mutating func take(_ registration: TokenRegistration, _ request: IngestRequest) throws {
        let name = TokenName(app: request.app.id, token: registration.token)
        guard desk.record(registration, name) else { return }
        try transaction.register(registration, app: request.app.id, by: request.keyName)
        for key in desk.bearers(of: name) { _ = try decide(on: [.registration(registration)], about: key, request) }
    }

    mutating func decide(
        on inputs: [LedgerInput], about key: SubscriptionKey, _ request: IngestRequest
    ) throws -> Decision {
        let history = desk.history(of: key)
        let placed = try placed(inputs, history)
        let policies = timeline(of: request.app).policies
        // What other versions of the policy make of it is the operator's doing, and decided before the news (OWN-17).
        if desk.bring(key, to: policies, learnedAt: request.learnedAt) != nil { try tellSwitched(with: key, request) }
        let decision = Decision(
            on: placed, history: desk.history(of: key), state: desk.stateBefore(of: key), policies: policies,
            learnedAt: request.learnedAt
        ).naming(key: request.keyName)
        guard decision.changesHistory else { return decision }
        // Not all claims are kept (OWN-3), and one that is known already stands in the store.
        for case .claim(let claim) in placed where decision.history.claims.contains(claim) && !history.claims.contains(claim) {
            claims.append((claim, key))
        }
        for input in placed where decision.history.hasHeard(input) && !history.hasHeard(input) { heard.append((input, key)) }
        desk.put(decision, policy: policies, learnedAt: request.learnedAt)
        accounts.take(decision, at: request.learnedAt)
        noteHolders(after: decision, at: request.learnedAt)
        noteSigns(in: decision, request)
        let told = try events(beside: decision, hearing: placed, history, request)
        desk.tell(told, of: key)
        let before = decision.before.merged
        for merge in decision.state.merged where !before.contains(merge) { try spread(merge, request) }
        try tellSwitched(with: key, request)
        return decision
    }

    /// The inputs with who is who of those whom they name first, and claims in the order in which they are taken.
    mutating func placed(_ inputs: [LedgerInput], _ history: SubscriptionHistory) throws -> [LedgerInput] {
        // The first merge of a customer stands; whom the other one became since, the history heard in its turn.
        let inputs = inputs.filter { input in
            if case .merge(let merge) = input { !history.merges.contains { $0.anonymous == merge.anonymous } } else { true }
        }
        let acts = try identities(with: inputs, history)
        var known = history
        for case .merge(let merge) in acts + inputs { _ = known.record(merge) }
        return acts
            + inputs.map { input in
                if case .claim(let claim) = input { LedgerInput.claim(claim.placed(after: known)) } else { input }
            }
    }

    func timeline(of app: AppSettings) -> SettingsTimeline { timelines[app.id] ?? SettingsTimeline(app.content) }

    // MARK: Writing

    private mutating func write() throws -> [IngestResult] {
        if !kept.isEmpty { try transaction.keep(kept) }
        let copies = requests.compactMap(\.copy)
        if !copies.isEmpty { try transaction.keep(copies) }
        for (claim, key) in claims { try transaction.keep(claim, on: key) }
        for (input, key) in heard { try transaction.keep(input, on: key) }
        try raiseSignals()
        let savings = try desk.savings()
        if !savings.isEmpty { try transaction.save(savings) }
        let accounts = customers.savings
        if !accounts.isEmpty { try transaction.save(accounts) }
        let told = try tellings.sorted { $0.key < $1.key }.map { customer, telling in
            try WorkOrder(telling: customer, because: telling.cause, at: telling.instant)
        }
        let orders = requests.flatMap(\.orders) + told + signs.orders
        if !orders.isEmpty { try transaction.order(orders) }
        let settled = requests.flatMap(\.settled) + settled
        if !settled.isEmpty { try transaction.forget(settled) }
        return results
    }
}

/// The subscriptions and tokens that some requests are about, as they are while the requests are decided, one after the other.
struct Desk {
    private var subscriptions: [SubscriptionKey: Entry] = [:]
    private var registrations: [TokenName: [TokenRegistration]]
    /// The numbers of the apps' newest versions.
    let settings: [AppID: Int64]
    private var bearers: [TokenName: Set<SubscriptionKey>] = [:]
    private var named: NamedElsewhere

    private struct Entry {
        let stored: StoredSubscription?
        var history: SubscriptionHistory
        var decisions: [Decision] = []
        var policy: PolicyTimeline?
        var learnedAt: Timestamp?
        var told: [LedgerEvent] = []

        mutating func take(_ decision: Decision, policy: PolicyTimeline, learnedAt: Timestamp) {
            history = decision.history
            decisions.append(decision)
            self.policy = policy
            self.learnedAt = learnedAt
        }
    }

    /// Locks all of them, in one order, so that no two transactions wait for each other.
    init(for requests: [IngestRequest], in transaction: any DecidingTransaction, _ customers: inout CustomerDesk) throws {
        var keys = Set(requests.flatMap(\.subscriptions))
        let concernedCustomers = Set(requests.flatMap(\.customers)).sorted()
        named = NamedElsewhere(requests)
        var tokens: Set<TokenName> = []
        var registered: Set<TokenName> = []
        for request in requests {
            for arrival in request.arrivals {
                for fact in arrival.facts {
                    guard let token = fact.appAccountToken else { continue }
                    let name = TokenName(app: request.app.id, token: token)
                    tokens.insert(name)
                    bearers[name, default: []].insert(arrival.scope.key(of: fact))
                }
            }
            if let registration = request.registration {
                registered.insert(TokenName(app: request.app.id, token: registration.token))
            }
        }
        let locked = try transaction.lock(keys.sorted(), tokens: tokens.union(registered).sorted(), customers: concernedCustomers)
        customers.take(locked, concernedCustomers)
        registrations = locked.registrations
        settings = locked.settings
        add(keys, locked)
        try named.complete(by: transaction, new: keys.filter { subscriptions[$0]?.stored == nil })
        let others = keys.reduce(into: named.bearing) { $0.formUnion(switched(with: $1)) }
        try addMore(others.sorted(), in: transaction)
        keys.formUnion(others)
        // Only now, when the token cannot get another bearer, is it known which subscriptions a
        // registration concerns.
        let asked = requests.compactMap { request in
            request.registration.map { (TokenName(app: request.app.id, token: $0.token), $0) }
        }
        let new = asked.filter { name, said in !(registrations[name] ?? []).contains { $0.covers(said) } }.map(\.0)
        let concerned = Set(new + overtaken(by: requests)).sorted()
        guard !concerned.isEmpty else { return }
        for name in concerned {
            bearers[name, default: []].formUnion(try transaction.subscriptions(bearing: [name]))
        }
        let more = Set(concerned.flatMap { bearers[$0] ?? [] }).subtracting(keys)
        keys.formUnion(more)
        if !more.isEmpty { add(more, try transaction.lock(more.sorted(), tokens: [])) }
    }

    private mutating func add(_ keys: Set<SubscriptionKey>, _ locked: Locked) {
        for key in keys {
            let stored = locked.subscriptions[key]
            subscriptions[key] = Entry(stored: stored, history: stored?.history ?? SubscriptionHistory(key: key))
        }
    }

    /// Locks subscriptions that no request names, where they are not locked.
    mutating func addMore(_ keys: [SubscriptionKey], in transaction: any DecidingTransaction) throws {
        let more = Set(keys).subtracting(subscriptions.keys)
        if !more.isEmpty { add(more, try transaction.lock(more.sorted(), tokens: [])) }
    }

    func history(of key: SubscriptionKey) -> SubscriptionHistory {
        subscriptions[key]?.history ?? SubscriptionHistory(key: key)
    }

    /// What is in force; nil where nothing is known.
    func stateBefore(of key: SubscriptionKey) -> Ledger.SubscriptionState? {
        subscriptions[key]?.decisions.last?.state ?? subscriptions[key]?.stored?.state
    }

    /// Whether anything is kept of it, or was decided here.
    func isKnown(_ key: SubscriptionKey) -> Bool {
        subscriptions[key].map { $0.stored != nil || !$0.decisions.isEmpty } ?? false
    }

    /// The subscriptions that name a charge, but for one; sorted.
    func bearers(of charge: ChargeName, beside key: SubscriptionKey) -> [SubscriptionKey] {
        named.others(of: charge, beside: key)
    }

    /// The subscriptions that continue this one, or that it continues; sorted.
    func switched(with key: SubscriptionKey) -> [SubscriptionKey] {
        let others = named.switched(with: key)
        guard let words = subscriptions[key]?.history.switches, !others.isEmpty || !words.isEmpty else { return [] }
        let heard = words.predecessors.map(\.originalTransactionId) + words.continuations.map(\.originalTransactionId)
        return others.union(heard.map { SubscriptionKey(key.scope, $0) }).sorted()
    }

    /// Whether anything was decided about it here.
    func isDecided(_ key: SubscriptionKey) -> Bool { subscriptions[key].map { !$0.decisions.isEmpty } ?? false }

    func registrations(for fact: Fact, app: AppID) -> [TokenRegistration] {
        guard !registrations.isEmpty, let token = fact.appAccountToken else { return [] }
        return registrations[TokenName(app: app, token: token)] ?? []
    }

    /// The tokens that something in the requests bore before they were registered.
    private func overtaken(by requests: [IngestRequest]) -> [TokenName] {
        guard !registrations.isEmpty else { return [] }
        return requests.flatMap { request in
            request.arrivals.flatMap(\.facts).flatMap { fact in
                registrations(for: fact, app: request.app.id).filter { $0.mayBeOvertaken(by: fact) }
                    .map { TokenName(app: request.app.id, token: $0.token) }
            }
        }
    }

    /// How many customers may have one token registered; one is all that is ever needed.
    private static let mostCustomers = 16

    /// Takes what was said of a token; false where it says nothing new.
    mutating func record(_ registration: TokenRegistration, _ name: TokenName) -> Bool {
        let said = registrations[name] ?? []
        guard !said.contains(where: { $0.covers(registration) }) else { return false }
        let customers = Set(said.map(\.customer))
        guard customers.contains(registration.customer) || customers.count < Self.mostCustomers else { return false }
        registrations[name, default: []].append(registration)
        return true
    }

    /// Whether a subscription that bears the token did so before the instant.
    func isBorne(_ name: TokenName, before instant: Timestamp) -> Bool {
        (bearers[name] ?? []).contains { key in
            subscriptions[key]?.history.firstInstant(bearing: name.token).map { $0 < instant } ?? false
        }
    }

    /// The customer that the token names, according to its registrations.
    func holder(of name: TokenName) -> CustomerID? {
        TokenRegistration.holder(by: (registrations[name] ?? []).filter { !CustomerNames.isErased($0.customer) })
    }

    /// The known subscriptions whose transactions bear the token; sorted.
    func bearers(of name: TokenName) -> [SubscriptionKey] {
        (bearers[name] ?? []).filter(isKnown).sorted()
    }

    mutating func put(_ decision: Decision, policy: PolicyTimeline, learnedAt: Timestamp) {
        let key = decision.state.key
        subscriptions[key]?.take(decision, policy: policy, learnedAt: learnedAt)
    }

    /// Has events told beside those of the decisions about a subscription.
    mutating func tell(_ events: [LedgerEvent], of key: SubscriptionKey) {
        if !events.isEmpty { subscriptions[key]?.told += events }
    }

    /// What is in force of these and of everything that was decided here, in the ledger of one subscription and without it; by
    /// key.
    func states(of keys: [SubscriptionKey], beside one: SubscriptionKey) -> [Ledger.SubscriptionState] {
        let decided = subscriptions.filter { !$0.value.decisions.isEmpty }.keys
        return Set(decided).union(keys).filter { $0 != one && $0.scope == one.scope }.sorted().compactMap { stateBefore(of: $0) }
    }

    /// What customers have once everything that was decided here is written.
    ///
    /// - Parameter held: what they have in the store.
    func holdings(instead held: [CustomerID: [Holding]], in scope: Scope) -> [CustomerID: [Holding]] {
        var held = held
        for (key, entry) in subscriptions where key.scope == scope {
            guard let state = entry.decisions.last?.state else { continue }
            for customer in held.keys {
                held[customer]?.removeAll { $0.originalTransactionId == key.originalTransactionId }
                if state.customers.contains(customer) { held[customer]?.append(Holding(of: customer, in: state)) }
            }
        }
        return held.mapValues { $0.sorted { $0.originalTransactionId < $1.originalTransactionId } }
    }

    /// Decides what the versions change of what was folded under others, where that is anything.
    mutating func bring(_ key: SubscriptionKey, to policies: PolicyTimeline, learnedAt: Timestamp) -> Decision? {
        guard let entry = subscriptions[key], let stored = entry.stored, entry.decisions.isEmpty, stored.policy != policies else {
            return nil
        }
        let decision = Decision(applying: policies, history: stored.history, state: stored.state, learnedAt: learnedAt)
        guard decision.changesHistory else { return nil }
        put(decision, policy: policies, learnedAt: learnedAt)
        return decision
    }

    /// What is to be written of them, by subscription.
    func savings() throws -> [Saving] {
        try subscriptions.keys.sorted().compactMap { key in
            guard let entry = subscriptions[key], let policy = entry.policy, let learnedAt = entry.learnedAt else { return nil }
            var saving = try Saving(stored: entry.stored, decisions: entry.decisions, policy: policy, learnedAt: learnedAt)
            saving.told = entry.told
            return saving
        }
    }
}

extension Scope {
    /// The subscription that a fact of this app and environment is about.
    func key(of fact: Fact) -> SubscriptionKey {
        SubscriptionKey(app: app, environment: environment, originalTransactionId: fact.originalTransactionId)
    }
}

extension IngestRequest {
    /// Those that it names, in its order, each once.
    var subscriptions: [SubscriptionKey] {
        var seen: Set<SubscriptionKey> = []
        let named =
            arrivals.flatMap { arrival in arrival.facts.map { arrival.scope.key(of: $0) } } + claims.map(\.key)
            + subscriptionInputs.map(\.key) + signals.compactMap(\.toldOf) + [delivery?.purchase].compactMap { $0 } + decided
        return named.filter { seen.insert($0).inserted }
    }

    /// Those of whom more must be known than their claims: whoever keeps intents, is anonymous, or is said something about.
    var customers: [CustomerKey] {
        var keys = customerInputs.flatMap { said in
            [said.key] + said.input.customers.map { CustomerKey(said.key.scope, $0) }
        }
        if let telling { keys.append(telling.customer) }
        if let delivery { keys.append(delivery.customer) }
        keys += claims.filter { $0.claim.keepsIntents || $0.claim.isAnonymous }.map {
            CustomerKey($0.key.scope, $0.claim.customer)
        }
        for name in [device?.name.customer, identification?.merge.anonymous, identification?.merge.identified] {
            if let name { keys += app.scopes.map { CustomerKey($0, name) } }
        }
        return keys
    }
}
