import Backend
import Foundation
import HTTPTypes
import HummingbirdTesting
import Ledger
import Logging
import Primitives
import Server
import StrictJSON
import Testing

@testable import Console

@Suite struct `What protects the console` {
    // MARK: Who may see what

    @Test(arguments: OperatorRole.allCases)
    func `a page is shown to the roles that may see it, and only they are led there`(role: OperatorRole) async throws {
        try await withConsole { world in
            try await world.application().test(.router) { client in
                let pages = Pages.all.map(\.page) + [.operations, .fact(OriginalTransactionID("1001"), 1)]
                let start = ParsedPage(try await client.open("/rules", as: role).text)
                let links = start.values.filter { $0.name == "href" }.map(\.value)
                for page in pages {
                    let path = Pages.path(page)
                    let answer = try await client.open(path, as: role)
                    #expect(answer.status == (role.may(page.act) ? .ok : .forbidden), "\(role) \(path)")
                    let twin = try await client.json(path, as: role)
                    #expect(twin.status == answer.status, "\(role) \(path)")
                    if !role.may(page.act) { #expect(!links.contains(path), "\(role) is led to \(path)") }
                }
                for page in [
                    ConsoleRoute.Page.overview, .search(nil), .inbox(after: nil), .policy, .catalogue, .operations, .jobs,
                ] {
                    #expect(links.contains(Pages.path(page)) == role.may(page.act), "\(role) \(Pages.path(page))")
                }
            }
        }
    }

    /// Which role sees what, written down a second time: a change of `OperatorRole` is seen here.
    @Test func `who may see customers, settings, operations`() {
        func roles(_ page: ConsoleRoute.Page) -> Set<OperatorRole> { Set(OperatorRole.allCases.filter { $0.may(page.act) }) }
        #expect(roles(.customer(CustomerID("a"), .init())) == [.support, .operator, .admin])
        #expect(roles(.inspect) == [.support, .operator, .admin])
        #expect(roles(.operations) == [.operator, .admin])
        #expect(roles(.policy) == Set(OperatorRole.allCases))
    }

    @Test func `whoever is not admitted gets what the door says, and nothing is read for them`() async throws {
        try await withConsole { world in
            try await world.application().test(.router) { client in
                let answer = try await client.open(Pages.path(.customer(ConsoleWorld.alice, .init())), as: nil)
                #expect(answer.status == .seeOther && answer.headers[.location] == "/login" && answer.bytes.isEmpty)
                #expect(world.door.notes.isEmpty)
            }
        }
    }

    @Test func `an app without a role is not there`() async throws {
        try await withConsole { world in
            try await world.application().test(.router) { client in
                let answer = try await client.open("/apps/app/Production", headers: ["Test-App": "none"])
                #expect(answer.status == .notFound)
                #expect(try await client.open("/", headers: ["Test-App": "none"]).status == .forbidden)
            }
        }
    }

    @Test func `what is opened is said to the door before it is read, and a refusal is not`() async throws {
        try await withConsole { world in
            try await world.application().test(.router) { client in
                _ = try await client.open(Pages.path(.search("alice")), as: .support)
                _ = try await client.open(Pages.path(.customer(ConsoleWorld.bob, .init())), as: .support)
                _ = try await client.open(Pages.path(.customer(ConsoleWorld.bob, .init())), as: .viewer)
                #expect(
                    world.door.notes == [
                        .page(ConsoleWorld.place, .search("alice")),
                        .page(ConsoleWorld.place, .customer(ConsoleWorld.bob, .init())),
                    ])
            }
        }
    }

    // MARK: Headers

    @Test func `every answer has the headers that protect it`() async throws {
        try await withConsole { world in
            try await world.application().test(.router) { client in
                let asset = ConsoleRoute.asset(.js).path
                let paths = ["/", "/rules", "/nowhere", "/apps/app/Production", "/apps/app/Production/customers/a", asset]
                for path in paths {
                    for role in [OperatorRole.admin, .viewer, nil] {
                        let headers = try await client.open(path, as: role).headers
                        func value(_ name: String) -> String { HTTPField.Name(name).flatMap { headers[$0] } ?? "" }
                        let policy = value("Content-Security-Policy")
                        #expect(policy.contains("default-src 'none'") && policy.contains("require-trusted-types-for 'script'"))
                        #expect(policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"))
                        #expect(value("Cross-Origin-Opener-Policy") == "same-origin")
                        #expect(value("Cross-Origin-Resource-Policy") == "same-origin")
                        #expect(value("X-Content-Type-Options") == "nosniff" && value("Referrer-Policy") == "same-origin")
                        #expect(value("Permissions-Policy").contains("camera=()"))
                        #expect(value("Cache-Control") == (path == asset ? "public, max-age=31536000, immutable" : "no-store"))
                    }
                }
            }
        }
    }

