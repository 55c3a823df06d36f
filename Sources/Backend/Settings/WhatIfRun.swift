import Ledger
import Primitives
import Storage

/// What is tried: a version that is compared with those that were there when it was asked for.
struct WhatIfTrial: Sendable {
    let content: SettingsContent
    /// From when the version would hold; nil: from when it was asked for.
    let from: Timestamp?
    /// The number of the newest version then; 0 where none was kept.
    let newest: Int64
    /// When it was asked for.
    let at: Timestamp

    init(_ content: SettingsContent, from: Timestamp?, newest: Int64, at instant: Timestamp) {
        (self.content, self.from, self.newest, at) = (content, from, newest, instant)
    }
}

/// How far a trial is, so that another server can go on where one stopped.
struct WhatIfProgress: Sendable, Hashable, Codable {
    var summary = WhatIfSummary()
    /// Which of the app's ledgers is looked through.
    fileprivate var ledger = 0
    /// First its subscriptions are, then what its customers hold.
    fileprivate var isAtHoldings = false
    /// The last subscription that was looked at; nil before the first.
    fileprivate var after: String?
    /// Of which customer; nil while subscriptions are looked through.
    fileprivate var customer: String?
    fileprivate(set) var isDone = false

    /// - Throws: `StorageError` with `corrupt` for anything that ``json`` is not.
    init(json: String) throws { self = try StateCoding.decode(WhatIfProgress.self, from: json) }

    init() {}

    var json: String { get throws { try StateCoding.encode(self) } }
}

/// A trial as one server goes through it, page by page.
struct WhatIfRun: Sendable {
    private(set) var progress: WhatIfProgress
    private let backend: Backend
    private let scopes: [Scope]
    private let policies: WhatIf
    private let present: EntitlementMap
    private let proposed: EntitlementMap
    /// The page that was read while the one before was folded.
    private var next: [StoredSubscription]?

    /// How many subscriptions or holdings are read at once.
    static let page = 512

    /// - Parameter progress: where to go on; nil from the beginning.
    init(_ trial: WhatIfTrial, of app: AppSettings, by backend: Backend, from progress: WhatIfProgress? = nil) async throws {
        let kept = try await backend.settingsVersions(of: app.id).filter { $0.number <= trial.newest }
        let present = try SettingsTimeline(kept) ?? SettingsTimeline(app.content)
        let proposed = present.adding(trial.content, from: trial.from ?? trial.at)
        policies = WhatIf(present: present.policies, proposed: proposed.policies)
        (self.present, self.proposed) = (present.entitlements, proposed.entitlements)
        (self.backend, scopes) = (backend, app.scopes)
        self.progress = progress ?? WhatIfProgress()
        // The file may have named more ledgers when it was asked for.
        if self.progress.ledger >= scopes.count { self.progress.isDone = true }
        guard progress == nil else { return }
        self.progress.summary.newest = trial.newest
        self.progress.summary.code = try ConfirmationCode.of(
            trial.content, app: app.id, newest: trial.newest, from: trial.from)
        self.progress.summary.policyDiffers = present.policies != proposed.policies
        self.progress.summary.productsDiffer = present.entitlements != proposed.entitlements
    }

    /// Looks at one page more; returns what would differ in it.
    mutating func step() async throws -> [WhatIfRow] {
        guard !progress.isDone else { return [] }
        let rows: [WhatIfRow]
        if progress.isAtHoldings {
            rows = progress.summary.productsDiffer ? try await stepThroughHoldings() : leave()
        } else {
            rows = progress.summary.policyDiffers ? try await stepThroughSubscriptions() : leave()
        }
        for row in rows { progress.summary.count(row) }
        return rows
    }

    private var scope: Scope { scopes[progress.ledger] }

    /// Goes on to what comes after this part of the ledger.
    @discardableResult
    private mutating func leave() -> [WhatIfRow] {
        (progress.after, progress.customer, next) = (nil, nil, nil)
        if progress.isAtHoldings {
            progress.ledger += 1
            progress.isDone = progress.ledger == scopes.count
        }
        progress.isAtHoldings.toggle()
        return []
    }

