import Foundation
import Ledger
import Testing

@testable import Console

@Suite struct `The pages of rules` {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    @Test func `what is embedded is docs-rules`() throws {
        let page = try String(contentsOf: Self.root.appending(path: "docs/rules.md"), encoding: .utf8)
        #expect(String(decoding: PackageResources.rules_md, as: UTF8.self) == page)
        // Read in another way than the console reads it.
        let ids = page.matches(of: #/(?m)^\| ([A-Z]+-\d+) \| (?:built|later) \| /#).map { String($0.output.1) }
        #expect(ids.count > 60 && RulePages.all.map(\.id) == ids)
        #expect(RulePages.all.allSatisfy { !$0.text.isEmpty && !$0.text.hasSuffix("|") && !$0.section.isEmpty })
    }

    /// Through their spellings in the source: the enum is not `CaseIterable`.
    @Test func `every rule that the code cites has a page`() throws {
        let source = try String(contentsOf: Self.root.appending(path: "Sources/Ledger/Rule.swift"), encoding: .utf8)
        let cited = source.matches(of: #/= "([A-Z]+-\d+)"/#).map { String($0.output.1) }
        #expect(cited.count > 40)
        for id in cited { #expect(RulePages.page(of: id) != nil, "\(id)") }
    }
}
