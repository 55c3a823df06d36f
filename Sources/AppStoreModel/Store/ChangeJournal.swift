package import Primitives

/// What purchases and subscriptions were before their newest changes, so that a service can show the store as it was shortly
/// before: as Apple's do, which show some things later than notifications tell them.
///
/// It begins empty. What happened before it was begun counts as old enough to be shown.
struct ChangeJournal: Sendable, Hashable, Codable {
    /// A value before a change; nil: the change made it.
    struct Earlier<Value: Sendable & Hashable & Codable>: Sendable, Hashable, Codable {
        let changedAt: Timestamp
        let value: Value?
    }

    private enum Subject: Sendable, Hashable, Codable {
        case subscription(TransactionNumber)
        case transaction(TransactionNumber)
    }

    private struct Mark: Sendable, Hashable, Codable {
        let at: Timestamp
        let subject: Subject
    }

    /// How old a change must be to be shown.
    private(set) var lag: Milliseconds
    /// Each subject's, oldest first.
    private var subscriptions: [TransactionNumber: [Earlier<StoreSubscription>]] = [:]
    private var transactions: [TransactionNumber: [Earlier<StorePurchase>]] = [:]
    /// All of them, oldest first; the first ``passed`` are forgotten.
    private var marks: [Mark] = []
    private var passed = 0

    /// The most changes that are kept; where there are more, the oldest are shown early.
    static let maximumMarks = 1_000_000
    static let longestLag = Milliseconds.days(30)

    init(lag: Milliseconds) { self.lag = lag }

    // MARK: Looking

    /// All values in it, for a check of what they refer to.
    var allSubscriptions: [StoreSubscription] { subscriptions.values.flatMap { $0.compactMap(\.value) } }
    var allTransactions: [StorePurchase] { transactions.values.flatMap { $0.compactMap(\.value) } }

    /// The subscription as it was at an instant; nil: as it is now.
    func subscription(_ id: TransactionNumber, at instant: Timestamp) -> Earlier<StoreSubscription>? {
        subscriptions[id]?.first { $0.changedAt > instant }
    }

    /// The transaction as it was at an instant; nil: as it is now.
    func transaction(_ id: TransactionNumber, at instant: Timestamp) -> Earlier<StorePurchase>? {
        transactions[id]?.first { $0.changedAt > instant }
    }

    // MARK: Keeping

    mutating func note(_ id: TransactionNumber, was subscription: StoreSubscription?, at now: Timestamp) {
        guard mark(.subscription(id), at: now, after: subscriptions[id]?.last?.changedAt) else { return }
        subscriptions[id, default: []].append(Earlier(changedAt: now, value: subscription))
    }

    mutating func note(_ id: TransactionNumber, was transaction: StorePurchase?, at now: Timestamp) {
        guard mark(.transaction(id), at: now, after: transactions[id]?.last?.changedAt) else { return }
        transactions[id, default: []].append(Earlier(changedAt: now, value: transaction))
    }

    mutating func setLag(_ lag: Milliseconds, at now: Timestamp) {
        // By the old lag: what is shown already stays shown.
        forget(until: now.adding(Milliseconds(-self.lag.count)))
        self.lag = lag
    }

    /// False where an earlier change of the same instant was noted: only what was before that one is ever shown.
    private mutating func mark(_ subject: Subject, at now: Timestamp, after last: Timestamp?) -> Bool {
        guard last != now else { return false }
        forget(until: now.adding(Milliseconds(-lag.count)))
        // A whole instant: what is shown are always all changes up to one of them.
        if marks.count - passed >= Self.maximumMarks { forget(until: marks[passed].at) }
        marks.append(Mark(at: now, subject: subject))
        return true
    }

    private mutating func forget(until instant: Timestamp) {
        while passed < marks.count, marks[passed].at <= instant { forgetFirst() }
        // Rarely, because it costs in proportion to what is left.
        guard passed > 1000, passed > marks.count / 2 else { return }
        marks.removeFirst(passed)
        passed = 0
    }

    private mutating func forgetFirst() {
        switch marks[passed].subject {
        case .subscription(let id): Self.dropFirst(of: id, in: &subscriptions)
        case .transaction(let id): Self.dropFirst(of: id, in: &transactions)
        }
        passed += 1
    }

    private static func dropFirst<Value>(of id: TransactionNumber, in lists: inout [TransactionNumber: [Earlier<Value>]]) {
        guard let list = lists[id] else { return }
        lists[id] = list.count > 1 ? Array(list.dropFirst()) : nil
    }

    /// Whether its numbers are possible ones; in a saved state they may not be.
    var isWhole: Bool {
        (0...marks.count).contains(passed) && (0...Self.longestLag.count).contains(lag.count)
    }
}

extension AppStore {
    /// How old a purchase, or a change of one, must be before services show it that do so late; 0: at once.
    package var showingLag: Milliseconds { journal?.lag ?? Milliseconds(0) }

    /// Sets ``showingLag`` for what happens from now on; what is shown now stays shown. More than 30 days are 30 days.
    package mutating func setShowingLag(_ wanted: Milliseconds) {
        let lag = min(wanted, ChangeJournal.longestLag)
        if lag.count <= 0 {
            journal = nil
        } else if journal == nil {
            journal = ChangeJournal(lag: lag)
        } else {
            journal?.setLag(lag, at: now)
        }
    }

    /// A copy for reading, in which purchases and subscriptions are as they were ``showingLag`` before now.
    package var shownLate: AppStore {
        guard let journal else { return self }
        var shown = self
        shown.horizon = now.adding(Milliseconds(-journal.lag.count))
        return shown
    }
}
