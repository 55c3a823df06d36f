#!/usr/bin/env python3
"""The OpenAPI document of the local App Store's control API is what it answers. Held against it are: a life in which every operation does what it
is for and every code of a refusal is met, each answer read with schemas that allow nothing more; the verbs of the command line, in both
directions; and schemathesis, which knows the document and nothing else. Prints one line per check; the exit code is 1 when one failed."""

import concurrent.futures
import contextlib
import hashlib
import http.server
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import urllib.error
import urllib.parse
import urllib.request
import uuid

from appstoreserverlibrary.api_client import AppStoreServerAPIClient
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.models.RealtimeUrlRequest import RealtimeUrlRequest
from appstoreserverlibrary.models.UploadMessageRequestBody import UploadMessageRequestBody
from openapi_spec_validator import OpenAPIV31SpecValidator

import harness
from harness import APPLE_ID, BUNDLE, ROOT, TENURE, check, free_port, running
from openapi_document import Document, closed, pointer

TOKEN = "2f0c3b1e-7a55-4c0d-9a51-0d8a6f1f9b11"
# No operation is on the command line that shows no JSON, that says only that the process runs, or that is this document.
WITHOUT_VERB = {"checkLiveness", "readDocument", "readRoot", "readReceiptRoot", "readTransactionReceiptIssuer"}
# Refusals that nobody meets in a short life: of a full store, of 256 calls at once, of what is no HTTP, at the start, of our own mistakes, of web pages (store_run.py), and of
# a catalogue that was made in code.
NOT_MET = {"storeFull", "busy", "badRequest", "appExists", "internal", "cannotBeSaved", "foreignOrigin", "foreignHost"}
SEED, EXAMPLES = 1, 30


def shop_with_bundle(folder):
    """The shop of the examples, with a further group to switch to."""
    catalogue = json.loads((ROOT / "Examples/shop.storekit").read_text())
    bundle = {"productID": "bundle.monthly", "displayPrice": "29.99", "groupNumber": 1, "recurringSubscriptionPeriod": "P1M"}
    catalogue["subscriptionGroups"].append({"id": "BUNDLES", "subscriptions": [bundle]})
    file = folder / "shop.storekit"
    file.write_text(json.dumps(catalogue))
    return file


class Shop:
    """The local App Store as a process, and calls by the names of operations."""

    def __init__(self):
        self.port, self.sandbox = free_port(), free_port()
        self.control = f"http://127.0.0.1:{self.port}/control/v1"
        self.document = None
        self.folder = tempfile.TemporaryDirectory()
        self.catalogue = str(shop_with_bundle(pathlib.Path(self.folder.name)))
        self.done, self.met, self.wrong = set(), set(), []

    def running(self):
        return running(
            "simulate", "--catalogue", self.catalogue, "--bundle", BUNDLE, "--app-apple-id", str(APPLE_ID), "--environment", "Production",
            "--port", str(self.port), "--sandbox-port", str(self.sandbox), "--starts-at", "1767225600000", live=f"{self.control}/health/live")

    def send(self, method, path, content=None, media_type="application/json"):
        request = urllib.request.Request(self.control + path, data=content, method=method.upper(), headers={"content-type": media_type})
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return response.status, response.headers["content-type"], response.read()
        except urllib.error.HTTPError as error:
            return error.code, error.headers["content-type"], error.read()

    def do(self, name, body=None, code=None, query="", media_type="application/json", **parameters):
        """An operation that must succeed, or be refused with `code`; the answer as JSON, None where it is none."""
        method, path = self.document.operations[name]
        for parameter, value in parameters.items():
            path = path.replace("{" + parameter + "}", urllib.parse.quote(value, safe=""))
        content = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        status, media, answer = self.send(method, path + query, content, media_type)
        faults = self.document.judge(name, status, media, answer)
        if code is None and isinstance(body, dict) and status < 300:
            faults += self.document.faults(pointer("paths", self.document.operations[name][1], method, "requestBody", "content", "application/json",
                                                   "schema"), body)
        read = json.loads(answer) if media in ("application/json", "application/problem+json") else None
        got = read.get("code") if read and status >= 300 else None
        if got != code:
            faults.append(f"{status} {got}, not {code}")
        (self.done.add(name) if got is None else self.met.add(got))
        self.wrong += [f"{name} {parameters or ''}: {fault}" for fault in faults]
        return read


