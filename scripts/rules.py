#!/usr/bin/env python3
"""Checks that every rule marked `built` in docs/rules.md has a test whose name starts with its id, and that this test kills the
committed mutation of that rule (Tests/Mutations/<id>.patch).

The pure rooms are copied to a folder of their own and built there once (package Rules/); then each mutation is applied, built, tested
and taken back. A mutation of `Ledger` is built and tested with that room alone first, which takes seconds. Prints a table rule -> tests -> mutation; exit 1 if a rule has no test, no mutation, or a mutation that survives.

A mutation that was killed is not judged again while nothing that decides it has changed: the patch, the rooms that it touches and
those that they import, and the tests of the rule with the rooms that those import. Tests/killed-mutations.txt has a digest of all that for each
rule (lines with only comments do not count); it is rewritten if every mutation was killed.

Usage: scripts/rules.py [--full] [RULE...]      --full: judge all of them"""

import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / ".build-rules"
COPY = WORK / "copy"
ROOMS = ["Primitives", "StrictJSON", "AppStoreWire", "SimulatorPKI", "Ledger", "Intake", "Storage"]
KILLED = ROOT / "Tests/killed-mutations.txt"
SUITES = [
    "PrimitivesTests", "StrictJSONTests", "AppStoreWireTests", "LedgerTests", "LedgerOracle", "LedgerOracleTests", "IntakeTests",
    "StorageRecordTests"]


def built_rules():
    rules = []
    for line in (ROOT / "docs/rules.md").read_text().splitlines():
        match = re.match(r"\| ([A-Z]+-\d+) \| (built|later) \|", line)
        if match and match.group(2) == "built":
            rules.append(match.group(1))
    return rules


def copy_sources():
    """The same tree as the package Rules/, without its symbolic links: a mutation must not touch the real sources."""
    COPY.mkdir(parents=True, exist_ok=True)
    shutil.copy(ROOT / "Rules/Package.swift", COPY / "Package.swift")
    # Pages whose text tests compare with the code.
    mirror(ROOT / "docs", COPY / "docs")
    for folder, names in (("Sources", ROOMS), ("Tests", SUITES)):
        for name in names:
            mirror(ROOT / folder / name, COPY / folder / name)


def mirror(source, target):
    """Copies what differs and removes what is gone, so that an unchanged file keeps its date and is not built again."""
    wanted = {path.relative_to(source) for path in source.rglob("*") if path.is_file()}
    for path in sorted(target.rglob("*")):
        if path.is_file() and path.relative_to(target) not in wanted:
            path.unlink()
    for name in wanted:
        text, copy = (source / name).read_bytes(), target / name
        if not copy.exists() or copy.read_bytes() != text:
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(text)


def swift(*arguments, alone=False, timeout=1800):
    environment = {**os.environ, "TENURE_LIVES": "60", **({"LEDGER_ALONE": "rules"} if alone else {})}
    scratch = WORK / ("build-ledger" if alone else "build")
    return subprocess.run(
        ["swift", *arguments, "--package-path", str(COPY), "--scratch-path", str(scratch)],
        capture_output=True, text=True, timeout=timeout, env=environment)


def build(alone=False):
    return swift("build", "--build-tests", alone=alone)


def run_tests(rule, alone=False):
    """The tests of one rule; their names stand in backticks, so they begin with the id and a blank."""
    return swift("test", "--skip-build", "--filter", re.escape(f"`{rule} ").replace("\\ ", " "), alone=alone)


def executed(output):
    counts = re.findall(r"Test run with (\d+) tests? in \d+ suites?", output)
    return max((int(count) for count in counts), default=0)


def main():
    started = time.monotonic()
    wanted = [argument for argument in sys.argv[1:] if argument != "--full"]
    rules = [rule for rule in built_rules() if not wanted or rule in wanted]
    digests = {rule: digest(rule) for rule in rules}
    killed = {} if "--full" in sys.argv[1:] else recorded()
    to_judge = [rule for rule in rules if killed.get(rule) != digests[rule]]
    if to_judge:
        copy_sources()
        print(f"building the pure rooms, to judge {len(to_judge)} mutations of {len(rules)} …", flush=True)
        outcome = build()
        if outcome.returncode != 0:
            print(outcome.stdout[-4000:], outcome.stderr[-4000:])
            return 1
    # Before any mutation: the result of a rule's tests on the unchanged code.
    unchanged = {rule: unchanged_verdict(rule) for rule in to_judge}
    failures, remembered = [], recorded()
    print(f"{'rule':9} {'tests':>5}  mutation")
    for rule in rules:
        if rule not in to_judge:
            print(f"{rule:9} {len(tests_of(rule)):5}  killed before, and nothing has changed since", flush=True)
            continue
        count, verdict = unchanged[rule]
        verdict = verdict or judge(rule)
        print(f"{rule:9} {count:5}  {verdict}", flush=True)
        # At once: a run that ends early, or with one that survives, need not be repeated for the others.
        if verdict == "killed":
            remembered[rule] = digests[rule]
        else:
            remembered.pop(rule, None)
            failures.append(rule)
        record(remembered)
    print(f"{time.monotonic() - started:.0f} s")
    if failures:
        print("not shown: " + ", ".join(failures))
        return 1
    return 0


