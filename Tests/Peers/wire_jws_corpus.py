"""The corpus of compact JWS: good ones of every kind, and bad ones that are bad in one way each and right in all others.

A case says itself what was broken. So three opinions are compared: what was done here, what Apple's library says and what
`tenure` says.
"""

import base64
import dataclasses
import datetime
import hashlib
import hmac
import itertools
import json
import time

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

import wire_pki as pki
from wire_checks import APP, APPLE_ID, CHAIN, ENVIRONMENT, FORM, PAYLOAD, SIGNATURE
from wire_payloads import (
    DAY,
    MAKERS,
    OPTIONAL,
    REQUIRED,
    SIGNED,
    UNKNOWN_VALUES,
    app_transaction,
    notification,
    renewal_info,
    transaction,
)
from wire_pki import encoded, jws, tlv

KINDS = list(MAKERS)


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    kind: str
    jws: str
    fault: str | None = None
    """The class of what is wrong with it; None: nothing that a server must refuse it for."""
    environment: str = "Production"
    """What the verifier expects."""
    root: bytes | None = None
    """The trusted root's DER; None: the corpus's own."""


@dataclasses.dataclass(frozen=True)
class World:
    """One good chain, and an attacker's chain with the same names."""

    chain: pki.Chain
    forger: pki.Chain

    @classmethod
    def new(cls):
        return cls(pki.ecdsa_chain(), pki.ecdsa_chain())

    def good(self, kind="transaction", environment="Production", **changes):
        return jws(self.chain, {**MAKERS[kind](environment), **changes})


def good_payloads(world):
    for kind, environment in itertools.product(KINDS, ("Production", "Sandbox")):
        make = MAKERS[kind]
        for variety, changes in {
            "smallest": {},
            "every field": OPTIONAL[kind],
            "unknown fields": {"newField": {"deep": [1, None, True, {"a": "b"}]}, "": 1, "é": "x"},
            "unknown values": UNKNOWN_VALUES[kind],
            "no value where one is optional": dict.fromkeys(OPTIONAL[kind]),
            "Unicode": {"newText": "Ünïcödé 🦉 \u2063 \u200f e\u0301", "newEscape": "\u2028"},
            "large numbers": {"newNumber": 2**63 - 1, "newerNumber": -(2**63), "hugeNumber": 10**40, "fraction": 1.5e-7},
        }.items():
            yield Case(
                f"good: {kind}, {environment}, {variety}",
                kind,
                jws(world.chain, make(environment, **changes)),
                environment=environment,
            )
        spaced = json.dumps(make(environment), indent=2).replace("\n", "\r\n\t ").replace("Production", "\\u0050roduction")
        yield Case(f"good: {kind}, {environment}, spaced and escaped", kind, jws(world.chain, spaced), environment=environment)


def good_notifications(world):
    chain = world.chain
    for environment in ("Production", "Sandbox"):
        inner = {
            "signedTransactionInfo": jws(chain, transaction(environment)),
            "signedRenewalInfo": jws(chain, renewal_info(environment)),
            "status": 1,
        }
        data = notification(environment)["data"]
        prefix = "SANDBOX_" if environment == "Sandbox" else ""
        for variety, payload in {
            "with a transaction and a renewal info": notification(environment, data=inner),
            "with a transaction alone": notification(environment, data={"signedTransactionInfo": inner["signedTransactionInfo"]}),
            "with a renewal info alone": notification(environment, data={"signedRenewalInfo": inner["signedRenewalInfo"]}),
            "with a summary": bare(
                environment,
                summary={
                    **data,
                    "productId": "plus.monthly",
                    "succeededCount": 3,
                    "failedCount": 0,
                    "requestIdentifier": "r",
                    "storefrontCountryCodes": ["USA"],
                },
            ),
            "with app data": bare(
                environment, appData={**data, "signedAppTransactionInfo": jws(chain, app_transaction(environment))}
            ),
            "with an external purchase token": bare(environment, externalPurchaseToken=token(prefix)),
        }.items():
            yield Case(
                f"good: notification, {environment}, {variety}", "notification", jws(chain, payload), environment=environment
            )


def bare(environment, **subject):
    payload = notification(environment, **subject)
    del payload["data"]
    return payload


def token(prefix, **changes):
    return {
        "externalPurchaseId": prefix + "6c8d",
        "tokenCreationDate": SIGNED,
        "bundleId": transaction("")["bundleId"],
        "appAppleId": APPLE_ID,
        **changes,
    }


def good_forms(world):
    chain = world.chain
    certificates = pki.x5c(chain.der)
    for variety, header in {
        "kid and typ": {"alg": "ES256", "kid": "ABC", "typ": "JWT", "x5c": certificates},
        "members in another order": {"x5c": certificates, "alg": "ES256"},
        "JSON with white space": " " + json.dumps({"alg": "ES256", "x5c": certificates}, indent=1) + "\n",
        "alg with an escape": json.dumps({"alg": "ES256", "x5c": certificates}).replace("ES256", "\\u0045S256"),
    }.items():
        yield Case(f"good: header, {variety}", "transaction", jws(chain, transaction("Production"), header))
    reissued = pki.issue(pki.ROOT, chain.root.key, digest=hashes.SHA384())
    header = {"alg": "ES256", "x5c": pki.x5c([chain.leaf.der, chain.intermediate.der, reissued.der])}
    yield Case("good: third certificate is the root issued again", "transaction", jws(chain, transaction("Production"), header))


