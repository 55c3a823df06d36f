import Primitives

extension ExplanationLine.Change {
    var chinese: String {
        switch self {
        case .renewalOff(let product, let until): "关闭了自动续订" + (until.map { "：\(product) 将于 \($0.chinese) 结束" } ?? "")
        case .renewalOn: "重新开启了自动续订"
        case .scheduled(let from, let to, let at):
            "请求由 \(from) 更改为 \(to)，于下次续订时生效" + (at.map { "（\($0.chinese)）" } ?? "") + "。在此之前一切不变"
        case .withdrawn(let to, let remains, let voids):
            "撤回了更改为 \(to) 的请求：\(remains) 将照常续订"
                + (voids.isEmpty ? "" : "。\(Chinese.list(voids.map(\.rawValue))) 所报告的更改无效")
        case .pricePending(let price): "Apple 请顾客同意涨价\(Chinese.price(price))。未获同意，订阅不会续订"
        case .priceAccepted(let price, wasAsked: true): "顾客同意了涨价\(Chinese.price(price))"
        case .priceAccepted(let price, wasAsked: false): "顾客同意了涨价\(Chinese.price(price))，或已获告知而无需同意"
        case .offer(let offer, let from): "接受了\(offer.chinese)，自下次续订起生效" + (from.map { "（\($0.chinese)）" } ?? "")
        case .offerGone(let offer): "\(offer.chinese)不再适用于下次续订"
        case .extended(let until): "Apple 免费延长了时间" + (until.map { "，至 \($0.chinese)" } ?? "")
        case .extensionFailed: "曾请求 Apple 延长时间，但 Apple 未能延长"
        case .notice("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED"?):
            "关闭了自动续订。按承诺，每月扣款继续，订阅随承诺期结束"
        case .notice("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_ENABLED"?): "重新开启了自动续订：承诺期之后订阅继续"
        case .notice(let type, let subtype):
            "Apple 发送了 \(type)" + (subtype.map { "（\($0)）" } ?? "") + "，已保存，不改变此处的任何内容"
        }
    }
}

extension ExplanationLine.Billing {
    func chinese(_ line: ExplanationLine) -> String {
        let when = line.chineseWhen
        switch self {
        case .failed(let product, .keptUntil(let end)):
            return "\(when)，Apple 未能为 \(product) 的续订扣款，并设定了宽限期：期间该订阅继续提供访问权限，至 \(end.chinese)"
        case .failed(let product, .keptUntilNews(let end)):
            return "\(when)，Apple 未能为 \(product) 的续订扣款，并设定了宽限期，但没有说明到期时间："
                + "该订阅继续提供访问权限，直到 Apple 宣布宽限期结束，最迟 \(end.chinese)"
        case .failed(let product, .lostFrom(let end)):
            return "\(when)，Apple 未能为 \(product) 的续订扣款。没有宽限期：如不付款，该订阅将于 \(end.chinese) 停止提供访问权限"
        case .graceBegan(let end): return "\(when)，Apple 设定了宽限期：期间该订阅继续提供访问权限，至 \(end.chinese)"
        case .graceOver: return "\(when)，宽限期结束而未付款，该订阅停止提供访问权限"
        case .keptWithoutNews(let product, let questions): return line.chineseKeptWithoutNews(product, questions)
        case .ended(let product, .silence): return "\(when)，\(product) 的周期结束。Apple 既没有说已续订，也没有说已过期"
        case .ended(let product, .renewalWasOff): return "\(when)，\(product) 的周期结束，自动续订已关闭。Apple 尚未确认结束"
        case .ended(let product, .retryOver(let days)):
            return "\(when)，\(product) 结束：Apple 最多重试扣款 \(days) 天，且没有说扣款成功"
        case .ended(let product, .replacedByUnknown):
            return "\(when)，\(product) 的周期结束：Apple 说已被另一商品替换，但没有说明是哪一个"
        case .ended(let product, .continued(let next)):
            return "\(when)，\(product) 结束：顾客切换了捆绑订阅，由订阅 \(next) 延续"
        case .ended(let product, let ending): return "\(when)，\(product) 已过期：\(ending.chinese)"
        }
    }
}

extension ExplanationLine {
    fileprivate func chineseKeptWithoutNews(_ product: ProductID, _ questions: Int) -> String {
        let failed = questions == 0 ? "" : "；向 Apple 询问失败 \(questions) 次"
        return chineseStretch(
            "虽然 Apple 没有说 \(product) 已续订，该订阅仍提供访问权限：它原定续订，消息可能迟到\(failed)",
            "虽然 Apple 尚未说 \(product) 已续订，该订阅仍提供访问权限：它原定续订，消息可能迟到\(failed)")
    }
}

extension ExplanationLine.Billing.Ending {
    /// Why, after a colon.
    ///
    /// Source: Apple, App Store Server API, `expirationIntent`.
    var chinese: String {
        switch self {
        case .apple(1): "自动续订已关闭"
        case .apple(2): "Apple 未能为续订扣款"
        case .apple(3): "顾客未同意涨价或其他需要同意的更改"
        case .apple(4): "应续订时该商品已停止销售"
        case .apple(5): "Apple 给出其他原因，但没有说明"
        case .apple(let intent): "Apple 给出的原因在此未知（expirationIntent \(intent)）"
        case .appleWithoutReason: "Apple 没有给出原因"
        case .renewalWasOff: "自动续订已关闭"
        case .retryOver(let days): "Apple 最多重试扣款 \(days) 天，且没有说扣款成功"
        case .replacedByUnknown: "Apple 说已被另一商品替换，但没有说明是哪一个"
        case .continued(let next): "由订阅 \(next) 延续"
        case .silence: "Apple 没有说它已续订"
        }
    }
}

