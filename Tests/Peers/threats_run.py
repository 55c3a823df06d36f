#!/usr/bin/env python3
"""Threats of the API from outside (docs/threat-model.md): a client whose clock is wrong (T16), two devices that take a subscription from each other (T21), texts
that a spreadsheet would run (T52), requests that two parsers read differently, straight and behind nginx (T54), and what could lead a browser or a proxy
elsewhere (T55). Prints one line per check; the exit code is 1 when one failed.

RESTORES (120) is how often T21's devices restore; the full size is 1000."""

import contextlib
import http.client
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse

import harness
from api_run import API, configured
from books_material import DAY, Books, Signer
from harness import check, free_port, request

RESTORES = int(os.environ.get("RESTORES", 120))


# MARK: T16

CLIENT = """
import json, sys, time, urllib.request
# As docs/operations/http-api.md says: by the server's clock in the answer and by how long ago it came, and by no calendar of one's own.
wanted = urllib.request.Request(sys.argv[1], headers={"Authorization": "Bearer " + sys.argv[2]})
with urllib.request.urlopen(wanted, timeout=30) as response:
    came, answer, age = time.monotonic(), json.load(response), int(response.headers["Cache-Control"].split("max-age=")[1])
now = answer["at"] + int((time.monotonic() - came) * 1000)
# After the next change it would have to ask again.
decided = answer["isActive"] if answer.get("nextChangeDate") is None or now < answer["nextChangeDate"] else None
print(json.dumps({"clock": time.time() * 1000, "at": answer["at"], "active": decided, "age": age}))
"""


def check_clock(books, api):
    """T16: the device's clock stretches no access."""
    now = int(time.time() * 1000)
    for customer, until in (("lasting", now + 30 * DAY), ("brief", now + 20_000), ("over", now - 1000)):
        api.call("grantEntitlement", {"entitlement": "plus", "from": now - DAY, "until": until, "actor": "mia"}, customer=customer, id="g")
    told = {}
    for shift in ("-90d", "+0d", "+90d"):
        for customer in ("brief", "lasting", "over"):
            arguments = [sys.executable, "-c", CLIENT, f"{books.customers}/{customer}/entitlements", books.keys.server]
            outcome = subprocess.run(["faketime", "-f", shift, *arguments], capture_output=True, text=True, timeout=60, env={**os.environ, "FAKETIME_DONT_FAKE_MONOTONIC": "1"})
            told[shift, customer] = json.loads(outcome.stdout) if outcome.returncode == 0 else outcome.stderr
    wrong = [name for name, answer in told.items() if not isinstance(answer, dict) or abs(answer["at"] - time.time() * 1000) > 120_000]
    check("T16 the answer has the server's instant, whatever the client's clock says", not wrong, [told[name] for name in wrong][:2])
    shifted = [abs(told[shift, "lasting"]["clock"] - now) > 80 * DAY for shift in ("-90d", "+90d")]
    ends = {"lasting": now + 30 * DAY, "brief": now + 20_000, "over": now - 1000}
    same = all(answer["active"] in ((answer["at"] < ends[customer]), None if customer == "brief" else "") for (_, customer), answer in told.items())
    check("T16 clients whose clocks are 90 days off decide as the server does", all(shifted) and same, told)
    kept = [answer["age"] for (_, customer), answer in told.items() if customer == "brief" and answer["active"]]
    check("T16 and none may keep an answer beyond the next change", kept and all(age <= 21 for age in kept), kept)
    time.sleep(max(0, (now + 20_500 - time.time() * 1000) / 1000))
    check("T16 when it is over, it is over", api.is_active("brief") is False and api.is_active("lasting") is True)
    line = http.client.HTTPConnection("127.0.0.1", books.port, timeout=30)
    answers = []
    for date in ("Thu, 01 Jan 1970 00:00:00 GMT", "Fri, 31 Dec 2099 23:59:59 GMT"):
        line.request("GET", "/api/v1/apps/demo/customers/brief/entitlements", headers={**books.backend, "Date": date, "X-Now": "0"})
        answers.append(json.loads(line.getresponse().read())["isActive"])
    check("T16 no header of a client's moves the server's clock", answers == [False, False], answers)


# MARK: T21

