import Backend
import Ledger
import Primitives

/// P5: what waits for somebody, and what each choice would do.
struct InboxPage {
    let claims: Backend.WaitingPage
    let proposals: Backend.ProposalPage
    /// Questions of Apple about refunds; nil on the pages after the first.
    let consumption: [Backend.PendingConsumption]?
    let signals: [Backend.ListedSignal]
    let now: Timestamp

    /// So many subscriptions are looked at for one page.
    static let longest = 50

    var sheet: Sheet {
        var blocks: [Block] = [
            .part("claims", InboxWords.claims, [claimTable]), .part("proposals", InboxWords.proposals, [proposalTable]),
        ]
        if let consumption {
            blocks.append(.part("consumption", ConsumptionWords.requests, [ConsumptionRows.table(consumption, now)]))
        }
        blocks.append(.part("signals", SubscriptionWords.signals, [SignalRows.table(signals)]))
        // One place in the order of subscriptions serves both lists.
        let next = [claims.last, proposals.last].compactMap { $0 }.min()
        if let next { blocks.append(.more(InboxWords.next, .inbox(after: next.rawValue), after: next.rawValue)) }
        return Sheet(InboxWords.title, blocks)
    }

    private var claimTable: Block {
        .table(
            SheetTable(
                "claims", InboxWords.claimsAre, empty: InboxWords.noClaims,
                [
                    .init("subscription", ColumnWords.subscription), .init("customer", ColumnWords.customer),
                    .init("owner", ColumnWords.owner), .init("claimedAt", ColumnWords.when),
                    .init("ageMilliseconds", ColumnWords.age), .init("kind", ColumnWords.kind),
                    .init("outcome", ColumnWords.why), .init("choices", ColumnWords.choice), .init("id", ColumnWords.id),
                ],
                claims.claims.map { waiting in
                    let claim = waiting.weighed.claim
                    return [
                        .subscription(waiting.key.originalTransactionId), .customer(claim.customer),
                        waiting.owner.map { .customer($0) } ?? .said("", SubscriptionWords.nobody), .instant(claim.claimedAt),
                        .length(now.since(claim.claimedAt)), .said(claim.kind.rawValue, ClaimWords.kind(claim.kind)),
                        waiting.weighed.outcome.cell, Self.choices(waiting), .data(claim.id.rawValue),
                    ]
                }))
    }

    private static func choices(_ waiting: Backend.WaitingClaim) -> Cell {
        let customer = waiting.weighed.claim.customer.rawValue
        let owner = waiting.owner?.rawValue
        return .list([
            .said("approve", InboxWords.approve(customer, owner)), .said("deny", InboxWords.deny(customer, owner)),
        ])
    }

    private var proposalTable: Block {
        .table(
            SheetTable(
                "proposals", InboxWords.proposalsAre, empty: InboxWords.noProposals,
                [
                    .init("subscription", ColumnWords.subscription), .init("customer", ColumnWords.customer),
                    .init("becauseOf", InboxWords.becauseOf), .init("evidence", ColumnWords.evidence),
                    .init("rule", ColumnWords.rule),
                ],
                proposals.proposals.map { proposed in
                    [
                        .subscription(proposed.key.originalTransactionId), .customer(proposed.proposal.customer),
                        .subscription(proposed.proposal.becauseOf), .list(proposed.proposal.evidence.map { .data($0.text) }),
                        .rule(proposed.proposal.rule.rawValue),
                    ]
                }))
    }
}

/// Texts of the inbox.
enum InboxWords: Words {
    case title, claims, claimsAre, noClaims, proposals, proposalsAre, noProposals, becauseOf, next
    case approve(String, String?)
    case deny(String, String?)

    var english: String {
        switch self {
        case .title: "Inbox"
        case .claims: "Claims"
        case .claimsAre: "Claims that are pending"
        case .noClaims:
            "No claim is pending. The policy sends claims here where it says ask, where a limit is reached, and where several "
                + "customers show one purchase."
        case .proposals: "Proposed owners"
        case .proposalsAre: "Subscriptions without an owner, and their probable owners"
        case .noProposals: "No owner is proposed. One is where an unclaimed subscription is of a known Apple Account."
        case .becauseOf: "Because they own"
        case .next: "Further ones"
        case .approve(let customer, let owner?):
            "Approve: \(Speech.isolated(customer)) owns it from then on; \(Speech.isolated(owner)) loses what it gives."
        case .approve(let customer, nil): "Approve: \(Speech.isolated(customer)) owns it from then on."
        case .deny(let customer, let owner?):
            "Deny: \(Speech.isolated(owner)) keeps it; this claim of \(Speech.isolated(customer)) is refused for good."
        case .deny(let customer, nil): "Deny: it has no owner; this claim of \(Speech.isolated(customer)) is refused for good."
        }
    }

    var chinese: String {
        switch self {
        case .title: "待处理"
        case .claims: "认领"
        case .claimsAre: "待定的认领"
        case .noClaims: "没有待定的认领。策略规定需要裁决、已达限额，或多位顾客出示同一购买时，认领会出现在这里。"
        case .proposals: "建议的拥有者"
        case .proposalsAre: "无人拥有的订阅，以及它们很可能属于谁"
        case .noProposals: "没有建议的拥有者。无人认领的订阅属于已知 Apple 账户时会有建议。"
        case .becauseOf: "因其拥有"
        case .next: "更多"
        case .approve(let customer, let owner?):
            "批准：此后归 \(Speech.isolated(customer)) 所有；\(Speech.isolated(owner)) 失去它提供的权限。"
        case .approve(let customer, nil): "批准：此后归 \(Speech.isolated(customer)) 所有。"
        case .deny(let customer, let owner?):
            "否决：仍归 \(Speech.isolated(owner)) 所有；\(Speech.isolated(customer)) 的此项认领永久拒绝。"
        case .deny(let customer, nil): "否决：仍无人拥有；\(Speech.isolated(customer)) 的此项认领永久拒绝。"
        }
    }
}
