import Backend
import Ledger
import Primitives

/// What was kept of a subscription: facts, audit rows, events, work.
extension SubscriptionPage {
    var factTable: [Block] {
        list(
            .facts, facts.facts, empty: .noFacts,
            [
                .init("number", ColumnWords.number), .init("signedDate", ColumnWords.signed),
                .init("receivedAt", ColumnWords.received), .init("kind", ColumnWords.kind), .init("key", ColumnWords.key),
                .init("form", ColumnWords.form),
            ]
        ) { number, item in
            [
                .link(.fact(report.state.key.originalTransactionId, number), .number(Int64(number))),
                .instant(item.fact.signedDate), .instant(item.receivedAt),
                .said(item.fact.kindName, FactWords.kind(item.fact)), .data(item.fact.key),
                item.evidence.map { .data(facts.evidence[$0].form) } ?? .none,
            ]
        }
    }

    var audit: [Block] {
        list(
            .audit, report.audit, empty: .noAudit,
            [
                .init("sequence", ColumnWords.number), .init("effectiveAt", ColumnWords.when),
                .init("learnedAt", ColumnWords.learned), .init("customer", ColumnWords.customer),
                .init("rule", ColumnWords.rule), .init("before", ColumnWords.before), .init("after", ColumnWords.after),
                .init("takenBackMilliseconds", ColumnWords.takeBack), .init("actor", ColumnWords.actor),
                .init("evidence", ColumnWords.evidence), .init("hash", ColumnWords.hash), .init("seal", ColumnWords.seal),
            ]
        ) { _, numbered in
            let row = numbered.row
            return [
                .number(numbered.sequence), .instant(row.effectiveAt), .instant(row.learnedAt), .customer(row.customer),
                .rule(row.rule.rawValue), row.before.cell, row.after.cell, .list(row.takeBacks.map { .length($0.amount) }),
                .said(row.actor.rawValue, ActorWords.actor(row.actor)), .list(row.evidence.map { .data($0.text) }),
                .data(Hexadecimal.encode(numbered.hash)),
                seals.covering(row: numbered.sequence).map { .number($0) } ?? .said("none", SubscriptionWords.notSealed),
            ]
        }
    }

    var events: [Block] {
        var columns: [SheetTable.Column] = [
            .init("sequence", ColumnWords.number), .init("type", ColumnWords.event), .init("effectiveAt", ColumnWords.when),
            .init("customer", ColumnWords.customer), .init("rule", ColumnWords.rule), .init("productId", ColumnWords.product),
            .init("until", ColumnWords.until),
        ]
        if receptions != nil { columns += [.init("state", ColumnWords.state), .init("endpoints", DeliveryWords.endpoints)] }
        return list(.events, report.events, empty: .noEvents, columns) { _, numbered in
            let event = numbered.event
            let cells: [Cell] = [
                .number(numbered.sequence), .data(event.kind.rawValue), .instant(event.effectiveAt),
                event.customer.map { .customer($0) } ?? .none, .rule(event.rule.rawValue),
                .optional(event.productId?.rawValue), .optional(event.until),
            ]
            guard let receptions else { return cells }
            let known = receptions[numbered.sequence] ?? []
            return cells + [Self.standing(of: known), .list(known.map { .phrase([.data($0.endpoint)] + $0.state.cells) })]
        }
    }

    /// Whether every endpoint that wants an event has it: what is worst among them.
    private static func standing(of known: [DeliveryDesk.EventAtEndpoint]) -> Cell {
        known.map(\.state).max { $0.rank < $1.rank }?.badge ?? .said("unwanted", DeliveryWords.unwanted)
    }

    var work: [Block] {
        let ordered = report.work.sorted { ($0.dueAt, $0.kind) < ($1.dueAt, $1.kind) }
        return list(
            .work, ordered, empty: .noWork,
            [
                .init("dueAt", ColumnWords.due), .init("kind", ColumnWords.kind), .init("state", ColumnWords.state),
                .init("attempts", ColumnWords.attempts), .init("lastError", ColumnWords.lastError),
            ]
        ) { _, work in
            [
                .instant(work.dueAt), .data(work.kind), .said(work.state, WorkWords.state(work.state)), .number(work.attempts),
                .optional(work.lastError),
            ]
        }
    }
}

