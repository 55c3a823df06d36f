import AppStoreWire
import Primitives
import Storage
import Synchronization

/// The calls that Apple allows an app for one endpoint, shared by all servers on the store (RECON-8): each takes a second's worth
/// at a time, so that it writes one row a second at the most, however many questions it puts.
final class AppleBudget: Sendable {
    private let store: any WritingStore
    private let hands = Mutex<[Purse: Hand]>([:])

    /// Whose calls they are.
    private struct Purse: Hashable {
        let name: BudgetName
        let urgency: AskingUrgency
    }

    /// What is at hand for one purse.
    private enum Hand {
        case calls(Calls)
        /// One caller takes for all who ask meanwhile: each for itself would take a second's worth to use one call of it.
        case taking(waiting: [CheckedContinuation<CallBudget.Grant?, Never>])
    }

    /// What was taken and not used.
    private struct Calls {
        var left: Int
        let until: Timestamp
    }

    /// What a caller finds.
    private enum Found {
        case call
        /// This one takes for all.
        case nothing
        case another
    }

    init(store: any WritingStore) { self.store = store }

    /// Takes one call; nil where it may be made now, else the instant at which there may be another one.
    func take(_ call: BudgetedCall, at now: Timestamp) async throws -> Timestamp? {
        let purse = Purse(name: call.name, urgency: call.urgency)
        while true {
            let grant: CallBudget.Grant?
            switch find(purse, at: now) {
            case .call: return nil
            case .nothing: grant = try await takeMore(purse, call, at: now)
            case .another: grant = await grantOfAnother(purse)
            }
            if case .wait(let until)? = grant { return until }
        }
    }

    private func find(_ purse: Purse, at now: Timestamp) -> Found {
        hands.withLock { hands in
            switch hands[purse] {
            case .calls(var calls) where calls.left > 0 && calls.until > now && now.adding(Self.second) >= calls.until:
                calls.left -= 1
                hands[purse] = .calls(calls)
                return .call
            case .taking: return .another
            case .calls, nil:
                hands[purse] = .taking(waiting: [])
                return .nothing
            }
        }
    }

    /// What the caller who takes was granted; nil where that failed, or has ended already.
    private func grantOfAnother(_ purse: Purse) async -> CallBudget.Grant? {
        await withCheckedContinuation { continuation in
            let isWaiting = hands.withLock { hands in
                guard case .taking(let waiting) = hands[purse] else { return false }
                hands[purse] = .taking(waiting: waiting + [continuation])
                return true
            }
            if !isWaiting { continuation.resume(returning: nil) }
        }
    }

    private func takeMore(_ purse: Purse, _ call: BudgetedCall, at now: Timestamp) async throws -> CallBudget.Grant {
        let ceiling = call.callsPerHour
        do {
            let grant = try await change(call.name, ceiling: ceiling, at: now) { budget in
                budget.take(
                    upTo: Int(clamping: max(1, ceiling / 3600)), at: now, ceiling: ceiling, allowance: call.urgency.allowance)
            }
            end(purse, with: grant, until: now.adding(Self.second))
            return grant
        } catch {
            end(purse, with: nil, until: now)
            throw error
        }
    }

    private func end(_ purse: Purse, with grant: CallBudget.Grant?, until: Timestamp) {
        let waiting = hands.withLock { hands -> [CheckedContinuation<CallBudget.Grant?, Never>] in
            guard case .taking(let waiting) = hands[purse] else { return [] }
            if case .granted(let calls)? = grant {
                hands[purse] = .calls(Calls(left: calls, until: until))
            } else {
                hands[purse] = nil
            }
            return waiting
        }
        for continuation in waiting { continuation.resume(returning: grant) }
    }

    /// Apple refused a call for too many: all servers stop until the instant.
    func block(_ name: BudgetName, until: Timestamp, ceiling: Int64, at now: Timestamp) async throws {
        hands.withLock { hands in
            hands = hands.filter { purse, hand in
                // Whoever takes at this moment ends it for those who wait for it; what it brings was granted before or is none.
                if case .taking = hand { true } else { purse.name != name }
            }
        }
        try await change(name, ceiling: ceiling, at: now) { $0.block(until: until, at: now) }
    }

    /// How many calls may be made at once for whoever is most urgent; 0 while Apple allows none. At the rate that is kept: what
    /// quiet hours give back counts with the next call.
    static func remaining(of budget: CallBudget, at now: Timestamp) -> Int {
        var asked = budget
        let grant = asked.take(
            upTo: .max, at: now, ceiling: budget.callsPerHour, allowance: AskingUrgency.someoneWaits.allowance)
        if case .granted(let calls) = grant { return calls }
        return 0
    }

    private func change<Outcome: Sendable>(
        _ name: BudgetName, ceiling: Int64, at now: Timestamp, _ body: @escaping @Sendable (inout CallBudget) -> Outcome
    ) async throws -> Outcome {
        try await store.write { transaction in
            var budget = try transaction.lockBudget(name) ?? CallBudget(callsPerHour: ceiling, at: now)
            let outcome = body(&budget)
            try transaction.save(budget, as: name)
            return outcome
        }
    }

    private static let second = Milliseconds.seconds(1)
}

/// A call that counts against a budget.
struct BudgetedCall: Sendable {
    let name: BudgetName
    /// What the app may use of Apple's limit.
    let callsPerHour: Int64
    let urgency: AskingUrgency

    init(_ endpoint: ServerAPIEndpoint, in scope: Scope, _ access: AppleAccess, _ urgency: AskingUrgency) {
        name = BudgetName(scope, endpoint.name)
        callsPerHour = max(1, endpoint.rateLimit.requestsPerHour(in: scope.environment) / 100 * access.share)
        self.urgency = urgency
    }

    /// A call of `/verifyReceipt`, for which Apple names no limit.
    init(ofReceiptIn scope: Scope, _ access: AppleAccess, _ urgency: AskingUrgency) {
        name = BudgetName(scope, Self.verifyReceipt)
        callsPerHour = max(1, Self.receiptsPerHour / 100 * access.share)
        self.urgency = urgency
    }

    /// Apple's name of it.
    static let verifyReceipt = "verifyReceipt"
    /// Ten a second, counted by the hour: what Apple allows for the least of its reading endpoints.
    private static let receiptsPerHour: Int64 = 36_000
}

/// Who is asked for first where calls are few. Each less urgent class may run less far ahead of the rate, so that it is the first
/// one to wait (RECON-8).
enum AskingUrgency: Int64, Sendable, Hashable, CaseIterable {
    /// A customer waits, or Apple does.
    case someoneWaits = 0
    /// Somebody's access ends unless Apple says something.
    case accessEnds = 1
    /// What may have been missed in an outage.
    case afterOutage = 2
    /// What is looked through regularly.
    case regularly = 3
    /// Imports, and what operators ask for by the thousand.
    case bulk = 4

    /// How far ahead of the rate it may run: Apple counts by the hour.
    var allowance: Milliseconds { .minutes(5 - rawValue) }
}