# T04: what the header says about the algorithm, each time with a valid signature.

ALGORITHMS = [
    "none",
    "None",
    "nOnE",
    "",
    "HS256",
    "HS384",
    "HS512",
    "RS256",
    "PS256",
    "ES384",
    "ES512",
    "ES256K",
    "EdDSA",
    "es256",
    " ES256",
    "ES256 ",
    "ES256\u0000",
    "ES25６",
    None,
    256,
    True,
    ["ES256"],
    {"ES256": 1},
]
EXTRA_PARAMETERS = {
    "jwk": {"kty": "EC", "crv": "P-256", "x": "AA", "y": "AA"},
    "jku": "https://example.com/k",
    "x5u": "https://example.com/c",
    "x5t": "AAAA",
    "x5t#S256": "AAAA",
    "cty": "JWT",
    "zip": "DEF",
    "enc": "A128GCM",
    "epk": {},
    "url": "https://example.com",
    "nonce": "n",
    "crit": ["exp"],
    "b64": False,
    "newParameter": 1,
}


def header_tricks(world):
    chain, payload = world.chain, transaction("Production")
    certificates = pki.x5c(chain.der)

    def header(name, value, fault=FORM):
        return Case(f"T04 {name}", "transaction", jws(chain, payload, value), fault)

    for algorithm in ALGORITHMS:
        yield header(f"alg is {algorithm!a}", {"alg": algorithm, "x5c": certificates})
    yield header("alg is missing", {"x5c": certificates})
    for parameter, value in EXTRA_PARAMETERS.items():
        yield header(f"a parameter {parameter}", {"alg": "ES256", "x5c": certificates, parameter: value})
    yield header("b64 is false and critical", {"alg": "ES256", "x5c": certificates, "b64": False, "crit": ["b64"]})
    text = json.dumps({"x5c": certificates})[1:-1]
    yield header("alg twice, ES256 last", f'{{"alg":"none","alg":"ES256",{text}}}')
    yield header("alg twice, ES256 first", f'{{"alg":"ES256","alg":"none",{text}}}')
    yield header("x5c twice", f'{{"alg":"ES256","x5c":[],{text}}}')
    for variety, x5c in {
        "null": None,
        "a text": certificates[0],
        "an object": {"0": certificates[0]},
        "a number": 3,
        "true": True,
    }.items():
        yield header(f"x5c is {variety}", {"alg": "ES256", "x5c": x5c}, CHAIN)
    yield header("x5c holds numbers", {"alg": "ES256", "x5c": [1, 2, 3]}, CHAIN)
    yield header("x5c holds nulls", {"alg": "ES256", "x5c": [*certificates[:2], None]}, CHAIN)
    yield header("x5c holds lists", {"alg": "ES256", "x5c": [[c] for c in certificates]}, CHAIN)
    yield header("x5c is missing, a kid instead", {"alg": "ES256", "kid": "ABC"})
    yield header("x5c is missing", {"alg": "ES256"})
    whole = json.dumps({"alg": "ES256", "x5c": certificates})
    for variety, text in {
        "empty": "",
        "a list": f"[{whole}]",
        "a text": '"ES256"',
        "cut short": whole[:-1],
        "followed by more": whole + "{}",
        "with single quotes": whole.replace('"', "'"),
        "with a comment": "/**/" + whole,
        "with a comma too many": whole[:-1] + ",}",
        "with a byte order mark": "\ufeff" + whole,
    }.items():
        yield header(f"header JSON {variety}", text)
    yield header("header in UTF-16", whole.encode("utf-16-le"))
    yield header("header not UTF-8", whole.encode()[:-1] + b',"kid":"\xff"}')
    yield from forged_algorithms(world, payload)


def forged_algorithms(world, payload):
    """Signatures that anybody can make, if the header is asked how to check them."""
    certificates = pki.x5c(world.chain.der)
    public = world.chain.leaf.key.public_key()
    unsigned = f"{encoded({'alg': 'none', 'x5c': certificates})}.{encoded(payload)}"
    yield Case("T04 alg none without a signature", "transaction", unsigned + ".", FORM)
    yield Case("T04 ES256 without a signature", "transaction", world.good().rsplit(".", 1)[0] + ".", SIGNATURE)
    secrets = {
        "PEM": public.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo),
        "point": public.public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint),
        "certificate": world.chain.leaf.der,
    }
    signed = f"{encoded({'alg': 'HS256', 'x5c': certificates})}.{encoded(payload)}"
    for variety, secret in secrets.items():
        mac = hmac.new(secret, signed.encode(), hashlib.sha256).digest()
        yield Case(f"T04 HS256 under the leaf's {variety}", "transaction", f"{signed}.{pki.base64url(mac)}", FORM)
    jwk = public.public_numbers()
    own = pki.new_key()
    header = {
        "alg": "ES256",
        "x5c": certificates,
        "jwk": {
            "kty": "EC",
            "crv": "P-256",
            "x": pki.base64url(jwk.x.to_bytes(32, "big")),
            "y": pki.base64url(jwk.y.to_bytes(32, "big")),
        },
    }
    yield Case("T04 signed by the header's own jwk", "transaction", jws(world.chain, payload, header, own), FORM)


