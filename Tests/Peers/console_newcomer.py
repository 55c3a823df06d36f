#!/usr/bin/env python3
"""Somebody new with a browser: `tenure demo --stay` prints a link; how long it takes from there to Alice, to Bob, and to the subscription that moved, by what
the demo says to do. Prints one line per check; the exit code is 1 when one failed."""

import re
import subprocess
import sys
import threading
import time

from playwright.sync_api import sync_playwright

import harness
from console_browser import ARGUMENTS, CHROMIUM
from harness import ROOT, TENURE, check, free_port

LIMIT = 120


def printed_link(process):
    """What the demo prints behind `Console`; None where it ends without."""
    for line in process.stdout:
        found = re.match(r"Console\s+(http://\S+)", line)
        if found:
            return found[1]
    return None


def walk(page, link):
    """Does what the demo prints below the link: searches for Alice, opens the subscription that moved, and goes from there to Bob. Returns what was seen on the way."""
    page.goto(link)
    seen = [("the overview, already logged in", page.locator("h1").count() == 1 and page.locator("form[role=search] input[type=search], input[name=q]").count() > 0)]
    page.locator("input[name=q]").first.fill("alice")
    page.keyboard.press("Enter")
    page.locator("main a", has_text=re.compile("^alice$")).first.click()
    seen.append(("Alice's page", "alice" in page.inner_text("h1")))
    page.locator("main a[href*='/subscriptions/']").first.click()
    text = page.inner_text("main")
    seen.append(("the subscription, its drawing, and that it was Alice's and then Bob's", "alice" in text and "bob" in text and page.locator("main svg[role=img]").count() > 0))
    page.locator("main a", has_text=re.compile("^bob$")).first.click()
    seen.append(("Bob's page", "bob" in page.inner_text("h1")))
    return seen


def main():
    begun = time.monotonic()
    process = subprocess.Popen([TENURE, "demo", "--stay", "--console-port", str(free_port())], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    watchdog = threading.Timer(LIMIT, process.kill)
    watchdog.start()
    try:
        link = printed_link(process)
        printed = time.monotonic() - begun
        check(f"demo --stay prints a link into the console after {printed:.1f} s", link is not None)
        if link is None:
            return harness.summary()
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
            page = browser.new_page(locale="en-GB")
            page.set_default_timeout(20_000)
            seen = walk(page, link)
            browser.close()
        took = time.monotonic() - begun
        for what, is_there in seen:
            check(f"a newcomer sees {what}", is_there)
        check(f"a newcomer's way from the command to Alice, Bob and the subscription that moved: {took:.1f} s", took < LIMIT, took)
    finally:
        watchdog.cancel()
        process.terminate()
        process.wait(timeout=30)
    return harness.summary()


if __name__ == "__main__":
    sys.exit(main())
