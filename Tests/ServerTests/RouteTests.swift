import APIContract
import Backend
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NativeFace
import Primitives
import StrictJSON
import Testing

@testable import Server

@Suite struct `Routes` {
    @Test func `A purchase is notified, uploaded, read, explained`() async throws {
        try await withRouter { world, client in
            let notified = try await client.notify(
                try world.apple.body(Notification("u1", about: Purchase(), renewalInfo: RenewalInfo())))
            #expect(notified.status == .ok)
            #expect(notified.text == #"{"outcome":"applied"}"#)

            let uploaded = try await client.upload(try world.uploadBody())
            #expect(uploaded.status == .ok)
            #expect(
                uploaded.text == #"{"outcome":"bound","originalTransactionId":"1001","environment":"Production","isOwner":true}"#)

            let end = PretendAppStore.june.adding(.days(30)).millisecondsSince1970
            let read = try await client.get(World.entitlements)
            #expect(read.status == .ok)
            #expect(read.headers[.contentType] == "application/json")
            #expect(read.member("customer") == "alice")
            #expect(read.member("environment") == "Production")
            #expect(read.member("at") == "\(world.clock.now().millisecondsSince1970)")
            #expect(read.member("isActive") == "true")
            #expect(read.member("start") == "\(PretendAppStore.june.millisecondsSince1970)")
            let entitlements = try #require(
                try JSONDocument(Array(read.text.utf8)).root.object?["entitlements"]?.array.map(Array.init)?.first?.object)
            #expect(entitlements["id"]?.string == "plus")
            #expect(entitlements["renews"]?.bool == true)
            #expect(entitlements["restsOn"]?.object?["originalTransactionId"]?.string == "1001")

            let subscription = try await client.get("/api/v1/apps/app/subscriptions/1001")
            #expect(subscription.status == .ok)
            #expect(subscription.member("owner") == "alice")
            #expect(subscription.member("status") == "active")
            #expect(subscription.text.contains(#""expiresDate":\#(end)"#))
            #expect(subscription.text.contains("OWN-2"))
        }
    }

    @Test func `RECON-0 A repeated notification is answered 200 again`() async throws {
        try await withRouter { world, client in
            let body = try world.apple.body(Notification("u1", about: Purchase()))
            for outcome in ["applied", "duplicate", "duplicate"] {
                let answer = try await client.notify(body)
                #expect(answer.status == .ok)
                #expect(answer.member("outcome") == outcome)
            }
            let ready = try await client.get("/health/ready", key: nil)
            #expect(ready.status == .ok)
            #expect(ready.member("notifications") == #"{"applied":1,"duplicate":2,"refused":0,"failed":0,"parked":0}"#)
        }
    }

    @Test func `OWN-9 A refused claim is a 409 with the rule and a masked hint that reveals no customer`() async throws {
        try await withRouter { world, client in
            _ = try await client.upload(try world.uploadBody(), customer: "alice%40example.com")
            let refused = try await client.upload(try world.uploadBody(kind: "restore"), customer: "mallory")
            #expect(refused.status == .conflict)
            #expect(refused.isProblem)
            #expect(refused.code == "ownedByAnother")
            #expect(refused.member("rule") == "OWN-9")
            #expect(refused.member("hint") == "a…m")
        }
    }

    @Test(arguments: [("小明", "小…"), ("张小明", "张…明"), ("ab", "a…"), ("x", "…")])
    func `OWN-9 A hint of a short or a Chinese id is masked too, and never the whole id`(_ owner: String, _ hint: String)
        async throws
    {
        try await withRouter { world, client in
            let escaped = owner.utf8.map { $0 < 0x80 ? String(UnicodeScalar($0)) : "%" + String($0, radix: 16, uppercase: true) }
            _ = try await client.upload(try world.uploadBody(), customer: escaped.joined())
            let refused = try await client.upload(try world.uploadBody(kind: "restore"), customer: "mallory")
            #expect(refused.member("hint") == hint)
        }
    }

    @Test func `OWN-2 A token is registered once: 204, again 204, for another customer 409`() async throws {
        try await withRouter { world, client in
            let token = "A11CE000-0000-4000-8000-000000000001"
            for (customer, status) in [("alice", 204), ("alice", 204), ("bob", 409)] {
                let answer = try await client.send(.put, "/api/v1/apps/app/customers/\(customer)/appAccountTokens/\(token)")
                #expect(answer.status.code == status)
                #expect(status != 409 || (answer.isProblem && answer.code == "tokenTaken"))
            }
            let bad = try await client.send(.put, "/api/v1/apps/app/customers/alice/appAccountTokens/not-a-uuid")
            #expect(bad.status == .badRequest)
            #expect(bad.code == "invalidParameter")
        }
    }

    @Test func `An unknown address is a problem too`() async throws {
        try await withRouter { world, client in
            for (method, uri, status, code) in [
                (.get, "/", 404, "unknownRoute"), (.get, "/api/v1/apps/app/subscriptions/nobody", 404, "unknownSubscription"),
                (.post, "/api/v1/apps/nobody/apple/notifications", 404, "unknownApp"),
                (.delete, World.entitlements, 405, "methodNotAllowed"),
            ] as [(HTTPRequest.Method, String, Int, String)] {
                let answer = try await client.send(method, uri, body: [])
                #expect(answer.status.code == status, "\(method) \(uri)")
                #expect(answer.isProblem, "\(method) \(uri): \(answer.text)")
                #expect(answer.code == code, "\(method) \(uri)")
            }
        }
    }

    // MARK: Parameters

    @Test(arguments: [
        ("a%20b", "a b"), ("a%2Fb", "a/b"), ("%C3%A9%F0%9F%92%8E", "é💎"), ("%2541", "%41"), ("a+b", "a+b"),
        ("a%3Fb%23c", "a?b#c"),
        (String(repeating: "x", count: 200), String(repeating: "x", count: 200)),
        (String(repeating: "%C3%A9", count: 200), String(repeating: "é", count: 200)),
    ])
    func `A customer's id is percent-decoded once, whatever it contains`(_ segment: String, _ customer: String) async throws {
        try await withRouter { world, client in
            let uploaded = try await client.upload(try world.uploadBody(), customer: segment)
            #expect(uploaded.status == .ok)
            let read = try await client.get("/api/v1/apps/app/customers/\(segment)/entitlements")
            #expect(read.member("customer").map { Array($0.utf8) } == Array(customer.utf8))
            #expect(read.member("isActive") == "true")
        }
    }

    @Test(arguments: [
        "%00", "a%00b", "%0A", "%1F", "%7F", "%FF", "%C3", "%ED%A0%80", "%C0%80", "%", "%4", "%zz",
        String(repeating: "x", count: 201),
        String(repeating: "%C3%A9", count: 201), "%C2%85",
    ])
    func `A customer's id that is not UTF-8, has control characters or is too long is refused`(_ segment: String) async throws {
        try await withRouter { world, client in
            let before = try world.rowCount()
            for answer in [
                try await client.get("/api/v1/apps/app/customers/\(segment)/entitlements"),
                try await client.upload(try world.uploadBody(), customer: segment),
            ] {
                #expect(answer.status == .badRequest)
                #expect(answer.isProblem)
                #expect(answer.code == "invalidParameter")
            }
            #expect(try world.rowCount() == before)
        }
    }

    @Test(arguments: ["1001%00", "1001%00x", "%00", "%0A"])
    func `T33 A subscription's id with a zero byte is not the subscription without it`(_ segment: String) async throws {
        try await withRouter { world, client in
            _ = try await client.upload(try world.uploadBody())
            let answer = try await client.get("/api/v1/apps/app/subscriptions/\(segment)")
            #expect(answer.status == .badRequest)
            #expect(answer.code == "invalidParameter")
        }
    }

    @Test(
        arguments: [
            ("environment=Production", 200, nil), ("environment=production", 400, "invalidParameter"),
            ("environment=", 400, "invalidParameter"),
            ("environment=Prod%75ction", 200, nil), ("environment=Sandbox", 403, "environmentNotOpen"), ("at=0", 200, nil),
            ("at=253402300799999", 200, nil), ("at=253402300800000", 400, "invalidParameter"), ("at=-1", 400, "invalidParameter"),
            ("at=9223372036854775807", 400, "invalidParameter"), ("at=9223372036854775808", 400, "invalidParameter"),
            ("at=99999999999999999999999999", 400, "invalidParameter"), ("at=1e3", 400, "invalidParameter"),
            ("at=now", 400, "invalidParameter"),
            ("at=", 400, "invalidParameter"), ("at=1.5", 400, "invalidParameter"), ("at=%200", 400, "invalidParameter"),
            ("x=y", 400, "invalidParameter"),
        ] as [(String, Int, String?)])
    func `T33 Parameters are read or refused, however large, small or strange`(_ query: String, _ status: Int, _ code: String?)
        async throws
    {
        try await withRouter { world, client in
            let answer = try await client.get("\(World.entitlements)?\(query)")
            #expect(answer.status.code == status)
            #expect(answer.code == code)
            #expect(status == 200 || answer.isProblem)
        }
    }

    @Test func `ENT-1 An answer is for the requested instant`() async throws {
        try await withRouter { world, client in
            _ = try await client.upload(try world.uploadBody())
            let (start, end) = (PretendAppStore.june, PretendAppStore.june.adding(.days(30)).adding(.hours(1)))
            for (instant, isActive) in [
                (start.adding(Milliseconds(-1)), false), (start, true), (end.adding(Milliseconds(-1)), true), (end, false),
            ] {
                let answer = try await client.get("\(World.entitlements)?at=\(instant.millisecondsSince1970)")
                #expect(answer.member("isActive") == "\(isActive)", "at \(instant)")
                #expect(answer.member("at") == "\(instant.millisecondsSince1970)")
            }
        }
    }

    @Test func `FACT-4 The Sandbox answers a tester, and says that it is the Sandbox`() async throws {
        try await withRouter { world, client in
            _ = try await client.upload(try world.uploadBody(Purchase().with { $0.environment = "Sandbox" }), customer: "tester")
            let sandbox = try await client.get("/api/v1/apps/app/customers/tester/entitlements?environment=Sandbox")
            #expect(sandbox.member("isActive") == "true")
            #expect(sandbox.member("environment") == "Sandbox")
            let production = try await client.get("/api/v1/apps/app/customers/tester/entitlements")
            #expect(production.member("isActive") == "false")
        }
    }
}