# MARK: The document by itself

def check_document(content):
    errors = list(OpenAPIV31SpecValidator(content).iter_errors())
    check("openapi-spec-validator takes it for OpenAPI 3.1", not errors, errors[:3])
    document, wrong, count = Document(content), [], 0
    for path, item in content["paths"].items():
        for method, operation in item.items():
            if method == "parameters" or "application/json" not in operation.get("requestBody", {}).get("content", {}):
                continue
            examples = operation["requestBody"]["content"]["application/json"].get("examples", {})
            wrong += [] if examples else [f"{path} has no example"]
            for name, example in examples.items():
                count += 1
                place = pointer("paths", path, method, "requestBody", "content", "application/json", "schema")
                wrong += [f"{path} {name}: {fault}" for fault in document.faults(place, example["value"])]
    for name, schema in content["components"]["schemas"].items():
        for example in schema.get("examples", []):
            count += 1
            wrong += [f"{name}: {fault}" for fault in document.faults(pointer("components", "schemas", name), example)]
    check(f"each body has an example, and {count} examples are what their schemas say", not wrong, wrong)


# MARK: A life in which everything happens

def live(shop):
    """Every operation does what it is for."""
    do = shop.do
    for name in ("checkLiveness", "readDocument", "readClock", "readRoot", "readReceiptRoot", "readTransactionReceiptIssuer", "readRootFingerprint",
                 "listApps", "listProducts", "listKeys", "showDelivery", "listFaults"):
        do(name)
    for account in ("anna", "ben", "cleo"):
        do("openAccount", {"id": account})
    do("openAccount", {"id": "dora", "environment": "Sandbox", "storefront": "DEU"})
    do("setDelivery", {"url": f"http://127.0.0.1:{free_port()}/nobody", "version": "v2", "mode": "duplicate", "count": 2})
    do("setDelivery", {"mode": "deliver"})
    do("addDevice", {"id": "ipad", "account": "anna"})
    bought = do("buy", {"productId": "plus.monthly", "appAccountToken": TOKEN, "offer": "none"}, account="anna")
    original = bought["originalTransactionId"]
    coins = do("buy", {"productId": "coins", "quantity": 3}, account="anna")["transactionId"]
    do("redeemCode", {"code": "SPRING"}, account="ben")
    do("openFamily", {"id": "ours", "organizer": "anna"})
    do("joinFamily", {"account": "ben"}, family="ours")
    shared = do("buy", {"productId": "family.monthly"}, account="cleo")["originalTransactionId"]
    do("joinFamily", {"account": "cleo"}, family="ours")
    do("setSharing", {"enabled": True}, family="ours")
    copy_of_it = do("showAccount", account="anna")["familySubscriptions"][0]["originalTransactionId"]
    do("showSubscription", id=copy_of_it)
    do("showFamily", family="ours")
    do("setTerms", {"billingGracePeriodDays": 16, "earlyChargeHours": 0, "sandboxMonthMinutes": 5, "tokenOfPlanChange": "kept"})
    do("raisePrice", {"price": 12990, "needsConsent": True}, product="plus.monthly")
    do("answerPriceIncrease", {"agrees": True}, id=original)
    fault = {"face": "serverAPI", "kind": "slow", "milliseconds": 5, "times": 2, "environment": "Sandbox", "path": "/x"}
    do("setFaults", {"seed": 7, "faults": [fault]})
    do("listFaults")
    span = {"endpoint": "getTransactionInfo", "app": BUNDLE, "from": 1767225600000, "until": "2026-02-01"}
    do("setFaults", {"faults": [{"face": "serverAPI", "kind": kind, **span} for kind in ("hang", "slowOnClock")]})
    do("setFaults", {"faults": []})
    do("setBehaviour", {"notificationLagSeconds": 60, "transactionLagSeconds": 60, "paginationTokenSeconds": 300, "deadPaginationTokens": 2,
                        "notificationWindow": "firstAttempt", "retryAfter": "absent", "limitClock": "store",
                        "notificationTransactionId": "another", "partsApartMilliseconds": 1})
    do("showBehaviour")
    do("setBehaviour", {"notificationLagSeconds": 0, "transactionLagSeconds": 0, "paginationTokenSeconds": None, "deadPaginationTokens": 0,
                        "notificationWindow": "signedDate", "retryAfter": "unixMilliseconds", "limitClock": "outside",
                        "notificationTransactionId": "same", "partsApartMilliseconds": 0})
    do("setLimit", {"endpoint": "getTransactionInfo", "perHour": 7, "environment": "Sandbox"})
    do("listLimits", query="?environment=Sandbox")
    do("setLimit", {"endpoint": "getTransactionInfo", "perHour": None, "environment": "Sandbox"})
    do("addKey", {"keyId": "SECOND"})
    do("revokeKey", {"enabled": True}, keyId="SECOND")
    do("setSigning", {"signing": "newLeaf"})
    do("setClockRate", {"rate": 0})
    # A card that fails, a grace period, and money again.
    do("setPayment", {"fails": True, "gracePeriodDays": 6}, id=original)
    do("advanceClock", {"days": 32})
    do("showSubscription", id=original)
    do("setPayment", {"fails": False}, id=original)
    do("repeatFailure", id=original)
    do("setCard", {"fails": False}, account="anna")
    do("setSignedToken", {"appAccountToken": None}, id=original)
    live_replacements(do)
    do("changeAddress", account="anna")
    do("extendSubscription", {"days": 7}, id=original)
    do("setAutoRenew", {"enabled": False}, id=original)
    do("setAutoRenew", {"enabled": True}, id=original)
    do("silenceSubscription", {"enabled": True, "inHistory": True}, id=original)
    do("silenceSubscription", {"enabled": False}, id=original)
    # Refunds: granted, reversed, requested, decided.
    newest = do("listPurchases", account="anna", query="?limit=5")["transactions"][0]["transactionId"]
    do("refund", {"percentage": 50000, "reason": 1, "requestedByCustomer": True}, id=newest)
    do("showTransaction", id=newest)
    do("reverseRefund", id=newest)
    do("requestRefund", {"reason": "LEGAL"}, id=coins)
    do("decideRefund", {"grants": False}, id=coins)
    do("listQueue", device="ipad")
    do("finishTransaction", id=coins)
    do("showDevice", device="ipad")
    do("readAppTransaction", device="ipad")
    do("signIn", {"account": None}, device="ipad")
    do("readAppTransaction", code="appTransactionMissing", device="ipad")
    do("readTransactionReceipt", id=coins)
    do("readAppReceipt", account="anna", query="?device=ipad")
    do("loseReceipt", account="ben")
    do("readAppReceipt", code="receiptLost", account="ben")
    do("restorePurchases", {}, account="ben")
    do("readAppReceipt", account="ben")
    do("restorePurchases", {}, account="anna")
    do("rescindConsent", {}, account="anna")
    do("tellExternalPurchase", {"event": "reminder"})
    # Notifications are held, delayed, lost, and sent again.
    do("setDelivery", {"mode": "hold"})
    do("setAutoRenew", {"enabled": False}, id=shared)
    do("release", {"order": "shuffled", "seed": 3})
    do("setDelivery", {"mode": "delay", "seconds": 60})
    do("setAutoRenew", {"enabled": True}, id=shared)
    do("setDelivery", {"mode": "drop", "count": 2})
    do("showDelivery")
    do("setAutoRenew", {"enabled": False}, id=shared)
    do("setDelivery", {"mode": "deliver"})
    told = do("listNotifications", query="?limit=1000")["notifications"]
    do("redeliver", uuid=told[0]["notificationUUID"])
    do("advanceClock", {"to": "next"})
    do("setForSale", {"isForSale": False}, product="plus.yearly")
    do("leaveFamily", family="ours", account="ben")
    do("advanceClock", {"days": 90})
    do("showSubscription", id=shared)
    do("moveAccount", {"storefront": "FRA"}, account="cleo")
    do("listAccounts", query="?from=1&limit=2")
    return original, coins, copy_of_it


