import AppStoreWire
import Primitives

extension Meaning.Signature {
    var sentence: Sentence {
        switch self {
        case .apple: Sentence("Signed by Apple.", "由 Apple 签名。")
        case .xcode: Sentence("Signed by a copy of Xcode: test data, no purchase.", "由某个 Xcode 签名：是测试数据，不是购买。")
        case .addedRoot:
            Sentence("Signed under a root that you added, not under Apple's.", "由您添加的根证书签名，而不是 Apple 的根证书。")
        case .givenIntermediate:
            Sentence("Signed under the intermediate that you gave.", "由您提供的中间证书签名。")
        }
    }
}

extension Meaning.Transaction {
    func sentence(_ quote: Sentence.Quoting) -> Sentence {
        switch self {
        case .bought(let product, let type, let isRenewal, let date):
            Sentence(
                "\(isRenewal ? "Renewal" : "Purchase") of \(quote(product)), \(quote(type.rawValue)), on \(date).",
                "\(date.chinese(seconds: true)) \(isRenewal ? "续订" : "购买") \(quote(product))（\(type.chinese(quote))）。")
        case .replaced:
            Sentence(
                "Replaced by another product: it gives no access, whatever its expiresDate says.",
                "已被另一商品替换：无论其 expiresDate 为何，都不提供访问权限。")
        case .runs(let end): Sentence("It runs until \(end).", "持续至 \(end.chinese(seconds: true))。")
        case .ended(let end): Sentence("It ended on \(end).", "已于 \(end.chinese(seconds: true)) 结束。")
        case .familySharingEnded(let date):
            Sentence("Family Sharing ended on \(date).", "家人共享已于 \(date.chinese(seconds: true)) 停止。")
        case .assignmentRevoked(let date):
            Sentence(
                "The seat of a group purchase was taken back on \(date).", "群组购买的席位已于 \(date.chinese(seconds: true)) 收回。")
        case .refunded(let date, nil): Sentence("Refunded on \(date).", "已于 \(date.chinese(seconds: true)) 退款。")
        case .refunded(let date, let share?):
            Sentence(
                "Refunded in part on \(date): \(share / 1000) per cent.",
                "已于 \(date.chinese(seconds: true)) 部分退款：\(share / 1000)%。")
        case .offer(let type, let isFree):
            Sentence(
                "With \(type.english)" + (isFree ? ", free." : "."), "使用\(type.chinese)" + (isFree ? "，免费。" : "。"))
        case .familyShared:
            Sentence("Received by Family Sharing; somebody else paid.", "通过家人共享获得；由其他人付费。")
        case .assigned:
            Sentence("A seat of a group purchase; somebody else paid.", "群组购买的席位；由其他人付费。")
        case .monthOfCommitment:
            Sentence(
                "A month of a twelve-month commitment: access until expiresDate, whatever the end of the commitment.",
                "十二个月承诺期中的一个月：访问权限至 expiresDate，与承诺期何时结束无关。")
        }
    }
}

extension ProductType {
    /// As Apple's Chinese pages name it; another one as Apple wrote it.
    fileprivate func chinese(_ quote: Sentence.Quoting) -> String {
        switch self {
        case .autoRenewableSubscription: "自动续期订阅"
        case .nonConsumable: "非消耗型项目"
        case .consumable: "消耗型项目"
        case .nonRenewingSubscription: "非续期订阅"
        default: quote(rawValue)
        }
    }
}

extension OfferType {
    fileprivate var english: String {
        switch self {
        case .introductory: "an introductory offer"
        case .promotional: "a promotional offer"
        case .offerCode: "an offer code"
        case .winBack: "a win-back offer"
        case .retention: "a retention offer"
        default: "an offer of type \(rawValue)"
        }
    }

    fileprivate var chinese: String {
        switch self {
        case .introductory: "推介促销优惠"
        case .promotional: "促销优惠"
        case .offerCode: "优惠代码"
        case .winBack: "赢回优惠"
        case .retention: "挽留优惠"
        default: "此处未知类型的优惠（offerType \(rawValue)）"
        }
    }
}

extension Meaning.Renewal {
    func sentence(_ quote: Sentence.Quoting) -> Sentence {
        switch self {
        case .renews(let product):
            Sentence(
                "Renews" + (product.map { " into \(quote($0))" } ?? "") + ".",
                "将续订" + (product.map { "为 \(quote($0))" } ?? "") + "。")
        case .ends: Sentence("Does not renew.", "不会续订。")
        case .unknownStatus(let status):
            Sentence(
                "autoRenewStatus \(status.rawValue) is newer than this program.", "autoRenewStatus \(status.rawValue) 比本程序更新。")
        case .change(let product, let next):
            Sentence(
                "A change from \(quote(product)) to \(quote(next)) takes effect at the renewal.",
                "由 \(quote(product)) 更改为 \(quote(next))，于续订时生效。")
        case .paymentFailed: Sentence("A payment failed; Apple keeps trying.", "扣款失败；Apple 仍在重试。")
        case .gracePeriod(let end):
            Sentence("Billing grace period: access until \(end).", "宽限期：访问权限至 \(end.chinese(seconds: true))。")
        case .ended(let intent): intent.sentence
        case .namesNoApp:
            Sentence(
                "A renewal info names no app: it counts only together with a transaction of the same subscription.",
                "续订信息不指明 App：只有与同一订阅的交易在一起才算数。")
        }
    }
}

extension ExpirationIntent {
    fileprivate var sentence: Sentence {
        switch self {
        case .customerTurnedOff: Sentence("Ended because the customer cancelled.", "已结束：顾客已关闭自动续订。")
        case .billingError: Sentence("Ended because a payment failed.", "已结束：扣款失败。")
        case .noConsentToPriceIncrease:
            Sentence("Ended because the customer did not agree to a new price or offer.", "已结束：顾客不同意新的价格或优惠。")
        case .productUnavailable: Sentence("Ended because the product was not for sale.", "已结束：商品已停止销售。")
        default:
            Sentence(
                "Ended for another reason (expirationIntent \(rawValue)).", "已结束：其他原因（expirationIntent \(rawValue)）。")
        }
    }
}
