import AppStoreWire
import Backend
import Primitives
import Testing

@testable import AppStoreGateway

/// F15 to F17: whatever a server does becomes one typed result, and its class.
@Suite struct `Answers and what takes their place` {
    private static let json = #"{"signedTransactionInfo":"a.b.c"}"#

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let reaction: ScriptedServer.Reaction
        let code: String
        let scope: FailureScope

        init(_ name: String, _ reaction: ScriptedServer.Reaction, _ code: String, _ scope: FailureScope) {
            (self.name, self.reaction, self.code, self.scope) = (name, reaction, code, scope)
        }

        var testDescription: String { name }
    }

    private static func error(_ status: Int, _ code: Int64) -> ScriptedServer.Reaction {
        .write(ScriptedServer.answer(status, #"{"errorCode":\#(code),"errorMessage":"Some words."}"#))
    }

    static let refusals: [Case] = [
        Case("401 without a body", .write(ScriptedServer.answer(401, headers: [])), "unauthenticated", .app),
        Case("401 with a page", .write(ScriptedServer.answer(401, "<html>", headers: [])), "unauthenticated", .app),
        Case("an unknown transaction", error(404, 4040010), "apple.4040010", .transaction),
        Case("an unknown original transaction", error(404, 4040005), "apple.4040005", .transaction),
        Case("no transaction's id", error(400, 4000006), "apple.4000006", .transaction),
        Case("an account that is not found now", error(404, 4040002), "apple.4040002", .host),
        Case("an app that is not found", error(404, 4040003), "apple.4040003", .app),
        Case("an old page token", error(400, 4000017), "apple.4000017", .request),
        Case("Apple's internal error", error(500, 5000000), "apple.5000000", .host),
        Case("Apple's internal error, to be retried", error(500, 5000001), "apple.5000001", .host),
        Case("500 without a body", .write(ScriptedServer.answer(500, headers: [])), "notJSON", .host),
        Case(
            "503 with a page", .write(ScriptedServer.answer(503, "<html>", headers: ["Content-Type: text/html"])), "notJSON",
            .host),
        Case("404 without a body", .write(ScriptedServer.answer(404, headers: [])), "notJSON", .app),
    ]

    static let oddities: [Case] = [
        Case(
            "a page with 200", .write(ScriptedServer.answer(200, "<html>", headers: ["Content-Type: text/html"])), "notJSON", .app
        ),
        Case(
            "right JSON of another type", .write(ScriptedServer.answer(200, json, headers: ["Content-Type: text/html"])),
            "notJSON", .app),
        Case("nothing with 200", .write(ScriptedServer.answer(200)), "notJSON", .app),
        Case("half of the JSON", .write(ScriptedServer.answer(200, String(json.dropLast(3)))), "notJSON", .app),
        Case("a list", .write(ScriptedServer.answer(200, "[]")), "unexpectedShape", .app),
        Case(
            "a number as the signed text", .write(ScriptedServer.answer(200, #"{"signedTransactionInfo":1}"#)), "unexpectedShape",
            .app),
        Case(
            "packed without being asked",
            .write(
                ScriptedServer.answer(200, "\u{1f}packed", headers: ["Content-Encoding: gzip"])),
            "notJSON", .app),
        Case("two megabytes", .write(ScriptedServer.answer(200, String(repeating: " ", count: 2 << 20))), "tooLarge", .app),
        Case(
            "a length of a gigabyte", .flood("HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n"), "tooLarge", .app),
        Case(
            "a shorter body than its length",
            .writeAndClose("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n" + json), "network.closedEarly", .host),
        Case(
            "chunks without their end",
            .writeAndClose("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n21\r\n" + json + "\r\n"), "network.closedEarly",
            .host),
        Case("the end in place of an answer", .close, "network.closedEarly", .host),
        Case("a reset in place of an answer", .reset, "network.connectionReset", .host),
        Case("another protocol", .writeAndClose("SSH-2.0-OpenSSH_9.6\r\n\r\n"), "network.notHTTP", .host),
    ]

    @Test(arguments: refusals + oddities)
    func `everything that is no answer has one code and one scope`(example: Case) async throws {
        try await ScriptedServer.run({ _, _ in example.reaction }) { server in
            try await GatewayWorld.run(.waiting()) { world in
                let failure = await world.failure(server.url)
                #expect(failure?.code == example.code, "\(String(describing: failure))")
                #expect(failure?.scope == example.scope)
                // Apple's words may contain what was requested.
                let text = failure?.description ?? ""
                #expect(!text.contains("Some words") && !text.contains("2000000900000001"))
                #expect(world.calls.map(\.failureCode) == [example.code])
            }
            #expect(server.record.requests.count == 1)
        }
    }

    @Test func `of a body without end, little more than the limit is read`() async throws {
        let reaction = ScriptedServer.Reaction.flood("HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n")
        try await ScriptedServer.run({ _, _ in reaction }) { server in
            try await GatewayWorld.run(.waiting()) { world in
                #expect(await world.failure(server.url)?.code == "tooLarge")
            }
            // A megabyte, and what the buffers of two sockets hold.
            #expect(server.record.flooded < 64 << 20)
        }
    }

    @Test(arguments: [
        ScriptedServer.answer(200, json), ScriptedServer.answer(200, json, headers: []),
        ScriptedServer.answer(200, json, headers: ["content-type: application/json;charset=UTF-8"]),
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10\r\n" + json.prefix(16) + "\r\n11\r\n" + json.dropFirst(16)
            + "\r\n0\r\n\r\n",
    ])
    func `a right answer is read, whole or in chunks`(answer: String) async throws {
        try await ScriptedServer.run({ _, _ in .write(answer) }) { server in
            try await GatewayWorld.run(.waiting()) { world in
                let read = try await world.ask(server.url).get()
                #expect(read.response.signedTransactionInfo == "a.b.c")
                #expect(read.rawBody == Array(Self.json.utf8))
                #expect(world.calls.map(\.failureCode) == [nil])
            }
            let request = try #require(server.record.requests.first)
            #expect(request.hasPrefix("GET /inApps/v1/transactions/2000000900000001 HTTP/1.1\r\n"))
            #expect(
                request.lowercased().contains("accept: application/json") && !request.lowercased().contains("accept-encoding"))
        }
    }

    @Test func `a redirect is not followed`() async throws {
        try await ScriptedServer.run({ _, _ in .write(ScriptedServer.answer(200, Self.json)) }) { other in
            let moved = ScriptedServer.answer(302, headers: ["Location: \(other.url)/inApps/v1/transactions/1"])
            try await ScriptedServer.run({ _, _ in .write(moved) }) { server in
                try await GatewayWorld.run(.waiting()) { world in
                    let failure = await world.failure(server.url)
                    #expect(failure?.code == "notJSON" && failure?.scope == .app)
                    #expect(world.calls.map(\.status) == [302])
                }
            }
            #expect(other.record.connections == 0)
        }
    }

    /// Apple writes UNIX time in milliseconds; F15.
    @Test(
        arguments: [
            ("1767225660000", 60_000), ("1767225660", 60_000), ("60", 60_000), ("1767225500000", 0),
            ("1898985600000", 86_400_000),
            (nil, nil), ("Thu, 01 Jan 2026 00:01:00 GMT", nil),
        ] as [(String?, Int64?)])
    func `too many requests are the budget's, with the instant of the next`(header: String?, wait: Int64?) async throws {
        let headers = ["Content-Type: application/json"] + (header.map { ["Retry-After: \($0)"] } ?? [])
        let answer = ScriptedServer.answer(429, #"{"errorCode":4290000,"errorMessage":"x"}"#, headers: headers)
        try await ScriptedServer.run({ _, _ in .write(answer) }) { server in
            try await GatewayWorld.run(.waiting()) { world in
                let failure = await world.failure(server.url)
                #expect(failure?.scope == .budget && failure?.code == "apple.4290000")
                #expect(failure?.retryAt == wait.map { GatewayWorld.start.adding(Milliseconds($0)) })
            }
        }
    }

    // MARK: Time

    @Test func `a server that never answers costs the deadline`() async throws {
        try await ScriptedServer.run({ _, _ in .hang }) { server in
            try await GatewayWorld.run(.waiting(deadline: Milliseconds(200))) { world in
                #expect(await world.failure(server.url) == .network(.deadlineExceeded))
            }
        }
    }

    @Test func `an answer that drips on does not outlive the deadline`() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"
        try await ScriptedServer.run({ _, _ in .drip(head) }) { server in
            try await GatewayWorld.run(.waiting(deadline: Milliseconds(400))) { world in
                #expect(await world.failure(server.url) == .network(.deadlineExceeded))
            }
        }
    }

    @Test func `an answer that pauses for too long is given up`() async throws {
        try await ScriptedServer.run({ _, _ in .hang }) { server in
            try await GatewayWorld.run(.waiting(read: Milliseconds(100))) { world in
                #expect(await world.failure(server.url) == .network(.readTimeout))
            }
        }
    }

    @Test func `who is cancelled, or shut down, gets that as the result`() async throws {
        try await ScriptedServer.run({ _, _ in .hang }) { server in
            try await GatewayWorld.run(.waiting()) { world in
                let asking = Task { await world.failure(server.url) }
                asking.cancel()
                #expect(await asking.value == .cancelled)
                let waiting = Task { await world.failure(server.url) }
                while server.record.requests.isEmpty { await Task.yield() }
                try await world.gateway.shutdown()
                #expect(await waiting.value == .cancelled)
                #expect(await world.failure(server.url) == .cancelled)
            }
        }
    }

    // MARK: No connection

    @Test func `nobody who listens, and a name without an address, are told apart`() async throws {
        var configuration = GatewayConfiguration.waiting()
        // Longer than a name may be: no resolver has to be asked.
        let name = String(repeating: "a", count: 64) + ".example.com"
        configuration.plainHTTPHosts.insert(name)
        try await ScriptedServer.withClosedPort { port in
            try await GatewayWorld.run(configuration) { world in
                #expect(await world.failure("http://127.0.0.1:\(port)") == .network(.connectionRefused))
                #expect(await world.failure("http://\(name):\(port)") == .network(.nameNotResolved))
            }
        }
    }

    @Test(arguments: [
        "ftp://127.0.0.1", "http://", "127.0.0.1", "http://user@127.0.0.1", "http://api.storekit.apple.com", "https://a:0",
    ])
    func `a token goes to no address that hides nothing, or is none`(url: String) async throws {
        try await GatewayWorld.run { world in
            let failure = await world.failure(url)
            #expect(failure == .network(.addressRefused) && failure?.scope == .app)
        }
    }

    // MARK: What is observed

    @Test func `a call is observed with its status, its host and the date of the answer`() async throws {
        let headers = ["Content-Type: application/json", "Date: Thu, 01 Jan 2026 00:00:07 GMT"]
        try await ScriptedServer.run({ _, _ in .write(ScriptedServer.answer(200, Self.json, headers: headers)) }) { server in
            try await GatewayWorld.run(.waiting()) { world in
                #expect(world.gateway.state(ofHostAt: server.url) == nil)
                world.clock.move(by: .seconds(5))
                _ = try await world.ask(server.url).get()
                let call = try #require(world.calls.first)
                #expect(call.endpoint == "Get Transaction Info" && call.host == server.url && call.status == 200)
                #expect(call.duration >= Milliseconds(0))
                // Our clock is two seconds behind.
                #expect(call.appleDate?.lead == Milliseconds(-2000))
                #expect(world.gateway.state(ofHostAt: server.url + "/verifyReceipt")?.appleDate == call.appleDate)
                #expect(world.gateway.hostStates.map(\.host) == [server.url])
            }
        }
    }

    @Test(
        arguments: [
            ("Thu, 01 Jan 2026 00:00:00 GMT", 1_767_225_600_000), ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777_000),
            ("Sunday, 06-Nov-94 08:49:37 GMT", nil), ("Sun Nov  6 08:49:37 1994", nil), ("Thu, 30 Feb 2026 00:00:00 GMT", nil),
            ("Thu, 01 Jan 2026 24:00:00 GMT", nil), ("Thu, 01 Jan 2026 00:00:00 CET", nil), ("", nil),
            ("Thu, +1 Jan 2026 00:00:00 GMT", nil),
        ] as [(String, Int64?)])
    func `dates of HTTP are read in their one present form`(text: String, milliseconds: Int64?) {
        #expect(HTTPDate.instant(text)?.millisecondsSince1970 == milliseconds)
    }

    @Test(arguments: [
        ("https://api.storekit.apple.com", "api.storekit.apple.com", 443), ("HTTPS://A.example/b?c", "a.example", 443),
        ("http://127.0.0.1:8080/x", "127.0.0.1", 8080), ("http://[::1]:8080", "::1", 8080), ("http://[::1]", "::1", 80),
    ])
    func `addresses are read up to their path`(url: String, host: String, port: Int) {
        let address = GatewayAddress(url)
        #expect(address?.host == host && address?.port == port)
    }

    @Test(arguments: [
        "http://a:b", "http://a:70000", "http://[::1", "http://[::1]x", "http://::1", "http://a@b", #"http://a\b"#, "",
    ])
    func `what is no address is none`(url: String) { #expect(GatewayAddress(url) == nil) }
}
