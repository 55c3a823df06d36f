"""What a receiver answers, and what callers write, shown to a real browser (T41): Chromium opens the API's answers with texts in them
that would run as scripts, if anything took them for HTML. The console's pages have a test of their own, once they exist."""

import itertools
import urllib.parse

from playwright.sync_api import sync_playwright

from harness import check, request
from store_page import CHROMIUM
from webhook_shop import Receiver, until

# Payloads are made of a way to have a script run, of what runs, and of what may end a place that they stand in.
WAYS = [
    "<script>{}</script>", "<img src=x onerror={}>", "<svg onload={}>", "<svg><script>{}</script></svg>", "<iframe srcdoc='<script>parent.{}</script>'>",
    "<body onload={}>", "<details open ontoggle={}>", "<video><source onerror={}></video>", "<input autofocus onfocus={}>", "<a href=\"javascript:{}\" id=x>x</a>",
    "<math><mtext></mtext><mglyph><style><img src=x onerror={}>", "<object data=\"javascript:{}\">", "<meta http-equiv=refresh content=\"0;url=javascript:{}\">",
    "<style>@import 'javascript:{}';</style>", "<template><script>{}</script></template><script>{}</script>"]
RUNS = ["canary()", "window['canary']()", "top.canary&&top.canary()", "eval('can'+'ary()')", "setTimeout(canary)"]
ENDS = ["", "\"}}]</pre></textarea></title>--><!--"]
PAYLOADS = [end + way.replace("{}", runs) for way in WAYS for runs in RUNS for end in ENDS]


def play(shop):
    """All payloads as answers, descriptions and ids; then a browser opens whatever shows them."""
    pages = itertools.cycle(payload.encode() for payload in PAYLOADS)
    receiver = Receiver(lambda _: (422, next(pages)))
    shop.make("hostile", receiver)
    for _ in PAYLOADS:
        shop.call("POST", "/hostile/test")
    for index, payload in enumerate(PAYLOADS):
        shop.call("PUT", f"/described{index % 15}", {"url": receiver.url, "description": payload, "types": ["refund.declined"]})
    app = f"{shop.books.server}/api/v1/apps/demo"
    written = 0
    for index, payload in enumerate(PAYLOADS):
        body = {"entitlement": "plus", "reason": payload, "until": 4_000_000_000_000}
        customer = urllib.parse.quote(payload, safe="")
        written += request("PUT", f"{app}/customers/{customer}/grants/g{index}", body, shop.books.backend)[0] in (200, 201)
    until(lambda: len(receiver.taken()) >= len(PAYLOADS))
    attempts = request("GET", f"{app}/webhookEndpoints/hostile/attempts?limit=1000", headers=shop.books.backend)[1]["items"]
    shown = {item.get("answer") for item in attempts}
    check(f"T41 {len(PAYLOADS)} payloads are receivers' answers, and shown as they came", shown >= set(PAYLOADS), len(shown))
    paths = ["webhookEndpoints", "webhookEndpoints/hostile/attempts?limit=1000", "webhookEndpoints/hostile", "events?limit=1000", "search?text=%3Cscript%3E",
             "webhookEndpoints/%3Cscript%3Ecanary()%3C%2Fscript%3E", "%3Cimg%20src=x%20onerror=canary()%3E",
             *(f"customers/{urllib.parse.quote(payload, safe='')}" for payload in PAYLOADS)]
    ran, wrong = [], []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage"])
        context = browser.new_context(extra_http_headers=shop.books.backend)
        context.expose_function("canary", lambda: ran.append("canary"))
        page = context.new_page()
        page.on("dialog", lambda dialog: (ran.append(dialog.message), dialog.dismiss()))
        for path in paths:
            answer = page.goto(f"{app}/{path}")
            headers = answer.headers
            if headers.get("x-content-type-options") != "nosniff" or not headers.get("content-type", "").startswith(("application/json", "application/problem+json")):
                wrong.append((path, answer.status, headers))
            page.wait_for_timeout(20)
        # The browser does run what it is given as a page: else this test could not fail.
        page.set_content(PAYLOADS[0])
        page.wait_for_timeout(200)
        browser.close()
    check(f"T41 a browser that opens {len(paths)} answers with them runs none, and is told not to guess their type; {written} stand in ids and reasons",
          ran == ["canary"] and not wrong and written > 0, (ran, wrong[:3], written))
