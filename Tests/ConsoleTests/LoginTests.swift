import Backend
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Ledger
import Logging
import NIOCore
import OperatorFactors
import Primitives
import Testing

@testable import Console

/// Keeps secrets for tests: whose a secret is, and nothing of how it is encrypted.
private struct PretendKeeper: SecretKeeper {
    func keep(_ secret: [UInt8], of owner: String) throws(SecretRefusal) -> String {
        "\(owner)|\(Hexadecimal.encode(secret))"
    }

    func reveal(_ kept: String, of owner: String) -> [UInt8]? {
        let parts = kept.split(separator: "|")
        return parts.count == 2 && parts[0] == owner ? Hexadecimal.decode(String(parts[1])) : nil
    }
}

/// The console with its real door: what a browser sends is all that it knows.
private struct DoorWorld: Sendable {
    static let password = "garment-plinth-owlet-96"

    let world: ConsoleWorld
    let clock = StandingClock(Timestamp(millisecondsSince1970: 1_800_000_000_000))
    let desk: OperatorDesk
    let url: ConsoleURL
    var ways = OperatorDoor.Ways()

    init(_ world: ConsoleWorld, at address: String = "https://console.example.com") throws {
        self.world = world
        url = try ConsoleURL(address)
        desk = OperatorDesk(world.backend, secrets: PretendKeeper(), clock: clock, cost: .init(logN: 2))
    }

    var application: some ApplicationProtocol {
        let door = OperatorDoor(desk, world.backend, at: url, ways)
        let dependencies = ConsoleDependencies(backend: world.backend, door: door, site: url.site, version: "1.2.3")
        return Application(
            responder: ConsoleResponder(dependencies), logger: Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() })
    }

    /// The code that the operator's telephone shows in the next half minute.
    func code(_ secret: String) throws -> String {
        clock.set(clock.now().adding(.seconds(TimeBasedCodes.stepSeconds)))
        let bytes = try #require(Base32.decode(secret))
        return TimeBasedCodes(secret: bytes).code(ofStep: TimeBasedCodes.step(at: clock.now()))
    }

    /// An operator who is set up, without a browser; the secret of their telephone.
    func enrol(_ name: String = "mia", _ grants: [OperatorGrant]) async throws -> String {
        let link = try await desk.make(name, grants: grants, by: .commandLine)
        let client = OperatorClient(address: "", userAgent: "")
        let enrolment = try await desk.redeem(link, password: Self.password, from: client)
        _ = try await desk.confirm(enrolment.token, code: try code(enrolment.secretText), from: client)
        return enrolment.secretText
    }

    func enrol(_ role: OperatorRole = .admin) async throws -> String { try await enrol("mia", [.init(app: nil, role: role)]) }
}

/// A browser: it keeps the cookie, and says from which page a form comes.
private final class Browser {
    private let client: any TestClientProtocol
    private let origin: String
    private(set) var cookie: String?

    init(_ client: any TestClientProtocol, at url: ConsoleURL) { (self.client, origin) = (client, url.origin) }

    func get(_ path: String, _ headers: [String: String] = [:]) async throws -> Answer {
        try await send(path, .get, headers, nil)
    }

    func post(
        _ path: String, _ fields: [String: String], _ headers: [String: String] = [:], from origin: String? = nil
    ) async throws -> Answer {
        let body = fields.map { "\($0.key)=\(PercentEncoding.encode($0.value))" }.joined(separator: "&")
        let own = ["Content-Type": "application/x-www-form-urlencoded", "Origin": origin ?? self.origin]
        return try await send(path, .post, own.merging(headers) { $1 }, body)
    }

    private func send(_ path: String, _ method: HTTPRequest.Method, _ headers: [String: String], _ body: String?) async throws
        -> Answer
    {
        var given = headers
        if let cookie, given["Cookie"] == nil { given["Cookie"] = cookie }
        let answer = try await client.open(
            path, as: nil, method: method, headers: given, body: body.map { Array($0.utf8) })
        if let set = answer.headers[.setCookie] { cookie = set.split(separator: ";").first.map(String.init) }
        return answer
    }

    func logIn(_ code: String, name: String = "mia", password: String = DoorWorld.password) async throws -> Answer {
        try await post("/login", ["name": name, "password": password, "code": code])
    }

    /// The value of a hidden field.
    func hidden(_ name: String, in answer: Answer) throws -> String {
        let begin = try #require(answer.text.firstRange(of: "name=\"\(name)\" value=\""), "no \(name) in \(answer.text)")
        return String(answer.text[begin.upperBound...].prefix { $0 != "\"" })
    }
}

