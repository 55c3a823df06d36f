#!/usr/bin/env python3
"""Three clients of /verifyReceipt from PyPI, unmodified, ask the local App Store as they would ask Apple: itunes-iap, InAppPy and
pyinapp. What each says is compared with what this test bought, when, and what a calendar says. Prints one line per check; the
exit code is 1 when one failed.

How each is pointed at an address that is not Apple's, by the least that it offers:

* itunes-iap: its class constants `Request.PRODUCTION_VALIDATION_URL` and `SANDBOX_VALIDATION_URL` are set;
* InAppPy: a subclass overrides `_change_url_by_sandbox`, which sets `url` anew before each request;
* pyinapp: the attribute `url` of a validator is set.
"""

import asyncio
import base64
import datetime
import pathlib
import sys
import tempfile
import warnings

import inapppy
import inapppy.asyncio
import itunesiap
import pyinapp

import harness
from harness import BUNDLE, check
from store_run import SHARED_SECRET, STARTS_AT, TOKEN, Shop

# itunes-iap warns about members that it does not list; the test is that it reads them.
warnings.simplefilter("ignore")


def utc(*parts):
    return datetime.datetime(*parts, tzinfo=datetime.timezone.utc)


def milliseconds(instant):
    return int(instant.timestamp()) * 1000


JANUARY, FEBRUARY, MARCH = utc(2026, 1, 1), utc(2026, 2, 1), utc(2026, 3, 1)
assert milliseconds(JANUARY) == STARTS_AT


class ITunesIAP:
    """Its answers are objects, and its errors carry a status."""

    def __init__(self, production, sandbox):
        itunesiap.Request.PRODUCTION_VALIDATION_URL = production
        itunesiap.Request.SANDBOX_VALIDATION_URL = sandbox

    def verify(self, receipt, secret=SHARED_SECRET, env=itunesiap.env.production, **options):
        return itunesiap.verify(receipt, secret, env=env, **options)

    def status(self, receipt, secret=SHARED_SECRET, sandbox=False):
        try:
            return self.verify(receipt, secret, itunesiap.env.sandbox if sandbox else itunesiap.env.production).status
        except itunesiap.exc.InvalidReceipt as error:
            return error.status

    def lines(self, receipt, sandbox=False):
        answer = self.verify(receipt, env=itunesiap.env.sandbox if sandbox else itunesiap.env.production)
        return [(line.transaction_id, line.product_id, line.purchase_date_ms) for line in answer.receipt.in_app]


def in_app_py(validator, production, sandbox):
    class Local(validator):
        def _change_url_by_sandbox(self):
            self.url = sandbox if self.sandbox else production

    return Local


class InAppPy:
    """Its answer is the JSON object; its error carries what was answered."""

    def __init__(self, production, sandbox):
        self.validator = in_app_py(inapppy.AppStoreValidator, production, sandbox)
        self.asynchronous = in_app_py(inapppy.asyncio.AppStoreValidator, production, sandbox)

    def validate(self, receipt, secret=SHARED_SECRET, sandbox=False, retry=False, **options):
        return self.validator(sandbox=sandbox, auto_retry_wrong_env_request=retry).validate(receipt, secret, **options)

    def status(self, receipt, secret=SHARED_SECRET, sandbox=False):
        try:
            return self.validate(receipt, secret, sandbox)["status"]
        except inapppy.InAppPyValidationError as error:
            return error.raw_response["status"]

    def lines(self, receipt, sandbox=False):
        return [(line["transaction_id"], line["product_id"], int(line["purchase_date_ms"]))
                for line in self.validate(receipt, sandbox=sandbox)["receipt"]["in_app"]]

    async def validate_asynchronously(self, receipt):
        validator = self.asynchronous(auto_retry_wrong_env_request=True)
        async with validator:
            return await validator.validate(receipt, SHARED_SECRET)


