package import APIContract
import HTTPTypes
import Hummingbird
import NIOCore

/// A part of an answer that is too long to be made at once, and how the part after it is made.
///
/// Between two parts nothing is held but the place at which the next one begins: no transaction, no connection to a database.
package struct AnswerPart<Answer: AnswerContent>: Sendable {
    /// Written as it is sent, so that the next one is read from the database meanwhile.
    fileprivate let answer: Answer
    /// Nil after the last part.
    fileprivate let next: (@Sendable () async throws -> AnswerPart)?

    package init(_ answer: Answer, next: (@Sendable () async throws -> AnswerPart)?) {
        (self.answer, self.next) = (answer, next)
    }
}

extension Response {
    /// An answer that is sent part by part, as fast as the client takes it. The next part is made while one is written and sent,
    /// so that there are never more than two. Where one cannot be made the connection is closed: the client sees that the
    /// answer did not end (RFC 9112, section 8).
    static func parts<Answer>(_ first: AnswerPart<Answer>) -> Response {
        let body = ResponseBody { writer in
            var part = first
            while let next = part.next {
                async let following = made(next)
                try await writer.write(ByteBuffer(bytes: part.answer.json))
                part = try await following
            }
            try await writer.write(ByteBuffer(bytes: part.answer.json))
            try await writer.finish(nil)
        }
        return Response(
            status: .ok,
            headers: [.contentType: Answer.mediaType, .cacheControl: "no-store", .xContentTypeOptions: "nosniff"], body: body)
    }

    /// On another thread than the one that sends.
    @concurrent private static func made<Answer>(
        _ next: @Sendable () async throws -> AnswerPart<Answer>
    ) async throws -> AnswerPart<Answer> { try await next() }
}
