#!/usr/bin/env python3
"""Tenure's own API from outside: the served document is valid OpenAPI 3.1; the stories of the rules are lived by HTTP alone, each answer held against
the document with schemas that allow nothing more; bad input of every kind gets a refusal that the document names; and schemathesis, which knows the
document and nothing else, in every role. Prints one line per check; the exit code is 1 when one failed.

EXAMPLES makes schemathesis try more (10), PAGED the list that is read while others write longer (2000 rows)."""

import concurrent.futures
import hashlib
import html
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

from openapi_spec_validator import OpenAPIV31SpecValidator

import api_accounts
import api_answers
import harness
from apple_key import write_key
from books_material import DAY, Books, Signer, original_id
from books_verify import with_length
from harness import check
from openapi_document import Document, closed

WEEK = 7 * DAY
SECRET = "yT3qv0m8kQe1WfZ5uJ7x2A"
# Of operations that no story calls: those for Apple are lived in run.py, receipts in books_doors.py.
# What webhooks_run and api_examples call.
OF_WEBHOOKS = {
    "listWebhookEndpoints", "saveWebhookEndpoint", "readWebhookEndpoint", "deleteWebhookEndpoint", "pauseWebhookEndpoint",
    "resumeWebhookEndpoint", "rotateWebhookSecret", "testWebhookEndpoint", "listWebhookAttempts", "listParkedEvents", "resendEvents"}
ELSEWHERE = {"receiveNotification", "uploadReceipt"} | OF_WEBHOOKS


class API:
    """Calls by the names of operations, each answer judged by the document."""

    def __init__(self, books):
        self.books, self.wrong, self.called, self.met = books, [], set(), set()
        self.content = json.loads(self.raw("GET", "/api/v1/openapi.json")[2])
        self.document = Document(closed(self.content))

    def raw(self, method, path, body=None, headers=None):
        data = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        sent = {**({} if data is None else {"Content-Type": "application/json"}), **(headers or {})}
        wanted = urllib.request.Request(self.books.server + path, data=data, method=method, headers=sent)
        try:
            with urllib.request.urlopen(wanted, timeout=30) as response:
                return response.status, response.headers.get_content_type(), response.read()
        except urllib.error.HTTPError as error:
            return error.code, error.headers.get_content_type(), error.read()

    def path(self, name, places):
        path = self.document.operations[name][1]
        for place, value in {"app": "demo", **places}.items():
            path = path.replace("{" + place + "}", urllib.parse.quote(str(value), safe=""))
        return path

    def call(self, name, body=None, query=None, headers=None, **places):
        """Status and answer."""
        method, _ = self.document.operations[name]
        path = self.path(name, places) + ("?" + urllib.parse.urlencode(query) if query else "")
        status, media, content = self.raw(method.upper(), path, body, headers or self.books.backend)
        self.called.add(name)
        self.wrong += [f"{name} {status}: {fault}" for fault in self.document.judge(name, status, media, content)]
        if media == "application/x-ndjson":
            return status, [json.loads(line) for line in content.splitlines()]
        answer = json.loads(content) if content and media.endswith("json") else None
        if status >= 400:
            self.met.add(answer["code"])
        return status, answer

    def entitlement(self, customer, name="plus"):
        """The whole answer, and one entitlement of it."""
        answer = self.call("readEntitlements", customer=customer)[1]
        return answer, next(one for one in answer["entitlements"] if one["id"] == name)

    def is_active(self, customer, **query):
        return self.call("readEntitlements", customer=customer, query=query)[1]["isActive"]


def check_document(api):
    faults = [str(error.message)[:200] for error in OpenAPIV31SpecValidator(api.content).iter_errors()]
    check("the document is valid OpenAPI 3.1, by openapi-spec-validator", not faults, faults[:3])
    committed = json.loads((harness.ROOT / "docs/openapi.json").read_text())
    check("and the one that is committed", committed == api.content)
    status, media, page = api.raw("GET", "/api/v1/docs")
    text = page.decode()
    check(
        "the page names every operation, with curl, and loads nothing",
        status == 200 and media == "text/html" and all(f'id="{name}"' in text for name in api.document.operations)
        and "<script" not in text and not re.search(r'(src|href)="(https?:)?//', text))


def check_guide(api):
    """A12: what the page says of giving somebody a week and taking it back, copied into a shell. (Whether a person finds it, no program says.)"""
    page = api.raw("GET", "/api/v1/docs")[2].decode()
    guide = html.unescape(re.search(r"take it back:</p>\s*<pre>(.*?)</pre>", page, re.DOTALL)[1])
    outcome = subprocess.run(["bash", "-ec", guide.replace("curl ", "curl -sS --fail-with-body ")], capture_output=True, text=True, timeout=60,
                             env={**os.environ, "TENURE": api.books.server, "SERVER_KEY": api.books.keys.server})
    check("A12 the page's guide runs as it stands", outcome.returncode == 0 and '"kind":"granted"' in outcome.stdout, outcome)
    line = [item["words"] for item in api.call("readTimeline", customer="bob")[1]["items"]]
    check("the time line says what was granted, why, and that it was withdrawn", any("A grant of plus (support-4711)" in words and "the broken update" in words for words in line)
          and any("The withdrawal of support-4711" in words for words in line), line)
    check("and bob has nothing", api.is_active("bob") is False)


def check_votes(api):
    """ENT-9, ENT-3: a grant, a hold, time paid elsewhere, and each withdrawn."""
    now = int(time.time() * 1000)
    check("nobody starts with anything", api.is_active("gina") is False)
    grant = {"entitlement": "plus", "until": now + WEEK, "actor": "mia", "reason": "the update of May was broken"}
    status, answer = api.call("grantEntitlement", grant, customer="gina", id="support-1")
    check(
        "ENT-9 a grant answers with what it changed", status == 200 and answer["kind"] == "grant" and answer["actor"] == "mia"
        and [change["entitlement"] for change in answer["changes"]] == ["plus"] and answer["changes"][0]["windows"][0]["end"] == now + WEEK,
        answer)
    answer, plus = api.entitlement("gina")
    rests = plus.get("restsOn", {})
    check("and gives access that says so", answer["isActive"] and answer["end"] == now + WEEK and rests.get("kind") == "granted"
          and rests.get("vote") == "support-1", answer)
    again = api.call("grantEntitlement", grant, customer="gina", id="support-1")
    check("the same grant under the same id is kept once", again[0] == 200 and again[1]["changes"] == [], again)
    other = api.call("grantEntitlement", {**grant, "until": now + 2 * WEEK}, customer="gina", id="support-1")
    check("another one under the same id is 409 idTaken", (other[0], other[1].get("code")) == (409, "idTaken"), other)
    unknown = api.call("grantEntitlement", {"entitlement": "gold"}, customer="gina", id="support-2")
    check("an entitlement that no product gives is 404 unknownEntitlement", (unknown[0], unknown[1].get("code")) == (404, "unknownEntitlement"), unknown)
    api.call("holdEntitlement", {"reason": "chargeback"}, customer="gina", id="risk-1")
    held, plus = api.entitlement("gina")
    check("ENT-9 a hold on everything ends it, and says so", held["isActive"] is False and plus["endedBecause"] == "held", held)
    api.call("withdrawVote", {"vote": "risk-1", "actor": "mia"}, customer="gina", id="risk-1-off")
    check("the hold withdrawn gives it back", api.is_active("gina") is True)
    api.call("withdrawVote", {"vote": "support-1"}, customer="gina", id="support-1-off")
    check("the grant withdrawn takes it", api.is_active("gina") is False)
    missing = api.call("withdrawVote", {"vote": "nobody"}, customer="gina", id="x")
    check("what was never voted cannot be withdrawn: 404 unknownVote", (missing[0], missing[1].get("code")) == (404, "unknownVote"), missing)
    api.call("creditTime", {"entitlement": "plus", "milliseconds": DAY}, customer="gina", id="web-1")
    api.call("creditTime", {"entitlement": "plus", "milliseconds": DAY}, customer="gina", id="web-2")
    answer, plus = api.entitlement("gina")
    check("ENT-3 time that was paid elsewhere adds up", answer["isActive"] and abs(answer["end"] - now - 2 * DAY) < 60_000
          and plus["restsOn"]["kind"] == "balance", answer)
    customer = api.call("readCustomer", customer="gina")[1]
    votes = [(vote["kind"], "withdrawnAt" in vote) for vote in customer["votes"]]
    check("the customer shows every vote, and which were withdrawn", votes == [
        ("grant", True), ("hold", True), ("withdrawal", False), ("withdrawal", False), ("credit", False), ("credit", False)], votes)
    audit = [(row["sequence"], row["id"], row["actor"], row.get("entitlement")) for row in customer["audit"]]
    check("AUDIT-1 and an audit row for each, with who decided", [row[:3] for row in audit[:2]] == [
        (1, "support-1", "mia"), (2, "risk-1", "appBackend")] and len(audit) == 6, audit)
    past = api.call("readEntitlements", customer="gina", query={"at": now + 1000})[1]
    check("ENT-11 an instant in the past has its own answer", past["at"] == now + 1000 and past["isActive"] in (True, False), past)
    sandbox = api.is_active("gina", environment="Sandbox")
    check("FACT-4 nothing of it is in the Sandbox", sandbox is False)


