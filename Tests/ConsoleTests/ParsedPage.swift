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
        // Bytes: pages of megabytes are parsed too, and everything that is markup is ASCII.
        var rest = Array(page.utf8)[...]
        var path: [String] = []
        while let open = rest.firstIndex(of: UInt8(ascii: "<")) {
            take(rest[..<open], in: path)
            rest = rest[open...].dropFirst()
            guard let close = Self.end(of: rest) else {
                elements.append("unfinished")
                return
            }
            let tag = rest[..<close]
            rest = rest[close...].dropFirst()
            if tag.first == UInt8(ascii: "!") { continue }
            if tag.first == UInt8(ascii: "/") {
                let name = String(decoding: tag.dropFirst(), as: UTF8.self)
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

    private mutating func take(_ text: ArraySlice<UInt8>, in path: [String]) {
        guard text.contains(where: { $0 > 0x20 }) else { return }
        texts.append(Text(content: Self.unescaped(String(decoding: text, as: UTF8.self)), path: path))
    }

    /// Where the tag ends: a `>` outside quotation marks.
    private static func end(of rest: ArraySlice<UInt8>) -> Int? {
        var isQuoted = false
        for index in rest.indices {
            if rest[index] == UInt8(ascii: "\"") { isQuoted.toggle() }
            if rest[index] == UInt8(ascii: ">"), !isQuoted { return index }
        }
        return nil
    }

    private static func read(_ tag: ArraySlice<UInt8>) -> (String, [(name: String, value: String)]) {
        let (space, equals, quote) = (UInt8(ascii: " "), UInt8(ascii: "="), UInt8(ascii: "\""))
        let name = tag.prefix { $0 != space }
        var rest = tag.dropFirst(name.count)
        var attributes: [(name: String, value: String)] = []
        while let first = rest.first {
            if first == space {
                rest = rest.dropFirst()
                continue
            }
            let attribute = rest.prefix { $0 != equals && $0 != space }
            rest = rest.dropFirst(attribute.count)
            var value = ""
            if rest.starts(with: [equals, quote]) {
                rest = rest.dropFirst(2)
                let quoted = rest.prefix { $0 != quote }
                value = unescaped(String(decoding: quoted, as: UTF8.self))
                rest = rest.dropFirst(quoted.count + 1)
            }
            attributes.append((String(decoding: attribute, as: UTF8.self), value))
        }
        return (String(decoding: name, as: UTF8.self), attributes)
    }

    static func unescaped(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
        return text.replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&quot;", with: "\"")
            .replacing("&#39;", with: "'").replacing("&amp;", with: "&")
    }
}