    @Test func `only what exists is answered, by its own method`() async throws {
        try await withConsole { world in
            try await world.application().test(.router) { client in
                func status(_ path: String, _ method: HTTPRequest.Method = .get) async throws -> HTTPResponse.Status {
                    try await client.open(path, method: method).status
                }
                #expect(try await status("/nowhere") == .notFound)
                #expect(try await status("/rules/NO-1") == .notFound)
                let other = try await client.open("/apps/other/Production")
                #expect(other.status == .notFound && !other.text.contains("/apps/other"))
                #expect(try await status("/apps/app/Xcode") == .notFound)
                #expect(try await status("/apps/app/Production/subscriptions/404") == .notFound)
                #expect(try await status("/apps/app/Production/subscriptions/1001/facts/99") == .notFound)
                #expect(try await status("/apps/app/Production/customers/\(String(repeating: "a", count: 201))") == .notFound)
                for number in [Int.min, -1, 0, 1, Int.max] {
                    #expect(try await status("/apps/app/Production/subscriptions/1001/facts?before=\(number)") == .ok)
                }
                #expect(try await status("/rules", .post) == .methodNotAllowed)
                #expect(try await status("/rules", .delete) == .methodNotAllowed)
                #expect(try await status("/apps/app/Production/search/inspect") == .methodNotAllowed)
                let head = try await client.open("/rules", method: .head)
                #expect(head.status == .ok && head.bytes.isEmpty)
                let trouble = try await client.json("/nowhere")
                #expect(try JSONDocument(trouble.bytes).root.object?["trouble"]?.string == "noSuchPage")
            }
        }
    }

    @Test func `under a prefix every address is below it`() async throws {
        try await withConsole { world in
            let site = try #require(ConsoleSite(basePath: "/ops/console"))
            try await world.application(site).test(.router) { client in
                #expect(try await client.open("/rules").status == .notFound)
                let home = try await client.open("/ops/console")
                #expect(home.status == .seeOther && home.headers[.location] == "/ops/console/apps/app/Production")
                for (name, page) in Pages.all {
                    let parsed = ParsedPage(try await client.open("/ops/console" + Pages.path(page)).text)
                    let addresses = parsed.values.filter { ["href", "src", "action"].contains($0.name) }.map(\.value)
                    #expect(addresses.count > 10, "\(name)")
                    #expect(addresses.allSatisfy { $0.hasPrefix("/ops/console/") || $0 == "#content" }, "\(name)")
                }
                let script = try await client.open("/ops/console" + ConsoleRoute.asset(.css).path)
                #expect(script.status == .ok && script.headers[.contentType] == "text/css; charset=utf-8")
            }
        }
    }

    @Test func `the frame says in words and by an attribute that it is a sandbox, and that the clock is simulated`() async throws
    {
        try await withConsole { world in
            try await world.application(isSimulated: true).test(.router) { client in
                let sandbox = try await client.open("/apps/app/Sandbox").text
                #expect(sandbox.contains("data-environment=\"sandbox\"") && sandbox.contains("Nobody paid anything"))
                #expect(sandbox.contains("simulated clock"))
                let production = try await client.open("/apps/app/Production").text
                #expect(production.contains("data-environment=\"production\"") && !production.contains("Nobody paid anything"))
            }
        }
    }

