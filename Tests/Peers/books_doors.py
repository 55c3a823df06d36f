"""Receipts of customers and notifications V1 at the server's door: what is proved is kept, what is only said is asked about."""

import base64
import time

from books_material import Books, original_id
from harness import check, customer_token, request


def upload(books, customer, receipt, kind="restore", headers=None):
    body = {"kind": kind, "receipt": receipt if isinstance(receipt, str) else base64.b64encode(receipt).decode()}
    return request("POST", f"{books.customers}/{customer}/receipts", body, headers or books.backend)


def check_receipts(books, signer):
    receipt = signer.receipt(300)
    device = {"Authorization": f"Bearer {books.keys.public}", "Tenure-Customer-Token": customer_token("ann")}
    status, answer = upload(books, "ann", receipt, headers=device)
    check(
        "a device's receipt binds each subscription in it",
        (status, answer)
        == (200, {"results": [{"originalTransactionId": original_id(300), "environment": "Sandbox", "outcome": "bound", "isOwner": True}]}),
        (status, answer),
    )
    status, answer = books.entitlements("ann", "?environment=Sandbox")
    check("and gives what it proves", (status, answer["isActive"]) == (200, True), answer)
    settled(books)
    counts = {table: rows for table, rows in books.counts().items()}
    status, answer = upload(books, "ann", receipt)
    check(
        "again: alreadyOwner, and no row more",
        status == 200 and answer["results"][0]["outcome"] == "alreadyOwner" and books.counts() == counts,
        answer,
    )
    status, answer = upload(books, "bob", receipt)
    refused = answer["results"][0]
    check(
        "another customer is refused in the list, with rule, code and a masked hint",
        status == 200
        and (refused["outcome"], refused["isOwner"], refused.get("code"), refused.get("rule"), refused.get("hint"))
        == ("refused", False, "ownedByAnother", "OWN-9", "a…n"),
        answer,
    )
    broken = bytearray(receipt)
    broken[-1] ^= 1
    settled(books)
    counts = books.counts()
    for name, body, status, code in (
        ("one bit of the signature changed", base64.b64encode(bytes(broken)).decode(), 400, "signatureInvalid"),
        ("not base64", "%%%%", 400, "notBase64"),
        ("of a root that nobody trusts", base64.b64encode(other_receipt(books)).decode(), 400, "rootNotTrusted"),
    ):
        answered = upload(books, "cid", body)
        check(f"a receipt, {name}: {status} {code}", (answered[0], answered[1].get("code")) == (status, code), answered)
    status, answer = request("POST", f"{books.customers}/cid/receipts", {"kind": "restore"}, books.backend)
    check("a body without a receipt: 400 invalidBody", (status, answer.get("code")) == (400, "invalidBody"), answer)
    status, answer = request("POST", f"{books.customers}/cid/receipts", {"kind": "restore", "receipt": "AA=="})
    check("without a key: 401", status == 401, answer)
    check("and none of them left a row in any table", books.counts() == counts, books.counts())


def other_receipt(books):
    """From a signer with keys and roots of its own."""
    import wire_pki as pki
    import wire_receipts as receipts

    stranger = pki.rsa_chain(pki.ROOT.but(subject=pki.name("Another Root CA")))
    return books.signer.openssl.sign(stranger, receipts.content())


def hint(original, **changes):
    """A notification V1 as Apple posts it, unsigned."""
    purchase = {
        "original_transaction_id": original,
        "transaction_id": original,
        "product_id": "plus.monthly",
        "quantity": "1",
        "purchase_date_ms": "1760000000000",
        "original_purchase_date_ms": "1760000000000",
        "expires_date_ms": "4102444800000",
    }
    return {
        "notification_type": "DID_RENEW",
        "environment": "PROD",
        "bid": "com.example.tenure.demo",
        "bvrs": "1",
        "password": "s3cret",
        "auto_renew_product_id": "plus.monthly",
        "auto_renew_status": "true",
        "original_transaction_id": original,
        "unified_receipt": {
            "status": 0,
            "environment": "Production",
            "latest_receipt_info": [purchase],
            "pending_renewal_info": [
                {
                    "original_transaction_id": original,
                    "auto_renew_product_id": "plus.monthly",
                    "product_id": "plus.monthly",
                    "auto_renew_status": "1",
                }
            ],
        },
        **changes,
    }


