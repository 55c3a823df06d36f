"""Signed answers by PyJWT, lists and their pages, the commands that people type daily, and what a second server answers about what a first
one was told."""

import base64
import concurrent.futures
import datetime
import hashlib
import http.client
import json
import os
import subprocess
import time
import urllib.parse

import jwt

import harness
from books_material import DAY, Books, Signer, original_id
from harness import TENURE, check
from private_postgres import private_postgres


def make_answer_keys(folder):
    """Two private keys, by openssl; their paths."""
    paths = [folder / "answer-1.pem", folder / "answer-2.pem"]
    for path in paths:
        subprocess.run(
            ["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", path], check=True, capture_output=True)
        path.chmod(0o600)
    return [str(path) for path in paths]


def check_signed(api):
    """ENT-10, by PyJWT and the published keys alone."""
    status, media, jws = api.raw("GET", "/api/v1/apps/demo/customers/gina/entitlements/signed?nonce=n1", headers=api.books.backend)
    check("ENT-10 a signed answer is application/jose", (status, media) == (200, "application/jose"), (status, media, jws[:200]))
    api.called.add("readSignedEntitlements")
    keys = api.call("readAnswerKeys")[1]["keys"]
    check("both keys are published", len(keys) == 2 and all(key["alg"] == "ES256" for key in keys), keys)
    named = {key["kid"]: jwt.PyJWK(key) for key in keys}
    kid = jwt.get_unverified_header(jws)["kid"]
    check("the first one signs", kid == keys[0]["kid"])
    claims = jwt.decode(jws, named[kid], algorithms=["ES256"], audience="demo", issuer="tenure", options={"require": ["exp", "iat", "sub", "aud", "iss"]})
    answer, plus = api.entitlement("gina")
    signed = next(one for one in claims["entitlements"] if one["id"] == "plus")
    check("PyJWT believes it, and it says what the answer says", claims["sub"] == "gina" and claims["nonce"] == "n1" and claims["isActive"] == answer["isActive"]
          and signed["end"] == plus["end"], claims)
    check("what does not renew is believed until its end and no longer", signed["offlineUntil"] == plus["end"] and claims["exp"] * 1000 <= signed["offlineUntil"], claims)
    refused = 0
    text = jws.decode()
    for place in range(0, len(text), 7):
        other = "A" if text[place] != "A" else "B"
        try:
            changed = jwt.decode(text[:place] + other + text[place + 1:], named[kid], algorithms=["ES256"], audience="demo", issuer="tenure")
            # The last character of base64url may hold bits that stand for nothing.
            refused += changed == claims and place == len(text) - 1
        except (jwt.PyJWTError, ValueError):
            refused += 1
    check(f"of {len(range(0, len(text), 7))} changes of one character PyJWT believes none", refused == len(range(0, len(text), 7)), refused)
    try:
        jwt.decode(jws, named[keys[1]["kid"]], algorithms=["ES256"], audience="demo")
        check("the other key did not sign it", False)
    except jwt.InvalidSignatureError:
        check("the other key did not sign it", True)
    public = {"Authorization": f"Bearer {api.books.keys.public}", "Tenure-Customer-Token": harness.customer_token("ben")}
    foreign = api.call("readSignedEntitlements", customer="gina", headers=public)
    check("nobody has one about another customer", (foreign[0], foreign[1].get("code")) == (403, "anotherCustomer"), foreign)


def check_lists(api):
    """Facts with their bytes, the time line, claims that wait."""
    signer = api.books.signer
    signed = signer.jws(signer.transaction(41, 2, transactionReason="PURCHASE"))
    api.call("uploadTransaction", {"kind": "purchase", "signedTransactionInfo": signed}, customer="lena")
    facts = api.call("listFacts", originalTransactionId=original_id(41))[1]
    check("FACT-6 a fact comes with the very bytes that were uploaded", [(fact["kind"], fact["evidence"]) for fact in facts["facts"]] == [("transaction", 0)]
          and facts["evidence"] == [{"form": "compactJWS", "content": signed}], facts)
    whole = api.call("readSubscription", originalTransactionId=original_id(41))[1]
    check("the subscription shows its events, numbered, and its work", [one["sequence"] for one in whole["events"]] == list(range(1, len(whole["events"]) + 1))
          and whole["events"][0]["kind"] == "subscription.started" and any(one["state"] == "waiting" for one in whole["work"]), whole)
    line = api.call("readTimeline", customer="gina")[1]["items"]
    instants = [item["effectiveAt"] for item in line]
    check("AUDIT-1 the time line has every vote, the latest first", instants == sorted(instants, reverse=True) and len(line) >= 6
          and {"support-1", "risk-1"} <= {item.get("vote") for item in line}, line)
    bought = api.call("readTimeline", customer="lena")[1]["items"]
    check("and what Apple's facts changed", [item["originalTransactionId"] for item in bought] == [original_id(41)] and "reaches until" in bought[0]["words"], bought)
    versions = api.call("listSettings")[1]["versions"]
    check("OWN-17 the versions of the settings are listed, the first without a beginning", [one["number"] for one in versions] == [1]
          and "validFrom" not in versions[0] and versions[0]["actor"] == "serve" and "onRestore" in json.dumps(json.loads(versions[0]["document"])), versions)
    check_pages(api)


