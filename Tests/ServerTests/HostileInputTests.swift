import AppStoreWire
import Backend
import HTTPTypes
import HummingbirdTesting
import Primitives
import SimulatorPKI
import Storage
import StrictJSON
import Testing

@Suite struct `Hostile input` {
    /// A body for the notification address, made from a valid one of the App Store's.
    struct Hostility: Sendable, CustomStringConvertible {
        let description: String
        let code: String
        let status: Int
        let body: @Sendable (PretendAppStore) throws -> [UInt8]

        init(
            _ description: String, _ code: String, status: Int = 400,
            body: @escaping @Sendable (PretendAppStore) throws -> [UInt8]
        ) {
            (self.description, self.code, self.status, self.body) = (description, code, status, body)
        }

        /// The payload of a valid notification with a text replaced by another.
        init(_ code: String, replacing text: String, by other: String) {
            self.init("\(text) as \(other.prefix(40))", code) { apple in
                let inner = try apple.sign(Purchase())
                let payload = String(
                    decoding: Notification("u1", about: Purchase()).json(transaction: inner, renewalInfo: nil), as: UTF8.self)
                let changed = payload.replacing(text, with: other)
                #expect(changed != payload)
                return PretendAppStore.body(signedPayload: try apple.authority.sign(payload: Array(changed.utf8)))
            }
        }

        /// The payload of the transaction inside with a text replaced by another.
        init(inside code: String, replacing text: String, by other: String) {
            self.init("inside, \(text) as \(other.prefix(40))", code) { apple in
                let payload = String(decoding: Purchase().json, as: UTF8.self)
                let changed = payload.replacing(text, with: other)
                #expect(changed != payload)
                let inner = try apple.authority.sign(payload: Array(changed.utf8))
                return PretendAppStore.body(
                    signedPayload: try apple.sign(Notification("u1", about: Purchase()), transaction: inner))
            }
        }
    }

    private static func withHeader(_ header: @escaping @Sendable (PretendAppStore) -> String)
        -> @Sendable (PretendAppStore) throws -> [UInt8]
    {
        { apple in
            let payload = Notification("u1", about: nil).json(transaction: nil, renewalInfo: nil)
            return PretendAppStore.body(
                signedPayload: try apple.authority.sign(payload: payload, header: Array(header(apple).utf8)))
        }
    }

    static let june = "\(PretendAppStore.june.millisecondsSince1970)"

