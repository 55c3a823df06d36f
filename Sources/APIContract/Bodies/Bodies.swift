package import StrictJSON

/// What an endpoint reads: the content of a request (RFC 9110, section 6.4).
package protocol RequestContent: Sendable {
    /// How long it may be, in bytes; nil: as long as the server is configured to read.
    static var longest: Int? { get }

    /// What is in it.
    static var content: ContentSchema { get }

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

    /// What is in it.
    static var content: ContentSchema { get }

    /// As the header `Content-Type` says it.
    static var mediaType: String { get }

    /// By what a client asks whether anything has changed; nil where it cannot ask.
    ///
    /// - Parameter json: the answer, encoded.
    func validator(of json: [UInt8]) -> AnswerValidator?

    var status: AnswerStatus { get }

    init(json: [UInt8]) throws(InvalidBody)

    var json: [UInt8] { get }
}

extension AnswerContent {
    package static var statuses: [AnswerStatus] { [.ok] }

    package static var mediaType: String { "application/json" }

    package func validator(of json: [UInt8]) -> AnswerValidator? { nil }

    package var status: AnswerStatus { .ok }
}

/// An answer of which a client may ask whether it has changed: `If-None-Match` is answered 304 where it has not.
package protocol ConditionalContent: AnswerContent {}

/// What makes two answers the same, and how long one may be kept.
///
/// Source: RFC 9110, section 8.8.3 (`ETag`); RFC 9111, section 5.2.2 (`Cache-Control`).
package struct AnswerValidator: Sendable, Hashable {
    /// Equal where nothing has changed, on every server; with its quotation marks.
    package let entityTag: String
    /// For how many seconds the answer may be used without asking.
    package let maxAgeSeconds: Int64

    /// - Parameters:
    ///   - content: the answer.
    ///   - timely: what of it says only when it was asked, which does not make it another answer.
    package init(of content: [UInt8], without timely: Range<Int>, maxAgeSeconds: Int64) {
        var hash = TagHash()
        hash.take(content[..<timely.lowerBound])
        hash.take(content[timely.upperBound...])
        entityTag = "\"\(String(hash.first, radix: 36))\(String(hash.second, radix: 36))\""
        self.maxAgeSeconds = maxAgeSeconds
    }
}

/// 128 bits of an answer, eight bytes at a time: each entitlement read pays for it. Answers are told apart by it and nothing is
/// protected; who can choose what an answer says can read it too.
private struct TagHash {
    private(set) var first: UInt64 = 0x9E37_79B9_7F4A_7C15
    private(set) var second: UInt64 = 0xD1B5_4A32_D192_ED03

    mutating func take(_ bytes: ArraySlice<UInt8>) {
        bytes.withUnsafeBytes { bytes in
            var place = 0
            while place + 8 <= bytes.count {
                mix(bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
                place += 8
            }
            var rest: UInt64 = 0
            while place < bytes.count {
                rest = rest << 8 | UInt64(bytes[place])
                place += 1
            }
            mix(rest ^ UInt64(bytes.count))
        }
    }

    private mutating func mix(_ word: UInt64) {
        first = (first ^ word) &* 0xFF51_AFD7_ED55_8CCD
        first ^= first >> 32
        second = (second &+ word) &* 0xC4CE_B9FE_1A85_EC53
        second ^= second >> 29
    }
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
    /// What it has in it. A request with another member is refused, so that a misspelt one is not silently ignored (T51); in
    /// answers others are ignored, since answers get new members as the API grows.
    static var schema: ObjectSchema { get }

    static var limits: JSONLimits { get }

    init(_ fields: JSONFields) throws(JSONFieldError)

    /// Writes the members.
    func write(to writer: inout JSONWriter)

    /// About how long it will be, in bytes.
    var expectedBytes: Int { get }
}

extension JSONBody {
    package static var content: ContentSchema { .json(schema) }

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
            if Self.self is any RequestContent.Type { try fields.refuseMembers(besides: Self.schema.names) }
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
    package static let content = ContentSchema.nothing

    package init() {}

    package init(json: [UInt8]) throws(InvalidBody) {}

    package var json: [UInt8] { [] }
}

/// Nothing is answered but that it is done.
package struct NoContent: AnswerContent {
    package static let statuses: [AnswerStatus] = [.noContent]
    package static let content = ContentSchema.nothing

    package init() {}

    package init(json: [UInt8]) throws(InvalidBody) {}

    package var status: AnswerStatus { .noContent }

    package var json: [UInt8] { [] }
}

/// Bytes that only their reader understands, such as Apple's notifications of both versions.
package struct RawBody: RequestContent {
    package static let content = ContentSchema.bytes

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
