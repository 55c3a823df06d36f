"""`tenure import`: its formats and refusals; repeated, interrupted, fast, and beside a server."""

import base64
import csv
import io
import json
import random
import subprocess
import time

from books_material import DAY, Books, original_id
from harness import check

LINES = 10_000


def life(signer, number):
    """Three months of one customer: a notification, a transaction with its renewal info, a notification."""
    customer = f"customer-{number}"
    yield {"signedPayload": signer.notification(number, 0), "customer": customer}
    yield {"signedTransactionInfo": signer.jws(signer.transaction(number, 0)), "customer": customer}
    yield {
        "signedTransactionInfo": signer.jws(signer.transaction(number, 1)),
        "signedRenewalInfo": signer.jws(signer.renewal_info(number, 1)),
        "customer": customer,
    }
    yield {"signedPayload": signer.notification(number, 2)}


def lives(signer, count, start=0):
    return [item for number in range(start, start + count) for item in life(signer, number)]


def json_lines(path, items):
    path.write_text("".join(json.dumps(item) + "\n" for item in items))
    return path


def check_clock(folder, signer):
    """What a local App Store signed in a time to come is imported in that time, and refused by the machine's."""
    later = signer.now + 400 * DAY
    dates = {"purchaseDate": later, "originalPurchaseDate": later, "expiresDate": later + 30 * DAY, "signedDate": later}
    path = json_lines(folder / "later.jsonl", [{"signedTransactionInfo": signer.jws(signer.transaction(900, 0, **dates))}])
    books = Books(folder, signer, name="later")
    outcome = books.tenure("import", path)
    check("what is signed in 400 days is refused today", outcome.returncode == 1 and "1 refused" in outcome.stdout, outcome)
    (folder / "later.clock").write_text(str(later + 1000))
    books.write_configuration(clock={"file": str(folder / "later.clock")})
    outcome = books.tenure("import", path, "--from-beginning")
    check("and taken where clock.file says that it is that day", (outcome.returncode, outcome.stdout) == (0, "1 new\n"), outcome)


def refusals(path):
    text = path.with_name(path.name + ".refused.jsonl").read_text()
    return text, [json.loads(line) for line in text.splitlines()]


def check_formats(folder, signer):
    books = Books(folder, signer, name="formats")
    items = lives(signer, 3)
    outcome = books.tenure("import", json_lines(folder / "one.jsonl", items))
    check(
        "JSON Lines: nine lines are new, and three say again what the notification before them carried",
        (outcome.returncode, outcome.stdout) == (0, "9 new\n3 known already\n"),
        outcome,
    )
    check(
        "each customer owns what was imported for them",
        [
            books.sql(f"SELECT originalTransactionId FROM holding WHERE customer = '{name}'")
            for name in ("customer-0", "customer-2")
        ]
        == [[original_id(0)], [original_id(2)]],
    )
    expected = [str(signer.transaction(1, 1)["signedDate"])]
    renewal = books.sql(
        f"SELECT signedDate FROM fact WHERE originalTransactionId = '{original_id(1)}' AND factKey LIKE 'renewal%' "
        f"AND signedDate = {expected[0]}"
    )
    check("the renewal info beside a transaction is kept", renewal == expected, renewal)

    again = Books(folder, signer, books.keys, "csv")
    path = folder / "two.csv"
    path.write_bytes(b"\xef\xbb\xbf" + csv_text(items).encode())
    outcome = again.tenure("import", path)
    check(
        "CSV with a byte order mark, CRLF, quoted fields and columns in another order: the same",
        (outcome.returncode, outcome.stdout) == (0, "9 new\n3 known already\n") and again.contents() == books.contents(),
        outcome,
    )

    plain = Books(folder, signer, books.keys, "plain")
    path = folder / "three.txt"
    receipt = base64.b64encode(signer.receipt(50)).decode()
    alone = signer.jws(signer.transaction(1, 1))
    lines = [items[0]["signedPayload"], items[1]["signedTransactionInfo"], alone, "", receipt, "3000000000000777"]
    path.write_text("\r\n".join(lines))
    outcome = plain.tenure("import", path)
    # The second line's transaction is in the first line's notification.
    check(
        "plain lines with CRLF and no last line end: three are new, one is known, Apple is asked about one",
        (outcome.returncode, outcome.stdout) == (0, "3 new\n1 known already\n1 to be asked about at Apple\n"),
        outcome,
    )
    kept = plain.sql("SELECT environment, originalTransactionId FROM subscription JOIN ledger ON ledger.id = ledger ORDER BY 1")
    check(
        "a receipt is of the environment that it names",
        sorted(kept) == [f"Production|{original_id(0)}", f"Production|{original_id(1)}", f"Sandbox|{original_id(50)}"],
        kept,
    )
    check("data without a customer has no owner", plain.sql("SELECT count(*) FROM holding") == ["0"])
    path = folder / "empty.csv"
    path.write_text("signedPayload\n")
    outcome = plain.tenure("import", path)
    check("a file with nothing in it is no error", outcome.returncode == 0 and "0 lines" in outcome.stdout, outcome)
    outcome = plain.tenure("import", folder / "absent.jsonl")
    check("a file that is not there: 66", outcome.returncode == 66, outcome)


