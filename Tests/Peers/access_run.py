#!/usr/bin/env python3
"""Reports of people who run such back ends, played by HTTP alone with notifications that are signed here: who holds what after each, and what the
subscription says of it. Prints one line per check; the exit code is 1 when one failed."""

import hashlib
import pathlib
import sys
import tempfile

import harness
import wire_pki as pki
from books_material import APPLE_ID, BUNDLE, DAY, Books, Signer, original_id
from harness import check, request

HERS, HIS = "2f0c3b1e-7a55-4c0d-9a51-0d8a6f1f9b11", "6f1c2e0a-58a4-4b1f-9e6d-0c2b7a9d3e11"

# Two groups give the same; the second plan of the first gives more.
PRODUCTS = {
    "plus.monthly": {"entitlements": ["plus"], "group": "21000000", "level": 2, "duration": "P1M"},
    "pro.monthly": {"entitlements": ["plus", "pro"], "group": "21000000", "level": 1, "duration": "P1M"},
    "other.monthly": {"entitlements": ["plus"], "group": "21000001", "level": 1, "duration": "P1M"},
    "pass": {"entitlements": ["season"]},
}


class Reports:
    """One server, and the signer that it trusts."""

    def __init__(self, folder):
        self.signer = Signer(folder)
        self.books = Books(folder, self.signer)
        self.books.content["apps"][0]["products"] = PRODUCTS
        self.books.content["apps"][0]["nonRenewingDurations"] = {"pass": "P30D"}
        self.books.content["apps"][0].setdefault("policy", {})["mergeOnClaim"] = True
        self.macs = [pki.issue(pki.LEAF, pki.new_key()) for _ in range(2)]
        self.books.content["apps"][0]["environments"] = ["Production", "Sandbox", "Xcode"]
        self.books.content["trust"]["xcodeCertificateSHA256"] = [hashlib.sha256(mac.der).hexdigest() for mac in self.macs]
        self.books.write_configuration()
        self.app = f"{self.books.server}/api/v1/apps/demo"

    def call(self, method, path, body=None):
        return request(method, self.app + path, body, self.books.backend)

    def tell(self, number, period=0, name=None, **members):
        """A notification about a period of the subscription of that number; `name` tells two about the same period apart."""
        status, answer = self.books.post_notification(self.signer.notification(number, period, uuid_text=name, **members))
        if status != 200:
            check(f"a notification is accepted: {number}/{period}", False, (status, answer))

    def restore(self, customer, number, period=0, **members):
        shown = self.signer.jws(self.signer.transaction(number, period, **members))
        return self.call("POST", f"/customers/{customer}/transactions", {"kind": "restore", "signedTransactionInfo": shown})

    def register(self, token, customer):
        status, answer = self.call("PUT", f"/customers/{customer}/appAccountTokens/{token}?minted=true")
        if status not in (200, 201, 204):
            check(f"a token is registered for {customer}", False, (status, answer))

    def holds(self, customer, at=None):
        return self.books.entitlements(customer, f"?at={at}" if at else "")[1]["isActive"]

    def subscription(self, number):
        return self.call("GET", f"/subscriptions/{original_id(number)}")[1]


def check_signed_once(reports):
    """FACT-2, OWN-4: a later copy of the same transaction lacks the token, or bears another one that the app set."""
    bought = reports.signer.transaction(1, 2)["purchaseDate"]
    reports.register(HERS, "alice")
    reports.register(HIS, "bob")
    first = dict(transactionReason="PURCHASE", purchaseDate=bought, originalPurchaseDate=bought)
    reports.tell(1, 2, "11111111-1111-4111-8111-111111111101", **first, signedDate=bought + 1000, appAccountToken=HERS)
    check("the token's customer holds what was bought", reports.holds("alice"))
    hour = 3_600_000
    reports.tell(1, 2, "11111111-1111-4111-8111-111111111102", **first, signedDate=bought + 3 * hour)
    check("a later copy without the token takes nothing from her", reports.holds("alice") and reports.holds("alice", bought + hour))
    status, answer = reports.restore("carol", 1, 2, **first, signedDate=bought + 4 * hour)
    check("and a stranger's restore is refused", (status, answer.get("code")) == (409, "ownedByAnother"), answer)
    set_at = bought + 5 * hour
    reports.tell(1, 2, "11111111-1111-4111-8111-111111111103", **first, signedDate=set_at, appAccountToken=HIS)
    check("a token that the app set later moves it from then on",
          reports.holds("bob") and not reports.holds("alice") and reports.holds("alice", set_at - 1) and not reports.holds("bob", set_at - 1))
    owners = [(one.get("customer"), one["from"]) for one in reports.subscription(1)["tenures"]]
    check("two owners, each from an instant", owners == [("alice", bought), ("bob", set_at)], owners)
    lines = reports.subscription(1)["explain"]
    check("the subscription says so", any("the app later gave the purchase the account token" in line and "OWN-4" in line for line in lines), lines)