def settled(books):
    """Waits until the server has told what it owes customers' events: it does that by itself, within seconds."""
    for _ in range(600):
        if not any("tellCustomer" in row for row in books.contents()["work"]):
            return
        time.sleep(0.1)


def questions(books):
    """How many histories Apple is to be asked for; other work comes and goes by itself."""
    return sum("fetchHistory" in row for row in books.contents()["work"])


def check_hints(books, signer):
    known, unknown = original_id(310), original_id(311)
    status, answer = books.post_notification(signer.notification(310))
    check("a subscription becomes known", (status, answer) == (200, {"outcome": "applied"}), answer)
    settled(books)
    tables = [table for table in books.counts() if table != "work"]
    before = {table: books.digest(table) for table in tables}, questions(books)
    status, answer = request("POST", books.notifications, hint(known))
    check("a notification V1 about it: 200 hinted", (status, answer) == (200, {"outcome": "hinted"}), (status, answer))
    status, answer = request("POST", books.notifications, hint(known, notification_type="CANCEL"))
    after = {table: books.digest(table) for table in tables}, questions(books)
    check(
        "two of them ask one question, and nothing in them is trusted",
        before[0] == after[0] and after[1] == before[1] + 1,
        (answer, before[1], after[1]),
    )
    rows = [row for row in books.contents()["work"] if "|hint|" in row]
    check(
        "the question is to fetch its history",
        rows == [f'demo/Production|{known}|hint|fetchHistory|{{"transactionId":"{known}"}}'],
        rows,
    )
    settled(books)
    before = {table: books.digest(table) for table in tables}, questions(books)
    for name, body, code in (
        ("about a subscription that nobody knows", hint(unknown), "unsigned"),
        ("without the shared secret", hint(known, password=None), "wrongSharedSecret"),
        ("with another secret", hint(known, password="wrong"), "wrongSharedSecret"),
        ("about another app", hint(known, bid="com.example.stranger"), "wrongBundleId"),
        ("of Sandbox, where the subscription is not", hint(known, environment="Sandbox", unified_receipt=None), "unsigned"),
        ("with a receipt that proves nothing", hint(unknown, latest_receipt="AAAA"), "unsigned"),
        ("that is none", {"notification_type": "DID_RENEW"}, None),
    ):
        status, answer = request("POST", books.notifications, body)
        check(f"a notification V1 {name}: 400", status == 400 and (code is None or answer.get("code") == code), (status, answer))
    after = {table: books.digest(table) for table in tables}, questions(books)
    changed = [table for table in tables if before[0][table] != after[0][table]]
    check("and they leave no row in any table, and no question", before == after, (changed, before[1], after[1]))


def check_hint_with_receipt(books, signer):
    receipt = base64.b64encode(signer.receipt(320)).decode()
    body = hint(original_id(320), environment="Sandbox")
    body["unified_receipt"]["environment"] = "Sandbox"
    body["unified_receipt"]["latest_receipt"] = receipt
    status, answer = request("POST", books.notifications, body)
    check(
        "what the receipt in a notification V1 proves is kept",
        (status, answer) == (200, {"outcome": "applied"}),
        (status, answer),
    )
    kept = books.sql(f"SELECT count(*) FROM fact WHERE originalTransactionId = '{original_id(320)}' AND factKey LIKE 'line/%'")
    check("and only that: one line", kept == ["1"], kept)


def run(folder, signer):
    books = Books(folder, signer, name="doors")
    with books.serving():
        check_receipts(books, signer)
        check_hints(books, signer)
        check_hint_with_receipt(books, signer)
    outcome = books.tenure("verify", "--rebuild")
    check("the books of receipts and hints are as they must be", outcome.returncode == 0, outcome)
