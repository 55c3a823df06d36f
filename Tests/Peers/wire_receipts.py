"""App receipts: apple-purchase-receipt-verifier, openssl and `tenure inspect` on Apple's real ones and on ones signed here."""

import base64
import dataclasses
import datetime
import json
import os
import pathlib
import subprocess

import apple_purchase_receipt_verifier as peer
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding

import wire_pki as pki
from wire_checks import APP, BUNDLE, CHAIN, ENVIRONMENT, FORM, PAYLOAD, SIGNATURE, inspect, side_by_side, written
from wire_pki import tlv

CREATED = "2025-10-09T08:53:20Z"
SHA1_WITH_RSA, SHA256_WITH_RSA = (tlv(0x30, bytes.fromhex("06092a864886f70d0101" + last), pki.DER_NULL) for last in ("05", "0b"))

CLASS_OF_CODE = {
    **dict.fromkeys(
        (
            "notRecognised",
            "tooLong",
            "notBase64",
            "notDER",
            "trailingBytes",
            "notSigned",
            "notSignedData",
            "signerCountNotOne",
            "algorithmNotAllowed",
            "signerAttributesNotAllowed",
            "tooManyCertificates",
            "tooManyElements",
        ),
        FORM,
    ),
    **dict.fromkeys(
        (
            "certificateTooLong",
            "chainMissing",
            "rootNotTrusted",
            "certificateMalformed",
            "leafDistrusted",
            "leafMarkerMissing",
            "intermediateMarkerMissing",
            "leafIsCA",
            "intermediateNotCA",
            "leafUsageNotSignature",
            "leafKeyNotRSA",
            "chainNeverValid",
            "chainInvalid",
            "creationDateOutsideChain",
        ),
        CHAIN,
    ),
    "signatureInvalid": SIGNATURE,
    "wrongBundleId": APP,
    "wrongEnvironment": ENVIRONMENT,
    **dict.fromkeys(
        ("contentMalformed", "attributeDuplicated", "attributeMissing", "attributeInvalid", "creationDateInFuture"), PAYLOAD
    ),
}

# The peer's reasons for a class. It compares neither bundle nor environment: that is the caller's task.
REASONS = {
    FORM: {"MALFORMED", "INVALID_SIGNATURE"},
    SIGNATURE: {"INVALID_SIGNATURE"},
    PAYLOAD: {"UNREADABLE_PAYLOAD"},
    CHAIN: {"UNTRUSTED_CHAIN", "INVALID_CERTIFICATE", "INVALID_CERTIFICATE_PURPOSE", "MALFORMED"},
}

# What /verifyReceipt would answer, by the class of our refusal.
STATUSES = {
    None: {0},
    APP: {0},
    FORM: {21002, 21003},
    CHAIN: {21003},
    SIGNATURE: {21003},
    PAYLOAD: {21009},
    ENVIRONMENT: {21007, 21008},
}

ON_PURPOSE = {
    "signed attributes": "Apple signs the content itself; with attributes it is another statement that is signed (RFC 5652, 5.4)",
    "two signers": "Apple's receipts have one signer; with two, readers pick different ones",
    "bundle twice": "T08: an attribute that comes twice means one thing to one reader and another to the next",
    "creation date twice": "T08: an attribute that comes twice means one thing to one reader and another to the next",
    "no bundle": "without it a receipt is of no app; the peer leaves the field empty",
    "no creation date": "without it nothing says when the certificates had to be valid; the peer takes today",
    "no transaction id": "a purchase without it is none; the peer leaves the field empty",
    "a creation date that is none": "a date is RFC 3339 or the receipt is refused; the peer takes today instead",
    "a quantity that is a text": "a value of another type than Apple documents is no value; the peer leaves the field empty",
    "made tomorrow": "T06: nobody can have signed tomorrow",
    "SHA-512": "Apple signs receipts over SHA-1 and SHA-256 (TN3138); nothing else is read",
    "an attribute whose number needs 64 bits": "what is newer than its reader is kept; the peer reads 32 bits",
    "leaf may issue": "T02: what signs receipts may not issue certificates",
}


