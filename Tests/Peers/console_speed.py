#!/usr/bin/env python3
"""How long pages of the console take among many subscriptions, and how long they are: P2 search, P3 a customer, P4 a subscription, also of somebody with 500
periods. Prints one line per check; the exit code is 1 when one failed. To be run on an optimised build:

    SUBSCRIPTIONS=1000000 TENURE_BINARY=.build/release/tenure python Tests/Peers/console_speed.py"""

import http.client
import json
import os
import pathlib
import statistics
import sys
import tempfile
import time
import urllib.parse

import harness
from books_material import Signer, original_id
from console_people import ConsoleBooks, Line, Operator, days
from harness import check

SUBSCRIPTIONS, PERIODS = int(os.environ.get("SUBSCRIPTIONS", "20000")), int(os.environ.get("PERIODS", "500"))
ASKED = 60
LIMIT, LONGEST = 100, 60 * 1024
HERE = "/apps/demo/Production"
# So many lines are written at once: a signed line has 3 KB.
PART = 50_000
OFTEN = 0


def imported(books):
    signer, begun = books.signer, time.monotonic()
    path = books.folder / "part.jsonl"
    with path.open("w") as lines:
        for signed in days(signer, OFTEN, PERIODS):
            lines.write(json.dumps({"signedTransactionInfo": signed, "customer": "often"}) + "\n")
    wrong = [one.stderr for one in [books.tenure("import", "--app", "demo", path)] if one.returncode]
    for start in range(1, SUBSCRIPTIONS, PART):
        with path.open("w") as lines:
            for number in range(start, min(start + PART, SUBSCRIPTIONS)):
                lines.write(json.dumps({"signedTransactionInfo": signer.jws(signer.transaction(number, 2)), "customer": f"customer-{number}"}) + "\n")
        outcome = books.tenure("import", "--app", "demo", "--from-beginning", path)
        wrong += [outcome.stderr] if outcome.returncode else []
    path.unlink()
    count = int(books.sql("SELECT count(*) FROM subscription")[0])
    check(f"{count:,} subscriptions are imported, one of {PERIODS} periods: {time.monotonic() - begun:.0f} s", not wrong and count == SUBSCRIPTIONS, wrong[:2])


def measured(desk, cookie, paths):
    """Milliseconds of each request on a connection that stays, and the longest page."""
    connection = http.client.HTTPConnection("127.0.0.1", desk.port, timeout=60)
    times, longest, statuses = [], 0, set()
    for path in paths:
        begun = time.perf_counter()
        connection.request("GET", path, headers={"Cookie": f"{desk.cookie_name}={cookie}"})
        response = connection.getresponse()
        content = response.read()
        times.append((time.perf_counter() - begun) * 1000)
        statuses.add(response.status)
        longest = max(longest, len(content))
    connection.close()
    return times, longest, statuses


def spread(number):
    """Numbers all over the ledger, each another one: nothing that was read before helps."""
    return [1 + place * 7_919 % (SUBSCRIPTIONS - 1) for place in range(number, number + ASKED)]


def check_pages(desk, cookie):
    for name, what, paths in (
            ("P2", "a search for a customer", [f"{HERE}/search?q=customer-{number}" for number in spread(0)]),
            ("P2", "a search for a transactionId", [f"{HERE}/search?q={int(original_id(number)) + 2}" for number in spread(ASKED)]),
            ("P2", "a search for what is not there", [f"{HERE}/search?q=nobody-{number}" for number in range(ASKED)]),
            ("P2", f"a search for the customer of {PERIODS} periods", [f"{HERE}/search?q=often"] * ASKED),
            ("P3", f"a customer with {PERIODS} periods", [f"{HERE}/customers/often"] * ASKED),
            ("P3", f"a customer with {PERIODS} periods, for an instant", [f"{HERE}/customers/often?at={urllib.parse.quote('2026-11-01T00:00:00Z')}"] * ASKED),
            ("P3", "a customer", [f"{HERE}/customers/customer-{number}" for number in spread(2 * ASKED)]),
            ("P4", "a subscription", [f"{HERE}/subscriptions/{original_id(number)}" for number in spread(3 * ASKED)]),
            ("P4", f"a subscription of {PERIODS} periods", [f"{HERE}/subscriptions/{original_id(OFTEN)}"] * ASKED),
            ("P4", f"its facts, of {PERIODS}", [f"{HERE}/subscriptions/{original_id(OFTEN)}/facts"] * ASKED),
            ("P1", "the overview", [HERE] * ASKED), ("P5", "the inbox", [f"{HERE}/inbox"] * ASKED), ("P12", "operations", [f"{HERE}/operations"] * ASKED)):
        times, longest, statuses = measured(desk, cookie, paths)
        median, worst = statistics.median(times), max(times)
        # Limits are for what the acceptance names; the others are for comparison.
        is_limited = name in ("P2", "P3", "P4")
        check(f"{name} {what} among {SUBSCRIPTIONS:,}: median {median:.1f} ms, at most {worst:.1f} ms, {longest:,} bytes",
              statuses == {200} and longest <= LONGEST and (median <= LIMIT or not is_limited), (statuses, median, longest))


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        books = ConsoleBooks(folder, Signer(folder))
        imported(books)
        desk = books.configure()
        support = Operator("o-speed", "operator").made(books)
        with books.serving():
            support.set_up(Line(desk))
            check_pages(desk, support.cookie)
    return harness.summary()


if __name__ == "__main__":
    sys.exit(main())
