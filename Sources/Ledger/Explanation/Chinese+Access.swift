import Primitives

extension ExplanationLine.Access {
    func chinese(_ line: ExplanationLine) -> String {
        let list = Chinese.list(entitlements.map(\.rawValue))
        let customer = knowsMore ? "据目前所知，\(customer)" : "\(customer)"
        switch state {
        case .active(let until, let basis):
            let end = until.map { "有效期至 \($0.chinese)" } ?? "没有截止日期"
            return "\(customer) 拥有权限 \(list)，\(end)。此刻的依据是\(Chinese.spaced(basis.chinese(line)))"
        case .held(let until, let reason):
            let end = until.map { "，至 \($0.chinese) 为止" } ?? "，直到操作员解除冻结为止"
            return "\(customer) 没有权限 \(list)：操作员已将其冻结\(end)\(Chinese.reason(reason))。冻结期间，即使购买也无法恢复"
        case .ended(let at, let reason): return "\(customer) 没有权限 \(list)。该权限已于 \(at.chinese) 失效：\(reason.chinese)"
        case .neverGiven: return "\(customer) 没有权限 \(list)：尚无任何购买或授予提供此权限"
        }
    }
}

extension ExplanationLine.Access.Basis {
    fileprivate func chinese(_ line: ExplanationLine) -> String {
        switch self {
        case .grant(let reason): "操作员的授予\(Chinese.reason(reason))"
        case .purchase(.balance, _, _): "尚未用完的时长余额"
        case .purchase(.gracePeriod, let product, let other): "\(Self.name(product, other)) 的宽限期"
        case .purchase(.provisional, let product, let other): "暂时保留的权限：Apple 尚未说 \(Self.name(product, other)) 是否已续订"
        case .purchase(_, _, nil): line.chineseIt
        case .purchase(_, let product, let other?): Self.name(product, other)
        }
    }

    /// `plus.monthly`, or with the purchase where it is not the explained one: `购买 2000 的 plus.monthly`.
    private static func name(_ product: ProductID?, _ other: OriginalTransactionID?) -> String {
        (other.map { "购买 \($0) 的 " } ?? "") + Chinese.product(product)
    }
}

extension EndReason {
    /// Why access ended, after a colon.
    fileprivate var chinese: String {
        switch self {
        case .customerCanceled: "自动续订已关闭"
        case .billingError: "Apple 未能为续订扣款"
        case .priceIncreaseRefused: "顾客未同意涨价或其他需要同意的更改"
        case .productUnavailable: "应续订时该商品已停止销售"
        case .expired: "提供此权限的订阅没有续订"
        case .replaced: "提供此权限的购买已被新的购买替换"
        case .refunded: "Apple 已为提供此权限的购买退款"
        case .familySharingStopped: "提供此权限的购买不再通过家人共享提供"
        case .assignmentRevoked: "提供此权限的群组购买席位已被收回"
        case .graceOver: "宽限期结束而未付款"
        case .noNewsFromApple: "Apple 没有说提供此权限的订阅已续订"
        case .ownershipMoved: "顾客不再拥有提供此权限的购买"
        case .balanceUsed: "时长余额已用完"
        case .grantEnded: "操作员的授予已结束"
        case .held: "操作员曾将其冻结"
        }
    }
}
