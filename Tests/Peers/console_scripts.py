"""T41 on the console: texts that would run as scripts, stand in every field that others can fill, are opened in a real Chromium. Nothing runs, and the page
has the elements of the same page with harmless texts, and no other."""

import collections
import os
import re
import urllib.parse

from books_import import json_lines
from books_material import DAY, MONTH, original_id
from console_browser import HERE, LISTEN
from console_people import Line
from harness import check, request
from webhooks_scripts import PAYLOADS

ODD = ['"><svg onload=canary()>', "\u202e\u2066evil\u2069", "\U0001f3f4\u200d\u2620\ufe0f\U00020bb7", "'-alert(1)-'", "</title><script>canary()</script>", "{{7*7}}${7*7}",
       "a\u0301\u0301\u0301", "javascript:canary()", "%3Cscript%3Ecanary()%3C/script%3E", "&lt;b&gt;&amp;#60;", "--><!--", "]]>", "\\u003cscript\\u003e"]
HARMLESS = "harmless"
FIRST_ODD = 400
FULL = bool(os.environ.get("FULL"))
# Every element with the names of its attributes.
# How many attempts of webhooks there are by now, and which endpoint has an event, is a matter of time: of these only the kinds of elements are looked at.
TIMELY = "[aria-labelledby=deliveries], [aria-labelledby=events] td:last-child"
SHAPE = (f"() => [...document.querySelectorAll('*')].filter(made => !made.closest('{TIMELY}'))"
         ".map(made => made.tagName + ' ' + made.getAttributeNames().sort().join(' '))")
ATTEMPTS = (f"() => [...document.querySelectorAll(':is({TIMELY}) *')].map(made => made.tagName)"
            ".filter(tag => !['H2', 'P', 'DIV', 'TABLE', 'CAPTION', 'THEAD', 'TBODY', 'TR', 'TH', 'TD', 'TIME', 'BDI', 'SPAN', 'A'].includes(tag))")
# Fields of a transaction that Apple fills with texts.
FIELDS = ("productId", "subscriptionGroupIdentifier", "webOrderLineItemId", "offerIdentifier", "storefront", "storefrontId", "currency", "transactionReason",
          "inAppOwnershipType", "appTransactionId", "offerDiscountType", "revocationType")
LONG = "\u4e00" * 200


def lived(books, name, number):
    """One customer with the same life whatever the name: the name stands in the id, in actors, reasons and descriptions."""
    status, _ = books.upload(name, "purchase", number)
    quoted = urllib.parse.quote(name, safe="")
    customer = f"{books.customers}/{quoted}"
    told = [status]
    for path, body in (
            (f"{customer}/grants/g-1", {"entitlement": "plus", "until": books.signer.now + MONTH, "actor": name, "reason": name}),
            (f"{customer}/holds/h-1", {"entitlement": "plus", "from": books.signer.now + DAY, "until": books.signer.now + 2 * DAY, "actor": name, "reason": name}),
            (f"{books.server}/api/v1/apps/demo/subscriptions/{original_id(number)}/transfers/t-1", {"customer": name + "2", "actor": name, "reason": name}),
            (f"{books.server}/api/v1/apps/demo/webhookEndpoints/odd-{number % 10}", {"url": "http://127.0.0.1:9/", "description": name, "types": ["owner.changed"]})):
        told.append(request("PUT", path, body, books.backend)[0])
    return told


def facts(books, texts):
    """Each text in each field of a fact that takes it; as many subscriptions as there are fields, and again with harmless texts."""
    signer, items = books.signer, []
    for place, field in enumerate(FIELDS):
        for shift, text in enumerate(texts):
            number = FIRST_ODD + 500 + place * 20 + shift
            items.append({"signedTransactionInfo": signer.jws(signer.transaction(number, 2, **{field: text})), "customer": f"fields-{place}-{shift}"})
    return items


class Watch:
    def __init__(self, browser, desk, support):
        self.ran, self.complaints = [], []
        self.context = browser.new_context(locale="en-GB")
        self.context.add_cookies([{"name": desk.cookie_name, "value": support.cookie, "domain": "127.0.0.1", "path": "/", "httpOnly": True, "sameSite": "Lax"}])
        self.context.expose_function("canary", lambda: self.ran.append("canary"))
        self.context.add_init_script(LISTEN)
        self.page = self.context.new_page()
        self.page.on("dialog", lambda dialog: (self.ran.append(dialog.message), dialog.dismiss()))
        self.page.on("console", lambda said: self.complaints.append(said.text) if "status of 4" not in said.text else None)
        self.desk, self.opened = desk, 0

    def shape(self, path):
        answer = self.page.goto(self.desk.origin + path)
        self.opened += 1
        self.complaints += self.page.evaluate("window.broken") + self.page.evaluate(ATTEMPTS)
        return answer.status, collections.Counter(self.page.evaluate(SHAPE)), self.page.locator("body").inner_text()