def check_notification_of_a_customer(folder, signer):
    books = Books(folder, signer, name="notified")
    item = {"signedPayload": signer.notification(80, 2), "customer": "nora"}
    outcome = books.tenure("import", json_lines(folder / "notified.jsonl", [item]))
    kept = books.sql("SELECT customer FROM holding")
    check("a customer beside a notification claims what it carries", (outcome.returncode, kept) == (0, ["nora"]), (outcome, kept))


def csv_text(items):
    """By Python's own writer, every field in quotation marks; one customer's name needs them."""
    text = io.StringIO()
    columns = ["customer", "signedRenewalInfo", "environment", "signedTransactionInfo", "signedPayload"]
    writer = csv.DictWriter(text, columns, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    writer.writeheader()
    writer.writerows(items)
    return text.getvalue()


def check_quoting(folder, signer):
    """A customer's id may hold a comma, a quotation mark and a line break; RFC 4180 says how."""
    books = Books(folder, signer, name="quoting")
    names = ['o"neil, ann', "plain", "späť 東"]
    items = [
        {"signedTransactionInfo": signer.jws(signer.transaction(60 + n, 2)), "customer": name} for n, name in enumerate(names)
    ]
    path = folder / "quoting.csv"
    path.write_text(csv_text(items), newline="")
    outcome = books.tenure("import", path)
    kept = books.sql("SELECT customer FROM holding ORDER BY originalTransactionId")
    check("quotation marks and commas inside a field are its own", (outcome.returncode, kept) == (0, names), (outcome, kept))


def check_questions(folder, signer):
    books = Books(folder, signer, name="questions")
    path = json_lines(
        folder / "questions.jsonl",
        [
            {"transactionId": "2000000111", "customer": "ann"},
            {"transactionId": "2000000112", "environment": "Sandbox"},
            {"transactionId": "2000000111", "customer": "ann"},
        ],
    )
    outcome = books.tenure("import", path, "--claim-as", "purchase")
    rows = [
        line.split("|", 3)
        for line in books.sql(
            "SELECT environment, subject, kind, body FROM work JOIN ledger ON ledger.id = ledger ORDER BY subject"
        )
    ]
    check(
        "a transaction id becomes one question to Apple, however often it occurs",
        outcome.returncode == 0
        and [row[:3] for row in rows]
        == [["Production", "2000000111", "fetchStatuses"], ["Sandbox", "2000000112", "fetchStatuses"]],
        rows,
    )
    check(
        "the question has the customer who will claim its result, and the kind of the claim",
        [json.loads(row[3]) for row in rows]
        == [
            {"transactionId": "2000000111", "customer": "ann", "claimAs": "purchase"},
            {"transactionId": "2000000112", "claimAs": "purchase"},
        ],
        rows,
    )
    check("before Apple has answered no customer has anything", books.sql("SELECT count(*) FROM subscription") == ["0"])
    shown = books.tenure("work", "--all").stdout.splitlines()
    check(
        "tenure work shows what waits",
        shown[-1] == "2 fetchStatuses waiting" and "2000000111" in shown[0] and "begun 0 times" in shown[0],
        shown,
    )
    books.sql("UPDATE work SET availableAt = NULL, failedAt = 1, lastError = 'HTTP 404', attempts = 20 WHERE subject = '2000000112'")
    given_up = books.tenure("work").stdout.splitlines()
    check("and by itself only what was given up, and why", len(given_up) == 3 and "HTTP 404" in given_up[0], given_up)
    number = given_up[0].split()[0]
    again = books.tenure("work", "--again", number)
    state = books.sql("SELECT failedAt IS NULL, attempts, availableAt IS NOT NULL FROM work WHERE subject = '2000000112'")
    check("what was given up can be begun once more", (again.returncode, state) == (0, ["1|0|1"]), (again, state))
    check("an unknown number is reported", books.tenure("work", "--again", "999999").returncode != 0)


def check_refusals(folder, signer):
    books = Books(folder, signer, name="refusals")
    good = signer.jws(signer.transaction(70, 2))
    cut = good[:-20] + ("A" * 20 if good[-20:] != "A" * 20 else "B" * 20)
    broken = bytearray(signer.receipt(71))
    broken[-1] ^= 1
    stranger = signer.jws(signer.transaction(72, 2, bundleId="com.example.stranger"))
    cases = [
        ({"signedTransactionInfo": cut}, "signatureInvalid"),
        ({"signedTransactionInfo": good, "customer": "first"}, None),
        ({"signedTransactionInfo": good, "customer": "second"}, None),
        ({"receipt": base64.b64encode(bytes(broken)).decode()}, "signatureInvalid"),
        ({"receipt": "not base64!"}, "notBase64"),
        ({"signedTransactionInfo": stranger}, "wrongBundleId"),
        ({"transactionId": "12;DROP TABLE fact"}, "invalidIdentifier"),
        ({"transactionId": "12", "environment": "Moon"}, "unknownEnvironment"),
        ({"transactionId": "12", "environment": "Xcode"}, "environmentNotTaken"),
        ({"customer": "nobody"}, "nothingToImport"),
        ({"transactionId": "12", "signedTransactionInfo": good}, "ambiguous"),
        ({"transactionId": 12}, "notText"),
        ({"recipe": "x"}, "unknownMember"),
        ([good], "notAnObject"),
        (good, "notJSON"),
    ]
    path = folder / "refusals.jsonl"
    path.write_text("".join((item if isinstance(item, str) else json.dumps(item)) + "\n" for item, _ in cases))
    outcome = books.tenure("import", path)
    text, said = refusals(path)
    expected = [(line, code) for line, (_, code) in enumerate(cases, 1) if code]
    check(
        "each refused line is in the report with its number and its code",
        [(entry["line"], entry["code"]) for entry in said] == expected,
        said,
    )
    check(
        "some refused: exit status 1, and the counts say what became of the others",
        outcome.returncode == 1
        and outcome.stdout.startswith(
            f"1 new\n1 kept, but held by another customer than the file says\n{len(expected)} refused\n"
        ),
        outcome,
    )
    secrets = [good, cut, stranger, base64.b64encode(bytes(broken)).decode()]
    shown = [
        part for secret in secrets for part in (secret[at : at + 24] for at in range(0, len(secret) - 24, 12)) if part in text
    ]
    check("nothing of the refused content is in the report", not shown, shown[:3])
    check(
        "nothing of what was refused is kept", books.counts()["fact"] == "1" and books.counts()["evidence"] == "1", books.counts()
    )

    path = folder / "refusals.csv"
    path.write_text('customer,transactionId\nann,13\nbob\n"carl\n\nthe second",x\ndora,14\n')
    outcome = books.tenure("import", path)
    _, said = refusals(path)
    check(
        "lines of CSV are counted as an editor counts them",
        [(entry["line"], entry["code"]) for entry in said] == [(3, "wrongColumnCount"), (4, "invalidIdentifier")],
        said,
    )
    path.write_text("customer,transaction\nann,13\n")
    outcome = books.tenure("import", path)
    check(
        "a column that is not known stops the import before its first line",
        outcome.returncode not in (0, 1) or "no such column" in outcome.stderr,
        outcome,
    )


def check_twice(folder, signer):
    books = Books(folder, signer, name="twice")
    receipt = {"receipt": base64.b64encode(signer.receipt(90)).decode(), "customer": "rita"}
    path = json_lines(folder / "twice.jsonl", [*lives(signer, 20), receipt, {"transactionId": "2000000333", "customer": "ann"}])
    books.tenure("import", path)
    # Each import is a job of its own.
    def standing():
        counts = {table: count for table, count in books.counts().items() if table != "job"}
        return counts, {table: books.digest(table) for table in counts if table != "work"}, books.contents()["work"]

    before = standing()
    outcome = books.tenure("import", path)
    after = standing()
    check(
        "importing the same file again says that all is known",
        (outcome.returncode, outcome.stdout) == (0, "81 known already\n1 to be asked about at Apple\n"),
        outcome,
    )
    check(
        "and changes no row of any table but that of jobs",
        before == after,
        [table for table in before[1] if before[1][table] != after[1][table]] or (before[0], after[0]),
    )


def check_cut_short(folder, signer, seed):
    """SIGKILL at random moments; the result in the end is that of an undisturbed import."""
    chance = random.Random(seed)
    items = lives(signer, 500)
    for place in range(0, len(items), 97):
        items.insert(place, {"signedPayload": "a.b.c"})
    path = json_lines(folder / "cut.jsonl", items)
    whole = Books(folder, signer, name="whole")
    start = time.monotonic()
    calm = whole.tenure("import", path)
    seconds = time.monotonic() - start
    expected = refusals(path)[1]
    cut, kills, checkpoint = Books(folder, signer, whole.keys, "cut"), 0, folder / "cut.jsonl.tenure-import"
    for _ in range(200):
        process = cut.start("import", path)
        try:
            process.wait(timeout=chance.uniform(0.05, seconds / 2))
            break
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(timeout=10)
            kills += 1
    check(f"an import interrupted {kills} times ends (seed {seed})", kills > 1 and process.returncode == 1, process.returncode)
    jobs = cut.sql("SELECT kind, state, rowCount FROM job")
    # One more where the last kill came when all was done, and the next run began anew.
    check("it is a job, which came to its end and has the refused lines", 1 <= len(jobs) <= 2 and set(jobs) == {f"import|done|{len(expected)}"}, (jobs, len(expected)))
    mine, theirs = cut.contents(), whole.contents()
    check(
        "what it brought is what an undisturbed one brings",
        mine == theirs,
        [(table, set(mine[table]) ^ set(theirs[table])) for table in mine if mine[table] != theirs[table]],
    )
    check("each refused line is in its report once", refusals(path)[1] == expected, refusals(path)[1])
    check("the file that says how far it was is gone", not checkpoint.exists() and calm.returncode == 1)
    check_torn_report(folder, signer, whole.keys, path, expected)


def check_torn_report(folder, signer, keys, path, expected):
    """A power cut between the report and the checkpoint: the report is ahead, and the lines are taken again."""
    books, report = Books(folder, signer, keys, "torn"), path.with_name(path.name + ".refused.jsonl")
    checkpoint = path.with_name(path.name + ".tenure-import")
    process, early = books.start("import", path), None
    while process.poll() is None:
        if checkpoint.exists():
            early = early or checkpoint.read_bytes()
            if (
                len(report.read_text().splitlines()) > 3
                and json.loads(checkpoint.read_bytes())["offset"] > json.loads(early)["offset"]
            ):
                process.kill()
                process.wait(timeout=10)
        time.sleep(0.002)
    if process.returncode == 1:
        return check("an import could be killed between its first lines and its last", False, "it was too fast")
    elsewhere = Books(folder, signer, keys, "elsewhere")
    elsewhere.tenure("import", path)
    whole = Books(folder, signer, keys, "whole")
    check(
        "into another database the same file goes from its beginning",
        elsewhere.contents() == whole.contents(),
        elsewhere.counts(),
    )
    check("and its report is complete", refusals(path)[1] == expected, refusals(path)[1])
    checkpoint.write_bytes(early)
    outcome = books.tenure("import", path)
    check(
        "lines that are taken again are reported once",
        outcome.returncode == 1 and refusals(path)[1] == expected,
        refusals(path)[1],
    )


def check_speed_beside_a_server(folder, signer):
    """10,000 lines while a server serves the same file."""
    books = Books(folder, signer, name="speed")
    items = lives(signer, LINES // 4, start=10_000)
    path = json_lines(folder / "speed.jsonl", items)
    waits, statuses = [], set()
    with books.serving():
        live = json_lines(folder / "before.jsonl", lives(signer, 1))
        books.tenure("import", live)
        start = time.monotonic()
        process = books.start("import", path)
        number = 0
        while process.poll() is None:
            asked = time.monotonic()
            status, answer = books.entitlements("customer-0")
            statuses.add((status, answer.get("isActive")))
            sent = books.post_notification(signer.notification(5000 + number))
            statuses.add((sent[0], sent[1].get("outcome", sent[1].get("code"))))
            waits.append(time.monotonic() - asked)
            number += 1
        seconds = time.monotonic() - start
        status, answer = books.entitlements(f"customer-{10_000 + LINES // 4 - 1}")
    check("the import of 10,000 lines beside a server ends well", process.returncode == 0, process.returncode)
    check(
        "meanwhile the server took every notification and answered every question",
        statuses == {(200, True), (200, "applied")},
        statuses,
    )
    check("and answers about what was imported", (status, answer["isActive"]) == (200, True), answer)
    check(
        "every subscription is there once, and what the server took",
        books.counts()["subscription"] == str(LINES // 4 + number + 1),
        (books.counts(), number),
    )
    print(
        f"     {LINES} lines in {seconds:.1f} s, {LINES / seconds:.0f} a second, beside {number} questions and notifications; "
        f"the longest pair took {max(waits) * 1000:.0f} ms"
    )
    return books


def run(folder, signer, seed):
    check_formats(folder, signer)
    check_clock(folder, signer)
    check_notification_of_a_customer(folder, signer)
    check_quoting(folder, signer)
    check_questions(folder, signer)
    check_refusals(folder, signer)
    check_twice(folder, signer)
    check_cut_short(folder, signer, seed)
    return check_speed_beside_a_server(folder, signer)