class PyInApp:
    """Its answer is a list of purchases, whose dates are Apple's texts."""

    def __init__(self, production, sandbox):
        self.urls = (production, sandbox)

    def validate(self, receipt, secret=SHARED_SECRET, sandbox=False, bundle=BUNDLE):
        validator = pyinapp.AppStoreValidator(bundle, sandbox=sandbox)
        validator.url = self.urls[sandbox]
        return validator.validate(receipt, secret)

    def status(self, receipt, secret=SHARED_SECRET, sandbox=False):
        try:
            self.validate(receipt, secret, sandbox)
            return 0
        except pyinapp.InAppValidationError as error:
            return error.response["status"]

    def lines(self, receipt, sandbox=False):
        return [(purchase.transaction_id, purchase.product_id, self.instant(purchase.purchased_at))
                for purchase in self.validate(receipt, sandbox=sandbox)]

    @staticmethod
    def instant(text):
        day, time, zone = text.split(" ")
        assert zone == "Etc/GMT", text
        return milliseconds(datetime.datetime.fromisoformat(f"{day}T{time}+00:00"))


class Story:
    """Two customers, one of each environment, and what the test knows of them without asking /verifyReceipt."""

    def __init__(self, shop):
        self.shop = shop
        shop.do("/accounts", {"id": "rita", "environment": "Production"})
        shop.do("/accounts", {"id": "sam", "environment": "Sandbox"})
        self.pro = shop.do("/accounts/rita/purchases", {"productId": "pro.monthly", "appAccountToken": TOKEN})["transactionId"]
        self.coins = shop.do("/accounts/rita/purchases", {"productId": "coins"})["transactionId"]
        self.trial = shop.do("/accounts/sam/purchases", {"productId": "plus.monthly"})["transactionId"]
        self.first, self.sandbox = self.receipt("rita"), self.receipt("sam")

    def receipt(self, account):
        return self.shop.do(f"/accounts/{account}/receipt")["receipt"]

    def old_receipt(self, transaction):
        return self.shop.do(f"/transactions/{transaction}/receipt")["receipt"]

    def now(self):
        return self.shop.do("/clock")["now"]


def forged(receipt):
    """The same receipt, of which the signature is another: its last byte is changed."""
    content = bytearray(base64.b64decode(receipt))
    content[-1] ^= 1
    return base64.b64encode(content).decode()


def check_every(name, client, story):
    """What all three can say: the lines of a receipt, and why one is refused."""
    at = milliseconds(JANUARY)
    check(f"{name}: the receipt has what was bought", sorted(client.lines(story.first))
          == sorted([(story.pro, "pro.monthly", at), (story.coins, "coins", at)]), client.lines(story.first))
    check(f"{name}: and Sandbox's what was bought there", client.lines(story.sandbox, sandbox=True)
          == [(story.trial, "plus.monthly", at)], client.lines(story.sandbox, sandbox=True))
    for what, arguments, status in (
        ("not base64", ("*",), 21002), ("another signature", (forged(story.first),), 21003),
        ("another shared secret", (story.first, "wrong"), 21004), ("no shared secret", (story.first, None), 21004),
        ("Sandbox's receipt at Production", (story.sandbox,), 21007),
        ("Production's receipt at Sandbox", (story.first, SHARED_SECRET, True), 21008),
    ):
        said = client.status(*arguments)
        check(f"{name}: {what} is {status}", said == status, said)


def check_environments(story, itunes, in_app, py):
    """A review of an app is done in Sandbox with the app that asks Production: the clients ask again where they offer it."""
    answer = itunes.verify(story.sandbox, env=itunesiap.env.review)
    check("itunes-iap: `review` asks Sandbox after 21007", answer["environment"] == "Sandbox"
          and answer.receipt.in_app[0].transaction_id == story.trial, answer)
    check("itunes-iap: the free week is a trial of seven days", answer.receipt.in_app[0].is_trial_period is True
          and answer.receipt.in_app[0].expires_date == utc(2026, 1, 8), answer)
    answer = asyncio.run(itunesiap.aioverify(story.sandbox, SHARED_SECRET, env=itunesiap.env.review))
    check("itunes-iap with aiohttp: `review` too", answer["environment"] == "Sandbox", answer)
    answer = in_app.validate(story.sandbox, retry=True)
    check("InAppPy: asks Sandbox after 21007", answer["environment"] == "Sandbox", answer)
    answer = in_app.validate(story.first, sandbox=True, retry=True)
    check("InAppPy: asks Production after 21008", answer["environment"] == "Production", answer)
    answer = asyncio.run(in_app.validate_asynchronously(story.sandbox))
    check("InAppPy with aiohttp: asks Sandbox after 21007", answer["environment"] == "Sandbox", answer)
    try:
        py.validate(story.first, bundle="com.example.other")
        check("pyinapp: refuses another app's receipt", False)
    except pyinapp.InAppValidationError as error:
        check("pyinapp: refuses another app's receipt", str(error) == "Bundle id mismatch", error)


