"""What Apple is asked on request, and what it asks: extensions, tokens, orders, refunds, test notifications, consumption. A part of
apple_run.py: the server and the local App Store are processes, and Apple's own library looks at the same store."""

import json

import harness
from harness import check

DAY = 86_400_000


def called(world, method, path, body=None):
    return harness.request(method, world.api + path, body, {"Authorization": f"Bearer {world.keys.server}"})


def check_refresh(world):
    subscription = world.buy("dora")
    end = world.periods(subscription)[-1]["end"]
    world.do("/clock/advance", {"to": end + 60_000})
    first = called(world, "POST", f"/subscriptions/{subscription}/refresh")
    check("a refresh asks Apple at once", first == (200, {"outcome": "answered", "isNew": True}), first)
    check("and what it answers is known", len(world.periods(subscription)) == 2)
    second = called(world, "POST", f"/subscriptions/{subscription}/refresh")
    check("a second one within ten seconds is refused", (second[0], second[1].get("code")) == (429, "refreshedJustNow"), second)
    unknown = called(world, "POST", "/subscriptions/1/refresh")
    check("of an unknown subscription it is 404", (unknown[0], unknown[1].get("code")) == (404, "unknownSubscription"), unknown)
    return subscription


def check_extension(world, subscription, eventually):
    before = world.periods(subscription)[-1]["end"]
    # What Apple signs in one and the same millisecond is the same.
    world.do("/clock/advance", {"seconds": 1})
    path = f"/subscriptions/{subscription}/extensions/outage-may"
    body = {"extendByDays": 7, "extendReasonCode": 3, "actor": "mia"}
    status, kept = called(world, "PUT", path, body)
    check("an extension is accepted", (status, kept.get("outcome"), kept.get("actor")) == (200, "accepted", "mia/file"), kept)
    check("once, however often it is asked for", called(world, "PUT", path, body) == (status, kept)
          and world.calls("extendSubscriptionRenewalDate") == 1, world.calls("extendSubscriptionRenewalDate"))
    other = called(world, "PUT", path, {**body, "extendByDays": 8})
    check("its id stands for it alone", (other[0], other[1].get("code")) == (409, "idTaken"), other)
    check("its end is read from Apple", eventually(lambda: world.periods(subscription)[-1]["end"] == before + 7 * DAY),
          (before, world.periods(subscription)[-1]))
    world.do("/clock/advance", {"seconds": 1})
    called(world, "PUT", f"/subscriptions/{subscription}/extensions/second", body)
    world.do("/clock/advance", {"seconds": 1})
    third = called(world, "PUT", f"/subscriptions/{subscription}/extensions/third", body)
    check("a third one in a year is refused as Apple says", third[0] == 422 and third[1].get("code", "").startswith("apple."), third)
    wrong = called(world, "PUT", f"/subscriptions/{subscription}/extensions/long", {**body, "extendByDays": 91})
    check("91 days are refused before anything is sent", wrong[0] == 400 and wrong[1].get("field") == "extendByDays", wrong)
    listed = called(world, "GET", f"/apple/requests?subject={subscription}")[1]["requests"]
    check("what was asked of Apple is listed, the last one first",
          [(one["id"], one["outcome"].split(".")[0]) for one in listed] == [("third", "apple"), ("second", "accepted"), ("outage-may", "accepted")], listed)
    status, kept = called(world, "PUT", "/products/plus.monthly/extensions/all-may", body)
    check("an extension of all is accepted", (status, kept.get("outcome")) == (200, "accepted"), kept)
    progress = called(world, "GET", "/products/plus.monthly/extensions/all-may")
    check("and Apple says how far it is", progress[0] == 200 and "isComplete" in progress[1], progress)


def check_token(world, subscription):
    token = "6f1c2e0a-58a4-4b1f-9e6d-0c2b7a9d3e11"
    status, kept = called(world, "PUT", f"/subscriptions/{subscription}/tokens/token-1", {"appAccountToken": token})
    check("a token is set at Apple", (status, kept.get("outcome")) == (200, "accepted"), kept)
    shown = json.loads(harness.base64.urlsafe_b64decode(
        world.do(f"/subscriptions/{subscription}")["signedTransactionInfo"].split(".")[1] + "=="))
    check("and Apple's transactions bear it", shown.get("appAccountToken", "").lower() == token, shown)
    wrong = called(world, "PUT", f"/subscriptions/{subscription}/tokens/token-2", {"appAccountToken": "bob"})
    check("what is no UUID is refused", (wrong[0], wrong[1].get("field")) == (400, "appAccountToken"), wrong)


