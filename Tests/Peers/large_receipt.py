#!/usr/bin/env python3
"""F23: receipts of almost five megabytes, signed by openssl, uploaded to a running server: one subscription that was renewed sixteen
thousand times, and sixteen thousand subscriptions. Prints one line per check; the exit code is 1 when one failed."""

import base64
import datetime
import hashlib
import json
import pathlib
import sys
import tempfile
import time

import harness
import wire_receipts
from harness import check, configuration, free_port, mebibytes, request, running
from wire_receipts import ia5, utf8

PURCHASES = 16_000
LONGEST_MIB = 512


def renewals():
    """One a day, from 1980 on."""
    first = datetime.datetime(1980, 1, 1)
    dates = [ia5((first + datetime.timedelta(days=day)).strftime("%Y-%m-%dT%H:%M:%SZ")) for day in range(PURCHASES + 1)]
    return [
        wire_receipts.purchase(day + 1, a1704=dates[day], a1706=dates[0], a1708=dates[day + 1], a1705=utf8(str(10**15 + 1)))
        for day in range(PURCHASES)
    ]


def subscriptions():
    """Bought at any time, each once."""
    return [wire_receipts.purchase(10**6 + number, a1705=utf8(str(10**15 + 10**6 + number))) for number in range(PURCHASES)]


def main():
    with tempfile.TemporaryDirectory() as name:
        folder, port, keys = pathlib.Path(name), free_port(), harness.Keys()
        chain, signer = wire_receipts.pki.rsa_chain(), wire_receipts.Signer(name)
        file = configuration(keys, folder / "tenure.sqlite", port, [hashlib.sha256(chain.root.der).hexdigest()])
        file["apps"][0] |= {"bundleId": wire_receipts.BUNDLE, "sandboxAccess": "everyone"}
        path = folder / "tenure.json"
        path.write_text(json.dumps(file))
        path.chmod(0o600)
        server, fields = f"http://127.0.0.1:{port}", {"authorization": f"Bearer {keys.server}"}
        with running("serve", "--config", str(path), live=f"{server}/health/live") as process:
            for customer, purchases, count in (("ann", renewals(), 1), ("ben", subscriptions(), PURCHASES)):
                receipt = signer.sign(chain, wire_receipts.content(purchases))
                body = {"kind": "restore", "receipt": base64.b64encode(receipt).decode()}
                begin = time.monotonic()
                status, answer = request("POST", f"{server}/api/v1/apps/demo/customers/{customer}/receipts", body, fields, timeout=600)
                print(f"     {len(receipt)} bytes, {time.monotonic() - begin:.1f} s, at most {mebibytes(process, 'VmHWM'):.0f} MiB so far")
                results = answer.get("results", []) if isinstance(answer, dict) else []
                check(f"{customer}'s receipt is read whole", status == 200 and len(results) == count, (status, str(answer)[:200]))
                check(f"{customer} owns all that it names", all(one["isOwner"] for one in results))
                entitlements = f"{server}/api/v1/apps/demo/customers/{customer}/entitlements?environment=Sandbox"
                begin = time.monotonic()
                status, answer = request("GET", entitlements, headers=fields)
                print(f"     what {customer} may use is answered in {(time.monotonic() - begin) * 1000:.0f} ms")
                check(f"what {customer} may use is answered", status == 200 and answer["customer"] == customer, answer)
            check(f"it took less than {LONGEST_MIB} MiB", mebibytes(process, "VmHWM") < LONGEST_MIB, mebibytes(process, "VmHWM"))
    return harness.summary()


if __name__ == "__main__":
    sys.exit(main())