def check_one_charge(reports):
    """PER-1: Apple's key of a charge comes back under another originalTransactionId."""
    hour = 3_600_000
    bought = reports.signer.transaction(2, 2)
    first = dict(transactionReason="PURCHASE", purchaseDate=bought["purchaseDate"], originalPurchaseDate=bought["purchaseDate"])
    again = dict(first, webOrderLineItemId=bought["webOrderLineItemId"], signedDate=bought["signedDate"] + hour)
    reports.tell(2, 2, "22222222-2222-4222-8222-222222222201", **first)
    status, answer = reports.restore("dora", 2, 2, **first)
    check("dora has what she shows", status == 200 and reports.holds("dora"), answer)
    reports.tell(3, 2, "22222222-2222-4222-8222-222222222202", **again)
    status, answer = reports.restore("emil", 3, 2, **again)
    check("the same charge under another id gives nothing", status == 200 and not reports.holds("emil") and reports.holds("dora"), answer)
    period = reports.subscription(3)["periods"][0]
    check("and is shown as served under the first", period.get("servedElsewhere") == original_id(2), period)
    check("which says nothing of the kind", "servedElsewhere" not in reports.subscription(2)["periods"][0])
    lines = reports.subscription(3)["explain"]
    words = "the same charge was signed first under the subscription " + original_id(2)
    check("it explains itself", any(words in line and "PER-1" in line for line in lines), lines)
    told = [event["kind"] for number in (2, 3) for event in reports.subscription(number)["events"]]
    check("one charge is told once", told.count("subscription.started") == 1 and "payment.doubled" not in told, told)
    refund = dict(again, signedDate=again["signedDate"] + hour, revocationDate=again["signedDate"] + hour - 1000, revocationReason=0)
    reports.tell(3, 2, "22222222-2222-4222-8222-222222222203", **refund)
    check("a refund that is named under the other id ends it", not reports.holds("dora"))
    told = [event["kind"] for number in (2, 3) for event in reports.subscription(number)["events"]]
    check("and is told once", told.count("purchase.refunded") == 1, told)
    warnings = reports.books.sql("SELECT kind, value FROM operatorWarning WHERE kind LIKE 'chargeOf%'")
    check("operators are warned", len(warnings) == 1 and original_id(2) in warnings[0] and original_id(3) in warnings[0], warnings)


def check_any_id(reports):
    """ABUSE-2, PER-1: a restore mints another transactionId for the same charge, and Apple asks about the refund by either."""
    bought = reports.signer.transaction(4, 2)
    first = dict(transactionReason="PURCHASE", purchaseDate=bought["purchaseDate"], originalPurchaseDate=bought["purchaseDate"])
    reports.tell(4, 2, "44444444-4444-4444-8444-444444444401", **first)
    status, answer = reports.restore("fay", 4, 2, **first)
    check("fay has what she shows", status == 200 and reports.holds("fay"), answer)
    again = str(int(bought["transactionId"]) + 4)
    reports.restore("fay", 4, 2, **first, transactionId=again, signedDate=bought["signedDate"] + 3_600_000)
    said = {"customerConsented": True, "deliveryStatus": "DELIVERED"}
    for name in (bought["transactionId"], again):
        status, answer = reports.call("PUT", f"/customers/fay/consumption/{name}", said)
        check(f"what was consumed is said by the id {name}", status == 200, (status, answer))
    status, answer = reports.call("PUT", "/customers/fay/consumption/1", said)
    check("another id is unknown", (status, answer.get("code")) == (404, "unknownPurchase"), (status, answer))