# T07 and RFC 7515: one encoding for one meaning.


def noncanonical(text):
    """The same bytes in base64 whose last character has unused bits; None if it has none."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    spare = {2: 4, 3: 2}.get(len(text) % 4)
    return text[:-1] + alphabet[alphabet.index(text[-1]) | 1] if spare else None


def with_spare_bits(make):
    """The parts of what `make` makes, whose payload's base64 ends within a byte; `make` takes a filling of the payload."""
    for filling in ("", "x", "xx"):
        parts = make(filling).split(".")
        if len(parts[1]) % 4 in (2, 3):
            return parts
    raise AssertionError("one of three lengths has spare bits")


def forms(world):
    chain = world.chain
    good = world.good()
    header, payload, signature = good.split(".")
    padding = "=" * (-len(signature) % 4)
    for variety, text, fault in (
        ("signature with other spare bits", f"{header}.{payload}.{noncanonical(signature)}", FORM),
        ("signature with padding", f"{good}{padding}", FORM),
        ("signature with a line break inside", f"{header}.{payload}.{signature[:40]}\n{signature[40:]}", FORM),
        ("signature with a space inside", f"{header}.{payload}.{signature[:40]} {signature[40:]}", FORM),
        ("signature with a character of no alphabet", f"{header}.{payload}.{signature[:40]}*{signature[40:]}", FORM),
        ("signature cut to 85 characters", good[:-1], FORM),
        ("no full stop", header + payload + signature, FORM),
        ("one full stop", f"{header}.{payload}", FORM),
        ("three full stops", f"{good}.{signature}", FORM),
        ("five parts, as of a JWE", f"{header}.{payload}.{signature}.{payload}.{signature}", FORM),
        ("a full stop before", "." + good, FORM),
        ("a full stop after", good + ".", FORM),
        ("an empty header", f".{payload}.{signature}", FORM),
        ("an empty payload", f"{header}..{signature}", SIGNATURE),
        ("nothing", "", FORM),
        ("two full stops", "..", FORM),
        ("a text that is no JWS", "receipt", FORM),
        ("the JSON form of a JWS", json.dumps({"protected": header, "payload": payload, "signature": signature}), FORM),
        (
            "another header's signature",
            f"{encoded({'alg': 'ES256', 'kid': 'x', 'x5c': pki.x5c(chain.der)})}.{payload}.{signature}",
            SIGNATURE,
        ),
        (
            "another payload's signature",
            f"{header}.{encoded(transaction('Production', transactionId='3'))}.{signature}",
            SIGNATURE,
        ),
    ):
        yield Case(f"T07 {variety}", "transaction", text, fault)
    yield Case("T07 white space around", "transaction", f" \n{good}\r\n")
    yield from signed_forms(world)


def signed_forms(world):
    """Odd base64 in what is signed; the signature is over the odd text, and holds."""

    def signed(head, body):
        text = f"{head}.{body}"
        return f"{text}.{pki.base64url(pki.raw_signature(world.chain.leaf.key, text.encode()))}"

    def odd(part):
        yield "padding", part + "=" * (-len(part) % 4)
        yield "other spare bits", noncanonical(part)
        yield "a line break inside", part[:80] + "\n" + part[80:]

    def good(filling):
        return jws(world.chain, transaction("Production", filling=filling))

    head, body, _ = with_spare_bits(good)
    for variety, changed in odd(body):
        yield Case(f"T07 payload with {variety}", "transaction", signed(head, changed), FORM)
    certificates = pki.x5c(world.chain.der)
    head = next(h for h in (encoded({"alg": "ES256", "kid": "k" * n, "x5c": certificates}) for n in range(3)) if len(h) % 4)
    for variety, changed in odd(head):
        yield Case(f"T07 header with {variety}", "transaction", signed(changed, body), FORM)
    standard = base64.b64encode(json.dumps(transaction("Production", mark="\u00ff>?>?>?"), ensure_ascii=False).encode()).decode()
    assert set("+/") & set(standard), "it must differ from the alphabet of URLs"
    yield Case("T07 payload in the other alphabet", "transaction", signed(head, standard.rstrip("=")), FORM)


# T01, T02, T06: whose certificates, what they may, and when.