def live_replacements(do):
    """Subscriptions that come from another one or go on as another one."""
    for account in ("emil", "fay"):
        do("openAccount", {"id": account})
    first = do("buy", {"productId": "pro.monthly"}, account="emil")["originalTransactionId"]
    do("assignSeat", {"account": "fay"}, id=first)
    do("assignSeat", {"account": "fay"}, code="seatAssigned", id=first)
    do("revokeSeat", id=first, account="fay")
    do("revokeSeat", code="unknownSeat", id=first, account="fay")
    do("repeatFailure", code="notRecovered", id=first)
    do("switchSubscription", {"productId": "plus.monthly"}, code="invalidSwitch", id=first)
    bundle = do("switchSubscription", {"productId": "bundle.monthly"}, id=first)["originalTransactionId"]
    do("switchSubscription", {"productId": "bundle.monthly"}, code="notActive", id=first)
    alone = do("switchSubscription", {"productId": "pro.monthly"}, id=bundle)["originalTransactionId"]
    second = do("reissue", id=alone)["originalTransactionId"]
    do("setPayment", {"fails": True, "gracePeriodDays": 16, "graceEnd": "unsigned"}, id=second)
    do("setSigning", {"signing": "endedLeaf"})
    do("setSigning", {"signing": "endingLeaf"})
    do("setSigning", {"signing": "right"})


