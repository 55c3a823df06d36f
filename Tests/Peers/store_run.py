#!/usr/bin/env python3
"""Apple's own server library, and clients of /verifyReceipt that others wrote, take the local App Store for Apple. Starts it on loopback with
both environments on ports of their own and drives every call. Prints one line per check; the exit code is 1 when one failed."""

import json
import pathlib
import sys
import tempfile
import time
import urllib.request
import uuid

from appstoreserverlibrary.api_client import APIError, APIException, AppStoreServerAPIClient, GetTransactionHistoryVersion
from appstoreserverlibrary.models.ConsumptionRequest import ConsumptionRequest
from appstoreserverlibrary.models.DeliveryStatus import DeliveryStatus
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.models.ExtendReasonCode import ExtendReasonCode
from appstoreserverlibrary.models.ExtendRenewalDateRequest import ExtendRenewalDateRequest
from appstoreserverlibrary.models.MassExtendRenewalDateRequest import MassExtendRenewalDateRequest
from appstoreserverlibrary.models.NotificationHistoryRequest import NotificationHistoryRequest
from appstoreserverlibrary.models.NotificationTypeV2 import NotificationTypeV2
from appstoreserverlibrary.models.OrderLookupStatus import OrderLookupStatus
from appstoreserverlibrary.models.RefundPreference import RefundPreference
from appstoreserverlibrary.models.SendAttemptResult import SendAttemptResult
from appstoreserverlibrary.models.Status import Status
from appstoreserverlibrary.models.TransactionHistoryRequest import Order, TransactionHistoryRequest
from appstoreserverlibrary.models.UpdateAppAccountTokenRequest import UpdateAppAccountTokenRequest
from appstoreserverlibrary.promotional_offer import PromotionalOfferSignatureCreator
from appstoreserverlibrary.jws_signature_creator import PromotionalOfferV2SignatureCreator
from appstoreserverlibrary.receipt_utility import ReceiptUtility
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier
from apple_purchase_receipt_verifier import Config, Environment as ReceiptEnvironment, Verifier

import harness
from harness import APPLE_ID, BUNDLE, ROOT, check, free_port, request, running

STARTS_AT = 1767225600000  # 2026-01-01T00:00:00Z
SHARED_SECRET = "5ha2ed"
TOKEN = "2f0c3b1e-7a55-4c0d-9a51-0d8a6f1f9b11"


class Shop:
    """The local App Store as a process, its hands and its faces."""

    def __init__(self, folder):
        self.key_path = folder / "SubscriptionKey.p8"
        self.port, self.production, self.sandbox = free_port(), free_port(), free_port()
        self.control = f"http://127.0.0.1:{self.port}/control/v1"

    def running(self):
        return running(
            "simulate", "--catalogue", "Examples/shop.storekit", "--bundle", BUNDLE, "--app-apple-id", str(APPLE_ID),
            "--environment", "Production", "--port", str(self.port), "--production-port", str(self.production),
            "--sandbox-port", str(self.sandbox), "--starts-at", str(STARTS_AT), "--key", str(self.key_path), "--key-id", "SIM1",
            "--shared-secret", SHARED_SECRET, live=f"{self.control}/health/live")

    def do(self, path, body=None, status=None):
        method = "GET" if body is None else "POST"
        code, answer = request(method, self.control + path, body)
        if status is None and code >= 300:
            raise SystemExit(f"{path} {body}: {code} {answer}")
        if status is not None:
            check(f"{path} is refused with {status}", (code, answer.get("code")) == status, (code, answer))
        return answer

    def root(self, path="/root.der"):
        with urllib.request.urlopen(self.control + path) as response:
            return response.read()

    def client(self, environment, bundle=BUNDLE, issuer=None, key=None):
        issuer = issuer or self.do("/keys")["issuerId"]
        client = AppStoreServerAPIClient(key or self.key_path.read_bytes(), "SIM1", issuer, bundle, environment)
        port = self.production if environment == Environment.PRODUCTION else self.sandbox
        client._base_url = f"http://127.0.0.1:{port}"
        return client

    def verifier(self, environment):
        return SignedDataVerifier([self.root()], False, environment, BUNDLE, APPLE_ID)


