#!/usr/bin/env python3
"""Runs docs/try-subscriptions-on-your-laptop.md as a reader would (page_walk.py). Prints one line per check; the exit code is 1 when
one failed."""

import sys

import harness
import page_walk
from harness import ROOT, check

PORTS = ("8000", "8081", "8083")

# What the page leaves to its default: the port of the store, and where `do` finds it.
TENURE_OF_THE_READER = """#!/bin/sh
case "$1 $2 $*" in
    *" --port "*) exec TENURE "$@" ;;
    "simulate do "*) shift 2; exec TENURE simulate do --port 8081 "$@" ;;
    "simulate --"*) exec TENURE "$@" --port 8081 ;;
    *) exec TENURE "$@" ;;
esac
"""


def main():
    every = page_walk.walk(ROOT / "docs/try-subscriptions-on-your-laptop.md", PORTS, TENURE_OF_THE_READER)
    kinds = {words[0] for words, _ in every}
    check("the page has blocks of every kind", kinds == {"sh", "python", "swift", "text", "yaml"} and len(every) > 25, kinds)
    fixture = next(text for words, text in every if words[1:] == ["conftest.py"])
    check("the fixture is short", len(fixture.splitlines()) <= 60, len(fixture.splitlines()))
    return harness.summary()


if __name__ == "__main__":
    sys.exit(main())
