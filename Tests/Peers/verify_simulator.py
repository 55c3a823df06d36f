#!/usr/bin/env python3
"""Checks with Apple's own server library what a running simulator signs.

Usage: verify_simulator.py BASE_URL BUNDLE_ID APP_APPLE_ID [ENVIRONMENT]

ENVIRONMENT is Production (default) or Sandbox. Needs the package app-store-server-library. Buys on the simulator under an account of
its own, so the simulator should be one for tests. Prints one line per check; the exit code is 1 when one failed.
"""

import hashlib
import json
import sys
import urllib.request
import uuid

from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.models.NotificationTypeV2 import NotificationTypeV2
from appstoreserverlibrary.models.Subtype import Subtype
from appstoreserverlibrary.models.Type import Type
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier, VerificationException, VerificationStatus

failures = 0


def check(name, is_true, detail=""):
    global failures
    failures += not is_true
    print(f"{'ok  ' if is_true else 'FAIL'} {name}{'' if is_true or not detail else ': ' + str(detail)}")


class Control:
    def __init__(self, base_url):
        self.base = base_url.rstrip("/") + "/control/v1"

    def raw(self, path, body=None):
        content = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data=content, headers={"content-type": "application/json"})
        with urllib.request.urlopen(request, timeout=30) as response:
            return response.read()

    def __call__(self, path, body=None):
        return json.loads(self.raw(path, body))


def refusal(verify, signed):
    """The reason why Apple's library refuses the payload; None if it accepts it."""
    try:
        verify(signed)
        return None
    except VerificationException as refused:
        return refused.status


def check_root(control):
    root = control.raw("/root.der")
    check("the root's fingerprint is the root's", hashlib.sha256(root).hexdigest() == control("/root")["sha256"])
    return root


def check_purchase(control, verifier, bundle_id, token):
    account = "peer-" + uuid.uuid4().hex[:12]
    control("/accounts", {"id": account})
    product = next(p for p in control("/products")["products"] if "period" in p)
    bought = control(f"/accounts/{account}/purchases", {"productId": product["productId"], "appAccountToken": token})
    transaction = verifier.verify_and_decode_signed_transaction(bought["signedTransactionInfo"])
    check("a purchase is accepted", transaction.transactionId == bought["transactionId"])
    check("a first purchase names itself", transaction.originalTransactionId == transaction.transactionId)
    check("it is about this app", transaction.bundleId == bundle_id)
    check("it carries the account token", str(transaction.appAccountToken) == token)
    check("its type is known", transaction.type == Type.AUTO_RENEWABLE_SUBSCRIPTION, transaction.rawType)
    check("it ends after it begins", transaction.expiresDate > transaction.purchaseDate)
    return bought["originalTransactionId"]


def check_subscription(control, verifier, original):
    control("/clock/advance", {"days": 40})
    report = control(f"/subscriptions/{original}")
    transaction = verifier.verify_and_decode_signed_transaction(report["signedTransactionInfo"])
    renewal = verifier.verify_and_decode_renewal_info(report["signedRenewalInfo"])
    check("a renewal has a new id", transaction.transactionId != original)
    check("the renewal info is of the subscription", renewal.originalTransactionId == original)
    check("both are of one customer", renewal.appTransactionId == transaction.appTransactionId)
    check("it renews when the period ends", renewal.renewalDate == transaction.expiresDate)


def live(control, original):
    """Lets happen what the simulator has a notification for, so that each of them is looked at."""
    subscription = f"/subscriptions/{original}"
    control(subscription + "/auto-renew", {"enabled": False})
    control(subscription + "/auto-renew", {"enabled": True})
    control(subscription + "/payment", {"fails": True, "gracePeriodDays": 16})
    control("/clock/advance", {"days": 31})
    control(subscription + "/payment", {"fails": False})
    current = control(subscription)["transactionId"]
    control(f"/transactions/{current}/refund", {"percentage": 50000, "requestedByCustomer": True})
    control(f"/transactions/{current}/refund/reverse", {})
    control("/clock/advance", {"days": 400})


def check_notifications(control, verifier, original):
    records = [n for n in control("/notifications?limit=1000")["notifications"] if n["originalTransactionId"] == original]
    check("there are notifications", len(records) >= 9, len(records))
    for record in records:
        decoded = verifier.verify_and_decode_notification(record["signedPayload"])
        name = record["notificationType"] + ("/" + record["subtype"] if "subtype" in record else "")
        verifier.verify_and_decode_signed_transaction(decoded.data.signedTransactionInfo)
        verifier.verify_and_decode_renewal_info(decoded.data.signedRenewalInfo)
        known = isinstance(decoded.notificationType, NotificationTypeV2) and (
            decoded.rawSubtype is None or isinstance(decoded.subtype, Subtype))
        check(f"{name} is accepted and known", known and decoded.notificationUUID == record["notificationUUID"])
    return records[-1]["signedPayload"]


def main(base_url, bundle_id, app_apple_id, environment="Production"):
    control = Control(base_url)
    root = check_root(control)

    def verifier(bundle=bundle_id, app=int(app_apple_id)):
        return SignedDataVerifier([root], False, Environment(environment), bundle, app)

    original = check_purchase(control, verifier(), bundle_id, str(uuid.uuid4()))
    check_subscription(control, verifier(), original)
    live(control, original)
    signed = check_notifications(control, verifier(), original)
    stranger = verifier(bundle="com.example.stranger").verify_and_decode_notification
    check("another app's verifier refuses", refusal(stranger, signed) == VerificationStatus.INVALID_APP_IDENTIFIER)
    forged = signed[:-8] + ("AAAAAAAA" if signed[-8:] != "AAAAAAAA" else "BBBBBBBB")
    check("a changed signature is refused",
          refusal(verifier().verify_and_decode_notification, forged) == VerificationStatus.VERIFICATION_FAILURE)
    return 1 if failures else 0


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