def refused(name, code, call):
    try:
        call()
        check(name, False, "it was answered")
    except APIException as error:
        wanted = code.value if isinstance(code, APIError) else code
        got = error.raw_api_error if code is not None else error.http_status_code
        check(name, got == wanted or (code is None and error.http_status_code == 401 and error.raw_api_error is None),
              (error.http_status_code, error.raw_api_error))


def check_reading(shop, environment, word):
    """Buy, live a while, and read it back through Apple's client and verifier."""
    account = f"anna-{word}"
    shop.do("/accounts", {"id": account, "environment": environment.value})
    bought = shop.do(f"/accounts/{account}/purchases", {"productId": "plus.monthly", "appAccountToken": TOKEN})
    shop.do(f"/accounts/{account}/purchases", {"productId": "coins"})
    shop.do("/clock/advance", {"days": 800 if environment == Environment.PRODUCTION else 40})
    client, verifier, original = shop.client(environment), shop.verifier(environment), bought["originalTransactionId"]
    signed = client.get_transaction_info(original).signedTransactionInfo
    transaction = verifier.verify_and_decode_signed_transaction(signed)
    check(f"{word}: Get Transaction Info is verified", transaction.transactionId == original and transaction.appAccountToken == TOKEN)
    ids, revision, pages = [], None, 0
    while True:
        page = client.get_transaction_history(original, revision, TransactionHistoryRequest(), GetTransactionHistoryVersion.V2)
        ids += [verifier.verify_and_decode_signed_transaction(jws).transactionId for jws in page.signedTransactions]
        revision, pages = page.revision, pages + 1
        if not page.hasMore:
            break
    known = [t["transactionId"] for t in shop.do(f"/accounts/{account}/transactions?limit=1000")["transactions"]]
    check(f"{word}: the history has every transaction once, page by page", sorted(ids) == sorted(known), (len(ids), len(known), pages))
    newest = client.get_transaction_history(
        original, None, TransactionHistoryRequest(sort=Order.DESCENDING, productIds=["plus.monthly"], revoked=False),
        GetTransactionHistoryVersion.V2)
    first = verifier.verify_and_decode_signed_transaction(newest.signedTransactions[0])
    check(f"{word}: filters and order hold", first.productId == "plus.monthly" and first.transactionId == known[0])
    statuses = client.get_all_subscription_statuses(original)
    last = statuses.data[0].lastTransactions[0]
    renewal = verifier.verify_and_decode_renewal_info(last.signedRenewalInfo)
    check(f"{word}: Get All Subscription Statuses", last.status == Status.ACTIVE and renewal.originalTransactionId == original)
    check(f"{word}: a status that it has not is empty", client.get_all_subscription_statuses(original, [Status.EXPIRED]).data == [])
    app = verifier.verify_and_decode_app_transaction(client.get_app_transaction_info(original).signedAppTransactionInfo)
    check(f"{word}: Get App Transaction Info", app.bundleId == BUNDLE and app.appTransactionId is not None)
    by_app = client.get_all_subscription_statuses(app.appTransactionId).data[0].lastTransactions[0].originalTransactionId
    check(f"{word}: the appTransactionId names the customer too", by_app == original)
    refused(f"{word}: an appTransactionId where none is taken", 4000048, lambda: client.get_transaction_info(app.appTransactionId))
    refused(f"{word}: no transaction id", APIError.INVALID_TRANSACTION_ID, lambda: client.get_transaction_info("abc"))
    refused(f"{word}: an unknown transaction", APIError.TRANSACTION_ID_NOT_FOUND, lambda: client.get_transaction_info("7"))
    other = shop.client(Environment.SANDBOX if environment == Environment.PRODUCTION else Environment.PRODUCTION)
    refused(f"{word}: the other environment does not know it", APIError.TRANSACTION_ID_NOT_FOUND,
            lambda: other.get_transaction_info(original))
    order = shop.do(f"/transactions/{original}")["orderId"]
    found = client.look_up_order_id(order)
    check(f"{word}: Look Up Order ID", found.status == OrderLookupStatus.VALID and len(found.signedTransactions) == 1)
    check(f"{word}: an unknown order is no error", client.look_up_order_id("MNOSUCH").status == OrderLookupStatus.INVALID)
    return original, account


