package import Primitives

/// Everything that an operator can tell a customer about one subscription: who held it when and why, what Apple said, who was
/// refused, what it is at an instant, what comes next and what is not known (OWN-15).
package struct Explanation: Sendable, Hashable {
    /// In the order in which things happened; what it is and what comes next stand last.
    package let lines: [ExplanationLine]

    /// Explains a history for one instant.
    ///
    /// Pure: the same arguments give the same lines. Of an instant in the past only what was signed or had happened by then is
    /// told (ENT-11); what of it was learned later counts, as it does in the state.
    ///
    /// - Parameters:
    ///   - history: all that is known.
    ///   - state: what the rules make of it.
    ///   - instant: for which it is explained; later than every fact, it is the whole story.
    ///   - policies: what the app chose, and since when, so that the versions can be named and the next owner foretold. Nil: the
    ///     default choices, and no version is named.
    ///   - products: what the app's products give, and how long non-renewing subscriptions last (PER-9). Nil: no length is known.
    package init(
        of history: SubscriptionHistory, _ state: SubscriptionState, at instant: Timestamp, policies: PolicyTimeline? = nil,
        products: EntitlementMap? = nil
    ) {
        self.init(of: history, state, at: instant, knowing: Knowledge(policies: policies, products: products))
    }

    /// Explains a history for one instant, and what its owner may use then.
    ///
    /// Pure, as the initialiser without `knowledge`. A sentence about what the owner may use is made of the answer that a query
    /// gets, so that both agree; all other sentences are about the subscription alone.
    ///
    /// - Parameter knowledge: what is known besides the subscription's history. Without an owner in it, no line says what the
    ///   owner may use.
    package init(
        of history: SubscriptionHistory, _ state: SubscriptionState, at instant: Timestamp, knowing knowledge: Knowledge
    ) {
        let teller = ExplanationTeller(history, state, at: instant, knowledge)
        let happened =
            teller.ownWords + teller.purchases + teller.refunds + teller.owners + teller.unknownBuyers + teller.changes
            + teller.billing + teller.claims
        let ordered = happened.enumerated().filter { $0.element.at.begin <= instant }.sorted {
            ($0.element.at.begin, $0.offset) < ($1.element.at.begin, $1.offset)
        }
        let told = Self.markingSeconds(Self.joiningRenewals(ordered.map(\.element))) + teller.outlook
        let subject = teller.subject
        lines = told.map { line in
            var line = line
            line.subject = subject
            return line
        }
    }

    /// The lines in English, one or two sentences each.
    package var english: [String] { lines.map(Self.english) }

    /// Renewals in a row that differ in nothing but their date are one line.
    private static func joiningRenewals(_ lines: [ExplanationLine]) -> [ExplanationLine] {
        var joined: [ExplanationLine] = []
        for line in lines {
            guard let last = joined.last, let both = last.joined(with: line) else {
                joined.append(line)
                continue
            }
            joined[joined.count - 1] = both
        }
        return joined
    }

    /// Seconds are told where two things happened at different instants of one minute.
    private static func markingSeconds(_ lines: [ExplanationLine]) -> [ExplanationLine] {
        var lines = lines
        for index in lines.indices.dropFirst() {
            let (before, this) = (lines[index - 1].at.begin, lines[index].at.begin)
            guard before != this, before.minute == this.minute else { continue }
            lines[index - 1].needsSeconds = true
            lines[index].needsSeconds = true
        }
        return lines
    }
}

extension Timestamp {
    /// Minutes since 1970, rounded down from 1970 on.
    fileprivate var minute: Int64 { millisecondsSince1970 / 60_000 }
}

extension ExplanationLine {
    /// Both as one line; nil where they are no two plain renewals alike.
    fileprivate func joined(with next: ExplanationLine) -> ExplanationLine? {
        guard case .purchase(.renewed(let bought, let before, let times, .none)) = statement,
            case .purchase(.renewed(let again, nil, 1, .none)) = next.statement,
            before == nil, bought.repeats(in: again), rules == next.rules
        else { return nil }
        return ExplanationLine(
            at: .stretch(from: at.begin, until: next.at.begin), rules: rules,
            .purchase(.renewed(again, from: nil, times: times + 1, after: .none)))
    }
}

extension ExplanationLine.Bought {
    /// Whether another period is the same but for its dates.
    fileprivate func repeats(in other: Self) -> Bool {
        productId == other.productId && offer == nil && other.offer == nil && price == other.price
            && isFamilyShared == other.isFamilyShared && isAssigned == other.isAssigned
    }
}

/// What the lines are made from; each topic has an extension of its own.
struct ExplanationTeller {
    let history: SubscriptionHistory
    let state: SubscriptionState
    let instant: Timestamp
    /// As they apply to the subscription's group; nil where the caller did not say.
    let policies: PolicyTimeline?
    let products: EntitlementMap?
    /// Nil where the caller did not say.
    let owner: OwnerAccess?
    /// The owner's answers for the entitlements that the subscription gives.
    let accessAnswers: [EntitlementAnswer]
    let names: TokenNames
    let identities: Identities
    /// The periods of an auto-renewable subscription that serve or served and that were begun or announced by the instant.
    let begun: [Period]
    /// Apple's words signed by the instant; by `signedDate`.
    let words: [RenewalFact]
    let notices: [NoticeFact]

    init(
        _ history: SubscriptionHistory, _ state: SubscriptionState, at instant: Timestamp, _ knowledge: Explanation.Knowledge
    ) {
        self.history = history
        self.state = state
        self.instant = instant
        products = knowledge.products
        owner = knowledge.owner
        accessAnswers = Self.accessAnswers(about: state, at: instant, to: knowledge.owner, knowledge.products)
        policies = knowledge.policies?.applied(to: history.book.subscriptionGroupIdentifier)
        names = TokenNames(
            history.registrations, periods: state.periods, renewals: history.renewals,
            erasures: Erasures(among: history.votes))
        var identities = Identities(of: history)
        for act in IdentityAct.all(of: history, and: state.merged) { identities.take(act) }
        self.identities = identities
        begun = state.periods.filter { $0.isSubscriptionPeriod && !$0.neverServes && $0.purchaseDate <= instant }
        words = history.renewals.filter { $0.signedDate <= instant }
        notices = history.notices.filter { $0.signedDate <= instant }
    }

    var subject: ExplanationLine.Subject {
        state.periods.isEmpty || state.periods.contains(where: \.isSubscriptionPeriod) ? .subscription : .oneTimePurchase
    }

    /// The policy at an instant, or the default choices.
    func policy(at instant: Timestamp) -> AppPolicy { policies?.policy(at: instant) ?? AppPolicy() }

    /// The last subscription period begun by an instant.
    func period(at instant: Timestamp) -> Period? { begun.last { $0.purchaseDate <= instant } }

    func line(_ at: Timestamp, _ rules: Rule..., say statement: ExplanationLine.Statement) -> ExplanationLine {
        ExplanationLine(at: .instant(at), rules: rules, statement)
    }
}
