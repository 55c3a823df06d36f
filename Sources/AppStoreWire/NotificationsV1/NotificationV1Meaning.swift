/// What a notification of version 1 would be in version 2.
///
/// Version 1 has fewer types: `CANCEL` is a refund or an upgrade. Where the purchases in the body show which, there is one
/// candidate; otherwise all possible ones are listed, and only Apple can tell.
///
/// Source: Apple, App Store Server Notifications, `notification_type` and `notificationType`.
public struct NotificationV1Meaning: Sendable, Hashable {
    /// A type of version 2 with its subtype.
    public struct Candidate: Sendable, Hashable {
        /// The type.
        public let notificationType: NotificationType
        /// The subtype; nil where version 2 has none.
        public let subtype: NotificationSubtype?
    }

    /// What it can be: at least one, in an order that says nothing about which is likelier.
    public let candidates: [Candidate]

    /// What it is; nil where the body does not show it.
    public var certain: Candidate? { candidates.count == 1 ? candidates.first : nil }

    static func type(_ type: NotificationType, _ subtypes: NotificationSubtype?...) -> NotificationV1Meaning {
        NotificationV1Meaning(candidates: subtypes.map { Candidate(notificationType: type, subtype: $0) })
    }

    static func either(_ one: NotificationV1Meaning, _ other: NotificationV1Meaning) -> NotificationV1Meaning {
        NotificationV1Meaning(candidates: one.candidates + other.candidates)
    }
}

extension NotificationV1Hint {
    /// What this would be in version 2, by its type and what its body holds; nil for a type that is not listed (FACT-5).
    ///
    /// It is as reliable as the notification, which proves nothing.
    public var meaning: NotificationV1Meaning? {
        switch notificationType {
        case .initialBuy: .type(.subscribed, .initialBuy)
        case .interactiveRenewal: interactiveRenewal
        case .didRenew: .type(.didRenew, nil)
        case .didRecover, .renewal: .type(.didRenew, .billingRecovery)
        case .didFailToRenew: failure
        case .didChangeRenewalPref: preference
        case .didChangeRenewalStatus: renewalStatus
        case .cancel: cancellation
        case .refund: .type(.refund, nil)
        case .revoke: .type(.revoke, nil)
        case .consumptionRequest: .type(.consumptionRequest, nil)
        case .priceIncreaseConsent: priceIncrease
        default: nil
        }
    }

    private static let upgrade = NotificationV1Meaning.type(.didChangeRenewalPref, .upgrade)
    private static let resubscription = NotificationV1Meaning.type(.subscribed, .resubscribe)

    /// The subscription that this is about; nil where the body names none and its purchases belong to several.
    private var subject: String? {
        if let originalTransactionId { return originalTransactionId }
        let subjects = Set(purchases.map(\.originalTransactionId))
        return subjects.count == 1 ? subjects.first : nil
    }

    /// The subscription's periods in the unified receipt, oldest first; withdrawn fields hold one only and never say what came
    /// before it. nil where not all of them are known.
    private var periods: [LegacyPurchase]? {
        guard let subject, let unifiedReceipt, unreadableItems.isEmpty else { return nil }
        let periods = unifiedReceipt.purchases.filter { $0.originalTransactionId == subject && $0.expiresDate != nil }
            .sorted { ($0.purchaseDate, $0.transactionId) < ($1.purchaseDate, $1.transactionId) }
        return periods.isEmpty ? nil : periods
    }

    /// How the subscription will renew; nil where the body does not say.
    private var renewal: LegacyRenewal? {
        guard let unifiedReceipt, let subject else { return nil }
        let renewals = unifiedReceipt.pendingRenewalInfo.filter { $0.originalTransactionId == subject }
        return renewals.count == 1 ? renewals.first : nil
    }

    /// An upgrade replaced the period that ran when the newest began; after a lapse there was none.
    private var interactiveRenewal: NotificationV1Meaning {
        let unknown = NotificationV1Meaning.either(Self.resubscription, Self.upgrade)
        guard let periods, let newest = periods.last else { return unknown }
        let earlier = periods.dropLast()
        let running = earlier.filter { newest.began(in: $0) }
        if running.contains(where: { $0.isUpgraded == true }) { return Self.upgrade }
        guard running.isEmpty, let last = earlier.compactMap(\.expiresDate).max(), last < newest.purchaseDate else {
            return unknown
        }
        return Self.resubscription
    }

    private var failure: NotificationV1Meaning {
        guard let renewal else { return .type(.didFailToRenew, .gracePeriod, nil) }
        return .type(.didFailToRenew, renewal.gracePeriodExpiresDate == nil ? nil : .gracePeriod)
    }

    /// If the next product differs from the present one, the change is deferred, which version 2 calls a downgrade. If it is the
    /// same, a change was reverted, or, where a period was replaced, the notification may belong to that upgrade.
    private var preference: NotificationV1Meaning {
        let unknown = NotificationV1Meaning.type(.didChangeRenewalPref, .downgrade, nil, .upgrade)
        guard let renewal, let next = nextProduct(of: renewal) else { return unknown }
        guard next == renewal.productId else {
            // A change that is in effect already is not deferred: the renewal still names the product before an upgrade.
            return periods?.last?.productId == next ? unknown : .type(.didChangeRenewalPref, .downgrade)
        }
        guard let periods, !periods.contains(where: { $0.isUpgraded == true }) else {
            return .type(.didChangeRenewalPref, nil, .upgrade)
        }
        return .type(.didChangeRenewalPref, nil)
    }

    /// The product of the next period; nil where the body names none, or two.
    private func nextProduct(of renewal: LegacyRenewal) -> String? {
        let products = Set([renewal.autoRenewProductId, autoRenewProductId].compactMap { $0 })
        return products.count == 1 ? products.first : nil
    }

    private var renewalStatus: NotificationV1Meaning {
        switch Set([autoRenewStatus, renewal?.autoRenewStatus].compactMap { $0 }) {
        case [.on]: .type(.didChangeRenewalStatus, .autoRenewEnabled)
        case [.off]: .type(.didChangeRenewalStatus, .autoRenewDisabled)
        default: .type(.didChangeRenewalStatus, .autoRenewEnabled, .autoRenewDisabled)
        }
    }

    /// The period that ended last shows it: an upgrade marks it and starts another one during it, a refund does neither.
    private var cancellation: NotificationV1Meaning {
        let unknown = NotificationV1Meaning.either(.type(.refund, nil), Self.upgrade)
        guard let periods, let end = periods.compactMap(\.cancellationDate).max() else { return unknown }
        let ended = periods.filter { $0.cancellationDate == end }
        if ended.allSatisfy({ $0.isUpgraded == true }) { return Self.upgrade }
        let isReplaced = ended.contains { period in
            period.isUpgraded == true
                || periods.contains { $0.purchaseDate > period.purchaseDate && $0.purchaseDate <= end && $0.began(in: period) }
        }
        return isReplaced ? unknown : .type(.refund, nil)
    }

    private var priceIncrease: NotificationV1Meaning {
        switch renewal?.priceConsentStatus {
        case .pending: .type(.priceIncrease, .pending)
        case .agreed: .type(.priceIncrease, .accepted)
        default: .type(.priceIncrease, .pending, .accepted)
        }
    }
}

extension LegacyPurchase {
    /// Whether this was bought before the end of the other's period.
    fileprivate func began(in other: LegacyPurchase) -> Bool { other.expiresDate.map { purchaseDate < $0 } ?? false }
}
