#!/usr/bin/env python3
"""Webhooks of the format `revenuecat` (docs/operations/webhooks.md), as an app's receiver gets them from a server on SQLite: RevenueCat's
flows, each body held against a schema that was written from RevenueCat's description of its webhooks and not from ours, countries against
PyPI's `iso3166`, signatures against `standardwebhooks`. Prints one line per check; the exit code is 1 when one failed."""

import collections
import json
import pathlib
import sys
import tempfile
import time
import uuid

import iso3166

from books_material import APPLE_ID, BUNDLE, DAY, FIRST, Signer
from harness import check, request, summary
from webhook_shop import Receiver, Shop, until, verified

AUTHORIZATION = "Bearer as-it-was-set-in-the-dashboard"

# --- What RevenueCat says of its webhooks ("Event Types and Fields"), as checks of one value each.


def text(value):
    return isinstance(value, str) and value != ""


def integer(value):
    return isinstance(value, int) and not isinstance(value, bool)


def number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def boolean(value):
    return isinstance(value, bool)


def texts(value):
    return isinstance(value, list) and all(map(text, value))


def null(value):
    return value is None


def one_of(*words):
    return lambda value: value in words


def maybe(test):
    return lambda value: value is None or test(value)


REASON = one_of("UNSUBSCRIBE", "BILLING_ERROR", "DEVELOPER_INITIATED", "PRICE_INCREASE", "CUSTOMER_SUPPORT", "UNKNOWN")
ENVELOPE = {"id": text, "type": text, "app_id": text, "event_timestamp_ms": integer, "store": one_of("APP_STORE", "MAC_APP_STORE", "PROMOTIONAL")}
PURCHASE = {
    **ENVELOPE, "environment": one_of("PRODUCTION", "SANDBOX"), "app_user_id": text, "original_app_user_id": text, "aliases": texts,
    "subscriber_attributes": lambda value: isinstance(value, dict), "experiments": lambda value: value == [], "product_id": text,
    "entitlement_ids": maybe(lambda value: texts(value) and value), "entitlement_id": null,
    "period_type": one_of("TRIAL", "INTRO", "NORMAL", "PROMOTIONAL"), "purchased_at_ms": integer, "expiration_at_ms": maybe(integer),
    "transaction_id": text, "original_transaction_id": text, "is_family_share": boolean, "offer_code": maybe(text),
    "country_code": maybe(lambda value: text(value) and len(value) == 2 and value.isupper()), "price": maybe(number),
    "currency": maybe(lambda value: text(value) and len(value) == 3 and value.isupper()), "price_in_purchased_currency": maybe(number),
    "tax_percentage": maybe(number), "commission_percentage": maybe(number), "takehome_percentage": maybe(number),
    "renewal_number": maybe(lambda value: integer(value) and value >= 1), "presented_offering_id": maybe(text), "metadata": null}
SCHEMAS = {
    **{type: PURCHASE for type in ["INITIAL_PURCHASE", "UNCANCELLATION", "NON_RENEWING_PURCHASE", "SUBSCRIPTION_EXTENDED", "REFUND_REVERSED"]},
    "RENEWAL": {**PURCHASE, "is_trial_conversion": boolean},
    "BILLING_ISSUE": {**PURCHASE, "grace_period_expiration_at_ms": maybe(integer)},
    "PRODUCT_CHANGE": {**PURCHASE, "new_product_id": maybe(text)},
    "CANCELLATION": {**PURCHASE, "cancel_reason": REASON},
    "EXPIRATION": {**PURCHASE, "expiration_reason": REASON},
    "TRANSFER": {**ENVELOPE, "environment": one_of("PRODUCTION", "SANDBOX"), "transferred_from": texts, "transferred_to": texts},
    "TEMPORARY_ENTITLEMENT_GRANT": {**ENVELOPE, "app_user_id": text},
    # Of no transaction.
    "TEST": {**PURCHASE, "transaction_id": null, "original_transaction_id": null},
}


