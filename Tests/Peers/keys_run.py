#!/usr/bin/env python3
"""Keys from outside, against real servers: what each credential opens, from the document alone (A4, T23); the times of refusals (A4, T23, T44); changing a key
under load with two servers on one PostgreSQL (A9); what is kept of a key, and who did what by the audit; customer tokens with ES256 made by another library.
Prints one line per check, and one per acceptance id; the exit code is 1 when one failed.

Usage: keys_run.py [A4] [T44] [A9] [BOOKS]    all of them unless said.
TIMINGS makes T44 time more requests (20000), SECONDS makes A9 last longer (16)."""

import contextlib
import hashlib
import http.client
import json
import os
import pathlib
import random
import statistics
import sys
import tempfile
import threading
import time
import urllib.parse
import zlib

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, utils

import harness
from api_run import configured
from books_material import Books, Signer
from harness import SECRET, base64url, check, customer_token, free_port, request, running
from private_postgres import private_postgres, psql

DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
TIMINGS, SECONDS = int(os.environ.get("TIMINGS", 20_000)), int(os.environ.get("SECONDS", 16))
PLACES = {"app": "demo", "customer": "alice", "token": "6f1c2e0a-58a4-4b1f-9e6d-0c2b7a9d3e11"}


def with_checksum(text):
    """As docs/operations/keys.md says, by zlib."""
    rest, check_text = zlib.crc32(text.encode()), ""
    for _ in range(6):
        check_text, rest = DIGITS[rest % 62] + check_text, rest // 62
    return f"{text}_{check_text}"


class Line:
    """One connection, kept open."""

    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)

    def ask(self, method, path, headers=None, body=None):
        """Status, the answer without what only this request has, and how many nanoseconds it took."""
        content = None if body is None else json.dumps(body).encode()
        sent = {**({"Content-Type": "application/json"} if content is not None else {}), **(headers or {})}
        start = time.perf_counter_ns()
        self.connection.request(method, path, body=content, headers=sent)
        response = self.connection.getresponse()
        text = response.read()
        took = time.perf_counter_ns() - start
        if response.headers.get_content_type() in ("application/json", "application/problem+json") and text:
            answer = json.loads(text)
            if isinstance(answer, dict):
                answer.pop("instance", None)
            return response.status, answer, took
        return response.status, text, took


def bearer(key, **more):
    return {"Authorization": f"Bearer {key}", **more}


def add(books, name, *scopes, environment=None, options=()):
    """`tenure keys add`: the key."""
    asked = [word for scope in scopes for word in ("--scope", scope)]
    outcome = books.tenure("keys", "add", name, *asked, *options, database=environment)
    if outcome.returncode:
        raise SystemExit(f"tenure keys add {name}: {outcome.stderr}")
    return outcome.stdout.splitlines()[0]


