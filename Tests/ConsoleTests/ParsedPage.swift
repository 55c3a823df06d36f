/// A page as a browser would see its elements: written apart from the console's writer, after the tokenizer of WHATWG HTML 13.2.5
/// as far as these pages need it. Anything that it does not expect is an element of its own, so that it is found.
struct ParsedPage {
    /// Each start tag as `name attribute attribute …`, in order.
    private(set) var elements: [String] = []
    private(set) var texts: [Text] = []
    /// Every value of an attribute, by the attribute's name.
    private(set) var values: [(element: String, name: String, value: String)] = []

    struct Text: Hashable {
        let content: String
        /// The elements around it, the innermost last; each with its `lang` where it has one.
        let path: [String]
    }

    private static let void: Set<String> = ["meta", "link", "input", "br", "hr"]

    init(_ page: String) {
        var rest = page[...]
        var path: [String] = []
        while let open = rest.firstIndex(of: "<") {
            take(rest[..<open], in: path)
            rest = rest[open...].dropFirst()
            guard let close = Self.end(of: rest) else {
                elements.append("unfinished")
                return
            }
            let tag = rest[..<close]
            rest = rest[close...].dropFirst()
            if tag.first == "!" { continue }
            if tag.first == "/" {
                let name = String(tag.dropFirst())
                if path.last?.split(separator: " ").first.map(String.init) == name {
                    path.removeLast()
                } else {
                    elements.append("wrong end \(name)")
                }
                continue
            }
            let (name, attributes) = Self.read(tag)
            elements.append(([name] + attributes.map(\.name)).joined(separator: " "))
            values += attributes.map { (name, $0.name, $0.value) }
            if !Self.void.contains(name) {
                path.append(([name] + attributes.filter { $0.name == "lang" }.map { "lang=\($0.value)" }).joined(separator: " "))
            }
        }
        take(rest, in: path)
    }

    private mutating func take(_ text: Substring, in path: [String]) {
        let content = Self.unescaped(text)
        if content.contains(where: { !$0.isWhitespace }) { texts.append(Text(content: content, path: path)) }
    }

    /// Where the tag ends: a `>` outside quotation marks.
    private static func end(of rest: Substring) -> Substring.Index? {
        var isQuoted = false
        for index in rest.indices {
            if rest[index] == "\"" { isQuoted.toggle() }
            if rest[index] == ">", !isQuoted { return index }
        }
        return nil
    }

    private static func read(_ tag: Substring) -> (String, [(name: String, value: String)]) {
        let name = tag.prefix { $0 != " " }
        var rest = tag.dropFirst(name.count)
        var attributes: [(name: String, value: String)] = []
        while let first = rest.first {
            if first == " " {
                rest = rest.dropFirst()
                continue
            }
            let attribute = rest.prefix { $0 != "=" && $0 != " " }
            rest = rest.dropFirst(attribute.count)
            var value = ""
            if rest.hasPrefix("=\"") {
                rest = rest.dropFirst(2)
                let quoted = rest.prefix { $0 != "\"" }
                value = unescaped(quoted)
                rest = rest.dropFirst(quoted.count + 1)
            }
            attributes.append((String(attribute), value))
        }
        return (String(name), attributes)
    }

    static func unescaped(_ text: Substring) -> String {
        text.replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&quot;", with: "\"")
            .replacing("&#39;", with: "'").replacing("&amp;", with: "&").description
    }
}