def check_question(reports):
    """OWN-12, OWN-18: the question before buying sees what is held, in whatever group and by whatever right."""
    def ask(customer, product):
        status, answer = reports.call("POST", f"/customers/{customer}/intents", {"productId": product})
        held = [(one["right"], one["entitlements"], one["mayBeCharged"]) for one in answer.get("held", [])]
        return (answer.get("answer") if status == 200 else (status, answer)), held, answer

    check("what nobody sells is not answered yes", ask("gus", "never.sold")[0] == "unknownProduct")
    check("a customer who has nothing may buy", ask("gus", "other.monthly")[:2] == ("yes", []))
    bought = reports.signer.transaction(5, 2)
    first = dict(transactionReason="PURCHASE", purchaseDate=bought["purchaseDate"], originalPurchaseDate=bought["purchaseDate"])
    reports.tell(5, 2, "55555555-5555-4555-8555-555555555501", **first)
    reports.restore("gus", 5, 2, **first)
    answer, held, _ = ask("gus", "other.monthly")
    check("what another group gives is held already", (answer, held) == ("alreadyHeld", [("paid", ["plus"], True)]), (answer, held))
    answer, _, body = ask("gus", "pro.monthly")
    check("the change of the own subscription is said without a proof", (answer, body.get("change"), body.get("isOwner")) == ("changes", "upgrade", True), body)
    status, answer = reports.call("PUT", "/customers/hana/grants/gift", {"entitlement": "plus", "actor": "mia", "reason": "a gift"})
    check("hana has a grant", status == 200, answer)
    answer, held, body = ask("hana", "plus.monthly")
    check("which is held already, and never charged", (answer, held, body["held"][0].get("vote")) == ("alreadyHeld", [("granted", ["plus"], False)], "gift"), body)
    check("of what gives more it is a part", ask("hana", "pro.monthly")[0] == "overlaps")
    # The period before ended, and Apple fails to charge for this one.
    failing = {"isInBillingRetryPeriod": True, "expirationIntent": 2, "signedDate": bought["purchaseDate"] + 1000}
    reports.tell(6, 1, "66666666-6666-4666-8666-666666666601", type="DID_FAIL_TO_RENEW", renewal=failing)
    reports.restore("ines", 6, 1)
    answer, held, body = ask("ines", "other.monthly")
    check("what is in billing retry may be charged still", (answer, held) == ("mayStillBeCharged", [("billingRetry", ["plus"], True)]), body)
    check("until Apple gives up", body["held"][0].get("until") == bought["purchaseDate"] + 60 * DAY, body)


def check_deliveries(reports):
    """PER-9, PER-11: a consumable is delivered once, whoever owned it when, and what is refunded of it is listed."""
    now = reports.signer.now
    bought = {**reports.signer.transaction(7), "productId": "coins.100", "type": "Consumable", "quantity": 4, "purchaseDate": now - 20_000,
              "originalPurchaseDate": now - 20_000, "signedDate": now - 19_000, "transactionReason": "PURCHASE"}
    for member in ("expiresDate", "webOrderLineItemId", "subscriptionGroupIdentifier"):
        del bought[member]
    name = bought["transactionId"]

    def upload(customer, kind, **members):
        shown = reports.signer.jws({**bought, **members})
        return reports.call("POST", f"/customers/{customer}/transactions", {"kind": kind, "signedTransactionInfo": shown})

    def deliver(customer):
        return reports.call("PUT", f"/customers/{customer}/deliveries/{name}")

    status, answer = upload("jan", "queue")
    check("jan's app finds coins unfinished", status == 200, answer)
    status, first = deliver("jan")
    check("they are delivered to him", (status, first.get("quantity")) == (200, 4), first)
    status, answer = upload("kim", "purchase")
    check("kim's app shows that she bought them", status == 200, answer)
    for _ in range(2):
        status, answer = deliver("kim")
        said = (status, answer.get("code"), answer.get("deliveredTo"), answer.get("deliveredAt"))
        check("a second delivery is refused with who has them and since when", said == (409, "deliveredBefore", "jan", first["deliveredAt"]), answer)
    check("jan is told again what he has", deliver("jan") == (200, first))
    items = reports.call("GET", f"/subscriptions/{original_id(7)}/events")[1]["items"]
    told = [event["data"] for event in items if event["type"] == "delivery.refused"]
    check("it is told once", [(one["customer"], one["previousCustomer"]) for one in told] == [("kim", "jan")], told)
    _, signals = reports.call("GET", "/signals?signalKind=secondDelivery")
    check("and is a signal", [one["originalTransactionId"] for one in signals["items"]] == [bought["originalTransactionId"]], signals)
    vote = {"transactionId": name, "actor": "mia", "reason": "both paid"}
    status, answer = reports.call("PUT", "/customers/kim/redeliveries/support-7", vote)
    check("an operator allows it", status == 200 and answer["kind"] == "redelivery", answer)
    status, answer = deliver("kim")
    check("and it is delivered to her too", status == 200 and answer["deliveredAt"] > first["deliveredAt"], answer)
    half = dict(revocationDate=now, revocationReason=0, revocationPercentage=50_000, signedDate=now)
    data = {"appAppleId": APPLE_ID, "bundleId": BUNDLE, "environment": "Production", "signedTransactionInfo": reports.signer.jws({**bought, **half})}
    told = {"notificationType": "REFUND", "version": "2.0", "notificationUUID": "77777777-7777-4777-8777-777777777701", "signedDate": now, "data": data}
    status, answer = reports.books.post_notification(reports.signer.jws(told))
    check("half of them is refunded", status == 200, answer)
    _, listed = reports.call("GET", "/refunds")
    refund = listed["items"][0]
    check("and listed with what to take back",
          (refund["transactionId"], refund["quantity"], refund["refundedQuantity"], refund["takeBack"]) == (name, 4, 2, 4), listed)
    check("two from each of them", [(one["customer"], one["quantity"], one["takeBack"]) for one in refund["deliveries"]] == [("jan", 4, 2), ("kim", 4, 2)], refund)
    check("and kim had bought them", refund["customer"] == "kim", refund)
    shown = reports.call("GET", "/customers/kim")[1]["consumables"][0]
    check("kim still sees them", (shown["quantity"], shown["refundedQuantity"], shown["isBuyer"]) == (4, 2, True), shown)
    shown = reports.call("GET", "/customers/jan")[1]["consumables"][0]
    check("and so does jan, who did not buy them", "deliveredAt" in shown and not shown["isBuyer"], shown)


