#!/usr/bin/env python3
"""The examples of the API's document are requests that were sent and answers that were given: this program lives one short story and compares what it sends
and gets with Sources/CAPIExamples/examples.txt, which the server embeds. Instants, signatures, keys and whatever else no two runs have in common are compared by
what they are. Prints one line per check; the exit code is 1 when one failed.

Usage: api_examples.py           compare
       api_examples.py --record  write the file anew (after the API has changed; then build, and make docs/openapi.json)"""

import base64
import contextlib
import json
import pathlib
import re
import sys
import tempfile
import time

import harness
import keys_run
from apple_key import write_key
from api_run import API, SECRET, configured
from books_material import APPLE_ID, BUNDLE, DAY, Books, Signer, original_id
from harness import check
from pretend_apple import PretendApple
from webhooks_run import Receiver

FILE = harness.ROOT / "Sources/CAPIExamples/examples.txt"
HEAD = """# What was sent to a server and what it answered: an operation, `request` or `answer`, and the body. Made by Tests/Peers/api_examples.py --record.
"""
# An operation whose request is Apple's, and is shown in Apple's documentation.
ALICE, BOB = "alice", "bob"


class Recorder(API):
    """Keeps the first request of each operation that succeeded, and its answer."""

    def __init__(self, books):
        super().__init__(books)
        self.examples = {}

    def call(self, name, body=None, **rest):
        status, answer = super().call(name, body, **rest)
        if status < 300:
            self.examples.setdefault(name, {key: value for key, value in (("request", body), ("answer", answer)) if value is not None})
        else:
            check(f"{name} succeeds", False, (status, answer))
        return status, answer


