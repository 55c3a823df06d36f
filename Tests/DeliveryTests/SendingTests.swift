import Backend
import Foundation
import NIOSSL
import Primitives
import Testing

@testable import Delivery

@Suite struct `A parcel is handed over within limits` {
    private static let name = "receiver.example"
    private static let here = TableResolver([:], fallback: ["127.0.0.1"])

    private static func run<Value>(
        configuration: DeliveryConfiguration = .waiting(), _ body: (CourierWorld) async throws -> Value
    ) async throws -> Value {
        try await CourierWorld.run(allow: [name], resolver: here, configuration: configuration, body)
    }

    private static func url(_ receiver: Receiver, scheme: String = "http") -> String {
        "\(scheme)://\(name):\(receiver.port)/hook?a=b"
    }

    // MARK: What is sent

    @Test func `TELL-1 an attempt is signed with its own time, and keeps its id and its bytes`() async throws {
        try await Receiver.run({ _ in .write(Receiver.answer(200, "ok")) }) { receiver in
            try await Self.run { world in
                let fresh = try world.courier.makeSecret(.v1, of: CourierWorld.owner)
                let body = Array(#"{"type":"subscription.started","text":"ß€\#u{0}"}"#.utf8)
                let parcel = Parcel(id: "evt_abc", body: body, headers: [ParcelHeader("x-shop", "7")])
                for _ in 0..<2 {
                    #expect(
                        await world.send(Self.url(receiver), parcel, secrets: [fresh.sealed])
                            == .answered(status: 200, retryAfter: nil, beginning: "ok"))
                    world.clock.move(by: .seconds(7))
                }
                let requests = receiver.record.requests
                #expect(requests.map(\.line) == ["POST /hook?a=b HTTP/1.1", "POST /hook?a=b HTTP/1.1"])
                #expect(requests.map { $0.headers["webhook-id"] } == ["evt_abc", "evt_abc"])
                #expect(requests.map { $0.headers["webhook-timestamp"] } == ["1767225600", "1767225607"])
                #expect(requests.allSatisfy { $0.body == body })
                let verifier = try #require(try WebhookVerifier(fresh.text))
                #expect(requests.allSatisfy { verifier.accepts($0) })
                let headers = try #require(requests.first?.headers)
                #expect(headers["host"] == "\(Self.name):\(receiver.port)" && headers["content-type"] == "application/json")
                #expect(headers["x-shop"] == "7" && headers["content-length"] == "\(body.count)")
                #expect(headers["accept-encoding"] == nil)
            }
        }
    }

    @Test func `TELL-1 while an old and a new secret overlap, receivers with either accept it`() async throws {
        try await Receiver.run({ _ in .write(Receiver.answer(204)) }) { receiver in
            try await Self.run { world in
                let secrets = [
                    try world.courier.makeSecret(.v1a, of: CourierWorld.owner),
                    try world.courier.makeSecret(.v1, of: CourierWorld.owner),
                ]
                _ = await world.send(Self.url(receiver), secrets: secrets.map(\.sealed))
                let request = try #require(receiver.record.requests.first)
                #expect(request.headers["webhook-signature"]?.hasPrefix("v1a,") == true)
                for secret in secrets { #expect(try #require(try WebhookVerifier(secret.text)).accepts(request)) }
            }
        }
    }

    @Test func `a parcel without secrets has no header of a signature`() async throws {
        try await Receiver.run({ _ in .write(Receiver.answer(200)) }) { receiver in
            try await Self.run { world in
                let parcel = Parcel(id: "evt_1", body: [0xFF, 0x00, 0x0A], contentType: "application/octet-stream")
                _ = await world.send(Self.url(receiver), parcel)
                let request = try #require(receiver.record.requests.first)
                #expect(request.body == [0xFF, 0x00, 0x0A] && request.headers["content-type"] == "application/octet-stream")
                #expect(request.headers.keys.allSatisfy { !$0.hasPrefix("webhook-") })
            }
        }
    }

    @Test func `a header that is the sender's own, or none, is left out`() async throws {
        try await Receiver.run({ _ in .write(Receiver.answer(200)) }) { receiver in
            try await Self.run { world in
                let wrong = [
                    ParcelHeader("Host", "127.0.0.1"), ParcelHeader("content-LENGTH", "1"),
                    ParcelHeader("Transfer-Encoding", "chunked"),
                    ParcelHeader("webhook-id", "evt_2"), ParcelHeader("X-A", "b\r\nX-B: c"), ParcelHeader("X C", "d"),
                    ParcelHeader("", "e"),
                    ParcelHeader("X-D", "ü"), ParcelHeader("X-E", " f"), ParcelHeader("X-F", String(repeating: "g", count: 4097)),
                ]
                #expect(wrong.allSatisfy { $0.refusal != nil })
                let right = ParcelHeader("Authorization", "Bearer x.y-z")
                #expect(right.refusal == nil)
                let parcel = Parcel(id: "evt_1", body: [1, 2], headers: wrong + [right])
                #expect(await world.send(Self.url(receiver), parcel) == .answered(status: 200, retryAfter: nil, beginning: ""))
                let headers = try #require(receiver.record.requests.first?.headers)
                #expect(
                    Set(headers.keys) == ["host", "user-agent", "content-type", "content-length", "authorization"], "\(headers)")
                #expect(headers["host"] == "\(Self.name):\(receiver.port)" && headers["authorization"] == "Bearer x.y-z")
            }
        }
    }