def check_seat(reports):
    """PER-12: a seat of a group purchase that Apple assigned."""
    bought = reports.signer.transaction(8, 2)
    seat = dict(transactionReason="PURCHASE", purchaseDate=bought["purchaseDate"], originalPurchaseDate=bought["purchaseDate"], inAppOwnershipType="ASSIGNED")
    status, answer = reports.restore("lena", 8, 2, **seat)
    check("whoever holds the seat has it", status == 200 and reports.holds("lena"), answer)
    status, answer = reports.restore("max", 8, 2, **seat)
    check("and a stranger's restore is refused", (status, answer.get("code")) == (409, "ownedByAnother"), answer)
    name = str(int(bought["transactionId"]))
    status, answer = reports.call("POST", "/customers/lena/intents", {"productId": "other.monthly"})
    held = [(one["entitlements"], one["mayBeCharged"]) for one in answer.get("held", [])]
    check("Apple does not charge her for it", held == [(["plus"], False)], answer)
    hour = 3_600_000
    back = dict(seat, signedDate=bought["signedDate"] + hour, revocationDate=bought["signedDate"] + hour - 1000, revocationType="ASSIGNMENT_REVOKE")
    reports.tell(8, 2, "88888888-8888-4888-8888-888888888801", type="REVOKE", **back)
    check("taken back, it ends", not reports.holds("lena"))
    told = [event["kind"] for event in reports.subscription(8)["events"]]
    check("which is no refund", "assignment.revoked" in told and "purchase.refunded" not in told, told)
    refunds = [one["transactionId"] for one in reports.call("GET", "/refunds")[1]["items"]]
    check("and stands in no list of refunds", name not in refunds, refunds)
    lines = reports.subscription(8)["explain"]
    check("the subscription says so", any("was assigned as a seat of a group purchase" in line and "PER-12" in line for line in lines), lines)


