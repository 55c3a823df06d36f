import NIOCore
import NIOHTTPTypes

/// Closes a connection whose peer takes too long (to send a request's header, to send its body, to take its answers, or to send
/// anything at all), asks for too much at once, or has too many connections (T32).
///
/// One look at the clock every second and not one timer per request, so that it costs the hot path nothing. The clock is the
/// event loop's, so that tests can move it.
final class ConnectionDeadlines: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    struct Limits: Sendable {
        var header: TimeAmount
        var body: TimeAmount
        /// How long answers may wait for a peer who does not take them.
        var answer: TimeAmount
        /// How many requests may be unanswered at once.
        var pipelined: Int
    }

    private let limits: Limits
    private let connections: ConnectionsPerAddress
    /// Nil while we are the ones who have to answer.
    private var deadline: NIODeadline?
    /// When the peer must have taken more of what was written; nil while it takes all.
    private var takingDeadline: NIODeadline?
    /// Requests whose header came and whose answer has not gone out; more than one where the peer does not wait for answers.
    private var unanswered = 0
    private var isReadingRequest = false
    private var watch: RepeatedTask?
    /// The peer that this connection was counted for.
    private var counted: ConnectionsPerAddress.Peer?

    init(_ limits: Limits, connections: ConnectionsPerAddress) {
        self.limits = limits
        self.connections = connections
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { begin(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        begin(context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            unanswered += 1
            guard unanswered <= limits.pipelined else { return context.close(promise: nil) }
            isReadingRequest = true
            deadline = context.eventLoop.now + limits.body
        case .body: break
        case .end:
            isReadingRequest = false
            awaitPeerUnlessWeOwe(context)
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) {
            unanswered = max(0, unanswered - 1)
            // An answer may go out before its request has come whole: the body's deadline then stays.
            if !isReadingRequest { awaitPeerUnlessWeOwe(context) }
        }
        context.write(data, promise: promise)
    }

    /// A channel is unwritable while more than a little waits to be sent: the handler that answers waits too, so no deadline of
    /// the peer is running.
    func channelWritabilityChanged(context: ChannelHandlerContext) {
        takingDeadline = context.channel.isWritable ? nil : context.eventLoop.now + limits.answer
        context.fireChannelWritabilityChanged()
    }

    private func awaitPeerUnlessWeOwe(_ context: ChannelHandlerContext) {
        deadline = unanswered > 0 ? nil : context.eventLoop.now + limits.header
    }

    private func begin(_ context: ChannelHandlerContext) {
        guard watch == nil else { return }
        if let peer = ConnectionsPerAddress.Peer(context.remoteAddress) {
            guard connections.enter(peer) else { return context.close(promise: nil) }
            counted = peer
        }
        deadline = context.eventLoop.now + limits.header
        let context = NIOLoopBound(context, eventLoop: context.eventLoop)
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        watch = context.eventLoop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { _ in
            let now = context.eventLoop.now
            guard [handler.value.deadline, handler.value.takingDeadline].contains(where: { $0.map { $0 < now } ?? false }) else {
                return
            }
            context.value.close(promise: nil)
        }
    }

    private func end() {
        watch?.cancel()
        if let counted { connections.leave(counted) }
        counted = nil
    }
}
