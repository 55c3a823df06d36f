#!/usr/bin/env python3
"""Drives `tenure init`, `tenure doctor` and the addresses of `tenure simulate do` from outside. What init writes must be what serve
takes, and nobody else's to read; what was planted wrong the doctor must find and name. Prints one line per check; the exit code is
1 when one failed."""

import contextlib
import http.server
import json
import os
import pathlib
import pty
import re
import select
import stat
import subprocess
import sys
import tempfile
import threading
import time

import harness
from harness import ROOT, TENURE, check, free_port, request, running

SHOP = ROOT / "Examples/shop.storekit"
LOCAL = ["init", "local", "--bundle", "com.example.shop", "--catalogue", str(SHOP)]
REAL = ["init", "real", "--bundle", "com.example.notes", "--product", "notes.monthly=plus", "--product", "notes.pro=plus,pro"]


def tenure(*arguments, folder=None):
    return subprocess.run([TENURE, *map(str, arguments)], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)


def content(folder):
    return json.loads((folder / "tenure.json").read_text())


def keys(folder):
    return dict(line.split("=", 1) for line in (folder / "keys.env").read_text().splitlines() if "=" in line and line[0] != "#")


# Init


def check_local(folder):
    outcome = tenure(*LOCAL, "--folder", folder / "local", "--port", free_port(), "--store-port", free_port())
    check("init local writes without a question where options say all", outcome.returncode == 0, outcome)
    local = folder / "local"
    names = {"tenure.json", "tenure.md", "keys.env", "store.pem", "store.clock"}
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in local.iterdir()}
    check("it writes these files, each for its owner alone", modes == dict.fromkeys(names, 0o600), modes)
    app = content(local)["apps"][0]
    check("the app is called as the last word of its bundle id", (app["id"], app["bundleId"]) == ("shop", "com.example.shop"), app)
    check("consumables give nothing, all else the one entitlement",
          sorted(app["products"]) == ["family.monthly", "lifetime", "plus.monthly", "plus.yearly", "pro.monthly", "season"]
          and set(map(tuple, app["products"].values())) == {("premium",)}, app["products"])
    check("the Sandbox, for everyone", (app["environments"], app["sandboxAccess"]) == (["Sandbox"], "everyone"), app)
    made = keys(local)
    check("the secrets are long and not the same", len({*made.values()}) == 4 and all(
        len(made[name]) >= 64 for name in ("TENURE_SERVER_KEY", "TENURE_CUSTOMER_TOKEN_SECRET")), list(made))
    check("serve takes what init wrote", tenure("serve", "--check", "--config", local / "tenure.json").returncode == 0)
    before = {path.name: path.read_bytes() for path in local.iterdir()}
    outcome = tenure(*LOCAL, "--folder", local)
    after = {path.name: path.read_bytes() for path in local.iterdir() if path.name in before}
    check("existing files are not changed", outcome.returncode == 1 and after == before and "Existing files" in outcome.stderr, outcome)
    (local / "tenure.json").unlink()
    outcome = tenure(*LOCAL, "--folder", local)
    check("nor are the others if one is missing", outcome.returncode == 1 and not (local / "tenure.json").exists(), outcome)
    outcome = tenure(*LOCAL, "--folder", local, "--force")
    check("new keys are not written beside data of the old ones", outcome.returncode == 1 and "tenure.sqlite belong" in outcome.stderr
          and keys(local) == made, outcome)
    (local / "tenure.sqlite").unlink()
    (local / "keys.env").chmod(0o644)
    outcome = tenure(*LOCAL, "--folder", local, "--force")
    check("--force writes all files again, readable by the owner alone", outcome.returncode == 0
          and keys(local)["TENURE_SERVER_KEY"] != made["TENURE_SERVER_KEY"]
          and stat.S_IMODE((local / "keys.env").stat().st_mode) == 0o600, outcome)


def check_real(folder):
    real = folder / "real"
    outcome = tenure(*REAL, "--folder", real, "--app-apple-id", 1234567890, "--sandbox-access", "qa-1,app-review", "--id", "n-1")
    written = content(real)
    app = written["apps"][0]
    check("init real trusts Apple alone, and goes by the machine's clock", outcome.returncode == 0
          and not {"trust", "clock", "localAppStore"} & set(written), written)
    check("with the Apple id both environments are taken", (app["id"], app["appAppleId"], app["environments"])
          == ("n-1", 1234567890, ["Production", "Sandbox"]), app)
    check("its testers and products are those of the options", app["sandboxAccess"] == {"testers": ["qa-1", "app-review"]}
          and app["products"] == {"notes.monthly": ["plus"], "notes.pro": ["plus", "pro"]}, app)
    check("serve takes that, too", tenure("serve", "--check", "--config", real / "tenure.json").returncode == 0)
    young = folder / "young"
    outcome = tenure(*REAL, "--folder", young)
    app = content(young)["apps"][0]
    check("without the Apple id only the Sandbox is accepted, and no customer is answered there yet", outcome.returncode == 0
          and "appAppleId" not in app and app["environments"] == ["Sandbox"] and app["sandboxAccess"] == {"testers": []}, app)


