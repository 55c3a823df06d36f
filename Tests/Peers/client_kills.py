#!/usr/bin/env python3
"""The device SDK killed (D1, rule DEV-1): a process of the app that buys is killed with SIGKILL at each of its operations on files in turn, before it and after it (a
write: when half of it is written), and at random instants; then it is started again. Against a real server and a local App Store over HTTP. Each time: what the store
was told to finish the server had by then; and at the end the server has each transaction as a fact, none twice, as one period and its buyer's purchase, the store has
nothing unfinished, and nothing waits on the device. Products are bought in turn that the server knows and that it does not (DEV-4).

The operations are counted by the library that fault F03 of the chaos tool preloads (Tests/Chaos/Shims/faults.c), over all threads, which strace's injection does not;
strace counts them beside it, so that none is missing from the sweep.

Prints one line per check; the exit code is 1 when one failed. FULL=1 plays every operation and INSTANTS (400) random instants; else a fixed slice. SEED (1)."""

import collections
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

import client_run
import harness
from client_run import Device, World
from harness import ROOT, check

FULL = os.environ.get("FULL") == "1"
SEED = int(os.environ.get("SEED", "1"))
PRODUCTS = ("plus.monthly", "plus.yearly", "lifetime")
# Operations in the app's life are not in quite the same order each time: the sweep ends when so many numbers in a row were past its end.
PAST_THE_END = 4
SYSTEM_CALLS = {"openat": "open", "open": "open", "write": "write", "pwrite64": "write", "fsync": "sync", "fdatasync": "sync", "rename": "rename",
                "renameat": "rename", "renameat2": "rename", "unlink": "unlink", "unlinkat": "unlink"}


@dataclasses.dataclass(frozen=True)
class Kill:
    """Where a process ends: at the operation on files of that number, before or after it; or a share of its usual length after its start."""

    moment: str
    number: int = 0
    share: float = 0.0

    def __str__(self):
        return f"{self.share:.3f} of a life" if self.moment == "random" else f"{self.moment} operation {self.number}"


class Stage:
    def __init__(self, world, folder):
        self.world, self.folder, self.shim = world, folder, folder / "faults.so"
        subprocess.run(["clang", "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", self.shim, ROOT / "Tests/Chaos/Shims/faults.c", "-ldl"], check=True)
        self.figures = collections.Counter()
        self.length = 0.0

    def preloaded(self, device, mark, kill):
        return {"LD_PRELOAD": str(self.shim), "CHAOS_FILES": str(device.folder), "CHAOS_CALL": "any", "CHAOS_NTH": str(kill.number), "CHAOS_KILL": kill.moment,
                "CHAOS_FIRED": str(mark)}

    # MARK: Lives

    def life(self, name, product, kill):
        """One that buys and is killed, and the next one. Answers whether the first was killed, and what is wrong."""
        device = self.world.device(f"device-{name}")
        steps = ("start", f"identify:{name}", f"purchase:{product}", "current")
        if kill.moment == "random":
            killed = self.interrupted(device.command(*steps), kill.share)
        else:
            mark = self.folder / f"fired-{name}"
            killed = device.run(*steps, environment=self.preloaded(device, mark, kill))[0] == -9
            if killed != mark.exists():
                return killed, [f"killed: {killed}, and struck: {mark.exists()}"]
        early = [one for one in self.finished(device) if not self.known(one)]
        code, _, complaints = device.run("start", f"identify:{name}", "settle")
        faults = [f"finished before the server had it: {early}"] if early else []
        return killed, faults + ([f"the next process ended with {code}: {complaints}"] if code else []) + self.faults(device, name)

    def interrupted(self, command, share):
        """Whether a process was killed after a share of a life's length, which is learned anew from those that end by themselves, and from those that outlast it: a
        machine does not go at one pace."""
        started = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "FAKETIME_DONT_FAKE_MONOTONIC": "1"})
        try:
            process.wait(timeout=share * self.length)
            self.length += 0.2 * (time.monotonic() - started - self.length)
            return False
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            self.length *= 1.05 if share > 1 else 1
            return True

    def made(self, device):
        return [one["transactionId"] for one in self.world.do(f"/accounts/account-of-{device.name}/transactions")["transactions"]]

    def finished(self, device):
        return set(self.made(device)) - set(device.unfinished)

    def known(self, transaction):
        """The facts that the server has of it by its own signed text; an app receipt that has it, too, is another document of Apple's."""
        page = self.world.ask(f"/subscriptions/{transaction}/facts")
        signed = {index for index, one in enumerate(page.get("evidence", [])) if one["form"] == "compactJWS"}
        return [one for one in page.get("facts", [])
                if (one["kind"], one.get("transactionId")) == ("transaction", transaction) and one.get("evidence") in signed]

    def faults(self, device, name):
        """What is wrong at the end."""
        faults = []
        made = self.made(device)
        self.figures["purchases"] += len(made)
        for one in made:
            # The store signs it anew when it is asked again, and by FACT-2 each date makes a fact: none is kept twice, and it is one period.
            dates = [fact["signedDate"] for fact in self.known(one)]
            periods = self.world.ask(f"/subscriptions/{one}").get("periods", [])
            if not dates or len(set(dates)) != len(dates) or len(periods) != 1:
                faults.append(f"{one}: signed at {dates}, periods {periods}")
            # A receipt that has it, too, may have reached the server first (LIC-3): that is the same customer's.
            claims = self.world.claims(one)
            if (name, "purchase") not in [claim[:2] for claim in claims] or {claim[0] for claim in claims} != {name}:
                faults.append(f"the claims of {one} are {claims}")
        if device.unfinished:
            faults.append(f"unfinished: {device.unfinished}")
        left = [str(path.relative_to(device.folder)) for kind in ("uploads", "intents") for path in (device.folder / kind).glob("*")]
        # An intent of which nothing came stays, since what waits for a parent looks the same.
        if made and [one for one in left if not one.startswith("intents/")] or len(left) > 1:
            faults.append(f"left on the device: {left}")
        return faults

    # MARK: Figures of a life

    def measured(self):
        """An undisturbed life under strace: its length without it, and its operations on files, by what the preloaded library counts and what strace saw."""
        device = self.world.device("device-measured")
        steps = ("start", "identify:measured", "purchase:plus.monthly", "current")
        started = time.monotonic()
        code, lines, complaints = device.run(*steps)
        self.length = time.monotonic() - started
        check("an undisturbed life buys", code == 0 and lines["purchase:plus.monthly"].get("outcome") == "bought", (lines, complaints))
        traced, trace = self.world.device("device-traced"), self.folder / "trace"
        counted = self.folder / "counted"
        command = ["strace", "-f", "-qq", "-y", "-s", "4096", "-e", "trace=" + ",".join(sorted(SYSTEM_CALLS)), "-o", trace, "-E", f"LD_PRELOAD={self.shim}",
                   *[part for name, value in {"CHAOS_FILES": traced.folder, "CHAOS_CALL": "any", "CHAOS_NTH": "1000000", "CHAOS_COUNT": counted}.items()
                     for part in ("-E", f"{name}={value}")]]
        subprocess.run([str(one) for one in [*command, *traced.command("start", "identify:traced", "purchase:plus.monthly", "current")]], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, env={**os.environ, "FAKETIME_DONT_FAKE_MONOTONIC": "1"})
        seen = collections.Counter(
            SYSTEM_CALLS[found[1]] for line in trace.read_text(errors="replace").splitlines()
            # Folders are opened by the C library itself to be listed; nothing is changed by that.
            if (found := re.search(r"^\d+ +(\w+)\(", line)) and found[1] in SYSTEM_CALLS and str(traced.folder) in line and "resumed>" not in line
            and not ("O_DIRECTORY" in line and "O_CLOEXEC" in line))
        ours = dict(line.split() for line in counted.read_text().splitlines()) if counted.exists() else {}
        check("every operation on files that strace sees is one of the sweep's", seen == {name: int(count) for name, count in ours.items()} and seen["write"] > 3, (seen, ours))
        return sum(seen.values())