def check_pages(api):
    """A6 over claims that wait, while others come and are decided."""
    signer = api.books.signer

    def restore(number):
        for customer, kind in (("ann", "purchase"), ("dora", "restore")):
            body = {"kind": kind, "signedTransactionInfo": signer.jws(signer.transaction(number, 2, transactionReason="PURCHASE"))}
            api.call("uploadTransaction", body, customer=customer)

    def pages(limit, meanwhile=lambda page: None):
        path, seen, count = f"/api/v1/apps/demo/claims?limit={limit}", [], 0
        while path and count < 1000:
            status, _, content = api.raw("GET", path, headers=api.books.backend)
            page = json.loads(content)
            seen += [(item["originalTransactionId"], item["claim"]["id"]) for item in page["items"]]
            path, count = page.get("next"), count + 1
            meanwhile(count)
        return seen

    before = api.call("listWaitingClaims")[1]["items"]
    for number in range(50, 90):
        restore(number)
    now = api.call("listWaitingClaims", query={"limit": 1000})[1]["items"]
    check("OWN-9 every claim that waits is listed, with who has it meanwhile", len(now) == len(before) + 40 and all(item["owner"] for item in now), len(now))
    old = [(item["originalTransactionId"], item["claim"]["id"]) for item in now]
    decided = {original_id(number) for number in range(60, 64)}

    def change(page):
        if page <= 10:
            restore(90 + page)
        if page <= 4:
            item = next(item for item in now if item["originalTransactionId"] == original_id(59 + page))
            api.call("decideClaim", {"claim": item["claim"]["id"], "decision": "deny"}, originalTransactionId=original_id(59 + page), id=f"page-{page}")

    seen = pages(3, change)
    stays = [item for item in old if item[0] not in decided]
    check("A6 in pages of three, while 10 come and 4 are decided, each that stays is seen exactly once",
          all(seen.count(item) == 1 for item in stays) and len(set(seen)) == len(seen), (len(seen), len(stays)))
    check("those that were decided are gone", not decided & {item[0] for item in pages(7)})
    first = json.loads(api.raw("GET", "/api/v1/apps/demo/claims?limit=1", headers=api.books.backend)[2])["next"]
    cursor = urllib.parse.parse_qs(urllib.parse.urlsplit(first).query)["after"][0]
    check("A6 a cursor has only characters that nothing encodes", urllib.parse.quote(urllib.parse.quote(cursor)) == cursor, cursor)
    for query in ({"after": cursor, "environment": "Sandbox"}, {"after": "A" + cursor}, {"after": "%" + cursor}):
        answer = api.call("listWaitingClaims", query=query)
        check(f"A6 a cursor that is not this list's is refused: {list(query)}", (answer[0], answer[1].get("code")) == (400, "cursorInvalid"), answer)


def event_id(app, environment, kind, name, sequence, stored):
    """As decision 0047 and the contract say it, computed here from what the database keeps."""
    digest = hashlib.sha256(stored.encode()).hexdigest()
    whole = hashlib.sha256("\0".join((app, environment, kind, name, str(sequence), digest)).encode()).digest()
    return "evt_" + base64.b32encode(whole).decode().lower()[:26]


def check_copies(api):
    """Lists of what changed and exports, against each other; docs/operations/synchronising.md says how a copy is kept with them."""
    for kind, key in (("Subscriptions", "originalTransactionId"), ("Customers", "number")):
        seen, query = [], {"limit": 3}
        while True:
            status, page = api.call(f"listChanged{kind}", query=query)
            seen += page["items"] if status == 200 else []
            if status != 200 or not page["hasMore"]:
                break
            query["after"] = page["next"].split("after=")[1]
        lines = api.call(f"export{kind}")[1]
        items = [line for line in lines if "export" not in line]
        check(f"export{kind} has what listChanged{kind} has, each once, and a last line", status == 200 and items == seen and lines[-1]["export"]["isComplete"]
              and len({item[key] for item in items}) == len(items) > 5, (status, len(items), len(seen)))
        follow = api.raw("GET", lines[-1]["export"]["next"], headers=api.books.backend)
        check(f"and the last line of export{kind} says where its changes are read", follow[0] == 200 and json.loads(follow[2])["items"] == [], follow)
    periods = [line for line in api.call("exportPeriods")[1] if "export" not in line]
    lena = [period for period in periods if period["originalTransactionId"] == original_id(41)]
    check("exportPeriods has each purchase with its price and holder", [(one["customer"], one["price"], one["currency"]) for one in lena] == [("lena", 9990, "USD")], lena)
    events = [line for line in api.call("exportEvents")[1] if "export" not in line]
    check("exportEvents has what listEvents has", events[:50] == api.call("listEvents", query={"limit": 50})[1]["items"] and len(events) > 50, len(events))


