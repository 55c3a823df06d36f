#!/usr/bin/env python3
"""Hostile addresses and names that change what they mean (W7, T40), in a network of their own: a name server that answers with TTL 0,
now a public address and now a private one; a receiver at the public address; and canaries at private ones, to which no connection may
come, neither when an endpoint is made nor when it is sent to. Prints one line per check; the exit code is 1 when one failed.

Runs inside `unshare -n -m` (or `unshare -r -n -m` by somebody who is not root), where it sets up the loopback device and the resolver's
file; `webhooks_full.py W7` starts it so."""

import datetime
import http.server
import ipaddress
import os
import pathlib
import random
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import threading

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from books_material import Signer
from harness import check, summary
from webhook_shop import KEY, Shop

RACES = int(os.environ.get("RACES", "1000"))
PUBLIC = "93.184.216.34"
PRIVATE = ["127.0.0.1", "10.0.0.7", "172.16.3.4", "192.168.1.1", "169.254.169.254", "100.64.0.1"]
PRIVATE_V6 = ["::1", "fd00::7"]
PORTS = [80, 443, 8443]
DOMAIN = "rebind.example"
# Beside the above: one address of each range that may not be connected to (RFC 6890 and the registries of IANA).
OTHERS = ["0.0.0.0", "192.0.0.8", "192.0.2.1", "192.88.99.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "240.0.0.1", "255.255.255.255"]
OTHERS_V6 = ["::", "64:ff9b::a00:7", "64:ff9b:1::1", "100::1", "2001:db8::1", "2002:a00:7::1", "fe80::1", "ff02::1"]


def network():
    def run(*command):
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

    run("ip", "link", "set", "lo", "up")
    for address in [PUBLIC, *PRIVATE[1:]]:
        run("ip", "addr", "add", f"{address}/32", "dev", "lo")
    run("ip", "-6", "addr", "add", "fd00::7/128", "dev", "lo")


def resolve_here(folder):
    """This network's resolver is asked, and no file or service before it."""
    for name, text in (("resolv.conf", "nameserver 127.0.0.1\noptions timeout:1 attempts:1\n"), ("nsswitch.conf", "hosts: dns\n")):
        file = folder / name
        file.write_text(text)
        subprocess.run(["mount", "--bind", str(file), f"/etc/{name}"], check=True)


class Names(threading.Thread):
    """A name server that never means the same twice; `mixed…` means both at once, and `six…` a private address of IPv6."""

    def __init__(self, seed):
        super().__init__(daemon=True)
        self.random, self.asked, self.private = random.Random(seed), 0, 0
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 53))

    def run(self):
        while True:
            query, client = self.socket.recvfrom(512)
            self.socket.sendto(self.answer(query), client)

    def answer(self, query):
        end = query.index(b"\0", 12) + 1
        name, kind = query[13 : end - 1].decode("latin-1"), struct.unpack(">H", query[end : end + 2])[0]
        found = self.addresses(name, kind) if kind in (1, 28) and name.endswith("\x06rebind\x07example") else []
        self.asked += 1
        self.private += any(address != PUBLIC for address in found)
        records = b"".join(
            b"\xc0\x0c" + struct.pack(">HHIH", kind, 1, 0, len(packed)) + packed for packed in (ipaddress.ip_address(address).packed for address in found))
        return query[:2] + struct.pack(">HHHHH", 0x8180, 1, len(found), 0, 0) + query[12 : end + 4] + records

    def addresses(self, name, kind):
        is_private = self.random.random() < 0.5
        if kind == 28:
            return [self.random.choice(PRIVATE_V6)] if name.startswith("six") and is_private else []
        if name.startswith("mixed"):
            return self.random.sample([PUBLIC, self.random.choice(PRIVATE)], 2) if is_private else [PUBLIC]
        return [self.random.choice(PRIVATE)] if is_private and not name.startswith("six") else [PUBLIC]


class Canaries:
    def __init__(self):
        self.reached = []
        for address in PRIVATE + PRIVATE_V6:
            for port in PORTS:
                family = socket.AF_INET6 if ":" in address else socket.AF_INET
                listener = socket.socket(family, socket.SOCK_STREAM)
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                listener.bind((address, port))
                listener.listen()
                threading.Thread(target=self.accept, args=(listener, f"{address} {port}"), daemon=True).start()

    def accept(self, listener, name):
        while True:
            connection, _ = listener.accept()
            self.reached.append(name)
            connection.close()


