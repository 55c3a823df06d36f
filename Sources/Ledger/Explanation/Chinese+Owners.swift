import Primitives

extension ExplanationLine.Ownership {
    func chinese(_ line: ExplanationLine) -> String {
        let (when, it) = (line.chineseWhen, line.chineseIt)
        switch self {
        case .nobody(let why):
            let why =
                switch why {
                case .noClaim: "没有顾客认领"
                case .claimPending: "有一项认领待定"
                case .noClaimAccepted: "没有认领被接受"
                }
            return line.chineseStretch("\(it)无人拥有，因为\(why)", "\(it)一直无人拥有，因为\(why)")
        case .released: return line.chineseStretch("\(it)无人拥有，因为拥有者已被删除", "\(it)一直无人拥有，因为拥有者已被删除")
        case .owner(let customer, let why, let judged):
            return line.chineseStretch("\(it)归 \(customer) 所有", "\(it)一直归 \(customer) 所有")
                + "，因为\(Chinese.spaced(why.chinese(customer)))\(judged.chinese)"
        case .merged(let anonymous, let customer, let merge):
            return merge.chinese(when, anonymous, customer) + "。原属 \(anonymous) 的一切自始视为 \(customer) 的"
        case .joined(let pair, let reason):
            return "\(when)，操作员认定 \(pair.from) 与 \(pair.into) 是同一位顾客 \(pair.into)：原属 \(pair.from) 的一切"
                + "自始视为 \(pair.into) 的\(Chinese.reason(reason))"
        case .separated(let pair):
            return "\(when)，操作员认定 \(pair.from) 与 \(pair.into) 是两位顾客：原属 \(pair.from) 的一切重新归 \(pair.from) 所有"
        case .intent(let customer, let product): return "\(when)，\(customer) 的 App 询问 \(customer) 能否购买 \(product)"
        case .buyerUnknown(let product, let owner): return "\(when)，没有证据表明谁购买了 \(product)，因此仍归 \(owner) 所有"
        case .reserved(let customer): return "\(when)，操作员或导入为 \(customer) 预留了\(it)"
        case .tokenTooLate(let customer, let product, let reason):
            return "\(when)，\(product.map { "购买 \($0) " } ?? "一次更改")所带的 appAccountToken 被登记给 \(customer)。"
                + "此登记无效，因为\(reason.chinese)"
        }
    }
}

extension ExplanationLine.Ownership.Merge {
    fileprivate func chinese(_ when: String, _ anonymous: CustomerID, _ customer: CustomerID) -> String {
        switch self {
        case .elsewhere: "\(when)，匿名顾客 \(anonymous) 的身份确认为 \(customer)"
        case .restore: "\(when)，\(customer) 恢复了匿名顾客 \(anonymous) 所拥有的购买。按 App 的策略，两者成为同一顾客"
        case .oneAppleAccount:
            "\(when)，一次恢复购买表明匿名顾客 \(anonymous) 和 \(customer) 使用同一个 Apple 账户。按 App 的策略，两者合并为同一顾客 \(customer)"
        }
    }
}

extension ExplanationLine.Ownership.TooLate {
    fileprivate var chinese: String {
        switch self {
        case .registeredBefore(let named): "它此前已登记给 \(named)"
        case .vouchedFor(let named): "它是为 \(named) 生成的"
        case .borneHere: "它此前已在此使用过，任何人都可能抄录"
        case .namesNobody: "它是 App 在没有 appAccountToken 时发送的常量，不代表任何人"
        case .borneElsewhere: "它此前已用于另一笔购买，任何人都可能抄录"
        }
    }
}

extension ExplanationLine.Ownership.TokenOrigin {
    fileprivate func chinese(_ owner: CustomerID) -> String {
        switch self {
        case .registered: "登记给 \(owner) 的"
        case .vouched: "（据 App 后端或导入）为 \(owner) 生成的"
        case .ownId: "即 \(owner) 自己标识符的"
        }
    }
}

extension ExplanationLine.Judgement {
    /// As a sentence of its own, after a full stop.
    var chinese: String {
        switch self {
        case .onlyOne: ""
        case .version(let version): "。依据 App 策略的第 \(version) 版"
        }
    }
}

