import APIContract
import StrictJSON

/// What the command line says of operations.
enum OperationWords {
    static var list: String {
        let width = NativeAPI.all.map(\.operationId.count).max() ?? 0
        return EndpointTag.allCases.compactMap { tag in
            let operations = NativeAPI.all.filter { $0.tag == tag }.map { endpoint in
                "  \(padded(endpoint.operationId, width))  \(endpoint.summary)"
            }
            return operations.isEmpty ? nil : ([tag.rawValue] + operations).joined(separator: "\n")
        }.joined(separator: "\n")
    }

    static func help(of endpoint: EndpointDescription) -> String {
        var lines = [
            "\(endpoint.operationId): \(endpoint.summary)",
            "\(endpoint.method.rawValue) \(endpoint.path) (\(endpoint.who))",
        ]
        let parameters = (endpoint.parameters + (endpoint.query ?? [])).compactMap(ParameterSchema.named)
        if !parameters.isEmpty {
            lines.append("Parameters:")
            lines += parameters.map { parameter in
                "  \(parameter.name)=\(parameter.example)  \(parameter.summary)"
            }
        }
        if case .json(let schema) = endpoint.request {
            lines.append("Body: \(schema.summary)")
            lines += members(schema)
        }
        for schema in endpoint.answer.schemas {
            lines.append("Answer: \(schema.summary)")
            lines += members(schema)
        }
        return lines.joined(separator: "\n")
    }

    private static func members(_ schema: ObjectSchema) -> [String] {
        schema.members.map { member in
            "  \(member.name)\(member.presence == .optional ? " (optional)" : "")  \(member.summary)"
        }
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}

/// The table of docs/operations/http-api.md.
enum APITable {
    static var markdown: String {
        let rows = NativeAPI.all.map { "| `\($0.method.rawValue) \($0.path)` | \($0.who) | \($0.summary) |" }
        return (["| call | who | what |", "| --- | --- | --- |"] + rows).joined(separator: "\n")
    }
}

/// An answer as people read it: a line for each member, a table for each list of objects.
enum AnswerTable {
    static func text(of value: JSONValue) -> String { lines(of: value, name: "", depth: 0).joined(separator: "\n") }

    private static func lines(of value: JSONValue, name: String, depth: Int) -> [String] {
        let indent = String(repeating: "  ", count: depth)
        if let object = value.object {
            let inner = object.flatMap { lines(of: $0.value, name: $0.name, depth: name.isEmpty ? depth : depth + 1) }
            return name.isEmpty ? inner : ["\(indent)\(name):"] + inner
        }
        if let array = value.array {
            let elements = Array(array)
            guard !elements.isEmpty else { return ["\(indent)\(name): none"] }
            if elements.allSatisfy({ $0.object != nil }) {
                return ["\(indent)\(name):"] + table(elements.compactMap(\.object)).map { "\(indent)  \($0)" }
            }
            return ["\(indent)\(name):"] + elements.map { "\(indent)  \(word($0))" }
        }
        return ["\(indent)\(name): \(word(value))"]
    }

    /// Columns for the members that are no objects and no lists; what is deeper is left to `--json`.
    private static func table(_ objects: [JSONObject]) -> [String] {
        var columns: [String] = []
        for object in objects {
            for member in object where member.value.object == nil && member.value.array == nil && !columns.contains(member.name) {
                columns.append(member.name)
            }
        }
        let rows = [columns] + objects.map { object in columns.map { object[$0].map(word) ?? "" } }
        let widths = columns.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            zip(row, widths).map { text, width in text + String(repeating: " ", count: width - text.count) }
                .joined(separator: "  ").trimmed
        }
    }

    private static func word(_ value: JSONValue) -> String {
        value.string ?? (value.isNull ? "–" : String(decoding: value.rawBytes, as: UTF8.self))
    }
}

extension String {
    fileprivate var trimmed: String { String(reversed().drop { $0 == " " }.reversed()) }
}
