import APIContract
import Foundation
import StrictJSON
import Testing

/// What the document says of events, against the page that says it to people.
@Suite struct `The schema of events` {
    private static func names(_ path: String...) throws -> Set<String> {
        var schema = EventItem.schema
        for name in path {
            let member = try #require(schema.members.first { $0.name == name })
            switch member.value {
            case .object(let inner), .list(.object(let inner)): schema = inner
            default: Issue.record("\(name) is no object")
            }
        }
        return schema.names
    }

    private static func page() throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(contentsOf: root.appendingPathComponent("docs/events.md"), encoding: .utf8)
    }

    @Test func `has every member of every example of the page, and no other but those of customers`() throws {
        var shown: Set<String> = ["app", "environment", "sequence"]
        for example in try Self.page().matches(of: #/(?m)^\{"kind".+\}$/#) {
            let object = try #require(try JSONDocument(Array(example.output.utf8), limits: JSONLimits()).root.object)
            for member in object {
                shown.insert(member.name)
                guard let inner = member.value.object else { continue }
                #expect(try Set(inner.map(\.name)).isSubset(of: Self.names("data", member.name)))
            }
        }
        #expect(shown.count > 30)
        #expect(
            try Self.names("data").subtracting(shown) == ["id", "window", "windows", "added", "from", "into", "endpoint"])
        #expect(shown.isSubset(of: try Self.names("data")))
    }

    @Test func `has every field that the page gives to events about customers`() throws {
        var named: Set<String> = ["kind", "effectiveAt", "rule", "id"]
        for row in try Self.page().matches(of: #/(?m)^\| `\w+\.\w+` \| [^|]+ \| ([^|]+) \|$/#) {
            named.formUnion(row.output.1.matches(of: #/`(\w+)`/#).map { String($0.output.1) })
        }
        #expect(
            named.isSubset(of: try Self.names("data")) && named.isSuperset(of: ["window", "windows", "added", "from", "into"]))
    }

    /// Each kind's row on the page, whichever table it stands in.
    @Test func `of each kind has the fields that the page gives to it, and none is missing`() throws {
        let rows = try Self.page().matches(of: #/(?m)^\| `(\w+\.\w+)` \| [^|]+ \| ([^|]+) \|/#).map { match in
            (String(match.output.1), match.output.2.matches(of: #/`(\w+)`/#).map { String($0.output.1) })
        }
        let kinds = EventKindSchema.all.filter { $0.kind != "webhook.test" }
        #expect(kinds.map(\.kind) == rows.map(\.0))
        for (kind, row) in zip(kinds, rows) {
            #expect(kind.fields == row.1, "\(kind.kind)")
            // Every field has its own schema: none was left out for want of one.
            #expect(kind.data.names.isSuperset(of: row.1), "\(kind.kind)")
            #expect(kind.data.names.isSubset(of: try Self.names("data")), "\(kind.kind)")
        }
        #expect(Set(EventKindSchema.all.map(\.data.name)).count == EventKindSchema.all.count)
    }
}
