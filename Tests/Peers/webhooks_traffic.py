"""Both ends of much traffic, each a process of its own with one loop. `Post` is a receiver of webhooks that keeps up with a server that sends as
fast as it can, and whose ways of answering are set while it runs; `Writer` makes many events quickly, by several connections, as fast as
the server answers or at a pace.

A request for /NAME is noted under that name: in FOLDER/NAME.jsonl, a line with the instant, webhook-id, webhook-timestamp,
webhook-signature, how many requests of that name were on their way with it, and its body, as far as `keep` says.

Usage: webhooks_traffic.py receive FOLDER | webhooks_traffic.py send, with what is to be sent as JSON on standard input"""

import asyncio
import json
import pathlib
import socket
import subprocess
import sys
import time
import urllib.request

YEAR_2100 = 4_102_444_800_000


class Way:
    """How requests of one name are answered."""

    def __init__(self, folder, name):
        self.status, self.wait, self.first, self.location, self.keep, self.endless = 204, 0.0, None, "", "body", False
        # Each event of which the number of requests so far is a multiple of it is refused at its first attempt.
        self.refuse_each, self.refused = 0, set()
        self.count, self.open, self.most, self.last, self.written = 0, 0, 0, 0.0, 0
        self.file = (folder / f"{name}.jsonl").open("a", buffering=1 << 20)

    def stats(self):
        self.file.flush()
        return {"count": self.count, "open": self.open, "most": self.most, "last": self.last, "written": self.written, "refused": len(self.refused)}


