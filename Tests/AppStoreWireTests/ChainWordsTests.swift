import AppStoreWire
import Primitives
import SimulatorPKI
import Testing

/// The text of a chain's refusal: which certificate it is about, where the chain ended, and what would be trusted. Names are
/// those that `SimulatorPKI` writes; Apple's fingerprints those of https://www.apple.com/certificateauthority/.
@Suite struct `Words about refused chains` {
    static let appleG3 = "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179"
    static let apple = "b0b1730ecbc7ff4505142c49f1295e6eda6bcaed7e2c68c5be91b5a11001f024"
    static let leaf = #"certificate 1 of 3 ("Simulator App Store and Receipt Signing, not Apple's")"#
    static let intermediate = #"certificate 2 of 3 ("Simulator Developer Relations Intermediate Authority")"#
    static let root = #"certificate 3 of 3 ("Simulator Root CA - G3")"#

    let world: World

    init() throws { world = try World.shared.get() }

    func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    func detail(_ chain: [[UInt8]], to verifier: AppStoreVerifier? = nil) async throws -> String {
        let jws = try world.authority.sign(
            payload: Sample.json(Sample.transaction), header: SigningAuthority.header(x5c: chain))
        let result = await (verifier ?? world.verifier).transaction(jws, for: World.app, at: World.now)
        guard case .failure(let refusal) = result else { return "accepted" }
        return refusal.detail
    }

