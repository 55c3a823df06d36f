"""What is shown of Apple Accounts, what is reserved before it is known, balances line by line, and a list of many rows while others write."""

import json
import os
import time

from books_material import DAY, MONTH, original_id
from harness import check


def notify(api, number, period=2, **changes):
    """Apple tells of a purchase that nobody claims."""
    signer = api.books.signer
    api.books.post_notification(signer.notification(number, period, **changes))


def check_proposals(api):
    """OWN-14: the same Apple Account buys again in another country."""
    signer = api.books.signer
    account = {"appTransactionId": "704000000000160"}

    def upload(customer, number, kind, **changes):
        signed = signer.jws(signer.transaction(number, 2, transactionReason="PURCHASE", **changes))
        return api.call("uploadTransaction", {"kind": kind, "signedTransactionInfo": signed}, customer=customer)

    def proposals():
        return api.call("listProposals")[1]["items"]

    before = signer.now - 40 * DAY
    upload("paula", 160, "restore", purchaseDate=before, signedDate=before, expiresDate=before + MONTH, **account)
    check("OWN-14 who has one subscription of an Apple Account is proposed for none", proposals() == [], proposals())
    notify(api, 161, **account)
    proposed = {"originalTransactionId": original_id(161), "customer": "paula", "otherSubscription": original_id(160),
                "shownBy": [{"kind": "appTransactionId", "id": account["appTransactionId"]}]}
    check("OWN-14 a new one of the account: its owner is proposed, and why", proposals() == [proposed], proposals())
    whole = api.call("readSubscription", originalTransactionId=original_id(161))[1]
    told = [(event["kind"], event.get("customer")) for event in whole["events"] if event["kind"] == "owner.proposed"]
    check("it is told, and nothing is bound", told == [("owner.proposed", "paula")] and whole["owner"] is None and whole["proposal"] == proposed, whole)
    check("the subscription names the account's others", whole["appleAccount"]["subscriptions"] == [original_id(160), original_id(161)], whole["appleAccount"])
    found = api.call("searchNames", query={"q": account["appTransactionId"]})[1]["results"]
    check("an appTransactionId finds both", [(one["id"], one["foundBy"]) for one in found] == [
        (original_id(number), "appTransactionId") for number in (160, 161)], found)
    upload("petra", 162, "purchase", appTransactionId="704000000000162")
    shown = signer.jws({**signer.app_transaction(), "appTransactionId": "704000000000162"})
    other = api.call("askPurchase", {"productId": "plus.monthly", "signedAppTransaction": shown}, customer="quentin")[1]
    check("OWN-18 an app transaction shows whose the product is on this Apple Account", other["answer"] == "heldByAnother"
          and other["ownerHint"] == "p…a", other)
    upload("paula", 161, "restore", **account)
    check("who claims it ends the proposal", proposals() == [] and api.call("readSubscription", originalTransactionId=original_id(161))[1]["owner"] == "paula")


def check_reservations(api):
    """OWN-18: a transaction is reserved before anything signed is known of it."""
    transaction = str(int(original_id(165)) + 1)
    by = {"customer": "rita"}
    first = api.call("reserveTransaction", by, transactionId=transaction, id="move-165")
    again = api.call("reserveTransaction", by, transactionId=transaction, id="move-165")
    check("OWN-18 a transaction that nobody knows is reserved, and again is safe", first == again and first[0] == 200
          and "originalTransactionId" not in first[1], (first, again))
    taken = api.call("reserveTransaction", {"customer": "sam"}, transactionId=transaction, id="move-165")
    check("under its id for nobody else", (taken[0], taken[1].get("code")) == (409, "idTaken"), taken)
    waiting = api.call("listReservations")[1]["items"]
    check("it is listed until then", [(one["transactionId"], one["customer"]) for one in waiting] == [(transaction, "rita")], waiting)
    notify(api, 165, 1)
    check("and is theirs as soon as a fact names it", api.call("readSubscription", originalTransactionId=original_id(165))[1]["owner"] == "rita")
    check("the list is empty then", api.call("listReservations")[1]["items"] == [])
    known = api.call("reserveTransaction", {"customer": "sam"}, transactionId=transaction, id="move-166")
    check("of one that is known the subscription is named at once", known[1].get("originalTransactionId") == original_id(165), known)
    owners = [[owner["customer"] for owner in revision["tenures"]] for revision in
              api.call("readSubscription", originalTransactionId=original_id(4))[1]["revisions"]]
    check("a subscription shows whose it was, as it was known from time to time", owners[0] == ["ann"] and owners[-1][-1] == "dora", owners)


