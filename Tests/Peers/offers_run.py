#!/usr/bin/env python3
"""Offers from issue to redemption, through the API alone (WALL-5, WALL-6, T22): a server that signs, the local App Store that takes what it
signs and refuses what it would not have, and Apple's rules of signing written once more by hand. Prints one line per check; the exit code
is 1 when one failed."""

import base64
import concurrent.futures
import contextlib
import json
import pathlib
import sys
import tempfile
import uuid

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
import jwt

import harness
from harness import APPLE_ID, BUNDLE, SECRET, Keys, check, configuration, customer_token, free_port, request, running

STARTS_AT = 1767225600000  # 2026-01-01T00:00:00Z
HOUR, DAY = 3_600_000, 86_400_000
TOKEN = "2f0c3b1e-7a55-4c0d-9a51-0d8a6f1f9b11"
PLUS = {"productId": "plus.monthly", "offerIdentifier": "stay"}


class Desk:
    """A local App Store and a server that goes by its clock."""

    def __init__(self, folder):
        self.folder, self.keys = folder, Keys()
        self.store_port, self.port = free_port(), free_port()
        self.control = f"http://127.0.0.1:{self.store_port}/control/v1"
        self.server = f"http://127.0.0.1:{self.port}"
        self.key = folder / "SubscriptionKey_SIM1.p8"
        self.second = folder / "SubscriptionKey_SIM2.p8"

    def simulator(self):
        return running("simulate", "--catalogue", "Examples/shop.storekit", "--bundle", BUNDLE, "--app-apple-id", str(APPLE_ID),
                       "--environment", "Production", "--port", str(self.store_port), "--starts-at", str(STARTS_AT),
                       "--key", str(self.key), "--key-id", "SIM1", "--clock-file", str(self.folder / "store.clock"),
                       live=f"{self.control}/health/live")

    def serving(self, use, **changes):
        issuer = self.do("/keys")["issuerId"]
        path = self.folder / "tenure.json"
        content = configuration(self.keys, self.folder / "tenure.sqlite", self.port, [self.do("/root")["sha256"]])
        content["clock"] = {"file": str(self.folder / "store.clock")}
        app = content["apps"][0]
        app["environments"], app["customerTokenSecret"] = ["Production"], SECRET
        plan = {"entitlements": ["plus"], "group": "7D3A51C0", "level": 2, "duration": "P1M", "prices": {"USD": 9990},
                "introductoryOffer": {"kind": "FREE_TRIAL", "length": "P1W"}}
        app["products"] = {"plus.monthly": plan, "plus.yearly": {**plan, "duration": "P1Y"}}
        app["offers"] = {"signaturesPerHour": 4, "promotional": [
            {"id": "stay", "product": "plus.monthly", "timesPerCustomer": 2, "window": {"times": 1, "days": 60}},
            {"id": "back", "product": "plus.yearly", "audience": "former"}], **changes}
        app["offerKeys"] = {"use": use, "keys": [
            {"keyId": "SIM1", "issuerId": issuer, "privateKeyFile": str(self.key)},
            {"keyId": "SIM2", "issuerId": issuer, "privateKeyFile": str(self.second)}]}
        path.write_text(json.dumps(content))
        return running("serve", "--config", str(path), live=f"{self.server}/health/live", environment={"TENURE_LOG_LEVEL": "critical"})

    def do(self, path, body=None, refused=None):
        status, answer = request("GET" if body is None else "POST", self.control + path, body)
        if refused is not None:
            check(f"the store refuses {refused}", (status, answer.get("code")) == (400, "offerSignatureInvalid"), (status, answer))
        elif status >= 300:
            raise SystemExit(f"{path} {body}: {status} {answer}")
        return answer

    @property
    def now(self):
        return self.do("/clock")["now"]

    def ask(self, method, path, body=None, by=None):
        headers = {"Authorization": f"Bearer {self.keys.server}"}
        if by is not None:
            headers = {"Authorization": f"Bearer {self.keys.public}",
                       "Tenure-Customer-Token": customer_token(by, issued=self.now / 1000)}
        return request(method, f"{self.server}/api/v1/apps/demo{path}", body, headers)

    def sign(self, customer, body, kind="promotional", by="backend"):
        return self.ask("POST", f"/customers/{customer}/offers/{kind}", body, None if by == "backend" else by or customer)

    def buy(self, account, **order):
        answer = self.do(f"/accounts/{account}/purchases", {"productId": "plus.monthly", **order})
        if "signedTransactionInfo" in answer:
            self.upload(account, answer["signedTransactionInfo"])
        return answer

    def upload(self, customer, jws, kind="purchase"):
        status, answer = self.ask("POST", f"/customers/{customer}/transactions", {"kind": kind, "signedTransactionInfo": jws})
        if status >= 300:
            raise SystemExit(f"upload of {customer}: {status} {answer}")

    def advance(self, **time):
        self.do("/clock/advance", time)

    def public_key(self, path):
        return serialization.load_pem_private_key(path.read_bytes(), None).public_key()


