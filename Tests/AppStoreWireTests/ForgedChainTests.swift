import AppStoreWire
import Primitives
import SimulatorPKI
import Testing

/// Chains that look right but are not (T01), that lack Apple's marks (T02), or that are not a chain of three (T03).
@Suite struct `Forged chains` {
    let world: World
    let payload = Sample.json(Sample.transaction)

    init() throws { world = try World.shared.get() }

    func refusal(_ chain: [[UInt8]], signedBy authority: SigningAuthority) async throws -> JWSRefusal.Code? {
        await world.refusal(try authority.sign(payload: payload, header: SigningAuthority.header(x5c: chain)))
    }

    @Test func `FACT-3 a transaction signed under the trusted root is accepted with its evidence`() async throws {
        let jws = try world.authority.sign(payload: payload)
        let verified = try await world.transaction(jws).get()
        #expect(verified.payload.transactionId == "2000000900000002")
        #expect(verified.evidence == Array(jws.utf8))
        #expect(verified.payloadJSON == payload)
        #expect(verified.signedDate == World.signed)
        #expect(verified.signer?.rootFingerprint == world.authority.rootFingerprint)
    }

    @Test func `T01 a self-made chain is refused, whatever names it has`() async throws {
        for names in [ChainShape.Names.simulator, .apple] {
            let forger = try SigningAuthority(shape: .apple { $0.names = names }, validity: World.year)
            #expect(await world.refusal(try forger.sign(payload: payload)) == .rootNotTrusted)
            let apple = AppStoreVerifier(roots: .apple)
            let result = await apple.transaction(try forger.sign(payload: payload), for: World.app, at: World.now)
            #expect(result.refusal == .rootNotTrusted)
        }
    }

    @Test func `T01 right names with wrong keys are refused, whichever certificates are genuine`() async throws {
        let forger = try SigningAuthority(validity: World.year)
        let (own, true_) = (forger.chainDER, world.authority.chainDER)
        let expected: [(Int, JWSRefusal.Code)] = [
            (0b000, .rootNotTrusted), (0b001, .rootNotTrusted), (0b010, .rootNotTrusted), (0b011, .rootNotTrusted),
            (0b100, .chainInvalid), (0b101, .chainInvalid), (0b110, .chainInvalid), (0b111, .signatureInvalid),
        ]
        for (mask, code) in expected {
            let chain = (0..<3).map { mask >> $0 & 1 == 1 ? true_[$0] : own[$0] }
            #expect(try await refusal(chain, signedBy: forger) == code, "true certificates: \(String(mask, radix: 2))")
        }
    }

    @Test func `T01 only one order of the three certificates is accepted`() async throws {
        let chain = world.authority.chainDER
        let orders: [([Int], JWSRefusal.Code?)] = [
            ([0, 1, 2], nil), ([1, 0, 2], .leafMarkerMissing), ([0, 2, 1], .rootNotTrusted), ([2, 1, 0], .rootNotTrusted),
            ([1, 2, 0], .rootNotTrusted), ([2, 0, 1], .rootNotTrusted), ([0, 0, 2], .intermediateMarkerMissing),
            ([1, 1, 2], .leafMarkerMissing), ([0, 2, 2], .intermediateMarkerMissing), ([2, 2, 2], .leafMarkerMissing),
        ]
        for (order, code) in orders {
            #expect(try await refusal(order.map { chain[$0] }, signedBy: world.authority) == code, "\(order)")
        }
    }

    @Test func `T01 a leaf that signs like an intermediate is refused`() async throws {
        // The marked leaf of a genuine chain, in the place of the intermediate, above a forger's certificate.
        let forger = try SigningAuthority(validity: World.year)
        let chain = [forger.chainDER[0], world.authority.chainDER[0], world.authority.chainDER[2]]
        #expect(try await refusal(chain, signedBy: forger) == .intermediateMarkerMissing)
    }

    @Test func `T01 none of ten thousand JWS with one byte changed is accepted as another fact`() async throws {
        let seed = UInt64.random(in: 0 ... .max)
        var generator = SeededGenerator(seed: seed)
        let good = Array(try world.authority.sign(payload: payload).utf8)
        let verifier = AppStoreVerifier(roots: TrustRoots(fingerprints: [world.authority.rootFingerprint]))
        for round in 0..<10_000 {
            await Task.yield()
            var bytes = good
            let position = Int.random(in: 0..<bytes.count, using: &generator)
            let old = bytes[position]
            repeat { bytes[position] = UInt8.random(in: 0...255, using: &generator) } while bytes[position] == old
            if case .success(let verified) = await verifier.transaction(bytes, for: World.app, at: World.now) {
                #expect(verified.payloadJSON == payload, "seed \(seed), round \(round), position \(position)")
            }
        }
    }

