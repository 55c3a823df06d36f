import AppStoreWire
import Primitives
import SimulatorPKI
import Testing

/// Headers that try to choose their own rules (T04), and messages that cost too much (T30).
@Suite struct `Hostile headers` {
    let world: World
    let payload = Sample.json(Sample.transaction)

    init() throws { world = try World.shared.get() }

    var chain: String { world.authority.chainDER.map { "\"\(StrictBase64.encodePadded($0))\"" }.joined(separator: ",") }

    func refusal(header: String) async throws -> JWSRefusal.Code? {
        await world.refusal(try world.authority.sign(payload: payload, header: Array(header.utf8)))
    }

    static let algorithms = [
        "\"none\"", "\"None\"", "\"NONE\"", "\"nOnE\"", "\"\"", "\"HS256\"", "\"HS384\"", "\"HS512\"", "\"RS256\"", "\"RS384\"",
        "\"RS512\"",
        "\"PS256\"", "\"PS384\"", "\"PS512\"", "\"ES384\"", "\"ES512\"", "\"ES256K\"", "\"EdDSA\"", "\"Ed25519\"", "\"es256\"",
        "\"Es256\"",
        "\"ES256 \"", "\" ES256\"", "\"ES256\\u0000\"", "\"ES256\\n\"", "\"ES-256\"", "\"ES256,none\"", "\"SHA256withECDSA\"",
        "\"dir\"",
        "\"RSA-OAEP\"", "\"A256GCM\"", "\"ECDH-ES\"", "\"ΕS256\"", "null", "true", "256", "-7", "[\"ES256\"]",
        "{\"alg\":\"ES256\"}", "[]",
    ]

    @Test(arguments: algorithms) func `T04 an alg other than ES256 is refused with algorithmNotES256`(_ alg: String) async throws
    {
        #expect(try await refusal(header: "{\"alg\":\(alg),\"x5c\":[\(chain)]}") == .algorithmNotES256)
    }

    static let parameters = [
        "\"crit\":[\"b64\"]", "\"crit\":[]", "\"b64\":false", "\"b64\":true", "\"jwk\":{\"kty\":\"EC\"}",
        "\"jku\":\"https://127.0.0.1/k\"",
        "\"x5u\":\"https://127.0.0.1/c\"", "\"x5t\":\"AA\"", "\"x5t#S256\":\"AA\"", "\"cty\":\"JWT\"", "\"enc\":\"A256GCM\"",
        "\"zip\":\"DEF\"",
        "\"epk\":{}", "\"apu\":\"a\"", "\"iv\":\"a\"", "\"tag\":\"a\"", "\"p2c\":1000000", "\"Alg\":\"ES256\"",
        "\"ALG\":\"none\"", "\"X5C\":[]",
        "\"x5c \":[]", "\"\":1", "\"x5cwrong\":[]", "\"iss\":\"a\"", "\"nonce\":\"a\"", "\"svt\":\"a\"",
    ]

    @Test(arguments: parameters) func `T04 an unneeded header parameter is refused`(_ parameter: String) async throws {
        #expect(try await refusal(header: "{\"alg\":\"ES256\",\"x5c\":[\(chain)],\(parameter)}") == .headerParameterNotAllowed)
    }

