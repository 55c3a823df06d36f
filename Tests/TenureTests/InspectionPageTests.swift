import AppStoreWire
import Foundation
import Testing

@testable import ArtifactInspection

/// Compares docs/operations/inspect.md with what `tenure inspect` can print.
@Suite struct `The page about inspect` {
    private static func page() throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: "docs/operations/inspect.md"), encoding: .utf8)
    }

    /// The codes of the rows `| code | what it means | what to do |`; a row may hold several codes.
    private static func rows(_ page: some StringProtocol) -> [(codes: [String], meaning: String, remedy: String)] {
        page.split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 3, cells[0].hasPrefix("`") else { return nil }
            return (cells[0].matches(of: #/`(\w+)`/#).map { String($0.output.1) }, cells[1], cells[2])
        }
    }

    static let codes: Set<String> = Set(InspectionCode.allCases.map(\.rawValue))
        .union(JWSRefusal.Code.allCases.map(\.rawValue)).union(ReceiptRefusal.Code.allCases.map(\.rawValue))
        .union(LegacyRefusal.Code.allCases.map(\.rawValue))

    @Test func `each code has one row that says what it means and what to do, and each row is a code`() throws {
        let rows = Self.rows(try #require(try Self.page().components(separatedBy: "\n## Codes\n").dropFirst().first))
        let named = rows.flatMap(\.codes)
        #expect(Set(named).subtracting(Self.codes).isEmpty, "on the page alone")
        #expect(Self.codes.subtracting(named).isEmpty, "missing on the page")
        #expect(Set(named).count == named.count, "on the page twice")
        #expect(rows.allSatisfy { !$0.meaning.isEmpty && !$0.remedy.isEmpty })
    }

    @Test func `each wrapping that is removed is on the page`() throws {
        let page = try Self.page()
        for wrapping in TextWrapping.allCases { #expect(page.contains("`\(wrapping.rawValue)`"), "\(wrapping)") }
    }
}
