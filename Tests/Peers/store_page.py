#!/usr/bin/env python3
"""A real Chromium, Debian's, uses the local App Store's page as a person does: opens an account, buys, advances a year, fails a
card. What the page shows is compared with a calendar, with the control API asked apart from the page, and with what arrived at an
address. Prints one line per check; the exit code is 1 when one failed.

    store_page.py                     the checks
    store_page.py --picture PATH      the README's picture of the page, instead of the checks

The page is embedded in the binary. With TENURE_PAGE_FROM=Sources/AppStoreSimulator/Page the browser gets page.html and page.js
from that folder instead, with the binary's own headers: for work on the page without building.
"""

import base64
import contextlib
import datetime
import http.server
import json
import os
import pathlib
import sys
import threading

from playwright.sync_api import expect, sync_playwright

import harness
from harness import BUNDLE, check, free_port, request, running

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
PAGE_FROM = os.environ.get("TENURE_PAGE_FROM")
STARTS = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)
CATALOGUE = "Examples/shop.storekit"
UTC = datetime.timezone.utc

# The texts of a table's rows: texts in one cell are separated by `|`, and buttons, which come last, by commas.
CELLS = """id => [...document.getElementById(id).tBodies[0].rows].map(row => [...row.cells].map(cell => {
  const buttons = [...cell.querySelectorAll('button')].map(made => made.textContent).join(', ');
  const words = [];
  const walk = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  while (walk.nextNode())
    if (!walk.currentNode.parentElement.closest('button, select')) words.push(walk.currentNode.textContent);
  return words.concat(buttons || []).join('|');
}))"""

FOCUSED = """() => [[...document.querySelectorAll('button, input, select')].indexOf(document.activeElement),
  getComputedStyle(document.activeElement).outlineStyle]"""

# The least contrast of all texts, and where; as WCAG 2.2 defines relative luminance and contrast ratio.
CONTRAST = """() => {
  const pen = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const rgba = colour => {
    pen.clearRect(0, 0, 1, 1);
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 1, 1);
    return [...pen.getImageData(0, 0, 1, 1).data];
  };
  const linear = part => (part /= 255) <= .04045 ? part / 12.92 : ((part + .055) / 1.055) ** 2.4;
  const luminance = ([r, g, b]) => .2126 * linear(r) + .7152 * linear(g) + .0722 * linear(b);
  const canvas = matchMedia('(prefers-color-scheme: dark)').matches ? [18, 18, 18] : [255, 255, 255];
  const behind = made => {
    for (; made; made = made.parentElement) {
      const found = rgba(getComputedStyle(made).backgroundColor);
      if (found[3] === 255) return found;
    }
    return canvas;
  };
  const hasText = made => made.offsetParent && [...made.childNodes].some(node => node.nodeType === 3 && node.textContent.trim());
  return [...document.querySelectorAll('body *')].filter(hasText).map(made => {
    const [light, dark] = [rgba(getComputedStyle(made).color), behind(made)].map(luminance).sort((a, b) => b - a);
    return [(light + .05) / (dark + .05), made.textContent.trim().slice(0, 40)];
  }).sort((a, b) => a[0] - b[0])[0];
}"""