def check_events(api):
    """The log against what stands in the database, read while more is told."""
    signer = api.books.signer

    def follow(path, meanwhile=lambda page: None):
        seen, page = [], 0
        while True:
            answer = json.loads(api.raw("GET", path, headers=api.books.backend)[2])
            seen, path, page = seen + answer["items"], answer["next"], page + 1
            if not answer["hasMore"]:
                return seen, path
            meanwhile(page)

    def more(page):
        if page <= 8:
            body = {"kind": "purchase", "signedTransactionInfo": signer.jws(signer.transaction(400 + page, 2, transactionReason="PURCHASE"))}
            api.call("uploadTransaction", body, customer=f"event{page}")

    seen, end = follow("/api/v1/apps/demo/events?limit=7", more)
    kept = []
    for row in api.books.sql("SELECT json_array(originalTransactionId, customer.customer, sequence, events) FROM outbox LEFT JOIN customer ON "
                             "customer.id = outbox.customer JOIN ledger ON ledger.id = ledger WHERE environment = 'Production' ORDER BY outbox.id"):
        subscription, customer, first, events = json.loads(row)
        for place, stored in enumerate(events.split("\n")):
            kind, name = ("subscription", subscription) if subscription else ("customer", customer)
            kept.append((event_id("demo", "Production", kind, name, first + place, stored), first + place, json.loads(stored)))
    # The server goes on telling of what it found to do: that stands after what was read, and takes nothing from it.
    late, end = follow(end)
    seen += late
    check(f"TELL-3 in pages of seven, while 8 customers buy, each of {len(kept)} events is read exactly once, in the database's order",
          len(kept) > 100 and [item["id"] for item in seen[:len(kept)]] == [one[0] for one in kept], (len(seen), len(kept)))
    check("and says what was kept, with its number and its place", all(
        stored.items() <= item["data"].items() and item["data"]["sequence"] == number and item["type"] == stored["kind"]
        and item["data"]["app"] == "demo" and item["data"]["environment"] == "Production"
        and datetime.datetime.fromisoformat(item["timestamp"]).timestamp() * 1000 == stored["effectiveAt"]
        for item, (_, number, stored) in zip(seen, kept)))
    again, _ = follow("/api/v1/apps/demo/events?limit=1000")
    check("I39 another time it is the same", again[:len(seen)] == seen)
    since = again[len(seen):]
    check("and after the end is what was told since, and nothing else", follow(end)[0][:len(since)] == since and len(since) < 20, len(since))
    more(8)
    tail = follow(end)[0]
    check("until something is told", [item["type"] for item in tail] == [] or tail[0]["id"] not in {item["id"] for item in seen}, tail)
    some, _ = follow("/api/v1/apps/demo/events?limit=50&type=access.*,owner.changed")
    chosen = [item for item in again if item["type"].startswith("access.") or item["type"] == "owner.changed"]
    check("types are chosen", some[:len(chosen)] == chosen and 0 < len(chosen) < len(again), (len(some), len(chosen)))
    of = original_id(41)
    own, _ = follow(f"/api/v1/apps/demo/subscriptions/{of}/events?limit=2")
    told = [item for item in again if item["data"].get("subscription", {}).get("originalTransactionId") == of]
    check("a subscription's are numbered without gaps", own[:len(told)] == told
          and [item["data"]["sequence"] for item in own] == list(range(1, len(own) + 1)) and len(own) > 1, own)
    gina, _ = follow("/api/v1/apps/demo/customers/gina/events?limit=3")
    told = [item for item in again if "subscription" not in item["data"] and item["data"].get("customer") == "gina"]
    check("and a customer's", gina[:len(told)] == told
          and [item["data"]["sequence"] for item in gina] == list(range(1, len(gina) + 1)) and len(gina) > 3, gina)
    for name, places in (("listEvents", {}), ("listSubscriptionEvents", {"originalTransactionId": of}), ("listCustomerEvents", {"customer": "gina"})):
        answer = api.call(name, query={"limit": 2}, **places)
        check(f"{name} keeps to the document", answer[0] == 200 and len(answer[1]["items"]) == 2, answer)
        refused = api.call(name, query={"after": "abc"}, **places)
        check(f"{name} refuses a cursor that is none", (refused[0], refused[1].get("code")) == (400, "cursorInvalid"), refused)
    nobody = api.call("listSubscriptionEvents", originalTransactionId="999")
    check("a subscription that nobody knows has none", (nobody[0], nobody[1].get("code")) == (404, "unknownSubscription"), nobody)


