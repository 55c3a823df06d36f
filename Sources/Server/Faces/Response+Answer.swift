import APIContract
import Backend
import HTTPTypes
import Hummingbird
import NIOCore

extension Response {
    /// An answer of an endpoint.
    ///
    /// What others wrote stands in answers; `nosniff` has a browser show JSON as JSON and nothing else (T41).
    ///
    /// - Parameter known: the tag of the answer that the client has (`If-None-Match`); nil where it has none.
    static func answer<Answer: AnswerContent>(_ answer: Answer, known: String?) -> Response {
        guard answer.status != .noContent else { return Response(status: .noContent) }
        var headers: HTTPFields = [.contentType: Answer.mediaType, .xContentTypeOptions: "nosniff"]
        let json = answer.json
        if let validator = answer.validator(of: json) {
            headers[.eTag] = validator.entityTag
            headers[.cacheControl] = "private, max-age=\(validator.maxAgeSeconds)"
            if let known, known.split(separator: ",").contains(where: { $0.trimmedSpaces == validator.entityTag }) {
                headers[.contentType] = nil
                return Response(status: .notModified, headers: headers)
            }
        }
        // A page of ours has styles of its own, and nothing else may run or be loaded.
        if Answer.mediaType.hasPrefix("text/html") {
            headers[.contentSecurityPolicy] = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"
        }
        return Response(
            status: .init(code: answer.status.rawValue), headers: headers,
            body: .init(byteBuffer: ByteBuffer(bytes: json)))
    }

    /// What was answered to the same request before; `Answer` is what its endpoint answers.
    static func again<Answer: AnswerContent>(_ given: GivenAnswer, _: Answer.Type) -> Response {
        var headers: HTTPFields = [
            .contentType: given.status < 400 ? Answer.mediaType : Problem.mediaType, .xContentTypeOptions: "nosniff",
        ]
        headers[.idempotentReplayed] = "true"
        return Response(
            status: .init(code: given.status), headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: given.bytes)))
    }

    /// A text that is made anew each time.
    static func text(_ text: String, _ mediaType: String) -> Response {
        Response(
            status: .ok, headers: [.contentType: mediaType, .cacheControl: "no-store", .xContentTypeOptions: "nosniff"],
            body: .init(byteBuffer: ByteBuffer(string: text)))
    }

    /// A refusal.
    ///
    /// - Parameter id: of the request; nil where it has none.
    static func problem(_ problem: Problem, of id: String?) -> Response {
        var headers: HTTPFields = [.contentType: Problem.mediaType, .xContentTypeOptions: "nosniff"]
        headers[.requestId] = id
        if problem.kind.asksForCredentials { headers[.wwwAuthenticate] = "Bearer" }
        if let seconds = problem.retryAfterSeconds { headers[.retryAfter] = "\(seconds)" }
        return Response(
            status: .init(code: problem.kind.status), headers: headers,
            body: .init(byteBuffer: ByteBuffer(bytes: problem.json(instance: id))))
    }
}

extension HTTPField.Name {
    /// As below.
    fileprivate static let idempotentReplayed = HTTPField.Name(IdempotencyKey.replayedHeader) ?? .authorization
    /// The id that the framework gave the request, unique in this process. The name is a valid field name, so it can always be
    /// made.
    fileprivate static let requestId = HTTPField.Name("Request-Id") ?? .authorization
}

extension Substring {
    fileprivate var trimmedSpaces: Substring {
        let start = drop { $0 == " " }
        return start.lastIndex { $0 != " " }.map { start[...$0] } ?? ""
    }
}
