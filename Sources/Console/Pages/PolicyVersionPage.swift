import Backend
import Ledger
import Primitives

/// P6: one version of what an app chose: what it said, what it changed, whether and how long it holds, and what a what-if said of
/// it.
struct PolicyVersionPage {
    let version: Backend.AppliedSettings
    let content: SettingsContent
    /// The one before; nil of the first.
    let before: SettingsTimeline.Version?
    let timeline: SettingsTimeline
    /// Of the app, by number.
    let history: [Backend.AppliedSettings]
    /// The last what-if of its content that is kept; nil where none is.
    let trial: Backend.Job?
    let now: Timestamp

    var sheet: Sheet {
        Sheet(
            VersionWords.title(version.number),
            [
                .link(VersionWords.all, .policy), .facts("version", head),
                .part("choices", VersionWords.choices, [choices]),
                .part("changes", VersionWords.changes, before == nil ? [.paragraph(VersionWords.isFirst)] : changes),
                .part("trial", PolicyWords.tried, [lastTrial]),
                .folded(VersionWords.document, [.text("document", VersionWords.document, version.document)]),
            ])
    }

    private var head: [Field] {
        let standing = timeline.standing(of: version.number)
        let next = Self.next(after: standing)
        return [
            Field("number", ColumnWords.version, .number(version.number)),
            Field("state", ColumnWords.state, Self.state(of: standing, at: now)),
            Field(
                "validFrom", ColumnWords.validFrom,
                version.validFrom.map { .instant($0) } ?? .said("always", PolicyWords.always)),
            Field("until", ColumnWords.until, Self.until(standing)),
            Field("next", VersionWords.next, next.map { .link(.policyVersion($0), .number($0)) } ?? .none),
            Field(
                "nextAppliedAt", VersionWords.nextApplied,
                .optional(history.first { $0.number == next }.map(\.appliedAt))),
            Field("appliedAt", ColumnWords.appliedAt, .instant(version.appliedAt)),
            Field("actor", ColumnWords.actor, .data(version.actor)),
            Field("sha256", PolicyWords.digest, .data(version.digest)),
        ]
    }

    // MARK: How it stands

    static func state(of standing: SettingsTimeline.Standing?, at now: Timestamp) -> Cell {
        switch standing {
        case .holds(let from, _, _) where from.map({ $0 > now }) ?? false: .badge(.calm, "toCome", VersionWords.toCome)
        case .holds(_, let until, _) where until.map({ $0 <= now }) ?? false: .badge(.calm, "held", VersionWords.held)
        case .holds: .badge(.good, "holds", VersionWords.holds)
        case .replaced: .badge(.warn, "replaced", VersionWords.replaced)
        case nil: .none
        }
    }

    static func until(_ standing: SettingsTimeline.Standing?) -> Cell {
        if case .holds(_, let until?, _) = standing { .instant(until) } else { .none }
    }

    private static func next(after standing: SettingsTimeline.Standing?) -> Int64? {
        switch standing {
        case .holds(_, _, let next): next
        case .replaced(let next): next
        case nil: nil
        }
    }

    // MARK: What it said

    private var choices: Block {
        let earlier = before.map { PolicyChoice.all(of: $0.content.policy) }
        return .table(
            SheetTable(
                "choices", VersionWords.choices, empty: VersionWords.choices,
                [
                    .init("name", ColumnWords.name), .init("value", ColumnWords.value), .init("before", ColumnWords.before),
                    .init("changed", VersionWords.changed), .init("rule", ColumnWords.rule),
                ],
                PolicyChoice.all(of: content.policy).enumerated().map { index, choice in
                    let other = earlier?[index]
                    let isChanged = other.map { $0.code != choice.code } ?? false
                    return [
                        .data(choice.name), choice.value, other?.value ?? .none,
                        isChanged ? .badge(.warn, "true", VersionWords.changed) : .said("false", AccessWords.no),
                        .rule(choice.rule.rawValue),
                    ]
                }))
    }

    private var changes: [Block] {
        guard let earlier = before?.content else { return [] }
        func flag(_ isSame: Bool) -> Cell {
            isSame ? .said("false", AccessWords.no) : .badge(.warn, "true", AccessWords.yes)
        }
        return [
            .facts(
                "changes",
                [
                    Field("groups", PolicyWords.groups, flag(earlier.policy.groups == content.policy.groups)),
                    Field("nonRenewingDurations", VersionWords.durations, flag(earlier.durations == content.durations)),
                    Field("offerings", VersionWords.offerings, flag(earlier.offerings == content.offerings)),
                    Field("signals", VersionWords.signals, flag(earlier.signals == content.signals)),
                ]), products(since: earlier),
        ]
    }

    private func products(since earlier: SettingsContent) -> Block {
        let (was, isNow) = (Set(earlier.products), Set(content.products))
        let entries =
            earlier.products.filter { !isNow.contains($0) }.map { ($0, false) }
            + content.products.filter { !was.contains($0) }.map { ($0, true) }
        return .table(
            SheetTable(
                "products", VersionWords.products, empty: VersionWords.sameProducts,
                [
                    .init("productId", ColumnWords.product), .init("validFrom", ColumnWords.validFrom),
                    .init("entitlements", ColumnWords.entitlement), .init("change", ColumnWords.what),
                ],
                entries.prefix(SubscriptionPage.longest).map { entry, isAdded in
                    [
                        .data(entry.productId.rawValue),
                        entry.validFrom.millisecondsSince1970 <= 0
                            ? .said("always", PolicyWords.always) : .instant(entry.validFrom),
                        .list(entry.entitlements.map { .data($0.rawValue) }),
                        isAdded
                            ? .badge(.good, "added", VersionWords.added) : .badge(.bad, "removed", VersionWords.removed),
                    ]
                }))
    }