# What decides whether a mutation is killed


def recorded():
    if not KILLED.exists():
        return {}
    return dict(line.split() for line in KILLED.read_text().splitlines())


def record(digests):
    known = set(built_rules())
    KILLED.write_text("".join(f"{rule} {digests[rule]}\n" for rule in sorted(digests) if rule in known))


def tests_of(rule):
    """The files with tests of the rule, once for each test; a test's name is in backticks and begins with the id."""
    found = []
    for suite in SUITES:
        for path in sorted((ROOT / "Tests" / suite).rglob("*.swift")):
            found += [path] * len(re.findall(rf"func `{re.escape(rule)} ", path.read_text()))
    return found


def digest(rule):
    patch = (ROOT / f"Tests/Mutations/{rule}.patch").read_bytes() if (ROOT / f"Tests/Mutations/{rule}.patch").exists() else b""
    suites = {path.relative_to(ROOT / "Tests").parts[0] for path in tests_of(rule)}
    touched = set(re.findall(rb"^\+\+\+ b/Sources/(\w+)/", patch, re.MULTILINE))
    rooms = {name.decode() for name in touched}
    for suite in suites:
        rooms |= imports(ROOT / "Tests" / suite)
    while True:
        more = set().union(*(imports(ROOT / "Sources" / room) for room in rooms)) | rooms if rooms else rooms
        if more == rooms:
            break
        rooms = more
    folders = [ROOT / "Sources" / room for room in sorted(rooms)] + [ROOT / "Tests" / suite for suite in sorted(suites)]
    sum = hashlib.sha256(patch)
    for folder in folders:
        for path in sorted(folder.rglob("*.swift")):
            sum.update(str(path.relative_to(ROOT)).encode() + b"\0" + code(path))
    return sum.hexdigest()[:32]


def code(path):
    """The file without lines that are comments alone."""
    return "\n".join(line for line in path.read_text().splitlines() if not line.lstrip().startswith("//")).encode()


def imports(folder):
    """The rooms of ours that the files of a folder import."""
    names = set()
    for path in folder.rglob("*.swift"):
        names |= set(re.findall(r"^(?:@testable |package |public |private )?import (\w+)", path.read_text(), re.MULTILINE))
    return names & set(ROOMS)


def unchanged_verdict(rule):
    """How many tests the rule has, and what is wrong before anything was changed."""
    outcome = run_tests(rule)
    count = executed(outcome.stdout + outcome.stderr)
    if count == 0:
        return 0, "NO TEST"
    return count, None if outcome.returncode == 0 else "ITS TESTS FAIL"


def judge(rule):
    """Applies the rule's mutation to the copy, builds and runs its tests; the next one begins from the sources as they are."""
    patch = ROOT / f"Tests/Mutations/{rule}.patch"
    if not patch.exists():
        return "NO MUTATION"
    copy_sources()
    applied = subprocess.run(
        ["patch", "-p1", "-s", "-f", "--no-backup-if-mismatch", "-r", "-", "-i", str(patch)], cwd=COPY, capture_output=True, text=True)
    if applied.returncode != 0:
        return "MUTATION DOES NOT APPLY"
    touched = re.findall(r"^\+\+\+ b/(\S+)", patch.read_text(), re.MULTILINE)
    if all(path.startswith("Sources/Ledger/") for path in touched) and is_killed(rule, alone=True):
        return "killed"
    killed = is_killed(rule, alone=False)
    return "MUTATION DOES NOT COMPILE" if killed is None else "killed" if killed else "SURVIVED"


def is_killed(rule, alone):
    """Whether a test of the rule fails under the mutation; None where it does not compile."""
    if build(alone).returncode != 0:
        return None
    tested = run_tests(rule, alone)
    return tested.returncode != 0 and executed(tested.stdout + tested.stderr) > 0


if __name__ == "__main__":
    sys.exit(main())
