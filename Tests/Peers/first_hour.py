#!/usr/bin/env python3
"""Runs docs/first-hour.md as a reader would (page_walk.py): one configuration for the local App Store and the server, the first
notification, the first upload, the first answer, and the configuration for Apple's App Store. Prints one line per check; the exit
code is 1 when one failed."""

import sys

import harness
import page_walk
from harness import ROOT, check

PORTS = ("8080", "8081")

# What the page leaves to its default: the ports that the configuration gets, and where `do` finds the store.
TENURE_OF_THE_READER = """#!/bin/sh
case "$1 $2" in
    "init local") exec TENURE "$@" --port 8080 --store-port 8081 ;;
    "simulate do") shift 2; exec TENURE simulate do --port 8081 "$@" ;;
    *) exec TENURE "$@" ;;
esac
"""


def main():
    every = page_walk.walk(ROOT / "docs/first-hour.md", PORTS, TENURE_OF_THE_READER)
    check("the page has blocks of each kind that it needs", {words[0] for words, _ in every} == {"sh", "python", "text"}, every)
    return harness.summary()


if __name__ == "__main__":
    sys.exit(main())
