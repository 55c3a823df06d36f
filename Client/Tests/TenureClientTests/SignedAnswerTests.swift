import Foundation
import Testing

@testable import TenureClient

#if canImport(CryptoKit)
    import CryptoKit
#else
    import Crypto
#endif

@Suite("ENT-10 Signed answers")
struct SignedAnswerTests {
    private static let key = P256.Signing.PrivateKey()
    private static let other = P256.Signing.PrivateKey()
    private static let now = Instant(millisecondsSince1970: 1_700_000_000_000)

    private static func claims(_ changes: [String: Any] = [:]) -> [String: Any] {
        let end = now.millisecondsSince1970 + Length.day
        let plus: [String: Any] = ["id": "plus", "isActive": true, "offlineUntil": end, "isProvisional": false]
        let claims: [String: Any] = [
            "iss": "tenure", "aud": "notes", "sub": "alice", "environment": "Production", "iat": now.millisecondsSince1970 / 1000,
            "exp": now.millisecondsSince1970 / 1000 + 259_200, "nonce": "n-1", "isActive": true, "offlineUntil": end,
            "entitlements": [plus],
        ]
        return claims.merging(changes) { $1 }
    }

    private static func signed(
        _ changes: [String: Any] = [:], by signer: P256.Signing.PrivateKey = key, header: String? = nil
    ) throws -> String {
        try JWS.sign(
            try JSONSerialization.data(withJSONObject: claims(changes), options: .sortedKeys), by: signer, header: header)
    }

    private static func verifier(_ keys: [P256.Signing.PublicKey] = [key.publicKey]) throws -> SignedAnswerVerifier {
        SignedAnswerVerifier(app: "notes", keys: try AnswerKeys(jwks: JWS.set(keys)))
    }

    private static func refusal(
        _ compact: String, _ expected: SignedAnswerVerifier.Expectation = .init(customer: "alice", nonce: "n-1", now: now),
        keys: [P256.Signing.PublicKey] = [key.publicKey]
    ) throws -> SignedAnswerRefusal? {
        do {
            _ = try verifier(keys).verify(compact, expected)
            return nil
        } catch let refusal as SignedAnswerRefusal {
            return refusal
        }
    }

    @Test func `ENT-10 what the server signed is believed, and no longer than it says`() throws {
        let claims = try Self.verifier().verify(
            try Self.signed(), .init(customer: "alice", nonce: "n-1", now: Self.now))
        #expect(claims.offlineUntil("plus", at: Self.now) == Self.now.adding(Length.day))
        #expect(claims.offlineUntil(nil, at: Self.now) == Self.now.adding(Length.day))
        #expect(claims.offlineUntil("other", at: Self.now) == nil)
        #expect(claims.offlineUntil("plus", at: claims.expiresAt) == nil)
    }

    @Test func `ENT-10 another key, app, customer, request, time or algorithm is refused, each for its own reason`() throws {
        #expect(try Self.refusal(try Self.signed()) == nil)
        #expect(try Self.refusal(try Self.signed(by: Self.other)) == .unknownKey)
        let borrowed = #"{"alg":"ES256","kid":"\#(JWS.kid(Self.key.publicKey))"}"#
        #expect(try Self.refusal(try Self.signed(by: Self.other, header: borrowed)) == .signature)
        #expect(try Self.refusal(try Self.signed(["aud": "game"])) == .audience)
        #expect(try Self.refusal(try Self.signed(["iss": "somebody"])) == .audience)
        #expect(try Self.refusal(try Self.signed(["sub": "bob"])) == .customer)
        #expect(try Self.refusal(try Self.signed(["environment": "Sandbox"])) == .environment)
        #expect(try Self.refusal(try Self.signed(["nonce": "n-2"])) == .nonce)
        for claim in ["iat", "nbf"] {
            let seconds = Self.now.millisecondsSince1970 / 1000
            #expect(try Self.refusal(try Self.signed([claim: seconds + 301])) == .early)
            #expect(try Self.refusal(try Self.signed([claim: seconds + 300])) == nil, "clocks differ a little")
        }
        #expect(try Self.refusal(try Self.signed(["exp": Self.now.millisecondsSince1970 / 1000])) == .expired)
        let newer = SignedAnswerVerifier.Expectation(
            customer: "alice", nonce: "n-1", now: Self.now, newest: Self.now.adding(Length.second))
        #expect(try Self.refusal(try Self.signed(), newer) == .older)
        for header in [
            #"{"alg":"none"}"#, #"{"alg":"HS256","kid":"\#(JWS.kid(Self.key.publicKey))"}"#,
            #"{"alg":"ES256","crit":["b64"],"kid":"\#(JWS.kid(Self.key.publicKey))"}"#,
        ] { #expect(try Self.refusal(try Self.signed(header: header)) == .algorithm) }
        #expect(try Self.refusal(try Self.signed(), keys: []) == .unknownKey)
    }

    @Test func `ENT-10 two keys are known while one is being changed`() throws {
        let keys = [Self.key.publicKey, Self.other.publicKey]
        #expect(try Self.refusal(try Self.signed(), keys: keys) == nil)
        #expect(try Self.refusal(try Self.signed(by: Self.other), keys: keys) == nil)
    }

    @Test func `D5 of 10,000 changed answers none is believed`() throws {
        let verifier = try Self.verifier()
        let whole = Array(try Self.signed().utf8)
        let expected = SignedAnswerVerifier.Expectation(customer: "alice", nonce: "n-1", now: Self.now)
        var generator = Seeded(state: 5)
        var believed: [String] = []
        for _ in 0..<10_000 {
            var changed = whole
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let place = Int.random(in: 0..<changed.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: changed[place] = UInt8.random(in: 33...126, using: &generator)
                case 1: changed.remove(at: place)
                case 2: changed.insert(UInt8.random(in: 33...126, using: &generator), at: place)
                default: changed.swapAt(place, Int.random(in: 0..<changed.count, using: &generator))
                }
            }
            guard changed != whole else { continue }
            let text = String(decoding: changed, as: UTF8.self)
            do {
                _ = try verifier.verify(text, expected)
                believed.append(text)
            } catch {
                continue
            }
        }
        #expect(believed.isEmpty, "\(believed.prefix(2))")
        Size.figure("D5", "\(believed.count) of 10000 changed answers believed")
    }

