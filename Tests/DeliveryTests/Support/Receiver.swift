import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// A receiver of webhooks on an address of this machine that does with each request what the test says, byte by byte.
final class Receiver: Sendable {
    /// What is done with one request.
    enum Reaction: Sendable {
        /// These bytes; the connection stays open.
        case write(String)
        /// These bytes, then the end of the connection.
        case writeAndClose(String)
        /// Nothing, until ``Receiver/answerAll(_:)``.
        case hold
        /// The beginning, then this part again and again for as long as it is taken.
        case flood(String, part: String)
    }

    /// One request as it arrived.
    struct Request: Sendable {
        /// The request line, such as `POST / HTTP/1.1`.
        let line: String
        /// Names in lower case; the values of one name joined by commas.
        let headers: [String: String]
        let body: [UInt8]
    }

    struct Record: Sendable {
        var connections = 0
        var requests: [Request] = []
        var held: [any Channel] = []
    }

    let port: Int
    private let channel: any Channel
    private let recorded: Recorded

    var record: Record { recorded.record.withLock { $0 } }

    /// - Parameters:
    ///   - host: an address of this machine; 127.0.0.2 is one as well.
    ///   - port: 0: a free one.
    ///   - tls: the certificate to present; nil: no TLS.
    ///   - react: the reaction to the request with this number, from 0.
    static func run<Value>(
        at host: String = "127.0.0.1", port: Int = 0, tls: NIOSSLContext? = nil, _ react: @escaping @Sendable (Int) -> Reaction,
        _ body: (Receiver) async throws -> Value
    ) async throws -> Value {
        let receiver = try await Receiver(host, port, tls, react)
        do {
            let value = try await body(receiver)
            try await receiver.channel.close()
            return value
        } catch {
            try await receiver.channel.close()
            throw error
        }
    }

    private init(
        _ host: String, _ port: Int, _ tls: NIOSSLContext?, _ react: @escaping @Sendable (Int) -> Reaction
    ) async throws {
        let recorded = Recorded()
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { child in
                child.eventLoop.makeCompletedFuture {
                    recorded.record.withLock { $0.connections += 1 }
                    if let tls { try child.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
                    try child.pipeline.syncOperations.addHandler(ReceiverHandler(recorded, react))
                }
            }
            .bind(host: host, port: port).get()
        self.port = channel.localAddress?.port ?? 0
        self.recorded = recorded
    }

    /// Of one receiver, shared with its connections.
    final class Recorded: Sendable {
        let record = Mutex(Record())
        let changes: AsyncStream<Void>
        let changed: AsyncStream<Void>.Continuation

        init() { (changes, changed) = AsyncStream.makeStream() }
    }

    /// Returns once this many requests have arrived. For one task at a time.
    func waitForRequests(_ count: Int) async {
        for await _ in recorded.changes where record.requests.count >= count { return }
    }

    /// Answers the requests that are held.
    func answerAll(_ text: String) {
        let held = recorded.record.withLock { record in
            defer { record.held = [] }
            return record.held
        }
        for channel in held { channel.writeAndFlush(ByteBuffer(string: text), promise: nil) }
    }

    /// A whole answer with its length.
    static func answer(_ status: Int, _ body: String = "", headers: [String] = []) -> String {
        let lines = ["HTTP/1.1 \(status) Status", "Content-Length: \(body.utf8.count)"] + headers
        return lines.joined(separator: "\r\n") + "\r\n\r\n" + body
    }
}

private final class ReceiverHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let recorded: Receiver.Recorded
    private let react: @Sendable (Int) -> Receiver.Reaction
    private var received: [UInt8] = []

    init(_ recorded: Receiver.Recorded, _ react: @escaping @Sendable (Int) -> Receiver.Reaction) {
        self.recorded = recorded
        self.react = react
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // A client that speaks TLS to a server without it is answered in plain text, as web servers do.
        if received.isEmpty, unwrapInboundIn(data).readableBytesView.first == 0x16 {
            return perform(.writeAndClose(Receiver.answer(400)), context.channel)
        }
        received += Array(unwrapInboundIn(data).readableBytesView)
        guard let request = wholeRequest() else { return }
        received = []
        let channel = context.channel
        let number = recorded.record.withLock { record in
            record.requests.append(request)
            return record.requests.count - 1
        }
        let reaction = react(number)
        if case .hold = reaction { recorded.record.withLock { $0.held.append(channel) } }
        recorded.changed.yield()
        perform(reaction, channel)
    }

    /// Failed handshakes and connections that are given up are what the tests are about.
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func wholeRequest() -> Receiver.Request? {
        guard let end = received.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let lines = String(decoding: received[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
        let fields = lines.dropFirst().compactMap { line in
            line.firstIndex(of: ":").map { colon in
                (line[..<colon].lowercased(), String(line[line.index(after: colon)...].drop { $0 == " " }))
            }
        }
        let headers = Dictionary(fields) { "\($0),\($1)" }
        let body = Array(received[end.upperBound...])
        guard body.count >= headers["content-length"].flatMap({ Int($0) }) ?? 0 else { return nil }
        return Receiver.Request(line: String(lines.first ?? ""), headers: headers, body: body)
    }

    private func perform(_ reaction: Receiver.Reaction, _ channel: any Channel) {
        switch reaction {
        case .write(let text): channel.writeAndFlush(ByteBuffer(string: text), promise: nil)
        case .writeAndClose(let text):
            channel.writeAndFlush(ByteBuffer(string: text)).whenComplete { _ in channel.close(promise: nil) }
        case .hold: break
        case .flood(let beginning, let part):
            channel.writeAndFlush(ByteBuffer(string: beginning), promise: nil)
            Self.flood(channel, ByteBuffer(string: part))
        }
    }

    private static func flood(_ channel: any Channel, _ part: ByteBuffer) {
        channel.writeAndFlush(part).whenSuccess { channel.eventLoop.execute { flood(channel, part) } }
    }
}