    /// The next page is read while one is folded, in two halves.
    private mutating func stepThroughSubscriptions() async throws -> [WhatIfRow] {
        let (backend, scope, question) = (backend, scope, policies)
        let after = progress.after.map { OriginalTransactionID($0) }
        var page = next ?? []
        if next == nil { page = try await backend.subscriptions(in: scope, after: after) }
        guard let last = page.last?.history.key.originalTransactionId else { return leave() }
        let histories = page.map(\.history)
        async let following = backend.subscriptions(in: scope, after: last)
        async let second = Self.differences(question, Array(histories[(histories.count / 2)...]))
        let first = await Self.differences(question, Array(histories[..<(histories.count / 2)]))
        let differences = await first + second
        progress.summary.subscriptionsThatDiffer += Int64(Set(differences.map(\.subscription)).count)
        progress.summary.subscriptions += Int64(page.count)
        progress.after = last.rawValue
        next = try await following
        return differences.map { difference in
            WhatIfRow(
                customer: difference.customer, environment: scope.environment,
                subscription: difference.subscription.originalTransactionId, effect: difference.effect,
                window: difference.window, entitlement: nil, rule: difference.rule.rawValue)
        }
    }

    @concurrent private static func differences(_ question: WhatIf, _ histories: [SubscriptionHistory]) async
        -> [AccessDifference]
    {
        histories.flatMap { question.differences(in: $0) }
    }

    /// Takes whole customers: what one of them holds may stand on two pages.
    private mutating func stepThroughHoldings() async throws -> [WhatIfRow] {
        var held: [HeldByCustomer] = []
        var isLast = false
        repeat {
            let place = held.last?.place ?? progress.place
            let page = try await backend.holdings(in: scope, after: place)
            held += page
            isLast = page.count < Self.page
        } while !isLast && held.first?.customer == held.last?.customer
        let open = isLast ? nil : held.last?.customer
        let whole = held.filter { $0.customer != open }
        var rows: [WhatIfRow] = []
        var rest = whole[...]
        while let customer = rest.first?.customer {
            let his = rest.prefix { $0.customer == customer }
            rest = rest.dropFirst(his.count)
            progress.summary.customers += 1
            let differences = present.differences(to: proposed, for: try await holdings(his))
            if !differences.isEmpty { progress.summary.customersWhoseEntitlementsDiffer += 1 }
            rows += differences.map { difference in
                WhatIfRow(
                    customer: customer, environment: scope.environment, subscription: nil, effect: difference.effect,
                    window: difference.window, entitlement: difference.entitlement, rule: "ENT-2")
            }
        }
        if isLast { leave() } else if let last = whole.last { progress.place = last.place }
        return rows
    }
}

extension WhatIfRun {
    /// What a customer holds, with each period by itself where the time of something would add up and does not yet (ENT-3).
    private func holdings(_ held: ArraySlice<HeldByCustomer>) async throws -> [Holding] {
        guard policies.proposed.keepsCredits, !policies.present.keepsCredits else { return held.map(\.holding) }
        var holdings: [Holding] = []
        for one in held {
            let key = SubscriptionKey(scope, one.holding.originalTransactionId)
            let found = try await translatingStorageErrors { try await backend.store.subscription(key) }
            guard let stored = found else { continue }
            holdings.append(Holding(of: one.customer, in: stored.state, keepingCredits: true))
        }
        return holdings
    }
}

extension WhatIfProgress {
    /// Where the holdings that were looked at end.
    fileprivate var place: HeldByCustomer.Place? {
        get {
            guard let customer, let after else { return nil }
            return HeldByCustomer.Place(CustomerID(customer), OriginalTransactionID(after))
        }
        set { (customer, after) = (newValue?.customer.rawValue, newValue?.id.rawValue) }
    }
}

extension Backend {
    fileprivate func holdings(in scope: Scope, after place: HeldByCustomer.Place?) async throws -> [HeldByCustomer] {
        try await translatingStorageErrors { try await store.holdings(in: scope, after: place, limit: WhatIfRun.page) }
    }
}