def faults(body):
    """What is wrong with a body; empty: nothing."""
    if set(body) != {"api_version", "event"} or body["api_version"] != "1.0":
        return [f"the envelope: {sorted(body)}"]
    event = body["event"]
    schema = SCHEMAS.get(event.get("type"))
    if schema is None:
        return [f"the type {event.get('type')}"]
    # What was granted was bought in no app.
    wanted = {name: test for name, test in schema.items() if name != "app_id" or event.get("store") != "PROMOTIONAL"}
    found = [f"{event['type']} lacks {name}" for name in wanted if name not in event]
    found += [f"{event['type']} has {name}" for name in event if name not in wanted]
    found += [f"{event['type']}.{name} is {event[name]!r}" for name, test in wanted.items() if name in event and not test(event[name])]
    if event["type"] in ("TRANSFER", "TEMPORARY_ENTITLEMENT_GRANT"):
        return found
    if event.get("app_user_id") not in event.get("aliases", []) or event.get("original_app_user_id") not in event["aliases"]:
        found.append(f"aliases {event.get('aliases')}")
    if event["type"] != "CANCELLATION" and (event["price"] or 0) < 0:
        found.append(f"{event['type']} costs {event['price']}")
    if event["currency"] not in (None, "USD") and event["price"] not in (None, 0):
        found.append(f"{event['price']} dollars of {event['currency']}")
    return found


# --- Flows.


class Life:
    """One subscription: its customer, what Apple signs of it, and what the receiver was told."""

    count = 0

    def __init__(self, shop, receiver, started=40):
        Life.count += 1
        self.shop, self.receiver, self.number = shop, receiver, Life.count
        self.customer, self.original = f"customer{self.number}", FIRST + self.number * 100
        self.started = int(shop.books.signer.now - started * DAY)

    def transaction(self, place, begins, ends, **changes):
        """`begins` and `ends` in days from its beginning; the first is bought, the others renew unless said."""
        begins, ends = int(self.started + begins * DAY), int(self.started + ends * DAY)
        return {
            "transactionId": str(self.original + place), "originalTransactionId": str(self.original),
            "webOrderLineItemId": str(self.original + 50 + place), "bundleId": BUNDLE, "productId": "plus.monthly",
            "subscriptionGroupIdentifier": "21000000", "purchaseDate": begins, "originalPurchaseDate": self.started, "expiresDate": ends,
            "quantity": 1, "type": "Auto-Renewable Subscription", "inAppOwnershipType": "PURCHASED", "environment": "Production",
            # A renewal may be charged, and signed, up to a day before it begins.
            "signedDate": min(begins + 1000, self.shop.books.signer.now), "transactionReason": "RENEWAL" if place else "PURCHASE", "price": 9990, "currency": "USD",
            "storefront": "USA", **changes}

    def renewal(self, transaction, signed, **changes):
        return {
            "originalTransactionId": str(self.original), "autoRenewProductId": transaction["productId"], "productId": transaction["productId"],
            "autoRenewStatus": 1, "environment": "Production", "signedDate": signed, **changes}

    def buys(self, transaction, customer=None, kind="purchase", signed=None, **renewal):
        """Uploads it; with what Apple signed of the next renewal so many days after the beginning."""
        signer = self.shop.books.signer
        body = {"kind": kind, "signedTransactionInfo": signer.jws(transaction)}
        if signed is not None:
            body["signedRenewalInfo"] = signer.jws(self.renewal(transaction, int(self.started + signed * DAY), **renewal))
        url = f"{self.shop.books.customers}/{customer or self.customer}/transactions"
        status, answer = request("POST", url, body, self.shop.books.backend)
        if status != 200:
            check(f"an upload of {self.customer} is taken", False, (status, answer))

    def apple(self, type, transaction, signed=None, subtype=None, **renewal):
        """A notification, signed so many days after the beginning."""
        signer = self.shop.books.signer
        signed = transaction["signedDate"] if signed is None else int(self.started + signed * DAY)
        info = self.renewal(transaction, signed, **renewal)
        status, answer = self.shop.books.post_notification(signer.jws({
            "notificationType": type, **({"subtype": subtype} if subtype else {}), "version": "2.0", "notificationUUID": str(uuid.uuid4()),
            "signedDate": signed, "data": {
                "appAppleId": APPLE_ID, "bundleId": BUNDLE, "environment": "Production",
                "signedTransactionInfo": signer.jws({**transaction, "signedDate": max(signed, transaction["signedDate"])}),
                "signedRenewalInfo": signer.jws(info)}}))
        if status != 200:
            check(f"a notification about {self.customer} is taken", False, (status, answer))

    def told(self):
        """Each event once, in the order in which they came."""
        events = {}
        for item in self.receiver.taken():
            event = json.loads(item["body"])["event"]
            if event.get("original_transaction_id") == str(self.original) or self.customer in (
                    event.get("app_user_id"), *event.get("transferred_from", []), *event.get("transferred_to", [])):
                events.setdefault(event["id"], event)
        return list(events.values())

    def expect(self, what, *types):
        """That exactly these are told."""
        until(lambda: len(self.told()) >= len(types), 20)
        told = self.told()
        check(what, [event["type"] for event in told] == list(types), [event["type"] for event in told])
        # A failure above must not hide what follows.
        told = [collections.defaultdict(lambda: None, event) for event in told]
        return told + [collections.defaultdict(lambda: None)] * len(types)