def check_ping_pong(folder, signer):
    """T21: devices of two customers restore one subscription again and again, where restores move it."""
    books = Books(folder, signer, name="moving")
    configured(books)
    books.content["apps"][0]["policy"] = {"onRestore": "transfer"}
    books.write_configuration()
    with books.serving():
        api = API(books)
        bought = signer.jws(signer.transaction(700, 2))
        first = api.call("uploadTransaction", {"kind": "purchase", "signedTransactionInfo": bought}, customer="one")
        outcomes, holders = {}, set()
        for number in range(RESTORES):
            _, answer = api.call("uploadTransaction", {"kind": "restore", "signedTransactionInfo": bought}, customer=("two", "one")[number % 2])
            outcome = answer.get("outcome") or answer.get("code")
            outcomes[outcome] = outcomes.get(outcome, 0) + 1
            if number < 20 or number % 10 == 0:
                holders.add(sum(api.is_active(one) for one in ("one", "two")))
        check(f"T21 of two devices that restored {RESTORES} times one holds it at every moment", first[1]["outcome"] == "bound" and holders == {1}, (outcomes, holders))
        check(f"T21 and it moved no more often than policy.restoreLimit says: {outcomes}", outcomes.get("moved") == 3, outcomes)
        events, path = [], api.path("listSubscriptionEvents", {"originalTransactionId": first[1]["originalTransactionId"]})
        while path:
            page = json.loads(api.raw("GET", path, headers=books.backend)[2])
            events, path = events + page["items"], page["next"] if page["hasMore"] else None
        owner = None
        for event in events:
            if event["type"].startswith("owner."):
                owner = event["data"].get("customer", owner)
        numbers = [event["data"]["sequence"] for event in events]
        check("T21 who folds the events in their order comes to what the server says", api.is_active(owner) and numbers == list(range(1, len(numbers) + 1)), (owner, [event["type"] for event in events]))
        moves = [(event["data"].get("previousCustomer"), event["data"]["customer"]) for event in events if event["type"] == "owner.changed"]
        check("T21 each move is one event that names both", moves == [(None, "one"), ("one", "two"), ("two", "one"), ("one", "two")], moves)


# MARK: T52

FORMULAS = ["=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(1+1)", "\t=1", '=HYPERLINK("http://evil.example","x")', "<script>alert(1)</script>"]


def check_formulas(books, api):
    """T52: what leaves is JSON and HTML; nothing is a format that a spreadsheet runs, and texts stay texts."""
    wrong = []
    for text in FORMULAS:
        customer = text.strip()
        api.call("grantEntitlement", {"entitlement": "plus", "actor": "mia", "reason": text.strip()}, customer=customer, id="g")
        for name in ("exportCustomer", "readCustomerPage"):
            status, media, content = api.raw("GET", api.path(name, {"customer": customer}), headers=books.backend)
            raw = content.decode()
            if status != 200 or media not in ("application/json", "text/html") or "<script" in raw and media == "text/html":
                wrong.append((name, text, status, media))
            if media == "application/json" and json.loads(raw)["customer"] != customer:
                wrong.append((name, text))
    check(f"T52 {len(FORMULAS)} texts that a spreadsheet would run leave as JSON strings and as escaped HTML", not wrong, wrong[:3])
    served = {media for methods in api.content["paths"].values() for operation in methods.values() for answer in operation["responses"].values() for media in answer.get("content", {})}
    check("T52 and no operation answers CSV or a sheet", not [media for media in served if "csv" in media or "excel" in media or "sheet" in media], served)


# MARK: T54

def corpus(host):
    """Requests that say their length in two ways, or in a way that somebody reads otherwise; each would hide a second request."""
    hidden = f"GET /api/v1/apps/demo/customers/smuggled/entitlements HTTP/1.1\r\nHost: {host}\r\n\r\n"
    start = f"POST /api/v1/apps/demo/apple/notifications HTTP/1.1\r\nHost: {host}\r\n"
    chunked = f"0\r\n\r\n{hidden}"
    encodings = [
        "Transfer-Encoding: chunked", "Transfer-Encoding : chunked", "Transfer-Encoding: xchunked", "Transfer-Encoding: chunked, identity", "Transfer-Encoding: identity, chunked",
        "Transfer-Encoding:\tchunked", "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", "Transfer-Encoding:\r\n chunked", "X: y\rTransfer-Encoding: chunked",
        "Transfer-Encoding: \x0bchunked", "Transfer-Encoding: chunked\x00", "transfer-encoding: CHUNKED", "Transfer-Encoding: chunked;q=1", 'Transfer-Encoding: "chunked"',
        "Transfer_Encoding: chunked", "Transfer-Encoding: chunk", "Transfer-Encoding: chunked chunked", "Transfer-Encoding: gzip, chunked", "Transfer-Encoding: deflate", " Transfer-Encoding: chunked"]
    for encoding in encodings:
        yield f"{start}Content-Length: {len(chunked)}\r\n{encoding}\r\n\r\n{chunked}"
        yield f"{start}{encoding}\r\nContent-Length: 6\r\n\r\n{chunked}"
    lengths = ["+5", "-1", "5, 5", "5, 6", "0x5", "5 ", "05", "5\r\nContent-Length: 6", "5\r\nContent-Length: 5", "99999999999999999999", "5.0", "", "1e1", "５"]
    for length in lengths:
        yield f"{start}Content-Length: {length}\r\n\r\n{{}}   {hidden}"
    for size in ("0x0", "+0", "00000000000000000", "-0", "0;ext\rGET", "g", "FFFFFFFFFFFFFFFFF"):
        yield f"{start}Transfer-Encoding: chunked\r\n\r\n{size}\r\n\r\n{hidden}"
    yield f"{start}Transfer-Encoding: chunked\r\n\r\n2\r\n{{}}X\r\n0\r\n\r\n{hidden}"
    yield f"{start}Transfer-Encoding: chunked\r\n\r\n2\n{{}}\n0\n\n{hidden}"


