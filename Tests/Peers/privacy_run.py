#!/usr/bin/env python3
"""Export and erasure of a customer on both databases (I45): a person with many periods in a ledger of many subscriptions is read out whole,
erased, looked for in every byte of the file and in a dump, and everything is proved before and after. Prints one line per check; the exit
code is 1 when one failed.

    SUBSCRIPTIONS=100000 PERIODS=500 python Tests/Peers/privacy_run.py"""

import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import urllib.request

import harness
from api_run import API, configured
from books_material import DAY, Books, Signer, original_id
from harness import check
from private_postgres import PREFIX, private_postgres, programs
from webhooks_run import Receiver

SUBSCRIPTIONS, PERIODS = int(os.environ.get("SUBSCRIPTIONS", "200")), int(os.environ.get("PERIODS", "500"))
PERSON, MARK = 'qzx-person/"é"', b"qzx-person"
TOKEN = "2f0c3b1e-7a55-4c0d-9a51-0d8a6f1f9b77"


def history(signer, path):
    """The person's periods, each a day long and the last one running, and others' single months."""
    begin = signer.now - (PERIODS - 1) * DAY - 3_600_000
    with path.open("w") as lines:
        for period in range(PERIODS):
            start = begin + period * DAY
            dates = {"purchaseDate": start, "originalPurchaseDate": begin, "expiresDate": start + DAY, "signedDate": start + 1000}
            names = {"transactionId": str(int(original_id(0)) * 1000 + period), "webOrderLineItemId": str(int(original_id(0)) * 1000 + 500_000 + period)}
            signed = signer.jws(signer.transaction(0, period, **dates, **names))
            lines.write(json.dumps({"signedTransactionInfo": signed, "customer": PERSON}) + "\n")
        for number in range(1, SUBSCRIPTIONS):
            signed = signer.jws(signer.transaction(number, 2))
            lines.write(json.dumps({"signedTransactionInfo": signed, "customer": f"customer-{number}"}) + "\n")
    return path


def live(api, receiver):
    """The person in every table that may name a customer."""
    order = {"url": receiver.url, "description": "b", "types": ["*"], "environments": ["Production"]}
    api.call("saveWebhookEndpoint", order, endpoint="billing")
    api.call("changeAttributes", {"attributes": [{"name": "mail", "value": "qzx-person@example.com"}]}, customer=PERSON)
    api.call("grantEntitlement", {"entitlement": "extras", "until": int(time.time() * 1000) + DAY, "actor": "mia"}, customer=PERSON, id="g-1")
    api.call("joinCustomer", {"from": "qzx-person-old", "actor": "mia", "reason": "one mail address"}, customer=PERSON, id="j-1")
    api.call("registerAppAccountToken", query={"minted": "true"}, customer=PERSON, token=TOKEN)
    api.call("signPromotionalOffer", {"productId": "plus.monthly", "offerIdentifier": "stay"}, customer=PERSON)
    last = str(int(original_id(0)) * 1000 + PERIODS - 1)
    shown = api.books.signer.transaction(0, 2, transactionId=last, webOrderLineItemId=str(int(original_id(0)) * 1000 + 500_000 + PERIODS - 1))
    api.call("uploadTransaction", {"kind": "restore", "signedTransactionInfo": api.books.signer.jws(shown)}, customer="rival")
    api.call("startTrial", {"document": json.dumps(trial(api)), "from": 1}, id="trial-1")
    for _ in range(600):
        if api.call("readJob", id="trial-1")[1]["state"] != "running":
            break
        time.sleep(0.1)


def trial(api):
    draft = json.loads(api.call("listSettings")[1]["versions"][-1]["document"])
    draft["products"]["plus.monthly"] = []
    return draft