class Matrix:
    """A4: every credential on every operation, on one's own, another's and nobody's things."""

    def __init__(self, books, document):
        self.books, self.document, self.line, self.wrong, self.count = books, document, Line(books.port), [], 0
        self.scopes = sorted({role for *_, security in self.operations() for scheme in security for role in scheme.get("serverKey", [])})
        self.every = document["components"]["schemas"]["KeyOrder"]["properties"]["scopes"]["items"]["x-values"]

    def operations(self):
        for path, methods in self.document["paths"].items():
            for method, operation in methods.items():
                yield method.upper(), path, operation, operation.get("security", [])

    def path(self, template, **places):
        for name, value in {**PLACES, **places}.items():
            template = template.replace("{" + name + "}", urllib.parse.quote(value, safe=""))
        while "{" in template:
            template = template[:template.index("{")] + "x" + template[template.index("}") + 1:]
        return template

    def ask(self, method, template, operation, headers, **places):
        self.count += 1
        return self.line.ask(method, self.path(template, **places), headers, {} if "requestBody" in operation else None)[:2]

    def expect(self, is_true, *words):
        if not is_true:
            self.wrong.append(words)

    def live(self):
        books, token = self.books, customer_token("alice")
        keys = {scope: add(books, f"only-{scope.replace(':', '-')}", scope) for scope in self.every}
        check("A4 the document names a scope for each operation that asks for a key, each of those that keys can have", set(self.scopes) <= set(self.every), self.scopes)
        for method, template, operation, security in self.operations():
            name = operation["operationId"]
            if not security:
                self.expect(self.ask(method, template, operation, {})[0] not in (401, 403), name, "asks for a key")
                continue
            role = next(scheme["serverKey"][0] for scheme in security if "serverKey" in scheme)
            self.expect(all(roles == [role] for scheme in security for kind, roles in scheme.items() if kind in ("serverKey", "publicKey")), name, "has two scopes")
            for headers, code in (({}, "keyMissing"), (bearer("x"), "keyWrong"), (bearer(with_checksum("tnr_sk_" + "0" * 22)), "keyWrong"), (bearer(books.keys.public), "customerTokenMissing")):
                if code == "customerTokenMissing" and name == "registerDevice":
                    continue
                status, answer = self.ask(method, template, operation, headers)
                self.expect((status, answer.get("code")) == (401, code), name, code, status, answer)
            for scope, key in keys.items():
                status, answer = self.ask(method, template, operation, bearer(key))
                code = answer.get("code") if isinstance(answer, dict) else None
                if scope == role:
                    self.expect(status != 401 and code != "scopeMissing", name, scope, status, code)
                else:
                    self.expect((status, code) == (403, "scopeMissing"), name, scope, status, code)
            status, answer = self.ask(method, template, operation, bearer(books.keys.server))
            code = answer.get("code") if isinstance(answer, dict) else None
            self.expect(code == "scopeMissing" if role == "admin" else status != 401 and code != "scopeMissing", name, "file", status, code)
            self.customers(method, template, operation, security, bearer(books.keys.public, **{"Tenure-Customer-Token": token}))

    def customers(self, method, template, operation, security, headers):
        """With alice's token: her own, bob's, whom the server knows, and nobody's."""
        name = operation["operationId"]
        if not any("publicKey" in scheme for scheme in security):
            status, answer = self.ask(method, template, operation, headers)
            return self.expect((status, answer.get("code")) == (403, "serverKeyNeeded"), name, "token", status, answer)
        if name == "registerDevice":
            return None
        status, answer = self.ask(method, template, operation, headers)
        code = answer.get("code") if isinstance(answer, dict) else None
        self.expect(status != 401 and code not in ("anotherCustomer", "scopeMissing"), name, "own", status, code)
        there = self.ask(method, template, operation, headers, customer="bob")
        absent = self.ask(method, template, operation, headers, customer="nobody-at-all")
        self.expect(there == absent and there[0] == 403 and there[1]["code"] == "anotherCustomer", name, "another's", there, absent)


def medians(line, requests, count):
    """The median of each request's times, asked in random order, in milliseconds; and their answers."""
    times, answers = [[] for _ in requests], [None] * len(requests)
    order = [index for index in range(len(requests)) for _ in range(count)]
    random.shuffle(order)
    for index in order:
        *answers[index], took = line.ask("GET", *requests[index])
        times[index].append(took)
    return [statistics.median(one) / 1e6 for one in times], answers