def check_refusals(folder):
    nowhere = folder / "nowhere"
    for name, arguments, words in (
        ("nothing at all", ["init"], "The first word is missing"),
        ("another word", ["init", "cloud"], "neither local nor real"),
        ("no bundle id", ["init", "local"], "--bundle is missing"),
        ("no catalogue", ["init", "local", "--bundle", "a.b"], "--catalogue is missing"),
        ("a catalogue that is not there", ["init", "local", "--bundle", "a.b", "--catalogue", "/nowhere.storekit"], "cannot be read"),
        ("no product", ["init", "real", "--bundle", "a.b"], "--catalogue is missing"),
        ("a product that gives nothing", [*REAL, "--product", "x="], "PRODUCT=ENTITLEMENT"),
        ("a product twice", [*REAL, "--product", "notes.pro=plus"], "twice"),
        ("a name with blanks", [*REAL, "--id", "my notes"], "--id is my notes"),
        ("a bundle id without letters", ["init", "real", "--bundle", "com.例", "--product", "a=b"], "--id is missing"),
        ("an Apple id of 0", [*REAL, "--app-apple-id", "0"], "must be a positive number"),
        ("a port that is none", [*REAL, "--port", "70000"], "--port is 70000"),
        ("a date after the year 9999", [*LOCAL, "--starts-at", "253402300800000"], "--starts-at is 253402300800000"),
        ("a clock that no store has", [*LOCAL, "--starts-at", "0"], ""),
    ):
        outcome = tenure(*arguments, "--folder", nowhere)
        check(f"init with {name} is refused with a message and writes nothing", outcome.returncode not in (0, -4, -5)
              and words in outcome.stderr and not nowhere.exists(), outcome)


def answer(folder, arguments, answers):
    """What a terminal shows where somebody answers each question."""
    process, terminal = pty.fork()
    if process == 0:
        os.execv(TENURE, [str(TENURE), *map(str, arguments)])
    shown, deadline = b"", time.monotonic() + 60
    while time.monotonic() < deadline:
        if not select.select([terminal], [], [], 1)[0]:
            continue
        try:
            piece = os.read(terminal, 4096)
        except OSError:  # Linux: its other end was closed
            break
        if not piece:
            break
        shown += piece
        if answers and shown.rstrip().endswith(b"?"):
            os.write(terminal, answers.pop(0).encode() + b"\n")
            shown += b"\n"
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), shown.decode()


def check_questions(folder):
    asked = folder / "asked"
    status, shown = answer(folder, ["init", "--folder", asked], ["real", "com.example.notes", SHOP.as_posix(), ""])
    check("at a terminal it asks, and an Apple id may come later", status == 0 and shown.count("?") >= 4
          and content(asked)["apps"][0]["environments"] == ["Sandbox"], shown)


# Doctor


def doctor(folder, *arguments):
    """Its exit status, and the lines by what they are about."""
    outcome = tenure("doctor", "--config", folder / "tenure.json", *arguments)
    lines = {match[2]: (match[1], match[3]) for match in re.finditer(r"^(ok|warning|problem) +([^:]+): (.*)$", outcome.stdout, re.MULTILINE)}
    return outcome.returncode, lines, outcome


def finds(name, folder, subject, grade, words, *arguments):
    status, lines, outcome = doctor(folder, *arguments)
    found = lines.get(subject, ("", ""))
    check(f"the doctor finds {name}", found[0] == grade and words in found[1] and ("To do: " in found[1]) == (grade != "ok")
          and status == (1 if grade == "problem" else 0), outcome)


@contextlib.contextmanager
def changed(folder, change):
    """The configuration with a fault."""
    path = folder / "tenure.json"
    good = path.read_text()
    wrong = json.loads(good)
    change(wrong, wrong["apps"][0])
    path.write_text(json.dumps(wrong))
    try:
        yield
    finally:
        path.write_text(good)