def is_signed(desk, answer, token):
    """The seven texts of "Generating a signature for promotional offers", joined and verified without anything of ours."""
    issued = answer["issued"]
    text = "\u2063".join([BUNDLE, issued["keyId"], issued["productId"], issued["offerIdentifier"], token, issued["nonce"], str(issued["issuedAt"])])
    try:
        desk.public_key(desk.key).verify(base64.b64decode(answer["signature"]), text.encode(), ec.ECDSA(hashes.SHA256()))
        return True
    except InvalidSignature:
        return False


def proof(answer):
    issued = answer["issued"]
    return {"keyIdentifier": issued["keyId"], "nonce": issued["nonce"], "timestamp": issued["issuedAt"], "signature": answer["signature"]}


def check_first_form(desk):
    """An active customer, the original StoreKit's signature, redeemed at the next renewal."""
    desk.do("/accounts", {"id": "cleo"})
    status, answer = desk.sign("cleo", {**PLUS, "form": "v1"}, by=None)
    check("WALL-5 who never subscribed is given nothing", (status, answer["code"]) == (409, "offer.neverSubscribed"), answer)
    desk.buy("cleo", offer="none", appAccountToken=TOKEN)
    order = {**PLUS, "form": "v1", "appAccountToken": TOKEN}
    status, answer = desk.sign("cleo", order, by=None)
    check("T22 a device cannot name a token that is not its customer's", (status, answer["code"]) == (409, "offer.userOfAnother"), answer)
    desk.ask("PUT", f"/customers/cleo/appAccountTokens/{TOKEN}?minted=true")
    status, answer = desk.sign("cleo", order, by=None)
    check("WALL-5 V1 is signed for an authenticated customer", status == 200 and answer["issued"]["validUntil"] - answer["issued"]["issuedAt"] == DAY, answer)
    check("WALL-5 V1 signs Apple's seven texts, verified by another library", is_signed(desk, answer, TOKEN))
    purchase = {**PLUS, "appAccountToken": TOKEN, "offer": "promotional"}
    desk.do("/accounts/cleo/purchases", {**purchase, "appAccountToken": str(uuid.uuid4()), "signature": proof(answer)}, refused="another token")
    desk.do("/accounts/cleo/purchases", {**purchase, "signature": {**proof(answer), "nonce": str(uuid.uuid4())}}, refused="another nonce")
    desk.do("/accounts/cleo/purchases", purchase, refused="an offer without a signature")
    taken = desk.do("/accounts/cleo/purchases", {**purchase, "signature": proof(answer)})
    check("the local App Store takes what the server signed", taken["outcome"] == "offerRedeemed", taken)
    desk.do("/accounts/cleo/purchases", {**purchase, "signature": proof(answer)}, refused="a nonce twice")
    desk.advance(days=32)
    renewal = desk.do("/accounts/cleo/transactions?limit=1")["transactions"][0]
    desk.upload("cleo", renewal["signedTransactionInfo"], "queue")
    history = desk.ask("GET", "/customers/cleo/offers")[1]
    redemption = history["issued"][0].get("redemption", {})
    wanted = {"nonce": answer["issued"]["nonce"], "customer": "cleo", "price": 4990, "currency": "USD", "regularPrice": 9990, "givenUp": 5000}
    check("WALL-5 its log says by whom it was redeemed, at what price, and what was given up",
          {name: redemption.get(name) for name in wanted} == wanted and history["redemptions"] == [redemption], history)
    told = desk.ask("GET", f"/subscriptions/{redemption['originalTransactionId']}/events")[1]
    check("WALL-5 and offer.redeemed was told", "offer.redeemed" in [event["type"] for event in told["items"]], told)
    status, answer = desk.sign("cleo", {**PLUS, "form": "v2"}, by=None)
    check("WALL-5 once in a window", (status, answer["code"]) == (409, "offer.hadLately"), answer)


