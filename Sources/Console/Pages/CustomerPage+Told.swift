import Backend
import Ledger
import Primitives

/// What was signed for a customer, and what others were told of them.
extension CustomerPage {
    var offersTable: Block {
        let signed = offers.issued.map { view -> [Cell] in
            [
                .instant(view.issuedAt), OffersPage.offer(view), .data(view.productId.rawValue),
                OffersPage.state(of: view, at: now),
                view.redemption.map { .subscription($0.originalTransactionId) } ?? .none, .data(view.keyId),
            ]
        }
        // Without a row of the log: who signed it is not known.
        let others = offers.redemptions.filter { $0.nonce == nil }.map { redemption -> [Cell] in
            [
                .none, .optional(redemption.offerIdentifier), .data(redemption.productId.rawValue),
                .phrase([.badge(.good, "redeemed", OfferWords.redeemed), .instant(redemption.redeemedDate)]),
                .subscription(redemption.originalTransactionId), .said("elsewhere", OfferWords.elsewhere),
            ]
        }
        return .table(
            SheetTable(
                "offers", OfferWords.ofCustomer, empty: OfferWords.noneOfCustomer,
                [
                    .init("issuedAt", OfferWords.issued), .init("offer", ColumnWords.offer),
                    .init("productId", ColumnWords.product), .init("state", ColumnWords.state),
                    .init("subscription", ColumnWords.subscription), .init("keyId", ColumnWords.key),
                ], Array((signed + others).prefix(SubscriptionPage.fewest))))
    }

    var deliveries: Block {
        .table(
            SheetTable(
                "deliveries", DeliveryWords.deliveriesAre,
                empty: attempts == nil ? OperationsWords.noWebhooksHere : DeliveryWords.none,
                [
                    .init("at", ColumnWords.when), .init("endpoint", DeliveryWords.endpoint), .init("type", ColumnWords.event),
                    .init("subscription", ColumnWords.subscription), .init("sequence", ColumnWords.number),
                    .init("isDelivered", ColumnWords.state), .init("status", ColumnWords.outcome), .init("id", ColumnWords.id),
                ],
                (attempts ?? []).prefix(SubscriptionPage.fewest).map { told in
                    let attempt = told.attempt
                    return [
                        .instant(attempt.at), .data(told.endpoint), .optional(attempt.event?.type),
                        attempt.event?.subscription.map { .subscription($0) } ?? .none,
                        attempt.event.map { .number($0.sequence) } ?? .none,
                        attempt.isDelivered
                            ? .badge(.good, "true", OperationsWords.delivered)
                            : .badge(.bad, "false", DeliveryWords.notDelivered),
                        attempt.status.map { .number(Int64($0)) } ?? .optional(attempt.failure), .optional(attempt.event?.id),
                    ]
                }))
    }
}

/// Texts about what others were told of a customer.
enum DeliveryWords: Words {
    case deliveriesAre, none, endpoint, endpoints, notDelivered, waiting, parked, forgotten, unwanted, triedNext, canBeTold

    var english: String {
        switch self {
        case .deliveriesAre:
            "Attempts to deliver events about this customer, among the last \(DeliveryDesk.mostLookedAt) of each endpoint"
        case .none:
            "None of the last attempts of an endpoint was about this customer: they were earlier, or no endpoint is configured."
        case .endpoint: "Endpoint"
        case .endpoints: "Endpoints that want it"
        case .notDelivered: "Not delivered"
        case .waiting: "Pending"
        case .parked: "Parked"
        case .forgotten: "Not among the last attempts"
        case .unwanted: "no endpoint wants it"
        case .triedNext: "next attempt"
        case .canBeTold: "Answer for the customer:"
        }
    }

    var chinese: String {
        switch self {
        case .deliveriesAre: "向外通知此顾客情况的尝试（每个端点最近 \(DeliveryDesk.mostLookedAt) 次之中）"
        case .none: "各端点最近的尝试均与此顾客无关：更早已通知，或没有配置端点。"
        case .endpoint: "端点"
        case .endpoints: "需要它的端点"
        case .notDelivered: "未送达"
        case .waiting: "待送达"
        case .parked: "已搁置"
        case .forgotten: "不在最近的尝试之中"
        case .unwanted: "没有端点需要它"
        case .triedNext: "下次尝试"
        case .canBeTold: "可告知顾客："
        }
    }
}

/// What a customer can be told about what they may use, as one answer to them.
struct CustomerSentence: Words {
    private let answer: EntitlementAnswer

    init(_ answer: EntitlementAnswer) { self.answer = answer }

