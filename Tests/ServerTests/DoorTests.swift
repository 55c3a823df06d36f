import HTTPTypes
import HummingbirdTesting
import Primitives
import Testing

@Suite struct `Authentication` {
    @Test(
        arguments: [
            (nil, "keyMissing"), ("", "keyMissing"), ("wrong", "keyWrong"), (World.serverKey + "x", "keyWrong"),
            (World.otherServerKey, "keyWrong"), ("tpk_other", "keyWrong"), (World.publicKey, "customerTokenMissing"),
        ] as [(String?, String)])
    func `Without the right key there is no answer, and every refusal is a 401 that says how to ask`(
        _ key: String?, _ code: String
    ) async throws {
        try await withRouter { world, client in
            for (method, uri) in Self.guarded {
                let answer = try await client.send(method, uri, key: key, body: method == .get ? nil : try world.uploadBody())
                #expect(answer.status == .unauthorized, "\(method) \(uri)")
                #expect(answer.isProblem)
                #expect(answer.code == code, "\(method) \(uri)")
                #expect(answer.headers[.wwwAuthenticate] == "Bearer")
            }
        }
    }

    private static let guarded: [(HTTPRequest.Method, String)] = [
        (.get, World.entitlements), (.post, "/api/v1/apps/app/customers/alice/transactions"),
        (.put, "/api/v1/apps/app/customers/alice/appAccountTokens/a11ce000-0000-4000-8000-000000000001"),
        (.get, "/api/v1/apps/app/subscriptions/1001"),
    ]

    @Test func `OWN-18 a device gets its customer's token for purchases, and nobody else's`() async throws {
        try await withRouter { world, client in
            let own = "/api/v1/apps/app/customers/alice/appAccountToken"
            let token = TokenMint(at: world.clock.now()).text
            let first = try await client.send(.put, own, key: World.publicKey, token: token)
            #expect(first.status == .ok && first.member("appAccountToken")?.utf8.count == 36)
            #expect(try await client.send(.put, own).text == first.text, "the backend gets the same")
            let others = "/api/v1/apps/app/customers/bob/appAccountToken"
            let stranger = try await client.send(.put, others, key: World.publicKey, token: token)
            #expect(stranger.status == .forbidden && stranger.code == "anotherCustomer")
            let nobody = try await client.send(.put, own, key: World.publicKey)
            #expect(nobody.status == .unauthorized)
            #expect(try await client.send(.get, own).code == "methodNotAllowed", "it may make one, and is no GET")
            let long = String(repeating: "a", count: 201)
            let unreadable = try await client.send(.put, "/api/v1/apps/app/customers/\(long)/appAccountToken")
            #expect(unreadable.status == .badRequest && unreadable.code == "invalidParameter")
        }
    }

    @Test(arguments: ["Bearer", "bearer", "BEARER"])
    func `The scheme is read in any case, as RFC 9110 says in section 11.1`(_ scheme: String) async throws {
        try await withRouter { _, client in
            let status = try await client.execute(
                uri: World.entitlements, method: .get, headers: [.authorization: "\(scheme) \(World.serverKey)"]
            ) { $0.status }
            #expect(status == .ok)
        }
    }

    @Test func `T23 An app that does not exist is answered as a wrong key is, byte for byte`() async throws {
        try await withRouter { world, client in
            for (method, uri) in Self.guarded {
                for key in [nil, "wrong", World.publicKey, World.serverKey] {
                    let absent = uri.replacing("/apps/app/", with: "/apps/nobody/")
                    let there = try await client.send(method, uri, key: key == nil ? nil : "wrong", body: [])
                    let notThere = try await client.send(method, absent, key: key, body: [])
                    #expect(notThere.status == there.status)
                    #expect(notThere.text == there.text)
                    #expect(notThere.headers == there.headers)
                }
            }
        }
    }

