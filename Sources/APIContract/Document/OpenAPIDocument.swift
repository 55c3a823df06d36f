import Primitives
import StrictJSON

/// The OpenAPI document of endpoints, made from their contract, so that it cannot say anything else than they do.
///
/// Generators of three languages read it, so it keeps to what all of them understand: nothing stands beside `$ref`, what may be
/// null has a list of types, objects that are not there are absent, words that may grow are plain strings with `x-values`.
///
/// Source: OpenAPI Specification 3.1.1.
package struct OpenAPIDocument: Sendable {
    private let endpoints: [EndpointDescription]
    private let version: String
    private let events: [EventKindSchema]

    /// - Parameters:
    ///   - events: what is posted to endpoints, as the document's `webhooks`.
    ///   - version: of the API, as the document's `info.version`.
    package init(of endpoints: [EndpointDescription], events: [EventKindSchema] = [], version: String) {
        self.endpoints = endpoints
        self.events = events
        self.version = version
    }

    package var json: [UInt8] {
        var writer = JSONWriter(reservingCapacity: 128 * 1024)
        writer.object { json in
            json.member("openapi", "3.1.1")
            json.member("info") { $0.object(writeInfo) }
            json.member("servers") { $0.array { $0.object { $0.member("url", "/") } } }
            json.member("tags") { json in
                json.array { json in
                    for tag in EndpointTag.allCases { json.object { $0.member("name", tag.rawValue) } }
                }
            }
            json.member("paths") { $0.object(writePaths) }
            if !events.isEmpty { json.member("webhooks") { $0.object(writeWebhooks) } }
            json.member("components") { json in
                json.object { json in
                    json.member("securitySchemes") { $0.object(Self.writeSecuritySchemes) }
                    json.member("schemas") { $0.object(writeSchemas) }
                }
            }
        }
        return writer.bytes
    }

    private func writeInfo(_ json: inout JSONWriter) {
        json.member("title", "Tenure")
        json.member("version", version)
        json.member(
            "description",
            "Whose a subscription is, until when, and why. Instants are milliseconds since 1970. Members, words and codes are "
                + "added and none is taken away within v1, so clients ignore what they do not know.")
    }

    // MARK: Operations

    private func writePaths(_ json: inout JSONWriter) {
        var paths: [String] = []
        for endpoint in endpoints where !paths.contains(endpoint.path) { paths.append(endpoint.path) }
        for path in paths {
            json.member(named: path) { json in
                json.object { json in
                    for endpoint in endpoints where endpoint.path == path {
                        json.member(named: endpoint.method.rawValue.lowercased()) { $0.object { write(endpoint, to: &$0) } }
                    }
                }
            }
        }
    }

    private func write(_ endpoint: EndpointDescription, to json: inout JSONWriter) {
        json.member("operationId", endpoint.operationId)
        json.member("tags") { $0.array { $0.string(endpoint.tag.rawValue) } }
        json.member("summary", endpoint.summary)
        let query = endpoint.query ?? []
        if !endpoint.parameters.isEmpty || !query.isEmpty || endpoint.isKeyed {
            json.member("parameters") { json in
                json.array { json in
                    for name in endpoint.parameters { write(name, in: "path", to: &json) }
                    for name in query { write(name, in: "query", to: &json) }
                    if endpoint.isKeyed { json.object(Self.writeIdempotencyKey) }
                }
            }
        }
        json.member("security") { $0.array { Self.writeSecurity(of: endpoint, to: &$0) } }
        writeRequest(of: endpoint, to: &json)
        json.member("responses") { $0.object { writeResponses(of: endpoint, to: &$0) } }
    }

    /// Source: draft-ietf-httpapi-idempotency-key-header-07.
    private static func writeIdempotencyKey(_ json: inout JSONWriter) {
        json.member("name", IdempotencyKey.header)
        json.member("in", "header")
        json.member("required", false)
        json.member(
            "description",
            "Of your choice, such as a UUID, and another one for each thing you want. The same request with the same key is "
                + "carried out once within 24 hours; sent again it is answered the same bytes, with Idempotent-Replayed: true.")
        json.member("schema") { json in
            json.object { json in
                json.member("type", "string")
                json.member("minLength", 1)
                json.member("maxLength", Int64(IdempotencyKey.longest))
                json.member("pattern", "^[A-Za-z0-9._:~-]+$")
            }
        }
        json.member("example", "5b0c2f4e-8f3a-4c52-9f0e-6f6f3d6f4f11")
    }

    private func write(_ name: String, in place: String, to json: inout JSONWriter) {
        guard let parameter = ParameterSchema.named(name) else { return }
        json.object { json in
            json.member("name", name)
            json.member("in", place)
            // Without a text there is nothing to search for.
            json.member("required", place == "path" || name == "q")
            json.member("description", parameter.summary)
            json.member("schema") { json in
                json.object { json in
                    write(parameter.value, isNullable: false, to: &json)
                    if case .text = parameter.value { json.member("minLength", 1) }
                }
            }
            json.member("example") { Self.writeExample(of: parameter.value, saying: parameter.example, to: &$0) }
        }
    }

    /// A key's scope stands as the role that the scheme requires (OpenAPI 3.1, Security Requirement Object).
    private static func writeSecurity(of endpoint: EndpointDescription, to json: inout JSONWriter) {
        func write(_ schemes: [String], _ json: inout JSONWriter) {
            json.object { json in
                for scheme in schemes {
                    let scope = ["serverKey", "publicKey"].contains(scheme) ? endpoint.scope : nil
                    json.member(named: scheme) { $0.array { json in if let scope { json.string(scope.rawValue) } } }
                }
            }
        }
        switch endpoint.callers {
        case .anyone, .apple: break
        case .appBackend: write(["serverKey"], &json)
        case .newDevice:
            write(["serverKey"], &json)
            write(["publicKey"], &json)
        case .customer:
            write(["serverKey"], &json)
            write(["publicKey", "customerToken"], &json)
            write(["publicKey", "deviceSecret"], &json)
        }
    }

    private static func writeSecuritySchemes(_ json: inout JSONWriter) {
        for (name, words) in [
            ("serverKey", "The secret key of the app's backend, which may act for any customer."),
            ("publicKey", "The key in the app, which says nothing of who asks."),
        ] {
            json.member(named: name) { json in
                json.object { json in
                    json.member("type", "http")
                    json.member("scheme", "bearer")
                    json.member("description", words)
                }
            }
        }
        for (name, header, words) in [
            ("customerToken", "Tenure-Customer-Token", "A JWT that the app's backend minted for its customer."),
            ("deviceSecret", "Tenure-Device-Secret", "What an anonymous customer's device said at its first use."),
        ] {
            json.member(named: name) { json in
                json.object { json in
                    json.member("type", "apiKey")
                    json.member("in", "header")
                    json.member("name", header)
                    json.member("description", words)
                }
            }
        }
    }

    private func writeRequest(of endpoint: EndpointDescription, to json: inout JSONWriter) {
        guard endpoint.request != .nothing else { return }
        json.member("requestBody") { json in
            json.object { json in
                json.member("required", true)
                let example = RecordedExamples.all[endpoint.operationId]?.request
                json.member("content") { $0.object { write(endpoint.request, showing: example, to: &$0) } }
            }
        }
    }

    /// - Parameter example: as it was recorded; nil where none was.
    private func write(_ content: ContentSchema, showing example: [UInt8]?, to json: inout JSONWriter) {
        switch content {
        case .nothing: break
        case .bytes:
            json.member("application/json") { $0.object { $0.member("schema") { $0.object { $0.member("type", "object") } } } }
        case .text(let mediaType):
            json.member(named: mediaType) { json in
                json.object { json in
                    json.member("schema") { json in
                        json.object { $0.member("type", mediaType == "application/json" ? "object" : "string") }
                    }
                }
            }
        case .lines(let schemas):
            json.member("application/x-ndjson") { json in
                json.object { json in
                    json.member("schema") { json in
                        json.object { json in
                            json.member("type", "string")
                            let names = schemas.map(\.name).joined(separator: " or ")
                            json.member("description", "Lines, each a JSON object: \(names).")
                        }
                    }
                }
            }
        case .json(let schema):
            json.member("application/json") { json in
                json.object { json in
                    json.member("schema") { $0.object { Self.writeReference(to: schema.name, &$0) } }
                    if let example { json.member("example") { $0.raw(example) } }
                }
            }
        }
    }

    private func writeResponses(of endpoint: EndpointDescription, to json: inout JSONWriter) {
        for status in endpoint.statuses {
            json.member(named: "\(status.rawValue)") { json in
                json.object { json in
                    json.member("description", status.words)
                    if endpoint.answer != .nothing {
                        let example = RecordedExamples.all[endpoint.operationId]?.answer
                        json.member("content") { $0.object { write(endpoint.answer, showing: example, to: &$0) } }
                    }
                }
            }
        }
        if endpoint.isConditional {
            json.member("304") {
                $0.object { $0.member("description", "Nothing has changed since the answer of If-None-Match.") }
            }
        }
        let problems = Dictionary(grouping: endpoint.problems) { $0.status }
        for (status, kinds) in problems.sorted(by: { $0.key < $1.key }) {
            json.member(named: "\(status)") { json in
                json.object { json in
                    let names = kinds.map { $0.hasManyCodes ? "\($0.name) (each with a code of its own)" : $0.name }.sorted()
                    json.member("description", names.joined(separator: ", "))
                    Self.writeProblemContent(to: &json)
                }
            }
        }
        json.member("default") { json in
            json.object { json in
                json.member("description", "Any other refusal or failure.")
                Self.writeProblemContent(to: &json)
            }
        }
    }

    // MARK: Webhooks

    /// What receivers are posted: one for each kind of event.
    private func writeWebhooks(_ json: inout JSONWriter) {
        for event in events {
            json.member(named: event.kind) { json in
                json.object { json in json.member("post") { $0.object { Self.write(event, to: &$0) } } }
            }
        }
    }

    private static func write(_ event: EventKindSchema, to json: inout JSONWriter) {
        json.member("summary", event.summary)
        json.member("parameters") { json in
            json.array { json in
                for (name, words) in signatureHeaders {
                    json.object { json in
                        json.member("name", name)
                        json.member("in", "header")
                        json.member("required", true)
                        json.member("description", words)
                        json.member("schema") { $0.object { $0.member("type", "string") } }
                    }
                }
            }
        }
        json.member("requestBody") { json in
            json.object { json in
                json.member("required", true)
                json.member("content") { json in
                    json.object { json in
                        json.member("application/json") { json in
                            json.object { json in json.member("schema") { $0.object { writeEnvelope(of: event, to: &$0) } } }
                        }
                    }
                }
            }
        }
        json.member("responses") { json in
            json.object { json in
                json.member("2XX") {
                    $0.object { $0.member("description", "The receiver has it. Anything else: it comes again.") }
                }
            }
        }
    }

    /// Source: Standard Webhooks 1.0.
    private static let signatureHeaders = [
        ("webhook-id", "The event's own for ever: drop what you have seen."),
        ("webhook-timestamp", "When this attempt was made, in seconds since 1970."),
        ("webhook-signature", "v1 (HMAC-SHA256) or v1a (Ed25519) over id.timestamp.body."),
    ]

    private static func writeEnvelope(of event: EventKindSchema, to json: inout JSONWriter) {
        json.member("type", "object")
        json.member("required") { json in json.array { json in for name in ["type", "timestamp", "data"] { json.string(name) } } }
        json.member("properties") { json in
            json.object { json in
                json.member("type") { json in
                    json.object { json in
                        json.member("type", "string")
                        json.member("x-values") { $0.array { $0.string(event.kind) } }
                    }
                }
                json.member("timestamp") { json in
                    json.object { json in
                        json.member("description", "When it took effect.")
                        json.member("type", "string")
                        json.member("format", "date-time")
                    }
                }
                json.member("data") { $0.object { writeReference(to: event.data.name, &$0) } }
            }
        }
    }

    private static func writeProblemContent(to json: inout JSONWriter) {
        json.member("content") { json in
            json.object { json in
                json.member(named: Problem.mediaType) { json in
                    json.object { json in json.member("schema") { $0.object { writeReference(to: Problem.schema.name, &$0) } } }
                }
            }
        }
    }

    // MARK: Schemas

    /// Every object that any body has, by name.
    private var schemas: [String: ObjectSchema] {
        var found: [String: ObjectSchema] = [:]
        func take(_ value: ValueSchema) {
            switch value {
            case .object(let schema): take(schema)
            case .list(let element), .map(let element): take(element)
            case .text, .word, .integer, .instant, .bool: break
            }
        }
        func take(_ schema: ObjectSchema) {
            guard found.updateValue(schema, forKey: schema.name) == nil else { return }
            for member in schema.members { take(member.value) }
        }
        take(Problem.schema)
        for endpoint in endpoints {
            for schema in endpoint.request.schemas + endpoint.answer.schemas { take(schema) }
        }
        for event in events { take(event.data) }
        return found
    }

    private func writeSchemas(_ json: inout JSONWriter) {
        for (name, schema) in schemas.sorted(by: { $0.key < $1.key }) {
            json.member(named: name) { $0.object { write(schema, to: &$0) } }
        }
    }

    private func write(_ schema: ObjectSchema, to json: inout JSONWriter) {
        json.member("type", "object")
        json.member("description", schema.summary)
        let required = schema.members.filter { $0.presence != .optional }.map(\.name)
        if !required.isEmpty {
            json.member("required") { json in json.array { json in for name in required { json.string(name) } } }
        }
        json.member("properties") { json in
            json.object { json in
                for member in schema.members {
                    json.member(named: member.name) { $0.object { write(member, to: &$0) } }
                }
            }
        }
    }

    private func write(_ member: MemberSchema, to json: inout JSONWriter) {
        // Nothing may stand beside a reference, so its own words are left out.
        if case .object(let schema) = member.value { return Self.writeReference(to: schema.name, &json) }
        json.member("description", member.summary)
        write(member.value, isNullable: member.presence == .nullable, to: &json)
    }

    private func write(_ value: ValueSchema, isNullable: Bool, to json: inout JSONWriter) {
        func type(_ name: String, _ json: inout JSONWriter) {
            guard isNullable else { return json.member("type", name) }
            json.member("type") { json in
                json.array { json in
                    json.string(name)
                    json.string("null")
                }
            }
        }
        switch value {
        case .text: type("string", &json)
        case .word(let words):
            type("string", &json)
            json.member("x-values") { json in json.array { json in for word in words { json.string(word) } } }
        case .integer(let least, let most):
            type("integer", &json)
            json.member("format", "int64")
            if least != .min { json.member("minimum", least) }
            if most != .max { json.member("maximum", most) }
        case .instant:
            type("integer", &json)
            json.member("format", "int64")
            json.member("minimum", 0)
            json.member("maximum", Timestamp.latestAccepted.millisecondsSince1970)
        case .bool: type("boolean", &json)
        case .object(let schema): Self.writeReference(to: schema.name, &json)
        case .list(let element):
            type("array", &json)
            json.member("items") { $0.object { write(element, isNullable: false, to: &$0) } }
        case .map(let element):
            type("object", &json)
            json.member("additionalProperties") { $0.object { write(element, isNullable: false, to: &$0) } }
        }
    }

    private static func writeReference(to name: String, _ json: inout JSONWriter) {
        json.member("$ref", "#/components/schemas/\(name)")
    }

    // MARK: Examples

    /// An object with all of its members, to be filled in by whoever copies it.
    package static func example(of schema: ObjectSchema) -> [UInt8] {
        var writer = JSONWriter()
        writeExample(of: schema, to: &writer)
        return writer.bytes
    }

    private static func writeExample(of schema: ObjectSchema, to json: inout JSONWriter) {
        json.object { json in
            for member in schema.members {
                json.member(named: member.name) { writeExample(of: member.value, saying: member.example, to: &$0) }
            }
        }
    }

    private static func writeExample(of value: ValueSchema, saying example: String?, to json: inout JSONWriter) {
        switch value {
        case .text: json.string(example ?? "text")
        case .word(let words): json.string(example ?? words.first ?? "")
        case .integer(let least, _): json.integer(example.flatMap { Int64($0) } ?? max(least, 1))
        case .instant: json.integer(example.flatMap { Int64($0) } ?? 1_767_225_600_000)
        case .bool: json.bool(example != "false")
        case .object(let schema): writeExample(of: schema, to: &json)
        case .list(let element): json.array { writeExample(of: element, saying: example, to: &$0) }
        case .map(let element): json.object { $0.member(named: "name") { writeExample(of: element, saying: example, to: &$0) } }
        }
    }
}

extension AnswerStatus {
    fileprivate var words: String {
        switch self {
        case .ok: "It is answered."
        case .accepted: "It is kept, and decided later."
        case .noContent: "It is done."
        }
    }
}

/// The document of this API, made once.
package struct DocumentBody: AnswerContent {
    package static let content = ContentSchema.text(mediaType: "application/json")

    /// Of the API; counted up by its middle number with each release that adds to it.
    package static let version = "1.0.0"

    private static let bytes = OpenAPIDocument(of: NativeAPI.all, events: EventKindSchema.all, version: version).json

    package init() {}

    package init(json: [UInt8]) throws(InvalidBody) {}

    package var json: [UInt8] { Self.bytes }
}
