#!/usr/bin/env python3
"""A local App Store that ends and is started again: `tenure simulate --state`, `do save` and `do load`, as one uses them from a shell. Prints one
line per check; the exit code is 1 when one failed."""

import json
import pathlib
import signal
import stat
import subprocess
import sys
import tempfile

import harness
from harness import ROOT, TENURE, check, free_port, request, running

STARTS_AT = 1767225600000  # 2026-01-01T00:00:00Z


class Store:
    def __init__(self, state):
        self.state, self.port = state, free_port()
        self.control = f"http://127.0.0.1:{self.port}/control/v1"

    def running(self, *arguments):
        return running("simulate", *arguments, "--port", str(self.port), "--state", str(self.state),
                       live=f"{self.control}/health/live")

    def do(self, *words):
        """What the command prints, and its exit status."""
        done = subprocess.run([TENURE, "simulate", "do", "--url", self.control, *words], cwd=ROOT, capture_output=True, text=True)
        return done.returncode, done.stdout

    def get(self, path):
        return request("GET", self.control + path)[1]


NEW = ("--catalogue", "Examples/shop.storekit", "--bundle", "com.example.shop", "--starts-at", str(STARTS_AT))


def check_restart(folder):
    store = Store(folder / "shop.state")
    with store.running(*NEW) as process:
        store.do("account", "anna")
        bought = json.loads(store.do("buy", "anna", "pro.monthly")[1])
        store.do("advance", "40")
        before = {path: store.get(path) for path in ("/clock", "/root", "/notifications", "/accounts", "/keys")}
        process.send_signal(signal.SIGTERM)
        check("it ends well", process.wait(timeout=30) == 0)
    check("the state is its owner's alone", stat.S_IMODE(store.state.stat().st_mode) == 0o600)
    with store.running():
        after = {path: store.get(path) for path in before}
        for path in before:
            check(f"{path} is unchanged", before[path] == after[path], (before[path], after[path]))
        store.do("advance", "31")
        told = [one["notificationType"] for one in store.get("/notifications")["notifications"]]
        check("and it lives on", told == ["DID_RENEW", "DID_RENEW", "SUBSCRIBED"], told)
    with store.running(*NEW):
        subscription = store.get(f"/subscriptions/{bought['originalTransactionId']}")
        # Bought on 1 January; renewed on 1 February and 1 March.
        check("the same command continues, too", subscription["expiresDate"] == 1775001600000, subscription)
    return store.state


def check_undo(folder):
    store, saved = Store(folder / "other.state"), folder / "saved"
    with store.running(*NEW):
        store.do("account", "ben")
        store.do("buy", "ben", "lifetime")
        code, text = store.do("save")
        saved.write_text(text)
        check("save prints the state", code == 0 and len(text.splitlines()) >= 2)
        store.do("advance", "10")
        store.do("account", "cleo")
        code, _ = store.do("load", str(saved))
        clock, accounts = store.get("/clock"), store.get("/accounts")["accounts"]
        check("load puts everything back", code == 0 and clock["now"] == STARTS_AT and [one["account"] for one in accounts] == ["ben"],
              (clock, accounts))
        code, text = store.do("load", str(folder / "shop.state"))
        check("another store's state is refused", code == 1 and json.loads(text)["code"] == "stateOfAnotherStore", text)


def check_refusals(folder, state):
    def start(*arguments):
        done = subprocess.run([TENURE, "simulate", "--port", "0", *arguments], cwd=ROOT, capture_output=True, text=True, timeout=30)
        return done.returncode, done.stderr

    broken = folder / "broken.state"
    broken.write_text(state.read_text().replace('"anna"', '"anne"'))
    code, words = start("--state", str(broken))
    check("a state that was changed is refused, with the reason", code != 0 and "changed" in words, words)
    broken.write_text("{}")
    code, words = start("--state", str(broken))
    check("an invalid state is refused, with the reason", code != 0 and "not a saved state" in words, words)
    code, words = start("--state", str(state), "--bundle", "com.example.other")
    check("another app is refused, with the reason", code != 0 and "com.example.shop" in words, words)
    code, words = start("--state", str(state), "--catalogue", "Examples/demo.storekit")
    check("another catalogue is refused, with the reason", code != 0 and "another catalogue" in words, words)
    code, words = start("--state", str(folder / "none.state"))
    check("a new store needs a catalogue, and says so", code != 0 and "--catalogue" in words, words)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        state = check_restart(folder)
        check_undo(folder)
        check_refusals(folder, state)
    return harness.summary()


if __name__ == "__main__":
    sys.exit(main())