def ask_in_realtime(shop, url):
    """What wants something of the other face before: the app's server uploads a message and says where it is to be asked."""
    shop.do("openAccount", {"id": "eve", "environment": "Sandbox"})
    original = shop.do("buy", {"productId": "plus.monthly"}, account="eve")["originalTransactionId"]
    shop.do("askRetention", {"locale": "de-DE"}, code="noNotificationURL", id=original)
    keys = shop.do("listKeys")
    client = AppStoreServerAPIClient(
        keys["keys"][0]["privateKey"].encode(), keys["keys"][0]["keyId"], keys["issuerId"], BUNDLE, Environment.SANDBOX)
    client._base_url = f"http://127.0.0.1:{shop.sandbox}"
    client.configure_realtime_url(RealtimeUrlRequest(url))
    answer = shop.do("askRetention", {}, id=original)
    check("what the app's server answers in real time is shown",
          {name: answer[name] for name in answer if name != "problem"} == {"isAnswered": True, "status": 200, "body": "{}", "isDefault": True}, answer)
    message = str(uuid.uuid4())
    client.upload_message(message, UploadMessageRequestBody(header="Stay", body="Please."))
    shop.do("reviewRetention", {"identifier": message, "approves": False, "environment": "Sandbox"})
    shop.do("reviewRetention", {"identifier": TOKEN, "approves": True}, code="unknownMessage")
    listed = shop.do("listRetention", query="?environment=Sandbox")["messages"]
    called = shop.do("listCalls", query="?environment=Sandbox&limit=5")["endpoints"]
    check("the calls are counted", [(one["endpoint"], one["calls"]) for one in called] == [("configureRealtimeURL", 1), ("uploadMessage", 1)], called)
    shop.do("forgetCalls", {})
    check("a reviewed message is listed", [(one["messageIdentifier"], one["messageState"]) for one in listed] == [(message, "REJECTED")], listed)


def state_file(body, version=1):
    """A state as the store writes it, of any body."""
    head = {"format": "tenure local App Store", "version": version, "sha256": hashlib.sha256(body).hexdigest()}
    return json.dumps(head).encode() + b"\n" + body + b"\n"


def save_and_restore(shop):
    """A state is restored; an invalid one, or another store's, is refused."""
    shop.do("saveState")
    state = shop.send("GET", "/state")[2]
    now = shop.do("readClock")["now"]
    shop.do("advanceClock", {"days": 1})
    check("a restored store shows the old time", shop.do("restoreState", state)["now"] == now)
    body = state.split(b"\n", 1)[1].rstrip(b"\n")
    other = json.loads(body)
    other["apps"][0]["sharedSecret"] = "another's"
    for content, code in ((b"none", "notAState"), (state_file(body, version=2), "stateOfAnotherVersion"), (state[:-100], "stateChanged"),
                          (state_file(b"{}"), "stateUnreadable"), (state_file(json.dumps(other).encode()), "stateOfAnotherStore")):
        shop.do("restoreState", content, code=code)


