#!/usr/bin/env python3
"""Checks that every rule marked `built` in docs/rules.md has a test whose name starts with its id, and that this test kills the
committed mutations of that rule: Tests/Mutations/<id>.patch, and for what that one does not touch <id>.<word>.patch, such as ENT-10.client.patch of the
device SDK's half.

The pure rooms are copied to a folder of their own and built there once (package Rules/); then each mutation is applied, built, tested
and taken back. A mutation of `Ledger` is built and tested with that room alone first, which takes seconds. One of Client/ is judged by the
package Client/Linux, copied and built in the same way. Prints a table mutation -> tests -> verdict; exit 1 if a rule has no test, no
mutation, or a mutation that survives.

A mutation that was killed is not judged again while nothing that decides it has changed: the patch, the rooms that it touches and
those that they import, and the tests of the rule with the rooms that those import. Tests/killed-mutations.txt has a digest of all that for each
mutation (lines with only comments do not count).

Usage: scripts/rules.py [--full] [RULE...]      --full: judge all of them"""

import dataclasses
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
SUITES = [
    "PrimitivesTests", "StrictJSONTests", "AppStoreWireTests", "LedgerTests", "LedgerOracle", "LedgerOracleTests", "IntakeTests",
    "StorageRecordTests"]
CLIENT_COPY = WORK / "client"
CLIENT_ROOMS = {"TenureClient": "Client/Sources", "TenureStoreKit": "Client/Sources", "StoreKit": "Client/Linux/Sources"}
CLIENT_SUITES = {"TenureClientTests": "Client/Tests", "TenureStoreKitTests": "Client/Linux/Tests"}
KILLED = ROOT / "Tests/killed-mutations.txt"


@dataclasses.dataclass(frozen=True)
class Package:
    """What is built and tested, and where its sources and tests are: name -> folder, both from the root of the copy."""

    copy: pathlib.Path
    manifest: str
    scratch: str
    rooms: dict
    suites: dict
    environment: dict = dataclasses.field(default_factory=dict, hash=False)

    def swift(self, *arguments):
        return subprocess.run(
            ["swift", *arguments, "--package-path", str(self.copy / self.manifest), "--scratch-path", str(WORK / self.scratch)],
            capture_output=True, text=True, timeout=1800, env={**os.environ, **self.environment})

    def build(self):
        return self.swift("build", "--build-tests")

    def run_tests(self, mutation):
        """The tests of a mutation's rule; their names stand in backticks, so they begin with the id and a blank."""
        return self.swift("test", "--skip-build", "--filter", re.escape(f"`{rule_of(mutation)} ").replace("\\ ", " "))

    def folder(self, name):
        return ROOT / {**self.rooms, **self.suites}[name] / name


PURE = Package(COPY, ".", "build", dict.fromkeys(ROOMS, "Sources"), dict.fromkeys(SUITES, "Tests"), {"TENURE_LIVES": "60"})
LEDGER_ALONE = dataclasses.replace(PURE, scratch="build-ledger", environment={**PURE.environment, "LEDGER_ALONE": "rules"})
CLIENT = Package(CLIENT_COPY, "Client/Linux", "build-client", CLIENT_ROOMS, CLIENT_SUITES)


def built_rules():
    rules = []
    for line in (ROOT / "docs/rules.md").read_text().splitlines():
        match = re.match(r"\| ([A-Z]+-\d+) \| (built|later) \|", line)
        if match and match.group(2) == "built":
            rules.append(match.group(1))
    return rules


def rule_of(mutation):
    return mutation.split(".")[0]


def path_of(mutation):
    return ROOT / f"Tests/Mutations/{mutation}.patch"


def package_of(mutation):
    return CLIENT if path_of(mutation).exists() and b"\n+++ b/Client/" in path_of(mutation).read_bytes() else PURE


def mutations(rules):
    """The names of the mutations of rules: a first one that is missing has a name, too."""
    return [name for rule in rules for name in (rule, *sorted(path.stem for path in path_of(rule).parent.glob(f"{rule}.*.patch")))]


def copy_sources(package):
    """The sources and tests of a package without the symbolic links that lead to them: a mutation must not touch the real sources."""
    package.copy.mkdir(parents=True, exist_ok=True)
    if package is CLIENT:
        copy_client()
    else:
        shutil.copy(ROOT / "Rules/Package.swift", COPY / "Package.swift")
        # Pages whose text tests compare with the code.
        mirror(ROOT / "docs", COPY / "docs")
    for name in (*package.rooms, *package.suites):
        mirror(package.folder(name), package.copy / package.folder(name).relative_to(ROOT))


def copy_client():
    """The manifest of Client/Linux and everything that it names: folders, and links with what they lead to."""
    for place in ("Sources", "Tests"):
        for path in (ROOT / "Client/Linux" / place).iterdir():
            mirror(path.resolve(), CLIENT_COPY / path.resolve().relative_to(ROOT))
            copy = CLIENT_COPY / path.relative_to(ROOT)
            if path.is_symlink() and not copy.is_symlink():
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.symlink_to(os.readlink(path))
    for name in ("Package.swift", "Package.resolved"):
        if (ROOT / "Client/Linux" / name).exists():
            shutil.copy(ROOT / "Client/Linux" / name, CLIENT_COPY / "Client/Linux" / name)


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


