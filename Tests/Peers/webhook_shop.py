"""What the checks of webhooks have in common: a receiver that keeps what it is sent, what verifies it, and books whose server sends webhooks
to this machine."""

import base64
import http.server
import json
import subprocess
import threading
import time

import jsonschema
import standardwebhooks.webhooks as standard
import svix.webhooks
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from books_material import Books
from harness import ROOT, TENURE, check, free_port, request

KEY = "5f" * 32


class Receiver:
    """Keeps what it is sent; `answer(request)` gives the status, a status and a page of HTML, or bytes that never end."""

    def __init__(self, answer=lambda request: 204):
        self.requests, self.answer, self.lock = [], answer, threading.Lock()
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                request = {"headers": {name.lower(): value for name, value in self.headers.items()}, "body": body, "at": time.time()}
                with receiver.lock:
                    receiver.requests.append(request)
                status = receiver.answer(request)
                if status == "endless":
                    self.send_response(200)
                    self.end_headers()
                    try:
                        while True:
                            self.wfile.write(b"x" * 1024)
                            time.sleep(0.001)
                    except OSError:
                        self.close_connection = True
                        return
                status, page = status if isinstance(status, tuple) else (status, b"")
                self.send_response(status)
                if status == 302:
                    self.send_header("location", "http://127.0.0.1:1/")
                if page:
                    self.send_header("content-type", "text/html")
                self.send_header("content-length", str(len(page)))
                self.end_headers()
                self.wfile.write(page)

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/hook"

    def taken(self):
        with self.lock:
            return list(self.requests)

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def until(condition, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return False


def verified(item, secret):
    """By both libraries."""
    body, headers = item["body"], item["headers"]
    try:
        standard.Webhook(secret).verify(body, headers)
        svix.webhooks.Webhook(secret).verify(body, headers)
        return True
    except (standard.WebhookVerificationError, svix.webhooks.WebhookVerificationError):
        return False


def verified_v1a(item, public):
    key = Ed25519PublicKey.from_public_bytes(base64.b64decode(public.removeprefix("whpk_")))
    headers = item["headers"]
    content = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + item["body"]
    for signature in headers["webhook-signature"].split(" "):
        if signature.startswith("v1a,"):
            try:
                key.verify(base64.b64decode(signature[4:]), content)
                return True
            except InvalidSignature:
                continue
    return False


class Shop:
    """Books whose server sends webhooks to this machine."""

    def __init__(self, folder, signer, name, postgres=None):
        self.books, self.postgres, self.name = Books(folder, signer, name=name), postgres, name
        self.books.content["webhooks"] = {"secretKeys": [KEY], "allow": ["127.0.0.1"]}
        if postgres:
            self.books.content["database"] = {"postgres": postgres}
        self.books.write_configuration()
        self.endpoints = f"{self.books.server}/api/v1/apps/demo/webhookEndpoints"
        self.log = folder / f"{name}.log"

    def check(self, name, is_true, detail=""):
        check(f"{name} ({self.name})", is_true, detail)

    def call(self, method, path, body=None):
        return request(method, f"{self.endpoints}{path}", body, self.books.backend)

    def make(self, name, receiver, **changes):
        status, answer = self.call("PUT", f"/{name}", {"url": receiver.url, **changes})
        if status != 200:
            self.check(f"an endpoint {name} is made", False, answer)
        return {secret["kind"]: secret["text"] for secret in answer.get("newSecrets", [])}

    def renew(self, numbers, period):
        for number in numbers:
            status, answer = self.books.post_notification(self.books.signer.notification(number, period))
            if status != 200:
                self.check(f"a notification about {number} is taken", False, answer)

    def told(self):
        """The whole log."""
        path, items = "/api/v1/apps/demo/events?limit=1000", []
        while True:
            _, page = request("GET", self.books.server + path, headers=self.books.backend)
            items, path = items + page["items"], page["next"]
            if not page["hasMore"]:
                return items

    def start(self):
        """A further server on the same database, on a port of its own."""
        path = self.books.folder / f"{self.name}-{time.monotonic_ns()}.json"
        path.write_text(json.dumps({**self.books.content, "http": {"port": free_port()}}))
        with self.log.open("ab") as log:
            return subprocess.Popen([TENURE, "serve", "--config", str(path)], cwd=ROOT, stdout=log, stderr=log)

    def check_schemas(self, least):
        """Each event of the log is what the OpenAPI document's `webhooks` say of its kind, and has nothing that they do not say.

        - least: how many kinds there are at least, so that the check sees something."""
        document = json.loads(subprocess.run([TENURE, "call", "--document"], capture_output=True, text=True, check=True).stdout)
        wrong, kinds = [], set()
        for item in self.told():
            kinds.add(item["type"])
            schema = document["webhooks"].get(item["type"], {}).get("post", {}).get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
            if not schema:
                wrong.append(f"no schema of {item['type']}")
                continue
            name = schema["properties"]["data"]["$ref"].rsplit("/", 1)[1]
            known = document["components"]["schemas"][name]["properties"]
            body = {member: item[member] for member in ("type", "timestamp", "data")}
            resolving = {**schema, "components": document["components"]}
            wrong += [f"{item['type']}: {error.message}" for error in jsonschema.Draft202012Validator(resolving).iter_errors(body)]
            wrong += [f"{item['type']} has {member}" for member in item["data"] if member not in known]
        self.check(f"each event of {len(kinds)} kinds is what the document says of its kind", not wrong and len(kinds) >= least, (wrong[:5], sorted(kinds)))