def check_first_month(story, itunes, in_app):
    answer = itunes.verify(story.first)
    pro = next(line for line in answer.receipt.in_app if line.product_id == "pro.monthly")
    coins = next(line for line in answer.receipt.in_app if line.product_id == "coins")
    check("itunes-iap: the app", answer.receipt.bundle_id == BUNDLE and answer.receipt.app_item_id == harness.APPLE_ID,
          answer.receipt)
    check("itunes-iap: from the first of January to the first of February", (pro.purchase_date, pro.expires_date)
          == (JANUARY, FEBRUARY), (pro.purchase_date, pro.expires_date))
    check("itunes-iap: no trial, one piece, itself the original", (pro.is_trial_period, pro.quantity, pro.original_transaction_id)
          == (False, 1, story.pro), pro)
    check("itunes-iap: coins do not expire", "expires_date" not in coins, coins)
    renewal = answer.pending_renewal_info[0]
    check("itunes-iap: it will renew", (renewal.auto_renew_status, renewal.auto_renew_product_id) == (1, "pro.monthly"), renewal)
    latest = {line["product_id"]: line for line in in_app.validate(story.first)["latest_receipt_info"]}
    check("InAppPy: latest_receipt_info has the token", latest["pro.monthly"].get("app_account_token") == TOKEN
          and "app_account_token" not in latest["coins"], latest)
    flat = itunes.verify(story.old_receipt(story.pro))
    check("itunes-iap: a receipt from before iOS 7", (flat.receipt.in_app[0].transaction_id, flat.receipt.in_app[0].expires_date)
          == (story.pro, FEBRUARY), flat)


def check_renewal(story, itunes, in_app, py):
    """31 days later the old receipt is unchanged, and the answer about its customer has the new month."""
    story.shop.do("/clock/advance", {"days": 31})
    renewed = story.shop.do(f"/subscriptions/{story.pro}")["transactionId"]
    check("there is a renewal", renewed not in (story.pro, story.coins), renewed)
    answer = itunes.verify(story.first)
    inside = [line.transaction_id for line in answer.receipt.in_app]
    check("itunes-iap: the old receipt has no renewal in it", sorted(inside) == sorted([story.pro, story.coins]), inside)
    latest = [(line.transaction_id, line.original_transaction_id, line.purchase_date, line.expires_date)
              for line in answer.latest_receipt_info if line.product_id == "pro.monthly"]
    check("itunes-iap: latest_receipt_info has both months, the newest first", latest
          == [(renewed, story.pro, FEBRUARY, MARCH), (story.pro, story.pro, JANUARY, FEBRUARY)], latest)
    again = itunes.verify(answer.latest_receipt)
    check("itunes-iap: latest_receipt is a receipt that has the renewal", renewed
          in [line.transaction_id for line in again.receipt.in_app], again)
    only = itunes.verify(story.first, exclude_old_transactions=True).latest_receipt_info
    check("itunes-iap: exclude_old_transactions leaves the newest month", [line.transaction_id for line in only
          if line.product_id == "pro.monthly"] == [renewed], only)
    only = in_app.validate(story.first, exclude_old_transactions=True)["latest_receipt_info"]
    check("InAppPy: exclude_old_transactions too", [line["transaction_id"] for line in only
          if line["product_id"] == "pro.monthly"] == [renewed], only)
    fresh = story.receipt("rita")
    for name, client in (("itunes-iap", itunes), ("InAppPy", in_app), ("pyinapp", py)):
        check(f"{name}: a receipt of now has the renewal, bought on the first of February",
              (renewed, "pro.monthly", milliseconds(FEBRUARY)) in client.lines(fresh), client.lines(fresh))
    check("pyinapp: the whole answer comes with each purchase", py.validate(fresh)[0].response["latest_receipt_info"][0]
          ["expires_date_ms"] == str(milliseconds(MARCH)))
    return renewed


