#!/usr/bin/env python3
"""Drives the built `tenure` from outside, with independent code where there is any: Apple's server library, openssl, sqlite3,
Python's own hmac. Starts real processes on loopback and stops them. Prints one line per check; the exit code is 1 when one failed."""

import base64
import json
import pathlib
import re
import signal
import stat
import subprocess
import sys
import tempfile
import time

import harness
from harness import APPLE_ID, BUNDLE, ROOT, SECRET, TENURE, Keys, check, configuration, customer_token, free_port, request, running


def check_simulator():
    for environment in ("Production", "Sandbox"):
        port = free_port()
        arguments = ["simulate", "--catalogue", "Examples/demo.storekit", "--bundle", BUNDLE, "--app-apple-id", str(APPLE_ID),
                     "--environment", environment, "--port", str(port)]
        with running(*arguments, live=f"http://127.0.0.1:{port}/control/v1/health/live"):
            script = ROOT / "Tests/Peers/verify_simulator.py"
            outcome = subprocess.run(
                [sys.executable, script, f"http://127.0.0.1:{port}", BUNDLE, str(APPLE_ID), environment], capture_output=True, text=True)
            print("\n".join("     " + line for line in outcome.stdout.splitlines()))
            check(f"Apple's library verifies what the simulator signs ({environment})", outcome.returncode == 0, outcome.stderr)


def check_chain_with_openssl(jws, folder):
    header = json.loads(base64.urlsafe_b64decode(jws.split(".")[0] + "=="))
    names = []
    for index, certificate in enumerate(header["x5c"]):
        path = folder / f"{index}.pem"
        path.write_text(f"-----BEGIN CERTIFICATE-----\n{certificate}\n-----END CERTIFICATE-----\n")
        names.append(str(path))
    outcome = subprocess.run(
        ["openssl", "verify", "-x509_strict", "-CAfile", names[2], "-untrusted", names[1], names[0]], capture_output=True, text=True)
    check("openssl verifies the simulator's chain strictly", outcome.returncode == 0, outcome.stderr)


class World:
    """A local App Store and a server as two processes; the server goes by the machine's clock."""

    def __init__(self, folder):
        self.folder = folder
        self.keys = Keys()
        self.store_port, self.port = free_port(), free_port()
        self.store = f"http://127.0.0.1:{self.store_port}/control/v1"
        self.server = f"http://127.0.0.1:{self.port}"
        self.customers = f"{self.server}/api/v1/apps/demo/customers"
        self.backend = {"Authorization": f"Bearer {self.keys.server}"}

    def simulator(self):
        url = f"{self.server}/api/v1/apps/demo/apple/notifications"
        return running("simulate", "--catalogue", "Examples/demo.storekit", "--bundle", BUNDLE, "--app-apple-id", str(APPLE_ID),
                       "--environment", "Production", "--notification-url", url, "--port", str(self.store_port),
                       live=f"{self.store}/health/live")

    def write_configuration(self):
        self.path = self.folder / "tenure.json"
        root = request("GET", f"{self.store}/root")[1]["sha256"]
        self.path.write_text(json.dumps(configuration(self.keys, self.folder / "tenure.sqlite", self.port, [root])))

    def serving(self):
        return running("serve", "--config", str(self.path), live=f"{self.server}/health/live",
                       environment={"TENURE_APP_DEMO_CUSTOMER_TOKEN_SECRET": SECRET, "TENURE_LOG_LEVEL": "error"})

    def device(self, customer, **options):
        return {"Authorization": f"Bearer {self.keys.public}", "Tenure-Customer-Token": customer_token(customer, **options)}

    def entitlements(self, customer, headers=None):
        return request("GET", f"{self.customers}/{customer}/entitlements", headers=headers or self.backend)


def check_life(world):
    bought = request("POST", f"{world.store}/accounts", {"id": "ipad"})
    check("an Apple Account is opened", bought[0] == 201, bought)
    bought = request("POST", f"{world.store}/accounts/ipad/purchases", {"productId": "plus.monthly"})[1]
    status, answer = world.entitlements("alice")
    check("it is unclaimed, so no customer has it", status == 200 and answer["isActive"] is False, answer)
    upload = {"kind": "purchase", "signedTransactionInfo": bought["signedTransactionInfo"]}
    status, answer = request("POST", f"{world.customers}/alice/transactions", upload, world.device("alice"))
    check("alice's upload binds it", (status, answer.get("outcome")) == (200, "bound"), answer)
    status, answer = world.entitlements("alice", world.device("alice"))
    check("one Bool and two timestamps", status == 200 and answer["isActive"] is True and answer["end"] == bought["expiresDate"], answer)
    status, answer = request("POST", f"{world.customers}/bob/transactions", {**upload, "kind": "restore"}, world.device("bob"))
    check("bob's restore is refused with the rule and a masked hint",
          (status, answer.get("code"), answer.get("rule"), answer.get("hint")) == (409, "ownedByAnother", "OWN-9", "a…e"), answer)
    status, answer = request("GET", f"{world.server}/api/v1/apps/demo/subscriptions/{bought['originalTransactionId']}", headers=world.backend)
    check("the subscription explains itself", status == 200 and any("OWN-2" in line for line in answer["explain"]), answer)
    notifications = request("GET", f"{world.store}/notifications")[1]["notifications"]
    check("the notification was sent and answered 2xx", [n["sendAttempts"][0]["sendAttemptResult"] for n in notifications] == ["SUCCESS"], notifications)
    check_chain_with_openssl(bought["signedTransactionInfo"], world.folder)
    return bought


