#!/usr/bin/env python3
"""Webhooks from outside (docs/operations/webhooks.md), on SQLite and with two servers on PostgreSQL: receivers of our own, whose
signatures are checked by PyPI's `standardwebhooks` and `svix` and, for v1a, by `cryptography`; servers that are killed; receivers that
are away, that refuse, that redirect, and that never end an answer. Prints one line per check; the exit code is 1 when one failed."""

import base64
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

from books_material import Signer
from harness import ROOT, TENURE, check, free_port, request, summary
from private_postgres import private_postgres, psql
from webhook_shop import KEY, Receiver, Shop, until, verified, verified_v1a
from webhooks_forwarding import check_forwarding

SUBSCRIPTIONS = 120
KILLS = 6


def check_signatures(shop):
    """W1, W2, W8, W10, W11: whoever has the secret believes it, and nobody else."""
    both, one, some = Receiver(), Receiver(), Receiver()
    secrets = {name: shop.make(name, receiver, **changes) for name, receiver, changes in [
        ("both", both, {"signature": "both", "headers": [{"name": "X-Team", "value": "billing"}]}), ("one", one, {}),
        ("some", some, {"types": ["subscription.*"], "environments": ["Production"]})]}
    shop.renew(range(20), 0)
    shop.renew(range(20), 1)
    events = {item["id"]: item for item in shop.told()}
    for receiver in (both, one):
        until(lambda: {item["headers"]["webhook-id"] for item in receiver.taken()} >= set(events))
    shop.check(f"TELL-1 each of {len(events)} events arrives at each endpoint", len(events) >= 80 and all(
        {item["headers"]["webhook-id"] for item in receiver.taken()} == set(events) for receiver in (both, one)),
        [len(receiver.taken()) for receiver in (both, one)])
    shop.check("W1 standardwebhooks and svix verify every v1, cryptography every v1a, and headers of the endpoint's own are sent", all(
        verified(item, secrets["both"]["v1"]) and verified_v1a(item, secrets["both"]["v1a"]) and item["headers"]["x-team"] == "billing"
        for item in both.taken()) and all(verified(item, secrets["one"]["v1"]) for item in one.taken()))
    shop.check("and no other secret", not any(verified(item, secrets["both"]["v1"]) for item in one.taken()[:10]))
    mutations = 0
    for number, item in enumerate(one.taken()[:50]):
        headers = item["headers"]
        changed = [
            {**item, "body": item["body"].replace(b'"', b"'", 1)},
            {**item, "headers": {**headers, "webhook-id": headers["webhook-id"][:-1] + "_"}},
            {**item, "headers": {**headers, "webhook-timestamp": str(int(headers["webhook-timestamp"]) - 1)}},
            {**item, "headers": {**headers, "webhook-timestamp": str(int(headers["webhook-timestamp"]) - 360)}},
            {**item, "headers": {**headers, "webhook-signature": "v1," + base64.b64encode(bytes(32)).decode()}},
        ]
        mutations += sum(verified(one_changed, secrets["one"]["v1"]) for one_changed in changed)
    shop.check("W2 none of 250 changed requests is verified", mutations == 0, mutations)
    shop.check("I39 a body is the event as the log has it", all(
        json.loads(item["body"]) == {name: value for name, value in events[item["headers"]["webhook-id"]].items() if name != "id"}
        for item in one.taken()))
    wanted = {id for id, item in events.items() if item["type"].startswith("subscription.")}
    until(lambda: len(some.taken()) >= len(wanted))
    shop.check("W8 an endpoint with a filter gets what it wants and nothing else",
               {item["headers"]["webhook-id"] for item in some.taken()} == wanted and 0 < len(wanted) < len(events))
    check_rotation(shop, one, secrets["one"]["v1"])
    check_resending(shop, one, events)
    check_secrecy(shop, [text for texts in secrets.values() for text in texts.values()])
    for name in secrets:
        shop.call("DELETE", f"/{name}")
    for receiver in (both, one, some):
        receiver.close()