    /// As a server of ours listens: with every limit of connections, and deadlines for the slowest machine.
    @Test func `it is served by a listener with limits, over a socket`() async throws {
        try await withConsole { world in
            var configuration = ServerConfiguration()
            configuration.port = 0
            (configuration.headerTimeoutSeconds, configuration.answerTimeoutSeconds) = (600, 600)
            let application = buildApplication(
                serving: ConsoleResponder(world.dependencies), configuration: configuration,
                logger: Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() }, onServerRunning: { _ in })
            try await application.test(.live) { client in
                let answer = try await client.open(Pages.path(.customer(ConsoleWorld.alice, .init())), as: .support)
                #expect(answer.status == .ok && answer.text.contains("<h1>"))
            }
        }
    }

    @Test func `a report of a browser is counted and answered, without a login, and nothing longer than 8 KB is read`()
        async throws
    {
        try await withConsole(isEmpty: true) { world in
            try await world.application(ConsoleSite(basePath: "/ops") ?? .atRoot).test(.router) { client in
                let page = try await client.open("/ops" + Pages.path(.overview))
                let policy = HTTPField.Name("Content-Security-Policy").flatMap { page.headers[$0] }
                #expect(policy?.hasSuffix("; report-uri /ops/csp-report") == true)
                func report(_ body: String) async throws -> HTTPResponse.Status {
                    try await client.open("/ops/csp-report", as: nil, method: .post, body: Array(body.utf8)).status
                }
                #expect(try await report(#"{"csp-report":{"blocked-uri":"https://evil.example/x?y"}}"#) == .noContent)
                #expect(try await report("no JSON") == .noContent)
                #expect(try await report(String(repeating: "a", count: 8 * 1024 + 1)) == .badRequest)
                #expect(try await client.open("/ops/csp-report", as: nil).status == .methodNotAllowed)
            }
        }
    }

    /// Source: RFC 9112, section 3.2.
    @Test func `a request that names two hosts is refused`() async throws {
        try await withConsole(isEmpty: true) { world in
            try await world.application().test(.router) { client in
                let page = Pages.path(.overview)
                let (two, one) = (try await client.open(page, headers: ["Host": "other.example"]), try await client.open(page))
                #expect(two.status == .badRequest && one.status == .ok)
            }
        }
    }

    @Test(arguments: [
        "/apps/app/Production/subscriptions/%00", "/apps/app/Production/subscriptions/1%00/facts",
        "/apps/app/Production/customers/a%00",
        "/apps/app/Production/inbox?after=%00", "/apps/app/Production/search?q=a%00b", "/operators/audit?actor=%00", "/rules/%00",
    ])
    func `an address that spells NUL is no page, whatever the database makes of it`(address: String) {
        let parts = address.split(separator: "?", maxSplits: 1)
        #expect(ConsoleRoute(path: parts[0], query: parts.count > 1 ? parts[1] : "") == nil)
    }

    // MARK: What was pasted

    @Test func `what was pasted is checked, up to a limit, and never from another site`() async throws {
        try await withConsole { world in
            let jws = try world.apple.sign(Purchase())
            let key = SubscriptionKey(
                app: ConsoleWorld.app, environment: .production, originalTransactionId: OriginalTransactionID("1001"))
            let before = try await world.backend.facts(of: key).facts.count
            try await world.application().test(.router) { client in
                let path = Pages.path(.inspect)
                let form = ["Content-Type": "application/x-www-form-urlencoded"]
                func paste(_ text: String, _ more: [String: String] = [:]) async throws -> Answer {
                    try await client.open(
                        path, as: .support, method: .post, headers: form.merging(more) { $1 },
                        body: Array("text=\(PercentEncoding.encode(text))".utf8))
                }
                let shown = try await paste("  \"\(jws)\"  ")
                #expect(shown.status == .ok && shown.text.contains("The signature is valid"))
                #expect(shown.text.contains("/apps/app/Production/subscriptions/1001"))
                let forged = try await paste(String(jws.dropLast(8)) + "AAAAAAAA")
                #expect(forged.text.contains("This proves nothing") && forged.text.contains("signatureInvalid"))
                let rubbish = try await paste("\"><svg onload=alert(1)>")
                #expect(rubbish.text.contains("nothing that Apple signs") && !rubbish.text.contains("<svg onload"))
                let notification = Notification("00000000-0000-4000-8000-000000000009", about: Purchase())
                let body = String(decoding: try world.apple.body(notification), as: UTF8.self)
                #expect(try await paste(body).text.contains("data.signedTransactionInfo"))
                #expect(try await paste(jws, ["Sec-Fetch-Site": "cross-site"]).status == .forbidden)
                #expect(try await paste(jws, ["Sec-Fetch-Site": "same-origin"]).status == .ok)
                let long = String(repeating: "a", count: ConsoleResponder.longestPaste)
                #expect(try await paste(long).status == .contentTooLarge)
                let wrong = try await client.open(path, method: .post, headers: form, body: Array("text=%ZZ".utf8))
                #expect(wrong.status == .badRequest)
            }
            // Nothing of it is kept.
            let facts = try await world.backend.facts(of: key).facts.count
            #expect(facts == before)
        }
    }

    @Test func `a fact is verified again where it is shown`() async throws {
        try await withConsole { world in
            try await world.application().test(.router) { client in
                let page = try await client.open(Pages.path(.fact(OriginalTransactionID("1001"), 1)))
                #expect(page.status == .ok && page.text.contains("The signature is valid"))
                let json = try await client.json(Pages.path(.fact(OriginalTransactionID("1001"), 1)))
                let object = try #require(try JSONDocument(json.bytes).root.object)
                #expect(object["result"]?.object?["verified"]?.string == "true")
            }
        }
    }
}

