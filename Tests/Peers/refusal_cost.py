#!/usr/bin/env python3
"""What a refusal costs the server: processor time for a request that is refused because too many came (429) and for one with a wrong key (401), beside one to
/health/live, which does nothing, in turns on the same server. To be run with a release build: TENURE_BINARY=.build/release/tenure. Prints one line per
check; the exit code is 1 when one failed.

SECONDS (3) for each turn, ROUNDS (5)."""

import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

import harness
from books_material import Books, Signer
from harness import check
from keys_run import with_checksum

SECONDS, ROUNDS = int(os.environ.get("SECONDS", 3)), int(os.environ.get("ROUNDS", 5))


def processor_seconds(process):
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def cost(process, url, key=None):
    """Microseconds of processor time for a request, and how many were asked."""
    before = processor_seconds(process)
    headers = ["-H", f"Authorization: Bearer {key}"] if key else []
    outcome = subprocess.run(["wrk", "-t1", "-c16", f"-d{SECONDS}s", *headers, url], capture_output=True, text=True, check=True).stdout
    count = int(re.search(r"(\d+) requests in", outcome).group(1))
    return 1e6 * (processor_seconds(process) - before) / count


def main():
    with tempfile.TemporaryDirectory() as name:
        books = Books(pathlib.Path(name), Signer(pathlib.Path(name)))
        books.content["apps"][0]["limits"] = {"serverKeyPerMinute": 1}
        books.write_configuration(http={**books.content.get("http", {}), "wrongKeysPerMinute": 0})
        with books.serving() as process:
            path = f"{books.customers}/alice/entitlements"
            harness.request("GET", path, headers=books.backend)
            status = harness.request("GET", path, headers=books.backend)[0]
            asked = {"empty": (f"{books.server}/health/live", None), "429": (path, books.keys.server), "401": (path, with_checksum("tnr_sk_" + "1" * 22))}
            for url, key in asked.values():
                cost(process, url, key)
            turns = {name: [] for name in asked}
            for _ in range(ROUNDS):
                for name, (url, key) in asked.items():
                    turns[name].append(cost(process, url, key))
            empty, limited, wrong = (statistics.median(turns[name]) for name in ("empty", "429", "401"))
            # All three are read, routed and answered; what is compared is what the refusal adds to that.
            check(f"a request beyond the limit is 429 and costs {limited:.1f} us of processor time, {limited - empty:+.1f} beside an empty route's {empty:.1f}: {(limited - empty) / empty:.2f} of it", status == 429 and limited - empty <= 0.2 * empty)
            unknown = harness.request("GET", path, headers={"Authorization": f"Bearer {asked['401'][1]}"})[0]
            check(f"a wrong key costs {wrong:.1f} us, {wrong / empty:.2f} of an empty route", unknown == 401 and wrong <= 1.2 * empty)
    return harness.summary()


if __name__ == "__main__":
    sys.exit(main())
