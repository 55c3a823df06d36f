#!/usr/bin/env python3
"""Drives `tenure import`, `verify`, `backup` and the doors for what came before StoreKit 2, from outside: SQLite files as
sqlite3 sees them, certificates and JWS by `cryptography`, receipts by `openssl cms`, hashes by hashlib. Prints one line per
check; the exit code is 1 when one failed.

TENURE_BINARY names another program than the one that was built here; SEED makes the moments of SIGKILL others."""

import os
import pathlib
import sys
import tempfile

import books_backup
import books_doors
import books_import
import books_material
import books_verify
import harness


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        signer = books_material.Signer(folder)
        large = books_import.run(folder, signer, int(os.environ.get("SEED", "1")))
        books_verify.run(folder, signer)
        books_backup.run(large)
        books_doors.run(folder, signer)
    return harness.summary()


if __name__ == "__main__":
    sys.exit(main())