def names():
    return [*(f"{moment}-{number}" for moment in ("before", "after") for number in range(1, 400)), *(f"random-{number}" for number in range(2000)), "measured", "traced"]


def check_each_operation(stage, operations):
    """Every number until lives end by themselves; of a slice every ninth, with the moments in turn."""
    past = collections.Counter()
    number, struck = 1, 0
    while min(past[moment] for moment in ("before", "after")) < PAST_THE_END:
        if number > 3 * operations + 50:
            check("D1 a life ends", False, number)
            return
        moments = ("before", "after") if FULL else (("before", "after")[number // 9 % 2],)
        for moment in moments:
            kill = Kill(moment, number)
            killed, faults = stage.life(f"{moment}-{number}", PRODUCTS[number % 3], kill)
            struck += killed
            past[moment] = 0 if killed else past[moment] + 1
            stage.figures["faults"] += bool(faults)
            if faults:
                check(f"D1 killed {kill}", False, faults)
        if not FULL and number + 9 > operations:
            break
        number += 1 if FULL else 9
    check(f"D1 killed at operations on files: {struck} lives, of {operations} operations each, {stage.figures['purchases']} purchases, each once, as its buyer's",
          struck >= (2 * (operations - 5) if FULL else 3) and stage.figures["purchases"] > 0 and not stage.figures["faults"], (struck, operations, stage.figures))


def check_random(stage, count):
    before = stage.figures["purchases"]
    generator = random.Random(SEED)
    kills = [Kill("random", number, generator.uniform(0.3, 1.05)) for number in range(count)]
    killed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for kill, (was_killed, faults) in zip(kills, pool.map(lambda kill: stage.life(f"random-{kill.number}", PRODUCTS[kill.number % 3], kill), kills)):
            killed += was_killed
            stage.figures["faults"] += bool(faults)
            if faults:
                check(f"D1 killed after {kill} (seed {SEED}, {kill.number})", False, faults)
    made = stage.figures["purchases"] - before
    # How many lives end before their instant depends on how busy the machine is: it is judged where nothing else is done on it.
    check(f"D1 killed at random instants: {killed} of {count} lives, {made} purchases, each once, as its buyer's",
          (killed > count // 4 or not FULL) and made > 0 and not stage.figures["faults"], (killed, made, stage.figures))


def main():
    if not client_run.DEVICE.exists():
        raise SystemExit(f"{client_run.DEVICE} is missing: make client builds it")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        world = World(folder, names())
        with world.simulator(), world.serving():
            stage = Stage(world, folder)
            operations = stage.measured()
            check_each_operation(stage, operations)
            check_random(stage, int(os.environ.get("INSTANTS", "400")) if FULL else 10)
            check(f"D1 in all {stage.figures['purchases']} purchases of processes that were killed", not stage.figures["faults"], stage.figures)
    return harness.summary()


if __name__ == "__main__":
    sys.exit(main())
