"""Where `tenure` and Apple's library differ on a JWS, and why that is meant. A case in here that agrees fails the test."""

from wire_jws_corpus import EXTRA_PARAMETERS

_STRICTER = {
    "T04: Apple writes alg and x5c, sometimes kid and typ; any other parameter asks a reader to do something": [
        f"T04 a parameter {name}" for name in EXTRA_PARAMETERS if name not in ("crit", "b64")
    ],
    "T08: a name that comes twice means one thing to one reader and another to the next": [
        "T04 alg twice, ES256 last",
        "T04 x5c twice",
        "T08 payload with environment twice",
        "T08 payload with an unknown field twice",
        "T08 payload with a name twice by an escape",
    ],
    "T08: Python's json reads more than RFC 8259 allows": [
        "T04 header JSON with a byte order mark",
        "T04 header in UTF-16",
        "T08 payload with a byte order mark",
        "T08 payload in UTF-16",
        "T08 payload with a lone surrogate",
        "T08 payload with NaN",
        "T08 payload with Infinity",
    ],
    "T07: one JWS has one text: base64 in its canonical form (RFC 7515, section 2)": [
        "T07 signature with padding",
        "T07 payload with padding",
        "T07 header with padding",
        "T07 certificate with other spare bits",
    ],
    "T01: Apple's library does not look at the third certificate; ours must name the root that is trusted": [
        "T01 same names: own leaf, own intermediate, forged root",
        "T01 root is empty",
        "T01 root is not DER",
        "T01 root is cut short",
        "T04 x5c holds nulls",
    ],
    "T02: what signs receipts may not issue certificates, nor lack the usage to sign; OpenSSL asks neither of a leaf": [
        "T02 not: leaf is not ca",
        "T02 not: leaf is not ca, leaf may sign",
    ],
    "T07: a certificate has one text: DER (X.690, section 10), with a serial number as RFC 5280 wants it": [
        "DER: an outer length longer than needed",
        "DER: an outer length without end",
        "DER: a byte after",
        "DER: a negative serial number",
    ],
    "T30: a header is refused by its length before it is read": ["T30 forty certificates"],
    "T06: nobody can have signed tomorrow; later than five minutes from now is refused until then": [
        f"T06 {kind} signed tomorrow"
        for kind in ("transaction", "renewalInfo", "appTransaction", "notification", "realtimeRequest")
    ],
    "T06: compared to the millisecond; Apple's library drops the fraction of the second": [
        "T06 signed in within the second after which the leaf ends"
    ],
    "T05: without these fields a payload means nothing, and its kind cannot be told; to Apple's library all are optional": [
        f"T05 {kind} without {field}"
        for kind, fields in {
            "transaction": ("transactionId", "originalTransactionId", "productId", "purchaseDate", "type", "signedDate"),
            "renewalInfo": ("originalTransactionId", "autoRenewStatus", "signedDate"),
            "appTransaction": ("receiptCreationDate",),
            "notification": ("notificationType", "notificationUUID", "signedDate"),
        }.items()
        for field in fields
    ]
    + ["T08 transaction with signedDate = None", "T08 appTransaction with receiptCreationDate = None"],
    "T08: a value of another type than Apple documents is no value; Apple's library converts it, to '2' or True": [
        f"T08 {field}"
        for field in (
            "transaction with transactionId = 2",
            "transaction with transactionId = ''",
            "transaction with transactionId = True",
            "transaction with transactionId = ['2']",
            "transaction with productId = 1",
            "transaction with productId = ''",
            "transaction with signedDate = '1760000000000'",
            "transaction with expiresDate = 1.5",
            "transaction with expiresDate = 100000000000000000",
            "transaction with expiresDate = -100000000000000000",
            "transaction with expiresDate = True",
            "transaction with price = 9.99",
            "transaction with price = 9223372036854775808",
            "transaction with quantity = '1'",
            "transaction with quantity = True",
            "transaction with isUpgraded = 'yes'",
            "transaction with isUpgraded = 1",
            "transaction with offerType = '2'",
            "transaction with offerType = 2.5",
            "transaction with commitmentInfo = 'x'",
            "transaction with commitmentInfo = [1]",
            "renewalInfo with autoRenewStatus = '1'",
            "renewalInfo with autoRenewStatus = True",
            "renewalInfo with eligibleWinBackOfferIds = 'back'",
            "renewalInfo with eligibleWinBackOfferIds = [1]",
            "realtimeRequest with appAppleId = '1234567890'",
            "notification with notificationType = 1",
            "notification with notificationType = ''",
        )
    ],
    "T05: a payload is of one kind and about one app; Apple's library takes the method that was called for the kind": [
        "T05 a notification about two subjects",
        "T05 a payload of two kinds",
        "inside: a transaction as the renewal info",
    ],
    "FACT-4: a renewal info names no app, so it counts only beside a transaction of its own subscription and download": [
        "inside: a renewal info of another subscription",
        "inside: a renewal info of another download",
    ],
}

_MORE_LENIENT = {
    "exp and aud are not fields of Apple's payloads; PyJWT, under Apple's library, gives them the meaning of RFC 7519": [
        "T08 an unknown field named exp, in the past",
        "T08 an unknown field named aud",
    ],
    "the bundle identifies the app; its Apple id is compared where it is named": [
        "FACT-4 appTransaction, Production, without an Apple id",
        "FACT-4 notification, Production, without an Apple id",
    ],
    "a path is proved by signatures, not by key identifiers; the certificates of Apple's own test data have none": [
        "T02 no key identifiers"
    ],
    "`inspect` reads what was copied out of logs and clipboards": ["T07 white space around"],
    "the bits that are said to be unused are zero, and the issuer's key signed this certificate": [
        "DER: a signature that says its last bit is unused, and it is zero"
    ],
}

ON_PURPOSE = {name: reason for table in (_STRICTER, _MORE_LENIENT) for reason, names in table.items() for name in names}