def check_doors(world):
    for name, headers in {
        "without a key": {}, "with a wrong key": {"Authorization": "Bearer sk_wrong"},
        "with the public key alone": {"Authorization": f"Bearer {world.keys.public}"},
        "with an expired token": world.device("alice", issued=time.time() - 3600),
        "with a token of another app": world.device("alice", app="other"),
        "with a token under another secret": world.device("alice", secret="x" * 40),
        "with a token for two days": world.device("alice", seconds=172800),
    }.items():
        status, answer = world.entitlements("alice", headers or {"X-None": "1"})
        check(f"{name}: 401", status == 401 and "code" in answer, answer)
    status, _ = world.entitlements("bob", world.device("alice"))
    check("with another customer's token: 403", status == 403)


def check_durability(world, bought):
    with world.serving() as process:
        process.kill()
        process.wait(timeout=10)
    with world.serving() as process:
        status, answer = world.entitlements("alice")
        check("after kill -9 and a new start the answer is the same", status == 200 and answer["end"] == bought["expiresDate"], answer)
        process.send_signal(signal.SIGTERM)
        check("SIGTERM ends it with 0", process.wait(timeout=30) == 0)
    database = str(world.folder / "tenure.sqlite")
    outcome = subprocess.run(["sqlite3", database, "PRAGMA integrity_check; SELECT count(*) FROM fact;"], capture_output=True, text=True)
    check("sqlite3 finds the file whole, with three facts", outcome.stdout.split() == ["ok", "3"], outcome)
    outcome = subprocess.run(["sqlite3", database, "UPDATE fact SET decoded = x''"], capture_output=True, text=True)
    check("sqlite3 cannot change a fact", "append-only" in outcome.stderr, outcome)


def check_descriptors(world):
    """Without descriptors a server spins: it must not begin."""
    for limit, code, words in (("1000", 1, "http.maximumConnections to 744"), ("100", 1, "Raise the limit"), ("5000", 0, "is good")):
        outcome = subprocess.run(
            ["bash", "-c", f'ulimit -Sn 64; ulimit -Hn {limit}; exec "$0" serve --check --config "$1"', TENURE, world.path],
            capture_output=True, text=True)
        check(f"T32 with {limit} descriptors: {words}", outcome.returncode == code and words in outcome.stdout + outcome.stderr, outcome)


def check_files(world):
    """T47: files of the program are readable by its own user alone, and a file with secrets that others may read is reported."""
    with world.serving():
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in world.folder.glob("tenure.sqlite*")}
    check("T47 the database and its log are for their owner alone", len(modes) > 1 and set(modes.values()) == {0o600}, modes)
    copy = world.folder / "copy.sqlite"
    outcome = subprocess.run([TENURE, "backup", "--config", world.path, "--to", copy], capture_output=True, text=True)
    check("T47 so is a backup", outcome.returncode == 0 and stat.S_IMODE(copy.stat().st_mode) == 0o600, outcome)
    content = json.loads(world.path.read_text())
    content["apps"][0]["customerTokenSecret"] = SECRET
    path = world.folder / "secret.json"
    path.write_text(json.dumps(content))
    for mode, is_told in ((0o644, True), (0o640, True), (0o600, False)):
        path.chmod(mode)
        outcome = subprocess.run([TENURE, "serve", "--check", "--config", path], capture_output=True, text=True)
        told = "contains secrets that other users can read" in outcome.stderr
        check(f"T47 a file with secrets of mode {mode:o}: {'told' if is_told else 'nothing'}", told == is_told, outcome)


def check_configuration_errors(world):
    good = json.loads(world.path.read_text())
    for name, change, words in (
        ("a mistyped member", {"databse": {}}, "databse is not a member"),
        ("no root at all", {"trust": {"appleRoots": False}}, "trust names no root"),
        ("no app", {"apps": []}, "apps is missing or empty"),
        ("a database in no folder", {"database": {"sqlite": "/nowhere/tenure.sqlite"}}, "/nowhere/tenure.sqlite"),
    ):
        path = world.folder / "wrong.json"
        path.write_text(json.dumps({**good, **change}))
        outcome = subprocess.run([TENURE, "serve", "--check", "--config", path], capture_output=True, text=True)
        check(f"{name} is refused with a message", outcome.returncode != 0 and words in outcome.stderr, outcome.stderr)


def check_demo():
    outcome = subprocess.run([TENURE, "demo"], cwd=ROOT, capture_output=True, text=True, timeout=120)
    total = re.search(r"All (\d+) answers are right", outcome.stdout)
    check("the demo ends by itself with 0", outcome.returncode == 0 and total is not None, outcome.stderr)
    count = int(total.group(1)) if total else 0
    caught = 0
    for number in range(1, count + 1):
        planted = subprocess.run([TENURE, "demo", "--plant-wrong-answer", str(number)], cwd=ROOT, capture_output=True, text=True, timeout=120)
        caught += planted.returncode != 0 and f"1 of {count} answers are wrong" in planted.stderr
    check(f"each of its {count} answers, falsified, fails the command", count > 20 and caught == count, f"{caught} caught")


def main():
    with tempfile.TemporaryDirectory() as folder:
        world = World(pathlib.Path(folder))
        with world.simulator():
            world.write_configuration()
            with world.serving():
                bought = check_life(world)
                check_doors(world)
            check_durability(world, bought)
        check_files(world)
        check_descriptors(world)
        check_configuration_errors(world)
    check_simulator()
    check_demo()
    return harness.summary()


if __name__ == "__main__":
    sys.exit(main())
