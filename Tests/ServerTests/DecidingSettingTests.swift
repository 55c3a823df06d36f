import Backend
import Foundation
import HTTPTypes
import HummingbirdTesting
import Primitives
import SimulatorPKI
import Testing

/// A refusal in the first hour comes from a wrong setting: the answer must name what was found, what was expected, and where it
/// is set.
@Suite struct `Refusals name the setting that decides` {
    /// What is refused, and the text and the setting that the answer must contain.
    struct Refusal: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let status: Int
        let code: String
        let words: [String]
        let setting: String
        let ask: @Sendable (World, any TestClientProtocol) async throws -> Answer
    }

    private static let young = "/api/v1/apps/young/customers/alice/entitlements"

    private static func production(_ change: @Sendable @escaping (inout Notification) -> Void)
        -> @Sendable (World, any TestClientProtocol) async throws -> Answer
    {
        { world, client in
            var notification = Notification("u1", about: Purchase())
            change(&notification)
            return try await client.notify(try world.apple.body(notification))
        }
    }

    static let refusals: [Refusal] = [
        Refusal(
            testDescription: "another Apple ID", status: 400, code: "wrongAppAppleId", words: ["found 43", "expected 42"],
            setting: "apps[].appAppleId", ask: production { $0.appAppleId = 43 }),
        Refusal(
            testDescription: "another bundle id", status: 400, code: "wrongBundleId",
            words: ["found com.example.app", "expected com.example.other"], setting: "apps[].bundleId"
        ) { world, client in
            try await client.notify(try world.apple.body(Notification("u1", about: Purchase())), app: "other")
        },
        Refusal(
            testDescription: "an environment that is not taken", status: 400, code: "wrongEnvironment",
            words: ["found Production", "expected Sandbox"], setting: "apps[].environments"
        ) { world, client in
            var notification = Notification("u1", about: Purchase().with { $0.bundleId = "com.example.young" })
            notification.bundleId = "com.example.young"
            return try await client.notify(try world.apple.body(notification), app: "young")
        },
        Refusal(
            testDescription: "an untrusted root", status: 400, code: "rootNotTrusted",
            words: ["of SHA-256 ", "is not trusted; trusted are ", "trust.appleRoots"], setting: "trust.additionalRootSHA256"
        ) { _, client in
            try await client.notify(try PretendAppStore().body(Notification("u1", about: Purchase())))
        },
        Refusal(
            testDescription: "signed after now", status: 400, code: "signedDateInFuture",
            words: [
                "found 2026-06-03T00:00:00Z", "expected 2026-06-02T00:05:00Z or before", "here it is 2026-06-02T00:00:00Z",
            ],
            setting: "clock.file"
        ) { world, client in
            try await client.upload(
                try world.uploadBody(Purchase().with { $0.signedDate = PretendAppStore.june.adding(.days(2)) }))
        },
        Refusal(
            testDescription: "a receipt of after now", status: 400, code: "creationDateInFuture",
            words: [
                "found 2026-06-02T00:00:00Z", "expected 2026-06-01T00:05:00Z or before", "here it is 2026-06-01T00:00:00Z",
            ],
            setting: "clock.file"
        ) { world, client in
            world.clock.set(PretendAppStore.june)
            return try await client.upload(receipt: try world.apple.receipt(of: ["1001"]), of: "app", key: World.serverKey)
        },
        Refusal(
            testDescription: "a receipt of another app", status: 400, code: "wrongBundleId",
            words: ["found com.example.app", "expected com.example.other"], setting: "apps[].bundleId"
        ) { world, client in
            try await client.upload(receipt: try world.apple.receipt(of: ["1001"]), of: "other", key: World.otherServerKey)
        },
        Refusal(
            testDescription: "a notification of version 1 without a shared secret", status: 400,
            code: "sharedSecretNotConfigured", words: ["only for apps with sharedSecrets"], setting: "apps[].sharedSecrets"
        ) { _, client in
            let body = #"""
                {"notification_type": "DID_RENEW", "environment": "PROD", "bid": "com.example.app", "password": "x",
                "original_transaction_id": "1001", "unified_receipt": {"status": 0, "environment": "Production"}}
                """#
            return try await client.notify(Array(body.utf8))
        },
        Refusal(
            testDescription: "the Sandbox for a customer who is no tester", status: 403, code: "environmentNotOpen",
            words: ["The request is for Sandbox", "admits its testers only; this customer is not one of them"],
            setting: "apps[].sandboxAccess"
        ) { _, client in try await client.get("\(World.entitlements)?environment=Sandbox") },
        Refusal(
            testDescription: "the Sandbox where no tester is named", status: 403, code: "environmentNotOpen",
            words: ["lists no testers"], setting: "apps[].sandboxAccess"
        ) { _, client in try await client.get("\(young)?environment=Sandbox", key: World.youngServerKey) },
        Refusal(
            testDescription: "Production of an app that takes the Sandbox only", status: 403, code: "environmentNotTaken",
            words: ["The request is for Production", "?environment=", "accepts Sandbox only"], setting: "apps[].environments"
        ) { _, client in try await client.get(young, key: World.youngServerKey) },
        Refusal(
            testDescription: "a public key without a secret for customer tokens", status: 401, code: "customerTokenNotConfigured",
            words: ["needs a customer token", "no secret"], setting: "apps[].customerTokenSecret"
        ) { world, client in try await client.get(young, key: "tpk_young", token: TokenMint(at: world.clock.now()).text) },
        Refusal(
            testDescription: "a customer token under another secret", status: 401, code: "customerTokenRefused",
            words: ["signatureInvalid"], setting: "apps[].customerTokenSecret"
        ) { world, client in
            let token = TokenMint(at: world.clock.now()).with { $0.secret = Array(repeating: 7, count: 32) }.text
            return try await client.get(World.entitlements, key: World.publicKey, token: token)
        },
        Refusal(
            testDescription: "a customer token of another time", status: 401, code: "customerTokenRefused",
            words: ["expired", "it is 2026-06-02T00:00:00Z"], setting: "clock.file"
        ) { world, client in
            let token = TokenMint(at: world.clock.now().adding(.days(-2))).text
            return try await client.get(World.entitlements, key: World.publicKey, token: token)
        },
    ]

    @Test(arguments: refusals)
    func `A refusal because of a setting says what was found, what was expected, and which setting decides`(
        _ refusal: Refusal
    ) async throws {
        try await withRouter { world, client in
            let answer = try await refusal.ask(world, client)
            #expect(answer.status.code == refusal.status, "\(answer.text)")
            #expect(answer.isProblem)
            #expect(answer.code == refusal.code)
            #expect(answer.member("setting") == refusal.setting)
            let detail = try #require(answer.member("detail"))
            for words in refusal.words + [refusal.setting] { #expect(detail.contains(words), "\(detail)") }
        }
    }

    @Test func `A refusal that no setting can prevent names none`() async throws {
        try await withRouter { _, client in
            let answer = try await client.notify(PretendAppStore.body(signedPayload: "x"))
            #expect(answer.code == "notThreeParts")
            #expect(answer.member("setting") == nil)
        }
    }

    @Test func `Testers are not named to other customers`() async throws {
        try await withRouter { _, client in
            let answer = try await client.get("\(World.entitlements)?environment=Sandbox")
            #expect(!answer.text.contains("\"tester\""))
        }
    }

    @Test(arguments: ["subscriptions/1001", "warnings"])
    func `FACT-4 A question about an environment that is not accepted is refused`(_ question: String) async throws {
        try await withRouter { _, client in
            let refused = try await client.get("/api/v1/apps/young/\(question)", key: World.youngServerKey)
            #expect(refused.code == "environmentNotTaken")
            let asked = try await client.get("/api/v1/apps/young/\(question)?environment=Sandbox", key: World.youngServerKey)
            #expect(asked.code != "environmentNotTaken")
        }
    }

    @Test func `A subscription is unknown in one environment, and the answer says how to name another`()
        async throws
    {
        try await withRouter { _, client in
            let answer = try await client.get("/api/v1/apps/app/subscriptions/1001")
            #expect(answer.code == "unknownSubscription")
            #expect(answer.member("detail")?.contains("?environment=") == true)
        }
    }

    @Test func `An upload is answered with the environment of its entitlements`() async throws {
        try await withRouter { world, client in
            let sandbox = Purchase().with { $0.environment = "Sandbox" }
            let answer = try await client.upload(try world.uploadBody(sandbox), customer: "tester")
            #expect(answer.member("environment") == "Sandbox")
        }
    }

    @Test func `Readiness says that nothing asks Apple yet`() async throws {
        try await withRouter { _, client in
            let ready = try await client.get("/health/ready", key: nil)
            #expect(ready.status == .ok)
            #expect(ready.member("apple") == #"{"asks":false}"#)
        }
    }

    @Test func `Every setting that a refusal names is on the page of the configuration`() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let page = try String(contentsOf: root.appending(path: "docs/operations/configuration.md"), encoding: .utf8)
        for setting in DecidingSetting.allCases {
            #expect(page.contains("\n| `\(setting.rawValue)`"), "\(setting.rawValue)")
            #expect(setting.words.hasPrefix(setting.rawValue))
        }
    }
}

extension TestClientProtocol {
    fileprivate func upload(receipt: [UInt8], of app: String, key: String) async throws -> Answer {
        let body = #"{"kind":"restore","receipt":"\#(StrictBase64.encodePadded(receipt))"}"#
        return try await send(.post, "/api/v1/apps/\(app)/customers/alice/receipts", key: key, body: Array(body.utf8))
    }
}
