import Primitives

extension Explanation {
    /// One or two sentences for a line in Simplified Chinese, without its rules. Dates are in UTC; nothing asks for a locale.
    /// Apple's terms are as Apple's Chinese pages have them.
    package static func chineseSentence(_ line: ExplanationLine) -> String {
        let words =
            switch line.statement {
            case .purchase(let purchase): purchase.chinese(line)
            case .change(let change): "\(line.chineseWhen)，\(change.chinese)"
            case .billing(let billing): billing.chinese(line)
            case .refund(let refund): "\(line.chineseWhen)，\(refund.chinese)"
            case .ownership(let ownership): ownership.chinese(line)
            case .claim(let claim): "\(line.chineseWhen)，\(claim.chinese(line))"
            case .outlook(let outlook): outlook.chinese(line)
            }
        return "\(words)。"
    }
}

extension ExplanationLine {
    /// When it happened or began.
    var chineseWhen: String { at.begin.chinese(seconds: needsSeconds) }

    /// What the line is about.
    var chineseIt: String {
        switch subject {
        case .subscription: "该订阅"
        case .oneTimePurchase: "该购买项目"
        }
    }

    /// A sentence about a stretch that is over, or that lasts.
    func chineseStretch(_ past: String, _ present: String) -> String {
        if case .stretch(_, let until?) = at { return "从 \(chineseWhen) 至 \(until.chinese)，\(past)" }
        return "自 \(chineseWhen) 起，\(present)"
    }
}

// MARK: Time and money

extension Milliseconds {
    /// Its two greatest units, such as `30 天 18 小时`.
    var chinese: String {
        let seconds = max(0, count) / 1000
        let units = [
            (seconds / 86_400, "天"), (seconds / 3600 % 24, "小时"), (seconds / 60 % 60, "分钟"), (seconds % 60, "秒"),
        ]
        let parts = units.drop { $0.0 == 0 }.prefix(2).filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        return parts.isEmpty ? "不到一秒" : parts.joined(separator: " ")
    }
}

/// Pieces of sentences.
enum Chinese {
    /// `A、B 和 C`.
    static func list(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "无人" }
        return words.dropLast().joined(separator: "、") + " 和 " + last
    }

    /// With a space before it where it begins with a Latin letter or a digit, as Chinese is set.
    static func spaced(_ words: String) -> String { words.first?.isASCII == true ? " " + words : words }

    /// What an operator wrote, as a part of a sentence; empty where nothing was written.
    static func reason(_ words: String) -> String { words.isEmpty ? "" : "，理由：“\(words)”" }

    /// A duration of ISO 8601 with one unit in words; another one as Apple wrote it.
    static func period(_ text: String) -> String {
        let units: [Character: String] = ["D": "天", "W": "周", "M": "个月", "Y": "年"]
        guard text.first == "P", let unit = text.last.flatMap({ units[$0] }), let number = Int64(text.dropFirst().dropLast())
        else { return text }
        return "\(number) \(unit)"
    }

    /// `，价格 9.99 EUR`; empty where the price is not known.
    static func price(_ price: ExplanationLine.Price?) -> String { price.map { "，价格为 \($0.english)" } ?? "" }

    /// Whose it is after a change that they asked for; empty where it stays.
    static func next(_ owner: CustomerID?) -> String { owner.map { "。届时归提出更改的 \($0) 所有" } ?? "" }

    /// `该购买` where it is not known which.
    static func product(_ product: ProductID?) -> String { product?.rawValue ?? "该购买" }

    /// The product inside Chinese words, with spaces around Latin letters as Chinese is set.
    static func named(_ product: ProductID?) -> String { product.map { " \($0) " } ?? "该购买" }
}

// MARK: Offers

extension LedgerEvent.Offer {
    /// The offer, such as `促销优惠 spring（免费 1 个月）`.
    ///
    /// Source: Apple, App Store Server API, `offerType` and `offerDiscountType`.
    var chinese: String {
        if isTrial { return "免费试用" + (offerPeriod.map { " \(Chinese.period($0))" } ?? "") }
        let name = offerIdentifier.map { " \($0)" } ?? ""
        let offer =
            switch offerType {
            case 1?: "推介促销优惠"
            case 2?: "促销优惠\(name)"
            case 3?: "优惠代码\(name)"
            case 4?: "赢回优惠\(name)"
            case 5?: "挽留优惠\(name)"
            case let type?: "此处未知类型的优惠\(name)（offerType \(type)）"
            case nil: "优惠\(name)"
            }
        return offer + (chineseTerms.map { "（\($0)）" } ?? "")
    }

    private var chineseTerms: String? {
        let length = offerPeriod.map { " \(Chinese.period($0))" } ?? ""
        switch offerDiscountType {
        case "FREE_TRIAL"?: return "免费\(length)"
        case "PAY_AS_YOU_GO"?: return "随用随付"
        case "PAY_UP_FRONT"?: return "预付\(length)"
        case "ONE_TIME"?: return "一次性付费"
        case let type?: return "此处未知的条款：\(type)"
        case nil: return nil
        }
    }
}