@Suite struct `Routes and the contract` {
    @Test func `the server has a handler for every endpoint of the contract, and for no other`() async throws {
        try await withWorld { world in
            var router = EndpointRouter(EndpointRouter.Shared(world.dependencies, ServerConfiguration()))
            NativeFace(world.dependencies.backend, webhooks: .closed(world.dependencies.backend)).add(to: &router)
            #expect(router.endpoints == NativeAPI.all)
        }
    }

    /// A web page of somebody else's can make a browser send these without asking, and no answer lets it read anything. What it
    /// cannot send is a key.
    ///
    /// Source: WHATWG, Fetch, "CORS-safelisted request-header".
    @Test func `T42 no route that changes anything acts on what a web page can send unasked`() async throws {
        let unasked = ["text/plain", "multipart/form-data; boundary=x", "application/x-www-form-urlencoded"]
        let changing = NativeAPI.all.filter { $0.method != .get && $0.callers != .apple }
        #expect(changing.count > 30)
        try await withRouter { world, client in
            let order = KeyOrder(name: "all", kind: "server", scopes: KeyScope.allCases.map(\.rawValue))
            let key = try await world.dependencies.backend.makeKey(order, app: World.app, digest: SecretDigest.of).text
            for operation in changing {
                let path = operation.path.replacing("{app}", with: "app").replacing(#/\{\w+\}/#, with: "x")
                let method = try #require(HTTPRequest.Method(rawValue: operation.method.rawValue.uppercased()))
                for type in unasked {
                    let bare = try await client.send(method, path, key: nil, body: Array("{}".utf8), type: type)
                    #expect(bare.status == .unauthorized, "\(operation.operationId) \(type)")
                    #expect(bare.headers[.accessControlAllowOrigin] == nil && bare.headers[.setCookie] == nil)
                    guard case .json = operation.request else { continue }
                    let keyed = try await client.send(method, path, key: key, body: Array("{}".utf8), type: type)
                    #expect(keyed.code == "unsupportedMediaType", "\(operation.operationId) \(type)")
                }
                // What GET does there changes nothing, or there is no GET.
                guard !NativeAPI.all.contains(where: { $0.path == operation.path && $0.method == .get }) else { continue }
                let got = try await client.get(path, key: key)
                #expect([404, 405].contains(got.status.code), "\(operation.operationId)")
            }
        }
    }

    @Test(arguments: [
        ("/api/v1/apps/app/customers/alice/entitlements", 200), ("/api/v1/apps/app/customers/alice/entitlements/", 200),
        ("//api/v1/apps/app/customers/alice/entitlements", 404),
        ("/api//v1/apps/app/customers/alice/entitlements", 404),
        ("/api/v1/apps/app/customers/entitlements/entitlements", 200), ("/api/v1/apps/app/customers/%61lice/entitlements", 200),
        ("/api/v1/apps/app/customers", 200), ("/api/v1/apps/app/customers/alice/entitlements/more", 404),
        ("/API/v1/apps/app/customers/alice/entitlements", 404), ("/api/v1/apps/app/customers//entitlements", 404), ("/", 404),
        ("/api/v1/apps/app/customers/%00/entitlements", 400), ("/api/v1/apps/app/customers/%ff/entitlements", 400),
        ("/api/v1/apps/app/customers/%6/entitlements", 400), ("/api/v1/apps/app%2Fcustomers/alice/entitlements", 404),
    ])
    func `an address is read segment by segment, each decoded by itself`(_ uri: String, _ status: Int) async throws {
        try await withRouter { _, client in
            let answer = try await client.get(uri)
            #expect(answer.status.code == status)
        }
    }
}
