#!/usr/bin/env python3
"""Webhooks at full size, from outside: what Tests/Peers/webhooks_run.py shows with a few events, with as many as the acceptance says; on
SQLite and, where servers share the work, with two of them on PostgreSQL. Prints one line per check, `ok   ID what: figure`; the exit code
is 1 when one failed. `make webhooks-full` runs it beside the tests that belong to it.

Usage: webhooks_full.py [PART...]       such as W3 W12; none: all of them. SHARE=0.1 runs a tenth of everything; each size by itself:
                                        see SIZES"""

import base64
import collections
import contextlib
import datetime
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

import standardwebhooks.webhooks as standard

from books_material import Signer
from harness import TENURE, check, free_port, mebibytes, request, summary, wait_until_live
from private_postgres import private_postgres, psql
from webhook_shop import Shop, until, verified, verified_v1a
from webhooks_forwarding import PERIODS, check_answers, check_forwarding
from webhooks_traffic import Post, Writer

SHARE = float(os.environ.get("SHARE", "1"))
FULL = {
    "DELIVERIES": 10_000,  # W1
    "MUTATIONS": 1_000,  # W2
    "KILLED_EVENTS": 20_000,  # W3
    "KILLS": 30,
    "NEIGHBOURS_SECONDS": 60,  # W4
    "FILTERED": 5_000,  # W8
    "FOLLOWED": 100_000,  # W9
    "WAITING": 1_000_000,  # W12
    "LATENCY_SECONDS": 60,
    "LIVES": 1_000,  # W13
    "FORWARDED": 10_000,  # M3, M5
    "INSTANTS": 1_000,
}
SIZES = {name: int(os.environ.get(name, max(1, round(full * SHARE)))) for name, full in FULL.items()}
MINUTE, DAY = 60_000, 86_400_000
MEMORY = 20  # MiB by which the memory of a server may differ
EVENTS_OF_THREE = 8  # notifications about a subscription
WARM = 20_000  # events that a drain sends before its memory counts
ROUND = 64  # events that one round has on their way at the most


def progress(text):
    print(f"     … {time.strftime('%H:%M:%S')} {text}", flush=True)


def of(name):
    """The full size, where another one is run."""
    return "" if SIZES[name] == FULL[name] else f" (of {FULL[name]:,})"


def sized(name):
    return f"{SIZES[name]:,}{of(name)}"


