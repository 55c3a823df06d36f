"""What `tenure inspect` does with everything that is not a JWS or a receipt by itself: bodies around them, refusals, rubbish."""

import base64
import hashlib
import json
import os
import pathlib
import subprocess

import wire_payloads as payloads
import wire_pki as pki
from wire_checks import BUNDLE, TENURE, inspect, written


def check_bodies(checks, folder):
    """Bodies of Apple's interfaces with signed JWS inside: they count as far as what is signed in them holds."""
    chain = pki.ecdsa_chain()
    root = written(folder, "inspect-root.der", chain.root.der)
    good = pki.jws(chain, payloads.transaction("Sandbox"))
    stranger = pki.jws(pki.ecdsa_chain(), payloads.transaction("Sandbox"))
    notification = pki.jws(chain, payloads.notification("Sandbox"))
    cases = {
        "a notification's body": ({"signedPayload": notification}, 0, ""),
        "a decoded notification with what is signed in it": (
            {"notificationType": "DID_RENEW", "data": {"signedTransactionInfo": good}}, 3, "notSigned"),
        "a page of history": ({"revision": "r", "hasMore": False, "signedTransactions": [good, good]}, 3, "notSigned"),
        "a page with a stranger's transaction": ({"hasMore": False, "signedTransactions": [good, stranger]}, 1, "rootNotTrusted"),
        "a page with something that is no JWS": ({"hasMore": False, "signedTransactions": [good, 7]}, 1, "notThreeParts"),
        "statuses": ({"data": [{"lastTransactions": [{"status": 1, "signedTransactionInfo": good}]}]}, 3, "notSigned"),
        "a refusal of the API": ({"errorCode": 4290000, "errorMessage": "Rate limit exceeded."}, 1, "nothingSigned"),
        "an answer of verifyReceipt that passes": ({"status": 21199, "is-retryable": 1}, 1, "nothingSigned"),
        "an answer of verifyReceipt that does not say whose fault it is": ({"status": 21002}, 1, "nothingSigned"),
        "status 0 alone": ({"status": 0}, 1, "fieldMissing"),
        "a notification of version 1 without a receipt": (
            {"notification_type": "CANCEL", "environment": "PROD", "password": "s3cret", "bid": BUNDLE},
            1,
            "nothingSigned",
        ),
    }
    for name, (body, status, code) in cases.items():
        for text in (json.dumps(body), "\n" + json.dumps(body, indent=2) + "\n"):
            answer = inspect(text, "--root", root)
            checks.check(f"{name}: status {status}", (answer.status, answer.code) == (status, code), answer)
            checks.check(f"{name}: only signed input is called verified", answer.report["verified"] == (status == 0), answer)
            checks.check(f"{name}: no secret is shown", "s3cret" not in json.dumps(answer.report), answer)
    quoted = inspect(json.dumps(good), "--root", root)
    checks.check("a JWS in quotation marks is recognised", quoted.report.get("kind") == "transaction", quoted)
    meaning = " ".join(inspect(good, "--root", root).report["meaning"])
    checks.check("a root other than Apple's is reported as such", "not under Apple's" in meaning, meaning)


def check_forms(checks, folder):
    """The same transaction and the same receipt as logs, e-mails, shells and other people's code hand them on."""
    chain = pki.ecdsa_chain()
    root = written(folder, "forms-root.der", chain.root.der)
    jws = pki.jws(chain, payloads.transaction("Sandbox"))
    lines = "\n".join(jws[start:start + 76] for start in range(0, len(jws), 76))
    for name, text, unwrapped in (
        ("with Bearer before it", f"Bearer {jws}", ["bearer"]),
        ("as a header", f"Authorization: Bearer {jws}\n", ["bearer"]),
        ("behind a byte order mark", f"\ufeff{jws}", ["byteOrderMark"]),
        ("from PowerShell", f"{jws}\r\n".encode("utf-16"), ["byteOrderMark"]),
        ("in lines", lines, ["brokenLines"]),
        ("as a body inside a string", json.dumps(json.dumps({"signedPayload": jws})), ["jsonEscapes"]),
        ("with an escaped line break", json.dumps(jws + "\n"), ["jsonEscapes"]),
        ("armoured", f"-----BEGIN JWS-----\n{lines}\n-----END JWS-----\n", ["armour", "brokenLines"]),
    ):
        answer = inspect(text, "--root", root)
        checks.check(f"a JWS {name} is verified", answer.is_accepted and answer.report.get("unwrapped") == unwrapped, answer)
    for number in ("2000000900000002", '"2000000900000002"\n'):
        answer = inspect(number)
        words = " ".join(answer.report.get("meaning", []))
        is_told = answer.report.get("kind") == "transactionId" and "Ask Apple" in words and "tenure import" in words
        checks.check("a transaction id proves nothing", (answer.status, answer.code) == (1, "nothingSigned") and is_told, answer)
    for name, text, words in (
        ("a private key", "-----BEGIN PRIVATE KEY-----\nMIGTAgEA\n-----END PRIVATE KEY-----\n", "a private key"),
        ("a certificate", base64.b64encode(chain.leaf.der), "--root"),
        ("a JWS that was cut short", jws[:200], "cut short"),
        ("several ids", "2000000900000002\n2000000900000003\n", "several numbers"),
    ):
        content = text if isinstance(text, bytes) else text.encode()
        outcome = subprocess.run([TENURE, "inspect", "-"], input=content, capture_output=True, timeout=60)
        checks.check(f"{name} is named", outcome.returncode == 2 and words in outcome.stderr.decode(), outcome)