def upload(api, customer, number, kind="purchase", status=200, headers=None, **changes):
    signer = api.books.signer
    body = {"kind": kind, "signedTransactionInfo": signer.jws(signer.transaction(number, 2, transactionReason="PURCHASE", **changes))}
    answer = api.call("uploadTransaction", body, customer=customer, headers=headers)
    if answer[0] != status:
        check(f"{customer}'s {kind} of {number}: {status}", False, answer)
    return answer[1]


def check_ownership(api):
    """OWN-9, OWN-18: a transfer, a claim that waits and is decided, an owner's consent, a reservation."""
    upload(api, "ann", 1)
    status, answer = api.call("transferSubscription", {"customer": "ben", "actor": "olga", "reason": "bought for him"},
                              originalTransactionId=original_id(1), id="move-1")
    check("OWN-9 a transfer names the new owner", status == 200 and answer["owner"] == "ben", answer)
    check("who has it from now on", api.is_active("ben") is True and api.is_active("ann") is False)
    again = api.call("transferSubscription", {"customer": "ben", "actor": "olga"}, originalTransactionId=original_id(1), id="move-1")
    check("repeating it changes nothing", again[0] == 200 and again[1]["votedAt"] == answer["votedAt"], again)
    taken = api.call("transferSubscription", {"customer": "cleo"}, originalTransactionId=original_id(1), id="move-1")
    check("another one under its id is 409 idTaken", (taken[0], taken[1].get("code")) == (409, "idTaken"), taken)
    nothing = api.call("transferSubscription", {"customer": "cleo"}, originalTransactionId="999", id="move-2")
    check("of a subscription that is not known: 404", (nothing[0], nothing[1].get("code")) == (404, "unknownSubscription"), nothing)
    subscription = api.call("readSubscription", originalTransactionId=original_id(1))[1]
    check("the subscription shows the vote, its audit row and its explanation",
          [vote["id"] for vote in subscription["votes"]] == ["move-1"] and any(row["actor"] == "operatorOfTenure" for row in subscription["audit"])
          and any("ben" in line for line in subscription["explain"]), subscription)
    for number, decide in ((2, "approve"), (3, "deny")):
        upload(api, "ann", number)
        upload(api, "dora", number, kind="restore", status=202)
        subscription = api.call("readSubscription", originalTransactionId=original_id(number))[1]
        claim = next(claim for claim in subscription["claims"] if claim["outcome"].startswith("waiting."))
        status, answer = api.call("decideClaim", {"claim": claim["id"], "decision": decide, "actor": "olga"},
                                  originalTransactionId=original_id(number), id=f"case-{number}")
        wanted = "dora" if decide == "approve" else "ann"
        check(f"OWN-9 a claim that waits: {decide}", status == 200 and answer["owner"] == wanted, answer)
        once = api.call("decideClaim", {"claim": claim["id"], "decision": decide}, originalTransactionId=original_id(number), id=f"late-{number}")
        check("it is decided once", (once[0], once[1].get("code")) == (404, "unknownClaim"), once)
    upload(api, "ann", 4)
    upload(api, "dora", 4, kind="restore", status=202)
    subscription = api.call("readSubscription", originalTransactionId=original_id(4))[1]
    claim = next(claim["id"] for claim in subscription["claims"] if claim["outcome"].startswith("waiting."))
    body = {"originalTransactionId": original_id(4), "claim": claim}
    other = api.call("consentClaim", body, customer="eve", id="ok")
    check("only the owner may consent", (other[0], other[1].get("code")) == (403, "notTheOwner"), other)
    mine = api.call("consentClaim", body, customer="ann", id="ok")
    check("OWN-9 the owner consents, and it moves", mine[0] == 200 and mine[1]["owner"] == "dora", mine)
    reserved = api.call("reserveSubscription", {"customer": "fay"}, originalTransactionId=original_id(5), id="migration-5")
    check("OWN-18 a subscription of which nothing is known is reserved", reserved[0] == 200 and reserved[1]["customer"] == "fay", reserved)
    taken = api.call("reserveSubscription", {"customer": "gus"}, originalTransactionId=original_id(5), id="migration-5")
    check("under its id for nobody else", (taken[0], taken[1].get("code")) == (409, "idTaken"), taken)
    signed = api.books.signer.notification(5)
    api.books.post_notification(signed)
    api.books.post_notification(api.books.signer.notification(5, 1))
    api.books.post_notification(api.books.signer.notification(5, 2))
    check("and is theirs as soon as Apple says anything", api.is_active("fay") is True)


def check_intents(api):
    """OWN-18: what is answered before buying, in each case of the rules."""
    status, answer = api.call("askPurchase", {"productId": "plus.monthly"}, customer="hugo")
    check("OWN-18 nothing speaks against a first purchase", status == 200 and answer["answer"] == "yes" and uuid.UUID(answer["appAccountToken"]), answer)
    token = answer["appAccountToken"]
    again = api.call("askPurchase", {"productId": "plus.yearly"}, customer="hugo")[1]
    check("the customer has one token", again["appAccountToken"] == token, again)
    issued = [api.call("issueAppAccountToken", customer=name) for name in ("hugo", "hugo", "nora", "nora")]
    check("OWN-18 and a device gets it without a product, as often as it asks", [answer for _, answer in issued[:2]] == [{"appAccountToken": token}] * 2, issued)
    check("one who is not known has one from then on, and another one", issued[2] == issued[3] and uuid.UUID(issued[2][1]["appAccountToken"]).version == 4
          and issued[2] != issued[0], issued)
    bare = api.raw("PUT", "/api/v1/apps/demo/customers/hugo/appAccountToken", headers={"Authorization": f"Bearer {api.books.keys.public}"})
    check("but nobody who shows the app's public key alone", bare[0] == 401, bare)
    own = str(uuid.uuid4())
    check("an id that is a UUID is its own token", api.call("askPurchase", {"productId": "plus.monthly"}, customer=own)[1]["appAccountToken"] == own)
    upload(api, "ida", 6, status=409, appAccountToken=token)
    check("OWN-4 the purchase that bears it is theirs, whoever uploads it", api.is_active("hugo") is True and api.is_active("ida") is False)
    held = api.call("askPurchase", {"productId": "plus.monthly"}, customer="hugo")[1]
    check("what they hold already is not to be bought again", held["answer"] == "alreadyHeld" and held["originalTransactionId"] == original_id(6), held)
    signer = api.books.signer
    shown = [signer.jws(signer.transaction(6, 2, transactionReason="PURCHASE", appAccountToken=token))]
    other = api.call("askPurchase", {"productId": "plus.monthly", "signedTransactions": shown}, customer="ida")[1]
    check("what the Apple Account has for another is said, masked", other["answer"] == "heldByAnother" and other["ownerHint"] == "h…o", other)
    change = api.call("askPurchase", {"productId": "plus.yearly", "signedTransactions": shown}, customer="ida")[1]
    check("a change of plan says what it does and to whom", change["answer"] == "changes" and change["change"] == "upgrade" and change["effect"] == "atOnce"
          and change["result"] == "theirs" and change["isOwner"] is False and change["ownerHint"] == "h…o", change)
    wrong = api.call("askPurchase", {"productId": "plus.monthly", "signedTransactions": ["a.b.c"]}, customer="ida")
    check("what is not signed proves nothing: 400", wrong[0] == 400 and wrong[1]["rule"] == "FACT-3", wrong)


