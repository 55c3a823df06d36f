"""What the checks of the console have in common: books with stories in them, operators with an authenticator (pyotp, which knows
nothing of ours), and a plain HTTP client that keeps what every answer said in its headers."""

import html
import http.client
import json
import re
import secrets
import shutil
import subprocess
import time
import urllib.parse

import pyotp

from books_import import json_lines, life
from books_material import DAY, MONTH, Books, original_id
from harness import check, free_port, request
from private_postgres import psql

PASSWORD = "teapot Lisbon gravel 4 umbrella"
STEP = 30

# As docs/decisions say and console.md asks for; written here by hand.
CSP = {
    "default-src": "'none'", "script-src": "'self'", "style-src": "'self'", "img-src": "'self'", "connect-src": "'self'", "form-action": "'self'",
    "frame-ancestors": "'none'", "base-uri": "'none'", "require-trusted-types-for": "'script'", "trusted-types": "'none'"}
FIXED = {
    "cross-origin-opener-policy": "same-origin", "cross-origin-resource-policy": "same-origin", "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff"}


def header_faults(answer, is_asset):
    """What is missing in the headers of an answer."""
    faults = []
    policies = answer.all("content-security-policy")
    parts = dict(part.strip().split(" ", 1) for part in (policies[0] if len(policies) == 1 else "").split(";") if " " in part.strip())
    if {name: value.strip() for name, value in parts.items() if name != "report-uri"} != CSP:
        faults.append(f"content-security-policy: {policies}")
    faults += [f"{name}: {answer.all(name)}" for name, value in FIXED.items() if answer.all(name) != [value]]
    features = [one.strip() for one in ",".join(answer.all("permissions-policy")).split(",")]
    if any(not one.endswith("=()") for one in features) or not {"camera=()", "geolocation=()", "microphone=()", "payment=()"} <= set(features):
        faults.append(f"permissions-policy: {features}")
    kept = answer.all("cache-control")
    if is_asset and answer.status == 200:
        faults += [] if kept == ["public, max-age=31536000, immutable"] else [f"cache-control: {kept}"]
    elif kept != ["no-store"]:
        faults.append(f"cache-control: {kept}")
    return faults


class Answer:
    def __init__(self, response):
        self.status, self.pairs, self.content = response.status, [(name.lower(), value) for name, value in response.getheaders()], response.read()

    def all(self, name):
        return [value for found, value in self.pairs if found == name]

    def header(self, name):
        return next(iter(self.all(name)), None)

    @property
    def text(self):
        return self.content.decode()

    @property
    def json(self):
        return json.loads(self.content)

    @property
    def heading(self):
        found = re.search(r"<h1>(.*?)</h1>", self.text, re.DOTALL)
        return html.unescape(re.sub(r"<[^>]*>", "", found[1])) if found else ""

    def field(self, name):
        """The value of a field of the page's forms."""
        for tag in re.findall(r"<input[^>]*>", self.text):
            if f'name="{name}"' in tag and (found := re.search(r'value="([^"]*)"', tag)):
                return html.unescape(found[1])
        return None

    def cookie(self):
        """Name, value and attributes of the one cookie that is set; nothing where none is."""
        lines = self.all("set-cookie")
        if len(lines) != 1:
            return None, None, lines
        pair, *attributes = [part.strip() for part in lines[0].split(";")]
        return (*pair.split("=", 1), attributes)


class Line:
    """Somebody at a socket: no browser, so every header is as the test says."""

    seen, faulty = 0, []

    def __init__(self, desk, cookie=None, source="127.0.0.1"):
        self.desk, self.cookie, self.source = desk, cookie, source

    def ask(self, path, body=None, method=None, origin=True, headers=None, timeout=60):
        """`body`: a form as a dictionary, or bytes. `origin`: our own, none, or another one as a text."""
        sent = {**(headers or {})}
        if self.cookie is not None:
            sent.setdefault("Cookie", f"{self.desk.cookie_name}={self.cookie}")
        if isinstance(body, dict):
            body = urllib.parse.urlencode(body).encode()
            sent.setdefault("Content-Type", "application/x-www-form-urlencoded")
        if body is not None and origin:
            sent["Origin"] = self.desk.origin if origin is True else origin
        connection = http.client.HTTPConnection("127.0.0.1", self.desk.port, timeout=timeout, source_address=(self.source, 0))
        try:
            connection.request(method or ("GET" if body is None else "POST"), path, body=body, headers=sent)
            answer = Answer(connection.getresponse())
        finally:
            connection.close()
        Line.seen += 1
        faults = header_faults(answer, "/assets/" in path)
        if faults:
            Line.faulty.append((method, path, answer.status, faults))
        return answer

    def get(self, path, **options):
        return self.ask(path, **options)

    def post(self, path, body, **options):
        return self.ask(path, body, **options)

    @property
    def form(self):
        """What the forms of the session bear."""
        return self.get(self.desk.prefix + "/account").field("form")


