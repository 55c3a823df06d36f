/// The rules as docs/rules.md has them, and their translation in docs/rules.zh-Hans.md; both are embedded: what the product cites
/// and what it shows are one text.
package enum RulePages {
    /// Every rule, in the order of the page.
    package static let all: [RulePage] = {
        let chinese = Dictionary(rows(of: PackageResources.rules_zh_Hans_md).map { ($0.id, $0) }) { first, _ in first }
        return rows(of: PackageResources.rules_md).map { row in
            RulePage(
                id: row.id, isBuilt: row.isBuilt, english: row.text(in: .english),
                chinese: chinese[row.id]?.text(in: .simplifiedChinese))
        }
    }()

    /// Nil where there is no such rule.
    package static func page(of id: String) -> RulePage? { byId[id] }

    private static let byId = Dictionary(all.map { ($0.id, $0) }) { first, _ in first }

    /// A row of a page's tables.
    private struct Row {
        let id: String
        let section: String
        let isBuilt: Bool
        let words: String

        func text(in language: Language) -> RulePage.Text {
            RulePage.Text(language: language, section: section, words: words)
        }
    }

    /// The rows of every table whose cells are id, state and text, under the last heading before each.
    private static func rows(of page: [UInt8]) -> [Row] {
        var section = ""
        var rows: [Row] = []
        for line in String(decoding: page, as: UTF8.self).split(separator: "\n") {
            if line.hasPrefix("## ") { section = String(line.dropFirst(3)) }
            guard line.hasPrefix("| ") else { continue }
            let cells = line.split(separator: "|", maxSplits: 3, omittingEmptySubsequences: false).dropFirst().map(trimmed)
            guard cells.count == 3, isId(cells[0]) else { continue }
            rows.append(
                Row(id: cells[0], section: section, isBuilt: cells[1] == "built", words: trimmed(cells[2][...], "|")))
        }
        return rows
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
    /// False: it is decided, and not in the code yet.
    package let isBuilt: Bool
    /// The text that counts.
    package let english: Text
    /// Its translation; nil: there is none, and English is shown.
    package let chinese: Text?

    /// What the rule says in one language.
    package struct Text: Sendable, Hashable {
        /// The language that it is written in.
        package let language: Language
        /// The heading that it stands under.
        package let section: String
        /// As the page has it, with its marks for code and emphasis.
        package let words: String
    }

    /// For a reader of the language.
    package func text(for language: Language) -> Text {
        switch language {
        case .english, .pseudo: english
        case .simplifiedChinese: chinese ?? english
        }
    }
}
