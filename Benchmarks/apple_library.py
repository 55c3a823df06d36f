"""Prints how many transactions Apple's own Python library verifies in a second: one thread, offline, strict checks on."""

import pathlib
import sys
import time

from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier

SECONDS = 2.0


def main() -> None:
    folder, bundle_id, app_apple_id = pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    transaction = (folder / "transaction.jws").read_text()
    verifier = SignedDataVerifier([(folder / "root.der").read_bytes()], False, Environment.PRODUCTION, bundle_id, app_apple_id)
    verifier.verify_and_decode_signed_transaction(transaction)
    count, start = 0, time.perf_counter()
    while time.perf_counter() - start < SECONDS:
        verifier.verify_and_decode_signed_transaction(transaction)
        count += 1
    print(count / (time.perf_counter() - start))


if __name__ == "__main__":
    main()
