#!/usr/bin/env python3
"""G3: four servers on one PostgreSQL, thousands of periods that end at once, and a tenth of Apple's limit for all of them together; two of the
servers are killed in the middle. The clock is the local App Store's, and moves by a minute at a time. Usage: apple_servers.py [SUBSCRIPTIONS]"""

import concurrent.futures
import contextlib
import json
import pathlib
import signal
import sys
import tempfile
import time

import harness
from apple_run import MINUTE, World
from harness import check, free_port, running
from private_postgres import private_postgres, psql

SERVERS, KILLED = 4, 2
SHARE = 10  # per cent of 50 calls a second
CALLS_PER_MINUTE = 50 * 60 * SHARE // 100
BURST = 5 * CALLS_PER_MINUTE
ALLOWANCE = 4 * MINUTE  # of a question at the end of a period


class Fleet(World):
    def __init__(self, folder, database):
        super().__init__(folder)
        self.database, self.ports = database, [free_port() for _ in range(SERVERS)]

    def configurations(self):
        content = json.loads(self.write_configuration(sharePercent=SHARE).read_text())
        content["database"] = {"postgres": self.database}
        content["http"].pop("metricsPort", None)
        for port in self.ports:
            content["http"]["port"] = port
            path = self.folder / f"tenure-{port}.json"
            path.write_text(json.dumps(content))
            path.chmod(0o600)
            yield port, path

    def use(self, port):
        """From now on this server is asked."""
        self.api = f"http://127.0.0.1:{port}/api/v1/apps/demo"

    def waiting(self):
        return int(psql(self.database, "SELECT count(*) FROM work WHERE kind = 'askApple' AND availableAt IS NOT NULL AND dueAt <= "
                        f"{self.now}")[0])

    def advance(self, instant):
        self.now = instant
        self.do("/clock/advance", {"to": instant})

    def may_ask(self):
        """Whether the limit grants a call now: what is taken of the hour runs less ahead of the clock than a question at a period's end may
        let it (AskingUrgency), by a call's part."""
        taken = psql(self.database, "SELECT max(tat) FROM callBudget WHERE endpoint = 'Get All Subscription Statuses'")[0]
        return not taken or int(taken) + MINUTE // CALLS_PER_MINUTE < self.now + ALLOWANCE

    def settle(self):
        """Until all is asked that may be asked at this minute: nothing waits, or the limit grants no call. What a killed server holds waits for the
        end of its lease, which the clock brings: so where nothing changes for a long time, the clock goes on too."""
        last, since = None, time.monotonic()
        while time.monotonic() - since < 30:
            found = (self.waiting(), self.calls("getAllSubscriptionStatuses"))
            if found[0] == 0 or not self.may_ask():
                return found
            if found != last:
                last, since = found, time.monotonic()
            time.sleep(0.2)
        return last


def play(fleet, stack, count):
    processes = {}
    for port, path in fleet.configurations():
        processes[port] = stack.enter_context(running(
            "serve", "--config", str(path), live=f"http://127.0.0.1:{port}/health/live", environment={"TENURE_LOG_LEVEL": "critical"}))
    fleet.use(fleet.ports[-1])

    def buy(name):
        """It renews without a notification, in the history of notifications too, so that only a question finds it."""
        subscription = fleet.buy(name)
        fleet.do(f"/subscriptions/{subscription}/silence", {"enabled": True})
        return subscription

    with concurrent.futures.ThreadPoolExecutor(max_workers=8) as pool:
        subscriptions = list(pool.map(buy, [f"c{number}" for number in range(count)]))
    end = fleet.periods(subscriptions[0])[-1]["end"]
    fleet.advance(end)
    before = fleet.calls("getAllSubscriptionStatuses")
    made, minute, killed_at = [], 0, None
    while minute < 55:
        minute += 1
        fleet.advance(end + minute * MINUTE)
        if minute == 12:
            for port in fleet.ports[:KILLED]:
                processes[port].send_signal(signal.SIGKILL)
            killed_at = minute
        waiting, calls = fleet.settle()
        made.append(calls - before)
        print(f"     minute {minute}: {calls - before} calls, {waiting} wait", flush=True)
        if waiting == 0 and minute > 20:
            break
    known = sum(len(fleet.periods(subscription)) == 2 for subscription in subscriptions)
    allowed = [BURST + CALLS_PER_MINUTE * (index + 1) for index in range(len(made))]
    print(f"     {count} questions by {SERVERS} servers, {KILLED} of them killed after {killed_at} minutes: {made[-1]} calls, known after {minute} minutes; "
          f"at most {max(made[i] - (made[i - 1] if i else 0) for i in range(len(made)))} calls in a minute of the clock", flush=True)
    check("G3 all that renewed is known", known == count, known)
    check("G3 all servers together keep the limit", all(calls <= most for calls, most in zip(made, allowed)), list(zip(made, allowed)))
    # What a killed server had under way is asked again by another.
    check("G3 each is asked once, but for what was under way at the kills", count <= made[-1] <= count + KILLED * 16, made[-1])
    check("G3 what the killed ones held was done by others before the leeway ended", minute < 55, minute)
    check("G3 nobody is without access", all(fleet.is_active(f"c{number}") for number in range(0, count, max(1, count // 200))))


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with tempfile.TemporaryDirectory() as folder, private_postgres() as database:
        fleet = Fleet(pathlib.Path(folder), database)
        with fleet.simulator(), contextlib.ExitStack() as stack:
            play(fleet, stack, count)
    return harness.summary()


if __name__ == "__main__":
    sys.exit(main())
