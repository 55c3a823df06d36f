import HTTPTypes
import HummingbirdTesting
import Logging
import Testing

/// T49: what HTTP itself requires of a server, and what strange clients get.
@Suite struct `Requests by the rules of HTTP` {
    private static let routes: [(uri: String, allowed: String)] = [
        ("/api/v1/apps/app/apple/notifications", "POST"), ("/api/v1/apps/app/customers/alice/transactions", "POST"),
        ("/api/v1/apps/app/customers/alice/receipts", "POST"), (World.entitlements, "GET, HEAD"),
        ("/api/v1/apps/app/customers/alice/appAccountTokens/a11ce000-0000-4000-8000-000000000001", "PUT"),
        ("/api/v1/apps/app/subscriptions/1001", "GET, HEAD"), ("/api/v1/apps/app/warnings", "GET, HEAD"),
        ("/health/live", "GET, HEAD"), ("/health/ready", "GET, HEAD"),
    ]

    /// Source: RFC 9110, section 15.5.6.
    @Test func `A method that an address does not have is 405 with the allowed ones`() async throws {
        try await withRouter { _, client in
            for (uri, allowed) in Self.routes {
                for method in [HTTPRequest.Method.get, .head, .post, .put, .delete, .patch, .options, .trace] {
                    guard !allowed.split(separator: ", ").contains(method.rawValue[...]) else { continue }
                    let answer = try await client.send(method, uri, key: World.serverKey, body: nil)
                    #expect(answer.status == .methodNotAllowed, "\(method) \(uri)")
                    #expect(answer.headers[.allow] == allowed, "\(method) \(uri)")
                    #expect(method == .head ? answer.text.isEmpty : answer.code == "methodNotAllowed")
                }
            }
        }
    }

    /// Source: RFC 9110, section 9.3.2.
    @Test func `HEAD is answered as GET, without the body`() async throws {
        try await withRouter { _, client in
            for (uri, key) in [("/health/live", nil), (World.entitlements, World.serverKey), (World.entitlements, nil)] {
                let get = try await client.send(.get, uri, key: key, body: nil)
                let head = try await client.send(.head, uri, key: key, body: nil)
                #expect(head.status == get.status && head.text.isEmpty)
                #expect(head.headers[.contentType] == get.headers[.contentType])
            }
        }
    }

    @Test(arguments: [
        ("enviroment=Sandbox", "enviroment is not a parameter; known: environment, at"), ("at=1&at=2", "at is given twice"),
        ("environment=sandbox", "environment must be Production or Sandbox"),
        ("x", "x is not a parameter; known: environment, at"),
    ])
    func `An unknown query is refused, with the known names`(_ query: String, _ detail: String) async throws {
        try await withRouter { _, client in
            for uri in [World.entitlements, "/api/v1/apps/app/subscriptions/1001"] {
                let answer = try await client.get("\(uri)?\(query)")
                #expect(answer.status == .badRequest && answer.code == "invalidParameter", "\(answer.text)")
                #expect(answer.member("detail") == detail)
            }
        }
    }

    // MARK: On the wire

    private static let address = "POST /api/v1/apps/app/apple/notifications HTTP/1.1\r\n"

    /// What a client sends, and the code of the problem that it must get; nil where it may get nothing.
    private static let strange: [(String, String?)] = [
        ("\(address)Host: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "bodyUnfinished"),
        ("\(address)Host: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcdefgh\r\n0\r\n\r\n", "bodyUnfinished"),
        ("\(address)Host: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nX-Trailer\r\n\r\n", nil),
        ("\(address)Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "hostMissing"),
        ("GET \(World.entitlements) HTTP/1.1\r\nConnection: close\r\n\r\n", "hostMissing"),
        ("GET \(World.entitlements) HTTP/1.1\r\nHost: x\r\nHost: y\r\nConnection: close\r\n\r\n", "hostMissing"),
        ("GET / HTTP/9.9\r\n\r\n", "requestMalformed"), ("\u{16}\u{3}\u{1}\r\n\r\n", "requestMalformed"),
        ("\(address)Host: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", "requestMalformed"),
        ("\(address)Host: x\r\nContent-Length: -1\r\n\r\n", "requestMalformed"),
    ]

    @Test(arguments: strange)
    func `T49 An invalid request is answered with a problem, and is not a failure in the log`(_ said: String, _ code: String?)
        async throws
    {
        let lines = CapturingLogHandler.Lines()
        let logger = Logger(label: "tests") { _ in CapturingLogHandler(lines: lines) }
        try await withWorld { world in
            try await world.application(.onAnyPort, logger: logger).test(.ahc()) { client in
                let port = try #require(client.port)
                let answer = try await RawConnection.open(to: port) { connection in
                    try await connection.say(said)
                    return try await connection.everything()
                }
                let text = try #require(answer)
                #expect(!text.contains("HTTP/1.1 5"), "\(text)")
                if let code {
                    #expect(text.hasPrefix("HTTP/1.1 400 "), "\(text)")
                    #expect(text.contains("application/problem+json") && text.contains("\"code\":\"\(code)\""), "\(text)")
                }
                #expect(try await RawConnection.isAnswered(port))
            }
        }
        #expect(!lines.all.contains { $0.hasPrefix("error") || $0.hasPrefix("critical") }, "\(lines.all)")
    }

    @Test func `T49 A client that disconnects within a body is not a failure in the log`() async throws {
        let lines = CapturingLogHandler.Lines()
        let logger = Logger(label: "tests") { _ in CapturingLogHandler(lines: lines) }
        try await withWorld { world in
            try await world.application(.onAnyPort, logger: logger).test(.ahc()) { client in
                let port = try #require(client.port)
                for _ in 0..<5 {
                    _ = try await RawConnection.open(to: port) { connection in
                        try await connection.say("\(Self.address)Host: x\r\nContent-Length: 100\r\n\r\n{")
                        return nil
                    }
                }
                #expect(try await RawConnection.isAnswered(port))
            }
        }
        #expect(!lines.all.contains { $0.hasPrefix("error") || $0.hasPrefix("critical") }, "\(lines.all)")
    }
}