def check_chains(checks, folder):
    """A refused chain is reported with its place, its names and the trusted roots."""
    chain, other = pki.ecdsa_chain(), pki.ecdsa_chain()
    jws = pki.jws(chain, payloads.transaction("Sandbox"))
    root = written(folder, "chains-root.der", other.root.der)
    for options, trusted in (((), []), (("--root", root), [hashlib.sha256(other.root.der).hexdigest()])):
        outcome = subprocess.run([TENURE, "inspect", *map(str, options), "-"], input=jws, capture_output=True, text=True, timeout=60)
        wanted = ["rootNotTrusted: certificate 3 of 3", hashlib.sha256(chain.root.der).hexdigest(), "Apple Root CA - G3", "--root"]
        is_told = outcome.returncode == 1 and all(word in outcome.stderr for word in wanted + trusted)
        checks.check("a root that is not trusted is named, with those that are and the option", is_told, outcome)
        refusal = json.loads(outcome.stdout)["refusal"]
        checks.check("the report has the advice too", "--root" in refusal["advice"] and refusal["detail"] in outcome.stderr, refusal)


def check_rubbish(checks, folder):
    for name, content in {
        "nothing": b"",
        "spaces": b" \n\t ",
        "words": b"Dear support, my subscription is gone.",
        "an image": b"\x89PNG\r\n\x1a\n" + bytes(64),
        "a certificate": pki.ecdsa_chain().leaf.der,
        "base64 of words": base64.b64encode(b"Dear support, my subscription is gone."),
        "an empty object": b"{}",
        "an object of somebody else's": b'{"message":"hello"}',
        "two dots": b"..",
        "deep nesting": b'{"a":' * 5000,
        "requests in requests": b'{"receipt-data":"{' + b"\\" * 64 + b'}"}',
    }.items():
        answer = inspect(content)
        checks.check(f"{name} is not recognised", (answer.status, answer.code) == (2, "notRecognised"), answer)
    big = inspect(b"." * (17 << 20))
    checks.check("more than 16 MiB is not read", (big.status, big.code) == (66, "unreadable"), big)
    for option, content in (
        ("--root", b"no certificate"), ("--root", b""), ("--root", b"0\x09\x02\x01\x01\x02\x01\x01\x02\x01\x01"),
        ("--root", pki.ecdsa_chain().root.der[:-1]), ("--xcode-certificate", b"eyJ"),
        ("--intermediate", b"0\x03\x02\x01\x01"), ("--key", b"no key"),
    ):
        path = written(folder, "no-certificate", content)
        wrong = subprocess.run([TENURE, "inspect", option, str(path), "-"], input="x", capture_output=True, text=True, timeout=60)
        is_named = wrong.returncode == 64 and f"{option} {path} is not" in wrong.stderr and not wrong.stdout
        checks.check(f"an invalid {option} is an error of the option, with the file's name", is_named, wrong)
    wrong = subprocess.run([TENURE, "inspect", "--root", f"{folder}/no-such", "-"], input="x", capture_output=True, text=True, timeout=60)
    checks.check("so is a file that is missing", wrong.returncode == 64 and f"--root {folder}/no-such" in wrong.stderr, wrong)
    chain = pki.ecdsa_chain()
    root = written(folder, "mismatch-root.der", chain.root.der)
    wrong = subprocess.run(
        [TENURE, "inspect", "--root", str(root), "--bundle", "com.example.expected", "-"],
        input=pki.jws(chain, payloads.transaction("Sandbox")), capture_output=True, text=True, timeout=60)
    checks.check(
        "a refusal for the app says what was found and what was expected",
        f"found {BUNDLE}, expected com.example.expected" in wrong.stderr, wrong)
    missing = subprocess.run([TENURE, "inspect", f"{folder}/no-such-file"], capture_output=True, text=True, timeout=60)
    checks.check("a missing file is reported as unreadable", missing.returncode == 66 and "unreadable" in missing.stderr, missing)


