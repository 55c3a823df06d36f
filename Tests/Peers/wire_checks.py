"""Counts checks, and asks the built `tenure` about artifacts."""

import concurrent.futures
import dataclasses
import json
import pathlib
import subprocess
import threading

from harness import APPLE_ID as APPLE_ID
from harness import BUNDLE as BUNDLE
from harness import TENURE

# The reason of a refusal as a person would describe it. Apple's library says less than that, ours more.
FORM, CHAIN, SIGNATURE, APP, ENVIRONMENT, PAYLOAD = "form", "chain", "signature", "app identifier", "environment", "payload"


class Checks:
    """Prints what fails, and one line for each group that does not."""

    def __init__(self):
        self.count = self.failed = self.skipped = self.on_purpose = 0
        self.group = [0, 0, 0]

    def check(self, name, is_true, detail=""):
        self.count += 1
        self.failed += not is_true
        if not is_true:
            print(f"FAIL {name}: {str(detail)[:400]}", flush=True)

    def skip(self, name, required):
        """What is not there was skipped, or was insisted on."""
        self.skipped += not required
        if required:
            self.check(name, False, "the fixture is required and absent")

    def differs(self, count=1):
        self.on_purpose += count

    def finish(self, title):
        count, failed, on_purpose = (now - then for now, then in zip((self.count, self.failed, self.on_purpose), self.group))
        self.group = [self.count, self.failed, self.on_purpose]
        words = f", {on_purpose} of them differences on purpose" if on_purpose else ""
        print(f"{'FAIL' if failed else 'ok  '} {title}: {count} checks, {failed} failed{words}", flush=True)

    def summary(self):
        words = f", {self.on_purpose} differences on purpose, {self.skipped} skipped"
        return f"peers: {self.count} checks, {self.failed} failed{words}"


@dataclasses.dataclass(frozen=True)
class Answer:
    """What `tenure inspect` said."""

    status: int
    code: str
    report: dict

    @property
    def is_accepted(self):
        return self.status == 0

    @property
    def holds_inside(self):
        """Nobody signed it, and everything that is signed in it is proved."""
        inside = self.report.get("inside", [])
        return (self.status, self.code) == (3, "notSigned") and bool(inside) and all(one["verified"] for one in inside)


def inspect(artifact, *options):
    """Asks about one artifact: a text or bytes. Anything but the documented exit statuses is an error of the program's."""
    content = artifact if isinstance(artifact, bytes) else artifact.encode("utf-8", "surrogatepass")
    outcome = subprocess.run([TENURE, "inspect", *map(str, options), "-"], input=content, capture_output=True, timeout=60)
    code = outcome.stderr.decode().partition("\n")[0].split(":")[0].strip() if outcome.returncode else ""
    report = json.loads(outcome.stdout) if outcome.stdout else {}
    return Answer(outcome.returncode, code, report)


def run_tenure(*arguments):
    return subprocess.run([TENURE, *map(str, arguments)], capture_output=True, text=True, timeout=60)


def side_by_side(function, items):
    """The results in order; two at a time, since each is a separate process."""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return list(pool.map(function, items))


def written(folder, name, content):
    """A file that is there whole or not at all: two cases may write the same one while a third process reads it."""
    path = pathlib.Path(folder) / name
    draft = path.with_name(f"{name}.{threading.get_ident()}")
    draft.write_bytes(content)
    draft.replace(path)
    return path