def check_planted(folder):
    real, local = folder / "real", folder / "local"
    status, lines, outcome = doctor(real)
    check("a good configuration has no problem", status == 0 and all(grade == "ok" for grade, _ in lines.values()), outcome)
    for name, where, change, subject, grade, words in (
        ("a mistyped member", real, lambda file, app: file.update(databse={}), "configuration", "problem", "databse is not a member"),
        ("Production alone", real, lambda file, app: app.update(environments=["Production"]), "environments of n-1", "problem",
         "Sandbox purchases of App Review and TestFlight"),
        ("the Sandbox alone", real, lambda file, app: app.update(environments=["Sandbox"]), "environments of n-1", "warning",
         "Purchases in the App Store are of Production"),
        ("a Sandbox that answers nobody", real, lambda file, app: app.update(sandboxAccess="nobody"), "sandboxAccess of n-1",
         "problem", "App Review and TestFlight"),
        ("no tester", real, lambda file, app: app.update(sandboxAccess={"testers": []}), "sandboxAccess of n-1", "problem",
         "App Review and TestFlight"),
        ("a foreign root beside Apple's", real, lambda file, app: file.update(trust={"additionalRootSHA256": ["ab" * 32]}), "trust",
         "problem", "its owner can sign purchases"),
        ("no secret for customer tokens", real, lambda file, app: app.pop("customerTokenSecret"), "customerTokenSecret of n-1",
         "warning", "devices cannot ask"),
        ("a database in no folder", real, lambda file, app: file.update(database={"sqlite": "/nowhere/tenure.sqlite"}), "database",
         "problem", "/nowhere/tenure.sqlite"),
        ("too few files that may be open", real, lambda file, app: file.update(http={"maximumConnections": 1000000}), "connections",
         "problem", "http.maximumConnections"),
        ("a clock that nobody writes", local, lambda file, app: file.update(clock={"file": "/nowhere/clock"}), "clock", "problem",
         "/nowhere/clock"),
        ("a root that is not the local App Store's", local,
         lambda file, app: file["trust"].update(additionalRootSHA256=["ab" * 32]), "localAppStore.authority", "problem",
         "rootNotTrusted"),
        ("no file with its keys", local, lambda file, app: file["localAppStore"].update(authority="/nowhere.pem"),
         "localAppStore.authority", "problem", "/nowhere.pem is missing"),
        ("a product that gives nothing", local, lambda file, app: (app["products"].pop("plus.yearly"), app.update(
            nonRenewingDurations={"season": "P1M"})), "localAppStore.catalogue", "warning", "plus.yearly can be bought"),
        ("a season without an end", local, lambda file, app: None, "localAppStore.catalogue", "warning", "season does not renew"),
    ):
        with changed(where, change):
            finds(name, where, subject, grade, words)
    (real / "tenure.json").chmod(0o644)
    finds("secrets that others can read", real, "secrets", "problem", "chmod 600")
    (real / "tenure.json").chmod(0o600)
    (real / "keys.env").chmod(0o640)
    finds("keys that others can read", real, "secrets", "problem", "keys.env")
    (real / "keys.env").chmod(0o600)
    status, lines, outcome = doctor(folder / "young")
    check("before the release it warns and says what is missing", status == 0
          and lines["sandboxAccess of notes"][0] == lines["environments of notes"][0] == "warning", outcome)
    outcome = tenure("doctor", "--config", folder / "nothing.json")
    check("a missing configuration is a problem", outcome.returncode == 1 and "problem  configuration" in outcome.stdout, outcome)