    private var lastTrial: Block {
        guard let trial else { return .paragraph(VersionWords.neverTried) }
        return .facts("trial", JobsPage.fields(of: trial) + PolicyPage.summary(of: trial))
    }
}

/// One choice of a policy, as the configuration spells it: that is what is changed there.
struct PolicyChoice {
    let name: String
    let value: Cell
    let rule: Rule
    /// What says whether two policies chose the same.
    let code: String

    private init(_ name: String, _ word: String, _ rule: Rule) {
        (self.name, value, self.rule, code) = (name, .data(word), rule, word)
    }

    private init(_ name: String, _ length: Milliseconds, _ rule: Rule) {
        (self.name, value, self.rule, code) = (name, .length(length), rule, "\(length.count)")
    }

    private init(_ name: String, _ isSet: Bool, _ rule: Rule) {
        value = isSet ? .said("true", AccessWords.yes) : .said("false", AccessWords.no)
        (self.name, self.rule, code) = (name, rule, "\(isSet)")
    }

    private init(_ name: String, limit: Int?, _ rule: Rule) {
        value = limit.map { .number(Int64($0)) } ?? .said("none", PolicyWords.noLimit)
        (self.name, self.rule, code) = (name, rule, limit.map { "\($0)" } ?? "none")
    }

    private init(_ name: String, _ entitlements: [EntitlementID], _ rule: Rule) {
        value = .list(entitlements.map { .data($0.rawValue) })
        (self.name, self.rule, code) = (name, rule, entitlements.map { "\($0.rawValue.utf8.count):\($0.rawValue)" }.joined())
    }

    /// All of a policy, always in the same order.
    static func all(of policy: AppPolicy) -> [PolicyChoice] {
        [
            .init("onPurchase", policy.onPurchase.rawValue, .followPurchase),
            .init("purchaseEvidence", policy.purchaseEvidence.rawValue, .purchaseEvidence),
            .init("promptWindow", policy.promptWindow, .purchaseEvidence),
            .init("purchaseWindow", policy.purchaseWindow, .purchaseEvidence),
            .init("onRestore", policy.onRestore.rawValue, .restore),
            .init("tokenLocks", policy.tokenLocks, .firstClaim),
            .init("anonymousMayTake", policy.anonymousMayTake, .anonymous),
            .init("mergeOnClaim", policy.mergeOnClaim, .anonymous),
            .init("restoreLimit", limit: policy.restoreLimit, .limit),
            .init("restoreWindow", policy.restoreWindow, .limit),
            .init("customersPerAppleAccount", limit: policy.customersPerAppleAccount, .limit),
            .init("familySharing", policy.familySharing.rawValue, .familySharing),
            .init("partialRefunds", policy.partialRefunds.rawValue, .olderRefund),
            .init("partialRefundsOfOthers", policy.partialRefundsOfOthers.rawValue, .olderRefund),
            .init("productionLeeway", policy.productionLeeway, .lateNews),
            .init("sandboxLeeway", policy.sandboxLeeway, .lateNews),
            .init("billingGracePeriod", .days(policy.billingGracePeriodDays), .gracePeriod),
            .init("balanced", policy.balanced, .balance),
        ]
    }
}

/// Texts of the page of one version.
enum VersionWords: Words {
    case title(Int64)
    case all, choices, changes, isFirst, document, next, nextApplied, holds, held, toCome, replaced, changed
    case durations, offerings, signals, products, sameProducts, added, removed, neverTried

    var english: String {
        switch self {
        case .title(let number): "Version \(number) of the policy"
        case .all: "All versions, and what is in force"
        case .choices: "What it says"
        case .changes: "What it changed beside the choices"
        case .isFirst: "It is the first version: there is none before it to compare it with."
        case .document: "The whole version, as it is kept"
        case .next: "Followed by version"
        case .nextApplied: "Which was applied"
        case .holds: "holds"
        case .held: "held until the next"
        case .toCome: "to come"
        case .replaced: "holds at no instant: a later version reaches back before it"
        case .changed: "Changed"
        case .durations: "How long non-renewing subscriptions last"
        case .offerings: "What is sold: cohorts, offerings, offers, content"
        case .signals: "From when on something is a signal"
        case .products: "What products give, as far as it changed"
        case .sameProducts: "Products give what they gave before."
        case .added: "added"
        case .removed: "removed"
        case .neverTried: "No what-if of this version is kept: it was never tried, or more than 30 days ago."
        }
    }

    var chinese: String {
        switch self {
        case .title(let number): "策略版本 \(number)"
        case .all: "所有版本及当前选择"
        case .choices: "其中的选择"
        case .changes: "选择之外的变更"
        case .isFirst: "这是第一个版本，没有更早的版本可供比较。"
        case .document: "所保存的完整版本"
        case .next: "其后的版本"
        case .nextApplied: "其应用时间"
        case .holds: "生效中"
        case .held: "已由下一版本接替"
        case .toCome: "尚未生效"
        case .replaced: "从不生效：后来的版本追溯到了它之前"
        case .changed: "已变更"
        case .durations: "非续期订阅的时长"
        case .offerings: "销售内容：人群、供应组合、优惠、内容"
        case .signals: "何时视为信号"
        case .products: "产品所提供权限的变更"
        case .sameProducts: "产品提供的权限与之前相同。"
        case .added: "新增"
        case .removed: "移除"
        case .neverTried: "没有保存此版本的试算：从未试算，或已超过 30 天。"
        }
    }
}
