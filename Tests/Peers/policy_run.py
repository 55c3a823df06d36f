#!/usr/bin/env python3
"""Drives versions of the policy from outside (docs/operations/policy.md), on SQLite and on PostgreSQL: `tenure policy`,
`tenure what-if`, readiness by HTTP, and the work that goes through what is kept, as sqlite3 and psql see it. Prints one line
per check; the exit code is 1 when one failed."""

import csv
import json
import pathlib
import re
import sys
import tempfile
import time

import harness
from books_material import Books, Signer, original_id
from harness import check, request
from private_postgres import private_postgres, psql

SUBSCRIPTIONS = 60  # more than one transaction of the work writes


class PolicyBooks:
    """Books in either database, and a file for each policy."""

    def __init__(self, folder, signer, name, postgres=None):
        self.books, self.postgres, self.name = Books(folder, signer, name=name), postgres, name
        if postgres:
            self.books.content["database"] = {"postgres": postgres}
        self.keep = self.write("keep", {"policy": {"onRestore": "keep"}})
        self.transfer = self.write("transfer", {"policy": {"onRestore": "transfer"}})
        self.use(self.keep)

    def write(self, name, changes):
        content = json.loads(json.dumps(self.books.content))
        content["apps"][0].update(changes)
        path = self.books.folder / f"{self.name}-{name}.json"
        path.write_text(json.dumps(content))
        return path

    def use(self, path):
        self.books.path = path

    def tenure(self, path, *arguments):
        kept, self.books.path = self.books.path, path
        outcome = self.books.tenure(*arguments)
        self.books.path = kept
        return outcome

    def sql(self, statement):
        return psql(self.postgres, statement) if self.postgres else self.books.sql(statement)

    def check(self, name, is_true, detail=""):
        check(f"{name} ({self.name})", is_true, detail)

    def claim(self, number, customer, kind, status):
        body = {"kind": kind, "signedTransactionInfo": self.books.signer.jws(self.books.signer.transaction(number, 2))}
        answer = request("POST", f"{self.books.customers}/{customer}/transactions", body, self.books.backend)
        if answer[0] != status:
            self.check(f"{customer}'s {kind} of {number}: {status}", False, answer)

    def is_active(self, customer):
        return self.books.entitlements(customer)[1]["isActive"]

    def ready(self):
        return request("GET", f"{self.books.server}/health/ready")

    def status(self, path):
        return self.tenure(path, "policy", "status")


def check_trying(world, began):
    """What-if and the code, with servers at work; whatever it prints is the same as what later happens."""
    rows_before = world.sql("SELECT count(*) FROM audit")
    outcome = world.tenure(world.keep, "what-if", "--from", began)
    world.check(
        "what-if with what is in force says that nothing would differ, and with what it compared",
        outcome.returncode == 0 and "version 1" in outcome.stdout and "Nothing would differ" in outcome.stdout,
        outcome,
    )
    path = world.books.folder / f"{world.name}-list.csv"
    outcome = world.tenure(world.transfer, "what-if", "--from", began, "--csv", path)
    code = re.search(r"Confirmation code: (\S+)", outcome.stdout)
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    of_bob = [row for row in rows if row["customer"] == "bob" and row["subscription"]]
    of_others = [row for row in rows if row["customer"] != "bob" and row["subscription"]]
    world.check(
        "what-if lists who would gain and who would lose, as a CSV that Python reads",
        outcome.returncode == 0
        and len(of_bob) == len(of_others) == SUBSCRIPTIONS
        and {row["effect"] for row in of_bob} == {"gains"}
        and {row["effect"] for row in of_others} == {"loses"}
        and {row["rule"] for row in of_bob} == {"OWN-9"}
        and {row["rule"] for row in of_others} == {"OWN-2"},
        (outcome.stdout, len(of_bob), len(of_others), rows[:3]),
    )
    world.check("what-if changes nothing", world.sql("SELECT count(*) FROM audit") == rows_before)
    return code.group(1) if code else ""


def check_applying(world, began, code):
    for name, arguments, words in (
        ("without a code", ["--from", began], "what-if"),
        ("with the code of something else", ["--from", began, "--confirm", "0000-0000-0000"], "what-if"),
        ("with the code of another instant", ["--from", str(int(began) + 1), "--confirm", code], "what-if"),
        ("with an instant that is none", ["--from", "yesterday"], "milliseconds since 1970"),
        ("of an app that is not configured", ["--app", "other"], "configured: demo"),
    ):
        outcome = world.tenure(world.transfer, "policy", "apply", *arguments)
        world.check(f"changing the past {name} is refused with a message", outcome.returncode != 0 and words in outcome.stderr, outcome)
    world.check("and no version was created", len(world.sql("SELECT number FROM settingsVersion")) == 1)
    outcome = world.tenure(
        world.transfer, "policy", "apply", "--from", began, "--confirm", code, "--actor", "olga")
    world.check(
        "with its code it holds from then", outcome.returncode == 0 and "Version 2 of demo holds from" in outcome.stdout, outcome)


