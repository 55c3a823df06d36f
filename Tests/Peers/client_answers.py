#!/usr/bin/env python3
"""D5, ENT-10: forged and broken signed answers, one way each, which the device SDK must refuse for the reason that is written beside it; a real server's answers pass
through a proxy that puts them in the place of what the server signed, with the nonce of the request. In the manner of Wycheproof and of the known attacks on JWT
readers (RFC 8725): algorithms, keys that the answer brings along, signatures that are none, texts that are not the one spelling, and claims of every wrong type,
these signed by the right key. Beside them answers that are right, so that a client which refuses everything fails.

Decided: a signature (r, n - s) is as good as (r, s), since nothing rests on the text of a signature; parameters of the header that nobody asked for are not read.

Prints one line per group; the exit code is 1 when one failed."""

import base64
import datetime
import hashlib
import hmac
import json
import os
import pathlib
import random
import shutil
import sys
import tempfile

import jwt
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.x509.oid import NameOID

import client_run
import harness
from client_run import Device, World, forging
from harness import base64url, check

# Of the curve P-256 (FIPS 186-4, D.1.2.3).
ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
BATCH = 20
KEY, OTHER, NEXT = (ec.generate_private_key(ec.SECP256R1()) for _ in range(3))
P384, P521, K256 = (ec.generate_private_key(curve()) for curve in (ec.SECP384R1, ec.SECP521R1, ec.SECP256K1))
RSA = rsa.generate_private_key(public_exponent=65537, key_size=2048)
ED = ed25519.Ed25519PrivateKey.generate()
HEADER = {"alg": "ES256", "kid": "k1", "typ": "JWT"}
GOOD = "believed"


def text(value):
    return value if isinstance(value, bytes) else json.dumps(value).encode()


def joined(header, claims, signature):
    return f"{base64url(text(header))}.{base64url(text(claims))}.{base64url(signature)}"


def numbers(signed, key):
    return decode_dss_signature(key.sign(signed, ec.ECDSA(hashes.SHA256())))


def raw(r, s, size=32):
    return r.to_bytes(size, "big") + s.to_bytes(size, "big")


def signed(header, claims, key=KEY):
    """A compact JWS by ES256, whatever its header says."""
    head = f"{base64url(text(header))}.{base64url(text(claims))}"
    return f"{head}.{base64url(raw(*numbers(head.encode(), key)))}"


def resigned(make):
    """The right header and claims, and another signature: of (what is signed, r, s)."""
    def answer(claims):
        head = f"{base64url(text(HEADER))}.{base64url(text(claims))}"
        return f"{head}.{base64url(make(head.encode(), *numbers(head.encode(), KEY)))}"
    return answer


def respelled(change):
    """What is right, and the three parts spelled otherwise."""
    return lambda claims: change(*signed(HEADER, claims).split("."))