def check_a4(books):
    document = request("GET", f"{books.server}/api/v1/openapi.json")[1]
    request("PUT", f"{books.customers}/bob/grants/g", {"entitlement": "plus"}, books.backend)
    matrix = Matrix(books, document)
    matrix.live()
    check(f"A4 T23 each of {matrix.count} combinations of credential, operation and subject is answered as the document says", not matrix.wrong, matrix.wrong[:3])
    with_token = bearer(books.keys.public, **{"Tenure-Customer-Token": customer_token("alice", seconds=3600)})
    path = "/api/v1/apps/demo/customers/{}/entitlements"
    (there, absent), answers = medians(matrix.line, [(path.format("bob"), with_token), (path.format("nobody-at-all"), with_token)], 5000)
    check("A4 T23 missing and forbidden are equal in bytes", answers[0] == answers[1] and answers[0][0] == 403, answers)
    check(f"A4 T23 and within 1 ms: medians of 5000 each are {there:.3f} and {absent:.3f} ms", abs(there - absent) < 1)
    key = add(books, "ended", "entitlements:read")
    request("GET", books.server + path.format("alice"), headers=bearer(key))
    books.tenure("keys", "end", "ended")
    time.sleep(5)
    unknown = with_checksum("tnr_sk_" + "1" * 22)
    (ended, never), answers = medians(matrix.line, [(path.format("alice"), bearer(key)), (path.format("alice"), bearer(unknown))], 2000)
    check("A4 T23 an ended key and one that never was are equal in bytes", answers[0] == answers[1] and answers[0][0] == 401, answers)
    check(f"A4 T23 and within 1 ms: {ended:.3f} and {never:.3f} ms", abs(ended - never) < 1)


def welch(first, second):
    """Of the times below the 90th percentile of all: what the machine does beside is no leak."""
    limit = sorted(first + second)[int(0.9 * (len(first) + len(second)))]
    kept = [[one for one in times if one <= limit] for times in (first, second)]
    means, variances = [statistics.fmean(one) for one in kept], [statistics.variance(one) for one in kept]
    return (means[0] - means[1]) / (variances[0] / len(kept[0]) + variances[1] / len(kept[1])) ** 0.5


