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
import console_reader
import console_roles
import console_scripts
import harness
from books_material import Signer
from console_people import ConsoleBooks, Line, Operator, check_headers, imported, lived
from private_postgres import private_postgres

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
                    lambda: console_browser.check_long(desk, by_role["support"]), lambda: console_reader.check_reader(books, desk, by_role["support"]), lambda: console_roles.check_roles(desk, by_role)):
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


def browse_postgres(folder, signer):
    """Where another database answers: every page that an administrator is offered."""
    with private_postgres() as url, sync_playwright() as playwright:
        books = ConsoleBooks(folder, signer, "console-postgres", url=url)
        imported(books)
        desk, admin = books.configure(), Operator("o-postgres", "admin").made(books)
        browser = playwright.chromium.launch(executable_path=console_browser.CHROMIUM, args=console_browser.ARGUMENTS)
        with books.serving():
            lived(books)
            admin.set_up(Line(desk))
            console_browser.check_role(browser, desk, admin, console_browser.WAYS[:4 if console_browser.FULL else 1], "on PostgreSQL")
        browser.close()


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        books = ConsoleBooks(folder, Signer(folder))
        imported(books)
        desk = books.configure()
        browse(books, desk, [Operator(f"o-{role}", role).made(books) for role in ROLES])
        browse_postgres(folder, books.signer)
    check_headers(100)
    return harness.summary()


if __name__ == "__main__":
    sys.exit(main())