@Suite struct `The door of the console` {
    private func withDoor(
        at address: String = "https://console.example.com", _ ways: OperatorDoor.Ways = .init(),
        _ body: @escaping @Sendable (DoorWorld, any TestClientProtocol) async throws -> Void
    ) async throws {
        try await withConsole { world in
            var made = try DoorWorld(world, at: address)
            made.ways = ways
            let door = made
            try await door.application.test(.router) { client in try await body(door, client) }
        }
    }

    @Test func `A stranger is led to the login and back, and a program is told`() async throws {
        try await withDoor { door, client in
            let browser = Browser(client, at: door.url)
            let page = Pages.path(.customer(ConsoleWorld.alice, .init()))
            let led = try await browser.get(page)
            #expect((led.status, led.headers[.location]) == (.seeOther, "/login?next=\(PercentEncoding.encode(page))"))
            let told = try await client.open(page, as: nil, accepting: "application/json")
            #expect(told.status == .unauthorized && told.text.contains(#""trouble":"notLoggedIn""#))
            #expect(!told.text.contains("alice"))
            let secret = try await door.enrol()
            let login = try await browser.get(led.headers[.location] ?? "")
            #expect(login.status == .ok && login.text.contains(#"autocomplete="one-time-code""#))
            let next = try browser.hidden("next", in: login)
            let back = try await browser.post(
                "/login", ["name": "mia", "password": DoorWorld.password, "code": try door.code(secret), "next": next])
            #expect((back.status, back.headers[.location]) == (.seeOther, page))
            #expect(try await browser.get(page).status == .ok)
            let away = try await browser.post(
                "/login",
                ["name": "mia", "password": DoorWorld.password, "code": try door.code(secret), "next": "//evil.example"])
            #expect(away.headers[.location] == "/", "and nowhere else")
        }
    }

    @Test func `ASVS 2.1.1 2.3.1 A link leads to password, second factor and recovery codes, once`() async throws {
        try await withDoor { door, client in
            let browser = Browser(client, at: door.url)
            let link = try await door.desk.make("mia", grants: [.init(app: nil, role: .support)], by: .commandLine)
            let path = "/login/link/\(link.text)"
            for _ in 0..<3 { #expect(try await browser.get(path).status == .ok, "a program that reads mail uses nothing up") }
            let short = try await browser.post(path, ["password": "short", "repeated": "short"])
            #expect(short.status == .badRequest && short.text.contains("at least 12 characters"))
            let differs = try await browser.post(path, ["password": DoorWorld.password, "repeated": "another one, longer"])
            #expect(differs.status == .badRequest && differs.text.contains("differ"))
            let enrolment = try await browser.post(path, ["password": DoorWorld.password, "repeated": DoorWorld.password])
            #expect(enrolment.status == .ok && enrolment.text.contains("<svg class=\"qr\""))
            #expect(browser.cookie == nil, "nothing holds yet")
            let begin = try #require(enrolment.text.firstRange(of: #"<code class="secret"><bdi>"#))
            let secret = String(enrolment.text[begin.upperBound...].prefix { $0 != "<" })
            let token = try browser.hidden("enrolment", in: enrolment)
            let wrong = try await browser.post("/login/confirm", ["enrolment": token, "code": "000000"])
            #expect(wrong.status == .unauthorized && browser.cookie == nil)
            let codes = try await browser.post("/login/confirm", ["enrolment": token, "code": try door.code(secret)])
            #expect(codes.status == .ok && codes.text.split(separator: "<li><code>").count - 1 == 10)
            #expect(try await browser.get("/account").status == .ok)
            let again = try await browser.get(path)
            #expect(again.status == .notFound && again.text.contains("not good"))
        }
    }

    @Test func `ASVS 3.4.1 3.4.2 3.4.3 3.4.4 The cookie is for this host and TLS alone, and no script reads it`() async throws {
        for (address, expected) in [
            ("https://console.example.com", "__Host-tenure=_; Path=/; HttpOnly; SameSite=Lax; Secure"),
            ("https://example.com/tenure", "__Secure-tenure=_; Path=/tenure; HttpOnly; SameSite=Lax; Secure"),
            ("http://127.0.0.1:8082", "tenure=_; Path=/; HttpOnly; SameSite=Lax"),
        ] {
            try await withDoor(at: address) { door, client in
                let secret = try await door.enrol()
                let browser = Browser(client, at: door.url)
                let answer = try await browser.post(
                    door.url.site.basePath + "/login",
                    ["name": "mia", "password": DoorWorld.password, "code": try door.code(secret)])
                let cookie = try #require(answer.headers[.setCookie])
                let value = cookie.drop { $0 != "=" }.dropFirst().prefix { $0 != ";" }
                #expect(cookie.replacing(value, with: "_") == expected)
                #expect(value.utf8.count == 43, "256 bits in base64url")
            }
        }
    }

    @Test func `ASVS 3.2.1 3.3.1 Each login is a new session, and logging out ends it`() async throws {
        try await withDoor { door, client in
            let secret = try await door.enrol()
            let browser = Browser(client, at: door.url)
            let planted = SecretToken(random: Array(repeating: 7, count: 32)).text
            let first = try await browser.post(
                "/login", ["name": "mia", "password": DoorWorld.password, "code": try door.code(secret)],
                ["Cookie": "__Host-tenure=\(planted)"])
            #expect(first.status == .seeOther && browser.cookie?.contains(planted) == false, "what was planted is not taken over")
            let old = try #require(browser.cookie)
            _ = try await browser.logIn(try door.code(secret))
            #expect(browser.cookie != old)
            let account = try await browser.get("/account")
            let form = try browser.hidden("form", in: account)
            #expect(try await browser.post("/logout", ["form": "guess"]).status == .forbidden)
            let kept = try #require(browser.cookie)
            let out = try await browser.post("/logout", ["form": form])
            #expect(out.status == .seeOther && out.headers[.setCookie]?.hasSuffix("Max-Age=0") == true)
            #expect(try await browser.get("/account", ["Cookie": kept]).status == .seeOther, "the server has ended it too")
        }
    }

    @Test func `ASVS 2.2.1 A wrong name, password and code are answered alike, and slow down`() async throws {
        try await withDoor { door, client in
            let secret = try await door.enrol()
            let browser = Browser(client, at: door.url)
            var pages: Set<String> = []
            for (name, password) in [("mia", "another one, longer"), ("eve", DoorWorld.password), ("mia", DoorWorld.password)] {
                let answer = try await browser.logIn("000000", name: name, password: password)
                #expect(answer.status == .unauthorized)
                pages.insert(answer.text.replacing("value=\"\(name)\"", with: ""))
            }
            #expect(pages.count == 1)
            for _ in 0..<7 { _ = try await browser.logIn("000000") }
            let slowed = try await browser.logIn("000000")
            #expect(slowed.status == .tooManyRequests && slowed.text.contains("Try again in 1 seconds"))
            #expect(
                try await browser.logIn(try door.code(secret)).status == .seeOther, "half a minute later; nobody is locked out")
        }
    }