def months_after(start, months):
    """The same day so many months later; the days of this test exist in every month."""
    month = start.month - 1 + months
    return start.replace(year=start.year + month // 12, month=month % 12 + 1)


def minute(instant):
    return instant.strftime("%Y-%m-%d %H:%M")


def instant_of(milliseconds):
    return datetime.datetime.fromtimestamp(milliseconds / 1000, UTC)


class Sink:
    """The address of an app's own server: keeps what arrived, in order."""

    def __init__(self, port=0):
        arrived = self.arrived = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                signed = json.loads(self.rfile.read(int(self.headers["content-length"])))["signedPayload"]
                payload = json.loads(base64.urlsafe_b64decode(signed.split(".")[1] + "=="))
                arrived.append(" / ".join(filter(None, (payload["notificationType"], payload.get("subtype")))))
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/notifications"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()


class Store:
    """The local App Store, asked apart from the page."""

    def __init__(self):
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self.control = f"{self.address}/control/v1"

    def running(self, url):
        return running(
            "simulate", "--catalogue", CATALOGUE, "--bundle", BUNDLE, "--environment", "Production", "--port", str(self.port),
            "--starts-at", str(int(STARTS.timestamp() * 1000)), "--notification-url", url, live=f"{self.control}/health/live")

    def ask(self, path, body=None):
        status, answer = request("GET" if body is None else "POST", self.control + path, body)
        if status >= 300:
            raise SystemExit(f"{path} {body}: {status} {answer}")
        return answer

    def subscription(self, account):
        return self.ask("/subscriptions/" + self.ask(f"/accounts/{account}")["subscriptions"][0]["originalTransactionId"])


class Browser:
    """A window with the page, and everything that it asked for or complained of."""

    def __init__(self, chromium, store, **settings):
        self.store, self.asked, self.complaints = store, [], []
        self.context = chromium.new_context(locale="de-DE", timezone_id="America/Los_Angeles", **settings)
        self.page = self.context.new_page()
        self.page.set_default_timeout(10_000)
        self.page.on("request", lambda asked: self.asked.append(asked.url))
        self.page.on("requestfailed", lambda asked: self.complaints.append(f"{asked.url}: {asked.failure}"))
        self.page.on("console", self.note)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        if PAGE_FROM:
            self.page.route(store.address + "/", self.from_folder)
            self.page.route(store.address + "/page.js", self.from_folder)
        self.page.goto(store.address + "/")
        self.settled()

    @staticmethod
    def from_folder(route):
        name = "page.js" if route.request.url.endswith(".js") else "page.html"
        route.fulfill(response=route.fetch(), body=(pathlib.Path(PAGE_FROM) / name).read_text())

    def note(self, message):
        # Chromium reports each answer of 400 and more as failed, including those that a test expects.
        if message.type in ("error", "warning") and "the server responded with a status of 4" not in message.text:
            self.complaints.append(message.text)

    def settled(self):
        """Until the page has shown what the last act did."""
        expect(self.page.locator("body")).not_to_have_attribute("aria-busy", "true")
        expect(self.page.locator("#now")).not_to_be_empty()

    def button(self, name):
        return self.page.get_by_role("button", name=name, exact=True)

    def press(self, name):
        self.button(name).click()
        self.settled()

    def cells(self, table):
        return self.page.evaluate(CELLS, table)

    def row(self, table, account):
        """The one row of a table that begins with an account."""
        return next(row for row in self.cells(table) if row[0].split("|")[0] == account)

    def text(self, selector):
        return self.page.locator(selector).inner_text()

    def names(self):
        """Role and name of everything that one can act on, as Chromium tells them to a screen reader."""
        session = self.context.new_cdp_session(self.page)
        nodes = session.send("Accessibility.getFullAXTree")["nodes"]
        session.detach()
        said = [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in nodes if not node["ignored"]]
        return [pair for pair in said if pair[0] in ("button", "textbox", "combobox", "table", "heading")]


# MARK: The story


def check_start(browser, sink):
    check("the title", browser.page.title() == "Local App Store", browser.page.title())
    check("the clock", browser.text("#now") == "2026-01-01 00:00:00 UTC", browser.text("#now"))
    check("the app, and where notifications go", (browser.text("#app"), browser.text("#to")) == (BUNDLE, f"to {sink.url}"))
    empty = [browser.cells(table) for table in ("accounts", "subscriptions", "sent")]
    wanted = ["No accounts yet. Open one, then buy.", "None yet.", "Nothing yet."]
    check("empty tables say so", [rows[0][0] for rows in empty] == wanted, empty)


def check_purchase(browser, store):
    page = browser.page
    page.get_by_label("Name").fill("anna")
    page.get_by_label("Environment").select_option("Production")
    browser.press("Open an account")
    shown = browser.cells("accounts")
    check("an account", shown == [["anna|Production, USA", "0", "works|Card fails", "Buy"]], shown)
    check("the control API knows it", store.ask("/accounts/anna")["environment"] == "Production")
    offered = page.get_by_label("Product for anna").locator("option").all_inner_texts()
    listed = json.loads((harness.ROOT / CATALOGUE).read_text())
    prices = [f"{p['productID']}, {p['displayPrice']} USD" for p in listed["products"] + listed["nonRenewingSubscriptions"]
              + [p for group in listed["subscriptionGroups"] for p in group["subscriptions"]]]
    check("what the catalogue sells, with its prices", sorted(offered) == sorted(prices), offered)
    page.get_by_label("Product for anna").select_option("plus.monthly")
    browser.press("Buy, anna")
    bought = store.subscription("anna")
    check("the purchase is shown", browser.text("#status") == f"Buy, anna: purchased, transaction {bought['transactionId']}.",
          browser.text("#status"))
    check("the subscription: a free week", browser.cells("subscriptions") == [[
        f"anna|{bought['originalTransactionId']}", "plus.monthly", "active", "2026-01-08 00:00",
        "Auto-renew off, Extend 7 days, Ask for refund, Refund"]], browser.cells("subscriptions"))
    check("one transaction", browser.cells("accounts")[0][1] == "1", browser.cells("accounts"))
    check("the chosen product stays chosen", page.get_by_label("Product for anna").input_value() == "plus.monthly")
    return bought["originalTransactionId"]


def check_year(browser, store, sink, original):
    """A free week, then a month from each eighth to the next: twelve begin within 365 days."""
    page, held = browser.page, []
    end = STARTS + datetime.timedelta(days=365)
    renewals = [at for at in (months_after(datetime.datetime(2026, 1, 8, tzinfo=UTC), month) for month in range(24)) if at <= end]
    check("a calendar has twelve renewals", len(renewals) == 12, renewals)
    page.route("**/clock/advance", lambda route: held.append(route))
    browser.button("+1 year").click()
    expect(page.locator("#status")).to_have_text("+1 year …")
    check("while it runs the page is busy", page.locator("body").get_attribute("aria-busy") == "true")
    browser.button("+1 year").click()
    check("and a second press asks nothing", len(held) == 1, held)
    # Before the route is removed: Playwright then releases what is held, in a race with this.
    held[0].continue_()
    page.unroute("**/clock/advance")
    browser.settled()
    check("what happened is shown", browser.text("#status") == "+1 year: 12 things happened.", browser.text("#status"))
    check("the clock is a year on", browser.text("#now") == end.strftime("%Y-%m-%d %H:%M:%S UTC") == "2027-01-01 00:00:00 UTC",
          browser.text("#now"))
    until = months_after(renewals[-1], 1)
    shown = browser.cells("subscriptions")[0]
    check("the subscription is active until a month after the last renewal", shown[2:4] == ["active", minute(until)], shown)
    known = store.subscription("anna")
    check("as the control API says", (known["statusText"], instant_of(known["expiresDate"])) == ("active", until), known)
    rows = [row[:4] for row in browser.cells("sent")]
    wanted = [[minute(at), "DID_RENEW", f"anna, {original}", "SUCCESS"] for at in reversed(renewals)]
    wanted.append([minute(STARTS), "SUBSCRIBED / INITIAL_BUY", f"anna, {original}", "SUCCESS"])
    check("twelve renewals were sent, at their instants, the newest first", rows == wanted, rows)
    check("and arrived", sink.arrived == [row[1] for row in reversed(wanted)], sink.arrived)
    check("thirteen transactions", browser.cells("accounts")[0][1] == "13", browser.cells("accounts"))


def check_error(browser, store):
    answer = request("POST", f"{store.control}/accounts/anna/purchases", {"productId": "plus.monthly"})[1]
    browser.press("Buy, anna")
    alert = browser.page.get_by_role("alert")
    check("buying an owned product is refused with a message", answer["code"] == "alreadySubscribed" and alert.inner_text()
          == f"Buy, anna: {answer['detail']} ({answer['code']})", alert.inner_text())
    check("and nothing else is shown", browser.text("#status") == "", browser.text("#status"))


def check_end(browser, store, sink):
    browser.page.keyboard.press("Tab")
    off = browser.button("Auto-renew off, plus.monthly of anna")
    off.focus()
    browser.page.keyboard.press("Enter")
    browser.settled()
    check("the alert goes with the next act", browser.page.get_by_role("alert").inner_text() == "")
    check("auto-renew is off", browser.cells("subscriptions")[0][2] == "active, auto-renew off", browser.cells("subscriptions"))
    check("as the control API says", store.subscription("anna")["autoRenewStatus"] == 0)
    focused = browser.page.evaluate("document.activeElement.getAttribute('aria-label')")
    check("the focus stays on the button, which turns it on again", focused == "Auto-renew on, plus.monthly of anna", focused)
    browser.press("+31 days")
    check("the clock", browser.text("#now") == "2027-02-01 00:00:00 UTC", browser.text("#now"))
    check("it has expired, at its day", browser.cells("subscriptions")[0][1:] == [
        "plus.monthly", "expired", "2027-01-08 00:00", "Ask for refund, Refund"], browser.cells("subscriptions"))
    first = browser.cells("sent")[0]
    check("and that is notified", first[:2] == ["2027-01-08 00:00", "EXPIRED / VOLUNTARY"] and sink.arrived[-1] == first[1], first)


def check_bad_card(browser, store):
    """By the keyboard alone: an account, a purchase, a failing card, and its effects."""
    page = browser.page
    store.ask("/terms", {"billingGracePeriodDays": 16})
    page.get_by_label("Name").focus()
    page.keyboard.type("ben")
    page.keyboard.press("Enter")
    browser.settled()
    opened = [row[0] for row in browser.cells("accounts")]
    check("Enter opens an account", opened == ["anna|Production, USA", "ben|Production, USA"], opened)
    page.get_by_label("Product for ben").focus()
    page.keyboard.type("pro.m")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    browser.settled()
    ben = store.subscription("ben")
    check("the keyboard chooses and buys", ben["productId"] == "pro.monthly", ben)
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    browser.settled()
    check("the card fails", browser.cells("accounts")[1][2] == "fails|Card works", browser.cells("accounts"))
    browser.press("To what comes next")
    row = browser.row("subscriptions", "ben")
    wanted = ["billing grace period", "2027-03-01 00:00|grace until 2027-03-17 00:00"]
    check("a grace period of sixteen days", row[2:4] == wanted, row)
    check("is told", browser.cells("sent")[0][1] == "DID_FAIL_TO_RENEW / GRACE_PERIOD", browser.cells("sent")[0])
    browser.press("Card works, ben")
    row = browser.row("subscriptions", "ben")
    check("the card works, and the subscription continues", row[2:4] == ["active", "2027-04-01 00:00"], row)


def check_refund(browser, store):
    browser.press("Extend 7 days, pro.monthly of ben")
    row = browser.row("subscriptions", "ben")
    check("a week more", row[3] == "2027-04-08 00:00", row)
    browser.press("Refund, pro.monthly of ben")
    row = browser.row("subscriptions", "ben")
    check("a refund", row[2] == "revoked" and row[4] == "Reverse refund", row)
    check("as the control API says", store.subscription("ben")["status"] == 5)
    browser.press("Reverse refund, pro.monthly of ben")
    row = browser.row("subscriptions", "ben")
    known = store.subscription("ben")
    state = "active" if known["autoRenewStatus"] else "active, auto-renew off"
    check("is reversed", known["status"] == 1 and row[2] == state, row)
    told = [row[1] for row in browser.cells("sent")][:2]
    check("both are notified", told == ["REFUND_REVERSED", "REFUND"], told)
    before = store.ask("/notifications?limit=1")["notifications"][0]["sendAttempts"]
    browser.button("Send again, REFUND_REVERSED").click()
    browser.settled()
    check("and sent again", len(before) == 1 and browser.cells("sent")[0][3] == "SUCCESS, SUCCESS", browser.cells("sent")[0])


def check_running_clock(browser, store):
    """With a clock that goes by itself the page follows, and what one is about to do is not taken away."""
    page = browser.page
    page.get_by_label("Product for anna").select_option("lifetime")
    page.get_by_label("The clock").select_option("3600")
    browser.settled()
    before = browser.text("#now")
    page.get_by_label("Product for anna").focus()
    page.evaluate("document.querySelector('#accounts tbody tr').isTheSame = true")
    page.wait_for_function("before => document.getElementById('now').textContent > before", arg=before)
    kept = page.evaluate("[document.activeElement.getAttribute('aria-label'), document.activeElement.value]")
    check("the clock goes by itself, and choice and focus stay", kept == ["Product for anna", "lifetime"], kept)
    same = page.evaluate("document.querySelector('#accounts tbody tr').isTheSame")
    check("a row that has not changed is not drawn again: a list that is open stays open", same is True)
    page.get_by_label("The clock").select_option("0")
    browser.settled()
    check("the clock is stopped", store.ask("/clock")["rate"] == 0)
    store.ask("/clock", {"rate": 7})
    page.reload()
    browser.settled()
    chosen = page.locator("#rate option:checked").inner_text()
    check("a speed that the list has not is shown", chosen == "goes 7 times as fast", chosen)
    store.ask("/clock", {"rate": 0})
    page.reload()
    browser.settled()


def check_many(browser, store):
    """More than it shows: the page says so."""
    title = browser.page.get_by_role("heading", name="Accounts")
    check("two accounts are all", title.inner_text() == "Accounts", title.inner_text())
    for _ in range(99):
        store.ask("/accounts", {})
    browser.page.reload()
    browser.settled()
    expect(browser.page.locator("#accounts tbody tr")).to_have_count(100)
    check("of 101 accounts the first 100", title.inner_text() == "Accounts the first 100", title.inner_text())
    for _ in range(10):
        store.ask("/accounts/ben/purchases", {"productId": "coins"})
    browser.press("+1 day")
    shown = browser.cells("sent")
    check("of more notifications the newest thirty", len(shown) == 30 and browser.text("#to").endswith("; the newest 30")
          and shown[0][1] == "ONE_TIME_CHARGE", (len(shown), browser.text("#to")))


# MARK: For everybody


def check_names(browser):
    said = browser.names()
    controls = [pair for pair in said if pair[0] in ("button", "textbox", "combobox")]
    check("everything that one can act on has a name", len(controls) > 40 and all(name.strip() for _, name in controls), controls)
    # A notification may be sent again under the name of its kind, so those repeat.
    once = [name for role, name in controls if not name.startswith("Send again")]
    check("and a unique name", len(once) == len(set(once)), sorted(name for name in once if once.count(name) > 1))
    tables = [name for role, name in said if role == "table"]
    named = [name.split(" to ")[0] for name in tables]
    check("tables are named by their headings", named == ["Accounts", "Subscriptions", "Sent"], tables)
    page = browser.page
    shown = page.evaluate("[...document.querySelectorAll('button, input, select')].length")
    page.evaluate("document.activeElement.blur(); window.scrollTo(0, 0)")
    reached, outlines = set(), set()
    for _ in range(shown + 5):
        page.keyboard.press("Tab")
        place, outline = page.evaluate(FOCUSED)
        if place >= 0:
            reached.add(place)
            outlines.add(outline)
    check("Tab reaches all of it, and one sees where one is", len(reached) == shown and "none" not in outlines,
          (len(reached), shown, outlines))


def check_looks(browser):
    """WCAG 2.2 asks a contrast of 4.5 to 1 (1.4.3), and that at 320 pixels nothing but tables scrolls both ways (1.4.10)."""
    page = browser.page
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        contrast, where = page.evaluate(CONTRAST)
        check(f"{scheme}: text can be read", contrast >= 4.5, (contrast, where))
    page.emulate_media(color_scheme="light")
    for width in (1280, 320):
        page.set_viewport_size({"width": width, "height": 800})
        wide = page.evaluate("document.documentElement.scrollWidth")
        check(f"at {width} pixels the page does not scroll sideways", wide <= width, wide)


def check_quiet(browser, store):
    others = [url for url in browser.asked if not url.startswith(store.address + "/")]
    check("nothing is asked of any other host", len(browser.asked) > 50 and not others, others)
    entries = browser.page.evaluate("performance.getEntriesByType('resource').map(entry => entry.name)")
    check("as Chromium's own list says", entries and all(name.startswith(store.address + "/") for name in entries), entries)
    check("no complaint in the console", browser.complaints == [], browser.complaints)


def check_absence(chromium, sink):
    """The page reports when the store no longer answers."""
    store = Store()
    with store.running(sink.url):
        browser = Browser(chromium, store)
    browser.press("+1 day")
    alert = browser.page.get_by_role("alert").inner_text()
    check("a store that has ended is reported", alert.endswith("The local App Store does not answer."), alert)
    browser.context.close()


# MARK: The picture


def take_picture(chromium, path):
    """Three customers: one has a year, one a card that fails, one has had enough."""
    store = Store()
    with Sink(8080) as sink, store.running(sink.url):
        store.ask("/terms", {"billingGracePeriodDays": 16})
        for account, product in (("anna", "plus.yearly"), ("ben", "pro.monthly"), ("cleo", "plus.monthly")):
            store.ask("/accounts", {"id": account})
            store.ask(f"/accounts/{account}/purchases", {"productId": product})
        store.ask("/clock/advance", {"to": "2026-01-05T09:30:00Z"})
        store.ask(f"/subscriptions/{store.subscription('cleo')['originalTransactionId']}/auto-renew", {"enabled": False})
        store.ask("/accounts/ben/payment", {"fails": True})
        store.ask("/clock/advance", {"to": "2026-01-31T12:00:00Z"})
        browser = Browser(chromium, store, viewport={"width": 1280, "height": 600}, color_scheme="light")
        browser.press("To what comes next")
        states = sorted(row[2] for row in browser.cells("subscriptions"))
        check("the picture's story", states == ["active", "billing grace period", "expired"] and len(sink.arrived) == 6, states)
        browser.page.mouse.move(0, 0)
        browser.page.screenshot(path=path, full_page=True)
        size = os.path.getsize(path)
        check("the picture is small", size <= 250_000, size)


@contextlib.contextmanager
def chromium():
    # As root in a container Chromium's own sandbox is not available, and /dev/shm is small.
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage"])
        yield browser
        browser.close()


def main():
    expect.set_options(timeout=10_000)
    with chromium() as browser_process:
        if sys.argv[1:2] == ["--picture"]:
            take_picture(browser_process, sys.argv[2])
            return harness.summary()
        with Sink() as sink:
            store = Store()
            with store.running(sink.url):
                browser = Browser(browser_process, store, viewport={"width": 1280, "height": 800})
                check_start(browser, sink)
                original = check_purchase(browser, store)
                check_year(browser, store, sink, original)
                check_error(browser, store)
                check_end(browser, store, sink)
                check_bad_card(browser, store)
                check_refund(browser, store)
                check_running_clock(browser, store)
                check_names(browser)
                check_looks(browser)
                check_many(browser, store)
                check_quiet(browser, store)
                browser.context.close()
            check_absence(browser_process, sink)
    return harness.summary()


if __name__ == "__main__":
    sys.exit(main())
