"""What a server signs for Apple: Apple's creators sign and `tenure inspect` verifies, `tenure sign` signs and PyJWT verifies."""

import base64
import json
import time
import uuid

import jwt
from appstoreserverlibrary.api_client import AppStoreServerAPIClient
from appstoreserverlibrary.jws_signature_creator import (
    AdvancedCommerceAPIInAppSignatureCreator,
    IntroductoryOfferEligibilitySignatureCreator,
    PromotionalOfferV2SignatureCreator,
)
from appstoreserverlibrary.models.AdvancedCommerceOneTimeChargeCreateRequest import AdvancedCommerceOneTimeChargeCreateRequest
from appstoreserverlibrary.models.AdvancedCommerceOneTimeChargeItem import AdvancedCommerceOneTimeChargeItem
from appstoreserverlibrary.models.AdvancedCommerceRequestInfo import AdvancedCommerceRequestInfo
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.promotional_offer import PromotionalOfferSignatureCreator
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

import wire_pki as pki
from wire_checks import BUNDLE, inspect, run_tenure, written

KEY_ID, ISSUER = "2X9R4HXF34", "57246542-96fe-1a63-e053-0824d011072a"
PRODUCT, OFFER, TRANSACTION = "plus.monthly", "half.price", "2000000000000001"
NONCE, TOKEN = "6B1A2CF4-3D2F-4C2E-9D0A-0A1B2C3D4E5F", "7E3FB204-2CC1-4D2B-9B8F-2D8F3A1D8A3C"
SEPARATOR = "\u2063"
AT = 1_760_000_000_789


class Keys:
    """An In-App Purchase key as App Store Connect gives it, and somebody else's."""

    def __init__(self, folder):
        self.key = pki.new_key()
        self.pem = self.key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        self.public_pem = self.public(self.key)
        self.private_path = written(folder, f"SubscriptionKey_{KEY_ID}.p8", self.pem)
        self.public_path = written(folder, "public.pem", self.public_pem)
        self.stranger_path = written(folder, "stranger.pem", self.public(pki.new_key()))

    @staticmethod
    def public(key):
        return key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)

    def sign(self, subcommand, *options, key=None):
        """Offers of version 1 sign no issuer, and want none."""
        issuer = [] if subcommand == "promotional-offer-v1" else ["--issuer-id", ISSUER]
        outcome = run_tenure(
            "sign",
            subcommand,
            "--key",
            key or self.private_path,
            "--key-id",
            KEY_ID,
            *issuer,
            "--bundle",
            BUNDLE,
            *options,
        )
        return outcome.returncode, outcome.stdout.strip(), outcome.stderr.strip()


def one_time_charge():
    item = AdvancedCommerceOneTimeChargeItem(SKU="coins", displayName="Coins", description="A hundred coins", price=990)
    return AdvancedCommerceOneTimeChargeCreateRequest(
        requestInfo=AdvancedCommerceRequestInfo(requestReferenceId=uuid.UUID(NONCE)),
        currency="USD",
        item=item,
        taxCode="C003-00-1",
    )


def apples_signatures(keys):
    options = (keys.pem, KEY_ID, ISSUER, BUNDLE)
    offers, eligibility = PromotionalOfferV2SignatureCreator(*options), IntroductoryOfferEligibilitySignatureCreator(*options)
    client = AppStoreServerAPIClient(*options, Environment.SANDBOX)
    return {
        "promotional offer": offers.create_signature(PRODUCT, OFFER, TRANSACTION),
        "promotional offer without a transaction": offers.create_signature(PRODUCT, OFFER, None),
        "eligibility": eligibility.create_signature(PRODUCT, True, TRANSACTION),
        "no eligibility": eligibility.create_signature(PRODUCT, False, TRANSACTION),
        "Advanced Commerce": AdvancedCommerceAPIInAppSignatureCreator(*options).create_signature(one_time_charge()),
        "API token": client._get_headers()["Authorization"].removeprefix("Bearer "),
    }


def our_signatures(keys):
    offer = ["--product", PRODUCT, "--offer", OFFER, "--nonce", NONCE]
    intro = ["--product", PRODUCT, "--transaction", TRANSACTION, "--nonce", NONCE]
    return {
        "promotional offer": keys.sign("promotional-offer", *offer, "--transaction", TRANSACTION),
        "promotional offer without a transaction": keys.sign("promotional-offer", *offer),
        "eligibility": keys.sign("introductory-offer-eligibility", *intro),
        "no eligibility": keys.sign("introductory-offer-eligibility", *intro, "--no-allow"),
        "API token": keys.sign("api-token"),
    }


def claims_of(signed, key):
    """Verified by PyJWT, whatever the audience and however old."""
    return jwt.decode(signed, key, algorithms=["ES256"], options={"verify_aud": False})