def check_doors(shop):
    refused("another issuer: 401 with nothing in it", None,
            lambda: shop.client(Environment.PRODUCTION, issuer=str(uuid.uuid4())).get_transaction_info("7"))
    refused("another app: 401", None,
            lambda: shop.client(Environment.PRODUCTION, bundle="com.example.other").get_transaction_info("7"))
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    stranger = ec.generate_private_key(ec.SECP256R1()).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    refused("another key: 401", None, lambda: shop.client(Environment.PRODUCTION, key=stranger).get_transaction_info("7"))
    with urllib.request.urlopen(
            urllib.request.Request(f"http://127.0.0.1:{shop.production}/verifyReceipt", data=b"{}", method="POST")) as response:
        check("the content type is exactly application/json", response.headers["content-type"] == "application/json")


def check_writing(shop, original):
    client, verifier = shop.client(Environment.PRODUCTION), shop.verifier(Environment.PRODUCTION)
    before = verifier.verify_and_decode_signed_transaction(shop.do(f"/subscriptions/{original}")["signedTransactionInfo"])
    answer = client.extend_subscription_renewal_date(
        original, ExtendRenewalDateRequest(7, ExtendReasonCode.SERVICE_ISSUE_OR_OUTAGE, "one"))
    check("Extend a Subscription Renewal Date", answer.success and answer.effectiveDate == before.expiresDate + 7 * 86_400_000)
    client.extend_subscription_renewal_date(original, ExtendRenewalDateRequest(1, ExtendReasonCode.OTHER, "two"))
    refused("a third extension in a year", APIError.SUBSCRIPTION_MAX_EXTENSION, lambda: client.extend_subscription_renewal_date(
        original, ExtendRenewalDateRequest(1, ExtendReasonCode.OTHER, "three")))
    refused("ninety-one days", APIError.INVALID_EXTEND_BY_DAYS, lambda: client.extend_subscription_renewal_date(
        original, ExtendRenewalDateRequest(91, ExtendReasonCode.OTHER, "four")))
    shop.do("/accounts", {"id": "ben"})
    shop.do("/accounts/ben/purchases", {"productId": "pro.monthly"})
    client.extend_renewal_date_for_all_active_subscribers(
        MassExtendRenewalDateRequest(extendByDays=3, extendReasonCode=ExtendReasonCode.OTHER, requestIdentifier="mass",
                                     productId="pro.monthly"))
    check("a mass extension is under way", not client.get_status_of_subscription_renewal_date_extensions("mass", "pro.monthly").complete)
    shop.do("/clock/advance", {"seconds": 120})
    done = client.get_status_of_subscription_renewal_date_extensions("mass", "pro.monthly")
    check("and is done", done.complete and done.succeededCount == 1, done)
    refused("an extension that was not requested", APIError.STATUS_REQUEST_NOT_FOUND,
            lambda: client.get_status_of_subscription_renewal_date_extensions("none", "pro.monthly"))
    token = str(uuid.uuid4())
    client.set_app_account_token(original, UpdateAppAccountTokenRequest(token))
    check("Set App Account Token", verifier.verify_and_decode_signed_transaction(
        client.get_transaction_info(original).signedTransactionInfo).appAccountToken == token)
    client.finish_transaction(original)
    check("Finish Transaction", shop.do(f"/transactions/{original}").get("isFinished") is True)
    coins = shop.do("/accounts/ben/purchases", {"productId": "coins"})["transactionId"]
    shop.do(f"/transactions/{coins}/refund/request", {"reason": "UNINTENDED_PURCHASE"})
    client.send_consumption_information(coins, ConsumptionRequest(
        customerConsented=True, deliveryStatus=DeliveryStatus.DELIVERED, sampleContentProvided=False, consumptionPercentage=50_000,
        refundPreference=RefundPreference.DECLINE))
    shop.do("/clock/advance", {"seconds": 13 * 3600})
    check("a refund that the server would not have is declined",
          shop.do("/notifications?limit=1")["notifications"][0]["notificationType"] == "REFUND_DECLINED")
    shop.do(f"/transactions/{coins}/refund", {})
    history = client.get_refund_history(coins, None)
    check("Get Refund History", [verifier.verify_and_decode_signed_transaction(jws).transactionId
                                 for jws in history.signedTransactions] == [coins])


