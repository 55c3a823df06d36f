import Ledger
import Primitives
import Testing

@testable import Console

@Suite struct `The writer of HTML` {
    private func data(_ text: String) -> String {
        var html = HTML()
        html.data(text)
        return html.text
    }

    /// The five characters of WHATWG HTML, section 13.3, and those that no text of a document may hold (13.1.4).
    @Test(arguments: [
        ("a<b>c", "a&lt;b&gt;c"), ("Q&A", "Q&amp;A"), ("\"x\" 'y'", "&quot;x&quot; &#39;y&#39;"), ("a\u{0}b", "a\u{FFFD}b"),
        ("a\u{1B}[31mb\u{7F}", "a\u{FFFD}[31mb\u{FFFD}"), ("a\u{85}b\u{9B}", "a\u{FFFD}b\u{FFFD}"), ("¢é\u{A0}", "¢é\u{A0}"),
        ("👩‍🚀", "👩‍🚀"), ("a\nb\tc", "a\nb\tc"), ("", ""),
    ])
    func `data is escaped and isolated`(text: String, written: String) { #expect(data(text) == "<bdi>\(written)</bdi>") }

    @Test func `a value of an attribute cannot leave its quotation marks`() {
        var html = HTML()
        html.void(.input, .data(.value, "\" onfocus=\"x\u{0}"), .flag(.required), .flag(.checked, false))
        #expect(html.text == "<input value=\"&quot; onfocus=&quot;x\u{FFFD}\" required>")
    }

    @Test func `lengths of drawings are tenths`() {
        var html = HTML()
        html.element(.rect, .tenths("x", 125), .tenths("y", -10), .tenths("width", 0)) { _ in }
        #expect(html.text == "<rect x=\"12.5\" y=\"-1\" width=\"0\"></rect>\n")
    }

    @Test func `every element that is opened is closed in its place`() {
        var html = HTML()
        html.element(.div) { $0.element(.p, .class("x")) { $0.data("text") } }
        #expect(html.text == "<div><p class=\"x\"><bdi>text</bdi></p>\n</div>\n")
        #expect(ParsedPage(html.text).elements == ["div", "p class", "bdi"])
    }

    @Test func `only a path below a known prefix is the console's`() throws {
        #expect(ConsoleSite(basePath: "/console/")?.basePath == "/console" && ConsoleSite(basePath: "/") == .atRoot)
        for wrong in ["console", "/a b", "/a//b", "/\"", "/a/..", "javascript:x", "//host"] {
            #expect(ConsoleSite(basePath: wrong) == nil, "\(wrong)")
        }
        let site = try #require(ConsoleSite(basePath: "/console"))
        #expect(site.path(of: "/console") == "/" && site.path(of: "/console/rules") == "/rules")
        #expect(site.path(of: "/consoles/rules") == nil && site.path(of: "/") == nil)
        #expect(site.address(ofDoor: ["login", "a/b"]).text == "/console/login/a%2Fb")
    }
}

@Suite struct `Addresses of pages` {
    static let hostile = "a/../b?c=d&e%20\"<ü€👩‍🚀"

    @Test func `what an address is made of is what it is read as`() throws {
        let at = Timestamp(millisecondsSince1970: 1_780_272_000_000)
        let pages: [ConsoleRoute.Page] =
            Pages.all.map(\.page) + [
                .inspect, .operations, .records(OriginalTransactionID(Self.hostile), .audit, before: 7),
                .customer(CustomerID(Self.hostile), .init(at: at, kind: "period", before: at)),
                .subscription(OriginalTransactionID(Self.hostile), at: at), .fact(OriginalTransactionID(Self.hostile), 7),
                .search(Self.hostile), .inbox(after: Self.hostile),
            ]
        let place = ConsolePlace(AppID("my app"), .sandbox)
        let routes: [ConsoleRoute] =
            [.home, .rules, .rule("OWN-4"), .asset(.css), .asset(.js), .asset(.svg)] + pages.map { .page(place, $0) }
        for route in routes {
            let parts = route.path.split(separator: "?", maxSplits: 1)
            #expect(ConsoleRoute(path: parts[0], query: parts.count > 1 ? parts[1] : "") == route, "\(route.path)")
        }
    }

    @Test(arguments: [
        "", "x", "/apps", "/apps/app", "/apps/app/production", "/apps/app/Production/customers", "/apps/app/Production/x",
        "/apps/app/Production/customers/a/b", "/apps/app/Production/subscriptions/1/facts/0", "/assets/console.css", "/rules/A/B",
        "/apps/app/Production/customers/%ZZ", "/apps/app/Production/subscriptions/1/facts/x",
    ])
    func `other addresses mean nothing`(path: String) { #expect(ConsoleRoute(path: path[...], query: "") == nil) }

    @Test func `an instant is read with and without seconds, and anything else is no page`() {
        func at(_ text: String) -> ConsoleRoute? {
            ConsoleRoute(path: "/apps/a/Production/subscriptions/1", query: "at=\(text)")
        }
        let instant = Timestamp(rfc3339: "2026-11-22T07:03:00Z")
        let page = ConsoleRoute.page(
            ConsolePlace(AppID("a"), .production), .subscription(OriginalTransactionID("1"), at: instant))
        for text in ["2026-11-22T07:03:00Z", "2026-11-22T07:03", "2026-11-22T07%3A03%3A00", "2026-11-22T08:03:00%2B01:00"] {
            #expect(at(text) == page, "\(text)")
        }
        #expect(at("yesterday") == nil && at("2026-13-01T00:00:00Z") == nil)
    }
}
