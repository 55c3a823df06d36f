internal import NIOCore
internal import NIOHTTP1
internal import Primitives

/// What each connection is checked for and limited to before the first request is sent on it.
enum ConnectionChecks {
    /// The most bytes of an answer that are received, head and framing included, and at most one more read.
    static let longestAnswer = 48 * 1024
    /// How many bytes are read at once.
    static let read = 8 * 1024

    /// The connection leads to another address than the one that was checked.
    struct WrongAddress: Error {}

    /// - Returns: fails with ``WrongAddress``, and then the connection is closed, unused.
    static func prepare(_ channel: any Channel, for address: IPAddress) -> EventLoopFuture<Void> {
        channel.eventLoop.flatSubmit {
            guard let remote = channel.remoteAddress else { return channel.eventLoop.makeFailedFuture(ChannelError.eof) }
            guard let text = remote.ipAddress, IPAddress(text) == address else {
                return channel.close().flatMapThrowing { throw WrongAddress() }
            }
            do {
                let pipeline = channel.pipeline.syncOperations
                let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
                try pipeline.addHandler(AnswerLimit(longestAnswer), position: .before(decoder))
            } catch {
                return channel.eventLoop.makeFailedFuture(error)
            }
            return channel.setOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: read)).flatMap {
                channel.setOption(.maxMessagesPerRead, value: 1)
            }
        }
    }
}

/// Ends a connection on which an answer is longer than anybody asked for; the HTTP library itself would take 2 MB of headers.
final class AnswerLimit: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = NIOAny

    /// The answer is longer than the limit.
    struct Exceeded: Error {}

    private let limit: Int
    private var received = 0

    init(_ limit: Int) { self.limit = limit }

    /// A request begins: what arrives from here on is its answer.
    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        received = 0
        context.write(data, promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received += unwrapInboundIn(data).readableBytes
        guard received <= limit else {
            context.fireErrorCaught(Exceeded())
            return context.close(promise: nil)
        }
        context.fireChannelRead(data)
    }
}