    static let hostilities: [Hostility] = [
        Hostility("empty", "bodyUnreadable") { _ in [] },
        Hostility("an array", "bodyUnreadable") { _ in Array("[]".utf8) },
        Hostility("a number", "bodyUnreadable") { _ in Array("1e400".utf8) },
        Hostility("not UTF-8", "bodyUnreadable") { _ in [0xFF, 0xFE, 0x00] },
        Hostility("signedPayload null", "bodyUnreadable") { _ in Array(#"{"signedPayload":null}"#.utf8) },
        Hostility("signedPayload twice", "bodyUnreadable") { _ in Array(#"{"signedPayload":"a","signedPayload":"b"}"#.utf8) },
        Hostility("100,000 levels", "bodyUnreadable") { _ in Array((#"{"a":"# + String(repeating: "[", count: 100_000)).utf8) },
        Hostility("an empty JWS", "notThreeParts") { _ in PretendAppStore.body(signedPayload: "") },
        Hostility("dots", "headerNotJSON") { _ in PretendAppStore.body(signedPayload: "..") },
        Hostility("broken base64", "headerNotBase64URL") { _ in PretendAppStore.body(signedPayload: "a*b.c.d") },
        Hostility("alg none", "algorithmNotES256", body: withHeader { _ in #"{"alg":"none"}"# }),
        Hostility("alg HS256", "algorithmNotES256", body: withHeader { _ in #"{"alg":"HS256"}"# }),
        Hostility("no chain", "chainMissing", body: withHeader { _ in #"{"alg":"ES256"}"# }),
        Hostility("an embedded key", "headerParameterNotAllowed", body: withHeader { _ in #"{"alg":"ES256","jwk":{}}"# }),
        Hostility(
            "x5c broken", "certificateNotBase64", body: withHeader { _ in #"{"alg":"ES256","x5c":["*","*","*"]}"# }),
        Hostility(
            "x5c of 43 certificates", "chainLengthNotThree",
            body: withHeader { apple in
                let chain = (0..<43).map { apple.authority.chainDER[$0 % 3] }.map {
                    "\"\(StrictBase64.encodePadded(Array($0.prefix(200))))\""
                }
                return #"{"alg":"ES256","x5c":[\#(chain.joined(separator: ","))]}"#
            }),
        Hostility("signed by a stranger", "rootNotTrusted") { _ in try PretendAppStore().body(Notification("u1", about: nil)) },
        Hostility("wrongBundleId", replacing: "com.example.app", by: "com.example.nobody"),
        Hostility("wrongEnvironment", replacing: "\"Production\"", by: "\"production\""),
        Hostility("fieldInvalid", replacing: "\"status\":1", by: "\"status\":\"1\""),
        Hostility("fieldInvalid", replacing: "\"status\":1", by: "\"status\":1e400"),
        Hostility("fieldInvalid", replacing: "\"status\":1", by: "\"status\":9223372036854775808"),
        Hostility("fieldInvalid", replacing: "\"status\":1", by: "\"status\":1.5"),
        Hostility("fieldInvalid", replacing: "\"signedDate\":\(june)", by: "\"signedDate\":9223372036854775807"),
        Hostility("fieldMissing", replacing: "\"signedDate\":\(june)", by: "\"signedDate\":null"),
        Hostility("fieldInvalid", replacing: "\"notificationType\":\"SUBSCRIBED\"", by: "\"notificationType\":7"),
        Hostility("payloadNotJSON", replacing: "\"version\":\"2.0\"", by: "\"notificationUUID\":\"u2\""),
        Hostility("payloadNotJSON", replacing: "\"version\":\"2.0\"", by: "\"x\":" + String(repeating: "[", count: 10_000)),
        Hostility(inside: "fieldInvalid", replacing: "\"price\":9990", by: "\"price\":1e400"),
        Hostility(inside: "fieldInvalid", replacing: "\"price\":9990", by: "\"price\":9223372036854775808"),
        Hostility(inside: "fieldInvalid", replacing: "\"purchaseDate\":\(june)", by: "\"purchaseDate\":-1"),
        Hostility(inside: "fieldInvalid", replacing: "\"quantity\":1", by: "\"quantity\":{}"),
        Hostility(inside: "wrongKind", replacing: "\"productId\":\"plus.monthly\"", by: "\"productId\":null"),
        Hostility("600 KiB", "bodyTooLarge", status: 413) { _ in [UInt8](repeating: 0x20, count: 600 * 1024) },
        Hostility("one byte too many", "bodyTooLarge", status: 413) { _ in [UInt8](repeating: 0x20, count: 256 * 1024 + 1) },
    ]

    /// Whether a trusted signer signed it all the same (RECON-4).
    private static func isSigned(_ hostility: Hostility) -> Bool {
        ["fieldInvalid", "fieldMissing"].contains(hostility.code)
    }

    @Test(arguments: hostilities.filter(isSigned))
    func `RECON-4 T33 A notification that is signed and cannot be read applies nothing, is kept once, and ends no server`(
        _ hostility: Hostility
    ) async throws {
        try await withRouter { world, client in
            let before = try world.rowCount()
            for _ in 0..<2 {
                let answer = try await client.notify(try hostility.body(world.apple))
                #expect(answer.status == .ok && answer.text == #"{"outcome":"parked"}"#, "\(answer.text)")
            }
            // The app's ledger, and the work that tries it again.
            #expect(try world.rowCount() <= before + 2)
            let ready = try await client.get("/health/ready", key: nil)
            #expect(ready.member("notifications") == #"{"applied":0,"duplicate":0,"refused":0,"failed":0,"parked":2}"#)
        }
    }

    @Test(arguments: hostilities.filter { !isSigned($0) })
    func `FACT-3 T33 A notification that proves nothing is refused, counted, and stored nowhere`(_ hostility: Hostility)
        async throws
    {
        try await withRouter { world, client in
            let before = try world.rowCount()
            let answer = try await client.notify(try hostility.body(world.apple))
            #expect(answer.status.code == hostility.status)
            #expect(answer.isProblem, "\(answer.text)")
            #expect(answer.code == hostility.code, "\(answer.text)")
            #expect(try world.rowCount() == before)
            let refused = hostility.status == 400 ? 1 : 0
            let ready = try await client.get("/health/ready", key: nil)
            #expect(ready.member("notifications") == #"{"applied":0,"duplicate":0,"refused":\#(refused),"failed":0,"parked":0}"#)
        }
    }

    @Test(arguments: [
        "", "null", "[]", "{}", #"{"kind":"purchase"}"#, #"{"kind":"purchase","signedTransactionInfo":7}"#,
        #"{"kind":"gift","signedTransactionInfo":"x"}"#, #"{"kind":null,"signedTransactionInfo":"x"}"#,
        #"{"kind":"purchase","kind":"restore","signedTransactionInfo":"x"}"#,
        #"{"kind":"purchase","signedTransactionInfo":"x","isActive":true}"#,
        #"{"kind":"purchase","signedTransactionInfo":"x","customer":"bob"}"#,
        #"{"kind":"purchase","signedTransactionInfo":"x","productId":1e400}"#,
        String(repeating: "[", count: 100_000), #"{"kind":"# + String(repeating: #"{"a":"#, count: 50_000),
    ])
    func `T51 An invalid upload is refused, including one with unknown members`(_ body: String) async throws {
        try await withRouter { world, client in
            let before = try world.rowCount()
            let answer = try await client.upload(Array(body.utf8))
            #expect(answer.status == .badRequest)
            #expect(answer.isProblem)
            #expect(answer.code == "invalidBody")
            #expect(try world.rowCount() == before)
        }
    }

    @Test func `T05 A renewal info, a notification or rubbish in place of a transaction is refused with the reason`()
        async throws
    {
        try await withRouter { world, client in
            let before = try world.rowCount()
            for (jws, code) in [
                (try world.apple.sign(RenewalInfo()), "wrongKind"),
                (try world.apple.sign(Notification("u1", about: Purchase())), "wrongKind"),
                ("x", "notThreeParts"),
                (try world.apple.sign(Purchase().with { $0.bundleId = "com.example.other" }), "wrongBundleId"),
                (
                    try world.apple.sign(Purchase().with { $0.signedDate = PretendAppStore.june.adding(.days(2)) }),
                    "signedDateInFuture"
                ),
            ] {
                let answer = try await client.upload(Array(#"{"kind":"purchase","signedTransactionInfo":"\#(jws)"}"#.utf8))
                #expect(answer.status == .badRequest)
                #expect(answer.code == code)
                #expect(answer.member("rule") == "FACT-3")
            }
            #expect(try world.rowCount() == before)
        }
    }

    @Test func `FACT-5 New values from Apple are accepted and kept`() async throws {
        try await withRouter { world, client in
            let purchase = Purchase().with {
                $0.type = "Time Share"
                $0.transactionReason = "WHIM"
            }
            var notification = Notification("u1", "DID_DREAM", about: purchase)
            (notification.subtype, notification.status) = ("OF_SHEEP", 99)
            let answer = try await client.notify(try world.apple.body(notification))
            #expect(answer.status == .ok)
            #expect(answer.member("outcome") == "applied")
        }
    }

    @Test func `T07 A notification signed with the mirrored signature is a duplicate`() async throws {
        try await withRouter { world, client in
            let jws = try world.apple.sign(Notification("u1", about: Purchase()))
            _ = try await client.notify(PretendAppStore.body(signedPayload: jws))
            let answer = try await client.notify(PretendAppStore.body(signedPayload: Malleable.mirrored(jws)))
            #expect(answer.status == .ok)
            #expect(answer.member("outcome") == "duplicate")
        }
    }
}
