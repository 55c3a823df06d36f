import NIOCore
import NIOPosix
import NIOSSL
import SpawnedProcesses
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A server on a free port of this machine that does with each request what the script says, byte by byte.
final class ScriptedServer: Sendable {
    /// What is done with one request.
    enum Reaction: Sendable {
        /// These bytes; the connection stays open.
        case write(String)
        /// These bytes, then the end of the connection.
        case writeAndClose(String)
        /// The connection ends without a byte.
        case close
        /// The connection is reset without a byte.
        case reset
        /// Nothing, and the connection stays open.
        case hang
        /// The head, then a byte every few milliseconds for as long as somebody listens.
        case drip(String)
        /// The head, then as many bytes as are taken.
        case flood(String)
    }

    /// What has happened so far.
    struct Record: Sendable {
        var connections = 0
        var requests: [String] = []
        var flooded = 0
    }

    let port: Int
    private let channel: any Channel
    private let recorded: Recorded

    var record: Record { recorded.record.withLock { $0 } }
    var url: String { "http://127.0.0.1:\(port)" }

    /// - Parameters:
    ///   - tls: the certificate to present; nil: no TLS.
    ///   - answersTLS: whether a client that speaks TLS to a server without it is answered in plain text, as web servers do.
    ///   - react: the reaction to the request with this number, from 0, and this text.
    static func run<Value>(
        tls: NIOSSLContext? = nil, answersTLS: Bool = true, _ react: @escaping @Sendable (Int, String) -> Reaction,
        _ body: (ScriptedServer) async throws -> Value
    ) async throws -> Value {
        let server = try await ScriptedServer(tls: tls, answersTLS: answersTLS, react)
        do {
            let value = try await body(server)
            try await server.channel.close()
            return value
        } catch {
            try await server.channel.close()
            throw error
        }
    }

    private init(
        tls: NIOSSLContext?, answersTLS: Bool, _ react: @escaping @Sendable (Int, String) -> Reaction
    ) async throws {
        let recorded = Recorded(answersTLS: answersTLS)
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { child in
                child.eventLoop.makeCompletedFuture {
                    recorded.record.withLock { $0.connections += 1 }
                    if let tls { try child.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
                    try child.pipeline.syncOperations.addHandler(ScriptHandler(recorded, react))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress?.port ?? 0
        self.recorded = recorded
    }

    /// Of this server, shared with its connections.
    final class Recorded: Sendable {
        let answersTLS: Bool
        let record = Mutex(Record())

        init(answersTLS: Bool) { self.answersTLS = answersTLS }
    }

    /// - Parameter body: gets a port on which nobody listens. A socket holds it until `body` returns, so that no other test's
    ///   server gets it meanwhile.
    static func withClosedPort(_ body: (Int) async throws -> Void) async throws {
        let held = try LoopbackPort()
        try await body(held.number)
        _ = consume held
    }

    /// A whole answer with its length.
    static func answer(_ status: Int, _ body: String = "", headers: [String] = ["Content-Type: application/json"]) -> String {
        let lines = ["HTTP/1.1 \(status) Status", "Content-Length: \(body.utf8.count)"] + headers
        return lines.joined(separator: "\r\n") + "\r\n\r\n" + body
    }
}

private final class ScriptHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let recorded: ScriptedServer.Recorded
    private let react: @Sendable (Int, String) -> ScriptedServer.Reaction
    private var received = ""

    init(_ recorded: ScriptedServer.Recorded, _ react: @escaping @Sendable (Int, String) -> ScriptedServer.Reaction) {
        self.recorded = recorded
        self.react = react
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        if recorded.answersTLS, received.isEmpty, bytes.readableBytesView.first == 0x16 {
            return perform(.writeAndClose(ScriptedServer.answer(400)), context.channel)
        }
        received += String(buffer: bytes)
        guard let request = wholeRequest() else { return }
        received = ""
        let number = recorded.record.withLock { record in
            record.requests.append(request)
            return record.requests.count - 1
        }
        perform(react(number, request), context.channel)
    }

    /// Failed handshakes and connections that are given up are what the tests are about.
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func wholeRequest() -> String? {
        let parts = received.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let length = parts[0].split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
        let bytes = length.flatMap { Int($0.split(separator: ":")[1].drop { $0 == " " }) } ?? 0
        return parts[1].utf8.count >= bytes ? received : nil
    }

    private func perform(_ reaction: ScriptedServer.Reaction, _ channel: any Channel) {
        switch reaction {
        case .write(let text): channel.writeAndFlush(ByteBuffer(string: text), promise: nil)
        case .writeAndClose(let text):
            channel.writeAndFlush(ByteBuffer(string: text)).whenComplete { _ in channel.close(promise: nil) }
        case .close: channel.close(promise: nil)
        case .reset:
            // With no time to linger, the system resets the connection.
            guard let socket = channel as? any SocketOptionProvider else { return channel.close(promise: nil) }
            socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in channel.close(promise: nil) }
        case .hang: break
        case .drip(let head):
            channel.writeAndFlush(ByteBuffer(string: head), promise: nil)
            let drops = channel.eventLoop.scheduleRepeatedTask(initialDelay: .zero, delay: .milliseconds(5)) { _ in
                channel.writeAndFlush(ByteBuffer(string: " "), promise: nil)
            }
            channel.closeFuture.whenComplete { _ in drops.cancel() }
        case .flood(let head):
            channel.writeAndFlush(ByteBuffer(string: head)).whenSuccess { [recorded] in Self.flood(channel, recorded) }
        }
    }

    private static func flood(_ channel: any Channel, _ recorded: ScriptedServer.Recorded) {
        let part = ByteBuffer(repeating: UInt8(ascii: " "), count: 1 << 16)
        channel.writeAndFlush(part).whenSuccess {
            recorded.record.withLock { $0.flooded += 1 << 16 }
            channel.eventLoop.execute { flood(channel, recorded) }
        }
    }
}
