import Primitives
package import StrictJSON

/// An answer of the API as a page for people: every member with its name, in the answer's order. Without any script.
package struct ReadablePage: AnswerContent {
    package static let content = ContentSchema.text(mediaType: "text/html")
    package static let mediaType = "text/html; charset=utf-8"

    package let json: [UInt8]

    package init(json: [UInt8]) throws(InvalidBody) { self.json = json }

    /// - Parameter body: an answer; its JSON is what is shown.
    package init(_ title: String, of body: some JSONBody & AnswerContent) throws(JSONError) {
        let answer = body.json
        // Ours, and as long as it has to be: no text has more elements than bytes.
        let root = try JSONDocument(answer, limits: JSONLimits(maximumBytes: answer.count, maximumElements: answer.count)).root
        var html = """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
            <title>\(HTMLText.escaped(title))</title><style>\(Self.style)</style></head><body><h1>\(HTMLText.escaped(title))</h1>

            """
        Self.write(root, named: "", to: &html)
        json = Array((html + "</body></html>\n").utf8)
    }

    private static func write(_ value: JSONValue, named name: String, to html: inout String) {
        if let object = value.object {
            html += "<dl>"
            for member in object {
                html += "<dt>\(HTMLText.escaped(member.name))</dt><dd>"
                write(member.value, named: member.name, to: &html)
                html += "</dd>\n"
            }
            html += "</dl>"
        } else if let list = value.array {
            html += list.count == 0 ? "none" : "<ol>"
            for element in list {
                html += "<li>"
                write(element, named: name, to: &html)
                html += "</li>\n"
            }
            html += list.count == 0 ? "" : "</ol>"
        } else if let text = value.string {
            html += HTMLText.escaped(text)
        } else if let number = value.int64 {
            html += isInstant(name) ? "\(Timestamp(millisecondsSince1970: number))" : "\(number)"
        } else {
            html += value.bool.map { $0 ? "yes" : "no" } ?? "none"
        }
    }

    /// Members that are instants are called so everywhere in the API.
    private static func isInstant(_ name: String) -> Bool {
        name == "at" || name == "from" || name == "until" || name == "end" || name.hasSuffix("At") || name.hasSuffix("Date")
            || name.hasSuffix("Until")
    }

    private static let style = """
        body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1b1b1b;background:#fff}
        dl{border-left:2px solid #ddd;padding-left:1rem;margin:.3rem 0}dt{font-weight:600}
        dd{margin:0 0 .3rem 0;overflow-wrap:anywhere}
        """
}

/// Text inside HTML.
enum HTMLText {
    static func escaped(_ text: String) -> String {
        // By scalars: a sign with an accent upon it is another character, and the same byte for a browser.
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped.append(contentsOf: "&amp;".unicodeScalars)
            case "<": escaped.append(contentsOf: "&lt;".unicodeScalars)
            case ">": escaped.append(contentsOf: "&gt;".unicodeScalars)
            case "\"": escaped.append(contentsOf: "&quot;".unicodeScalars)
            default: escaped.append(scalar)
            }
        }
        return String(escaped)
    }
}
