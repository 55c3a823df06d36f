import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import NIOPosix
import Server
import Testing

extension ServerConfiguration {
    /// On a free port, with deadlines for the slowest machine: a test of a deadline sets that one, and no other expires
    /// meanwhile.
    static var onAnyPort: ServerConfiguration {
        var configuration = ServerConfiguration()
        configuration.port = 0
        configuration.headerTimeoutSeconds = 600
        configuration.bodyTimeoutSeconds = 600
        configuration.answerTimeoutSeconds = 600
        return configuration
    }
}

/// A client that can send anything at any time.
struct RawConnection: Sendable {
    let channel: NIOAsyncChannel<ByteBuffer, ByteBuffer>

    /// Runs the body on a connection.
    ///
    /// - Returns: what the body returns; an empty text where the other side closed before it could end.
    static func open(
        to port: Int, _ body: @Sendable @escaping (Speaker) async throws -> String?
    ) async throws -> String? {
        do {
            let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connect(host: "localhost", port: port) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                    }
                }
            return try await channel.executeThenClose { inbound, outbound in
                try await body(Speaker(inbound: inbound, outbound: outbound))
            }
        } catch is IOError {
            return ""
        } catch is ChannelError {
            return ""
        }
    }

    /// The answer to a client that asks again if it was itself so slow that its deadline expired before it had asked.
    static func answer(to request: String, _ port: Int, replying reply: String? = nil) async throws -> String? {
        var answer: String?
        repeat {
            answer = try await open(to: port) { connection in
                try await connection.say(request)
                return try await connection.everything(replying: reply)
            }
        } while answer == ""
        return answer
    }

    /// Whether the server answers.
    static func isAnswered(_ port: Int) async throws -> Bool {
        let request = "GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        return try await answer(to: request, port)?.hasPrefix("HTTP/1.1 200 OK\r\n") ?? false
    }

    /// Both directions of an open connection.
    struct Speaker: Sendable {
        let inbound: NIOAsyncChannelInboundStream<ByteBuffer>
        let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>

        func say(_ text: String) async throws { try await outbound.write(ByteBuffer(string: text)) }

        /// Sends a byte every tenth of a second until the other side has closed.
        func trickle(_ byte: String) async {
            do {
                while true {
                    try await say(byte)
                    try await Task.sleep(for: .milliseconds(100))
                }
            } catch {
                // Closed, which is what the test waits for.
            }
        }

        /// Sends the text again and again, as fast as it is accepted, until the other side has closed.
        func flood(_ text: String) async {
            do {
                while true { try await say(text) }
            } catch {
                // Closed, which is what the test waits for.
            }
        }

        /// Everything received until the other side closes; nil if it does not within ten minutes, which is a hang and not a busy
        /// machine.
        ///
        /// - Parameter reply: what to send once as soon as something was received.
        func everything(replying reply: String? = nil) async throws -> String? {
            try await withThrowingTaskGroup(of: String?.self) { group in
                group.addTask {
                    var text = ""
                    do {
                        for try await buffer in inbound {
                            if text.isEmpty, let reply { try await say(reply) }
                            text += String(buffer: buffer)
                        }
                    } catch is IOError {
                        // A reset by the peer also counts as closed.
                    } catch is ChannelError {}
                    return text
                }
                group.addTask {
                    try await Task.sleep(for: .seconds(600))
                    return nil
                }
                defer { group.cancelAll() }
                return try await group.next() ?? nil
            }
        }
    }
}

@Suite struct `Connections of slow and unusual clients` {
    /// Runs the body against the real server; afterwards the server must still answer others.
    private func withPort(
        header: Int64 = 600, body bodyTimeout: Int64 = 600, answer: Int64 = 600, pipelined: Int = 64,
        _ body: @escaping @Sendable (Int) async throws -> Void
    ) async throws {
        var configuration = ServerConfiguration.onAnyPort
        configuration.headerTimeoutSeconds = header
        configuration.bodyTimeoutSeconds = bodyTimeout
        configuration.answerTimeoutSeconds = answer
        configuration.maximumPipelinedRequests = pipelined
        try await withWorld { [configuration] world in
            try await world.application(configuration).test(.ahc()) { client in
                let port = try #require(client.port)
                try await body(port)
                #expect(try await RawConnection.isAnswered(port))
            }
        }
    }

    /// The beginnings that a client sends, and then keeps the server waiting.
    static let beginnings = [
        "", "GET", "GET /health/live HTTP/1.1\r\n", "GET /health/live HTTP/1.1\r\nHost: x\r\nX-Half: ",
        "POST /api/v1/apps/app/apple/notifications HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{",
        "POST /api/v1/apps/app/apple/notifications HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"a",
    ]

    @Test(arguments: beginnings)
    func `T32 A client that starts a request and stops is disconnected`(_ beginning: String) async throws {
        try await withPort(header: 1, body: 1) { port in
            let answer = try await RawConnection.open(to: port) { connection in
                try await connection.say(beginning)
                return try await connection.everything()
            }
            #expect(answer != nil, "the server closed")
        }
    }