def percentile(values, share):
    """Without values: infinite."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else float("inf")


def wrote(shop, outcome, what):
    """Whether all was taken; a line where it was not."""
    good = set(outcome["statuses"]) <= {"200"} and not outcome["problem"]
    if not good:
        check(f"{what}: everything is written ({shop.name})", False, outcome)
    return good


def log_ids(shop, page=1000):
    """The ids of the whole log, in order."""
    path, ids = f"/api/v1/apps/demo/events?limit={page}", []
    while True:
        _, answer = request("GET", shop.books.server + path, headers=shop.books.backend)
        ids += [item["id"] for item in answer["items"]]
        path = answer["next"]
        if not answer["hasMore"]:
            return ids


def wait_for(post, name, count, seconds, what=""):
    """Whether so many requests have come; says now and then how many have."""
    end, said = time.monotonic() + seconds, time.monotonic()
    while time.monotonic() < end:
        stats = post.stats(name)
        if stats["count"] >= count:
            return True
        if time.monotonic() - said > 20:
            said = time.monotonic()
            progress(f"{what or name}: {stats['count']:,} of {count:,}")
        time.sleep(0.1)
    return False


def latencies(items, kind, since=0.0):
    """In seconds, from when an event of a kind was decided, which is before its commit, until its first arrival."""
    found, seen = [], set()
    for at, id, *_, body in items:
        if f'"{kind}"' not in body or id in seen:
            continue
        seen.add(id)
        decided = json.loads(body)["data"]["effectiveAt"] / 1000
        if decided >= since:
            found.append(at - decided)
    return found


def presign(signer, folder, name, subjects, periods):
    """A file of notifications about subscriptions, for a `Writer`."""
    path = folder / f"{name}.notifications"
    with path.open("w") as file:
        for period in periods:
            for number in subjects:
                file.write(f"{number} {json.dumps({'signedPayload': signer.notification(number, period)})}\n")
    return path


# W1, W2: signatures


@contextlib.contextmanager
def clock_at(seconds):
    """The time that the libraries read."""

    class Clock(datetime.datetime):
        @classmethod
        def now(cls, tz=None):
            return datetime.datetime.fromtimestamp(seconds(), tz)

    before, standard.datetime = standard.datetime, Clock
    try:
        yield
    finally:
        standard.datetime = before


def as_request(item):
    at, id, timestamp, signature, _, body = item
    return {"at": at, "body": body.encode(), "headers": {
        "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature}}


def part_signatures(world):
    """W1, W2, F38."""
    signatures, events = ["v1", "v1a", "both"], -(-SIZES["DELIVERIES"] // 3)
    with world.shop("sqlite") as shop, world.post("signatures") as post:
        texts = {}
        for name in signatures:
            post.set(name, refuse_each=97)
            texts[name] = [shop.make_at(name, post.url(name), signature=name)]
        # So slowly that a good part of it falls into the time in which two secrets overlap.
        seconds = max(20, events / 150)
        writer = Writer(shop, "grants", events // 2, perSecond=events / 2 / seconds, customers=max(1, events // 20))
        time.sleep(seconds / 4)
        for name in signatures:
            status, answer = shop.call("POST", f"/{name}/rotateSecret", {"overlap": int(seconds / 4 * 1000)})
            texts[name].append({secret["kind"]: secret["text"] for secret in answer["newSecrets"]})
        progress("the secrets were rotated in mid-stream")
        wrote(shop, writer.outcome(), "W1")
        total = len(shop.told())
        for name in signatures:
            until(lambda: post.stats(name)["count"] >= total + post.stats(name)["refused"], 90)
        requests = {name: [as_request(item) for item in post.taken(name)] for name in signatures}
    count = sum(map(len, requests.values()))
    check(f"W1 at least {sized('DELIVERIES')} deliveries, each event to each of three endpoints: {count:,}", count >= SIZES["DELIVERIES"] and all(
        len({item["headers"]["webhook-id"] for item in items}) == total for items in requests.values()), (total, count))
    holder = {"now": 0.0}
    with clock_at(lambda: holder["now"]):

        def signed_by(item, name, version, offset=0.0):
            """Which of the two secrets, the older first, verify it."""
            holder["now"] = item["at"] + offset
            if version == "v1":
                return tuple(verified(item, text["v1"]) for text in texts[name])
            return tuple(verified_v1a(item, text["v1a"]) for text in texts[name])

        for name, version, library in [
                ("v1", "v1", "standardwebhooks and svix"), ("both", "v1", "standardwebhooks and svix"),
                ("v1a", "v1a", "cryptography"), ("both", "v1a", "cryptography")]:
            found = [signed_by(item, name, version) for item in requests[name]]
            phases = [found[0], *(after for before, after in zip(found, found[1:]) if before != after)]
            check(f"W1 {library} verify each of {len(found):,} requests to an endpoint with {name} ({version})", all(map(any, found)),
                  collections.Counter(found))
            check(f"W1 the old secret signs, then both ({found.count((True, True)):,} requests), then the new one alone ({name}, {version})",
                  phases == [(True, False), (True, True), (False, True)], (phases, collections.Counter(found)))
        every = [(item, name) for name in ("v1", "both") for item in requests[name]]
        for minutes, accepted in [(-4, True), (4, True), (-6, False), (6, False)]:
            found = sum(any(signed_by(item, name, "v1", minutes * 60)) for item, name in every)
            check(f"W1 a receiver whose clock is {minutes:+} min off takes {'all' if accepted else 'none'}: {found:,} of {len(every):,}",
                  found == (len(every) if accepted else 0))
        check_attempts(requests)
        check_mutations(requests, texts, holder)


def check_attempts(requests):
    """F38: the id is constant, and the timestamp is the attempt's."""
    again, wrong, late = 0, 0, 0
    for items in requests.values():
        attempts = collections.defaultdict(list)
        for item in items:
            attempts[item["headers"]["webhook-id"]].append(item)
            late = max(late, abs(item["at"] - int(item["headers"]["webhook-timestamp"])))
        for tried in attempts.values():
            if len(tried) > 1:
                again += 1
                wrong += len({item["body"] for item in tried}) > 1 or len({item["headers"]["webhook-timestamp"] for item in tried}) < len(tried)
    check(f"W1 F38 of {again:,} events that were tried again the id and the bytes are the same, and the timestamp is each attempt's",
          again > 0 and wrong == 0, (again, wrong))
    check(f"W1 F38 each timestamp is the time of its attempt, to {late:.1f} s", late < 20)


def check_mutations(requests, texts, holder):
    chance, verifying, tried = random.Random(1), collections.Counter(), collections.Counter()
    for number in range(SIZES["MUTATIONS"]):
        name = chance.choice(["v1", "v1a", "both"])
        item = chance.choice(requests[name])
        headers, body = dict(item["headers"]), bytearray(item["body"])
        what = ["body", "webhook-id", "webhook-timestamp", "webhook-signature"][number % 4]
        if what == "body":
            place = chance.randrange(len(body))
            body[place] = chance.choice([byte for byte in range(32, 127) if byte != body[place]])
        elif what == "webhook-timestamp":
            headers[what] = str(int(headers[what]) + chance.choice([-1, 1]) * chance.randrange(1, 200))
        elif what == "webhook-id":
            place = chance.randrange(len(headers[what]))
            headers[what] = headers[what][:place] + chance.choice([one for one in "_0189ABC" if one != headers[what][place]]) + headers[what][place + 1 :]
        else:
            parts = []
            for part in headers[what].split(" "):
                version, _, text = part.partition(",")
                raw = bytearray(base64.b64decode(text))
                raw[chance.randrange(len(raw))] ^= 1 << chance.randrange(8)
                parts.append(f"{version},{base64.b64encode(raw).decode()}")
            headers[what] = " ".join(parts)
        changed = {"at": item["at"], "headers": headers, "body": bytes(body)}
        holder["now"], tried[what] = item["at"], tried[what] + 1
        for secrets in texts[name]:
            verifying[what] += ("v1" in secrets and verified(changed, secrets["v1"])) + ("v1a" in secrets and verified_v1a(changed, secrets["v1a"]))
    check(f"W2 of {sized('MUTATIONS')} mutations of body, id, timestamp and signature {sum(verifying.values())} are verified",
          sum(verifying.values()) == 0 and min(tried.values()) > 0, verifying)