def check_added_seats(reports):
    """PER-12: seats that are added in mid-period are money and seats, and no time."""
    bought = reports.signer.transaction(9, 2)
    first = dict(transactionReason="PURCHASE", purchaseDate=bought["purchaseDate"], originalPurchaseDate=bought["purchaseDate"], quantity=5)
    reports.tell(9, 2, "99999999-9999-4999-8999-999999999901", **first)
    status, answer = reports.restore("nora", 9, 2, **first)
    check("nora has what she bought", status == 200 and reports.holds("nora"), answer)
    hour = 3_600_000
    name = str(int(bought["transactionId"]) + 7)
    added = dict(first, transactionId=name, purchaseDate=bought["purchaseDate"] + hour, signedDate=bought["purchaseDate"] + hour + 1000,
                 additionalTransactionReason="SEAT_ADDITION", quantity=3)
    reports.tell(9, 2, "99999999-9999-4999-8999-999999999902", **added)
    periods = [(one["transactionId"], one.get("addedSeats")) for one in reports.subscription(9)["periods"]]
    check("the seats are shown beside the period, though both have one key", periods == [(bought["transactionId"], None), (name, 3)], periods)
    status, answer = reports.restore("otto", 9, 2, **added)
    check("whoever shows them takes nothing", status == 409 and reports.holds("nora"), answer)
    lines = reports.subscription(9)["explain"]
    check("the subscription says so", any("3 seats of plus.monthly were added" in line and "PER-12" in line for line in lines), lines)
    back = dict(added, signedDate=added["signedDate"] + hour, revocationDate=added["signedDate"] + hour - 1000, revocationReason=0)
    reports.tell(9, 2, "99999999-9999-4999-8999-999999999903", type="REFUND", **back)
    check("a refund of them ends nobody's access", reports.holds("nora"))
    told = [(event["kind"], event.get("transactionId")) for event in reports.subscription(9)["events"] if event["kind"] == "purchase.refunded"]
    check("and is told", told == [("purchase.refunded", name)], told)


def check_two_devices(reports):
    """OWN-10, mergeOnClaim: two devices of one Apple Account on which nobody logged in."""
    phone, pad = "anonymous-phone", "anonymous-pad"
    secrets = {phone: "phone-" + "p" * 40, pad: "pad-" + "q" * 40}
    for device in (phone, pad):
        status, answer = reports.call("PUT", f"/customers/{device}/device", {"secret": secrets[device]})
        check(f"{device} is registered", status == 204, (status, answer))
    bought = reports.signer.transaction(10, 2)
    first = dict(transactionReason="PURCHASE", purchaseDate=bought["purchaseDate"], originalPurchaseDate=bought["purchaseDate"])
    reports.tell(10, 2, "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaa01", **first)
    reports.restore(phone, 10, 2, **first)
    for device in (pad, phone, pad):
        status, answer = reports.restore(device, 10, 2, **first)
        check(f"{device} restores", status == 200, answer)
        check("and both have it", reports.holds(phone) and reports.holds(pad))
    owners = [one.get("customer") for one in reports.subscription(10)["tenures"] if one.get("customer")]
    check("it is the first one's all along", owners == [phone], owners)
    told = [event["kind"] for event in reports.subscription(10)["events"]]
    check("nothing went to and fro", told.count("owner.changed") <= 1, told)
    lines = reports.subscription(10)["explain"]
    check("the subscription says so", any(pad in line and phone in line and "OWN-10" in line for line in lines), lines)
    status, answer = reports.call("POST", "/customers/rosa/identify", {"anonymous": pad, "deviceSecret": secrets[pad]})
    check("either device logs both in", status == 204, (status, answer))
    check("whose everything is then", reports.holds("rosa") and reports.holds(phone) and reports.holds(pad))
    owners = [one.get("customer") for one in reports.subscription(10)["tenures"] if one.get("customer")]
    check("the past included", owners == ["rosa"], owners)
    status, answer = reports.call("POST", "/customers/sven/identify", {"anonymous": phone, "deviceSecret": secrets[phone]})
    check("the other one cannot become somebody else", status == 409, (status, answer))


