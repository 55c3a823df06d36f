package import Primitives

/// All that is known of one subscription: what Apple signed, what customers showed, which tokens the app registered. State is a
/// fold over it and over nothing else (FACT-1); recording is independent of order and of repetition (FACT-2).
package struct SubscriptionHistory: Sendable, Hashable {
    package let key: SubscriptionKey
    package private(set) var book = PeriodBook()
    /// By `signedDate`.
    package private(set) var renewals: [RenewalFact] = []
    /// By `signedDate`; one per `notificationUUID`.
    package private(set) var notices: [NoticeFact] = []
    /// By `signedDate`.
    package private(set) var statuses: [StatusFact] = []
    package private(set) var questions: [FailedQuestion] = []
    /// In the order in which we received them.
    package private(set) var claims: [Claim] = []
    /// Who said for whom each token stands; by token, then in the order in which they were registered. One for each token and
    /// customer.
    package private(set) var registrations: [TokenRegistration] = []
    /// By `madeAt`; those of customers who showed this subscription.
    package private(set) var intents: [PurchaseIntent] = []
    /// By `reservedAt`.
    package private(set) var reservations: [Reservation] = []
    /// How often claims were made again that decide nothing and so are not kept; by claim. Like `toldUntil` it is no fact:
    /// whoever rebuilds a history carries it over (decision 0023, 17).
    package private(set) var repetitions: [ClaimRepetition] = []
    /// Up to which instant it was told what time had brought by itself; nil while there was nothing to tell. No state depends on
    /// it: like the outbox it is about what was said, and whoever rebuilds a history from facts carries it over (decision 0019).
    package private(set) var toldUntil: Timestamp?
    /// The strongest name of each period that has never been announced, since it has given nothing here by what was known so far
    /// (PER-1, PER-13); sorted. Like `toldUntil` it is no fact.
    package private(set) var unannounced: [PeriodAlias] = []
    /// In the order in which they were given.
    package private(set) var votes: [OwnershipVote] = []
    /// By `mergedAt`; those that concern a customer of this subscription.
    package private(set) var merges: [CustomerMerge] = []
    /// By `joinedAt`; those that concern a customer of this subscription, withdrawn ones included.
    package private(set) var joins: [CustomerJoin] = []
    /// By `separatedAt`.
    package private(set) var separations: [CustomerSeparation] = []
    /// What the books of other subscriptions say of charges that this one's transactions name, too; by Apple's key.
    package private(set) var chargesElsewhere: [ChargeElsewhere] = []
    /// What it heard of the subscription that it continues, and of those that continue it (PER-14).
    package private(set) var switches = SwitchWords()

    package init(key: SubscriptionKey) { self.key = key }

    /// Takes a fact; true if it says anything new. Calling it again with the same fact is safe.
    package mutating func record(_ fact: Fact) -> Bool {
        switch fact {
        case .transaction(let transaction): return book.record(transaction)
        case .renewal(let renewal): return Self.insert(renewal, into: &renewals, inOrder: RenewalFact.inOrder)
        case .notice(let notice, _):
            book.take(notice)
            return Self.insert(notice, into: &notices, inOrder: NoticeFact.inOrder)
        case .status(let status, _):
            return Self.insert(status, into: &statuses, inOrder: StatusFact.inOrder)
        case .failedQuestion(let question, _):
            return Self.insert(question, into: &questions, inOrder: FailedQuestion.inOrder)
        }
    }

    /// Takes a claim; true if it is not known yet.
    package mutating func record(_ claim: Claim) -> Bool {
        guard !claims.contains(where: { $0.id == claim.id }) else { return false }
        return Self.insert(claim, into: &claims, inOrder: Claim.inOrder)
    }

    /// Takes a registration; true if it says anything new. Whom of several customers the token names, the facts decide.
    package mutating func record(_ registration: TokenRegistration) -> Bool {
        let known = registrations.firstIndex { $0.token == registration.token && $0.customer == registration.customer }
        guard let known else { return Self.insert(registration, into: &registrations, inOrder: TokenRegistration.inOrder) }
        let joined = registrations[known].joined(with: registration)
        guard joined != registrations[known] else { return false }
        registrations.remove(at: known)
        return Self.insert(joined, into: &registrations, inOrder: TokenRegistration.inOrder)
    }

    /// From when on the subscription bears the token; nil where it does not (OWN-2): a purchase's own token from its date, one
    /// that was set later from the first copy that bears it.
    package func firstInstant(bearing token: AppAccountToken) -> Timestamp? {
        let borne = book.entries().compactMap { entry in
            entry.tokens.firstIndex { $0.token == token }.map { $0 == 0 ? entry.latest.purchaseDate : entry.tokens[$0].since }
        }
        return (borne + renewals.filter { $0.appAccountToken == token }.map(\.signedDate)).min()
    }

    /// Takes an intent; true if it is not known yet.
    package mutating func record(_ intent: PurchaseIntent) -> Bool {
        guard !intents.contains(where: { $0.id == intent.id }) else { return false }
        return Self.insert(intent, into: &intents, inOrder: PurchaseIntent.inOrder)
    }

    /// Takes a reservation; true if it is not known yet.
    package mutating func record(_ reservation: Reservation) -> Bool {
        guard !reservations.contains(where: { $0.id == reservation.id }) else { return false }
        return Self.insert(reservation, into: &reservations, inOrder: Reservation.inOrder)
    }

    /// Takes that a kept claim was made again; false where that repetition is known.
    package mutating func record(_ repetition: ClaimRepetition) -> Bool {
        guard let known = repetitions.firstIndex(where: { $0.claim == repetition.claim }) else {
            return Self.insert(repetition, into: &repetitions) { $0.claim < $1.claim }
        }
        guard repetition.lastAt > repetitions[known].lastAt else { return false }
        repetitions[known] = repetitions[known].followed(by: repetition)
        return true
    }

    /// The same without what was told of it and how often it was asked in vain, which are no facts: equal facts, claims and votes
    /// in any order give equal ones (I08).
    package var untold: SubscriptionHistory {
        var history = self
        history.toldUntil = nil
        history.repetitions = []
        history.unannounced = []
        return history
    }

    /// What is no fact, taken over from the history that this one is put in place of.
    package mutating func carryOver(_ other: SubscriptionHistory) {
        toldUntil = other.toldUntil
        repetitions = other.repetitions
        unannounced = other.unannounced
    }

    /// Takes that what time had brought by the instant was told; true if that is later than was known.
    package mutating func record(toldUntil instant: Timestamp) -> Bool {
        guard toldUntil.map({ $0 < instant }) ?? true else { return false }
        toldUntil = instant
        return true
    }

    /// Takes the names of the periods that have never been announced, in place of those before; true if they differ.
    package mutating func record(unannounced names: [PeriodAlias]) -> Bool {
        guard names != unannounced else { return false }
        unannounced = names
        return true
    }

    /// Takes a vote; true if it is not known yet.
    package mutating func record(_ vote: OwnershipVote) -> Bool {
        guard !votes.contains(where: { $0.id == vote.id }) else { return false }
        return Self.insert(vote, into: &votes, inOrder: OwnershipVote.inOrder)
    }

    /// Takes a merge; true if it is not known yet. The same two merged again later says nothing.
    package mutating func record(_ merge: CustomerMerge) -> Bool {
        if let known = merges.firstIndex(where: { $0.anonymous == merge.anonymous && $0.identified == merge.identified }) {
            guard merge.mergedAt < merges[known].mergedAt else { return false }
            merges.remove(at: known)
        }
        return Self.insert(merge, into: &merges, inOrder: CustomerMerge.inOrder)
    }

    /// Whether anything that it heard names the customer; then it heard of their joins too.
    package func names(_ customer: CustomerID) -> Bool {
        registrations.contains { $0.customer == customer }
            || claims.contains { $0.customer == customer || $0.othersServed.contains(customer) }
            || intents.contains { $0.customer == customer } || reservations.contains { $0.customer == customer }
            || merges.contains { $0.anonymous == customer || $0.identified == customer }
            || joins.contains { $0.pair.from == customer || $0.pair.into == customer }
            || votes.contains { $0.names(customer) } || switches.predecessors.contains { $0.owner?.customer == customer }
    }

    /// Takes a join; true if it is not known yet.
    package mutating func record(_ join: CustomerJoin) -> Bool {
        guard !joins.contains(where: { $0.id == join.id && $0.pair == join.pair }) else { return false }
        return Self.insert(join, into: &joins, inOrder: CustomerJoin.inOrder)
    }

    /// Takes a separation; true if it is not known yet.
    package mutating func record(_ separation: CustomerSeparation) -> Bool {
        guard !separations.contains(where: { $0.id == separation.id && $0.pair == separation.pair }) else { return false }
        return Self.insert(separation, into: &separations, inOrder: CustomerSeparation.inOrder)
    }

    /// Takes what another subscription's books say of a charge; true if it is not known yet.
    package mutating func record(_ charge: ChargeElsewhere) -> Bool {
        Self.insert(charge, into: &chargesElsewhere, inOrder: ChargeElsewhere.inOrder)
    }

    /// Takes a word about the subscription that this one continues; true if it is not known yet.
    package mutating func record(_ word: Predecessor) -> Bool { switches.record(word) }

    /// Takes that another subscription continues it; true if it is not known yet.
    package mutating func record(_ word: Continuation) -> Bool { switches.record(word) }

    /// A history put together from the parts that ``parts`` named. They are taken as they are, in the order in which they were.
    package init(_ parts: Parts) {
        key = parts.key
        book = PeriodBook(lines: parts.lines, notices: parts.notices)
        renewals = parts.renewals
        notices = parts.notices
        (statuses, questions) = (parts.statuses, parts.questions)
        claims = parts.claims
        registrations = parts.registrations
        (intents, reservations, repetitions) = (parts.intents, parts.reservations, parts.repetitions)
        votes = parts.votes
        merges = parts.merges
        (joins, separations) = (parts.joins, parts.separations)
        chargesElsewhere = parts.chargesElsewhere
        switches = parts.switches
        (toldUntil, unannounced) = (parts.toldUntil, parts.unannounced)
    }

    /// What it is made of, for a store that keeps it in a form of its own.
    package var parts: Parts {
        var parts = Parts(key: key)
        parts.lines = book.lines
        parts.renewals = renewals
        parts.notices = notices
        (parts.statuses, parts.questions) = (statuses, questions)
        parts.claims = claims
        parts.registrations = registrations
        (parts.intents, parts.reservations, parts.repetitions) = (intents, reservations, repetitions)
        parts.votes = votes
        parts.merges = merges
        (parts.joins, parts.separations) = (joins, separations)
        parts.chargesElsewhere = chargesElsewhere
        parts.switches = switches
        (parts.toldUntil, parts.unannounced) = (toldUntil, unannounced)
        return parts
    }

    /// Everything in a history, each list in the history's order.
    package struct Parts: Sendable {
        package let key: SubscriptionKey
        package var lines: [PeriodBook.Line] = []
        package var renewals: [RenewalFact] = []
        package var notices: [NoticeFact] = []
        package var statuses: [StatusFact] = []
        package var questions: [FailedQuestion] = []
        package var claims: [Claim] = []
        package var registrations: [TokenRegistration] = []
        package var intents: [PurchaseIntent] = []
        package var reservations: [Reservation] = []
        package var repetitions: [ClaimRepetition] = []
        package var votes: [OwnershipVote] = []
        package var merges: [CustomerMerge] = []
        package var joins: [CustomerJoin] = []
        package var separations: [CustomerSeparation] = []
        package var chargesElsewhere: [ChargeElsewhere] = []
        package var switches = SwitchWords()
        package var toldUntil: Timestamp?
        package var unannounced: [PeriodAlias] = []

        package init(key: SubscriptionKey) { self.key = key }
    }

    private static func insert<Element: Hashable>(
        _ element: Element, into sorted: inout [Element], inOrder: (Element, Element) -> Bool
    ) -> Bool {
        // News mostly comes last; else the first place whose element is not before it.
        let isLast = sorted.last.map { inOrder($0, element) } ?? true
        let position = isLast ? sorted.endIndex : sorted.firstPosition { !inOrder($0, element) }
        // What neither precedes nor follows an element is that element.
        if position < sorted.endIndex, !inOrder(element, sorted[position]) { return false }
        sorted.insert(element, at: position)
        return true
    }
}