def check_apples(checks, keys):
    for name, signed in apples_signatures(keys).items():
        answer = inspect(signed, "--key", keys.public_path)
        claims = claims_of(signed, keys.public_pem)
        # Apple's Python client omits iat from its API tokens; the signature is valid without it.
        checks.check(f"Apple's {name} is verified with its claims", answer.report.get("payload") == claims, answer)
        private = inspect(signed, "--key", keys.private_path)
        checks.check(f"Apple's {name}: the private key serves as well", private.is_accepted, private.code)
        stranger = inspect(signed, "--key", keys.stranger_path)
        checks.check(f"Apple's {name} is refused under another key", stranger.code == "signatureInvalid", stranger.code)
        checks.check(f"Apple's {name} is refused without a key", inspect(signed).code == "keyMissing")
        head, body, signature = signed.split(".")
        other = pki.encoded({**claims, "bid": "com.example.stranger"})
        for part, changed in {
            "payload": f"{head}.{other}.{signature}",
            "header": f"{pki.encoded({'alg': 'ES256', 'kid': 'x', 'typ': 'JWT'})}.{body}.{signature}",
            "signature": f"{head}.{body}.{'B' if signature[0] == 'A' else 'A'}{signature[1:]}",
        }.items():
            answer = inspect(changed, "--key", keys.public_path)
            checks.check(f"Apple's {name} is refused with another {part}", answer.code == "signatureInvalid", answer.code)


