import Backend
import Ledger
import Primitives

/// P3: one customer whole. What they may use, of which subscriptions, and one time line of everything, with what is to come above
/// it.
struct CustomerPage {
    let report: Backend.CustomerReport
    let timeline: [TimelineItem]
    /// What is to come, the furthest first.
    let future: [TimelineItem]
    let view: ConsoleRoute.CustomerView
    let offers: Backend.OfferHistory
    /// The last attempts to tell others of this customer, the last one first; nil where no webhooks are served here.
    let attempts: [DeliveryDesk.AttemptAtEndpoint]?
    let now: Timestamp

    /// So many entries of the time line stand on one page.
    static let longest = 60

    private var id: CustomerID { report.customer }

    var sheet: Sheet {
        var blocks: [Block] = []
        if view.at != nil { blocks.append(.notice(SubscriptionWords.toldForAnInstant)) }
        for payment in report.doublePayments {
            blocks.append(.notice(CustomerWords.doublePayment(payment.first.rawValue, payment.second.rawValue)))
        }
        blocks += [
            .facts("customer", head),
            .part(
                "answer", CustomerWords.answer,
                [form, .paragraph(DeliveryWords.canBeTold), sentence, .facts("overall", overall), entitlements]),
            .part("subscriptions", CustomerWords.subscriptions, [subscriptions]),
            .part("future", CustomerWords.future, [table("future", CustomerWords.futureIs, CustomerWords.noFuture, future)]),
            .part("timeline", CustomerWords.timeline, line),
            .part("balance", CustomerWords.balances, [balances, licences]),
            .part("offers", OfferWords.title, [offersTable]), .part("deliveries", OperationsWords.webhooks, [deliveries]),
            .part("signals", SubscriptionWords.signals, [SignalRows.table(report.signals)]),
            .part("accounts", CustomerWords.accounts, [accounts, doublePayments, tokens]),
        ]
        return Sheet(CustomerWords.title(id.rawValue), blocks)
    }

    // MARK: Head and answer

    private var head: [Field] {
        let joins = report.account.standingJoins
        return [
            Field("customer", ColumnWords.customer, .data(id.rawValue)),
            Field(
                "isAnonymous", CustomerWords.anonymous,
                report.isAnonymous ? .said("true", AccessWords.yes) : .said("false", AccessWords.no)),
            Field("wholeId", CustomerWords.wholeId, .customer(report.person.customer)),
            Field(
                "otherIds", CustomerWords.otherIds,
                .list(report.person.customers.filter { $0 != id }.map { .customer($0) })),
            Field("joinedAt", CustomerWords.joined, .list(joins.map { .instant($0.joinedAt) })),
            Field(
                "isPaidAppHolder", CustomerWords.paidApp,
                report.licences.isPaidAppHolder ? .said("true", AccessWords.yes) : .said("false", AccessWords.no)),
        ]
    }

    private var form: Block {
        .form(
            SheetForm(
                target: .customer(id, .init()), isPost: false,
                fields: [
                    .init(name: "at", label: SubscriptionWords.at, hint: SubscriptionWords.atHint, kind: .instant(view.at))
                ],
                button: SubscriptionWords.show))
    }

    private var sentence: Block { .inEveryLanguage("sentence", CustomerSentence(report.answer.overall)) }

    private var overall: [Field] {
        let answer = report.answer.overall
        return [
            Field("at", SubscriptionWords.at, .instant(answer.at)),
            Field("isActive", ColumnWords.status, Self.active(answer)),
            Field("start", ColumnWords.start, .optional(answer.start)),
            Field("end", ColumnWords.until, answer.start == nil ? .none : .end(answer.end)),
            Field("nextChangeDate", ColumnWords.next, .optional(answer.nextChangeDate)),
        ]
    }

    private static func active(_ answer: EntitlementAnswer) -> Cell {
        answer.isActive
            ? .badge(answer.isProvisional ? .warn : .good, "true", AccessWords.active)
            : .badge(.calm, "false", AccessWords.notActive)
    }

    private var entitlements: Block {
        .table(
            SheetTable(
                "entitlements", CustomerWords.entitlements, empty: CustomerWords.noEntitlements,
                [
                    .init("entitlement", ColumnWords.entitlement), .init("isActive", ColumnWords.status),
                    .init("start", ColumnWords.start), .init("end", ColumnWords.until),
                    .init("right", CustomerWords.right), .init("restsOn", ColumnWords.restsOn),
                    .init("renewsInto", ColumnWords.renewal), .init("endReason", ColumnWords.why),
                    .init("nextChangeDate", ColumnWords.next),
                ],
                report.answer.entitlements.map(row)))
    }