def chains(world):
    chain, forger, payload = world.chain, world.forger, transaction("Production")
    own = {"leaf": chain.leaf.der, "intermediate": chain.intermediate.der, "root": chain.root.der}
    theirs = {"leaf": forger.leaf.der, "intermediate": forger.intermediate.der, "root": forger.root.der}

    def case(name, certificates, key=None, fault=CHAIN, root=None):
        header = {"alg": "ES256", "x5c": pki.x5c(certificates)}
        return Case(name, "transaction", jws(chain, payload, header, key), fault, root=root)

    for order in itertools.permutations(own):
        if list(order) != list(own):
            yield case(f"T01 order {', '.join(order)}", [own[part] for part in order])
    for mixture in itertools.product((own, theirs), repeat=3):
        if mixture == (own, own, own):
            continue
        names = ["own" if part is own else "forged" for part in mixture]
        certificates = [part[place] for part, place in zip(mixture, own)]
        key = chain.leaf.key if mixture[0] is own else forger.leaf.key
        yield case(f"T01 same names: {names[0]} leaf, {names[1]} intermediate, {names[2]} root", certificates, key)
    yield case("T01 own chain, forger's key", list(own.values()), forger.leaf.key, SIGNATURE)
    for place, part in enumerate(own):
        for variety, der in {"empty": b"", "not DER": b"certificate", "cut short": own[part][:-1]}.items():
            certificates = [der if index == place else other for index, other in enumerate(own.values())]
            yield case(f"T01 {part} is {variety}", certificates)
        repeated = [own[part]] * 3
        yield case(f"T01 three times the {part}", repeated)
    everything = [chain.leaf.der, chain.intermediate.der, chain.root.der, forger.root.der, forger.intermediate.der]
    for length in (0, 1, 2, 4, 5):
        yield case(f"T30 {length} certificates", everything[:length])
    yield case("T30 ten certificates", everything[:3] + [forger.intermediate.der] * 7)
    yield case("T30 forty certificates", everything[:3] + [forger.intermediate.der] * 37, fault=FORM)
    self_signed = pki.issue(pki.LEAF, pki.new_key())
    yield case("T03 a certificate of its own, as of Xcode", [self_signed.der], self_signed.key)
    yield case("T01 a certificate of its own three times", [self_signed.der] * 3, self_signed.key)
    yield from shifted_chains(world, case)


def shifted_chains(world, case):
    """A true leaf or intermediate put where an issuer belongs."""
    chain = world.chain
    below_leaf = pki.issue(pki.LEAF, pki.new_key(), chain.leaf)
    yield case("T01 a leaf issued by a leaf", [below_leaf.der, chain.leaf.der, chain.intermediate.der], below_leaf.key)
    yield case("T01 a leaf issued by a leaf, below the root", [below_leaf.der, chain.leaf.der, chain.root.der], below_leaf.key)
    direct = pki.issue(pki.LEAF, pki.new_key(), chain.root)
    yield case("T01 a leaf issued by the root", [direct.der, chain.intermediate.der, chain.root.der], direct.key)
    second = pki.issue(pki.INTERMEDIATE.but(subject=pki.name("Below")), pki.new_key(ec.SECP384R1), chain.intermediate)
    deep = pki.issue(pki.LEAF, pki.new_key(), second)
    yield case("T01 an intermediate below an intermediate", [deep.der, second.der, chain.intermediate.der], deep.key)
    yield case("T01 four levels without the second", [deep.der, second.der, chain.root.der], deep.key)


@dataclasses.dataclass(frozen=True)
class Marks:
    """One of the 32 ways in which marks and permissions can be there or not."""

    leaf_marker: bool
    intermediate_marker: bool
    leaf_is_not_ca: bool
    intermediate_is_ca: bool
    leaf_may_sign: bool

    @property
    def name(self):
        lacking = [field.name.replace("_", " ") for field in dataclasses.fields(self) if not getattr(self, field.name)]
        return "T02 not: " + ", ".join(lacking)

    def profiles(self):
        leaf = pki.LEAF.but(
            marker=pki.LEAF_MARKER if self.leaf_marker else None,
            is_ca=not self.leaf_is_not_ca,
            may_sign=self.leaf_may_sign,
            may_issue=not self.leaf_may_sign or not self.leaf_is_not_ca,
        )
        intermediate = pki.INTERMEDIATE.but(
            marker=pki.INTERMEDIATE_MARKER if self.intermediate_marker else None, is_ca=self.intermediate_is_ca
        )
        return leaf, intermediate


def marks(world):
    for flags in itertools.product((True, False), repeat=5):
        marks = Marks(*flags)
        leaf, intermediate = marks.profiles()
        if all(flags):
            continue
        chain = pki.ecdsa_chain(leaf=leaf, intermediate=intermediate, trusted=world.chain.root)
        yield Case(marks.name, "transaction", jws(chain, transaction("Production")), CHAIN)
    for name, leaf, intermediate, fault in (
        (
            "T02 markers exchanged",
            pki.LEAF.but(marker=pki.INTERMEDIATE_MARKER),
            pki.INTERMEDIATE.but(marker=pki.LEAF_MARKER),
            CHAIN,
        ),
        (
            "T02 an unknown critical extension in the leaf",
            pki.LEAF.but(extra=(("1.2.3.4", pki.DER_NULL, True),)),
            pki.INTERMEDIATE,
            CHAIN,
        ),
        (
            "T02 an unknown critical extension in the intermediate",
            pki.LEAF,
            pki.INTERMEDIATE.but(extra=(("1.2.3.4", pki.DER_NULL, True),)),
            CHAIN,
        ),
        ("T02 no key identifiers", pki.LEAF.but(key_identifiers=False), pki.INTERMEDIATE.but(key_identifiers=False), None),
        (
            "T02 an unknown extension that is not critical",
            pki.LEAF.but(extra=(("1.2.3.4", pki.DER_NULL, False),)),
            pki.INTERMEDIATE,
            None,
        ),
    ):
        chain = pki.ecdsa_chain(leaf=leaf, intermediate=intermediate, trusted=world.chain.root)
        yield Case(name, "transaction", jws(chain, transaction("Production")), fault)


