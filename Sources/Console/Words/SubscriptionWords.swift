import Ledger
import Primitives

/// Texts of the page of a subscription.
enum SubscriptionWords: Words {
    case notSealed, title(String)
    case toldForAnInstant
    case proposal(String, String)
    case nobody, ownerSince, ownerWhy, periodEnd, policyVersion, sameAccount, at, atHint, show
    case periods, owners, revisions, claims, explanation, facts, audit, events, work, signals
    case factsAre, votes, whole, all
    /// Of which list, how many are shown, and how many there are.
    case newestFirst(ConsoleRoute.SubscriptionRecords, shown: Int, of: Int)
    case noPeriods, noOwners, noRevisions, noClaims, noVotes, noFacts, noAudit, noEvents, noWork

    var english: String {
        switch self {
        case .title(let id): "Subscription \(Speech.isolated(id))"
        case .toldForAnInstant: "This page describes an instant in the past or the future, not the present."
        case .proposal(let customer, let other):
            "It has no owner. It probably belongs to \(Speech.isolated(customer)), who owns \(Speech.isolated(other)) of "
                + "the same Apple Account."
        case .nobody: "no owner"
        case .ownerSince: "Owner since"
        case .ownerWhy: "Owner by rule"
        case .periodEnd: "Period ends"
        case .policyVersion: "Version of the policy"
        case .sameAccount: "Same Apple Account"
        case .at: "As of"
        case .atHint: "In UTC, such as 2026-11-22T07:03:00Z; empty: now."
        case .show: "Show"
        case .periods: "Periods"
        case .owners: "Owners"
        case .revisions: "Owners as known before"
        case .claims: "Claims and votes"
        case .explanation: "Explanation"
        case .facts: "Facts"
        case .audit: "Audit"
        case .notSealed: "not sealed yet"
        case .events: "Events"
        case .work: "Work"
        case .signals: "Signals"
        case .factsAre: "Each fact was signed or said by Apple. Its number leads to its text, which can be verified again there."
        case .votes: "Votes"
        case .whole: "The whole subscription"
        case .all: "All of them"
        case .newestFirst(let records, let shown, let count):
            shown < count ? "\(records.english): \(shown) of \(count), the newest first" : "\(records.english), the newest first"
        case .noPeriods: "No period is known. A notification, an upload or an import would bring one."
        case .noOwners: "It has never had an owner. The first customer whose app uploads the purchase becomes the owner."
        case .noRevisions: "It was always known as it is now."
        case .noClaims: "No customer has claimed it. A claim is made when an app uploads the purchase or asks to restore."
        case .noVotes: "No operator and no owner decided anything about it."
        case .noFacts: "Nothing that Apple signed is kept."
        case .noAudit: "It has never changed the access of a customer."
        case .noEvents: "No event was emitted about it."
        case .noWork: "Nothing is to be done about it."
        }
    }

    var chinese: String {
        switch self {
        case .title(let id): "订阅 \(Speech.isolated(id))"
        case .toldForAnInstant: "以下内容针对过去或将来的某一时刻，而非现在。"
        case .proposal(let customer, let other):
            "它无人拥有。它很可能属于 \(Speech.isolated(customer))，该顾客拥有同一 Apple 账户的 \(Speech.isolated(other))。"
        case .nobody: "无人"
        case .ownerSince: "拥有起始"
        case .ownerWhy: "归属依据的规则"
        case .periodEnd: "周期结束"
        case .policyVersion: "策略版本"
        case .sameAccount: "同一 Apple 账户"
        case .at: "截至"
        case .atHint: "UTC 时间，例如 2026-11-22T07:03:00Z；留空表示现在。"
        case .show: "显示"
        case .periods: "周期"
        case .owners: "拥有者"
        case .revisions: "此前所知的归属"
        case .claims: "认领与裁决"
        case .explanation: "解释"
        case .facts: "事实"
        case .audit: "审计"
        case .notSealed: "尚未封印"
        case .events: "事件"
        case .work: "工作"
        case .signals: "信号"
        case .factsAre: "每条事实都由 Apple 签名或告知。点击序号查看原文，并可在那里重新核验。"
        case .votes: "裁决"
        case .whole: "完整的订阅页"
        case .all: "查看全部"
        case .newestFirst(let records, let shown, let count):
            shown < count ? "\(records.chinese)：共 \(count) 条，显示 \(shown) 条，最新的在前" : "\(records.chinese)，最新的在前"
        case .noPeriods: "没有已知的周期。通知、上传或导入会带来周期。"
        case .noOwners: "从未有人拥有它。第一位由 App 上传该购买的顾客将成为拥有者。"
        case .noRevisions: "一直与现在所知相同。"
        case .noClaims: "没有顾客认领过它。App 上传购买或请求恢复购买时会产生认领。"
        case .noVotes: "操作员与拥有者均未作出裁决。"
        case .noFacts: "没有保存 Apple 签名的内容。"
        case .noAudit: "它从未改变任何人的访问权限。"
        case .noEvents: "没有发出过与它有关的事件。"
        case .noWork: "没有与它有关的工作。"
        }
    }
}

extension ConsoleRoute.SubscriptionRecords {
    /// What stands in the list.
    fileprivate var english: String {
        switch self {
        case .periods: "What was bought or given, and until when"
        case .owners: "Owners, from when to when, as known now"
        case .revisions: "Owners, as known at earlier times"
        case .claims: "What customers showed"
        case .votes: "What operators and owners decided"
        case .facts: "What Apple signed or said"
        case .audit: "How it changed what customers may use"
        case .events: "What was emitted about it"
        case .work: "What is to be done about it, or was"
        }
    }