def check_notifications(shop):
    client, verifier = shop.client(Environment.PRODUCTION), shop.verifier(Environment.PRODUCTION)
    for _ in range(30):
        shop.do("/accounts/ben/purchases", {"productId": "coins"})
    refused("a test without an address", APIError.SERVER_NOTIFICATION_URL_NOT_FOUND, client.request_test_notification)
    shop.do("/delivery", {"url": f"http://127.0.0.1:{free_port()}/nobody", "environment": "Production"})
    token = client.request_test_notification().testNotificationToken
    status = client.get_test_notification_status(token)
    decoded = verifier.verify_and_decode_notification(status.signedPayload)
    check("a test notification and its attempts", decoded.notificationType == NotificationTypeV2.TEST
          and status.sendAttempts[0].sendAttemptResult != SendAttemptResult.SUCCESS)
    refused("an unknown test", APIError.TEST_NOTIFICATION_NOT_FOUND,
            lambda: client.get_test_notification_status(f"{uuid.uuid4()}_1"))
    now = shop.do("/clock")["now"]
    wanted = NotificationHistoryRequest(startDate=now - 179 * 86_400_000, endDate=now + 1000)
    types, page_token, pages = [], None, 0
    while True:
        page = client.get_notification_history(page_token, wanted)
        types += [verifier.verify_and_decode_notification(item.signedPayload).rawNotificationType for item in page.notificationHistory]
        page_token, pages = page.paginationToken, pages + 1
        if not page.hasMore:
            break
    check("the notification history, page by page, every payload verified", pages > 1 and "DID_RENEW" in types and "TEST" in types, (pages, set(types)))
    failures = client.get_notification_history(None, NotificationHistoryRequest(
        startDate=now - 86_400_000, endDate=now + 1000, onlyFailures=True)).notificationHistory
    check("only failures", len(failures) == 1)
    refused("a history that is too old", APIError.START_DATE_TOO_FAR_IN_PAST, lambda: client.get_notification_history(
        None, NotificationHistoryRequest(startDate=now - 200 * 86_400_000, endDate=now)))


def check_offers(shop):
    """Signatures of Apple's library are accepted, and wrong ones are not."""
    shop.do("/accounts", {"id": "cleo"})
    shop.do("/accounts/cleo/purchases", {"productId": "plus.monthly"})
    now, nonce, issuer = shop.do("/clock")["now"], uuid.uuid4(), shop.do("/keys")["issuerId"]
    signer = PromotionalOfferSignatureCreator(shop.key_path.read_bytes(), "SIM1", BUNDLE)
    signature = signer.create_signature("plus.monthly", "stay", TOKEN, nonce, now)
    body = {"productId": "plus.monthly", "appAccountToken": TOKEN, "offer": "promotional", "offerIdentifier": "stay"}
    proof = {"keyIdentifier": "SIM1", "nonce": str(nonce), "timestamp": now, "signature": signature}
    wrong = {**body, "appAccountToken": str(uuid.uuid4()), "signature": proof}
    shop.do("/accounts/cleo/purchases", wrong, status=(400, "offerSignatureInvalid"))
    shop.do("/accounts/cleo/purchases", {**body, "signature": {**proof, "timestamp": now - 1}}, status=(400, "offerSignatureInvalid"))
    shop.do("/accounts/cleo/purchases", body, status=(400, "offerSignatureInvalid"))
    redeemed = shop.do("/accounts/cleo/purchases", {**body, "signature": proof})
    check("a promotional offer signed by Apple's library is accepted", redeemed["outcome"] == "offerRedeemed", redeemed)
    shop.do("/accounts/cleo/purchases", {**body, "signature": proof}, status=(400, "offerSignatureInvalid"))
    creator = PromotionalOfferV2SignatureCreator(shop.key_path.read_bytes(), "SIM1", issuer, BUNDLE)
    jws = creator.create_signature("plus.monthly", "stay", None)
    age = now - int(time.time() * 1000)
    expected = (400, "offerSignatureInvalid") if abs(age) > 86_400_000 else None
    answer = shop.do("/accounts/cleo/purchases", {**body, "jws": jws}, status=expected)
    check("a JWS that is not of the store's time is refused, as Apple refuses old ones", expected is not None or "outcome" in answer)


