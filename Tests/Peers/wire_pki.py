"""Certificates and compact JWS as Apple makes them, made here with `cryptography` alone, so that nothing vouches for itself.

Every part can be made wrong: that is what the corpora are for.
"""

import base64
import dataclasses
import datetime
import functools
import json

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa, utils

LEAF_MARKER = x509.ObjectIdentifier("1.2.840.113635.100.6.11.1")
INTERMEDIATE_MARKER = x509.ObjectIdentifier("1.2.840.113635.100.6.2.1")
P256_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
START, END = datetime.datetime(2024, 1, 1), datetime.datetime(2045, 1, 1)
DER_NULL = b"\x05\x00"


def milliseconds(moment):
    return int(moment.replace(tzinfo=datetime.timezone.utc).timestamp() * 1000)


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def name(common, unit=None):
    parts = [(x509.NameOID.COMMON_NAME, common), (x509.NameOID.ORGANIZATION_NAME, "Peers Inc.")]
    parts += [(x509.NameOID.ORGANIZATIONAL_UNIT_NAME, unit)] if unit else []
    return x509.Name([x509.NameAttribute(oid, text) for oid, text in parts])


@dataclasses.dataclass(frozen=True)
class Profile:
    """What a certificate says; the three below are what Apple's say."""

    subject: x509.Name
    is_ca: bool
    path_length: int | None = None
    marker: x509.ObjectIdentifier | None = None
    may_sign: bool = False
    may_issue: bool = False
    start: datetime.datetime = START
    end: datetime.datetime = END
    key_identifiers: bool = True
    extra: tuple = ()

    def but(self, **changes):
        return dataclasses.replace(self, **changes)


ROOT = Profile(name("Peers Root CA"), is_ca=True, may_issue=True)
INTERMEDIATE = Profile(name("Peers Intermediate", "G6"), is_ca=True, path_length=0, marker=INTERMEDIATE_MARKER, may_issue=True)
LEAF = Profile(name("Peers Receipt Signing"), is_ca=False, marker=LEAF_MARKER, may_sign=True)


@dataclasses.dataclass(frozen=True)
class Identity:
    """A certificate with its key."""

    certificate: x509.Certificate
    key: object

    @property
    def der(self):
        return self.certificate.public_bytes(serialization.Encoding.DER)

    @property
    def pem(self):
        return self.certificate.public_bytes(serialization.Encoding.PEM)

    @property
    def key_pem(self):
        return self.key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())


def key_usage(profile):
    return x509.KeyUsage(
        digital_signature=profile.may_sign,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=profile.may_issue,
        crl_sign=profile.may_issue,
        encipher_only=False,
        decipher_only=False,
    )


def issue(profile, key, issuer=None, digest=None, serial=None):
    """A certificate of this profile, signed by the issuer; by itself where there is none."""
    issuer_key = issuer.key if issuer else key
    issuer_name = issuer.certificate.subject if issuer else profile.subject
    builder = (
        x509.CertificateBuilder()
        .subject_name(profile.subject)
        .issuer_name(issuer_name)
        .public_key(key.public_key())
        .serial_number(serial or x509.random_serial_number())
        .not_valid_before(profile.start)
        .not_valid_after(profile.end)
        .add_extension(x509.BasicConstraints(profile.is_ca, profile.path_length if profile.is_ca else None), critical=True)
    )
    if profile.may_sign or profile.may_issue:
        builder = builder.add_extension(key_usage(profile), critical=True)
    if profile.key_identifiers:
        builder = builder.add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        if issuer:
            identifier = x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key.public_key())
            builder = builder.add_extension(identifier, critical=False)
    if profile.marker:
        builder = builder.add_extension(x509.UnrecognizedExtension(profile.marker, DER_NULL), critical=False)
    for oid, value, critical in profile.extra:
        builder = builder.add_extension(x509.UnrecognizedExtension(x509.ObjectIdentifier(oid), value), critical=critical)
    return Identity(builder.sign(issuer_key, digest or hashes.SHA256()), key)