// MARK: What it is and what comes next

extension ExplanationLine.Outlook {
    func chinese(_ line: ExplanationLine) -> String {
        switch self {
        case .unknown: "截至 \(line.chineseWhen)，没有 Apple 签名的任何信息"
        case .standing(let standing, let product, let owner): "截至 \(line.chineseWhen)，\(standing.chinese(product, owner))"
        case .renews(let renewing): renewing.chinese
        case .ends(let end): "自动续订已关闭：订阅将于 \(end.chinese) 结束"
        case .doesNotEnd: "它不会过期"
        case .renewalUnknown(let end): "它持续至 \(end.chinese)。届时是否续订，Apple 没有说"
        case .renewedAhead(let product, let from, let owner):
            "它已提前续订：下一周期为 \(product)，自 \(from.chinese) 起" + Chinese.next(owner)
        case .commitment(let until): "逐月扣款的承诺持续至 \(until.chinese)"
        case .hadAgain(let way, notFor: let usable):
            "顾客如需再次拥有它，\(way.chinese)" + (usable.isEmpty ? "" : "。目前使用权限 \(Chinese.list(usable.map(\.rawValue))) 无需如此")
        case .mayComeBack: "如果 Apple 之后说它已续订，它会恢复提供访问权限"
        case .mayComeBackAsAnother: "Apple 说明替换它的商品后，订阅将以该商品继续"
        case .sandbox: "这是 Apple 沙盒中的测试购买：没有付款"
        case .noNews(let ended, let kept):
            "最后一个周期已于 \(ended.chinese) 结束，Apple 尚未说是否续订。若无消息，该订阅将"
                + (kept.map { "于 \($0.chinese) " } ?? "很快") + "停止提供访问权限"
        case .graceRuns(let until): "如果 Apple 能在 \(until.chinese) 之前扣款（例如更换付款方式），订阅继续；否则届时停止提供访问权限"
        case .graceRunsUntilNews(let until):
            "如果 Apple 能扣款（例如更换付款方式），订阅继续。Apple 没有说明宽限期何时到期："
                + "Apple 宣布结束时，该订阅停止提供访问权限，最迟 \(until.chinese)"
        case .retryRuns(let since, let until):
            "最后一个周期已于 \(since.chinese) 结束。Apple 仍在重试扣款，最迟至 \(until.chinese)；"
                + "如果成功（例如更换付款方式），该订阅会恢复提供访问权限"
        case .access(let access): access.chinese(line)
        case .licence(let customer, let end):
            "此外，\(customer) 拥有更新许可：即使没有订阅，也可永久使用 \(end.chinese) 及之前发布的所有功能"
        }
    }
}

extension ExplanationLine.Outlook.WayBack {
    fileprivate var chinese: String {
        switch self {
        case .purchase: "必须重新购买"
        case .purchaseOrReversal: "必须重新购买，或由 Apple 撤销退款"
        case .familySharing: "必须再次通过家人共享获得，或自行购买"
        case .seat: "必须再次获分配席位，或自行购买"
        }
    }
}

extension ExplanationLine.Outlook.Renewing {
    fileprivate var chinese: String {
        let product = into.map { "以 \($0) " } ?? ""
        let terms = (price.map { "，价格 \($0.english)" } ?? "") + (offer.map { "，使用\($0.chinese)" } ?? "")
        let consent = awaitsConsent ? "，前提是顾客同意涨价" : ""
        return "订阅将于 \(at.chinese) \(product)续订\(terms)\(consent)" + Chinese.next(owner)
    }
}

extension ExplanationLine.Outlook.Standing {
    fileprivate func chinese(_ product: ProductID, _ owner: CustomerID?) -> String {
        let belongs = owner.map { "归 \($0) 所有" } ?? "无人拥有"
        let isOff = "\(product)（\(belongs)）已失效"
        switch self {
        case .active: return "\(product) 有效，\(belongs)"
        case .provisional: return "\(product) 暂时有效，\(belongs)"
        case .grace: return "\(product) 在宽限期内有效，\(belongs)"
        case .retry: return "\(product)（\(belongs)）目前无效：Apple 未能为续订扣款，仍在重试扣款"
        case .over(let ended, let ending): return "\(isOff)。最后一个周期已于 \(ended.chinese) 结束：\(ending.chinese)"
        case .revoked(let since, .familySharing): return "\(isOff)：家人共享已于 \(since.chinese) 停止"
        case .revoked(let since, .assignment): return "\(isOff)：群组购买席位已于 \(since.chinese) 被收回"
        case .revoked(let since, .money): return "\(isOff)：Apple 已于 \(since.chinese) 退款"
        case .notBegun(let from): return "\(product)（\(belongs)）尚未开始：将于 \(from.chinese) 开始"
        case .purchased(.consumable): return "\(product) 计为已购买，\(belongs)"
        case .lasts(let until?): return "\(product) 有效，\(belongs)。按 App 的配置持续至 \(until.chinese)"
        case .lasts(nil): return "\(product)（\(belongs)）不提供访问权限：App 的配置没有设定时长"
        case .ranOut(let end): return "\(isOff)：App 的配置所设时长已于 \(end.chinese) 结束"
        case .purchased: return "\(product)（\(belongs)）已保存，不提供访问权限"
        case .givesNothing(.familySharingIgnored): return "\(product)（\(belongs)）不提供访问权限：App 的策略忽略家人共享"
        case .givesNothing(.ownershipType(let type)):
            return "\(product)（\(belongs)）不提供访问权限：inAppOwnershipType 为 \(type) 的购买在此只作保存"
        case .givesNothing(.servedElsewhere(let server)):
            return "\(product)（\(belongs)）在此不提供访问权限：由订阅 \(server) 提供"
        }
    }
}