def send(port, text):
    """What comes back until the connection is closed or nothing comes for a second, and whether it was closed."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as line:
        line.settimeout(1.0)
        back = b""
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            line.sendall(text.encode("utf-8"))
        try:
            while chunk := line.recv(65536):
                back += chunk
        except (TimeoutError, ConnectionResetError) as error:
            return back, isinstance(error, ConnectionResetError)
        return back, True


@contextlib.contextmanager
def nginx(folder, upstream):
    port = free_port()
    path = folder / "nginx.conf"
    path.write_text(f"""
daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/nginx.log;
events {{}}
http {{
  access_log {folder}/nginx.access; client_body_temp_path {folder}/b; proxy_temp_path {folder}/p; fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
  upstream tenure {{ server 127.0.0.1:{upstream}; keepalive 4; }}
  server {{ listen 127.0.0.1:{port}; location / {{ proxy_pass http://tenure; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host $host; }} }}
}}""")
    if os.geteuid() == 0:
        path.write_text("user root;\n" + path.read_text())
    process = subprocess.Popen([shutil.which("nginx") or "/usr/sbin/nginx", "-c", path, "-p", folder], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        harness.wait_until_live(f"http://127.0.0.1:{port}/health/live", process)
        yield port
    finally:
        process.terminate()
        process.wait(timeout=30)


def responses(back):
    """The statuses; an answer's content may end without a line of its own."""
    return re.findall(r"HTTP/1\.1 (\d{3}) ", back.decode("utf-8", "replace"))


def check_smuggling(folder, books):
    """T54: whatever is ambiguous is answered once, refused, and the connection is closed."""
    texts = list(corpus("127.0.0.1"))
    direct = [(text, *send(books.port, text)) for text in texts]
    # What is only another spelling of what HTTP allows is read as it is: then both requests are answered, in their order, and none is hidden.
    hidden = [text for text, back, _ in direct if len(responses(back)) > 1 and "smuggled" in text and not is_plain(text)]
    check(f"T54 of {len(texts)} requests that say their length ambiguously none hides another one", not hidden, [text[90:260] for text in hidden[:3]])
    refused = [(responses(back), closed) for text, back, closed in direct if not is_plain(text)]
    open_ones = [text for (text, back, closed) in direct if not is_plain(text) and not (closed and set(responses(back)) <= {"400", "413", "501"})]
    check(f"T54 and {len(refused)} are refused and their connections closed", not open_ones, [(text[90:230], responses(send(books.port, text)[0])) for text in open_ones[:3]])
    check("T54 the server goes on", request("GET", f"{books.server}/health/live")[0] == 200)
    with nginx(folder, books.port) as port:
        answered = sum(len(responses(send(port, text)[0])) for text in texts)
        # What the proxy takes for two requests it may have answered twice; an answer beyond those it would hand to somebody else. It writes its log a
        # moment after it has answered.
        for _ in range(50):
            asked = (folder / "nginx.access").read_text().count("\n")
            if asked > answered:
                break
            time.sleep(0.1)
        check(f"T54 behind nginx {len(texts)} of them are {answered} answers to {asked} requests", len(texts) <= answered <= asked, (answered, asked))
        # What one client hid would be answered to the next one on the same upstream connection.
        following = [request("GET", f"http://127.0.0.1:{port}/health/live")[0] for _ in range(20)]
        check("T54 and whoever comes next gets their own answers", following == [200] * 20, following)


def is_plain(text):
    """One length, said in the one way of RFC 9112: the second request is no secret to anybody, and is answered as one of its own."""
    head = text.split("\r\n\r\n")[0].split("\r\n")
    lengths = [line for line in head if line.lower().startswith("content-length:")]
    encodings = [line for line in head if line.lower().strip().startswith("transfer")]
    if not encodings and len(lengths) == 1:
        return lengths[0].split(":")[1].strip().isascii() and lengths[0].split(":")[1].strip().isdigit() and int(lengths[0].split(":")[1]) < 2**31
    # However many noughts: a last chunk.
    if len(encodings) == 1 and not lengths and encodings[0] == "Transfer-Encoding: chunked" and re.match(r"0+\r\n\r\n", text.split("\r\n\r\n", 1)[1]):
        return True
    unknown = [line for line in encodings if not line.lower().startswith("transfer-encoding")]
    if encodings == unknown and len(lengths) == 1:
        return not unknown[0].startswith(" ")
    return False


# MARK: T55

def check_elsewhere(books, api):
    """T55: nothing leads elsewhere: no address is made of a header, no path leaves its place."""
    evil = ["evil.example", "evil.example:80", "127.0.0.1@evil.example", "evil.example/..", "a" * 300]
    wrong = []
    line = http.client.HTTPConnection("127.0.0.1", books.port, timeout=30)
    for path in ("/api/v1/docs", "/api/v1/openapi.json", "/api/v1/apps/demo/events?limit=1", "/api/v1/apps/demo/jobs", "/.well-known/jwks.json", "/health/ready", "/nothing"):
        for name in evil:
            for headers in ({"Host": name}, {"X-Forwarded-Host": name}, {"Forwarded": f"host={name}"}, {"X-Original-URL": "/health/live", "X-Rewrite-URL": "/health/live"}):
                line.request("GET", path, headers={**books.backend, **headers})
                answer = line.getresponse()
                text = answer.read().decode()
                if name[:12] in text or any(name[:12] in value for value in answer.headers.values()) or answer.getheader("Location") or (path == "/nothing" and answer.status == 200):
                    wrong.append((path, headers, answer.status))
    check("T55 no answer repeats a host that the request named, and none leads elsewhere", not wrong, wrong[:3])
    paths = ["/../etc/passwd", "/api/v1/docs/../../../../etc/passwd", "/api/v1/docs/%2e%2e/%2e%2e/etc/passwd", "/api/v1/docs%2f..%2f..%2fetc%2fpasswd", "/%2e%2e%2f%2e%2e%2fetc/passwd", "//etc/passwd",
             "/api/v1/apps/demo/customers/..%2f..%2f..%2fetc%2fpasswd/entitlements", "/api/v1/apps/..%2fdemo/events", "/api/v1/docs/..%5c..%5cetc", "/api/v1/docs;/../x", "/.git/config", "/tenure.json",
             "/api/v1/docs%00.html", "/static/../../x", "/api/v1/apps/demo/jobs/%2e%2e", "/api/v1/apps/demo/webhookEndpoints/..%2f..%2fkeys", "http://evil.example/", "/api/v1//docs"]
    leaked = []
    for path in paths:
        back, _ = send(books.port, f"GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: {books.backend['Authorization']}\r\nConnection: close\r\n\r\n")
        status = responses(back)
        if b"root:" in back or b"[core]" in back or not status or (status[0] == "200" and "entitlements" not in path):
            leaked.append((path, status))
    check(f"T55 none of {len(paths)} paths leaves its place", not leaked, leaked[:3])
    status, page = api.call("listIssuedOffers", query={"limit": 1})
    links = [page.get("next")] + [api.call("listEvents", query={"limit": 1})[1]["next"]]
    check("T55 the links of pages are paths of this server", all(link is None or urllib.parse.urlsplit(link)[:2] == ("", "") and link.startswith("/api/v1/") for link in links), links)
    for url in ("http://169.254.169.254/latest", "https://169.254.169.254/", "https://[::1]/", "https://10.0.0.1/", "file:///etc/passwd", "gopher://x", "https://user:pass@example.com/", "https://example.com:22/#x"):
        refusal = api.call("saveWebhookEndpoint", {"url": url}, endpoint="elsewhere")
        wrong += [] if refusal[0] in (400, 422) else [(url, refusal)]
    check("T55 webhooks go to no address inside, and to nothing but HTTPS", not wrong, wrong[:3])


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        signer = Signer(folder)
        books = Books(folder, signer)
        configured(books)
        with books.serving():
            api = API(books)
            check_clock(books, api)
            check_formulas(books, api)
            check_smuggling(folder, books)
            check_elsewhere(books, api)
            check("every answer was what the document says", not api.wrong, api.wrong[:3])
        check_ping_pong(folder, signer)
        outcome = books.tenure("verify", "--rebuild")
        check("tenure verify --rebuild proves everything after it", outcome.returncode == 0, outcome.stdout[-600:])
    return harness.summary()


if __name__ == "__main__":
    sys.exit(main())
