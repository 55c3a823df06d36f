/// What an endpoint reads: the content of a request (RFC 9110, section 6.4).
package protocol RequestContent: Sendable {
    /// How long it may be, in bytes; nil: as long as the server is configured to read.
    static var longest: Int? { get }

    init(json: [UInt8]) throws(InvalidBody)

    var json: [UInt8] { get }
}

extension RequestContent {
    package static var longest: Int? { nil }
}

/// What an endpoint answers with when it can: the content of the response.
package protocol AnswerContent: Sendable {
    /// The statuses that it can have.
    static var statuses: [AnswerStatus] { get }

    var status: AnswerStatus { get }

    var json: [UInt8] { get }
}

extension AnswerContent {
    package static var statuses: [AnswerStatus] { [.ok] }

    package var status: AnswerStatus { .ok }
}

/// A status of an answer that is no refusal.
///
/// Source: RFC 9110, section 15.3.
package enum AnswerStatus: Int, Sendable, Hashable {
    case ok = 200
    /// It is kept, and what becomes of it is decided later.
    case accepted = 202
    /// It is done, and there is nothing to say.
    case noContent = 204
}

/// Nothing is sent.
package struct NoBody: RequestContent {
    package init() {}

    package init(json: [UInt8]) throws(InvalidBody) {}

    package var json: [UInt8] { [] }
}

/// Nothing is answered but that it is done.
package struct NoContent: AnswerContent {
    package static let statuses: [AnswerStatus] = [.noContent]

    package init() {}

    package var status: AnswerStatus { .noContent }

    package var json: [UInt8] { [] }
}

/// Bytes that only their reader understands, such as Apple's notifications of both versions.
package struct RawBody: RequestContent {
    package var bytes: [UInt8]

    package init(json bytes: [UInt8]) { self.bytes = bytes }

    package var json: [UInt8] { bytes }
}

/// Why a body cannot be read.
package struct InvalidBody: Error, Hashable {
    /// The member that is missing or of the wrong type; nil where the body is not a JSON object at all.
    package let member: String?
    package let reason: String

    package init(member: String?, reason: String) {
        self.member = member
        self.reason = reason
    }
}