def check_rotation(shop, receiver, old):
    status, answer = shop.call("POST", "/one/rotateSecret", {"overlap": 60_000})
    new = answer["newSecrets"][0]["text"]
    before = len(receiver.taken())
    status, attempt = shop.call("POST", "/one/test")
    tested = receiver.taken()[before]
    shop.check("W1 while two secrets overlap, both verify the same request", verified(tested, old) and verified(tested, new) and status == 200)
    shop.check("a test says what came of it", attempt["isDelivered"] and attempt["status"] == 204 and len(attempt["fingerprints"]) == 2, attempt)
    shop.call("POST", "/one/rotateSecret", {"overlap": 0})
    before = len(receiver.taken())
    shop.call("POST", "/one/test")
    tested = receiver.taken()[before]
    shop.check("and without an overlap the old one is over at once", not verified(tested, old) and not verified(tested, new))


def check_resending(shop, receiver, events):
    data = next(iter(events.values()))["data"]
    before = len(receiver.taken())
    single = {"subscription": data["subscription"]["originalTransactionId"], "sequence": data["sequence"]}
    status, _ = shop.call("POST", "/one/resend", {"events": [single]})
    until(lambda: len(receiver.taken()) > before)
    shop.check("W10 an event is sent once more under its id", status == 200 and
               [item["headers"]["webhook-id"] for item in receiver.taken()[before:]] == [next(iter(events))])
    before = len(receiver.taken())
    shop.call("POST", "/one/resend", {"range": {"from": 0}})
    until(lambda: len(receiver.taken()) >= before + len(events))
    again = [item["headers"]["webhook-id"] for item in receiver.taken()[before:]]
    shop.check("W10 and so is everything of a stretch of time", again == list(events), (len(again), len(events)))
    # An attempt is kept once its round has ended, which is after the receiver has it.
    resent = lambda: sum(item["isResent"] for item in shop.call("GET", "/one/attempts?limit=1000")[1]["items"])
    shop.check("attempts say that these were asked for", until(lambda: resent() == len(events) + 1), resent())
    status, problem = shop.call("POST", "/one/resend", {"events": [{**single, "sequence": 99}]})
    shop.check("an event that there is not is a clear error", status == 404 and problem["code"] == "unknownEvent", problem)


def check_secrecy(shop, texts):
    """W11, T46, T47: no secret in the clear, wherever one looks."""
    if shop.postgres:
        dump = "\n".join(psql(shop.postgres, "SELECT row_to_json(webhookEndpoint) FROM webhookEndpoint UNION ALL SELECT row_to_json("
                              "webhookAttempt) FROM webhookAttempt")).encode()
    else:
        dump = b"".join(path.read_bytes() for path in shop.books.folder.glob("*.sqlite*"))
    _, answer = shop.call("GET", "")
    places = dump + json.dumps(answer).encode() + (shop.log.read_bytes() if shop.log.exists() else b"")
    bare = [text.split("_", 1)[1] for text in texts if text.startswith("whsec_")]
    raw = [base64.b64decode(text) for text in bare]
    shop.check("W11 no secret is in the database, in an answer or in a log", len(bare) >= 3 and "secrets" in answer["items"][0]
               and not any(text.encode() in places for text in bare) and not any(secret in places for secret in raw))