# W3, F21: senders that are killed


def part_kills(world):
    """On both databases at once: most of the time each waits for the lease of a server that is dead."""
    outcomes = []

    def run(name):
        try:
            outcomes.append(kill_senders(world, name))
        except BaseException as error:  # what ends a thread must not be lost
            outcomes.append([(f"W3 the run ends ({name})", False, repr(error))])

    threads = [threading.Thread(target=run, args=[name]) for name in ("sqlite", "postgres")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for lines in outcomes:
        for line in lines:
            check(*line)


def kill_senders(world, name):
    """Lines of checks."""
    events, kills, chance, lines = SIZES["KILLED_EVENTS"], SIZES["KILLS"], random.Random(name), []
    # Of its three notifications come eight events of each subscription.
    subjects = range(max(1, -(-events // EVENTS_OF_THREE)))
    with world.shop(name, serving=False, label="kills") as shop, world.post(f"kills-{name}") as post:
        post.set("kills", wait=0.01)
        files = [presign(world.signer, shop.books.folder, f"kills-{period}", subjects, [period]) for period in range(2)]
        # What is told between the kills: the last one of each subscription, a part after each kill.
        files += [presign(world.signer, shop.books.folder, f"kills-2-{part}", subjects[part::kills], [2]) for part in range(kills)]
        servers = [shop.start() for _ in range(2 if shop.postgres else 1)] if shop.postgres else [shop.books.start("serve")]
        ports = [server.port for server in servers] if shop.postgres else [shop.books.port]

        def live(port):
            until(lambda: alive(port), 60)

        try:
            for port in ports:
                live(port)
            shop.use(ports[0])
            shop.call("PUT", "/kills", {"url": post.url("kills"), "since": 0, "concurrency": 16})
            for file in files[:2]:
                wrote(shop, Writer(shop, "notifications", file=str(file), port=ports[0]).outcome(), "W3")
            killed, effective, share = 0, 0, len(subjects) * EVENTS_OF_THREE / (kills + 1)
            progress(f"{name}: {len(log_ids(shop)):,} events wait for {kills} kills")
            while killed < kills:
                before = post.stats("kills")["count"]
                if not until(lambda: post.stats("kills")["count"] > before, 75):
                    break
                wanted = before + chance.randrange(1, max(2, int(share * 0.8)))
                until(lambda: post.stats("kills")["count"] >= wanted, 75)
                # Who sends: the one that has the endpoint's lease.
                status, view = shop.call("GET", "/kills")
                victim = next((place for place, server in enumerate(servers) if f"/{server.pid}/" in view.get("worker", "")), 0)
                effective += f"/{servers[victim].pid}/" in view.get("worker", "")
                servers[victim].kill()
                servers[victim].wait()
                killed += 1
                if killed % 5 == 0:
                    progress(f"{name}: {killed} kills, {post.stats('kills')['count']:,} requests")
                if shop.postgres:
                    servers[victim] = shop.start()
                    ports[victim] = servers[victim].port
                    shop.use(ports[1 - victim])
                else:
                    servers[0] = shop.books.start("serve")
                    live(ports[0])
                wrote(shop, Writer(shop, "notifications", file=str(files[1 + killed]), port=ports[(1 - victim) % len(ports)]).outcome(), "W3")
            expected = log_ids(shop)
            until(lambda: "waitingSince" not in shop.call("GET", "/kills")[1], 240)
            taken = list(post.taken("kills"))
        finally:
            for server in servers:
                server.kill()
                server.wait()
    counts = collections.Counter(item[1] for item in taken)
    repeated = len(taken) - len(counts)
    lines.append((f"W3 F21 {killed} kills{of('KILLS')} of the server that sends, {len(expected):,} events{of('KILLED_EVENTS')}: "
                  f"{len(set(expected) - set(counts))} missing ({name})", killed == kills and effective == kills and set(counts) == set(expected),
                  (killed, effective, len(expected), len(counts))))
    lines.append((f"W3 F21 {repeated} requests are repeated, at most 64 for each kill ({name})", repeated <= ROUND * kills, repeated))
    bodies = collections.defaultdict(set)
    for item in taken:
        bodies[item[1]].add(item[5])
    lines.append((f"W3 F21 what is repeated has the same id and bytes ({name})", all(len(body) == 1 for body in bodies.values()), ""))
    order, seen = collections.defaultdict(list), set()
    for item in taken:
        if item[1] not in seen:
            seen.add(item[1])
            data = json.loads(item[5])["data"]
            order[json.dumps(data.get("subscription") or data["customer"])].append(data["sequence"])
    wrong = [subject for subject, numbers in order.items() if numbers != list(range(1, len(numbers) + 1))]
    lines.append((f"W3 F21 the events of each of {len(order):,} subscriptions arrive as 1, 2, 3 … ({name})", not wrong, wrong[:3]))
    return lines


def alive(port):
    try:
        return request("GET", f"http://127.0.0.1:{port}/health/live", timeout=5)[0] == 200
    except OSError:
        return False


# W4, F20, F22: neighbours that are ill


def part_neighbours(world):
    seconds = SIZES["NEIGHBOURS_SECONDS"]
    with world.shop("sqlite", label="neighbours") as shop, world.post("neighbours") as post:
        well = [f"well{number}" for number in range(14)]
        ill = {"slow": {"wait": 29.0}, "500": {"status": 500}, "302": {"status": 302, "location": post.url("well0")}, "410": {"status": 410},
               "endless": {"endless": True}}
        for name, way in ill.items():
            post.set(name, **way)
        for name in [*well, *ill]:
            shop.make_at(name, post.url(name))
        shop.make_at("dead", f"http://127.0.0.1:{free_port()}/")
        began = time.time()
        wrote(shop, Writer(shop, "grants", 10 * seconds, perSecond=10, customers=max(1, 5 * seconds)).outcome(), "W4")
        # Besides, the well ones are told what became of the ill ones.
        ids = {item["id"] for item in shop.told() if not item["type"].startswith("endpoint.")}
        total = len(ids)
        arrived = all([until(lambda: {item[1] for item in post.taken(name)} >= ids, 60) for name in well])
        found = [late for name in well for late in latencies(post.taken(name), "entitlement.changed", began)]
        worst, p99 = max(found, default=float("inf")), percentile(found, 0.99)
        check(f"W4 F20 beside six of 20 endpoints that are ill, {total:,} events in {seconds} s reach each of the 14 others: "
              f"p99 {p99:.2f} s, longest {worst:.2f} s", arrived and p99 < 5 and len(found) == total // 2 * 14, (len(found), total))
        disabled, gone = shop.call("GET", "/410")[1], list(post.taken("410"))
        check(f"W4 410 disables at once: {len(gone)} requests, within {gone[-1][0] - gone[0][0] if gone else -1:.2f} s", disabled["state"] == "disabled"
              and len(gone) <= 64 and gone[-1][0] - gone[0][0] < 5, disabled)
        # An attempt that followed it would have brought each event twice.
        redirected = [item[1] for item in post.taken("well0")]
        check("W4 a redirection is not followed", len(set(redirected)) == len(redirected) >= total, len(redirected))
        for name in ("dead", "500", "302"):
            until(lambda: shop.call("GET", f"/{name}")[1]["state"] == "failing", 60)
        until(lambda: shop.call("GET", "/slow")[1]["state"] == "failing", 120)
        states = {name: shop.call("GET", f"/{name}")[1]["state"] for name in ("dead", "500", "302", "slow")}
        check("W4 F20 those that are away, slow, or refuse are failing", set(states.values()) == {"failing"}, states)
        tried = shop.call("GET", "/slow/attempts?limit=1000&delivered=false")[1]["items"]
        longest = max((one["tookMilliseconds"] for one in tried), default=-1) / 1000
        check(f"W4 F22 an attempt at a receiver that answers after 29 s ends by itself after {longest:.1f} s", 0 < longest <= 21 and
              all(one.get("failure") for one in tried), tried[:2])
        stats, view = post.stats("endless"), shop.call("GET", "/endless")[1]
        check(f"W4 F22 of an answer that never ends at most {stats['written'] / 1024:.0f} KB are taken, {stats['count']:,} times",
              0 < stats["written"] <= 64 * 1024 and view["delivered"] > 0, (stats, view))
        post.set("500", status=204)
        shop.call("POST", "/500/resume")
        check("W4 F20 what the one that answered 500 missed, it has when it is well", until(lambda: "waitingSince" not in shop.call("GET", "/500")[1]) and
              {item[1] for item in post.taken("500")} >= ids, post.stats("500"))


# W8: filters


def part_filters(world):
    with world.shop("sqlite", label="filters", environments=["Production", "Sandbox"]) as shop, world.post("filters") as post:
        wishes = {
            "all": {}, "sandbox": {"environments": ["Sandbox"]}, "production": {"environments": ["Production"]},
            "changed": {"types": ["entitlement.changed"]}, "grants": {"types": ["grant.*"]}, "subscriptions": {"types": ["subscription.*"]},
            "several": {"types": ["subscription.started", "access.*", "grant.made"]},
            "few": {"types": ["entitlement.changed"], "environments": ["Sandbox"]}, "none": {"types": ["refund.declined"]}}
        for name, wish in wishes.items():
            shop.make_at(name, post.url(name), **wish)
        events = SIZES["FILTERED"]
        file = presign(world.signer, shop.books.folder, "filters", range(events // 6), [0])
        writers = [Writer(shop, "grants", events // 8, prefix=environment, environment=environment, customers=50)
                   for environment in ("Production", "Sandbox")]
        writers.append(Writer(shop, "notifications", file=str(file)))
        for writer in writers:
            wrote(shop, writer.outcome(), "W8")
        told = {environment: shop.told_in(environment) for environment in ("Production", "Sandbox")}
        everything = [item for items in told.values() for item in items]
        wanted = {name: {item["id"] for item in everything if wants(wish, item)} for name, wish in wishes.items()}
        for name in wishes:
            until(lambda: post.stats(name)["count"] >= len(wanted[name]), 60)
        # What is not wanted has its chance to arrive, and an endpoint that has all does not seem to wait.
        waiting = lambda: [item["id"] for item in shop.call("GET", "")[1]["items"] if "waitingSince" in item]
        check("W8 no endpoint seems to wait for what it does not want", until(lambda: not waiting(), 20), waiting())
        arrived = {name: [item[1] for item in post.taken(name)] for name in wishes}
        # More than is read of the log at once.
        before, between = post.stats("subscriptions")["count"], max(1_000, events // 4)
        wrote(shop, Writer(shop, "grants", between, prefix="between", customers=50).outcome(), "W8")
        shop.renew([events // 6], 0)
        check(f"W8 what is wanted arrives behind {between * 2:,} events that are not", until(
            lambda: post.stats("subscriptions")["count"] > before, 30), shop.call("GET", "/subscriptions")[1])
    for name, wish in wishes.items():
        is_right = set(arrived[name]) == wanted[name] and len(arrived[name]) == len(wanted[name])
        check(f"W8 of {len(everything):,} events {len(wanted[name]):,} are wanted by {json.dumps(wish)}, and these arrive", is_right,
              (len(arrived[name]), len(wanted[name])))
    sizes = {name: len(ids) for name, ids in wanted.items()}
    check("W8 each filter but one lets something through, and each but one leaves something out", sizes.pop("none") == 0 and
          sizes.pop("all") == len(everything) and all(0 < size < len(everything) for size in sizes.values()), sizes)
    check_left_out(everything, set(arrived["changed"]))


def wants(wish, item):
    types, environments = wish.get("types"), wish.get("environments")
    named = types is None or any(
        item["type"] == one or (one.endswith("*") and item["type"].startswith(one[:-1])) for one in types)
    return named and (environments is None or item["data"]["environment"] in environments)


def check_left_out(everything, arrived):
    """Which numbers a receiver misses is what was left out, of each subject of which it has anything."""
    has, last, left = collections.defaultdict(set), {}, collections.defaultdict(set)
    for item in everything:
        data = item["data"]
        subject = json.dumps([data["environment"], data.get("subscription") or data["customer"]])
        if item["id"] in arrived:
            has[subject].add(data["sequence"])
            last[subject] = max(last.get(subject, 0), data["sequence"])
        else:
            left[subject].add(data["sequence"])
    wrong = [subject for subject, numbers in has.items() if set(range(1, last[subject])) - numbers != {
        number for number in left[subject] if number < last[subject]}]
    gaps = sum(last[subject] - len(numbers) for subject, numbers in has.items())
    check(f"W8 the numbers show what was left out: {gaps:,} gaps of {len(has):,} subjects", not wrong and gaps > 0, wrong[:3])


# W9: the log is followed while eight write


def part_log(world):
    for name in ("sqlite", "postgres"):
        with world.shop(name, label="log") as shop:
            events = SIZES["FOLLOWED"]
            writer = Writer(shop, "grants", events // 2, customers=max(1, events // 10))
            read, pages, while_writing, said = [], 0, 0, time.monotonic()
            path, is_over = "/api/v1/apps/demo/events?limit=500", False
            while True:
                _, page = request("GET", shop.books.server + path, headers=shop.books.backend)
                read += [(item["id"], item["data"]["customer"], item["data"]["sequence"]) for item in page["items"]]
                path, pages = page["next"], pages + 1
                while_writing = while_writing if writer.is_done else len(read)
                if page["hasMore"]:
                    continue
                if is_over:
                    break
                if time.monotonic() - said > 20:
                    said = time.monotonic()
                    progress(f"W9 {name}: {len(read):,} of {events:,} events are read")
                is_over = writer.is_done
                time.sleep(0.02)
            outcome = writer.outcome()
            wrote(shop, outcome, "W9")
            again, kept = log_ids(shop), shop.count_events()
            ids = [id for id, _, _ in read]
            order = collections.defaultdict(list)
            for _, customer, sequence in read:
                order[customer].append(sequence)
            check(f"W9 of {kept:,} events{of('FOLLOWED')} written by 8 connections in {outcome['seconds']:.0f} s, whoever follows reads each once and "
                  f"passes over none: {pages:,} pages, {while_writing:,} events while they were written ({name})",
                  len(ids) == len(set(ids)) == kept and set(ids) == set(again), (len(ids), len(set(ids)), kept, len(again)))
            check(f"W9 the log reads the same afterwards, in the same order ({name})", ids == again, "")
            check(f"W9 each of {len(order):,} customers' events by their numbers ({name})",
                  all(numbers == list(range(1, len(numbers) + 1)) for numbers in order.values()), "")


# p99 from commit to arrival


def part_latency(world):
    for name in ("sqlite", "postgres"):
        with world.shop(name, label="latency") as shop, world.post(f"latency-{name}") as post:
            shop.make_at("one", post.url("one"))
            seconds = SIZES["LATENCY_SECONDS"]
            wrote(shop, Writer(shop, "grants", 100 * 3, perSecond=100, prefix="before").outcome(), "p99")
            began = time.time()
            outcome = Writer(shop, "grants", 100 * seconds, perSecond=100).outcome()
            wrote(shop, outcome, "p99")
            total = 200 * (seconds + 3)
            wait_for(post, "one", total, 60)
            found = latencies(post.taken("one"), "entitlement.changed", began)
            p99 = percentile(found, 0.99)
            check(f"p99 from commit to arrival, {len(found) * 2 / max(outcome['seconds'], 0.1):.0f} events/s for {outcome['seconds']:.0f} s: "
                  f"p50 {percentile(found, 0.5) * 1000:.0f} ms, p99 {p99 * 1000:.0f} ms, longest {max(found, default=float('inf')) * 1000:.0f} ms, bound 1 s ({name})",
                  p99 < 1 and len(found) == 100 * seconds, len(found))


# W12: a million waiting


def part_waiting(world):
    for name in os.environ.get("WAITING_ON", "sqlite,postgres").split(","):
        with world.shop(name, label="waiting") as shop, world.post(f"waiting-{name}") as post:
            drain(shop, post, name)


def drain(shop, post, name):
    count = SIZES["WAITING"]
    # Once as fast as it goes before anything is measured, so that every cache of the server and of its database is full.
    post.set("big", keep="few")
    shop.make_at("big", post.url("big"))
    wrote(shop, Writer(shop, "grants", WARM // 2, connections=32, prefix="warm").outcome(), "W12")
    warm = shop.count_events()
    if not wait_for(post, "big", warm, 120):
        return check(f"W12 {warm:,} events are sent before anything waits ({name})", False, post.stats("big"))
    post.set("big", status=503)
    # First of all single events of many subjects: a subject's second one would wait for its first, and the rounds could not be counted.
    wrote(shop, Writer(shop, "holds", 50, prefix="first").outcome(), "W12")
    until(lambda: shop.call("GET", "/big")[1]["state"] == "failing", 60)
    writers = [Writer(shop, "grants", count // 2, connections=32)]
    while not all(writer.is_done for writer in writers):
        time.sleep(10)
        progress(f"W12 {name}: {shop.count_events() - warm:,} of {count:,} events are written")
    written = [writer.outcome() for writer in writers]
    for outcome in written:
        wrote(shop, outcome, "W12")
    waiting, failing = shop.count_events() - warm, shop.call("GET", "/big")[1]
    check(f"W12 {waiting:,} events{of('WAITING')}, all made by the API in {written[0]['seconds']:.0f} s, wait for an endpoint that is away ({name})",
          waiting >= count and failing["state"] == "failing" and failing["delivered"] == warm, failing)
    # Another endpoint, told of what is not among these: before the drain, and while it lasts.
    shop.make_at("other", post.url("other"), types=["hold.*"])
    seconds = min(60, max(10, count // 20_000))
    begun = time.time()
    wrote(shop, Writer(shop, "holds", 20 * seconds, perSecond=20, connections=2, prefix="before").outcome(), "W12")
    wait_for(post, "other", 20 * seconds, 30)
    before = latencies(post.taken("other"), "hold.placed", begun)
    # The first hundred are answered slowly enough that those that are on their way together can be counted.
    tried = post.stats("big")["count"]
    post.set("big", status=204, wait=0.1, first=tried + 100)
    began = time.time()
    shop.call("POST", "/big/resume")
    live = Writer(shop, "holds", 20 * seconds * 100, perSecond=20, connections=2, prefix="during")
    samples, said, done = [], time.monotonic(), False
    while not done and time.time() - began < 3600:
        time.sleep(0.5)
        stats = post.stats("big")
        samples.append((time.time(), stats["count"] - tried, mebibytes(shop.process, "VmRSS")))
        done = stats["count"] - tried >= count
        if time.monotonic() - said > 20:
            said = time.monotonic()
            progress(f"W12 {name}: {samples[-1][1]:,} of {waiting:,} are sent, {samples[-1][2]:.0f} MiB")
    ended = time.time()
    live.process.terminate()
    live.outcome()
    during = [late for late in latencies(post.taken("other"), "hold.placed", began)]
    took, most = ended - began, post.stats("big")["most"]
    check(f"W12 they are sent in {took:.0f} s, {waiting / took:,.0f} events/s, {most} at once at the most (the endpoint's 16) ({name})",
          done and most <= 16, samples[-1])
    rounds = slow_start(post, tried)
    check(f"W12 slowly at first: {', '.join(map(str, rounds[:5]))} at once in the first rounds ({name})", rounds[:4] == [1, 2, 4, 8], rounds[:12])
    p99 = percentile(during, 0.99)
    check(f"W12 another endpoint, 20 events/s: p99 {percentile(before, 0.99) * 1000:.0f} ms before, {p99 * 1000:.0f} ms beside the drain of which "
          f"{len(during):,} fell into it ({name})", p99 < 1 and len(during) > 0, (len(before), len(during)))
    tenths = [percentile([memory for _, sent, memory in samples if place * waiting <= 10 * sent <= (place + 1) * waiting], 0.5) for place in range(10)]
    check(f"W12 memory is flat to {MEMORY} MiB: {', '.join(f'{one:.0f}' for one in tenths)} MiB in each tenth ({name})", abs(tenths[9] - tenths[0]) <= MEMORY, "")


def slow_start(post, tried):
    """How many were on their way together in each round after so many requests: a round begins when nothing is."""
    rounds, most = [], 0
    for line in list(post.taken("big"))[tried : tried + 100]:
        if line[4] == 1 and most:
            rounds.append(most)
            most = 0
        most = max(most, line[4])
    return [*rounds, most]


# W10, W11: as they stand in webhooks_run.py


def part_run(world):
    outcome = subprocess.run([sys.executable, pathlib.Path(__file__).parent / "webhooks_run.py"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(outcome.stdout, flush=True)
    check(f"run Tests/Peers/webhooks_run.py: {len(re.findall(r'^ok ', outcome.stdout, re.MULTILINE))} checks", outcome.returncode == 0)
    del world


# W11: secrets, on SQLite and in what is made of it


def part_secrets(world):
    """At the most verbose level of the log, in every form in which a secret may stand; the rest is in webhooks_run.py."""
    with world.shop("sqlite", serving=False, label="secrets") as shop, world.post("secrets") as post:
        log, copy = shop.books.folder / "log.txt", shop.books.folder / "copy.sqlite"
        with log.open("wb") as output:
            server = subprocess.Popen([TENURE, "serve", "--config", str(shop.books.path)], stdout=output, stderr=output, env={**os.environ, "TENURE_LOG_LEVEL": "trace"})
        try:
            until(lambda: alive(shop.books.port), 60)
            texts = []
            for name in ("v1", "v1a", "both"):
                texts += shop.make_at(name, post.url(name), signature=name).values()
                texts += [secret["text"] for secret in shop.call("POST", f"/{name}/rotateSecret", {"overlap": 60_000})[1]["newSecrets"]]
                shop.call("POST", f"/{name}/test")
            wrote(shop, Writer(shop, "grants", 100).outcome(), "W11")
            until(lambda: "waitingSince" not in shop.call("GET", "/both")[1])
            answers = json.dumps([shop.call("GET", path)[1] for path in ("", "/v1/attempts", "/both/attempts", "/both")]).encode()
            made = shop.books.tenure("backup", "--to", copy)
            files = {path.name: path.read_bytes() for path in shop.books.folder.iterdir() if path.is_file() and not path.name.endswith(".json")}
            files["dump"] = "\n".join(shop.books.sql(".dump")).encode()
        finally:
            server.terminate()
            server.wait()
    files["answers"], found, forms = answers, [], 0
    for text in texts:
        prefix, _, encoded = text.partition("_")
        if prefix == "whpk":  # it is public
            continue
        raw = base64.b64decode(encoded)
        for form in (encoded.rstrip("=").encode(), raw, raw.hex().encode(), raw.hex().upper().encode(), base64.urlsafe_b64encode(raw).rstrip(b"=")):
            forms += 1
            found += [(prefix, name) for name, content in files.items() if form in content]
    check(f"W11 T46 T47 none of {len(texts)} secrets is in {', '.join(sorted(files))}, in {forms} forms", made.returncode == 0 and not found and
          forms > 0 and {"copy.sqlite", "log.txt"} <= set(files) and files["log.txt"], (made, found))


# M3, M5: forwarding


def part_forwarding(world):
    """M3 and M5: old system → Tenure → old system, and the switch of the URL in mid-traffic."""
    with world.shop("sqlite", label="old") as old, world.shop("sqlite", label="new") as new:
        numbers = range(SIZES["FORWARDED"] // PERIODS)
        check_forwarding({"old": old, "new": new}, world.signer, numbers, check)
        answers = range(1_000_000, 1_000_000 + max(100, len(numbers) // 10))
        check_answers(new, world.signer, answers, check, 2)


# What the parts have in common


class World:
    """A folder, what signs, and a PostgreSQL server that is started when it is first needed."""

    def __init__(self, folder, stack):
        self.folder, self.stack, self.signer, self.lock, self.shops = folder, stack, Signer(folder), threading.Lock(), 0
        self.postgres = None

    def database(self, label):
        with self.lock:
            if not self.postgres:
                self.postgres = self.stack.enter_context(private_postgres())
            self.shops += 1
            name = f"{label}{self.shops}"
            psql(self.postgres, f"CREATE DATABASE {name}")
            return self.postgres.replace("/postgres?", f"/{name}?"), name

    @contextlib.contextmanager
    def post(self, name):
        with self.lock:
            self.shops += 1
            folder = self.folder / f"{name}-{self.shops}"
        with Post(folder) as post:
            yield post
        shutil.rmtree(folder, ignore_errors=True)

    @contextlib.contextmanager
    def shop(self, name, serving=True, label="signatures", environments=None):
        """Books on a database of their own, with a server unless the part starts its own; nothing is left of them."""
        with self.lock:
            self.shops += 1
            folder = self.folder / f"{label}-{name}-{self.shops}"
        folder.mkdir()
        address, database = self.database(label) if name == "postgres" else (None, None)
        shop = FullShop(folder, self.signer, name, address)
        app = shop.books.content["apps"][0]
        app["environments"] = environments or ["Production"]
        shop.books.write_configuration()
        shop.books.path.chmod(0o600)
        try:
            if serving:
                with shop.books.serving() as shop.process:
                    yield shop
            else:
                yield shop
        finally:
            if database:
                psql(self.postgres, f"DROP DATABASE {database} WITH (FORCE)")
            shutil.rmtree(folder, ignore_errors=True)


class FullShop(Shop):
    def make_at(self, name, url, **changes):
        status, answer = self.call("PUT", f"/{name}", {"url": url, **changes})
        if status != 200:
            check(f"an endpoint {name} is made ({self.name})", False, answer)
        return {secret["kind"]: secret["text"] for secret in answer.get("newSecrets", [])}

    def start(self):
        """A further server on the same database, on a port of its own, which it knows."""
        port = free_port()
        path = self.books.folder / f"{self.name}-{port}.json"
        path.write_text(json.dumps({**self.books.content, "http": {"port": port}}))
        path.chmod(0o600)
        server = subprocess.Popen(
            [TENURE, "serve", "--config", str(path)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "TENURE_LOG_LEVEL": "error"})
        server.port = port
        return server

    def use(self, port):
        """Another of the servers is asked from now on."""
        self.books.server = f"http://127.0.0.1:{port}"
        self.endpoints = f"{self.books.server}/api/v1/apps/demo/webhookEndpoints"

    def told_in(self, environment):
        path, items = f"/api/v1/apps/demo/events?limit=1000&environment={environment}", []
        while True:
            _, page = request("GET", self.books.server + path, headers=self.books.backend)
            items, path = items + page["items"], page["next"]
            if not page["hasMore"]:
                return items

    def count_events(self):
        """As the database has them: each line of a row is one."""
        text = "SELECT coalesce(sum(1 + length(events) - length(replace(events, {}, ''))), 0) FROM outbox"
        if self.postgres:
            return int(psql(self.postgres, text.format("chr(10)"))[0])
        return int(self.books.sql(text.format("char(10)"))[0])


def part_year(world):
    import webhooks_year  # its own module: it plays a local App Store
    webhooks_year.play(world.folder, SIZES["LIVES"], SIZES["INSTANTS"], of, progress)


# F19: a root of Apple's that is near its end


ROOT_ENDS = "2035-02-09T21:40:36Z"  # `openssl x509 -enddate` of Apple Root CA


def part_ends(world):
    folder = world.folder / "ends"
    folder.mkdir()
    path, port, metrics = folder / "tenure.json", free_port(), free_port()
    app = {"id": "demo", "bundleId": "com.example.demo", "appAppleId": 1, "publicKey": "tpk_demo", "serverKeySHA256": "01" * 32, "products": {"a": ["plus"]}}
    path.write_text(json.dumps({"database": {"sqlite": str(folder / "books.sqlite")}, "http": {"port": port, "metricsPort": metrics}, "apps": [app]}))
    path.chmod(0o600)
    grades = []
    for day in ("2034-12-01", "2034-12-12", "2035-02-04", "2035-02-10"):
        lines = at_day(day, "doctor", path).communicate(timeout=60)[0].splitlines()
        grades += [line.split()[0] for line in lines if " trust: " in line and (ROOT_ENDS in line)]
    check("F19 the doctor names the root 60 days before it ends, and when it is a week: libfaketime", grades == ["ok", "warning", "problem", "problem"], grades)
    server = at_day("2035-02-05", "serve", path)
    try:
        wait_until_live(f"http://127.0.0.1:{metrics}/metrics", server)
        with urllib.request.urlopen(f"http://127.0.0.1:{metrics}/metrics", timeout=30) as response:
            text = response.read().decode()
    finally:
        os.killpg(server.pid, signal.SIGKILL)  # timers do not run under libfaketime: it would not stop
    log = [line for line in server.communicate(timeout=30)[0].splitlines() if ROOT_ENDS in line]
    check("F19 a server logs it at its start as an error, and its metrics say when",
          len(log) == 1 and " error " in log[0] and 'name="Apple Root CA",' in text and " 2054670036" in text, (log, text[:2000]))


def at_day(day, command, path):
    """In a process group of its own: `faketime` runs the program as its child."""
    return subprocess.Popen(
        ["faketime", "-f", f"@{day} 00:00:00", TENURE, command, "--config", str(path)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env={**os.environ, "TZ": "UTC"}, start_new_session=True)


def part_scripts(world):
    import webhooks_scripts  # its own module: it needs a browser
    with world.shop("sqlite", label="scripts") as shop:
        webhooks_scripts.play(shop)


def part_rebinding(world):
    """In a network of its own."""
    alone = ["unshare", "-n", "-m"] if os.geteuid() == 0 else ["unshare", "-r", "-n", "-m"]
    races = max(1, round(1000 * SHARE))
    outcome = subprocess.run(
        [*alone, sys.executable, pathlib.Path(__file__).parent / "webhooks_rebinding.py"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env={**os.environ, "RACES": str(races)})
    print(outcome.stdout, flush=True)
    check("W7 T40 the checks in a network of their own succeed", outcome.returncode == 0)
    del world


PARTS = {
    "F19": part_ends, "T41": part_scripts, "W7": part_rebinding,
    "W1": part_signatures, "W3": part_kills, "W4": part_neighbours, "W8": part_filters, "W9": part_log, "p99": part_latency,
    "W11": part_secrets, "run": part_run, "M3": part_forwarding, "W13": part_year, "W12": part_waiting,
}


def main():
    names = sys.argv[1:] or list(PARTS)
    if set(names) - set(PARTS):
        raise SystemExit(f"{__doc__}\n\nparts: {' '.join(PARTS)}")
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tenure-webhooks-")))
        world = World(folder, stack)
        for name in names:
            began = time.monotonic()
            try:
                PARTS[name](world)
            except Exception as error:  # one part that ends must not keep the others from running
                check(f"{name} the part ends", False, repr(error))
                import traceback
                traceback.print_exc()
            progress(f"{name}: {time.monotonic() - began:.0f} s")
    return summary()


if __name__ == "__main__":
    sys.exit(main())
