import Backend
import Foundation
import HTTPTypes
import HummingbirdTesting
import Ledger
import StrictJSON
import Testing

@testable import Console

@Suite struct `The pages of rules` {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static func page(_ name: String) throws -> String {
        try String(contentsOf: root.appending(path: "docs/\(name)"), encoding: .utf8)
    }

    @Test func `what is embedded is docs-rules`() throws {
        let page = try Self.page("rules.md")
        #expect(String(decoding: PackageResources.rules_zh_Hans_md, as: UTF8.self) == (try Self.page("rules.zh-Hans.md")))
        #expect(String(decoding: PackageResources.rules_md, as: UTF8.self) == page)
        // Read in another way than the console reads it.
        let ids = page.matches(of: #/(?m)^\| ([A-Z]+-\d+) \| (?:built|later) \| /#).map { String($0.output.1) }
        #expect(ids.count > 60 && RulePages.all.map(\.id) == ids)
        for text in RulePages.all.flatMap({ [$0.english, $0.chinese] }) {
            let text = try #require(text)
            #expect(!text.words.isEmpty && !text.words.hasSuffix("|") && !text.section.isEmpty)
        }
    }

    /// Through their spellings in the source: the enum is not `CaseIterable`.
    @Test func `every rule that the code cites has a page`() throws {
        let source = try String(contentsOf: Self.root.appending(path: "Sources/Ledger/Rule.swift"), encoding: .utf8)
        let cited = source.matches(of: #/= "([A-Z]+-\d+)"/#).map { String($0.output.1) }
        #expect(cited.count > 40)
        for id in cited { #expect(RulePages.page(of: id) != nil, "\(id)") }
    }

    // MARK: The translation

    /// A row of a page, read in another way than the console reads it, under the word that its section begins with.
    private struct Row {
        let id: String
        let state: String
        let words: String
        let section: String

        /// What is code, which no language changes.
        var spans: Set<String> { Set(words.matches(of: #/`([^`]+)`/#).map { String($0.output.1) }) }
        /// The rules that it names.
        var cited: Set<String> { RuleTests.cited(words) }
        /// What is left for a language to say.
        var prose: String { words.replacing(#/`[^`]+`/#, with: "").replacing(#/\b[A-Z]+-\d+/#, with: "") }
        var numbers: [String] { prose.matches(of: #/[0-9]+/#).map { String($0.output) }.sorted() }
        /// How many things are emphasised.
        var marks: Int { words.count { $0 == "*" } }
    }

    private typealias RuleTests = `The pages of rules`

    private static func cited(_ words: String) -> Set<String> {
        Set(words.matches(of: #/([A-Z]+-[0-9]+)(?![0-9A-Za-z-])/#).map { String($0.output.1) })
    }

    private static func rows(_ page: String) -> [Row] {
        var section = ""
        return page.split(separator: "\n").compactMap { line in
            if let heading = line.firstMatch(of: #/^## ([A-Z]+)/#) { section = String(heading.output.1) }
            guard let row = line.wholeMatch(of: #/\| ([A-Z]+-[0-9]+) \| (built|later) \| (.+) \|/#) else { return nil }
            return Row(
                id: String(row.output.1), state: String(row.output.2), words: String(row.output.3), section: section)
        }
    }

    private static func ideographs(_ text: String) -> Int {
        text.unicodeScalars.count { (0x4E00...0x9FFF).contains($0.value) }
    }

    @Test func `the Chinese page has the same rules, with the same states, code, rules and numbers in each`() throws {
        let (english, chinese) = (Self.rows(try Self.page("rules.md")), Self.rows(try Self.page("rules.zh-Hans.md")))
        #expect(english.count > 60 && english.map(\.id) == chinese.map(\.id))
        for (one, other) in zip(english, chinese) {
            #expect(one.state == other.state && one.section == other.section, "\(one.id)")
            #expect(one.spans == other.spans, "\(one.id): \(one.spans.symmetricDifference(other.spans))")
            #expect(one.cited == other.cited, "\(one.id): \(one.cited.symmetricDifference(other.cited))")
            #expect(one.numbers == other.numbers, "\(one.id)")
            #expect(one.marks == other.marks, "\(one.id): emphasis")
        }
    }

    /// A rule in Chinese has between one and three characters for each word of its English: less was left out, or not
    /// translated.
    @Test func `each rule is in Chinese whole, with no English left in it`() throws {
        let (english, chinese) = (Self.rows(try Self.page("rules.md")), Self.rows(try Self.page("rules.zh-Hans.md")))
        for (one, other) in zip(english, chinese) {
            #expect(one.words != other.words, "\(one.id)")
            #expect(!other.prose.contains(#/[a-z]{2,} [a-z]{2,}/#), "\(one.id): \(other.prose)")
            let words = one.prose.matches(of: #/[A-Za-z]+/#).count
            #expect((words...3 * words).contains(Self.ideographs(other.prose)), "\(one.id): \(words) words")
        }
    }

    @Test func `what stands before the rules names the same code and rules in both languages, and which page counts`() throws {
        let heads = try ["rules.md", "rules.zh-Hans.md"].map { name in
            String(try Self.page(name).split(separator: "\n## ", maxSplits: 1)[0])
        }
        func spans(_ text: String) -> Set<String> { Set(text.matches(of: #/`([^`]+)`/#).map { String($0.output.1) }) }
        #expect(spans(heads[0]) == spans(heads[1]) && Self.cited(heads[0]) == Self.cited(heads[1]))
        #expect(heads[1].contains("以英文页面为准") && Self.ideographs(heads[1]) > 600)
    }

    @Test func `a reader of Chinese gets the rule in Chinese, with the English that counts beside it`() async throws {
        try await withConsole(isEmpty: true) { world in
            try await world.application().test(.router) { client in
                let rule = try #require(RulePages.page(of: "OWN-5"))
                let chinese = try #require(rule.chinese)
                let shown = ParsedPage(try await client.open("/rules/OWN-5", .simplifiedChinese).text)
                func text(_ language: String) -> String {
                    shown.texts.filter { $0.path.contains("p lang=\(language)") }.map(\.content).joined()
                }
                let plain = { (words: String) in words.replacing("`", with: "").replacing("*", with: "") }
                #expect(text("zh-Hans") == chinese.section + plain(chinese.words))
                #expect(text("en") == plain(rule.english.words))
                let english = ParsedPage(try await client.open("/rules/OWN-5", .english).text)
                #expect(!english.texts.contains { $0.path.contains("p lang=zh-Hans") })
                #expect(english.texts.filter { $0.path.contains("p lang=en") }.map(\.content).joined().contains("becomes owner"))
                let all = ParsedPage(try await client.open("/rules", .simplifiedChinese).text)
                #expect(all.elements.count { $0 == "span lang" } == RulePages.all.count)
                #expect(!all.texts.contains { $0.path.contains("span lang=en") })
            }
        }
    }

    @Test func `the JSON of a rule has the English that counts, and the Chinese by its tag`() async throws {
        try await withConsole(isEmpty: true) { world in
            try await world.application().test(.router) { client in
                let object = try #require(try JSONDocument(try await client.json("/rules/OWN-7").bytes).root.object)
                #expect(object["text"]?.string?.contains("A resubscription after expiry") == true)
                #expect(object["section"]?.string == "OWN — whose is it")
                let chinese = try #require(object["zh-Hans"]?.object)
                #expect(chinese["text"]?.string?.contains("过期后重新订阅") == true)
                #expect(chinese["section"]?.string == "OWN — 归谁所有")
            }
        }
    }
}