def check_orders_and_refunds(world, subscription):
    bought = world.periods(subscription)[-1]["transactionId"]
    order = called(world, "POST", f"/orders/{world.order_of(bought)}")
    check("an order number names its purchase", order[0] == 200 and [p["transactionId"] for p in order[1]["purchases"]] == [bought], order)
    none = called(world, "POST", "/orders/NOTHING")
    check("an unknown order is 404", (none[0], none[1].get("code")) == (404, "unknownOrder"), none)
    world.do("/clock/advance", {"seconds": 1})
    world.do(f"/transactions/{bought}/refund", {})
    told = called(world, "POST", f"/subscriptions/{subscription}/refunds")
    check("a refund that nobody told of is found", told[0] == 200 and [p["isNew"] for p in told[1]["purchases"]] == [True], told)
    check("and ends what it paid for", not world.is_active("dora"))


def check_consumption(world, eventually):
    """Apple asks about two purchases; one customer consented."""
    world.do("/delivery", {"url": f"{world.api}/apple/notifications"})
    purchases = {}
    for account, consents in (("emma", True), ("fred", False)):
        world.do("/accounts", {"id": account})
        bought = world.do(f"/accounts/{account}/purchases", {"productId": "lifetime"})
        world.ask(f"/customers/{account}/transactions", {"kind": "purchase", "signedTransactionInfo": bought["signedTransactionInfo"]})
        purchases[account] = bought["transactionId"]
        status, _ = called(world, "PUT", f"/customers/{account}/consumption/{bought['transactionId']}",
                           {"customerConsented": consents, "consumptionPercentage": 25_000, "deliveryStatus": "DELIVERED"})
        check(f"what {account} consumed is noted", status == 200, status)
        world.do(f"/transactions/{bought['transactionId']}/refund/request", {"reason": "UNINTENDED_PURCHASE"})

    def outcomes(account):
        return [one.get("outcome") for one in called(world, "GET", f"/apple/requests?subject={purchases[account]}")[1]["requests"]]

    # Work is due when Apple signed the question, and this clock stands still.
    world.do("/clock/advance", {"seconds": 1})
    check("with consent Apple is told", eventually(lambda: outcomes("emma") == ["accepted"]), outcomes("emma"))
    sent = json.loads(called(world, "GET", f"/apple/requests?subject={purchases['emma']}")[1]["requests"][0]["content"])
    check("what was noted, in Apple's words", sent == {
        "customerConsented": True, "consumptionPercentage": 25_000, "deliveryStatus": "DELIVERED", "refundPreference": "DECLINE",
        "sampleContentProvided": True}, sent)
    check("once", world.calls("sendConsumptionInformation") == 1, world.calls("sendConsumptionInformation"))
    world.do("/clock/advance", {"seconds": 11 * 3600 + 45 * 60})
    check("without consent nothing is sent, and it is shown why", eventually(lambda: outcomes("fred") == ["notSent.noConsent"]), outcomes("fred"))
    check("nothing more was sent", world.calls("sendConsumptionInformation") == 1, world.calls("sendConsumptionInformation"))


def check_test_notification(world, eventually):
    status, asked = called(world, "POST", "/apple/testNotifications")
    check("a test notification is asked for", status == 200 and asked["testNotificationToken"], asked)
    path = f"/apple/testNotifications/{asked['testNotificationToken']}"
    check("and is seen to arrive", eventually(lambda: called(world, "GET", path)[1].get("isReceived")), called(world, "GET", path))
    standing = called(world, "GET", "/apple")[1]
    check("what was heard last is shown", eventually(lambda: "lastNotification" in called(world, "GET", "/apple")[1]), standing)


def check_requests(world, eventually):
    subscription = check_refresh(world)
    check_extension(world, subscription, eventually)
    check_token(world, subscription)
    check_orders_and_refunds(world, subscription)
    check_consumption(world, eventually)
    check_test_notification(world, eventually)
