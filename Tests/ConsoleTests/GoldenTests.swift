import Backend
import Foundation
import HTTPTypes
import HummingbirdTesting
import Ledger
import Primitives
import StrictJSON
import Testing

@testable import Console

/// Each page of the fixed story as text, in both languages. A difference is read as a difference of the files;
/// `TENURE_GOLDENS=write` writes them anew.
@Suite struct `The pages` {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden")
    private static let isWriting = ProcessInfo.processInfo.environment["TENURE_GOLDENS"] == "write"

    /// Without the hashes in the names of assets, which change with every change of a style, and of audit rows, which name
    /// customers by random numbers (I45).
    private static func stable(_ page: String) -> String {
        page.replacing(#/console-[0-9a-f]{16}\./#, with: "console.")
            .replacing(#/<td><bdi>[0-9a-f]{64}</bdi></td><td>/#, with: "<td><bdi>(hash)</bdi></td><td>")
    }

    @Test(arguments: Language.offered) func `read as they were reviewed`(language: Language) async throws {
        try await withConsole { world in
            try await Self.compare(Pages.all, of: world, language)
        }
        try await withShop { world in
            try await Self.compare(Pages.shop, of: world, language)
        }
        try await withConsole(isEmpty: true) { world in
            try await world.changePolicy()
            try await Self.compare(Pages.versions, of: world, language)
        }
    }

    private static func compare(
        _ pages: [(name: String, page: ConsoleRoute.Page)], of world: ConsoleWorld, _ language: Language
    ) async throws {
        try await world.application().test(.router) { client in
            for (name, page) in pages {
                let answer = try await client.open(Pages.path(page), language)
                #expect(answer.status == .ok, "\(name)")
                let file = folder.appending(path: "\(name).\(language.rawValue).html")
                let shown = stable(answer.text)
                if isWriting { try shown.write(to: file, atomically: true, encoding: .utf8) }
                let golden = try String(contentsOf: file, encoding: .utf8)
                #expect(shown == golden, "\(name) in \(language.rawValue) is another page by now")
            }
        }
    }

    /// Under a policy that asks, Bob's restore waits: the overview counts it, and the inbox says what each choice would do.
    @Test(arguments: [
        (Language.english, "Approve: \u{2068}bob\u{2069} owns it from then on; \u{2068}alice\u{2069} loses what it gives."),
        (.simplifiedChinese, "批准：此后归 \u{2068}bob\u{2069} 所有；\u{2068}alice\u{2069} 失去它提供的权限。"),
    ]) func `show what waits, and what each choice would do`(language: Language, choice: String) async throws {
        try await withConsole(policy: AppPolicy(onRestore: .ask), isEmpty: true) { world in
            world.clock.set(PretendAppStore.june.adding(.minutes(2)))
            _ = try await world.claim(ConsoleWorld.alice, .purchase, Purchase())
            world.clock.set(PretendAppStore.june.adding(.days(3)))
            _ = try await world.claim(ConsoleWorld.bob, .restore, Purchase())
            world.clock.set(PretendAppStore.june.adding(.days(4)))
            try await world.application().test(.router) { client in
                let inbox = try await client.open(Pages.path(.inbox(after: nil)), as: .support, language)
                #expect(inbox.status == .ok && inbox.text.contains(choice))
                let rows = try #require(
                    try JSONDocument(try await client.json(Pages.path(.inbox(after: nil))).bytes).root.object?["claims"]?.array)
                #expect(rows.count == 1)
                let row = try #require(rows.first { _ in true }?.object)
                #expect(row["customer"]?.string == "bob" && row["owner"]?.string == "alice")
                #expect(row["outcome"]?.string == "waiting.decision")
                // A day, in milliseconds.
                #expect(row["ageMilliseconds"]?.int64 == 86_400_000)
                let overview = try JSONDocument(try await client.json(Pages.path(.overview), as: .viewer).bytes).root.object
                let need = try #require(overview?["needs"]?.array?.first { $0.object?["what"]?.string == "claims" }?.object)
                #expect(need["count"]?.int64 == 1)
                // A viewer sees how many, and is not led to whose they are.
                let shown = try await client.open(Pages.path(.overview), as: .viewer)
                #expect(!shown.text.contains("/inbox"))
            }
        }
    }

    @Test func `have one heading, captions, scopes and labels, and fit into 60 KB`() async throws {
        try await withConsole { world in
            try await world.application().test(.router) { client in
                for (name, page) in Pages.all {
                    let answer = try await client.open(Pages.path(page))
                    let elements = ParsedPage(answer.text).elements
                    let names = elements.map { $0.split(separator: " ").first ?? "" }
                    #expect(names.count { $0 == "h1" } == 1 && names.count { $0 == "main" } == 1, "\(name)")
                    #expect(names.count { $0 == "table" } == names.count { $0 == "caption" }, "\(name)")
                    #expect(elements.allSatisfy { $0.hasPrefix("th ") ? $0.contains("scope") : $0 != "th" }, "\(name)")
                    #expect(!elements.contains { $0.contains("style") || $0.contains(" on") }, "\(name)")
                    #expect(!elements.contains { $0.hasPrefix("wrong end") || $0 == "unfinished" }, "\(name)")
                    #expect(answer.bytes.count < 60_000, "\(name): \(answer.bytes.count)")
                }
            }
        }
    }

    @Test func `show every instant with its machine's spelling beside it`() async throws {
        try await withConsole { world in
            try await world.application().test(.router) { client in
                for (name, page) in Pages.all {
                    let parsed = ParsedPage(try await client.open(Pages.path(page)).text)
                    let instants = parsed.values.filter { $0.element == "time" && $0.name == "datetime" }.map(\.value)
                    #expect(instants.allSatisfy { Timestamp(rfc3339: $0) != nil }, "\(name)")
                    let shown = parsed.texts.filter { $0.path.last == "time" }.map(\.content)
                    #expect(shown.count == instants.count && shown.allSatisfy { $0.hasSuffix(" UTC") }, "\(name)")
                }
            }
        }
    }

    @Test func `say the same data as JSON`() async throws {
        try await withConsole { world in
            try await world.application().test(.router) { client in
                for (name, page) in Pages.all {
                    let html = ParsedPage(try await client.open(Pages.path(page)).text)
                    let answer = try await client.json(Pages.path(page))
                    #expect(answer.headers[.contentType] == "application/json" && answer.status == .ok, "\(name)")
                    var strings: Set<String> = []
                    Self.collect(try JSONDocument(answer.bytes).root, into: &strings)
                    let shown = html.texts.filter { $0.path.contains("main") && $0.path.last == "bdi" && !$0.path.contains("h1") }
                    // Sentences of an explanation are data of their own.
                    for text in shown where !text.path.contains("ol") {
                        #expect(strings.contains(text.content), "\(name): \(text.content) is not in the JSON")
                    }
                }
            }
        }
    }

    private static func collect(_ value: JSONValue, into strings: inout Set<String>) {
        if let text = value.string { strings.insert(text) }
        if let number = value.int64 { strings.insert("\(number)") }
        if let array = value.array { for element in array { collect(element, into: &strings) } }
        if let object = value.object { for member in object { collect(member.value, into: &strings) } }
    }

    /// What still reads as English was said past the words.
    @Test func `say nothing past the words`() async throws {
        for isEmpty in [false, true] {
            try await withConsole(isEmpty: isEmpty) { world in
                try await world.application(isSimulated: true).test(.router) { client in
                    let known = Pages.all.filter { !isEmpty || !$0.name.hasPrefix("subscription") }
                    let paths =
                        known.map { Pages.path($0.page) }
                        + [Pages.path(.operations), "/apps/app/Sandbox", "/rules", "/rules/OWN-4", "/rules/NO-1", "/nowhere"]
                    for path in paths {
                        let page = ParsedPage(try await client.open(path, .pseudo).text)
                        for text in page.texts where !text.path.contains(where: Self.isData) && !Self.isIsolated(text.content) {
                            #expect(!Self.readsAsEnglish(text.content), "\(path): \(text.content)")
                        }
                        for value in page.values where ["aria-label", "title"].contains(value.name) {
                            #expect(!Self.readsAsEnglish(value.value), "\(path): \(value.value)")
                        }
                    }
                }
            }
        }
    }

    private static func isData(_ element: String) -> Bool {
        element == "bdi" || element == "code" || element.hasSuffix("lang=en") || element.hasSuffix("lang=zh-Hans")
    }

    /// Data alone in a drawing, which has no `<bdi>`.
    private static func isIsolated(_ text: String) -> Bool { text.hasPrefix("\u{2068}") && text.hasSuffix("\u{2069}") }

    private static func readsAsEnglish(_ text: String) -> Bool { text.contains(#/[a-z]{2}/#) }
}