def check_walls(api):
    """WALL-1…3: what each of three customers is shown, and what the backend's word changes."""
    def shown(customer, body=None, **rest):
        answer = api.call("askWall", body or {}, customer=customer, **rest)[1]
        return answer, [product["productId"] for product in answer.get("products", [])]

    answer, products = shown("wanda")
    check("WALL-1 a stranger is shown what there is, with the links that Apple wants", (answer.get("cohort"), products) == (
        "everybody", ["plus.monthly", "plus.yearly"]) and answer["links"]["questions"] == "mailto:help@example.com", answer)
    check("WALL-3 and the introductory offer, with its kind and length", [answer["products"][0].get(name) for name in (
        "introductoryOffer", "introductoryKind", "introductoryLength")] == ["show", "FREE_TRIAL", "P1W"], answer)
    check("WALL-1 the storefront chooses", shown("wanda", {"storefront": "CHN"})[1] == ["plus.yearly"])
    said = api.call("changeAttributes", {"attributes": [{"name": "plan", "value": "gold"}, {"name": "seat"}]}, customer="wanda")
    check("the backend says something of a customer", said == (200, {"attributes": [{"name": "plan", "value": "gold"}]}), said)
    check("WALL-1 and it chooses", shown("wanda")[0].get("cohort") == "gold")
    customer = api.call("readCustomer", customer="wanda")[1]
    check("the customer shows it, with one audit row: what was never said is not taken back", customer["attributes"] == [{"name": "plan", "value": "gold"}]
          and [row["rule"] for row in customer["audit"]] == ["WALL-1"], customer)
    api.call("changeAttributes", {"attributes": [{"name": "plan"}]}, customer="wanda")
    check("until it is taken back", shown("wanda")[0].get("cohort") == "everybody")
    public = api.call("changeAttributes", {"attributes": []}, customer="wanda", headers={
        "Authorization": f"Bearer {api.books.keys.public}", "Tenure-Customer-Token": harness.customer_token("wanda")})
    check("no device may say it", (public[0], public[1].get("code")) == (403, "serverKeyNeeded"), public)
    twice = api.call("changeAttributes", {"attributes": [{"name": "a", "value": "1"}, {"name": "a"}]}, customer="wanda")
    check("nor twice under one name", (twice[0], twice[1].get("code"), twice[1].get("field")) == (400, "invalidBody", "attributes"), twice)
    many = api.call("changeAttributes", {"attributes": [{"name": f"n{number}", "value": "x"} for number in range(51)]}, customer="wanda")
    check("nor more than 50", (many[0], many[1].get("code")) == (409, "tooManyAttributes"), many)
    signer = api.books.signer
    trial = signer.transaction(30, 2, transactionReason="PURCHASE", offerType=1, offerDiscountType="FREE_TRIAL", price=0)
    api.call("uploadTransaction", {"kind": "purchase", "signedTransactionInfo": signer.jws(trial)}, customer="walt")
    answer, products = shown("walt")
    check("WALL-2 who is active is shown nothing to buy, how to manage it, and what a change does", not products and answer["manage"] == [original_id(30)]
          and answer["manageLink"] == "https://apps.apple.com/account/subscriptions"
          and [(change["to"], change["change"], change["effect"]) for change in answer["changes"]] == [("plus.yearly", "upgrade", "atOnce")], answer)
    answer, products = shown("xena", {"signedTransactions": [signer.jws(trial)]})
    check("WALL-3 an Apple Account that had the offer is shown the plan without it", products == ["plus.plain", "plus.yearly"]
          and answer["products"][0]["introductoryOffer"] == "hide", answer)
    wrong = api.call("askWall", {"signedTransactions": ["a.b.c"]}, customer="xena")
    check("what is not signed proves nothing: 400", wrong[0] == 400 and wrong[1]["rule"] == "FACT-3", wrong)


def check_offers(api):
    """WALL-5, WALL-6: who may have an offer, and what was signed; offers_run has the rest."""
    upload(api, "olive", 180)
    asked = api.call("askOffers", {}, customer="olive")[1]
    check("WALL-5 who may have which offer, and why not", [(one["offerIdentifier"], one.get("reason")) for one in asked["promotional"]] == [
        ("stay", None), ("comeback", "stillActive")], asked)
    signed = api.call("signPromotionalOffer", {"productId": "plus.monthly", "offerIdentifier": "stay"}, customer="olive")[1]
    nobody = api.call("signPromotionalOffer", {"productId": "plus.monthly", "offerIdentifier": "none"}, customer="olive")
    check("WALL-5 an offer that is not configured is 404", (nobody[0], nobody[1].get("code")) == (404, "unknownOffer"), nobody)
    intro = api.call("signIntroductoryOffer", {"productId": "plus.monthly"}, customer="olive")[1]
    history = api.call("readOffers", customer="olive")[1]["issued"]
    check("WALL-5 both stand in the customer's log, with the key with which they were asked for",
          {one["nonce"] for one in history} == {signed["issued"]["nonce"], intro["issued"]["nonce"]} and {one["askedWith"] for one in history} == {"file"}, history)
    listed = api.call("listIssuedOffers")[1]["items"]
    check("WALL-5 and in everybody's", {one["nonce"] for one in history} <= {one["nonce"] for one in listed}, listed)


def check_privacy(api):
    """I45: a customer is read out whole and erased; privacy_run has the rest."""
    upload(api, "percy", 181)
    export = api.call("exportCustomer", customer="percy")[1]
    check("I45 an export has what Apple signed", [len(one["facts"]) for one in export["environments"][0]["purchases"]] == [1], export)
    page = api.call("readCustomerPage", customer="percy")
    check("I45 and a page", page[0] == 200)
    erased = api.call("eraseCustomer", {"actor": "mia"}, customer="percy", id="e-1")[1]
    check("I45 a customer is erased", erased["subscriptions"] == 1 and erased["pseudonyms"][0].startswith("erased/") and not erased["leftInFiles"], erased)
    for name in ("exportCustomer", "readCustomerPage"):
        gone = api.call(name, customer="percy")
        check(f"I45 and then nothing is there: {name}", (gone[0], gone[1].get("code")) == (404, "unknownCustomer"), gone)
    taken = api.call("askOffers", {}, customer=erased["pseudonyms"][0])
    check("I45 nobody can be called so", (taken[0], taken[1].get("field")) == (400, "customer"), taken)