def trial(life, place, begins, ends):
    return life.transaction(place, begins, ends, price=0, offerType=1, offerDiscountType="FREE_TRIAL", offerPeriod="P1W")


def flows(make):
    """Each flow that RevenueCat describes. Time is the machine's: what renews does so shortly before the end, and what has ended is uploaded
    with Apple's word of why."""
    life = make(6.6)
    life.buys(trial(life, 0, 0, 7))
    life.apple("DID_RENEW", life.transaction(1, 7, 60))
    first, second, *_ = life.expect("a trial that converts", "INITIAL_PURCHASE", "RENEWAL")
    check("it is free and then paid for", (first["period_type"], first["price"], second["period_type"], second["price"], second["is_trial_conversion"])
          == ("TRIAL", 0, "NORMAL", 9.99, True) and (first["renewal_number"], second["renewal_number"]) == (1, 2), (first, second))
    check("entitlements are those of the app's products", first["entitlement_ids"] == ["plus"], first["entitlement_ids"])

    life = make()
    life.buys(life.transaction(0, 0, 60))
    life.buys(life.transaction(1, 10, 70, productId="pro.monthly", transactionReason="PURCHASE", price=19990))
    _, change, renewal, *_ = life.expect("an upgrade", "INITIAL_PURCHASE", "PRODUCT_CHANGE", "RENEWAL")
    check("from the old product to the new one", (change["product_id"], change["new_product_id"], change["price"], renewal["product_id"],
          renewal["price"], renewal["is_trial_conversion"]) == ("plus.monthly", "pro.monthly", 0, "pro.monthly", 19.99, False), (change, renewal))
    check("both of one event", renewal["id"] == f"{change['id']}_2", (change["id"], renewal["id"]))

    life = make(29.6)
    life.buys(life.transaction(0, 0, 30, productId="pro.monthly"))
    life.apple("DID_CHANGE_RENEWAL_PREF", life.transaction(0, 0, 30, productId="pro.monthly"), 10, "DOWNGRADE", autoRenewProductId="plus.monthly")
    life.apple("DID_RENEW", life.transaction(1, 30, 60))
    _, change, renewal, *_ = life.expect("a downgrade", "INITIAL_PURCHASE", "PRODUCT_CHANGE", "RENEWAL")
    check("is told now and takes effect later", (change["product_id"], change["new_product_id"], renewal["product_id"]) ==
          ("pro.monthly", "plus.monthly", "plus.monthly"), (change, renewal))

    life = make()
    life.buys(life.transaction(0, 0, 30), signed=30, isInBillingRetryPeriod=True, gracePeriodExpiresDate=int(life.started + 46 * DAY))
    life.apple("DID_RENEW", life.transaction(1, 32, 62), subtype="BILLING_RECOVERY")
    _, issue, cancellation, renewal, *_ = life.expect(
        "a charge that fails and succeeds within the grace period", "INITIAL_PURCHASE", "BILLING_ISSUE", "CANCELLATION", "RENEWAL")
    check("with the end of the grace period and the reason", (issue["grace_period_expiration_at_ms"], cancellation["cancel_reason"]) ==
          (int(life.started + 46 * DAY), "BILLING_ERROR") and issue["price"] == cancellation["price"] == 0, (issue, cancellation))

    life = make()
    life.buys(life.transaction(0, 0, 30), signed=30, isInBillingRetryPeriod=True, expirationIntent=2)
    *_, end = life.expect("a charge that fails without one", "INITIAL_PURCHASE", "BILLING_ISSUE", "CANCELLATION", "EXPIRATION")[:4]
    check("ends for it", end["expiration_reason"] == "BILLING_ERROR" and end["expiration_at_ms"] == int(life.started + 30 * DAY), end)

    life = make()
    life.buys(life.transaction(0, 0, 30), signed=30.01, autoRenewStatus=0, expirationIntent=1)
    life.buys(life.transaction(1, 38, 68, transactionReason="PURCHASE"))
    _, off, end, again, *_ = life.expect(
        "one who goes and comes back", "INITIAL_PURCHASE", "CANCELLATION", "EXPIRATION", "INITIAL_PURCHASE")
    check("of their own will", off["cancel_reason"] == end["expiration_reason"] == "UNSUBSCRIBE" and off["price"] == 0 and again["price"] == 9.99,
          (off, end))

    life = make()
    life.buys(life.transaction(0, 0, 30), signed=30, isInBillingRetryPeriod=True, gracePeriodExpiresDate=int(life.started + 46 * DAY))
    life.buys(life.transaction(1, 32, 62, transactionReason="PURCHASE"))
    life.expect("one who buys again within the grace period", "INITIAL_PURCHASE", "BILLING_ISSUE", "CANCELLATION", "RENEWAL")

    life = make()
    life.buys(trial(life, 0, 0, 7), signed=7.01, autoRenewStatus=0, expirationIntent=1)
    life.buys(life.transaction(1, 30, 60, transactionReason="PURCHASE"))
    *_, again = life.expect("one who comes back after a trial", "INITIAL_PURCHASE", "CANCELLATION", "EXPIRATION", "RENEWAL")[:4]
    check("converts it", again["is_trial_conversion"] is True and again["price"] == 9.99, again)

    life = make()
    life.buys(life.transaction(0, 0, 60))
    life.buys(life.transaction(0, 0, 60), customer=f"other{life.number}", kind="restore")
    _, transfer, *_ = life.expect("a restore by another", "INITIAL_PURCHASE", "TRANSFER")
    check("names both", (transfer["transferred_from"], transfer["transferred_to"]) == ([life.customer], [f"other{life.number}"]), transfer)


