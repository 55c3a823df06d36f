import Backend
import Ledger
import Primitives

/// P6: the choices in force, each with its rule; the versions; the last what-if.
struct PolicyPage {
    let policy: AppPolicy
    let history: [Backend.AppliedSettings]
    let timeline: SettingsTimeline
    /// The last what-if of each version's content that is kept, by the digest of the version.
    let trials: [String: Backend.Job]
    /// The last one; nil where there was none.
    let trial: Backend.Job?
    /// The first of what it found in this environment; nil where whoever reads the page may not see customers.
    let differences: [WhatIfRow]?
    let now: Timestamp

    /// So many of what a what-if found are looked at.
    static let mostDifferences = 200

    var sheet: Sheet {
        Sheet(
            PolicyWords.title,
            [
                .part("choices", PolicyWords.inForce, [choices]), .part("groups", PolicyWords.groups, [groups]),
                .part("versions", PolicyWords.versions, [versions]), .part("trial", PolicyWords.trial, lastTrial),
            ])
    }

    private var choices: Block {
        .table(
            SheetTable(
                "choices", PolicyWords.inForce, empty: PolicyWords.title,
                [.init("name", ColumnWords.name), .init("value", ColumnWords.value), .init("rule", ColumnWords.rule)],
                PolicyChoice.all(of: policy).map { [.data($0.name), $0.value, .rule($0.rule.rawValue)] }))
    }

    private var groups: Block {
        .table(
            SheetTable(
                "groups", PolicyWords.groups, empty: PolicyWords.noGroups,
                [
                    .init("subscriptionGroupIdentifier", ColumnWords.group), .init("onPurchase", PolicyWords.onPurchase),
                    .init("onRestore", PolicyWords.onRestore), .init("partialRefunds", PolicyWords.partialRefunds),
                    .init("familySharing", PolicyWords.familySharing),
                ],
                policy.groups.map { group in
                    [
                        .data(group.subscriptionGroupIdentifier), .optional(group.onPurchase?.rawValue),
                        .optional(group.onRestore?.rawValue), .optional(group.partialRefunds?.rawValue),
                        .optional(group.familySharing?.rawValue),
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
                    .init("state", ColumnWords.state), .init("until", ColumnWords.until), .init("triedAt", PolicyWords.tried),
                    .init("sha256", PolicyWords.digest),
                ],
                history.reversed().prefix(SubscriptionPage.longest).map { version in
                    let standing = timeline.standing(of: version.number)
                    let trial = trials[version.digest]
                    return [
                        .link(.policyVersion(version.number), .number(version.number)),
                        version.validFrom.map { .instant($0) } ?? .said("always", PolicyWords.always),
                        .instant(version.appliedAt), .data(version.actor), PolicyVersionPage.state(of: standing, at: now),
                        PolicyVersionPage.until(standing), .optional(trial.map { $0.endedAt ?? $0.startedAt }),
                        .data(version.digest),
                    ]
                }))
    }

    private var lastTrial: [Block] {
        guard let trial else { return [.paragraph(PolicyWords.noTrial)] }
        var fields = JobsPage.fields(of: trial)
        let age = now.since(trial.endedAt ?? trial.startedAt)
        fields.append(Field("ageMilliseconds", ColumnWords.age, .length(age)))
        fields += Self.summary(of: trial)
        var blocks: [Block] = [.facts("trial", fields)]
        if age > .days(1) { blocks.append(.notice(PolicyWords.oldTrial)) }
        guard let differences else { return blocks + [.paragraph(PolicyWords.differencesNotShown)] }
        return blocks + [table(of: differences)]
    }

    /// What a what-if came to, in numbers.
    static func summary(of trial: Backend.Job) -> [Field] {
        guard case .trial(let summary, let from) = trial.content else { return [] }
        return [
            Field("from", ColumnWords.validFrom, .optional(from)),
            Field("subscriptionsThatDiffer", PolicyWords.subscriptionsThatDiffer, .number(summary.subscriptionsThatDiffer)),
            Field("customersThatDiffer", PolicyWords.customersThatDiffer, .number(summary.customersWhoseEntitlementsDiffer)),
            Field("losses", PolicyWords.losses, .number(summary.losses)),
            Field("newest", PolicyWords.comparedWith, .number(summary.newest)),
        ]
    }

    private func table(of differences: [WhatIfRow]) -> Block {
        .table(
            SheetTable(
                "differences", PolicyWords.differencesAre, empty: PolicyWords.noDifferences,
                [
                    .init("customer", ColumnWords.customer), .init("effect", PolicyWords.effect),
                    .init("from", ColumnWords.from), .init("until", ColumnWords.until),
                    .init("subscription", ColumnWords.subscription), .init("entitlement", ColumnWords.entitlement),
                    .init("rule", ColumnWords.rule),
                ],
                differences.prefix(SubscriptionPage.longest).map { row in
                    [
                        .customer(row.customer),
                        row.effect == .loses
                            ? .badge(.bad, "loses", PolicyWords.loses) : .badge(.good, "gains", PolicyWords.gains),
                        .instant(row.window.from), .end(row.window.until), row.subscription.map { .subscription($0) } ?? .none,
                        .optional(row.entitlement?.rawValue), .rule(row.rule),
                    ]
                }))
    }
}

/// Texts of the page of the policy.
enum PolicyWords: Words {
    case title, tried, inForce, groups, noGroups, versions, versionsAre, noVersions, trial, noTrial, noLimit, always, digest
    case onPurchase, onRestore, partialRefunds, familySharing
    case subscriptionsThatDiffer, customersThatDiffer, losses, comparedWith, oldTrial, differencesNotShown
    case differencesAre, noDifferences, effect, gains, loses

    var english: String {
        switch self {
        case .title: "Policy"
        case .tried: "Last what-if"
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
        case .familySharing: "familySharing"
        case .subscriptionsThatDiffer: "Subscriptions that would differ"
        case .customersThatDiffer: "Customers whose entitlements would differ"
        case .losses: "Stretches of access that would be lost"
        case .comparedWith: "Compared with version"
        case .oldTrial: "It is older than a day: what was learned since is not in it. Try again before applying a version."
        case .differencesNotShown: "Whose access would differ is shown to roles that may see customers."
        case .differencesAre: "Whose access would differ in this environment, the first ones"
        case .noDifferences: "It found nothing among its first results that would differ in this environment."
        case .effect: "Effect"
        case .gains: "gains"
        case .loses: "loses"
        }
    }

    var chinese: String {
        switch self {
        case .title: "策略"
        case .tried: "最近一次试算"
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
        case .familySharing: "familySharing"
        case .subscriptionsThatDiffer: "会有差异的订阅"
        case .customersThatDiffer: "权限会有差异的顾客"
        case .losses: "会失去的访问时段"
        case .comparedWith: "对比版本"
        case .oldTrial: "试算已超过一天：不含此后得知的内容。应用版本前请重新试算。"
        case .differencesNotShown: "谁的访问权限会有差异，仅向可查看顾客的角色显示。"
        case .differencesAre: "本环境中访问权限会有差异的顾客（仅前若干项）"
        case .noDifferences: "在前若干项结果中，本环境没有差异。"
        case .effect: "效果"
        case .gains: "获得"
        case .loses: "失去"
        }
    }
}
