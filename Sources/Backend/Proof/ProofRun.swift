import Ledger
import Primitives
import Storage

/// How far a proof is, so that another server can go on where one stopped.
struct ProofProgress: Sendable, Hashable, Codable {
    /// What was looked at so far; its findings stand elsewhere.
    var report = ProofReport()
    fileprivate var part: Part = .database
    fileprivate var place = Place()

    /// What is looked at, one after the other.
    fileprivate enum Part: String, Codable, CaseIterable {
        case database, seals, subscriptions, customers, signals, notifications, operators, end
    }

    /// The last thing that was looked at in a part; empty before the first.
    fileprivate struct Place: Sendable, Hashable, Codable {
        var app: String?
        var environment: String?
        var id: String?
        /// Under this name an erasure finds it.
        var customer: String?
        var number: Int64?
        var hash: [UInt8]?
    }

    var isDone: Bool { part == .end }

    init() {}

    /// - Throws: `StorageError` with `corrupt` for anything that ``json`` is not.
    init(json: String) throws { self = try StateCoding.decode(ProofProgress.self, from: json) }

    var json: String { get throws { try StateCoding.encode(self) } }
}

/// A proof as one server goes through it, page by page.
///
/// What it holds in memory is bounded, in each lane, by the largest subscription (its facts, at most ``StoredContents/limit``,
/// and its history) and the largest document, by a few seals and the findings of one page, and not by how much is kept.
struct ProofRun: Sendable {
    private(set) var progress: ProofProgress
    private let backend: Backend
    private let depth: ProofDepth
    /// Nil: everything, and what the database says of its file.
    private let app: AppID?

    /// How many subscriptions or customers are looked at in one step.
    private let page: Int
    /// How many of them at the same time: their reading waits for the database, and their signatures cost a core each.
    private let lanes: Int

    /// - Parameters:
    ///   - progress: where to go on; nil from the beginning.
    ///   - lanes: how many subscriptions or customers are proved at the same time. A server that has others to answer takes one.
    init(
        of app: AppID?, by backend: Backend, _ depth: ProofDepth, from progress: ProofProgress? = nil, page: Int = 500,
        lanes: Int = 1
    ) {
        (self.app, self.backend, self.depth, self.page, self.lanes) = (app, backend, depth, page, max(1, lanes))
        self.progress = progress ?? ProofProgress()
    }

    /// Looks at one page more; returns what is not as it must be in it.
    mutating func step() async throws -> [Finding] {
        do {
            try await stepThroughPart()
        } catch BackendError.store(let failure) where failure.code == StorageError.Code.corrupt.rawValue {
            // What is damaged in one place is looked for, and is no reason to look at nothing else.
            let words = "\(failure.words); the rest of the \(progress.part.rawValue) was not looked at"
            progress.report.findings.append(Finding(.unreadable, nil, words))
            leave()
        }
        defer { progress.report.findings = [] }
        return progress.report.findings
    }

    private mutating func stepThroughPart() async throws {
        switch progress.part {
        case .database: try await stepThroughDatabase()
        case .seals: try await stepThroughSeals()
        case .subscriptions: try await stepThroughSubscriptions()
        case .customers: try await stepThroughCustomers()
        case .signals: try await stepThroughSignals()
        case .notifications: try await stepThroughNotifications()
        case .operators: try await stepThroughOperators()
        case .end: break
        }
    }

    /// Goes on to the next part.
    private mutating func leave() {
        progress.place = .init()
        let parts = ProofProgress.Part.allCases
        if let index = parts.firstIndex(of: progress.part), index + 1 < parts.count { progress.part = parts[index + 1] }
    }

    /// The apps that are looked at, from that of the place on.
    private var rest: [AppID] {
        let all = app.map { [$0] } ?? backend.apps.keys.sorted()
        return progress.place.app.map { place in all.filter { $0 >= AppID(place) } } ?? all
    }

    private mutating func stepThroughDatabase() async throws {
        if app == nil { try await backend.proveDatabase(into: &progress.report) }
        for app in rest { try await backend.proveSettings(of: app, into: &progress.report) }
        leave()
    }

    private mutating func stepThroughSeals() async throws {
        guard let current = rest.first else { return leave() }
        let before = SealPlace(number: progress.place.number ?? 0, hash: progress.place.hash ?? AuditHead().hash)
        if let last = try await backend.proveSeals(of: current, after: before, into: &progress.report) {
            progress.place = .init(app: current.rawValue, number: last.number, hash: last.hash)
        } else if let next = rest.dropFirst().first {
            progress.place = .init(app: next.rawValue)
        } else {
            leave()
        }
    }

