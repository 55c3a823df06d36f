#!/usr/bin/env python3
"""Compares what `tenure` verifies and signs with independent code: Apple's server library, openssl, PyJWT and
apple-purchase-receipt-verifier. Starts no server. Prints what fails and one line for each group; the exit code is 1 when
something failed.

TENURE_BINARY names another program than the one that was built here; TENURE_FIXTURES a folder with Apple's real receipts,
which are skipped without it unless TENURE_FIXTURES_REQUIRED is 1."""

import sys
import tempfile
import warnings

from cryptography.utils import CryptographyDeprecationWarning

import wire_inspect
import wire_jws
import wire_receipts
import wire_signatures
from wire_checks import Checks


def main():
    # A certificate of the corpus has a negative serial number; the deprecation warning of `cryptography` about it is not relevant
    # here.
    warnings.simplefilter("ignore", CryptographyDeprecationWarning)
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        wire_jws.run(checks, folder)
        wire_receipts.run(checks, folder)
        wire_signatures.run(checks, folder)
        wire_inspect.run(checks, folder)
    print(checks.summary())
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
