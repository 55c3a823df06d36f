import Primitives

extension ExplanationLine.Purchase {
    func chinese(_ line: ExplanationLine) -> String {
        switch self {
        case .began(let bought, let beginning): "\(line.chineseWhen)，\(bought.chinese(beginning))"
        case .renewed(let bought, let before, let times, let interruption):
            bought.chinese(renewedAt: line, from: before, times: times, after: interruption)
        case .oneTime(let bought, let type, let quantity):
            "\(line.chineseWhen)，\(bought.chineseAcquired)了 \(quantity > 1 ? "\(quantity) 个 " : "")\(bought.productId)"
                + "\(bought.chineseTerms)。\(type.chinese)"
        case .earlyRenewalReplaced(let bought, let from):
            "\(line.chineseWhen)，\(bought.productId) 的续订也被替换：Apple 已为 \(from.chinese) 起的时间提前扣款"
                + "\(bought.chineseCost.map { " \($0)" } ?? "")。它从未提供访问权限。Apple 是否退款，只有 Apple 知道"
        case .givesNothing(let product, .familySharingIgnored): "\(product) 不提供访问权限，因为 App 的策略忽略家人共享"
        case .givesNothing(let product, .ownershipType(let type)):
            "\(product) 不提供访问权限，因为 inAppOwnershipType 为 \(type) 的购买在此只作保存"
        case .givesNothing(let product, .servedElsewhere(let server)):
            "\(line.chineseWhen)，\(product) 的这笔扣款在订阅 \(server) 中更早被签名，在那里提供访问权限，在此不提供"
        case .addedSeats(let bought, let count):
            "\(line.chineseWhen)，\(bought.productId) 增加了 \(count) 个席位\(bought.chineseCost.map { "，价格 \($0)" } ?? "")。"
                + "订阅的拥有者和到期时间不变"
        case .twoCharges(let product, let key):
            "\(line.chineseWhen)，\(product) 扣款，其 webOrderLineItemId \(key) 与一个较早周期的相同。两者日期不重叠，因此各算一笔扣款"
        case .otherStorefront(let product, let storefront, let before):
            "\(line.chineseWhen)，\(product) 在 \(storefront) 的 App Store 扣款，此前在 \(before) 的 App Store 扣款"
        }
    }
}

extension ExplanationLine.Bought {
    /// Its price, its offer and until when it is paid.
    var chineseTerms: String {
        var words = ""
        if let chineseCost { words += "，价格 \(chineseCost)" }
        if let offer { words += "，使用\(offer.chinese)" }
        if let until {
            let how = isPaidByAnother || offer?.isFree == true ? "" : "已付费"
            words += "，\(how)至 \(until.chinese)"
        }
        return words
    }

    /// What it cost; nil where it cost nothing, or Apple did not say.
    var chineseCost: String? { price.flatMap { $0.amount.count == 0 ? nil : $0.english } }

    /// How the customer got it.
    fileprivate var chineseAcquired: String { isFamilyShared ? "通过家人共享获得" : isAssigned ? "通过群组购买的席位获得" : "购买" }

    fileprivate func chinese(_ beginning: ExplanationLine.Purchase.Beginning) -> String {
        let commitment = commitmentUntil.map { "。按承诺逐月扣款，至 \($0.chinese)" } ?? ""
        let verb = chineseAcquired
        switch beginning {
        case .first: return "\(verb)了 \(productId)\(chineseTerms)\(commitment)"
        case .firstHeardOf: return "\(productId) 续订\(chineseTerms)\(commitment)。此前的情况未知"
        case .again: return "再次\(verb)了 \(productId)\(chineseTerms)\(commitment)"
        case .continuing(let previous, let product):
            return "\(verb)了 \(productId)\(chineseTerms)\(commitment)。顾客切换了捆绑订阅：它延续订阅 \(previous)"
                + "\(product.map { "（\($0)）" } ?? "")"
        case .replacing(productId):
            return "再次\(verb)了 \(productId)\(chineseTerms)\(commitment)，立即替换了此前购买的剩余时间"
        case .replacing(let product):
            return "\(verb)了 \(productId)\(chineseTerms)\(commitment)，立即替换了\(product.map { " \($0)" } ?? "此前的一个未知商品")"
        }
    }

    fileprivate func chinese(
        renewedAt line: ExplanationLine, from before: ProductID?, times: Int,
        after interruption: ExplanationLine.Purchase.Interruption
    ) -> String {
        if case .stretch(let from, let until?) = line.at {
            let each = chineseCost.map { "，每次 \($0)" } ?? ""
            let last = self.until.map { "，最后一次至 \($0.chinese)" } ?? ""
            return "从 \(from.chinese) 至 \(until.chinese)，\(productId) 续订 \(times) 次\(each)\(last)"
        }
        let renewed = (before.map { "订阅由 \($0) 改为以 \(productId) 续订" } ?? "\(productId) 续订") + chineseTerms
        switch interruption {
        case .none: return "\(line.chineseWhen)，\(renewed)"
        case .failedCharge: return "\(line.chineseWhen)，Apple 最终扣款成功：\(renewed)"
        case .gap(let since): return "\(line.chineseWhen)，\(renewed)。此前的周期已于 \(since.chinese) 结束"
        }
    }
}