def check_second_form(desk):
    """A former subscriber, a JWS bound to his own purchase."""
    for account in ("dora", "thief"):
        desk.do("/accounts", {"id": account})
    bought = desk.buy("dora", offer="none")
    status, answer = desk.sign("dora", PLUS, by=None)
    check("WALL-5 V2 is what is signed unless said", status == 200 and "compactJWS" in answer and "signature" not in answer, answer)
    claims = jwt.decode(answer["compactJWS"], desk.public_key(desk.key), ["ES256"], audience="promotional-offer")
    wanted = {"bid": BUNDLE, "nonce": answer["issued"]["nonce"], **PLUS, "transactionId": bought["transactionId"], "iat": answer["issued"]["issuedAt"] // 1000}
    check("WALL-6 V2 has Apple's claims, verified by another library, and names the customer's purchase",
          {name: claims.get(name) for name in wanted} == wanted and "exp" not in claims, claims)
    desk.do("/accounts/thief/purchases", {"productId": "plus.monthly", "offer": "none"})
    desk.do("/accounts/thief/purchases", {**PLUS, "offer": "promotional", "jws": answer["compactJWS"]}, refused="what was signed for another Apple Account")
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda _: desk.sign("dora", PLUS, by=None), range(200)))
    nonces = {body["issued"]["nonce"] for status, body in answers if status == 200}
    check("T22 200 requests at once give one offer", nonces == {answer["issued"]["nonce"]} and all(status in (200, 429) for status, _ in answers), nonces)
    history = desk.ask("GET", "/customers/dora/offers")[1]["issued"]
    check("T22 every signature is counted in the log", len(history) == 1 and history[0]["signatures"] == 1 + sum(status == 200 for status, _ in answers), history)
    desk.advance(seconds=25 * 3600)
    desk.do("/accounts/dora/purchases", {**PLUS, "offer": "promotional", "jws": answer["compactJWS"]}, refused="what is older than 24 hours")
    fresh = desk.sign("dora", PLUS, by=None)[1]
    check("WALL-5 after 24 hours another one is signed", fresh["issued"]["nonce"] != answer["issued"]["nonce"])
    taken = desk.do("/accounts/dora/purchases", {**PLUS, "offer": "promotional", "jws": fresh["compactJWS"]})
    check("the local App Store takes V2", taken["outcome"] == "offerRedeemed", taken)


def check_introductory(desk):
    """A second introductory offer by the server's word, and one that it withholds."""
    desk.do("/accounts", {"id": "eve"})
    plan = {"productId": "plus.monthly"}
    status, answer = desk.sign("eve", plan, "introductory", by=None)
    check("WALL-6 without a transaction nothing is signed", (status, answer["code"]) == (409, "offer.transactionNeeded"), answer)
    bought = desk.do("/accounts/eve/purchases", {**plan, "offer": "none"})
    status, answer = desk.sign("eve", {**plan, "signedTransactions": [bought["signedTransactionInfo"]]}, "introductory", by=None)
    claims = jwt.decode(answer["compactJWS"], desk.public_key(desk.key), ["ES256"], audience="introductory-offer-eligibility")
    shown = jwt.decode(bought["signedTransactionInfo"], options={"verify_signature": False})
    check("WALL-6 an introductory offer is allowed to who had none, for the transaction that the device shows",
          claims["allowIntroductoryOffer"] is True and claims["transactionId"] == shown["appTransactionId"], (claims, shown))
    desk.do("/accounts", {"id": "finn"})
    trial = desk.buy("finn")
    status, answer = desk.sign("finn", plan, "introductory", by=None)
    check("WALL-3 it is withheld from who had one", answer["issued"]["allowIntroductoryOffer"] is False, (trial.get("outcome"), answer))
    shown = desk.ask("POST", "/customers/finn/offers/eligibility", {}, by="finn")[1]
    check("askOffers says what a customer may have, and why not the rest",
          [offer.get("reason") for offer in shown["promotional"]] == [None, "stillActive"]
          and [plan["allowed"] for plan in shown["introductory"]] == [False, False], shown)