def check_ours(checks, keys):
    apples = apples_signatures(keys)
    for name, (status, signed, errors) in our_signatures(keys).items():
        checks.check(f"our {name} is signed", status == 0, errors)
        if status:
            continue
        claims, theirs = claims_of(signed, keys.public_pem), claims_of(apples[name], keys.public_pem)
        checks.check(
            f"our {name}: Apple's header",
            jwt.get_unverified_header(signed) == jwt.get_unverified_header(apples[name]),
            jwt.get_unverified_header(signed),
        )
        required = set(theirs) | {"iat"}  # Apple documents iat for every token; its Python client leaves it out of the API's.
        checks.check(f"our {name}: Apple's claims", set(claims) == required, sorted(set(claims) ^ required))
        types = {claim: (type(claims[claim]), type(theirs[claim])) for claim in set(claims) & set(theirs)}
        checks.check(f"our {name}: Apple's types", all(ours is other for ours, other in types.values()), types)
        passing = {"iat", "exp", "nonce"}
        checks.check(f"our {name}: Apple's values", all(claims[c] == theirs[c] for c in set(theirs) - passing), (claims, theirs))
        checks.check(f"our {name}: signed now, in seconds", abs(claims["iat"] - time.time()) < 60, claims["iat"])
        if "nonce" in theirs:
            checks.check(f"our {name}: the nonce as Apple writes one", claims["nonce"] == str(uuid.UUID(NONCE)), claims["nonce"])
        try:
            jwt.decode(signed, keys.public(pki.new_key()), algorithms=["ES256"], options={"verify_aud": False})
            checks.check(f"our {name}: refused under another key", False)
        except jwt.InvalidSignatureError:
            checks.check(f"our {name}: refused under another key", True)
    fixed = keys.sign("promotional-offer", "--product", PRODUCT, "--offer", OFFER, "--at", AT)[1]
    checks.check("iat is cut off to its second", claims_of(fixed, keys.public_pem)["iat"] == AT // 1000, fixed)
    nonces = {
        claims_of(keys.sign("promotional-offer", "--product", PRODUCT, "--offer", OFFER)[1], keys.public_pem)["nonce"]
        for _ in range(3)
    }
    checks.check("a nonce that is not given is made up each time", len(nonces) == 3, nonces)


def check_tokens(checks, keys):
    """Apple answers 401 to a token for more than an hour.

    The leeway is for a busy machine, which may read a token of one second after its end."""
    for seconds, is_signed in ((1, True), (300, True), (3600, True), (3601, False), (86400, False), (0, False)):
        status, signed, errors = keys.sign("api-token", f"--seconds={seconds}")
        checks.check(f"a token for {seconds} seconds", (status == 0) == is_signed, errors)
        if is_signed and status == 0:
            claims = jwt.decode(
                signed,
                keys.public_pem,
                algorithms=["ES256"],
                audience="appstoreconnect-v1",
                issuer=ISSUER,
                leeway=3600,
                options={"require": ["iss", "iat", "exp", "aud", "bid"]},
            )
            checks.check(f"a token for {seconds} seconds ends then", claims["exp"] - claims["iat"] == seconds, claims)
        elif not is_signed:
            checks.check(
                f"a token for {seconds} seconds is refused with a message", "lifetimeOutOfRange" in errors and not signed, errors
            )


def verifies(key, signature, text):
    try:
        key.public_key().verify(base64.b64decode(signature, validate=True), text.encode(), ec.ECDSA(hashes.SHA256()))
        return True
    except InvalidSignature:
        return False


def check_version_1(checks, keys):
    for name, token, options in (
        ("with a token", TOKEN, ["--app-account-token", TOKEN]),
        ("without a token", "", []),
        ("with Unicode", "Ünï🦉", ["--app-account-token", "Ünï🦉"]),
    ):
        status, text, errors = keys.sign(
            "promotional-offer-v1", "--product", PRODUCT, "--offer", OFFER, "--nonce", NONCE, "--at", AT, *options
        )
        checks.check(f"offer of version 1 {name} is signed", status == 0, errors)
        if status:
            continue
        offer = json.loads(text)
        signed = SEPARATOR.join([BUNDLE, KEY_ID, PRODUCT, OFFER, token.lower(), NONCE.lower(), str(AT)])
        checks.check(
            f"offer of version 1 {name}: cryptography verifies it", verifies(keys.key, offer["signature"], signed), offer
        )
        for place in range(7):
            parts = signed.split(SEPARATOR)
            parts[place] += "0"
            checks.check(
                f"offer of version 1 {name}: part {place} is signed",
                not verifies(keys.key, offer["signature"], SEPARATOR.join(parts)),
            )
        # SKPaymentDiscount's initialiser, and no other name.
        members = {"identifier": OFFER, "keyIdentifier": KEY_ID, "nonce": NONCE.lower(), "timestamp": AT}
        checks.check(
            f"offer of version 1 {name}: has SKPaymentDiscount's members",
            offer == {**members, "signature": offer.get("signature")},
            offer,
        )
        creator = PromotionalOfferSignatureCreator(keys.pem, KEY_ID, BUNDLE)
        theirs = creator.create_signature(PRODUCT, OFFER, token, uuid.UUID(NONCE), AT)
        checks.check(f"offer of version 1 {name}: Apple's creator signs the same text", verifies(keys.key, theirs, signed))


def check_refusals(checks, keys):
    """With U+2063 inside, one signature would hold for two offers."""
    poison = f"plus{SEPARATOR}monthly"
    bases = {"--product": PRODUCT, "--offer": OFFER, "--nonce": NONCE}
    for option, field in (
        ("--product", "productId"),
        ("--offer", "offerIdentifier"),
        ("--app-account-token", "appAccountToken"),
        ("--bundle", "bundleId"),
        ("--key-id", "keyId"),
    ):
        options = [item for pair in {**bases, option: poison}.items() for item in pair]
        if option in ("--bundle", "--key-id"):
            named = {"--key": keys.private_path, "--key-id": KEY_ID, "--bundle": BUNDLE, option: poison}
            outcome = run_tenure("sign", "promotional-offer-v1", *(item for pair in {**named, **bases}.items() for item in pair))
            status, text, errors = outcome.returncode, outcome.stdout, outcome.stderr
        else:
            status, text, errors = keys.sign("promotional-offer-v1", *options)
        checks.check(f"U+2063 in {option} is refused, and the field named", status != 0 and not text and field in errors, errors)
    for nonce in ("", "x", NONCE[:-1], NONCE + "0"):
        status, text, errors = keys.sign("promotional-offer", "--product", PRODUCT, "--offer", OFFER, "--nonce", nonce)
        checks.check(f"the nonce {nonce!r} is refused", status != 0 and not text and "nonceNotUUID" in errors, errors)


def check_keys(checks, keys, folder):
    """Only a P-256 key in PKCS#8 is what App Store Connect gives."""
    form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    for name, key in (
        ("P-384", pki.new_key(ec.SECP384R1)),
        ("secp256k1", pki.new_key(ec.SECP256K1)),
        ("RSA", pki.rsa_key("leaf")),
    ):
        path = written(folder, f"{name}.p8", key.private_bytes(*form))
        status, text, errors = keys.sign("api-token", key=path)
        checks.check(f"a key of {name} does not sign", status != 0 and not text and errors, errors)
    api_key = written(folder, f"AuthKey_{KEY_ID}.p8", keys.pem)
    status, text, errors = keys.sign("api-token", key=api_key)
    checks.check("a file named as keys of another kind are does not sign", not text and "notInAppPurchaseKey" in errors, errors)
    status, text, errors = keys.sign("api-token", key=keys.public_path)
    checks.check("a public key does not sign", status != 0 and not text and errors, errors)


def run(checks, folder):
    keys = Keys(folder)
    check_apples(checks, keys)
    checks.finish("signatures of Apple's creators")
    check_ours(checks, keys)
    check_tokens(checks, keys)
    check_version_1(checks, keys)
    check_refusals(checks, keys)
    check_keys(checks, keys, folder)
    checks.finish("our signatures")
