"""Signatures of webhooks as others make them, and which addresses are public as Python sees it: the vectors that Tests/DeliveryTests
holds our code against. Without an option it checks that the committed signatures are still what these libraries make, and that both
libraries that receivers use accept them; with --write it makes the files anew.

    .venv/bin/python Tests/Peers/webhook_vectors.py [--write]"""

import base64
import datetime
import ipaddress
import random
import re
import sys
import time

import standardwebhooks
import svix
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from harness import ROOT, check, summary

FOLDER = ROOT / "Tests/DeliveryTests/Vectors"
# What Svix publishes in its documentation; the signature of the second is in the tests of its server.
PUBLISHED = ("msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, '{"test": 2432232314}')
PUBLISHED_V1 = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
PUBLISHED_V1A = "whsk_6Xb/dCcHpPea21PS1N9VY/NZW723CEc77N4rJCubMbfVKIDij2HKpMKkioLlX0dRqSKJp4AJ6p9lMicMFs6Kvg=="
PUBLISHED_V1A_SIGNATURE = "v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZdpXwVLPo3mNl8EM+m7TBAg=="
ALPHABET = "abcXYZ019{}\":, \n.ßé€漢😀"


def v1(secret, id, timestamp, body):
    at = datetime.datetime.fromtimestamp(timestamp, tz=datetime.timezone.utc)
    return standardwebhooks.Webhook(secret).sign(id, at, body)


def private_key(secret):
    return Ed25519PrivateKey.from_private_bytes(base64.b64decode(secret.removeprefix("whsk_"))[:32])


def v1a(secret, id, timestamp, body):
    return "v1a," + base64.b64encode(private_key(secret).sign(f"{id}.{timestamp}.{body}".encode())).decode()


def public_bytes(key):
    return key.public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)


def signatures():
    """Each: secret, id, timestamp, body, signature."""
    chance = random.Random(20261125)
    found = [(PUBLISHED_V1, *PUBLISHED, v1(PUBLISHED_V1, *PUBLISHED)), (PUBLISHED_V1A, *PUBLISHED, v1a(PUBLISHED_V1A, *PUBLISHED))]
    for number in range(50):
        id = "evt_" + "".join(chance.choices("abcdefghijklmnopqrstuvwxyz234567", k=26))
        message = (id, chance.randrange(1, 4_000_000_000), "".join(chance.choices(ALPHABET, k=chance.randrange(0, 20))))
        if number % 2:
            seed = chance.randbytes(32)
            whole = seed + public_bytes(Ed25519PrivateKey.from_private_bytes(seed)) if number % 4 == 1 else seed
            secret = "whsk_" + base64.b64encode(whole).decode()
            found.append((secret, *message, v1a(secret, *message)))
        else:
            secret = "whsec_" + base64.b64encode(chance.randbytes(chance.randrange(24, 65))).decode()
            found.append((secret, *message, v1(secret, *message)))
    return found


def signature_lines():
    return [
        line
        for secret, id, timestamp, body, signature in signatures()
        for line in (secret, f"{id} {timestamp}", "body=" + base64.b64encode(body.encode()).decode(), signature)
    ]


def addresses():
    """The edges of every range that Python knows of, and addresses of no particular kind."""
    chance = random.Random(40)
    constants = [ipaddress._IPv4Constants, ipaddress._IPv6Constants]
    ranges = [
        value
        for constant in constants
        for name in dir(constant)
        if name.startswith("_") and not name.startswith("__")
        for value in (getattr(constant, name) if isinstance(getattr(constant, name), list) else [getattr(constant, name)])
        if isinstance(value, (ipaddress.IPv4Network, ipaddress.IPv6Network))
    ]
    numbers = set()
    for range_ in ranges:
        kind, most = (ipaddress.IPv4Address, 2**32 - 1) if range_.version == 4 else (ipaddress.IPv6Address, 2**128 - 1)
        first, last = int(range_[0]), int(range_[-1])
        numbers |= {kind(number) for number in (first - 1, first, last, last + 1) if 0 <= number <= most}
    numbers |= {ipaddress.IPv4Address(chance.randrange(2**32)) for _ in range(300)}
    numbers |= {ipaddress.IPv6Address(chance.randrange(2**128)) for _ in range(100)}
    numbers |= {ipaddress.IPv6Address(0x2 << 124 | chance.randrange(2**125 - 2**124)) for _ in range(100)}
    return sorted(numbers, key=lambda address: (address.version, int(address)))


def written(name, what, lines):
    lines = "\n".join("        " + line for line in lines)
    return (
        f"// Made by `Tests/Peers/webhook_vectors.py --write`, never by our own code; do not edit.\n"
        f'enum {name} {{\n    /// {what}\n    static let text = """\n{lines}\n        """\n}}\n'
    )


def write():
    FOLDER.mkdir(exist_ok=True)
    what = "Four lines each: secret; id and timestamp; body in base64; signature by standardwebhooks 1.1.0 or cryptography."
    (FOLDER / "SignatureVectors.swift").write_text(written("SignatureVectors", what, signature_lines()))
    version = ".".join(map(str, sys.version_info[:3]))
    lines = [f"{address} {'public' if address.is_global else 'not'}" for address in addresses()]
    what = f"An address, and whether `is_global` of Python {version} says that it is public."
    (FOLDER / "AddressVectors.swift").write_text(written("AddressVectors", what, lines))


def main():
    if "--write" in sys.argv[1:]:
        return write()
    committed = (FOLDER / "SignatureVectors.swift").read_text()
    lines = [line.strip() for line in re.search(r'"""\n(.*)\n +"""', committed, re.DOTALL).group(1).split("\n")]
    check("the committed signatures are what the libraries make", lines == signature_lines())
    check("Ed25519 as Svix publishes it", v1a(PUBLISHED_V1A, *PUBLISHED) == PUBLISHED_V1A_SIGNATURE)
    # Receivers refuse what is old, so the same secrets sign anew.
    now, accepted = int(time.time()), 0
    shared = [entry for entry in signatures() if entry[0].startswith("whsec_")]
    for secret, id, _, body, _ in shared:
        both = v1(secret, id, now, body) + " " + v1a(PUBLISHED_V1A, id, now, body)
        headers = {"webhook-id": id, "webhook-timestamp": str(now), "webhook-signature": both}
        for library in (standardwebhooks.Webhook, svix.Webhook):
            try:
                library(secret).verify('"x"' if body == "" else body, headers)
                accepted += body != ""
            except (standardwebhooks.WebhookVerificationError, svix.WebhookVerificationError):
                accepted -= body != ""
            except ValueError:
                # The signature held; the body is no JSON.
                accepted += body != ""
    count = 2 * sum(entry[3] != "" for entry in shared)
    check("a v1 signature beside a v1a one is accepted by standardwebhooks and by svix", accepted == count, f"{accepted} of {count}")
    return summary()


if __name__ == "__main__":
    sys.exit(main())