def check_commands(api):
    """What support types: the commands, against the running server."""
    environment = {**os.environ, "TENURE_SERVER": api.books.server, "TENURE_SERVER_KEY": api.books.keys.server, "TENURE_APP": "demo"}

    def tenure(*arguments, status=0):
        outcome = subprocess.run([TENURE, *arguments], capture_output=True, text=True, timeout=60, env=environment)
        check(f"tenure {arguments[0]} ends with {status}", outcome.returncode == status, outcome)
        return outcome.stdout

    tenure("grant", "zoe", "plus", "--days", "7", "--reason", "a week for the trouble", "--id", "t-1", "--actor", "mia")
    end = api.entitlement("zoe")[0]["end"]
    check("tenure grant gives a week", abs(end - time.time() * 1000 - 7 * DAY) < 60_000, end)
    check("tenure customer shows it, and who decided", all(word in tenure("customer", "zoe") for word in ("t-1", "mia", "a week for the trouble")))
    check("--json is the answer as the server sent it", json.loads(tenure("customer", "zoe", "--json"))["votes"][0]["id"] == "t-1")
    tenure("withdraw", "zoe", "t-1", "--reason", "it was the wrong zoe")
    check("tenure withdraw takes it back", api.is_active("zoe") is False)
    check("tenure subscription shows a subscription", original_id(41) in tenure("subscription", original_id(41)))
    check("tenure explain says it in words", "lena" in tenure("explain", original_id(41)))
    check("tenure search finds it by a transaction", original_id(41) in tenure("search", str(int(original_id(41)) + 2)))
    tenure("subscription", "nothing", status=1)
    tenure("grant", "zoe", "plus", "--reason", "x", status=64)


# MARK: two servers


class Connection:
    """One that stays open."""

    def __init__(self, books):
        self.books, self.http = books, http.client.HTTPConnection("127.0.0.1", books.port, timeout=30)

    def send(self, method, path, body=None):
        headers = {**self.books.backend, **({"Content-Type": "application/json"} if body else {})}
        self.http.request(method, f"/api/v1/apps/demo/customers/{path}", json.dumps(body) if body else None, headers)
        response = self.http.getresponse()
        return response.status, response.headers["ETag"], json.loads(response.read())


def check_own_writes(folder):
    """A8: what one server was told, the other answers at once; there is nothing between a server and the database that could be old."""
    wanted = int(os.environ.get("OWN_WRITES", "1000"))
    with private_postgres() as url:
        signer = Signer(folder)
        books = [Books(folder, signer, name="first")]
        books.append(Books(folder, signer, books[0].keys, name="second"))
        for one in books:
            one.content["apps"][0]["limits"] = {"customerPerMinute": 0}
            one.write_configuration(database={"postgres": url})
        with books[0].serving(), books[1].serving():
            def life(number):
                """So many writes, each read by the other server; what was wrong."""
                wrong, servers = [], [Connection(one) for one in books]
                for place in range(wanted // 4):
                    customer, here, there = f"w{number}-{place % 50}", servers[place % 2], servers[1 - place % 2]
                    vote = f"v{place}"
                    given = place // 50 % 2 == 0
                    path, body = (f"{customer}/grants/{vote}", {"entitlement": "plus"}) if given else (
                        f"{customer}/withdrawals/{vote}", {"vote": f"v{place - 50}"})
                    status, _, answer = here.send("PUT", path, body)
                    seen = there.send("GET", f"{customer}/entitlements")
                    if status != 200 or seen[2]["isActive"] is not given or seen[1] != here.send("GET", f"{customer}/entitlements")[1]:
                        wrong.append((customer, vote, status, answer, seen))
                return wrong

            start = time.monotonic()
            with concurrent.futures.ThreadPoolExecutor(4) as pool:
                wrong = [fault for faults in pool.map(life, range(4)) for fault in faults]
            check(f"A8 {wanted // 4 * 4} writes on one of two servers are each in the other's next answer ({time.monotonic() - start:.0f} s)", not wrong, wrong[:3])
            check("A7 and both give the same tag", not wrong)
