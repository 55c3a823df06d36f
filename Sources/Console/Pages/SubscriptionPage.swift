import Backend
import Ledger
import Primitives

/// P4: one subscription whole. Whose it is, until when, why; what that rests on.
struct SubscriptionPage {
    let report: Backend.SubscriptionReport
    let facts: Backend.FactsReport
    let now: Timestamp
    /// Whether somebody asked for an instant.
    let isAsked: Bool

    /// So many rows of a list are shown on a page of its own: a row of the audit can have 1,000 bytes.
    static let longest = 50
    /// And so many, the newest, beside other lists.
    static let fewest = 12

    /// The one list that is asked for; nil: everything.
    var only: ConsoleRoute.SubscriptionRecords?
    /// Only rows with a smaller number; nil: all.
    var before: Int?
    /// Which of the audit rows are sealed.
    var seals = Backend.ChainSeals.none
    /// Who has the events, by their numbers; nil where no webhooks are served here.
    var receptions: [Int64: [DeliveryDesk.EventAtEndpoint]]?

    private var state: SubscriptionState { report.state }
    /// For which instant the page is.
    private var at: Timestamp { report.at }
    private var id: OriginalTransactionID { state.key.originalTransactionId }

    var sheet: Sheet {
        if let only { return sheet(of: only) }
        var blocks: [Block] = []
        if isAsked { blocks.append(.notice(SubscriptionWords.toldForAnInstant)) }
        let lines = report.explanationLines
        blocks += lines.filter { if case .outlook = $0.statement { true } else { false } }.map { .paragraph(StoryWords.line($0)) }
        if let proposal = report.proposal(at: at) {
            blocks.append(.notice(SubscriptionWords.proposal(proposal.customer.rawValue, proposal.becauseOf.rawValue)))
        }
        blocks += [
            .facts("subscription", head), form, drawing,
            .part("periods", SubscriptionWords.periods, periods),
            .part("owners", SubscriptionWords.owners, owners + [.folded(SubscriptionWords.revisions, revisions)]),
            .part("claims", SubscriptionWords.claims, claims + votes),
            .part("story", SubscriptionWords.explanation, [.explanation(lines)]),
            .part("facts", SubscriptionWords.facts, [.paragraph(SubscriptionWords.factsAre)] + factTable),
            .part("audit", SubscriptionWords.audit, audit), .part("events", SubscriptionWords.events, events),
            .part("work", SubscriptionWords.work, work),
            .part("signals", SubscriptionWords.signals, [SignalRows.table(report.signals)]),
        ]
        return Sheet(SubscriptionWords.title(id.rawValue), blocks)
    }

    /// One list alone.
    private func sheet(of records: ConsoleRoute.SubscriptionRecords) -> Sheet {
        let blocks =
            switch records {
            case .periods: periods
            case .owners: owners
            case .revisions: revisions
            case .claims: claims
            case .votes: votes
            case .facts: factTable
            case .audit: audit
            case .events: events
            case .work: work
            }
        return Sheet(
            SubscriptionWords.title(id.rawValue), [.link(SubscriptionWords.whole, .subscription(id, at: nil))] + blocks)
    }

    /// A list with its newest rows first, and with where the rest of it is.
    ///
    /// - Parameter values: from the oldest on; numbered 1, 2, 3, … in that order.
    func list<Value>(
        _ records: ConsoleRoute.SubscriptionRecords, _ values: [Value], empty: SubscriptionWords, _ columns: [SheetTable.Column],
        row: (Int, Value) -> [Cell]
    ) -> [Block] {
        let shown = Self.shown(of: values.count, only: only, before: before)
        let begin = shown.lowerBound
        let rows = shown.reversed().map { row($0 + 1, values[$0]) }
        let table = SheetTable(
            records.key, SubscriptionWords.newestFirst(records, shown: rows.count, of: values.count), empty: empty, columns, rows)
        guard begin > 0 else { return [.table(table)] }
        guard only != nil else { return [.table(table), .link(SubscriptionWords.all, .records(id, records, before: nil))] }
        return [.table(table), .more(CustomerWords.older, .records(id, records, before: begin + 1), after: "\(begin + 1)")]
    }

    /// The places of the rows of a list that are shown, from 0 on.
    static func shown(of count: Int, only: ConsoleRoute.SubscriptionRecords?, before: Int?) -> Range<Int> {
        let end = min(count, before.map { max($0, 1) - 1 } ?? count)
        return max(0, end - (only == nil ? fewest : longest))..<end
    }

    // MARK: Head

