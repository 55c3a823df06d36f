#!/usr/bin/env python3
"""Somebody with a socket attacks the console: sessions, passwords, forms, headers. The names of rows are those of OWASP ASVS 4.0.3 and of the list of
threats (docs/threat-model.md). Prints one line per check; the exit code is 1 when one failed.

FULL=1 tries more passwords, which take half a second each and longer in a debug build."""

import base64
import concurrent.futures
import http.client
import json
import os
import pathlib
import re
import socket
import sys
import tempfile
import time
import urllib.parse

import pyotp

import harness
from books_material import Signer, insider, original_id
from console_people import MOVED, PASSWORD, WAITING, Answer, ConsoleBooks, Line, Operator, check_headers, imported, lived
from harness import check
from private_postgres import private_postgres

FULL = bool(os.environ.get("FULL"))
HERE = "/apps/demo/Production"
ALICE = f"{HERE}/customers/customer-1"


def without_clock(text):
    return re.sub(r"<time .*?</time>", "", text)


def is_in(line, path="/account"):
    return line.get(path, headers={"Accept": "application/json"}).status == 200


def sessions(line):
    return line.get("/account", headers={"Accept": "application/json"}).json["sessions"]


# MARK: Passwords and links

def check_link(books, desk, operator):
    """The way in: what passwords are refused, and what a link is good for."""
    line = Line(desk)
    refused = {"eleven long": "short", "x" * 129: "long", "passwordpassword": "common", f"{operator.name} {operator.name}": "name", "123456789012": "row", "qwertyuiop123456": "keys"}
    statuses = {why: line.post(operator.path, {"password": password, "repeated": password}).status for password, why in refused.items()}
    check("ASVS 2.1.1, 2.1.2, 2.1.7: 11 and 129 characters, common ones and the own name are refused", set(statuses.values()) == {400}, statuses)
    differ = line.post(operator.path, {"password": PASSWORD, "repeated": PASSWORD + "x"})
    looked = [line.get(operator.path).status for _ in range(3)]
    check("ASVS 2.5.6: opening a link uses nothing up, nor do refused passwords", (differ.status, looked) == (400, [200] * 3), (differ.status, looked))
    check("ASVS 2.1.8, 2.1.11: the page is for a browser's list of passwords: kinds and names of fields", 'autocomplete="new-password"' in line.get(operator.path).text and line.get(operator.path).field("username") == operator.name)
    welcome = operator.set_up(line)
    again = [line.post(operator.path, {"password": PASSWORD, "repeated": PASSWORD}).status, line.get(operator.path).status]
    check("ASVS 2.5.6: a link is good once", welcome.status == 200 and again == [404, 404], (welcome.status, again))
    unknown = [line.get("/login/link/" + "A" * 43), line.get(operator.path), line.get("/login/link/short")]
    check("a used link and one that never was are answered alike", len({without_clock(answer.text) for answer in unknown}) == 1 and {answer.status for answer in unknown} == {404})
    shown = books.database.read_bytes() + b"".join(path.read_bytes() for path in books.folder.glob(books.database.name + "-*"))
    secret = operator.secret
    raw_secret = base64.b32decode(secret)
    tokens = [operator.cookie, operator.link.rsplit("/", 1)[1], secret, PASSWORD, *operator.recovery, *(code.replace("-", "") for code in operator.recovery)]
    found = [text[:6] for text in tokens if text.encode() in shown] + (["raw secret"] if raw_secret in shown else [])
    check("ASVS 2.4.1, 3.2.3: neither password, secret, recovery codes, link nor session stands in the file", not found, found)


def check_codes(desk, operator):
    line = Line(desk, source="127.0.1.1")
    code = operator.code()
    first, second = operator.log_in(line, code=code), operator.log_in(line, code=code)
    check("ASVS 2.8.4: a code is good once", (first.status, second.status) == (303, 401), (first.status, second.status))
    recovery = operator.recovery.pop()
    first, second = operator.log_in(line, code=recovery), operator.log_in(line, code=recovery)
    check("ASVS 2.8.4: so is a recovery code", (first.status, second.status) == (303, 401), (first.status, second.status))
    far = [pyotp.TOTP(operator.secret).at(time.time() + seconds) for seconds in (-90, 120)]
    statuses = [operator.log_in(line, code=one).status for one in far]
    check("codes of three steps ago and of four steps ahead are refused", statuses == [401, 401], statuses)
    bare = [line.post("/login", {"name": operator.name, "password": PASSWORD}).status, operator.log_in(line, code="").status]
    check("ASVS 4.3.1: a password without a code opens nothing", bare == [401, 401], bare)
    operator.cookie = first.cookie()[1]