    @Test func `a secret that does not open keeps the parcel here`() async throws {
        let other = try SecretBox(keys: [[UInt8](repeating: 9, count: 32)])
        try await Receiver.run({ _ in .write(Receiver.answer(200)) }) { receiver in
            try await Self.run { world in
                let sealed = [
                    try other.makeSecret(.v1, of: CourierWorld.owner).sealed,
                    try world.courier.makeSecret(.v1, of: "app/other").sealed,
                    SealedSecret(kind: .v1, fingerprint: "", sealed: ""),
                ]
                for secret in sealed {
                    guard case .failed(.secretUnreadable, _) = await world.send(Self.url(receiver), secrets: [secret]) else {
                        Issue.record("\(secret.sealed) was used")
                        continue
                    }
                }
                #expect(receiver.record.connections == 0)
            }
        }
    }

    // MARK: What is answered

    @Test(arguments: [200, 204, 301, 302, 303, 307, 308, 400, 410, 429, 500, 503])
    func `a status is what was answered, and no redirection is followed`(status: Int) async throws {
        try await Receiver.run({ _ in .write(Receiver.answer(200)) }) { target in
            let headers = ["Location: http://\(Self.name):\(target.port)/"]
            try await Receiver.run({ _ in .write(Receiver.answer(status, headers: headers)) }) { receiver in
                try await Self.run { world in
                    #expect(await world.status(Self.url(receiver)) == status)
                    #expect(receiver.record.requests.count == 1 && target.record.connections == 0)
                }
            }
        }
    }

    @Test(
        arguments: [
            ("120", 120_000), ("0", 0), ("Thu, 01 Jan 2026 00:00:10 GMT", 9_211), ("Wed, 31 Dec 2025 23:59:59 GMT", 0),
            ("-1", nil),
            ("1.5", nil), ("soon", nil), ("", nil), ("99999999999999999999999", Int64.max),
        ] as [(String, Int64?)])
    func `Retry-After is seconds or a date`(header: String, milliseconds: Int64?) {
        #expect(ParcelExchange.retryAfter(header, now: { CourierWorld.start })?.count == milliseconds)
    }

