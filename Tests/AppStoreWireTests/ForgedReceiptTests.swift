import AppStoreWire
import Primitives
import SimulatorPKI
import Testing

/// Receipts that were not made by the signer, or are malformed.
@Suite struct `Forged receipts` {
    let world: ReceiptWorld

    init() throws { world = try ReceiptWorld.sha256.get() }

    @Test func `changed content, or a signature of other content, is refused`() async throws {
        let der = try world.signed()
        let other = try world.signed { $0.purchase(ReceiptWorld.purchase()) }
        let signature = try world.authority.signature(over: ReceiptWorld.content.der)
        #expect(await world.refusal(der) == nil && other != der)
        var content = ReceiptWorld.content
        content.purchase(ReceiptWorld.purchase())
        let grafted = ReceiptAuthority.signedData(
            content: content.der, certificates: world.authority.chainDER,
            signers: [world.authority.signer(signature: signature)])
        #expect(await world.refusal(grafted) == .signatureInvalid)
        let wrong: [[UInt8]] = [
            [], [0], [UInt8](repeating: 0, count: 256), [UInt8](repeating: 0xFF, count: 256), signature + [0],
            Array(signature.dropLast()),
        ]
        for bad in wrong {
            let der = ReceiptAuthority.signedData(
                content: ReceiptWorld.content.der, certificates: world.authority.chainDER,
                signers: [world.authority.signer(signature: bad)])
            #expect(await world.refusal(der) == .signatureInvalid)
        }
    }

