"""W13: a year of many lives in the local App Store, told to the receiver of docs/operations/webhooks.md, which folds events alone. Every so
often its answer is held against what the API says of each customer (I38): at that instant, and at one before the next, since until the
clock moves there is no news."""

import base64
import collections
import json
import os
import random
import re
import sqlite3
import subprocess
import sys
import time
import uuid

from books_material import Signer
from harness import APPLE_ID, BUNDLE, ROOT, Keys, check, configuration, free_port, request, running

STARTS_AT = 1767225600000  # 2026-01-01T00:00:00Z
DAY = 86_400_000
YEAR = 365 * DAY
ENTITLEMENTS = ("plus", "pro", "extras")
# What happens to a life in its year, each as often as its number says, of a hundred.
HAPPENINGS = {
    "turn_off": 10, "turn_on": 6, "card_fails": 7, "card_works": 7, "grace": 4, "buy_plus": 6, "buy_pro": 6, "buy_yearly": 3, "buy_lifetime": 2,
    "refund": 5, "reverse": 2, "extend": 3, "restore_elsewhere": 3, "transfer": 2, "grant": 9, "hold": 7, "credit": 8, "withdraw": 6, "licence": 3,
    "join": 1}
HAPPENINGS_A_YEAR = 9
# What the server is to do or is doing: who has it, has it for some time yet. It asks Apple nothing here.
DUE = "FROM work WHERE (availableAt <= ? OR worker IS NOT NULL) AND kind <> 'askApple'"
SETTLED_WITHIN = int(os.environ.get("SETTLED_WITHIN", "300"))


class Life:
    def __init__(self, number):
        self.account, self.customer, self.token = f"a{number}", f"c{number}", str(uuid.UUID(int=(1 << 120) + number, version=4))
        self.subscription, self.lifetime, self.votes, self.refunded, self.is_new = None, None, [], [], True


