"""Passing on what Apple posts (TELL-5, M3, M5): two servers that pass on to each other, as an old system and Tenure do while a team moves, and
who else is to have Apple's bodies. Used by webhooks_run.py with some notifications, and by webhooks_full.py with as many as the acceptance
says."""

import collections
import concurrent.futures
import http.client
import json
import threading
import time
import urllib.parse

from books_material import original_id
from harness import request
from webhook_shop import Receiver, until

PERIODS = 3


class Apple:
    """Posts notifications as Apple does, in a body that Tenure would not write so, and keeps what it posted to whom and how long the
    answers took."""

    def __init__(self, shops):
        self.urls = {name: f"{shop.books.server}/api/v1/apps/demo/apple/notifications" for name, shop in shops.items()}
        self.posted, self.took, self.refused = {name: [] for name in shops}, {name: [] for name in shops}, []
        self.local, self.lock = threading.local(), threading.Lock()

    def post(self, name, signed, note=True):
        body = b' {"signedPayload" :\t"%s", "posted":"\xe2\x80\x9c%d\xe2\x80\x9d"}\r\n' % (signed.encode(), len(signed))
        url = urllib.parse.urlsplit(self.urls[name])
        connections = self.local.__dict__.setdefault("connections", {})
        if name not in connections:
            connections[name] = http.client.HTTPConnection(url.hostname, url.port, timeout=60)
        began = time.monotonic()
        connections[name].request("POST", url.path, body, {"Content-Type": "application/json; charset=UTF-8"})
        answer = connections[name].getresponse()
        text = answer.read()
        with self.lock:
            self.took[name].append(time.monotonic() - began)
            if answer.status != 200:
                self.refused.append((name, answer.status, text[:200]))
            if note:
                self.posted[name].append(body)


def presigned(signer, numbers):
    """By number: the notifications of its periods, in their order."""
    return {number: [signer.notification(number, period) for period in range(PERIODS)] for number in numbers}


def facts(shop, numbers):
    """By subscription: what is known of it, without when this server received it. What is told may differ, since the same news came in another
    order."""
    found = {}
    for number in numbers:
        id = original_id(number)
        status, body = request("GET", f"{shop.books.server}/api/v1/apps/demo/subscriptions/{id}/facts", headers=shop.books.backend)
        found[id] = sorted(json.dumps({name: value for name, value in fact.items() if name not in ("receivedAt", "evidence")}, sort_keys=True)
                           for fact in body["facts"]) if status == 200 else status
    return found


def check_forwarding(shops, signer, numbers, check, label=""):
    """M3 and M5 with two shops, `old` and `new`, which are served."""
    old, new = shops["old"], shops["new"]
    witness = {name: Receiver() for name in shops}
    apple = Apple(shops)
    numbers = list(numbers)
    for name, other in (("old", "new"), ("new", "old")):
        for endpoint, url in (("other", apple.urls[other]), ("witness", witness[name].url)):
            status, answer = shops[name].call("PUT", f"/{endpoint}", {"url": url, "format": "raw"})
            if status != 200 or answer.get("newSecrets"):
                check(f"M3 an endpoint of the format raw is made at {name}{label}", False, (status, answer))
    half = len(numbers) // 2
    signed = presigned(signer, numbers)

    def play(number, choose):
        for place, one in enumerate(signed[number]):
            target = choose(number, place)
            apple.post(target, one)
            if number % 10 == 0:
                apple.post(target, one, note=False)  # as Apple does where it saw no answer

    with concurrent.futures.ThreadPoolExecutor(max_workers=4) as pool:
        list(pool.map(lambda number: play(number, lambda number, _: "old" if number % 2 else "new"), numbers[:half]))
    total = sum(len(bodies) for bodies in apple.posted.values())
    for name in shops:
        arrived = until(lambda name=name: len(witness[name].taken()) >= len(apple.posted[name]), 300)
        taken = witness[name].taken()
        check(f"M3 each of {len(apple.posted[name]):,} bodies that Apple posted to the {name} system is passed on byte for byte and once{label}",
              arrived and sorted(item["body"] for item in taken) == sorted(apple.posted[name]), (len(taken), apple.refused[:3]))
        check(f"M3 with its content type, marked, and with no signature of ours ({name}){label}", all(
            item["headers"]["content-type"] == "application/json; charset=UTF-8" and item["headers"]["tenure-forwarded"] == "1"
            and "webhook-signature" not in item["headers"] for item in taken))

    def delivered():
        return {name: shops[name].call("GET", "/other")[1]["delivered"] for name in shops}

    wanted = {name: len(apple.posted[name]) for name in shops}
    check(f"M3 two systems that pass on to each other end: {total:,} notifications, each passed on once{label}",
          until(lambda: delivered() == wanted, 300) and not time.sleep(2) and delivered() == wanted, (delivered(), wanted))
    # The URL is switched in mid-traffic, and back.
    lock, count = threading.Lock(), [0]
    rest = numbers[half:]

    def choose(*_):
        with lock:
            count[0] += 1
            third = len(rest) * PERIODS / 3
            return "new" if third < count[0] <= 2 * third else "old"

    with concurrent.futures.ThreadPoolExecutor(max_workers=4) as pool:
        list(pool.map(lambda number: play(number, choose), rest))
    wanted = {name: len(apple.posted[name]) for name in shops}
    until(lambda: delivered() == wanted, 300)
    left, right = facts(old, numbers), facts(new, numbers)
    differing = [id for id in left if left[id] != right[id]]
    notices = [sum('"notificationUUID"' in fact for fact in known) for known in left.values()]
    check(f"M5 the URL is switched in mid-traffic and back, {len(rest) * PERIODS:,} notifications: of {len(left):,} subscriptions both systems know "
          f"the same, none lost, none twice{label}", not differing and not apple.refused
          and all(len(set(known)) == len(known) for known in left.values()) and set(notices) == {PERIODS},
          (len(differing), collections.Counter(notices), apple.refused[:3]))
    for receiver in witness.values():
        receiver.close()
    for shop in shops.values():
        for endpoint in ("other", "witness"):
            shop.call("DELETE", f"/{endpoint}")
    return apple


def check_answers(shop, signer, numbers, check, bound, label=""):
    """A receiver that is away does not slow the answer to Apple: the same traffic without an endpoint, and with one whose receiver is away."""
    percentiles = []
    for part, makes in ((numbers[: len(numbers) // 2], False), (numbers[len(numbers) // 2:], True)):
        if makes:
            away = Receiver()
            away.close()
            shop.call("PUT", "/away", {"url": away.url, "format": "raw"})
        apple = Apple({"new": shop})
        signed = presigned(signer, part)
        for number in part:
            for one in signed[number]:
                apple.post("new", one)
        percentiles.append(sorted(apple.took["new"])[int(len(apple.took["new"]) * 0.99)] * 1000)
    state = shop.call("GET", "/away")[1]
    shop.call("DELETE", "/away")
    check(f"M3 Apple's answer beside a receiver that is away: p99 {percentiles[1]:.1f} ms, without one {percentiles[0]:.1f} ms{label}",
          percentiles[1] <= bound * percentiles[0] and state["delivered"] == 0 and "waitingSince" in state, (percentiles, state))
