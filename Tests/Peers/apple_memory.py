#!/usr/bin/env python3
"""What memory a server takes that looks through what Apple told of thousands of subscriptions: flat, however much it is. Nothing was delivered, and
an operator asks for the sweep. Usage: apple_memory.py [NOTIFICATIONS...]; prints a line for each, and exits with 1 where ten times as many take more
than a fifth more. The local App Store keeps 180 days, about seven notifications of each subscription."""

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
            minute = 0
            while world.ask("/apple")["sweeps"]:
                minute += 1
                world.do("/clock/advance", {"to": STARTS_AT + LAST_DAY * DAY + minute * 60_000})
                time.sleep(1)
            most, kept = mebibytes(server, "VmHWM"), count_of(world)
            print(f"     {kept} notifications of {accounts} subscriptions: {before:.0f} MiB before, at most {most:.0f} MiB, "
                  f"{time.monotonic() - begun:.0f} s", flush=True)
            check(f"all of {wanted} are kept", kept >= accounts * EACH * 9 // 10, kept)
            return most


def main():
    sizes = [int(argument) for argument in sys.argv[1:]] or [10_000, 100_000]
    with tempfile.TemporaryDirectory() as name:
        figures = [measured(pathlib.Path(name) / str(size), size) for size in sizes]
    if len(figures) > 1:
        check("the memory of a sweep does not grow with what is swept", figures[-1] <= 1.2 * figures[0], figures)
    return harness.summary()


if __name__ == "__main__":
    sys.exit(main())
