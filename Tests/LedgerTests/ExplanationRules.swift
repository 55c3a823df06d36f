import Foundation
import Ledger
import Primitives
import Testing

/// docs/explanations.md against the code: its texts were written by hand, for whoever answers a customer.
@Suite struct ExplanationRules {
    private struct Story {
        let number: Int
        /// One for each telling, with the instant as the page writes it.
        var texts: [(at: String, lines: [String])] = []
    }

    private static func page() throws -> [Story] {
        let page = try String(contentsOf: Project.root.appendingPathComponent("docs/explanations.md"), encoding: .utf8)
        var stories: [Story] = []
        for line in page.split(separator: "\n") {
            if let heading = line.wholeMatch(of: #/## (\d+)\. .+/#) {
                stories.append(Story(number: try #require(Int(heading.output.1))))
            } else if let told = line.wholeMatch(of: #/Told for (.+ UTC).*:/#) {
                stories[stories.count - 1].texts.append((String(told.output.1), []))
            } else if line.hasPrefix("- ") {
                let text = stories[stories.count - 1].texts.count - 1
                stories[stories.count - 1].texts[text].lines.append(String(line.dropFirst(2)))
            }
        }
        return stories
    }

    @Test(arguments: ExplanationStory.all)
    func `OWN-15 each story is told as the page has it, line for line`(story: ExplanationStory) throws {
        let written = try #require(try Self.page().first { $0.number == story.number })
        #expect(story.tellings.count == written.texts.count)
        for (telling, text) in zip(story.tellings, written.texts) {
            let lines = telling.lines
            #expect(lines == text.lines, "story \(story.number), told for \(text.at)")
            #expect(lines.contains { $0.hasPrefix("On \(text.at), ") }, "\(text.at) is the instant that was told for")
            for (line, wanted) in zip(lines, text.lines) where line != wanted { print("-", wanted, "\n+", line) }
        }
    }

    @Test func `OWN-15 the page has at least twenty stories, and the code each of them`() throws {
        #expect(try Self.page().map(\.number) == ExplanationStory.all.map(\.number))
        #expect(ExplanationStory.all.count >= 20)
    }
}
