#!/usr/bin/env python3
"""The device SDK over HTTP (rules DEV-1 to DEV-5, ENT-10): the client itself, as processes on devices of a local App Store, against a real server.
A purchase from buying to finishing; killed between the two; two customers on one device; offline, with the clock set by libfaketime; signed answers that
PyJWT reads, makes and forges. Prints one line per check; the exit code is 1 when one failed.

TENURE_DEVICE is the client's program; else the one that Client/Linux builds."""

import contextlib
import hashlib
import http.server
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import urllib.error
import urllib.request

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

import harness
from api_answers import make_answer_keys
from offers_run import Desk
from harness import APPLE_ID, BUNDLE, ROOT, SECRET, Keys, check, configuration, customer_token, free_port, request, running

DEVICE = pathlib.Path(os.environ.get("TENURE_DEVICE", ROOT / "Client/Linux/.build/debug/tenure-device"))
PEOPLE = ("alice", "bob", "carol", "dave", "erin", "frank", "gina", "henry", "iris")
HOUR = 3_600_000


class World:
    """A local App Store, and a server that goes by its clock. It hears nothing from the store: what it knows is what devices uploaded."""

    def __init__(self, folder, people=PEOPLE):
        self.folder, self.keys, self.people = folder, Keys(), people
        self.store_port, self.port = free_port(), free_port()
        self.control = f"http://127.0.0.1:{self.store_port}/control/v1"
        self.server = f"http://127.0.0.1:{self.port}"
        self.nowhere = f"http://127.0.0.1:{free_port()}"
        (folder / "boot").write_text("first")

    def simulator(self):
        return running("simulate", "--catalogue", "Examples/demo.storekit", "--bundle", BUNDLE, "--app-apple-id", str(APPLE_ID), "--environment",
                       "Production", "--port", str(self.store_port), "--clock-file", str(self.folder / "store.clock"),
                       live=f"{self.control}/health/live")

    def serving(self):
        with urllib.request.urlopen(f"{self.control}/receipts/root.der") as response:
            roots = [self.do("/root")["sha256"], hashlib.sha256(response.read()).hexdigest()]
        content = configuration(self.keys, self.folder / "tenure.sqlite", self.port, roots)
        content["clock"] = {"file": str(self.folder / "store.clock")}
        content["signedAnswers"] = {"keys": make_answer_keys(self.folder)}
        content["apps"][0]["environments"] = ["Production"]
        # The device buys nothing that the server does not know.
        content["apps"][0]["products"].update({"plus.yearly": ["plus"], "lifetime": ["plus"]})
        path = self.folder / "tenure.json"
        path.write_text(json.dumps(content))
        return running("serve", "--config", str(path), live=f"{self.server}/health/live",
                       environment={"TENURE_APP_DEMO_CUSTOMER_TOKEN_SECRET": SECRET, "TENURE_LOG_LEVEL": "error"})

    def do(self, path, body=None):
        status, answer = request("GET" if body is None else "POST", self.control + path, body)
        if status >= 300:
            raise SystemExit(f"{path} {body}: {status} {answer}")
        return answer

    def ask(self, path):
        status, answer = request("GET", f"{self.server}/api/v1/apps/demo{path}", headers={"Authorization": f"Bearer {self.keys.server}"})
        return answer if status == 200 else {"status": status, **(answer or {})}

    def device(self, name):
        """A device with an Apple Account of its own."""
        self.do("/accounts", {"id": f"account-of-{name}"})
        self.do("/devices", {"id": name, "account": f"account-of-{name}"})
        return Device(self, name)

    def payload(self, transaction):
        """What Apple signed of a transaction."""
        return jwt.decode(self.do(f"/transactions/{transaction}")["signedTransactionInfo"], options={"verify_signature": False})

    def claims(self, transaction):
        return [(one["customer"], one["kind"], one["outcome"]) for one in self.ask(f"/subscriptions/{transaction}").get("claims", [])]