extension ProductKind {
    fileprivate var chinese: String {
        switch self {
        case .consumable: "这是消耗型项目：按数量计，不提供时长"
        case .nonConsumable: "这是非消耗型项目：不会过期"
        case .nonRenewingSubscription: "这是非续期订阅：Apple 不给出结束时间，时长由 App 的配置决定"
        case .autoRenewableSubscription: "这是订阅，但 Apple 没有给出结束时间；它不提供任何权限"
        case .unstated: "Apple 没有说明这是哪种商品；在此之前它不提供任何权限"
        case .unknown(let type): "此处不认识这种类型（\(type)）；它不提供任何权限"
        }
    }
}

// MARK: Refunds

extension ExplanationLine.Refund {
    var chinese: String {
        switch self {
        case .refunded(let product, let revocation, let takeBack):
            "Apple 退还了\(Chinese.named(product))\(revocation.chineseShare)\(revocation.chineseReason)。\(takeBack.chinese)"
        case .familySharingStopped(let product, let takeBack): "\(product) 的家人共享已停止。\(takeBack.chinese)"
        case .assignmentEnded(let product, let takeBack): "提供 \(product) 的群组购买席位被收回。\(takeBack.chinese)"
        case .wasRefunded(let product, let revocation):
            "Apple 退还了\(Chinese.named(product))\(revocation?.chineseShare ?? "的款项")\(revocation?.chineseReason ?? "")"
        case .reversed(let product): "Apple 撤销了对\(Chinese.named(product))的退款。退款时收回的已经归还"
        case .declined(let product): "Apple 拒绝对\(Chinese.named(product))退款。一切不变"
        case .consumptionRequested(let product, let reason, let deadline):
            "Apple 询问\(Chinese.named(product))的使用情况：顾客申请退款\(Self.chinese(reason))。"
                + "Apple 要求 App 在 \(deadline.chinese) 之前答复"
        case .restOfReplaced(let bought, let rest):
            "\(bought.productId) 剩余的 \(rest.chinese)因被替换而结束"
                + (bought.chineseCost == nil || bought.isPaidByAnother ? "" : "。Apple 退款多少，只有 Apple 知道")
        }
    }

    /// Source: Apple, App Store Server Notifications, `consumptionRequestReason`.
    private static func chinese(_ reason: String?) -> String {
        switch reason {
        case "UNINTENDED_PURCHASE"?: "，原因是误购"
        case "FULFILLMENT_ISSUE"?: "，原因是没有收到或无法使用"
        case "UNSATISFIED_WITH_PURCHASE"?: "，原因是不满意"
        case "LEGAL"?: "，原因是法律事由"
        case "OTHER"?: "，原因 Apple 没有说明"
        case let other?: "，原因在此未知（\(other)）"
        case nil: ""
        }
    }
}

extension ExplanationLine.Refund.TakeBack {
    fileprivate var chinese: String {
        switch self {
        case .took(let time, let customer?): "未使用的时间（\(time.chinese)）已从 \(customer) 收回"
        case .took(let time, nil): "未使用的时间（\(time.chinese)）已收回。当时无人拥有"
        case .tookWhole(let customer): "已\(customer.map { "从 \($0) " } ?? "")收回"
        case .nothingLeft: "其时间已经结束，没有可收回的"
        case .fromBalance(nil): "实际收回的时间见余额"
        case .fromBalance(let unused?) where unused.count == 0: "按 Apple 的日期，其时间已经结束；实际收回的时间见余额"
        case .fromBalance(let unused?): "按 Apple 的日期，尚有 \(unused.chinese)未使用；实际收回的时间见余额"
        case .endedGrace: "其付费时间此前已经结束；此后仍保留的访问权限至此终止"
        case .keptByPolicy: "按 App 的策略，顾客保留这段时间"
        case .seats(0, let bought): "\(bought) 个席位中的一部分已退还，Apple 没有说明多少个；其余保留"
        case .seats(let seats, let bought): "\(bought) 个席位中累计退还 \(seats) 个，其余保留"
        case .units(nil, let bought): "Apple 没有说明退还了哪一部分，\(bought) 件全部视为保留"
        case .units(0?, let bought): "不足 \(bought) 件中的 1 件，全部保留"
        case .units(let units?, let bought): "即 \(bought) 件中的 \(units) 件，其余保留"
        }
    }
}

extension Revocation {
    /// How much of the price, after the name of the product.
    fileprivate var chineseShare: String {
        guard isPartial else { return "的款项" }
        guard let revocationPercentage else { return "的部分款项" }
        let (whole, rest) = (revocationPercentage / 1000, revocationPercentage % 1000)
        return rest == 0 ? "价格的 \(whole)%" : "价格的 \(whole).\("\(1000 + rest)".dropFirst())%"
    }

    /// Source: Apple, App Store Server API, `revocationReason` and `revocationType`.
    fileprivate var chineseReason: String {
        let type = revocationType.flatMap { self.type == nil ? "，方式在此未知（\($0)）" : nil } ?? ""
        switch revocationReason {
        case nil: return type
        case 0?: return type + "，原因与 App 的问题无关"
        case 1?: return type + "，原因是顾客认为 App 有问题"
        case let reason?: return type + "，原因在此未知（revocationReason \(reason)）"
        }
    }
}