def check_t44(books):
    """After dudect (Reparaz, Balasch, Verbauwhede 2017): two classes in random order, Welch's t."""
    line, path = Line(books.port), "/api/v1/apps/demo/customers/alice/entitlements"
    key = add(books, "timed", "entitlements:read")
    other = "z" if key[7] != "z" else "y"
    classes = {
        "the file's server key": (books.keys.server[:-1] + ("0" if books.keys.server[-1] != "0" else "1"), "sk_" + "g" * (len(books.keys.server) - 3)),
        "a key of the database": (with_checksum(key[:28] + ("z" if key[28] != "z" else "y")), with_checksum("tnr_sk_" + other + key[8:29])),
    }
    for name, (nearly, wrong) in classes.items():
        times = ([], [])
        order = [0, 1] * (TIMINGS // 2)
        random.shuffle(order)
        for index in order:
            status, _, took = line.ask("GET", path, bearer((nearly, wrong)[index]))
            assert status == 401, status
            times[index].append(took)
        t = welch(*times)
        check(f"T44 {name}, all but its last character right or its first wrong: |t| = {abs(t):.2f} < 4.5 of {TIMINGS} times", abs(t) < 4.5)


class Load(threading.Thread):
    """Asks one server with one key, so often in a second, and keeps when what was answered."""

    def __init__(self, port, key, rate, stop):
        super().__init__(daemon=True)
        self.line, self.key, self.rate, self.stop, self.answers = Line(port), key, rate, stop, []

    def run(self):
        start, count = time.monotonic(), 0
        while not self.stop.is_set():
            pause = start + count / self.rate - time.monotonic()
            if pause > 0:
                time.sleep(pause)
            at = time.monotonic()
            status = self.line.ask("GET", "/api/v1/apps/demo/customers/alice/entitlements", bearer(self.key))[0]
            self.answers.append((at, status))
            count += 1


def check_a9(folder, signer):
    with private_postgres() as url, contextlib.ExitStack() as stack:
        ports, servers = [], []
        for number in range(2):
            books = Books(folder, signer, servers[0].keys if servers else None, f"a9-{number}")
            configured(books)
            ports.append(books.port)
            servers.append(books)
            stack.enter_context(books.serving(database=url))
        first = servers[0]
        admin = add(first, "ops", "admin", environment=url)
        old = add(first, "old", "entitlements:read", environment=url)
        time.sleep(1)
        stop, loads = threading.Event(), []

        def load(key):
            new = [Load(port, key, 50, stop) for port in ports]
            for one in new:
                one.start()
            loads.extend(new)
            return new

        olds = load(old)
        time.sleep(SECONDS / 8)
        # A new one in the middle, over the API of one server, and used on the other one at once.
        status, made = request("POST", f"{first.server}/api/v1/apps/demo/keys", {"name": "new", "kind": "server", "scopes": ["entitlements:read"]}, bearer(admin))
        news = load(made["key"])
        time.sleep(SECONDS / 2)
        asked = time.monotonic()
        ended = first.tenure("keys", "end", "old", database=url)
        done = time.monotonic()
        time.sleep(SECONDS / 3)
        stop.set()
        for one in loads:
            one.join(timeout=60)
        both = [status for one in olds for at, status in one.answers if at < asked] + [status for one in news for _, status in one.answers]
        seconds = max(one.answers[-1][0] for one in news) - min(one.answers[0][0] for one in news)
        begun = min(one.answers[0][0] for one in news)
        rate = sum(begun < at < asked for one in loads for at, _ in one.answers) / (asked - begun)
        check(f"A9 no refusal of either key while both held: {len(both)} requests, {rate:.0f} in a second", status == 200 and ended.returncode == 0 and set(both) == {200}, (status, set(both), ended))
        last = [max(at for at, status in one.answers if status == 200) - done for one in olds]
        refused = [[status for at, status in one.answers if at > done + 5] for one in olds]
        check("A9 the ended key is refused on both servers, the last answer " + " and ".join(f"{one:.2f}" for one in last) + " s after its end", max(last) <= 5 and all(one and set(one) == {401} for one in refused), (last, refused[0][:3]))
        check("A9 and the new one goes on", all(one.answers[-1][1] == 200 for one in news) and seconds > SECONDS / 2)
        time.sleep(2.5)
        kept = psql(url, "SELECT name, lastUsedAt > 0, endedBy FROM apiKey ORDER BY name")
        check("A9 the last use of each is kept, and who ended the old one", kept == ["new|t|", "old|t|commandLine", "ops|t|"], kept)
        listed = first.tenure("keys", "list", database=url).stdout
        check("tenure keys list says so", "new  server  without end  used in the hour of" in listed and "old  server  ended" in listed, listed)


def es256(key, claims, kid="k1", algorithm="ES256"):
    signed = ".".join(base64url(json.dumps(part).encode()) for part in ({"alg": algorithm, "kid": kid, "typ": "JWT"}, claims))
    r, s = utils.decode_dss_signature(key.sign(signed.encode(), ec.ECDSA(hashes.SHA256())))
    return f"{signed}.{base64url(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"


def check_tokens(books, key):
    now = int(time.time())
    claims = {"iss": "https://id.example", "aud": ["web", "mobile"], "uid": "alice", "iat": now, "exp": now + 600}
    path = f"{books.customers}/alice/entitlements"

    def ask(token):
        status, answer = request("GET", path, headers=bearer(books.keys.public, **{"Tenure-Customer-Token": token}))
        return status, answer.get("detail", "")

    check("a token that cryptography signed with ES256 names its customer", ask(es256(key, claims))[0] == 200, ask(es256(key, claims)))
    check("the backend's own with HS256 goes on", ask(customer_token("alice"))[0] == 200)
    public = key.public_key()
    forms = [public.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo), public.public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)]
    import hmac
    signed = ".".join(base64url(json.dumps(part).encode()) for part in ({"alg": "HS256", "kid": "k1"}, {**claims, "aud": "demo", "sub": "alice"}))
    confused = [f"{signed}.{base64url(hmac.new(form, signed.encode(), hashlib.sha256).digest())}" for form in forms]
    stranger = ec.generate_private_key(ec.SECP256R1())
    refused = {
        "confused": [ask(token) for token in confused], "another key": [ask(es256(stranger, claims))], "another kid": [ask(es256(key, claims, kid="k2"))],
        "none": [ask(es256(key, claims, algorithm="none"))], "issuer": [ask(es256(key, {**claims, "iss": "https://evil.example"}))],
        "audience": [ask(es256(key, {**claims, "aud": "web"}))], "too long": [ask(es256(key, {**claims, "exp": now + 7200}))]}
    check("and what is confused, foreign or too long is refused", all(status == 401 for answers in refused.values() for status, _ in answers), refused)