def check_switch(reports):
    """PER-14: a switch from a plan to a bundle, and back."""
    now, begun = reports.signer.now, reports.signer.now - 4 * DAY
    first = dict(transactionReason="PURCHASE", purchaseDate=begun, originalPurchaseDate=begun, signedDate=begun + 1000, expiresDate=begun + 30 * DAY)
    plan = reports.signer.transaction(11, 2, **first)
    reports.tell(11, 2, "bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbb01", **first)
    status, answer = reports.restore("tara", 11, 2, **first)
    check("tara has her plan", status == 200 and reports.holds("tara"), answer)
    at = now - 2 * DAY
    bundle = dict(first, purchaseDate=at, originalPurchaseDate=at, signedDate=at + 1000, productId="pro.monthly",
                  previousOriginalTransactionId=original_id(11), expiresDate=at + 30 * DAY)
    reports.tell(12, 2, "bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbb02", type="SUBSCRIBED", **bundle)
    over = dict(first, signedDate=at + 5000, revocationDate=at + 2000, revocationReason=0)
    reports.tell(11, 2, "bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbb03", type="REFUND", **over)
    new, old = reports.subscription(12), reports.subscription(11)
    owners = [(one.get("customer"), one["rule"]) for one in new["tenures"]]
    check("the bundle is tara's, though nobody claimed it", owners == [("tara", "PER-14")], owners)
    check("and she has it", reports.holds("tara"))
    check("it names what it continues", new.get("previousOriginalTransactionId") == original_id(11), new)
    check("and the plan says by what it is continued", [one.get("continuedBy") for one in old["periods"]] == [original_id(12)], old["periods"])
    check("the plan ended at the switch", old["periods"][0]["end"] == at, old["periods"])
    told = [event["kind"] for event in old["events"]]
    check("which is no refund and no lapse", not {"purchase.refunded", "access.ended", "subscription.expired"} & set(told), told)
    check("and stands in no list of refunds", plan["transactionId"] not in [one["transactionId"] for one in reports.call("GET", "/refunds")[1]["items"]])
    told = [event["kind"] for event in new["events"]]
    check("the bundle is a change of plan and no new customer", "subscription.changed" in told and "subscription.started" not in told, told)
    status, answer = reports.restore("uwe", 12, 2, **bundle)
    check("a stranger's restore is refused", (status, answer.get("code")) == (409, "ownedByAnother"), answer)
    check("both explain it", any("which this one continues" in line and "PER-14" in line for line in new["explain"])
          and any("continues it" in line and "PER-14" in line for line in old["explain"]), (new["explain"], old["explain"]))
    back = now - DAY
    plain = dict(first, purchaseDate=back, originalPurchaseDate=back, signedDate=back + 1000, previousOriginalTransactionId=original_id(12),
                 expiresDate=back + 30 * DAY)
    reports.tell(13, 2, "bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbb04", type="SUBSCRIBED", **plain)
    owners = [one.get("customer") for one in reports.subscription(13)["tenures"]]
    check("back again, it is still tara's", owners == ["tara"], owners)


def check_bought_again(reports):
    """OWN-5: what another one bought after a refund stays theirs when the refund is reversed, and so does the running product bought again."""
    hers, his = "7a1b2c3d-58a4-4b1f-9e6d-0c2b7a9d3e12", "8b1b2c3d-58a4-4b1f-9e6d-0c2b7a9d3e13"
    reports.register(hers, "vera")
    reports.register(his, "will")
    start = reports.signer.now - 20 * DAY
    refunded, again, returned = (start + days * DAY for days in (10, 11, 19))

    def period(at, **members):
        return dict(dict(transactionReason="PURCHASE", purchaseDate=at, originalPurchaseDate=start, expiresDate=at + 31 * DAY, signedDate=at + 1000),
                    **members)

    reports.tell(14, 0, "cccccccc-cccc-4ccc-8ccc-cccccccccc01", **period(start, appAccountToken=hers))
    refund = dict(signedDate=refunded + 1000, revocationDate=refunded, revocationReason=0)
    reports.tell(14, 0, "cccccccc-cccc-4ccc-8ccc-cccccccccc02", type="REFUND", **period(start, appAccountToken=hers, **refund))
    reports.tell(14, 1, "cccccccc-cccc-4ccc-8ccc-cccccccccc03", type="SUBSCRIBED", **period(again, appAccountToken=his))
    check("after the refund will bought it", reports.holds("will") and not reports.holds("vera"))
    reports.tell(14, 0, "cccccccc-cccc-4ccc-8ccc-cccccccccc04", type="REFUND_REVERSED", **period(start, appAccountToken=hers, signedDate=returned))
    check("the reversed refund takes nothing from him", reports.holds("will") and not reports.holds("vera"))
    check("and gives her back what was left until he bought", reports.holds("vera", again - 1) and not reports.holds("vera", again))
    shown = reports.subscription(14)
    ends = [(one["beginning"], one["end"]) for one in shown["periods"]]
    check("the periods say so", ends == [("firstKnown", again), ("immediateChange", again + 31 * DAY)], ends)
    words = "It replaced what was left of the earlier purchase at once (PER-3"
    check("and the subscription explains it", any(words in line for line in shown["explain"]), shown["explain"])

    waiting = dict(autoRenewProductId="other.monthly", autoRenewStatus=1)
    reports.tell(15, 0, "cccccccc-cccc-4ccc-8ccc-cccccccccc05", renewal=waiting, **period(start, appAccountToken=hers, productId="pro.monthly"))
    reports.tell(15, 1, "cccccccc-cccc-4ccc-8ccc-cccccccccc06", type="DID_CHANGE_RENEWAL_PREF",
                 **period(again, appAccountToken=his, productId="pro.monthly"))
    shown = reports.subscription(15)
    told = [event["kind"] for event in shown["events"] if event["kind"].startswith("subscription.")]
    check("the running product bought again is a change", told == ["subscription.started", "subscription.changed"], told)
    owners = [(one.get("customer"), one["from"]) for one in shown["tenures"]]
    check("and its buyer's", owners == [("vera", start), ("will", again)], owners)


