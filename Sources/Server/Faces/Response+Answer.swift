import APIContract
import HTTPTypes
import Hummingbird
import NIOCore

extension Response {
    /// An answer of an endpoint.
    static func answer(_ answer: some AnswerContent) -> Response {
        guard answer.status != .noContent else { return Response(status: .noContent) }
        return Response(
            status: .init(code: answer.status.rawValue), headers: [.contentType: "application/json"],
            body: .init(byteBuffer: ByteBuffer(bytes: answer.json)))
    }

    /// A refusal.
    static func problem(_ problem: Problem) -> Response {
        var headers: HTTPFields = [.contentType: Problem.mediaType]
        if problem.kind.asksForCredentials { headers[.wwwAuthenticate] = "Bearer" }
        if let seconds = problem.retryAfterSeconds { headers[.retryAfter] = "\(seconds)" }
        return Response(
            status: .init(code: problem.kind.status), headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: problem.json)))
    }
}
