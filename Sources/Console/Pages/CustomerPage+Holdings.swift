import Backend
import Ledger
import Primitives

/// What a customer has beside subscriptions: balances, licences, Apple Accounts, tokens.
extension CustomerPage {
    var balances: Block {
        let rows = report.balances.flatMap { balance in
            balance.lines.map { line -> [Cell] in
                [
                    .data(balance.entitlement.rawValue), .instant(line.entry.at), Self.change(line.entry.change),
                    Self.source(line.source), .optional(balance.paidThrough),
                ]
            }
        }
        return .table(
            SheetTable(
                "balances", CustomerWords.balanceIs, empty: CustomerWords.noBalance,
                [
                    .init("entitlement", ColumnWords.entitlement), .init("at", ColumnWords.when),
                    .init("changeMilliseconds", ColumnWords.added), .init("source", ColumnWords.source),
                    .init("paidThrough", ColumnWords.balance),
                ], Array(rows.suffix(SubscriptionPage.fewest))))
    }

    private static func change(_ change: Milliseconds) -> Cell {
        guard change.count < 0 else { return .length(change) }
        return .phrase([.said("takenBack", CustomerWords.takenBack), .length(change)])
    }

    private static func source(_ source: EntitlementBalance.Source) -> Cell {
        switch source {
        case .period(_, let subscription): .subscription(subscription)
        case .vote(let vote): .data("vote \(vote)")
        }
    }

    var licences: Block {
        .table(
            SheetTable(
                "licences", CustomerWords.licences, empty: CustomerWords.noLicences,
                [
                    .init("from", ColumnWords.from), .init("until", ColumnWords.until), .init("restsOn", ColumnWords.restsOn),
                    .init("rule", ColumnWords.rule),
                ],
                report.licences.licences.suffix(SubscriptionPage.fewest).map { licence in
                    [
                        .instant(licence.from), .instant(licence.until), Self.reason(licence.why),
                        .rule(licence.why.rule.rawValue),
                    ]
                }))
    }

    private static func reason(_ reason: Licence.Reason) -> Cell {
        switch reason {
        case .purchase(let subscription, _), .restOfFirstLicence(let subscription, _): .subscription(subscription)
        case .paidApp: .said("paidApp", CustomerWords.paidApp)
        }
    }

    var accounts: Block {
        var seen: [String: [OriginalTransactionID]] = [:]
        for state in report.states {
            for case .appTransactionId(let id) in state.accountEvidence {
                seen[id, default: []].append(state.key.originalTransactionId)
            }
        }
        return .table(
            SheetTable(
                "appleAccounts", CustomerWords.accountsAre, empty: CustomerWords.noAccounts,
                [.init("appTransactionId", CustomerWords.appTransactionId), .init("subscriptions", ColumnWords.subscription)],
                seen.keys.sorted().map { id in
                    [.data(id), .list((seen[id] ?? []).sorted().map { .subscription($0) })]
                }))
    }

    var doublePayments: Block {
        .table(
            SheetTable(
                "doublePayments", CustomerWords.doublePayments, empty: CustomerWords.noDoublePayments,
                [
                    .init("first", CustomerWords.first), .init("second", CustomerWords.second),
                    .init("since", ColumnWords.from), .init("entitlements", ColumnWords.entitlement),
                    .init("rule", ColumnWords.rule),
                ],
                report.doublePayments.map { payment in
                    [
                        .subscription(payment.first), .subscription(payment.second), .instant(payment.since),
                        .list(payment.entitlements.map { .data($0.rawValue) }), .rule(payment.rule.rawValue),
                    ]
                }))
    }

    var tokens: Block {
        .table(
            SheetTable(
                "tokens", CustomerWords.tokens, empty: CustomerWords.noTokens,
                [
                    .init("appAccountToken", ColumnWords.token), .init("registeredAt", ColumnWords.registered),
                    .init("keyName", CustomerWords.keyName),
                ],
                report.tokens.map { registration, keyName in
                    [.data(registration.token.rawValue), .instant(registration.registeredAt), .optional(keyName)]
                }))
    }
}