extension DeliveryDesk.EventAtEndpoint.State {
    /// The greater, the more there is to do about it.
    fileprivate var rank: Int {
        switch self {
        case .delivered: 0
        case .forgotten: 1
        case .waiting: 2
        case .parked: 3
        }
    }

    fileprivate var badge: Cell {
        switch self {
        case .delivered: .badge(.good, "delivered", OperationsWords.delivered)
        case .forgotten: .badge(.calm, "forgotten", DeliveryWords.forgotten)
        case .waiting: .badge(.warn, "waiting", DeliveryWords.waiting)
        case .parked: .badge(.bad, "parked", DeliveryWords.parked)
        }
    }

    /// With when.
    fileprivate var cells: [Cell] {
        switch self {
        case .delivered(let instant), .parked(let instant): [badge, .instant(instant)]
        case .waiting(let retryAt?): [badge, .said("retryAt", DeliveryWords.triedNext), .instant(retryAt)]
        case .waiting(nil), .forgotten: [badge]
        }
    }
}

extension AuditRow.Extent {
    /// How far somebody's access reached.
    var cell: Cell {
        guard exists else { return .said("none", FactWords.noAccess) }
        if let provisionalUntil {
            return .phrase([.end(until), .said("provisional", FactWords.provisional), .instant(provisionalUntil)])
        }
        return .end(until)
    }
}

extension AuditRow.Evidence {
    /// As operators find it again.
    var text: String {
        switch self {
        case .fact(let key): key
        case .claim(let id): "claim \(id)"
        case .registration(let token): "appAccountToken \(token.rawValue)"
        case .vote(let id): "vote \(id)"
        case .merge(let customer): "merge \(customer)"
        case .intent(let id): "intent \(id)"
        case .reservation(let id): "reservation \(id)"
        case .chargeElsewhere(let id): "charge \(id)"
        case .predecessor(let id): "owner of subscription \(id)"
        case .continuation(let id): "continued by subscription \(id)"
        case .settingsVersion(let number): "policy \(number)"
        }
    }
}

extension Fact {
    /// A stable word for each kind.
    var kindName: String {
        switch self {
        case .transaction: "transaction"
        case .renewal: "renewal"
        case .notice: "notification"
        case .status: "status"
        case .failedQuestion: "failedQuestion"
        }
    }
}

/// Signals of abuse as a table, which several pages have.
enum SignalRows {
    static func table(_ signals: [Backend.ListedSignal]) -> Block {
        .table(
            SheetTable(
                "signals", AbuseWords.caption, empty: AbuseWords.none,
                [
                    .init("kind", ColumnWords.kind), .init("subject", AbuseWords.subject), .init("score", ColumnWords.score),
                    .init("count", ColumnWords.count), .init("firstRaisedAt", ColumnWords.raised),
                    .init("rule", ColumnWords.rule), .init("evidence", ColumnWords.evidence),
                ],
                signals.map { listed in
                    [
                        .badge(.warn, listed.signal.kind.rawValue, AbuseWords.kind(listed.signal.kind)),
                        subject(listed.signal.subject), .number(Int64(listed.signal.score)),
                        .number(Int64(listed.signal.count)), .instant(listed.firstRaisedAt),
                        .rule(listed.signal.rule.rawValue), evidence(listed.signal),
                    ]
                }))
    }

    /// So much of a signal's evidence is shown, the newest.
    private static let mostEvidence = 5

    private static func evidence(_ signal: AbuseSignal) -> Cell {
        var cells = signal.evidence.suffix(mostEvidence).reversed().map { evidence -> Cell in
            switch evidence.what {
            case .customer(let customer, let id): .phrase([.instant(evidence.at), .customer(customer), .subscription(id)])
            case .transaction(let id, let transaction):
                .phrase([.instant(evidence.at), .data(transaction.rawValue), .subscription(id)])
            case .claim(let id, let claim): .phrase([.instant(evidence.at), .data(claim.rawValue), .subscription(id)])
            }
        }
        let more = signal.evidence.count - cells.count
        if more > 0 { cells.append(.said("more", AbuseWords.moreEvidence(Int64(more)))) }
        return .list(cells)
    }

    private static func subject(_ subject: AbuseSignal.Subject) -> Cell {
        switch subject {
        case .customer(let id): .customer(id)
        case .appleAccount(let id), .subscription(let id): .subscription(id)
        case .token(let token): .data(token.rawValue)
        }
    }
}