class Year:
    """The local App Store, a server on its clock, the page's receiver, and what happens."""

    def __init__(self, folder, lives):
        self.folder, self.keys, self.signer = folder, Keys(), Signer(folder)
        self.store_port, self.port, self.receiver_port, self.clock = free_port(), free_port(), free_port(), folder / "store.clock"
        self.control, self.server = f"http://127.0.0.1:{self.store_port}/control/v1", f"http://127.0.0.1:{self.port}"
        self.api = f"{self.server}/api/v1/apps/demo"
        self.lives = [Life(number) for number in range(lives)]
        self.chance, self.happened, self.failures, self.numbers = random.Random(13), collections.Counter(), [], 0
        self.now = STARTS_AT

    def simulator(self):
        return running(
            "simulate", "--catalogue", "Examples/demo.storekit", "--bundle", BUNDLE, "--app-apple-id", str(APPLE_ID), "--environment", "Production",
            "--port", str(self.store_port), "--starts-at", str(STARTS_AT), "--clock-file", str(self.clock),
            "--notification-url", f"{self.api}/apple/notifications", live=f"{self.control}/health/live")

    def serving(self):
        root = request("GET", f"{self.control}/root")[1]["sha256"]
        content = configuration(self.keys, self.folder / "tenure.sqlite", self.port, [root, *self.signer.roots])
        content["clock"] = {"file": str(self.clock)}
        content["webhooks"] = {"secretKeys": ["5f" * 32], "allow": ["127.0.0.1"]}
        app = content["apps"][0]
        app["environments"] = ["Production"]
        app["policy"] = {"onRestore": "keep", "accrual": {"extras": "balance"}}
        app["products"] = {"plus.monthly": ["plus"], "plus.yearly": ["plus"], "pro.monthly": ["plus", "pro"], "lifetime": ["plus", "pro"], "more": ["extras"]}
        app["features"] = [{"id": "old", "name": "Old", "releaseDate": STARTS_AT - 20 * DAY}, {"id": "new", "name": "New", "releaseDate": STARTS_AT + 90 * DAY}]
        app["licences"] = {"paidApp": {"belowVersion": "2.0"}}
        path = self.folder / "tenure.json"
        path.write_text(json.dumps(content))
        path.chmod(0o600)
        return running("serve", "--config", str(path), live=f"{self.server}/health/live", environment={"TENURE_LOG_LEVEL": "error"})

    def receiver(self):
        page = (ROOT / "docs/operations/webhooks.md").read_text()
        program = self.folder / "receiver.py"
        program.write_text(re.search(r"```python\n(.*?)```", page, re.DOTALL)[1])
        _, answer = self.ask("PUT", "/webhookEndpoints/fold", {"url": f"http://127.0.0.1:{self.receiver_port}/", "since": 0, "concurrency": 4})
        environment = {
            **os.environ, "WEBHOOK_SECRET": answer["newSecrets"][0]["text"], "RECEIVER_DATABASE": str(self.folder / "receiver.db"),
            "RECEIVER_PORT": str(self.receiver_port)}
        return subprocess.Popen([sys.executable, program], env=environment, stderr=subprocess.DEVNULL)

    # Both ends

    def do(self, path, body=None):
        """At the store; what it refuses, such as a purchase while there is one, is no failure. None: it refused."""
        status, answer = request("GET" if body is None else "POST", self.control + path, body, timeout=600)
        return answer if status < 300 else None

    def ask(self, method, path, body=None):
        status, answer = request(method, self.api + path, body, {"Authorization": f"Bearer {self.keys.server}"})
        if status >= 500 or status in (401, 429):
            self.failures.append((method, path, status, answer))
        return status, answer

    def vote(self, life, kind, **members):
        self.numbers += 1
        id = f"{kind}-{self.numbers}"
        status, answer = self.ask("PUT", f"/customers/{life.customer}/{kind}/{id}", {**members, "reason": "a year"})
        if status < 300 and kind != "withdrawals":
            life.votes.append(id)
        elif status >= 300:
            self.happened[f"{kind} refused: {answer.get('code')}"] += 1

    # What happens

    def buy(self, life, product):
        if life.is_new:
            self.do("/accounts", {"id": life.account})
            self.ask("PUT", f"/customers/{life.customer}/appAccountTokens/{life.token}")
            life.is_new = False
        # One in five buys without a token, and the device says who it was.
        has_token = self.chance.random() > 0.2
        bought = self.do(f"/accounts/{life.account}/purchases", {"productId": product, **({"appAccountToken": life.token} if has_token else {})})
        if bought and not has_token:
            self.ask("POST", f"/customers/{life.customer}/transactions", {"kind": "purchase", "signedTransactionInfo": bought["signedTransactionInfo"]})
        if bought and product == "lifetime":
            life.lifetime = bought["transactionId"]
        elif bought:
            life.subscription = bought["originalTransactionId"]
        return bought

    def shown(self, life):
        return life.subscription and self.do(f"/subscriptions/{life.subscription}")

    def newest(self, life):
        if life.lifetime and self.chance.random() < 0.3:
            return life.lifetime
        shown = self.shown(life)
        return shown and json.loads(base64.urlsafe_b64decode(shown["signedTransactionInfo"].split(".")[1] + "=="))["transactionId"]

    def window(self):
        """From some time around now, for some time or without end."""
        start = self.now + self.chance.choice([0, 0, -3, 5, 20]) * DAY
        ends = self.chance.choice([None, 1, 7, 30, 90])
        return {"from": start, **({"until": start + ends * DAY} if ends else {})}

    def happen(self, life, what):
        chance, subscription = self.chance, life.subscription
        self.happened[what] += 1
        match what:
            case "turn_off" | "turn_on" if subscription: self.do(f"/subscriptions/{subscription}/auto-renew", {"enabled": what == "turn_on"})
            case "card_fails" | "card_works": self.do(f"/accounts/{life.account}/payment", {"fails": what == "card_fails"})
            case "grace" if subscription: self.do(f"/subscriptions/{subscription}/payment", {"fails": True, "gracePeriodDays": 16})
            case "buy_plus": self.buy(life, "plus.monthly")
            case "buy_pro": self.buy(life, "pro.monthly")
            case "buy_yearly": self.buy(life, "plus.yearly")
            case "buy_lifetime": self.buy(life, "lifetime")
            case "refund":
                if (transaction := self.newest(life)) and self.do(f"/transactions/{transaction}/refund", {}):
                    life.refunded.append(transaction)
            case "reverse" if life.refunded: self.do(f"/transactions/{life.refunded.pop()}/refund/reverse", {})
            case "extend" if subscription: self.do(f"/subscriptions/{subscription}/extend", {"days": chance.choice([1, 7, 30])})
            case "restore_elsewhere":
                if shown := self.shown(life):
                    self.ask("POST", f"/customers/{chance.choice(self.lives).customer}/transactions", {
                        "kind": "restore", "signedTransactionInfo": shown["signedTransactionInfo"]})
            case "transfer" if subscription:
                self.numbers += 1
                self.ask("PUT", f"/subscriptions/{subscription}/transfers/t{self.numbers}", {
                    "customer": chance.choice(self.lives).customer, "reason": "a year"})
            case "grant": self.vote(life, "grants", entitlement=chance.choice(ENTITLEMENTS), **self.window())
            case "hold":
                some = chance.random() < 0.7
                self.vote(life, "holds", **({"entitlement": chance.choice(ENTITLEMENTS)} if some else {}), **self.window())
            case "credit": self.vote(life, "credits", entitlement="extras", milliseconds=chance.choice([1, 7, 30, 100]) * DAY)
            case "join": self.vote(life, "joins", **{"from": chance.choice(self.lives).customer})
            case "withdraw" if life.votes: self.vote(life, "withdrawals", vote=life.votes.pop(chance.randrange(len(life.votes))))
            case "licence":
                bought = {**self.signer.app_transaction(), "receiptCreationDate": self.now, "originalPurchaseDate": self.now - 30 * DAY,
                          "appTransactionId": str(704_000_000_000_000 + int(life.account[1:]))}
                self.ask("POST", f"/customers/{life.customer}/appTransactions", {"signedAppTransaction": self.signer.jws(bought)})
            case _: self.happened[what] -= 1

    # Comparing

    def settle(self):
        """Until nothing is due at the server, and the receiver has all that was told. False: not within minutes."""
        end = time.monotonic() + SETTLED_WITHIN
        while time.monotonic() < end:
            due = self.books.execute(f"SELECT count(*) {DUE}", [self.now]).fetchone()[0]
            if due == 0 and "waitingSince" not in self.ask("GET", "/webhookEndpoints/fold")[1]:
                return True
            time.sleep(0.05)
        return False

    def answers(self, at):
        """What the API says of each customer."""
        found = {}
        for place in range(0, len(self.lives), 200):
            names = [life.customer for life in self.lives[place : place + 200]]
            _, answer = self.ask("POST", "/entitlements:read", {"customers": names, "at": at})
            for one in answer["customers"]:
                found[one["customer"]] = {entitlement["id"] for entitlement in one["entitlements"] if entitlement["isActive"]}
        return found

    def folded(self):
        """The windows that the receiver has, by customer and entitlement."""
        rows = self.folds.execute("SELECT customer, entitlement, windows FROM access").fetchall()
        return [(customer, entitlement, json.loads(windows)) for customer, entitlement, windows in rows]

    @staticmethod
    def fold(rows, at):
        found = collections.defaultdict(set)
        for customer, entitlement, windows in rows:
            if any(window["from"] <= at < window.get("until", at + 1) for window in windows):
                found[customer].add(entitlement)
        return found

    def plan(self, stops):
        """What happens to whom, by stop."""
        words, weights = list(HAPPENINGS), list(HAPPENINGS.values())
        planned = collections.defaultdict(list)
        for life in self.lives:
            first = self.chance.randrange(max(1, len(stops) // 3))
            planned[first].append((life, self.chance.choice(["buy_plus", "buy_plus", "buy_pro", "buy_yearly"])))
            for _ in range(HAPPENINGS_A_YEAR):
                planned[self.chance.randrange(first, len(stops))].append((life, self.chance.choices(words, weights)[0]))
        return planned

    def play(self, instants, progress):
        """How many instants were compared, how many answers, and those that differ."""
        self.books = sqlite3.connect(f"file:{self.folder / 'tenure.sqlite'}?mode=ro", uri=True, isolation_level=None)
        self.folds = sqlite3.connect(self.folder / "receiver.db", isolation_level=None)
        self.do("/terms", {"billingGracePeriodDays": 16, "earlyChargeHours": 24})
        stops = sorted(self.chance.randrange(STARTS_AT + DAY, STARTS_AT + YEAR) for _ in range(-(-instants // 2)))
        planned, compared, answers, wrong, said, active = self.plan(stops), 0, 0, [], time.monotonic(), 0
        for place, stop in enumerate(stops):
            if self.chance.random() < 0.05:
                self.do("/delivery", {"mode": "drop", "count": self.chance.randrange(1, 4)})
            while not self.do("/clock/advance", {"to": stop})["isComplete"]:
                pass
            self.now = stop
            for life, what in planned[place]:
                self.happen(life, what)
            # Each notification moved the standing clock by a millisecond.
            self.now = int(self.clock.read_text())
            if not self.settle():
                wrong.append((stop, "not settled", self.books.execute(
                    f"SELECT kind, subject, workKey, dueAt, availableAt, attempts, lastError, worker {DUE}", [self.now]).fetchall()[:5],
                    self.ask("GET", "/webhookEndpoints/fold")[1]))
                break
            until = stops[place + 1] if place + 1 < len(stops) else STARTS_AT + YEAR + DAY
            rows = self.folded()
            for at in (self.now, self.chance.randrange(self.now, max(self.now + 1, until)))[: instants - compared]:
                compared += 1
                folded = self.fold(rows, at)
                for customer, entitlements in self.answers(at).items():
                    answers, active = answers + 1, active + len(entitlements)
                    if entitlements != folded[customer]:
                        wrong.append((customer, at, at - self.now, sorted(entitlements), sorted(folded[customer])))
            if time.monotonic() - said > 20:
                said = time.monotonic()
                progress(f"W13: {compared:,} of {instants:,} instants, {time.strftime('%Y-%m-%d', time.gmtime(stop / 1000))}, {len(wrong)} differ")
        return compared, answers, active, wrong


def play(folder, lives, instants, of, progress):
    folder = folder / "year"
    folder.mkdir()
    year = Year(folder, lives)
    with year.simulator(), year.serving():
        process = year.receiver()
        try:
            compared, answers, active, wrong = year.play(instants, progress)
            events = year.folds.execute("SELECT count(*) FROM seen").fetchone()[0]
        finally:
            process.terminate()
            process.wait()
    if not wrong:
        print(f"     {dict(sorted(year.happened.items()))}", flush=True)
    kinds = [year.happened[one] for one in ("grant", "hold", "credit", "licence", "refund")]
    check(f"W13 a year of {lives:,} lives{of('LIVES')}, {events:,} events folded by the page's receiver: its answer is GET entitlements' at "
          f"{compared:,} instants{of('INSTANTS')}, {answers:,} answers with {active:,} entitlements, {len(wrong)} differ", not wrong and compared == instants and min(kinds) > 0 and active > 0,
          (wrong[:5], year.happened))
    check(f"W13 nothing failed meanwhile: {sum(year.happened.values()):,} happenings, {kinds[0]} grants, {kinds[1]} holds, {kinds[2]} credits, {kinds[3]} licences",
          not year.failures, year.failures[:3])
