import AppStoreWire
import Foundation
import Primitives
import SimulatorPKI
import Testing

/// The claims of a payload: its kind (T05), its date (T06), its app (FACT-4), its text (T08, T33).
@Suite struct `Claims` {
    let world: World

    init() throws { world = try World.shared.get() }

    // MARK: Kind

    static let kinds: [(String, Sample.Members)] = [
        ("transaction", Sample.transaction), ("renewalInfo", Sample.renewalInfo), ("appTransaction", Sample.appTransaction),
        ("notification", Sample.notification()), ("realtimeRequest", Sample.realtimeRequest),
    ]

    func refusal(of jws: String, at endpoint: String, for app: ExpectedApp) async -> JWSRefusal.Code? {
        switch endpoint {
        case "transaction": await world.verifier.transaction(jws, for: app, at: World.now).refusal
        case "renewalInfo": await world.verifier.renewalInfo(jws, for: app, at: World.now).refusal
        case "appTransaction": await world.verifier.appTransaction(jws, for: app, at: World.now).refusal
        default: await world.verifier.notification(jws, for: app, at: World.now).refusal
        }
    }

    @Test func `T05 FACT-4 a payload is accepted only as its own kind, of its own app and environment`() async throws {
        for (kind, members) in Self.kinds {
            let jws = try world.sign(members)
            for endpoint in ["transaction", "renewalInfo", "appTransaction", "notification"] {
                for isApp in [true, false] {
                    for isEnvironment in [true, false] {
                        let app = ExpectedApp(
                            bundleId: isApp ? "com.example.tenure" : "com.example.other", appAppleId: 4711,
                            environments: [isEnvironment ? .production : .sandbox])
                        var expected: JWSRefusal.Code?
                        if !isEnvironment { expected = .wrongEnvironment }
                        // A renewal info names no app: its type says so, and binding it checks the rest.
                        if !isApp, kind != "renewalInfo" { expected = .wrongBundleId }
                        if kind != endpoint { expected = .wrongKind }
                        #expect(
                            await refusal(of: jws, at: endpoint, for: app) == expected,
                            "\(kind) as \(endpoint), \(isApp), \(isEnvironment)")
                    }
                }
            }
        }
    }

    @Test func `T05 a payload with the marks of two kinds is of neither`() async throws {
        for (_, other) in Self.kinds.dropFirst() {
            let mixed = Sample.transaction + other.filter { member in !Sample.transaction.contains { $0.0 == member.0 } }
            #expect(await world.refusal(try world.sign(mixed)) == .wrongKind)
        }
    }

    @Test func `FACT-4 a renewal info counts only together with a transaction of the same subscription`() async throws {
        func bound(_ change: (String, String?), beside other: Sample.Members = Sample.transaction) async throws -> JWSRefusal
            .Code?
        {
            let jws = try world.sign(Sample.renewalInfo.with(change.0, change.1))
            let both = ExpectedApp(bundleId: World.app.bundleId, appAppleId: 4711, environments: [.production, .sandbox])
            let renewal = try await world.verifier.renewalInfo(jws, for: both, at: World.now).get()
            return renewal.bound(to: try await world.transaction(try world.sign(other)).get()).refusal
        }
        #expect(try await bound(("currency", "\"EUR\"")) == nil)
        #expect(try await bound(("appTransactionId", nil)) == nil)
        #expect(try await bound(("currency", "\"EUR\""), beside: Sample.transaction.with("appTransactionId", nil)) == nil)
        #expect(try await bound(("originalTransactionId", "\"2000000900000009\"")) == .renewalInfoNotOfTransaction)
        #expect(try await bound(("appTransactionId", "\"1\"")) == .renewalInfoNotOfTransaction)
        #expect(try await bound(("environment", "\"Sandbox\"")) == .wrongEnvironment)
    }

    // MARK: Date

    @Test func `T06 the signing date must lie within the certificates' validity and not after now`() async throws {
        let start = World.year.lowerBound.millisecondsSince1970, end = World.year.upperBound.millisecondsSince1970
        let now = World.now.millisecondsSince1970
        let cases: [(Int64, JWSRefusal.Code?)] = [
            (now, nil), (now + 300_000, nil), (now + 300_001, .signedDateInFuture), (now + 360_000, .signedDateInFuture),
            (start, nil), (start - 1, .signedDateOutsideChain), (0, .signedDateOutsideChain), (end, .signedDateInFuture),
            (end + 1, .signedDateOutsideChain), (1_684_822_778_492, .signedDateOutsideChain),
        ]
        for (date, expected) in cases {
            let jws = try world.sign(Sample.transaction.with("signedDate", "\(date)"))
            let result = await world.transaction(jws)
            #expect(result.refusal == expected, "\(date)")
            if case .failure(let refusal) = result { #expect(refusal.isRetryable == (expected == .signedDateInFuture)) }
        }
    }

    @Test func `T06 an expired leaf is trusted only for its own time, and not at all once it is distrusted`() async throws {
        let expired = World.year.lowerBound...World.instant(1_775_000_000_000)
        let old = try World(shape: .apple { $0.leafValidity = expired })
        let inTime = try old.sign(Sample.transaction.with("signedDate", "1774000000000"))
        let verified = try await old.transaction(inTime).get()
        #expect(await old.refusal(try old.sign(Sample.transaction)) == .signedDateOutsideChain)
        let distrusting = AppStoreVerifier(
            roots: TrustRoots(fingerprints: [old.authority.rootFingerprint]),
            distrustedLeafSerials: [try #require(verified.signer).leafSerial])
        for _ in 0..<2 {
            #expect(await distrusting.transaction(inTime, for: World.app, at: World.now).refusal == .leafDistrusted)
        }
        let never = try World(
            shape: .apple {
                $0.leafValidity = expired
                $0.intermediateValidity = World.instant(1_776_000_000_000)...World.year.upperBound
            })
        #expect(await never.refusal(try never.sign(Sample.transaction)) == .chainNeverValid)
    }

    @Test func `T06 an app transaction is dated by receiptCreationDate`() async throws {
        let late = try world.sign(Sample.appTransaction.with("receiptCreationDate", "1780000360001"))
        #expect(await refusal(of: late, at: "appTransaction", for: World.app) == .signedDateInFuture)
    }

    // MARK: App

    @Test func `FACT-4 a transaction of another bundle is refused, however similar`() async throws {
        for bundleId in ["com.example.Tenure", "com.example.tenure2", "com.example", "com.example.tenure ", "com.exаmple.tenure"]
        {
            #expect(await world.refusal(try world.sign(Sample.transaction.with("bundleId", "\"\(bundleId)\""))) == .wrongBundleId)
        }
        // U+212A, the kelvin sign, is canonically the letter K: equal for `==` of strings, but another app for Apple.
        let kelvin = ExpectedApp(bundleId: "com.example.K", appAppleId: 4711, environments: [.production])
        #expect(
            await world.refusal(try world.sign(Sample.transaction.with("bundleId", "\"com.example.\u{212A}\"")), for: kelvin)
                == .wrongBundleId)
        #expect(await world.refusal(try world.sign(Sample.transaction.with("bundleId", nil))) == .fieldMissing)
        #expect(await world.refusal(try world.sign(Sample.transaction.with("bundleId", "\"\""))) == .fieldInvalid)
    }

    @Test func `FACT-4 the app's Apple id counts in Production, wherever the payload names it`() async throws {
        let other = ExpectedApp(bundleId: World.app.bundleId, appAppleId: 4712, environments: [.production, .sandbox])
        let unknown = ExpectedApp(bundleId: World.app.bundleId, appAppleId: nil, environments: [.production, .sandbox])
        for (kind, members, field) in [
            ("notification", Sample.notification(), "environment"), ("appTransaction", Sample.appTransaction, "receiptType"),
        ] {
            let production = try world.sign(members)
            #expect(await refusal(of: production, at: kind, for: World.app) == nil)
            #expect(await refusal(of: production, at: kind, for: other) == .wrongAppAppleId)
            #expect(await refusal(of: production, at: kind, for: unknown) == .wrongAppAppleId)
            let data = Sample.text(Sample.data.with("environment", "\"Sandbox\""))
            let sandbox = try world.sign(kind == "notification" ? members.with("data", data) : members.with(field, "\"Sandbox\""))
            #expect(await refusal(of: sandbox, at: kind, for: other) == nil)
        }
        let unnamed = try world.sign(Sample.notification(data: Sample.data.with("appAppleId", nil)))
        #expect(await refusal(of: unnamed, at: "notification", for: other) == nil)
    }

    // MARK: Words

    static let instants = ["purchaseDate", "originalPurchaseDate", "expiresDate", "signedDate"]

    @Test(arguments: instants) func `T33 an instant that is not a whole number in range is refused and named`(_ field: String)
        async throws
    {
        let wrong = [
            "1e308", "1e400", "-1", "-9223372036854775808", "9223372036854775807", "9223372036854775808", "253402300800000",
            "1780000000000.5", "1.78e12", "\"1780000000000\"", "true", "[]", "{}", "99999999999999999999999999999999",
        ]
        for value in wrong {
            guard case .failure(let refusal) = await world.transaction(try world.sign(Sample.transaction.with(field, value)))
            else {
                Issue.record("\(field) \(value) was accepted")
                continue
            }
            #expect(refusal.code == .fieldInvalid && refusal.detail == field, "\(value): \(refusal)")
        }
    }

    @Test func `T33 numbers and flags of the wrong kind are refused and named`() async throws {
        let wrong: [(String, [String])] = [
            ("price", ["1e2", "9.99", "\"9990\"", "9223372036854775808", "true"]), ("quantity", ["1.0", "\"1\"", "1e0", "[1]"]),
            ("offerType", ["\"1\"", "1.5", "true"]), ("isUpgraded", ["1", "\"true\"", "0"]),
            ("revocationReason", ["\"0\"", "{}"]),
            ("revocationPercentage", ["0.5", "\"50\""]), ("currency", ["1", "[]", "\"U\\u0000D\""]),
            ("appAccountToken", ["7", "{}"]),
            ("commitmentInfo", ["[]", "1", "\"a\""]), ("advancedCommerceInfo", ["[]", "\"a\""]), ("type", ["1", "\"\""]),
        ]
        for (field, values) in wrong {
            for value in values {
                guard case .failure(let refusal) = await world.transaction(try world.sign(Sample.transaction.with(field, value)))
                else {
                    Issue.record("\(field) \(value) was accepted")
                    continue
                }
                #expect(refusal.code == .fieldInvalid && refusal.detail == field, "\(value): \(refusal)")
            }
        }
    }

    @Test func `T08 each of two hundred hostile payloads under a valid signature is refused for its reason`() async throws {
        var corpus: [(String, JWSRefusal.Code)] = []
        let text = Sample.text(Sample.transaction)
        for (name, value) in Sample.transaction {
            corpus.append((text.dropLast() + ",\"\(name)\":\(value)}", .payloadNotJSON))
            let escaped = name.unicodeScalars.map { "\\u00" + String($0.value, radix: 16) }.joined()
            corpus.append((text.dropLast() + ",\"\(escaped)\":\(value)}", .payloadNotJSON))
            for wrong in ["[[]]", "{\"a\":1}", "01", "NaN", "\"\\ud800\"", "\"\\u0000\"", "'x'"] {
                let isJSON = wrong.first != "0" && wrong.first != "N" && wrong.first != "'" && !wrong.contains("ud800")
                corpus.append((Sample.text(Sample.transaction.with(name, wrong)), isJSON ? .fieldInvalid : .payloadNotJSON))
            }
        }
        corpus += [
            ("", .payloadNotJSON), ("[]", .payloadNotJSON), ("null", .payloadNotJSON), ("{}", .wrongKind),
            ("\u{FEFF}" + text, .payloadNotJSON),
            (text + "x", .payloadNotJSON), (text + "\u{0}", .payloadNotJSON), (text + text, .payloadNotJSON),
            (text.dropLast() + ",}", .payloadNotJSON),
            (
                text.dropLast() + ",\"x\":\(String(repeating: "[", count: 70))1\(String(repeating: "]", count: 70))}",
                .payloadNotJSON
            ),
            (String(repeating: "[", count: 100_000), .payloadNotJSON),
        ]
        #expect(corpus.count >= 200)
        for (json, expected) in corpus {
            #expect(await world.refusal(try world.authority.sign(payload: Array(json.utf8))) == expected, "\(json.suffix(60))")
        }
        for bytes: [UInt8] in [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80]] {
            let jws = try world.authority.sign(
                payload: Array(text.dropLast().utf8) + [0x2C, 0x22] + bytes + [0x22, 0x3A, 0x31, 0x7D])
            #expect(await world.refusal(jws) == .payloadNotJSON)
        }
    }

    @Test func `T08 a damaged payload under a valid signature never traps, and Foundation reads accepted ones alike`()
        async throws
    {
        let seed = UInt64.random(in: 0 ... .max)
        var generator = SeededGenerator(seed: seed)
        var accepted = 0
        for round in 0..<3_000 {
            var json = Sample.json(Sample.transaction)
            for _ in 0...Int.random(in: 0...2, using: &generator) {
                json[Int.random(in: 0..<json.count, using: &generator)] = UInt8.random(in: 0x20...0x7E, using: &generator)
            }
            guard case .success(let verified) = await world.transaction(try world.authority.sign(payload: json)) else { continue }
            accepted += 1
            let foundation: [String: Any]?
            do {
                foundation = try JSONSerialization.jsonObject(with: Data(json)) as? [String: Any]
            } catch {
                // RFC 8259 allows numbers of any size. Where two faults were combined, one in a name and an exponent in its
                // value, the field is unknown to us and Foundation refuses the number.
                #expect("\(error)".contains("not representable"), "seed \(seed), round \(round)")
                continue
            }
            let isSame =
                foundation?["transactionId"] as? String == verified.payload.transactionId
                && (foundation?["purchaseDate"] as? NSNumber)?.int64Value == verified.payload.purchaseDate.millisecondsSince1970
                && (foundation?["expiresDate"] as? NSNumber)?.int64Value == verified.payload.expiresDate?.millisecondsSince1970
                && foundation?["productId"] as? String == verified.payload.productId
            #expect(isSame, "seed \(seed), round \(round)")
        }
        #expect(accepted > 100)
    }

    @Test func `an unknown field is not a reason to refuse, and stays in the evidence`() async throws {
        let members = Sample.transaction + [("multiSeatInfo", "{\"priceTiers\":[{\"price\":1,\"quantity\":2}]}"), ("x", "1e400")]
        let verified = try await world.transaction(try world.sign(members)).get()
        #expect(verified.payloadJSON == Sample.json(members))
    }

    @Test func `an unknown value keeps its raw value`() async throws {
        let changed = Sample.transaction.with("type", "\"Rental\"").with("offerType", "99").with("inAppOwnershipType", "\"LENT\"")
        let payload = try await world.transaction(try world.sign(changed)).get().payload
        #expect(
            payload.type.rawValue == "Rental" && payload.offerType?.rawValue == 99
                && payload.inAppOwnershipType?.rawValue == "LENT")
    }

    @Test func `Xcode's fractions of a millisecond are floored in Xcode's payloads only`() async throws {
        let app = ExpectedApp(bundleId: World.app.bundleId, appAppleId: nil, environments: [.xcode])
        let xcode = Sample.transaction.with("environment", "\"Xcode\"").with("signedDate", "1780000000000.9141")
        #expect(try await world.transaction(try world.sign(xcode), for: app).get().signedDate == World.signed)
    }

    @Test func `an account token keeps its spelling and knows whether it is a UUID`() {
        #expect(
            AppAccountToken(rawValue: "7E3FB20B-4cdb-47cc-936d-99D65f608138").canonicalUUID
                == "7e3fb20b-4cdb-47cc-936d-99d65f608138")
        for text in [
            "", "7e3fb20b4cdb47cc936d99d65f608138", "7e3fb20b-4cdb-47cc-936d-99d65f60813g",
            "7e3fb20b-4cdb-47cc-936d-99d65f6081380",
        ] {
            #expect(AppAccountToken(rawValue: text).canonicalUUID == nil)
        }
    }
}