extension ExplanationLine.Ownership.Why {
    fileprivate func chinese(_ owner: CustomerID) -> String {
        switch self {
        case .token(let origin): "该购买带有\(origin.chinese(owner)) appAccountToken"
        case .tokenSet(let origin): "App 后来为该购买设置了\(origin.chinese(owner)) appAccountToken"
        case .tokenOfChange(let product, let origin):
            "更改\(product.map { "为 \($0) " } ?? "")时带有\(origin.chinese(owner)) appAccountToken"
        case .evidence(let shown, let grade, let among): shown.chinese(owner, grade, among)
        case .firstToShow(let shown): "\(shown.chineseWho(owner))的认领最先被接受\(shown.kind == .restore ? "（通过恢复购买）" : "")"
        case .restored(let shown): "\(shown.chineseWho(owner))恢复了购买，且 App 的策略允许恢复购买转移它"
        case .restoredFromAnonymous(let before, let shown):
            "\(shown.chineseWho(owner))恢复了购买，而匿名顾客（此处为 \(before)）所拥有的归恢复者"
        case .reserved: "它是为 \(owner) 预留的"
        case .previous(let id): "本订阅延续订阅 \(id)，而后者当时归 \(owner) 所有"
        case .operatorDecided(let reason): "操作员如此裁决\(Chinese.reason(reason))"
        case .operatorApproved(let kind, let reason): "操作员批准了 \(owner) 的\(kind.chinese)\(Chinese.reason(reason))"
        case .ownerAgreed(let before, let kind): "\(before?.rawValue ?? "其拥有者") 同意了 \(owner) 的\(kind.chinese)"
        }
    }
}

extension ExplanationLine.Shown {
    fileprivate func chineseWho(_ owner: CustomerID) -> String {
        asAnonymous.map { "\(owner)（当时仍是匿名顾客 \($0)）" } ?? "\(owner) "
    }

    fileprivate func chinese(
        _ owner: CustomerID, _ grade: PurchaseGrade, _ among: ExplanationLine.Ownership.Among
    ) -> String {
        let rivals = among == .alone ? "，且没有其他顾客及时出示购买证据" : "，早于其他顾客出示购买证据"
        let others = grade == .prompt ? "" : rivals
        let wait = { (since: String) in after.map { "在\(since)后 \($0.chinese)" } ?? "" }
        if isChange { return "\(chineseWho(owner))的 App \(wait("提出更改"))报告了更改为 \(productId)\(others)" }
        switch kind {
        case .queue: return "\(productId) 的购买记录\(wait("购买"))出现在 \(chineseWho(owner))的设备上\(others)"
        case .purchase, .restore, .reservation:
            return "\(chineseWho(owner))的 App \(wait("购买"))上传了 \(productId) 的购买记录\(others)"
        }
    }
}

extension Claim.Kind {
    /// What the customer did, after a possessive.
    var chinese: String {
        switch self {
        case .purchase: "购买记录上传"
        case .queue: "设备上出现的购买记录的上传"
        case .restore: "恢复购买"
        case .reservation: "预留"
        }
    }
}

// MARK: Claims

extension ExplanationLine.ClaimNews {
    func chinese(_ line: ExplanationLine) -> String {
        switch self {
        case .refused(let made, let reason, let rule):
            made.chineseDid(line.chineseIt) + "。" + made.chineseRefusal(reason, rule) + made.judged.chinese + made.chineseRepeated
        case .waiting(let made, let reason, let decidedAt):
            made.chineseDid(line.chineseIt) + "。" + made.chineseWaiting(reason, decidedAt) + made.judged.chinese
                + made.chineseRepeated
        case .noted(let made):
            made.chineseDid(line.chineseIt)
                + (made.isChange
                    ? "。在生效之前，\(made.owner.map { "\($0) 仍是拥有者" } ?? "它没有拥有者")"
                    : "。\(made.chineseStays)\(made.chinesePolicyOnPurchase.map { "：\($0)" } ?? "")")
        case .contested(let product, let customers, let buyer, let decidedAt):
            "不止一位顾客认领 \(product)：\(Chinese.list(customers.map(\.rawValue)))。" + Self.chineseContest(buyer, decidedAt)
        case .lapsed(let made): made.chineseDid(line.chineseIt) + "。此认领待定，直到 \(made.customer) 被删除，随后被拒绝"
        case .denied(let customer, let kind, let reason): "操作员否决了 \(customer) 的\(kind.chinese)\(Chinese.reason(reason))"
        case .transferChangedNothing(let customer, let isOwner, let reason):
            "操作员将它判给 \(customer)\(Chinese.reason(reason))。归属没有变化\(isOwner ? "：它本已归 \(customer) 所有" : "")"
        case .approvalChangedNothing(let customer, let kind, let reason):
            "\(customer) 的\(kind.chinese)获得批准\(Chinese.reason(reason))。归属没有变化"
        }
    }