def check_anonymous(api):
    """OWN-10: an anonymous customer buys, and logs in."""
    public = {"Authorization": f"Bearer {api.books.keys.public}"}
    nobody = str(uuid.uuid4())
    device = {**public, "Tenure-Device-Secret": SECRET}
    early = api.call("readEntitlements", customer=nobody, headers=device)
    check("before it is registered a secret opens nothing", (early[0], early[1].get("code")) == (401, "deviceSecretWrong"), early)
    check("OWN-10 a device registers an anonymous customer with the public key alone", api.call("registerDevice", {"secret": SECRET}, customer=nobody, headers=public)[0] == 204)
    check("again is safe", api.call("registerDevice", {"secret": SECRET}, customer=nobody, headers=public)[0] == 204)
    stolen = api.call("registerDevice", {"secret": SECRET[::-1]}, customer=nobody, headers=public)
    check("another device cannot have the id", (stolen[0], stolen[1].get("code")) == (409, "customerTaken"), stolen)
    known = api.call("registerDevice", {"secret": SECRET}, customer="ann", headers=public)
    check("nor one that somebody uses without a device", (known[0], known[1].get("code")) == (409, "customerTaken"), known)
    short = api.call("registerDevice", {"secret": "short"}, customer=str(uuid.uuid4()), headers=public)
    check("a secret that can be guessed is refused", (short[0], short[1].get("code"), short[1].get("field")) == (400, "invalidBody", "secret"), short)
    upload(api, nobody, 7, headers=device)
    check("they buy and have it", api.call("readEntitlements", customer=nobody, headers=device)[1]["isActive"] is True)
    wrong = api.call("readEntitlements", customer=nobody, headers={**public, "Tenure-Device-Secret": SECRET[::-1]})
    check("with another secret nothing is answered", (wrong[0], wrong[1].get("code")) == (401, "deviceSecretWrong"), wrong)
    elsewhere = api.call("readEntitlements", customer="ann", headers=device)
    check("nor about another customer", (elsewhere[0], elsewhere[1].get("code")) == (401, "deviceSecretWrong"), elsewhere)
    api.call("grantEntitlement", {"entitlement": "extras"}, customer=nobody, id="welcome")
    token = {**public, "Tenure-Customer-Token": harness.customer_token("kim")}
    refused = api.call("identifyCustomer", {"anonymous": nobody, "deviceSecret": SECRET[::-1]}, customer="kim", headers=token)
    check("a login without the device's secret is 403", (refused[0], refused[1].get("code")) == (403, "deviceRefused"), refused)
    check("OWN-10 the login merges them", api.call("identifyCustomer", {"anonymous": nobody, "deviceSecret": SECRET}, customer="kim", headers=token)[0] == 204)
    check("again is safe", api.call("identifyCustomer", {"anonymous": nobody, "deviceSecret": SECRET}, customer="kim", headers=token)[0] == 204)
    twice = api.call("identifyCustomer", {"anonymous": nobody, "deviceSecret": SECRET}, customer="lea")
    check("into one customer only", (twice[0], twice[1].get("code")) == (409, "mergedBefore"), twice)
    kim = api.call("readEntitlements", customer="kim", headers=token)[1]
    check("who has what the anonymous one bought and was given", kim["isActive"] and [e["isActive"] for e in kim["entitlements"]] == [True, True], kim)
    check("and the device goes on being answered", api.call("readEntitlements", customer=nobody, headers=device)[1]["isActive"] is True)
    upload(api, nobody, 8, headers=device)
    subscription = api.call("readSubscription", originalTransactionId=original_id(8))[1]
    check("what it buys later is the identified one's too", subscription["owner"] == "kim", subscription)
    lost = api.call("joinCustomer", {"from": "lea"}, customer=nobody, id="j-anonymous")
    check("nobody is joined into an anonymous customer", (lost[0], lost[1].get("code")) == (409, "notJoined"), lost)
    whole = api.call("readCustomer", customer=nobody)[1]
    check("the anonymous customer says who they turned out to be", whole["isAnonymous"] and whole["mergedInto"] == "kim", whole)


def check_products(api):
    """PER-9, ABUSE-2, ENT-8, LIC-1…3."""
    signer = api.books.signer
    coins = signer.transaction(9, 2, type="Consumable", productId="coins", quantity=3, originalTransactionId=str(int(original_id(9)) + 2))
    for name in ("expiresDate", "webOrderLineItemId", "subscriptionGroupIdentifier"):
        coins.pop(name)
    api.call("uploadTransaction", {"kind": "purchase", "signedTransactionInfo": signer.jws(coins)}, customer="max")
    consumables = api.call("readCustomer", customer="max")[1]["consumables"]
    check("PER-9 a consumable waits to be delivered", [(c["quantity"], "deliveredAt" in c) for c in consumables] == [(3, False)], consumables)
    first = api.call("confirmDelivery", customer="max", transactionId=coins["transactionId"])
    second = api.call("confirmDelivery", customer="max", transactionId=coins["transactionId"])
    check("it is delivered once", first == second and first[0] == 200, (first, second))
    foreign = api.call("confirmDelivery", customer="ann", transactionId=coins["transactionId"])
    check("to who bought it", (foreign[0], foreign[1].get("code")) == (404, "unknownPurchase"), foreign)
    vote = {"transactionId": coins["transactionId"], "actor": "mia", "reason": "the first was lost"}
    allowed = api.call("allowRedelivery", vote, customer="max", id="support-9")
    check("a second delivery is allowed by a vote", (allowed[0], allowed[1].get("kind")) == (200, "redelivery"), allowed)
    foreign = api.call("allowRedelivery", vote, customer="ann", id="support-9")
    check("of what they bought", (foreign[0], foreign[1].get("code")) == (404, "unknownPurchase"), foreign)
    refunds = api.call("listRefunds")
    check("PER-11 nothing was refunded", (refunds[0], refunds[1].get("items")) == (200, []), refunds)
    noted = api.call("noteConsumption", {"customerConsented": True, "consumptionPercentage": 50_000, "userStatus": 1}, customer="max", transactionId=coins["transactionId"])
    check("ABUSE-2 what is known of a purchase is kept", noted[0] == 200, noted)
    wrong = api.call("noteConsumption", {"customerConsented": True, "consumptionPercentage": 100_001}, customer="max", transactionId=coins["transactionId"])
    check("within Apple's range", (wrong[0], wrong[1].get("field")) == (400, "consumptionPercentage"), wrong)
    upload(api, "nina", 10)
    unlocked = [api.call("unlockContent", customer="nina", kind="issue", content=f"2026-0{n}")[1] for n in (1, 2, 3)]
    check("ENT-8 content is unlocked as far as the ration goes", [(u["outcome"], u.get("left")) for u in unlocked] == [
        ("unlocked", 1), ("unlocked", 0), ("rationed", None)], unlocked)
    check("again takes nothing from it", api.call("unlockContent", customer="nina", kind="issue", content="2026-01")[1]["outcome"] == "unlockedBefore")
    uses = [api.call("readContent", customer="nina", kind="issue", content=f"2026-0{n}")[1] for n in (1, 3)]
    check("and only what was unlocked may be used", [(u["isAllowed"], u["because"]) for u in uses] == [(True, "active"), (False, "notUnlocked")], uses)
    check("of a kind that the app has", api.call("readContent", customer="nina", kind="film", content="1")[1]["code"] == "unknownContentKind")
    licences = api.call("readLicences", customer="nina")[1]
    check("LIC-1 each purchase is a licence, and says which features it covers", licences["end"] is not None and licences["isPaidAppHolder"] is False
          and [(f["id"], f["isUsable"], f.get("rule")) for f in licences["features"]] == [("old", True, "LIC-2"), ("new", True, "LIC-2")], licences)
    shown = api.call("showAppTransaction", {"signedAppTransaction": signer.jws(signer.app_transaction())}, customer="olaf")
    check("LIC-3 an app transaction is taken", shown[0] == 200 and shown[1]["originalApplicationVersion"] == "1.4", shown)
    licences = api.call("readLicences", customer="olaf")[1]
    check("and who paid for the app has a year of updates", licences["isPaidAppHolder"] and [(f["id"], f.get("rule")) for f in licences["features"]] == [
        ("old", "LIC-3"), ("new", "LIC-3")], licences)