def attribute(kind, value):
    return tlv(0x30, integer(kind), integer(1), tlv(0x04, value))


def integer(value):
    return tlv(0x02, value.to_bytes(value.bit_length() // 8 + 1, "big", signed=True))


def utf8(text):
    return tlv(0x0C, text.encode())


def ia5(text):
    return tlv(0x16, text.encode())


def purchase(number=1, **changes):
    """One purchase's attributes by number, as Apple writes them: absent dates are empty."""
    values = {
        1701: integer(1),
        1702: utf8("plus.monthly"),
        1703: utf8(str(10**15 + number)),
        1705: utf8(str(10**15)),
        1707: integer(3),
        1704: ia5(f"2025-{number % 9 + 1:02}-01T00:00:00Z"),
        1706: ia5("2025-01-01T00:00:00Z"),
        1708: ia5(f"2025-{number % 9 + 2:02}-01T00:00:00Z"),
        1711: integer(2**53 + number),
        1712: ia5(""),
        1713: integer(number % 2),
        1719: integer(number % 3 == 0),
    }
    return change(values, changes)


def change(values, changes):
    """`a1703=None` leaves an attribute out, any other value replaces it."""
    values.update({int(name[1:]): value for name, value in changes.items()})
    return {kind: value for kind, value in values.items() if value is not None}


def attribute_set(values, extra=()):
    return tlv(0x31, *(attribute(kind, value) for kind, value in [*values.items(), *extra]))


def content(purchases=None, extra=(), **changes):
    values = {
        0: utf8("ProductionSandbox"),
        1: integer(0),
        2: utf8(BUNDLE),
        3: utf8("7"),
        4: bytes(range(16)),
        5: bytes(range(20)),
        10: ia5("4+"),
        12: ia5(CREATED),
        15: integer(0),
        16: integer(0),
        18: ia5("2013-08-01T07:00:00Z"),
        19: utf8("1.0"),
        21: ia5(""),
    }
    purchases = [purchase(1), purchase(2)] if purchases is None else purchases
    every = [(17, attribute_set(p)) for p in purchases]
    return attribute_set(change(values, changes), [*every, *extra])


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    receipt: bytes
    fault: str | None = None
    holds: bool = True
    """Whether signature and path hold for openssl, which leaves dates aside here and knows neither Apple's marks nor receipts."""
    bundle: str = BUNDLE
    environment: str = "Sandbox"
    root: bytes = b""


class Signer:
    """PKCS#7 by openssl."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.count = 0

    def sign(self, chain, signed, *options, digest="sha256", certificates=None):
        self.count += 1
        others = [chain.intermediate.pem, chain.root.pem] if certificates is None else certificates
        signer = written(self.folder, f"signer-{self.count}.pem", chain.leaf.pem + chain.leaf.key_pem)
        arguments = ["openssl", "cms", "-sign", "-binary", "-nodetach", "-outform", "DER", "-md", digest, "-signer", signer]
        if others:
            arguments += ["-certfile", written(self.folder, f"others-{self.count}.pem", b"".join(others))]
        outcome = subprocess.run([*arguments, *(options or ["-noattr"])], input=signed, capture_output=True, timeout=60)
        if outcome.returncode:
            raise SystemExit(f"openssl does not sign: {outcome.stderr.decode()}")
        return outcome.stdout


def with_sha1(chain):
    """The same chain signed over SHA-1, as all of Apple's were until 2023. `cryptography` will not write it any more."""

    def again(identity, issuer):
        body, _, _ = pki.children(identity.der)
        changed = tlv(0x30, *(SHA1_WITH_RSA if field == SHA256_WITH_RSA else field for field in pki.children(body)))
        signature = issuer.key.sign(changed, padding.PKCS1v15(), hashes.SHA1())
        der = tlv(0x30, changed, SHA1_WITH_RSA, tlv(0x03, b"\x00", signature))
        return pki.Identity(x509.load_der_x509_certificate(der), identity.key)

    return pki.Chain(again(chain.root, chain.root), again(chain.intermediate, chain.root), again(chain.leaf, chain.intermediate))


def corpus(folder):
    signer, chain = Signer(folder), pki.rsa_chain()
    root = chain.root

    def case(name, receipt, fault=None, holds=True, chain=chain, **options):
        return Case(name, receipt, fault, holds, root=chain.root.der, **options)

    good = signer.sign(chain, content())
    old = with_sha1(chain)
    yield case("SHA-256", good)
    yield case("SHA-1 and certificates over SHA-1", signer.sign(old, content(), digest="sha1"), chain=old)
    yield case("SHA-1 under certificates over SHA-256", signer.sign(chain, content(), digest="sha1"))
    yield case("120 purchases", signer.sign(chain, content([purchase(n) for n in range(120)])))
    yield case("no purchase", signer.sign(chain, content([])))
    unknown = [(99, utf8("new")), (2**31 - 1, b"\x01\x02"), (7, b"")]
    yield case("unknown attributes", signer.sign(chain, content([purchase(a1799=utf8("new"))], unknown)))
    yield case("an attribute whose number needs 64 bits", signer.sign(chain, content(extra=[(2**31, utf8("new"))])))
    yield case("every date of a purchase", signer.sign(chain, content([purchase(a1712=ia5("2025-03-01T12:00:00Z"))])))
    yield case(
        "no optional attribute",
        signer.sign(
            chain,
            content(
                [
                    purchase(
                        a1701=None, a1705=None, a1706=None, a1707=None, a1708=None, a1711=None, a1712=None, a1713=None, a1719=None
                    )
                ],
                a1=None,
                a3=None,
                a10=None,
                a15=None,
                a16=None,
                a18=None,
                a19=None,
                a21=None,
            ),
        ),
    )
    yield case("of Production", signer.sign(chain, content(a0=utf8("Production"))), environment="Production")
    yield case("certificates in another order", signer.sign(chain, content(), certificates=[root.pem, chain.intermediate.pem]))
    yield from broken_forms(case, signer, chain, good)
    yield from broken_chains(case, signer, chain)
    yield from broken_contents(case, signer, chain)


def broken_forms(case, signer, chain, good):
    other = dataclasses.replace(chain, leaf=pki.issue(pki.LEAF, pki.rsa_key("second leaf"), chain.intermediate))
    both = ["-noattr", "-signer", written(signer.folder, "second.pem", other.leaf.pem + other.leaf.key_pem)]
    changed = good.replace(b"plus.monthly", b"plus.decades", 1)
    assert changed != good
    yield case("changed content", changed, SIGNATURE, False)
    yield case("changed signature", good[:-1] + bytes([good[-1] ^ 1]), SIGNATURE, False)
    yield case("trailing bytes", good + b"\x00", FORM)
    yield case("cut short", good[:-40], FORM, False)
    yield case("no PKCS#7", content(), FORM, False)
    yield case("two signers", signer.sign(chain, content(), *both), FORM)
    yield case("signed attributes", signer.sign(chain, content(), "-nosmimecap"), FORM)
    yield case("SHA-512", signer.sign(chain, content(), digest="sha512"), FORM)


def broken_chains(case, signer, chain):
    root, day = chain.root, datetime.timedelta(days=1)
    created = datetime.datetime.fromisoformat(CREATED[:-1])

    def below(name, holds, **profiles):
        other = pki.rsa_chain(**profiles, trusted=root)
        return case(name, signer.sign(other, content()), CHAIN, holds)

    stranger = pki.rsa_chain(pki.ROOT.but(subject=pki.name("Another Root CA")))
    yield case("wrong root", signer.sign(stranger, content()), CHAIN, False)
    twin = pki.Chain(pki.issue(pki.ROOT, pki.rsa_key("twin")), chain.intermediate, chain.leaf)
    forged = pki.rsa_chain(trusted=twin.root)
    yield case("wrong root of the same name", signer.sign(forged, content()), CHAIN, False)
    shifted = pki.Chain(root, chain.leaf, pki.issue(pki.LEAF.but(subject=pki.name("Below")), pki.rsa_key("below"), chain.leaf))
    yield case(
        "a leaf issued by a leaf",
        signer.sign(shifted, content(), certificates=[chain.leaf.pem, chain.intermediate.pem]),
        CHAIN,
        False,
    )
    yield case(
        "a leaf issued by a leaf, with the whole path",
        signer.sign(shifted, content(), certificates=[chain.leaf.pem, chain.intermediate.pem, root.pem]),
        CHAIN,
        False,
    )
    yield below("leaf without Apple's mark", True, leaf=pki.LEAF.but(marker=None))
    yield below("intermediate without Apple's mark", True, intermediate=pki.INTERMEDIATE.but(marker=None))
    yield below("intermediate may not issue", False, intermediate=pki.INTERMEDIATE.but(is_ca=False))
    yield below("leaf may issue", True, leaf=pki.LEAF.but(is_ca=True, may_issue=True))
    yield below("leaf expired when it was made", True, leaf=pki.LEAF.but(end=created - day))
    yield below("leaf not yet valid when it was made", True, leaf=pki.LEAF.but(start=created + day))
    yield below("intermediate expired when it was made", True, intermediate=pki.INTERMEDIATE.but(end=created - day))
    since = pki.rsa_chain(leaf=pki.LEAF.but(end=created + day), trusted=root)
    yield case("leaf expired since it was made", signer.sign(since, content()))
    yield case("without the intermediate", signer.sign(chain, content(), certificates=[root.pem]), CHAIN, False)


def broken_contents(case, signer, chain):
    def of(name, signed, fault=PAYLOAD, **options):
        return case(name, signer.sign(chain, signed), fault, **options)

    tomorrow = (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    yield of("wrong bundle", content(), APP, bundle="com.example.stranger")
    yield of("of Sandbox where Production is expected", content(), ENVIRONMENT, environment="Production")
    yield of("of Production where Sandbox is expected", content(a0=utf8("Production")), ENVIRONMENT)
    yield of("bundle twice", content(extra=[(2, utf8("com.example.stranger"))]))
    yield of("creation date twice", content(extra=[(12, ia5("2030-01-01T00:00:00Z"))]))
    yield of("no bundle", content(a2=None))
    yield of("no creation date", content(a12=None))
    yield of("no transaction id", content([purchase(a1703=None)]))
    yield of("a creation date that is none", content(a12=ia5("yesterday")))
    yield of("a quantity that is a text", content([purchase(a1701=utf8("1"))]))
    yield of("made tomorrow", content(a12=ia5(tomorrow)))
    yield of("a content that is no set", b"hello")
    yield of("a content that is empty", b"")


def openssl_holds(folder, receipt, root):
    """Whether openssl accepts the PKCS#7, whatever the certificates' purpose and validity."""
    certificate = x509.load_der_x509_certificate(root)
    authority = written(
        folder, f"ca-{certificate.fingerprint(hashes.SHA256()).hex()}.pem", certificate.public_bytes(serialization.Encoding.PEM)
    )
    outcome = subprocess.run(
        [
            "openssl",
            "cms",
            "-verify",
            "-inform",
            "DER",
            "-binary",
            "-CAfile",
            authority,
            "-purpose",
            "any",
            "-no_check_time",
            "-auth_level",
            "0",
            "-out",
            os.devnull,
        ],
        input=receipt,
        capture_output=True,
        timeout=60,
    )
    return outcome.returncode == 0


RECEIPT_FIELDS = {
    "receiptType": "receipt_type",
    "adamId": "app_item_id",
    "bundleId": "bundle_id",
    "applicationVersion": "application_version",
    "originalApplicationVersion": "original_application_version",
    "downloadId": "download_id",
    "versionExternalIdentifier": "version_external_identifier",
    "receiptCreationDate": "receipt_creation_date_ms",
    "originalPurchaseDate": "original_purchase_date_ms",
    "expirationDate": "expiration_date_ms",
}
PURCHASE_FIELDS = {
    "quantity": "quantity",
    "productId": "product_id",
    "transactionId": "transaction_id",
    "originalTransactionId": "original_transaction_id",
    "purchaseDate": "purchase_date_ms",
    "originalPurchaseDate": "original_purchase_date_ms",
    "expiresDate": "expires_date_ms",
    "cancellationDate": "cancellation_date_ms",
    "webOrderLineItemId": "web_order_line_item_id",
    "isTrialPeriod": "is_trial_period",
    "isInIntroOfferPeriod": "is_in_intro_offer_period",
}


def differences(ours, theirs, fields):
    """The fields that the two read differently; an instant of ours is an object, and what is absent is left out."""

    def plain(value):
        return value["milliseconds"] if isinstance(value, dict) else value

    read = {name: (plain(ours.get(name)), getattr(theirs, other)) for name, other in fields.items()}
    return {name: pair for name, pair in read.items() if pair[0] != pair[1]}


def check_fields(checks, name, ours, theirs):
    checks.check(f"{name}: the same receipt", not (wrong := differences(ours, theirs, RECEIPT_FIELDS)), wrong)
    checks.check(f"{name}: as many purchases", len(ours["inApp"]) == len(theirs.in_app), (len(ours["inApp"]), len(theirs.in_app)))
    for number, (one, other) in enumerate(zip(ours["inApp"], theirs.in_app)):
        checks.check(f"{name}: the same purchase {number}", not (wrong := differences(one, other, PURCHASE_FIELDS)), wrong)


def check_case(checks, folder, case, answer):
    verifier = peer.Verifier(peer.Config(roots=[case.root]))
    text = base64.b64encode(case.receipt).decode()
    result = verifier.verify_receipt(text)
    ours = None if answer.is_accepted else CLASS_OF_CODE.get(answer.code, answer.code)
    checks.check(
        f"{case.name}: tenure says what was broken", ours == case.fault, f"{answer.code or 'accepted'}, broken: {case.fault}"
    )
    theirs = None if result.verified else result.failure.reason.name
    # What the peer leaves to its caller is compared here as a caller would do.
    agrees = result.verified if ours in (None, APP, ENVIRONMENT) else theirs in REASONS[ours]
    if case.name in ON_PURPOSE:
        checks.check(f"{case.name}: is in ON_PURPOSE and differs", not agrees, "they agree now: strike it off")
        checks.differs(not agrees)
    else:
        checks.check(case.name, agrees, f"peer: {result.failure or 'accepted'}; tenure: {answer.code or 'accepted'}")
        status = json.loads(
            verifier.verify_receipt_endpoint(peer.Environment(case.environment), json.dumps({"receipt-data": text}))
        )["status"]
        checks.check(f"{case.name}: the status of /verifyReceipt", status in STATUSES[ours], (status, ours))
    if answer.is_accepted and result.verified:
        check_fields(checks, case.name, answer.report["payload"], result.payload)
    holds = openssl_holds(folder, case.receipt, case.root)
    checks.check(f"{case.name}: openssl says whether the signature holds", holds == case.holds, holds)
    checks.check(
        f"{case.name}: what openssl refuses is refused, and a signature that holds is not called invalid",
        not answer.is_accepted if not holds else ours != SIGNATURE,
        (holds, answer.code),
    )


def run(checks, folder):
    cases = list(corpus(folder))

    def ask(case):
        root = written(folder, f"receipt-root-{abs(hash(case.root))}.der", case.root)
        return inspect(case.receipt, "--root", root, "--bundle", case.bundle, "--environment", case.environment)

    for case, answer in zip(cases, side_by_side(ask, cases)):
        check_case(checks, folder, case, answer)
    checks.check(
        "each entry of ON_PURPOSE is a case",
        set(ON_PURPOSE) <= {case.name for case in cases},
        set(ON_PURPOSE) - {case.name for case in cases},
    )
    checks.finish(f"receipts signed here ({len(cases)} cases)")
    fixtures = os.environ.get("TENURE_FIXTURES")
    real_receipts(checks, folder, pathlib.Path(fixtures or "nowhere") / "real", os.environ.get("TENURE_FIXTURES_REQUIRED") == "1")
    checks.finish("real receipts")


def real_receipts(checks, folder, real, required):
    for name in ("app-receipt-griddiary.b64", "app-receipt-120-purchases.b64"):
        if not (real / name).exists():
            checks.skip(name, required)
            continue
        text = "".join((real / name).read_text().split())
        result = peer.Verifier(peer.Config()).verify_receipt(text)
        answer = inspect(text)
        checks.check(
            f"{name}: both believe it, by Apple's own root", result.verified and answer.is_accepted, (result, answer.code)
        )
        if result.verified and answer.is_accepted:
            check_fields(checks, name, answer.report["payload"], result.payload)
        root = (real / "AppleIncRootCertificate.cer").read_bytes()
        checks.check(f"{name}: openssl too", openssl_holds(folder, base64.b64decode(text), root))
        status = json.loads(
            peer.Verifier(peer.Config()).verify_receipt_endpoint(peer.Environment.PRODUCTION, json.dumps({"receipt-data": text}))
        )["status"]
        wrong = inspect(text, "--environment", "Production")
        checks.check(
            f"{name}: is no receipt of Production", (status, wrong.code) == (21007, "wrongEnvironment"), (status, wrong.code)
        )
        changed = bytearray(base64.b64decode(text))
        changed[changed.index(b"com.sumiapp")] ^= 1
        answer = inspect(bytes(changed))
        both = (answer.code, openssl_holds(folder, bytes(changed), root))
        checks.check(f"{name}: with one bit changed both refuse", both == ("signatureInvalid", False), both)
    old_receipt(checks, real / "transaction-receipt-pre-ios7.b64", required)


def old_receipt(checks, path, required):
    """From before iOS 7: a signature of RSA-1024 over SHA-1, beside the certificate that made it."""
    if not path.exists():
        checks.skip(path.name, required)
        return
    text = base64.b64decode(path.read_text()).decode()
    fields = dict(part.strip().strip(";").split(" = ", 1) for part in text.strip("{} \n").split(";\n") if " = " in part)
    signature, info = (base64.b64decode(fields[f'"{name}"'].strip('";')) for name in ("signature", "purchase-info"))
    certificate = x509.load_der_x509_certificate(signature[133:])

    def holds(signed):
        try:
            certificate.public_key().verify(signature[1:129], signature[:1] + signed, padding.PKCS1v15(), hashes.SHA1())
            return True
        except Exception:
            return False

    checks.check(
        "before iOS 7: the length is the certificate's", int.from_bytes(signature[129:133], "big") == len(signature[133:])
    )
    checks.check(
        "before iOS 7: cryptography and tenure believe the signature",
        (holds(info), inspect(text).code) == (True, "issuerNotProved"),
        (holds(info), inspect(text).code),
    )
    flipped = info.replace(b"1000000046178817", b"1000000046178818", 1)
    forged = text.replace(base64.b64encode(info).decode(), base64.b64encode(flipped).decode())
    checks.check(
        "before iOS 7: neither accepts it with one digit changed",
        forged != text and (holds(flipped), inspect(forged).code) == (False, "signatureInvalid"),
        (holds(flipped), inspect(forged).code),
    )
