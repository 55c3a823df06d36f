"""Apple, for the examples of the API's document: it answers what is asked on request, and never says what it told before."""

import http.server
import json
import threading

from books_material import original_id

HOUR = 3_600_000


class PretendApple(http.server.ThreadingHTTPServer):
    """Answers about one subscription, with what a signer signs."""

    daemon_threads = True

    def __init__(self, signer, number, now):
        super().__init__(("127.0.0.1", 0), Handler)
        self.signer, self.number, self.now, self.closed = signer, number, now, threading.Event()
        self.url = f"http://127.0.0.1:{self.server_address[1]}"

    def __enter__(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *error):
        self.closed.set()
        self.shutdown()
        self.server_close()

    def handle_error(self, *connection):
        """A server that ends leaves connections behind."""

    def answer(self, method, path):
        """The status and the body of Apple's answer, as its documentation says."""
        signer, number = self.signer, self.number
        refunded = {"revocationDate": self.now - HOUR, "revocationReason": 0, "signedDate": self.now - HOUR}
        match method, path.removeprefix("/inApps/v1/").removeprefix("/inApps/v2/").split("/"):
            case "POST", ["notifications", "history"]:
                self.closed.wait()
                return 503, None
            case "POST", ["notifications", "test"]:
                return 200, {"testNotificationToken": "ce3af791-365e-4c60-841b-1674b43c1609_1767225600000"}
            case "GET", ["notifications", "test", _]:
                payload = signer.notification(number, 2, uuid_text="ce3af791-365e-4c60-841b-1674b43c1609")
                return 200, {"signedPayload": payload, "sendAttempts": [{"attemptDate": self.now, "sendAttemptResult": "TIMED_OUT"}]}
            case "GET", ["subscriptions", "extend", "mass", _, identifier]:
                return 200, {"requestIdentifier": identifier, "complete": True, "completeDate": self.now, "succeededCount": 4711, "failedCount": 3}
            case "POST", ["subscriptions", "extend", "mass"]:
                return 200, {"requestIdentifier": "outage-may"}
            case "PUT", ["subscriptions", "extend", subscription]:
                return 200, {"originalTransactionId": subscription, "webOrderLineItemId": "90000000201", "success": True, "effectiveDate": self.now + 24 * HOUR}
            case "PUT", ["transactions", _, "appAccountToken"]:
                return 200, {}
            case "GET", ["lookup", _]:
                return 200, {"status": 0, "signedTransactions": [signer.jws(signer.transaction(number, 2, transactionReason="PURCHASE"))]}
            case "GET", ["refund", "lookup", _]:
                signed = signer.jws(signer.transaction(number, 2, transactionReason="PURCHASE", **refunded))
                return 200, {"signedTransactions": [signed], "revision": "1", "hasMore": False}
            case "GET", ["subscriptions", _]:
                item = {"status": 1, "originalTransactionId": original_id(number), "signedTransactionInfo": signer.jws(signer.transaction(number, 2)),
                        "signedRenewalInfo": signer.jws(signer.renewal_info(number, 2))}
                return 200, {"data": [{"subscriptionGroupIdentifier": "21000000", "lastTransactions": [item]}]}
        return 503, None


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        status, content = self.server.answer(self.command, self.path.split("?")[0])
        body = b"" if content is None else json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = do_PUT = do

    def log_message(self, *arguments):
        pass