    private func row(_ answer: EntitlementAnswer) -> [Cell] {
        let source = answer.restsOn
        let restsOn: Cell =
            source?.originalTransactionId.map { .subscription($0) } ?? source?.vote.map { .data("vote \($0)") } ?? .none
        let renewal: Cell
        switch (answer.renews, answer.renewsInto) {
        case (true?, let product?): renewal = .data(product.rawValue)
        case (false?, _): renewal = .said("ends", StateWords.renewal(.ends))
        default: renewal = .none
        }
        return [
            .data(answer.entitlement?.rawValue ?? ""), Self.active(answer), .optional(answer.start),
            answer.start == nil ? .none : .end(answer.end),
            source.map { .said($0.right.rawValue, AccessWords.right($0.right)) } ?? .none,
            restsOn, renewal, answer.endReason.map { .said($0.rawValue, AccessWords.ended($0)) } ?? .none,
            .optional(answer.nextChangeDate),
        ]
    }

    // MARK: Subscriptions

    private var subscriptions: Block {
        .table(
            SheetTable(
                "subscriptions", CustomerWords.subscriptionsAre, empty: CustomerWords.noSubscriptions(id.rawValue),
                [
                    .init("originalTransactionId", ColumnWords.subscription), .init("productId", ColumnWords.product),
                    .init("status", ColumnWords.status), .init("relation", ColumnWords.relation),
                    .init("from", ColumnWords.from), .init("until", ColumnWords.until), .init("rule", ColumnWords.rule),
                    .init("owner", ColumnWords.owner),
                ],
                report.states.map(row)))
    }

    private func row(_ state: SubscriptionState) -> [Cell] {
        let ids = Set(report.person.customers + [id])
        let tenure = state.tenures.last { tenure in tenure.customer.map(ids.contains) ?? false }
        let owner = state.owner(at: report.at)
        let relation: CustomerWords =
            owner.map(ids.contains) ?? false ? .owns : tenure == nil ? .claimed : .owned
        let last = state.lastPeriod(by: report.at)
        return [
            .subscription(state.key.originalTransactionId), .optional(last?.productId.rawValue),
            SubscriptionStatus.cell(state.status(at: report.at)), .said(relation.code, relation), .optional(tenure?.from),
            tenure.map { .until($0.until) } ?? .none, tenure.map { .rule($0.cause.rule.rawValue) } ?? .none,
            owner.map { .customer($0) } ?? .said("", SubscriptionWords.nobody),
        ]
    }

    // MARK: Time line

    private var line: [Block] {
        let kinds = TimelineItem.Kind.allCases.map { SheetForm.Choice(value: $0.rawValue, words: $0.words) }
        let filter = SheetForm(
            target: .customer(id, .init()), isPost: false,
            fields: [
                .init(
                    name: "kind", label: ColumnWords.kind,
                    kind: .choice([.init(value: "", words: CustomerWords.everyKind)] + kinds, chosen: view.kind))
            ],
            button: SubscriptionWords.show)
        let chosen = timeline.filter { item in
            (view.kind.map { $0 == item.kind.rawValue } ?? true) && (view.before.map { item.at < $0 } ?? true)
        }
        let shown = Self.page(of: chosen)
        var blocks: [Block] = [
            .form(filter), table("timeline", CustomerWords.timelineIs, CustomerWords.noTimeline(id.rawValue), shown),
        ]
        if shown.count < chosen.count, let last = shown.last {
            var next = view
            next.before = last.at
            blocks.append(.more(CustomerWords.older, .customer(id, next), after: "\(last.at.millisecondsSince1970)"))
        }
        return blocks
    }

    /// As many as one page has, and all of the last instant among them: the next page begins before that instant.
    private static func page(of items: [TimelineItem]) -> [TimelineItem] {
        guard items.count > longest else { return items }
        let last = items[longest - 1].at
        return Array(items.prefix { $0.at >= last })
    }

    private func table(_ key: StaticString, _ caption: CustomerWords, _ empty: CustomerWords, _ items: [TimelineItem]) -> Block {
        .table(
            SheetTable(
                key, caption, empty: empty,
                [
                    .init("at", ColumnWords.when), .init("kind", ColumnWords.kind), .init("what", ColumnWords.what),
                    .init("subscription", ColumnWords.subscription), .init("rule", ColumnWords.rule),
                ],
                items.map { item in
                    [
                        .instant(item.at), .said(item.kind.rawValue, item.kind.words), item.what,
                        item.subscription.map { .subscription($0) } ?? .none, item.rule.map { .rule($0.rawValue) } ?? .none,
                    ]
                }))
    }
}
