import Ledger
import Primitives

/// Apple's table of notifications, and the required result of each in each state of a subscription.
///
/// Written by hand from the column "Entitlement effect" of Apple's types and subtypes and from Apple's description of their
/// content; never from the ledger's answers.
///
/// Source: Apple, App Store Server Notifications V2, `notificationType`, `subtype`, `data`.
enum NotificationTable {
    /// Apple's types and subtypes, each pair once; "-" is none. Copied from Apple's table.
    static let applesTable = """
        SUBSCRIBED INITIAL_BUY
        SUBSCRIBED RESUBSCRIBE
        DID_CHANGE_RENEWAL_PREF UPGRADE
        DID_CHANGE_RENEWAL_PREF DOWNGRADE
        DID_CHANGE_RENEWAL_PREF -
        DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_ENABLED
        DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED
        OFFER_REDEEMED -
        OFFER_REDEEMED UPGRADE
        OFFER_REDEEMED DOWNGRADE
        OFFER_REDEEMED INITIAL_BUY
        OFFER_REDEEMED RESUBSCRIBE
        DID_RENEW -
        DID_RENEW BILLING_RECOVERY
        DID_FAIL_TO_RENEW -
        DID_FAIL_TO_RENEW GRACE_PERIOD
        GRACE_PERIOD_EXPIRED -
        EXPIRED VOLUNTARY
        EXPIRED BILLING_RETRY
        EXPIRED PRICE_INCREASE
        EXPIRED PRODUCT_NOT_FOR_SALE
        EXPIRED -
        PRICE_INCREASE PENDING
        PRICE_INCREASE ACCEPTED
        REFUND -
        REFUND SEATS
        REFUND_DECLINED -
        REFUND_REVERSED -
        CONSUMPTION_REQUEST -
        REVOKE -
        RENEWAL_EXTENDED -
        RENEWAL_EXTENSION SUMMARY
        RENEWAL_EXTENSION FAILURE
        ONE_TIME_CHARGE -
        EXTERNAL_PURCHASE_TOKEN CREATED
        EXTERNAL_PURCHASE_TOKEN ACTIVE_TOKEN_REMINDER
        EXTERNAL_PURCHASE_TOKEN UNREPORTED
        RESCIND_CONSENT -
        TEST -
        METADATA_UPDATE -
        MIGRATION -
        PRICE_CHANGE -
        UNCLAIM_SEATS -
        """

    /// The subscription's state when the notification arrives: a month from January 1 to February 1, 2026, owned by Alice.
    ///
    /// | state | what Apple signed | seen at |
    /// | unknown | nothing | January 20 |
    /// | renewing | auto-renew on | January 20 |
    /// | ending | auto-renew off since January 10 | January 20 |
    /// | grace | a failed charge, grace until February 17 | February 5 |
    /// | retry | a failed charge | February 5 |
    /// | expired | auto-renew off, over since February 1 | February 10 |
    /// | revoked | a full refund on January 15 | January 20 |
    /// | deferred | a change to another product at the renewal | January 20 |
    enum State: String, CaseIterable {
        case unknown, renewing, ending, grace, retry, expired, revoked, deferred

        /// The status, and the signed end of access, before the notification.
        var before: (status: String, until: String) {
            switch self {
            case .unknown: ("-", "-")
            case .renewing, .ending, .deferred: ("active 02-01", "02-01")
            case .grace: ("billingGracePeriod 02-17", "02-17")
            case .retry: ("billingRetry 02-01", "02-01")
            case .expired: ("expired 02-01", "02-01")
            case .revoked: ("revoked 01-15", "01-15")
            }
        }
    }

    /// One row for one state.
    struct Row: CustomStringConvertible {
        let type: String
        let subtype: String?
        let state: State
        let outcome: Outcome

        var description: String { "\(type) \(subtype ?? "-") in \(state)" }
    }

    enum Outcome {
        /// Status and signed end afterwards, and the events since the state was observed, including those caused by time.
        case defined(status: String, until: String, events: [String])
        /// Apple does not send this in that state; if it arrives anyway, nothing breaks and nobody gets more than Apple signed.
        case impossible(why: String)
    }