def check_slowing(desk, operator):
    """T45: failures slow down; the right one works after the pause. Nine of them are wrong codes of somebody who is in, which take no half second each; with
    FULL all are wrong passwords."""
    source, statuses, told = "127.0.2.1", [], None
    operator.log_in(Line(desk, source="127.0.1.1"), code=operator.recovery.pop())
    inside, line = Line(desk, operator.cookie, source), Line(desk, source=source)
    form, cheap = inside.get("/account").field("form"), 0 if FULL else 9
    for _ in range(cheap):
        statuses.append(inside.post("/account/prove", {"form": form, "code": operator.wrong_code()}).status)
    while told is None and len(statuses) < 14:
        answer = operator.log_in(line, password="not the password of anybody", code="000000")
        statuses.append(answer.status)
        told = re.search(r"in (\d+) second", re.sub("<[^>]*>|[\u2068\u2069]", "", answer.text)) if answer.status == 429 else None
    stranger = line.post("/login", {"name": "a-stranger", "password": PASSWORD, "code": "000000"}).status
    right = operator.log_in(line, code=operator.recovery[-1]).status
    seconds = int(told[1]) if told else 0
    check(f"T45, ASVS 2.2.1: {len(statuses) - 1} failures, and the next one must wait for {seconds} s, the right one too", statuses[:10] == [401] * 10 and statuses[-1] == 429 and 1 <= seconds <= 8 and right == 429, (statuses, seconds, right))
    check("T45 and any other name from that address; who is in stays in", stranger == 429 and is_in(Line(desk, operator.cookie)), stranger)
    time.sleep(seconds + 0.2)
    right = operator.log_in(line, code=operator.recovery.pop())
    check("T45 after the pause the right one works: nobody is locked out", right.status == 303, right.status)


def check_unknown(desk, operator):
    """Whether a name exists is not told: words, status, time."""
    texts, times = {}, {}
    for kind, name, password, code in (("no such name", "nobody-at-all", PASSWORD, "000000"), ("another password", operator.name, "not the password of anybody", "000000"),
                                       ("another code", operator.name, PASSWORD, operator.wrong_code()), ("no name", "\u0000 '", PASSWORD, "000000")):
        line = Line(desk, source=f"127.0.3.{len(texts) + 1}")
        begun = time.monotonic()
        answers = [line.post("/login", {"name": name, "password": password, "code": code}) for _ in range(5 if FULL else 1)]
        times[kind] = (time.monotonic() - begun) / len(answers)
        texts[kind] = {(answer.status, re.sub(r'(name="name" value=")[^"]*', r"\1", without_clock(answer.text)), tuple(answer.all("set-cookie"))) for answer in answers}
    check("ASVS 2.2.1, 3.2.1: no such name, another password and another code are answered in the same words", len(set.union(*texts.values())) == 1 and next(iter(texts["no name"]))[0] == 401, texts)
    spread = max(times.values()) / min(times.values())
    check(f"and after the same work: {', '.join(f'{value:.2f}' for value in times.values())} s", spread < (3 if FULL else 8) and min(times.values()) > 0.15, times)


# MARK: Sessions

def check_cookies(desk, operator, other):
    line = Line(desk, source="127.0.1.2")
    planted = "A" * 43
    fixed = operator.log_in(Line(desk, planted, source="127.0.1.2"), code=operator.recovery.pop())
    name, token, attributes = fixed.cookie()
    check("ASVS 3.4.1 to 3.4.5: on this machine the cookie is HttpOnly, SameSite=Lax, Path=/, of no domain", name == "tenure" and sorted(attributes) == ["HttpOnly", "Path=/", "SameSite=Lax"], (name, attributes))
    check("ASVS 3.2.2: 256 random bits", re.fullmatch("[A-Za-z0-9_-]{43}", token or ""), token)
    check("ASVS 3.2.1: a cookie that was there before the login opens nothing after it", token != planted and not is_in(Line(desk, planted)) and is_in(Line(desk, token)))
    foreign = operator.log_in(Line(desk, other.cookie, source="127.0.1.2"), code=operator.recovery.pop()).cookie()[1]
    names = [Line(desk, one).get("/account", headers={"Accept": "application/json"}).json["name"] for one in (other.cookie, foreign)]
    check("ASVS 3.2.1: nor does somebody else's session become mine, or mine theirs", foreign != other.cookie and names == [other.name, operator.name], names)
    double = line.get("/account", headers={"Cookie": f"tenure={token}; tenure={other.cookie}", "Accept": "application/json"})
    check("two cookies of the name are none", double.status == 401, double.status)
    wrong = [line.get("/account", headers={"Cookie": cookie, "Accept": "application/json"}).status
             for cookie in (f"tenure={token[:-1]}", f"tenure={token}x", f"tenure={token.lower()}", f"Tenure={token}", "tenure=", f"tenure=' OR '1'='1", f"__Host-tenure={token}")]
    check("a token that differs in anything is none", set(wrong) == {401}, wrong)
    check("ASVS 3.1.1: no token in an address", line.get(f"/account?tenure={token}", headers={"Accept": "application/json"}).status == 401 and token not in Line(desk, token).get("/account").text)
    mine = Line(desk, token)
    form = mine.get("/account").field("form")
    out = mine.post("/logout", {"form": form})
    gone = out.cookie()
    check("ASVS 3.3.1: logout ends the session on the server, and takes the cookie away", out.status == 303 and not is_in(Line(desk, token)) and gone[1] == "" and "Max-Age=0" in gone[2], gone)
    replayed = Line(desk, token).post("/account/reading", {"form": form, "language": "zh-Hans"})
    check("ASVS 3.3.1: its form does nothing any more", replayed.status == 303 and replayed.header("location").startswith("/login"), replayed.status)
    listed = sessions(Line(desk, foreign))
    seen = next(one for one in listed if not one["isThisOne"])
    told = Line(desk, foreign)
    ended = told.post("/account/sessions", {"form": told.get("/account").field("form"), "session": seen["id"]})
    left = [one["id"] for one in sessions(told)]
    check("ASVS 3.3.4: an operator sees their sessions and ends one", ended.status == 303 and seen["id"] not in left and len(left) == len(listed) - 1, (len(listed), len(left)))
    theirs = sessions(Line(desk, other.cookie))[0]["id"]
    told.post("/account/sessions", {"form": told.get("/account").field("form"), "session": theirs})
    check("ASVS 4.2.1: and nobody else's", is_in(Line(desk, other.cookie)))
    operator.cookie = foreign


