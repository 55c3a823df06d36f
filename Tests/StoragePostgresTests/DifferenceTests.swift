import FaultProxy
import Foundation
import Ledger
import Primitives
import PrivatePostgres
import Storage
import StorageSQLite
import Testing

@testable import StoragePostgres

/// Numbers from a seed, the same on all machines.
private struct Chance {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// SplitMix64.
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
    mutating func one<Element>(of elements: [Element]) -> Element { elements[below(elements.count)] }
    mutating func happens(oneIn count: Int) -> Bool { below(count) == 0 }
}

/// One step of a random script, with all of its data.
private enum Step: Sendable {
    case arrive([Arrival])
    case claim(Claim, SubscriptionKey, AppPolicy)
    case register(TokenName, CustomerID, isAnonymous: Bool)
    case order([WorkOrder])
    /// Takes work, and ends each item according to its place: finished, postponed, abandoned, or left to its lease.
    case work(WorkRequest, at: Timestamp)
    case seal(AppID, at: Timestamp)
    case warn(OperatorWarning, Scope)
    /// Writes everything, and then rolls it back.
    case fail([Arrival])
}

/// A script about a few customers, subscriptions, apps and tokens, so that they interact often.
private struct Script {
    static let start = Timestamp(millisecondsSince1970: 1_767_225_600_000)
    static let scopes = ["app", "other"].flatMap { app in
        [Primitives.Environment.production, .sandbox].map { Scope(app: AppID(app), environment: $0) }
    }
    static let ids = ["1000", "1001", "20000000000000001", "é₣", "x'y\"z"]
    static let customers = ["alice", "bob", "Jose\u{301}", "José"].map { CustomerID($0) }
    static let tokens = (1...3).compactMap { AppAccountToken("a11ce000-0000-4000-8000-00000000000\($0)") }
    static let policies = [AppPolicy(), AppPolicy(version: 2, onRestore: .transfer, partialRefunds: .keep)]

    private var chance: Chance
    private var minute: Int64 = 0

    init(seed: UInt64) { chance = Chance(seed: seed) }

    mutating func step() -> Step {
        minute += 1
        switch chance.below(20) {
        case 0..<8: return .arrive((0..<(1 + chance.below(3))).map { _ in arrival() })
        case 8..<12:
            let (scope, id) = (chance.one(of: Self.scopes), chance.one(of: Self.ids))
            return .claim(claim(id), key(id, scope), chance.one(of: Self.policies))
        case 12, 13:
            let name = TokenName(app: chance.one(of: Self.scopes).app, token: chance.one(of: Self.tokens))
            return .register(name, chance.one(of: Self.customers), isAnonymous: chance.happens(oneIn: 3))
        case 14: return .order((0..<3).map { _ in order() })
        case 15, 16:
            let kinds: [WorkKind] = [.deliver, .fetchHistory, .tell, .askApple]
            let scopes = chance.happens(oneIn: 2) ? [] : (0..<2).map { _ in chance.one(of: Self.scopes) }
            var request = WorkRequest(kinds: kinds, scopes: scopes, worker: "w", limit: 1 + chance.below(6))
            if chance.happens(oneIn: 4) { request.overdueBy = .hours(chance.below(48)) }
            return .work(request, at: now.adding(.days(chance.below(60))))
        case 17: return .seal(chance.one(of: Self.scopes).app, at: now)
        case 18:
            return .warn(
                OperatorWarning(kind: .unknownProduct, value: chance.one(of: Self.ids), firstSeenAt: now),
                chance.one(of: Self.scopes))
        default: return .fail([arrival()])
        }
    }

    private var now: Timestamp { Self.start.adding(.minutes(minute)) }

    private func key(_ id: String, _ scope: Scope) -> SubscriptionKey {
        SubscriptionKey(app: scope.app, environment: scope.environment, originalTransactionId: .init(id))
    }