    @Test func `ASVS 4.2.2 A form counts only from a page of ours in the same session`() async throws {
        try await withDoor { door, client in
            let secret = try await door.enrol()
            let browser = Browser(client, at: door.url)
            _ = try await browser.logIn(try door.code(secret))
            let form = try browser.hidden("form", in: try await browser.get("/account"))
            let fields = ["form": form, "language": "zh-Hans", "zone": "utc"]
            for origin in ["https://evil.example", "null", "http://console.example.com", ""] {
                #expect(try await browser.post("/account/reading", fields, from: origin).status == .forbidden)
            }
            #expect(try await browser.post("/account/reading", ["language": "zh-Hans"]).status == .forbidden)
            let other = try await door.enrol("bo", [.init(app: nil, role: .viewer)])
            let second = Browser(client, at: door.url)
            _ = try await second.logIn(try door.code(other), name: "bo")
            #expect(try await second.post("/account/reading", fields).status == .forbidden, "another session's token")
            let paste = "/apps/app/Production/search/inspect"
            #expect(try await browser.post(paste, ["text": "x"]).status == .forbidden)
            #expect(try await browser.post(paste, ["form": String(form.dropLast()), "text": "x"]).status == .forbidden)
            #expect(try await browser.post(paste, ["form": form, "text": "x"]).status == .ok)
            #expect(try await browser.get("/account").text.contains("lang=\"en\""))
            #expect(try await browser.post("/account/reading", fields).status == .seeOther)
            #expect(try await browser.get("/account").text.contains("<html lang=\"zh-Hans\""))
        }
    }

    @Test func `ASVS 2.2.3 An operator is shown what happened with their name, and not what others did`() async throws {
        try await withDoor { door, client in
            let secret = try await door.enrol()
            let other = try await door.enrol("bo", [.init(app: nil, role: .viewer)])
            let (browser, thief) = (Browser(client, at: door.url), Browser(client, at: door.url))
            _ = try await thief.logIn("000000")
            _ = try await thief.logIn(try door.code(other), name: "bo")
            _ = try await browser.logIn(try door.code(secret))
            let page = try await browser.get("/account").text
            let part = try #require(page.firstRange(of: "id=\"lately\"")).upperBound
            let lately = page[part...]
            #expect(lately.contains("logged in") && lately.contains("failed to log in") && lately.contains("used a link"))
            #expect(!lately.contains("bo</bdi>") && !lately.contains("made an operator"))
        }
    }