    /// `type | subtype | states | status, until | events`; "=" is what it was before, "known" all states but `unknown`.
    ///
    /// The owner is Alice in all states but `unknown`, which nobody has claimed: a notification never moves a subscription
    /// (OWN-8).
    static let text = """
        SUBSCRIBED | INITIAL_BUY | unknown | active 02-20, 02-20 | subscription.started
        SUBSCRIBED | INITIAL_BUY | known | impossible: the first purchase of a subscription makes its originalTransactionId

        SUBSCRIBED | RESUBSCRIBE | unknown | active 02-20, 02-20 | subscription.started
        SUBSCRIBED | RESUBSCRIBE | retry | active 03-05, 03-05 | subscription.resubscribed access.changed
        SUBSCRIBED | RESUBSCRIBE | expired | active 03-10, 03-10 | subscription.resubscribed access.changed
        SUBSCRIBED | RESUBSCRIBE | revoked | active 02-20, 02-20 | subscription.resubscribed access.changed
        SUBSCRIBED | RESUBSCRIBE | renewing ending deferred grace | impossible: Apple stops the purchase of what runs

        DID_CHANGE_RENEWAL_PREF | UPGRADE | unknown | active 02-20, 02-20 | subscription.started
        DID_CHANGE_RENEWAL_PREF | UPGRADE | renewing ending deferred | active 02-20, 02-20 | subscription.changed access.changed
        DID_CHANGE_RENEWAL_PREF | UPGRADE | grace retry | active 03-05, 03-05 | subscription.resubscribed access.changed
        DID_CHANGE_RENEWAL_PREF | UPGRADE | expired revoked | impossible: what is over is bought again, not upgraded

        DID_CHANGE_RENEWAL_PREF | DOWNGRADE | unknown | active 02-01, 02-01 | subscription.started change.scheduled
        DID_CHANGE_RENEWAL_PREF | DOWNGRADE | renewing grace retry | = | change.scheduled
        DID_CHANGE_RENEWAL_PREF | DOWNGRADE | ending | = | renewal.turnedOn change.scheduled access.changed
        DID_CHANGE_RENEWAL_PREF | DOWNGRADE | deferred | = |
        DID_CHANGE_RENEWAL_PREF | DOWNGRADE | expired revoked | impossible: there is no renewal to change

        DID_CHANGE_RENEWAL_PREF | - | unknown | active 02-01, 02-01 | subscription.started
        DID_CHANGE_RENEWAL_PREF | - | deferred | = | change.withdrawn
        DID_CHANGE_RENEWAL_PREF | - | renewing ending grace retry | = |
        DID_CHANGE_RENEWAL_PREF | - | expired revoked | impossible: there is no renewal to change

        DID_CHANGE_RENEWAL_STATUS | AUTO_RENEW_ENABLED | unknown | active 02-01, 02-01 | subscription.started
        DID_CHANGE_RENEWAL_STATUS | AUTO_RENEW_ENABLED | ending | = | renewal.turnedOn access.changed
        DID_CHANGE_RENEWAL_STATUS | AUTO_RENEW_ENABLED | renewing deferred grace retry revoked | = |
        DID_CHANGE_RENEWAL_STATUS | AUTO_RENEW_ENABLED | expired | impossible: what is over is bought again

        DID_CHANGE_RENEWAL_STATUS | AUTO_RENEW_DISABLED | unknown | active 02-01, 02-01 | subscription.started renewal.turnedOff
        DID_CHANGE_RENEWAL_STATUS | AUTO_RENEW_DISABLED | renewing deferred | = | renewal.turnedOff access.changed
        DID_CHANGE_RENEWAL_STATUS | AUTO_RENEW_DISABLED | ending | = |
        DID_CHANGE_RENEWAL_STATUS | AUTO_RENEW_DISABLED | grace | expired 02-01, 02-05 | renewal.turnedOff access.changed \
        gracePeriod.ended access.ended subscription.expired
        DID_CHANGE_RENEWAL_STATUS | AUTO_RENEW_DISABLED | retry | expired 02-01, 02-01 | renewal.turnedOff subscription.expired
        DID_CHANGE_RENEWAL_STATUS | AUTO_RENEW_DISABLED | revoked | = | renewal.turnedOff
        DID_CHANGE_RENEWAL_STATUS | AUTO_RENEW_DISABLED | expired | impossible: it is off

        OFFER_REDEEMED | - | unknown | active 02-01, 02-01 | subscription.started offer.redeemed
        OFFER_REDEEMED | - | renewing deferred | = | offer.redeemed
        OFFER_REDEEMED | - | ending | = | renewal.turnedOn access.changed offer.redeemed
        OFFER_REDEEMED | - | grace retry expired revoked | impossible: only an active subscriber redeems for what he has

        OFFER_REDEEMED | UPGRADE | unknown | active 02-20, 02-20 | subscription.started offer.redeemed
        OFFER_REDEEMED | UPGRADE | renewing ending deferred | active 02-20, 02-20 | \
        subscription.changed offer.redeemed access.changed
        OFFER_REDEEMED | UPGRADE | grace retry expired revoked | impossible: only an active subscriber is upgraded

        OFFER_REDEEMED | DOWNGRADE | unknown | active 02-01, 02-01 | subscription.started change.scheduled offer.redeemed
        OFFER_REDEEMED | DOWNGRADE | renewing | = | change.scheduled offer.redeemed
        OFFER_REDEEMED | DOWNGRADE | ending | = | renewal.turnedOn change.scheduled access.changed offer.redeemed
        OFFER_REDEEMED | DOWNGRADE | deferred | = | offer.redeemed
        OFFER_REDEEMED | DOWNGRADE | grace retry expired revoked | impossible: only an active subscriber has a renewal to change

        OFFER_REDEEMED | INITIAL_BUY | unknown | active 02-20, 02-20 | subscription.started offer.redeemed
        OFFER_REDEEMED | INITIAL_BUY | known | impossible: the first purchase makes its originalTransactionId

        OFFER_REDEEMED | RESUBSCRIBE | unknown | active 02-20, 02-20 | subscription.started offer.redeemed
        OFFER_REDEEMED | RESUBSCRIBE | retry | active 03-05, 03-05 | subscription.resubscribed offer.redeemed access.changed
        OFFER_REDEEMED | RESUBSCRIBE | expired | active 03-10, 03-10 | subscription.resubscribed offer.redeemed access.changed
        OFFER_REDEEMED | RESUBSCRIBE | revoked | active 02-20, 02-20 | subscription.resubscribed offer.redeemed access.changed
        OFFER_REDEEMED | RESUBSCRIBE | renewing ending deferred grace | impossible: Apple stops the purchase of what runs

        DID_RENEW | - | unknown | notBegun 02-01, 03-01 | subscription.renewed
        DID_RENEW | - | renewing deferred | active 02-01, 03-01 | subscription.renewed access.changed
        DID_RENEW | - | ending | active 02-01, 03-01 | subscription.renewed renewal.turnedOn access.changed
        DID_RENEW | - | revoked | revoked 01-15, 03-01 | subscription.renewed access.changed
        DID_RENEW | - | grace retry | impossible: Apple calls that a recovery
        DID_RENEW | - | expired | impossible: what is over is bought again

        DID_RENEW | BILLING_RECOVERY | unknown | active 03-05, 03-05 | subscription.renewed
        DID_RENEW | BILLING_RECOVERY | grace | active 03-01, 03-01 | subscription.recovered access.changed
        DID_RENEW | BILLING_RECOVERY | retry | active 03-05, 03-05 | subscription.recovered access.changed
        DID_RENEW | BILLING_RECOVERY | renewing deferred | active 03-05, 03-05 | \
        access.provisional access.ended subscription.expired subscription.recovered access.changed
        DID_RENEW | BILLING_RECOVERY | ending | active 03-05, 03-05 | \
        access.ended subscription.expired subscription.recovered renewal.turnedOn access.changed
        DID_RENEW | BILLING_RECOVERY | revoked | active 03-05, 03-05 | subscription.recovered access.changed
        DID_RENEW | BILLING_RECOVERY | expired | impossible: Apple tries no more

        DID_FAIL_TO_RENEW | - | unknown | billingRetry 02-01, 02-01 | subscription.started billing.failed access.ended
        DID_FAIL_TO_RENEW | - | renewing deferred | billingRetry 02-01, 02-01 | \
        access.provisional billing.failed access.changed access.ended
        DID_FAIL_TO_RENEW | - | retry | = |
        DID_FAIL_TO_RENEW | - | ending expired revoked | impossible: nothing is charged
        DID_FAIL_TO_RENEW | - | grace | impossible: the end of the grace period has a notification of its own

        DID_FAIL_TO_RENEW | GRACE_PERIOD | unknown | billingGracePeriod 02-17, 02-17 | \
        subscription.started billing.failed gracePeriod.began
        DID_FAIL_TO_RENEW | GRACE_PERIOD | renewing deferred | billingGracePeriod 02-17, 02-17 | \
        access.provisional billing.failed access.changed gracePeriod.began
        DID_FAIL_TO_RENEW | GRACE_PERIOD | grace | = |
        DID_FAIL_TO_RENEW | GRACE_PERIOD | ending expired revoked | impossible: nothing is charged
        DID_FAIL_TO_RENEW | GRACE_PERIOD | retry | impossible: a grace period is at the beginning

        GRACE_PERIOD_EXPIRED | - | unknown | billingRetry 02-01, 02-01 | subscription.started billing.failed access.ended
        GRACE_PERIOD_EXPIRED | - | grace | billingRetry 02-01, 02-17 | gracePeriod.ended access.ended
        GRACE_PERIOD_EXPIRED | - | renewing deferred | billingRetry 02-01, 02-01 | \
        access.provisional access.ended subscription.expired billing.failed
        GRACE_PERIOD_EXPIRED | - | retry | = |
        GRACE_PERIOD_EXPIRED | - | ending expired revoked | impossible: nothing is charged

        EXPIRED | VOLUNTARY | unknown | expired 02-01, 02-01 | \
        subscription.started renewal.turnedOff access.ended subscription.expired
        EXPIRED | VOLUNTARY | ending | expired 02-01, 02-01 | access.ended subscription.expired
        EXPIRED | VOLUNTARY | renewing deferred | expired 02-01, 02-01 | \
        access.provisional renewal.turnedOff access.changed access.ended subscription.expired
        EXPIRED | VOLUNTARY | grace | expired 02-01, 02-05 | \
        renewal.turnedOff access.changed gracePeriod.ended access.ended subscription.expired
        EXPIRED | VOLUNTARY | retry | expired 02-01, 02-01 | renewal.turnedOff subscription.expired
        EXPIRED | VOLUNTARY | expired | = |
        EXPIRED | VOLUNTARY | revoked | = | renewal.turnedOff

        EXPIRED | BILLING_RETRY | unknown | expired 02-01, 02-01 | \
        subscription.started renewal.turnedOff access.ended subscription.expired
        EXPIRED | BILLING_RETRY | retry | expired 02-01, 02-01 | renewal.turnedOff subscription.expired
        EXPIRED | BILLING_RETRY | grace | expired 02-01, 02-17 | \
        gracePeriod.ended access.ended renewal.turnedOff subscription.expired
        EXPIRED | BILLING_RETRY | renewing deferred | expired 02-01, 02-01 | \
        access.provisional access.ended subscription.expired renewal.turnedOff
        EXPIRED | BILLING_RETRY | ending expired revoked | impossible: nothing is charged

        EXPIRED | PRICE_INCREASE | unknown | expired 02-01, 02-01 | \
        subscription.started renewal.turnedOff access.ended subscription.expired
        EXPIRED | PRICE_INCREASE | renewing deferred | expired 02-01, 02-01 | \
        access.provisional renewal.turnedOff access.changed access.ended subscription.expired
        EXPIRED | PRICE_INCREASE | ending | expired 02-01, 02-01 | access.ended subscription.expired
        EXPIRED | PRICE_INCREASE | grace retry expired revoked | impossible: it is over, or was not asked

        EXPIRED | PRODUCT_NOT_FOR_SALE | unknown | expired 02-01, 02-01 | \
        subscription.started renewal.turnedOff access.ended subscription.expired
        EXPIRED | PRODUCT_NOT_FOR_SALE | renewing deferred | expired 02-01, 02-01 | \
        access.provisional renewal.turnedOff access.changed access.ended subscription.expired
        EXPIRED | PRODUCT_NOT_FOR_SALE | ending | expired 02-01, 02-01 | access.ended subscription.expired
        EXPIRED | PRODUCT_NOT_FOR_SALE | grace retry expired revoked | impossible: it is over, or was not to be renewed

        EXPIRED | - | unknown | expired 02-01, 02-01 | subscription.started renewal.turnedOff access.ended subscription.expired
        EXPIRED | - | renewing deferred | expired 02-01, 02-01 | \
        access.provisional renewal.turnedOff access.changed access.ended subscription.expired
        EXPIRED | - | ending | expired 02-01, 02-01 | access.ended subscription.expired
        EXPIRED | - | grace retry expired revoked | impossible: the other subtypes tell of these

        PRICE_INCREASE | PENDING | unknown | active 02-01, 02-01 | subscription.started priceIncrease.pending
        PRICE_INCREASE | PENDING | renewing deferred grace retry | = | priceIncrease.pending
        PRICE_INCREASE | PENDING | ending expired revoked | impossible: nothing will be charged

        PRICE_INCREASE | ACCEPTED | unknown | active 02-01, 02-01 | subscription.started priceIncrease.accepted
        PRICE_INCREASE | ACCEPTED | renewing deferred grace retry | = | priceIncrease.accepted
        PRICE_INCREASE | ACCEPTED | ending expired revoked | impossible: nothing will be charged

        REFUND | - | unknown | revoked 01-20, 01-20 | subscription.started purchase.refunded access.ended
        REFUND | - | renewing ending deferred | revoked 01-20, 01-20 | purchase.refunded access.changed access.ended
        REFUND | - | grace | revoked 02-05, 02-05 | purchase.refunded access.changed gracePeriod.ended access.ended
        REFUND | - | retry expired | = | purchase.refunded
        REFUND | - | revoked | = |

        REFUND | SEATS | unknown | active 02-01, 02-01 | subscription.started
        REFUND | SEATS | known | = |

        REFUND_DECLINED | - | unknown | active 02-01, 02-01 | subscription.started refund.declined
        REFUND_DECLINED | - | known | = | refund.declined

        REFUND_REVERSED | - | unknown | active 02-01, 02-01 | subscription.started
        REFUND_REVERSED | - | revoked | active 02-01, 02-01 | refund.reversed access.changed
        REFUND_REVERSED | - | renewing ending deferred grace retry expired | = |

        CONSUMPTION_REQUEST | - | unknown | active 02-01, 02-01 | subscription.started consumption.requested
        CONSUMPTION_REQUEST | - | known | = | consumption.requested

        REVOKE | - | unknown | revoked 01-20, 01-20 | subscription.started familySharing.stopped access.ended
        REVOKE | - | renewing ending deferred | revoked 01-20, 01-20 | familySharing.stopped access.changed access.ended
        REVOKE | - | grace | revoked 02-05, 02-05 | familySharing.stopped access.changed gracePeriod.ended access.ended
        REVOKE | - | retry expired | = | familySharing.stopped
        REVOKE | - | revoked | impossible: it is revoked

        RENEWAL_EXTENDED | - | unknown | active 02-11, 02-11 | subscription.started
        RENEWAL_EXTENDED | - | renewing ending deferred | active 02-11, 02-11 | subscription.extended access.changed
        RENEWAL_EXTENDED | - | grace retry expired revoked | impossible: only what is active and paid is extended

        RENEWAL_EXTENSION | SUMMARY | unknown | -, - |
        RENEWAL_EXTENSION | SUMMARY | known | = |
        RENEWAL_EXTENSION | FAILURE | unknown | active 02-01, 02-01 | subscription.started
        RENEWAL_EXTENSION | FAILURE | known | = |

        ONE_TIME_CHARGE | - | unknown | active forever, forever | purchase.made
        ONE_TIME_CHARGE | - | known | impossible: a one-time purchase has its own originalTransactionId

        EXTERNAL_PURCHASE_TOKEN | CREATED | unknown | -, - |
        EXTERNAL_PURCHASE_TOKEN | CREATED | known | = |
        EXTERNAL_PURCHASE_TOKEN | ACTIVE_TOKEN_REMINDER | unknown | -, - |
        EXTERNAL_PURCHASE_TOKEN | ACTIVE_TOKEN_REMINDER | known | = |
        EXTERNAL_PURCHASE_TOKEN | UNREPORTED | unknown | -, - |
        EXTERNAL_PURCHASE_TOKEN | UNREPORTED | known | = |
        RESCIND_CONSENT | - | unknown | -, - |
        RESCIND_CONSENT | - | known | = |
        TEST | - | unknown | -, - |
        TEST | - | known | = |

        METADATA_UPDATE | - | unknown | active 02-01, 02-01 | subscription.started
        METADATA_UPDATE | - | known | = |
        MIGRATION | - | unknown | active 02-01, 02-01 | subscription.started
        MIGRATION | - | known | = |
        PRICE_CHANGE | - | unknown | active 02-01, 02-01 | subscription.started
        PRICE_CHANGE | - | known | = |
        UNCLAIM_SEATS | - | unknown | -, - |
        UNCLAIM_SEATS | - | known | = |
        """
}