def check_headers(least):
    """What every client here saw."""
    check(f"ASVS 14.4: each of {Line.seen:,} answers, pages, errors, redirects and files, has every header of the console's", Line.seen >= least and not Line.faulty, Line.faulty[:4])


class Operator:
    """A person: name, role, password, telephone, and the codes on paper."""

    def __init__(self, name, role, *apps):
        self.name, self.role, self.apps = name, role, apps
        self.secret, self.last, self.recovery, self.link, self.cookie = None, None, [], None, None

    def made(self, books):
        options = [part for app in self.apps for part in ("--app", app)]
        outcome = books.tenure("operator", "add", self.name, "--role", self.role, *options)
        if outcome.returncode:
            raise SystemExit(f"operator add {self.name}: {outcome.stderr}")
        self.link = outcome.stdout.splitlines()[0]
        return self

    @property
    def path(self):
        """Of the link, behind the address's host."""
        return urllib.parse.urlsplit(self.link).path

    def code(self):
        """A code that was not used yet: of this step, or of the next one, which counts too; else the step after is waited for."""
        while True:
            step = int(time.time()) // STEP
            for candidate in (step, step + 1):
                if self.last is None or candidate > self.last:
                    self.last = candidate
                    return pyotp.TOTP(self.secret).at(candidate * STEP)
            time.sleep(0.2)

    def wrong_code(self):
        """A code of no step near this one."""
        near = {pyotp.TOTP(self.secret).at((int(time.time()) // STEP + delta) * STEP) for delta in range(-2, 4)}
        return next(code for code in ("000000", "111111", "222222", "333333", "444444", "555555", "666666") if code not in near)

    def set_up(self, line):
        """Follows the link by plain HTTP; returns the answer with the recovery codes."""
        shown = line.post(self.path, {"password": PASSWORD, "repeated": PASSWORD})
        self.secret = html.unescape(re.search(r'class="secret">(?:<bdi>)?([A-Z2-7]+)', shown.text)[1])
        welcome = line.post(line.desk.prefix + "/login/confirm", {"enrolment": shown.field("enrolment"), "code": self.code()})
        self.recovery = [html.unescape(re.sub(r"<[^>]*>", "", code)) for code in re.findall(r"<li><code>(.*?)</code></li>", welcome.text)]
        self.cookie = welcome.cookie()[1]
        return welcome

    def log_in(self, line, **changes):
        """`changes`: other fields than the right ones."""
        fields = {"name": self.name, "password": PASSWORD, **changes}
        if "code" not in fields:
            fields["code"] = self.code()
        return line.post(line.desk.prefix + "/login", fields)


class Desk:
    """Where a console is, as the configuration says it."""

    def __init__(self, port, address=None):
        self.port = port
        parts = urllib.parse.urlsplit(address or f"http://127.0.0.1:{port}")
        self.origin, self.prefix = f"{parts.scheme}://{parts.netloc}", parts.path.rstrip("/")
        self.is_secure = parts.scheme == "https"

    @property
    def cookie_name(self):
        return "tenure" if not self.is_secure else "__Secure-tenure" if self.prefix else "__Host-tenure"


class ConsoleBooks(Books):
    """Books with a console, and lives in them that support is asked about."""

    def __init__(self, folder, signer, name="console", keys=None, url=None):
        """`url`: of a PostgreSQL database in place of the SQLite file."""
        super().__init__(folder, signer, keys, name)
        self.url, self.console_port, self.box = url, free_port(), secrets.token_hex(32)
        self.content["webhooks"] = {"secretKeys": [self.box], "allow": ["127.0.0.1"]}
        app = self.content["apps"][0]
        app["policy"] = {"onRestore": "ask"}
        app["limits"] = {"customerPerMinute": 0}
        # An app beside it, in which some have a role and others have none.
        self.content["apps"].append({
            "id": "news", "bundleId": "com.example.tenure.news", "appAppleId": 1234567891, "publicKey": "pk_" + "n" * 40, "serverKeySHA256": "5e" * 32, "products": {"news": ["news"]}})
        self.configure()

    def configure(self, **console):
        self.content["console"] = {"port": self.console_port, **console}
        self.write_configuration()
        self.path.chmod(0o600)
        return Desk(self.console_port, console.get("address"))

    @property
    def kind(self):
        return "PostgreSQL" if self.url else "SQLite"

    def tenure(self, command, *arguments, database=None):
        return super().tenure(command, *arguments, database=database or self.url)

    def serving(self, database=None):
        return super().serving(database or self.url)

    def counts(self):
        """Rows by table; PostgreSQL writes their names in small letters."""
        if self.url is None:
            return super().counts()
        statements = psql(self.url, "SELECT format('SELECT %L, count(*) FROM %I.%I', tablename, schemaname, tablename) FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')")
        return dict(line.split("|") for line in psql(self.url, " UNION ALL ".join(statements)))

    def call(self, method, path, body=None):
        quoted = urllib.parse.quote(path, safe="/?=&:%")
        status, answer = request(method, f"{self.server}/api/v1/apps/demo/{quoted}", body, self.backend)
        if status >= 300:
            raise SystemExit(f"{method} {path}: {status} {answer}")
        return answer

    def upload(self, customer, kind, number, period=2, **changes):
        signed = self.signer.jws(self.signer.transaction(number, period, **changes))
        url = f"{self.customers}/{urllib.parse.quote(customer, safe='')}/transactions"
        return request("POST", url, {"kind": kind, "signedTransactionInfo": signed}, self.backend)

    def sql_fails(self, statement):
        """Whether sqlite3 refuses it."""
        return subprocess.run(["sqlite3", str(self.database), statement], capture_output=True, text=True, timeout=60).returncode != 0

    def copy_of(self, name):
        """The same books in another file, at rest."""
        self.sql("PRAGMA wal_checkpoint(TRUNCATE)")
        other = ConsoleBooks(self.folder, self.signer, name, self.keys)
        shutil.copyfile(self.database, other.database)
        return other

    def wait_for(self, job):
        for _ in range(300):
            if self.call("GET", f"jobs/{job}")["state"] != "running":
                return
            time.sleep(0.1)
        raise SystemExit(f"job {job} runs on")


# Whose subscription is whose in the story.
MOVED, DECIDED, WAITING, REFUNDED, LONG, UNCLAIMED = range(1, 7)


def imported(books):
    """Three months of six subscriptions; one of them has renewed each day for four months, one is refunded."""
    signer = books.signer
    items = [item for number in (MOVED, DECIDED, WAITING) for item in life(signer, number)]
    items.append({"signedTransactionInfo": signer.jws(signer.transaction(
        REFUNDED, 2, revocationDate=signer.now - 3_600_000, revocationReason=1, signedDate=signer.now - 3_500_000)), "customer": "carol"})
    items.append({"signedTransactionInfo": signer.jws(signer.transaction(UNCLAIMED, 2))})
    items += [{"signedTransactionInfo": signed, "customer": "lena"} for signed in days(signer, LONG, 120)]
    outcome = books.tenure("import", "--app", "demo", json_lines(books.folder / "console.jsonl", items))
    check("the lives that the console shows are imported", outcome.returncode == 0, outcome)


def days(signer, number, count):
    """A subscription with so many periods of a day each; the last one runs now."""
    begin, first = signer.now - (count - 1) * DAY - 3_600_000, int(original_id(number)) * 1000
    for period in range(count):
        start = begin + period * DAY
        yield signer.jws(signer.transaction(
            number, period, purchaseDate=start, originalPurchaseDate=begin, expiresDate=start + DAY, signedDate=start + 1000,
            transactionId=str(first + period), webOrderLineItemId=str(first + 500_000 + period)))


def lived(books):
    """What callers did by the API: it moved, it was decided, it waits."""
    books.call("PUT", f"subscriptions/{original_id(MOVED)}/transfers/move-1", {"customer": "bob", "actor": "olga", "reason": "ticket 4711"})
    books.upload("bob", "restore", DECIDED)
    claims = books.call("GET", f"subscriptions/{original_id(DECIDED)}")["claims"]
    claim = next(one["id"] for one in claims if one["outcome"].startswith("waiting."))
    books.call("PUT", f"subscriptions/{original_id(DECIDED)}/decisions/d-1", {"claim": claim, "decision": "approve", "actor": "olga", "reason": "receipt seen"})
    books.upload("bob", "restore", WAITING)
    books.call("PUT", "customers/bob/grants/g-1", {"entitlement": "plus", "until": books.signer.now + MONTH, "actor": "olga", "reason": "outage of 3 May"})
    books.call("PUT", "customers/lena/holds/h-1", {"entitlement": "plus", "until": books.signer.now + DAY, "actor": "olga", "reason": "chargeback"})
    books.call("PUT", "customers/bob/joins/j-1", {"from": "bob-old", "actor": "olga", "reason": "one mail address"})
    books.call("PUT", "webhookEndpoints/billing", {"url": "http://127.0.0.1:9/", "description": "billing", "types": ["owner.changed"], "environments": ["Production"]})
    books.call("PUT", "verifications/v-1", {"rebuild": True})
    books.wait_for("v-1")