    @Test func `the time that a receiver asks for is passed on`() async throws {
        let answer = Receiver.answer(429, "slow down", headers: ["Retry-After: 30"])
        try await Receiver.run({ _ in .write(answer) }) { receiver in
            try await Self.run { world in
                #expect(
                    await world.send(Self.url(receiver))
                        == .answered(status: 429, retryAfter: .seconds(30), beginning: "slow down"))
            }
        }
    }

    @Test func `a body is kept as text that every store takes`() {
        #expect(ParcelExchange.text([0x61, 0x00, 0xFF, 0x62]) == "a\u{FFFD}\u{FFFD}b")
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n",
    ])
    func `F22 a body that never ends is cut`(head: String) async throws {
        try await Receiver.run({ _ in .flood(head, part: String(repeating: "x", count: 1 << 12)) }) { receiver in
            try await Self.run { world in
                let answer = await world.send(Self.url(receiver))
                #expect(answer == .answered(status: 200, retryAfter: nil, beginning: String(repeating: "x", count: 2048)))
            }
        }
    }

    /// Of chunks with a byte each, six bytes arrive for one.
    @Test func `F22 a body that is mostly framing is cut`() async throws {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        try await Receiver.run({ _ in .flood(head, part: String(repeating: "1\r\nx\r\n", count: 100)) }) { receiver in
            try await Self.run { world in
                #expect(await world.status(Self.url(receiver)) == 200)
            }
        }
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\n", String(repeating: "X-A: yyyyyyyyyy\r\n", count: 10)),
        ("HTTP/1.1 200 OK\r\nX-A: ", String(repeating: "y", count: 1000)),
        ("", String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 40)),
    ])
    func `F22 headers that never end are cut`(beginning: String, part: String) async throws {
        try await Receiver.run({ _ in .flood(beginning, part: part) }) { receiver in
            try await Self.run { world in
                guard case .failed(.connectionLost, _) = await world.send(Self.url(receiver)) else {
                    Issue.record("was answered")
                    return
                }
            }
        }
    }

    @Test func `headers of more than 32 KB are no answer, and fewer are one`() async throws {
        for (count, isAnswer) in [(31, true), (33, false)] {
            let headers = (0..<count).map { "X-\($0): \(String(repeating: "y", count: 1015 - "\($0)".count))" }
            try await Receiver.run({ _ in .write(Receiver.answer(200, headers: headers)) }) { receiver in
                try await Self.run { world in
                    #expect((await world.status(Self.url(receiver)) == 200) == isAnswer, "\(count) KB")
                }
            }
        }
    }

    @Test func `a packed body is not unpacked`() async throws {
        let answer = Receiver.answer(200, "packed", headers: ["Content-Encoding: gzip"])
        try await Receiver.run({ _ in .write(answer) }) { receiver in
            try await Self.run { world in
                #expect(
                    await world.send(Self.url(receiver)) == .answered(status: 200, retryAfter: nil, beginning: "packed"))
            }
        }
    }

    // MARK: No answer

    @Test func `a receiver that says nothing is waited for until the deadline`() async throws {
        try await Receiver.run({ _ in .hold }) { receiver in
            let isOver: @Sendable () async -> Void = { await receiver.waitForRequests(1) }
            try await CourierWorld.run(allow: [Self.name], resolver: Self.here, pause: isOver) { world in
                #expect(await world.send(Self.url(receiver)) == .failed(.timedOut, words: "no answer came in time"))
            }
        }
    }

    /// The clock is read for the date in `Retry-After`: then the head has arrived, and the deadline is over.
    @Test func `an answer whose body does not come by the deadline has its status all the same`() async throws {
        let head = "HTTP/1.1 410 Gone\r\nContent-Length: 10\r\nRetry-After: Thu, 01 Jan 2026 00:00:10 GMT\r\n\r\n"
        try await Receiver.run({ _ in .write(head) }) { receiver in
            let clock = StandingClock(CourierWorld.start)
            let isOver: @Sendable () async -> Void = { await clock.waitForReading() }
            try await CourierWorld.run(allow: [Self.name], clock: clock, resolver: Self.here, pause: isOver) { world in
                #expect(
                    await world.send(Self.url(receiver))
                        == .answered(status: 410, retryAfter: Milliseconds(9_211), beginning: ""))
            }
        }
    }

    @Test(arguments: [
        "", "HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", "SSH-2.0-OpenSSH_9\r\n",
    ])
    func `a connection that ends too early, or is no HTTP, is lost`(text: String) async throws {
        try await Receiver.run({ _ in .writeAndClose(text) }) { receiver in
            try await Self.run { world in #expect(await world.failure(Self.url(receiver)) == .connectionLost) }
        }
    }

    @Test func `nobody who listens is a connection that failed`() async throws {
        // The port is held at another address meanwhile: one that was let go may be another test's a moment later.
        let resolver = TableResolver([:], fallback: ["127.0.0.3"])
        try await Receiver.run({ _ in .hold }) { receiver in
            try await CourierWorld.run(allow: [Self.name], resolver: resolver) { world in
                #expect(await world.failure(Self.url(receiver)) == .connectionFailed)
            }
        }
    }

    @Test func `the next address of a name is tried where nobody listens at one, and remembered`() async throws {
        let resolver = TableResolver([:], fallback: ["127.0.0.3", "127.0.0.4", "127.0.0.1"])
        try await Receiver.run({ _ in .write(Receiver.answer(200)) }) { receiver in
            try await CourierWorld.run(allow: [Self.name], resolver: resolver) { world in
                #expect(await world.status(Self.url(receiver)) == 200)
                #expect(await world.status(Self.url(receiver)) == 200)
                #expect(receiver.record.connections == 1 && resolver.count == 1 && world.courier.clients == 1)
            }
        }
    }

    @Test func `a courier that was shut down sends nothing`() async throws {
        try await Receiver.run({ _ in .write(Receiver.answer(200)) }) { receiver in
            try await Self.run { world in
                try await world.courier.shutdown()
                #expect(await world.failure(Self.url(receiver)) == .connectionLost)
                #expect(receiver.record.connections == 0)
            }
        }
    }

    @Test func `what is on its way when the courier is shut down is lost`() async throws {
        try await Receiver.run({ _ in .hold }) { receiver in
            try await Self.run { world in
                async let failure = world.failure(Self.url(receiver))
                await receiver.waitForRequests(1)
                try await world.courier.shutdown()
                #expect(await failure == .connectionLost)
            }
        }
    }

    // MARK: TLS

    @Test func `a receiver with a certificate for its name is reached by its name`() async throws {
        let authority = try ReceiverAuthority()
        try await Receiver.run(tls: try authority.server(Self.name), { _ in .write(Receiver.answer(200)) }) { receiver in
            var configuration = DeliveryConfiguration.waiting()
            configuration.additionalRoots = [authority.pem]
            try await Self.run(configuration: configuration) { world in
                #expect(await world.status(Self.url(receiver, scheme: "https")) == 200)
                #expect(receiver.record.requests.first?.headers["host"] == "\(Self.name):\(receiver.port)")
            }
        }
    }

    @Test(arguments: ["another name", "expired", "another authority", "no TLS"])
    func `a certificate that is not accepted ends the attempt before anything is sent`(trouble: String) async throws {
        let authority = try ReceiverAuthority()
        let server: NIOSSLContext? =
            switch trouble {
            case "another name": try authority.server("other.example")
            case "expired": try authority.server(Self.name, days: -5 ... -1)
            case "another authority": try ReceiverAuthority().server(Self.name)
            default: nil
            }
        try await Receiver.run(tls: server, { _ in .writeAndClose(Receiver.answer(400)) }) { receiver in
            var configuration = DeliveryConfiguration.waiting()
            configuration.additionalRoots = [authority.pem]
            try await Self.run(configuration: configuration) { world in
                #expect(await world.failure(Self.url(receiver, scheme: "https")) == .tlsFailed)
                #expect(receiver.record.requests.isEmpty)
            }
        }
    }

    @Test func `a root that is none is said by its place`() throws {
        var configuration = DeliveryConfiguration()
        configuration.additionalRoots = [try ReceiverAuthority().pem, [1, 2, 3]]
        #expect(throws: DeliveryConfigurationError.rootUnreadable(1)) {
            try DeliveryCourier(
                configuration, secrets: try SecretBox(keys: []),
                addresses: AddressGuard(allowed: try AllowedAddresses(), resolver: Self.here),
                clock: StandingClock(CourierWorld.start))
        }
    }
}
