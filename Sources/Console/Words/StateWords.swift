import Ledger
import Primitives

/// What subscriptions are, and how their periods began and ended.
enum StateWords: Words {
    case status(SubscriptionStatus?)
    case renewal(SubscriptionStatus.Renewal)
    case beginning(Period.Beginning)
    case ran, replaced, refunded, partlyRefunded, familySharingStopped, assignmentRevoked, ignored, neverServes
    case servedElsewhere(OriginalTransactionID)
    case continued(by: OriginalTransactionID)
    case addedSeats(Int64)
    case kind(ProductKind)

    var english: String {
        switch self {
        case .status(nil): "nothing is known"
        case .status(.active?): "active"
        case .status(.provisional?): "active for the time being"
        case .status(.billingGracePeriod?): "active in the billing grace period"
        case .status(.billingRetry?): "not active, billing retry"
        case .status(.expired?): "expired"
        case .status(.revoked?): "revoked"
        case .status(.notBegun?): "not begun"
        case .status(.purchased?): "bought"
        case .renewal(.renews(let product)): "renews into \(Speech.isolated(product.rawValue))"
        case .renewal(.ends): "auto-renew is off"
        case .renewal(.unknown): "Apple has not said"
        case .renewal(.never): "does not expire"
        case .beginning(.firstKnown): "first that is known"
        case .beginning(.renewal): "renewal"
        case .beginning(.immediateChange): "change at once"
        case .beginning(.resubscription): "bought again"
        case .ran: "to its end"
        case .replaced: "replaced"
        case .refunded: "refunded"
        case .partlyRefunded: "refunded in part"
        case .familySharingStopped: "Family Sharing stopped"
        case .assignmentRevoked: "seat taken back"
        case .ignored: "gives no access"
        case .neverServes: "never gave access"
        case .addedSeats(let count): "adds \(count) \(count == 1 ? "seat" : "seats")"
        case .continued(let id): "continued by \(Speech.isolated(id.rawValue))"
        case .servedElsewhere(let id): "gives access under \(Speech.isolated(id.rawValue))"
        case .kind(.autoRenewableSubscription): "auto-renewable subscription"
        case .kind(.nonConsumable): "non-consumable"
        case .kind(.consumable): "consumable"
        case .kind(.nonRenewingSubscription): "non-renewing subscription"
        case .kind(.unstated): "a kind that Apple did not say"
        case .kind(.unknown(let spelling)): "unknown kind \(Speech.isolated(spelling))"
        }
    }

    var chinese: String {
        switch self {
        case .status(nil): "没有任何记录"
        case .status(.active?): "有效"
        case .status(.provisional?): "暂时有效"
        case .status(.billingGracePeriod?): "有效（宽限期）"
        case .status(.billingRetry?): "无效（扣款重试）"
        case .status(.expired?): "已过期"
        case .status(.revoked?): "已撤销"
        case .status(.notBegun?): "尚未开始"
        case .status(.purchased?): "已购买"
        case .renewal(.renews(let product)): "将续订为 \(Speech.isolated(product.rawValue))"
        case .renewal(.ends): "自动续订已关闭"
        case .renewal(.unknown): "Apple 没有说"
        case .renewal(.never): "不会过期"
        case .beginning(.firstKnown): "已知的第一个"
        case .beginning(.renewal): "续订"
        case .beginning(.immediateChange): "立即更改"
        case .beginning(.resubscription): "重新订阅"
        case .ran: "到期结束"
        case .replaced: "被替换"
        case .refunded: "已退款"
        case .partlyRefunded: "部分退款"
        case .familySharingStopped: "家人共享已停止"
        case .continued(let id): "由 \(Speech.isolated(id.rawValue)) 延续"
        case .assignmentRevoked: "席位已被收回"
        case .ignored: "不提供访问权限"
        case .neverServes: "从未提供访问权限"
        case .addedSeats(let count): "增加 \(count) 个席位"
        case .servedElsewhere(let id): "由 \(Speech.isolated(id.rawValue)) 提供访问权限"
        case .kind(.autoRenewableSubscription): "自动续期订阅"
        case .kind(.nonConsumable): "非消耗型项目"
        case .kind(.consumable): "消耗型项目"
        case .kind(.nonRenewingSubscription): "非续期订阅"
        case .kind(.unstated): "Apple 未说明的类型"
        case .kind(.unknown(let spelling)): "未知类型 \(Speech.isolated(spelling))"
        }
    }
}

