"""A private PostgreSQL server for the checks, in a separate folder and on a separate port, with psql."""

import contextlib
import os
import pathlib
import shutil
import subprocess
import tempfile

from harness import free_port

# The server refuses to run as root, so root runs its programs as the user `postgres`.
PREFIX = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []


def programs():
    """Debian keeps them out of the PATH, one folder per version; the newest is taken."""
    folders = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name), reverse=True)
    for folder in [*folders, *map(pathlib.Path, os.environ.get("PATH", "").split(":"))]:
        if (folder / "initdb").exists() and (folder / "pg_ctl").exists():
            return folder
    raise SystemExit("no initdb and pg_ctl of PostgreSQL on this machine; install them (Debian: postgresql)")


@contextlib.contextmanager
def private_postgres():
    """Yields the URL of its database `postgres`."""
    binaries = programs()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="tenure-peer-pg-"))
    cluster, port = folder / "cluster", free_port()

    def run(program, *arguments):
        subprocess.run([*PREFIX, binaries / program, *arguments], check=True, stdout=subprocess.DEVNULL, cwd="/")

    try:
        if PREFIX:
            shutil.chown(folder, "postgres", "postgres")
        run("initdb", "-D", cluster, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync")
        options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder}"
        run("pg_ctl", "-D", cluster, "-l", folder / "log", "-w", "-o", options, "start")
        try:
            yield f"postgres://postgres@127.0.0.1:{port}/postgres?sslmode=disable"
        finally:
            run("pg_ctl", "-D", cluster, "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def psql(url, statement):
    """What psql prints, line by line, columns between bars."""
    outcome = subprocess.run(["psql", "-X", "-A", "-t", "-c", statement, url], capture_output=True, text=True, timeout=60)
    if outcome.returncode:
        raise SystemExit(f"psql: {outcome.stderr}")
    return outcome.stdout.splitlines()