    private var head: [Field] {
        let (status, last) = (state.status(at: at), state.lastPeriod(by: at))
        let tenure = state.tenures.last { $0.from <= at } ?? state.tenures.first
        let details = last?.transaction.details
        return [
            Field("originalTransactionId", ColumnWords.subscription, .data(id.rawValue)),
            Field("environment", ColumnWords.environment, .data(state.key.environment.rawValue)),
            Field("status", ColumnWords.status, SubscriptionStatus.cell(status)),
            Field("owner", ColumnWords.owner, tenure?.customer.map { .customer($0) } ?? .said("", SubscriptionWords.nobody)),
            Field("ownerSince", SubscriptionWords.ownerSince, .optional(tenure?.from)),
            Field("ownerRule", SubscriptionWords.ownerWhy, tenure.map { .rule($0.cause.rule.rawValue) } ?? .none),
            Field("ownerEvidence", ColumnWords.evidence, tenure.map { .data($0.cause.evidence.text) } ?? .none),
            Field("productId", ColumnWords.product, .optional(last?.productId.rawValue)),
            Field("periodEnd", SubscriptionWords.periodEnd, last.map { .end($0.end) } ?? .none),
            Field("renewal", ColumnWords.renewal, Self.renewal(status)),
            Field("price", ColumnWords.price, Self.price(details)),
            Field("offer", ColumnWords.offer, Self.offer(details)),
            Field("storefront", ColumnWords.storefront, .optional(details?.storefront)),
            Field("inAppOwnershipType", ColumnWords.ownership, .optional(details?.inAppOwnershipType)),
            Field("subscriptionGroupIdentifier", ColumnWords.group, .optional(state.subscriptionGroupIdentifier)),
            Field("commitmentExpiresDate", ColumnWords.commitment, .optional(details?.commitmentExpiresDate)),
            Field("policyVersion", SubscriptionWords.policyVersion, .number(state.policyVersion)),
            Field(
                "sameAppleAccount", SubscriptionWords.sameAccount,
                .list((report.account?.subscriptions ?? []).filter { $0 != id }.map { .subscription($0) })),
        ]
    }

    private static func renewal(_ status: SubscriptionStatus?) -> Cell {
        guard case .active(_, let renewal)? = status else { return .none }
        let code =
            switch renewal {
            case .renews(let product): "renews.\(product)"
            case .ends: "ends"
            case .unknown: "unknown"
            case .never: "never"
            }
        return .said(code, StateWords.renewal(renewal))
    }

    static func price(_ details: TransactionDetails?) -> Cell {
        guard let price = details?.price, let currency = details?.currency else { return .none }
        return .money(price, currency)
    }

    /// Apple's words as they are: they name what a person looks for in Apple's own pages.
    static func offer(_ details: TransactionDetails?) -> Cell {
        guard let details, details.offerType != nil || details.offerIdentifier != nil else { return .none }
        let words = [
            details.offerType.map { "offerType \($0)" }, details.offerDiscountType, details.offerIdentifier, details.offerPeriod,
        ]
        return .data(words.compactMap { $0 }.joined(separator: " "))
    }

    private var form: Block {
        .form(
            SheetForm(
                target: .subscription(id, at: nil), isPost: false,
                fields: [
                    .init(
                        name: "at", label: SubscriptionWords.at, hint: SubscriptionWords.atHint,
                        kind: .instant(isAsked ? at : nil))
                ],
                button: SubscriptionWords.show))
    }

    // MARK: Drawing

    private var drawing: Block {
        .drawing(
            SubscriptionDrawing(
                bars: state.periods.filter { !$0.neverServes }.map { period in
                    .init(from: period.purchaseDate, until: period.end, kind: Self.kind(of: period))
                }
                    + state.spans.filter { $0.kind != .paid }.map { span in
                        .init(from: span.from, until: span.until, kind: span.kind == .gracePeriod ? .grace : .provisional)
                    },
                owners: state.tenures.map { .init(from: $0.from, until: $0.until, customer: $0.customer) },
                marks: state.claims.map { .init(at: $0.claim.claimedAt, isVote: false) }
                    + report.votes.map { .init(at: $0.votedAt, isVote: true) },
                now: now))
    }

    private static func kind(of period: Period) -> SubscriptionDrawing.Bar.Kind {
        switch period.endReason {
        case .revoked: return .refunded
        case .replaced: return .replaced
        case .ran: break
        }
        let details = period.transaction.details
        if details.offerDiscountType == "FREE_TRIAL" { return .trial }
        return details.offerType == nil ? .paid : .offer
    }

    // MARK: Periods and owners

    private var periods: [Block] {
        list(
            .periods, state.periods, empty: .noPeriods,
            [
                .init("purchaseDate", ColumnWords.from), .init("until", ColumnWords.until),
                .init("productId", ColumnWords.product), .init("beginning", ColumnWords.beginning), .init("end", ColumnWords.end),
                .init("price", ColumnWords.price), .init("offer", ColumnWords.offer),
                .init("transactionId", ColumnWords.transactions), .init("webOrderLineItemId", ColumnWords.webOrderLineItem),
                .init("revocation", ColumnWords.revocation),
            ]
        ) { _, period in
            let fact = period.transaction
            return [
                .instant(period.purchaseDate), .end(period.end), .data(period.productId.rawValue),
                .said(period.beginning.rawValue, StateWords.beginning(period.beginning)), Self.end(of: period),
                Self.price(fact.details), Self.offer(fact.details), .data(fact.transactionId.rawValue),
                .optional(fact.webOrderLineItemId), Self.revocation(fact.revocation),
            ]
        }
    }