/// What claims were and came to.
enum ClaimWords: Words {
    case kind(Claim.Kind)
    case outcome(ClaimOutcome)
    case vote(OwnershipVote.Kind)

    var english: String {
        switch self {
        case .kind(.purchase): "purchase"
        case .kind(.queue): "surfaced on the device"
        case .kind(.restore): "restore"
        case .kind(.reservation): "reservation"
        case .outcome(.bound): "became the first owner"
        case .outcome(.alreadyOwner): "was the owner already"
        case .outcome(.moved(let before, _)): "moved it from \(Speech.isolated(before.rawValue))"
        case .outcome(.noted): "noted, the owner stays"
        case .outcome(.waiting(.decision)): "pending: needs a decision"
        case .outcome(.waiting(.signedPendingChange)): "pending: Apple has not signed the change"
        case .outcome(.waiting(.limit)): "pending: a limit is reached"
        case .outcome(.refused(.ownedByAnother, _)): "refused: another customer owns it"
        case .outcome(.refused(.tokenOfAnother, _)): "refused: it carries another customer's appAccountToken"
        case .outcome(.refused(.boughtByAnother, _)): "refused: another customer showed that they bought it"
        case .outcome(.refused(.anonymousClaimant, _)): "refused: the customer is anonymous"
        case .outcome(.refused(.denied, _)): "refused: denied, or the customer was erased"
        case .vote(.transfer(let customer)): "transfer to \(Speech.isolated(customer.rawValue))"
        case .vote(.approve(let claim)): "approval of the claim \(Speech.isolated(claim.rawValue))"
        case .vote(.deny(let claim)): "denial of the claim \(Speech.isolated(claim.rawValue))"
        case .vote(.erase(let customer)): "erasure of \(Speech.isolated(customer.rawValue))"
        }
    }

    var chinese: String {
        switch self {
        case .kind(.purchase): "购买"
        case .kind(.queue): "在设备上出现"
        case .kind(.restore): "恢复购买"
        case .kind(.reservation): "预留"
        case .outcome(.bound): "成为第一位拥有者"
        case .outcome(.alreadyOwner): "本已是拥有者"
        case .outcome(.moved(let before, _)): "从 \(Speech.isolated(before.rawValue)) 转移"
        case .outcome(.noted): "已记录，拥有者不变"
        case .outcome(.waiting(.decision)): "待定：需要裁决"
        case .outcome(.waiting(.signedPendingChange)): "待定：Apple 尚未签名确认更改"
        case .outcome(.waiting(.limit)): "待定：已达限额"
        case .outcome(.refused(.ownedByAnother, _)): "已拒绝：归另一位顾客所有"
        case .outcome(.refused(.tokenOfAnother, _)): "已拒绝：带有另一位顾客的 appAccountToken"
        case .outcome(.refused(.boughtByAnother, _)): "已拒绝：另一位顾客已表明是其购买"
        case .outcome(.refused(.anonymousClaimant, _)): "已拒绝：顾客是匿名的"
        case .outcome(.refused(.denied, _)): "已拒绝：被否决，或顾客已被删除"
        case .vote(.transfer(let customer)): "转移给 \(Speech.isolated(customer.rawValue))"
        case .vote(.approve(let claim)): "批准认领 \(Speech.isolated(claim.rawValue))"
        case .vote(.deny(let claim)): "否决认领 \(Speech.isolated(claim.rawValue))"
        case .vote(.erase(let customer)): "删除 \(Speech.isolated(customer.rawValue))"
        }
    }
}

/// By what right somebody may use something, and why they no longer may.
enum AccessWords: Words {
    case active, notActive, overall
    case right(EntitlementAnswer.Right)
    case ended(EndReason)
    case yes, no, notSaid