def check_search(api):
    def found(text):
        return [(one["kind"], one["id"], one["environment"], one["foundBy"]) for one in api.call("searchNames", query={"q": text})[1]["results"]]

    check("a customer is found by the id", found("gina") == [("customer", "gina", "Production", "customer")], found("gina"))
    check("a subscription by its own id and by a transaction's", found(original_id(1)) == [("subscription", original_id(1), "Production", "originalTransactionId")]
          and found(str(int(original_id(1)) + 2)) == [("subscription", original_id(1), "Production", "transactionId")], found(original_id(1)))
    subscription = api.call("readSubscription", originalTransactionId=original_id(1))[1]
    period, claim = subscription["periods"][-1], subscription["claims"][0]
    hits = api.call("searchNames", query={"q": period["webOrderLineItemId"]})[1]["results"]
    check("a period by Apple's key of it, with when it is", hits == [{"kind": "subscription", "id": original_id(1), "environment": "Production", "foundBy": "webOrderLineItemId",
          "purchaseDate": period["purchaseDate"], "end": period["end"]}], hits)
    check("a claim by its id", found(claim["id"]) == [("subscription", original_id(1), "Production", "claimId")], found(claim["id"]))
    token = api.call("askPurchase", {"productId": "plus.monthly"}, customer="hugo")[1]["appAccountToken"]
    check("a token by whom it names and what bears it", {one[:2] for one in found(token)} == {("customer", "hugo"), ("subscription", original_id(6))}, found(token))
    sandbox = api.books.signer.transaction(11, 2, environment="Sandbox", transactionReason="PURCHASE")
    api.call("uploadTransaction", {"kind": "purchase", "signedTransactionInfo": api.books.signer.jws(sandbox)}, customer="sandy")
    check("what is only in the Sandbox is found there", found("sandy") == [("customer", "sandy", "Sandbox", "customer")], found("sandy"))
    check("what nobody has is not found", found("nobody at all") == [])


def check_many(api):
    names = [f"bulk{n}" for n in range(197)] + ["gina", "ben", "kim"]
    status, answer = api.call("readManyEntitlements", {"customers": names})
    check("200 customers at once, in their order", status == 200 and [c["customer"] for c in answer["customers"]] == names
          and [c["isActive"] for c in answer["customers"][-3:]] == [True, True, True] and not any(c["isActive"] for c in answer["customers"][:197]))
    status, answer = api.call("readManyEntitlements", {"customers": names + ["one more"]})
    check("201 are refused", (status, answer.get("field")) == (400, "customers"), answer)


def check_tags(api):
    """A7: 304 exactly while nothing changed."""
    def ask(tag=None):
        wanted = urllib.request.Request(api.books.customers + "/tess/entitlements", headers={**api.books.backend, **({"If-None-Match": tag} if tag else {})})
        try:
            with urllib.request.urlopen(wanted, timeout=30) as response:
                return response.status, response.headers["ETag"], response.headers["Cache-Control"]
        except urllib.error.HTTPError as error:
            return error.code, error.headers["ETag"], error.headers["Cache-Control"]

    now = int(time.time() * 1000)
    status, tag, cache = ask()
    check("A7 an answer has a tag, and may be kept for a minute", status == 200 and tag and cache == "private, max-age=60", (status, tag, cache))
    check("the same asked with the tag is 304", [ask(tag)[0], ask(f'"other", {tag}')[0]] == [304, 304])
    api.call("grantEntitlement", {"entitlement": "plus", "until": now + 3000}, customer="tess", id="short")
    status, second, cache = ask(tag)
    check("news ends that", status == 200 and second != tag and cache in ("private, max-age=2", "private, max-age=1"), (status, second, cache))
    check("until the next", ask(second)[0] == 304)
    time.sleep(3.2)
    status, third, _ = ask(second)
    check("and so does a step of time", status == 200 and third != second, (status, third))


def check_joins(api):
    """OWN-10, LIC-5: two customers who are one person, a customer who gets another id, and both taken back."""
    upload(api, "ned", 140)
    api.call("grantEntitlement", {"entitlement": "extras"}, customer="nora", id="welcome")
    api.call("grantEntitlement", {"entitlement": "plus", "until": int(time.time() * 1000) + WEEK}, customer="ned", id="welcome")

    def owners():
        return api.call("readSubscription", originalTransactionId=original_id(140))[1]["owner"]

    def uses(customer):
        return sorted(e["id"] for e in api.call("readEntitlements", customer=customer)[1]["entitlements"] if e["isActive"])

    by = {"actor": "mia", "reason": "one mail address"}
    check("before, each has what is theirs", (uses("ned"), uses("nora"), owners()) == (["plus"], ["extras"], "ned"))
    joined = api.call("joinCustomer", {"from": "ned", **by}, customer="nora", id="ticket-9")
    check(
        "OWN-10 a join answers with what it brings", joined[0] == 200 and (joined[1]["kind"], joined[1]["from"], joined[1]["into"]) == ("join", "ned", "nora")
        and [change["entitlement"] for change in joined[1]["changes"]] == ["plus"], joined)
    check("said again it changes nothing", api.call("joinCustomer", {"from": "ned", **by}, customer="nora", id="ticket-9")[1]["changes"] == [])
    check("both ids are answered alike", (uses("ned"), uses("nora"), owners()) == (["extras", "plus"], ["extras", "plus"], "nora"), (uses("ned"), uses("nora"), owners()))
    both = api.call("readManyEntitlements", {"customers": ["ned", "nora"]})[1]["customers"]
    check("many at once too", [[e["isActive"] for e in one["entitlements"]] for one in both] == [[True, True], [True, True]], both)
    ned, nora = (api.call("readCustomer", customer=name)[1] for name in ("ned", "nora"))
    check("each names the other", (ned["mergedInto"], ned["joined"], nora["joined"]) == ("nora", ["nora"], ["ned"]) and "mergedInto" not in nora, (ned["joined"], nora["joined"]))
    check("votes of one id are two", sorted(vote["id"] for vote in nora["votes"]) == ["ned/welcome", "ticket-9", "welcome"], nora["votes"])
    for wrong, words in (({"from": "ned"}, "again"), ({"from": "nora"}, "themselves")):
        refused = api.call("joinCustomer", wrong, customer="nora", id="other")
        check(f"a join {words} is refused", (refused[0], refused[1].get("code")) == (409, "notJoined"), refused)
    taken = api.call("joinCustomer", {"from": "lea"}, customer="nora", id="ticket-9")
    check("and another one under a taken id", (taken[0], taken[1].get("code")) == (409, "idTaken"), taken)
    upload(api, "ned", 141)
    later = api.call("readSubscription", originalTransactionId=original_id(141))[1]
    check("what either id buys later is the one's", later["owner"] == "nora", later["owner"])
    restored = upload(api, "nora", 140)
    check("and showing what is theirs already says so", restored["outcome"] == "alreadyOwner", restored)
    words = " ".join(api.call("readSubscription", originalTransactionId=original_id(140))[1]["explain"])
    check("OWN-15 the explanation says by whom and why", "an operator decided that ned and nora are one customer, nora" in words and "one mail address" in words, words)
    renamed = api.call("joinCustomer", {"from": "nora", "reason": "a new id"}, customer="user-17", id="rename-1")
    check("a customer gets another id", renamed[0] == 200 and uses("user-17") == ["extras", "plus"] and uses("ned") == ["extras", "plus"], renamed)
    back = api.call("withdrawVote", {"vote": "ticket-9", "reason": "two people after all"}, customer="nora", id="w-1")
    check("the join is withdrawn", back[0] == 200 and back[1]["withdraws"] == "ticket-9", back)
    check("and each has what is theirs, in the other's new id", (uses("ned"), uses("user-17"), uses("nora")) == (["plus"], ["extras"], ["extras"]), (uses("ned"), uses("user-17"), uses("nora")))
    check("what was bought under an id goes with it", [api.call("readSubscription", originalTransactionId=original_id(n))[1]["owner"] for n in (140, 141)] == ["ned", "ned"])
    api.call("withdrawVote", {"vote": "rename-1"}, customer="user-17", id="w-2")
    check("the new id is nobody again", (uses("nora"), uses("user-17")) == (["extras"], []), (uses("nora"), uses("user-17")))