class Device:
    """A device, and the app on it, whose folder outlasts its processes."""

    def __init__(self, world, name):
        self.world, self.name, self.folder = world, name, world.folder / f"app-{name}"

    def command(self, *steps, server=None, jwks=None, end=None, shift=None, folder=None, ios=None):
        """The arguments of a process of the app.

        server: another address; end: where it is killed; shift: how far its clock is set."""
        world = self.world
        now = world.do("/clock")["now"] // 1000
        tokens = world.folder / "tokens.json"
        tokens.write_text(json.dumps({one: customer_token(one, issued=now) for one in world.people}))
        arguments = [DEVICE, "--server", server or world.server, "--app", "demo", "--public-key", world.keys.public, "--store", world.control,
                     "--device", self.name, "--folder", folder or self.folder, "--tokens", tokens, "--boot", world.folder / "boot"]
        arguments += [*(["--keys", jwks] if jwks else []), *(["--end", end] if end else []), *(["--ios", ios] if ios else []), *steps]
        return [str(one) for one in (["faketime", "-f", shift, *arguments] if shift else arguments)]

    def run(self, *steps, environment=None, **options):
        """A process of the app. Answers its exit code, its lines by step, and what it complained of."""
        done = subprocess.run(self.command(*steps, **options), capture_output=True, text=True, timeout=120,
                              env={**os.environ, "FAKETIME_DONT_FAKE_MONOTONIC": "1", **(environment or {})})
        lines = {line["step"]: line for line in map(json.loads, done.stdout.splitlines())}
        return done.returncode, lines, done.stderr

    @property
    def unfinished(self):
        return self.world.do(f"/devices/{self.name}")["unfinished"]


# MARK: DEV-1


def check_purchase(world):
    ipad = world.device("ipad")
    code, lines, problems = ipad.run("start", "identify:alice", "products:plus.monthly,pro.monthly", "products:gone", "purchase:plus.monthly", "current")
    check("the app runs to its end", code == 0, (code, lines, problems))
    check("the store's products come in the order asked for", lines["products:plus.monthly,pro.monthly"].get("ids") == ["plus.monthly", "pro.monthly"], lines)
    gone = lines["products:gone"]
    check("DEV-5 an empty list of products names its usual causes", gone["outcome"] == "noProducts" and "Paid Apps agreement" in gone["words"], gone)
    before, bought = lines["identify:alice"]["access"], lines["purchase:plus.monthly"]
    check("DEV-1 nothing is active before", not before["isActive"] and before["customer"] == "alice", before)
    check("DEV-1 the purchase's own answer has it", bought["outcome"] == "bought" and bought["access"]["active"] == ["plus"]
          and bought["access"]["source"] == "server", bought)
    check("DEV-1 it was finished, since the server has it", ipad.unfinished == [], ipad.unfinished)
    answer = world.ask("/customers/alice/entitlements")
    check("the device says what the server says", (bought["access"]["isActive"], bought["access"]["start"], bought["access"]["end"])
          == (answer["isActive"], answer["start"], answer["end"]), (bought, answer))
    transaction = world.do("/accounts/account-of-ipad")["subscriptions"][0]["originalTransactionId"]
    token = world.payload(transaction)["appAccountToken"]
    known = world.ask(f"/subscriptions/{transaction}")
    check("OWN-4 it bears the customer's token, and was uploaded as a purchase", len(token) == 36 and ("alice", "purchase") in
          [one[:2] for one in world.claims(transaction)], (token, known))
    again = ipad.run("start", "purchase:plus.monthly")[1]["purchase:plus.monthly"]
    check("OWN-18 nobody pays twice", again["outcome"] == "inVain", again)
    return ipad


def check_restore(world, ipad):
    phone = Device(world, "ipad")
    phone.folder = world.folder / "app-phone"
    there = phone.run("identify:alice")[1]["identify:alice"]["access"]
    check("DEV-3 a new device knows it without any restore", there["active"] == ["plus"], there)
    _, lines, problems = phone.run("signOut", "identify:bob", "restore:account", "restore:appStore")
    check("OWN-9 who restores what serves another gets nothing", lines["restore:appStore"].get("access", {}).get("isActive") is False, (lines, problems))
    check("and the other keeps it", world.ask("/customers/alice/entitlements")["isActive"])
    check("DEV-1 alice's device agrees", ipad.run("refresh")[1]["refresh"]["access"]["active"] == ["plus"])