def check_receipts(shop, account):
    """Receipts are verified by a library that knows nothing of us, and /verifyReceipt answers as Apple's."""
    receipt = shop.do(f"/accounts/{account}/receipt")["receipt"]
    outcome = Verifier(Config(roots=[shop.root("/receipts/root.der")])).verify_receipt_endpoint(
        ReceiptEnvironment.PRODUCTION, json.dumps({"receipt-data": receipt}))
    check("apple-purchase-receipt-verifier verifies the app receipt", json.loads(outcome)["status"] == 0 if isinstance(outcome, str)
          else outcome.status == 0, outcome)
    found = ReceiptUtility().extract_transaction_id_from_app_receipt(receipt)
    check("Apple's library finds a transaction in it", found is not None and found.isdigit(), found)
    url = {name: f"http://127.0.0.1:{port}/verifyReceipt" for name, port in (("production", shop.production), ("sandbox", shop.sandbox))}
    body = {"receipt-data": receipt, "password": SHARED_SECRET}
    answer = request("POST", url["production"], body)[1]
    latest = answer["latest_receipt_info"]
    check("/verifyReceipt: status 0, and all values are texts", answer["status"] == 0 and answer["environment"] == "Production"
          and all(isinstance(value, str) for item in latest for value in item.values()), answer["status"])
    dates = latest[0]["purchase_date"], latest[0]["purchase_date_ms"], latest[0]["purchase_date_pst"]
    check("a date is written three times", dates[0].endswith(" Etc/GMT") and dates[2].endswith(" America/Los_Angeles") and dates[1].isdigit())
    old = request("POST", url["production"], {**body, "exclude-old-transactions": True})[1]["latest_receipt_info"]
    check("exclude-old-transactions leaves the newest of each subscription",
          len([item for item in old if item["product_id"] == "plus.monthly"]) == 1 < len(latest))
    for name, port, changed, status in (
        ("at Sandbox's address", "sandbox", {}, 21008), ("with another secret", "production", {"password": "x"}, 21004),
        ("without one", "production", {"password": None}, 21004), ("that is none", "production", {"receipt-data": "AAAA"}, 21003),
        ("that is no base64", "production", {"receipt-data": "*"}, 21002), ("that is missing", "production", {"receipt-data": None}, 21002),
    ):
        check(f"a receipt {name}: {status}", request("POST", url[port], {**body, **changed})[1] == {"status": status})
    transaction = shop.do(f"/accounts/{account}/transactions?limit=1")["transactions"][0]["transactionId"]
    flat = request("POST", url["production"], {**body, "receipt-data": shop.do(f"/transactions/{transaction}/receipt")["receipt"]})[1]
    check("a receipt from before iOS 7 is answered flat", flat["status"] == 0 and flat["receipt"]["transaction_id"] == transaction
          and flat["receipt"]["expires_date"].isdigit() and isinstance(flat["latest_receipt_info"], dict), flat)