@dataclasses.dataclass(frozen=True)
class Chain:
    root: Identity
    intermediate: Identity
    leaf: Identity

    @property
    def der(self):
        return [self.leaf.der, self.intermediate.der, self.root.der]


def new_key(curve=ec.SECP256R1):
    return ec.generate_private_key(curve())


@functools.cache
def rsa_key(use, bits=2048):
    """One key for each use: RSA keys take long to make."""
    return rsa.generate_private_key(65537, bits)


def ecdsa_chain(root=ROOT, intermediate=INTERMEDIATE, leaf=LEAF, leaf_key=None, trusted=None):
    """A chain as under Apple's JWS; below an identity that is trusted already, or below a root of its own."""
    trusted = trusted or issue(root, new_key(ec.SECP384R1), digest=hashes.SHA384())
    middle = issue(intermediate, new_key(ec.SECP384R1), trusted, hashes.SHA384())
    return Chain(trusted, middle, issue(leaf, leaf_key or new_key(), middle, hashes.SHA384()))


def rsa_chain(root=ROOT, intermediate=INTERMEDIATE, leaf=LEAF, leaf_bits=2048, trusted=None, digest=None):
    """A chain as under Apple's receipts."""
    trusted = trusted or issue(root, rsa_key(f"root of {root.subject.rfc4514_string()}"), digest=digest)
    middle = issue(intermediate, rsa_key("intermediate"), trusted, digest)
    return Chain(trusted, middle, issue(leaf, rsa_key("leaf", leaf_bits), middle, digest))


def x5c(certificates):
    return [base64.b64encode(der).decode() for der in certificates]


def raw_signature(key, signed):
    """r and s, 32 bytes each, as RFC 7518 wants them."""
    r, s = utils.decode_dss_signature(key.sign(signed, ec.ECDSA(hashes.SHA256())))
    size = (key.key_size + 7) // 8
    return r.to_bytes(size, "big") + s.to_bytes(size, "big")


def encoded(part):
    """A part of a JWS: of a value its JSON, of a text or bytes these, each in base64url."""
    if isinstance(part, str):
        part = part.encode()
    return base64url(part if isinstance(part, bytes) else json.dumps(part).encode())


def jws(chain, payload, header=None, key=None):
    """A compact JWS of Apple's form. The header may be given whole, to be signed as it is."""
    header = {"alg": "ES256", "x5c": x5c(chain.der)} if header is None else header
    signed = f"{encoded(header)}.{encoded(payload)}"
    return f"{signed}.{base64url(raw_signature(key or chain.leaf.key, signed.encode()))}"


# Hand-written DER, for what no library would write.


def tlv(tag, *contents):
    content = b"".join(contents)
    size = len(content)
    if size < 0x80:
        return bytes([tag, size]) + content
    length = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes([tag, 0x80 | len(length)]) + length + content


def children(der):
    """The values inside a constructed value, each with its tag and length."""
    found, inside = [], der[header_length(der) :]
    while inside:
        size = value_length(inside)
        found.append(inside[:size])
        inside = inside[size:]
    return found


def header_length(der):
    return 2 + (der[1] & 0x7F if der[1] & 0x80 else 0)


def value_length(der):
    start = header_length(der)
    return start + (int.from_bytes(der[2:start], "big") if der[1] & 0x80 else der[1])


def resigned(certificate, change, issuer_key, digest=hashes.SHA384):
    """A certificate's DER whose inner fields were changed by hand and signed again; `change` takes and gives a list of them."""
    body, algorithm, _ = children(certificate)
    changed = tlv(0x30, *change(children(body)))
    signature = issuer_key.sign(changed, ec.ECDSA(digest()))
    return tlv(0x30, changed, algorithm, tlv(0x03, b"\x00", signature))
