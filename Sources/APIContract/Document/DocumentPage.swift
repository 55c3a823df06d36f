import Primitives
import StrictJSON

/// The API as a page for people: the same contract, with a line of curl for each operation. Without any script.
package struct DocumentPage: AnswerContent {
    package static let content = ContentSchema.text(mediaType: "text/html")
    package static let mediaType = "text/html; charset=utf-8"

    private static let bytes = Array(html(of: NativeAPI.all).utf8)

    package init() {}

    package init(json: [UInt8]) throws(InvalidBody) {}

    package var json: [UInt8] { Self.bytes }

    /// The page of some endpoints.
    package static func html(of endpoints: [EndpointDescription]) -> String {
        let tags = EndpointTag.allCases.filter { tag in endpoints.contains { $0.tag == tag } }
        let contents = tags.map { tag in
            let links = endpoints.filter { $0.tag == tag }.map { "<li><a href=\"#\($0.operationId)\">\($0.operationId)</a></li>" }
            return "<li>\(tag.rawValue)<ul>\(links.joined())</ul></li>"
        }
        let sections = tags.map { tag in
            "<h2>\(tag.rawValue)</h2>\n" + endpoints.filter { $0.tag == tag }.map(section).joined(separator: "\n")
        }
        return """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
            <title>Tenure API</title><style>\(style)</style></head><body>
            <h1>Tenure API</h1>
            <p>In the examples <code>$TENURE</code> is the server's address and <code>$SERVER_KEY</code> the app's server key.
            Instants are milliseconds since 1970. What an operator decides is a <em>vote</em>, under an id that you choose: it is
            never deleted, but withdrawn by another vote. Ids such as ENT-9 name the rule that decides. Errors are
            <code>application/problem+json</code> with a stable <code>code</code>. The same as a document for generators:
            <a href="openapi.json">openapi.json</a>.</p>
            <p>To give bob a week, see why he has it, and take it back:</p>
            <pre>\(escaped(guide))</pre>
            <nav><ul>\(contents.joined())</ul></nav>
            \(sections.joined(separator: "\n"))
            </body></html>
            """
    }

    /// What support does most, to copy.
    private static let guide = """
        BOB="$TENURE/api/v1/apps/demo/customers/bob"
        UNTIL=$(( ($(date +%s) + 7 * 86400) * 1000 ))
        GRANT='{"entitlement": "plus", "until": '$UNTIL', "actor": "mia", "reason": "the broken update"}'
        curl -X PUT "$BOB/grants/support-4711" -H "Authorization: Bearer $SERVER_KEY" --json "$GRANT"
        curl "$BOB" -H "Authorization: Bearer $SERVER_KEY"             # entitlements, and the votes that give them
        curl "$BOB/timeline" -H "Authorization: Bearer $SERVER_KEY"    # what changed his access, and who changed it
        curl -X PUT "$BOB/withdrawals/support-4711-off" -H "Authorization: Bearer $SERVER_KEY" \\
          --json '{"vote": "support-4711", "actor": "mia"}'
        """

    private static let style = """
        body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1b1b1b;background:#fff}
        nav>ul{columns:3;padding:0;list-style:none}nav ul ul{padding-left:1rem}h2{border-bottom:1px solid #ccc}
        section{margin:2rem 0}code,pre{font:14px/1.4 ui-monospace,monospace;background:#f4f4f2}pre{padding:.8rem;overflow-x:auto}
        table{border-collapse:collapse;width:100%}
        th,td{text-align:left;vertical-align:top;padding:.2rem .6rem;border-top:1px solid #ddd}
        @media(prefers-color-scheme:dark){body{color:#e6e6e6;background:#161616}code,pre{background:#242424}a{color:#8ab4f8}
        h2{border-color:#444}th,td{border-color:#333}}
        """

    private static func section(_ endpoint: EndpointDescription) -> String {
        var parts = [
            "<section id=\"\(endpoint.operationId)\"><h3>\(endpoint.operationId)</h3>", "<p>\(escaped(endpoint.summary))</p>",
            "<p><code>\(endpoint.method.rawValue) \(escaped(endpoint.path))</code> · \(escaped(endpoint.who))</p>",
            "<pre>\(escaped(curl(endpoint)))</pre>",
        ]
        let parameters = (endpoint.parameters + (endpoint.query ?? [])).compactMap(ParameterSchema.named)
        if !parameters.isEmpty {
            let rows = parameters.map { row($0.name, words(of: $0.value), $0.summary) }
            parts.append("<h4>Parameters</h4><table>\(rows.joined())</table>")
        }
        if case .json(let schema) = endpoint.request { parts.append("<h4>Body</h4>" + table(schema)) }
        for schema in endpoint.answer.schemas {
            let statuses = endpoint.statuses.map { "\($0.rawValue)" }.joined(separator: ", ")
            parts.append("<h4>Answer (\(statuses))</h4><p>\(escaped(schema.summary))</p>" + table(schema))
        }
        let problems = endpoint.problems.sorted { ($0.status, $0.name) < ($1.status, $1.name) }.map {
            "<code>\($0.status) \($0.name)</code>"
        }
        parts.append("<details><summary>Refusals</summary><p>\(problems.joined(separator: " "))</p></details></section>")
        return parts.joined(separator: "\n")
    }

    private static func table(_ schema: ObjectSchema, prefix: String = "") -> String {
        "<table>\(rows(schema, prefix: "", depth: 0).joined())</table>"
    }

    /// The members of objects inside follow their own member, two deep.
    private static func rows(_ schema: ObjectSchema, prefix: String, depth: Int) -> [String] {
        schema.members.flatMap { member -> [String] in
            let name = prefix + member.name
            let presence = member.presence == .optional ? ", optional" : member.presence == .nullable ? ", may be null" : ""
            let own = row(name, words(of: member.value) + presence, member.summary)
            guard depth < 2 else { return [own] }
            switch member.value {
            case .object(let inner): return [own] + rows(inner, prefix: "\(name).", depth: depth + 1)
            case .list(.object(let inner)): return [own] + rows(inner, prefix: "\(name)[].", depth: depth + 1)
            default: return [own]
            }
        }
    }

    private static func row(_ name: String, _ type: String, _ summary: String) -> String {
        "<tr><td><code>\(escaped(name))</code></td><td>\(escaped(type))</td><td>\(escaped(summary))</td></tr>"
    }

    private static func words(of value: ValueSchema) -> String {
        switch value {
        case .text: "text"
        case .word(let words): words.joined(separator: " | ")
        case .integer: "integer"
        case .instant: "instant (ms)"
        case .bool: "true | false"
        case .object(let schema): schema.name
        case .list(let element): "list of \(words(of: element))"
        case .map(let element): "object of \(words(of: element))"
        }
    }

    /// What somebody copies to try it.
    package static func curl(_ endpoint: EndpointDescription) -> String {
        var path = endpoint.path
        for name in endpoint.parameters {
            var example = ParameterSchema.named(name)?.example ?? name
            // What is said of an earlier vote is another one.
            if name == "id", case .json(let body) = endpoint.request, body.members.contains(where: { $0.example == example }) {
                example += "-off"
            }
            path = path.split(separator: "{\(name)}", omittingEmptySubsequences: false).joined(separator: example)
        }
        var lines = ["curl -X \(endpoint.method.rawValue) \"$TENURE\(path)\""]
        switch endpoint.callers {
        case .anyone, .apple: break
        case .appBackend, .customer, .newDevice: lines.append("-H \"Authorization: Bearer $SERVER_KEY\"")
        }
        if case .json(let schema) = endpoint.request {
            lines.append("--json '\(String(decoding: OpenAPIDocument.example(of: schema), as: UTF8.self))'")
        }
        return lines.joined(separator: " \\\n  ")
    }

    private static func escaped(_ text: String) -> String { HTMLText.escaped(text) }
}

extension CallerKind {
    /// Who may call, for people.
    package var words: String {
        switch self {
        case .anyone: "anyone"
        case .apple: "Apple; the signature is the proof"
        case .customer: "server key, or public key and customer token or device secret"
        case .appBackend: "server key"
        case .newDevice: "public key, or server key"
        }
    }
}

extension EndpointDescription {
    /// Who may call, and which scope their key needs; for people.
    package var who: String { scope.map { "\(callers.words); `\($0.rawValue)`" } ?? callers.words }
}