def live(api):
    """One story that calls every operation with a body."""
    signer, now = api.books.signer, int(time.time() * 1000)

    def uploaded(customer, number, kind="purchase", **changes):
        body = {"kind": kind, "signedTransactionInfo": signer.jws(signer.transaction(number, 2, transactionReason="PURCHASE", **changes))}
        return api.call("uploadTransaction", body, customer=customer)[1]

    account = {"appTransactionId": "704341234567891234"}
    api.call("askPurchase", {"productId": "plus.monthly"}, customer=ALICE)
    api.call("issueAppAccountToken", customer=ALICE)
    uploaded(ALICE, 201, **account)
    notification = api.raw("POST", "/api/v1/apps/demo/apple/notifications", {"signedPayload": signer.notification(202, 2, **account)})
    api.examples["receiveNotification"] = {"answer": json.loads(notification[2])}
    api.call("uploadReceipt", {"kind": "restore", "receipt": base64.b64encode(signer.receipt(203)).decode()}, customer=BOB)
    api.call("grantEntitlement", {"entitlement": "extras", "until": now + 7 * DAY, "actor": "mia", "reason": "the update of May was broken"}, customer=ALICE, id="support-4711")
    api.call("creditTime", {"entitlement": "extras", "milliseconds": 30 * DAY, "actor": "shop", "reason": "voucher"}, customer=ALICE, id="voucher-1")
    api.call("holdEntitlement", {"entitlement": "extras", "actor": "mia", "reason": "chargeback"}, customer=BOB, id="risk-1")
    api.call("withdrawVote", {"vote": "risk-1", "actor": "mia", "reason": "paid"}, customer=BOB, id="risk-1-off")
    coins = signer.transaction(204, 2, type="Consumable", productId="coins", quantity=3, originalTransactionId=str(int(original_id(204)) + 2))
    for name in ("expiresDate", "webOrderLineItemId", "subscriptionGroupIdentifier"):
        coins.pop(name)
    api.call("uploadTransaction", {"kind": "purchase", "signedTransactionInfo": signer.jws(coins)}, customer=ALICE)
    api.call("confirmDelivery", customer=ALICE, transactionId=coins["transactionId"])
    api.call("noteConsumption", {"customerConsented": True, "consumptionPercentage": 50_000, "deliveryStatus": "DELIVERED"}, customer=ALICE, transactionId=coins["transactionId"])
    api.call("allowRedelivery", {"transactionId": coins["transactionId"], "actor": "mia", "reason": "both paid"}, customer=ALICE, id="support-4712")
    half = {**coins, "revocationDate": now, "revocationReason": 0, "revocationPercentage": 33_333, "signedDate": now}
    told = {"notificationType": "REFUND", "version": "2.0", "notificationUUID": "20420420-4204-4204-8204-204204204204", "signedDate": now}
    told["data"] = {"appAppleId": APPLE_ID, "bundleId": BUNDLE, "environment": "Production", "signedTransactionInfo": signer.jws(half)}
    api.raw("POST", "/api/v1/apps/demo/apple/notifications", {"signedPayload": signer.jws(told)})
    api.call("listRefunds")
    api.call("unlockContent", customer=ALICE, kind="issue", content="2026-11")
    api.call("readContent", customer=ALICE, kind="issue", content="2026-11")
    api.call("showAppTransaction", {"signedAppTransaction": signer.jws(signer.app_transaction())}, customer=ALICE)
    api.call("readLicences", customer=ALICE)
    api.call("changeAttributes", {"attributes": [{"name": "plan", "value": "gold"}, {"name": "seat"}]}, customer=ALICE)
    api.call("askWall", {"storefront": "USA", "appVersion": "2.1"}, customer=BOB)
    api.call("askOffers", {}, customer=ALICE)
    api.call("signPromotionalOffer", {"productId": "plus.monthly", "offerIdentifier": "stay"}, customer=ALICE)
    time.sleep(1.1)  # The log goes by seconds: of two in one second, a nonce would decide which is shown first.
    api.call("signIntroductoryOffer", {"productId": "plus.monthly"}, customer=ALICE)
    api.call("readOffers", customer=ALICE)
    api.call("listIssuedOffers")
    device = {"Authorization": f"Bearer {api.books.keys.public}"}
    api.call("registerDevice", {"secret": SECRET}, customer="anonymous-7f3a", headers=device)
    api.call("identifyCustomer", {"anonymous": "anonymous-7f3a", "deviceSecret": SECRET}, customer=ALICE)
    api.call("joinCustomer", {"from": "alice@old", "actor": "mia", "reason": "one mail address"}, customer=ALICE, id="join-1")
    uploaded(ALICE, 205)
    uploaded(BOB, 205, "restore")
    uploaded(ALICE, 206)
    uploaded(BOB, 206, "restore")
    api.call("listWaitingClaims")
    for number, decide in ((205, "decideClaim"), (206, "consentClaim")):
        claims = API.call(api, "readSubscription", originalTransactionId=original_id(number))[1]["claims"]
        claim = next(claim["id"] for claim in claims if claim["outcome"].startswith("waiting."))
        if decide == "decideClaim":
            api.call(decide, {"claim": claim, "decision": "approve", "actor": "olga", "reason": "a gift"}, originalTransactionId=original_id(number), id="case-1")
        else:
            api.call(decide, {"originalTransactionId": original_id(number), "claim": claim}, customer=ALICE, id="yes")
    api.call("transferSubscription", {"customer": BOB, "actor": "olga", "reason": "bought for him"}, originalTransactionId=original_id(205), id="move-1")
    api.call("reserveSubscription", {"customer": BOB}, originalTransactionId=original_id(207), id="migration-1")
    api.call("reserveTransaction", {"customer": BOB}, transactionId=str(int(original_id(208)) + 1), id="migration-2")
    api.call("listReservations")
    api.call("listProposals")
    api.call("readSubscription", originalTransactionId=original_id(202))
    api.call("listFacts", originalTransactionId=original_id(201))
    api.call("searchNames", query={"q": account["appTransactionId"]})
    api.call("readEntitlements", customer=ALICE)
    api.call("readManyEntitlements", {"customers": [ALICE, BOB]})
    api.call("readCustomer", customer=ALICE)
    api.call("readTimeline", customer=ALICE)
    api.call("readAnswerKeys")
    uploaded("carol", 209, productId="plus.weekly")
    uploaded(ALICE, 211)
    uploaded("carol", 211)
    contested = api.call("listSignals", query={"signalKind": "contestedPurchase"})[1]["items"][0]
    api.call("readSignal", signal=contested["id"])
    api.call("acknowledgeSignal", {"changedAt": contested["changedAt"], "actor": "mia", "reason": "a couple"}, signal=contested["id"])
    api.call("listEvents", query={"limit": 2})
    api.call("listSubscriptionEvents", query={"limit": 2}, originalTransactionId=original_id(201))
    # Of whom nothing is told but by votes: what a subscription changes is told a moment later, beside whatever comes then.
    api.call("grantEntitlement", {"entitlement": "extras", "actor": "mia", "reason": "a gift"}, customer="dana", id="gift-1")
    api.call("listCustomerEvents", query={"limit": 2}, customer="dana")
    for name in ("listChangedSubscriptions", "listChangedCustomers"):
        api.call(name, query={"limit": 2})
    for name in ("exportSubscriptions", "exportCustomers", "exportPeriods", "exportEvents"):
        api.call(name)
    with contextlib.closing(Receiver()) as receiver:
        endpoint = {"endpoint": "billing"}
        # Of an environment that nothing is told of here, so that nobody sends while the story goes on.
        order = {"url": receiver.url, "description": "Billing", "types": ["subscription.*"], "environments": ["Sandbox"],
                 "headers": [{"name": "X-Team", "value": "billing"}]}
        api.call("saveWebhookEndpoint", order, **endpoint)
        api.call("testWebhookEndpoint", **endpoint)
        for name in ("listWebhookAttempts", "listParkedEvents", "readWebhookEndpoint"):
            api.call(name, **endpoint)
        api.call("listWebhookEndpoints")
        api.call("rotateWebhookSecret", {"overlap": 3_600_000}, **endpoint)
        api.call("pauseWebhookEndpoint", **endpoint)
        api.call("resendEvents", {"parked": True}, **endpoint)
        api.call("resumeWebhookEndpoint", **endpoint)
        api.call("deleteWebhookEndpoint", **endpoint)
    api.call("listWarnings")
    for _ in range(100):
        # The sweep of the start has taken of the budget, and waits for its answer.
        if API.call(api, "readApple")[1]["budgets"]:
            break
        time.sleep(0.1)
    api.call("sweepNotifications", {"from": now - DAY})
    api.call("readApple")
    strange = {"notificationType": 7, "notificationUUID": "66666666-51f5-4503-b5a8-c3a1af68eb20", "signedDate": now - DAY,
               "data": {"bundleId": harness.BUNDLE, "environment": "Production"}}
    api.raw("POST", "/api/v1/apps/demo/apple/notifications", {"signedPayload": signer.jws(strange)})
    api.call("listParkedNotifications")
    uploaded(ALICE, 210)
    asked = {"originalTransactionId": original_id(210)}
    api.call("refreshSubscription", **asked)
    api.call("lookUpOrder", orderId="MQ6X2Z9T1B")
    length = {"extendByDays": 7, "extendReasonCode": 3, "actor": "mia"}
    api.call("extendSubscription", length, id="outage-may", **asked)
    api.call("extendProduct", {**length, "storefrontCountryCodes": ["USA"]}, productId="plus.monthly", id="outage-may")
    api.call("readProductExtension", productId="plus.monthly", id="outage-may")
    api.call("setAppAccountToken", {"appAccountToken": "6f1c2e0a-58a4-4b1f-9e6d-0c2b7a9d3e11", "actor": "mia"}, id="token-1", **asked)
    api.call("fetchRefunds", **asked)
    token = api.call("requestTestNotification")[1]["testNotificationToken"]
    api.call("readTestNotification", testNotificationToken=token)
    api.call("listAppleRequests")
    versions = api.call("listSettings")[1]["versions"]
    draft = json.loads(versions[-1]["document"])
    draft["policy"]["onRestore"], draft["products"]["plus.monthly"] = "transfer", []
    api.call("startTrial", {"document": json.dumps(draft), "from": now - 400 * DAY}, id="trial-1")
    for _ in range(200):
        if API.call(api, "readJob", id="trial-1")[1]["state"] != "running":
            break
        time.sleep(0.1)
    for name in ("readJob", "cancelJob"):
        api.call(name, id="trial-1")
    api.call("listJobResults", id="trial-1", query={"limit": 3})
    api.call("startVerification", {"rebuild": True}, id="proof-1")
    api.call("listJobs")
    api.call("applySettings", {"actor": "mia"})
    api.call("exportCustomer", customer="carol")
    api.call("eraseCustomer", {"actor": "mia", "reason": "request 4711"}, customer="carol", id="request-4711")
    ops = {"Authorization": f"Bearer {keys_run.add(api.books, 'ops', 'admin')}"}
    order = {"name": "deploy-2026", "kind": "server", "scopes": ["entitlements:read", "uploads:write"], "endsAt": now + 365 * DAY, "actor": "mia"}
    api.call("makeKey", order, headers=ops)
    for _ in range(100):
        # The use of the first one is kept a moment later.
        if "lastUsedAt" in API.call(api, "listKeys", headers=ops)[1]["keys"][1]:
            break
        time.sleep(0.1)
    api.call("listKeys", headers=ops)
    api.call("endKey", {"actor": "mia"}, key="deploy-2026", headers=ops)
    api.call("checkLive")
    api.call("checkReady")


