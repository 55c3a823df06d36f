#!/usr/bin/env python3
"""What memory a server takes that looks through what Apple told of thousands of subscriptions: flat, once SQLite's page caches are full (64 MiB of the
writer's, 8 MiB of each reader's), which 40,000 do not reach in their first half. Nothing was delivered, and an operator asks for the sweep.
Usage: apple_memory.py [NOTIFICATIONS]; exits with 1 where the second half takes more than a tenth more than the first. The local App Store keeps
180 days, about seven notifications of each subscription."""

import concurrent.futures
import pathlib
import sqlite3
import sys
import tempfile
import time

import harness
from apple_run import STARTS_AT, World
from harness import check, mebibytes

DAY = 86_400_000
EACH = 7
LAST_DAY = 176


def count_of(world):
    """How many notifications the server keeps: the bytes of each are one document."""
    database = sqlite3.connect(world.folder / "tenure.sqlite")
    try:
        return database.execute("SELECT count(*) FROM evidence").fetchone()[0]
    finally:
        database.close()


def measured(folder, wanted):
    folder.mkdir()
    world = World(folder)
    with world.simulator():
        accounts = wanted // EACH

        def buy(number):
            world.do("/accounts", {"id": f"c{number}"})
            world.do(f"/accounts/c{number}/purchases", {"productId": "plus.monthly"})

        with concurrent.futures.ThreadPoolExecutor(max_workers=4) as pool:
            list(pool.map(buy, range(accounts)))
        for day in range(1, LAST_DAY + 1):
            world.do("/clock/advance", {"to": STARTS_AT + day * DAY})
        with world.serving(world.write_configuration(sharePercent=100)) as server:
            begun, before = time.monotonic(), mebibytes(server, "VmRSS")
            world.ask("/apple/sweeps", {"from": STARTS_AT - DAY})
            # A budget by the store's clock lasts as long as that moves.
            minute, seen, half = 0, 0, 0.0
            while world.ask("/apple")["sweeps"]:
                minute += 1
                world.do("/clock/advance", {"to": STARTS_AT + LAST_DAY * DAY + minute * 60_000})
                time.sleep(1)
                if not half and (seen := count_of(world)) >= accounts * EACH // 2:
                    half = mebibytes(server, "VmHWM")
            most, kept = mebibytes(server, "VmHWM"), count_of(world)
            print(f"     {kept} notifications of {accounts} subscriptions: {before:.0f} MiB before, at most {half:.0f} MiB in the first half, "
                  f"{most:.0f} MiB in all, {time.monotonic() - begun:.0f} s", flush=True)
            check(f"all of {wanted} are kept", kept >= accounts * EACH * 9 // 10, kept)
            check("the first half was measured before the end", half and seen <= kept * 9 // 10, seen)
            check("the memory of a sweep does not grow with what is swept", most <= 1.1 * half, (half, most))


def main():
    with tempfile.TemporaryDirectory() as name:
        measured(pathlib.Path(name) / "site", int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
    return harness.summary()


if __name__ == "__main__":
    sys.exit(main())
