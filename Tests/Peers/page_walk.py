"""Runs a page of docs as a reader would, from the first block to the last, and compares what it prints with what the page says. A
fenced block's first line says what it is, and a block that says nothing of this is a failure:

    sh                a block of commands for the one shell in which the reader sits; it must succeed
    sh build          how to build: not run, since what is tested is built already, but its commands must be the Makefile's
    sh stays NAME     a program that keeps running in its own terminal; the `text` after it is awaited, its lines in any order
    sh FILE.sh, python FILE.py
                      a file that the reader saves
    text              what the block before printed, line by line; `…` stands for any text
    text NAME         what the program NAME printed since the last such block
    swift FILE        lines that stand so in a test of the repository, which is run there
    yaml              a CI file: what stays is ended as with Ctrl-C, then each `run: |` runs in a fresh `bash -e`

The ports of the page are replaced by free ones, also where they are left to their default: the reader's `tenure` is a script of the
page's that says them. The folder is a new one with the repository's Examples in it. Prints one line per check."""

import contextlib
import os
import pathlib
import queue
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time

from harness import ROOT, TENURE, check, free_port

PATIENCE = 60


def blocks(page):
    """Each fenced block: its words and its text."""
    fences = re.findall(r"^```([^\n]+)\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)
    return [(words.split(), text) for words, text in fences]


def fits(wanted, printed):
    """Whether lines are the ones that the page shows."""
    patterns = [".*".join(re.escape(part) for part in line.rstrip().split("…")) for line in wanted]
    return len(patterns) == len(printed) and all(
        re.fullmatch(pattern, line.rstrip()) for pattern, line in zip(patterns, printed))


class Terminal:
    """A bash whose output is read line by line."""

    def __init__(self, folder, environment, *command):
        self.process = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, bufsize=1, start_new_session=True,
            # A background process inherits that Ctrl-C is ignored; in a terminal it is not.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        self.lines = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\n"))
        self.lines.put(None)

    def until(self, is_enough):
        """Lines until there are enough, the end, or no more patience."""
        seen, deadline = [], time.monotonic() + PATIENCE
        while not is_enough(seen):
            try:
                line = self.lines.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                break
            if line is None:
                break
            seen.append(line)
        return seen

    def end(self):
        """Ctrl-C."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGINT)
        return self.process.wait(timeout=30)


class Reader:
    """Works in a separate folder, with a shell and programs that keep running."""

    def __init__(self, folder, ports, script):
        self.folder = folder
        (folder / "Examples").symlink_to(ROOT / "Examples")
        self.ports = {port: str(free_port()) for port in ports}
        tenure = folder / ".commands/tenure"
        tenure.parent.mkdir()
        tenure.write_text(self.here(script).replace("TENURE", shlex.quote(str(TENURE.resolve()))))
        tenure.chmod(0o755)
        path = os.pathsep.join([str(tenure.parent), str(pathlib.Path(sys.executable).parent), os.environ["PATH"]])
        self.environment = {**os.environ, "PATH": path}
        self.shell = Terminal(folder, self.environment, "bash", "-eu", "-o", "pipefail")
        self.staying, self.printed, self.count = {}, [], 0

    def here(self, text):
        """The page's text with this run's ports."""
        return re.sub("|".join(rf"\b{port}\b" for port in self.ports), lambda match: self.ports[match.group()], text)

    def meet(self, words, text, following):
        kind, rest = words[0], words[1:]
        text = self.here(text)
        if kind == "sh" and rest == ["build"]:
            self.build(text)
        elif kind == "sh" and rest[:1] == ["stays"] and len(rest) == 2:
            self.stay(rest[1], text, following)
        elif (kind, pathlib.Path(rest[0]).suffix if len(rest) == 1 else "") in (("sh", ".sh"), ("python", ".py")):
            (self.folder / rest[0]).write_text(text)
        elif kind == "sh" and not rest:
            self.run(text)
        elif kind == "text" and len(rest) <= 1:
            self.compare(text, *rest)
        elif kind == "swift" and len(rest) == 1:
            wanted = [line.strip() for line in text.strip().splitlines()]
            source = [line.strip() for line in (ROOT / rest[0]).read_text().splitlines()]
            check(f"the lines of Swift stand so in {rest[0]}",
                  any(source[place:place + len(wanted)] == wanted for place in range(len(source))), text)
        elif kind == "yaml" and not rest:
            self.continuous_integration(text)
        else:
            check(f"a block of a kind that is known: {' '.join(words)}", False, text)

    def build(self, text):
        makefile = (ROOT / "Makefile").read_text()
        steps = text.strip().splitlines()
        check("the page builds as the Makefile does", len(steps) == 3 and f"\t@{steps[0]}\n" in makefile
              and steps[1].startswith("swift build ") and "SWIFT_BUILD = swift build $(LEAN)\n" in makefile
              and f"\t$(SWIFT_BUILD){steps[1].removeprefix('swift build')}\n" in makefile, steps)
        check("and where the Makefile builds there", steps[2] == 'export PATH="$PWD/.build/debug:$PATH"'
              and ".build/debug/tenure demo" in makefile, steps)

    def stay(self, name, text, following):
        words, wanted = following
        check(f"the page shows how to see that {name} runs", words == ["text"], following)
        lines = self.here(wanted).splitlines()
        terminal = self.staying[name] = Terminal(self.folder, self.environment, "bash", "-euc", "exec " + text)
        printed = terminal.until(lambda seen: len(seen) >= len(lines))
        self.printed = [next((line for line in printed if fits([want], [line])), "") for want in lines]

    def run(self, text):
        self.count += 1
        mark = f"--- {self.count} done ---"
        self.shell.process.stdin.write(f"{text}echo '{mark}'\n")
        seen = self.shell.until(lambda seen: seen[-1:] == [mark])
        check(f"it runs: {text.strip().splitlines()[-1][:90]}", seen[-1:] == [mark], (text, seen))
        self.printed = [line for line in seen if line != mark]
        if self.shell.process.poll() is not None:
            raise SystemExit("what follows needs that shell")

    def compare(self, text, name=None):
        wanted = text.splitlines()
        printed = self.staying[name].until(lambda seen: len(seen) >= len(wanted)) if name else self.printed
        check(f"{name or 'it'} prints: {wanted[0][:70]}", fits(wanted, printed), printed)

    def continuous_integration(self, text):
        self.end()
        scripts = re.findall(r"^( +)run: \|\n((?:\1 +.*\n|\n)+)", text, re.MULTILINE)
        check("the CI file has something to run", len(scripts) == 1, text)
        for _, script in scripts:
            outcome = subprocess.run(
                ["bash", "-e", "-c", textwrap.dedent(script)], cwd=self.folder, env=self.environment, capture_output=True,
                text=True, timeout=PATIENCE)
            check("CI: it runs", outcome.returncode == 0, outcome.stdout + outcome.stderr)

    def end(self):
        for name, terminal in self.staying.items():
            terminal.end()
            left = terminal.until(lambda seen: False)
            # This is how Python reports Ctrl-C.
            said = left[:left.index("Traceback (most recent call last):")] if left[-1:] == ["KeyboardInterrupt"] else left
            check(f"{name} printed nothing that the page is silent about", said == [], left)
        self.staying = {}


def walk(page, ports, script):
    """Walks through a page; returns its blocks.

    `ports` are those that the page names. `script` is the reader's `tenure`, with the page's ports and TENURE for the program: it says
    what the page leaves to its default."""
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        reader = Reader(pathlib.Path(folder).resolve(), ports, script)
        stack.callback(reader.shell.end)
        stack.callback(reader.end)
        every = blocks(page)
        for (words, text), following in zip(every, every[1:] + [([], "")]):
            reader.meet(words, text, following)
    return every
