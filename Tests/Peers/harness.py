"""What the black-box checks have in common: a line and a count for each check, processes of the built `tenure` that are started
and stopped, requests over loopback, keys, tokens and configuration files."""

import base64
import contextlib
import hashlib
import hmac
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TENURE = pathlib.Path(os.environ.get("TENURE_BINARY", ROOT / ".build/debug/tenure"))
BUNDLE, APPLE_ID = "com.example.tenure.demo", 1234567890
SECRET = "a secret of at least thirty-two bytes, for tests"
failures = 0


def check(name, is_true, detail=""):
    global failures
    failures += not is_true
    print(f"{'ok  ' if is_true else 'FAIL'} {name}{'' if is_true else ': ' + str(detail)[:400]}", flush=True)


def summary():
    """The last line, and the exit code."""
    print(f"peers: {failures} failed")
    return 1 if failures else 0


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def request(method, url, body=None, headers=None, timeout=30):
    content = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
    wanted = urllib.request.Request(url, data=content, method=method, headers={"content-type": "application/json", **(headers or {})})
    try:
        with urllib.request.urlopen(wanted, timeout=timeout) as response:
            return response.status, json.loads(response.read() or b"null")
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read() or b"null")


def wait_until_live(url, process):
    for _ in range(300):
        if process.poll() is not None:
            raise SystemExit(f"a process ended at once with {process.returncode}")
        with contextlib.suppress(OSError):
            urllib.request.urlopen(url, timeout=1)
            return
        time.sleep(0.1)
    raise SystemExit(f"{url} does not answer")


@contextlib.contextmanager
def running(*arguments, live, environment=None):
    process = subprocess.Popen(
        [TENURE, *arguments], cwd=ROOT, env={**os.environ, **(environment or {})}, stdout=subprocess.DEVNULL
    )
    try:
        wait_until_live(live, process)
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=30)


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def customer_token(customer, app="demo", secret=SECRET, seconds=600, issued=None):
    """What an app's backend does: RFC 7519 by hand, so that the documentation's recipe is what is tested."""
    now = int(issued or time.time())
    head = base64url(json.dumps({"alg": "HS256", "typ": "JWT"}).encode())
    claims = base64url(json.dumps({"sub": customer, "aud": app, "iat": now, "exp": now + seconds}).encode())
    mac = hmac.new(secret.encode(), f"{head}.{claims}".encode(), hashlib.sha256).digest()
    return f"{head}.{claims}.{base64url(mac)}"


class Keys:
    """What `tenure keys` prints, compared with hashlib."""

    def __init__(self):
        text = subprocess.run([TENURE, "keys"], capture_output=True, text=True, check=True).stdout
        self.server = re.search(r"server key\s+(\S+)", text).group(1)
        self.public = re.search(r"public key\s+(\S+)", text).group(1)
        self.digest = re.search(r'"serverKeySHA256": "(\w+)"', text).group(1)
        check("tenure keys prints the SHA-256 of its server key", hashlib.sha256(self.server.encode()).hexdigest() == self.digest)


def configuration(keys, database, port, roots):
    """A configuration file's content; `roots` are the SHA-256 of the roots that it trusts, in hexadecimal."""
    return {
        "http": {"port": port},
        "database": {"sqlite": str(database)},
        "trust": {"appleRoots": False, "additionalRootSHA256": list(roots)},
        "apps": [
            {
                "id": "demo",
                "bundleId": BUNDLE,
                "appAppleId": APPLE_ID,
                "publicKey": keys.public,
                "serverKeySHA256": keys.digest,
                "products": {"plus.monthly": ["plus"], "pro.monthly": [{"from": 0, "entitlements": ["plus", "pro"]}]},
            }
        ],
    }


def mebibytes(process, field):
    """A field of the process's memory in MiB: `VmRSS` now, `VmHWM` the most so far (proc(5))."""
    for line in pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1]) / 1024
    raise SystemExit(f"no {field}")