def check_ends(books, desk, operator):
    """The command line ends sessions and roles; both hold with the next request."""
    line = Line(desk, operator.cookie)
    before = line.get(ALICE).status
    books.tenure("operator", "roles", operator.name, "--role", "viewer")
    after = line.get(ALICE).status
    books.tenure("operator", "roles", operator.name, "--role", "support", "--app", "news")
    other = [line.get(ALICE), line.get("/apps/never/Production")]
    home = line.get("/").header("location")
    check("ASVS 4.1.1: another role holds with the next request", (before, after) == (200, 403), (before, after))
    check("ASVS 4.1.3: an app in which one has no role is answered as one that does not exist", {answer.status for answer in other} == {404} and home == "/apps/news/Production"
          and len({without_clock(answer.text) for answer in other}) == 1, ([answer.status for answer in other], home))
    books.tenure("operator", "end-sessions", operator.name)
    ended = is_in(line)
    books.tenure("operator", "end", operator.name)
    refused = operator.log_in(Line(desk, source="127.0.1.3"), code=operator.recovery.pop())
    check("ASVS 3.3.3: sessions are ended from outside; who was ended is not let in", not ended and refused.status == 401, (ended, refused.status))


# MARK: Forms

def check_forms(desk, operator, other):
    """T42: what a page of another site can send."""
    line = Line(desk, operator.cookie)
    token, foreign_token = line.get("/account").field("form"), Line(desk, other.cookie).get("/account").field("form")
    check("T42, ASVS 4.2.2: each session has a token of its own for its forms, which is not the cookie", token and token != foreign_token and operator.cookie not in line.get("/account").text)
    before = (line.get("/account").header("content-language"), len(sessions(line)), sessions(line)[0]["id"])
    targets = {
        "/login": {"name": operator.name, "password": PASSWORD, "code": "000000"}, "/logout": {"form": token}, "/login/confirm": {"enrolment": "A" * 43, "code": "1"},
        "/login/link/" + "A" * 43: {"password": PASSWORD, "repeated": PASSWORD}, "/account/reading": {"form": token, "language": "zh-Hans"},
        "/account/prove": {"form": token, "code": "000000"}, "/account/password": {"form": token, "present": PASSWORD, "password": PASSWORD + "x", "repeated": PASSWORD + "x"},
        "/account/factor": {"form": token}, "/account/codes": {"form": token}, "/account/sessions": {"form": token, "session": sessions(line)[0]["id"]},
        f"{HERE}/search/inspect": {"form": token, "text": "x"}}
    origins = {"no Origin": False, "a foreign one": "https://evil.example", "null": "null", "another port": f"http://127.0.0.1:{desk.port + 1}", "another scheme": desk.origin.replace("http:", "https:"),
               "another name of this machine": desk.origin.replace("127.0.0.1", "localhost"), "one that begins alike": desk.origin + ".evil.example"}
    wrong = [(path, why, status) for path, form in targets.items() for why, origin in origins.items() if (status := line.post(path, form, origin=origin).status) != 403]
    check(f"T42, ASVS 13.2.3: {len(targets)} forms without Origin or with {len(origins) - 1} other ones: 403", not wrong, wrong[:5])
    wrong = [(path, site, status) for path, form in targets.items() for site in ("cross-site", "same-site")
             if (status := line.post(path, form, headers={"Sec-Fetch-Site": site}).status) != 403]
    check("T42 and where the browser says that another site sends them", not wrong, wrong[:5])
    wrong = []
    for path, form in targets.items():
        if "form" in form:
            for why, sent in (("none", None), ("another session's", foreign_token), ("cut", token[:-1]), ("empty", ""), ("the cookie", operator.cookie)):
                fields = {name: value for name, value in form.items() if name != "form"} | ({} if sent is None else {"form": sent})
                answer = line.post(path, fields)
                if answer.status != 403:
                    wrong.append((path, why, answer.status))
    check("T42, ASVS 4.2.2: without the token, with another session's, a cut one: 403", not wrong, wrong[:5])
    kinds = {"text/plain": b"form=" + token.encode(), "multipart/form-data; boundary=x": b'--x\r\nContent-Disposition: form-data; name="form"\r\n\r\n' + token.encode() + b"\r\n--x--\r\n",
             "application/json": json.dumps({"form": token, "language": "zh-Hans"}).encode(), "": b"form=" + token.encode()}
    wrong = [(kind, status) for kind, body in kinds.items() if (status := line.post("/account/reading", body, headers={"Content-Type": kind} if kind else {}).status) != 400]
    check("ASVS 13.1.5: a form that is not application/x-www-form-urlencoded is not read", not wrong, wrong)
    gets = {path: line.get(f"{path}?{urllib.parse.urlencode(form)}").status for path, form in targets.items() if path != "/login" and "/link/" not in path}
    check("T42 GET does nothing of it", set(gets.values()) <= {404, 405}, gets)
    after = (line.get("/account").header("content-language"), len(sessions(line)), sessions(line)[0]["id"])
    check("T42 and after all of it nothing has changed", after == before, (before, after))
    twice = [line.post("/account/reading", {"form": token, "language": "zh-Hans"}).status for _ in range(2)]
    language = line.get("/account").header("content-language")
    line.post("/account/reading", {"form": token, "language": ""})
    check("a form that is sent twice does what one does", twice == [303, 303] and language == "zh-Hans", (twice, language))


