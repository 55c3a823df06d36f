import Backend
import Ledger
import Primitives

/// P6: the choices in force, each with its rule; the versions; the last what-if.
struct PolicyPage {
    let policy: AppPolicy
    let history: [Backend.AppliedSettings]
    /// The last one; nil where there was none.
    let trial: Backend.Job?

    var sheet: Sheet {
        Sheet(
            PolicyWords.title,
            [
                .part("choices", PolicyWords.inForce, [choices]), .part("groups", PolicyWords.groups, [groups]),
                .part("versions", PolicyWords.versions, [versions]), .part("trial", PolicyWords.trial, [lastTrial]),
            ])
    }

    private var choices: Block {
        .table(
            SheetTable(
                "choices", PolicyWords.inForce, empty: PolicyWords.title,
                [.init("name", ColumnWords.name), .init("value", ColumnWords.value), .init("rule", ColumnWords.rule)],
                [
                    row("onPurchase", .data(policy.onPurchase.rawValue), .followPurchase),
                    row("purchaseEvidence", .data(policy.purchaseEvidence.rawValue), .purchaseEvidence),
                    row("promptWindow", .length(policy.promptWindow), .purchaseEvidence),
                    row("purchaseWindow", .length(policy.purchaseWindow), .purchaseEvidence),
                    row("onRestore", .data(policy.onRestore.rawValue), .restore),
                    row("tokenLocks", Self.flag(policy.tokenLocks), .firstClaim),
                    row("anonymousMayTake", Self.flag(policy.anonymousMayTake), .anonymous),
                    row("mergeOnClaim", Self.flag(policy.mergeOnClaim), .anonymous),
                    row("restoreLimit", Self.limit(policy.restoreLimit), .limit),
                    row("restoreWindow", .length(policy.restoreWindow), .limit),
                    row("customersPerAppleAccount", Self.limit(policy.customersPerAppleAccount), .limit),
                    row("familySharing", .data(policy.familySharing.rawValue), .familySharing),
                    row("partialRefunds", .data(policy.partialRefunds.rawValue), .olderRefund),
                    row("productionLeeway", .length(policy.productionLeeway), .lateNews),
                    row("sandboxLeeway", .length(policy.sandboxLeeway), .lateNews),
                    row("balanced", .list(policy.balanced.map { .data($0.rawValue) }), .balance),
                ]))
    }

    /// Names as the configuration spells them: they are what is changed there.
    private func row(_ name: String, _ value: Cell, _ rule: Rule) -> [Cell] { [.data(name), value, .rule(rule.rawValue)] }

    private static func flag(_ isSet: Bool) -> Cell {
        isSet ? .said("true", AccessWords.yes) : .said("false", AccessWords.no)
    }

    private static func limit(_ limit: Int?) -> Cell {
        limit.map { .number(Int64($0)) } ?? .said("none", PolicyWords.noLimit)
    }

    private var groups: Block {
        .table(
            SheetTable(
                "groups", PolicyWords.groups, empty: PolicyWords.noGroups,
                [
                    .init("subscriptionGroupIdentifier", ColumnWords.group), .init("onPurchase", PolicyWords.onPurchase),
                    .init("onRestore", PolicyWords.onRestore), .init("partialRefunds", PolicyWords.partialRefunds),
                ],
                policy.groups.map { group in
                    [
                        .data(group.subscriptionGroupIdentifier), .optional(group.onPurchase?.rawValue),
                        .optional(group.onRestore?.rawValue), .optional(group.partialRefunds?.rawValue),
                    ]
                }))
    }

    private var versions: Block {
        .table(
            SheetTable(
                "versions", PolicyWords.versionsAre, empty: PolicyWords.noVersions,
                [
                    .init("number", ColumnWords.version), .init("validFrom", ColumnWords.validFrom),
                    .init("appliedAt", ColumnWords.appliedAt), .init("actor", ColumnWords.actor),
                    .init("sha256", PolicyWords.digest),
                ],
                history.reversed().prefix(SubscriptionPage.longest).map { version in
                    [
                        .number(version.number), version.validFrom.map { .instant($0) } ?? .said("always", PolicyWords.always),
                        .instant(version.appliedAt), .data(version.actor), .data(version.digest),
                    ]
                }))
    }

    private var lastTrial: Block {
        guard let trial else { return .paragraph(PolicyWords.noTrial) }
        return .facts("trial", JobsPage.fields(of: trial))
    }
}

/// Texts of the page of the policy.
enum PolicyWords: Words {
    case title, inForce, groups, noGroups, versions, versionsAre, noVersions, trial, noTrial, noLimit, always, digest
    case onPurchase, onRestore, partialRefunds

    var english: String {
        switch self {
        case .title: "Policy"
        case .inForce: "Choices in force"
        case .groups: "Groups that differ"
        case .noGroups: "Every subscription group follows the app's choices."
        case .versions: "Versions"
        case .versionsAre: "Each holds from its instant on; the newest first"
        case .noVersions: "No version is kept: the choices of the configuration file hold. Serving the app keeps the first one."
        case .trial: "Last what-if"
        case .noTrial: "No version was tried. tenure what-if shows whose access another policy would change."
        case .noLimit: "no limit"
        case .always: "always"
        case .digest: "SHA-256"
        case .onPurchase: "onPurchase"
        case .onRestore: "onRestore"
        case .partialRefunds: "partialRefunds"
        }
    }

    var chinese: String {
        switch self {
        case .title: "策略"
        case .inForce: "当前选择"
        case .groups: "另有选择的订阅群组"
        case .noGroups: "所有订阅群组都遵循 App 的选择。"
        case .versions: "版本"
        case .versionsAre: "每个版本自其时刻起生效；最新的在前"
        case .noVersions: "没有保存版本：以配置文件中的选择为准。服务该 App 时会保存第一个版本。"
        case .trial: "最近一次试算"
        case .noTrial: "没有试算过。tenure what-if 显示另一策略会改变谁的访问权限。"
        case .noLimit: "不限"
        case .always: "一直"
        case .digest: "SHA-256"
        case .onPurchase: "onPurchase"
        case .onRestore: "onRestore"
        case .partialRefunds: "partialRefunds"
        }
    }
}
