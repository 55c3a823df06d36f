import APIContract
import Foundation
import Primitives
import StrictJSON

/// `name=value` as it was typed.
struct GivenValue {
    let name: String
    let value: String

    init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    init(_ text: String) throws {
        guard let place = text.firstIndex(of: "="), place > text.startIndex else {
            throw CommandError("\(text) must be name=value.")
        }
        self.init(name: String(text[..<place]), value: String(text[text.index(after: place)...]))
    }
}

/// One request, made from an endpoint's contract and what was typed.
struct OperationCall {
    let method: String
    /// With the query.
    let path: String
    let body: [UInt8]?
    var idempotencyKey: String?

    /// - Throws: `CommandError` where a parameter is missing, or a name is neither a parameter nor a member of the body.
    init(_ endpoint: EndpointDescription, values: [GivenValue], body: [UInt8]?) throws {
        method = endpoint.method.rawValue
        var rest = values
        var path = endpoint.path
        for name in endpoint.parameters {
            guard let index = rest.firstIndex(where: { $0.name == name }) else {
                throw CommandError("\(endpoint.operationId) needs \(name)=…: \(ParameterSchema.named(name)?.summary ?? "")")
            }
            path = path.replacing("{\(name)}", with: PercentEncoding.encode(rest.remove(at: index).value))
        }
        // Said by a variable for all operations; some have no app.
        if !endpoint.parameters.contains("app") { rest.removeAll { $0.name == "app" } }
        var query: [String] = []
        for name in endpoint.query ?? [] {
            guard let index = rest.firstIndex(where: { $0.name == name }), body != nil || !Self.isMember(name, of: endpoint)
            else {
                continue
            }
            query.append("\(name)=\(PercentEncoding.encode(rest.remove(at: index).value))")
        }
        self.path = query.isEmpty ? path : "\(path)?\(query.joined(separator: "&"))"
        guard case .json(let schema) = endpoint.request, body == nil else {
            if let other = rest.first { throw CommandError("\(endpoint.operationId) has no \(other.name).") }
            self.body = body
            return
        }
        self.body = try Self.body(schema, rest, of: endpoint)
    }

    private static func isMember(_ name: String, of endpoint: EndpointDescription) -> Bool {
        if case .json(let schema) = endpoint.request { schema.names.contains(name) } else { false }
    }

    private static func body(
        _ schema: ObjectSchema, _ values: [GivenValue], of endpoint: EndpointDescription
    ) throws -> [UInt8] {
        var writer = JSONWriter()
        try writer.object { json in
            for given in values {
                guard let member = schema.members.first(where: { $0.name == given.name }) else {
                    let known = (endpoint.parameters + (endpoint.query ?? []) + schema.members.map(\.name)).joined(
                        separator: ", ")
                    throw CommandError("\(endpoint.operationId) has no \(given.name); known: \(known).")
                }
                try json.member(named: given.name) { try write(given, member.value, to: &$0) }
            }
        }
        return writer.bytes
    }

    private static func write(_ given: GivenValue, _ value: ValueSchema, to json: inout JSONWriter) throws {
        switch value {
        case .text, .word: json.string(given.value)
        case .integer, .instant:
            guard let number = Int64(given.value) else { throw CommandError("\(given.name) must be a whole number.") }
            json.integer(number)
        case .bool:
            guard ["true", "false"].contains(given.value) else { throw CommandError("\(given.name) must be true or false.") }
            json.bool(given.value == "true")
        case .list(let element) where !given.value.hasPrefix("["):
            try json.array { json in
                for part in given.value.split(separator: ",") {
                    try write(GivenValue(name: given.name, value: String(part)), element, to: &json)
                }
            }
        case .list, .object, .map: json.raw(given.value.utf8)
        }
    }
}