def season(reports, customer, at):
    """Whether they have what the pass gives."""
    found = reports.books.entitlements(customer, f"?at={at}")[1]["entitlements"]
    return any(one["id"] == "season" and one["isActive"] for one in found)


def bought_pass(reports, customer, number, at, **members):
    """A pass of thirty days, uploaded as it was bought."""
    once = dict(type="Non-Renewing Subscription", productId="pass", originalTransactionId=original_id(number), transactionId=original_id(number),
                purchaseDate=at, originalPurchaseDate=at, expiresDate=None, webOrderLineItemId=None, subscriptionGroupIdentifier=None, signedDate=at + 1000)
    once.update(members)
    shown = {name: value for name, value in {**reports.signer.transaction(number), **once}.items() if value is not None}
    status, answer = reports.call("POST", f"/customers/{customer}/transactions", {"kind": "restore", "signedTransactionInfo": reports.signer.jws(shown)})
    if status != 200:
        check(f"the pass {number} is taken", False, (status, answer))


def check_stacked(reports):
    """ENT-4: five passes in five days, all refunded on day 27, give nothing from then on; of three, one that is refunded takes one (PER-11)."""
    start = reports.signer.now - 40 * DAY
    for number in range(5):
        bought_pass(reports, "mona", 20 + number, start + number * DAY)
    check("five passes last five months", season(reports, "mona", start + 149 * DAY) and not season(reports, "mona", start + 151 * DAY))
    for number in range(5):
        bought_pass(reports, "mona", 20 + number, start + number * DAY, signedDate=start + 27 * DAY, revocationDate=start + 27 * DAY, revocationReason=0)
    check("refunded on day 27 they are over", season(reports, "mona", start + 27 * DAY - 1) and not season(reports, "mona", start + 27 * DAY))
    bought_pass(reports, "nora", 25, start, quantity=3)
    check("three in one purchase last ninety days", season(reports, "nora", start + 90 * DAY - 1) and not season(reports, "nora", start + 90 * DAY))
    bought_pass(reports, "nora", 25, start, quantity=3, signedDate=start + 39 * DAY, revocationDate=start + 39 * DAY, revocationReason=0,
                revocationType="REFUND_PRORATED", revocationPercentage=33_333)
    check("one of them refunded takes thirty", season(reports, "nora", start + 60 * DAY - 1) and not season(reports, "nora", start + 60 * DAY))


def check_half(reports):
    """PER-11: a prorated refund of a running subscription ends it, and it can be bought again at once."""
    start = reports.signer.now - 20 * DAY
    refunded = start + 10 * DAY
    token = "9c1b2c3d-58a4-4b1f-9e6d-0c2b7a9d3e14"
    reports.register(token, "olga")
    month = dict(transactionReason="PURCHASE", purchaseDate=start, originalPurchaseDate=start, expiresDate=start + 31 * DAY, appAccountToken=token)
    reports.tell(30, 0, "dddddddd-dddd-4ddd-8ddd-dddddddddd01", **month, signedDate=start + 1000)
    reports.tell(30, 0, "dddddddd-dddd-4ddd-8ddd-dddddddddd02", type="REFUND", **month, signedDate=refunded + 1000, revocationDate=refunded,
                 revocationReason=0, revocationType="REFUND_PRORATED", revocationPercentage=65_000)
    check("a prorated refund ends the period", reports.holds("olga", refunded - 1) and not reports.holds("olga", refunded))
    words = "Apple refunded 65% of the price of plus.monthly"
    lines = reports.subscription(30)["explain"]
    check("and the subscription says so", any(words in line and "was taken back from olga" in line for line in lines), lines)
    again = dict(month, purchaseDate=refunded + DAY, expiresDate=refunded + 32 * DAY)
    reports.tell(30, 1, "dddddddd-dddd-4ddd-8ddd-dddddddddd03", type="SUBSCRIBED", **again, signedDate=refunded + DAY + 1000)
    check("bought again it gives access again", reports.holds("olga") and not reports.holds("olga", refunded + DAY - 1))


