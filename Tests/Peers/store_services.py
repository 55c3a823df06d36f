#!/usr/bin/env python3
"""The local App Store's services on a bad day: limits by endpoint, page tokens that die, things that are shown late, keys that are revoked,
outages by its clock. Apple's own server library is the caller. Prints one line per check; the exit code is 1 when one failed."""

import contextlib
import http.server
import json
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

from appstoreserverlibrary.api_client import APIError, APIException, AppStoreServerAPIClient, GetTransactionHistoryVersion
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.models.NotificationHistoryRequest import NotificationHistoryRequest
from appstoreserverlibrary.models.TransactionHistoryRequest import Order, TransactionHistoryRequest

import harness
from harness import APPLE_ID, BUNDLE, ROOT, TENURE, check, free_port, running
from store_run import STARTS_AT, Shop, refused

OTHER = "com.example.other"
HOUR, DAY = 3_600_000, 86_400_000
# Apple, "Identifying rate limits": requests per second and app in Production, counted by the hour.
PER_SECOND = {
    50: {"getTransactionInfo", "getTransactionHistory", "getTransactionHistoryV1", "getAllSubscriptionStatuses", "getAppTransactionInfo",
         "sendConsumptionInformation", "sendConsumptionInformationV1", "finishTransaction", "getNotificationHistory"},
    20: {"setAppAccountToken", "extendSubscriptionRenewalDate"},
    10: {"lookUpOrderID", "getRefundHistory", "getRefundHistoryV1", "configureDefaultMessage"},
}


class Receiver(http.server.BaseHTTPRequestHandler):
    """A server that is sent notifications, and answers what it is told to."""

    def do_POST(self):
        self.rfile.read(int(self.headers.get("content-length", 0)))
        self.server.count += 1
        self.send_response(self.server.status)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def receiving():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    server.status, server.count = 200, 0
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


class Services(Shop):
    """Two apps, with Apple's limits switched off but where they are checked."""

    def __init__(self, folder):
        super().__init__(folder)
        self.state = folder / "shop.state"

    def running(self, *arguments):
        return running(
            "simulate", "--catalogue", "Examples/shop.storekit", "--bundle", BUNDLE, "--app-apple-id", str(APPLE_ID), "--app",
            f"{OTHER}:42:Examples/demo.storekit", "--environment", "Production", "--port", str(self.port), "--production-port",
            str(self.production), "--sandbox-port", str(self.sandbox), "--starts-at", str(STARTS_AT), "--key", str(self.key_path), "--key-id",
            "SIM1", "--state", str(self.state), *arguments, live=f"{self.control}/health/live")

    def behave(self, **members):
        self.do("/behaviour", members)

    def faults(self, *faults):
        self.do("/faults", {"faults": [{"face": "serverAPI", **fault} for fault in faults]})

    def advance(self, seconds):
        self.do("/clock/advance", {"seconds": seconds})

    @property
    def now(self):
        return self.do("/clock")["now"]

    def buy(self, account, product="plus.monthly"):
        self.do("/accounts", {"id": account})
        return self.do(f"/accounts/{account}/purchases", {"productId": product})["originalTransactionId"]

    def raw(self, client, path):
        """Status, headers and body as they come: Apple's library shows no header."""
        wanted = urllib.request.Request(client._base_url + path, headers={"Authorization": f"Bearer {client._generate_token()}"})
        try:
            with urllib.request.urlopen(wanted) as response:
                return response.status, response.headers, response.read()
        except urllib.error.HTTPError as error:
            return error.code, error.headers, error.read()

    def calls(self, endpoint):
        found = [one for one in self.do("/calls")["endpoints"] if one["endpoint"] == endpoint]
        return found[0] if found else {"calls": 0, "statuses": []}


def newest(shop, client, original):
    """The transaction that statuses show, read with Apple's verifier."""
    signed = client.get_all_subscription_statuses(original).data[0].lastTransactions[0].signedTransactionInfo
    return shop.verifier(Environment.PRODUCTION).verify_and_decode_signed_transaction(signed).transactionId


def history(client, original):
    page = client.get_transaction_history(original, None, TransactionHistoryRequest(), GetTransactionHistoryVersion.V2)
    return len(page.signedTransactions)


def told(shop, client, start, end, token=None, **members):
    return client.get_notification_history(token, NotificationHistoryRequest(startDate=start, endDate=end, **members))


def count_told(shop, client, start, end, **members):
    return len(told(shop, client, start, end, **members).notificationHistory)


