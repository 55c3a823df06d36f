/// The rules as docs/rules.md has them, which is embedded: what the product cites and what it shows are one text.
package enum RulePages {
    /// Every rule, in the order of the page.
    package static let all: [RulePage] = pages(of: String(decoding: PackageResources.rules_md, as: UTF8.self))

    /// Nil where there is no such rule.
    package static func page(of id: String) -> RulePage? { byId[id] }

    private static let byId = Dictionary(all.map { ($0.id, $0) }) { first, _ in first }

    /// The rows of every table whose cells are id, state and text, under the last heading before each.
    private static func pages(of markdown: String) -> [RulePage] {
        var section = ""
        var pages: [RulePage] = []
        for line in markdown.split(separator: "\n") {
            if line.hasPrefix("## ") { section = String(line.dropFirst(3)) }
            guard line.hasPrefix("| ") else { continue }
            let cells = line.split(separator: "|", maxSplits: 3, omittingEmptySubsequences: false).dropFirst().map(trimmed)
            guard cells.count == 3, isId(cells[0]) else { continue }
            pages.append(
                RulePage(id: cells[0], section: section, isBuilt: cells[1] == "built", text: trimmed(cells[2][...], "|")))
        }
        return pages
    }

    /// Such as `OWN-4`.
    private static func isId(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        return parts.count == 2 && !parts[0].isEmpty && !parts[1].isEmpty
            && parts[0].utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
            && parts[1].utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    private static func trimmed(_ text: Substring) -> String { trimmed(text, " ") }

    private static func trimmed(_ text: Substring, _ edge: Character) -> String {
        var text = text
        while text.first == " " || text.first == edge { text = text.dropFirst() }
        while text.last == " " || text.last == edge { text = text.dropLast() }
        return String(text)
    }
}

/// One rule.
package struct RulePage: Sendable, Hashable {
    /// Permanent, such as `OWN-4`.
    package let id: String
    /// The heading that it stands under.
    package let section: String
    /// False: it is decided, and not in the code yet.
    package let isBuilt: Bool
    /// As the page has it, with its marks for code and emphasis.
    package let text: String
}