def check_password(desk, operator):
    """One's own password: the present one is asked for; the other sessions end."""
    first = Line(desk, operator.cookie)
    second = Line(desk, operator.log_in(Line(desk, source="127.0.1.4"), code=operator.recovery.pop()).cookie()[1])
    form, changed = second.get("/account").field("form"), PASSWORD + " once more"
    wrong = second.post("/account/password", {"form": form, "present": "not the password of anybody", "password": changed, "repeated": changed})
    check("ASVS 2.1.6: without the present password nothing is changed", wrong.status in (400, 401) and is_in(second) and is_in(first), wrong.status)
    right = second.post("/account/password", {"form": form, "present": PASSWORD, "password": changed, "repeated": changed})
    fresh = right.cookie()[1]
    check("ASVS 3.2.1, 3.3.3: another password: a new session, and the others end", right.status == 303 and fresh and fresh != second.cookie and is_in(Line(desk, fresh)) and not is_in(second) and not is_in(first),
          (right.status, is_in(second), is_in(first)))
    old = operator.log_in(Line(desk, source="127.0.1.4"), code=operator.recovery[-1])
    new = operator.log_in(Line(desk, source="127.0.1.4"), password=changed, code=operator.recovery.pop())
    check("ASVS 2.1.5: the old one opens nothing, the new one does", (old.status, new.status) == (401, 303), (old.status, new.status))
    operator.cookie = fresh


# MARK: What is sent

def check_bodies(desk, operator):
    line = Line(desk, operator.cookie)
    stranger = Line(desk)
    long_form, start = b"name=" + b"a" * 16_380, f"form={line.form}&text=".encode()
    fitting = start + b"a" * ((1 << 20) - len(start))
    statuses = [stranger.post("/login", long_form, headers={"Content-Type": "application/x-www-form-urlencoded"}).status,
                line.post("/account/reading", long_form, headers={"Content-Type": "application/x-www-form-urlencoded"}).status,
                line.post(f"{HERE}/search/inspect", fitting + b"a", headers={"Content-Type": "application/x-www-form-urlencoded"}).status]
    check("T31 a form of more than 16 KiB and a pasted text of more than 1 MiB: 413", statuses == [413] * 3, statuses)
    fits = line.post(f"{HERE}/search/inspect", fitting, headers={"Content-Type": "application/x-www-form-urlencoded"})
    check("T31 a pasted text of 1 MiB is looked at", fits.status == 200, fits.status)
    kinds = {"application/jose": 200, "text/plain": 400, "multipart/form-data; boundary=x": 400, "": 400}
    found = {kind: line.post(f"{HERE}/search/inspect", b"x", headers={"Content-Type": kind} if kind else {}).status for kind in kinds}
    check("T42 what a page of any site could send is not taken for a text without a form", found == kinds, found)
    chunked = raw(desk, b"POST /login HTTP/1.1\r\nHost: x\r\nOrigin: " + desk.origin.encode() + b"\r\nContent-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n"
                  + b"4000\r\n" + b"a" * 0x4000 + b"\r\n" + b"10\r\n" + b"a" * 16 + b"\r\n0\r\n\r\n")
    check("T31 so it is where the length is not said before", chunked.status == 413, chunked.status)
    broken = raw(desk, b"POST /login HTTP/1.1\r\nHost: x\r\nOrigin: " + desk.origin.encode() + b"\r\nContent-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n" + b"zz\r\nnot a chunk")
    check("T33 a body that is no body is no failure of the server's", broken is None or broken.status == 400, broken and broken.status)
    form = "application/x-www-form-urlencoded"
    odd = {b"name=%": 400, b"name=%ff": 400, b"\xff\xfe": 400, b"&".join(b"a=b" for _ in range(30)): 400, b"": 401, b"=&=&": 401}
    found = {body[:8]: stranger.post("/login", body, headers={"Content-Type": form}).status for body in odd}
    check("T33 forms that are not percent-encoded UTF-8, or have 30 fields: 400; empty ones: as nobody", list(found.values()) == list(odd.values()), found)
    large = raw(desk, b"GET /login HTTP/1.1\r\nHost: x\r\nX-Long: " + b"a" * 70_000 + b"\r\n\r\n")
    check("T32 a header of 70,000 bytes is refused", large is None or large.status in (400, 413, 431), large and large.status)
    if large is not None:
        check("ASVS 14.4.1: and the answer is nothing that a browser would take for a page", large.header("content-type") in ("application/problem+json", "text/plain; charset=utf-8"), large.pairs)