class Wrong(http.server.BaseHTTPRequestHandler):
    """Something else that listens where Tenure should."""

    def do_GET(self):
        self.answer(200, b"<html>It works!</html>")

    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        self.answer(502, b"Bad Gateway")

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def check_running(folder):
    """The store and the server by one configuration, and the doctor outside."""
    local = folder / "local"
    written = content(local)
    store, url = f"http://127.0.0.1:{written['localAppStore']['port']}", f"http://127.0.0.1:{written['http']['port']}"
    config = str(local / "tenure.json")
    finds("that no server runs", local, "server", "problem", "there is no answer", "--url", url)
    with running("simulate", "--config", config, live=f"{store}/control/v1/health/live"), \
            running("serve", "--config", config, live=f"{url}/health/live", environment={"TENURE_LOG_LEVEL": "error"}):
        started = time.monotonic()
        status, lines, outcome = doctor(local, "--url", url + "/")
        check("a running server is found well, in less than five seconds", status == 0 and lines["notifications of shop"][0] == "ok"
              and lines["server"][0] == lines["server's clock"][0] == "ok" and time.monotonic() - started < 5, outcome)
        check("the doctor says that nothing asks Apple", "no app has `apple`" in lines["asking Apple"][1], outcome)
        finds("a server of another configuration", folder / "real", "notifications of n-1", "problem", "does not serve n-1", "--url", url)
        # The store's clock is set to 1 January 2026.
        finds("a server whose clock is another", folder / "real", "server's clock", "problem", "signedDateInFuture", "--url", url)
        check_addresses(folder, store, written["localAppStore"]["port"])
        told = request("GET", f"{store}/control/v1/notifications")[1]["notifications"]
        check("the first own notification is accepted", [one["sendAttempts"][-1]["sendAttemptResult"] for one in told] == ["SUCCESS"], told)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Wrong) as wrong:
        threading.Thread(target=wrong.serve_forever, daemon=True).start()
        other = f"http://127.0.0.1:{wrong.server_port}"
        with changed(local, lambda file, app: file["http"].update(port=wrong.server_port)):
            outcome = tenure("serve", "--config", config)
            check("serve says that its port is taken", outcome.returncode == 1
                  and f"Another process listens at 127.0.0.1:{wrong.server_port} already" in outcome.stderr, outcome)
        finds("something else at that address", local, "server", "problem", "without a word of ours", "--url", other)
        finds("a proxy that does not let notifications through", local, "notifications of shop", "problem", "502", "--url", other)
        wrong.shutdown()
    outcome = tenure("doctor", "--config", local / "tenure.json", "--url", "127.0.0.1:8080")
    check("an invalid address is refused with a message", outcome.returncode != 0 and "--url is" in outcome.stderr, outcome)


def check_addresses(folder, store, port):
    """Where `simulate do` acts."""
    for name, arguments in (("an address without a path", ["--url", store]), ("one with a stroke", ["--url", store + "/"]),
                            ("one with the path", ["--url", store + "/control/v1"]), ("the path with a stroke", ["--url", store + "/control/v1/"]),
                            ("a port", ["--port", port])):
        outcome = tenure("simulate", "do", *arguments, "clock")
        check(f"do finds the store by {name}", outcome.returncode == 0 and '"now"' in outcome.stdout, outcome)
    for words in (["account", "anna"], ["buy", "anna", "plus.monthly"]):
        check(f"do does: {words[0]}", tenure("simulate", "do", "--port", port, *words).returncode == 0)
    for arguments, words in ((["--url", "ftp://x"], "--url is ftp://x"), (["--url", ""], "--url is"), (["--port", "0"], "1 to 65535"),
                             (["--url", store, "--port", port], "give one")):
        outcome = tenure("simulate", "do", *arguments, "clock")
        check(f"do refuses {arguments} with a message", outcome.returncode > 0 and words in outcome.stderr, outcome)
    scenario = folder / "one.scenario"
    scenario.write_text("expect show anna payment=succeeds\n")
    outcome = tenure("simulate", "play", scenario, "--url", store)
    check("play takes an address without a path, too", outcome.returncode == 0 and "1 expectations, 0 failed" in outcome.stdout, outcome)


def check_configuration(folder):
    """A local App Store beside Apple's roots would be a way to sign purchases."""
    real, local = folder / "real", folder / "local"
    with changed(real, lambda file, app: file.update(localAppStore={"catalogue": str(SHOP)})):
        outcome = tenure("serve", "--check", "--config", real / "tenure.json")
        check("localAppStore is refused where Apple's roots are trusted", outcome.returncode == 1 and "for tests" in outcome.stderr, outcome)
    outcome = tenure("simulate", "--config", real / "tenure.json")
    check("simulate says where a configuration has no local App Store", outcome.returncode == 1 and "tenure init local" in outcome.stderr, outcome)
    with changed(local, lambda file, app: file["localAppStore"].update(prot=1)):
        outcome = tenure("serve", "--check", "--config", local / "tenure.json")
        check("a mistyped member of it is refused", outcome.returncode == 1 and "localAppStore.prot is not a member" in outcome.stderr, outcome)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        check_local(folder)
        check_real(folder)
        check_refusals(folder)
        check_questions(folder)
        # Ports of its own: --force above took the usual ones.
        tenure(*LOCAL, "--folder", folder / "local", "--force", "--port", free_port(), "--store-port", free_port(),
               "--starts-at", 1767225600000)
        check_planted(folder)
        check_configuration(folder)
        check_running(folder)
    return harness.summary()


if __name__ == "__main__":
    sys.exit(main())
