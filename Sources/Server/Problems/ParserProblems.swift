import APIContract
import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// What cannot be parsed is answered by the framework with an empty 400. This gives it the body that every other refusal has.
final class ParserProblems: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private static let problem = Problem(
        .requestMalformed, detail: "The request is not valid HTTP/1.1, or its header is too long.")

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        // Ours are never empty.
        guard case .head(var head) = unwrapOutboundIn(data), head.status == .badRequest, head.headerFields[.contentLength] == "0"
        else { return context.write(data, promise: promise) }
        let body = context.channel.allocator.buffer(bytes: Self.problem.json(instance: nil))
        head.headerFields[.contentType] = Problem.mediaType
        head.headerFields[.contentLength] = "\(body.readableBytes)"
        context.write(wrapOutboundOut(.head(head)), promise: promise)
        context.write(wrapOutboundOut(.body(body)), promise: nil)
    }
}
