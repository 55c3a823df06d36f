package import Primitives

/// What a subscription hears of the one that it continues after a switch to or from a bundle: who owned that one at the switch
/// (PER-14, decision 0070). Later evidence may change the owner; the subscription then hears a new word.
package struct Predecessor: Sendable, Hashable {
    /// The subscription that is continued.
    package let originalTransactionId: OriginalTransactionID
    /// When the first period of the one that continues it was bought.
    package let switchedAt: Timestamp
    /// The product whose period ran then; nil where none is known.
    package let productId: ProductID?
    /// Who owned it then; nil while nobody has claimed it.
    package let owner: Owner?
    /// Of two words about one subscription the one with the higher number counts; from 1.
    package let number: Int64

    package init(
        of id: OriginalTransactionID, switchedAt: Timestamp, productId: ProductID?, owner: Owner?, number: Int64
    ) {
        originalTransactionId = id
        self.switchedAt = switchedAt
        self.productId = productId
        self.owner = owner
        self.number = number
    }

    package struct Owner: Sendable, Hashable {
        package let customer: CustomerID
        package let isAnonymous: Bool
        /// When we received the claim or the vote that made them the owner; nil where a purchase shows it, whenever that was
        /// learned.
        package let shownAt: Timestamp?

        package init(_ customer: CustomerID, isAnonymous: Bool, shownAt: Timestamp?) {
            self.customer = customer
            self.isAnonymous = isAnonymous
            self.shownAt = shownAt
        }
    }

    /// Whether both say the same; the number only tells which came later.
    fileprivate func says(_ other: Predecessor) -> Bool {
        originalTransactionId == other.originalTransactionId && switchedAt == other.switchedAt && productId == other.productId
            && owner == other.owner
    }
}

/// What a subscription hears of one that continues it after a switch to or from a bundle (PER-14, decision 0070).
package struct Continuation: Sendable, Hashable {
    /// The subscription that continues this one.
    package let originalTransactionId: OriginalTransactionID
    /// When its first period was bought.
    package let switchedAt: Timestamp
    /// Of two words about one subscription the one with the higher number counts; from 1.
    package let number: Int64

    package init(by id: OriginalTransactionID, switchedAt: Timestamp, number: Int64) {
        originalTransactionId = id
        self.switchedAt = switchedAt
        self.number = number
    }

    static func inOrder(_ left: Self, _ right: Self) -> Bool {
        (left.switchedAt, left.originalTransactionId) < (right.switchedAt, right.originalTransactionId)
    }

    /// How far a revocation may be from the switch that it is.
    private static var tolerance: Milliseconds { .seconds(60) }

    /// Whether an instant is that of the switch, as far as Apple's dates agree.
    func isNear(_ instant: Timestamp) -> Bool {
        max(switchedAt, instant).since(min(switchedAt, instant)) <= Self.tolerance
    }

    /// Whether what ends at the instant, or never, lasted until the switch.
    func isReached(by end: Timestamp?) -> Bool { end.map { switchedAt <= $0.adding(Self.tolerance) } ?? true }
}

/// A word that one subscription hears of another, and that takes the place of an earlier one.
private protocol SwitchWord: Hashable {
    var originalTransactionId: OriginalTransactionID { get }
    var number: Int64 { get }
}

extension Predecessor: SwitchWord {}
extension Continuation: SwitchWord {}

/// The words about switches that a history heard: of each subscription the last one.
package struct SwitchWords: Sendable, Hashable {
    /// By subscription.
    package private(set) var predecessors: [Predecessor] = []
    /// By subscription.
    package private(set) var continuations: [Continuation] = []

    package init(predecessors: [Predecessor] = [], continuations: [Continuation] = []) {
        (self.predecessors, self.continuations) = (predecessors, continuations)
    }

    package var isEmpty: Bool { predecessors.isEmpty && continuations.isEmpty }

    mutating func record(_ word: Predecessor) -> Bool { Self.record(word, in: &predecessors) }
    mutating func record(_ word: Continuation) -> Bool { Self.record(word, in: &continuations) }

    func predecessor(_ id: OriginalTransactionID) -> Predecessor? { predecessors.first { $0.originalTransactionId == id } }
    func continuation(by id: OriginalTransactionID) -> Continuation? { continuations.first { $0.originalTransactionId == id } }

    private static func record<Word: SwitchWord>(_ word: Word, in words: inout [Word]) -> Bool {
        let place = words.firstPosition { !($0.originalTransactionId < word.originalTransactionId) }
        guard place < words.endIndex, words[place].originalTransactionId == word.originalTransactionId else {
            words.insert(word, at: place)
            return true
        }
        guard words[place].number < word.number else { return false }
        words[place] = word
        return true
    }
}

extension OriginalTransactionID {
    /// Under which a store finds the subscriptions that continue this one, among the names of periods (PER-14).
    package var nameAsPrevious: String { "p/\(rawValue)" }
}

extension TransactionFact {
    /// The subscription that its own continues; nil where it names none, or itself.
    package var continuedId: OriginalTransactionID? {
        previousOriginalTransactionId == originalTransactionId ? nil : previousOriginalTransactionId
    }
}

extension [Period] {
    /// The subscription that the first of them with a link continues; nil where none has one.
    var continuedId: OriginalTransactionID? { lazy.compactMap(\.transaction.continuedId).first }
}