    @Test func `ASVS 2.1.5 3.3.3 3.7.1 Password, factor and codes want the second factor again after ten minutes`() async throws {
        try await withDoor { door, client in
            let secret = try await door.enrol()
            let (browser, elsewhere) = (Browser(client, at: door.url), Browser(client, at: door.url))
            _ = try await elsewhere.logIn(try door.code(secret))
            _ = try await browser.logIn(try door.code(secret))
            door.clock.set(door.clock.now().adding(.minutes(11)))
            let form = try browser.hidden("form", in: try await browser.get("/account"))
            let new = "another garment-plinth-97"
            let change = ["form": form, "present": DoorWorld.password, "password": new, "repeated": new]
            #expect(try await browser.post("/account/password", change).status == .forbidden)
            #expect(try await browser.post("/account/codes", ["form": form]).status == .forbidden)
            let proved = try await browser.post("/account/prove", ["form": form, "code": try door.code(secret)])
            #expect(proved.status == .seeOther && proved.headers[.setCookie] != nil, "a new session id")
            let fresh = try browser.hidden("form", in: try await browser.get("/account"))
            #expect(fresh != form)
            let changed = try await browser.post("/account/password", change.merging(["form": fresh]) { $1 })
            #expect(changed.status == .seeOther)
            #expect(try await elsewhere.get("/account").status == .seeOther, "other sessions end with the old password")
            #expect(try await browser.get("/account").status == .ok)
        }
    }

    @Test func `A role holds in the app that it names, and what was opened stands in the audit`() async throws {
        try await withDoor { door, client in
            let support = try await door.enrol("bo", [.init(app: ConsoleWorld.app, role: .support)])
            let browser = Browser(client, at: door.url)
            _ = try await browser.logIn(try door.code(support), name: "bo")
            #expect(try await browser.get(Pages.path(.customer(ConsoleWorld.alice, .init()))).status == .ok)
            #expect(try await browser.get(Pages.path(.search("1001"))).status == .ok)
            #expect(try await browser.get(Pages.path(.wall(.init(CustomerID("carol"))))).status == .ok)
            #expect(try await browser.get("/operators").status == .forbidden)
            #expect(try await browser.get(Pages.path(.jobs)).status == .forbidden)
            let admin = try await door.enrol()
            let other = Browser(client, at: door.url)
            _ = try await other.logIn(try door.code(admin))
            let audit = try await other.get("/operators/audit", ["Accept": "application/json"])
            #expect(audit.text.contains(#""actor":"bo","act":"openedCustomer""#))
            // Of carol nothing is known, so that she has no number by which the audit could name her.
            #expect(audit.text.contains(#""detail":"wall""#))
            #expect(audit.text.contains(#""customer":"alice""#) && audit.text.contains(#""searched":"1001""#))
            #expect(try await other.get("/operators").text.contains("<bdi>bo</bdi>"))
        }
    }

    @Test func `A trusted proxy says who somebody is, and nobody else can`() async throws {
        var ways = OperatorDoor.Ways()
        ways.proxy = try TrustedProxy(header: "X-Forwarded-User", ranges: ["10.0.0.0/8"])
        try await withDoor(ways) { door, client in
            _ = try await door.enrol()
            // A request of the tests has no address, so it does not come from the proxy.
            let browser = Browser(client, at: door.url)
            let refused = try await browser.get("/account", ["X-Forwarded-User": "mia"])
            #expect(refused.status == .unauthorized && browser.cookie == nil)
            #expect(try await browser.get("/login").status == .notFound, "there is no password beside it")
        }
    }

    @Test(arguments: [
        ("https://console.example.com", "https://console.example.com", "", true),
        ("https://Example.com:443/tenure/", "https://example.com", "/tenure", true),
        ("https://example.com:8443/a/b", "https://example.com:8443", "/a/b", true),
        ("http://127.0.0.1:8082", "http://127.0.0.1:8082", "", false), ("http://[::1]:80", "http://[::1]", "", false),
        ("http://localhost/x", "http://localhost", "/x", false),
    ])
    func `An address is read into an origin and a base path`(
        text: String, origin: String, basePath: String, isSecure: Bool
    ) throws {
        let url = try ConsoleURL(text)
        #expect((url.origin, url.site.basePath, url.isSecure) == (origin, basePath, isSecure))
    }

    @Test(arguments: [
        ("http://console.example.com", ConsoleURL.Refusal.notSecure), ("http://127.0.0.1.example.com", .notSecure),
        ("console.example.com", .unreadable), ("ftp://example.com", .unreadable), ("https://", .unreadable),
        ("https://mia@example.com", .unreadable), ("https://example.com:0", .unreadable),
        ("https://example.com:99999", .unreadable), ("https://exa mple.com", .unreadable), ("https://example.com//a", .path),
        ("https://example.com/a/../b", .path), ("https://example.com/ä", .path),
    ])
    func `An address that cannot be the console's is refused`(text: String, refusal: ConsoleURL.Refusal) {
        #expect(throws: refusal) { try ConsoleURL(text) }
    }
}
