"""What the scripts have in common that show an issue's acceptance whole: they run programs, read what these print, and end with a line for each id."""

import os
import pathlib
import re
import subprocess
import time

START = time.monotonic()
ROOT = pathlib.Path(__file__).resolve().parent.parent
PYTHON = ROOT / ".venv/bin/python"
RELEASE = str(ROOT / ".build/release/tenure")


def run(*arguments, **environment):
    """Whether it succeeded, and what it printed, which is shown as it comes."""
    start, arguments = time.monotonic(), [str(argument) for argument in arguments]
    print(f"== {' '.join(arguments)}", flush=True)
    lines = []
    with subprocess.Popen(
        arguments, cwd=ROOT, env={**os.environ, "PYTHONUNBUFFERED": "1", **environment}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        encoding="utf-8", errors="replace",
    ) as program:
        for line in program.stdout:
            lines.append(line)
            print(line, end="", flush=True)
    print(f"-- {time.monotonic() - start:.0f} s, status {program.returncode}", flush=True)
    return program.returncode == 0, "".join(lines)


def figure(output, pattern):
    """The last that a pattern finds."""
    found = re.findall(pattern, output)
    return found[-1] if found else "no figure"


def end(rows, *widths):
    """Prints a line for each row: id, what was run, figure, and whether it is right; None: not run. Returns the exit code."""
    print()
    for *cells, is_right in rows:
        print(*(f"{cell:<{width}}" for cell, width in zip(cells, widths)), "not run" if is_right is None else "passed" if is_right else "FAILED")
    print(f"{time.monotonic() - START:.0f} s in all")
    return 1 if any(row[3] is False for row in rows) else 0