/// Text that would be markup, a script, a change of direction or an end, in everything that others wrote.
@Suite struct `Hostile data` {
    static let corpus = [
        "\"><svg onload=alert(1)>", "</bdi></td><script src=//x></script>", "' onmouseover='x", "<!--", "]]>", "&lt;b&gt;",
        "\u{202E}txt.exe\u{2069}\u{200F}", "a\u{0}b\u{1B}[2J", "👩‍🚀𝕏𐍈", String(repeating: "<b>", count: 3400),
        "javascript:alert(1)",
        "{{7*7}}${x}", "\r\n\r\nHTTP/1.1 200 OK",
    ]

    @Test(arguments: corpus) func `is no element, in whatever field it stands`(text: String) async throws {
        try await withConsole { world in
            let desk = ConsoleDesk(world.dependencies, for: ConsoleVisitor(name: "mia", roles: .everywhere(.admin)))
            for (name, page) in Pages.all + [("operations", .operations)] {
                let sheet = try await desk.model(of: page, in: ConsoleWorld.place)
                let frame = Frame(
                    site: .atRoot, visitor: ConsoleVisitor(name: text, roles: .everywhere(.admin)), speech: Speech(.english),
                    route: .page(ConsoleWorld.place, page),
                    standing: .init(
                        now: world.clock.now(), isSimulated: false, version: text,
                        apps: [.init(id: ConsoleWorld.app, environments: [.production, .sandbox])]))
                let harmless = ParsedPage(Shell.document(sheet.replacingData(with: "x"), frame).text)
                let hostile = ParsedPage(Shell.document(sheet.replacingData(with: text), frame).text)
                #expect(harmless.elements == hostile.elements, "\(name)")
                #expect(
                    hostile.values.filter { $0.name == "href" }.allSatisfy { $0.value.hasPrefix("/") || $0.value.hasPrefix("#") })
                var json = JSONWriter()
                sheet.replacingData(with: text).write(to: &json)
                let limits = JSONLimits(maximumBytes: 64 << 20, maximumDepth: 64, maximumElements: 1_000_000)
                #expect(throws: Never.self) { try JSONDocument(json.bytes, limits: limits) }
            }
        }
    }

    /// The whole way: what a device uploads and Apple signed, through the store, to the page.
    @Test(arguments: ["\"><svg onload=alert(1)>", "</script><script>alert(1)</script>", "\u{202E}\u{2066}x", "👩‍🚀&amp;"])
    func `is no element on its whole way`(text: String) async throws {
        try await withConsole(product: text, isEmpty: true) { world in
            let customer = CustomerID("<b>mallory")
            world.clock.set(PretendAppStore.june.adding(.minutes(2)))
            _ = try await world.claim(customer, .purchase, Purchase().with { $0.productId = text })
            _ = try await world.claim(ConsoleWorld.bob, .restore, Purchase().with { $0.productId = text })
            try await world.application().test(.router) { client in
                for page in [
                    ConsoleRoute.Page.customer(customer, .init()), .subscription(OriginalTransactionID("1001"), at: nil),
                    .catalogue, .search("<b>mallory"), .fact(OriginalTransactionID("1001"), 1),
                    .customer(CustomerID(text), .init()),
                ] {
                    let answer = try await client.open(Pages.path(page))
                    let elements = ParsedPage(answer.text).elements
                    #expect(!elements.contains { $0.contains("onload") || $0 == "script" || $0.hasPrefix("b ") || $0 == "b" })
                    #expect(elements.count { $0 == "script src defer" } == 1 && !answer.text.contains("<svg onload"))
                    #expect(!elements.contains { $0.hasPrefix("wrong end") || $0 == "unfinished" })
                }
            }
        }
    }
}

extension Sheet {
    /// The same sheet with every value that others wrote replaced.
    func replacingData(with text: String) -> Sheet { Sheet(heading, blocks.map { $0.replacingData(with: text) }) }
}