def check_signals(api):
    """ABUSE-1: found at once and by a review, listed, acknowledged, raised again."""
    def listed(**query):
        return api.call("listSignals", query={"environment": "Production", **query})[1]["items"]

    upload(api, "vera", 171)
    signer = api.books.signer
    api.call("uploadTransaction", {"kind": "purchase", "signedTransactionInfo": signer.jws(signer.transaction(171, 2, transactionReason="PURCHASE"))}, customer="vito")
    contested = listed(originalTransactionId=original_id(171))
    check("ABUSE-1 two buyers of one purchase are a signal at once", [(one["kind"], one["subjectType"], one["score"], one["isOpen"]) for one in contested] == [
        ("contestedPurchase", "subscription", 50, True)], contested)
    shown = contested[0]["evidence"]
    check("with what shows it", [(piece["originalTransactionId"], piece["transactionId"]) for piece in shown] == [
        (original_id(171), str(int(original_id(171)) + 2))], shown)
    for number in (172, 173):
        upload(api, "wilma", number, offerType=1)
    for _ in range(60):
        trials = listed(customer="wilma")
        if trials:
            break
        time.sleep(0.5)
    check("ABUSE-1 two trials of one customer in two subscriptions are found by a review", [
        (one["kind"], one["customer"], one["count"], sorted(piece["originalTransactionId"] for piece in one["evidence"])) for one in trials] == [
        ("introductoryOfferAgain", "wilma", 2, [original_id(172), original_id(173)])], trials)
    told = [(event["data"]["reason"], event["data"].get("customer")) for number in (171, 172, 173) for event in
            api.call("listSubscriptionEvents", originalTransactionId=original_id(number))[1]["items"] if event["type"] == "signal.raised"]
    check("each is told once", told == [("contestedPurchase", None), ("introductoryOfferAgain", "wilma")], told)
    check("and nobody's access changes", api.is_active("wilma") is True and api.is_active("vera") is True)
    signal, by = trials[0], {"actor": "mia", "reason": "a new phone"}
    old = api.call("acknowledgeSignal", {"changedAt": signal["changedAt"] - 1, **by}, signal=signal["id"])
    check("what was not seen is not acknowledged: 409 signalChanged", (old[0], old[1].get("code")) == (409, "signalChanged"), old)
    first = api.call("acknowledgeSignal", {"changedAt": signal["changedAt"], **by}, signal=signal["id"])
    again = api.call("acknowledgeSignal", {"changedAt": signal["changedAt"], **by}, signal=signal["id"])
    check("ABUSE-1 it is acknowledged, and again is safe", first == again and first[0] == 200 and first[1]["isOpen"] is False
          and first[1]["acknowledgement"] == {"at": first[1]["acknowledgement"]["at"], "count": 2, **by}, (first, again))
    check("and stands among those", [one["id"] for one in listed(state="acknowledged", signalKind="introductoryOfferAgain")] == [signal["id"]]
          and signal["id"] not in [one["id"] for one in listed(state="open")])
    check("by its id too", api.call("readSignal", signal=signal["id"])[1] == first[1])
    upload(api, "wilma", 174, offerType=1)
    for _ in range(60):
        trials = listed(customer="wilma")
        if trials[0]["isOpen"]:
            break
        time.sleep(0.5)
    check("one more raises it again", (trials[0]["id"], trials[0]["raises"], trials[0]["count"]) == (signal["id"], 2, 3), trials)
    pages = [api.call("listSignals", query={"limit": 1})[1]]
    second = api.raw("GET", pages[0]["next"], headers=api.books.backend)
    check("pages go on", second[0] == 200 and json.loads(second[2])["items"][0]["id"] < pages[0]["items"][0]["id"], second)
    missing = api.call("readSignal", signal="999999")
    check("of one that is not there: 404 unknownSignal", (missing[0], missing[1].get("code")) == (404, "unknownSignal"), missing)
    for query, field in (({"state": "new"}, "state"), ({"signalKind": "fraud"}, "signalKind")):
        wrong = api.call("listSignals", query=query)
        check(f"a filter that is misspelt is refused: {field}", (wrong[0], wrong[1].get("field")) == (400, field), wrong)


def check_trials(api):
    """OWN-16, OWN-17: a draft is tried as a job and read in pages; only what the file says is applied."""
    def finished(name):
        for _ in range(200):
            status, job = api.call("readJob", id=name)
            if job["state"] != "running":
                return status, job
            time.sleep(0.1)
        return status, job

    upload(api, "tara", 150)
    versions = api.call("listSettings")[1]
    document = json.loads(versions["versions"][-1]["document"])
    draft = {**document, "products": {product: [] for product in document["products"]}}
    since = int(time.time() * 1000) - 400 * DAY
    body = {"document": json.dumps(draft), "from": since}
    started = api.call("startTrial", body, id="trial-1")
    check("OWN-16 a trial is a job: 202", started[0] in (200, 202) and started[1]["kind"] == "trial", started)
    check("asked for again it is the same", api.call("startTrial", body, id="trial-1")[1]["startedAt"] == started[1]["startedAt"])
    other = api.call("startTrial", {"from": since}, id="trial-1")
    check("another one under its id is 409", (other[0], other[1].get("code")) == (409, "idTaken"), other)
    wrong = api.call("startTrial", {"document": "{}"}, id="trial-2")
    check("what is no version's document is 400", (wrong[0], wrong[1].get("field")) == (400, "document"), wrong)
    status, job = finished("trial-1")
    check("it is done, and says what would be lost", status == 200 and job["state"] == "done" and job["trial"]["productsDiffer"] and job["trial"]["losses"] == job["results"] > 0 and job["trial"]["confirmation"], job)
    found, path = [], api.path("listJobResults", {"id": "trial-1"}) + "?limit=3"
    while path:
        page = json.loads(api.raw("GET", path, headers=api.books.backend)[2])
        found, path = found + page["items"], page.get("next")
    check("its differences are read in pages, each once", len(found) == job["results"] and [one["number"] for one in found] == list(range(1, len(found) + 1)) and len({json.dumps(one, sort_keys=True) for one in found}) == len(found), len(found))
    found = [one["difference"] for one in found]
    check("whoever holds anything is among them", {"tara"} <= {one["customer"] for one in found} and all(one["effect"] == "loses" and one["rule"] == "ENT-2" for one in found))
    check("and nothing has changed", api.is_active("tara") and len(api.call("listSettings")[1]["versions"]) == len(versions["versions"]))
    api.call("listJobResults", id="trial-1", query={"limit": 1})
    strange = api.call("listJobResults", id="trial-1", query={"after": "bGlzdA"})
    check("a cursor of another list is refused", (strange[0], strange[1].get("code")) == (400, "cursorInvalid"), strange)
    gone = api.call("readJob", id="nothing")
    check("a job that nobody asked for is 404", (gone[0], gone[1].get("code")) == (404, "unknownJob"), gone)
    check("a job that has ended stays ended", api.call("cancelJob", id="trial-1")[1]["state"] == "done")
    check("jobs are listed", "trial-1" in [one["id"] for one in api.call("listJobs")[1]["jobs"]])
    same = api.call("applySettings", {"actor": "mia"})
    check("OWN-17 what is in force is not applied again", same[0] == 200 and same[1] == {"number": len(versions["versions"]), "isNew": False}, same)
    back = api.call("applySettings", {"from": since, "confirmation": job["trial"]["confirmation"]})
    check("a draft's code applies nothing: only the file's content can be", (back[0], back[1].get("code")) == (409, "settingsRefused"), back)
    api.call("startTrial", {"from": since}, id="trial-3")
    applied = api.call("applySettings", {"from": since, "confirmation": finished("trial-3")[1]["trial"]["confirmation"], "actor": "mia"})
    check("reaching back with the code of exactly this change is a new version", applied[0] == 200 and applied[1]["isNew"], applied)
    last = api.call("listSettings")[1]["versions"][-1]
    check("which says who, and since when", (last["actor"], last["validFrom"]) == ("mia/file", since), last)
    applying = api.call("readJob", id=f"settings-{last['number']}")[1]
    check("working it through is a job too, which nobody can end", applying["kind"] == "application" and applying["application"]["version"] == last["number"], applying)
    if applying["state"] == "running":
        check("but the next version", api.call("cancelJob", id=applying["id"])[1].get("code") in ("jobNotCancelable", None))
    check("OWN-17 it is worked through", finished(applying["id"])[1]["state"] == "done", applying)