def is_found(books, url):
    """Whether any byte of what is kept spells the person, in the file or in a dump."""
    if url is None:
        files = [path for path in books.folder.glob(books.database.name + "*")]
        dump = subprocess.run(["sqlite3", books.database, ".dump"], capture_output=True, check=True).stdout
        return any(MARK in path.read_bytes() for path in files) or MARK in dump
    dump = subprocess.run([*PREFIX, programs() / "pg_dump", url], capture_output=True, check=True, cwd="/").stdout
    return MARK in dump


def check_database(folder, signer, lines, name, url):
    books = Books(folder, signer, name=f"privacy-{name}")
    configured(books)
    outcome = books.tenure("import", "--from-beginning", lines, database=url)
    check(f"I45 {name}: {SUBSCRIPTIONS:,} subscriptions are imported", outcome.returncode == 0, outcome)
    with contextlib.closing(Receiver()) as receiver, books.serving(database=url):
        api = API(books)
        live(api, receiver)
        start = time.monotonic()
        status, export = api.call("exportCustomer", customer=PERSON)
        took = time.monotonic() - start
        part = export["environments"][0]
        facts = [fact for purchases in part["purchases"] for fact in purchases["facts"]]
        others = json.dumps(export).count("customer-") + json.dumps(export).count("rival")
        check(f"I45 {name}: an export has all {PERIODS} periods with their proof, attributes, votes and offers, and nobody else: {took:.2f} s",
              status == 200 and len({fact["transactionId"] for fact in facts if fact["kind"] == "transaction"}) == PERIODS and others == 0
              and part["customer"]["attributes"] and part["customer"]["votes"] and part["offers"]["issued"] and len(part["purchases"][0]["evidence"]) >= PERIODS,
              (status, len(facts), others))
        page = urllib.request.urlopen(urllib.request.Request(books.server + api.path("readCustomerPage", {"customer": PERSON}), headers=books.backend), timeout=60)
        text = page.read().decode()
        check(f"I45 {name}: and the same as a page", page.headers.get_content_type() == "text/html" and "<script" not in text and "qzx-person@example.com" in text)
        check(f"I45 {name}: the person is found before", is_found(books, url))
        start = time.monotonic()
        status, erased = api.call("eraseCustomer", {"actor": "mia", "reason": "request 1"}, customer=PERSON, id="request-1")
        took = time.monotonic() - start
        if url is None and erased["leftInFiles"]:
            compacted = books.tenure("compact")
            check(f"I45 {name}: tenure compact beside the server: {compacted.stdout.strip().rsplit(': ', 1)[-1]}", compacted.returncode == 0, compacted)
        check(f"I45 {name}: the person is erased: {took:.2f} s", status == 200 and erased["subscriptions"] == 1 and len(erased["pseudonyms"]) == 2, erased)
        check(f"I45 {name}: no byte of the file and of a dump spells the person", not is_found(books, url))
        missing = api.call("eraseCustomer", {}, customer=PERSON, id="request-2")
        check(f"I45 {name}: nothing is kept of who was erased", missing[0] == 404 and missing[1]["code"] == "unknownCustomer", missing)
        again = signer.transaction(0, 2, transactionId=str(int(original_id(0)) * 1000 + PERIODS - 1),
                                   webOrderLineItemId=str(int(original_id(0)) * 1000 + 500_000 + PERIODS - 1))
        status, bound = api.call("uploadTransaction", {"kind": "restore", "signedTransactionInfo": signer.jws(again)}, customer="heir")
        check(f"I45 {name}: the next valid claim binds", status == 200 and bound["outcome"] == "bound", (status, bound))
    outcome = books.tenure("verify", "--rebuild", database=url)
    check(f"I45 {name}: tenure verify --rebuild proves everything after it", outcome.returncode == 0, outcome.stdout[-600:])


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        signer = Signer(folder)
        lines = history(signer, folder / "history.jsonl")
        check_database(folder, signer, lines, "SQLite", None)
        with private_postgres() as url:
            check_database(folder, signer, lines, "PostgreSQL", url)
    return harness.summary()


if __name__ == "__main__":
    sys.exit(main())