def further(make):
    """Money, and what has no flow of its own there."""
    life = make()
    euros = {"currency": "EUR", "storefront": "DEU", "price": 10_490}
    life.buys(life.transaction(0, 0, 60, **euros))
    life.apple("DID_CHANGE_RENEWAL_STATUS", life.transaction(0, 0, 60, **euros), 3, "AUTO_RENEW_DISABLED", autoRenewStatus=0)
    life.apple("DID_CHANGE_RENEWAL_STATUS", life.transaction(0, 0, 60, **euros), 4, "AUTO_RENEW_ENABLED")
    life.apple("RENEWAL_EXTENDED", life.transaction(0, 0, 70, **euros), 5)
    refunded = {**euros, "revocationDate": int(life.started + 6 * DAY), "revocationReason": 0}
    life.apple("REFUND", life.transaction(0, 0, 70, **refunded), 6)
    life.apple("REFUND_REVERSED", life.transaction(0, 0, 70, **euros), 8)
    told = life.expect("renewal off and on, an extension, a refund and its reversal", "INITIAL_PURCHASE", "CANCELLATION", "UNCANCELLATION",
                       "SUBSCRIPTION_EXTENDED", "CANCELLATION", "EXPIRATION", "REFUND_REVERSED")
    check("money in euros is not known in dollars", [(event["price"], event["price_in_purchased_currency"]) for event in told[:7]] ==
          [(None, 10.49), (0, 0), (0, 0), (0, 0), (None, -10.49), (0, 0), (None, 10.49)] and told[0]["country_code"] == "DE",
          [(event["price"], event["price_in_purchased_currency"]) for event in told[:7]])
    check("a refund is the customer's support, and ends it there", told[4]["cancel_reason"] == told[5]["expiration_reason"] == "CUSTOMER_SUPPORT"
          and told[4]["expiration_at_ms"] == int(life.started + 6 * DAY) and told[6]["expiration_at_ms"] == int(life.started + 70 * DAY), told[4:7])

    life = make()
    life.apple("SUBSCRIBED", life.transaction(0, 0, 60, inAppOwnershipType="FAMILY_SHARED"), subtype="INITIAL_BUY")
    time.sleep(1)
    check("what nobody has claimed is told nobody", not life.told(), life.told())
    life.buys(life.transaction(0, 0, 60, inAppOwnershipType="FAMILY_SHARED"), kind="restore")
    first, *_ = life.expect("until somebody does", "INITIAL_PURCHASE")
    check("who uses what the family shares pays nothing", first["is_family_share"] is True and first["price"] == 0, first)

    life = make()
    coins = life.transaction(0, 0, 0, productId="coins", type="Consumable", offerType=3, offerIdentifier="summer")
    life.buys({name: value for name, value in coins.items() if name not in ("expiresDate", "webOrderLineItemId")})
    first, *_ = life.expect("what is bought once", "NON_RENEWING_PURCHASE")
    check("does not end, and gives what the products say", first["expiration_at_ms"] is None and first["entitlement_ids"] is None
          and first["offer_code"] == "summer", first)

    life = make(30)
    life.buys(life.transaction(0, 0, 30 - 60 / 86_400))
    life.expect("while news is missing", "INITIAL_PURCHASE", "TEMPORARY_ENTITLEMENT_GRANT")

    life = make()
    votes = f"{life.shop.books.customers}/{life.customer}"
    end = life.shop.books.signer.now + 7 * DAY
    for name, body in [("grants/week", {"entitlement": "plus", "until": end}), ("grants/ever", {"entitlement": "plus"}),
                       ("withdrawals/off", {"vote": "ever"})]:
        status, answer = request("PUT", f"{votes}/{name}", body, life.shop.books.backend)
        if status not in (200, 201):
            check(f"{name} is kept", False, (status, answer))
    week, ever, off, *_ = life.expect("a grant, one without end, and its withdrawal", "NON_RENEWING_PURCHASE", "NON_RENEWING_PURCHASE", "EXPIRATION")
    check("are of a store of their own", {event["store"] for event in (week, ever, off)} == {event["period_type"] for event in (week, ever, off)}
          == {"PROMOTIONAL"} and (week["expiration_at_ms"], ever["expiration_at_ms"]) == (end, None)
          and off["product_id"] == ever["product_id"] == "rc_promo_plus_lifetime" and off["transaction_id"] == ever["transaction_id"], (week, ever, off))