def wait_until_worked_through(world):
    """A minute at the most in between: a lease of a server that is gone must end first."""
    for _ in range(1200):
        outcome = world.status(world.transfer)
        if "Everything is applied." in outcome.stdout:
            return outcome
        time.sleep(0.1)
    return outcome


def check_what_came_of_it(world):
    outcome = wait_until_worked_through(world)
    world.check(
        "policy status says that everything is applied, by whom, and exits with 0",
        outcome.returncode == 0
        and re.search(r"version 2 of .* by olga; the file has the same content", outcome.stdout) is not None,
        outcome,
    )
    world.check("bob has what the restores move under the new version", world.is_active("bob") is True)
    world.check("and they who had them have them no longer", not any(world.is_active(f"ann{n}") for n in (0, 29, 59)))
    rows = world.sql("SELECT auditRow FROM audit")
    of_version = [json.loads(row) for row in rows if "settingsVersion" in row]
    world.check(
        "each subscription has two rows of audit that name the version, and the operator as who did it",
        len(of_version) == 2 * SUBSCRIPTIONS and {row["actor"] for row in of_version} == {"operatorOfTenure"},
        (len(of_version), of_version[:1]),
    )
    answer = request("GET", f"{world.books.server}/api/v1/apps/demo/subscriptions/{original_id(7)}", headers=world.books.backend)
    world.check(
        "the subscription explains it", answer[0] == 200 and any("Version 2" in line for line in answer[1]["explain"]),
        answer[1]["explain"])
    outcome = world.tenure(world.transfer, "verify")
    world.check("tenure verify finds the books whole", outcome.returncode == 0, outcome)


def check_rollback(world):
    outcome = world.status(world.keep)
    world.check(
        "policy status of the old file: exit 1, and says that a server with it is not ready",
        outcome.returncode == 1 and "a server with it is not ready" in outcome.stdout,
        outcome,
    )
    with world.books.serving():
        status, answer = world.ready()
        world.check(
            "a server that is started with the old file is unready: 503 settingsSuperseded, with the numbers",
            (status, answer.get("code"), answer.get("rule")) == (503, "settingsSuperseded", "OWN-17")
            and "version 1" in answer["detail"]
            and "version 2" in answer["detail"],
            (status, answer),
        )
        world.check("but it answers, by the version in force", world.is_active("bob") is True)
        outcome = world.tenure(world.keep, "policy", "apply")
        world.check("going back without --again is refused, and named", outcome.returncode != 0 and "--again" in outcome.stderr, outcome)
        outcome = world.tenure(world.keep, "policy", "apply", "--again", "--actor", "olga")
        world.check("with --again it is version 3", outcome.returncode == 0 and "Version 3 of demo" in outcome.stdout, outcome)
        world.check("and the server is ready without a restart", world.ready()[0] == 200, world.ready())
        outcome = world.tenure(world.keep, "policy", "apply")
        world.check(
            "what is in force is not applied again", outcome.returncode == 0 and "nothing was applied" in outcome.stdout, outcome)
        outcome = world.tenure(world.keep, "policy", "show")
        numbers = re.findall(r"^(\d+)  ", outcome.stdout, re.MULTILINE)
        documents = [json.loads(line) for line in outcome.stdout.splitlines() if line.startswith("   ")]
        world.check(
            "policy show prints every version with its document",
            numbers == ["1", "2", "3"] and len(documents) == 3 and documents[0] == documents[2] != documents[1],
            outcome,
        )
        world.check("bob keeps what he has: restoring an earlier version does not change the past", world.is_active("bob") is True)


def check_database(folder, signer, name, postgres=None):
    world = PolicyBooks(folder, signer, name, postgres)
    outcome = world.status(world.keep)
    began = str(int(time.time() * 1000))
    with world.books.serving():
        world.check("the first file that is served is version 1", world.status(world.keep).returncode == 0)
        for number in range(SUBSCRIPTIONS):
            world.claim(number, f"ann{number}", "purchase", 200)
            world.claim(number, "bob", "restore", 409)
        world.check("under keep bob has nothing", world.is_active("bob") is False)
        code = check_trying(world, began)
        check_applying(world, began, code)
        check_what_came_of_it(world)
    check_rollback(world)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        signer = Signer(folder)
        check_database(folder, signer, "SQLite")
        with private_postgres() as url:
            check_database(folder, signer, "PostgreSQL", url)
    return harness.summary()


if __name__ == "__main__":
    sys.exit(main())