def check_verification(api):
    """AUDIT-2 as a job: what verify proves, by the API."""
    started = api.call("startVerification", {"rebuild": True}, id="proof-1")
    check("AUDIT-2 a verification is a job: 202", started[0] in (200, 202) and started[1]["kind"] == "verification", started)
    for _ in range(300):
        status, job = api.call("readJob", id="proof-1")
        if job["state"] != "running":
            break
        time.sleep(0.1)
    check("AUDIT-2 it is done and finds nothing", job["state"] == "done" and job["results"] == 0 and job["verification"]["subscriptions"] > 10 and job["verification"]["auditRows"] > 100, job)
    check("and has no results", api.call("listJobResults", id="proof-1")[1] == {"items": []})
    check("its id is its own", api.call("startVerification", {"rebuild": False}, id="proof-1")[1].get("code") == "idTaken")
    check("and ids of the server's own jobs are nobody's", api.call("startVerification", {}, id="settings-77")[1].get("code") == "idTaken")


def bad_bodies(example):
    """What is wrong with each, and the statuses that may say so."""
    # A member that is unknown is refused for that; one is needed for what is wrong inside of one.
    text = json.dumps(example or {"x": "x"})
    first = next(iter(example), "x")
    return {
        "half a megabyte of unknown members": (json.dumps({**example, **{f"m{n}": "x" * 40 for n in range(9000)}}).encode(), {400, 413}),
        "one unknown member": (json.dumps({**example, "unknown": 1}).encode(), {400}),
        "a NUL": (json.dumps({**example, first: "a\x00b"}).encode(), {400, 404, 409}),
        "a lone surrogate": (text.replace(":", ': "\\ud800", "x":', 1).encode(), {400}),
        "1e308": (json.dumps({**example, first: 0}).replace("0", "1e308", 1).encode(), {400}),
        "a member twice": (("{" + f'"{first}": 1, ' + text[1:]).encode(), {400}),
        "no object": (b"[]", {400}),
        "nothing": (b"", {400}),
        "no JSON": (b"\xff\xfe{", {400}),
        "deep nesting": (b'{"a":' + b"[" * 5000 + b"]" * 5000 + b"}", {400}),
    }


def with_every_scope(api, name):
    """The header of a new key that may do everything."""
    every = api.content["components"]["schemas"]["KeyOrder"]["properties"]["scopes"]["items"]["x-values"]
    made = api.books.tenure("keys", "add", name, *[word for scope in every for word in ("--scope", scope)])
    return {"Authorization": f"Bearer {made.stdout.splitlines()[0]}"}


def check_keys(api):
    """What a key with the scope admin does; keys_run has the rest."""
    made = api.books.tenure("keys", "add", "ops", "--scope", "admin")
    ops = {"Authorization": f"Bearer {made.stdout.splitlines()[0]}"}
    refused = api.call("listKeys")
    check("the file's server key may not see keys: 403 scopeMissing", (refused[0], refused[1]["code"]) == (403, "scopeMissing"), refused)
    order = {"name": "reader", "kind": "server", "scopes": ["entitlements:read"]}
    reader = {"Authorization": f"Bearer {api.call('makeKey', order, headers=ops)[1]['key']}"}
    check("a key that was made reads", api.call("readEntitlements", customer="gina", headers=reader)[0] == 200)
    check("and does nothing else", api.call("readCustomer", customer="gina", headers=reader)[1]["code"] == "scopeMissing")
    check("keys are listed", [key["name"] for key in api.call("listKeys", headers=ops)[1]["keys"]] == ["ops", "reader"])
    check("a key ends", api.call("endKey", {}, key="reader", headers=ops)[1]["holds"] is False)
    check("and is refused", api.call("readEntitlements", customer="gina", headers=reader)[0] == 401)
    check("one that never was cannot end", api.call("endKey", {}, key="nobody", headers=ops)[1]["code"] == "unknownKey")


def check_bad_input(api):
    """A11: whatever comes, a refusal that the document names."""
    wrong, every = [], with_every_scope(api, "everything")
    places = {"customer": "ann", "id": "bad", "originalTransactionId": original_id(1), "transactionId": "1", "token": str(uuid.uuid4()), "kind": "issue",
              "content": "c", "productId": "plus.monthly", "orderId": "MQ6X2Z9T1B", "testNotificationToken": "t", "key": "deploy"}
    for name, (method, path) in api.document.operations.items():
        operation = api.content["paths"][path][method]
        media = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
        if "example" not in media:
            continue
        for words, (body, statuses) in bad_bodies(media["example"]).items():
            status, answer = api.call(name, body, headers=every, **places)
            if status not in statuses or "code" not in (answer or {}):
                wrong.append((name, words, status, answer))
    check("A11 bad bodies of every kind are refused, with a code, and never 500", not wrong, wrong[:3])
    for media in ("text/plain", "application/x-www-form-urlencoded", "application/json; charset=utf-16"):
        answer = api.call("grantEntitlement", {"entitlement": "plus"}, headers={**api.books.backend, "Content-Type": media}, customer="ann", id="bad")
        check(f"A11 a body that says it is {media} is 415", (answer[0], answer[1].get("code")) == (415, "unsupportedMediaType"), answer)
    refused = api.call("readEntitlements", customer="ann", query={"enviroment": "Sandbox"})
    check("an unknown query name is refused by its name", (refused[0], refused[1].get("field")) == (400, "enviroment"), refused)
    for customer in ("x" * 201, "a\x1fb", "é" * 201):
        refused = api.call("readEntitlements", customer=customer)
        check(f"an id of {len(customer)} characters that nobody may have is refused", refused[0] == 400, refused)
    check("200 characters of any script are an id", api.call("readEntitlements", customer="é" * 200)[0] == 200)