def check_kills(shop, processes):
    """W3: servers are killed while they send."""
    receiver = Receiver()
    _, answer = shop.call("PUT", "/kills", {"url": receiver.url, "since": 0})
    shop.renew(range(20, SUBSCRIPTIONS), 0)
    for round in range(KILLS):
        if shop.postgres:
            processes[round % 2].kill()
            processes[round % 2].wait()
            processes[round % 2] = shop.start()
        shop.renew(range(20 + 10 * round, 30 + 10 * round), 1)
        time.sleep(0.3)
    expected = [item["id"] for item in shop.told()]
    arrived = until(lambda: {item["headers"]["webhook-id"] for item in receiver.taken()} >= set(expected), 150)
    taken = receiver.taken()
    counts = collections.Counter(item["headers"]["webhook-id"] for item in taken)
    shop.check(f"W3 of {len(expected)} events none is missing", arrived, len(set(expected) - set(counts)))
    shop.check(f"and at most a round of 64 is repeated for each kill: {len(taken) - len(counts)} were",
               len(taken) - len(counts) <= 64 * KILLS)
    bodies = collections.defaultdict(set)
    for item in taken:
        bodies[item["headers"]["webhook-id"]].add(item["body"])
    shop.check("I39 what is repeated has the same bytes", all(len(body) == 1 for body in bodies.values()))
    first, order = {}, collections.defaultdict(list)
    for place, item in enumerate(taken):
        first.setdefault(item["headers"]["webhook-id"], place)
    for id, _ in sorted(first.items(), key=lambda pair: pair[1]):
        body = json.loads(taken[first[id]]["body"])["data"]
        order[json.dumps(body.get("subscription") or body["customer"])].append(body["sequence"])
    shop.check(f"TELL-2 each of {len(order)} subjects' events arrive in their order",
               all(numbers == list(range(1, len(numbers) + 1)) for numbers in order.values()))
    shop.call("DELETE", "/kills")
    receiver.close()


def check_neighbours(shop):
    """W4: endpoints that are ill cost the others nothing (F20, F22)."""
    well = [Receiver() for _ in range(3)]
    ill = {"500": Receiver(lambda request: 500), "302": Receiver(lambda request: 302), "410": Receiver(lambda request: 410),
           "endless": Receiver(lambda request: "endless"), "slow": Receiver(lambda request: time.sleep(8) or 204)}
    away = Receiver()
    away.close()
    for name, receiver in [*((f"well{place}", one) for place, one in enumerate(well)), *ill.items(), ("away", away)]:
        shop.make(name, receiver)
    began = time.time()
    shop.renew(range(0, 15), 2)
    events = [item for item in shop.told() if item["type"] == "subscription.renewed" and item["data"]["sequence"] > 3]
    expected = 15
    for receiver in well:
        until(lambda: sum(b'"subscription.renewed"' in item["body"] for item in receiver.taken()) >= expected, 20)
    latest = max((item["at"] for receiver in well for item in receiver.taken()), default=0) - began
    shop.check(f"W4 three endpoints have all within 10 s beside six that are ill: {latest:.1f} s", latest < 10 and all(
        sum(b'"subscription.renewed"' in item["body"] for item in receiver.taken()) == expected for receiver in well))
    state = lambda name: shop.call("GET", f"/{name}")[1]
    shop.check("410 disables an endpoint at once", until(lambda: state("410")["state"] == "disabled"), state("410"))
    shop.check("F20 one that is away, and one that answers 500, are failing", until(
        lambda: state("away")["state"] == "failing" and state("500")["state"] == "failing"), (state("away"), state("500")))
    shop.check("a redirection is not followed: it is a refusal, and five of them are the endpoint's", until(
        lambda: state("302")["state"] == "failing"), state("302"))
    shop.check("F22 one that never ends its answer is sent to all the same", until(
        lambda: state("endless")["delivered"] >= 15), state("endless"))
    returned = Receiver()
    shop.call("PUT", "/away", {"url": returned.url})
    shop.check("TELL-3 what was told while it was away arrives when it is there", until(
        lambda: sum(b'"subscription.renewed"' in item["body"] for item in returned.taken()) == expected), len(returned.taken()))
    ill["410"].answer = lambda request: 204
    shop.call("POST", "/410/resume")
    shop.check("and when a disabled one is resumed", until(lambda: state("410")["delivered"] >= 15 and "waitingSince" not in state("410")), state("410"))
    status, problem = shop.call("PUT", "/private", {"url": "https://10.0.0.1/"})
    shop.check("TELL-4 an address that is not public is refused when it is written", status == 422 and problem["code"] == "addressRefused"
               and problem["rule"] == "TELL-4", problem)
    shop.call("POST", "/well0/pause")
    before = len(well[0].taken())
    shop.renew(range(20, 22), 2)
    until(lambda: len(well[1].taken()) > before)
    shop.check("a paused one is left alone", len(well[0].taken()) == before and state("well0")["state"] == "paused")
    shop.call("POST", "/well0/resume")
    shop.check("and goes on where it was", until(lambda: len(well[0].taken()) == len(well[1].taken())))
    for name in ["well0", "well1", "well2", *ill, "away"]:
        status, _ = request("DELETE", f"{shop.endpoints}/{name}", headers=shop.books.backend)
        if status != 204:
            shop.check(f"{name} is deleted", False, status)
    for receiver in [*well, *ill.values(), returned]:
        receiver.close()