    @Test func `an untrusted root is named, and so are the trusted ones`() async throws {
        let chain = world.authority.chainDER
        let found = "\(Self.root) of SHA-256 \(hexadecimal(world.authority.rootFingerprint)) is not trusted; trusted "
        #expect(
            try await detail(chain, to: AppStoreVerifier(roots: .apple))
                == found + "is \"Apple Root CA - G3\" \(Self.appleG3)")
        let forger = try SigningAuthority(validity: World.year)
        let both = AppStoreVerifier(roots: TrustRoots.apple.adding(der: forger.rootDER))
        #expect(
            try await detail(chain, to: both)
                == found + "are \"Apple Root CA - G3\" \(Self.appleG3), \"Simulator Root CA - G3\" "
                + hexadecimal(forger.rootFingerprint))
        #expect(try await detail(chain, to: AppStoreVerifier(roots: TrustRoots(fingerprints: []))) == found + "is none")
        let many = AppStoreVerifier(roots: TrustRoots(fingerprints: (0..<100).map { [UInt8](repeating: $0, count: 32) }))
        #expect(try await detail(chain, to: many).hasSuffix(" and 92 more"))
    }

    @Test func `a receipt's root is compared with the roots of receipts`() async throws {
        let receipts = try ReceiptWorld.sha256.get()
        let result = await AppStoreVerifier(roots: .apple).appReceipt(try receipts.signed(), for: ReceiptWorld.app, at: World.now)
        guard case .failure(let refusal) = result else {
            Issue.record("a receipt of our own is accepted as Apple's")
            return
        }
        #expect(refusal.code == .rootNotTrusted && refusal.detail.hasSuffix("trusted is \"Apple Root CA\" \(Self.apple)"))
        #expect(refusal.detail.hasPrefix("certificate 3 of 3 (\""))
    }

    @Test func `a certificate of Xcode's is compared with the configured ones`() async throws {
        let xcode = try XcodeAuthority(validity: World.year)
        let other = try XcodeAuthority(validity: World.year)
        let verifier = AppStoreVerifier(roots: TrustRoots.apple.adding(xcodeCertificate: other.certificateDER))
        let jws = try xcode.sign(payload: Sample.json(Sample.transaction))
        guard case .failure(let refusal) = await verifier.transaction(jws, for: World.app, at: World.now) else {
            Issue.record("another copy of Xcode is accepted")
            return
        }
        #expect(refusal.code == .rootNotTrusted)
        #expect(refusal.detail.hasPrefix("certificate 1 of 1 (\"") && refusal.detail.contains("trusted as Xcode's is "))
    }

    @Test func `a broken link is named by both its ends`() async throws {
        let own = world.authority.chainDER
        let forger = try SigningAuthority(validity: World.year).chainDER
        let forgedIntermediate = "\(Self.intermediate) was not signed by the key of \(Self.root)"
        #expect(try await detail([forger[0], forger[1], own[2]]) == forgedIntermediate)
        let forgedLeaf = "\(Self.leaf) was not signed by the key of \(Self.intermediate)"
        #expect(try await detail([own[0], forger[1], own[2]]) == forgedLeaf)
        #expect(try await detail([forger[0], own[1], own[2]]) == forgedLeaf)
        let stranger = try SigningAuthority(shape: .apple { $0.names = .apple }, validity: World.year).chainDER
        #expect(
            try await detail([stranger[0], own[1], own[2]])
                == #"certificate 1 of 3 ("Prod ECC Mac App Store and iTunes Store Receipt Signing") names "#
                + #""Apple Worldwide Developer Relations Certification Authority" as its issuer, which is not "#
                + Self.intermediate)
    }

    @Test func `a certificate in the wrong place is named by its place`() async throws {
        let own = world.authority.chainDER
        #expect(try await detail([own[1], own[1], own[2]]) == Self.intermediate.replacing("2 of 3", with: "1 of 3"))
        #expect(try await detail([own[0], own[0], own[2]]) == Self.leaf.replacing("1 of 3", with: "2 of 3"))
        #expect(try await detail([own[0], [0x30, 0x00], own[2]]) == "certificate 2 of 3")
        #expect(try await detail([own[0], own[1], [0x30, 0x00]]).hasPrefix("certificate 3 of 3 of SHA-256 "))
        let long = [UInt8](repeating: 0x30, count: 5_000)
        #expect(try await detail([own[0], own[1]]) == "found 2, expected 3")
        #expect(try await detail([own[0], long, own[2]]) == "certificate 2 of 3, 6668 characters")
    }

    @Test func `a leaf without its rights is named`() async throws {
        let shapes: [ChainShape] = [
            .apple { $0.leafIsCA = true }, .apple { $0.leafUsage = .keyAgreement }, .apple { $0.leafKey = .p384 },
        ]
        for shape in shapes {
            let wrong = try World(shape: shape)
            guard case .failure(let refusal) = await wrong.transaction(try wrong.sign(Sample.transaction)) else {
                Issue.record("\(shape) is accepted")
                continue
            }
            #expect(refusal.detail == Self.leaf, "\(refusal)")
        }
    }

    @Test func `certificates that were never valid at the same time are named with their dates`() async throws {
        let later = World.instant(1_800_000_000_000)...World.instant(1_800_000_001_000)
        let never = try world.authority.renewingLeaf(validity: later)
        #expect(
            try await detail(never.chainDER)
                == "\(Self.leaf) is valid from \(later.lowerBound), \(Self.intermediate) until \(World.year.upperBound)")
    }

    @Test func `a missing part of a receipt is named`() async throws {
        let receipts = try ReceiptWorld.sha256.get()
        let chain = receipts.authority.chainDER
        let missing: [([[UInt8]], String)] = [
            ([chain[1], chain[2]], "the signer's certificate, by its issuer"), ([chain[0], chain[2]], "the intermediate"),
            ([chain[0], chain[1]], "the root"),
        ]
        for (bag, words) in missing {
            let der = try receipts.authority.sign(content: ReceiptWorld.content.der, certificates: bag)
            guard case .failure(let refusal) = await receipts.verify(der) else {
                Issue.record("a receipt without a certificate is accepted")
                continue
            }
            #expect(refusal.code == .chainMissing && refusal.detail.hasPrefix("\(words) (\""), "\(refusal)")
        }
    }

    @Test func `T47 a name cannot end a line or its quotation marks, and is not longer than 64 characters`() async throws {
        let hostile = "\"\n\u{1B}[2J\u{202E}\\x" + String(repeating: "y", count: 200)
        let root = try ReceiptAuthority(xcodeNamed: hostile, validity: World.year).rootDER
        let detail = try await detail([world.authority.chainDER[0], world.authority.chainDER[1], root])
        #expect(detail.hasPrefix("certificate 3 of 3 (\"???[2J??x" + String(repeating: "y", count: 55) + "\") of SHA-256 "))
    }
}