extension Block {
    fileprivate func replacingData(with text: String) -> Block {
        switch self {
        case .facts(let key, let fields):
            .facts(key, fields.map { Field($0.key, $0.name, $0.value.replacingData(with: text)) })
        case .table(var table):
            {
                table.rows = table.rows.map { row in row.map { $0.replacingData(with: text) } }
                return .table(table)
            }()
        case .part(let id, let words, let blocks): .part(id, words, blocks.map { $0.replacingData(with: text) })
        case .folded(let words, let blocks): .folded(words, blocks.map { $0.replacingData(with: text) })
        case .text(let key, let words, _): .text(key, words, text)
        case .list(let key, let cells): .list(key, cells.map { $0.replacingData(with: text) })
        case .drawing(let drawing):
            .drawing(
                SubscriptionDrawing(
                    bars: drawing.bars,
                    owners: drawing.owners.map {
                        .init(from: $0.from, until: $0.until, customer: $0.customer.map { _ in CustomerID(text) })
                    }, marks: drawing.marks, now: drawing.now))
        case .more(let words, _, let after): .more(words, .inbox(after: text), after: after)
        case .paragraph, .notice, .explanation, .form, .inEveryLanguage, .link: self
        }
    }
}

extension Cell {
    fileprivate func replacingData(with text: String) -> Cell {
        switch self {
        case .data: .data(text)
        case .said(_, let words): .said(text, words)
        case .badge(let tone, _, let words): .badge(tone, text, words)
        case .customer: .customer(CustomerID(text))
        case .subscription: .subscription(OriginalTransactionID(text))
        case .rule: .rule(text)
        case .money(let amount, _): .money(amount, text)
        case .list(let cells): .list(cells.map { $0.replacingData(with: text) })
        case .phrase(let cells): .phrase(cells.map { $0.replacingData(with: text) })
        case .link(_, let cell): .link(.subscription(OriginalTransactionID(text), at: nil), cell.replacingData(with: text))
        case .none, .number, .instant, .end, .until, .length: self
        }
    }
}

/// A subscription of 150 periods: what is long is shown in parts, and no page grows with it.
@Suite struct `A long history` {
    private static let id = OriginalTransactionID("1001")

    private func play(_ world: ConsoleWorld) async throws {
        for number in 0..<150 {
            // Of two days each: the certificates of the tests last for a year.
            let begin = PretendAppStore.june.adding(.days(2 * Int64(number)))
            let purchase = Purchase().renewed(Int64(number)).with {
                ($0.purchaseDate, $0.signedDate, $0.expiresDate) = (begin, begin, begin.adding(.days(2)))
            }
            world.clock.set(purchase.purchaseDate.adding(.minutes(1)))
            if number == 0 {
                _ = try await world.claim(
                    ConsoleWorld.alice, .purchase, purchase.with { $0.transactionReason = "PURCHASE" })
            } else {
                let uuid = "00000000-0000-4000-8000-\(String(format: "%012d", number))"
                try await world.hear(Notification(uuid, "DID_RENEW", about: purchase))
            }
        }
    }

    @Test func `fits into 60 KB a page, and every row is on one of the pages, once`() async throws {
        try await withConsole(isEmpty: true) { world in
            try await play(world)
            try await world.application().test(.router) { client in
                for page in [ConsoleRoute.Page.subscription(Self.id, at: nil), .customer(ConsoleWorld.alice, .init())] {
                    let answer = try await client.open(Pages.path(page), .simplifiedChinese)
                    #expect(answer.status == .ok && answer.bytes.count < 60_000, "\(answer.bytes.count)")
                }
                for (records, column, count) in [
                    (ConsoleRoute.SubscriptionRecords.periods, "transactionId", 150), (.facts, "number", 299),
                ] {
                    var seen: [String] = []
                    var before: Int?
                    repeat {
                        let answer = try await client.json(Pages.path(.records(Self.id, records, before: before)))
                        let object = try #require(try JSONDocument(answer.bytes).root.object)
                        let rows = try #require(object[records.rawValue]?.array)
                        seen += rows.compactMap { row in
                            row.object?[column].map { $0.string ?? String(decoding: $0.rawBytes, as: UTF8.self) }
                        }
                        before = object["after"]?.string.flatMap { Int($0) }
                    } while before != nil
                    #expect(seen.count == count && Set(seen).count == count, "\(records)")
                }
                var entries: [String] = []
                var view = ConsoleRoute.CustomerView(kind: "period")
                repeat {
                    let answer = try await client.json(Pages.path(.customer(ConsoleWorld.alice, view)))
                    let object = try #require(try JSONDocument(answer.bytes).root.object)
                    entries += try #require(object["timeline"]?.array).compactMap { $0.object?["at"]?.string }
                    view.before = object["after"]?.string.flatMap { Int64($0) }.flatMap { Timestamp(validating: $0) }
                } while view.before != nil
                #expect(entries.count == 150 && Set(entries).count == 150 && entries == entries.sorted(by: >))
            }
        }
    }
}
