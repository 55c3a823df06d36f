import Ledger
import Primitives

/// Texts of the page of a customer.
enum CustomerWords: Words {
    case title(String)
    case doublePayment(String, String)
    case anonymous, wholeId, otherIds, joined, paidApp
    case answer, entitlements, noEntitlements, right
    case subscriptions, subscriptionsAre, owns, owned, claimed
    case noSubscriptions(String)
    case future, futureIs, noFuture, timeline, timelineIs, everyKind, older
    case noTimeline(String)
    case balances, balanceIs, noBalance, takenBack, licences, noLicences
    case accounts, accountsAre, noAccounts, appTransactionId, doublePayments, noDoublePayments, first, second
    case tokens, noTokens, keyName

    /// The stable word of a relation.
    var code: String {
        switch self {
        case .owns: "owns"
        case .owned: "owned"
        default: "claimed"
        }
    }

    var english: String {
        switch self {
        case .title(let id): "Customer \(Speech.isolated(id))"
        case .doublePayment(let first, let second):
            "This customer pays twice for the same entitlement: \(Speech.isolated(first)) and \(Speech.isolated(second))."
        case .anonymous: "Anonymous"
        case .wholeId: "Everything belongs to"
        case .otherIds: "Other ids of the same person"
        case .joined: "Joined"
        case .paidApp: "Paid for the app itself"
        case .answer: "What they may use"
        case .entitlements: "One row for each entitlement of the app"
        case .noEntitlements: "The app has no entitlements. Its products are configured in the catalogue."
        case .right: "By what right"
        case .subscriptions: "Subscriptions"
        case .subscriptionsAre: "What they own, owned or claimed"
        case .owns: "owns it"
        case .owned: "owned it"
        case .claimed: "claimed it"
        case .noSubscriptions(let id):
            "Nothing that \(Speech.isolated(id)) bought is known. If they say that they bought something: ask them to restore "
                + "purchases in the app, paste their receipt into the search, or look up the order id of Apple's mail."
        case .future: "To come"
        case .futureIs: "What is known to come, the furthest first"
        case .noFuture: "Nothing is known to come."
        case .timeline: "Time line"
        case .timelineIs: "Everything on one axis, the newest first"
        case .everyKind: "every kind"
        case .older: "Older entries"
        case .noTimeline(let id): "Nothing is known to have happened to \(Speech.isolated(id)) of this kind."
        case .balances: "Balances and licences"
        case .balanceIs: "Time that adds up: what was added, and what was taken back"
        case .noBalance: "No time adds up for this customer. It does where the policy says so, or where time was paid elsewhere."
        case .takenBack: "taken back"
        case .licences: "Licences to updates"
        case .noLicences: "No licence. One comes with a period that they buy, or with having paid for the app."
        case .accounts: "Apple Accounts and tokens"
        case .accountsAre: "Apple Accounts that their subscriptions show"
        case .noAccounts: "No transaction names an appTransactionId. Apple signs one since iOS 18.4."
        case .appTransactionId: "appTransactionId"
        case .doublePayments: "Double payments"
        case .noDoublePayments: "They do not pay twice for the same entitlement."
        case .first: "First"
        case .second: "Second"
        case .tokens: "Registered tokens"
        case .noTokens: "No appAccountToken is registered. The app registers one before a purchase."
        case .keyName: "Key"
        }
    }

    var chinese: String {
        switch self {
        case .title(let id): "顾客 \(Speech.isolated(id))"
        case .doublePayment(let first, let second): "该顾客为同一权限重复付费：\(Speech.isolated(first)) 与 \(Speech.isolated(second))。"
        case .anonymous: "匿名"
        case .wholeId: "一切归于"
        case .otherIds: "同一人的其他标识符"
        case .joined: "合并时间"
        case .paidApp: "曾付费购买 App 本身"
        case .answer: "可使用的权限"
        case .entitlements: "App 的每项权限一行"
        case .noEntitlements: "该 App 没有权限。其商品在商品目录中配置。"
        case .right: "权利类型"
        case .subscriptions: "订阅"
        case .subscriptionsAre: "拥有、曾拥有或认领过的订阅"
        case .owns: "拥有"
        case .owned: "曾拥有"
        case .claimed: "曾认领"
        case .noSubscriptions(let id):
            "没有 \(Speech.isolated(id)) 的任何购买记录。若顾客称已购买：请其在 App 中恢复购买，将其收据粘贴到搜索页，或查询 Apple 邮件中的订单号。"
        case .future: "将来"
        case .futureIs: "已知将要发生的，最远的在前"
        case .noFuture: "没有已知将要发生的事。"
        case .timeline: "时间轴"
        case .timelineIs: "一切都在同一时间轴上，最新的在前"
        case .everyKind: "所有类型"
        case .older: "更早的条目"
        case .noTimeline(let id): "\(Speech.isolated(id)) 没有此类记录。"
        case .balances: "余额与许可"
        case .balanceIs: "可累加的时间：增加与收回"
        case .noBalance: "该顾客没有可累加的时间。策略如此规定，或在别处付费时才会有。"
        case .takenBack: "收回"
        case .licences: "更新许可"
        case .noLicences: "没有许可。购买一个周期或曾付费购买 App 会带来许可。"
        case .accounts: "Apple 账户与 appAccountToken"
        case .accountsAre: "其订阅所显示的 Apple 账户"
        case .noAccounts: "没有交易带有 appTransactionId。Apple 自 iOS 18.4 起签名它。"
        case .appTransactionId: "appTransactionId"
        case .doublePayments: "重复付费"
        case .noDoublePayments: "没有为同一权限重复付费。"
        case .first: "第一个"
        case .second: "第二个"
        case .tokens: "已登记的 appAccountToken"
        case .noTokens: "没有登记 appAccountToken。App 在购买前登记它。"
        case .keyName: "密钥"
        }
    }
}