    private static func end(of period: Period) -> Cell {
        if let server = period.servedElsewhere { return .said("servedElsewhere", StateWords.servedElsewhere(server)) }
        if let seats = period.addedSeats { return .said("addedSeats", StateWords.addedSeats(seats)) }
        if period.neverServes { return .said("neverServes", StateWords.neverServes) }
        if period.isIgnored { return .said("ignored", StateWords.ignored) }
        if let next = period.continuedBy, period.takenBack == nil { return .said("continued", StateWords.continued(by: next)) }
        return switch period.endReason {
        case .ran: .said("ran", StateWords.ran)
        case .replaced: .said("replaced", StateWords.replaced)
        case .revoked(let revocation):
            switch period.transaction.takenBack(by: revocation) {
            case .familySharing: .badge(.bad, "familySharingStopped", StateWords.familySharingStopped)
            case .assignment: .badge(.bad, "assignmentRevoked", StateWords.assignmentRevoked)
            case .money where revocation.isPartial: .badge(.warn, "refundedInPart", StateWords.partlyRefunded)
            case .money: .badge(.bad, "refunded", StateWords.refunded)
            }
        }
    }

    private static func revocation(_ revocation: Revocation?) -> Cell {
        guard let revocation else { return .none }
        var cells: [Cell] = [.instant(revocation.revocationDate)]
        if let type = revocation.revocationType { cells.append(.data(type)) }
        if let reason = revocation.revocationReason { cells.append(.data("revocationReason \(reason)")) }
        return .list(cells)
    }

    private var owners: [Block] {
        list(
            .owners, state.tenures, empty: .noOwners,
            [
                .init("customer", ColumnWords.customer), .init("from", ColumnWords.from), .init("until", ColumnWords.until),
                .init("rule", ColumnWords.rule), .init("evidence", ColumnWords.evidence),
            ]
        ) { _, tenure in
            [
                Self.customer(tenure.customer), .instant(tenure.from), .until(tenure.until), .rule(tenure.cause.rule.rawValue),
                .data(tenure.cause.evidence.text),
            ]
        }
    }

    private var revisions: [Block] {
        list(
            .revisions, report.revisions, empty: .noRevisions,
            [
                .init("number", ColumnWords.number), .init("learnedAt", ColumnWords.learned),
                .init("owners", ColumnWords.owners),
            ]
        ) { _, revision in
            [
                .number(revision.number), .instant(revision.learnedAt),
                .list(
                    revision.owners.suffix(Self.fewest).map { owner in
                        .phrase([Self.customer(owner.customer), .instant(owner.from), .rule(owner.rule)])
                    }),
            ]
        }
    }

    private static func customer(_ id: CustomerID?) -> Cell { id.map { .customer($0) } ?? .said("", SubscriptionWords.nobody) }

    // MARK: Claims and votes

    private var claims: [Block] {
        list(
            .claims, state.claims, empty: .noClaims,
            [
                .init("claimedAt", ColumnWords.when), .init("customer", ColumnWords.customer), .init("kind", ColumnWords.kind),
                .init("productId", ColumnWords.product), .init("outcome", ColumnWords.outcome), .init("rule", ColumnWords.rule),
                .init("id", ColumnWords.id),
            ]
        ) { _, weighed in
            let claim = weighed.claim
            return [
                .instant(claim.claimedAt), .customer(claim.customer), .said(claim.kind.rawValue, ClaimWords.kind(claim.kind)),
                .data(claim.productId.rawValue), weighed.outcome.cell,
                weighed.outcome.rule.map { .rule($0.rawValue) } ?? .none, .data(claim.id.rawValue),
            ]
        }
    }

    private var votes: [Block] {
        list(
            .votes, report.votes, empty: .noVotes,
            [
                .init("votedAt", ColumnWords.when), .init("vote", ColumnWords.what), .init("actor", ColumnWords.actor),
                .init("reason", ColumnWords.reason),
            ]
        ) { _, vote in
            [
                .instant(vote.votedAt), .said(vote.kind.name, ClaimWords.vote(vote.kind)), Self.actor(vote.actor),
                .data(vote.reason),
            ]
        }
    }

    private static func actor(_ actor: OwnershipVote.Actor) -> Cell {
        switch actor {
        case .operatorOfTenure(let name): .data(name)
        case .owner(let customer): .customer(customer)
        }
    }
}

extension OwnershipVote.Kind {
    /// A stable word for each.
    fileprivate var name: String {
        switch self {
        case .transfer: "transfer"
        case .approve: "approve"
        case .deny: "deny"
        case .erase: "erase"
        }
    }
}

extension ConsoleRoute.SubscriptionRecords {
    /// The list's name in JSON.
    fileprivate var key: StaticString {
        switch self {
        case .periods: "periods"
        case .owners: "tenures"
        case .revisions: "revisions"
        case .claims: "claims"
        case .votes: "votes"
        case .facts: "facts"
        case .audit: "audit"
        case .events: "events"
        case .work: "work"
        }
    }
}
