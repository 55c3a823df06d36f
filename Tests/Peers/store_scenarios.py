#!/usr/bin/env python3
"""The scenarios that come with the local App Store, played by one command against a running server whose answers they assert. Prints one
line per check; the exit code is 1 when one failed."""

import json
import pathlib
import subprocess
import sys
import tempfile

import harness
from harness import APPLE_ID, BUNDLE, ROOT, SECRET, TENURE, Keys, check, configuration, free_port, request, running


def play(scenario, folder):
    """Each in a separate world, so that none depends on another."""
    keys, store_port, port, clock = Keys(), free_port(), free_port(), folder / "store.clock"
    control, server = f"http://127.0.0.1:{store_port}/control/v1", f"http://127.0.0.1:{port}"
    notifications = f"{server}/api/v1/apps/demo/apple/notifications"
    with running("simulate", "--catalogue", "Examples/shop.storekit", "--bundle", BUNDLE, "--app-apple-id", str(APPLE_ID), "--environment",
                 "Production", "--port", str(store_port), "--clock-file", str(clock), "--notification-url", notifications,
                 live=f"{control}/health/live"):
        root = request("GET", f"{control}/root")[1]["sha256"]
        content = configuration(keys, folder / "tenure.sqlite", port, [root])
        content["clock"] = {"file": str(clock)}
        content["apps"][0]["products"] |= {"family.monthly": ["plus"], "season": ["plus"]}
        content["apps"][0]["nonRenewingDurations"] = {"season": "P30D"}
        path = folder / "tenure.json"
        path.write_text(json.dumps(content))
        with running("serve", "--config", str(path), live=f"{server}/health/live",
                     environment={"TENURE_APP_DEMO_CUSTOMER_TOKEN_SECRET": SECRET, "TENURE_LOG_LEVEL": "error"}):
            outcome = subprocess.run(
                [TENURE, "simulate", "play", scenario, "--url", control, "--server", f"{server}/api/v1/apps/demo", "--server-key",
                 keys.server], cwd=ROOT, capture_output=True, text=True)
            check(f"{scenario.name}: {outcome.stdout.strip().splitlines()[-1] if outcome.stdout else ''}", outcome.returncode == 0,
                  outcome.stdout + outcome.stderr)


def check_refusal(folder):
    """The clock of a test must never meet Apple's own roots."""
    keys = Keys()
    content = configuration(keys, folder / "tenure.sqlite", free_port(), [])
    content["trust"]["appleRoots"] = True
    content["clock"] = {"file": str(folder / "store.clock")}
    path = folder / "tenure.json"
    path.write_text(json.dumps(content))
    outcome = subprocess.run([TENURE, "serve", "--check", "--config", str(path)], cwd=ROOT, capture_output=True, text=True,
                             env={"TENURE_APP_DEMO_CUSTOMER_TOKEN_SECRET": SECRET})
    check("a simulated clock is refused where Apple's roots are trusted", outcome.returncode != 0 and "clock.file" in outcome.stderr,
          outcome.stderr)


def main():
    for scenario in sorted((ROOT / "Examples/scenarios").glob("*.scenario")):
        with tempfile.TemporaryDirectory() as folder:
            play(scenario, pathlib.Path(folder))
    with tempfile.TemporaryDirectory() as folder:
        check_refusal(pathlib.Path(folder))
    return harness.summary()


if __name__ == "__main__":
    sys.exit(main())