def check_page(shop, folder):
    """The receiver of docs/operations/webhooks.md, as it stands there, folds what it is told and knows what the API answers (I38)."""
    page = (ROOT / "docs/operations/webhooks.md").read_text()
    program, database, port = folder / "receiver.py", folder / "receiver.db", free_port()
    program.write_text(re.search(r"```python\n(.*?)```", page, re.DOTALL)[1])
    _, answer = shop.call("PUT", "/page", {"url": f"http://127.0.0.1:{port}/", "since": 0})
    environment = {**os.environ, "WEBHOOK_SECRET": answer["newSecrets"][0]["text"], "RECEIVER_DATABASE": str(database), "RECEIVER_PORT": str(port)}
    process = subprocess.Popen([sys.executable, program], env=environment, stderr=subprocess.DEVNULL)
    try:
        signer = shop.books.signer
        for number in range(40, 50):
            body = {"kind": "purchase", "signedTransactionInfo": signer.jws(signer.transaction(number, 2, transactionReason="PURCHASE"))}
            request("POST", f"{shop.books.customers}/page{number}/transactions", body, shop.books.backend)
        # What subscriptions change is told of their customers within seconds.
        shop.check("what the page's receiver was told of ten customers arrives", until(lambda: sum(
            item["type"] == "entitlement.changed" and item["data"]["customer"].startswith("page") for item in shop.told()) >= 10))
        shop.check("and it has all of it", until(lambda: "waitingSince" not in shop.call("GET", "/page")[1]), shop.call("GET", "/page")[1])
        now, wrong = time.time() * 1000, []
        rows = {}
        for line in subprocess.run(["sqlite3", str(database), "SELECT customer, windows FROM access WHERE entitlement = 'plus'"],
                                   capture_output=True, text=True, check=True).stdout.splitlines():
            customer, windows = line.split("|", 1)
            rows[customer] = any(window["from"] <= now < window.get("until", now + 1) for window in json.loads(windows))
        for number in range(40, 50):
            if rows.get(f"page{number}") != shop.books.entitlements(f"page{number}")[1]["isActive"]:
                wrong.append(number)
        shop.check("I38 the receiver of the page, which folds events alone, answers what the API answers", not wrong and len(rows) >= 10, (wrong, rows))
    finally:
        process.terminate()
        process.wait()
    shop.call("DELETE", "/page")


