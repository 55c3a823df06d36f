"""`tenure verify` on books that an attacker with access to the file has changed: each change is found and named."""

import hashlib
import json

from books_import import json_lines, lives
from books_material import FIRST, Books, insider, original_id
from harness import check

VICTIM = 3
COUNT = 24


def proof(books, *options):
    """Exit status, and the findings as (kind, number of the subscription or None)."""
    outcome = books.tenure("verify", "--json", *options)
    report = json.loads(outcome.stdout)
    found = []
    for finding in report["findings"]:
        original = finding.get("originalTransactionId")
        found.append((finding["kind"], None if original is None else (int(original) - FIRST) // 10))
    return outcome.returncode, found


def kinds(found):
    return ", ".join(sorted({kind for kind, _ in found}))


def sealed_books(folder, signer):
    """Lives of three months, sealed by a server that was started and stopped."""
    books = Books(folder, signer, name="sealed")
    outcome = books.tenure("import", json_lines(folder / "sealed.jsonl", lives(signer, COUNT)))
    check("the books to be tampered with are imported", outcome.returncode == 0, outcome)
    with books.serving():
        pass
    books.sql("PRAGMA wal_checkpoint(TRUNCATE)")
    return books


def with_length(text):
    content = text.encode()
    return str(len(content)).encode() + b":" + content


def audit_hash(previous, original, sequence, text):
    """SHA-256 as docs/operations/verify.md describes it."""
    parts = ("demo", "Production", original, str(sequence), text)
    return hashlib.sha256(previous + b"".join(map(with_length, parts))).digest()


def seal_hash(previous, number, sealed_at, heads):
    hasher = hashlib.sha256(previous)
    for part in ("demo", str(number), str(sealed_at), str(len(heads))):
        hasher.update(with_length(part))
    for environment, original, count, head in sorted(heads):
        for part in (environment, original, count):
            hasher.update(with_length(part))
        hasher.update(bytes.fromhex(head))
    return hasher.digest()


def chain(books, number):
    """(sequence, text, hash) of a subscription's audit rows."""
    rows = books.sql(
        f"SELECT json_array(sequence, auditRow, hex(hash)) FROM audit WHERE originalTransactionId = "
        f"'{original_id(number)}' ORDER BY sequence"
    )
    return [tuple(json.loads(row)) for row in rows]


def check_hashes(books):
    heads = {}
    for number in range(COUNT):
        head = bytes(32)
        for sequence, text, kept in chain(books, number):
            head = audit_hash(head, original_id(number), sequence, text)
            if head != bytes.fromhex(kept):
                return check("hashlib computes every audit row's hash", False, (number, sequence))
        heads[original_id(number)] = head.hex().upper()
    named = dict(line.split("|") for line in books.sql("SELECT originalTransactionId, hex(auditHead) FROM subscription"))
    check(f"hashlib computes the hashes of {COUNT} chains, and each subscription names its chain's head", named == heads)
    previous = bytes(32)
    for line in books.sql("SELECT number, sealedAt, hex(previous), hex(hash) FROM auditSeal ORDER BY number"):
        number, sealed_at, before, kept = line.split("|")
        sealed = [
            tuple(row.split("|"))
            for row in books.sql(
                "SELECT environment, originalTransactionId, auditCount, hex(auditHead) FROM sealedHead "
                f"JOIN ledger ON ledger.id = ledger WHERE number = {number}"
            )
        ]
        computed = seal_hash(previous, number, sealed_at, sealed)
        check(
            f"hashlib computes seal {number} of {len(sealed)} chains",
            (bytes.fromhex(before), bytes.fromhex(kept)) == (previous, computed) and len(sealed) == COUNT,
        )
        previous = computed


def statement_cases():
    """Name, what is changed, options, and what is found."""
    of = f"originalTransactionId = '{original_id(VICTIM)}'"
    last = f"(SELECT max(sequence) FROM audit WHERE {of})"
    second = f"(SELECT hash FROM audit WHERE {of} AND sequence = 2)"
    yield (
        "an audit row's text",
        f"UPDATE audit SET auditRow = replace(auditRow, '\"exists\":true', '\"exists\":false') WHERE {of} AND sequence = 2",
        [],
        [("auditRowChanged", VICTIM)],
    )
    yield (
        "an audit row's hash",
        f"UPDATE audit SET hash = zeroblob(32) WHERE {of} AND sequence = 1",
        [],
        [("auditRowChanged", VICTIM)],
    )
    yield ("a middle audit row, deleted", f"DELETE FROM audit WHERE {of} AND sequence = 2", [], [("auditRowChanged", VICTIM)])
    yield ("the last audit row, deleted", f"DELETE FROM audit WHERE {of} AND sequence = {last}", [], [("auditChainCut", VICTIM)])
    yield (
        "the last audit row, deleted, and the subscription made to name the one before",
        f"UPDATE subscription SET auditCount = 2, auditHead = {second} WHERE {of}; DELETE FROM audit WHERE {of} AND sequence = 3",
        [],
        [("auditChainCut", VICTIM)],
    )
    yield (
        "a subscription and all that is about it, removed",
        "".join(
            f"DELETE FROM {table} WHERE {of}; "
            for table in ("audit", "outbox", "holding", "tenure", "periodAlias", "fact", "claim", "subscription")
        ),
        [],
        [("documentUnused", None), ("documentUnused", None), ("auditChainCut", VICTIM)],
    )
    yield (
        "the list of notifications, emptied",
        f"UPDATE evidence SET notificationUUID = NULL WHERE id IN (SELECT evidence FROM fact WHERE {of})",
        ["--without-evidence"],
        [("notificationDiffers", VICTIM)],
    )
    yield (
        "when a claim was made, beside its document",
        f"UPDATE claim SET claimedAt = claimedAt - 1 WHERE {of}",
        ["--without-evidence"],
        [("columnsDiffer", VICTIM)],
    )
    yield ("a seal's instant", "UPDATE auditSeal SET sealedAt = sealedAt - 1 WHERE number = 1", [], [("sealBroken", None)])
    yield (
        "a sealed head",
        f"UPDATE sealedHead SET auditCount = auditCount - 1 WHERE {of}",
        [],
        [("sealBroken", None), ("auditChainCut", VICTIM)],
    )
    yield ("a sealed head, deleted", f"DELETE FROM sealedHead WHERE {of}", [], [("sealBroken", None)])
    yield (
        "a fact, deleted",
        f"DELETE FROM fact WHERE {of} AND factKey LIKE 'transaction/%' AND signedDate = "
        f"(SELECT max(signedDate) FROM fact WHERE {of})",
        ["--rebuild"],
        [("historyDiffers", VICTIM)],
    )
    yield (
        "a fact's evidence, taken away",
        f"UPDATE fact SET evidence = NULL WHERE {of} AND factKey LIKE 'transaction/%' "
        f"AND signedDate = (SELECT max(signedDate) FROM fact WHERE {of} AND factKey LIKE 'transaction/%')",
        [],
        [("factUnproven", VICTIM)],
    )
    other = f"(SELECT max(evidence) FROM fact WHERE originalTransactionId = '{original_id(VICTIM + 1)}')"
    yield (
        "a renewal info under another subscription's evidence",
        f"UPDATE fact SET evidence = {other} WHERE {of} "
        f"AND factKey LIKE 'renewal/%' AND evidence IN (SELECT id FROM evidence WHERE notificationUUID IS NULL)",
        [],
        [("factUnproven", VICTIM), ("documentUnused", None)],
    )
    yield (
        "a holding",
        # Its last byte.
        f"UPDATE holding SET holding = CAST(substr(holding, 1, length(holding) - 1) || 'x' AS BLOB) WHERE {of}",
        ["--rebuild"],
        [("holdingsDiffer", VICTIM)],
    )
    yield (
        "what lists say, of another",
        "UPDATE subscription SET listing = (SELECT listing FROM subscription AS other "
        f"WHERE other.originalTransactionId <> subscription.originalTransactionId LIMIT 1) WHERE {of}",
        ["--rebuild"],
        [("listingDiffers", VICTIM)],
    )
    yield (
        "a holding, given to somebody",
        f"UPDATE holding SET customer = 'somebody' WHERE {of}",
        ["--rebuild"],
        [("holdingsDiffer", VICTIM)],
    )
    another = f"(SELECT id FROM customer WHERE customer = 'customer-{VICTIM + 1}')"
    yield ("an owner", f"UPDATE tenure SET customer = {another} WHERE {of}", ["--rebuild"], [("ownersDiffer", VICTIM)])
    yield (
        "whose a number is, deleted",
        f"DELETE FROM customer WHERE customer = 'customer-{VICTIM}'",
        [],
        [("customerMissing", VICTIM), ("databaseDamaged", None)],
    )
    yield ("a period's name, deleted", f"DELETE FROM periodAlias WHERE {of}", ["--rebuild"], [("periodsDiffer", VICTIM)])
    yield (
        "another's history",
        f"UPDATE subscription SET history = (SELECT history FROM subscription WHERE originalTransactionId "
        f"= '{original_id(VICTIM + 1)}') WHERE {of}",
        ["--rebuild"],
        [("historyDiffers", VICTIM)],
    )
    yield ("a claim, deleted", f"DELETE FROM claim WHERE {of}", ["--rebuild"], [("historyDiffers", VICTIM)])


def check_statements(books):
    for number, (name, statement, options, expected) in enumerate(statement_cases()):
        copy = books.copy(f"case-{number}")
        with insider(copy):
            copy.sql(statement)
        if expected[0][0] != "factUnproven":
            options = [*options, "--without-evidence"]
        status, found = proof(copy, *options)
        named = set(expected) <= set(found) and {subject for _, subject in found} == {subject for _, subject in expected}
        check(f"{name}: found, and named {kinds(found)}", status == 1 and named, (status, found))
        if "--rebuild" in options:
            silent = proof(copy, "--without-evidence")
            check(f"{name}: only --rebuild sees it", silent == (0, []), silent)


def check_bytes(books, table, column, select, options=(), first=0):
    """In each subscription one bit of the row that `select` names by a condition; the places are spread from byte `first` on."""
    copy, statements = books.copy(f"bytes-{table}"), []
    for number in range(COUNT):
        where = copy.sql(select.format(original=original_id(number)))[0]
        content = bytearray.fromhex(copy.sql(f"SELECT hex({column}) FROM {table} WHERE {where}")[0])
        content[first + number * (len(content) - first) // COUNT] ^= 1 << (number % 7)
        statements.append(f"UPDATE {table} SET {column} = X'{content.hex()}' WHERE {where};")
    with insider(copy):
        copy.sql("".join(statements))
    status, found = proof(copy, *options)
    missed = set(range(COUNT)) - {subject for _, subject in found}
    check(
        f"one bit in {COUNT} places of {table}.{column}: each is found, and named {kinds(found)}",
        status == 1 and not missed,
        (status, sorted(missed)),
    )
    return copy


def check_trust(books):
    copy = books.copy("trust")
    other = hashlib.sha256(b"another root").hexdigest()
    copy.write_configuration(trust={"appleRoots": False, "additionalRootSHA256": [other]})
    status, found = proof(copy)
    check(
        "under a root that is trusted no more, no fact of anybody's is proved",
        status == 1 and {kind for kind, _ in found} == {"factUnproven"} and {who for _, who in found} == set(range(COUNT)),
        found,
    )
    for how, serial in (("as openssl prints it", books.signer.leaf_serial), ("in decimal", str(int(books.signer.leaf_serial, 16)))):
        trust = {"appleRoots": False, "additionalRootSHA256": books.signer.roots, "distrustedLeafSerials": [serial]}
        copy.write_configuration(trust=trust)
        status, found = proof(copy)
        check(
            f"nor where the leaf's serial number, {how}, is distrusted",
            status == 1 and {kind for kind, _ in found} == {"factUnproven"} and {who for _, who in found} == set(range(COUNT)),
            found,
        )
    copy.write_configuration(trust={**trust, "distrustedLeafSerials": ["serial=68FA"]})
    outcome = copy.tenure("verify")
    check("what is no serial number is refused by name", outcome.returncode != 0 and "serial=68FA" in outcome.stderr, outcome)
    copy.write_configuration(trust=trust)
    status, found = proof(copy, "--without-evidence")
    check("--without-evidence does not look", (status, found) == (0, []), found)


def check_exits(books):
    outcome = books.tenure("verify", "--rebuild")
    counts = books.counts()
    words = f"{COUNT} subscriptions, {counts['fact']} facts, {counts['audit']} audit rows, 1 seals: all correct.\n"
    check(
        "unchanged books: exit status 0, and sqlite3 counts the same",
        (outcome.returncode, outcome.stdout) == (0, words),
        outcome,
    )
    bare = books.copy("bare")
    bare.sql("DROP TRIGGER evidenceIsNeverDeleted")
    outcome = bare.tenure("serve", "--check")
    check(
        "a server refuses a schema without a trigger, and says how that is made",
        outcome.returncode != 0 and "trigger evidenceIsNeverDeleted is missing. It must be: CREATE TRIGGER" in outcome.stderr,
        outcome,
    )
    absent = books.folder / "absent.sqlite"
    outcome = books.tenure("verify", database=absent)
    check("books that are not there: 66, and none are made", outcome.returncode == 66 and not absent.exists(), outcome)
    rubbish = books.folder / "rubbish.sqlite"
    rubbish.write_bytes(b"no database, but long enough to be taken for one" * 100)
    outcome = books.tenure("verify", database=rubbish)
    check("a file that is no database: 66", outcome.returncode == 66, outcome)


def run(folder, signer):
    books = sealed_books(folder, signer)
    check_hashes(books)
    check_statements(books)
    newest = (
        "FROM fact WHERE originalTransactionId = '{original}' AND factKey LIKE 'transaction/%' ORDER BY signedDate DESC LIMIT 1"
    )
    condition = "'originalTransactionId = ''{original}'' AND factKey = ''' || factKey || ''''"
    check_bytes(books, "fact", "decoded", f"SELECT {condition} {newest}")
    damaged = check_bytes(books, "evidence", "document", f"SELECT 'id = ' || evidence {newest}")
    check(
        "--without-evidence passes over all of them but what cannot be read",
        {kind for kind, _ in proof(damaged, "--without-evidence")[1]} <= {"unreadable"},
    )
    # Byte 0 is the number of the form: a history in another form is rebuilt from its rows (decision 0020).
    check_bytes(books, "subscription", "history", "SELECT 'originalTransactionId = {original}'", ["--rebuild"], first=1)
    check_trust(books)
    check_exits(books)
    return books