def check_refund(story, itunes, in_app, renewed):
    story.shop.do(f"/transactions/{story.coins}/refund", {"reason": 1})
    at = story.now()
    answer = itunes.verify(story.first)
    coins, pro = ([line for line in answer.latest_receipt_info if line.product_id == name] for name in ("coins", "pro.monthly"))
    check("itunes-iap: a refund is a cancellation, with its date and reason",
          abs(coins[0].cancellation_date_ms - at) < 1000 and coins[0].cancellation_reason == 1
          and milliseconds(coins[0].cancellation_date) == coins[0].cancellation_date_ms // 1000 * 1000, coins)
    check("itunes-iap: of nothing else", not any("cancellation_date" in line for line in pro), pro)
    story.shop.do(f"/transactions/{renewed}/refund", {})
    latest = {line["transaction_id"]: line for line in in_app.validate(story.receipt("rita"))["latest_receipt_info"]}
    check("InAppPy: a refunded month is cancelled for another reason, the month before is not",
          latest[renewed].get("cancellation_reason") == "0" and "cancellation_date" not in latest[story.pro], latest)
    story.shop.do(f"/transactions/{renewed}/refund/reverse", {})
    answer = itunes.verify(story.receipt("rita"))
    check("itunes-iap: a refund that was reversed is gone", [line.transaction_id for line in answer.latest_receipt_info
          if "cancellation_date" in line] == [story.coins], answer.latest_receipt_info)


def check_end(story, itunes, in_app, py):
    """Without auto-renew it ends on the first of March, by the customer's own will (1)."""
    story.shop.do(f"/subscriptions/{story.pro}/auto-renew", {"enabled": False})
    status = itunes.verify(story.first).pending_renewal_info[0].auto_renew_status
    check("itunes-iap: auto-renew is off", status == 0, status)
    story.shop.do("/clock/advance", {"to": milliseconds(MARCH) + 1000})
    renewal = itunes.verify(story.first).pending_renewal_info[0]
    check("itunes-iap: it expired as the customer wished", (renewal.expiration_intent, renewal.is_in_billing_retry_period,
          renewal.auto_renew_status) == (1, 0, 0), renewal)
    newest = in_app.validate(story.first, exclude_old_transactions=True)["latest_receipt_info"]
    check("InAppPy: nothing follows the first of March", [line["expires_date_ms"] for line in newest
          if line["product_id"] == "pro.monthly"] == [str(milliseconds(MARCH))], newest)
    for name, client in (("itunes-iap", itunes), ("InAppPy", in_app), ("pyinapp", py)):
        said = client.status(story.old_receipt(story.pro))
        check(f"{name}: a receipt from before iOS 7 is 21006 now", said == 21006, said)


def check_bad_days(story, itunes, in_app):
    """What a client must take for a bad day at Apple's, and not for a bad receipt."""
    def fails(kind, **members):
        story.shop.do("/faults", {"faults": [{"face": "verifyReceipt", "kind": kind, "times": 1, **members}]})

    fails("status", status=500)
    try:
        itunes.verify(story.first)
        check("itunes-iap: 500", False, "it was answered")
    except itunesiap.exc.ItunesServerNotAvailable as error:
        check("itunes-iap: 500", error.args[0] == 500, error.args)
    fails("html")
    try:
        in_app.validate(story.first)
        check("InAppPy: a page instead of JSON", False, "it was answered")
    except inapppy.InAppPyValidationError as error:
        check("InAppPy: a page instead of JSON", error.message == "HTTP error", error)
    fails("receiptStatus", status=21005)
    check("InAppPy: 21005", in_app.status(story.first) == 21005)
    check("and right again", in_app.status(story.first) == 0)


def main():
    with tempfile.TemporaryDirectory() as folder:
        shop = Shop(pathlib.Path(folder))
        addresses = [f"http://127.0.0.1:{port}/verifyReceipt" for port in (shop.production, shop.sandbox)]
        itunes, in_app, py = ITunesIAP(*addresses), InAppPy(*addresses), PyInApp(*addresses)
        with shop.running():
            story = Story(shop)
            for name, client in (("itunes-iap", itunes), ("InAppPy", in_app), ("pyinapp", py)):
                check_every(name, client, story)
            check_environments(story, itunes, in_app, py)
            check_first_month(story, itunes, in_app)
            renewed = check_renewal(story, itunes, in_app, py)
            check_refund(story, itunes, in_app, renewed)
            check_end(story, itunes, in_app, py)
            check_bad_days(story, itunes, in_app)
    return harness.summary()


if __name__ == "__main__":
    sys.exit(main())
