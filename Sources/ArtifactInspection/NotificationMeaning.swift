package import AppStoreWire

/// What a notification of version 2 means, in words, and what it does to access.
///
/// Source: Apple, App Store Server Notifications, `notificationType` and `subtype`.
package struct NotificationMeaning: Sendable, Hashable {
    package let type: NotificationType
    /// Nil: Apple wrote none.
    package let subtype: NotificationSubtype?

    func sentence(_ quote: Sentence.Quoting) -> Sentence {
        if let subtype, let sentence = Self.table["\(type.rawValue)/\(subtype.rawValue)"] { return sentence }
        if let sentence = Self.table[type.rawValue] {
            guard let subtype else { return sentence }
            let detail = quote(subtype.rawValue)
            return Sentence(
                "\(sentence.english) The detail \(detail) is newer than this program.",
                "\(sentence.chinese)细节 \(detail) 比本程序更新。")
        }
        return Sentence(
            "A type of notification that is newer than this program. It is stored and changes no access.",
            "通知类型比本程序更新。它会保存，不改变访问权限。")
    }

    /// By type, or by type and subtype with a slash between them.
    static let table: [String: Sentence] = [
        "SUBSCRIBED/INITIAL_BUY": Sentence(
            "A first subscription in the group, or access through Family Sharing. Access until expiresDate.",
            "在订阅群组中首次订阅，或通过家人共享获得访问权限。访问权限至 expiresDate。"),
        "SUBSCRIBED/RESUBSCRIBE": Sentence(
            "Subscribed again after a lapse. Access until expiresDate.",
            "失效之后重新订阅。访问权限至 expiresDate。"),
        "DID_CHANGE_RENEWAL_PREF/UPGRADE": Sentence(
            "Changed immediately to a product of a higher level, or of the same level and duration. The old period ends there.",
            "立即更改为更高级别的商品，或同级别、同时长的商品。旧周期在此结束。"),
        "DID_CHANGE_RENEWAL_PREF/DOWNGRADE": Sentence(
            "Another product from the next renewal on: autoRenewProductId. Access does not change until then.",
            "自下次续订起改为另一商品：autoRenewProductId。在此之前访问权限不变。"),
        "DID_CHANGE_RENEWAL_PREF": Sentence(
            "A planned change was cancelled. Access does not change.",
            "计划中的更改已撤回。访问权限不变。"),
        "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED": Sentence(
            "Auto-renew was turned on. Access does not change.",
            "自动续订已开启。访问权限不变。"),
        "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED": Sentence(
            "Auto-renew was turned off, by the customer or after a refund. Access until expiresDate; a commitment continues.",
            "自动续订已关闭，由顾客关闭或在退款之后关闭。访问权限至 expiresDate；承诺期继续。"),
        "OFFER_REDEEMED": Sentence(
            "A subscriber redeemed an offer for the product that they have. Access does not change.",
            "订阅者为其已有的商品兑换了优惠。访问权限不变。"),
        "OFFER_REDEEMED/UPGRADE": Sentence(
            "An offer with an immediate change to a product of a higher level.",
            "使用优惠，立即更改为更高级别的商品。"),
        "OFFER_REDEEMED/DOWNGRADE": Sentence(
            "An offer with a change of product at the next renewal.",
            "使用优惠，于下次续订时更改商品。"),
        "OFFER_REDEEMED/INITIAL_BUY": Sentence(
            "A first subscription with an offer; written before 2024.",
            "使用优惠首次订阅；2024 年以前的写法。"),
        "OFFER_REDEEMED/RESUBSCRIBE": Sentence(
            "Subscribed again with an offer; written before 2024.",
            "使用优惠重新订阅；2024 年以前的写法。"),
        "DID_RENEW": Sentence(
            "Renewed. Access until the new expiresDate.",
            "已续订。访问权限至新的 expiresDate。"),
        "DID_RENEW/BILLING_RECOVERY": Sentence(
            "A payment that had failed succeeded. Access until the new expiresDate.",
            "先前失败的扣款已成功。访问权限至新的 expiresDate。"),
        "DID_FAIL_TO_RENEW": Sentence(
            "The renewal could not be charged and there is no grace period. No access; Apple keeps trying.",
            "续订未能扣款，且没有宽限期。没有访问权限；Apple 仍在重试。"),
        "DID_FAIL_TO_RENEW/GRACE_PERIOD": Sentence(
            "The renewal could not be charged. Access until gracePeriodExpiresDate.",
            "续订未能扣款。访问权限至 gracePeriodExpiresDate。"),
        "GRACE_PERIOD_EXPIRED": Sentence(
            "The billing grace period ended without a payment. No access; Apple keeps trying.",
            "宽限期结束而未付款。没有访问权限；Apple 仍在重试。"),
        "EXPIRED/VOLUNTARY": Sentence(
            "Expired because the customer had turned auto-renew off.",
            "已过期，因为顾客关闭了自动续订。"),
        "EXPIRED/BILLING_RETRY": Sentence(
            "Expired because no payment succeeded while Apple tried.",
            "已过期，因为 Apple 重试期间没有扣款成功。"),
        "EXPIRED/PRICE_INCREASE": Sentence(
            "Expired because the customer did not agree to a higher price.",
            "已过期，因为顾客不同意涨价。"),
        "EXPIRED/PRODUCT_NOT_FOR_SALE": Sentence(
            "Expired because the product was no longer for sale.",
            "已过期，因为商品已停止销售。"),
        "EXPIRED": Sentence(
            "Expired for another reason.",
            "因其他原因过期。"),
        "PRICE_INCREASE/PENDING": Sentence(
            "The customer was asked to agree to a higher price and has not answered. Access does not change.",
            "已请顾客同意涨价，尚未答复。访问权限不变。"),
        "PRICE_INCREASE/ACCEPTED": Sentence(
            "The customer agreed to a higher price, or was informed of one that needs no consent.",
            "顾客同意了涨价，或已获告知而无需同意。"),
        "REFUND": Sentence(
            "One transaction was refunded. What it bought ends at revocationDate; other periods are not affected.",
            "一笔交易已退款。它所购买的在 revocationDate 结束；其他周期不受影响。"),
        "REFUND/SEATS": Sentence(
            "Seats of a group purchase were refunded; the purchase remains.",
            "群组购买中的席位已退款；购买仍在。"),
        "REFUND_DECLINED": Sentence(
            "Apple declined a refund. Nothing changes.",
            "Apple 拒绝退款。一切不变。"),
        "REFUND_REVERSED": Sentence(
            "A refund was reversed after a dispute. What it took is restored; the renewal date stays.",
            "经申诉，退款已被撤销。已收回的予以恢复；续订日期不变。"),
        "CONSUMPTION_REQUEST": Sentence(
            "A customer asks for a refund and Apple asks how much was used: answer within 12 hours.",
            "顾客申请退款，Apple 询问已使用多少：请在 12 小时之内答复。"),
        "REVOKE": Sentence(
            "Access through Family Sharing ended for this member.",
            "此家庭成员通过家人共享获得的访问权限已结束。"),
        "RENEWAL_EXTENDED": Sentence(
            "The renewal date of one subscription was extended. Access until the new expiresDate.",
            "一个订阅的续订日期已延长。访问权限至新的 expiresDate。"),
        "RENEWAL_EXTENSION/SUMMARY": Sentence(
            "A request to extend many subscriptions is done: see the counts.",
            "延长许多订阅的请求已完成：见各项数量。"),
        "RENEWAL_EXTENSION/FAILURE": Sentence(
            "One subscription could not be extended.",
            "有一个订阅未能延长。"),
        "ONE_TIME_CHARGE": Sentence(
            "A one-time purchase: a consumable, a non-consumable or a non-renewing subscription.",
            "一次性购买：消耗型项目、非消耗型项目或非续期订阅。"),
        "EXTERNAL_PURCHASE_TOKEN/CREATED": Sentence(
            "A token for purchases outside the App Store was created. For reports only.",
            "已创建用于 App Store 之外购买的令牌。仅供报告。"),
        "EXTERNAL_PURCHASE_TOKEN/ACTIVE_TOKEN_REMINDER": Sentence(
            "A token for purchases outside the App Store is still active.",
            "用于 App Store 之外购买的令牌仍然有效。"),
        "EXTERNAL_PURCHASE_TOKEN/UNREPORTED": Sentence(
            "No report was received about a token for purchases outside the App Store.",
            "没有收到关于某个用于 App Store 之外购买的令牌的报告。"),
        "RESCIND_CONSENT": Sentence(
            "A parent or guardian withdrew consent for a child's use of the app: stop serving the child.",
            "父母或监护人撤回了对儿童使用此 App 的同意：请停止向该儿童提供服务。"),
        "METADATA_UPDATE": Sentence(
            "Advanced Commerce: the description of a subscription changed.",
            "Advanced Commerce：订阅的描述已更改。"),
        "MIGRATION": Sentence(
            "Advanced Commerce: a subscription was migrated.",
            "Advanced Commerce：订阅已迁移。"),
        "PRICE_CHANGE": Sentence(
            "Advanced Commerce: a price changes.",
            "Advanced Commerce：价格将更改。"),
        "UNCLAIM_SEATS": Sentence(
            "Seats of a group purchase were given back: unclaimInfo.",
            "群组购买中的席位已归还：unclaimInfo。"),
        "TEST": Sentence(
            "The test that Request a Test Notification asks for. The address works.",
            "“请求测试通知”所要求的测试。该地址可用。"),
    ]
}