def check_nobody(reports):
    """OWN-2: an SDK sends the nil UUID for everybody; it names nobody, and a customer called null comes to nothing."""
    nil = "00000000-0000-0000-0000-000000000000"
    status, answer = reports.call("PUT", f"/customers/pia/appAccountTokens/{nil}?minted=true")
    check("the nil UUID is not registered", (status, answer.get("code"), answer.get("field")) == (400, "invalidParameter", "appAccountToken"), answer)
    for number, customer in ((31, "pia"), (32, "quin")):
        bought = reports.signer.transaction(number, 2)["purchaseDate"]
        first = dict(transactionReason="PURCHASE", purchaseDate=bought, originalPurchaseDate=bought, appAccountToken=nil)
        reports.tell(number, 2, f"eeeeeeee-eeee-4eee-8eee-eeeeeeeeee{number}", **first)
        status, answer = reports.restore(customer, number, 2, **first)
        check(f"what {customer} paid is {customer}'s", status == 200 and reports.holds(customer), (status, answer))
    status, answer = reports.restore("null", 31, 2)
    check("nobody called null takes it", (status, answer.get("code"), answer.get("field")) == (400, "invalidParameter", "customer"), answer)
    _, warnings = reports.call("GET", "/warnings")
    check("operators are warned", ("tokenNamesNobody", nil) in [(one["kind"], one["value"]) for one in warnings["warnings"]], warnings)


def check_xcode(reports):
    """FACT-4: two developers buy in Xcode, each of them the first purchase on a Mac, which Xcode calls 0."""
    stranger = pki.issue(pki.LEAF, pki.new_key())
    start = reports.signer.now - DAY

    def upload(customer, mac):
        bought = {"transactionId": "0", "originalTransactionId": "0", "webOrderLineItemId": "0", "bundleId": BUNDLE, "productId": "plus.monthly",
                  "subscriptionGroupIdentifier": "21000000", "purchaseDate": start, "originalPurchaseDate": start, "expiresDate": start + 30 * DAY,
                  "type": "Auto-Renewable Subscription", "signedDate": start + 1000.25, "environment": "Xcode", "inAppOwnershipType": "PURCHASED",
                  "transactionReason": "PURCHASE", "appTransactionId": "0"}
        header = {"kid": "Apple_Xcode_Key", "alg": "ES256", "typ": "JWT", "x5c": pki.x5c([mac.der])}
        shown = pki.jws(None, bought, header, mac.key)
        return reports.call("POST", f"/customers/{customer}/transactions", {"kind": "purchase", "signedTransactionInfo": shown})

    for customer, mac in zip(("wanda", "xaver"), reports.macs):
        status, answer = upload(customer, mac)
        print_ = hashlib.sha256(mac.der).hexdigest()[:8]
        check(f"{customer}'s purchase in Xcode is {customer}'s", (status, answer.get("originalTransactionId")) == (200, f"xcode-{print_}-0"), answer)
        _, held = reports.books.entitlements(customer, "?environment=Xcode")
        check("and gives access in Xcode alone", held["isActive"] and not reports.holds(customer), held)
    status, answer = upload("yoko", stranger)
    named = answer.get("setting") or answer.get("detail")
    check("another Mac is refused", status == 400 and "xcodeCertificateSHA256" in str(answer) and "rootNotTrusted" in str(answer), (status, named, answer))


def main():
    with tempfile.TemporaryDirectory() as folder:
        reports = Reports(pathlib.Path(folder))
        with reports.books.serving():
            check_signed_once(reports)
            check_one_charge(reports)
            check_any_id(reports)
            check_question(reports)
            check_deliveries(reports)
            check_seat(reports)
            check_added_seats(reports)
            check_two_devices(reports)
            check_switch(reports)
            check_bought_again(reports)
            check_stacked(reports)
            check_half(reports)
            check_nobody(reports)
            check_xcode(reports)
        outcome = reports.books.tenure("verify", "--rebuild")
        check("tenure verify --rebuild finds the books whole", outcome.returncode == 0, outcome)
    return harness.summary()


if __name__ == "__main__":
    sys.exit(main())
