import NIOCore
import NIOHTTPTypes

/// Closes a connection whose peer takes too long: to send a request's header, to send its body, or to send anything at all (T32).
/// One look at the clock every second and not one timer per request, so that it costs the hot path nothing.
final class ConnectionDeadlines: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let headerTimeout: TimeAmount
    private let bodyTimeout: TimeAmount
    /// Nil while we are the ones who have to answer.
    private var deadline: NIODeadline?
    /// Requests whose header came and whose answer has not gone out; more than one where the peer does not wait for answers.
    private var unanswered = 0
    private var isReadingRequest = false
    private var watch: RepeatedTask?

    init(headerTimeout: TimeAmount, bodyTimeout: TimeAmount) {
        self.headerTimeout = headerTimeout
        self.bodyTimeout = bodyTimeout
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { begin(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        begin(context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        watch?.cancel()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        watch?.cancel()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            unanswered += 1
            isReadingRequest = true
            deadline = .now() + bodyTimeout
        case .body: break
        case .end:
            isReadingRequest = false
            awaitPeerUnlessWeOwe()
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) {
            unanswered = max(0, unanswered - 1)
            // An answer may go out before its request has come whole: the body's deadline then stays.
            if !isReadingRequest { awaitPeerUnlessWeOwe() }
        }
        context.write(data, promise: promise)
    }

    private func awaitPeerUnlessWeOwe() {
        deadline = unanswered > 0 ? nil : .now() + headerTimeout
    }

    private func begin(_ context: ChannelHandlerContext) {
        guard watch == nil else { return }
        deadline = .now() + headerTimeout
        let context = NIOLoopBound(context, eventLoop: context.eventLoop)
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        watch = context.eventLoop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { _ in
            guard let deadline = handler.value.deadline, deadline < .now() else { return }
            context.value.close(promise: nil)
        }
    }
}
