#!/usr/bin/env python3
"""D9, of the device SDK: with 1,000 transactions waiting and 10 uploads a second the client takes at most 20 MB more than when nothing waits, and never keeps the main
actor for more than 5 ms. `tenure-device-bench`, a release build, uploads by URLSession to a server here that answers ten a second.

A machine that does other things keeps every program waiting: so the longest wait is measured with nothing to upload, too, each in several rounds. What the client does
it does in each round, so of the rounds' longest waits the shortest counts.

Prints one line per check; the exit code is 1 when one failed. SECONDS (3) and ROUNDS (10) say how long; TENURE_DEVICE_BENCH is the program."""

import http.server
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

import harness
from harness import ROOT, check

BENCH = pathlib.Path(os.environ.get("TENURE_DEVICE_BENCH", ROOT / "Client/Linux/.build/release/tenure-device-bench"))


class Server(http.server.BaseHTTPRequestHandler):
    """Answers as docs/openapi.json says, ten uploads a second."""

    protocol_version = "HTTP/1.1"
    # When the next upload is answered at the earliest.
    turn, lock = 0.0, threading.Lock()

    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        customer, _, operation = self.path.split("?")[0].split("/customers/")[1].partition("/")
        content = {"customer": customer, "environment": "Production", "at": int(time.time() * 1000), "isActive": False, "start": None, "end": None,
                   "nextChangeDate": None, "entitlements": []}
        status = 204 if operation in ("device", "identify") else 200
        if operation == "transactions":
            assert json.loads(body)["intents"] is True
            with self.lock:
                time.sleep(max(0.0, Server.turn - time.monotonic()))
                Server.turn = max(Server.turn, time.monotonic() - 0.1) + 0.1
            content = {"outcome": "bound", "originalTransactionId": "1", "environment": "Production", "isOwner": True}
        text = b"" if status == 204 else json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = do_PUT = answer

    def log_message(self, *_):
        pass


def main():
    if not BENCH.exists():
        raise SystemExit(f"{BENCH} is missing: make client-full builds it")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    # The program ends while an answer is on its way.
    server.handle_error = lambda *_: None
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([BENCH, f"http://127.0.0.1:{server.server_port}", folder, os.environ.get("SECONDS", "3"), os.environ.get("ROUNDS", "10")],
                              capture_output=True, text=True, timeout=600)
    if done.returncode:
        raise SystemExit(f"{BENCH} ended with {done.returncode}: {done.stderr[-2000:]}")
    report = json.loads(done.stdout)
    rate, growth = report["uploadsPerSecond"], (report["mostKilobytes"] - report["idleKilobytes"]) / 1024
    check(f"D9 {report['waiting']} items wait, {report['leftWaiting']} at the end, {report['bytesOfEach']:,} bytes each; {rate:.1f} uploads a second",
          report["waiting"] >= 999 and report["leftWaiting"] >= 900 and 7 <= rate <= 11, report)
    check(f"D9 memory: {growth:.1f} MB more (VmHWM) than the {report['idleKilobytes'] / 1024:.1f} MB when nothing waits (VmRSS): at most 20", growth <= 20, report)
    idle, busy = sorted(report["idle"]), sorted(report["busy"])
    check(f"D9 the main actor waits {busy[0]:.2f} ms at most (the rounds to {busy[-1]:.2f}; with nothing to upload {idle[0]:.2f} to {idle[-1]:.2f}): at most 5",
          busy[0] <= 5, report)
    return harness.summary()


if __name__ == "__main__":
    sys.exit(main())