def refuse(shop, original, coins, shared):
    """Every code is met."""
    do = shop.do
    for body, code in ((b"[", "invalidJSON"), (b"[]", "invalidBody"), ({"no": 1}, "unknownMember"), ({"id": None}, "invalidMember"),
                       ({"id": "a/b"}, "invalidAccountId"), ({"storefront": "de"}, "invalidStorefront"), ({"id": "anna"}, "accountExists"),
                       (b" " * 70_000, "bodyTooLarge")):
        do("openAccount", body, code=code)
    for media_type in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "nonsense"):
        do("openAccount", {"id": "page"}, code="mediaTypeNotJSON", media_type=media_type)
    for body, code in (({"productId": "coins", "appAccountToken": "x"}, "invalidAppAccountToken"),
                       ({"productId": "coins", "quantity": 11}, "invalidQuantity"),
                       ({"productId": "gold"}, "unknownProduct"), ({"productId": "coins", "app": "no.such"}, "unknownApp"),
                       ({"productId": "plus.yearly"}, "productNotForSale"),
                       ({"productId": "plus.monthly", "billingPlanType": "MONTHLY"}, "planNotOffered"),
                       ({"productId": "plus.monthly", "offer": "winBack", "offerIdentifier": "no"}, "unknownOffer"),
                       ({"productId": "plus.monthly", "offer": "winBack", "offerIdentifier": "again"}, "offerNotEligible"),
                       ({"productId": "plus.monthly", "offer": "promotional", "offerIdentifier": "stay"}, "offerSignatureInvalid")):
        do("buy", body, code=code, account="dora")
    for body, code in (({"keyId": "SECOND"}, "keyExists"), ({"keyId": "a-b"}, "invalidKeyId")):
        do("addKey", body, code=code)
    do("revokeKey", {"enabled": True}, code="unknownKey", keyId="THIRD")
    do("buy", {"productId": "lifetime"}, account="dora")
    do("buy", {"productId": "lifetime"}, code="alreadyOwned", account="dora")
    subscribed = do("buy", {"productId": "pro.monthly"}, account="dora")["originalTransactionId"]
    do("buy", {"productId": "pro.monthly"}, code="alreadySubscribed", account="dora")
    do("moveAccount", {"storefront": "USA"}, code="subscriptionsActive", account="dora")
    do("setCard", {"fails": True}, account="dora")
    do("buy", {"productId": "coins"}, code="paymentDeclined", account="dora")
    do("showAccount", code="unknownAccount", account="otto")
    do("showFamily", code="unknownFamily", family="nobodys")
    do("showDevice", code="unknownDevice", device="nobodys")
    do("showSubscription", code="unknownSubscription", id=coins)
    do("showTransaction", code="unknownTransaction", id="7")
    do("redeliver", code="unknownNotification", uuid=TOKEN)
    do("setTerms", {"billingGracePeriodDays": 29}, code="invalidGracePeriod")
    do("setTerms", {"earlyChargeHours": 25}, code="invalidEarlyCharge")
    do("setTerms", {"sandboxMonthMinutes": 7}, code="invalidSandboxRate")
    do("raisePrice", {"price": 1, "needsConsent": False}, code="invalidPrice", product="coins")
    do("openFamily", {"id": "", "organizer": "dora"}, code="invalidFamilyId")
    do("openFamily", {"id": "ours", "organizer": "dora"}, code="familyExists")
    do("openFamily", {"id": "new", "organizer": "anna"}, code="alreadyInFamily")
    do("joinFamily", {"account": "dora"}, code="unknownEnvironment", family="ours")
    do("leaveFamily", code="notInFamily", family="ours", account="dora")
    for number in range(5):
        member = do("openAccount", {})["account"]
        do("joinFamily", {"account": member}, code="familyFull" if number == 4 else None, family="ours")
    do("addDevice", {"id": "a b"}, code="invalidDeviceId")
    do("addDevice", {"id": "ipad"}, code="deviceExists")
    do("setAutoRenew", {"enabled": True}, code="familyShared", id=shared)
    do("answerPriceIncrease", {"agrees": True}, code="noPriceIncrease", id=subscribed)
    do("extendSubscription", {"days": 91}, code="invalidExtension", id=subscribed)
    for code in (None, None, "tooManyExtensions"):
        do("extendSubscription", {"days": 1}, code=code, id=subscribed)
    do("refund", {"percentage": 0}, code="invalidPercentage", id=coins)
    do("reverseRefund", code="notRefunded", id=coins)
    do("decideRefund", {"grants": True}, code="noRefundRequested", id=coins)
    do("requestRefund", id=coins)
    do("requestRefund", code="refundRequested", id=coins)
    do("refund", id=subscribed)
    do("refund", code="alreadyRefunded", id=subscribed)
    do("setAutoRenew", {"enabled": True}, code="subscriptionEnded", id=subscribed)
    do("extendSubscription", {"days": 1}, code="notExtendable", id=subscribed)
    do("advanceClock", {"days": -1}, code="clockGoesForward")
    do("advanceClock", {"days": 3654}, code="tooFar")
    do("setDelivery", {"url": "gopher://x"}, code="invalidURL")
    status, media, answer = shop.send("GET", "/nowhere")
    elsewhere = [(status, media, json.loads(answer)["code"])]
    status, media, answer = shop.send("QUERY", "/clock")
    elsewhere.append((status, media, json.loads(answer)["code"]))
    check("another address and another method are problems too", elsewhere == [
        (404, "application/problem+json", "notFound"), (405, "application/problem+json", "methodNotAllowed")], elsewhere)
    shop.met |= {"notFound", "methodNotAllowed"}


