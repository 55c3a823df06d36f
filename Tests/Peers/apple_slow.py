#!/usr/bin/env python3
"""G14: what notifications wait while Apple takes five seconds for each answer, beside what they wait while it answers at once. Timed, so it is no
part of `make test`. Usage: apple_slow.py [NOTIFICATIONS [SECONDS]]; prints both, and exits with 1 where the slow Apple makes the slowest hundredth
more than twice as slow."""

import concurrent.futures
import contextlib
import json
import pathlib
import sys
import tempfile
import threading
import time

import harness
from books_material import FIRST, Signer
from harness import Keys, check, configuration, free_port, request, running
from pretend_apple import PretendApple

QUESTIONS = 400
SENDERS = 8


class SlowApple(PretendApple):
    """Takes its time for every status, and counts how many wait."""

    def __init__(self, signer, seconds):
        super().__init__(signer, 0, signer.now)
        self.seconds, self.lock, self.waiting, self.most = seconds, threading.Lock(), 0, 0

    def answer(self, method, path):
        if "/subscriptions/" not in path:
            return 503, None
        with self.lock:
            self.waiting += 1
            self.most = max(self.most, self.waiting)
        self.closed.wait(self.seconds)
        with self.lock:
            self.waiting -= 1
        self.number = (int(path.rsplit("/", 1)[1]) - FIRST) // 10
        return super().answer(method, path)


def configured(folder, keys, port, signer, apple, key):
    content = configuration(keys, folder / "tenure.sqlite", port, signer.roots)
    content["apps"][0]["environments"] = ["Production"]
    content["apps"][0]["apple"] = {
        "issuerId": "57246542-96fe-1a63-e053-0824d011072a", "keyId": "2X9R4HXF34", "privateKeyFile": str(key), "hosts": {"production": apple.url}}
    path = folder / "tenure.json"
    path.write_text(json.dumps(content))
    path.chmod(0o600)
    return path


def measured(folder, signer, keys, key, seconds, count):
    """The milliseconds of each notification, and how many questions waited at once."""
    folder.mkdir()
    port = free_port()
    url = f"http://127.0.0.1:{port}/api/v1/apps/demo/apple/notifications"

    def post(number, period):
        body = {"signedPayload": signer.notification(number, period)}
        start = time.monotonic()
        status, answer = request("POST", url, body)
        if status != 200:
            raise SystemExit(f"{status} {answer}")
        return (time.monotonic() - start) * 1000

    with contextlib.ExitStack() as stack:
        apple = stack.enter_context(SlowApple(signer, seconds))
        path = configured(folder, keys, port, signer, apple, key)
        stack.enter_context(running("serve", "--config", str(path), live=f"http://127.0.0.1:{port}/health/live",
                                    environment={"TENURE_LOG_LEVEL": "critical"}))
        with concurrent.futures.ThreadPoolExecutor(max_workers=SENDERS) as pool:
            # Their periods are over, so Apple is asked about each.
            list(pool.map(lambda number: post(number, 1), range(QUESTIONS)))
            while apple.most == 0:
                time.sleep(0.1)
            times = sorted(pool.map(lambda number: post(QUESTIONS + number, 2), range(count)))
    return times, apple.most


def main():
    count, seconds = [int(argument) for argument in sys.argv[1:]] + [2000, 5][len(sys.argv) - 1:]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        signer, keys, key = Signer(folder), Keys(), folder / "SubscriptionKey_2X9R4HXF34.p8"
        harness.subprocess.run(
            ["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", str(key)], check=True)
        figures = {}
        for words, pause in (("at once", 0), (f"after {seconds} s", seconds)):
            times, most = measured(folder / str(pause), signer, keys, key, pause, count)
            figures[pause] = times[len(times) * 99 // 100]
            print(f"     Apple answers {words}: p50 {times[len(times) // 2]:.1f} ms, p99 {figures[pause]:.1f} ms, slowest {times[-1]:.1f} ms; "
                  f"at most {most} questions at once, {count} notifications by {SENDERS} senders", flush=True)
            if pause:
                check("questions waited for Apple meanwhile", most > 1, most)
        check("G14 a slow Apple does not make notifications wait", figures[seconds] <= 2 * figures[0], figures)
    return harness.summary()


if __name__ == "__main__":
    sys.exit(main())
