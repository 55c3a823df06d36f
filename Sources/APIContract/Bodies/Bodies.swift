package import StrictJSON

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

    init(json: [UInt8]) throws(InvalidBody)

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

/// A body that is one JSON object, read and written by the same type, so that server, clients and tests cannot differ about it.
package protocol JSONBody: Sendable {
    /// The names of all members, if others are refused, so that a misspelt one is not silently ignored (T51): for requests.
    /// nil: others are ignored, since answers get new members as the API grows.
    static var members: Set<String>? { get }

    static var limits: JSONLimits { get }

    init(_ fields: JSONFields) throws(JSONFieldError)

    /// Writes the members.
    func write(to writer: inout JSONWriter)

    /// About how long it will be, in bytes.
    var expectedBytes: Int { get }
}

extension JSONBody {
    package static var members: Set<String>? { nil }

    package static var limits: JSONLimits { JSONLimits() }

    package var expectedBytes: Int { 256 }

    package init(json bytes: [UInt8]) throws(InvalidBody) {
        let document: JSONDocument
        do throws(JSONError) {
            document = try JSONDocument(bytes, limits: Self.limits)
        } catch {
            throw InvalidBody(member: nil, reason: "is not strict JSON: \(error)")
        }
        do throws(JSONFieldError) {
            let fields = try JSONFields(document.root, rules: .nullIsAbsent)
            if let members = Self.members { try fields.refuseMembers(besides: members) }
            try self.init(fields)
        } catch {
            throw InvalidBody(error)
        }
    }

    package var json: [UInt8] {
        var writer = JSONWriter(reservingCapacity: expectedBytes)
        writer.object { write(to: &$0) }
        return writer.bytes
    }
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

    package init(json: [UInt8]) throws(InvalidBody) {}

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
    /// The member that is missing or of the wrong type, such as `results[0].code`; nil where the body is no JSON object at all.
    package let member: String?
    /// To stand after the member's name.
    package let reason: String

    package init(member: String?, reason: String) {
        self.member = member
        self.reason = reason
    }

    init(_ error: JSONFieldError) {
        member = error.path.isEmpty ? nil : error.path
        reason =
            switch (error.expected, error.found) {
            case (.noneBut(let names), _): "is not a known member; known: \(names.joined(separator: ", "))"
            case (_, .nothing): "is missing"
            default: "must be \(error.expected) and is \(error.found.rawValue)"
            }
    }
}
