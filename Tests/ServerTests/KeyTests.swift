import APIContract
import Backend
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Ledger
import NativeFace
import Primitives
import StorageSQLite
import Testing

@testable import Server

@Suite struct `Keys` {
    private static let address = "/api/v1/apps/app/keys"

    /// A key of the app in the database.
    private static func key(
        _ name: String, _ scopes: [KeyScope], isPublic: Bool = false, until end: Timestamp? = nil, in world: World
    ) async throws -> String {
        var order = KeyOrder(name: name, kind: isPublic ? "public" : "server", scopes: scopes.map(\.rawValue))
        (order.endsAt, order.actor) = (end, "mia")
        return try await world.dependencies.backend.makeKey(order, app: World.app, digest: SecretDigest.of).text
    }

    private static func method(_ method: APIContract.Method) -> HTTPRequest.Method {
        switch method {
        case .get: .get
        case .post: .post
        case .put: .put
        case .patch: .patch
        case .delete: .delete
        }
    }

    @Test func `T23 each operation takes a key with its scope, and no key with all the others`() async throws {
        try await withRouter { world, client in
            var keys: [KeyScope: (with: String, without: String)] = [:]
            for scope in Set(NativeAPI.all.compactMap(\.scope)) {
                let name = scope.rawValue.replacing(":", with: "-")
                keys[scope] = (
                    try await Self.key("with-\(name)", [scope], in: world),
                    try await Self.key("without-\(name)", KeyScope.allCases.filter { $0 != scope }, in: world)
                )
            }
            for operation in NativeAPI.all {
                guard let scope = operation.scope, let pair = keys[scope] else {
                    #expect([.anyone, .apple].contains(operation.callers), "\(operation.operationId) asks for no key")
                    continue
                }
                let uri = operation.path.replacing("{app}", with: "app").replacing(#/\{[a-zA-Z]+\}/#, with: "x")
                let refused = try await client.send(Self.method(operation.method), uri, key: pair.without, body: [])
                #expect((refused.status, refused.code) == (.forbidden, "scopeMissing"), "\(operation.operationId)")
                #expect(refused.member("detail")?.contains(scope.rawValue) == true)
                let taken = try await client.send(Self.method(operation.method), uri, key: pair.with, body: [])
                #expect(taken.status != .unauthorized && taken.code != "scopeMissing", "\(operation.operationId)")
            }
        }
    }

    @Test func `What is open to customers has a scope that public keys can have`() {
        for operation in NativeAPI.all where [.customer, .newDevice].contains(operation.callers) {
            #expect(operation.scope.map(Backend.publicScopes.contains) == true, "\(operation.operationId)")
        }
    }

    @Test func `The server key of the configuration file may do all but make keys`() async throws {
        try await withRouter { _, client in
            let refused = try await client.get(Self.address)
            #expect((refused.status, refused.code) == (.forbidden, "scopeMissing"))
            for uri in [World.entitlements, "/api/v1/apps/app/events", "/api/v1/apps/app/settings"] {
                #expect(try await client.get(uri).status == .ok, "\(uri)")
            }
        }
    }

    @Test func `A key is shown once, works at once, is listed with its use, and ends`() async throws {
        try await withRouter { world, client in
            let admin = try await Self.key("ops", [.admin], in: world)
            let order = #"{"name":"deploy-1","kind":"server","scopes":["entitlements:read"],"actor":"mia"}"#
            let made = try await client.send(.post, Self.address, key: admin, body: Array(order.utf8))
            #expect(made.status == .ok)
            let body = try MadeKeyBody(json: Array(made.text.utf8))
            #expect(body.key.wholeMatch(of: /tnr_sk_[0-9A-Za-z]{22}_[0-9A-Za-z]{6}/) != nil)
            #expect(body.made.madeBy == "mia/ops")
            #expect(try await client.get(World.entitlements, key: body.key).status == .ok)
            let listed = try await client.get(Self.address, key: admin)
            #expect(!listed.text.contains(body.key), "it is nowhere else")
            let keys = try KeysBody(json: Array(listed.text.utf8)).keys
            #expect(keys.map(\.name) == ["deploy-1", "ops"])
            #expect(keys[0].scopes == ["entitlements:read"] && keys[0].holds && keys[0].endsAt == nil)
            let again = try await client.send(.post, Self.address, key: admin, body: Array(order.utf8))
            #expect((again.status, again.code) == (.conflict, "keyNameTaken"))

            let end = "\(Self.address)/deploy-1/end"
            let ended = try await client.send(.post, end, key: admin, body: Array(#"{"actor":"bo"}"#.utf8))
            #expect(try KeyBody(json: Array(ended.text.utf8)).endedBy == "bo/ops")
            let after = try await client.get(World.entitlements, key: body.key)
            let wrong = try await client.get(World.entitlements, key: "wrong")
            #expect((after.status, after.text) == (wrong.status, wrong.text), "as a key that never was")
            world.clock.set(world.clock.now().adding(.hours(1)))
            let second = try await client.send(.post, end, key: admin, body: Array("{}".utf8))
            #expect(second.text == ended.text, "what has ended stays")
            let unknown = try await client.send(.post, "\(Self.address)/nobody/end", key: admin, body: Array("{}".utf8))
            #expect((unknown.status, unknown.code) == (.notFound, "unknownKey"))
        }
    }

    @Test(arguments: [
        (#"{"name":"file","kind":"server","scopes":["admin"]}"#, "name"),
        (#"{"name":"A","kind":"server","scopes":["admin"]}"#, "name"),
        (#"{"name":"a\u0000","kind":"server","scopes":["admin"]}"#, "name"),
        (#"{"name":"","kind":"server","scopes":["admin"]}"#, "name"),
        (#"{"name":"a","kind":"operator","scopes":["admin"]}"#, "kind"),
        (#"{"name":"a","kind":"server","scopes":[]}"#, "scopes"),
        (#"{"name":"a","kind":"server","scopes":["everything"]}"#, "scopes"),
        (#"{"name":"a","kind":"public","scopes":["votes:write"]}"#, "scopes"),
        (#"{"name":"a","kind":"server","scopes":["admin"],"endsAt":1767225600000}"#, "endsAt"),
        (#"{"name":"a","kind":"server"}"#, "scopes"),
    ])
    func `A key that could not be is refused with the member that is wrong`(_ order: String, _ field: String) async throws {
        try await withRouter { world, client in
            let admin = try await Self.key("ops", [.admin], in: world)
            let answer = try await client.send(.post, Self.address, key: admin, body: Array(order.utf8))
            #expect((answer.status, answer.code) == (.badRequest, "invalidBody"))
            #expect(answer.member("field") == field)
        }
    }

    @Test func `T44 unknown, mistyped, ended and another app's keys are answered alike`() async throws {
        try await withRouter { world, client in
            let soon = world.clock.now().adding(.minutes(1))
            let key = try await Self.key("a", [.entitlementsRead], until: soon, in: world)
            var mistyped = Array(key)
            mistyped[10] = mistyped[10] == "x" ? "y" : "x"
            let others = "/api/v1/apps/other/customers/alice/entitlements"
            #expect(try await client.get(World.entitlements, key: key).status == .ok)
            var answers = [
                try await client.get(World.entitlements, key: "wrong"),
                try await client.get(World.entitlements, key: String(mistyped)),
                try await client.get(others, key: key),
                try await client.get("/api/v1/apps/nobody/customers/alice/entitlements", key: key),
                // Well-formed, and nobody's: its checksum was made by another program.
                try await client.get(World.entitlements, key: "tnr_sk_0123456789abcdefghijkl_00S62w"),
            ]
            world.clock.set(soon)
            answers.append(try await client.get(World.entitlements, key: key))
            for answer in answers {
                #expect(answer.status == .unauthorized)
                #expect(answer.text == answers[0].text)
                #expect(answer.headers == answers[0].headers)
            }
        }
    }

    @Test func `A public key of the database is as good as the file's, within its scopes`() async throws {
        try await withRouter { world, client in
            let token = TokenMint(at: world.clock.now()).text
            let key = try await Self.key("app-2", [.entitlementsRead], isPublic: true, in: world)
            #expect(key.hasPrefix("tnr_pk_"))
            #expect(try await client.get(World.entitlements, key: key, token: token).status == .ok)
            #expect(try await client.get(World.entitlements, key: key).code == "customerTokenMissing")
            let stranger = try await client.get("/api/v1/apps/app/customers/bob/entitlements", key: key, token: token)
            #expect(stranger.code == "anotherCustomer")
            #expect(try await client.upload(try world.uploadBody(), key: key, token: token).code == "scopeMissing")
            #expect(try await client.get("/api/v1/apps/app/events", key: key, token: token).code == "serverKeyNeeded")
        }
    }

    @Test func `Each key has a budget of its own`() async throws {
        try await withWorld { world in
            let credentials = world.dependencies.credentials.map { one in
                var limits = AppLimits()
                limits.serverKeyPerMinute = 2
                return AppCredentials(
                    app: one.app, publicKey: one.publicKey, serverKeyDigest: one.serverKeyDigest,
                    customerTokenSecret: one.customerTokenSecret, limits: limits)
            }
            let backend = world.dependencies.backend
            let start = ContinuousClock.now
            let router = ServerRouter(
                ServerDependencies(backend: backend, credentials: credentials, steadyClock: { start }),
                faces: [NativeFace(backend, webhooks: .closed(backend))], configuration: ServerConfiguration())
            let keys = [
                try await Self.key("a", [.entitlementsRead], in: world), try await Self.key("b", [.entitlementsRead], in: world),
                World.serverKey,
            ]
            try await Application(router: router, logger: .silent).test(.router) { client in
                for key in keys {
                    for _ in 0..<2 { #expect(try await client.get(World.entitlements, key: key).status == .ok) }
                    let third = try await client.get(World.entitlements, key: key)
                    #expect((third.status, third.code) == (.tooManyRequests, "tooManyRequests"))
                    #expect(third.headers[.retryAfter] == "30")
                }
            }
        }
    }

    @Test func `AUDIT-1 what is kept because of a request names the key that it showed`() async throws {
        try await withRouter { world, client in
            let key = try await Self.key("deploy-1", KeyScope.allButAdmin, in: world)
            let customer = "/api/v1/apps/app/customers/alice"
            let grant = Array(#"{"entitlement":"plus","actor":"mia"}"#.utf8)
            #expect(try await client.send(.put, "\(customer)/grants/g-1", key: key, body: grant).status == .ok)
            // The same vote with another key is the same vote: keys are rotated between two attempts.
            #expect(try await client.send(.put, "\(customer)/grants/g-1", body: grant).status == .ok)
            let attributes = Array(#"{"attributes":[{"name":"plan","value":"gold"}]}"#.utf8)
            #expect(try await client.send(.patch, "\(customer)/attributes", body: attributes).status == .ok)
            #expect(try await client.upload(try world.uploadBody(), key: key).status == .ok)
            let whole = try CustomerBody(json: Array(try await client.get(customer).text.utf8))
            let rows = whole.audit.map { "\($0.kind) \($0.actor) \($0.keyName ?? "none")" }
            #expect(rows == ["vote mia deploy-1", "attribute appBackend file"])
            let subscription = try await client.get("/api/v1/apps/app/subscriptions/1001?environment=Sandbox")
            let production = try await client.get("/api/v1/apps/app/subscriptions/1001")
            let found = [subscription, production].filter { $0.status == .ok }
            let audit = try #require(found.first.map { try SubscriptionBody(json: Array($0.text.utf8)).audit })
            #expect(audit.map(\.keyName) == ["deploy-1"])
            let token = "a11ce000-0000-4000-8000-000000000001"
            #expect(try await client.send(.put, "\(customer)/appAccountTokens/\(token)", key: key).status == .noContent)
            let registered = try CustomerBody(json: Array(try await client.get(customer).text.utf8)).registrations
            #expect(registered.map(\.appAccountToken) == [token] && registered.map(\.keyName) == ["deploy-1"])
        }
    }

    @Test func `The hour of a key's last use is kept, and a use near its end is shown`() async throws {
        try await withRouter { world, client in
            let now = world.clock.now()
            let admin = try await Self.key("ops", [.admin], in: world)
            let ending = try await Self.key("ending", [.entitlementsRead], until: now.adding(.days(7)), in: world)
            let lasting = try await Self.key("lasting", [.entitlementsRead], until: now.adding(.days(8)), in: world)
            _ = try await Self.key("unused", [.entitlementsRead], in: world)
            for key in [ending, lasting] { #expect(try await client.get(World.entitlements, key: key).status == .ok) }
            try await world.dependencies.backend.keys.refresh()
            let keys = try KeysBody(json: Array(try await client.get(Self.address, key: admin).text.utf8)).keys
            let used = Dictionary(uniqueKeysWithValues: keys.map { ($0.name, $0) })
            let hour = Timestamp(millisecondsSince1970: now.millisecondsSince1970 / 3_600_000 * 3_600_000)
            #expect(used["ending"]?.lastUsedAt == hour && used["lasting"]?.lastUsedAt == hour)
            #expect(used["unused"]?.lastUsedAt == nil)
            #expect(used["ending"]?.isUsedNearEnd == true && used["lasting"]?.isUsedNearEnd == false)
        }
    }
}
