#!/usr/bin/env python3
"""`tenure serve` with an In-App Purchase key, and the local App Store in Apple's place: two processes on one clock. No notification is ever
sent, so whatever the server knows of renewals it has asked. Apple's own library asks the same store the same. Prints one line per check;
the exit code is 1 when one failed."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import urllib.request

from appstoreserverlibrary.api_client import AppStoreServerAPIClient
from appstoreserverlibrary.models.Environment import Environment
from prometheus_client.parser import text_string_to_metric_families

import apple_requests
import harness
from harness import APPLE_ID, BUNDLE, Keys, check, configuration, free_port, request, running

STARTS_AT = 1767225600000  # 2026-01-01T00:00:00Z
MINUTE, HOUR = 60_000, 3_600_000


class World:
    """Both as processes; the server goes by the store's clock."""

    def __init__(self, folder):
        self.folder, self.keys = folder, Keys()
        self.store_port, self.face_port, self.port, self.metrics_port = (free_port() for _ in range(4))
        self.control = f"http://127.0.0.1:{self.store_port}/control/v1"
        self.server = f"http://127.0.0.1:{self.port}"
        self.api = f"{self.server}/api/v1/apps/demo"
        self.key = folder / "SubscriptionKey_SIM1.p8"

    def simulator(self):
        return running("simulate", "--catalogue", "Examples/demo.storekit", "--bundle", BUNDLE, "--app-apple-id", str(APPLE_ID),
                       "--environment", "Production", "--port", str(self.store_port), "--production-port", str(self.face_port),
                       "--starts-at", str(STARTS_AT), "--key", str(self.key), "--key-id", "SIM1",
                       "--clock-file", str(self.folder / "store.clock"), live=f"{self.control}/health/live")

    def write_configuration(self, **apple):
        path = self.folder / "tenure.json"
        content = configuration(self.keys, self.folder / "tenure.sqlite", self.port, [self.do("/root")["sha256"]])
        content["http"]["metricsPort"] = self.metrics_port
        content["clock"] = {"file": str(self.folder / "store.clock")}
        content["apps"][0]["environments"] = ["Production"]
        content["apps"][0]["sharedSecrets"] = ["5ha2ed"]
        content["apps"][0]["apple"] = {
            "issuerId": self.do("/keys")["issuerId"], "keyId": "SIM1", "privateKeyFile": str(self.key),
            "hosts": {"production": f"http://127.0.0.1:{self.face_port}"}, **apple}
        path.write_text(json.dumps(content))
        return path

    def serving(self, path):
        return running("serve", "--config", str(path), live=f"{self.server}/health/live", environment={"TENURE_LOG_LEVEL": "critical"})

    def do(self, path, body=None):
        status, answer = request("GET" if body is None else "POST", self.control + path, body)
        if status >= 300:
            raise SystemExit(f"{path}: {status} {answer}")
        return answer

    def ask(self, path, body=None):
        status, answer = request(
            "GET" if body is None else "POST", self.api + path, body, {"Authorization": f"Bearer {self.keys.server}"})
        if status >= 300:
            raise SystemExit(f"{path}: {status} {answer}")
        return answer

    def scrape(self):
        """The text of a scrape, and its samples by name, each with its labels and its value."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.metrics_port}/metrics", timeout=30) as response:
            text = response.read().decode()
        samples = {}
        for family in text_string_to_metric_families(text):
            for sample in family.samples:
                samples.setdefault(sample.name, []).append((sample.labels, sample.value))
        return text, samples

    def buy(self, account):
        self.do("/accounts", {"id": account})
        bought = self.do(f"/accounts/{account}/purchases", {"productId": "plus.monthly"})
        shown = self.do(f"/subscriptions/{bought['originalTransactionId']}")
        self.ask(f"/customers/{account}/transactions", {
            "kind": "purchase", "signedTransactionInfo": bought["signedTransactionInfo"], "signedRenewalInfo": shown["signedRenewalInfo"]})
        return bought["originalTransactionId"]

    def periods(self, subscription):
        return self.ask(f"/subscriptions/{subscription}")["periods"]

    def is_active(self, customer):
        return self.ask(f"/customers/{customer}/entitlements")["isActive"]

    @staticmethod
    def order_of(transaction):
        """The order number that the local App Store gives a purchase: M and the id in 36 digits."""
        digits, number = "", int(transaction)
        while number:
            number, digit = divmod(number, 36)
            digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[digit] + digits
        return "M" + digits

    def calls(self, endpoint):
        return sum(count["calls"] for count in self.do("/calls")["endpoints"] if count["endpoint"] == endpoint)


def eventually(is_true):
    """The server looks for due work each second, and a busy machine takes longer."""
    for _ in range(900):
        if is_true():
            return True
        time.sleep(0.1)
    return False


def check_silent_renewal(world):
    subscriptions = {name: world.buy(name) for name in ("anna", "berta", "carla")}
    end = world.periods(subscriptions["anna"])[-1]["end"]
    world.do("/clock/advance", {"to": end + 21 * MINUTE})
    check("a renewal that nobody told of is known", eventually(lambda: all(len(world.periods(s)) == 2 for s in subscriptions.values())),
          {name: len(world.periods(s)) for name, s in subscriptions.items()})
    check("by one question each", world.calls("getAllSubscriptionStatuses") == 3, world.calls("getAllSubscriptionStatuses"))
    check("and everybody has what they pay for", all(world.is_active(name) for name in subscriptions))
    client = AppStoreServerAPIClient(
        world.key.read_bytes(), "SIM1", world.do("/keys")["issuerId"], BUNDLE, Environment.PRODUCTION)
    client._base_url = f"http://127.0.0.1:{world.face_port}"
    for name, subscription in subscriptions.items():
        item = client.get_all_subscription_statuses(subscription).data[0].lastTransactions[0]
        said = json.loads(harness.base64.urlsafe_b64decode(item.signedTransactionInfo.split(".")[1] + "=="))
        known = world.periods(subscription)[-1]
        check(f"Apple's library is answered the same of {name}'s subscription",
              (said["transactionId"], said["expiresDate"]) == (known["transactionId"], known["end"]), (said, known))
    return subscriptions, world.periods(subscriptions["anna"])[-1]["end"]


def check_outage(world, subscriptions, end):
    world.do("/faults", {"faults": [{"face": "serverAPI", "kind": "status", "status": 503, "from": end, "until": end + 6 * HOUR}]})
    world.do("/clock/advance", {"to": end + 46 * MINUTE})
    asked = world.calls("getAllSubscriptionStatuses")
    check("while Apple is away a question that fails is a fact, also one that could not be put", eventually(lambda: all(
        any(fact["kind"] == "failedQuestion" for fact in world.ask(f"/subscriptions/{s}/facts")["facts"]) for s in subscriptions.values())))
    check("and nobody loses access", all(world.is_active(name) for name in subscriptions), asked)
    world.do("/clock/advance", {"to": end + 6 * HOUR + 40 * MINUTE})
    check("when it is back all is known", eventually(lambda: all(len(world.periods(s)) == 3 for s in subscriptions.values())),
          {name: len(world.periods(s)) for name, s in subscriptions.items()})


def check_alarms(world, described):
    """Each condition that the pages recommend is read by promtool as a rule, and names only metrics that there are."""
    conditions = []
    for page in ("metrics.md", "apple.md"):
        text = (harness.ROOT / "docs/operations" / page).read_text()
        table = text.split("| alarm when | it means |")[1].split("\n\n")[0]
        conditions += [found.replace("\\|", "|") for found in re.findall(r"(?m)^\| `([^`]+)`", table)]
    rules = world.folder / "alarms.yml"
    rules.write_text(json.dumps({"groups": [{"name": "pages", "rules": [
        {"alert": f"Alarm{number}", "expr": condition} for number, condition in enumerate(conditions)]}]}))
    judged = subprocess.run(["promtool", "check", "rules", str(rules)], capture_output=True, text=True)
    check("promtool reads every alarm of the pages", judged.returncode == 0 and len(conditions) >= 15, judged)
    named = {re.sub("_count$", "", name) for condition in conditions for name in re.findall(r"tenure_\w+", condition)}
    check("and they name metrics that there are", named <= described, named - described)


def check_metrics(world, subscriptions):
    text, samples = world.scrape()
    page = (harness.ROOT / "docs/operations/metrics.md").read_text()
    described = set(re.findall(r"(?m)^\| `(tenure_\w+)", page))
    check("a scrape has the metrics that their page describes", set(re.findall(r"(?m)^# TYPE (\w+) ", text)) == described, text)
    judged = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True)
    check("and promtool finds nothing wrong with it", judged.returncode == 0 and not judged.stdout + judged.stderr, judged)
    check_alarms(world, described)

    def calls_of(samples):
        return [(labels["result"], value) for labels, value in samples["tenure_apple_calls_total"]
                if labels["endpoint"] == "Get All Subscription Statuses"]

    def sent(samples):
        return sum(value for result, value in calls_of(samples) if not result.startswith("notAsked"))

    def is_counted():
        # Apple's library asked about each of the three, too.
        samples = world.scrape()[1]
        times = [value for labels, value in samples["tenure_apple_call_duration_seconds_count"]
                 if labels["endpoint"] == "Get All Subscription Statuses"]
        return times == [sent(samples)] == [world.calls("getAllSubscriptionStatuses") - 3]

    check("it counts the calls that the store received, and the time of each", eventually(is_counted), calls_of(world.scrape()[1]))
    check("those that were answered", dict(calls_of(samples)).get("answered", 0) >= 3, calls_of(samples))
    results = {labels["result"] for labels, _ in samples["tenure_apple_calls_total"]}
    check("and those that failed, by their class", results - {"answered", "notAsked.budget", "notAsked.unavailable"} == {"notJSON"}, results)

    def says_the_same():
        shown = [round(value * 1000) for labels, value in world.scrape()[1]["tenure_apple_sure_until_timestamp_seconds"]
                 if labels == {"app": "demo", "environment": "Production"}]
        return shown == [world.ask("/apple")["sureUntil"]]

    check("up to when nothing is missing is what the API says", eventually(says_the_same), world.ask("/apple"))
    check("questions that failed are counted", sum(value for _, value in samples["tenure_questions_failed_total"]) >= 3,
          samples["tenure_questions_failed_total"])
    hosts = {f"http://127.0.0.1:{world.face_port}"}
    check("the host's breaker is closed again", [(labels["host"], value) for labels, value in samples["tenure_apple_breaker_open"]]
          == [(host, 0) for host in hosts], samples["tenure_apple_breaker_open"])
    check("its clock is known", {labels["host"] for labels, _ in samples["tenure_apple_clock_skew_seconds"]} == hosts, samples)
    check("the key is right, and so is the database", samples["tenure_apple_key_refused"] == [({"app": "demo"}, 0)]
          and samples["tenure_database_up"] == [({}, 1)], samples)
    check("nobody and nothing that was bought is named", not any(
        word in text for word in [*subscriptions, *subscriptions.values(), "plus.monthly", world.keys.server]), text)
    check("its port answers nothing else, and the API's has no metrics", [request("GET", url)[0] for url in (
        f"http://127.0.0.1:{world.metrics_port}/health/live", f"{world.server}/metrics")] == [404, 404])


def check_old_receipt(world):
    world.do("/accounts", {"id": "olga"})
    bought = world.do("/accounts/olga/purchases", {"productId": "plus.monthly"})
    subscription = bought["originalTransactionId"]
    body = {"kind": "restore", "receipt": world.do(f"/transactions/{subscription}/receipt")["receipt"]}
    headers = {"Authorization": f"Bearer {world.keys.server}"}

    def show(customer):
        return request("POST", f"{world.api}/customers/{customer}/receipts", body, headers)

    status, answer = show("olga")
    check("a receipt from before iOS 7 waits for Apple, with a text and what the customer has meanwhile",
          status == 202 and answer["results"] == [] and answer["waiting"] and not answer["meanwhile"]["isActive"], (status, answer))
    check("and is known when Apple has answered", eventually(lambda: show("olga")[0] == 200) and world.is_active("olga"), show("olga"))
    end = world.periods(subscription)[-1]["end"]
    world.do("/clock/advance", {"to": end + 21 * MINUTE})
    check("what has renewed since is asked about", eventually(lambda: len(world.periods(subscription)) == 2), world.periods(subscription))


def check_import(world, path):
    """Ids of a shop that nobody told us of, and one that Apple does not know; the server beside the import asks."""
    names = ["ida", "ines", "iris"]
    for name in names:
        world.do("/accounts", {"id": name})
    ids = [world.do(f"/accounts/{name}/purchases", {"productId": "plus.monthly"})["originalTransactionId"] for name in names]
    listed = world.folder / "sold.csv"
    rows = [f"{id},{name}" for id, name in zip(ids, names)] + ["999999999999999,nobody"]
    listed.write_text("\n".join(["transactionId,customer", *rows]) + "\n")
    outcome = harness.subprocess.run(
        [harness.TENURE, "import", listed, "--config", path, "--claim-as", "purchase", "--wait"], cwd=harness.ROOT, capture_output=True,
        text=True, timeout=600)
    lines = outcome.stdout.splitlines()
    check("an import by ids waits until Apple was asked about all of them", lines[:1] == ["4 to be asked about at Apple"], outcome)
    check("and names what Apple does not know", outcome.returncode == 1 and lines[1:] == ["given up: 999999999999999  apple.4040010"], lines)
    check("everybody else has what they bought", all(world.is_active(name) for name in names))


def check_without_key(world, path):
    content = json.loads(path.read_text())
    content["apps"][0]["apple"] = {}
    for name, change, is_right in (
        ("with shared secrets may have no key", {}, True),
        ("without a key and without shared secrets asks in no way", {"sharedSecrets": []}, False),
        ("without a key that asks about no receipts asks in no way", {"apple": {"verifyReceipt": False}}, False),
    ):
        broken = json.loads(json.dumps(content))
        broken["apps"][0].update(change)
        other = world.folder / "keyless.json"
        other.write_text(json.dumps(broken))
        outcome = harness.subprocess.run(
            [harness.TENURE, "serve", "--check", "--config", other], cwd=harness.ROOT, capture_output=True, text=True)
        check(f"an app {name}", (outcome.returncode == 0) == is_right and (is_right or "apple.keyId is missing" in outcome.stderr),
              outcome.stderr)


def check_configuration(world, path):
    content = json.loads(path.read_text())
    for name, change, words in (
        ("without its file", {"privateKeyFile": None}, "privateKeyFile is missing"),
        ("that is not there", {"privateKeyFile": "/nowhere/key.p8"}, "cannot be read"),
        ("of the App Store Connect API", {"privateKeyFile": str(world.folder / "AuthKey_SIM1.p8")}, "notInAppPurchaseKey"),
        ("whose ids are exchanged", {"issuerId": "SIM1", "keyId": content["apps"][0]["apple"]["issuerId"]}, "keyIdAndIssuerIdExchanged"),
        ("at an address with a slash at its end", {"hosts": {"production": "http://127.0.0.1:1/"}}, "hosts.production"),
        ("with a share of nothing", {"sharePercent": 0}, "sharePercent"),
        ("with a word that nobody knows", {"share": 1}, "share"),
        ("with a consent that there is not", {"consumption": {"consent": "sometimes"}}, "consumption.consent"),
    ):
        (world.folder / "AuthKey_SIM1.p8").write_bytes(world.key.read_bytes())
        broken = json.loads(json.dumps(content))
        apple = broken["apps"][0]["apple"]
        apple.update(change)
        broken["apps"][0]["apple"] = {key: value for key, value in apple.items() if value is not None}
        other = world.folder / "broken.json"
        other.write_text(json.dumps(broken))
        outcome = harness.subprocess.run(
            [harness.TENURE, "serve", "--check", "--config", other], cwd=harness.ROOT, capture_output=True, text=True)
        check(f"a key {name} is named at the start", outcome.returncode != 0 and words in outcome.stderr, outcome.stderr)
    variable = {key: value for key, value in content["apps"][0]["apple"].items() if key != "privateKeyFile"}
    content["apps"][0]["apple"] = variable
    (world.folder / "broken.json").write_text(json.dumps(content))
    outcome = harness.subprocess.run(
        [harness.TENURE, "serve", "--check", "--config", world.folder / "broken.json"], cwd=harness.ROOT, capture_output=True, text=True,
        env={**harness.os.environ, "TENURE_APP_DEMO_APPLE_PRIVATE_KEY": world.key.read_text()})
    check("the environment may hold the key in place of the file", outcome.returncode == 0, outcome.stderr)


def main():
    with tempfile.TemporaryDirectory() as folder:
        world = World(pathlib.Path(folder))
        with world.simulator():
            path = world.write_configuration(
                consumption={"consent": "customer", "refundPreference": "DECLINE", "sampleContentProvided": ["lifetime"]})
            with world.serving(path):
                subscriptions, end = check_silent_renewal(world)
                check_outage(world, subscriptions, end)
                check_metrics(world, subscriptions)
                check_old_receipt(world)
                check_import(world, path)
                apple_requests.check_requests(world, eventually)
            check_configuration(world, path)
            check_without_key(world, path)
    return harness.summary()


if __name__ == "__main__":
    sys.exit(main())
