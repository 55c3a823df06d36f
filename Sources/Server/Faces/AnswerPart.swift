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
    /// How many items it has.
    private let items: Int
    fileprivate var ended: (@Sendable (AnswerEnd) async throws -> Void)?

    /// - Parameter items: how many it has, for who is told of the end.
    package init(_ answer: Answer, items: Int = 0, next: (@Sendable () async throws -> AnswerPart)?) {
        (self.answer, self.items, self.next) = (answer, items, next)
    }

    /// The same first part, with who is told once when the answer has been sent or broke off; not where the server is stopped
    /// meanwhile. What it throws changes nothing of the answer.
    package func telling(_ ended: @escaping @Sendable (AnswerEnd) async throws -> Void) -> AnswerPart {
        var part = self
        part.ended = ended
        return part
    }

    /// What was sent up to the end of this part.
    fileprivate func sent(after before: AnswerEnd) -> AnswerEnd {
        AnswerEnd(items: before.items + Int64(items), isWhole: next == nil)
    }
}

/// How far an answer in parts was sent.
package struct AnswerEnd: Sendable, Hashable {
    /// Handed to the connection.
    package var items: Int64 = 0
    package var isWhole = false
}

extension Response {
    /// An answer that is sent part by part, as fast as the client takes it. The next part is made while one is written and sent,
    /// so that there are never more than two. Where one cannot be made the connection is closed: the client sees that the
    /// answer did not end (RFC 9112, section 8).
    static func parts<Answer>(_ first: AnswerPart<Answer>) -> Response {
        let body = ResponseBody { writer in
            var sent = AnswerEnd()
            do {
                var part = first
                while let next = part.next {
                    async let following = made(next)
                    try await writer.write(ByteBuffer(bytes: part.answer.json))
                    sent = part.sent(after: sent)
                    part = try await following
                }
                try await writer.write(ByteBuffer(bytes: part.answer.json))
                sent = part.sent(after: sent)
                try await writer.finish(nil)
            } catch {
                let reason = error
                sent.isWhole = false
                do { try await first.ended?(sent) } catch { throw reason }
                throw reason
            }
            try await first.ended?(sent)
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
