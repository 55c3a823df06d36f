"""In-App Purchase keys for programs of this folder, as App Store Connect gives them: a P-256 key, PKCS #8, PEM."""

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec


def write_key(path):
    """A new key in a file that its owner alone can read; the path."""
    key = ec.generate_private_key(ec.SECP256R1())
    path.write_bytes(key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    path.chmod(0o600)
    return path
