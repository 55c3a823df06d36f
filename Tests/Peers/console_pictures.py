#!/usr/bin/env python3
"""Takes the pictures of docs/pictures: a customer and a subscription that moved, in the console, from a small ledger with Alice and Bob.

    console_pictures.py [FOLDER]       docs/pictures, where no other is named"""

import pathlib
import sys
import tempfile

from playwright.sync_api import sync_playwright

from books_import import json_lines
from books_material import DAY, MONTH, Signer, original_id
from console_browser import ARGUMENTS, CHROMIUM, HERE
from console_people import ConsoleBooks, Line, Operator
from harness import ROOT

# The ids that one reads in the pictures.
MOVED, YEARLY = 101, 102
STYLE = {"locale": "en-GB", "color_scheme": "light", "viewport": {"width": 1280, "height": 800}, "timezone_id": "UTC"}


def lived(books):
    """Alice buys and renews; Bob restores it on the family's tablet, support looks at it and moves it. Bob has a year of his own, which was refunded."""
    signer = books.signer
    items = [{"signedPayload": signer.notification(MOVED, 0), "customer": "alice"}, {"signedPayload": signer.notification(MOVED, 1)}, {"signedPayload": signer.notification(MOVED, 2)}]
    start = signer.now - 20 * DAY
    items.append({"signedTransactionInfo": signer.jws(signer.transaction(
        YEARLY, 2, purchaseDate=start, originalPurchaseDate=start, expiresDate=start + 365 * DAY, signedDate=signer.now - 2 * DAY, revocationDate=signer.now - 3 * DAY, revocationReason=0)),
        "customer": "bob"})
    outcome = books.tenure("import", "--app", "demo", json_lines(books.folder / "pictures.jsonl", items))
    if outcome.returncode:
        raise SystemExit(outcome.stderr)


def moved(books):
    books.upload("bob", "restore", MOVED)
    claims = books.call("GET", f"subscriptions/{original_id(MOVED)}")["claims"]
    claim = next(one["id"] for one in claims if one["outcome"].startswith("waiting."))
    books.call("PUT", f"subscriptions/{original_id(MOVED)}/decisions/ticket-4711", {"claim": claim, "decision": "approve", "actor": "olga", "reason": "Ticket 4711: Bob showed Apple's receipt"})
    books.call("PUT", "customers/alice/grants/ticket-4712", {"entitlement": "plus", "until": books.signer.now + MONTH, "actor": "olga", "reason": "Ticket 4712: a month for the trouble"})


def take(folder):
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        books = ConsoleBooks(pathlib.Path(name), Signer(pathlib.Path(name)))
        books.content["apps"].pop()
        desk = books.configure()
        lived(books)
        mia = Operator("mia", "support").made(books)
        with books.serving():
            moved(books)
            mia.set_up(Line(desk))
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
            context = browser.new_context(**STYLE)
            context.add_cookies([{"name": desk.cookie_name, "value": mia.cookie, "domain": "127.0.0.1", "path": "/", "httpOnly": True, "sameSite": "Lax"}])
            page = context.new_page()
            for file, path in (("console-customer.png", f"{HERE}/customers/bob"), ("console-subscription.png", f"{HERE}/subscriptions/{original_id(MOVED)}")):
                page.goto(desk.origin + path)
                page.screenshot(path=folder / file, clip={"x": 0, "y": 0, "width": 1280, "height": 1100}, full_page=True)
                print(f"{folder / file}: {(folder / file).stat().st_size:,} bytes")
            browser.close()


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1]) if sys.argv[1:] else ROOT / "docs/pictures"
    folder.mkdir(parents=True, exist_ok=True)
    take(folder)