def spare(part):
    """The same bytes by other spare bits; None where the length leaves none."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    return None if len(part) % 4 == 0 else part[:-1] + alphabet[alphabet.index(part[-1]) ^ 1]


def with_spare_bits(index):
    """One part spelled by other spare bits, of the first of some lengths that leave any."""
    def answer(claims):
        for length in range(1, 4):
            parts = signed({**HEADER, "typ": "J" * length}, {**claims, "x": "a" * length}).split(".")
            if changed := spare(parts[index]):
                return ".".join([*parts[:index], changed, *parts[index + 1:]])
        raise AssertionError("no length leaves spare bits")
    return answer


def claimed(**changes):
    """Signed by the right key; a value of ... takes the claim away."""
    def answer(claims):
        return signed(HEADER, {name: value for name, value in {**claims, **changes}.items() if value is not ...})
    return answer


def der(key):
    return key.public_key().public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)


def pem(key):
    return key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)


def point(key):
    return key.public_key().public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)


def jwk(key, **members):
    return {**json.loads(jwt.algorithms.ECAlgorithm.to_jwk(key.public_key())), **members}


def certificate(key):
    """Of the key, by itself."""
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "tenure")])
    now = datetime.datetime(2026, 1, 1)
    built = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key()).serial_number(1).not_valid_before(now)
    return built.not_valid_after(now + datetime.timedelta(days=3650)).sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.DER)


def algorithms():
    for alg in ("none", "None", "NONE", "nOnE"):
        yield f"alg {alg} without a signature", "algorithm", lambda claims, alg=alg: joined({"alg": alg, "kid": "k1"}, claims, b"")
        yield f"alg {alg} with the right signature", "algorithm", lambda claims, alg=alg: signed({**HEADER, "alg": alg}, claims)
    for name, secret in (("PEM", pem(KEY)), ("DER", der(KEY)), ("point", point(KEY)), ("x", point(KEY)[1:33]), ("JWK", json.dumps(jwk(KEY)).encode()), ("nothing", b"")):
        for alg, digest in (("HS256", "sha256"), ("HS384", "sha384"), ("HS512", "sha512")):
            def answer(claims, alg=alg, secret=secret, digest=digest, says=None):
                head = {**HEADER, "alg": says or alg}
                return joined(head, claims, hmac.new(secret, f"{base64url(text(head))}.{base64url(text(claims))}".encode(), getattr(hashlib, digest)).digest())
            yield f"{alg} by the public key as {name}", "algorithm", answer
        yield f"HS512 by the public key as {name}, said to be ES256", "signature", lambda claims, answer=answer: answer(claims, says="ES256")
    for alg, sign in (("RS256", lambda data: RSA.sign(data, padding.PKCS1v15(), hashes.SHA256())),
                      ("PS256", lambda data: RSA.sign(data, padding.PSS(padding.MGF1(hashes.SHA256()), 32), hashes.SHA256())),
                      ("EdDSA", ED.sign), ("ES384", lambda data: raw(*decode_dss_signature(P384.sign(data, ec.ECDSA(hashes.SHA384()))), 48)),
                      ("ES512", lambda data: raw(*decode_dss_signature(P521.sign(data, ec.ECDSA(hashes.SHA512()))), 66)),
                      ("ES256K", lambda data: raw(*numbers(data, K256)))):
        def answer(claims, says, sign=sign):
            head = {**HEADER, "alg": says}
            return joined(head, claims, sign(f"{base64url(text(head))}.{base64url(text(claims))}".encode()))
        yield f"{alg} by a key of its own", "algorithm", lambda claims, alg=alg, answer=answer: answer(claims, alg)
        yield f"{alg} by a key of its own, said to be ES256", "signature", lambda claims, answer=answer: answer(claims, "ES256")
    for alg in ("es256", "ES256 ", "ES-256", "", "ECDSA", "SHA256withECDSA"):
        yield f"alg {alg!r}", "algorithm", lambda claims, alg=alg: signed({**HEADER, "alg": alg}, claims)
    for alg in (None, ["ES256"], {"alg": "ES256"}, 256, True, ...):
        header = {name: value for name, value in {**HEADER, "alg": alg}.items() if value is not ...}
        yield f"alg {'absent' if alg is ... else alg}", "malformed", lambda claims, header=header: signed(header, claims)


def keys():
    own = jwk(OTHER, kid="k1", alg="ES256", use="sig")
    brought = {"jwk": own, "jku": "https://attacker.example/jwks.json", "x5u": "https://attacker.example/k1.pem", "x5c": [base64.b64encode(certificate(OTHER)).decode()],
               "x5t#S256": base64url(hashlib.sha256(certificate(OTHER)).digest())}
    for name, value in brought.items():
        yield f"{name} of another key, with the kid of the right one", "signature", lambda claims, name=name, value=value: signed({**HEADER, name: value}, claims, OTHER)
        yield f"{name} of another key, without a kid", "unknownKey", lambda claims, name=name, value=value: signed({"alg": "ES256", name: value}, claims, OTHER)
    yield "another key with the kid of the right one", "signature", lambda claims: signed(HEADER, claims, OTHER)
    for kid in ("", "k2", "K1", "k1 ", " k1", "k1\0", "k1\n", "../k1", "../../../../dev/null", "/dev/null", "k1' OR '1'='1", "*", "k1,k1", "k\u0131", "\uff4b1", "k1" * 1000, base64url(b"k1")):
        yield f"kid {kid[:30]!r}", "unknownKey", lambda claims, kid=kid: signed({**HEADER, "kid": kid}, claims)
    for kid in (None, ...):
        header = {name: value for name, value in {**HEADER, "kid": kid}.items() if value is not ...}
        yield f"kid {'absent' if kid is ... else kid}", "unknownKey", lambda claims, header=header: signed(header, claims)
    for kid in (1, ["k1"], {"kid": "k1"}, True):
        yield f"kid {kid}", "malformed", lambda claims, kid=kid: signed({**HEADER, "kid": kid}, claims)


def headers():
    for crit in (["b64"], ["exp"], [], ["unheard-of"]):
        yield f"crit {crit}", "algorithm", lambda claims, crit=crit: signed({**HEADER, "crit": crit, "exp": 1}, claims)
    for crit in ("b64", 1, [1], {}):
        yield f"crit {crit!r}", "malformed", lambda claims, crit=crit: signed({**HEADER, "crit": crit}, claims)
    for b64 in (False, True):
        yield f"b64 {b64}", "algorithm", lambda claims, b64=b64: signed({**HEADER, "b64": b64}, claims)

    def unencoded(claims):
        head = base64url(text({**HEADER, "b64": False, "crit": ["b64"]}))
        content = json.dumps(claims)
        return f"{head}.{content}.{base64url(raw(*numbers(f'{head}.{content}'.encode(), KEY)))}"
    yield "a payload that is not encoded (RFC 7797)", "malformed", unencoded
    for name, header, reason in (
            ("alg twice, ES256 last", b'{"alg":"none","alg":"ES256","kid":"k1"}', None), ("alg twice, ES256 first", b'{"alg":"ES256","alg":"none","kid":"k1"}', None),
            ("kid twice", b'{"alg":"ES256","kid":"k2","kid":"k1"}', None)):
        # Whichever counts, the key is not ours.
        yield f"{name}, by another key", ("algorithm", "signature", "unknownKey", "malformed"), lambda claims, header=header: signed(header, claims, OTHER)
    for name, header in (("empty", b""), ("an array", b"[]"), ("a text", b'"ES256"'), ("null", b"null"), ("cut short", b'{"alg":"ES256","kid":"k1"'), ("two objects", b'{"alg":"ES256","kid":"k1"}{}'),
                         ("not UTF-8", b'{"alg":"ES256","kid":"\xff"}'), ("nested 20,000 deep", b'{"alg":"ES256","kid":"k1","a":' + b"[" * 20_000 + b"]" * 20_000 + b"}")):
        yield f"header {name}", ("malformed", "unknownKey"), lambda claims, header=header: signed(header, claims)


def signatures():
    for name, make in (
            ("by DER", lambda data, r, s: KEY.sign(data, ec.ECDSA(hashes.SHA256()))), ("empty", lambda data, r, s: b""), ("of zeros", lambda data, r, s: bytes(64)),
            ("r = 0", lambda data, r, s: raw(0, s)), ("s = 0", lambda data, r, s: raw(r, 0)), ("r = n", lambda data, r, s: raw(ORDER, s)),
            ("s = n", lambda data, r, s: raw(r, ORDER)), ("r = s = n", lambda data, r, s: raw(ORDER, ORDER)), ("r = s = 1", lambda data, r, s: raw(1, 1)),
            ("r = 1, s = 0", lambda data, r, s: raw(1, 0)), ("r = n - 1, s = n - 1", lambda data, r, s: raw(ORDER - 1, ORDER - 1)),
            ("all ones", lambda data, r, s: b"\xff" * 64), ("r negated", lambda data, r, s: raw(ORDER - r, s)), ("r and s negated", lambda data, r, s: raw(ORDER - r, ORDER - s)),
            ("r complemented", lambda data, r, s: raw(2**256 - r, s)), ("s complemented", lambda data, r, s: raw(r, 2**256 - s)),
            ("r and s changed places", lambda data, r, s: raw(s, r)), ("of 63 bytes", lambda data, r, s: raw(r, s)[:63]), ("of 65 bytes", lambda data, r, s: raw(r, s) + b"\0"),
            ("with a zero in front", lambda data, r, s: b"\0" + raw(r, s)), ("of 33 bytes each", lambda data, r, s: raw(r, s, 33)), ("r + n in 33 bytes", lambda data, r, s: raw(r + ORDER, s, 33)),
            ("of 32 bytes", lambda data, r, s: raw(r, s)[:32]), ("twice", lambda data, r, s: raw(r, s) * 2), ("in hexadecimal", lambda data, r, s: raw(r, s).hex().encode()),
            ("little-endian", lambda data, r, s: r.to_bytes(32, "little") + s.to_bytes(32, "little")),
            ("of the payload alone", lambda data, r, s: raw(*numbers(data.split(b".")[1], KEY))), ("of a dot more", lambda data, r, s: raw(*numbers(data + b".", KEY))),
            ("of the decoded payload", lambda data, r, s: raw(*numbers(base64.urlsafe_b64decode(data.split(b".")[1] + b"=="), KEY))),
            ("of nothing", lambda data, r, s: raw(*numbers(b"", KEY))), ("by SHA-384", lambda data, r, s: raw(*decode_dss_signature(KEY.sign(data, ec.ECDSA(hashes.SHA384()))))),
            ("by SHA-512", lambda data, r, s: raw(*decode_dss_signature(KEY.sign(data, ec.ECDSA(hashes.SHA512())))))):
        yield f"a signature {name}", "signature", resigned(make)
    generator = random.Random(1)
    for bit in generator.sample(range(512), 12):
        yield f"a signature with bit {bit} changed", "signature", resigned(lambda data, r, s, bit=bit: (int.from_bytes(raw(r, s), "big") ^ 1 << bit).to_bytes(64, "big"))
    yield "a signature (r, n - s)", GOOD, resigned(lambda data, r, s: raw(r, ORDER - s))

    def other_claims(claims):
        head, _, signature = signed(HEADER, claims).split(".")
        return f"{head}.{base64url(text({**claims, 'offlineUntil': 253402300799999}))}.{signature}"
    yield "claims that were not signed", "signature", other_claims
    yield "a header that was not signed", "signature", lambda claims: base64url(text({**HEADER, "typ": "x"})) + signed(HEADER, claims)[len(base64url(text(HEADER))):]


def spellings():
    for name, change in (
            ("padding in the signature", lambda h, p, s: f"{h}.{p}.{s}=="), ("padding in the header", lambda h, p, s: f"{h}=.{p}.{s}"), ("padding in the payload", lambda h, p, s: f"{h}.{p}=.{s}"),
            ("a blank in front", lambda h, p, s: f" {h}.{p}.{s}"), ("a line's end behind", lambda h, p, s: f"{h}.{p}.{s}\n"), ("a line's end in it", lambda h, p, s: f"{h}.{p[:20]}\n{p[20:]}.{s}"),
            ("a tab", lambda h, p, s: f"{h}.\t{p}.{s}"), ("a zero byte", lambda h, p, s: f"{h}.{p}.{s}\0"), ("a byte order mark", lambda h, p, s: f"\ufeff{h}.{p}.{s}"),
            ("four parts", lambda h, p, s: f"{h}.{p}.{s}.{s}"), ("five parts", lambda h, p, s: f"{h}.{p}.{s}.{s}.{s}"), ("two parts", lambda h, p, s: f"{h}.{p}"), ("one part", lambda h, p, s: h),
            ("a dot more", lambda h, p, s: f"{h}.{p}.{s}."), ("a dot in front", lambda h, p, s: f".{h}.{p}.{s}"), ("without a header", lambda h, p, s: f".{p}.{s}"),
            ("without a payload", lambda h, p, s: f"{h}..{s}"), ("nothing", lambda h, p, s: ""), ("two dots", lambda h, p, s: ".."), ("quoted", lambda h, p, s: f'"{h}.{p}.{s}"'),
            ("percent signs", lambda h, p, s: f"{h}%2E{p}%2E{s}"), ("the flattened JSON form", lambda h, p, s: json.dumps({"protected": h, "payload": p, "signature": s})),
            ("the general JSON form", lambda h, p, s: json.dumps({"payload": p, "signatures": [{"protected": h, "signature": s}]})),
            ("full stops of another script", lambda h, p, s: f"{h}\u3002{p}\u3002{s}"), ("UTF-16", lambda h, p, s: f"{h}.{p}.{s}".encode("utf-16")),
            ("a signature of 85 characters", lambda h, p, s: f"{h}.{p}.{s[:-1]}"), ("a signature of 87 characters", lambda h, p, s: f"{h}.{p}.{s}A")):
        yield name, ("malformed", "signature") if "characters" in name or name == "without a payload" else "malformed", respelled(change)
    for index, part in enumerate(("header", "payload", "signature")):
        yield f"other spare bits in the {part}", "malformed", with_spare_bits(index)
    yield "the other alphabet", "malformed", lambda claims: signed(HEADER, {**claims, "x": "\u00fb\u00ff" * 20}).replace("-", "+").replace("_", "/") + "+"
    for share in (0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99):
        yield f"cut after {share:.0%}", ("malformed", "signature"), lambda claims, share=share: (lambda whole: whole[:int(len(whole) * share)])(signed(HEADER, claims))
    yield "longer than 64 KiB, and signed", "malformed", lambda claims: signed(HEADER, {**claims, "x": "a" * 60_000})
    yield "three million characters", "malformed", lambda claims: "a" * 3_000_000


def payloads():
    for name, changes, reason in (
            ("iss of another", {"iss": "somebody"}, "audience"), ("iss absent", {"iss": ...}, "malformed"), ("iss as a list", {"iss": ["tenure"]}, "malformed"), ("iss with another letter", {"iss": "Tenure"}, "audience"),
            ("aud of another app", {"aud": "other"}, "audience"), ("aud as a list of it", {"aud": ["demo"]}, "malformed"), ("aud as a list with it", {"aud": ["other", "demo"]}, "malformed"),
            ("aud absent", {"aud": ...}, "malformed"), ("aud null", {"aud": None}, "malformed"), ("aud with a blank", {"aud": "demo "}, "audience"), ("aud as an object", {"aud": {"demo": 1}}, "malformed"),
            ("sub of another", {"sub": "bob"}, "customer"), ("sub absent", {"sub": ...}, "malformed"), ("sub empty", {"sub": ""}, "customer"), ("sub a number", {"sub": 1}, "malformed"),
            ("sub in another spelling", {"sub": "Alice"}, "customer"), ("sub with a zero", {"sub": "alice\0"}, "customer"), ("sub null", {"sub": None}, "malformed"),
            ("environment of the other ledger", {"environment": "Sandbox"}, "environment"), ("environment absent", {"environment": ...}, "malformed"), ("environment empty", {"environment": ""}, "environment"),
            ("nonce of another request", {"nonce": "0" * 32}, "nonce"), ("nonce absent", {"nonce": ...}, "nonce"), ("nonce null", {"nonce": None}, "nonce"), ("nonce empty", {"nonce": ""}, "nonce"),
            ("nonce a number", {"nonce": 0}, "malformed"), ("nonce as a list", {"nonce": []}, "malformed")):
        yield name, reason, claimed(**changes)
    for claim in ("exp", "iat", "nbf"):
        for value in ("1795721312", "soon", 1795721312.5, 1e300, 9223372036854775808, -9223372036854775809, True, [1795721312], {}, *((None, ...) if claim != "nbf" else ())):
            yield f"{claim} {'absent' if value is ... else value!r}", "malformed", claimed(**{claim: value})
    for value in (0, -1, -9223372036854775808, 1, 1700000000):
        yield f"exp {value}", "expired", claimed(exp=value)
    for value in (9223372036854775807, 253402300799, 9007199254740993):
        yield f"iat {value}", "early", claimed(iat=value)
        yield f"nbf {value}", "early", claimed(nbf=value)
    yield "exp of this second", "expired", lambda claims: claimed(exp=claims["iat"])(claims)
    yield "iat ten minutes from now", "early", lambda claims: claimed(iat=claims["iat"] + 600)(claims)
    yield "nbf ten minutes from now", "early", lambda claims: claimed(nbf=claims["iat"] + 600)(claims)
    for name, changes in (
            ("isActive a text", {"isActive": "true"}), ("isActive 1", {"isActive": 1}), ("isActive absent", {"isActive": ...}), ("isActive null", {"isActive": None}),
            ("offlineUntil a text", {"offlineUntil": "2030"}), ("offlineUntil a fraction", {"offlineUntil": 0.5}), ("offlineUntil 1e300", {"offlineUntil": 1e300}),
            ("entitlements absent", {"entitlements": ...}), ("entitlements null", {"entitlements": None}), ("entitlements an object", {"entitlements": {}}), ("entitlements of texts", {"entitlements": ["plus"]}),
            ("an entitlement without id", {"entitlements": [{"isActive": True}]}), ("an entitlement whose id is a number", {"entitlements": [{"id": 1, "isActive": True}]}),
            ("1,001 entitlements", {"entitlements": [{"id": str(number), "isActive": False} for number in range(1001)]})):
        yield name, "malformed", claimed(**changes)
    for name, payload in (("empty", b""), ("an array", b"[]"), ("null", b"null"), ("a number", b"1"), ("not JSON", b"iss=tenure"), ("not UTF-8", b"\xff\xfe"), ("nested 20,000 deep", b"[" * 20_000 + b"]" * 20_000)):
        yield f"payload {name}", "malformed", lambda claims, payload=payload: signed(HEADER, payload)


GROUPS = {"algorithms": algorithms, "keys": keys, "headers": headers, "signatures": signatures, "spellings": spellings, "payloads": payloads}


# MARK: Playing


class Answers:
    """What the proxy answers to the requests for a signed answer, one after the other; the last again and again."""

    def __init__(self, makers):
        self.makers, self.asked = makers, 0

    def __call__(self, claims):
        made = self.makers[min(self.asked, len(self.makers) - 1)](claims)
        self.asked += 1
        return made if isinstance(made, bytes) else made.encode()


def reasons(problems):
    return [line.split(": ", 1)[1] for line in problems.splitlines() if line.startswith("signatureRefused: ")]


def kept(folder):
    """What was believed, by what the client keeps to verify again."""
    found = [json.loads(path.read_text()).get("signed") for path in (folder / "state").glob("answer-*.json")]
    return [one for one in found if one]


def ask(world, name, makers, jwks):
    """A device that asks once for each."""
    device = Device(world, "ipad")
    device.folder = world.folder / f"app-{name}"
    shutil.rmtree(device.folder, ignore_errors=True)
    answers = Answers(makers)
    with forging(world, answers) as address:
        # To log in asks, too.
        code, _, problems = device.run("identify:alice", *["refresh"] * (len(makers) - 1), server=address, jwks=jwks)
    return device, code, problems, answers.asked


def is_refused(found, wanted):
    return any(found.endswith(f'"{one}")') or found == one for one in ([wanted] if isinstance(wanted, str) else wanted))


def check_group(world, group, jwks):
    cases = list(GROUPS[group]())
    bad = [case for case in cases if case[1] != GOOD]
    wrong = []
    for start in range(0, len(bad), BATCH):
        part = bad[start:start + BATCH]
        device, code, problems, asked = ask(world, group, [make for *_, make in part], jwks)
        found = reasons(problems)
        believed = kept(device.folder)
        if code or asked != len(part) or len(found) != len(part) or believed:
            wrong.append((part[0][0], code, asked, len(found), believed, problems[-300:]))
        wrong += [(name, wanted, one) for (name, wanted, _), one in zip(part, found) if not is_refused(one, wanted)]
    for name, _, make in (case for case in cases if case[1] == GOOD):
        device, code, problems, _ = ask(world, group, [make], jwks)
        if code or reasons(problems) or not kept(device.folder):
            wrong.append((name, "not believed", problems))
    check(f"D5 {group}: {len(bad)} refused, each for its reason{f'; {len(cases) - len(bad)} believed' if len(cases) > len(bad) else ''}", not wrong, wrong)
    return len(bad)


def check_right(world, jwks):
    """The controls: without them a client that refuses everything would pass."""
    device, code, problems, _ = ask(world, "right", [lambda claims: signed(HEADER, claims)], jwks)
    check("D5 the right answer is believed, and kept", code == 0 and not reasons(problems) and len(kept(device.folder)) == 1, problems)
    extra = {"jwk": jwk(OTHER), "jku": "https://attacker.example/", "typ": "whatever"}
    device, _, problems, _ = ask(world, "extra", [lambda claims: signed({**HEADER, **extra}, claims)], jwks)
    check("D5 a key that a rightly signed answer brings along is not read", not reasons(problems) and len(kept(device.folder)) == 1, problems)


def check_changed_keys(world):
    """The server's key is changed while apps are in use: versions with the old key, with both, and with the new one alone."""
    def of(*named):
        path = world.folder / f"{'-'.join(kid for kid, _ in named)}.json"
        path.write_text(json.dumps({"keys": [jwk(key, kid=kid, alg="ES256", use="sig") for kid, key in named]}))
        return path
    old, both, new = of(("k1", KEY)), of(("k1", KEY), ("k3", NEXT)), of(("k3", NEXT))
    by_old, by_new = lambda claims: signed(HEADER, claims), lambda claims: signed({**HEADER, "kid": "k3"}, claims, NEXT)
    seen = {(name, word): kept(ask(world, "changed", [make], jwks)[0].folder) != [] for name, jwks in (("old", old), ("both", both), ("new", new))
            for word, make in (("old", by_old), ("new", by_new))}
    check("D5 a key is changed in mid-life: who has it believes it, and nobody else", seen == {
        (name, word): name in (word, "both") for name in ("old", "both", "new") for word in ("old", "new")}, seen)
    crossed = ask(world, "crossed", [lambda claims: signed({**HEADER, "kid": "k3"}, claims, KEY), lambda claims: signed(HEADER, claims, NEXT)], both)
    check("D5 each of two keys counts under its own kid alone", len(reasons(crossed[2])) == 2 and not kept(crossed[0].folder), crossed[2])