    @Test func `The public key with a customer's token gives access to that customer only`() async throws {
        try await withRouter { world, client in
            let token = TokenMint(at: world.clock.now()).text
            let uploaded = try await client.upload(try world.uploadBody(), key: World.publicKey, token: token)
            #expect(uploaded.status == .ok)
            let read = try await client.get(World.entitlements, key: World.publicKey, token: token)
            #expect(read.member("isActive") == "true")
            let strangers: [Answer] = [
                try await client.get("/api/v1/apps/app/customers/bob/entitlements", key: World.publicKey, token: token),
                try await client.get("/api/v1/apps/app/customers/Alice/entitlements", key: World.publicKey, token: token),
                try await client.upload(try world.uploadBody(), customer: "bob", key: World.publicKey, token: token),
            ]
            for answer in strangers {
                #expect(answer.status == .forbidden)
                #expect(answer.code == "anotherCustomer")
            }
            for (method, uri) in Self.guarded.suffix(2) {
                let answer = try await client.send(method, uri, key: World.publicKey, token: token)
                #expect(answer.status == .forbidden, "\(uri)")
                #expect(answer.code == "serverKeyNeeded")
            }
        }
    }

    @Test func `A token for one spelling of a name gives no access to another that only looks the same`() async throws {
        try await withRouter { world, client in
            let token = TokenMint(at: world.clock.now()).with { $0.subject = #""jos\u00e9""# }.text
            let same = try await client.get(
                "/api/v1/apps/app/customers/jos%C3%A9/entitlements", key: World.publicKey, token: token)
            #expect(same.status == .ok)
            let other = try await client.get(
                "/api/v1/apps/app/customers/jose%CC%81/entitlements", key: World.publicKey, token: token)
            #expect(other.code == "anotherCustomer")
        }
    }

    /// A change to a valid token, and why it is then refused.
    struct Forgery: Sendable, CustomStringConvertible {
        let description: String
        let reason: String
        let text: @Sendable (TokenMint, Int64) -> String

        init(_ description: String, _ reason: String, _ change: @escaping @Sendable (inout TokenMint, Int64) -> Void) {
            self.init(description, reason, text: { mint, now in mint.with { change(&$0, now) }.text })
        }

        init(_ description: String, _ reason: String, text: @escaping @Sendable (TokenMint, Int64) -> String) {
            (self.description, self.reason, self.text) = (description, reason, text)
        }
    }

    static let forgeries: [Forgery] = [
        Forgery("expired now", "expired") { $0.expiresAt = "\($1)" },
        Forgery("expired long ago", "expired") { ($0.issuedAt, $0.expiresAt) = ("\($1 - 7200)", "\($1 - 3600)") },
        Forgery("of another app", "audienceOfAnotherApp") { mint, _ in mint.audience = #""other""# },
        Forgery("for many apps", "claimMissing") { mint, _ in mint.audience = #"["app","other"]"# },
        Forgery("without audience", "claimMissing") { mint, _ in mint.audience = nil },
        Forgery("without subject", "claimMissing") { mint, _ in mint.subject = nil },
        Forgery("with an empty subject", "claimMissing") { mint, _ in mint.subject = #""""# },
        Forgery("with a number as subject", "claimMissing") { mint, _ in mint.subject = "7" },
        Forgery("without end", "claimMissing") { mint, _ in mint.expiresAt = nil },
        Forgery("without beginning", "claimMissing") { mint, _ in mint.issuedAt = nil },
        Forgery("with a beginning as text", "claimMissing") { $0.issuedAt = "\"\($1)\"" },
        Forgery("until 2^63", "claimMissing") { mint, _ in mint.expiresAt = "9223372036854775808" },
        Forgery("until 1e400", "claimMissing") { mint, _ in mint.expiresAt = "1e400" },
        Forgery("from before 1970", "claimMissing") { mint, _ in mint.issuedAt = "-1" },
        Forgery("valid for a day and a second", "validForTooLong") { $0.expiresAt = "\($1 + 86_401)" },
        Forgery("not valid before in two minutes", "notYetValid") { mint, now in mint.notBefore = "\(now + 120)" },
        Forgery("not valid before a word", "claimMissing") { mint, _ in mint.notBefore = "\"soon\"" },
        Forgery("issued in two minutes", "notYetIssued") { ($0.issuedAt, $0.expiresAt) = ("\($1 + 120)", "\($1 + 3600)") },
        Forgery("alg none", "algorithmNotAccepted") { mint, _ in mint.algorithm = "none" },
        Forgery("alg None", "algorithmNotAccepted") { mint, _ in mint.algorithm = "None" },
        Forgery("alg hs256", "algorithmNotAccepted") { mint, _ in mint.algorithm = "hs256" },
        Forgery("alg RS256", "algorithmNotAccepted") { mint, _ in mint.algorithm = "RS256" },
        Forgery("alg HS512", "algorithmNotAccepted") { mint, _ in mint.algorithm = "HS512" },
        Forgery("alg ES256", "algorithmNotAccepted") { mint, _ in mint.algorithm = "ES256" },
        Forgery("with crit", "algorithmNotAccepted") { mint, _ in mint.extra = #","crit":["b64"]"# },
        Forgery("under another secret", "signatureInvalid") { mint, _ in mint.secret[0] ^= 1 },
        Forgery("under no secret", "signatureInvalid") { mint, _ in mint.secret = [0] },
        Forgery("with two algs", "malformed") { mint, _ in mint.extra = #","alg":"none""# },
        Forgery("with two subjects", "malformed") { mint, _ in mint.subject = #""alice","sub":"bob""# },
        Forgery("without signature", "signatureInvalid") { mint, _ in
            mint.text.split(separator: ".").prefix(2).joined(separator: ".") + "."
        },
        Forgery("of two parts", "malformed") { mint, _ in mint.text.split(separator: ".").prefix(2).joined(separator: ".") },
        Forgery("of four parts", "malformed") { mint, _ in mint.text + ".x" },
        Forgery("padded", "malformed") { mint, _ in mint.text + "=" },
        Forgery("empty", "malformed") { _, _ in "" },
        Forgery("of dots", "malformed") { _, _ in "..." },
        Forgery("longer than 8192 bytes", "malformed") { mint, _ in
            mint.with { $0.extra = #","x":"\#(String(repeating: "A", count: 8192))""# }.text
        },
    ]

    @Test(arguments: forgeries)
    func `An invalid customer token is refused`(_ forgery: Forgery) async throws {
        try await withRouter { world, client in
            let now = world.clock.now()
            let token = forgery.text(TokenMint(at: now), now.millisecondsSince1970 / 1000)
            let answer = try await client.get(World.entitlements, key: World.publicKey, token: token)
            #expect(answer.status == .unauthorized)
            #expect(answer.isProblem)
            #expect(answer.code == "customerTokenRefused")
            let words = "The customer token is not accepted: \(forgery.reason); it is 2026-06-02T00:00:00Z here."
            #expect(answer.member("detail")?.hasPrefix(words) == true)
        }
    }

    @Test func `A token is accepted at the limits of its time: a day long, issued within a minute, to its last second`()
        async throws
    {
        try await withRouter { world, client in
            let now = world.clock.now().millisecondsSince1970 / 1000
            for (issuedAt, expiresAt) in [(now, now + 86_400), (now + 60, now + 3600), (now - 86_399, now + 1)] {
                let token = TokenMint(at: world.clock.now()).with {
                    ($0.issuedAt, $0.expiresAt) = ("\(issuedAt)", "\(expiresAt)")
                }.text
                let answer = try await client.get(World.entitlements, key: World.publicKey, token: token)
                #expect(answer.status == .ok, "\(issuedAt) to \(expiresAt)")
            }
        }
    }
}