    /// In UTC: who reads it may be anywhere.
    private func day(_ instant: Timestamp, _ language: Language) -> String { Speech(language).instant(instant) }

    var english: String {
        // A purchase lifts no hold (ENT-9), so that nobody who is on hold is sent to the App Store.
        if answer.endReason == .held { return "You have no access: it was put on hold. Please contact us." }
        guard answer.start != nil else {
            return
                "We do not know of a purchase of yours. Please open the app and choose Restore Purchases, or send us the receipt."
        }
        guard answer.isActive else {
            let ended = answer.end.map { "Your access ended on \(day($0, .english))" } ?? "You have no access"
            return "\(ended)\(answer.endReason.map { ": \(Self.english($0))" } ?? "")."
        }
        guard let end = answer.end else { return "You have access, and it does not end." }
        let until = day(end, .english)
        switch answer.restsOn?.right {
        case .gracePeriod:
            return
                "Apple could not charge for the renewal. You keep access until \(until). If the subscription is charged to your "
                + "Apple Account, please check the payment method in the App Store."
        case .provisional:
            return "You have access. Apple has not confirmed the renewal yet; without it your access ends on \(until)."
        case .paid, .balance, .granted, nil: break
        }
        switch answer.renews {
        case true?: return "You have access until \(until), and your subscription is set to renew."
        case false?: return "You have access until \(until). Your subscription is not set to renew."
        case nil: return "You have access until \(until)."
        }
    }

    var chinese: String {
        if answer.endReason == .held { return "您没有访问权限：它已被暂停。请联系我们。" }
        guard answer.start != nil else { return "我们没有您的购买记录。请打开 App 并选择“恢复购买”，或将收据发给我们。" }
        guard answer.isActive else {
            let ended = answer.end.map { "您的访问权限已于 \(day($0, .simplifiedChinese)) 结束" } ?? "您没有访问权限"
            return "\(ended)\(answer.endReason.map { "：\(Self.chinese($0))" } ?? "")。"
        }
        guard let end = answer.end else { return "您拥有访问权限，且不会到期。" }
        let until = day(end, .simplifiedChinese)
        switch answer.restsOn?.right {
        case .gracePeriod:
            return "Apple 未能为续订扣款。您的访问权限保留至 \(until)。如果该订阅由您的 Apple 账户付款，请在 App Store 中检查付款方式。"
        case .provisional: return "您拥有访问权限。Apple 尚未确认续订；若无确认，访问权限将于 \(until) 结束。"
        case .paid, .balance, .granted, nil: break
        }
        switch answer.renews {
        case true?: return "您的访问权限至 \(until)，订阅已设为自动续订。"
        case false?: return "您的访问权限至 \(until)。订阅未设为自动续订。"
        case nil: return "您的访问权限至 \(until)。"
        }
    }

    private static func english(_ reason: EndReason) -> String {
        switch reason {
        case .customerCanceled: "auto-renew had been turned off"
        case .billingError: "Apple could not charge for the renewal"
        case .priceIncreaseRefused: "you did not agree to a higher price, or to another change"
        case .productUnavailable: "the subscription was no longer for sale"
        case .expired: "the subscription did not renew"
        case .replaced: "a new purchase replaced it"
        case .refunded: "Apple refunded the purchase"
        case .familySharingStopped: "it is no longer shared with you through Family Sharing"
        case .assignmentRevoked: "your seat was taken back"
        case .graceOver: "Apple could not charge for the renewal"
        case .noNewsFromApple: "Apple has not said that the subscription renewed"
        case .ownershipMoved: "your account no longer owns the purchase"
        case .balanceUsed: "the time that you had is used up"
        case .grantEnded: "what we granted has ended"
        case .held: "it was put on hold"
        }
    }

    private static func chinese(_ reason: EndReason) -> String {
        switch reason {
        case .customerCanceled: "已关闭自动续订"
        case .billingError: "Apple 未能为续订扣款"
        case .priceIncreaseRefused: "您未同意涨价或其他更改"
        case .productUnavailable: "该订阅已停止销售"
        case .expired: "订阅没有续订"
        case .replaced: "已被新的购买替换"
        case .refunded: "Apple 已为该购买退款"
        case .familySharingStopped: "不再通过家人共享提供给您"
        case .assignmentRevoked: "您的席位已被收回"
        case .graceOver: "Apple 未能为续订扣款"
        case .noNewsFromApple: "Apple 没有说订阅已续订"
        case .ownershipMoved: "您的账户不再拥有该购买"
        case .balanceUsed: "您的时长余额已用完"
        case .grantEnded: "我们给予的权限已结束"
        case .held: "已被暂停"
        }
    }
}