def check_answers_around_real_receipts(checks, real, required):
    """A receipt that Apple signed inside the bodies in which it travels."""
    if not real.is_dir():
        return checks.skip("real receipts in bodies", required)
    receipt = "".join((real / "app-receipt-griddiary.b64").read_text().split())
    bundle = "com.sumiapp.GridDiary"
    empty = {"receipt_type": "ProductionSandbox", "bundle_id": bundle, "in_app": []}
    bodies = {
        "request": {"receipt-data": receipt, "password": "s3cret"},
        "answer": {"status": 0, "environment": "Sandbox", "receipt": empty, "latest_receipt": receipt},
        "notification": {
            "notification_type": "DID_RENEW", "environment": "Sandbox", "password": "s3cret",
            "unified_receipt": {"status": 0, "environment": "Sandbox", "latest_receipt": receipt},
        },
    }
    for name, body in bodies.items():
        answer = inspect(json.dumps(body), "--bundle", bundle, "--environment", "Sandbox")
        is_proved = answer.is_accepted if name == "request" else answer.holds_inside
        checks.check(f"a real receipt in a {name} is proved, and the unsigned rest is not", is_proved, answer)
        other = inspect(json.dumps(body), "--bundle", "com.example.other")
        checks.check(f"a real receipt in a {name} is compared with the app", other.code == "wrongBundleId", other.code)
    broken = {**bodies["answer"], "latest_receipt": receipt[:-8] + "AAAAAAAA"}
    checks.check("a broken receipt in an answer is refused", inspect(json.dumps(broken)).status == 1)


def check_spellings(checks, real, required):
    """A receipt that Apple signed in the spellings that servers refuse: it is looked at, and said to be spelt so."""
    if not real.is_dir():
        return checks.skip("real receipts in other spellings", required)
    receipt = "".join((real / "app-receipt-griddiary.b64").read_text().split())
    url = receipt.replace("+", "-").replace("/", "_")
    for name, text, unwrapped in (
        ("URL-safe", url.rstrip("="), ["urlAlphabet"]),
        ("escaped", json.dumps(receipt).replace("/", "\\/"), ["jsonEscapes"]),
        ("armoured", f"-----BEGIN PKCS7-----\n{receipt}\n-----END PKCS7-----\n", ["armour"]),
        ("URL-safe in a request", json.dumps({"receipt-data": url}), ["verifyReceiptRequest", "urlAlphabet"]),
    ):
        answer = inspect(text)
        checks.check(f"a real receipt, {name}, is proved", answer.is_accepted and answer.report["unwrapped"] == unwrapped, answer)
        is_warned = "21002" in " ".join(answer.report.get("meaning", []))
        checks.check(f"and the refusal by servers is reported, {name}", is_warned == ("urlAlphabet" in unwrapped), answer)


def check_xcode(checks, folder, xcode, required):
    """Receipts and an app transaction that Xcode signed; the certificates by openssl and json, out of what they came in."""
    if not xcode.is_dir():
        return checks.skip("what Xcode signed", required)
    for name, kind in (("empty", "[]"), ("with-transaction", "pass.premium")):
        artifact = (xcode / f"xcode-app-receipt-{name}").read_text()
        ber = base64.b64decode(artifact)
        verified = subprocess.run(
            ["openssl", "cms", "-verify", "-noverify", "-inform", "DER", "-binary"], input=ber, capture_output=True, timeout=60)
        checks.check(f"openssl finds the signature of Xcode's receipt, {name}", verified.returncode == 0, verified.stderr)
        certificate = subprocess.run(
            ["openssl", "pkcs7", "-inform", "DER", "-print_certs"], input=ber, capture_output=True, check=True, timeout=60).stdout
        path = written(folder, f"xcode-{name}.pem", certificate)
        answer = inspect(artifact, "--xcode-certificate", path)
        is_read = answer.report.get("environment") == "Xcode" and kind in json.dumps(answer.report.get("payload"))
        checks.check(f"Xcode's receipt, {name}, is verified with its certificate", answer.is_accepted and is_read, answer)
        answer = inspect(artifact)
        checks.check(f"and refused without it, {name}", (answer.status, answer.code) == (1, "notDER"), answer)
    jws = (xcode / "xcode-signed-app-transaction").read_text().strip()
    header = json.loads(base64.urlsafe_b64decode(jws.split(".")[0] + "=="))
    path = written(folder, "xcode-leaf.der", base64.b64decode(header["x5c"][0]))
    answer = inspect(jws, "--xcode-certificate", path)
    date = answer.report.get("payload", {}).get("originalPurchaseDate")
    checks.check("Xcode's app transaction is verified, with its date before 1970", answer.is_accepted and date < 0, answer)


def run(checks, folder):
    check_bodies(checks, folder)
    check_forms(checks, folder)
    check_chains(checks, folder)
    check_rubbish(checks, folder)
    fixtures = os.environ.get("TENURE_FIXTURES")
    required = os.environ.get("TENURE_FIXTURES_REQUIRED") == "1"
    check_answers_around_real_receipts(checks, pathlib.Path(fixtures or "nowhere") / "real", required)
    check_spellings(checks, pathlib.Path(fixtures or "nowhere") / "real", required)
    check_xcode(checks, folder, pathlib.Path(fixtures or "nowhere") / "apple-library/xcode", required)
    checks.finish("bodies and rubbish")