def check_killed(world):
    tablet = world.device("tablet")
    code, lines, _ = tablet.run("start", "identify:carol", "purchase:plus.monthly", end="afterPurchase")
    check("the app is killed when it has bought and not heard it", code == -9 and "purchase:plus.monthly" not in lines, (code, lines))
    transaction = tablet.unfinished[0]
    check("the server knows nothing of it", world.ask(f"/subscriptions/{transaction}").get("status") == 404 and world.claims(transaction) == [])
    _, lines, problems = tablet.run("signOut", "identify:dave", "start", "current")
    check("who is logged in at the next launch gets nothing of it", not lines["current"]["access"]["isActive"] and world.claims(transaction) == [],
          (lines, problems, world.claims(transaction)))
    check("DEV-1 and it is not finished", tablet.unfinished == [transaction], tablet.unfinished)
    _, lines, problems = tablet.run("signOut", "identify:carol", "start", "settle", "current")
    check("DEV-1 it comes back as its buyer's purchase", lines["current"]["access"]["active"] == ["plus"]
          and world.claims(transaction)[0][:2] == ("carol", "purchase") and {one[0] for one in world.claims(transaction)} == {"carol"}, (world.claims(transaction), lines, problems, world.claims(transaction)))
    check("DEV-1 and is finished then", tablet.unfinished == [], tablet.unfinished)

    laptop = world.device("laptop")
    code, _, _ = laptop.run("start", "identify:erin", "purchase:plus.monthly", end="beforeFinish")
    transaction = laptop.unfinished[0]
    first = world.ask("/customers/erin/entitlements")
    check("the app is killed when the server has it and the store has not heard it", code == -9 and first["isActive"], (code, first))
    _, lines, problems = laptop.run("start", "settle", "current")
    after = world.ask("/customers/erin/entitlements")
    check("DEV-1 the next launch finishes it", laptop.unfinished == [] and lines["current"]["access"]["active"] == ["plus"], (lines, problems))
    check("PER-1 sent twice it is one grant", (after["start"], after["end"]) == (first["start"], first["end"]), (first, after))


def check_away(world):
    """The server is away: bought, kept, uploaded by the next launch."""
    watch = world.device("watch")
    watch.run("identify:frank")
    code, lines, _ = watch.run("start", "purchase:plus.monthly", server=world.nowhere)
    check("a purchase while the server is away is kept", lines["purchase:plus.monthly"]["outcome"] == "waiting" and len(watch.unfinished) == 1, lines)
    issued = request("PUT", f"{world.server}/api/v1/apps/demo/customers/frank/appAccountToken", headers={"Authorization": f"Bearer {world.keys.server}"})[1]
    check("OWN-18 and bears the token that was fetched at login", world.payload(watch.unfinished[0]).get("appAccountToken") == issued["appAccountToken"],
          (issued, world.payload(watch.unfinished[0])))
    _, lines, problems = watch.run("start", "settle", "current")
    check("and the next launch uploads it as a purchase", lines["current"]["access"]["active"] == ["plus"]
          and watch.unfinished == [], (lines, problems))


def check_shown(world):
    """LIC-3: how somebody came by the app is shown at the first launch and after a login: the app transaction, or below iOS 16 the app receipt."""
    def shown(device):
        return json.loads((device.folder / "state/shown.json").read_text())["names"]

    def downloads(customer):
        return [one.get("appTransactionId") for one in world.ask(f"/customers/{customer}/licences")["appPurchases"]]

    phone = world.device("phone")
    got = world.do("/accounts/account-of-phone")["appTransactionId"]
    _, _, problems = phone.run("start", "shown:1", "identify:gina", "shown:2")
    names = shown(phone)
    check("LIC-3 the app transaction is shown by the anonymous customer and by who logs in", len(names) == 2 and "parked" not in problems, (names, problems))
    check("LIC-3 the server knows which Apple Account's download it is", downloads("gina") == [got], (downloads("gina"), got))
    # What another customer's login shows comes after what the launch would have shown.
    phone.run("start", "signOut", "identify:iris", "shown:3")
    check("and the launch after it shows it no more, though the store signed it anew", shown(phone)[:2] == names and len(shown(phone)) == 3, (names, shown(phone)))

    old = world.device("old")
    _, _, problems = old.run("start", "shown:1", "identify:henry", "shown:2", ios="15")
    check("LIC-3 below iOS 16 the receipt is shown, and the server took it", shown(old) and "parked" not in problems, (shown(old), problems))
    check("which says nothing of an app transaction", downloads("henry") == [], downloads("henry"))