def check_life(shop, recorder):
    original, coins, shared = live(shop)
    ask_in_realtime(shop, f"http://127.0.0.1:{recorder.server_port}/0/realtime")
    save_and_restore(shop)
    refuse(shop, original, coins, shared)
    check("every answer is what the document says, and no more", not shop.wrong, shop.wrong)
    missing = set(shop.document.operations) - shop.done
    check(f"{len(shop.done)} operations did what they are for", not missing, missing)
    codes = set(shop.document.content["components"]["schemas"]["ProblemCode"]["enum"])
    check(f"{len(shop.met)} codes of refusals were met", shop.met == codes - NOT_MET, shop.met ^ (codes - NOT_MET))


# MARK: The command line

class Recorder(http.server.BaseHTTPRequestHandler):
    """A server that answers `{}` and keeps what it was sent, by the number that its address begins with."""

    def take(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        run, address = self.path.removeprefix("/").split("/", 1)
        self.server.seen[int(run)] = (self.command.lower(), "/" + address, body)
        self.send_response(200)
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    do_GET = do_POST = do_DELETE = do_PUT = take

    def log_message(self, *_):
        pass


def verbs():
    """Name and words of each, as `--help` shows them."""
    text = subprocess.run([TENURE, "simulate", "do", "--help"], capture_output=True, text=True, check=True).stdout
    text = text[text.index("appAccountToken=…"):text.index("USAGE")]
    lines = re.findall(r"^  ([a-z][a-z-]*(?: (?:[A-Za-z|]+|\[[A-Za-z|]+\]))*)$", text, re.MULTILINE)
    return [(line.split()[0], line.split()[1:]) for line in lines]


@contextlib.contextmanager
def recording():
    recorder = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Recorder)
    recorder.seen = {}
    threading.Thread(target=recorder.serve_forever, daemon=True).start()
    try:
        yield recorder
    finally:
        recorder.shutdown()
        recorder.server_close()


def check_verbs(document, recorder):
    """Each verb is run against a server that only listens: what it sends must be an operation, and every operation must have come."""
    listed = verbs()

    def run(number):
        name, words = listed[number]
        given = [word.strip("[]").split("|")[0] if "|" in word else "7" for word in words] + ["limit=7"]
        # A body that is sent unchanged takes no members.
        given = [__file__] if words == ["FILE"] else given
        outcome = subprocess.run([TENURE, "simulate", "do", name, *given, "--url",
                                  f"http://127.0.0.1:{recorder.server_port}/{number}"], capture_output=True, text=True)
        return outcome.returncode, outcome.stderr

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(run, range(len(listed))))
    wrong, reached = [], set()
    for number, (name, _) in enumerate(listed):
        if outcomes[number][0] != 0 or number not in recorder.seen:
            wrong.append(f"{name}: {outcomes[number]}")
            continue
        wrong += [f"{name}: {fault}" for fault in judge_verb(document, *recorder.seen[number], reached)]
    check(f"{len(listed)} verbs are operations, with members that these know", len(listed) > 50 and not wrong, wrong)
    missing = set(document.operations) - reached - WITHOUT_VERB
    check("every operation has a verb, but for those that need none", not missing and not reached & WITHOUT_VERB, missing)