extension SubscriptionHistory {
    /// The subscriptions that its transactions name as previous ones, the one that it continues first, and when its first period
    /// was bought; nil where they name none.
    package var link: (previous: [OriginalTransactionID], switchedAt: Timestamp)? {
        guard book.namesPrevious else { return nil }
        let periods = book.entries().map(\.latest).sorted { $0.purchaseDate < $1.purchaseDate }
        var previous: [OriginalTransactionID] = []
        for id in periods.compactMap(\.continuedId) where !previous.contains(id) { previous.append(id) }
        guard let first = periods.first, !previous.isEmpty else { return nil }
        return (previous, first.purchaseDate)
    }

    /// What it is to hear of the subscription that it continues, with the votes by which its owner was erased (I45); nothing
    /// where it knows that, or does not continue this one.
    package func news(ofPrevious other: SubscriptionHistory, _ state: SubscriptionState) -> [LedgerInput] {
        let id = other.key.originalTransactionId
        guard let link, link.previous.first == id, let began = state.periods.first?.purchaseDate else { return [] }
        let known = switches.predecessor(id)
        // A subscription that began later is not continued: an earlier period of this one may have been learned since.
        let isEarlier = began < link.switchedAt
        let word = Predecessor(
            of: id, switchedAt: link.switchedAt,
            productId: isEarlier ? state.periods.lastServing(by: link.switchedAt)?.productId : nil,
            owner: isEarlier ? state.ownerOfSwitch(to: key.originalTransactionId, at: link.switchedAt, other) : nil,
            number: (known?.number ?? 0) + 1)
        guard known.map({ !$0.says(word) }) ?? isEarlier else { return [] }
        let owners = [word.owner?.customer, state.owner(at: link.switchedAt)].compactMap(\.self)
        let erasures = other.votes.filter { vote in owners.contains { vote.kind == .erase($0) } }
        return [.predecessor(word)] + erasures.map { .vote($0) }
    }

    /// What it is to hear of a subscription that continues it; nothing where it knows that, or the other one does not name it.
    package func news(ofNext other: SubscriptionHistory) -> [LedgerInput] {
        guard let link = other.link, link.previous.contains(key.originalTransactionId) else { return [] }
        let id = other.key.originalTransactionId
        let known = switches.continuation(by: id)
        guard known?.switchedAt != link.switchedAt else { return [] }
        return [.continuation(Continuation(by: id, switchedAt: link.switchedAt, number: (known?.number ?? 0) + 1))]
    }
}

extension SubscriptionState {
    /// Who owned it at a switch, under the name by which that is shown, and since when. Until this one has heard of the switch, a
    /// customer who was merged since may be named by an earlier name.
    fileprivate func ownerOfSwitch(
        to next: OriginalTransactionID, at instant: Timestamp, _ history: SubscriptionHistory
    ) -> Predecessor.Owner? {
        let isTold = history.switches.continuation(by: next)?.switchedAt == instant
        let known = isTold ? atSwitches[next] : nil
        let shown = known ?? (tenures.last { $0.from <= instant } ?? tenures.first).map { [$0] } ?? []
        guard let tenure = shown.first, let owner = tenure.customer else { return nil }
        // What a purchase shows was so from the first.
        let instants = shown.map { receipt(of: $0, history) }
        let shownAt = instants.contains(nil) ? nil : instants.compactMap(\.self).min()
        let customer = customer(shownBy: tenure, history) ?? owner
        return Predecessor.Owner(
            customer, isAnonymous: Identities(of: history).isAnonymous(customer), shownAt: shownAt)
    }

    /// When we received what shows it; nil where a purchase does, or nothing.
    private func receipt(of tenure: Tenure, _ history: SubscriptionHistory) -> Timestamp? {
        switch tenure.cause.evidence {
        case .claim(let id, nil): claims.first { $0.claim.id == id }?.claim.claimedAt
        case .vote(let id): history.votes.first { $0.id == id }?.votedAt
        case .previous(let id): history.switches.predecessor(id)?.owner?.shownAt
        case .claim, .none, .token, .tokenSet, .tokenOfChange: nil
        }
    }

    /// The customer whom the evidence names: who they turned out to be by now may have been found out later.
    private func customer(shownBy tenure: Tenure, _ history: SubscriptionHistory) -> CustomerID? {
        func named(by token: AppAccountToken?) -> CustomerID? {
            TokenNames(
                history.registrations, periods: periods, renewals: history.renewals, erasures: Erasures(among: history.votes)
            ).customer(of: token, at: tenure.from)
        }
        func claimant(_ id: ID<ClaimEvidence>) -> CustomerID? { claims.first { $0.claim.id == id }?.claim.customer }
        switch tenure.cause.evidence {
        case .none: return nil
        case .claim(let id, _): return claimant(id)
        case .previous(let id): return history.switches.predecessor(id)?.owner?.customer
        case .token: return named(by: periods.first { $0.purchaseDate == tenure.from && $0.purchaseToken != nil }?.purchaseToken)
        case .tokenSet: return named(by: periods.lazy.flatMap(\.setTokens).first { $0.since == tenure.from }?.token)
        case .tokenOfChange(let signedDate):
            return named(by: history.renewals.last { $0.signedDate == signedDate && $0.appAccountToken != nil }?.appAccountToken)
        case .vote(let id):
            switch history.votes.first(where: { $0.id == id })?.kind {
            case .transfer(let customer)?: return customer
            case .approve(let claim)?, .deny(let claim)?: return claimant(claim)
            case .erase?, nil: return nil
            }
        }
    }
}
