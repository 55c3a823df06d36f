#!/usr/bin/env python3
"""Retention Messaging as an app's server uses it: Apple's own Python library uploads images and messages, sets defaults and the address
that is asked in real time, has the store try how fast that is, and verifies what it asks. Prints one line per check; the exit code is 1
when one failed."""

import contextlib
import http.server
import json
import pathlib
import struct
import sys
import tempfile
import threading
import time
import uuid
import zlib

from appstoreserverlibrary.api_client import APIError
from appstoreserverlibrary.models.BulletPoint import BulletPoint
from appstoreserverlibrary.models.DefaultConfigurationRequest import DefaultConfigurationRequest
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.models.HeaderPosition import HeaderPosition
from appstoreserverlibrary.models.ImageSize import ImageSize
from appstoreserverlibrary.models.ImageState import ImageState
from appstoreserverlibrary.models.MessageState import MessageState
from appstoreserverlibrary.models.PerformanceTestRequest import PerformanceTestRequest
from appstoreserverlibrary.models.PerformanceTestStatus import PerformanceTestStatus
from appstoreserverlibrary.models.RealtimeUrlRequest import RealtimeUrlRequest
from appstoreserverlibrary.models.UploadMessageImage import UploadMessageImage
from appstoreserverlibrary.models.UploadMessageRequestBody import UploadMessageRequestBody

import harness
from harness import check
from store_run import Shop, refused


def png(width, height):
    """A picture of one colour, whole: with its checksums and its pixels."""
    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    rows = (b"\0" + b"\x80\x40\x20" * width) * height
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