def executed(output):
    counts = re.findall(r"Test run with (\d+) tests? in \d+ suites?", output)
    return max((int(count) for count in counts), default=0)


def main():
    started = time.monotonic()
    wanted = [argument for argument in sys.argv[1:] if argument != "--full"]
    names = mutations([rule for rule in built_rules() if not wanted or rule in wanted])
    digests = {name: digest(name) for name in names}
    killed = {} if "--full" in sys.argv[1:] else recorded()
    to_judge = [name for name in names if killed.get(name) != digests[name]]
    for package, words in ((PURE, "the pure rooms"), (CLIENT, "the device SDK")):
        count = sum(package_of(name) is package for name in to_judge)
        if not count:
            continue
        copy_sources(package)
        print(f"building {words}, to judge {count} mutations of {len(names)} …", flush=True)
        outcome = package.build()
        if outcome.returncode != 0:
            print(outcome.stdout[-4000:], outcome.stderr[-4000:])
            return 1
    # Before any mutation: the result of a rule's tests on the unchanged code.
    unchanged = {name: unchanged_verdict(name) for name in to_judge}
    failures, remembered = [], recorded()
    print(f"{'rule':14} {'tests':>5}  mutation")
    for name in names:
        if name not in to_judge:
            print(f"{name:14} {len(tests_of(name)):5}  killed before, and nothing has changed since", flush=True)
            continue
        count, verdict = unchanged[name]
        verdict = verdict or judge(name)
        print(f"{name:14} {count:5}  {verdict}", flush=True)
        # At once: a run that ends early, or with one that survives, need not be repeated for the others.
        if verdict == "killed":
            remembered[name] = digests[name]
        else:
            remembered.pop(name, None)
            failures.append(name)
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
    known = set(mutations(built_rules()))
    KILLED.write_text("".join(f"{name} {digests[name]}\n" for name in sorted(digests) if name in known))


def tests_of(mutation):
    """The suites with tests of the rule, once for each test; a test's name is in backticks and begins with the id."""
    found, package = [], package_of(mutation)
    for suite in package.suites:
        for path in sorted(package.folder(suite).rglob("*.swift")):
            found += [suite] * len(re.findall(rf"func `{re.escape(rule_of(mutation))} ", path.read_text()))
    return found


def digest(mutation):
    package = package_of(mutation)
    patch = path_of(mutation).read_bytes() if path_of(mutation).exists() else b""
    suites = set(tests_of(mutation))
    touched = set(re.findall(rb"^\+\+\+ b/(?:Client/)?Sources/(\w+)/", patch, re.MULTILINE))
    rooms = {name.decode() for name in touched}
    for suite in suites:
        rooms |= imports(package, suite)
    while True:
        more = set().union(*(imports(package, room) for room in rooms)) | rooms if rooms else rooms
        if more == rooms:
            break
        rooms = more
    sum = hashlib.sha256(patch)
    for folder in (package.folder(name) for name in (*sorted(rooms), *sorted(suites))):
        for path in sorted(folder.rglob("*.swift")):
            sum.update(str(path.relative_to(ROOT)).encode() + b"\0" + code(path))
    return sum.hexdigest()[:32]


def code(path):
    """The file without lines that are comments alone."""
    return "\n".join(line for line in path.read_text().splitlines() if not line.lstrip().startswith("//")).encode()


def imports(package, name):
    """The rooms of ours that the files of a room or a suite import."""
    names = set()
    for path in package.folder(name).rglob("*.swift"):
        names |= set(re.findall(r"^(?:@testable |package |public |private )?import (\w+)", path.read_text(), re.MULTILINE))
    return names & set(package.rooms)


def unchanged_verdict(mutation):
    """How many tests the rule has, and what is wrong before anything was changed."""
    outcome = package_of(mutation).run_tests(mutation)
    count = executed(outcome.stdout + outcome.stderr)
    if count == 0:
        return 0, "NO TEST"
    return count, None if outcome.returncode == 0 else "ITS TESTS FAIL"


def judge(mutation):
    """Applies a mutation to the copy, builds and runs its rule's tests; the next one begins from the sources as they are."""
    patch, package = path_of(mutation), package_of(mutation)
    if not patch.exists():
        return "NO MUTATION"
    copy_sources(package)
    applied = subprocess.run(
        ["patch", "-p1", "-s", "-f", "--no-backup-if-mismatch", "-r", "-", "-i", str(patch)], cwd=package.copy, capture_output=True, text=True)
    if applied.returncode != 0:
        return "MUTATION DOES NOT APPLY"
    touched = re.findall(r"^\+\+\+ b/(\S+)", patch.read_text(), re.MULTILINE)
    if all(path.startswith("Sources/Ledger/") for path in touched) and is_killed(mutation, LEDGER_ALONE):
        return "killed"
    killed = is_killed(mutation, package)
    return "MUTATION DOES NOT COMPILE" if killed is None else "killed" if killed else "SURVIVED"


def is_killed(mutation, package):
    """Whether a test of the rule fails under the mutation; None where it does not compile."""
    if package.build().returncode != 0:
        return None
    tested = package.run_tests(mutation)
    return tested.returncode != 0 and executed(tested.stdout + tested.stderr) > 0


if __name__ == "__main__":
    sys.exit(main())