    private mutating func arrival() -> Arrival {
        let (scope, id) = (chance.one(of: Self.scopes), chance.one(of: Self.ids))
        let fact = transaction(id)
        var notification: NoticeFact?
        var facts: [Fact] = [.transaction(fact)]
        if chance.happens(oneIn: 2) {
            let notice = NoticeFact(
                notificationUUID: "u\(chance.below(40))", notificationType: "DID_RENEW", signedDate: fact.signedDate)
            notification = notice
            facts.append(.notice(notice, about: .init(id)))
        }
        if chance.happens(oneIn: 3) {
            var renewal = RenewalFact(originalTransactionId: .init(id), signedDate: fact.signedDate)
            renewal.autoRenewStatus = chance.happens(oneIn: 2)
            renewal.productId = fact.productId
            facts.append(.renewal(renewal))
        }
        let header = "eyJ" + String(repeating: "A\(chance.below(3))", count: 400)
        let payload = StrictBase64.encodeURL(Array(#"{"x":"\#(header).\#(chance.below(9))"}"#.utf8))
        let evidence = Evidence(form: .compactJWS, bytes: Array("\(header).\(payload).c2ln".utf8))
        return Arrival(scope: scope, evidence: evidence, notification: notification, facts: facts, receivedAt: now)
    }

    private mutating func transaction(_ id: String) -> TransactionFact {
        let index = Int64(chance.below(4))
        let begins = Self.start.adding(.days(30 * index))
        var fact = TransactionFact(
            originalTransactionId: .init(id), transactionId: .init("\(id)/\(index)"), productId: .init("plus"),
            purchaseDate: begins, signedDate: begins.adding(.hours(chance.below(3))))
        fact.expiresDate = begins.adding(.days(30))
        fact.webOrderLineItemId = "9\(index)"
        fact.transactionReason = index == 0 ? .purchase : .renewal
        if chance.happens(oneIn: 3) { fact.appAccountToken = chance.one(of: Self.tokens) }
        if chance.happens(oneIn: 8) { fact.revocation = Revocation(revocationDate: begins.adding(.days(5))) }
        return fact
    }

    private mutating func claim(_ id: String) -> Claim {
        let customer = chance.one(of: Self.customers)
        let kind = chance.one(of: Claim.Kind.allCases)
        return Claim(
            id: .init("\(customer)/\(kind.rawValue)/\(minute)"), customer: customer, kind: kind, transaction: transaction(id),
            productId: .init("plus"), claimedAt: now)
    }

    private mutating func order() -> WorkOrder {
        WorkOrder(
            scope: chance.one(of: Self.scopes), subject: chance.one(of: Self.ids), key: "k\(chance.below(4))",
            kind: chance.one(of: [.deliver, .fetchHistory]), body: #"{"é":"'"}"#, dueAt: now.adding(.minutes(chance.below(90))))
    }
}

extension Milliseconds {
    fileprivate static func days(_ count: Int) -> Milliseconds { .days(Int64(count)) }
    fileprivate static func hours(_ count: Int) -> Milliseconds { .hours(Int64(count)) }
    fileprivate static func minutes(_ count: Int) -> Milliseconds { .minutes(Int64(count)) }
}

private struct Refused: Error {}

extension Store {
    /// Carries out a step; returns its result as text, which must be the same for both stores.
    fileprivate func carryOut(_ step: Step) async throws -> String {
        switch step {
        case .arrive(let arrivals): return "\(try await write { try $0.take(arrivals) })"
        case .claim(let claim, let key, let policy):
            return try await write { write in
                let decision = try write.decide([.claim(claim)], about: key, policy)
                return "\(decision.outcomes) \(decision.auditRows.count) \(decision.events.count)"
            }
        case .register(let name, let customer, let isAnonymous):
            return try await write { write in
                guard try write.lock([], tokens: [name]).registrations[name] == nil else { return "known" }
                let registration = TokenRegistration(
                    token: name.token, customer: customer, isAnonymous: isAnonymous, registeredAt: Script.start)
                try write.register(registration, app: name.app)
                let bearers = try write.subscriptions(bearing: [name])
                for key in bearers { _ = try write.decide([.registration(registration)], about: key, AppPolicy()) }
                return "\(bearers)"
            }
        case .order(let orders):
            try await write { try $0.order(orders) }
            return ""
        case .work(let request, let now):
            return try await write { write in
                // Work that is due at the same instant has no defined order.
                let taken = try write.lease(request, at: now).sorted { "\($0.order)" < "\($1.order)" }
                for (index, work) in taken.enumerated() {
                    switch index % 4 {
                    case 0: try write.finish(work, at: now)
                    case 1: try write.postpone(work, to: now.adding(.minutes(5)), because: "é'", counts: work.attempt % 2 == 0)
                    case 2: try write.abandon(work, at: now, because: "no")
                    default: break
                    }
                }
                return taken.map { "\($0.order) \($0.attempt) \($0.fence) \($0.asked)" }.sorted().joined(separator: ";")
            }
        case .seal(let app, let now): return "\(String(describing: try await write { try $0.seal(app, at: now, limit: 3) }))"
        case .warn(let warning, let scope):
            try await write { try $0.warn(warning, in: scope) }
            return ""
        case .fail(let arrivals):
            do {
                try await write { write in
                    _ = try write.take(arrivals)
                    throw Refused()
                }
            } catch is Refused {}
            return "refused"
        }
    }

    /// Everything that is stored, as text. Numbers that a database assigns are left out.
    fileprivate func everything() async throws -> [String] {
        var lines: [String] = []
        let keys = try await subscriptions(after: nil, limit: 1000)
        for key in keys {
            let contents = try await contents(of: key)
            lines.append("\(String(describing: contents?.stored)) \(contents?.claims ?? []) \(contents?.registrations ?? [])")
            lines.append("\(contents?.tenures ?? []) \(contents?.holdings ?? []) \(contents?.aliases ?? [])")
            lines.append("\(try await facts(of: key, limit: 10_000))")
            lines.append("\(try await auditRows(of: key, after: 0, limit: 10_000))")
        }
        for scope in Script.scopes {
            for customer in Script.customers { lines.append("\(try await holdings(of: customer, in: scope))") }
            lines.append("\(try await warnings(in: scope, limit: 1000))")
        }
        for app in Set(Script.scopes.map(\.app)).sorted() { lines.append("\(try await seals(of: app, after: 0, limit: 1000))") }
        let events = try await outbox(after: 0, limit: 100_000)
        for key in keys {
            lines.append("\(events.filter { $0.event?.subscription == key }.map { "\($0.sequence) \($0.told)" })")
        }
        let work = try await work(after: 0, limit: 100_000)
        return lines + work.map { "\($0.order) \($0.attempts) \($0.state) \($0.lastError ?? "")" }.sorted()
    }
}

extension StoreTransaction {
    /// Stores what is new in them and what follows from it; returns for each whether anything was new.
    fileprivate func take(_ arrivals: [Arrival]) throws -> [Bool] {
        let keys = Set(
            arrivals.flatMap { arrival in
                arrival.facts.map {
                    SubscriptionKey(
                        app: arrival.scope.app, environment: arrival.scope.environment,
                        originalTransactionId: $0.originalTransactionId)
                }
            })
        let tokens = arrivals.flatMap { arrival in
            SubscriptionHistory.tokens(in: arrival.facts).map { TokenName(app: arrival.scope.app, token: $0) }
        }
        let locked = try lock(keys.sorted(), tokens: Set(tokens).sorted())
        var known = try known(of: arrivals)
        let new = arrivals.map { known.takeNew(of: $0) }
        _ = try keep(new.compactMap { $0 })
        for key in keys.sorted() {
            var inputs: [LedgerInput] = []
            for arrival in new.compactMap({ $0 }) where arrival.scope == key.scope {
                inputs += arrival.facts.filter { $0.originalTransactionId == key.originalTransactionId }.map { .fact($0) }
            }
            let registered = SubscriptionHistory.tokens(
                in: inputs.compactMap { if case .fact(let fact) = $0 { fact } else { nil } })
            inputs += registered.flatMap { locked.registrations[TokenName(app: key.app, token: $0)] ?? [] }.map {
                .registration($0)
            }
            if !inputs.isEmpty { _ = try decide(inputs, about: key, AppPolicy()) }
        }
        return new.map { $0 != nil }
    }

    fileprivate func decide(_ inputs: [LedgerInput], about key: SubscriptionKey, _ policy: AppPolicy) throws -> Decision {
        let stored = try lock([key], tokens: []).subscriptions[key]
        let history = stored?.history ?? SubscriptionHistory(key: key)
        let decision = Decision(
            on: inputs, history: history, state: stored?.state, policy: policy, learnedAt: Script.start.adding(.days(20)))
        guard decision.changesHistory else { return decision }
        for case .claim(let claim) in inputs where decision.history.claims.contains(claim) { try keep(claim, on: key) }
        try save([
            try Saving(
                stored: stored, decisions: [decision], policy: policy, learnedAt: Script.start.adding(.days(20)))
        ])
        return decision
    }
}

extension PostgresTests {
    @Suite struct Differences {
        /// Two databases, one random script, and no difference, neither in the answers nor in what is stored.
        @Test(arguments: [1, 2, 3, 4] as [UInt64])
        func `SQLite and PostgreSQL answer every step alike and store the same`(_ seed: UInt64) async throws {
            let folder = FileManager.default.temporaryDirectory.appending(path: "tenure-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { do { try FileManager.default.removeItem(at: folder) } catch { print("\(folder) is left over: \(error)") } }
            // Both choose the same numbers for customers, so that hashes are equal.
            let sqlite = try SQLiteStore(
                path: folder.appending(path: "tenure.sqlite").path(), generator: SplitMix64(seed: 1))
            try await withMigratedStore(generator: SplitMix64(seed: 1)) { postgres in
                var script = Script(seed: seed)
                for number in 0..<150 {
                    let step = script.step()
                    let (one, other) = (try await sqlite.carryOut(step), try await postgres.carryOut(step))
                    #expect(one == other, "seed \(seed), step \(number): \(step)")
                    guard one == other else { return }
                }
                let (one, other) = (try await sqlite.everything(), try await postgres.everything())
                #expect(one.count == other.count)
                for (line, otherLine) in zip(one, other) { #expect(line == otherLine, "seed \(seed)") }
                #expect(one.count > 40)
            }
        }
    }
}
