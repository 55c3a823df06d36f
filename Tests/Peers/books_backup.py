"""`tenure backup` while the server takes notifications; restoring; and an interrupted backup."""

import threading
import time

from books_import import json_lines, lives
from books_material import Books
from harness import check


class Client:
    """Posts notifications one after the other until it is stopped, and records which were acknowledged, and when."""

    def __init__(self, books, first):
        self.books, self.number, self.acknowledged, self.others = books, first, [], []
        self.stopped = threading.Event()
        self.thread = threading.Thread(target=self.run)

    def run(self):
        while not self.stopped.is_set():
            status, answer = self.books.post_notification(self.books.signer.notification(self.number))
            if (status, answer.get("outcome")) == (200, "applied"):
                self.acknowledged.append((self.number, time.monotonic()))
            else:
                self.others.append((status, answer))
            self.number += 1

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stopped.set()
        self.thread.join(timeout=60)


def subscriptions(books, database):
    return {int(text) for text in books.sql("SELECT originalTransactionId FROM subscription", database)}


def check_under_load(books):
    copy = books.folder / "copy.sqlite"
    with books.serving(), Client(books, 200_000) as client:
        while len(client.acknowledged) < 20:
            time.sleep(0.01)
        begun = time.monotonic()
        outcome = books.tenure("backup", "--to", copy)
        seconds = time.monotonic() - begun
        after = len(client.acknowledged)
    check(
        "a backup under load succeeds and says that it is intact",
        outcome.returncode == 0 and outcome.stdout.rstrip().endswith("it is intact."),
        outcome,
    )
    before = [number for number, at in client.acknowledged if at < begun]
    check("the server took every notification meanwhile", not client.others and after > len(before), (client.others[:3], after))
    check("the copy is one file", sorted(path.name for path in books.folder.glob("copy.sqlite*")) == ["copy.sqlite"])
    check("sqlite3 finds the copy whole", books.sql("PRAGMA integrity_check", copy) == ["ok"])
    noted = books.sql("SELECT actor || ' ' || what || ' ' || json_extract(auditRow, '$.subject') FROM operatorAudit")
    check("the database notes that it was copied, and the copy, which is older, does not", noted == ["commandLine madeBackup copy.sqlite"]
          and books.sql("SELECT count(*) FROM operatorAudit", copy) == ["0"], noted)
    mode = copy.stat().st_mode & 0o777
    check("the copy is readable to whom the database is", mode == books.database.stat().st_mode & 0o777, oct(mode))
    held = subscriptions(books, copy)
    missing = [number for number in before if int(f"{3_000_000_000_000_000 + number * 10}") not in held]
    check(
        f"the copy holds all {len(before)} notifications that were acknowledged before it began", before and not missing, missing
    )
    # Verifying the signatures of 10,000 lines takes long in a debug build; the restored books are checked for them.
    outcome = books.tenure("verify", "--rebuild", "--without-evidence", database=copy)
    check("tenure verify --rebuild finds the copy as it must be", outcome.returncode == 0, outcome)
    print(f"     {copy.stat().st_size / 1e6:.1f} MB in {seconds:.2f} s, the start of the program included, beside a client")
    return copy


def check_refusals(books, copy):
    before = copy.read_bytes()
    outcome = books.tenure("backup", "--to", copy)
    check("a backup never overwrites another", outcome.returncode != 0 and copy.read_bytes() == before, outcome)
    absent, into = books.folder / "nothing.sqlite", books.folder / "never.sqlite"
    outcome = books.tenure("backup", "--to", into, database=absent)
    check(
        "for a missing database neither a backup nor the database is created",
        outcome.returncode != 0 and not absent.exists() and not list(books.folder.glob("never.sqlite*")),
        outcome,
    )
    outcome = books.tenure("backup", "--to", books.folder / "no-such-folder" / "copy.sqlite")
    check("a missing folder is an error with a message", outcome.returncode != 0 and outcome.stderr, outcome)


def check_restore(folder, signer):
    """The way of docs/operations/backup.md."""
    books = Books(folder, signer, name="restore")
    books.tenure("import", json_lines(folder / "restore.jsonl", lives(signer, 50)))
    instant = signer.now
    customers = [f"customer-{number}" for number in range(50)]

    def answers():
        return [books.entitlements(customer, f"?at={instant}") for customer in customers]

    copy = books.folder / "restored.sqlite"
    with books.serving():
        before = answers()
        outcome = books.tenure("backup", "--to", copy)
    check("a backup of a server at rest", outcome.returncode == 0, outcome)
    for path in books.folder.glob("restore.sqlite*"):
        path.rename(books.folder / ("lost-" + path.name))
    copy.rename(books.database)
    outcome = books.tenure("verify", "--rebuild")
    check("the restored database is as it must be", outcome.returncode == 0, outcome)
    with books.serving():
        after = answers()
    check(
        "the restored server answers as the lost one did",
        before == after and all(answer[1]["isActive"] for answer in after),
        [pair for pair in zip(before, after) if pair[0] != pair[1]][:1],
    )


def check_cut_short(books):
    """SIGKILL as soon as there is something to interrupt."""
    copy, unfinished = books.folder / "short.sqlite", books.folder / "short.sqlite.unfinished"
    cut = 0
    for _ in range(20):
        process = books.start("backup", "--to", copy)
        while process.poll() is None and not (unfinished.exists() and unfinished.stat().st_size > 0):
            time.sleep(0.0005)
        process.kill()
        process.wait(timeout=10)
        left = sorted(path.name for path in books.folder.glob("short.sqlite*"))
        if copy.exists():
            copy.unlink()
            continue
        cut += 1
        named = {"short.sqlite.unfinished", "short.sqlite.unfinished-journal"}
        if not set(left) <= named or "short.sqlite.unfinished" not in left:
            return check("an interrupted backup leaves only a file with that name", False, left)
        if cut == 5:
            break
    check(f"a backup that was interrupted {cut} times never left a copy, only .unfinished", cut == 5, cut)
    outcome = books.tenure("backup", "--to", copy)
    check(
        "the next one starts again and is intact",
        outcome.returncode == 0 and books.sql("PRAGMA integrity_check", copy) == ["ok"],
        outcome,
    )
    check(
        "and leaves nothing beside it",
        [path.name for path in books.folder.glob("short.sqlite*")] == ["short.sqlite"],
        list(books.folder.glob("short.sqlite*")),
    )


def run(folder, signer, books):
    """`books` are large enough for a backup to take a while."""
    copy = check_under_load(books)
    check_refusals(books, copy)
    check_cut_short(books)
    check_restore(folder, signer)