class Receiver:
    """At the public address, with a certificate for every name here."""

    def __init__(self, folder):
        self.count, receiver = 0, self
        key = ec.generate_private_key(ec.SECP256R1())
        name, now = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "an authority of a test")]), datetime.datetime.now(datetime.timezone.utc)
        certificate = (
            x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key()).serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=1)).not_valid_after(now + datetime.timedelta(days=1))
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
            .add_extension(x509.SubjectAlternativeName([x509.DNSName(f"*.{DOMAIN}")]), critical=False).sign(key, hashes.SHA256()))
        self.authority, private = folder / "authority.pem", folder / "key.pem"
        self.authority.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
        private.write_bytes(key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                self.rfile.read(int(self.headers["content-length"]))
                receiver.count += 1
                self.send_response(204)
                self.end_headers()

            def log_message(self, *arguments):
                pass

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.authority, private)
        server = http.server.ThreadingHTTPServer((PUBLIC, 443), Handler)
        server.daemon_threads = True
        server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()


def hostile():
    """More than 200 spellings of addresses that are not public."""
    for address in PRIVATE + OTHERS:
        number = int(ipaddress.ip_address(address))
        parts = address.split(".")
        yield from (
            f"https://{address}/", f"https://{address}:8443/", f"https://{number}/", f"https://{number:#x}/", f"https://user@{address}/",
            "https://" + ".".join(f"0{int(part):o}" for part in parts) + "/", "https://" + ".".join(f"{int(part):#x}" for part in parts) + "/",
            f"https://{parts[0]}.{number & 0xFFFFFF}/", f"https://[::ffff:{address}]/", f"https://[64:ff9b::{address}]/",
            f"https://{PUBLIC}@{address}/", f"https://{address}./", f"http://{address}/")
    for address in PRIVATE_V6 + OTHERS_V6:
        yield from (f"https://[{address}]/", f"https://[{ipaddress.ip_address(address).exploded}]/", f"http://[{address}]/")
    yield from ("https://localhost/", "https://LOCALHOST/", "https://localhost.localdomain/", "file:///etc/passwd", "gopher://127.0.0.1/", "https://127.0.0.1:22/")


def play(folder, seed):
    names, canaries, receiver = Names(seed), Canaries(), Receiver(folder)
    names.start()
    shop = Shop(folder, Signer(folder), "sqlite")
    shop.books.content["webhooks"] = {"secretKeys": [KEY], "additionalRoots": [str(receiver.authority)]}
    shop.books.write_configuration()
    with shop.books.serving():
        urls = list(hostile())
        taken = [url for url in urls if shop.call("PUT", "/hostile", {"url": url})[0] == 200]
        check(f"W7 T40 none of {len(urls)} hostile URLs is taken, and none connected to", not taken and not canaries.reached, (taken, canaries.reached[:5]))
        # Each race is of a name of its own: it is looked up when the endpoint is written, and again when something is sent.
        refused, strange, outcomes, number = 0, [], {}, 0
        while sum(outcomes.values()) < RACES and number < 10 * RACES:
            number += 1
            status, answer = shop.call("PUT", "/race", {"url": f"https://{('race', 'mixed', 'six')[number % 3]}{number}.{DOMAIN}/hook"})
            if status != 200:
                refused += answer.get("code") == "addressRefused"
                strange += [answer] if answer.get("code") != "addressRefused" else []
                continue
            _, attempt = shop.call("POST", "/race/test")
            outcome = "delivered" if attempt.get("isDelivered") else attempt.get("failure", attempt.get("code", "?"))
            outcomes[outcome] = outcomes.get(outcome, 0) + 1
        check(f"W7 of {number:,} names that mean a private address now and then {refused:,} are refused when they are written",
              refused > number // 10 and not strange, strange[:3])
        check(f"W7 T40 of {RACES:,} attempts at the others, whose meaning may have changed since, none reaches one of {len(PRIVATE + PRIVATE_V6)} private addresses: "
              f"{outcomes.get('delivered', 0)} reach the public one, {outcomes.get('addressRefused', 0)} are refused",
              not canaries.reached and set(outcomes) == {"delivered", "addressRefused"} and receiver.count == outcomes["delivered"] and min(outcomes.values()) > RACES // 10,
              (canaries.reached[:5], receiver.count, outcomes))
        check(f"W7 the name server answered {names.asked:,} questions, {names.private:,} of them with a private address (seed {seed})", names.private > RACES // 10)
    # The canaries do notice: else this test could not fail.
    socket.create_connection((PRIVATE[1], 443), timeout=5).close()
    socket.create_connection(("fd00::7", 8443), timeout=5).close()
    check("W7 a canary notices a connection", wait(lambda: len(canaries.reached) == 2), canaries.reached)


def wait(condition):
    for _ in range(100):
        if condition():
            return True
        threading.Event().wait(0.05)
    return False


def main():
    with tempfile.TemporaryDirectory(prefix="tenure-rebinding-") as name:
        network()
        resolve_here(pathlib.Path(name))
        play(pathlib.Path(name), int(os.environ.get("SEED", random.SystemRandom().randrange(1 << 32))))
    return summary()


if __name__ == "__main__":
    sys.exit(main())