    fileprivate var chinese: String {
        switch self {
        case .periods: "购买或获得的周期及其期限"
        case .owners: "就目前所知，何时归谁所有"
        case .revisions: "各个时期所知的归属"
        case .claims: "顾客所出示的"
        case .votes: "操作员与拥有者的裁决"
        case .facts: "Apple 签名或告知的"
        case .audit: "它如何改变顾客的访问权限"
        case .events: "与它有关的已发出事件"
        case .work: "待办或已办的工作"
        }
    }
}

/// Texts about facts and what they changed.
enum FactWords: Words {
    case kind(Fact)
    case noAccess, provisional

    var english: String {
        switch self {
        case .kind(.transaction): "transaction"
        case .kind(.renewal): "renewal info"
        case .kind(.notice(let notice, _)): "notification \(Speech.isolated(notice.notificationType))"
        case .kind(.status): "status answered by Apple"
        case .kind(.failedQuestion): "question that Apple did not answer"
        case .noAccess: "no access"
        case .provisional: "kept for the time being, until"
        }
    }

    var chinese: String {
        switch self {
        case .kind(.transaction): "交易"
        case .kind(.renewal): "续订信息"
        case .kind(.notice(let notice, _)): "通知 \(Speech.isolated(notice.notificationType))"
        case .kind(.status): "Apple 答复的状态"
        case .kind(.failedQuestion): "Apple 未答复的询问"
        case .noAccess: "无访问权限"
        case .provisional: "暂时保留，至"
        }
    }
}

/// Who brought something about.
enum ActorWords: Words {
    case actor(AuditRow.Actor)

    var english: String {
        switch self {
        case .actor(.appStore): "App Store"
        case .actor(.customer): "customer"
        case .actor(.appBackend): "the app's backend"
        case .actor(.operatorOfTenure): "operator"
        case .actor(.tenure): "a newer version of Tenure"
        }
    }

    var chinese: String {
        switch self {
        case .actor(.appStore): "App Store"
        case .actor(.customer): "顾客"
        case .actor(.appBackend): "App 后端"
        case .actor(.operatorOfTenure): "操作员"
        case .actor(.tenure): "Tenure 的新版本"
        }
    }
}

/// States of work and jobs, which the store spells.
enum WorkWords: Words {
    case state(String)

    var english: String {
        switch self {
        case .state("waiting"): "pending"
        case .state("leased"): "running"
        case .state("running"): "running"
        case .state("done"): "done"
        case .state("failed"): "failed"
        case .state("canceled"): "canceled"
        case .state(let other): Speech.isolated(other)
        }
    }

    var chinese: String {
        switch self {
        case .state("waiting"): "待办"
        case .state("leased"): "进行中"
        case .state("running"): "进行中"
        case .state("done"): "已完成"
        case .state("failed"): "失败"
        case .state("canceled"): "已取消"
        case .state(let other): Speech.isolated(other)
        }
    }
}

/// Signals of abuse.
enum AbuseWords: Words {
    case caption, none, subject
    case kind(AbuseSignal.Kind)
    case moreEvidence(Int64)

    var english: String {
        switch self {
        case .caption: "Open signals: they show something, and change nobody's access"
        case .none: "No signal is open."
        case .subject: "About"
        case .kind(.accountOfManyCustomers): "an Apple Account with many customers"
        case .kind(.customerOfManyAccounts): "a customer with many Apple Accounts"
        case .kind(.introductoryOfferAgain): "introductory offers again and again"
        case .kind(.repeatedRefunds): "repeated refunds"
        case .kind(.refundAfterConsumption): "refunded after it was used up"
        case .kind(.claimsWithOthersReceipts): "claims with receipts of others"
        case .kind(.crossgradeLoop): "changes of product one after another"
        case .kind(.contestedPurchase): "a purchase that several customers show"
        case .kind(.secondDelivery): "a consumable that two customers were to get"
        case .kind(.tokenOfManyAccounts): "one appAccountToken on purchases of many Apple Accounts"
        case .moreEvidence(let count): "and \(count) more"
        }
    }

    var chinese: String {
        switch self {
        case .caption: "未处理的信号：仅作提示，不改变任何人的访问权限"
        case .none: "没有未处理的信号。"
        case .subject: "关于"
        case .kind(.accountOfManyCustomers): "一个 Apple 账户对应多位顾客"
        case .kind(.customerOfManyAccounts): "一位顾客使用多个 Apple 账户"
        case .kind(.introductoryOfferAgain): "反复享受推介促销优惠"
        case .kind(.repeatedRefunds): "多次退款"
        case .kind(.refundAfterConsumption): "用尽后退款"
        case .kind(.claimsWithOthersReceipts): "用他人的收据认领"
        case .kind(.crossgradeLoop): "接连更改商品"
        case .kind(.contestedPurchase): "多位顾客出示同一购买"
        case .kind(.secondDelivery): "同一消耗型项目要交付给两位顾客"
        case .kind(.tokenOfManyAccounts): "多个 Apple 账户的购买带有同一 appAccountToken"
        case .moreEvidence(let count): "另有 \(count) 项"
        }
    }
}