def check_bad_days(shop, original):
    client = shop.client(Environment.PRODUCTION)
    shop.do("/faults", {"faults": [{"face": "serverAPI", "kind": "rateLimited", "milliseconds": 5000, "times": 1}]})
    refused("429 on demand", APIError.RATE_LIMIT_EXCEEDED, lambda: client.get_transaction_info(original))
    check("and right again", client.get_transaction_info(original).signedTransactionInfo is not None)
    shop.do("/faults", {"faults": [{"face": "serverAPI", "kind": "status", "status": 500, "times": 1}]})
    refused("500 on demand", APIError.GENERAL_INTERNAL, lambda: client.get_transaction_info(original))
    for kind in ("html", "truncated"):
        shop.do("/faults", {"faults": [{"face": "serverAPI", "kind": kind, "times": 1}]})
        try:
            client.get_transaction_info(original)
            check(f"{kind} on demand", False)
        except Exception as error:
            check(f"{kind} on demand is an error of the client", not isinstance(error, APIException), type(error))
    for status in (21002, 21005, 21009, 21199):
        shop.do("/faults", {"faults": [{"face": "verifyReceipt", "kind": "receiptStatus", "status": status, "times": 1}]})
        answer = request("POST", f"http://127.0.0.1:{shop.production}/verifyReceipt", {"receipt-data": "AAAA"})[1]
        check(f"{status} on demand", answer["status"] == status, answer)
    shop.do("/faults", {"faults": [{"face": "serverAPI", "kind": "stale"}]})
    before = client.get_all_subscription_statuses(original).data[0].lastTransactions[0].signedTransactionInfo
    shop.do("/clock/advance", {"days": 40})
    verifier = shop.verifier(Environment.PRODUCTION)
    after = client.get_all_subscription_statuses(original).data[0].lastTransactions[0].signedTransactionInfo
    ids = [verifier.verify_and_decode_signed_transaction(jws).transactionId for jws in (before, after)]
    check("stale answers on demand", ids[0] == ids[1])
    shop.do("/faults", {"faults": []})
    shop.do("/signing", {"signing": "wrongChain"})
    try:
        verifier.verify_and_decode_signed_transaction(client.get_transaction_info(original).signedTransactionInfo)
        check("a wrong chain on demand", False)
    except Exception as error:
        check("a wrong chain on demand is refused", "VerificationException" in type(error).__name__, type(error))
    shop.do("/signing", {"signing": "newLeaf"})
    signed = client.get_transaction_info(original).signedTransactionInfo
    check("a new leaf is accepted", verifier.verify_and_decode_signed_transaction(signed).transactionId == original)


def check_web_pages(shop):
    """What a browser sends for a page of another site, and for a foreign host name that resolves to this machine."""
    own = f"127.0.0.1:{shop.port}"
    for name, headers, status, code in (
        ("a program", {}, 201, None),
        ("its own page", {"Origin": f"http://{own}"}, 201, None),
        ("its own page by name", {"Host": f"localhost:{shop.port}", "Origin": f"http://localhost:{shop.port}"}, 201, None),
        ("another site's page", {"Origin": "https://evil.example"}, 403, "foreignOrigin"),
        ("a page of another port", {"Origin": "http://127.0.0.1:9"}, 403, "foreignOrigin"),
        ("a page without an address", {"Origin": "null"}, 403, "foreignOrigin"),
        ("a name that was made to lead here", {"Host": f"evil.example:{shop.port}"}, 403, "foreignHost"),
        ("such a page", {"Host": "evil.example", "Origin": "http://evil.example"}, 403, "foreignHost"),
    ):
        answer = request("POST", f"{shop.control}/accounts", {"environment": "Production"}, headers)
        check(f"T42 {name} may {'' if code is None else 'not '}act: {status}", (answer[0], answer[1].get("code")) == (status, code), answer)
    for path in ("/state", "/keys", "/authority"):
        answer = request("GET", shop.control + path, headers={"Host": "evil.example"})
        check(f"T42 nor read {path}", answer[0] == 403, answer)
    with urllib.request.urlopen(f"http://{own}/") as response:
        policy = response.headers["Content-Security-Policy"]
    check("T42 no page may frame the store's", "frame-ancestors 'none'" in policy, policy)


def main():
    with tempfile.TemporaryDirectory() as folder:
        shop = Shop(pathlib.Path(folder))
        with shop.running():
            check_doors(shop)
            original, account = check_reading(shop, Environment.PRODUCTION, "Production")
            check_reading(shop, Environment.SANDBOX, "Sandbox")
            check_receipts(shop, account)
            check_writing(shop, original)
            check_notifications(shop)
            check_offers(shop)
            check_bad_days(shop, original)
            check_web_pages(shop)
    return harness.summary()


if __name__ == "__main__":
    sys.exit(main())