class Connection(asyncio.Protocol):
    def __init__(self, post):
        self.post, self.buffer = post, bytearray()

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        self.buffer += data
        while True:
            end = self.buffer.find(b"\r\n\r\n")
            if end < 0:
                return
            head = bytes(self.buffer[:end]).decode("latin-1").split("\r\n")
            headers = {}
            for line in head[1:]:
                name, _, value = line.partition(":")
                headers[name.lower()] = value.strip()
            size = int(headers.get("content-length", 0))
            if len(self.buffer) < end + 4 + size:
                return
            body = bytes(self.buffer[end + 4 : end + 4 + size])
            del self.buffer[: end + 4 + size]
            path = head[0].split(" ")[1].lstrip("/")
            if path.startswith("-"):
                answer = json.dumps(self.post.control(path, body)).encode()
                self.transport.write(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%s" % (len(answer), answer))
            else:
                self.take(path, headers, body)

    def take(self, path, headers, body):
        way = self.post.way(path)
        way.count, way.open = way.count + 1, way.open + 1
        way.most, way.last = max(way.most, way.open), time.time()
        if way.keep != "nothing":
            line = [way.last, headers.get("webhook-id"), headers.get("webhook-timestamp"), headers.get("webhook-signature"), way.open]
            way.file.write(json.dumps([*line, body.decode()] if way.keep == "body" else line) + "\n")
        if way.refuse_each and way.count % way.refuse_each == 0 and headers["webhook-id"] not in way.refused:
            way.refused.add(headers["webhook-id"])
            self.answer(way, 422)
        elif way.endless:
            self.unending = asyncio.ensure_future(self.never_end(way))
        elif way.wait and (way.first is None or way.count <= way.first):
            asyncio.get_running_loop().call_later(way.wait, self.answer, way)
        else:
            self.answer(way)

    def answer(self, way, status=None):
        way.open -= 1
        location = f"location: {way.location}\r\n" if way.location else ""
        if not self.transport.is_closing():
            self.transport.write(f"HTTP/1.1 {status or way.status} X\r\n{location}content-length: 0\r\n\r\n".encode())

    async def never_end(self, way):
        """An answer that has no end; counted is what the systems of both ends took of it."""
        self.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        self.transport.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n")
        written = 0
        while not self.transport.is_closing() and written < 1 << 26:
            if not self.transport.get_write_buffer_size():
                self.transport.write(b"x" * 1024)
                written += 1024
                way.written = max(way.written, written)
            await asyncio.sleep(0.005)
        way.open -= 1


class Server:
    def __init__(self, folder):
        self.folder, self.ways = folder, {}

    def way(self, name):
        if name not in self.ways:
            self.ways[name] = Way(self.folder, name)
        return self.ways[name]

    def control(self, path, body):
        if path == "-stats":
            return {name: way.stats() for name, way in self.ways.items()}
        for name, changes in json.loads(body).items():
            way = self.way(name)
            for member, value in changes.items():
                setattr(way, member, value)
        return {}

    async def run(self):
        server = await asyncio.get_running_loop().create_server(lambda: Connection(self), "127.0.0.1", 0, backlog=512)
        print(server.sockets[0].getsockname()[1], flush=True)
        await server.serve_forever()


class Post:
    """The process, from outside."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir()
        self.process = subprocess.Popen([sys.executable, __file__, "receive", str(folder)], stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline())

    def url(self, name):
        return f"http://127.0.0.1:{self.port}/{name}"

    def set(self, name, **changes):
        data = json.dumps({name: changes}).encode()
        urllib.request.urlopen(urllib.request.Request(self.url("-set"), data=data, method="POST"), timeout=30).read()

    def stats(self, name):
        with urllib.request.urlopen(self.url("-stats"), timeout=30) as response:
            return json.loads(response.read()).get(name, {"count": 0, "open": 0, "most": 0, "last": 0.0, "written": 0, "refused": 0})

    def taken(self, name):
        """What came under that name so far, in order: tuples of what its line has."""
        self.stats(name)
        path = self.folder / f"{name}.jsonl"
        if not path.exists():
            return
        with path.open() as file:
            for line in file:
                yield json.loads(line)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


async def connection(port, key, requests, outcome, pace):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for method, path, body in requests:
        if pace:
            await pace()
        head = f"{method} {path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\nauthorization: Bearer {key}\r\n"
        writer.write(f"{head}content-length: {len(body)}\r\n\r\n{body}".encode())
        answer = await reader.readuntil(b"\r\n\r\n")
        status = int(answer.split(b" ", 2)[1])
        size = next((int(line.split(b":")[1]) for line in answer.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0)
        content = await reader.readexactly(size)
        outcome["statuses"][status] = outcome["statuses"].get(status, 0) + 1
        if status >= 300 and not outcome["problem"]:
            outcome["problem"] = f"{method} {path}: {status} {content.decode()[:300]}"
    writer.close()


def votes(order):
    """Each makes two events of a customer, `grant.made` and `entitlement.changed`, since each lasts longer than the one before; of those
    that hold, `hold.placed`, and `entitlement.changed` where there was something to hold."""
    for number in range(order["from"], order["until"]):
        customer, turn = number % order["customers"], number // order["customers"]
        words = {"entitlement": "plus", "until": YEAR_2100 + turn * 86_400_000, "actor": "peer", "reason": "webhooks"}
        path = f"/api/v1/apps/demo/customers/{order['prefix']}{customer}/{order['what']}/{order['prefix']}{number}"
        yield customer, "PUT", f"{path}?environment={order['environment']}", json.dumps(words)


def notifications(order):
    """Signed ones, of a file with one a line, each after its subject's number."""
    with open(order["file"]) as file:
        for line in file:
            subject, _, body = line.rstrip("\n").partition(" ")
            yield int(subject), "POST", "/api/v1/apps/demo/apple/notifications", body


async def run(order):
    outcome, began, sent = {"statuses": {}, "problem": ""}, time.monotonic(), 0
    make = notifications if order["what"] == "notifications" else votes

    async def pace():
        nonlocal sent
        due = began + sent / order["perSecond"]
        sent += 1
        await asyncio.sleep(max(0, due - time.monotonic()))

    def share(index):
        return ((method, path, body) for subject, method, path, body in make(order) if subject % order["connections"] == index)

    try:
        await asyncio.gather(*(
            connection(order["port"], order["key"], share(index), outcome, pace if order["perSecond"] else None)
            for index in range(order["connections"])))
    except (OSError, asyncio.IncompleteReadError) as error:
        outcome["problem"] = outcome["problem"] or f"no answer: {error}"
    print(json.dumps({**outcome, "seconds": time.monotonic() - began}))


class Writer:
    """A process that sends, from outside."""

    def __init__(self, shop, what, count=0, port=None, **order):
        order = {
            "what": what, "from": 0, "until": count, "customers": max(1, count), "prefix": what, "environment": "Production",
            "connections": 8, "perSecond": 0, "port": port or shop.books.port, "key": shop.books.keys.server, **order}
        self.process = subprocess.Popen([sys.executable, __file__, "send"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.process.stdin.write(json.dumps(order))
        self.process.stdin.close()
        self.process.stdin = None

    @property
    def is_done(self):
        return self.process.poll() is not None

    def outcome(self):
        """How many answers of each status, and in how many seconds; waits for it."""
        output = self.process.communicate()[0]
        return json.loads(output) if output else {"statuses": {}, "problem": "the writer ended", "seconds": 0.0}


if __name__ == "__main__":
    asyncio.run(Server(pathlib.Path(sys.argv[2])).run() if sys.argv[1] == "receive" else run(json.load(sys.stdin)))