    @Test func `T04 kid and typ are ignored, whatever their values`() async throws {
        #expect(
            try await refusal(header: "{\"kid\":\"../../dev/null\",\"typ\":\"JWT\",\"alg\":\"ES256\",\"x5c\":[\(chain)]}") == nil)
        #expect(try await refusal(header: "{\"typ\":[1],\"alg\":\"ES256\",\"x5c\":[\(chain)]}") == nil)
    }

    @Test func `T04 a header that is not strict JSON is refused, duplicate names first of all`() async throws {
        let wrong = [
            "{\"alg\":\"none\",\"alg\":\"ES256\",\"x5c\":[\(chain)]}",
            "{\"alg\":\"ES256\",\"\\u0061lg\":\"none\",\"x5c\":[\(chain)]}",
            "{\"alg\":\"ES256\",\"x5c\":[],\"x5c\":[\(chain)]}", "[]", "\"ES256\"", "null", "", "{",
            "{\"alg\":\"ES256\",\"x5c\":[\(chain)]} x",
            "\u{FEFF}{\"alg\":\"ES256\",\"x5c\":[\(chain)]}", "{\"alg\":\"ES256\",\"x5c\":[\(chain),]}", "{alg:\"ES256\"}",
            "{\"alg\":\"ES256\",\"kid\":\"\\ud800\",\"x5c\":[\(chain)]}",
            "{\"alg\":\"ES256\",\"kid\":[[[[[[1]]]]]],\"x5c\":[\(chain)]}",
        ]
        for header in wrong { #expect(try await refusal(header: header) == .headerNotJSON, "\(header.prefix(40))") }
    }

    @Test func `T04 x5c that is missing or not a list of base64 texts is refused`() async throws {
        for x5c in [
            "", ",\"x5c\":null", ",\"x5c\":\"a\"", ",\"x5c\":{}", ",\"x5c\":3", ",\"x5c\":[1,2,3]", ",\"x5c\":[[],[],[]]",
        ] {
            #expect(try await refusal(header: "{\"alg\":\"ES256\"\(x5c)}") == .chainMissing, "\(x5c)")
        }
        for text in ["AA", "A===", "AAA", "AA==\\n", "AB==", "A-_=", " AA==", "AAAA=", "===="] {
            let refusal = try await refusal(header: "{\"alg\":\"ES256\",\"x5c\":[\"\(text)\",\"AAAA\",\"AAAA\"]}")
            #expect(refusal == .certificateNotBase64, "\(text)")
        }
    }

    @Test func `T04 anything but three parts is refused`() async throws {
        for text in ["", ".", "a.b", "a.b.c.d", "a.b.c.d.e", "{}", "....", try world.sign(Sample.transaction) + "."] {
            #expect(await world.refusal(text) == .notThreeParts, "\(text.prefix(20))")
        }
        for text in ["..", "a..", "=.e30.", "e30=.e30.AA", "e3 0.e30.", "{}.{}.x", "e31.e30."] {
            let refusal = await world.refusal(text)
            #expect(refusal == (text == ".." ? .headerNotJSON : .headerNotBase64URL), "\(text)")
        }
    }

    @Test func `T30 a list of other than three certificates is refused before any is examined`() async throws {
        let verifier = AppStoreVerifier(roots: TrustRoots(fingerprints: [world.authority.rootFingerprint]))
        let root = StrictBase64.encodePadded(world.authority.rootDER)
        let short = Array(repeating: "\"AA==\"", count: 43), long = Array(repeating: "\"\(root)\"", count: 15)
        for list in [
            [], ["\"\(root)\""], Array(long.prefix(2)), Array(long.prefix(4)), long, short,
            Array(repeating: "\"\"", count: 4_000),
        ] {
            let header = Array("{\"alg\":\"ES256\",\"x5c\":[\(list.joined(separator: ","))]}".utf8)
            let jws = try world.authority.sign(payload: payload, header: header)
            #expect(await verifier.transaction(jws, for: World.app, at: World.now).refusal == .chainLengthNotThree)
        }
        #expect(verifier.chainCounters.verified == 0)
    }

    @Test func `T30 too long a message, header or certificate is refused before a certificate is examined`() async throws {
        let verifier = AppStoreVerifier(roots: TrustRoots(fingerprints: [world.authority.rootFingerprint]))
        func refusal(_ jws: String) async -> JWSRefusal.Code? {
            await verifier.transaction(jws, for: World.app, at: World.now).refusal
        }
        func signed(_ list: [String]) throws -> String {
            try world.authority.sign(
                payload: payload, header: Array("{\"alg\":\"ES256\",\"x5c\":[\(list.joined(separator: ","))]}".utf8))
        }
        let bytes = { (count: Int) in "\"\(StrictBase64.encodePadded([UInt8](repeating: 0x30, count: count)))\"" }
        #expect(try await refusal(signed(Array(repeating: bytes(1), count: 10_000))) == .headerTooLong)
        #expect(try await refusal(signed(Array(repeating: bytes(40_000), count: 3))) == .headerTooLong)
        #expect(try await refusal(signed(Array(repeating: bytes(80_000), count: 3))) == .jwsTooLong)
        #expect(try await refusal(signed([bytes(5_000), bytes(10), bytes(10)])) == .certificateTooLong)
        #expect(await refusal(String(repeating: "a", count: 256 * 1024 + 1)) == .jwsTooLong)
        #expect(verifier.chainCounters.verified == 0)
    }

    @Test func `T30 a flood of rubbish leaves the cache bounded, with the genuine chains in it`() async throws {
        let verifier = AppStoreVerifier(roots: TrustRoots(fingerprints: [world.authority.rootFingerprint]))
        let good = try world.authority.sign(payload: payload)
        #expect(await verifier.transaction(good, for: World.app, at: World.now).refusal == nil)
        let chain = world.authority.chainDER
        for number in 0..<1_000 {
            let junk = [[UInt8(number >> 8), UInt8(number & 255)], chain[1], chain[2]]
            let jws = try world.authority.sign(payload: payload, header: SigningAuthority.header(x5c: junk))
            #expect(await verifier.transaction(jws, for: World.app, at: World.now).refusal == .certificateMalformed)
        }
        #expect(verifier.chainCounters.rememberedRefusals <= JWSLimits.default.rememberedRefusals)
        let before = verifier.chainCounters
        #expect(await verifier.transaction(good, for: World.app, at: World.now).refusal == nil)
        #expect(verifier.chainCounters.verified == before.verified)
        #expect(verifier.chainCounters.warm == before.warm + 1)
    }

    @Test func `T30 varying the header around a genuine chain causes no chain verification and fills no cache`()
        async throws
    {
        let verifier = AppStoreVerifier(roots: TrustRoots(fingerprints: [world.authority.rootFingerprint]))
        #expect(
            await verifier.transaction(try world.authority.sign(payload: payload), for: World.app, at: World.now).refusal == nil)
        let before = verifier.chainCounters
        let forger = try SigningAuthority(validity: World.year)
        for number in 0..<300 {
            let header = Array("{\"alg\":\"ES256\",\"kid\":\"\(number)\",\"x5c\":[\(chain)]}".utf8)
            let jws = try forger.sign(payload: payload, header: header)
            #expect(await verifier.transaction(jws, for: World.app, at: World.now).refusal == .signatureInvalid)
        }
        #expect(verifier.chainCounters == before)
    }

    @Test func `the chains of many genuine signers are remembered within the limit`() async throws {
        var limits = JWSLimits()
        limits.rememberedChains = 4
        let verifier = AppStoreVerifier(roots: TrustRoots(fingerprints: [world.authority.rootFingerprint]), limits: limits)
        for _ in 0..<20 {
            let renewed = try world.authority.renewingLeaf(validity: World.year)
            for _ in 0..<2 {
                #expect(
                    await verifier.transaction(try renewed.sign(payload: payload), for: World.app, at: World.now).refusal == nil)
            }
        }
        #expect(verifier.chainCounters.rememberedChains <= 8)
        #expect(verifier.chainCounters.verified == 20)
        #expect(verifier.chainCounters.warm == 20)
    }
}
