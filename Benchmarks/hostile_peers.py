#!/usr/bin/env python3
"""What hostile clients cost a server that runs as it is shipped (T31, T32, T36, F28): its memory under a hundred hostile receipts of almost
seven megabytes each, and which requests are answered beside five thousand connections that send a byte in ten seconds.

`swift build -c release --product tenure`, then `.venv/bin/python Benchmarks/hostile_peers.py`. The attackers come from this machine's own
address on its network, since what comes over loopback is not counted by address; FOREIGN_ADDRESS names another one."""

import asyncio
import base64
import collections
import json
import os
import pathlib
import socket
import statistics
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
os.environ.setdefault("TENURE_BINARY", str(ROOT / ".build/release/tenure"))
sys.path.insert(0, str(ROOT / "Tests/Peers"))

import harness  # noqa: E402  (it reads TENURE_BINARY)

ATTACKERS, SECONDS, RECEIPTS = 5000, 60, 100
RECEIPT_BYTES = 5 * 1024 * 1024


def foreign_address():
    """The address by which this machine would be known to its network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect((os.environ.get("FOREIGN_ADDRESS", "198.51.100.1"), 9))
        return probe.getsockname()[0]


async def ask(address, port, request, limit=30):
    """The status; None where there is no answer in time."""
    try:
        async with asyncio.timeout(limit):
            reader, writer = await asyncio.open_connection(address, port)
            try:
                writer.write(request)
                await writer.drain()
                line = await reader.readline()
            finally:
                writer.close()
            return int(line.split()[1]) if line else None
    except (OSError, TimeoutError):
        return None


def get(path, key=None):
    authorization = f"Authorization: Bearer {key}\r\n" if key else ""
    return f"GET {path} HTTP/1.1\r\nHost: x\r\n{authorization}Connection: close\r\n\r\n".encode()


def upload(keys, customer, receipt):
    body = json.dumps({"kind": "restore", "receipt": base64.b64encode(receipt).decode()}).encode()
    head = (
        f"POST /api/v1/apps/demo/customers/{customer}/receipts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {keys.public}\r\n"
        f"Tenure-Customer-Token: {harness.customer_token(customer, 'demo')}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + body


async def memory(process, port, keys):
    nulls = b"\x05\x00" * ((RECEIPT_BYTES - 16) // 2)
    length = len(nulls).to_bytes(3, "big")
    kinds = {
        "a sequence of five million bytes of NULL": b"\x30\x83" + length + nulls,
        "the same as an indefinite length": b"\x30\x80" + nulls + b"\x00\x00",
        "one octet string": b"\x04\x83" + length + nulls,
    }
    print(f"memory at the start: {harness.mebibytes(process, 'VmRSS'):.0f} MiB")
    for name, receipt in kinds.items():
        requests = [upload(keys, f"c{number}", receipt) for number in range(RECEIPTS)]
        answers = collections.Counter(await asyncio.gather(*(ask("127.0.0.1", port, one, 60) for one in requests)))
        peak = harness.mebibytes(process, "VmHWM")
        print(f"{RECEIPTS} receipts of {len(receipt)} bytes at once, {name}: {dict(answers)}, most memory so far {peak:.0f} MiB")


class Attack:
    """Connections that send a byte in ten seconds."""

    def __init__(self, address, port):
        self.address, self.port, self.open, self.last_closed = address, port, 0, None

    async def one(self, start):
        try:
            _, writer = await asyncio.open_connection(self.address, self.port)
        except OSError:
            return
        self.open += 1
        try:
            writer.write(b"GET /health/live HTTP/1.1\r\nHost: x\r\nX-Slow: ")
            while time.monotonic() - start < 2 * SECONDS:
                await asyncio.sleep(10)
                writer.write(b"x")
                await writer.drain()
        except OSError:
            self.last_closed = time.monotonic() - start
        finally:
            self.open -= 1
            writer.close()


async def readiness(port, until, waits):
    while time.monotonic() < until:
        begin = time.monotonic()
        status = await ask("127.0.0.1", port, get("/health/ready"), 30)
        waits.append((status, time.monotonic() - begin))
        await asyncio.sleep(0.2)


async def reads(port, keys, seconds):
    """Entitlement reads per second, each on its own connection."""
    end, count = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        count += await ask("127.0.0.1", port, get("/api/v1/apps/demo/customers/ann/entitlements", keys.server)) == 200
    return count / seconds


async def slowly(port, keys, words):
    baseline = await reads(port, keys, 10)
    attack, start, waits = Attack(foreign_address(), port), time.monotonic(), []
    attackers = [asyncio.create_task(attack.one(start)) for _ in range(ATTACKERS)]
    await asyncio.sleep(0)
    rate, _ = await asyncio.gather(reads(port, keys, SECONDS), readiness(port, start + SECONDS, waits))
    good = [wait for status, wait in waits if status == 200]
    print(
        f"{ATTACKERS} connections that trickle, {words}: ready {len(good)} of {len(waits)} times, median {statistics.median(good) * 1000:.0f} ms, "
        f"slowest {max(good) * 1000:.0f} ms; reads {rate / baseline:.2f} of what they were before; attackers still open {attack.open}, "
        f"the last one closed after {attack.last_closed or 0:.0f} s"
    )
    for task in attackers:
        task.cancel()
    await asyncio.gather(*attackers, return_exceptions=True)


async def measure(folder, words, **http):
    keys, port = harness.Keys(), harness.free_port()
    file = harness.configuration(keys, folder / "tenure.sqlite", port, ["00" * 32])
    file["http"] = {"port": port, "host": "0.0.0.0", **http}
    file["apps"][0]["customerTokenSecret"] = harness.SECRET
    path = folder / "hostile.json"
    path.write_text(json.dumps(file))
    path.chmod(0o600)
    with harness.running("serve", "--config", str(path), live=f"http://127.0.0.1:{port}/health/live",
                         environment={"TENURE_LOG_LEVEL": "critical"}) as process:
        if not http:
            await memory(process, port, keys)
        await slowly(port, keys, words)


def main():
    for words, http in (("all from one address", {}), ("each address with one", {"connectionsPerAddress": 0})):
        with tempfile.TemporaryDirectory() as folder:
            asyncio.run(measure(pathlib.Path(folder), words, **http))


if __name__ == "__main__":
    main()