# MARK: Limits and calls

def check_limits(shop, original):
    listed = {one["endpoint"]: one["perHour"] for one in shop.do("/limits")["limits"]}
    wanted = {name: rate * 3600 for rate, names in PER_SECOND.items() for name in names}
    check("limits are Apple's, by endpoint", listed == {name: wanted.get(name, 3600) for name in listed} and set(wanted) <= set(listed), listed)
    sandbox = {one["endpoint"]: one["perHour"] for one in shop.do("/limits?environment=Sandbox")["limits"]}
    check("and a tenth in Sandbox", all(sandbox[name] * 10 == listed[name] for name in listed), sandbox)
    client, other = shop.client(Environment.PRODUCTION), shop.client(Environment.PRODUCTION, bundle=OTHER)
    shop.behave(limitClock="store")
    shop.do("/limits", {"endpoint": "getAllSubscriptionStatuses", "perHour": 3})
    shop.do("/calls/forget", {})
    begin = shop.now
    for _ in range(3):
        client.get_all_subscription_statuses(original)
    refused("the fourth call in an hour is answered 4290000", APIError.RATE_LIMIT_EXCEEDED, lambda: client.get_all_subscription_statuses(original))
    check("another endpoint has a limit of its own", history(client, original) == 1)
    refused("and so has another app", APIError.TRANSACTION_ID_NOT_FOUND, lambda: other.get_all_subscription_statuses(original))
    path, forms = f"/inApps/v1/subscriptions/{original}", {}
    for form in ("unixMilliseconds", "unixSeconds", "delaySeconds", "past", "farFuture", "absent"):
        shop.behave(retryAfter=form)
        status, headers, body = shop.raw(client, path)
        check(f"429 with {form}", (status, json.loads(body)["errorCode"]) == (429, 4290000))
        forms[form] = headers["Retry-After"]
    again = begin + HOUR
    check("Retry-After is what was asked for", forms == {
        "unixMilliseconds": str(again), "unixSeconds": str(again // 1000), "delaySeconds": "3600", "past": str(begin - HOUR),
        "farFuture": str(begin + 36525 * DAY), "absent": None}, forms)
    shop.behave(retryAfter="unixMilliseconds")
    shop.raw(client, path)
    shop.raw(client, path)
    shop.advance(3600)
    check("after the hour it is accepted", shop.raw(client, path)[0] == 200)
    counted = shop.calls("getAllSubscriptionStatuses")
    # 3 accepted, 1 refused, 6 refused in all forms, 2 more, and 1 an hour later.
    check("calls are counted by endpoint and status, in hours of the store's clock", (
        counted["calls"], counted["statuses"], counted["busiestHour"], counted["hours"]) == (
            13, [{"status": 200, "calls": 4}, {"status": 429, "calls": 9}], {"from": begin, "calls": 12},
            [{"from": begin // HOUR * HOUR, "calls": 12}, {"from": begin // HOUR * HOUR + HOUR, "calls": 1}]), counted)
    # Early are those that follow a 429 which named a later instant: all but the one after `past` and the one after `absent`.
    check("and those that came too early", counted["earlyCalls"] == 6, counted)
    check("other endpoints have counts of their own", shop.calls("getTransactionHistory")["calls"] == 1)
    shop.do("/limits", {"endpoint": "getAllSubscriptionStatuses", "perHour": None})
    shop.behave(limitClock="outside")
    shop.do("/calls/forget", {})
    check("calls are forgotten on request", shop.do("/calls")["endpoints"] == [])


# MARK: Page tokens and windows

def check_pages(shop, original):
    client, begin = shop.client(Environment.PRODUCTION), shop.now
    shop.advance(60)
    for number in range(50):
        shop.do(f"/subscriptions/{original}/auto-renew", {"enabled": number % 2 == 1})
    shop.advance(60)
    window = begin, shop.now
    shop.behave(paginationTokenSeconds=300)
    first = told(shop, client, *window)
    shop.advance(299)
    check("a page token lives its time", len(told(shop, client, *window, first.paginationToken).notificationHistory) == 20)
    shop.advance(1)
    refused("then it has expired", APIError.PAGINATION_TOKEN_EXPIRED, lambda: told(shop, client, *window, first.paginationToken))
    refused("a token that was never given is another error", APIError.INVALID_PAGINATION_TOKEN, lambda: told(shop, client, *window, "AAAA"))
    shop.behave(paginationTokenSeconds=None, deadPaginationTokens=1)
    check("an old token is accepted where none expires", told(shop, client, *window, first.paginationToken).hasMore)
    shop.behave(deadPaginationTokens=1)
    dead = told(shop, client, *window)
    refused("the next token is dead on demand", APIError.PAGINATION_TOKEN_EXPIRED, lambda: told(shop, client, *window, dead.paginationToken))
    seen, token = set(), None
    while True:
        page = told(shop, client, *window, token)
        seen |= {one.signedPayload for one in page.notificationHistory}
        token = page.paginationToken
        if not page.hasMore:
            break
    check("and from the beginning all pages can be read", len(seen) == 50, len(seen))


def check_window(shop, receiver):
    client = shop.client(Environment.PRODUCTION)
    url = f"http://127.0.0.1:{receiver.server_port}/"
    shop.do("/delivery", {"mode": "delay", "seconds": 7200, "url": url})
    begin = shop.now
    shop.buy("wanda", "coins")
    shop.do("/delivery", {"mode": "deliver"})
    shop.advance(4 * 3600)
    early, late = (begin, begin + HOUR), (begin + HOUR, begin + 3 * HOUR)
    counts = [(count_told(shop, client, *early), count_told(shop, client, *late))]
    shop.behave(notificationWindow="firstAttempt")
    counts.append((count_told(shop, client, *early), count_told(shop, client, *late)))
    shop.behave(notificationWindow="signedDate")
    check("the window is by signing, or by the first attempt", counts == [(1, 0), (0, 1)], counts)
    receiver.status, begin = 500, shop.now
    shop.buy("walt", "coins")
    window = begin, begin + HOUR
    page = told(shop, client, *window, onlyFailures=True)
    check("failures include what will be tried again", [len(one.sendAttempts) for one in page.notificationHistory] == [1], page)
    receiver.status = 200
    shop.advance(3600)
    check("and no longer what has arrived", count_told(shop, client, *window, onlyFailures=True) == 0)
    check("which all of them still have", count_told(shop, client, *window) == 1)


# MARK: Histories that are resumed

def check_resuming(shop):
    """Apple's library keeps a revision, and gets with it what was modified since."""
    client, verifier = shop.client(Environment.PRODUCTION), shop.verifier(Environment.PRODUCTION)
    original = shop.buy("rita")
    for _ in range(45):
        shop.do("/accounts/rita/purchases", {"productId": "coins"})

    def read(ask, revision):
        found = []
        while True:
            page = ask(original, revision)
            found += [verifier.verify_and_decode_signed_transaction(jws) for jws in page.signedTransactions]
            revision = page.revision
            if not page.hasMore:
                return [(one.transactionId, one.revocationDate is not None) for one in found], revision

    def all_of(sort=None):
        return lambda id, revision: client.get_transaction_history(
            id, revision, TransactionHistoryRequest(sort=sort), GetTransactionHistoryVersion.V2)

    known, kept = read(all_of(), None)
    refunds, kept_refunds = read(client.get_refund_history, None)
    backwards, kept_backwards = read(all_of(Order.DESCENDING), None)
    check("a history is read page by page", (len(set(known)), refunds, backwards) == (46, [], known[::-1]), (len(known), refunds))
    check("with nothing new it is empty, again and again", [read(all_of(), kept)[0], read(all_of(), read(all_of(), kept)[1])[0]] == [[], []])
    coins = known[30][0]
    shop.do(f"/transactions/{coins}/refund", {})
    seen, kept = read(all_of(), kept)
    check("who resumes after a refund sees it, and nothing else", seen == [(coins, True)], seen)
    check("in the refund history, too", read(client.get_refund_history, kept_refunds)[0] == [(coins, True)])
    check("and in a history that was read backwards", read(all_of(Order.DESCENDING), kept_backwards)[0] == [(coins, True)])
    shop.do(f"/transactions/{coins}/refund/reverse", {})
    client.finish_transaction(known[3][0])
    bought = shop.do("/accounts/rita/purchases", {"productId": "coins"})["transactionId"]
    seen, kept = read(all_of(), kept)
    check("and then its reversal, what was finished and what was bought, in this order", seen == [
        (coins, False), (known[3][0], False), (bought, False)], seen)
    shop.behave(transactionLagSeconds=60)
    shop.do(f"/transactions/{bought}/refund", {})
    early, kept = read(all_of(), kept)
    shop.advance(60)
    late, kept = read(all_of(), kept)
    check("what is hidden comes when it is shown", (early, late) == ([], [(bought, True)]), (early, late))
    shop.behave(transactionLagSeconds=0)
    refused("a revision of another order is refused", APIError.INVALID_REQUEST_REVISION, lambda: all_of(Order.DESCENDING)(original, kept))
    refused("and that of the refund history", APIError.INVALID_REQUEST_REVISION, lambda: all_of()(original, kept_refunds))


# MARK: What is shown late

def check_lag(shop):
    client = shop.client(Environment.PRODUCTION)
    before = shop.now
    shown = shop.buy("lara")
    shop.behave(notificationLagSeconds=60, transactionLagSeconds=120)
    check("what is shown stays shown", newest(shop, client, shown) == shown and count_told(shop, client, before, before + 1000) == 1)
    hidden = shop.buy("luis")
    window = shop.now, shop.now + 1000
    check("a notification is not in the history at once", count_told(shop, client, *window, transactionId=hidden) == 0)
    refused("nor is a purchase in statuses", APIError.TRANSACTION_ID_NOT_FOUND, lambda: client.get_all_subscription_statuses(hidden))
    refused("nor in the history", APIError.TRANSACTION_ID_NOT_FOUND, lambda: history(client, hidden))
    check("but by itself it is found", client.get_transaction_info(hidden).signedTransactionInfo is not None)
    shop.advance(59)
    check("59 seconds later neither", count_told(shop, client, *window, transactionId=hidden) == 0)
    shop.advance(1)
    check("a minute later it is in the notification history", count_told(shop, client, *window, transactionId=hidden) == 1)
    refused("and still not in statuses", APIError.TRANSACTION_ID_NOT_FOUND, lambda: client.get_all_subscription_statuses(hidden))
    shop.advance(60)
    check("another minute later it is there, too", newest(shop, client, hidden) == hidden and history(client, hidden) == 1)
    # A renewal: the old period is the newest one for two minutes.
    shop.do("/clock/advance", {"to": shop.do(f"/subscriptions/{hidden}")["expiresDate"]})
    renewed = shop.do(f"/subscriptions/{hidden}")["transactionId"]
    late = newest(shop, client, hidden), history(client, hidden)
    shop.advance(119)
    later = newest(shop, client, hidden), history(client, hidden)
    shop.advance(1)
    now = newest(shop, client, hidden), history(client, hidden)
    check("a renewal is shown as late as it is told to", (late, later, now) == ((hidden, 1), (hidden, 1), (renewed, 2)), (late, later, now))
    newest_of = shop.do(f"/subscriptions/{hidden}")["transactionId"]
    shop.do(f"/transactions/{newest_of}/refund", {})
    late = client.get_all_subscription_statuses(hidden).data[0].lastTransactions[0].rawStatus
    shop.advance(120)
    now = client.get_all_subscription_statuses(hidden).data[0].lastTransactions[0].rawStatus
    check("and so is a refund", (late, now) == (1, 5), (late, now))
    shop.buy("lena")
    shop.behave(notificationLagSeconds=0, transactionLagSeconds=0)
    check("without a lag all is shown at once", count_told(shop, client, shop.now, shop.now + 1000) == 1)


def check_silence(shop, receiver):
    client, begin = shop.client(Environment.PRODUCTION), shop.now
    quiet, unsent = shop.buy("quentin"), shop.buy("ursula")
    shop.do(f"/subscriptions/{quiet}/silence", {"enabled": True})
    shop.do(f"/subscriptions/{unsent}/silence", {"enabled": True, "inHistory": True})
    for month in range(3):
        shop.do("/clock/advance", {"to": shop.do(f"/subscriptions/{quiet}")["expiresDate"]})
    window, seen = (begin, shop.now + 1000), {}
    for name, original in (("quiet", quiet), ("unsent", unsent)):
        found = told(shop, client, *window, transactionId=original)
        latest = shop.do(f"/subscriptions/{original}")["transactionId"]
        seen[name] = (len(found.notificationHistory), [one.sendAttempts for one in found.notificationHistory][1:],
                      history(client, original), newest(shop, client, original) == latest != original)
    check("silent renewals are in statuses and in the history, and nobody is told", seen["quiet"] == (1, [], 4, True), seen)
    check("or they are told in the notification history alone", seen["unsent"] == (4, [[], [], []], 4, True), seen)
    states = [one["state"] for one in shop.do("/notifications?limit=1000")["notifications"] if one.get("originalTransactionId") == unsent]
    check("and are never sent", states == ["silent"] * 3 + ["sent"], states)
    shop.do(f"/subscriptions/{quiet}/silence", {"enabled": False})
    before = receiver.count
    shop.do(f"/subscriptions/{quiet}/auto-renew", {"enabled": False})
    check("a subscription can be heard again", receiver.count == before + 1)


# MARK: Keys and outages

def check_keys(shop, original):
    client = shop.client(Environment.PRODUCTION)
    other = shop.client(Environment.PRODUCTION, bundle=OTHER)
    answered = lambda: refused("the other app's key is accepted", APIError.TRANSACTION_ID_NOT_FOUND, lambda: other.get_transaction_info(original))
    shop.do("/keys/SIM1/revocation", {"enabled": True})
    refused("a revoked key is answered 401", None, lambda: client.get_transaction_info(original))
    status, headers, body = shop.raw(client, f"/inApps/v1/transactions/{original}")
    check("without a body", (status, body, headers["content-type"]) == (401, b"", None), (status, body, str(headers)))
    answered()
    added = shop.do("/keys", {"keyId": "SECOND"})
    replaced = AppStoreServerAPIClient(added["privateKey"].encode(), "SECOND", shop.do("/keys")["issuerId"], BUNDLE, Environment.PRODUCTION)
    replaced._base_url = client._base_url
    check("another key is accepted", replaced.get_transaction_info(original).signedTransactionInfo is not None)
    refused("the old one still is not", None, lambda: client.get_transaction_info(original))
    check("keys are listed, the revoked one last", [(one["keyId"], one.get("isRevoked", False)) for one in shop.do("/keys")["keys"]][-1] == (
        "SIM1", True), shop.do("/keys"))
    refused("the new key is not the other app's", None, lambda: shop_client(shop, "SECOND", added, OTHER).get_transaction_info(original))
    shop.do("/keys/SIM1/revocation", {"enabled": False})
    check("and a key can be accepted again", client.get_transaction_info(original).signedTransactionInfo is not None)
    shop.faults({"kind": "status", "status": 401, "app": BUNDLE})
    status, headers, body = shop.raw(client, f"/inApps/v1/transactions/{original}")
    check("401 without a body on demand, for one app", (status, body) == (401, b""), (status, body))
    answered()
    shop.faults()
    check("and no longer", client.get_transaction_info(original).signedTransactionInfo is not None)


def shop_client(shop, key_id, key, bundle):
    client = AppStoreServerAPIClient(key["privateKey"].encode(), key_id, shop.do("/keys")["issuerId"], bundle, Environment.PRODUCTION)
    client._base_url = f"http://127.0.0.1:{shop.production}"
    return client


def check_outage(shop, original):
    client, path, start = shop.client(Environment.PRODUCTION), f"/inApps/v1/subscriptions/{original}", shop.now
    hours = [{"kind": "status", "status": 500}, {"kind": "status", "status": 503}, {"kind": "html"}, {"kind": "truncated"}]
    shop.faults(*({**fault, "endpoint": "getAllSubscriptionStatuses", "from": start + place * HOUR + HOUR, "until": start + place * HOUR + 2 * HOUR}
                  for place, fault in enumerate(hours)))
    seen = []
    for hour in range(6):
        status, headers, body = shop.raw(client, path)
        try:
            code = json.loads(body).get("errorCode")
        except ValueError:
            code = "no JSON"
        seen.append((status, code, (headers["content-type"] or "").split(";")[0]))
        check(f"hour {hour}: other endpoints answer", history(client, original) >= 1)
        shop.advance(3600)
    json_type = "application/json"
    check("an outage begins and ends by the store's clock, for one endpoint", seen == [
        (200, None, json_type), (500, 5000000, json_type), (503, "no JSON", ""), (200, "no JSON", "text/html"), (200, "no JSON", json_type),
        (200, None, json_type)], seen)
    shop.faults({"kind": "status", "status": 503, "times": 2, "endpoint": "getAllSubscriptionStatuses"})
    check("or for a number of calls", [shop.raw(client, path)[0] for _ in range(3)] == [503, 503, 200])
    shop.faults()


def wait_for_call(shop, endpoint, count):
    """Until so many calls have arrived: however long that takes."""
    while shop.calls(endpoint)["calls"] < count:
        time.sleep(0.01)


def check_waiting(shop, original):
    """Calls that are answered by the store's clock, or never."""
    client, answers = shop.client(Environment.PRODUCTION), []
    shop.do("/calls/forget", {})
    shop.faults({"kind": "slowOnClock", "milliseconds": 5000, "times": 1, "endpoint": "getAllSubscriptionStatuses"})
    caller = threading.Thread(target=lambda: answers.append(newest(shop, client, original)))
    caller.start()
    wait_for_call(shop, "getAllSubscriptionStatuses", 1)
    shop.advance(4)
    waiting = (caller.is_alive(), list(answers), shop.calls("getAllSubscriptionStatuses")["statuses"])
    shop.advance(1)
    caller.join()
    check("an answer waits for the store's clock", waiting == (True, [], []) and answers == [shop.do(f"/subscriptions/{original}")["transactionId"]],
          (waiting, answers))
    shop.faults({"kind": "hang"})
    connections = []
    # More than the store has connections: what a caller gives up must not stay taken.
    for number in range(600):
        connection = socket.create_connection(("127.0.0.1", shop.production))
        connection.sendall(f"GET /inApps/v1/history/{original} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {client._generate_token()}\r\n\r\n".encode())
        connections.append(connection)
        if number % 100 == 99:
            wait_for_call(shop, "getTransactionHistoryV1", number + 1)
            for one in connections:
                one.setblocking(False)
                with contextlib.suppress(BlockingIOError):
                    check("nothing is answered", False, one.recv(100))
                one.close()
            connections = []
    counted = shop.calls("getTransactionHistoryV1")
    check("calls that are never answered are counted, and have no status", (counted["calls"], counted["statuses"]) == (600, []), counted)
    shop.faults()
    check("and then the store answers again", newest(shop, client, original) is not None)


# MARK: The state

def check_state(shop, original):
    client = shop.client(Environment.PRODUCTION)
    shop.behave(notificationLagSeconds=60, transactionLagSeconds=60, paginationTokenSeconds=300, limitClock="store", retryAfter="unixSeconds")
    shop.do("/limits", {"endpoint": "lookUpOrderID", "perHour": 5})
    shop.do("/keys/SECOND/revocation", {"enabled": True})
    shop.faults({"kind": "status", "status": 503, "endpoint": "lookUpOrderID", "from": shop.now + DAY})
    hidden = shop.buy("sophie")
    refused("a purchase is hidden before", APIError.TRANSACTION_ID_NOT_FOUND, lambda: history(client, hidden))

    def read():
        chosen = [one for one in shop.do("/limits")["limits"] if one["isChosen"]]
        return [chosen, *(shop.do(path) for path in ("/behaviour", "/keys", "/faults", "/calls"))]

    before = read()
    yield
    check("Apple's limits can be switched off, and the chosen ones are not", {one["perHour"] for one in shop.do("/limits")["limits"]} == {None, 5})
    check("behaviour, limits, keys, faults and counts outlive a restart", read() == before, (before, read()))
    refused("and what is hidden stays so", APIError.TRANSACTION_ID_NOT_FOUND, lambda: history(client, hidden))
    shop.advance(60)
    check("until its time", history(client, hidden) == 1)
    words = [TENURE, "simulate", "do", "--url", shop.control]
    saved = subprocess.run([*words, "save"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    shop.behave(notificationLagSeconds=0, transactionLagSeconds=0, retryAfter="absent")
    shop.do("/keys", {"keyId": "THIRD"})
    path = shop.state.with_suffix(".saved")
    path.write_text(saved)
    before_load = shop.do("/keys")
    subprocess.run([*words, "load", str(path)], cwd=ROOT, capture_output=True, text=True, check=True)
    check("a loaded state puts them back", shop.do("/behaviour")["retryAfter"] == "unixSeconds"
          and len(shop.do("/keys")["keys"]) == len(before_load["keys"]) - 1)
    yield


def main():
    with tempfile.TemporaryDirectory() as folder, receiving() as receiver:
        shop = Services(pathlib.Path(folder))
        with shop.running():
            original = shop.buy("anna", "pro.monthly")
            check_limits(shop, original)
            check_pages(shop, original)
            check_window(shop, receiver)
            check_resuming(shop)
            check_lag(shop)
            check_silence(shop, receiver)
            check_keys(shop, original)
            check_outage(shop, original)
            check_waiting(shop, original)
            state = check_state(shop, original)
            next(state)
        with shop.running("--without-rate-limits"):
            next(state)
    return harness.summary()


if __name__ == "__main__":
    sys.exit(main())