def countries(make):
    """Each of ISO 3166-1, and Apple's own letters of Kosovo."""
    wanted = {country.alpha3: country.alpha2 for country in iso3166.countries if country.alpha3 != "XKX"} | {"XKS": "XK"}
    lives = {three: make() for three in sorted(wanted)}
    for three, life in lives.items():
        life.buys(life.transaction(0, 0, 60, storefront=three))
    originals = {str(life.original): three for three, life in lives.items()}

    def found():
        events = [json.loads(item["body"])["event"] for item in lives["USA"].receiver.taken()]
        return {originals[event["original_transaction_id"]]: event["country_code"] for event in events
                if event.get("original_transaction_id") in originals}

    until(lambda: len(found()) == len(wanted), 30)
    wrong = {three: two for three, two in wanted.items() if found().get(three) != two}
    check(f"{len(wanted)} storefronts have two letters", not wrong, wrong)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        shop, receiver = Shop(folder, Signer(folder), "revenuecat"), Receiver(lambda request: 200)
        shop.books.content["apps"][0]["policy"] = {"onRestore": "transfer"}
        shop.books.write_configuration()
        with shop.books.serving():
            secret = shop.make("rc", receiver, format="revenuecat", headers=[{"name": "Authorization", "value": AUTHORIZATION}])["v1"]
            make = lambda started=40: Life(shop, receiver, started)
            flows(make)
            further(make)
            countries(make)
            status, attempt = shop.call("POST", "/rc/test")
            check("a test is delivered", status == 200 and attempt["isDelivered"], attempt)
            taken = receiver.taken()
            bodies = [json.loads(item["body"]) for item in taken]
            wrong = [fault for body in bodies for fault in faults(body)]
            types = collections.Counter(body["event"].get("type") for body in bodies)
            check(f"each of {len(bodies)} bodies is what RevenueCat describes", not wrong, wrong)
            check("every type was seen", set(types) == set(SCHEMAS), set(SCHEMAS) - set(types))
            check("each is signed, and has the header that was set", all(
                verified(item, secret) and item["headers"]["authorization"] == AUTHORIZATION for item in taken))
            check("the id of a body is its webhook-id", all(
                body["event"]["id"] == item["headers"]["webhook-id"] for body, item in zip(bodies, taken)))
            shop.check_schemas(20)
            before = len(taken)
            shop.call("POST", "/rc/resend", {"range": {"from": 0}})
            # A test is no event of the log.
            sent = {item["headers"]["webhook-id"]: item["body"] for item, body in zip(taken, bodies) if body["event"]["type"] != "TEST"}
            until(lambda: len(receiver.taken()) >= before + len(sent))
            again = {item["headers"]["webhook-id"]: item["body"] for item in receiver.taken()[before:]}
            check(f"I39 all {len(sent)} once more have the same bytes", again == sent,
                  [(sent.get(id), body) for id, body in again.items() if sent.get(id) != body][:1] or len(again))
        receiver.close()
    return summary()


if __name__ == "__main__":
    sys.exit(main())