def check_books(folder, signer):
    """What is kept of a key, who did what, and tokens of another issuer."""
    books, key = Books(folder, signer, name="kept"), ec.generate_private_key(ec.SECP256R1())
    configured(books)
    numbers = key.public_key().public_numbers()
    books.content["apps"][0]["customerTokenKeys"] = {
        "keys": [{"kty": "EC", "crv": "P-256", "kid": "k1", "use": "sig", "x": base64url(numbers.x.to_bytes(32, "big")), "y": base64url(numbers.y.to_bytes(32, "big"))}],
        "issuer": "https://id.example", "audience": "mobile", "claim": "uid", "longestValiditySeconds": 3600}
    books.write_configuration()
    with books.serving():
        made = add(books, "deploy-1", options=("--until", time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 86_400)), "--actor", "mia"))
        check("a key has the form that scanners know, and zlib's checksum", made == with_checksum(made[:-7]) and len(made) == 36, made)
        again = books.tenure("keys", "add", "deploy-1")
        check("a name is never another key's", again.returncode != 0 and "deploy-1" in again.stderr, again)
        status = request("PUT", f"{books.customers}/alice/grants/g", {"entitlement": "plus", "actor": "mia"}, bearer(made))[0]
        whole = request("GET", f"{books.customers}/alice", headers=books.backend)[1]
        check("AUDIT-1 an act names its key", status == 200 and [(row["actor"], row["keyName"]) for row in whole["audit"]] == [("mia", "deploy-1")], whole["audit"])
        request("PUT", f"{books.customers}/alice/appAccountTokens/{PLACES['token']}", headers=bearer(made))
        check("and a registration", books.sql("SELECT keyName FROM tokenRegistration") == ["deploy-1"])
        endpoint = request("PUT", f"{books.server}/api/v1/apps/demo/webhookEndpoints/e", {"url": "http://127.0.0.1:9/"}, bearer(made))[1]
        check("and an endpoint", endpoint.get("changedBy") == "appBackend/deploy-1", endpoint)
        check_tokens(books, key)
        time.sleep(3)
        listed = books.tenure("keys", "list").stdout
        check("a key that is used and ends soon is shown by keys list", "STILL USED" in listed and "by mia" in listed, listed)
        doctor = books.tenure("doctor").stdout
        check("and by doctor", "key deploy-1 of demo: ends" in doctor and "still used" in doctor, doctor)
    kept = books.sql("SELECT lower(hex(digest)) FROM apiKey")
    check("of a key only its SHA-256 is kept, as hashlib computes it", kept == [hashlib.sha256(made.encode()).hexdigest()], kept)
    files = [path for path in pathlib.Path(books.folder).glob("kept.sqlite*") if made.encode() in path.read_bytes()]
    check("and no file of the database has the key", not files, files)
    outcome = books.tenure("verify", "--rebuild")
    check("AUDIT-2 tenure verify --rebuild finds the chains whole", outcome.returncode == 0, outcome)


def main():
    wanted = sys.argv[1:] or ["A4", "T44", "A9", "BOOKS"]
    results = {}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        signer = Signer(folder)

        def run(part, body):
            before = harness.failures
            body()
            results[part] = harness.failures == before

        if {"A4", "T44"} & set(wanted):
            books = Books(folder, signer)
            configured(books)
            with books.serving():
                for part, body in (("A4", check_a4), ("T44", check_t44)):
                    if part in wanted:
                        run(part, lambda: body(books))
        if "A9" in wanted:
            run("A9", lambda: check_a9(folder, signer))
        if "BOOKS" in wanted:
            run("BOOKS", lambda: check_books(folder, signer))
    for part, is_ok in results.items():
        print(f"{part}: {'ok' if is_ok else 'FAILED'}")
    return harness.summary()


if __name__ == "__main__":
    sys.exit(main())
