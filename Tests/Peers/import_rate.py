#!/usr/bin/env python3
"""Measures `tenure import`: lines of the kind in books_import (notifications and transactions of three months, signed here), into
an empty SQLite file, several times; prints lines a second of each. Asks nothing of a rate; fails where a line is refused.

    TENURE_BINARY=.build/release/tenure python Tests/Peers/import_rate.py [LINES [TIMES]]
"""

import os
import pathlib
import sys
import tempfile
import time

from books_import import json_lines, lives
from books_material import Books, Signer


def main(lines=20_000, times=3):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        signer = Signer(folder)
        path = json_lines(folder / "history.jsonl", lives(signer, lines // 4))
        print(f"{lines} lines, {path.stat().st_size / lines:.0f} bytes each, load {os.getloadavg()[0]:.1f}")
        for number in range(times):
            books = Books(folder, signer, name=f"books{number}")
            start = time.monotonic()
            outcome = books.tenure("import", "--from-beginning", path)
            seconds = time.monotonic() - start
            if outcome.returncode or books.counts()["subscription"] != str(lines // 4):
                raise SystemExit(f"{outcome.returncode}: {outcome.stdout}{outcome.stderr}")
            size = books.database.stat().st_size
            print(f"{seconds:.1f} s, {lines / seconds:.0f} lines a second; the file takes {size / lines:.0f} bytes a line")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