def raw(desk, content):
    """Bytes, as they are; nothing where the connection is closed without an answer."""
    with socket.create_connection(("127.0.0.1", desk.port), timeout=20) as line:
        try:
            line.sendall(content)
            response = http.client.HTTPResponse(line)
            response.begin()
            return Answer(response)
        except (http.client.HTTPException, OSError):
            return None


def check_methods(desk, operator):
    line, wrong = Line(desk, operator.cookie), []
    pages = ["/", "/account", "/login", "/rules", HERE, ALICE, "/operators", f"{HERE}/search/inspect"]
    for path in pages:
        for method in ("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND"):
            answer = line.ask(path, method=method)
            if answer.status not in (404, 405, 501) or (answer.status == 405 and not answer.header("allow")):
                wrong.append((method, path, answer.status))
    check(f"ASVS 14.5.1: {len(pages)} routes take no other method", not wrong, wrong[:5])
    heads = {path: (line.ask(path, method="HEAD").status, line.ask(path, method="HEAD").content) for path in ("/login", "/account", "/rules", HERE)}
    check("HEAD is answered as GET, without a body", set(heads.values()) == {(200, b"")}, heads)


def check_redirects(desk, operator):
    """T55: nothing leads elsewhere."""
    line, wrong = Line(desk, source="127.0.1.5"), []
    targets = ["//evil.example", "https://evil.example/", "/\\evil.example", "\\\\evil.example", "/%2f%2fevil.example", "javascript:alert(1)", "/login", "/logout", "/..//evil.example", "/ /evil", "", "/assets/x",
               "/apps/demo/Production/search/inspect", "/account", "//", "/\t/evil.example", "http:evil.example"]
    for next in targets:
        page = line.get("/login?" + urllib.parse.urlencode({"next": next}))
        kept = page.field("next")
        if page.status != 200 or (kept is not None and (not kept.startswith("/") or kept.startswith("//") or "evil" in kept)):
            wrong.append((next, page.status, kept))
    answers = [operator.log_in(line, code=operator.recovery.pop(), next="//evil.example").header("location")]
    check(f"T55, ASVS 5.1.5: {len(targets)} addresses to go to after the login lead to no other host", not wrong and answers == ["/"], (wrong[:4], answers))
    hosts = [line.get(HERE, headers={"Host": host, "X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "https", "Forwarded": "host=evil.example"}) for host in ("evil.example", "127.0.0.1:1", "")]
    check("T55 no answer is made of a request's host", all(answer.header("location", ).startswith("/login") and "evil" not in answer.text for answer in hosts), [answer.header("location") for answer in hosts])
    paths = ["/assets/../../etc/passwd", "/assets/..%2f..%2fetc%2fpasswd", "/assets/%2e%2e/console.css", "/assets/console.css", "/.git/config", "/%00", "/apps/demo/Production/%2e%2e/%2e%2e/operators", "//login", "/LOGIN",
             "/apps//Production", "/apps/demo/production", "/" + "a/" * 3000, "/api/v1/apps/demo/customers/customer-1", "/health/live", "/metrics"]
    statuses = {path[:50]: line.get(path).status for path in paths}
    check(f"T55 {len(paths)} odd paths are no pages", set(statuses.values()) <= {303, 400, 404, 414, 431}, statuses)


STATEMENTS = ["'", "''", "\"", "`", "\\", "%", "_", "';--", "' OR '1'='1", "' OR 1=1--", "') OR ('1'='1", "1; DROP TABLE operator;--", "' UNION SELECT name, roles FROM operator--", "x' AND 1=CAST((SELECT 1) AS int)--",
              "'||(SELECT hex(randomblob(9)))||'", "1/*comment*/", "$1", "?1", ":name", "\u02bc OR 1=1", "%27%20OR%201=1", "'; SELECT pg_sleep(5);--", "WAITFOR DELAY '0:0:5'", "\x1a", "NULL", "0x27", "1e309", "-1", "9" * 40, "\u0000"]


def check_statements(books, desk, admin):
    """T43: texts that would be SQL, in every parameter of every route."""
    line, begun, wrong = Line(desk, admin.cookie), time.monotonic(), []
    subscription = f"{HERE}/subscriptions/{original_id(MOVED)}"
    places = ["/login?next={}", "/apps/{}/Production", "/apps/demo/{}", f"{HERE}/search?q={{}}", f"{HERE}/customers/{{}}", f"{ALICE}?kind={{}}", f"{ALICE}?at={{}}", f"{ALICE}?before={{}}", f"{HERE}/subscriptions/{{}}",
              f"{subscription}?at={{}}", f"{subscription}/{{}}", f"{subscription}/facts/{{}}", f"{subscription}/facts?before={{}}", f"{HERE}/inbox?after={{}}", "/rules/{}", "/operators/audit?actor={}", "/operators/audit?act={}",
              "/operators/audit?before={}", "/login/link/{}"]
    before = books.counts()
    for place in places:
        for text in STATEMENTS:
            answer = line.get(place.format(urllib.parse.quote(text, safe="")))
            if answer.status not in (200, 303, 400, 404) or "SQL" in answer.text.replace("SQLite", "") and "SQL" not in text:
                wrong.append((place, text, answer.status))
            if place.endswith("actor={}") and "<tbody>" in answer.text and text not in ("\u0000",):
                wrong.append((place, text, "rows"))
    after = books.counts()
    # Work that was due is done meanwhile.
    grown = {table for table in before if before[table] != after[table] and not (table == "work" and int(after[table]) < int(before[table]))}
    took = time.monotonic() - begun
    check(f"T43 {books.kind}: {len(STATEMENTS)} texts in {len(places)} parameters are texts: no failure, no row, no pause: {took:.1f} s", not wrong and took < 60, wrong[:5])
    check(f"T43 {books.kind}: and nothing is written but the operators' audit", {table.lower() for table in grown} <= {"operatoraudit", "operatorsearch", "operatorsession"}, {table: (before[table], after[table]) for table in grown})


# MARK: Audit

def check_audit(books, desk, operator, admin):
    """Each customer, subscription and search stands in the audit, who, when, from where, and of whom."""
    line, reader = Line(desk, operator.cookie, source="127.0.1.6"), Line(desk, admin.cookie)
    subscription = f"{HERE}/subscriptions/{original_id(WAITING)}"
    for path in (f"{HERE}/search?q=audited-words", f"{HERE}/customers/customer-3", f"{HERE}/customers/never-known", subscription, f"{subscription}/facts/1", f"{subscription}/owners"):
        line.get(path)
    line.post(f"{HERE}/search/inspect", {"form": line.form, "text": "x"})
    line.ask(f"{HERE}/customers/customer-1", method="HEAD")
    notes = reader.get(f"/operators/audit?actor={operator.name}", headers={"Accept": "application/json"}).json["notes"]
    newest = [(note["act"], note.get("customer") or note.get("subject") or note.get("searched")) for note in notes[:8]][::-1]
    # Of whom nothing is known there is no number, and the chain spells no ids: the id stands among what was searched.
    wanted = [("searched", "audited-words"), ("openedCustomer", "customer-3"), ("openedCustomer", "never-known"), ("openedSubscription", original_id(WAITING)), ("openedEvidence", original_id(WAITING)),
              ("openedSubscription", original_id(WAITING)), ("inspected", None), ("openedCustomer", "customer-1")]
    check("ASVS 7.1.3, trap 12: each opened customer, subscription and fact, each search and inspection is audited, in order", newest == wanted, newest)
    check("and from where", {note["address"] for note in notes[:8]} == {"127.0.1.6"}, {note.get("address") for note in notes[:8]})
    refused = Line(desk, operator.cookie)
    before = notes[0]["number"]
    refused.get("/operators")
    page = reader.get("/operators/audit").text
    check("the audit as a page names them too", "audited-words" in page and "customer-3" in page and original_id(WAITING) in page)
    acts = {note["act"] for number in range(3) for note in reader.get("/operators/audit" + ("" if number == 0 else f"?before={before - number * 100}"), headers={"Accept": "application/json"}).json["notes"]}
    check("ASVS 7.1.3: logins, failures, logouts, links, factors, passwords, ended sessions stand there", {"loggedIn", "loginFailed", "loggedOut", "usedLink", "setFactors", "changedPassword", "endedSession", "madeOperator"} <= acts or before > 300, acts)


def check_chain(books):
    """`tenure verify` proves the chain, and names a row that somebody changed."""
    books.configure()
    outcome = books.tenure("verify", "--json")
    check("tenure verify proves the operators' audit", outcome.returncode == 0 and json.loads(outcome.stdout)["findings"] == [], outcome.stdout[-400:])
    count = int(books.sql("SELECT count(*) FROM operatorAudit")[0])
    denied = books.sql_fails("UPDATE operatorAudit SET hash = x'00' WHERE number = 3")
    check("sqlite3 cannot change a row of it", denied, denied)
    columns = books.sql("SELECT name FROM pragma_table_info('operatorAudit')")
    text = next(name for name in columns if name not in ("number", "hash", "customer", "ledger"))
    for what, statement in (("a changed row", f"UPDATE operatorAudit SET {text} = replace(CAST({text} AS TEXT), 'o', '0') WHERE number = {count // 2}"), ("a removed row", f"DELETE FROM operatorAudit WHERE number = {count // 2}"),
                            ("two rows in each other's place", f"UPDATE operatorAudit SET number = CASE number WHEN {count // 2} THEN 1000000000 ELSE {count // 2} END WHERE number IN ({count // 2}, {count // 2 + 1});"
                             f"UPDATE operatorAudit SET number = {count // 2 + 1} WHERE number = 1000000000")):
        copy = books.copy_of(what.replace(" ", "-").replace("'", ""))
        with insider(copy):
            copy.sql(statement)
        outcome = copy.tenure("verify", "--json")
        findings = json.loads(outcome.stdout)["findings"] if outcome.stdout.startswith("{") else []
        check(f"T53 tenure verify finds {what} among {count}", outcome.returncode != 0 and any("perator" in json.dumps(one) for one in findings), (outcome.returncode, findings[:2], outcome.stderr[-300:]))


# MARK: Addresses

def check_secure(books, operator):
    """What browsers are told where the address is https, as a proxy with TLS in front would."""
    for address, name, path in (("https://tenure.example.com", "__Host-tenure", "/"), ("https://example.com/tenure", "__Secure-tenure", "/tenure")):
        desk = books.configure(address=address)
        with books.serving():
            line = Line(desk, source="127.0.1.7")
            answer = operator.log_in(line, code=operator.recovery.pop())
            found, token, attributes = answer.cookie()
            check(f"ASVS 3.4.1 to 3.4.5: {address}: {name}, Secure, HttpOnly, SameSite=Lax, Path={path}",
                  found == name and sorted(attributes) == sorted(["HttpOnly", f"Path={path}", "SameSite=Lax", "Secure"]), (found, attributes))
            plain = line.get(desk.prefix + "/account", headers={"Cookie": f"tenure={token}", "Accept": "application/json"}).status
            own = line.get(desk.prefix + "/account", headers={"Cookie": f"{name}={token}", "Accept": "application/json"}).status
            other = line.post(desk.prefix + "/login", {"name": "x"}, origin=f"http://127.0.0.1:{desk.port}")
            check(f"{address}: the cookie counts under that name alone, and forms come from that origin alone", (plain, own, other.status) == (401, 200, 403), (plain, own, other.status))
    for address, words in (("http://tenure.example.com", "https"), ("ftp://x", "console.address"), ("https://x/a b", "console.address"), ("https://x/../y", "console.address")):
        books.configure(address=address)
        outcome = books.tenure("serve", "--check")
        check(f"console.address {address} is refused", outcome.returncode != 0 and words in outcome.stderr, outcome.stderr[-200:])


def check_proxy(books, operator):
    """A trusted proxy's header, and nobody else's."""
    header = "X-Forwarded-User"
    desk = books.configure(proxy={"header": header, "from": ["127.0.4.1"]}, forwardedFrom=["127.0.4.1"])
    asked = {"Accept": "application/json"}
    with books.serving():
        proxy, other = Line(desk, source="127.0.4.1"), Line(desk, source="127.0.4.2")
        named = proxy.get("/account", headers={**asked, header: operator.name, "X-Forwarded-For": "6.6.6.6, 203.0.113.7"})
        check("proxy: whom it names is let in, from the address that it saw", named.status == 200 and named.json["name"] == operator.name and any(one["isThisOne"] and one["address"] == "203.0.113.7" for one in named.json["sessions"]),
              named.text[:300])
        token = named.cookie()[1]
        wrong = [line.get("/account", headers=headers).status for line, headers in (
            (other, {**asked, header: operator.name}), (other, {**asked, header: operator.name, "X-Forwarded-For": "127.0.4.1", "X-Real-IP": "127.0.4.1", "Forwarded": "for=127.0.4.1"}),
            (other, {**asked, "Cookie": f"tenure={token}"}), (other, {**asked, "Cookie": f"tenure={token}", header: operator.name}),
            (proxy, asked), (proxy, {**asked, header: "stranger"}), (proxy, {**asked, header: ""}), (proxy, {**asked, header: f"{operator.name}, admin"}), (proxy, {**asked, "Cookie": f"tenure={token}"}))]
        check("T50, proxy: the header from elsewhere, no header, an unknown name, two names, a cookie alone: 401", set(wrong) == {401}, wrong)
        switched = proxy.get("/account", headers={**asked, header: "o-proxied", "Cookie": f"tenure={token}"})
        check("proxy: a session of one is not another's, whatever the cookie says", switched.status == 200 and switched.json["name"] == "o-proxied", switched.text[:200])
        beside = [(method, path, status) for line in (proxy, other) for method, path, form in (
            ("GET", "/login", None), ("POST", "/login", {"name": operator.name, "password": PASSWORD, "code": "1"}), ("GET", "/login/link/" + "A" * 43, None), ("POST", "/login/confirm", {"enrolment": "A" * 43}),
            ("POST", "/account/password", {"form": "x"})) if (status := line.ask(path, form, method=method, headers={header: operator.name}).status) not in (401, 403, 404)]
        check("proxy: there is no login beside it", not beside, beside)
        page = proxy.get("/account", headers={header: operator.name, "Cookie": f"tenure={token}"})
        check("proxy: and no password to change", page.status == 200 and "/account/password" not in page.text and "/account/factor" not in page.text)
        forged = proxy.post("/account/reading", {"form": page.field("form"), "language": "zh-Hans"}, origin="https://evil.example", headers={header: operator.name, "Cookie": f"tenure={token}"})
        check("T42, proxy: forms from elsewhere are refused here too", forged.status == 403, forged.status)
    for change, words in (({"header": header, "from": []}, "console.proxy.from"), ({"header": "X Y", "from": ["127.0.0.1"]}, "console.proxy.header"), ({"header": header, "from": ["example.com"]}, "console.proxy.from")):
        books.configure(proxy=change)
        outcome = books.tenure("serve", "--check")
        check(f"proxy: {change} is refused", outcome.returncode != 0 and words in outcome.stderr, outcome.stderr[-200:])


def check_many(desk, operator):
    """Trap 13: each password takes 128 MiB; many at once are refused and do not fill the memory, and pages go on."""
    with concurrent.futures.ThreadPoolExecutor(max_workers=16) as pool:
        asked = [pool.submit(lambda place=place: Line(desk, source=f"127.0.5.{place + 1}").post("/login", {"name": f"crowd-{place}", "password": PASSWORD, "code": "000000"}).status) for place in range(15)]
        begun = time.monotonic()
        page = Line(desk, operator.cookie).get(ALICE).status
        took = time.monotonic() - begun
        statuses = [one.result() for one in asked]
    check(f"trap 13: of 15 passwords at once five or so are looked at, the others a moment later; a page takes {took * 1000:.0f} ms meanwhile", set(statuses) == {401, 503} and statuses.count(503) >= 5 and page == 200 and took < 5,
          (statuses, page, took))


def attack(books, desk, victim, other, admin):
    for step in (
            lambda: check_codes(desk, victim), lambda: check_slowing(desk, victim), lambda: check_unknown(desk, other), lambda: check_cookies(desk, victim, other),
            lambda: check_forms(desk, other, victim), lambda: check_password(desk, other), lambda: check_bodies(desk, other), lambda: check_methods(desk, admin),
            lambda: check_redirects(desk, admin), lambda: check_statements(books, desk, admin), lambda: check_audit(books, desk, other, admin), lambda: check_many(desk, other),
            lambda: check_ends(books, desk, victim)):
        step()


def attack_postgres(folder, signer):
    """The same texts where another database reads the statements."""
    with private_postgres() as url:
        books = ConsoleBooks(folder, signer, "console-postgres", url=url)
        imported(books)
        desk, admin = books.configure(), Operator("o-chief", "admin").made(books)
        with books.serving():
            lived(books)
            admin.set_up(Line(desk))
            check_statements(books, desk, admin)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        books = ConsoleBooks(folder, Signer(folder))
        imported(books)
        desk = books.configure()
        victim, other, admin = Operator("o-victim", "support"), Operator("o-other", "support"), Operator("o-chief", "admin")
        for operator in (victim, other, admin, Operator("o-proxied", "viewer")):
            operator.made(books)
        with books.serving():
            lived(books)
            check_link(books, desk, victim)
            for operator in (other, admin):
                operator.set_up(Line(desk))
            attack(books, desk, victim, other, admin)
        check_secure(books, admin)
        check_proxy(books, admin)
        check_chain(books)
        attack_postgres(folder, books.signer)
    check_headers(200)
    return harness.summary()


if __name__ == "__main__":
    sys.exit(main())
