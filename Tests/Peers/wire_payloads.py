"""What Apple's payloads hold, in Apple's field names: the smallest that means something, and one with every field."""

from wire_checks import APPLE_ID, BUNDLE

SIGNED = 1_760_000_000_000  # 9 October 2025: within the certificates, and past for every clock that runs this
DAY = 86_400_000


def transaction(environment, **changes):
    return {
        "transactionId": "2000000000000002",
        "originalTransactionId": "2000000000000001",
        "bundleId": BUNDLE,
        "productId": "plus.monthly",
        "purchaseDate": SIGNED - DAY,
        "type": "Auto-Renewable Subscription",
        "environment": environment,
        "signedDate": SIGNED,
        **changes,
    }


def renewal_info(environment, **changes):
    return {
        "originalTransactionId": "2000000000000001",
        "autoRenewStatus": 1,
        "environment": environment,
        "signedDate": SIGNED,
        **changes,
    }


def app_transaction(environment, **changes):
    return {"receiptType": environment, "bundleId": BUNDLE, "appAppleId": APPLE_ID, "receiptCreationDate": SIGNED, **changes}


def realtime_request(environment, **changes):
    return {
        "originalTransactionId": "2000000000000001",
        "appAppleId": APPLE_ID,
        "productId": "plus.monthly",
        "userLocale": "en-US",
        "requestIdentifier": "6b1a2cf4-3d2f-4c2e-9d0a-0a1b2c3d4e5f",
        "environment": environment,
        "signedDate": SIGNED,
        **changes,
    }


def notification(environment, data=None, **changes):
    return {
        "notificationType": "DID_RENEW",
        "notificationUUID": "0e2f5f0a-8f50-4d35-9f8e-2c9a6d6b7a10",
        "version": "2.0",
        "signedDate": SIGNED,
        "data": notification_data(environment, **(data or {})),
        **changes,
    }


def notification_data(environment, **changes):
    return {"appAppleId": APPLE_ID, "bundleId": BUNDLE, "environment": environment, **changes}


MAKERS = {
    "transaction": transaction,
    "renewalInfo": renewal_info,
    "appTransaction": app_transaction,
    "realtimeRequest": realtime_request,
    "notification": notification,
}

# Every optional field that Apple documents, with a value that Apple could write.
OPTIONAL = {
    "transaction": {
        "webOrderLineItemId": "2000000000000003",
        "subscriptionGroupIdentifier": "21000000",
        "originalPurchaseDate": SIGNED - 40 * DAY,
        "expiresDate": SIGNED + 29 * DAY,
        "quantity": 1,
        "appAccountToken": "7e3fb204-2cc1-4d2b-9b8f-2d8f3a1d8a3c",
        "inAppOwnershipType": "PURCHASED",
        "revocationReason": 0,
        "revocationDate": SIGNED - 1,
        "isUpgraded": True,
        "offerType": 2,
        "offerIdentifier": "half.price",
        "storefront": "USA",
        "storefrontId": "143441",
        "transactionReason": "RENEWAL",
        "currency": "USD",
        "price": 9990,
        "offerDiscountType": "PAY_AS_YOU_GO",
        "appTransactionId": "704000000000000000",
        "offerPeriod": "P1M",
        "revocationType": "REFUND_PRORATED",
        "revocationPercentage": 50000,
        "advancedCommerceInfo": {"requestReferenceId": "7e3fb204-2cc1-4d2b-9b8f-2d8f3a1d8a3d", "taxCode": "C003-00-1"},
        "billingPlanType": "MONTHLY",
        "commitmentInfo": {
            "billingPeriodNumber": 2,
            "totalBillingPeriods": 12,
            "commitmentPrice": 119880,
            "commitmentExpiresDate": SIGNED + 300 * DAY,
        },
    },
    "renewalInfo": {
        "productId": "plus.monthly",
        "autoRenewProductId": "pro.monthly",
        "renewalDate": SIGNED + DAY,
        "renewalPrice": 9990,
        "currency": "EUR",
        "isInBillingRetryPeriod": False,
        "gracePeriodExpiresDate": SIGNED + 16 * DAY,
        "expirationIntent": 2,
        "priceIncreaseStatus": 0,
        "offerType": 1,
        "offerIdentifier": "half.price",
        "offerDiscountType": "FREE_TRIAL",
        "offerPeriod": "P1W",
        "eligibleWinBackOfferIds": ["back", "come.back"],
        "recentSubscriptionStartDate": SIGNED - 90 * DAY,
        "appAccountToken": "7e3fb204-2cc1-4d2b-9b8f-2d8f3a1d8a3c",
        "appTransactionId": "704000000000000000",
        "renewalBillingPlanType": "BILLED_UPFRONT",
        "commitmentInfo": {
            "commitmentAutoRenewProductId": "pro.monthly",
            "commitmentAutoRenewStatus": 1,
            "commitmentRenewalBillingPlanType": "MONTHLY",
            "commitmentRenewalDate": SIGNED + DAY,
            "commitmentRenewalPrice": 9990,
        },
    },
    "appTransaction": {
        "applicationVersion": "7",
        "versionExternalIdentifier": 850000000,
        "originalPurchaseDate": SIGNED - 900 * DAY,
        "originalApplicationVersion": "1.0",
        "deviceVerification": "q83vASNFZ4k=",
        "preorderDate": SIGNED - 950 * DAY,
        "deviceVerificationNonce": "48ccfa42-7431-4f22-9908-7e88983e105a",
        "appTransactionId": "704000000000000000",
        "originalPlatform": "iOS",
        "signedDate": SIGNED,
    },
    "realtimeRequest": {},
    "notification": {"subtype": "BILLING_RECOVERY"},
}

# Values that are newer than any list of values.
UNKNOWN_VALUES = {
    "transaction": {
        "type": "Leased Subscription",
        "inAppOwnershipType": "LENT",
        "offerType": 99,
        "revocationReason": 7,
        "transactionReason": "GIFT",
        "offerDiscountType": "PAY_LATER",
        "billingPlanType": "WEEKLY",
    },
    "renewalInfo": {"autoRenewStatus": 9, "expirationIntent": 42, "priceIncreaseStatus": 5, "offerDiscountType": "PAY_LATER"},
    "appTransaction": {"originalPlatform": "carOS"},
    "realtimeRequest": {"userLocale": "tlh-Latn-x-new"},
    "notification": {"notificationType": "SUBSCRIPTION_TELEPORTED", "subtype": "SIDEWAYS"},
}

# Fields that a server requires in a payload, even if a library does not.
REQUIRED = {
    "transaction": [
        "transactionId",
        "originalTransactionId",
        "bundleId",
        "productId",
        "purchaseDate",
        "type",
        "environment",
        "signedDate",
    ],
    "renewalInfo": ["originalTransactionId", "autoRenewStatus", "environment", "signedDate"],
    "appTransaction": ["receiptType", "bundleId", "receiptCreationDate"],
    "realtimeRequest": [
        "originalTransactionId",
        "appAppleId",
        "productId",
        "userLocale",
        "requestIdentifier",
        "environment",
        "signedDate",
    ],
    "notification": ["notificationType", "notificationUUID", "signedDate", "data"],
}
