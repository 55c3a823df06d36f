import Crypto
import HTTPTypes
import Ledger
import Primitives
import Testing

@testable import Server

/// Tokens of an identity provider, with ES256.
@Suite struct `Customer tokens with ES256` {
    private static let app = AppID("app")
    private static let now = Timestamp(millisecondsSince1970: 1_780_000_000_000)
    private static let secret = Array("a secret of thirty-two bytes, or more".utf8)
    private let key = P256.Signing.PrivateKey()

    private func trust(secret: [UInt8]? = nil, _ change: (inout CustomerTokenKeys) -> Void = { _ in }) -> CustomerTokenTrust {
        var keys = CustomerTokenKeys(
            keys: ["k1": key.publicKey], issuer: "https://id.example", audience: "mobile")
        change(&keys)
        return CustomerTokenTrust(app: Self.app, secret: secret, keys: keys)
    }

    /// What a token says, member by member, as JSON.
    private struct Draft {
        var header = [("alg", #""ES256""#), ("kid", #""k1""#), ("typ", #""JWT""#)]
        var claims: [(String, String)]

        init(at now: Timestamp) {
            let seconds = now.millisecondsSince1970 / 1000
            claims = [
                ("iss", #""https://id.example""#), ("aud", #""mobile""#), ("sub", #""alice""#), ("iat", "\(seconds)"),
                ("exp", "\(seconds + 3600)"),
            ]
        }

        mutating func set(_ name: String, _ value: String?) { Self.set(&claims, name, value) }

        mutating func head(_ name: String, _ value: String?) { Self.set(&header, name, value) }

        private static func set(_ members: inout [(String, String)], _ name: String, _ value: String?) {
            members.removeAll { $0.0 == name }
            if let value { members.append((name, value)) }
        }

        var input: String {
            [header, claims].map { members in
                let text = members.map { #""\#($0.0)":\#($0.1)"# }.joined(separator: ",")
                return StrictBase64.encodeURL(Array("{\(text)}".utf8))
            }.joined(separator: ".")
        }

        func signed(_ signature: [UInt8]) -> String { "\(input).\(StrictBase64.encodeURL(signature))" }

        func signed(by key: P256.Signing.PrivateKey) throws -> String {
            signed(Array(try key.signature(for: Array(input.utf8)).rawRepresentation))
        }

        func signed(under secret: [UInt8]) -> String {
            signed(Array(HMAC<SHA256>.authenticationCode(for: Array(input.utf8), using: SymmetricKey(data: secret))))
        }
    }

    private func outcome(_ token: String, _ trust: CustomerTokenTrust, at now: Timestamp = now) -> String {
        do throws(CustomerToken.Refusal) {
            return "is \(try CustomerToken.customer(in: token, believing: trust, at: now))"
        } catch {
            return error.rawValue
        }
    }

    private func outcome(_ trust: CustomerTokenTrust? = nil, _ change: (inout Draft) -> Void = { _ in }) throws -> String {
        var draft = Draft(at: Self.now)
        change(&draft)
        return outcome(try draft.signed(by: key), trust ?? self.trust())
    }

    @Test func `A provider's token names the customer of the configured claim`() throws {
        #expect(try outcome() == "is alice")
        #expect(try outcome { $0.set("aud", #"["web","mobile"]"#) } == "is alice")
        #expect(try outcome(trust { $0.claim = "user_id" }) { $0.set("user_id", #""u-1""#) } == "is u-1")
        #expect(try outcome { $0.set("nested", #"{"a":{"b":[1,2,{"c":null}]}}"#) } == "is alice")
        #expect(try outcome(trust(secret: Self.secret)) == "is alice")
    }

    @Test func `What it must say is checked, each by its own word`() throws {
        let seconds = Self.now.millisecondsSince1970 / 1000
        for (name, value, reason) in [
            ("iss", nil, "issuerOfAnother"), ("iss", #""https://id.example/""#, "issuerOfAnother"),
            ("iss", #"["https://id.example"]"#, "issuerOfAnother"), ("aud", nil, "claimMissing"),
            ("aud", #""app""#, "audienceOfAnotherApp"), ("aud", "[]", "audienceOfAnotherApp"),
            ("aud", #"["web"]"#, "audienceOfAnotherApp"), ("aud", #"{"mobile":"mobile"}"#, "audienceOfAnotherApp"),
            ("sub", nil, "claimMissing"), ("sub", #""""#, "claimMissing"), ("sub", "7", "claimMissing"),
            ("iat", nil, "claimMissing"), ("exp", nil, "claimMissing"), ("exp", "1e400", "claimMissing"),
            ("exp", "9223372036854775807", "claimMissing"), ("exp", "\(seconds)", "expired"),
            ("iat", "\(seconds + 61)", "notYetIssued"), ("nbf", "\(seconds + 61)", "notYetValid"),
            ("exp", "\(seconds + 86_401)", "validForTooLong"),
        ] as [(String, String?, String)] {
            #expect(try outcome { $0.set(name, value) } == reason, "\(name) \(value ?? "absent")")
        }
        #expect(try outcome { $0.set("exp", "\(seconds + 86_400)") } == "is alice", "a day")
        let hour = trust { $0.longestValidity = .hours(1) }
        #expect(try outcome(hour) == "is alice")
        #expect(try outcome(hour) { $0.set("exp", "\(seconds + 3601)") } == "validForTooLong")
        let week = trust { $0.longestValidity = .days(7) }
        #expect(try outcome(week) { $0.set("exp", "\(seconds + 86_401)") } == "validForTooLong", "never more than a day")
    }

    @Test func `The header chooses nothing that the configuration does not`() throws {
        for (name, value, reason) in [
            ("kid", nil, "keyUnknown"), ("kid", #""k2""#, "keyUnknown"), ("kid", "1", "keyUnknown"),
            ("alg", nil, "algorithmNotAccepted"), ("alg", #""none""#, "algorithmNotAccepted"),
            ("alg", #""es256""#, "algorithmNotAccepted"), ("alg", #""ES384""#, "algorithmNotAccepted"),
            ("alg", #""RS256""#, "algorithmNotAccepted"), ("alg", #"["ES256"]"#, "algorithmNotAccepted"),
            ("crit", #"["exp"]"#, "algorithmNotAccepted"),
        ] as [(String, String?, String)] {
            #expect(try outcome { $0.head(name, value) } == reason, "\(name) \(value ?? "absent")")
        }
    }

    /// CVE-2015-9235 and its like: a public key taken for a secret.
    @Test func `A public key is never taken for a secret, in whatever spelling`() throws {
        let spellings: [[UInt8]] = [
            Array(key.publicKey.rawRepresentation), Array(key.publicKey.x963Representation),
            Array(key.publicKey.derRepresentation), Array(key.publicKey.pemRepresentation.utf8),
            Array((key.publicKey.pemRepresentation + "\n").utf8), [],
        ]
        var draft = Draft(at: Self.now)
        draft.head("alg", #""HS256""#)
        draft.set("aud", #""app""#)
        for spelling in spellings where !spelling.isEmpty {
            #expect(outcome(draft.signed(under: spelling), trust()) == "algorithmNotAccepted")
            #expect(outcome(draft.signed(under: spelling), trust(secret: Self.secret)) == "signatureInvalid")
        }
        #expect(outcome(draft.signed(under: Self.secret), trust(secret: Self.secret)) == "is alice", "the backend's own")
        // And the other way round: the code of the secret is no signature.
        draft.head("alg", #""ES256""#)
        #expect(outcome(draft.signed(under: Self.secret), trust(secret: Self.secret)) == "signatureInvalid")
    }

    @Test func `A secret and keys have expectations of their own: neither lends the other its audience`() throws {
        var draft = Draft(at: Self.now)
        draft.head("alg", #""HS256""#)
        #expect(outcome(draft.signed(under: Self.secret), trust(secret: Self.secret)) == "audienceOfAnotherApp")
        #expect(try outcome(trust(secret: Self.secret)) { $0.set("aud", #""app""#) } == "audienceOfAnotherApp")
        let withoutKeys = CustomerTokenTrust(app: Self.app, secret: Self.secret)
        #expect(try outcome(withoutKeys) == "algorithmNotAccepted")
    }

    @Test func `What is no signature of the key is refused`() throws {
        let draft = Draft(at: Self.now)
        let right = Array(try key.signature(for: Array(draft.input.utf8)).rawRepresentation)
        var flipped = right
        flipped[63] ^= 1
        let der = Array(try key.signature(for: Array(draft.input.utf8)).derRepresentation)
        let zeros = [UInt8](repeating: 0, count: 64)
        // The order of the curve's group, as r and as s (CVE-2022-21449 took such).
        let order = try #require(Hexadecimal.decode("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"))
        for signature in [flipped, der, zeros, order + order, right + [0], Array(right.dropLast()), [], Array(right.reversed())] {
            #expect(outcome(draft.signed(signature), trust()) == "signatureInvalid", "\(signature.count) bytes")
        }
        let stranger = P256.Signing.PrivateKey()
        #expect(outcome(try draft.signed(by: stranger), trust()) == "signatureInvalid")
        // A key that the token brings along is nobody's.
        var own = draft
        let coordinates = Array(stranger.publicKey.rawRepresentation)
        let (x, y) = (StrictBase64.encodeURL(coordinates[..<32]), StrictBase64.encodeURL(coordinates[32...]))
        own.head("jwk", #"{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)","kid":"k1"}"#)
        #expect(outcome(try own.signed(by: stranger), trust()) == "signatureInvalid")
        var claims = Draft(at: Self.now)
        claims.set("sub", #""mallory""#)
        #expect(outcome(claims.signed(right), trust()) == "signatureInvalid", "another token's signature")
    }
}
