import AppStoreWire

/// What a notification of version 2 means, in words, and what it does to access.
///
/// Source: Apple, App Store Server Notifications, `notificationType` and `subtype`.
enum NotificationMeaning {
    static func words(_ type: NotificationType, _ subtype: NotificationSubtype?) -> String {
        if let subtype, let words = table[[type.rawValue, subtype.rawValue].joined(separator: "/")] { return words }
        if let words = table[type.rawValue] {
            return subtype.map { "\(words) The detail \($0.rawValue) is newer than this program." } ?? words
        }
        return "A type of notification that is newer than this program. It is stored and changes no access."
    }

    private static let table: [String: String] = [
        "SUBSCRIBED/INITIAL_BUY":
            "A first subscription in the group, or access through Family Sharing. Access until expiresDate.",
        "SUBSCRIBED/RESUBSCRIBE": "Subscribed again after a lapse. Access until expiresDate.",
        "DID_CHANGE_RENEWAL_PREF/UPGRADE":
            "Changed immediately to a product of a higher level, or of the same level and duration. The old period ends there.",
        "DID_CHANGE_RENEWAL_PREF/DOWNGRADE":
            "Another product from the next renewal on: autoRenewProductId. Access does not change until then.",
        "DID_CHANGE_RENEWAL_PREF": "A planned change was cancelled. Access does not change.",
        "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED": "Auto-renew was turned on. Access does not change.",
        "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED":
            "Auto-renew was turned off, by the customer or after a refund. Access until expiresDate; a commitment continues.",
        "OFFER_REDEEMED": "A subscriber redeemed an offer for the product that they have. Access does not change.",
        "OFFER_REDEEMED/UPGRADE": "An offer with an immediate change to a product of a higher level.",
        "OFFER_REDEEMED/DOWNGRADE": "An offer with a change of product at the next renewal.",
        "OFFER_REDEEMED/INITIAL_BUY": "A first subscription with an offer; written before 2024.",
        "OFFER_REDEEMED/RESUBSCRIBE": "Subscribed again with an offer; written before 2024.",
        "DID_RENEW": "Renewed. Access until the new expiresDate.",
        "DID_RENEW/BILLING_RECOVERY": "A payment that had failed succeeded. Access until the new expiresDate.",
        "DID_FAIL_TO_RENEW": "The renewal could not be charged and there is no grace period. No access; Apple keeps trying.",
        "DID_FAIL_TO_RENEW/GRACE_PERIOD": "The renewal could not be charged. Access until gracePeriodExpiresDate.",
        "GRACE_PERIOD_EXPIRED": "The billing grace period ended without a payment. No access; Apple keeps trying.",
        "EXPIRED/VOLUNTARY": "Expired because the customer had turned auto-renew off.",
        "EXPIRED/BILLING_RETRY": "Expired because no payment succeeded while Apple tried.",
        "EXPIRED/PRICE_INCREASE": "Expired because the customer did not agree to a higher price.",
        "EXPIRED/PRODUCT_NOT_FOR_SALE": "Expired because the product was no longer for sale.",
        "EXPIRED": "Expired for another reason.",
        "PRICE_INCREASE/PENDING":
            "The customer was asked to agree to a higher price and has not answered. Access does not change.",
        "PRICE_INCREASE/ACCEPTED": "The customer agreed to a higher price, or was informed of one that needs no consent.",
        "REFUND": "One transaction was refunded. What it bought ends at revocationDate; other periods are not affected.",
        "REFUND/SEATS": "Seats of a group purchase were refunded; the purchase remains.",
        "REFUND_DECLINED": "Apple declined a refund. Nothing changes.",
        "REFUND_REVERSED": "A refund was reversed after a dispute. What it took is restored; the renewal date stays.",
        "CONSUMPTION_REQUEST": "A customer asks for a refund and Apple asks how much was used: answer within 12 hours.",
        "REVOKE": "Access through Family Sharing ended for this member.",
        "RENEWAL_EXTENDED": "The renewal date of one subscription was extended. Access until the new expiresDate.",
        "RENEWAL_EXTENSION/SUMMARY": "A request to extend many subscriptions is done: see the counts.",
        "RENEWAL_EXTENSION/FAILURE": "One subscription could not be extended.",
        "ONE_TIME_CHARGE": "A one-time purchase: a consumable, a non-consumable or a non-renewing subscription.",
        "EXTERNAL_PURCHASE_TOKEN/CREATED": "A token for purchases outside the App Store was created. For reports only.",
        "EXTERNAL_PURCHASE_TOKEN/ACTIVE_TOKEN_REMINDER": "A token for purchases outside the App Store is still active.",
        "EXTERNAL_PURCHASE_TOKEN/UNREPORTED": "No report was received about a token for purchases outside the App Store.",
        "RESCIND_CONSENT": "A parent or guardian withdrew consent for a child's use of the app: stop serving the child.",
        "METADATA_UPDATE": "Advanced Commerce: the description of a subscription changed.",
        "MIGRATION": "Advanced Commerce: a subscription was migrated.",
        "PRICE_CHANGE": "Advanced Commerce: a price changes.",
        "UNCLAIM_SEATS": "Seats of a group purchase were given back: unclaimInfo.",
        "TEST": "The test that Request a Test Notification asks for. The address works.",
    ]
}