KINDS = [
    (r"tnr_sk_\w{29}", "a key"), (r"erased/-?\d+", "a pseudonym"), (r"^-?\d{17,20}$", "a number"), (r"after=[\w-]+", "a cursor"), (r"eyJ[\w-]+\.[\w-]+\.[\w-]+", "a JWS"), (r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "a UUID"), (r"[0-9a-f]{64}", "a SHA-256"),
    (r"\b[0-9a-f]{4}(-[0-9a-f]{4}){2}\b", "a code"), (r"evt_[a-z2-7]{26}", "an event's id"), (r"whsec_[\w+/=]+", "a secret"),
    (r"^[0-9a-f]{8}$", "a fingerprint"), (r"http://127\.0\.0\.1:\d+", "an address"),
    (r"\d{4}-\d\d-\d\dT[\d:.]+Z", "an instant"), (r"\b\d{13}\b", "an instant"), (r"\d{1,2} [A-Z][a-z]+ \d{4}( at)?,? ?\d\d:\d\d(:\d\d)?", "an instant"),
    (r"\d{1,2} [A-Z][a-z]+ \d{4}", "a day"), (r"\b\d\d:\d\d(:\d\d)?\b", "a time"), (r"[A-Za-z0-9+/]{400,}=*", "bytes"), (r"(?<![\w-])[\w-]{43}(?![\w-])", "a number of a key"),
]