# MARK: DEV-2, ENT-10


class Forger(http.server.BaseHTTPRequestHandler):
    """Stands between a device and the server: passes everything on, and puts something else in the place of what the server signed."""

    def pass_on(self):
        length = int(self.headers.get("Content-Length", 0))
        wanted = urllib.request.Request(self.server.upstream + self.path, data=self.rfile.read(length) if length else None, method=self.command)
        for name in ("Authorization", "Content-Type", "Tenure-Customer-Token", "Tenure-Device-Secret"):
            if name in self.headers:
                wanted.add_header(name, self.headers[name])
        try:
            with urllib.request.urlopen(wanted, timeout=30) as response:
                status, body = response.status, response.read()
        except urllib.error.HTTPError as error:
            status, body = error.code, error.read()
        media = "application/json"
        if "/entitlements/signed" in self.path and status == 200:
            claims = jwt.decode(body, options={"verify_signature": False})
            body = self.server.forge(claims)
            media = "application/jose"
        # The app may have ended meanwhile.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self.send_response(status)
            self.send_header("Content-Type", media)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    do_GET = do_POST = do_PUT = pass_on

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def forging(world, forge):
    """forge: of the claims that the server signed, what the device gets."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Forger)
    server.upstream, server.forge = world.server, forge
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def offline(world, device, shift, *, boot, jwks=None):
    """What the app shows without a server, in a copy of its folder, so that no look at the clock changes the next one."""
    (world.folder / "boot").write_text(boot)
    copy = world.folder / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(device.folder, copy)
    lines = device.run("current", server=world.nowhere, shift=shift, folder=copy, jwks=jwks)[1]
    (world.folder / "boot").write_text("first")
    return lines["current"]["access"]


def check_clock(world, ipad):
    jwks = world.folder / "jwks.json"
    jwks.write_text(json.dumps(request("GET", f"{world.server}/.well-known/jwks.json")[1]))
    end = world.ask("/customers/alice/entitlements")["end"]
    world.do("/clock/advance", {"to": end - HOUR})
    access = ipad.run("refresh", jwks=jwks)[1]["refresh"]["access"]
    check("an hour before its end it is active", access["isActive"] and access["end"] == end, access)

    same = {shift: offline(world, ipad, shift, boot="first") for shift in ("-90d", "+90d", "-365d", "+365d")}
    check("DEV-2 in one boot no setting of the clock changes anything", all(one["isActive"] and one["source"] == "window" for one in same.values()), same)
    back = {shift: offline(world, ipad, shift, boot="second") for shift in ("-90d", "-1d", "-365d")}
    check("DEV-2 after another boot a clock that was set back ends access", not any(one["isActive"] for one in back.values())
          and {one["doubt"] for one in back.values()} == {"clockSetBack"}, back)
    check("after another boot a clock that is right changes nothing", offline(world, ipad, "+10m", boot="second")["isActive"])
    unsigned = offline(world, ipad, "+2h", boot="second")
    check("DEV-2 past its end and without a server nothing is active", not unsigned["isActive"] and unsigned["doubt"] == "ended", unsigned)
    signed = {shift: offline(world, ipad, shift, boot="second", jwks=jwks) for shift in ("+2h", "+20h", "+26h")}
    check("ENT-10 what is set to renew is used offline as far as it was signed, provisionally", all(
        signed[shift]["isActive"] and signed[shift]["source"] == "signed" and signed[shift]["provisional"] == ["plus"] for shift in ("+2h", "+20h")), signed)
    check("ENT-10 and no further", not signed["+26h"]["isActive"], signed)
    return end


def check_forged(world):
    """The server's own answer by PyJWT; one that PyJWT made; and one that it made with a key that the app was not built with."""
    jws = urllib.request.urlopen(urllib.request.Request(
        f"{world.server}/api/v1/apps/demo/customers/alice/entitlements/signed?nonce=n", headers={"Authorization": f"Bearer {world.keys.server}"})).read()
    named = {one["kid"]: jwt.PyJWK(one) for one in request("GET", f"{world.server}/.well-known/jwks.json")[1]["keys"]}
    claims = jwt.decode(jws, named[jwt.get_unverified_header(jws)["kid"]], ["ES256"], audience="demo", issuer="tenure", options={"verify_exp": False, "verify_iat": False})
    answer = world.ask("/customers/alice/entitlements")
    check("ENT-10 PyJWT reads what the client believed", claims["sub"] == "alice" and claims["isActive"] == answer["isActive"] is True, (claims, answer))

    key, other = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    jwk = json.loads(jwt.algorithms.ECAlgorithm.to_jwk(key.public_key()))
    path = world.folder / "forger.json"
    path.write_text(json.dumps({"keys": [{**jwk, "kid": "k1", "alg": "ES256", "use": "sig"}]}))
    pem = lambda one: one.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    cases = [("one that PyJWT made", key, "k1", {}, True), ("a key that the app was not built with", other, "k1", {}, False),
             ("another kid", key, "k2", {}, False), ("another customer", key, "k1", {"sub": "bob"}, False), ("another app", key, "k1", {"aud": "other"}, False),
             ("an answer to another request", key, "k1", {"nonce": "other"}, False)]
    for number, (name, signer, kid, changes, is_believed) in enumerate(cases):
        device = Device(world, "ipad")
        device.folder = world.folder / f"app-forged-{number}"
        forge = lambda claims: jwt.encode({**claims, **changes}, pem(signer), "ES256", headers={"kid": kid}).encode()
        with forging(world, forge) as address:
            problems = device.run("identify:alice", server=address, jwks=path)[2]
        access = offline(world, device, "+2h", boot="second", jwks=path)
        check(f"ENT-10 {'believed' if is_believed else 'refused'}: {name}",
              (access["isActive"], "signatureRefused" in problems) == (is_believed, not is_believed), (access, problems))


