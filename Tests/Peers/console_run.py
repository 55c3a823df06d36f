#!/usr/bin/env python3
"""The console from outside: operators of each role with an authenticator, in a real Chromium. Prints one line per check; the exit code is 1 when one
failed. The attacker is in console_attacks.py.

FULL=1 opens more: every role in every way, every text of the list that would run."""

import pathlib
import sys
import tempfile
import time

from playwright.sync_api import sync_playwright

import console_browser
import console_roles
import console_scripts
import harness
from books_material import Signer
from console_people import ConsoleBooks, Operator, check_headers, imported, lived

ROLES = ("viewer", "analyst", "support", "operator", "admin")


def browse(books, desk, operators):
    by_role = {operator.role: operator for operator in operators}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=console_browser.CHROMIUM, args=console_browser.ARGUMENTS)
        with books.serving():
            lived(books)
            for step in (
                    lambda: console_browser.check_first_login(browser, desk, operators), lambda: console_browser.check_roles(browser, desk, operators),
                    lambda: console_browser.check_colours(browser, desk, by_role["admin"]), lambda: console_browser.check_text_size(browser, desk, by_role["admin"]),
                    lambda: console_browser.check_keyboard(browser, desk, by_role["support"]), lambda: console_browser.check_own_choice(browser, desk, by_role["viewer"]),
                    lambda: console_browser.check_long(desk, by_role["support"]), lambda: console_roles.check_roles(desk, by_role)):
                begun = time.monotonic()
                step()
                print(f"     {time.monotonic() - begun:.1f} s", flush=True)
        prefixed = books.configure(address=f"http://127.0.0.1:{books.console_port}/tenure")
        with books.serving():
            console_browser.check_prefix(browser, prefixed, by_role["admin"])
        desk = books.configure()
        with books.serving():
            begun = time.monotonic()
            console_scripts.check_scripts(browser, books, desk, by_role["support"])
            print(f"     {time.monotonic() - begun:.1f} s", flush=True)
        browser.close()


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        books = ConsoleBooks(folder, Signer(folder))
        imported(books)
        desk = books.configure()
        browse(books, desk, [Operator(f"o-{role}", role).made(books) for role in ROLES])
    check_headers(100)
    return harness.summary()


if __name__ == "__main__":
    sys.exit(main())
