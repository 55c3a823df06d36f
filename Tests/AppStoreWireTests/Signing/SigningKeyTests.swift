import AppStoreWire
import Crypto
import Foundation
import Primitives
import Testing

/// Our own key, and an independent reader of what it signed.
struct SigningWorld {
    static let keyId = "2X9R4HXF34"
    static let issuerId = "57246542-96fe-1a63-e053-0824d011072a"

    let secret: P256.Signing.PrivateKey
    let key: SigningKey

    init() throws {
        secret = P256.Signing.PrivateKey()
        key = try SigningKey(pem: secret.pemRepresentation, keyId: Self.keyId, issuerId: Self.issuerId)
    }

    static func base64URL(_ text: Substring) -> Data? {
        var text = text.replacing("-", with: "+").replacing("_", with: "/")
        text += String(repeating: "=", count: (4 - text.count % 4) % 4)
        return Data(base64Encoded: String(text))
    }

    /// The header and the claims, after swift-crypto verified the signature.
    func opened(_ jws: String) throws -> (header: NSDictionary, claims: NSDictionary) {
        let parts = jws.split(separator: ".", omittingEmptySubsequences: false)
        try #require(parts.count == 3)
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: try #require(Self.base64URL(parts[2])))
        try #require(secret.publicKey.isValidSignature(signature, for: Data((parts[0] + "." + parts[1]).utf8)))
        return (try object(parts[0]), try object(parts[1]))
    }

    private func object(_ part: Substring) throws -> NSDictionary {
        let bytes = try #require(Self.base64URL(part))
        return try #require(try JSONSerialization.jsonObject(with: bytes) as? NSDictionary)
    }
}

@Suite struct `Keys for signing` {
    static func pem(_ kind: String, _ der: [UInt8]) -> String {
        "-----BEGIN \(kind)-----\n\(Data(der).base64EncodedString(options: .lineLength64Characters))\n-----END \(kind)-----\n"
    }