    var english: String {
        switch self {
        case .active: "active"
        case .notActive: "not active"
        case .overall: "any entitlement"
        case .right(.paid): "paid"
        case .right(.gracePeriod): "billing grace period"
        case .right(.provisional): "kept for the time being"
        case .right(.balance): "balance"
        case .right(.granted): "granted"
        case .ended(.customerCanceled): "auto-renew had been turned off"
        case .ended(.billingError): "Apple could not charge for the renewal"
        case .ended(.priceIncreaseRefused): "no consent to a higher price, or to another change"
        case .ended(.productUnavailable): "the product was not for sale"
        case .ended(.expired): "it did not renew"
        case .ended(.replaced): "a new purchase replaced it"
        case .ended(.refunded): "refunded"
        case .ended(.familySharingStopped): "Family Sharing stopped"
        case .ended(.assignmentRevoked): "the seat was taken back"
        case .ended(.graceOver): "the billing grace period ended without a payment"
        case .ended(.noNewsFromApple): "Apple has not said that it renewed"
        case .ended(.ownershipMoved): "the customer no longer owns it"
        case .ended(.balanceUsed): "the balance is used up"
        case .ended(.grantEnded): "the grant ended"
        case .ended(.held): "an operator put it on hold"
        case .yes: "yes"
        case .no: "no"
        case .notSaid: "Apple has not said"
        }
    }

    var chinese: String {
        switch self {
        case .active: "有效"
        case .notActive: "无效"
        case .overall: "任一权限"
        case .right(.paid): "付费"
        case .right(.gracePeriod): "宽限期"
        case .right(.provisional): "暂时保留"
        case .right(.balance): "余额"
        case .right(.granted): "授予"
        case .ended(.customerCanceled): "自动续订已关闭"
        case .ended(.billingError): "Apple 未能为续订扣款"
        case .ended(.priceIncreaseRefused): "未同意涨价或其他更改"
        case .ended(.productUnavailable): "商品已停止销售"
        case .ended(.expired): "没有续订"
        case .ended(.replaced): "已被新的购买替换"
        case .ended(.refunded): "已退款"
        case .ended(.familySharingStopped): "家人共享已停止"
        case .ended(.assignmentRevoked): "席位已被收回"
        case .ended(.graceOver): "宽限期结束而未付款"
        case .ended(.noNewsFromApple): "Apple 没有说它已续订"
        case .ended(.ownershipMoved): "顾客不再拥有它"
        case .ended(.balanceUsed): "时长余额已用完"
        case .ended(.grantEnded): "授予已结束"
        case .ended(.held): "被操作员冻结"
        case .yes: "是"
        case .no: "否"
        case .notSaid: "Apple 没有说"
        }
    }
}

extension SubscriptionStatus {
    /// As a value of a page; the stable word is the API's.
    static func cell(_ status: SubscriptionStatus?) -> Cell {
        guard let status else { return .badge(.calm, "unknown", StateWords.status(nil)) }
        let tone: Cell.Tone =
            switch status {
            case .active, .purchased: .good
            case .provisional, .billingGracePeriod, .billingRetry: .warn
            case .expired, .notBegun: .calm
            case .revoked: .bad
            }
        return .badge(tone, status.name, StateWords.status(status))
    }
}

extension ClaimOutcome {
    /// A stable word for each.
    var name: String {
        switch self {
        case .bound: "bound"
        case .alreadyOwner: "alreadyOwner"
        case .moved: "moved"
        case .noted: "noted"
        case .waiting(let reason): "waiting.\(reason.rawValue)"
        case .refused(let reason, _): "refused.\(reason.rawValue)"
        }
    }

    var cell: Cell {
        let tone: Cell.Tone =
            switch self {
            case .bound, .moved: .good
            case .alreadyOwner, .noted: .calm
            case .waiting: .warn
            case .refused: .bad
            }
        return .badge(tone, name, ClaimWords.outcome(self))
    }

    /// The rule that it names itself; nil where its tenure says it.
    var rule: Rule? {
        switch self {
        case .moved(_, let rule), .refused(_, let rule): rule
        case .bound: .firstClaim
        case .alreadyOwner: .repeatedClaim
        case .noted, .waiting: nil
        }
    }
}
