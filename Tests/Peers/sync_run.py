#!/usr/bin/env python3
"""Copies of the books on both databases: a reader who lists what changed and exports everything while another process writes ends with
what is there; an export that broke off goes on; an erasure reaches the copy; on PostgreSQL one long transaction holds the lists back and
nothing is passed over. Prints one line per check, and what it measured; the exit code is 1 when one failed. With 10,000 subscriptions or more
it measures the exports and nothing else: rows a second, and the most memory that the server ever had.

    SUBSCRIPTIONS=200000 TENURE_BINARY=.build/release/tenure python Tests/Peers/sync_run.py"""

import http.client
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

import harness
from books_material import DAY, Books, Signer, original_id
from harness import check, mebibytes, request
from private_postgres import private_postgres, psql

SUBSCRIPTIONS, WRITES = int(os.environ.get("SUBSCRIPTIONS", "400")), int(os.environ.get("WRITES", "60"))
MEASURED = SUBSCRIPTIONS >= 10_000
KINDS = ("subscriptions", "customers", "periods", "events")
APP = "/api/v1/apps/demo"


def history(signer, path):
    """The last month of each subscription, which runs; every tenth has an owner with one more."""
    with path.open("w") as lines:
        for number in range(SUBSCRIPTIONS):
            lines.write(json.dumps({"signedTransactionInfo": signer.jws(signer.transaction(number, 2)), "customer": f"customer-{number % (SUBSCRIPTIONS * 9 // 10)}"}) + "\n")
    return path


class Reader:
    """Somebody who knows the recipe of docs/operations/synchronising.md and nothing else."""

    def __init__(self, books):
        self.books = books
        self.copies = {"subscriptions": {}, "customers": {}}
        self.next = {}

    def get(self, path):
        status, answer = request("GET", self.books.server + path, headers=self.books.backend)
        if status != 200:
            raise SystemExit(f"{path}: {status} {answer}")
        return answer

    def take(self, kind, item):
        self.copies[kind][item["originalTransactionId" if kind == "subscriptions" else "number"]] = item

    def follow(self, kind, limit=7):
        """Reads until there is no more by now; how many items there were."""
        path, count = self.next.get(kind) or f"{APP}/{kind}?limit={limit}", 0
        while True:
            page = self.get(path)
            for item in page["items"]:
                self.take(kind, item)
            count, path = count + len(page["items"]), page["next"]
            if not page["hasMore"]:
                self.next[kind] = path
                return count

    def export(self, kind, after=None, cut=None):
        """Items and the last mark of an export; with `cut` the connection is given up after so many bytes, in the middle of a line."""
        connection = http.client.HTTPConnection("127.0.0.1", self.books.port, timeout=120)
        connection.request("GET", f"{APP}/export/{kind}" + (f"?after={after}" if after else ""), headers=self.books.backend)
        response = connection.getresponse()
        if (response.status, response.headers.get_content_type()) != (200, "application/x-ndjson"):
            raise SystemExit(f"export of {kind}: {response.status} {response.read()}")
        content = response.read(cut) if cut else response.read()
        self.length = len(content)
        connection.close()
        page, items, mark = [], [], None
        for line in content.split(b"\n")[:-1]:
            value = json.loads(line)
            if "export" in value:
                # Only what stands before a mark is sure to be whole.
                items, page, mark = items + page, [], value["export"]
            else:
                page.append(value)
        return items, mark

    def whole(self, kind):
        items, mark = self.export(kind)
        return items, bool(mark and mark["isComplete"])


def write(books, signer, turns, seed):
    """Renewals, new claims and grants, by another program over HTTP."""
    for turn in range(turns):
        number = (turn * 7 + seed) % SUBSCRIPTIONS
        customer = urllib.parse.quote(f"customer-{number % (SUBSCRIPTIONS * 9 // 10)}")
        if turn % 3 == 2:
            status, answer = request("PUT", f"{books.customers}/{customer}/grants/g-{seed}-{turn}", {"entitlement": "plus", "until": signer.now + DAY, "actor": "mia"}, books.backend)
        else:
            fresh = SUBSCRIPTIONS + seed * 1000 + turn if turn % 3 else number
            signed = signer.jws(signer.transaction(fresh, 2, signedDate=signer.now + turn, price=9990 + turn))
            status, answer = request("POST", f"{books.customers}/{customer}/transactions", {"kind": "restore", "signedTransactionInfo": signed}, books.backend)
        if status not in (200, 202):
            raise SystemExit(f"a write was refused: {status} {answer}")