    @Test(arguments: [
        "GET /health/live HTTP/1.1\r\nHost: x\r\nX-Slow: ",
        "POST /api/v1/apps/app/apple/notifications HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n",
    ])
    func `T32 A client that trickles a header or a body is disconnected`(_ beginning: String) async throws {
        try await withPort(header: 1, body: 1) { port in
            let answer = try await RawConnection.open(to: port) { connection in
                try await connection.say(beginning)
                return try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { await connection.trickle("x") }
                    defer { group.cancelAll() }
                    return try await connection.everything()
                }
            }
            #expect(answer != nil, "the server closed")
        }
    }

    @Test func `T31 A client that sends an endless body is answered 413 and disconnected`() async throws {
        try await withPort(body: 1) { port in
            let answer = try await RawConnection.open(to: port) { connection in
                try await connection.say(
                    "POST /api/v1/apps/app/apple/notifications HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
                return try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { await connection.flood("10000\r\n" + String(repeating: "x", count: 0x10000) + "\r\n") }
                    defer { group.cancelAll() }
                    return try await connection.everything()
                }
            }
            let text = try #require(answer, "the server closed")
            #expect(text.isEmpty || text.hasPrefix("HTTP/1.1 413"))
        }
    }

    @Test func `T32 A hundred silent connections keep no other client from its answer`() async throws {
        try await withPort { port in
            var silent: [any Channel] = []
            for _ in 0..<100 {
                let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                silent.append(try await bootstrap.connect(host: "localhost", port: port).get())
            }
            #expect(try await RawConnection.isAnswered(port))
            for channel in silent { try await channel.close() }
        }
    }

    @Test func `T32 A client that is idle after its answer is disconnected`() async throws {
        try await withPort(header: 1) { port in
            let answer = try await RawConnection.answer(to: "GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n", port)
            #expect(answer?.hasPrefix("HTTP/1.1 200 OK\r\n") == true)
        }
    }

    @Test func `T32 A client that is answered before its body is read, and then ends it, is disconnected too`() async throws {
        try await withPort(header: 1) { port in
            let request = "PUT \(World.entitlements) HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n"
            let answer = try await RawConnection.answer(to: request, port, replying: "x")
            let text = try #require(answer, "the server closed")
            #expect(text.hasPrefix("HTTP/1.1 405"))
        }
    }

    @Test(arguments: [
        String(repeating: "X-Many: 1\r\n", count: 200), "X-Long: " + String(repeating: "x", count: 40_000) + "\r\n",
        (0..<20).map { "X-\($0): " + String(repeating: "x", count: 2000) + "\r\n" }.joined(),
    ])
    func `T32 A header with too many, too long or too large fields is refused`(_ fields: String) async throws {
        try await withPort { port in
            let answer = try await RawConnection.open(to: port) { connection in
                try await connection.say("GET /health/live HTTP/1.1\r\nHost: x\r\n\(fields)\r\n")
                return try await connection.everything()
            }
            let text = try #require(answer)
            #expect(!text.contains("200 OK"))
        }
    }

    /// The client never reads; without a limit the server would hold answers forever, and a few such peers would occupy all
    /// connections. However many it sends at once, only the time that an answer waits for it ends the connection.
    @Test func `T32 A client that sends requests and never reads is disconnected`() async throws {
        try await withPort(answer: 1, pipelined: .max) { port in
            let isClosed = try await Self.neverReading(port) { channel in
                // Its answer has half a megabyte, so that few of them fill what the system keeps for the client.
                let request = ByteBuffer(string: "GET /api/v1/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n")
                for _ in 0..<40 { try await channel.writeAndFlush(request) }
            }
            #expect(isClosed)
        }
    }

    @Test func `T32 A client that sends a thousand requests at once is disconnected`() async throws {
        try await withPort { port in
            let isClosed = try await Self.neverReading(port) { channel in
                let requests = String(repeating: "GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n", count: 1000)
                try await channel.writeAndFlush(ByteBuffer(string: requests))
            }
            #expect(isClosed)
        }
    }

    /// A client that never reads; true when the server has closed.
    private static func neverReading(
        _ port: Int, _ talk: @escaping @Sendable (any Channel) async throws -> Void
    ) async throws -> Bool {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.autoRead, value: false).channelOption(.socketOption(.so_rcvbuf), value: 4096)
            .connect(host: "127.0.0.1", port: port).get()
        return try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                do {
                    try await talk(channel)
                } catch is IOError {
                    // Closed while we were sending.
                } catch is ChannelError {}
                // Where nothing is read, only writing detects a reset.
                while channel.isActive {
                    try? await channel.writeAndFlush(ByteBuffer(string: "\r\n"))
                    try await Task.sleep(for: .milliseconds(50))
                }
                return true
            }
            group.addTask {
                try await Task.sleep(for: .seconds(600))
                return false
            }
            defer { group.cancelAll() }
            let isClosed = try await group.next() ?? false
            if !isClosed { try? await channel.close() }
            return isClosed
        }
    }

    @Test func `Two requests in one packet are both answered`() async throws {
        try await withPort { port in
            let request = "GET /health/live HTTP/1.1\r\nHost: x\r\n"
            let answer = try await RawConnection.open(to: port) { connection in
                try await connection.say("\(request)\r\n\(request)Connection: close\r\n\r\n")
                return try await connection.everything()
            }
            #expect(answer?.components(separatedBy: "200 OK").count == 3)
        }
    }

    @Test(arguments: [
        "\u{0}\u{1}\u{2}", "GET / HTTP/9.9\r\n\r\n", "GET  HTTP/1.1\r\n\r\n", "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
    ])
    func `A connection that does not speak HTTP is closed and stops nothing`(_ bytes: String) async throws {
        try await withPort { port in
            let answer = try await RawConnection.open(to: port) { connection in
                try await connection.say(bytes)
                return try await connection.everything()
            }
            #expect(answer != nil)
        }
    }
}