# MARK: WALL-5


def check_offer(folder):
    """An offer that the server signs for the app, and the store takes; the desk of offers_run.py, with an app on a device."""
    folder.mkdir()
    desk = Desk(folder)
    desk.people = ("cleo",)
    (folder / "boot").write_text("first")
    with desk.simulator():
        desk.second.write_text(desk.do("/keys", {"keyId": "SIM2"})["privateKey"])
        with desk.serving("SIM1"):
            desk.do("/accounts", {"id": "account-of-ipad"})
            desk.do("/devices", {"id": "ipad", "account": "account-of-ipad"})
            ipad = Device(desk, "ipad")
            early = ipad.run("start", "identify:cleo", "purchase:plus.monthly,stay")[1]["purchase:plus.monthly,stay"]
            check("WALL-5 an offer that the server does not sign is not bought", (early["outcome"], early["words"]) == ("refused", "offer.neverSubscribed")
                  and desk.do("/accounts/account-of-ipad")["subscriptions"] == [], early)
            code, lines, problems = ipad.run("start", "purchase:plus.monthly", "purchase:plus.monthly,stay", "purchase:plus.yearly,back")
            check("WALL-5 the store takes the offer that the server signed for the app", [lines[step]["outcome"] for step in lines if step != "start"]
                  == ["bought", "bought", "refused"] and lines["purchase:plus.yearly,back"]["words"] == "offer.stillActive", (lines, problems))
            first = desk.do("/accounts/account-of-ipad")["subscriptions"][0]["originalTransactionId"]
            subscription = desk.do(f"/subscriptions/{first}")
            renewal = jwt.decode(subscription["signedRenewalInfo"], options={"verify_signature": False})
            issued = desk.ask("GET", "/customers/cleo/offers")[1]["issued"]
            bought = jwt.decode(subscription["signedTransactionInfo"], options={"verify_signature": False})
            check("WALL-5 it is for the next period, and bound to the customer's token", renewal.get("offerIdentifier") == "stay"
                  and [(one["form"], one["appAccountToken"]) for one in issued] == [("promotionalV1", bought["appAccountToken"])], (renewal, issued))


def main():
    if not DEVICE.exists():
        raise SystemExit(f"{DEVICE} is missing: make client builds it")
    with tempfile.TemporaryDirectory() as name:
        world = World(pathlib.Path(name))
        with world.simulator(), world.serving():
            ipad = check_purchase(world)
            check_shown(world)
            check_restore(world, ipad)
            check_killed(world)
            check_away(world)
            check_clock(world, ipad)
            check_forged(world)
        check_offer(world.folder / "offers")
    return harness.summary()


if __name__ == "__main__":
    sys.exit(main())