    private var ledger: Scope? {
        if let app = progress.place.app, let environment = progress.place.environment.flatMap(Environment.init(rawValue:)) {
            return Scope(app: AppID(app), environment: environment)
        }
        // Before the first of the app's own.
        let first = Environment.allCases.min { $0.rawValue < $1.rawValue }
        return app.flatMap { app in first.map { Scope(app: app, environment: $0) } }
    }

    private mutating func move(to scope: Scope, id: String? = nil, customer: String? = nil) {
        progress.place = .init(
            app: scope.app.rawValue, environment: scope.environment.rawValue, id: id, customer: customer)
    }

    private func isMeant(_ scope: Scope) -> Bool { app.map { $0 == scope.app } ?? true }

    private mutating func stepThroughSubscriptions() async throws {
        let last = ledger.map { SubscriptionKey($0, OriginalTransactionID(progress.place.id ?? "")) }
        let found = try await translatingStorageErrors { try await backend.store.subscriptions(after: last, limit: page) }
        let meant = found.filter { isMeant($0.scope) }
        try await prove(meant) { [backend, depth] in try await backend.prove($0, depth, &$1) }
        guard let end = meant.last, meant.count == found.count else { return leave() }
        move(to: end.scope, id: end.originalTransactionId.rawValue)
    }

    private mutating func stepThroughCustomers() async throws {
        let last = ledger.map { CustomerKey($0, CustomerID(progress.place.customer ?? "")) }
        let found = try await translatingStorageErrors { try await backend.store.customers(after: last, limit: page) }
        let meant = found.filter { isMeant($0.scope) }
        try await prove(meant) { [backend, depth] in try await backend.prove($0, depth, &$1) }
        guard let end = meant.last, meant.count == found.count else { return leave() }
        move(to: end.scope, customer: end.customer.rawValue)
    }

    /// Proves some, several at a time; what is found is in their order, whichever was done first.
    private mutating func prove<Key: Sendable>(
        _ keys: [Key], _ one: @escaping @Sendable (Key, inout ProofReport) async throws -> Void
    ) async throws {
        let lanes = min(lanes, keys.count)
        let reports = try await withThrowingTaskGroup(of: [Int: ProofReport].self) { group in
            for lane in 0..<lanes {
                group.addTask {
                    var reports: [Int: ProofReport] = [:]
                    for index in stride(from: lane, to: keys.count, by: lanes) {
                        var report = ProofReport()
                        try await one(keys[index], &report)
                        reports[index] = report
                    }
                    return reports
                }
            }
            return try await group.reduce(into: [:]) { $0.merge($1) { first, _ in first } }
        }
        for index in keys.indices { reports[index].map { progress.report.add($0) } }
    }

    private mutating func stepThroughSignals() async throws {
        let scopes = rest.compactMap { backend.apps[$0] }.flatMap(\.scopes).sorted()
        let current = progress.place.environment == nil ? scopes.first : scopes.first { $0 == ledger }
        guard let current else { return leave() }
        if let last = try await backend.proveSignals(of: current, before: progress.place.number, into: &progress.report) {
            move(to: current)
            progress.place.number = last
        } else if let next = scopes.drop(while: { $0 != current }).dropFirst().first {
            move(to: next)
        } else {
            leave()
        }
    }

    /// What operators did belongs to no app: only a proof of everything looks at it.
    private mutating func stepThroughOperators() async throws {
        guard app == nil else { return leave() }
        let before = AuditHead(
            sequence: progress.place.number ?? 0, hash: progress.place.hash ?? AuditHead().hash)
        guard let end = try await backend.proveOperators(after: before, limit: page, into: &progress.report) else {
            return leave()
        }
        (progress.place.number, progress.place.hash) = (end.sequence, end.hash)
    }

    private mutating func stepThroughNotifications() async throws {
        guard depth.evidence else { return leave() }
        let last = ledger.map { FactlessNotification.Place(scope: $0, notificationUUID: progress.place.id ?? "") }
        let found = try await translatingStorageErrors {
            try await backend.store.factlessNotifications(after: last, limit: page)
        }
        let meant = found.filter { isMeant($0.scope) }
        for notification in meant { try await backend.prove(notification, into: &progress.report) }
        guard let end = meant.last, meant.count == found.count else { return leave() }
        move(to: end.scope, id: end.row.notificationUUID)
    }
}
