#!/usr/bin/env python3
"""Idempotency keys against real servers (A5, F37): each key's request is sent eight times at once to two servers of one PostgreSQL, while one of them is
killed again and again and its clients try until they are answered; then with another body, and once more. The same on SQLite with one server. What was
done is counted in the database. Prints one line per check; the exit code is 1 when one failed.

KEYS (80) are the keys on PostgreSQL, KILLS (3) the kills; the full size is KEYS=1000 KILLS=10."""

import concurrent.futures
import contextlib
import http.client
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
import time

import harness
from api_run import configured
from books_material import Books, Signer
from harness import SECRET, TENURE, check, wait_until_live
from keys_run import add
from private_postgres import private_postgres, psql

KEYS, KILLS = int(os.environ.get("KEYS", 80)), int(os.environ.get("KILLS", 3))
AT_ONCE = 8


class Server:
    """One that is killed and started again."""

    def __init__(self, books, url):
        self.books, self.url, self.process = books, url, None
        self.start()

    def start(self):
        environment = {"TENURE_APP_DEMO_CUSTOMER_TOKEN_SECRET": SECRET, "TENURE_LOG_LEVEL": "critical"}
        if self.url:
            environment["TENURE_DATABASE"] = self.url
        self.process = subprocess.Popen([TENURE, "serve", "--config", str(self.books.path)], env={**os.environ, **environment}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until_live(f"{self.books.server}/health/live", self.process)

    def kill(self):
        self.process.kill()
        self.process.wait(timeout=30)

    def close(self):
        self.process.terminate()
        self.process.wait(timeout=30)


class Request:
    """What one client sends until it is answered, whatever happens to the server."""

    def __init__(self, key, path, body, bearer):
        self.key, self.path, self.body, self.bearer = key, path, body, bearer

    def send(self, port, body=None):
        """Status, bytes, whether the server says that it was answered before, and how often it was tried."""
        content = json.dumps(body or self.body).encode()
        headers = {"Authorization": f"Bearer {self.bearer}", "Content-Type": "application/json", "Idempotency-Key": self.key}
        for tries in range(1, 400):
            with contextlib.suppress(OSError, http.client.HTTPException):
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
                connection.request("POST", self.path, body=content, headers=headers)
                answer = connection.getresponse()
                text = answer.read()
                connection.close()
                # What cannot be done now is tried again, as a client does.
                if answer.status < 500:
                    return answer.status, text, answer.getheader("Idempotent-Replayed") == "true", tries
            time.sleep(0.05)
        return 0, b"", False, tries


def requests(books, admin, count):
    """Of each key: a key that is made, an offer that is signed for a customer, or one who may not have it."""
    for number in range(count):
        match number % 4:
            case 0:
                body = {"name": f"key-{number}", "kind": "server", "scopes": ["events:read"]}
                yield Request(f"k-{number}", "/api/v1/apps/demo/keys", body, admin)
            case 1:
                # No such offer: a refusal is an answer too.
                path = f"/api/v1/apps/demo/customers/customer-{number}/offers/promotional"
                yield Request(f"k-{number}", path, {"productId": "plus.monthly", "offerIdentifier": "none"}, books.keys.server)
            case _:
                path = f"/api/v1/apps/demo/customers/customer-{number}/offers/promotional"
                yield Request(f"k-{number}", path, {"productId": "plus.monthly", "offerIdentifier": "stay"}, books.keys.server)


def live(wanted, ports, servers):
    """All answers, by key, with the servers killed meanwhile."""
    answers, kills, done = {}, 0, threading.Event()

    def one(request):
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            return request, list(pool.map(request.send, [ports[number % len(ports)] for number in range(AT_ONCE)]))

    def killing():
        nonlocal kills
        while kills < KILLS and not done.is_set():
            time.sleep(random.uniform(0.1, 0.8))
            server = random.choice(servers)
            server.kill()
            kills += 1
            server.start()

    killer = threading.Thread(target=killing)
    killer.start()
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for request, got in pool.map(one, wanted):
            answers[request.key] = got
    done.set()
    killer.join(timeout=120)
    return answers, kills


def check_books(name, books, signer, lines, count, url):
    def sql(statement):
        return psql(url, statement) if url else books[0].sql(statement)

    outcome = books[0].tenure("import", "--from-beginning", lines, database=url)
    check(f"A5 {name}: customers are imported", outcome.returncode == 0, outcome)
    servers = [Server(one, url) for one in books]
    try:
        admin = add(books[0], "ops", "admin", environment=url)
        time.sleep(2.5)
        wanted, ports = list(requests(books[0], admin, count)), [one.port for one in books]
        start = time.monotonic()
        answers, kills = live(wanted, ports, servers)
        took = time.monotonic() - start
        all_answers = [answer for got in answers.values() for answer in got]
        again = sum(answer[3] > 1 for answer in all_answers)
        replayed = sum(answer[2] for answer in all_answers)
        different = [key for key, got in answers.items() if len({(status, text) for status, text, *_ in got}) != 1]
        check(f"A5 F37 {name}: {len(all_answers):,} requests with {count:,} keys, {kills} kills, {again} tried again, {replayed:,} replayed, {took:.0f} s: the answers of a key are equal in bytes",
              not different and kills > 0 and len(all_answers) == count * AT_ONCE, [(key, [one[:3] for one in answers[key]]) for key in different[:2]])
        made, offers = len(range(0, count, 4)), count - len(range(0, count, 4)) - len(range(1, count, 4))
        statuses = sorted({(number % 4, got[0][0]) for number, got in enumerate(answers[one.key] for one in wanted)})
        check(f"A5 {name}: made, refused and signed as asked", statuses == [(0, 200), (1, 404), (2, 200), (3, 200)], statuses)
        check(f"A5 F37 {name}: each was done once: {made} keys, {offers} offers", sql("SELECT count(*) FROM apiKey WHERE name LIKE 'key-%'") == [str(made)]
              and sql("SELECT count(*), sum(signatures), max(signatures) FROM issuedOffer") == [f"{offers}|{offers}|1"],
              (sql("SELECT count(*) FROM apiKey"), sql("SELECT count(*), sum(signatures), max(signatures) FROM issuedOffer")))
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            changed = list(pool.map(lambda one: one.send(random.choice(ports), {**one.body, "x": 1})[:2], wanted))
            last = list(pool.map(lambda one: one.send(random.choice(ports))[:3], wanted))
        # What cannot be read is refused before its key counts.
        check(f"A5 {name}: a body that cannot be read is 400", {status for status, _ in changed} == {400}, changed[:2])
        other = [one.send(ports[0], {**one.body, "actor": "bo"} if "name" in one.body else {**one.body, "offerIdentifier": "comeback"})[:2] for one in wanted]
        check(f"A5 F37 {name}: with another body each is 422", all(status == 422 and json.loads(text)["code"] == "idempotencyKeyReused" for status, text in other), other[:2])
        check(f"A5 F37 {name}: and with its own the same bytes again", last == [(*answers[one.key][0][:2], True) for one in wanted], last[:2])
        check(f"A5 {name}: nothing was done by that", sql("SELECT count(*), sum(signatures) FROM issuedOffer") == [f"{offers}|{offers}"]
              and sql("SELECT count(*) FROM idempotentAnswer") == [str(count)], sql("SELECT count(*) FROM idempotentAnswer"))
        secrets = [json.loads(answers[one.key][0][1])["key"] for one in wanted if "name" in one.body]
        opened = harness.request("GET", f"{books[0].server}/api/v1/apps/demo/events", headers={"Authorization": f"Bearer {secrets[-1]}"})
        check(f"A5 {name}: the key that was answered opens what it may", opened[0] == 200, opened)
    finally:
        for server in servers:
            server.close()
    outcome = books[0].tenure("verify", "--rebuild", database=url)
    check(f"A5 {name}: tenure verify --rebuild proves everything after it", outcome.returncode == 0, outcome.stdout[-600:])


def made_books(folder, signer, name, keys=None):
    books = Books(folder, signer, keys, name)
    configured(books)
    books.content["apps"][0]["offers"]["signaturesPerMinute"] = 100_000
    books.write_configuration(http={**books.content.get("http", {}), "wrongKeysPerMinute": 0})
    return books


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        signer = Signer(folder)
        lines = folder / "history.jsonl"
        with lines.open("w") as file:
            for number in range(KEYS):
                signed = signer.jws(signer.transaction(number, 2))
                file.write(json.dumps({"signedTransactionInfo": signed, "customer": f"customer-{number}"}) + "\n")
        with private_postgres() as url:
            first = made_books(folder, signer, "first")
            check_books("PostgreSQL", [first, made_books(folder, signer, "second", first.keys)], signer, lines, KEYS, url)
        check_books("SQLite", [made_books(folder, signer, "alone")], signer, lines, max(KEYS // 4, 40), None)
    return harness.summary()


if __name__ == "__main__":
    sys.exit(main())