def paid_through(lines):
    """ENT-3, by the rule's own formula: what is added at one instant before what is taken back."""
    end = None
    for line in sorted(lines, key=lambda line: (line["at"], -line["milliseconds"])):
        if line["milliseconds"] >= 0:
            end = max(end or 0, line["at"]) + line["milliseconds"]
        elif end is not None:
            end += line["milliseconds"]
    return end


def check_balances(api):
    """ENT-3, ENT-4: a subscription's own periods and time that was paid elsewhere add up, by the configuration."""
    signer = api.books.signer
    bought = signer.transaction(170, 2, productId="extras", transactionReason="PURCHASE")
    api.call("creditTime", {"entitlement": "extras", "milliseconds": 10 * DAY, "at": bought["purchaseDate"] - 4 * DAY}, customer="theo", id="voucher")
    api.call("uploadTransaction", {"kind": "purchase", "signedTransactionInfo": signer.jws(bought)}, customer="theo")

    def balance():
        whole = api.call("readCustomer", customer="theo")[1]
        return next(one for one in whole["balances"] if one["entitlement"] == "extras"), whole["entitlements"]

    one, answer = balance()
    # Six days of the voucher are left when the period begins.
    check("ENT-3 a period is added to what a voucher left", one["paidThrough"] == bought["purchaseDate"] + 6 * DAY + MONTH == paid_through(one["lines"]), one)
    check("which is what may be used", next(e for e in answer["entitlements"] if e["id"] == "extras")["end"] == one["paidThrough"], answer)
    check("each line names what added it", [(line.get("vote"), line.get("transactionId")) for line in one["lines"]] == [
        ("voucher", None), (None, bought["transactionId"])], one)
    refunded = bought["purchaseDate"] + DAY // 2
    signed = signer.jws({**bought, "revocationDate": refunded, "revocationReason": 0, "signedDate": refunded + 1})
    api.call("uploadTransaction", {"kind": "queue", "signedTransactionInfo": signed}, customer="theo")
    one, _ = balance()
    # The voucher is used first: of the period's place nothing was used yet.
    check("ENT-4 a refund takes back what of its place is unused, and nothing of the voucher", one["paidThrough"] == paid_through(one["lines"])
          and one["paidThrough"] == bought["purchaseDate"] + 6 * DAY and one["lines"][-1]["milliseconds"] == -MONTH, one)


def check_many_rows(api):
    """A6 at size: PAGED rows (2000) of a list are read while 1 % more are added and a tenth as many change."""
    count = int(os.environ.get("PAGED", "2000"))
    customer = api.books.sql("SELECT id FROM customer WHERE customer = 'rita'")[0]
    ledger = api.books.sql("SELECT id FROM ledger WHERE environment = 'Production'")[0]
    api.books.sql(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) "
        "INSERT INTO pendingReservation SELECT %s, printf('77%%010d', 2 * i), 'row', %s, 0, %d FROM n" % (
            count, ledger, customer, int(time.time() * 1000)))
    old = {f"77{2 * number:010}" for number in range(1, count + 1)}
    path, seen, pages, added, changed = "/api/v1/apps/demo/reservations?limit=1000", [], 0, 0, 0
    while path and pages < count:
        page = json.loads(api.raw("GET", path, headers=api.books.backend)[2])
        seen += [(item["transactionId"], item["id"]) for item in page["items"]]
        path, pages = page.get("next"), pages + 1
        # Between the rows, before and behind the place where the reader is.
        for _ in range(max(1, count // 100 * 1000 // count)):
            if added < count // 100:
                number = 2 * ((added * 7919) % count) + 1
                api.call("reserveTransaction", {"customer": "rita"}, transactionId=f"77{number:010}", id="row")
                added += 1
        if changed < count // 1000:
            api.books.sql(f"UPDATE pendingReservation SET reservedAt = reservedAt + 1 WHERE transactionId = '77{2 * (changed * 31 + 1):010}'")
            changed += 1
    met = [transaction for transaction, _ in seen if transaction in old]
    check(f"A6 of {count} rows, while {added} are added and {changed} changed, each is seen exactly once", len(met) == count and set(met) == old
          and len(set(seen)) == len(seen) and added == count // 100, (len(met), len(seen), pages))
    api.books.sql("DELETE FROM pendingReservation WHERE reservationId = 'row'")


def check_accounts(api):
    check_proposals(api)
    check_reservations(api)
    check_balances(api)
    check_many_rows(api)