/// Texts of the entries of a time line.
enum TimelineWords: Words {
    case kind(TimelineItem.Kind)
    case period(String, Period.Beginning)
    case revoked(String)
    case becameOwner
    case noLongerOwner(String?)
    case became
    case intent(String)
    case vote(CustomerVote.Kind)
    case said(CustomerInput.Kind)
    case work(String)
    case ends(String, isSetToRenew: Bool)
    case mayChange(String)

    var english: String {
        switch self {
        case .kind(.period): "period"
        case .kind(.refund): "refund"
        case .kind(.owner): "owner"
        case .kind(.claim): "claim"
        case .kind(.access): "access"
        case .kind(.vote): "vote"
        case .kind(.identity): "identity"
        case .kind(.said): "said by the app"
        case .kind(.work): "work"
        case .kind(.change): "change"
        case .period(let product, let beginning):
            "\(Speech.isolated(product)) began: \(StateWords.beginning(beginning).english)"
        case .revoked(let product): "Apple took back \(Speech.isolated(product))"
        case .becameOwner: "became the owner"
        case .noLongerOwner(let next?): "no longer the owner: it belongs to \(Speech.isolated(next)) from then on"
        case .noLongerOwner(nil): "no longer the owner"
        case .became: "became"
        case .intent(let product): "asked whether they may buy \(Speech.isolated(product))"
        case .vote(.grant): "grant"
        case .vote(.hold): "hold"
        case .vote(.credit): "time paid elsewhere"
        case .vote(.withdraw): "withdrawal of an earlier vote"
        case .vote(.join): "two ids are one person"
        case .vote(.redelivery): "second delivery allowed"
        case .said(.vote): "vote"
        case .said(.intent): "question before a purchase"
        case .said(.unlock): "content opened"
        case .said(.delivery): "consumable delivered"
        case .said(.refusedDelivery): "delivery refused: it was delivered to another customer"
        case .said(.appPurchase): "purchase of the app shown"
        case .said(.consumption): "what the app's backend knows of a purchase"
        case .said(.attribute): "attribute"
        case .work("askApple"): "Apple is asked for the status"
        case .work("tell"): "events are emitted"
        case .work("answerConsumptionRequest"): "Apple's question about a refund is answered"
        case .work(let kind): "work of the kind \(Speech.isolated(kind))"
        case .ends(let entitlement, true): "\(Speech.isolated(entitlement)) reaches its end, and is set to renew"
        case .ends(let entitlement, false): "\(Speech.isolated(entitlement)) ends"
        case .mayChange(let entitlement): "the answer about \(Speech.isolated(entitlement)) can change"
        }
    }

    var chinese: String {
        switch self {
        case .kind(.period): "周期"
        case .kind(.refund): "退款"
        case .kind(.owner): "归属"
        case .kind(.claim): "认领"
        case .kind(.access): "访问权限"
        case .kind(.vote): "裁决"
        case .kind(.identity): "身份"
        case .kind(.said): "App 告知"
        case .kind(.work): "工作"
        case .kind(.change): "变化"
        case .period(let product, let beginning):
            "\(Speech.isolated(product)) 开始：\(StateWords.beginning(beginning).chinese)"
        case .revoked(let product): "Apple 收回了 \(Speech.isolated(product))"
        case .becameOwner: "成为拥有者"
        case .noLongerOwner(let next?): "不再是拥有者：此后归 \(Speech.isolated(next)) 所有"
        case .noLongerOwner(nil): "不再是拥有者"
        case .became: "变为"
        case .intent(let product): "询问能否购买 \(Speech.isolated(product))"
        case .vote(.grant): "授予"
        case .vote(.hold): "冻结"
        case .vote(.credit): "在别处付费的时间"
        case .vote(.withdraw): "撤回先前的裁决"
        case .vote(.join): "两个标识符是同一人"
        case .vote(.redelivery): "允许再次交付"
        case .said(.vote): "裁决"
        case .said(.intent): "购买前的询问"
        case .said(.unlock): "打开内容"
        case .said(.delivery): "已交付消耗型项目"
        case .said(.refusedDelivery): "拒绝交付：已交付给另一位顾客"
        case .said(.appPurchase): "出示 App 的购买"
        case .said(.consumption): "App 后端所知的购买情况"
        case .said(.attribute): "属性"
        case .work("askApple"): "向 Apple 询问状态"
        case .work("tell"): "发出事件"
        case .work("answerConsumptionRequest"): "答复 Apple 关于退款的询问"
        case .work(let kind): "工作类型 \(Speech.isolated(kind))"
        case .ends(let entitlement, true): "\(Speech.isolated(entitlement)) 到期，已设为续订"
        case .ends(let entitlement, false): "\(Speech.isolated(entitlement)) 结束"
        case .mayChange(let entitlement): "\(Speech.isolated(entitlement)) 的答复可能变化"
        }
    }
}