    @Test func `every answer of another request, customer or day that is played again is refused`() throws {
        for (customer, nonce) in [("alice", "n-0"), ("bob", "n-1"), ("bob", "n-0")] {
            for days in Int64(0)..<5 {
                let expected = SignedAnswerVerifier.Expectation(
                    customer: "alice", nonce: "n-1", now: Self.now.adding(days * Length.day))
                #expect(try Self.refusal(try Self.signed(["sub": customer, "nonce": nonce]), expected) != nil)
            }
        }
    }

    @Test func `base64 of each value has one spelling`() {
        #expect(Base64URL.decode(Array("AA".utf8)[...]) == [0])
        for text in ["AB", "A", "AA==", "A A", "AA+", "AA/", "\u{0}"] { #expect(Base64URL.decode(Array(text.utf8)[...]) == nil) }
    }

    @Test func `a set of keys that is none is refused`() {
        #expect(throws: AnswerKeys.Refusal.unreadable) { try AnswerKeys(jwks: Data("{}".utf8)) }
        #expect(throws: AnswerKeys.Refusal.noKeyOnP256("k")) {
            try AnswerKeys(jwks: Data(#"{"keys":[{"kty":"EC","crv":"P-256","kid":"k","x":"AA","y":"AA"}]}"#.utf8))
        }
        let nowhere = String(repeating: "A", count: 43)
        #expect(throws: AnswerKeys.Refusal.noKeyOnP256("k")) {
            try AnswerKeys(
                jwks: Data(#"{"keys":[{"kty":"EC","crv":"P-256","kid":"k","x":"\#(nowhere)","y":"\#(nowhere)"}]}"#.utf8))
        }
    }
}

@Suite("Customer tokens")
struct TokenTests {
    private actor Backend {
        private(set) var asked = 0

        func token(of customer: String) async throws -> String {
            asked += 1
            let number = asked
            // Others ask meanwhile.
            for _ in 0..<20 { await Task.yield() }
            return "\(customer)-\(number)"
        }
    }

    @Test func `the backend is asked once for all who wait, again after a refusal, and never with another customer's`()
        async throws
    {
        let backend = Backend()
        let tokens = CustomerTokens { try await backend.token(of: $0) }
        let all = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<50 { group.addTask { try await tokens.token(of: "alice") } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(all == ["alice-1"])
        #expect(try await tokens.token(of: "alice") == "alice-1")
        #expect(try await tokens.token(of: "alice", instead: "alice-1") == "alice-2")
        #expect(try await tokens.token(of: "bob") == "bob-3")
        #expect(try await tokens.token(of: "alice") == "alice-4")
    }

    @Test func `a backend that does not answer, and hears no cancellation, is not waited for`() async throws {
        let tokens = CustomerTokens(patience: 20) { _ in
            try await withCheckedThrowingContinuation { continuation in
                // Longer than any test.
                Thread.detachNewThread {
                    Thread.sleep(forTimeInterval: 2)
                    continuation.resume(returning: "late")
                }
            }
        }
        await #expect(throws: CustomerTokens.Late.self) { try await tokens.token(of: "alice") }
    }
}