    private static func chineseContest(_ buyer: CustomerID?, _ decidedAt: Timestamp?) -> String {
        switch (buyer, decidedAt) {
        case (let buyer?, nil): "除非操作员另作裁决，它仍归 \(buyer) 所有"
        case (let buyer?, let at?): "在 \(at.chinese) 裁决归属之前，它仍归 \(buyer) 所有"
        case (nil, nil): "应由操作员裁决归属"
        case (nil, let at?): "归属已于 \(at.chinese) 裁决"
        }
    }
}

extension ExplanationLine.Made {
    fileprivate func chineseDid(_ it: String) -> String {
        if isChange { return "\(customer) 的 App 报告更改为 \(productId) 是 \(customer) 自己提出的" }
        switch kind {
        case .purchase: return "\(customer) 的 App 上传了 \(productId) 的购买记录，称是 \(customer) 自己的"
        case .queue: return "\(productId) 的购买记录出现在 \(customer) 的设备上"
        case .restore: return "\(customer) 请求恢复\(it)"
        case .reservation: return "操作员或导入为 \(customer) 预留了\(it)"
        }
    }

    fileprivate var chineseStays: String { owner.map { "它仍归 \($0) 所有" } ?? "它仍无人拥有" }

    fileprivate func chineseRefusal(_ reason: ClaimOutcome.RefusalReason, _ rule: Rule) -> String {
        let whose = owner.map { "它归 \($0) 所有" } ?? "它无人拥有"
        switch reason {
        case .ownedByAnother where rule == .renewalNeverMoves:
            return "\(chineseStays)：续订会出现在同一 Apple 账户的每台设备上，不能表明是谁购买"
        case .ownedByAnother where kind == .restore:
            let moves = policy == .movesInactive ? "只允许在它结束且 Apple 不再重试扣款时通过恢复购买转移" : "不允许恢复购买转移它"
            return "已拒绝：\(whose)，且 App 的策略\(moves)"
        case .ownedByAnother: return "\(chineseStays)：\(chinesePolicyOnPurchase ?? weakness.chinese(customer))"
        case .tokenOfAnother where kind == .restore:
            return "已拒绝：该购买带有另一位顾客的 appAccountToken，且 App 的策略保护带有它的购买"
        case .tokenOfAnother: return "已拒绝：该购买带有另一位顾客的 appAccountToken"
        case .boughtByAnother: return "已拒绝：\(whose)，且有更强的购买证据"
        case .anonymousClaimant: return "已拒绝：\(whose)，且按 App 的策略，匿名顾客不能从已确认身份的顾客处取得任何东西"
        case .denied: return "操作员后来否决了它"
        }
    }

    fileprivate var chinesePolicyOnPurchase: String? {
        switch policy {
        case .stays: "按 App 的策略，其他顾客的购买不转移任何东西"
        case .tokensOnly: "按 App 的策略，只有 appAccountToken 能表明是谁购买"
        default: nil
        }
    }

    fileprivate func chineseWaiting(_ reason: ClaimOutcome.WaitingReason, _ decidedAt: Timestamp?) -> String {
        guard let decidedAt else { return "此认领待定：\(chineseWait(reason))" }
        return "此认领曾待定：\(chineseWait(reason))。归属已于 \(decidedAt.chinese) 裁决"
    }

    private func chineseWait(_ reason: ClaimOutcome.WaitingReason) -> String {
        switch reason {
        case .decision where isContested: "需操作员裁决，因为另一位顾客的认领同样有力"
        case .decision where kind == .restore: "App 的策略要求对恢复购买作出裁决"
        case .decision: "App 的策略要求对购买作出裁决"
        case .signedPendingChange: "Apple 尚未确认更改"
        case .limit: "需操作员裁决，因为\(chineseLimit)"
        }
    }

    private var chineseLimit: String {
        switch policy {
        case .restores(let count, let window): "App 的策略允许在 \(window.chinese)内通过恢复购买转移 \(count) 次"
        case .customers(let count): "App 的策略允许一个 Apple 账户服务 \(count) 位顾客"
        default: "已达到 App 策略的限额"
        }
    }

    fileprivate var chineseRepeated: String {
        guard let again else { return "" }
        if again.count == 1 { return "。此后于 \(again.lastAt.chinese) 又尝试了 1 次" }
        return "。此后又尝试了 \(again.count) 次，最后一次于 \(again.lastAt.chinese)"
    }
}

extension ExplanationLine.Made.Weakness {
    fileprivate func chinese(_ customer: CustomerID) -> String {
        switch self {
        case .late(let wait): "它在购买后 \(wait.chinese)才收到，已太晚，不能表明是谁购买"
        case .notAskedFor: "\(customer) 的 App 没有询问过 \(customer) 能否购买，因此不能表明是谁购买"
        case .byKind: "这不能表明是谁购买"
        }
    }
}