def likeness(value, name=""):
    """What two runs have in common."""
    if isinstance(value, dict):
        # Which server sends, and whether one does by now, no two runs have in common.
        return {key: likeness(one, key) for key, one in value.items() if key != "worker"}
    if isinstance(value, list):
        return [likeness(one, name) for one in value]
    if isinstance(value, int) and not isinstance(value, bool):
        return "an instant" if value >= 10**12 else "a duration" if name == "tookMilliseconds" else value
    if isinstance(value, str):
        for pattern, kind in KINDS:
            value = re.sub(pattern, kind, value)
    return value


def recorded():
    examples = {}
    for line in FILE.read_text().splitlines():
        if not line.startswith("#"):
            name, part, body = line.split(" ", 2)
            examples.setdefault(name, {})[part] = json.loads(body)
    return examples


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        books = Books(folder, Signer(folder))
        configured(books)
        # It never says what it told before: what is planned stays planned.
        apple = PretendApple(books.signer, 210, int(time.time() * 1000))
        books.content["apps"][0]["apple"] = {
            "issuerId": "57246542-96fe-1a63-e053-0824d011072a", "keyId": "2X9R4HXF34", "hosts": {"production": apple.url, "sandbox": apple.url},
            "privateKeyFile": str(write_key(folder / "SubscriptionKey_2X9R4HXF34.p8"))}
        books.write_configuration(http={**books.content.get("http", {}), "wrongKeysPerMinute": 0})
        with apple, books.serving():
            api = Recorder(books)
            live(api)
            check("every answer is what the document says, and nothing more", not api.wrong, api.wrong[:5])
            shown = {}
            for path in api.content["paths"].values():
                for operation in path.values():
                    parts = {"request": operation.get("requestBody", {}), **{"answer": answer for status, answer in operation["responses"].items() if status[0] == "2"}}
                    bodies = {part: content["content"]["application/json"] for part, content in parts.items() if "application/json" in content.get("content", {})}
                    shown[operation["operationId"]] = {part: body.get("example") for part, body in bodies.items() if "$ref" in body["schema"]}
    shown = {name: parts for name, parts in shown.items() if parts}
    if "--record" in sys.argv:
        lines = [f"{name} {part} {json.dumps(parts[part], separators=(',', ':'), ensure_ascii=False)}"
                 for name in shown for parts in [api.examples.get(name, {})] for part in ("request", "answer") if part in shown[name] and part in parts]
        FILE.write_text(HEAD + "\n".join(lines) + "\n")
        missing = [f"{name} {part}" for name, parts in shown.items() for part in parts if part not in api.examples.get(name, {})]
        print(f"{len(lines)} bodies recorded; missing: {missing}")
        return 0
    check("A3 every body of the document has an example, and each is the one that was recorded", shown == recorded(),
          [name for name in shown if shown[name] != recorded().get(name)])
    for name, parts in shown.items():
        for part, example in parts.items():
            now = api.examples.get(name, {}).get(part)
            check(f"A3 {name}: its {part} is what a server {'takes' if part == 'request' else 'answers'} today", likeness(now) == likeness(example), (now, example))
    return harness.summary()


if __name__ == "__main__":
    sys.exit(main())
