#!/usr/bin/env python3
"""F28: a server that may have 512 MiB of memory, under more notifications and receipts of 5 MiB than it can take. It may answer 429 or 503, and
must not die; afterwards it answers as before. Usage: memory_run.py [SECONDS]"""

import collections
import concurrent.futures
import http.client
import json
import os
import pathlib
import sys
import tempfile
import time

import harness
from books_material import Signer
from harness import TENURE, Keys, check, configuration, free_port, mebibytes

LIMIT = 512 << 20
SENDERS = 32


class Server:
    """`tenure serve` in an address space of its own size (setrlimit(2), RLIMIT_DATA: what it allocates)."""

    def __init__(self, folder, signer, keys):
        self.port = free_port()
        path = folder / "tenure.json"
        path.write_text(json.dumps(configuration(keys, folder / "tenure.sqlite", self.port, signer.roots)))
        path.chmod(0o600)
        self.process = harness.subprocess.Popen(
            ["prlimit", f"--data={LIMIT}", TENURE, "serve", "--config", str(path)], cwd=harness.ROOT, stdout=harness.subprocess.DEVNULL,
            env={**os.environ, "TENURE_LOG_LEVEL": "critical"})

    def __enter__(self):
        harness.wait_until_live(f"http://127.0.0.1:{self.port}/health/live", self.process)
        return self

    def __exit__(self, *error):
        self.process.terminate()
        self.process.wait(timeout=60)

    def post(self, path, body, headers):
        """The status; the error's name where there is no answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request("POST", path, body, {"Content-Type": "application/json", **headers})
            answer = connection.getresponse()
            answer.read()
            return answer.status
        except (OSError, http.client.HTTPException) as error:
            return type(error).__name__
        finally:
            connection.close()


def main():
    seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        signer, keys = Signer(folder), Keys()
        backend = {"Authorization": f"Bearer {keys.server}"}
        receipt = json.dumps({"kind": "restore", "receipt": "A" * (5 << 20)})
        with Server(folder, signer, keys) as server:
            end, statuses = time.monotonic() + seconds, collections.Counter()

            def send(sender):
                found, number = collections.Counter(), 0
                while time.monotonic() < end:
                    number += 1
                    if sender % 2:
                        found["receipt", server.post(f"/api/v1/apps/demo/customers/c{sender}/receipts", receipt, backend)] += 1
                    else:
                        body = json.dumps({"signedPayload": signer.notification(sender * 1_000_000 + number, 2)})
                        found["notification", server.post("/api/v1/apps/demo/apple/notifications", body, {})] += 1
                return found

            with concurrent.futures.ThreadPoolExecutor(max_workers=SENDERS) as pool:
                for found in pool.map(send, range(SENDERS)):
                    statuses.update(found)
            most = mebibytes(server.process, "VmHWM")
            print(f"     {seconds} s, {SENDERS} senders, at most {most:.0f} MiB of {LIMIT >> 20}: "
                  + ", ".join(f"{count} {what} {status}" for (what, status), count in sorted(statuses.items(), key=str)), flush=True)
            check("F28 the server lives", server.process.poll() is None, server.process.returncode)
            answers = {status for what, status in statuses}
            check("F28 everything is answered: taken, refused, or later", answers <= {200, 422, 400, 413, 429, 503}, answers)
            check("F28 notifications are taken meanwhile", statuses["notification", 200] > 0, statuses)
            body = json.dumps({"signedPayload": signer.notification(7, 2)})
            check("F28 and afterwards", server.post("/api/v1/apps/demo/apple/notifications", body, {}) == 200)
    return harness.summary()


if __name__ == "__main__":
    sys.exit(main())