    @Test func `T01 a chain with the right names and another root is refused`() async throws {
        let forger = try ReceiptWorld(shape: .apple { $0.names = .apple }, digest: .sha1)
        #expect(await world.refusal(try forger.signed()) == .rootNotTrusted)
        #expect(
            await AppStoreVerifier(roots: .apple).appReceipt(try forger.signed(), for: ReceiptWorld.app, at: World.now).refusal
                == .rootNotTrusted)
        let mixed = Array(forger.authority.chainDER.prefix(2)) + [world.authority.rootDER]
        let der = try forger.authority.sign(content: ReceiptWorld.content.der, certificates: mixed)
        #expect(await world.refusal(der) == .chainMissing, "the forger's intermediate names another root")
    }

    @Test func `a genuine leaf that issues another leaf is refused: the chain shifted by one`() async throws {
        let forged = try world.authority.forgedLeaf(validity: World.year)
        #expect(await world.refusal(try forged.sign(content: ReceiptWorld.content.der)) == .rootNotTrusted)
        let trusting = AppStoreVerifier(
            roots: TrustRoots(fingerprints: []).adding(der: world.authority.chainDER[1]))
        let der = try forged.sign(content: ReceiptWorld.content.der)
        #expect(await trusting.appReceipt(der, for: ReceiptWorld.app, at: World.now).refusal == .intermediateMarkerMissing)
        let marked = try ReceiptWorld(shape: .apple { $0.leafHasIntermediateMarker = true }, digest: .sha256)
        let shifted = try marked.authority.forgedLeaf(validity: World.year).sign(content: ReceiptWorld.content.der)
        let shiftedRoot = AppStoreVerifier(roots: TrustRoots(fingerprints: []).adding(der: marked.authority.chainDER[1]))
        #expect(await shiftedRoot.appReceipt(shifted, for: ReceiptWorld.app, at: World.now).refusal == .intermediateNotCA)
    }

    @Test func `T02 a chain without Apple's marks or with the wrong rights is refused with that reason`() async throws {
        let faults: [(ReceiptRefusal.Code, ChainShape)] = [
            (.leafMarkerMissing, .apple { $0.leafHasMarker = false }),
            (.intermediateMarkerMissing, .apple { $0.intermediateHasMarker = false }),
            (.leafIsCA, .apple { $0.leafIsCA = true }), (.intermediateNotCA, .apple { $0.intermediateIsCA = false }),
            (.leafUsageNotSignature, .apple { $0.leafUsage = .keyAgreement }),
            (.chainInvalid, .apple { $0.leafHasUnknownCriticalExtension = true }),
        ]
        for (code, shape) in faults {
            let faulty = try ReceiptWorld(shape: shape, digest: .sha256)
            #expect(await faulty.refusal(try faulty.signed()) == code)
        }
    }

    @Test func `a bag without the signer, the intermediate or the root is refused, and the order in it means nothing`()
        async throws
    {
        let chain = world.authority.chainDER
        let content = ReceiptWorld.content.der
        for left in 0..<3 {
            var bag = chain
            bag.remove(at: left)
            #expect(await world.refusal(try world.authority.sign(content: content, certificates: bag)) == .chainMissing)
        }
        #expect(await world.refusal(try world.authority.sign(content: content, certificates: [])) == .chainMissing)
        for bag in [chain.reversed(), [chain[1], chain[2], chain[0]]] {
            #expect(await world.refusal(try world.authority.sign(content: content, certificates: bag)) == nil)
        }
        let many = Array(repeating: chain[2], count: 7) + chain
        #expect(await world.refusal(try world.authority.sign(content: content, certificates: many)) == .tooManyCertificates)
        let name = DERWriter.sequence([DERWriter.octets([UInt8](repeating: 1, count: 4100))])
        let one = DERWriter.integer(1)
        let long = DERWriter.sequence([DERWriter.sequence([one, name, name, name, name])])
        let der = try world.authority.sign(content: content, certificates: chain + [long])
        #expect(await world.refusal(der) == .certificateTooLong)
    }

    @Test func `no signer, two signers, or attributes beside the signature are refused`() async throws {
        let content = ReceiptWorld.content.der
        let chain = world.authority.chainDER
        let signer = world.authority.signer(signature: try world.authority.signature(over: content))
        func der(_ signers: [[UInt8]]) -> [UInt8] {
            ReceiptAuthority.signedData(content: content, certificates: chain, signers: signers)
        }
        #expect(await world.refusal(der([signer])) == nil)
        #expect(await world.refusal(der([])) == .signerCountNotOne)
        #expect(await world.refusal(der([signer, signer])) == .signerCountNotOne)
        let attributes = DERWriter.value(tag: 0xA0, DERWriter.sequence([DERWriter.identifier([1, 2, 840, 113549, 1, 9, 3])]))
        let withAttributes = world.authority.signer(
            signature: try world.authority.signature(over: content), attributes: attributes)
        #expect(await world.refusal(der([withAttributes])) == .signerAttributesNotAllowed)
    }

    @Test func `input that is not PKCS 7 is refused with its reason`() async throws {
        let der = try world.signed()
        #expect(await world.refusal(ReceiptWorld.content.der) == .notSigned)
        #expect(await world.refusal(der + [0]) == .trailingBytes)
        #expect(await world.refusal(der + der) == .trailingBytes)
        #expect(await world.refusal([]) == .notDER)
        #expect(await world.refusal(Array("eyJhbGciOi".utf8)) == .notDER)
        #expect(await world.refusal(DERWriter.sequence([])) == .notSignedData)
        #expect(await world.refusal(DERWriter.integer(1)) == .notSignedData)
        for length in stride(from: 1, to: der.count, by: 97) {
            #expect(await world.refusal(Array(der.prefix(length))) == .notDER)
        }
        var limits = ReceiptLimits.default
        limits.maximumBytes = der.count - 1
        let narrow = AppStoreVerifier(
            roots: TrustRoots(fingerprints: []).adding(der: world.authority.rootDER), receiptLimits: limits)
        #expect(await narrow.appReceipt(der, for: ReceiptWorld.app, at: World.now).refusal == .tooLong)
    }

    @Test func `two sets of signers, or anything after the signers, are not signed data`() async throws {
        let der = try world.signed()
        let signer = world.authority.signer(signature: try world.authority.signature(over: ReceiptWorld.content.der))
        let signers = DERWriter.set([signer])
        let frame = der.count - signers.count
        #expect(Array(der[frame...]) == signers, "the signers come last")
        // The same parts with one more set, and with the lengths of the three frames around them increased accordingly.
        let certificates = DERWriter.value(tag: 0xA0, world.authority.chainDER.flatMap { $0 })
        func signedData(_ rest: [[UInt8]]) -> [UInt8] {
            let content = DERWriter.sequence([
                DERWriter.identifier([1, 2, 840, 113549, 1, 7, 1]),
                DERWriter.value(tag: 0xA0, DERWriter.octets(ReceiptWorld.content.der)),
            ])
            let body = DERWriter.sequence([DERWriter.integer(1), DERWriter.set([]), content] + rest)
            return DERWriter.sequence([DERWriter.identifier([1, 2, 840, 113549, 1, 7, 2]), DERWriter.value(tag: 0xA0, body)])
        }
        #expect(await world.refusal(signedData([certificates, signers])) == nil)
        #expect(await world.refusal(signedData([certificates, signers, signers])) == .notSignedData)
        #expect(await world.refusal(signedData([signers, certificates])) == .notSignedData)
        #expect(await world.refusal(signedData([certificates, certificates, signers])) == .notSignedData)
    }

    @Test func `content that is not a set of attributes is refused although it is signed`() async throws {
        let wrong: [[UInt8]] = [
            [], [0x31], DERWriter.sequence([]), DERWriter.octets(ReceiptWorld.content.der), DERWriter.set([DERWriter.integer(1)]),
            DERWriter.set([DERWriter.sequence([DERWriter.integer(1), DERWriter.integer(1)])]),
            DERWriter.set([DERWriter.sequence([DERWriter.utf8("2"), DERWriter.integer(1), DERWriter.octets([])])]),
            ReceiptWorld.content.der + [0],
        ]
        for content in wrong {
            #expect(await world.refusal(try world.authority.sign(content: content)) == .contentMalformed, "\(content.prefix(8))")
        }
    }

    @Test func `T06 a distrusted leaf is refused whatever it signed`() async throws {
        let signer = try #require(try await world.verify(world.signed()).get().signer)
        let verifier = AppStoreVerifier(
            roots: TrustRoots(fingerprints: []).adding(der: world.authority.rootDER), distrustedLeafSerials: [signer.leafSerial])
        #expect(await verifier.appReceipt(try world.signed(), for: ReceiptWorld.app, at: World.now).refusal == .leafDistrusted)
    }

    @Test func `ten thousand receipts with one byte changed trap nothing and prove nothing else`() async throws {
        let der = try world.signed { $0.purchase(ReceiptWorld.purchase()) }
        let truth = try await world.verify(der).get().payload
        var random = SeededGenerator(seed: 7)
        for _ in 0..<10_000 {
            await Task.yield()
            var changed = der
            changed[Int(random.next() % UInt64(der.count))] = UInt8(truncatingIfNeeded: random.next())
            if case .success(let verified) = await world.verify(changed) { #expect(verified.payload == truth) }
        }
    }

    @Test func `base64 in lines is read, and other texts are refused`() {
        #expect(ReceiptEncoding.bytes(base64: Array("QUJD\r\nREVG\n".utf8)) == .success(Array("ABCDEF".utf8)))
        for text in ["", " \n", "QUJ", "QUJD=", "QQ", "QR==", "eyJ.eyJ.x", "QU-D"] {
            #expect(ReceiptEncoding.bytes(base64: Array(text.utf8)).refusal == .notBase64, "\(text)")
        }
    }
}
