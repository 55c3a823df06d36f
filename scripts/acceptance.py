"""What the scripts have in common that show an issue's acceptance whole: they run programs, read what these print, and end with a line for each id."""

import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
PYTHON = ROOT / ".venv/bin/python"
RELEASE = str(ROOT / ".build/release/tenure")


def run(*arguments, **environment):
    """Whether it succeeded, and what it printed."""
    outcome = subprocess.run(
        [str(argument) for argument in arguments], cwd=ROOT, env={**os.environ, **environment}, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True)
    print(outcome.stdout, flush=True)
    return outcome.returncode == 0, outcome.stdout


def figure(output, pattern):
    """The last that a pattern finds."""
    found = re.findall(pattern, output)
    return found[-1] if found else "no figure"


def end(rows, *widths):
    """Prints a line for each row: id, what was run, figure, and whether it is right; None: not run. Returns the exit code."""
    print()
    for *cells, is_right in rows:
        print(*(f"{cell:<{width}}" for cell, width in zip(cells, widths)), "not run" if is_right is None else "passed" if is_right else "FAILED")
    return 1 if any(row[3] is False for row in rows) else 0