def judge_verb(document, method, address, body, reached):
    path, _, query = address.partition("?")
    found = [name for name, (wanted, template) in document.operations.items()
             if wanted == method and re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", re.escape(template).replace(r"\{", "{").replace(r"\}", "}")), path)]
    if len(found) != 1:
        return [f"{method} {path} is {found or 'no operation'}"]
    reached.add(found[0])
    if body == pathlib.Path(__file__).read_bytes():
        return []
    if not body:
        return [] if query == "limit=7" else [f"a member is not in the query: {address}"]
    members = json.loads(body)
    if members.pop("limit", None) != 7:
        return ["a member is not in the body"]
    schema = document.body_schema(found[0])
    faults = [f"the body knows no {member}" for member in set(members) - set(schema.get("properties", {}))]
    for member, value in members.items():
        types = types_of(document, schema.get("properties", {}).get(member, {}))
        kind = {bool: "boolean", int: "integer", str: "string"}[type(value)]
        if types and kind not in types:
            faults.append(f"{member} is {kind}, not {types}")
    return faults


def types_of(document, schema):
    """The types that a schema allows; empty where it says none."""
    if "$ref" in schema:
        return types_of(document, document.resolved(*schema["$ref"].removeprefix("#/").split("/"))[1])
    if "anyOf" in schema:
        return {one for part in schema["anyOf"] for one in types_of(document, part)}
    types = schema.get("type", [])
    return {types} if isinstance(types, str) else set(types)


# MARK: Schemathesis

def for_fuzzing(shop):
    """The document with the names of this store in it, so that more is tried than 404; with addresses of notifications that answer at once; and
    without states, which are no JSON to vary."""
    content = closed(shop.document.content)
    del content["paths"]["/state"]
    purchases = shop.do("listPurchases", account="anna")["transactions"]
    told = shop.do("listNotifications", query="?limit=3")["notifications"]
    names = {
        "account": ["anna", "ben", "dora", "nobody"], "family": ["ours", "nobodys"], "device": ["ipad", "nobodys"],
        "product": ["plus.monthly", "pro.monthly", "family.monthly", "coins", "gold"],
        "subscriptionId": [purchases[-1]["originalTransactionId"], "7"], "transactionId": [one["transactionId"] for one in purchases[-3:]] + ["7"],
        "uuid": [one["notificationUUID"] for one in told] + [TOKEN]}
    for name, values in names.items():
        parameter = content["components"]["parameters"][name]
        parameter["schema"], parameter["example"] = {"enum": values}, values[0]
    setting = content["components"]["schemas"]["DeliverySetting"]["properties"]
    setting["url"] = {"enum": [f"http://127.0.0.1:{free_port()}/nobody", None]}
    return content


def check_schemathesis(shop, folder):
    document = folder / "openapi.json"
    document.write_text(json.dumps(for_fuzzing(shop)))
    checks = ["not_a_server_error", "status_code_conformance", "content_type_conformance", "response_headers_conformance",
              "response_schema_conformance", "negative_data_rejection", "unsupported_method", "allow_header_conformance", "use_after_free"]
    outcome = subprocess.run(
        [pathlib.Path(sys.executable).parent / "st", "run", str(document), "--url", shop.control, "--seed", str(SEED),
         "--max-examples", str(EXAMPLES), "--checks", ",".join(checks), "--suppress-health-check", "all",
         "--continue-on-failure", "--request-timeout", "30", "--warnings", "off",
         "--no-color"],
        cwd=folder, capture_output=True, text=True)
    cases = re.search(r"(\d+) generated", outcome.stdout)
    phases = set(re.findall(r"✅ +(Examples|Coverage|Fuzzing|Stateful)", outcome.stdout))
    is_right = outcome.returncode == 0 and cases is not None and int(cases.group(1)) > 1000 and len(phases) == 4
    check(f"schemathesis: {cases.group(1) if cases else 'no'} cases in {len(phases)} phases, seed {SEED}", is_right)
    if not is_right:
        print(outcome.stdout[-20_000:], outcome.stderr[-2000:])
    status, _, answer = shop.send("GET", "/health/live")
    check("and the process lives", (status, json.loads(answer)) == (200, {"status": "live"}))


def main():
    shop = Shop()
    content = json.loads((ROOT / "Sources/AppStoreSimulator/Control/openapi.json").read_text())
    check_document(content)
    with tempfile.TemporaryDirectory() as folder, recording() as recorder, shop.running() as process:
        check_verbs(Document(content), recorder)
        check("the document is served unchanged", json.loads(shop.send("GET", "/openapi.json")[2]) == content)
        shop.document = Document(closed(content))
        check_life(shop, recorder)
        check_schemathesis(shop, pathlib.Path(folder))
        check("nothing ended the process", process.poll() is None)
    return harness.summary()


if __name__ == "__main__":
    sys.exit(main())
