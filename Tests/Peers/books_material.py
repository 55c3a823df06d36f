"""An app's existing data, signed here under separate roots with `cryptography` and `openssl cms`; and books to import it into."""

import contextlib
import hashlib
import json
import os
import re
import shutil
import subprocess
import time
import uuid

import wire_pki as pki
import wire_receipts as receipts
from harness import APPLE_ID, BUNDLE, SECRET, TENURE, Keys, configuration, free_port, request, running

DAY = 86_400_000
FIRST = 3_000_000_000_000_000  # originalTransactionId of number 0, of Production
MONTH = 30 * DAY


class Signer:
    """One chain like that of Apple's JWS and one like that of Apple's receipts, each under its own root."""

    def __init__(self, folder):
        self.chain, self.receipt_chain = pki.ecdsa_chain(), pki.rsa_chain()
        self.openssl = receipts.Signer(folder)
        self.now = int(time.time() * 1000)
        self.header = {"alg": "ES256", "x5c": pki.x5c(self.chain.der)}

    @property
    def roots(self):
        return [hashlib.sha256(chain.root.der).hexdigest() for chain in (self.chain, self.receipt_chain)]

    @property
    def leaf_serial(self):
        """In hexadecimal, as `openssl x509 -serial` prints it."""
        pem = self.chain.leaf.pem
        text = subprocess.run(
            ["openssl", "x509", "-noout", "-serial"], input=pem, capture_output=True, check=True
        ).stdout.decode()
        return text.strip().removeprefix("serial=")

    def jws(self, payload):
        return pki.jws(self.chain, payload, self.header)

    def transaction(self, number, period=0, **changes):
        """A month of the subscription of that number; of three periods the last one is running now."""
        original = FIRST + number * 10
        start = self.now - DAY - (2 - period) * MONTH
        return {
            "transactionId": str(original + period),
            "originalTransactionId": str(original),
            "webOrderLineItemId": str(original + 5 + period),
            "bundleId": BUNDLE,
            "productId": "plus.monthly",
            "subscriptionGroupIdentifier": "21000000",
            "purchaseDate": start,
            "originalPurchaseDate": self.now - DAY - 2 * MONTH,
            "expiresDate": start + MONTH,
            "quantity": 1,
            "type": "Auto-Renewable Subscription",
            "inAppOwnershipType": "PURCHASED",
            "environment": "Production",
            "signedDate": start + 1000,
            "transactionReason": "RENEWAL" if period else "PURCHASE",
            "price": 9990,
            "currency": "USD",
            **changes,
        }

    def app_transaction(self):
        """How somebody came by the app: a month ago, at version 1.4."""
        return {
            "receiptType": "Production",
            "appAppleId": APPLE_ID,
            "bundleId": BUNDLE,
            "applicationVersion": "3.0",
            "receiptCreationDate": self.now,
            "originalPurchaseDate": self.now - 30 * DAY,
            "originalApplicationVersion": "1.4",
            "appTransactionId": "704000000000001",
        }

    def renewal_info(self, number, period=0, **changes):
        return {
            "originalTransactionId": str(FIRST + number * 10),
            "autoRenewProductId": "plus.monthly",
            "productId": "plus.monthly",
            "autoRenewStatus": 1,
            "environment": "Production",
            "signedDate": self.transaction(number, period)["signedDate"],
            **changes,
        }

    def notification(self, number, period=0, uuid_text=None, type=None, renewal=None, **changes):
        transaction = self.transaction(number, period, **changes)
        return self.jws(
            {
                "notificationType": type or ("DID_RENEW" if period else "SUBSCRIBED"),
                "version": "2.0",
                "notificationUUID": uuid_text or str(uuid.uuid5(uuid.NAMESPACE_URL, f"{number}/{period}")),
                **({} if period else {"subtype": "INITIAL_BUY"}),
                "signedDate": transaction["signedDate"],
                "data": {
                    "appAppleId": APPLE_ID,
                    "bundleId": BUNDLE,
                    "environment": "Production",
                    "signedTransactionInfo": self.jws(transaction),
                    "signedRenewalInfo": self.jws(self.renewal_info(number, period, **(renewal or {}))),
                },
            }
        )

    def receipt(self, number):
        """An app receipt of Sandbox with one running month, as PKCS#7 by openssl."""

        def moment(milliseconds):
            return receipts.ia5(time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(milliseconds // 1000)))

        original, start = str(FIRST + number * 10), self.now - DAY
        purchase = receipts.purchase(
            a1703=receipts.utf8(original),
            a1705=receipts.utf8(original),
            a1704=moment(start),
            a1706=moment(start),
            a1708=moment(start + MONTH),
            a1713=receipts.integer(0),
            a1719=receipts.integer(0),
        )
        return self.openssl.sign(self.receipt_chain, receipts.content([purchase], a12=moment(start + 3_600_000)))


def original_id(number):
    return str(FIRST + number * 10)


class Books:
    """A SQLite file, its configuration, and the commands of `tenure` on it."""

    def __init__(self, folder, signer, keys=None, name="books"):
        self.folder, self.signer, self.keys = folder, signer, keys or Keys()
        self.database, self.path, self.port = folder / f"{name}.sqlite", folder / f"{name}.json", free_port()
        self.server = f"http://127.0.0.1:{self.port}"
        self.customers = f"{self.server}/api/v1/apps/demo/customers"
        self.notifications = f"{self.server}/api/v1/apps/demo/apple/notifications"
        self.backend = {"Authorization": f"Bearer {self.keys.server}"}
        self.content = configuration(self.keys, self.database, self.port, signer.roots)
        self.content["apps"][0]["sandboxAccess"] = "everyone"
        self.write_configuration()

    def write_configuration(self, **changes):
        self.path.write_text(json.dumps({**self.content, **changes}))

    def tenure(self, command, *arguments, database=None):
        environment = {**os.environ, **({"TENURE_DATABASE": str(database)} if database else {})}
        return subprocess.run(
            [TENURE, command, *map(str, arguments), "--config", str(self.path)],
            capture_output=True,
            text=True,
            timeout=600,
            env=environment,
        )

    def start(self, command, *arguments):
        """The same, not waited for."""
        return subprocess.Popen(
            [TENURE, command, *map(str, arguments), "--config", str(self.path)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def serving(self, database=None):
        environment = {"TENURE_APP_DEMO_CUSTOMER_TOKEN_SECRET": SECRET, "TENURE_LOG_LEVEL": "error"}
        environment["TENURE_APP_DEMO_SHARED_SECRETS"] = "of-the-account,s3cret"
        if database:
            environment["TENURE_DATABASE"] = str(database)
        return running("serve", "--config", str(self.path), live=f"{self.server}/health/live", environment=environment)

    def entitlements(self, customer, query=""):
        return request("GET", f"{self.customers}/{customer}/entitlements{query}", headers=self.backend)

    def post_notification(self, signed_payload):
        return request("POST", self.notifications, {"signedPayload": signed_payload})

    def copy(self, name):
        """Other books with the same content; the file must be at rest."""
        other = Books(self.folder, self.signer, self.keys, name)
        shutil.copyfile(self.database, other.database)
        return other

    def sql(self, statement, database=None):
        """By the sqlite3 program: what it prints, line by line."""
        outcome = subprocess.run(
            # A server may be writing.
            ["sqlite3", "-cmd", ".timeout 30000", str(database or self.database), statement], capture_output=True, text=True, timeout=60
        )
        if outcome.returncode:
            raise SystemExit(f"sqlite3: {outcome.stderr}")
        return outcome.stdout.splitlines()

    def counts(self):
        """Rows by table."""
        tables = self.sql("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
        lines = self.sql(" UNION ALL ".join(f"SELECT '{table}', count(*) FROM {table}" for table in tables))
        return dict(line.split("|") for line in lines)

    def digest(self, table):
        """Of a whole table, as sqlite3 writes it."""
        return hashlib.sha256("\n".join(self.sql(f".dump {table}")).encode()).hexdigest()

    def contents(self):
        """What does not depend on when and in how many transactions it came: no instants of ours and no numbers of rows."""
        owner = "(SELECT customer FROM customer AS named WHERE named.id = customer)"
        by_name = "(SELECT app || '/' || environment FROM ledger WHERE id = ledger)"
        columns = {
            "fact": f"{by_name}, originalTransactionId, factKey, transactionId, signedDate, hex(decoded), "
            "(SELECT hex(document) FROM evidence WHERE id = evidence)",
            "evidence": f"{by_name}, form, notificationUUID, hex(document)",
            "jwsHeader": "id, header",
            "subscription": f"{by_name}, originalTransactionId, tenureRevision, auditCount, eventCount",
            "periodAlias": f"{by_name}, originalTransactionId, alias, period",
            "holding": f"{by_name}, customer, originalTransactionId, hex(holding)",
            "tenure": f"{by_name}, originalTransactionId, revision, effectiveFrom, {owner}, rule",
            "audit": f"{by_name}, originalTransactionId, sequence, json_remove(auditRow, '$.learnedAt', '$.customer')",
            "claim": f"{by_name}, originalTransactionId, {owner}",
            "customer": "app, customer",
            "tokenRegistration": f"app, token, {owner}",
            "work": f"{by_name}, subject, workKey, kind, body",
        }
        # A claim's name ends in the instant at which it was made.
        claimed = re.compile(r"((?:restore|purchase|queue)/\d+)/\d{13}")
        return {
            table: sorted(claimed.sub(r"\1", line) for line in self.sql(f"SELECT {names} FROM {table}"))
            for table, names in columns.items()
        }


@contextlib.contextmanager
def insider(books):
    """What an attacker with access to the file does: drops the triggers, makes changes, and restores the triggers."""
    triggers = "\n".join(books.sql("SELECT sql || ';' FROM sqlite_master WHERE type = 'trigger'"))
    for name in books.sql("SELECT name FROM sqlite_master WHERE type = 'trigger'"):
        books.sql(f"DROP TRIGGER {name}")
    yield
    books.sql(triggers)