def check_swift_page(shop):
    """The receiver in Swift of the page, which is built with the tests, answers what the API answers."""
    page, program = (ROOT / "docs/operations/webhooks.md").read_text(), ROOT / ".build/debug/webhook-receiver"
    source = (ROOT / "Examples/webhook-receiver/main.swift").read_text()
    shop.check("the receiver in Swift stands on the page as it is built", re.search(r"```swift\n(.*?)```", page, re.DOTALL)[1] == source)
    port = free_port()
    _, answer = shop.call("PUT", "/swift", {"url": f"http://127.0.0.1:{port}/", "types": ["entitlement.changed"], "since": 0})
    environment = {**os.environ, "WEBHOOK_SECRET": answer["newSecrets"][0]["text"], "RECEIVER_PORT": str(port)}
    process = subprocess.Popen([program], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def has(customer):
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/{customer}/plus", timeout=10) as answered:
            return answered.read() == b"true"

    try:
        arrived = until(lambda: shop.call("GET", "/swift")[1]["delivered"] >= 10 and "waitingSince" not in shop.call("GET", "/swift")[1])
        wrong = [number for number in range(40, 50) if has(f"page{number}") != shop.books.entitlements(f"page{number}")[1]["isActive"]]
        shop.check("I38 the receiver in Swift answers what the API answers, and knows nobody else", arrived and not wrong and not has("page99"), wrong)
        unsigned = urllib.request.Request(f"http://127.0.0.1:{port}/", data=b"{}", method="POST")
        try:
            urllib.request.urlopen(unsigned, timeout=10)
            refused = None
        except urllib.error.HTTPError as error:
            refused = error.code
        shop.check("and believes nobody else", refused == 401, refused)
    finally:
        process.terminate()
        process.wait()
    shop.call("DELETE", "/swift")


def check_changed_key(folder, signer):
    """T46: the key of the configuration is changed, and nothing is lost: first the new one in front, then each endpoint's secret, then the old
    key is gone."""
    shop, receiver, new = Shop(folder, signer, "keys"), Receiver(), "a7" * 32
    secret, failed = None, None
    for place, keys in enumerate([[KEY], [new, KEY], [new]]):
        shop.books.write_configuration(webhooks={"secretKeys": keys, "allow": ["127.0.0.1"]})
        with shop.books.serving():
            if place == 0:
                secret = shop.make("kept", receiver)["v1"]
            before = len(receiver.taken())
            shop.renew(range(500, 510), place)
            until(lambda: "waitingSince" not in shop.call("GET", "/kept")[1])
            taken = receiver.taken()[before:]
            shop.check(f"T46 with {len(keys)} of the keys each of {len(taken)} requests is signed with the endpoint's secret",
                       len(taken) >= 10 and all(verified(item, secret) for item in taken))
            if place == 1:
                secret = shop.call("POST", "/kept/rotateSecret", {"overlap": 0})[1]["newSecrets"][0]["text"]
            failed = shop.call("GET", "/kept")[1]["failed"]
    shop.check("T46 and no attempt failed", failed == 0, failed)
    receiver.close()


def check_passing_on(folder, signer):
    shops = {name: Shop(folder, signer, name) for name in ("old", "new")}
    with shops["old"].books.serving(), shops["new"].books.serving():
        check_forwarding(shops, signer, range(300, 340), check)


def check_filters(shop):
    """What is wanted arrives though more than a page of what is not stands before it, also where the lease is old by then."""
    receiver = Receiver()
    shop.make("rare", receiver, types=["subscription.*"])
    for number in range(320):
        request("PUT", f"{shop.books.customers}/rare{number}/grants/g1", {"entitlement": "plus"}, shop.books.backend)
    shop.renew(range(250, 252), 0)
    shop.check("W8 what is wanted arrives behind hundreds of events that are not", until(lambda: len(receiver.taken()) >= 2), len(receiver.taken()))
    shop.check("and what nobody wants does not seem to wait", until(lambda: "waitingSince" not in shop.call("GET", "/rare")[1]), shop.call("GET", "/rare"))
    shop.call("DELETE", "/rare")
    receiver.close()


def check_listening(shop):
    """`tenure webhooks listen` passes events on to this machine, signed with the secret that it prints."""
    receiver = Receiver()
    environment = {**os.environ, "TENURE_SERVER_KEY": shop.books.keys.server}
    arguments = ["webhooks", "listen", "--server", shop.books.server, "--app", "demo"]
    listening = subprocess.Popen([TENURE, *arguments, "--forward-to", receiver.url, "--count", "4"], env=environment,
                                 stdout=subprocess.PIPE, text=True)
    # It prints the secret once it knows where the log ends.
    secret = re.search(r"whsec_\S+", listening.stdout.readline())[0]
    known = len(shop.told())
    shop.renew(range(60, 62), 0)
    output, _ = listening.communicate(timeout=60)
    new = [item["id"] for item in shop.told()[known:]][:4]
    shop.check("tenure webhooks listen posts what happens from now on, in order", listening.returncode == 0 and len(new) == 4
               and [item["headers"]["webhook-id"] for item in receiver.taken()] == new, output)
    shop.check("signed with the secret that it prints", all(verified(item, secret) for item in receiver.taken()))
    shop.check("and prints each with what came of it", output.count("204, ") == 4 and output.count("subscription.started") >= 1, output)
    listed = subprocess.run([TENURE, *arguments, "--since", "2000-01-01T00:00:00Z", "--count", "3", "--json", "--type", "subscription.*"],
                            env=environment, capture_output=True, text=True, timeout=60)
    wanted = [item["id"] for item in shop.told() if item["type"].startswith("subscription.")][:3]
    shop.check("from an instant on, of one kind, as JSON", [json.loads(line)["id"] for line in listed.stdout.splitlines()] == wanted, listed)
    refused = subprocess.run([TENURE, *arguments, "--forward-to", "http://10.0.0.1/", "--count", "1"], env=environment, capture_output=True,
                             text=True, timeout=60)
    shop.check("and to this machine alone", refused.returncode != 0 and "--forward-to" in refused.stderr, refused)
    receiver.close()


def check_without_key(shop):
    shop.books.write_configuration(webhooks={"allow": ["127.0.0.1"]})
    outcome = shop.books.tenure("serve", "--check")
    shop.check("without a key the server says so at its start", "webhooks.secretKeys" in outcome.stderr, outcome.stderr)
    with shop.books.serving():
        status, problem = shop.call("PUT", "/a", {"url": "http://127.0.0.1:9/"})
        shop.check("and makes no endpoint", status == 409 and problem["code"] == "secretKeyMissing", problem)


def main():
    with tempfile.TemporaryDirectory() as name, private_postgres() as postgres:
        folder = pathlib.Path(name)
        signer = Signer(folder)
        shop = Shop(folder, signer, "sqlite")
        with shop.books.serving():
            check_signatures(shop)
            check_neighbours(shop)
            check_page(shop, folder)
            check_swift_page(shop)
            check_filters(shop)
            check_listening(shop)
            shop.check_schemas(10)
        # Slow enough that each server is killed while it sends. The next one begins when the lease of the one before has ended.
        receiver = Receiver(lambda request: time.sleep(0.05) or 204)
        with shop.books.serving():
            shop.make("kept", receiver, since=0, concurrency=1)
            total = len(shop.told())
            until(lambda: len(receiver.taken()) >= 10)
        for _ in range(2):
            process, before = shop.books.start("serve"), len(receiver.taken())
            began = until(lambda: len(receiver.taken()) >= before + 10)
            process.kill()
            process.wait()
            shop.check("a server that is killed while it sends is followed by the next one", began)
        with shop.books.serving():
            arrived = until(lambda: len({item["headers"]["webhook-id"] for item in receiver.taken()}) >= total, 90)
            repeated = len(receiver.taken()) - len({item["headers"]["webhook-id"] for item in receiver.taken()})
            shop.check(f"W3 of {total} events none is missing after two kills, {repeated} are repeated", arrived and 0 < repeated <= 64 * 2)
        receiver.close()
        check_without_key(shop)
        check_passing_on(folder, signer)
        check_changed_key(folder, signer)
        shop = Shop(folder, signer, "postgres", postgres)
        with shop.books.serving():
            check_signatures(shop)
            processes = [shop.start(), shop.start()]
            try:
                check_kills(shop, processes)
            finally:
                for process in processes:
                    process.terminate()
                    process.wait()
    return summary()


if __name__ == "__main__":
    sys.exit(main())