def check_scripts(browser, books, desk, support):
    names = ODD + (PAYLOADS if FULL else PAYLOADS[::9])
    told = {name: lived(books, name, FIRST_ODD + number) for number, name in enumerate([HARMLESS, *names])}
    refused = [(name, statuses) for name, statuses in told.items() if max(statuses) >= 300]
    check(f"T41 {len(names)} texts are the ids of customers, actors, reasons and descriptions", not refused, refused[:3])
    watch = Watch(browser, desk, support)
    wrong, absent = [], []
    for kind in ("customer", "search", "subscription"):
        wanted = None
        for number, name in enumerate([HARMLESS, *names]):
            quoted = urllib.parse.quote(name, safe="")
            path = {"customer": f"{HERE}/customers/{quoted}", "search": f"{HERE}/search?q={quoted}", "subscription": f"{HERE}/subscriptions/{original_id(FIRST_ODD + number)}"}[kind]
            status, shape, text = watch.shape(path)
            wanted = wanted or shape
            if status != 200 or shape != wanted:
                wrong.append((kind, name, status, (shape - wanted) + (wanted - shape)))
            if name.split("\n")[0] not in text and " ".join(name.split()) not in " ".join(text.split()):
                absent.append((kind, name))
    check(f"T41 {watch.opened} pages with them have the elements of the page of a harmless name, and no other", not wrong, wrong[:3])
    check("T41 and show each text as it is", not absent, absent[:3])
    check_shared(watch, books, desk, support)
    check_facts(watch, books)
    check("T41 nothing ran, and nothing tried to", watch.ran == [] and watch.complaints == [], (watch.ran[:3], watch.complaints[:3]))
    # The browser does run what it is given as a page: else this test could not fail.
    watch.page.goto("about:blank")
    watch.page.set_content(PAYLOADS[0])
    watch.page.wait_for_timeout(200)
    check("T41 and this browser would have run it", watch.ran == ["canary"], watch.ran)
    watch.context.close()


def check_shared(watch, books, desk, support):
    """What is typed or pasted comes back on the page; and what no id can be."""
    wrong, counts = [], None
    line = Line(desk, support.cookie)
    form = line.form
    allowed = {"html", "head", "meta", "title", "link", "script", "body", "a", "header", "p", "nav", "ul", "li", "form", "label", "input", "button", "time", "main", "h1", "footer",
               "span", "bdi", "code", "section", "h2", "table", "caption", "thead", "tbody", "tr", "th", "td", "div", "dl", "dt", "dd", "pre", "textarea", "small", "details", "summary", "strong", "select", "option"}
    for text in ODD + PAYLOADS[:20]:
        answers = [line.post(f"{HERE}/search/inspect", {"form": form, "text": text}), line.get("/login?next=" + urllib.parse.quote(text, safe="")),
                   line.get("/rules/" + urllib.parse.quote(text, safe="")), line.get("/" + urllib.parse.quote(text, safe="")),
                   line.get(f"{HERE}/subscriptions/" + urllib.parse.quote(text, safe=""))]
        for answer in answers:
            tags = {tag.lower() for tag in re.findall(r"<([a-zA-Z][a-zA-Z0-9]*)", answer.text)}
            if not tags <= allowed or answer.status not in (200, 400, 404) or "<script src" in answer.text and answer.text.count("<script") != 1:
                wrong.append((text, answer.status, tags - allowed))
    check("T41 what is pasted, a rule's id, a path and a subscription's id come back as text or not at all", not wrong, wrong[:3])
    impossible = ["\0", "a\0b", "x" * 201, "x" * 10_000, "a\nb", "\u0085"]
    statuses = [line.get(f"{HERE}/customers/{urllib.parse.quote(text, safe='')}").status for text in impossible]
    longest = watch.shape(f"{HERE}/customers/{urllib.parse.quote(LONG, safe='')}")[0]
    check("T41 ids that cannot be are not found, and an id of 200 characters is", set(statuses) <= {404, 414, 431} and longest == 200, (statuses, longest))


def check_facts(watch, books):
    """Every field of a fact: hostile beside harmless."""
    texts = ["harmless", '"></td></script><svg onload=canary()><script>canary()</script>\u202e\U00020bb7'] if not FULL else ["harmless", '"><svg onload=canary()>', "</script><script>canary()</script>", "\u202e\U00020bb7\u2066", "<b>" * 2500]
    path = json_lines(books.folder / "odd.jsonl", facts(books, texts))
    outcome = books.tenure("import", "--app", "demo", path)
    wrong, shown = [], 0
    for place, field in enumerate(FIELDS):
        shapes = {}
        for shift, text in enumerate(texts):
            number = original_id(FIRST_ODD + 500 + place * 20 + shift)
            pages = [watch.shape(f"{HERE}/subscriptions/{number}"), watch.shape(f"{HERE}/customers/fields-{place}-{shift}"), watch.shape(f"{HERE}/subscriptions/{number}/facts/1")]
            shapes[text] = [status for status, _, _ in pages], [shape for _, shape, _ in pages]
            shown += pages[0][0] == 200
        for text, (statuses, found) in shapes.items():
            # Where the ledger does not take such a text there is no page.
            if statuses[0] == 200 and shapes["harmless"][0][0] == 200 and found != shapes["harmless"][1]:
                wrong.append((field, text[:40], [(one - two) + (two - one) for one, two in zip(found, shapes["harmless"][1])]))
    check(f"T41 {len(FIELDS)} fields of a fact, {len(texts)} texts: {shown} subscriptions, no element beyond those of harmless ones", outcome.returncode in (0, 1) and shown >= 2 * len(FIELDS) - 6 and not wrong, (outcome.stdout, outcome.stderr[-200:], wrong[:4]))