def keys(world):
    for name, key in (
        ("P-384", pki.new_key(ec.SECP384R1)),
        ("P-521", pki.new_key(ec.SECP521R1)),
        ("secp256k1", pki.new_key(ec.SECP256K1)),
        ("brainpoolP256r1", pki.new_key(ec.BrainpoolP256R1)),
    ):
        chain = pki.ecdsa_chain(leaf_key=key, trusted=world.chain.root)
        yield Case(f"T01 the leaf's key is on {name}", "transaction", jws(chain, transaction("Production")), CHAIN)
    chain = pki.ecdsa_chain(leaf_key=pki.rsa_key("leaf"), trusted=world.chain.root)
    yield Case(
        "T01 the leaf's key is of RSA", "transaction", jws(chain, transaction("Production"), key=world.chain.leaf.key), CHAIN
    )


def dates(world):
    day = datetime.timedelta(days=1)
    signed = datetime.datetime.fromtimestamp(SIGNED // 1000, datetime.timezone.utc).replace(tzinfo=None)
    past, future = {"end": signed - day}, {"start": signed + day}
    for place in ("leaf", "intermediate", "root"):
        for variety, change in (("expired", past), ("not yet valid", future)):
            profiles = {"root": pki.ROOT, "intermediate": pki.INTERMEDIATE, "leaf": pki.LEAF}
            profiles[place] = profiles[place].but(**change)
            chain = pki.ecdsa_chain(**profiles, trusted=None if place == "root" else world.chain.root)
            yield Case(
                f"T06 {place} {variety} when it was signed",
                "transaction",
                jws(chain, transaction("Production")),
                CHAIN,
                root=chain.root.der,
            )
    chain = pki.ecdsa_chain(leaf=pki.LEAF.but(start=signed, end=signed + day), trusted=world.chain.root)
    start, end = pki.milliseconds(signed), pki.milliseconds(signed + day)
    for name, moment, fault in (
        ("the leaf's first second", start, None),
        ("a millisecond before the leaf begins", start - 1, CHAIN),
        ("a second before the leaf begins", start - 1000, CHAIN),
        ("a second before the leaf ends", end - 1000, None),
        ("the leaf's last second", end, None),
        ("within the second after which the leaf ends", end + 999, CHAIN),
        ("a second after the leaf ends", end + 1000, CHAIN),
    ):
        yield Case(f"T06 signed in {name}", "transaction", jws(chain, transaction("Production", signedDate=moment)), fault)
    expired = pki.ecdsa_chain(leaf=pki.LEAF.but(end=signed + day), trusted=world.chain.root)
    yield Case("good: signed before the leaf expired, which it has since", "transaction", jws(expired, transaction("Production")))
    now = int(time.time() * 1000)
    yield Case(
        "T06 signed a minute from now", "transaction", jws(world.chain, transaction("Production", signedDate=now + 60_000))
    )
    for kind, field in (
        ("transaction", "signedDate"),
        ("renewalInfo", "signedDate"),
        ("appTransaction", "receiptCreationDate"),
        ("notification", "signedDate"),
        ("realtimeRequest", "signedDate"),
    ):
        yield Case(f"T06 {kind} signed tomorrow", kind, world.good(kind, **{field: now + DAY}), PAYLOAD)
    yield Case("T06 signed in 1970", "transaction", world.good(signedDate=0), CHAIN)
    yield Case("T06 signed in 2100", "transaction", world.good(signedDate=4_102_444_800_000), CHAIN)


# T05, T08 and what the payload is about.


def subjects(world):
    other_app, other_id = "com.example.stranger", APPLE_ID + 1
    for environment, stranger in (("Production", "Sandbox"), ("Sandbox", "Production")):
        for kind in KINDS:
            yield Case(
                f"FACT-4 {kind} of {stranger} where {environment} is expected",
                kind,
                world.good(kind, stranger),
                ENVIRONMENT,
                environment,
            )
        for kind in ("transaction", "appTransaction"):
            for variety, bundle in {
                "another": other_app,
                "a longer": transaction("")["bundleId"] + ".x",
                "a differently spelt": transaction("")["bundleId"].upper(),
            }.items():
                yield Case(
                    f"FACT-4 {kind}, {environment}, {variety} bundle",
                    kind,
                    world.good(kind, environment, bundleId=bundle),
                    APP,
                    environment,
                )
        payload = notification(environment, data={"bundleId": other_app})
        yield Case(
            f"FACT-4 notification, {environment}, another bundle", "notification", jws(world.chain, payload), APP, environment
        )
    for kind in ("appTransaction", "realtimeRequest"):
        yield Case(f"FACT-4 {kind}, Production, another Apple id", kind, world.good(kind, appAppleId=other_id), APP)
        yield Case(f"FACT-4 {kind}, Sandbox, another Apple id", kind, world.good(kind, "Sandbox", appAppleId=0), None, "Sandbox")
    for name, payload in {
        "data": notification("Production", data={"appAppleId": other_id}),
        "summary": bare("Production", summary={**notification("Production")["data"], "appAppleId": other_id}),
        "appData": bare("Production", appData={**notification("Production")["data"], "appAppleId": other_id}),
        "externalPurchaseToken": bare("Production", externalPurchaseToken=token("", appAppleId=other_id)),
    }.items():
        yield Case(f"FACT-4 notification, another Apple id in {name}", "notification", jws(world.chain, payload), APP)
    sandbox = bare("Production", externalPurchaseToken=token("SANDBOX_"))
    yield Case("FACT-4 notification with a token of Sandbox", "notification", jws(world.chain, sandbox), ENVIRONMENT)
    for kind in ("appTransaction", "notification"):
        payload = MAKERS[kind]("Production")
        del (payload["data"] if kind == "notification" else payload)["appAppleId"]
        yield Case(f"FACT-4 {kind}, Production, without an Apple id", kind, jws(world.chain, payload))
    for text in ("Xcode", "LocalTesting", "sandbox", "PRODUCTION", "Production ", "Prod\u0000uction", "Prоduction"):
        # Apple never writes a text with NUL inside, so the field is wrong.
        fault = PAYLOAD if "\u0000" in text else ENVIRONMENT
        yield Case(f"T03 environment {text!a}", "transaction", world.good(environment=text), fault)


def broken_payloads(world):
    text = json.dumps(transaction("Production"))
    for name, payload in {
        "empty": b"",
        "a list": f"[{text}]",
        "a text": '"x"',
        "null": "null",
        "a number": "1",
        "cut short": text[:-1],
        "followed by more": text + "}",
        "twice": text + text,
        "with a byte order mark": "\ufeff" + text,
        "in UTF-16": text.encode("utf-16-le"),
        "with a lone surrogate": text[:-1] + ',"x":"\\ud800"}',
        "not UTF-8": text.encode()[:-1] + b',"x":"\xff"}',
        "with NaN": text[:-1] + ',"x":NaN}',
        "with Infinity": text[:-1] + ',"x":Infinity}',
        "with a leading zero": text[:-1] + ',"x":01}',
        "with a tab inside a text": text[:-1] + ',"x":"\t"}',
        "with a comma too many": text[:-1] + ",}",
        "a thousand levels deep": text[:-1] + ',"x":' + "[" * 1000 + "]" * 1000 + "}",
        "with environment twice": '{"environment":"Sandbox",' + text[1:],
        "with an unknown field twice": '{"x":1,"x":2,' + text[1:],
        "with a name twice by an escape": '{"\\u0065nvironment":"Sandbox",' + text[1:],
    }.items():
        yield Case(f"T08 payload {name}", "transaction", jws(world.chain, payload), PAYLOAD)
    yield Case("T08 an unknown field with 1e400", "transaction", jws(world.chain, text[:-1] + ',"x":1e400}'))
    yield Case("T08 an unknown field named exp, in the past", "transaction", world.good(exp=1))
    yield Case("T08 an unknown field named aud", "transaction", world.good(aud="somebody"))


def fields(world):
    for kind in KINDS:
        for field in REQUIRED[kind]:
            payload = MAKERS[kind]("Production")
            del payload[field]
            yield Case(f"T05 {kind} without {field}", kind, jws(world.chain, payload), PAYLOAD)
    for kind, field, values in (
        ("transaction", "transactionId", (2, "", True, ["2"])),
        ("transaction", "productId", (1, "")),
        ("transaction", "bundleId", (1, "", ["com.example.tenure.demo"])),
        ("transaction", "environment", (1, "", ["Production"], None)),
        ("transaction", "signedDate", ("soon", None, 1.5, -1, 1e300, True, str(SIGNED))),
        ("transaction", "expiresDate", ("2025-10-09", 1.5, 10**17, -(10**17), True)),
        ("transaction", "price", ("9.99", 9.99, 2**63)),
        ("transaction", "quantity", ("1", True)),
        ("transaction", "isUpgraded", ("yes", 1)),
        ("transaction", "offerType", ("2", 2.5)),
        ("transaction", "commitmentInfo", ("x", [1])),
        ("renewalInfo", "autoRenewStatus", ("1", True)),
        ("renewalInfo", "eligibleWinBackOfferIds", ("back", [1])),
        ("appTransaction", "receiptCreationDate", ("x", None)),
        ("realtimeRequest", "appAppleId", ("1234567890", 1.5)),
        ("notification", "data", ("x", [], 1)),
        ("notification", "notificationType", (1, "")),
    ):
        for value in values:
            fault = ENVIRONMENT if (field, value) == ("environment", "") else PAYLOAD
            yield Case(f"T08 {kind} with {field} = {value!a}", kind, world.good(kind, **{field: value}), fault)
    two = notification("Production", summary=notification("Production")["data"])
    yield Case("T05 a notification about two subjects", "notification", jws(world.chain, two), PAYLOAD)
    both = {**renewal_info("Production"), **transaction("Production")}
    yield Case("T05 a payload of two kinds", "transaction", jws(world.chain, both), PAYLOAD)


def inner(world):
    """A notification whose own signature holds, around something that does not."""
    chain, forger = world.chain, world.forger
    right = jws(chain, transaction("Production"))
    stranger = transaction("Production", bundleId="com.example.stranger")
    broken = right[:-4] + ("AAAA" if right[-4:] != "AAAA" else "BBBB")

    def case(name, fault, **data):
        return Case(f"inside: {name}", "notification", jws(chain, notification("Production", data=data)), fault)

    yield case("a transaction that was changed", SIGNATURE, signedTransactionInfo=broken)
    yield case("a forger's transaction", CHAIN, signedTransactionInfo=jws(forger, transaction("Production")))
    yield case(
        "a forger's renewal info", CHAIN, signedTransactionInfo=right, signedRenewalInfo=jws(forger, renewal_info("Production"))
    )
    yield case("a transaction of another app", APP, signedTransactionInfo=jws(chain, stranger))
    yield case("a transaction of Sandbox", ENVIRONMENT, signedTransactionInfo=jws(chain, transaction("Sandbox")))
    yield case(
        "a renewal info of Sandbox",
        ENVIRONMENT,
        signedTransactionInfo=right,
        signedRenewalInfo=jws(chain, renewal_info("Sandbox")),
    )
    yield case("a renewal info as the transaction", PAYLOAD, signedTransactionInfo=jws(chain, renewal_info("Production")))
    yield case("an app transaction as the transaction", PAYLOAD, signedTransactionInfo=jws(chain, app_transaction("Production")))
    yield case("a transaction as the renewal info", PAYLOAD, signedRenewalInfo=right)
    yield case("a notification as the transaction", PAYLOAD, signedTransactionInfo=jws(chain, notification("Production")))
    yield case("a transaction that is no JWS", FORM, signedTransactionInfo="x")
    yield case("an empty transaction", FORM, signedTransactionInfo="")
    yield case("a transaction that is a number", PAYLOAD, signedTransactionInfo=1)
    yield case(
        "a renewal info of another subscription",
        PAYLOAD,
        signedTransactionInfo=right,
        signedRenewalInfo=jws(chain, renewal_info("Production", originalTransactionId="9")),
    )
    yield case(
        "a renewal info of another download",
        PAYLOAD,
        signedTransactionInfo=jws(chain, transaction("Production", appTransactionId="1")),
        signedRenewalInfo=jws(chain, renewal_info("Production", appTransactionId="2")),
    )
    data = {**notification("Production")["data"], "signedAppTransactionInfo": jws(forger, app_transaction("Production"))}
    yield Case("inside: a forger's app transaction", "notification", jws(chain, bare("Production", appData=data)), CHAIN)


# T09: signatures at the edges, after Wycheproof's vectors for P1363.


def edges(world):
    chain = world.chain
    good = world.good()
    text, _, last = good.rpartition(".")
    raw = base64.urlsafe_b64decode(last + "==")
    r, s = int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big")
    n = pki.P256_ORDER

    def case(name, signature, fault=SIGNATURE):
        return Case(f"T09 {name}", "transaction", f"{text}.{pki.base64url(signature)}", fault)

    def pair(first, second):
        return first.to_bytes(32, "big") + second.to_bytes(32, "big")

    yield case("the twin (r, n-s)", pair(r, n - s), None)
    values = {
        "0": 0,
        "1": 1,
        "n-1": n - 1,
        "n": n,
        "n+1": n + 1,
        "2^256-1": 2**256 - 1,
        "r": r,
        "s": s,
        "n-r": n - r,
        "n-s": n - s,
    }
    for (first, left), (second, right) in itertools.product(values.items(), repeat=2):
        if (first, second) not in (("r", "s"), ("r", "n-s")):
            yield case(f"({first}, {second})", pair(left, right))
    zeros = bytes(1)
    for name, signature in {
        "of no byte": b"",
        "of 32 bytes": raw[:32],
        "of 63 bytes": raw[:-1],
        "of 65 bytes": raw + zeros,
        "of 96 bytes": raw + raw[:32],
        "of 128 bytes": raw + raw,
        "with a zero before": zeros + raw,
        "with a zero before each": zeros + raw[:32] + zeros + raw[32:],
        "in DER": der_signature(r, s),
        "of 64 zeros": bytes(64),
        "little-endian": raw[31::-1] + raw[:31:-1],
        "with one bit changed": bytes([raw[0] ^ 1]) + raw[1:],
    }.items():
        yield case(name, signature)
    yield from short_values(chain)


def short_values(chain):
    """Signatures whose r or s begins with a zero byte: good with it, bad without."""
    signed = f"{encoded({'alg': 'ES256', 'x5c': pki.x5c(chain.der)})}.{encoded(transaction('Production'))}"
    for name, place in (("r", 0), ("s", 32)):
        raw = next(raw for raw in iter(lambda: pki.raw_signature(chain.leaf.key, signed.encode()), None) if raw[place] == 0)
        yield Case(f"T09 {name} with a leading zero", "transaction", f"{signed}.{pki.base64url(raw)}")
        cut = raw[:place] + raw[place + 1 :]
        yield Case(f"T09 {name} without its leading zero", "transaction", f"{signed}.{pki.base64url(cut)}", SIGNATURE)


def der_signature(r, s):
    return tlv(0x30, *(tlv(0x02, value.to_bytes(value.bit_length() // 8 + 1, "big")) for value in (r, s)))


# A leaf with the content of a valid one, in invalid DER.


def encodings(world):
    chain = world.chain
    leaf = chain.leaf.der
    issuer = chain.intermediate.key
    body, algorithm, signature = pki.children(leaf)

    def again(change):
        return pki.resigned(leaf, change, issuer)

    def serial(content):
        return again(lambda fields: [fields[0], tlv(0x02, content), *fields[2:]])

    def replaced(place, value):
        return again(lambda fields: fields[:place] + [value] + fields[place + 1 :])

    validity, extensions = pki.children(body)[4], pki.children(body)[7]
    inside = pki.children(pki.children(extensions)[0])
    is_critical = tlv(0x01, b"\xff")
    basic = next(e for e in inside if bytes.fromhex("551d13") in e)
    cases = {
        "an outer length longer than needed": b"\x30\x83\x00" + leaf[2:4] + leaf[4:],
        "an outer length without end": b"\x30\x80" + leaf[4:] + bytes(2),
        "a byte after": leaf + b"\x00",
        "a value after the signature": tlv(0x30, body, algorithm, signature, pki.DER_NULL),
        "another algorithm outside than inside": tlv(0x30, body, tlv(0x30, bytes.fromhex("06082a8648ce3d040302")), signature),
        "no signature": tlv(0x30, body, algorithm, tlv(0x03, b"\x00")),
        "a negative serial number": serial(b"\xff\x01"),
        "a serial number with a zero before": serial(b"\x00\x01"),
        "a serial number of no byte": serial(b""),
        "a version of 4": replaced(0, tlv(0xA0, tlv(0x02, b"\x03"))),
        "a version of 1 with extensions": again(lambda fields: fields[1:]),
        "a true that is not FF": replaced(7, extensions.replace(is_critical, tlv(0x01, b"\x01"), 1)),
        "an extension twice": replaced(7, tlv(0xA3, tlv(0x30, *inside, basic))),
        "an empty list of extensions": replaced(7, tlv(0xA3, tlv(0x30))),
        "a value after the extensions": again(lambda fields: [*fields, pki.DER_NULL]),
        "dates that are no dates": replaced(4, validity.replace(b"240101", b"241301")),
        "dates without a Z": replaced(4, tlv(0x30, *(tlv(0x17, d[2:-1]) for d in pki.children(validity)))),
    }
    for name, certificate in cases.items():
        header = {"alg": "ES256", "x5c": pki.x5c([certificate, chain.intermediate.der, chain.root.der])}
        yield Case(f"DER: {name}", "transaction", jws(chain, transaction("Production"), header), CHAIN)
    yield from unused_bits(chain)
    control = {"alg": "ES256", "x5c": pki.x5c([again(list), chain.intermediate.der, chain.root.der])}
    yield Case(
        "DER: the leaf taken apart, put together and signed again", "transaction", jws(chain, transaction("Production"), control)
    )
    yield from certificate_base64(world)


def unused_bits(chain):
    """A leaf whose signature's BIT STRING says that it ends within a byte, which is DER where that bit is zero."""
    for bit, fault in ((0, None), (1, CHAIN)):
        while True:
            leaf = pki.issue(pki.LEAF, chain.leaf.key, chain.intermediate, hashes.SHA384())
            if leaf.der[-1] & 1 == bit:
                break
        body, algorithm, signature = pki.children(leaf.der)
        changed = tlv(0x30, body, algorithm, tlv(0x03, b"\x01" + signature[pki.header_length(signature) + 1 :]))
        header = {"alg": "ES256", "x5c": pki.x5c([changed, chain.intermediate.der, chain.root.der])}
        yield Case(
            f"DER: a signature that says its last bit is unused, and it is {'one' if bit else 'zero'}",
            "transaction",
            jws(chain, transaction("Production"), header),
            fault,
        )


def certificate_base64(world):
    """x5c in base64 that decodes to the right certificates, and is not how they are written."""
    chain = world.chain
    while len(chain.leaf.der) % 3 == 0 or not set("+/") & set(pki.x5c(chain.der)[0]):
        chain = pki.ecdsa_chain(trusted=world.chain.root)
    texts = pki.x5c(chain.der)
    plain = texts[0].rstrip("=")
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    spare = plain[:-1] + alphabet[alphabet.index(plain[-1]) | 1] + texts[0][len(plain) :]
    for name, text in {
        "without padding": plain,
        "with a line break": texts[0][:64] + "\n" + texts[0][64:],
        "with other spare bits": spare,
        "in the alphabet of URLs": texts[0].replace("+", "-").replace("/", "_"),
        "with PEM around": chain.leaf.pem.decode(),
        "with a space before": " " + texts[0],
        "with a byte too many of padding": texts[0] + "=",
    }.items():
        assert text != texts[0], name
        header = {"alg": "ES256", "x5c": [text, *texts[1:]]}
        yield Case(f"T07 certificate {name}", "transaction", jws(chain, transaction("Production"), header), CHAIN)


GROUPS = {
    "good payloads": good_payloads,
    "good notifications": good_notifications,
    "good forms": good_forms,
    "headers": header_tricks,
    "forms": forms,
    "chains": chains,
    "marks": marks,
    "keys": keys,
    "dates": dates,
    "subjects": subjects,
    "broken payloads": broken_payloads,
    "fields": fields,
    "inside a notification": inner,
    "edges of signatures": edges,
    "encodings of certificates": encodings,
}