def check_following(books, signer, name):
    """N writers, one who lists and one who exports, at once."""
    reader = Reader(books)
    for kind in reader.copies:
        reader.follow(kind)
    first = {kind: len(copy) for kind, copy in reader.copies.items()}
    check(f"{name}: lists have every subscription and customer once", first == {"subscriptions": SUBSCRIPTIONS, "customers": SUBSCRIPTIONS * 9 // 10}, first)
    writers = [threading.Thread(target=write, args=(books, signer, WRITES, seed)) for seed in range(3)]
    for writer in writers:
        writer.start()
    begun, pages, exports = {}, 0, []
    for kind in KINDS:
        begun[kind] = reader.whole(kind)
        exports.append(begun[kind][1])
    while any(writer.is_alive() for writer in writers):
        pages += sum(reader.follow(kind) for kind in reader.copies)
    for writer in writers:
        writer.join()
    for kind in reader.copies:
        reader.follow(kind)
    check(f"{name}: every export while others write ends with its last line", all(exports), exports)
    for kind, key in (("subscriptions", "originalTransactionId"), ("customers", "number")):
        items, isWhole = reader.whole(kind)
        last = {item[key]: item for item in items}
        wrong = [one for one in set(last) | set(reader.copies[kind]) if last.get(one) != reader.copies[kind].get(one)]
        check(f"{name}: who followed the {kind} while three wrote has what a whole export says: {len(items)}", isWhole and len(items) == len(last) and not wrong, wrong[:3])
    check(f"{name}: {pages} changes were listed while they were written", pages >= WRITES)
    return reader


def check_resuming(books, reader, name):
    for kind in KINDS:
        # Once more where something was written meanwhile: a server goes on with its own work after the last request.
        for _ in range(20):
            whole, isWhole = reader.whole(kind)
            # After the first page, and before the end of the last.
            part, mark = reader.export(kind, cut=reader.length * 19 // 20)
            rest, end = reader.export(kind, after=mark["after"])
            if reader.whole(kind)[0] == whole:
                break
        check(f"{name}: an export of {kind} that broke off goes on exactly where it did: {len(part)} and {len(rest)} of {len(whole)}",
              isWhole and part and rest and end["isComplete"] and part + rest == whole, (len(part), len(rest), len(whole)))
    status, answer = request("GET", f"{books.server}{APP}/export/customers?after={mark['after']}", headers=books.backend)
    check(f"{name}: the cursor of another export is refused", (status, answer.get("code")) == (400, "cursorInvalid"), answer)
    events = reader.get(f"{APP}/events?limit=1000")["items"]
    exported = reader.whole("events")[0]
    check(f"{name}: the exported events are those of the log", exported[:len(events)] == events)


def check_erasure(books, reader, name):
    for kind in reader.copies:
        reader.follow(kind)
    victim = next(item for item in reader.copies["customers"].values() if item["customer"] == "customer-3")
    status, answer = request("PUT", f"{books.customers}/customer-3/erasures/request-1", {"actor": "mia", "reason": "asked"}, books.backend)
    for kind in reader.copies:
        reader.follow(kind)
    now = reader.copies["customers"][victim["number"]]
    named = [kind for kind, copy in reader.copies.items() if '"customer-3"' in json.dumps(list(copy.values()))]
    check(f"{name}: an erasure reaches the copy: the number stays, the name is gone", status == 200 and now["isErased"] and not named, (status, answer, now, named))


def listed(reader, number, until=10):
    """How long it takes until the copy has the customer."""
    start = time.monotonic()
    while time.monotonic() - start < until:
        reader.follow("customers")
        if any(item["customer"] == number for item in reader.copies["customers"].values()):
            return time.monotonic() - start
        time.sleep(0.005)
    return None


def grant(books, signer, customer):
    status, _ = request("PUT", f"{books.customers}/{customer}/grants/lag", {"entitlement": "plus", "until": signer.now + DAY, "actor": "mia"}, books.backend)
    return status == 200


def check_long_transaction(books, signer, reader, name, url):
    lags = []
    for number in range(20):
        grant(books, signer, f"lag-{number}")
        lags.append(listed(reader, f"lag-{number}"))
    lags = sorted(lag for lag in lags if lag is not None)
    check(f"{name}: a change is listed {1000 * lags[len(lags) // 2]:.0f} ms after its answer (median of {len(lags)}; {1000 * lags[-1]:.0f} ms the last)", len(lags) == 20)
    with subprocess.Popen(["psql", "-X", "-q", "-A", "-t", url], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as session:
        session.stdin.write("BEGIN; SELECT pg_current_xact_id();\n")
        session.stdin.flush()
        session.stdout.readline()
        taken = [grant(books, signer, f"held-{number}") for number in range(5)]
        hidden = listed(reader, "held-4", until=2)
        check(f"{name}: while one long transaction is open nothing that was written after it is listed", all(taken) and hidden is None, (taken, hidden))
        start = time.monotonic()
        session.stdin.write("COMMIT;\n")
        session.stdin.close()
        session.wait()
        ended = time.monotonic() - start
        lag = listed(reader, "held-4")
    seen = {item["customer"] for item in reader.copies["customers"].values()}
    check(f"{name}: {1000 * ((lag or 0) + ended):.0f} ms after its end everything is, and nothing was passed over",
          lag is not None and {f"held-{number}" for number in range(5)} <= seen)


def measure(books, name, url):
    """Rows a second of each export to a client that only counts, and what the server's memory came to."""
    with books.serving(database=url):
        # What a server does once with what was imported, such as sealing, is done before anything is measured.
        time.sleep(SUBSCRIPTIONS / 5000)
    # Looking each customer through once takes minutes, on the cores that the export is measured on: it is taken away.
    once = "DELETE FROM work WHERE kind IN ('reviewSignals', 'tellCustomer')"
    if url:
        psql(url, once)
    else:
        books.sql(once)
    for kind in KINDS:
        with books.serving(database=url) as process:
            request("GET", f"{books.server}{APP}/subscriptions?limit=1", headers=books.backend)
            before = mebibytes(process, "VmHWM")
            start = time.monotonic()
            done = subprocess.run(["curl", "-sS", "-H", f"Authorization: {books.backend['Authorization']}", f"{books.server}{APP}/export/{kind}", "-o", books.folder / "export"], check=True)
            seconds = time.monotonic() - start
            peak = mebibytes(process, "VmHWM")
        content = (books.folder / "export").read_bytes()
        rows = content.count(b"\n")
        last = json.loads(content.rstrip(b"\n").rsplit(b"\n", 1)[-1])["export"]
        marks = content.count(b'{"export":')
        check(f"{name}: {rows - marks:,} {kind} in {seconds:.2f} s: {(rows - marks) / seconds:,.0f} rows a second, {len(content) / rows:.0f} bytes each; peak {peak:.1f} MB ({before:.1f} MB before)",
              done.returncode == 0 and last["isComplete"])


def check_database(folder, signer, lines, name, url):
    books = Books(folder, signer, name=f"sync-{name}")
    start = time.monotonic()
    outcome = books.tenure("import", "--from-beginning", lines, database=url)
    check(f"{name}: {SUBSCRIPTIONS:,} subscriptions are imported: {time.monotonic() - start:.0f} s", outcome.returncode == 0, outcome)
    if MEASURED:
        return measure(books, name, url)
    with books.serving(database=url) as process:
        reader = check_following(books, signer, name)
        check_resuming(books, reader, name)
        check_erasure(books, reader, name)
        if url:
            check_long_transaction(books, signer, reader, name, url)
        check(f"{name}: the server is as it was", process.poll() is None)
    outcome = books.tenure("verify", "--rebuild", database=url)
    check(f"{name}: tenure verify --rebuild proves everything after it", outcome.returncode == 0, outcome.stdout[-600:])


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        signer = Signer(folder)
        lines = history(signer, folder / "history.jsonl")
        check_database(folder, signer, lines, "SQLite", None)
        with private_postgres() as url:
            psql(url, "SELECT 1")
            check_database(folder, signer, lines, "PostgreSQL", url)
    return harness.summary()


if __name__ == "__main__":
    sys.exit(main())