    private func refusal(
        _ pem: String, keyId: String = SigningWorld.keyId, issuerId: String = SigningWorld.issuerId, file: String? = nil
    ) -> SigningKeyError.Code? {
        do throws(SigningKeyError) {
            _ = try SigningKey(pem: pem, keyId: keyId, issuerId: issuerId, fileName: file)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func `a key in Apple's file format is read, with or without its last line break`() throws {
        let pem = P256.Signing.PrivateKey().pemRepresentation
        #expect(pem.hasPrefix("-----BEGIN PRIVATE KEY-----"))
        #expect(refusal(pem) == nil)
        #expect(refusal(pem + "\n") == nil)
        #expect(refusal(pem.trimmingCharacters(in: .whitespacesAndNewlines)) == nil)
        #expect(refusal(pem, file: "SubscriptionKey_\(SigningWorld.keyId).p8") == nil)
        #expect(refusal(pem, file: "keys/SubscriptionKey_\(SigningWorld.keyId) (1).p8") == nil)
        #expect(refusal(pem, file: "renamed.pem") == nil)
    }

    @Test(.needsFixtures) func `the key of Apple's library is read`() throws {
        let pem = try Fixtures.text("apple-library/certs/testSigningKey.p8")
        #expect(refusal(pem) == nil)
    }

    @Test func `input that is not a PKCS 8 key on P-256 is refused with its reason`() {
        let secret = P256.Signing.PrivateKey()
        let der = [UInt8](secret.derRepresentation)
        // PKCS #8 of an RSA key, down to the algorithm: 1.2.840.113549.1.1.1 with NULL.
        let rsa: [UInt8] = [
            0x30, 0x14, 2, 1, 0, 0x30, 0x0D, 6, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 1, 5, 0, 4, 0,
        ]
        let cases: [(String, SigningKeyError.Code)] = [
            ("", .notPEM), ("MIGH", .notPEM), ("-----BEGIN PRIVATE KEY-----", .notPEM), (Self.base64(der), .notPEM),
            (secret.pemRepresentation.replacing("\n", with: ""), .notPEM),
            (secret.publicKey.pemRepresentation, .wrongPEMKind), (Self.pem("EC PRIVATE KEY", der), .wrongPEMKind),
            (Self.pem("ENCRYPTED PRIVATE KEY", der), .wrongPEMKind), (Self.pem("CERTIFICATE", der), .wrongPEMKind),
            (Self.pem("RSA PRIVATE KEY", der), .wrongPEMKind), (Self.pem("PRIVATE KEY", [0x30, 0]), .malformed),
            (Self.pem("PRIVATE KEY", Array(der.dropLast())), .malformed), (Self.pem("PRIVATE KEY", [4, 1, 0]), .malformed),
            (Self.pem("PRIVATE KEY", rsa), .notEllipticCurve), (P384.Signing.PrivateKey().pemRepresentation, .wrongCurve),
            (P521.Signing.PrivateKey().pemRepresentation, .wrongCurve),
        ]
        for (pem, code) in cases { #expect(refusal(pem) == code, "\(pem.prefix(40))") }
    }

    static func base64(_ der: [UInt8]) -> String { Data(der).base64EncodedString() }

    @Test func `a key with a damaged byte is refused or another key, and never traps`() {
        let der = [UInt8](P256.Signing.PrivateKey().derRepresentation)
        for position in der.indices {
            for byte: UInt8 in [0, 0x30, 0x7F, 0x80, 0xFF] {
                var bytes = der
                bytes[position] = byte
                _ = refusal(Self.pem("PRIVATE KEY", bytes))
            }
            #expect(refusal(Self.pem("PRIVATE KEY", Array(der[..<position]))) != nil)
        }
    }

    @Test func `mixed-up keys are detected where possible`() {
        let pem = P256.Signing.PrivateKey().pemRepresentation
        let cases: [(keyId: String, issuerId: String, file: String?, code: SigningKeyError.Code)] = [
            (SigningWorld.issuerId, SigningWorld.keyId, nil, .keyIdAndIssuerIdExchanged),
            (SigningWorld.issuerId, SigningWorld.issuerId, nil, .keyIdInvalid), ("", SigningWorld.issuerId, nil, .keyIdInvalid),
            ("SubscriptionKey_2X9R4HXF34.p8", SigningWorld.issuerId, nil, .keyIdInvalid),
            ("2X9R4HXF34 ", SigningWorld.issuerId, nil, .keyIdInvalid), (SigningWorld.keyId, "A1B2C3D4E5", nil, .issuerIdNotUUID),
            (SigningWorld.keyId, "", nil, .issuerIdNotUUID),
            (SigningWorld.keyId, SigningWorld.issuerId, "AuthKey_2X9R4HXF34.p8", .notInAppPurchaseKey),
            (SigningWorld.keyId, SigningWorld.issuerId, "keys/AuthKey_2X9R4HXF34.p8", .notInAppPurchaseKey),
            (SigningWorld.keyId, SigningWorld.issuerId, "SubscriptionKey_AAAAAAAAAA.p8", .fileOfAnotherKey),
        ]
        for (keyId, issuerId, file, code) in cases {
            #expect(refusal(pem, keyId: keyId, issuerId: issuerId, file: file) == code)
        }
    }

    @Test func `the key is in no description`() throws {
        let world = try SigningWorld()
        #expect("\(world.key)" == "SigningKey(2X9R4HXF34)")
        #expect(!String(reflecting: world.key.description).contains("PRIVATE"))
        #expect(world.key.publicKey.description == world.secret.publicKey.pemRepresentation)
        #expect(SigningPublicKey(pem: world.secret.publicKey.pemRepresentation) != nil)
        #expect(SigningPublicKey(pem: "x") == nil)
    }
}

@Suite struct `Tokens for the App Store Server API` {
    let world: SigningWorld

    init() throws { world = try SigningWorld() }

    @Test func `a token has exactly Apple's header and claims, and the key's signature`() throws {
        let token = try ServerAPIToken(
            key: world.key, bundleId: "com.example.tenure", issuedAt: World.instant(1_780_000_000_999), lifetime: .minutes(60))
        let (header, claims) = try world.opened(token.compactJWS)
        #expect(header == ["alg": "ES256", "kid": "2X9R4HXF34", "typ": "JWT"])
        #expect(
            claims == [
                "iss": "57246542-96fe-1a63-e053-0824d011072a", "iat": 1_780_000_000, "exp": 1_780_003_600,
                "aud": "appstoreconnect-v1", "bid": "com.example.tenure",
            ])
        #expect(token.issuedAt == World.instant(1_780_000_000_000))
        #expect(token.expiresAt == World.instant(1_780_003_600_000))
        #expect(token.authorization == "Bearer " + token.compactJWS)
        #expect(!token.compactJWS.contains("="))
        #expect(world.key.publicKey.isValid(compactJWS: token.compactJWS))
    }

    @Test func `a token is valid for five minutes by default`() throws {
        let token = try ServerAPIToken(key: world.key, bundleId: "b", issuedAt: World.instant(0))
        #expect(try world.opened(token.compactJWS).claims["exp"] as? Int == 300)
    }

    @Test(arguments: [
        (Int64(60 * 60_000 + 1), TokenError.Code.lifetimeOutOfRange as TokenError.Code?), (3_600_000, nil), (1000, nil),
        (999, .lifetimeOutOfRange), (0, .lifetimeOutOfRange), (-1, .lifetimeOutOfRange), (.max, .lifetimeOutOfRange),
        (.min, .lifetimeOutOfRange),
    ])
    func `a token is valid for a second to an hour`(_ lifetime: Int64, _ code: TokenError.Code?) {
        let refusal = self.refusal(issuedAt: World.now, lifetime: Milliseconds(lifetime))
        #expect(refusal == code)
    }

    @Test func `impossible instants and an empty bundle id are refused`() {
        #expect(refusal(issuedAt: World.instant(-1)) == .issuedAtOutOfRange)
        #expect(refusal(issuedAt: World.instant(.max)) == .issuedAtOutOfRange)
        #expect(refusal(issuedAt: World.instant(.min)) == .issuedAtOutOfRange)
        #expect(refusal(bundleId: "", issuedAt: World.now) == .bundleIdEmpty)
    }

    private func refusal(
        bundleId: String = "b", issuedAt: Timestamp, lifetime: Milliseconds = .minutes(5)
    ) -> TokenError.Code? {
        do throws(TokenError) {
            _ = try ServerAPIToken(key: world.key, bundleId: bundleId, issuedAt: issuedAt, lifetime: lifetime)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func `a token that was changed, or signed by another key, is not ours`() throws {
        let jws = try ServerAPIToken(key: world.key, bundleId: "b", issuedAt: World.now).compactJWS
        let other = try SigningWorld()
        #expect(!other.key.publicKey.isValid(compactJWS: jws))
        let parts = jws.split(separator: ".")
        let none = Data(#"{"alg":"none","typ":"JWT"}"#.utf8).base64EncodedString().replacing("=", with: "")
        for broken in [
            "", ".", "..", "a.b.c", jws + ".", jws + "A", "\(parts[0]).\(parts[1]).", "\(none).\(parts[1]).\(parts[2])",
            "\(parts[0]).\(parts[0]).\(parts[2])", String(jws.dropLast()),
        ] {
            #expect(!world.key.publicKey.isValid(compactJWS: broken), "\(broken)")
        }
    }
}