def check_oracle(desk):
    """T22: what is not on the list is never signed, whatever is said."""
    signed = []
    for changes in ({"productId": "plus.yearly"}, {"offerIdentifier": "other"}, {"offerIdentifier": "stay\u2063x"}, {"productId": "other.app"},
                    {"productId": "plus.monthly\u2063stay", "offerIdentifier": ""}, {"offerIdentifier": "stay\u0000"}, {"nonce": str(uuid.uuid4())},
                    {"timestamp": STARTS_AT}, {"issuedAt": STARTS_AT}, {"keyId": "SIM2"}, {"form": "v3"}, {"appAccountToken": TOKEN},
                    {"form": "v1", "applicationUsername": "dora\u2063"}, {"form": "v1", "applicationUsername": "x" * 300},
                    {"form": "v1", "appAccountToken": TOKEN, "applicationUsername": "finn"}):
        status, answer = desk.sign("finn", {**PLUS, **changes})
        signed.append(status)
    check("T22 nothing outside the list is signed, and no nonce or time of a client's", all(400 <= status < 500 for status in signed), signed)
    status, answer = desk.sign("finn", PLUS, by="cleo")
    check("T22 nobody is given another customer's offer", status == 403, answer)
    status, answer = request("POST", f"{desk.server}/api/v1/apps/demo/customers/finn/offers/promotional", PLUS,
                             {"Authorization": f"Bearer {desk.keys.public}"})
    check("T22 the public key alone signs nothing", status == 401, answer)
    codes = [desk.sign("finn", {**plan, "signedTransactions": []}, kind)[1].get("code") for _ in range(3) for kind, plan in (
        ("promotional", PLUS), ("introductory", {"productId": "plus.monthly"}), ("introductory", {"productId": "plus.yearly"}))]
    check("T22 asking again gives the same and counts for nothing", codes == [None] * 9, codes)
    page = desk.ask("GET", "/offers?limit=2")[1]
    everything, pages = list(page["items"]), 1
    while "next" in page:
        page = request("GET", desk.server + page["next"], None, {"Authorization": f"Bearer {desk.keys.server}"})[1]
        everything, pages = everything + page["items"], pages + 1
    nonces = [item["nonce"] for item in everything]
    check("the log of all is read in pages, each offer once", pages > 2 and len(nonces) == len(set(nonces))
          and [item["issuedAt"] for item in everything] == sorted(item["issuedAt"] for item in everything), (pages, len(nonces)))


def check_lost_key(desk, outstanding):
    """The key that signed is lost: the configuration names another, and what is outstanding is signed with that."""
    status, answer = desk.sign("finn", PLUS)
    check("a lost key is replaced by the configuration: the same offer under another key",
          (answer["issued"]["keyId"], answer["issued"]["nonce"]) == ("SIM2", outstanding["issued"]["nonce"]), answer)
    taken = desk.do("/accounts/finn/purchases", {**PLUS, "offer": "promotional", "jws": answer["compactJWS"]})
    check("the local App Store takes the new key", taken["outcome"] == "offerRedeemed", taken)
    desk.do("/accounts/finn/purchases", {**PLUS, "offer": "promotional", "jws": outstanding["compactJWS"]}, refused="the lost key, once revoked")


def main():
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as stack:
        desk = Desk(pathlib.Path(name))
        stack.enter_context(desk.simulator())
        desk.second.write_text(desk.do("/keys", {"keyId": "SIM2"})["privateKey"])
        with desk.serving("SIM1"):
            check_first_form(desk)
            check_second_form(desk)
            check_introductory(desk)
            check_oracle(desk)
            outstanding = desk.sign("finn", PLUS)[1]
        desk.do("/keys/SIM1/revocation", {"enabled": True})
        with desk.serving("SIM2"):
            check_lost_key(desk, outstanding)
    return harness.summary()


if __name__ == "__main__":
    sys.exit(main())