def schemathesis(api, folder, role, headers):
    path = folder / f"{role}.json"
    content = json.loads(json.dumps(api.content))
    # Every path has the one app that there is.
    for item in content["paths"].values():
        for operation in item.values():
            for parameter in operation.get("parameters", []):
                if parameter["name"] == "app":
                    parameter["schema"] = {"type": "string", "enum": ["demo"]}
    path.write_text(json.dumps(content))
    checks = ["not_a_server_error", "status_code_conformance", "content_type_conformance", "response_schema_conformance", "unsupported_method"]
    if role == "server":
        checks.append("ignored_auth")
    arguments = [pathlib.Path(sys.executable).parent / "st", "run", str(path), "--url", api.books.server, "--seed", "1", "--max-examples",
                 os.environ.get("EXAMPLES", "10"), "--checks", ",".join(checks), "--suppress-health-check", "all", "--continue-on-failure",
                 "--request-timeout", "30", "--warnings", "off", "--no-color"]
    for name, value in headers.items():
        arguments += ["--header", f"{name}: {value}"]
    outcome = subprocess.run(arguments, cwd=folder, capture_output=True, text=True)
    cases = re.search(r"(\d+) generated", outcome.stdout)
    return role, outcome.returncode == 0, cases.group(1) if cases else "no", outcome.stdout[-6000:]


def check_schemathesis(api, folder):
    """A1: in every role."""
    public = {"Authorization": f"Bearer {api.books.keys.public}"}
    roles = {"nobody": {}, "public": public, "customer": {**public, "Tenure-Customer-Token": harness.customer_token("ann")}, "server": api.books.backend}
    roles["admin"] = with_every_scope(api, "tester")
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        for role, is_right, cases, output in pool.map(lambda item: schemathesis(api, folder, *item), roles.items()):
            check(f"A1 schemathesis as {role}: {cases} cases", is_right)
            if not is_right:
                print(output)


def configured(books):
    app = books.content["apps"][0]
    app["policy"] = {"onRestore": "ask", "accrual": {"extras": "balance"}}
    app["products"] = {
        "plus.monthly": {"entitlements": ["plus"], "type": "autoRenewable", "group": "21000000", "level": 2, "duration": "P1M", "prices": {"USD": 9990},
                         "introductoryOffer": {"kind": "FREE_TRIAL", "length": "P1W"}, "withoutIntroductoryOffer": "plus.plain"},
        "plus.plain": {"entitlements": ["plus"], "group": "21000000", "level": 2, "duration": "P1M"},
        "plus.yearly": {"entitlements": ["plus"], "group": "21000000", "level": 1, "duration": "P1Y"},
        "coins": {"entitlements": [], "type": "consumable"},
        "extras": ["extras"],
    }
    now = books.signer.now
    app["features"] = [{"id": "old", "name": "Old", "releaseDate": now - 20 * DAY}, {"id": "new", "name": "New", "releaseDate": now - DAY}]
    app["licences"] = {"paidApp": {"belowVersion": "2.0"}}
    app["contentKinds"] = [{"id": "issue", "entitlement": "plus", "unlocksPerPeriod": 2}]
    app["wall"] = {
        "links": {"privacyPolicy": "https://example.com/privacy", "terms": "https://example.com/terms", "questions": "mailto:help@example.com"},
        "offerings": [{"id": "usual", "products": ["plus.monthly", "plus.yearly"]}, {"id": "year", "products": ["plus.yearly"]}],
        "cohorts": [{"id": "gold", "when": {"attribute": {"name": "plan", "equals": "gold"}}, "offering": "year"},
                    {"id": "china", "when": {"storefront": ["CHN"]}, "offering": "year"}, {"id": "everybody", "offering": "usual"}],
        "inAppChanges": True}
    app["offers"] = {"promotional": [{"id": "stay", "product": "plus.monthly"}, {"id": "comeback", "product": "plus.yearly", "audience": "former"}]}
    app["offerKeys"] = {"keys": [{"keyId": "2X9R4HXF35", "issuerId": "57246542-96fe-1a63-e053-0824d011072a",
                                  "privateKeyFile": str(write_key(books.folder / "SubscriptionKey_2X9R4HXF35.p8"))}]}
    app["limits"] = {"customerPerMinute": 0}
    books.content["webhooks"] = {"secretKeys": ["5f" * 32], "allow": ["127.0.0.1"]}
    books.content["signedAnswers"] = {"keys": api_answers.make_answer_keys(books.folder)}
    books.write_configuration(http={**books.content.get("http", {}), "wrongKeysPerMinute": 0})


def check_hashes(books):
    """AUDIT-2: the chains of customers by hashlib, as docs/operations/verify.md describes them."""
    wrong, count = [], 0
    for line in books.sql("SELECT ledger, number, hex(auditHead), environment FROM customerBook JOIN ledger ON ledger.id = ledger"):
        ledger, number, named, environment = line.split("|")
        head = bytes(32)
        for row in books.sql(f"SELECT json_array(sequence, auditRow, hex(hash)) FROM customerAudit WHERE ledger = {ledger} AND customer = {number} ORDER BY sequence"):
            sequence, text, kept = json.loads(row)
            parts = ("demo", "customer", environment, number, str(sequence), text)
            head = hashlib.sha256(head + b"".join(map(with_length, parts))).digest()
            count += 1
            if head.hex().upper() != kept:
                wrong.append((number, sequence))
        if head.hex().upper() != named:
            wrong.append((number, "head"))
    check(f"AUDIT-2 hashlib computes the hashes of all {count} audit rows about customers, and their books name the heads", not wrong and count > 30, wrong[:3])
    sealed = books.sql("SELECT count(*) FROM sealedCustomerHead")
    check("and a seal names them", int(sealed[0]) > 5, sealed)


def check_books(api):
    check_hashes(api.books)
    outcome = api.books.tenure("verify", "--rebuild")
    check("tenure verify --rebuild finds the books whole, customers' books among them", outcome.returncode == 0, outcome)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        books = Books(folder, Signer(folder))
        configured(books)
        with books.serving():
            api = API(books)
            check_document(api)
            parts = (
                check_guide, check_votes, check_ownership, check_intents, check_walls, check_anonymous, check_products, check_search, check_many, check_tags,
                api_answers.check_signed, api_answers.check_lists, api_answers.check_events, api_answers.check_copies, api_answers.check_commands)
            for part in parts:
                part(api)
            for name in ("readDocument", "readDocumentPage", "checkLive", "checkReady", "listWarnings", "readApple", "listParkedNotifications",
                         "listAppleRequests", "registerAppAccountToken"):
                places = {"customer": "ann", "token": str(uuid.uuid4())}
                check(f"{name} answers", api.call(name, **places)[0] in (200, 204))
            of = {"originalTransactionId": original_id(1), "productId": "plus.monthly", "orderId": "M1", "testNotificationToken": "t", "id": "may"}
            length = {"extendByDays": 7, "extendReasonCode": 3}
            for name, body in {
                "sweepNotifications": {"from": 0}, "refreshSubscription": None, "fetchRefunds": None, "lookUpOrder": None, "extendSubscription": length,
                "extendProduct": length, "readProductExtension": None, "setAppAccountToken": {"appAccountToken": str(uuid.uuid4())},
                "requestTestNotification": None, "readTestNotification": None,
            }.items():
                asked = api.call(name, body, **of)
                check(f"{name}: without a key nothing is asked of Apple", (asked[0], asked[1].get("code")) == (409, "appleNotAsked"), asked)
            check_keys(api)
            check_joins(api)
            check_signals(api)
            check_offers(api)
            check_privacy(api)
            check_trials(api)
            check_verification(api)
            api_accounts.check_accounts(api)
            check_bad_input(api)
            missed = set(api.document.operations) - api.called - ELSEWHERE
            check("every operation was called", not missed, missed)
            check("every answer is what the document says, and nothing more", not api.wrong, api.wrong[:5])
            check_schemathesis(api, folder)
        check_books(api)
        api_answers.check_own_writes(folder)
    return harness.summary()


if __name__ == "__main__":
    sys.exit(main())