class Retainer(http.server.ThreadingHTTPServer):
    """The app's server: records requests, and gives the configured answer after a pause."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), self.Handler)
        self.asked, self.answer, self.pause, self.status = [], {}, 0, 200
        self.url = f"http://127.0.0.1:{self.server_address[1]}/retention"

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            self.server.asked.append(json.loads(self.rfile.read(int(self.headers["content-length"])))["signedPayload"])
            time.sleep(self.server.pause)
            body = json.dumps(self.server.answer).encode()
            self.send_response(self.server.status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                self.wfile.write(body)

        def log_message(self, *_):
            pass


def check_shelf(client):
    """Uploads are listed, and invalid ones are refused with Apple's errors. Returns a message's identifier."""
    image, bullet, message = uuid.uuid4(), uuid.uuid4(), uuid.uuid4()
    client.upload_image(str(image), png(3840, 160), ImageSize.FULL_SIZE)
    client.upload_image(str(bullet), png(64, 64), ImageSize.BULLET_POINT)
    listed = client.get_image_list().imageIdentifiers
    check("images are listed with their sizes, and approved in Sandbox",
          [(one.imageIdentifier, one.imageSize, one.imageState) for one in listed]
          == [(image, ImageSize.FULL_SIZE, ImageState.APPROVED), (bullet, ImageSize.BULLET_POINT, ImageState.APPROVED)], listed)
    refused("an image of another size", APIError.INVALID_IMAGE,
            lambda: client.upload_image(str(uuid.uuid4()), png(100, 100), ImageSize.FULL_SIZE))
    refused("an image a second time", APIError.IMAGE_ALREADY_EXISTS,
            lambda: client.upload_image(str(image), png(3840, 160), ImageSize.FULL_SIZE))
    body = UploadMessageRequestBody(
        header="Before you go", body="A month at half the price.", image=UploadMessageImage(image, "a sunrise"),
        headerPosition=HeaderPosition.ABOVE_IMAGE, bulletPoints=[BulletPoint("no adverts", bullet, "a dot")])
    client.upload_message(str(message), body)
    states = [(one.messageIdentifier, one.messageState) for one in client.get_message_list().messageIdentifiers]
    check("a message is listed", states == [(message, MessageState.APPROVED)], states)
    refused("an image that a message has", APIError.IMAGE_IN_USE, lambda: client.delete_image(str(image)))
    refused("a default of no message", APIError.MESSAGE_NOT_FOUND,
            lambda: client.configure_default_message("plus.monthly", "en-US", DefaultConfigurationRequest(uuid.uuid4())))
    client.configure_default_message("plus.monthly", "en-US", DefaultConfigurationRequest(message))
    check("a default is kept", client.get_default_message("plus.monthly", "en-US").messageIdentifier == message)
    refused("another language's default", APIError.DEFAULT_MESSAGE_NOT_FOUND,
            lambda: client.get_default_message("plus.monthly", "de-DE"))
    return message


def result(client, request_id):
    for _ in range(300):
        told = client.get_performance_test_results(request_id)
        if told.result != PerformanceTestStatus.PENDING:
            return told
        time.sleep(0.1)
    raise SystemExit("the performance test does not end")


def check_performance(shop, client, server, message, original):
    """A server that is fast passes, a slow one fails, and only who passed may go to production."""
    refused("no realtime URL", APIError.REALTIME_URL_NOT_FOUND, client.get_realtime_url)
    refused("a test without an address", APIError.REALTIME_URL_NOT_FOUND,
            lambda: client.initiate_performance_test(PerformanceTestRequest(original)))
    client.configure_realtime_url(RealtimeUrlRequest(server.url))
    check("a realtime URL is kept", client.get_realtime_url().realtimeURL == server.url)
    production = shop.client(Environment.PRODUCTION)
    refused("production before a test was passed", APIError.FORBIDDEN_NO_PASSING_TEST,
            lambda: production.configure_realtime_url(RealtimeUrlRequest(server.url)))
    server.answer, server.status = {}, 500
    failed = result(client, client.initiate_performance_test(PerformanceTestRequest(original)).requestId)
    check("a server that answers 500 fails", failed.result == PerformanceTestStatus.FAIL and failed.successRate == 0, failed)
    check("and why is counted", failed.rawFailures == {"UNSUCCESSFUL_HTTP_RESPONSE_CODE": failed.config.totalRequests}, failed)
    server.answer, server.status = {"message": {"messageIdentifier": str(message)}}, 200
    asked = len(server.asked)
    begun = client.initiate_performance_test(PerformanceTestRequest(original))
    passed = result(client, begun.requestId)
    check("a fast one passes", passed.result == PerformanceTestStatus.PASS and passed.successRate >= passed.config.successRateThreshold, passed)
    check("it was asked as often as announced", len(server.asked) - asked == begun.config.totalRequests, len(server.asked) - asked)
    check("the times are in order", passed.responseTimes.p50 <= passed.responseTimes.p90 <= passed.responseTimes.p99, passed)
    refused("a test of no subscription", APIError.INVALID_PERFORMANCE_TEST_REQUEST,
            lambda: client.initiate_performance_test(PerformanceTestRequest("1")))
    production.configure_realtime_url(RealtimeUrlRequest(server.url))
    check("production takes the address now", production.get_realtime_url().realtimeURL == server.url)
    production.delete_realtime_url()
    refused("and deletes it", APIError.REALTIME_URL_NOT_FOUND, production.get_realtime_url)


def check_realtime(shop, server, message, original):
    """What a customer who is about to cancel sees."""
    shown = shop.do(f"/subscriptions/{original}/retention", {"locale": "en-US"})
    check("what the server says is shown", not shown["isDefault"] and shown["message"]["header"] == "Before you go", shown)
    asked = shop.verifier(Environment.SANDBOX).verify_and_decode_realtime_request(server.asked[-1])
    check("what is asked is verified", (asked.originalTransactionId, asked.productId, asked.userLocale)
          == (original, "plus.monthly", "en-US"), asked)
    for name, answer, status in (("an error", {}, 500), ("nothing that is known", {"hello": 1}, 200),
                                 ("an unknown message", {"message": {"messageIdentifier": str(uuid.uuid4())}}, 200)):
        server.answer, server.status = answer, status
        shown = shop.do(f"/subscriptions/{original}/retention", {"locale": "en-US"})
        check(f"where it answers {name}, the default is shown",
              shown["isDefault"] and shown["message"]["messageIdentifier"] == str(message) and shown["problem"], shown)
    shown = shop.do(f"/subscriptions/{original}/retention", {"locale": "fr-FR"})
    check("where no default is set, nothing is", shown["isDefault"] and "message" not in shown, shown)


def check_review(shop):
    """In production somebody reviews."""
    client, message = shop.client(Environment.PRODUCTION), uuid.uuid4()
    client.upload_message(str(message), UploadMessageRequestBody(header="Stay", body="Please."))
    refused("an unapproved message", APIError.MESSAGE_NOT_APPROVED,
            lambda: client.configure_default_message("plus.monthly", "en-US", DefaultConfigurationRequest(message)))
    shop.do("/retention/review", {"identifier": str(message), "approves": True, "environment": "Production"})
    client.configure_default_message("plus.monthly", "en-US", DefaultConfigurationRequest(message))
    check("an approved one is a default", client.get_default_message("plus.monthly", "en-US").messageIdentifier == message)
    client.delete_message(str(message))
    refused("a deleted one is not found", APIError.DEFAULT_MESSAGE_NOT_FOUND,
            lambda: client.get_default_message("plus.monthly", "en-US"))


def main():
    with tempfile.TemporaryDirectory() as folder, Retainer() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        shop = Shop(pathlib.Path(folder))
        with shop.running():
            shop.do("/accounts", {"id": "anna", "environment": "Sandbox"})
            original = shop.do("/accounts/anna/purchases", {"productId": "plus.monthly"})["originalTransactionId"]
            client = shop.client(Environment.SANDBOX)
            message = check_shelf(client)
            check_performance(shop, client, server, message, original)
            check_realtime(shop, server, message, original)
            check_review(shop)
        server.shutdown()
    return harness.summary()


if __name__ == "__main__":
    sys.exit(main())