    @Test func `T01 a reissued root is trusted only where the root was given as a certificate`() async throws {
        let renewed = try world.authority.reissuingRoot(validity: World.year)
        let jws = try renewed.sign(payload: payload)
        #expect(renewed.rootDER != world.authority.rootDER)
        #expect(await world.refusal(jws) == .rootNotTrusted)
        let whole = AppStoreVerifier(roots: TrustRoots(fingerprints: []).adding(der: world.authority.rootDER))
        let verified = try await whole.transaction(jws, for: World.app, at: World.now).get()
        #expect(verified.signer?.rootFingerprint == world.authority.rootFingerprint)
        let forger = try SigningAuthority(validity: World.year)
        let forged = await whole.transaction(try forger.sign(payload: payload), for: World.app, at: World.now)
        #expect(forged.refusal == .rootNotTrusted)
    }

    @Test func `T02 of all combinations of marks and authority bits only the right one is accepted`() async throws {
        for mask in 0..<32 {
            let shape = ChainShape.apple {
                $0.leafHasMarker = mask & 1 == 0
                $0.intermediateHasMarker = mask & 2 == 0
                $0.leafIsCA = mask & 4 != 0
                $0.intermediateIsCA = mask & 8 == 0
                $0.leafUsage = mask & 16 == 0 ? .digitalSignature : .keyAgreement
            }
            let reasons: [JWSRefusal.Code] = [
                .leafMarkerMissing, .intermediateMarkerMissing, .leafIsCA, .intermediateNotCA, .leafUsageNotSignature,
            ]
            let expected = (0..<5).first { mask >> $0 & 1 == 1 }.map { reasons[$0] }
            let wrong = try World(shape: shape)
            #expect(await wrong.refusal(try wrong.sign(Sample.transaction)) == expected, "\(shape)")
        }
    }

    @Test func `T02 a leaf on another curve and an unknown critical extension are refused`() async throws {
        let p384 = try World(shape: .apple { $0.leafKey = .p384 })
        #expect(await p384.refusal(try p384.sign(Sample.transaction)) == .leafKeyNotP256)
        let critical = try World(shape: .apple { $0.leafHasUnknownCriticalExtension = true })
        #expect(await critical.refusal(try critical.sign(Sample.transaction)) == .chainInvalid)
        let plain = try World(shape: .apple { $0.hasKeyIdentifiers = false })
        #expect(await plain.refusal(try plain.sign(Sample.transaction)) == nil)
    }

    @Test func `T03 unsigned payloads and chains of one certificate are refused in every environment`() async throws {
        let app = ExpectedApp(bundleId: World.app.bundleId, appAppleId: 4711, environments: Set(Environment.allCases))
        for environment in Environment.allCases {
            let json = Sample.json(Sample.transaction.with("environment", "\"\(environment.rawValue)\""))
            let unsigned = StrictBase64.encodeURL(Array("{\"alg\":\"none\"}".utf8)) + "." + StrictBase64.encodeURL(json) + "."
            #expect(await world.refusal(unsigned, for: app) == .algorithmNotES256)
            let single = Sample.json([
                ("alg", "\"ES256\""), ("kid", "\"Apple_Xcode_Key\""), ("typ", "\"JWT\""),
                ("x5c", "[\"\(StrictBase64.encodePadded(world.authority.rootDER))\"]"),
            ])
            #expect(
                await world.refusal(try world.authority.sign(payload: json, header: single), for: app) == .chainLengthNotThree)
        }
    }

    @Test func `T03 FACT-4 an environment in another spelling is not accepted`() async throws {
        let app = ExpectedApp(bundleId: World.app.bundleId, appAppleId: 4711, environments: Set(Environment.allCases))
        for spelling in ["\"xcode\"", "\"production\"", "\"PRODUCTION\"", "\"Production \"", "\"Prod\"", "\"LocalTest\""] {
            #expect(
                await world.refusal(try world.sign(Sample.transaction.with("environment", spelling)), for: app)
                    == .wrongEnvironment)
        }
        for wrong in ["\"Prod\\u0000uction\"", "1", "[\"Production\"]", "true", "{}"] {
            #expect(await world.refusal(try world.sign(Sample.transaction.with("environment", wrong)), for: app) == .fieldInvalid)
        }
        for missing in ["null", nil] {
            #expect(
                await world.refusal(try world.sign(Sample.transaction.with("environment", missing)), for: app) == .fieldMissing)
        }
        for environment in [Environment.xcode, .localTesting, .sandbox] {
            let jws = try world.sign(Sample.transaction.with("environment", "\"\(environment.rawValue)\""))
            #expect(await world.refusal(jws) == .wrongEnvironment)
        }
    }
}

/// SplitMix64: small, and the same on every machine.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64
    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}