def check_replayed(world, jwks):
    """What was right once: an answer to another request, and one that is older than what was believed."""
    seen = []

    def first(claims):
        seen.append(signed(HEADER, claims))
        return seen[0]
    device, _, problems, asked = ask(world, "replayed", [first, *[lambda claims: seen[0]] * 5], jwks)
    check("D5 an answer that is played again is refused", asked == 6 and len(reasons(problems)) == 5 and all(is_refused(one, "nonce") for one in reasons(problems)), problems)
    _, _, problems, _ = ask(world, "older", [lambda claims: signed(HEADER, claims), lambda claims: claimed(iat=claims["iat"] - 1)(claims)], jwks)
    check("D5 one that is older than what was believed is refused", [is_refused(one, "older") for one in reasons(problems)] == [True], problems)


def main():
    if not client_run.DEVICE.exists():
        raise SystemExit(f"{client_run.DEVICE} is missing: make client builds it")
    with tempfile.TemporaryDirectory() as name:
        world = World(pathlib.Path(name))
        with world.simulator(), world.serving():
            jwks = world.folder / "k1.json"
            jwks.write_text(json.dumps({"keys": [jwk(KEY, kid="k1", alg="ES256", use="sig")]}))
            code, lines, problems = world.device("ipad").run("identify:alice", "purchase:plus.monthly")
            check("alice has something that a forger would like", code == 0 and lines["purchase:plus.monthly"].get("outcome") == "bought", problems)
            check_right(world, jwks)
            wanted = os.environ.get("ONLY", ",".join(GROUPS)).split(",")
            count = sum(check_group(world, group, jwks) for group in GROUPS if group in wanted)
            check_replayed(world, jwks)
            check_changed_keys(world)
            check(f"D5 in all {count} answers refused", count > 0)
    return harness.summary()


if __name__ == "__main__":
    sys.exit(main())
