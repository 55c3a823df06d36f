import AppStoreWire
import Crypto
import Primitives
import SimulatorPKI
import Testing

/// What StoreKit Testing in Xcode signs: with one self-signed certificate, for one environment.
@Suite struct `Signed by Xcode` {
    static let app = ExpectedApp(bundleId: "com.example.tenure", appAppleId: nil, environments: [.xcode])
    let xcode: XcodeAuthority
    let verifier: AppStoreVerifier

    init() throws {
        xcode = try XcodeAuthority(validity: World.year)
        verifier = AppStoreVerifier(roots: TrustRoots.apple.adding(xcodeCertificate: xcode.certificateDER))
    }

    /// Xcode writes instants with fractions of a millisecond.
    let transaction = Sample.transaction.with("environment", "\"Xcode\"").with("signedDate", "1780000000000.25")

    @Test func `FACT-4 a JWS of a configured copy of Xcode is accepted and says that it is Xcode's`() async throws {
        let jws = try xcode.sign(payload: Sample.json(transaction))
        let verified = try await verifier.transaction(jws, for: Self.app, at: World.now).get()
        #expect(verified.environment == .xcode && verified.signedDate == World.signed)
        let signer = try #require(verified.signer)
        #expect(signer.authority == .xcode && signer.intermediateFingerprint == nil)
        #expect(signer.rootFingerprint == Array(SHA256.hash(data: xcode.certificateDER)))
    }

    @Test func `T03 it is refused where no copy of Xcode, or another one, is configured`() async throws {
        let jws = try xcode.sign(payload: Sample.json(transaction))
        let none = AppStoreVerifier(roots: .apple)
        #expect(await none.transaction(jws, for: Self.app, at: World.now).refusal == .chainLengthNotThree)
        let other = AppStoreVerifier(
            roots: TrustRoots.apple.adding(xcodeCertificate: try XcodeAuthority(validity: World.year).certificateDER))
        #expect(await other.transaction(jws, for: Self.app, at: World.now).refusal == .rootNotTrusted)
        let asRoot = AppStoreVerifier(roots: TrustRoots.apple.adding(der: xcode.certificateDER))
        #expect(await asRoot.transaction(jws, for: Self.app, at: World.now).refusal == .chainLengthNotThree)
    }

    @Test(arguments: [Environment.production, .sandbox, .localTesting])
    func `T03 it proves no other environment`(environment: Environment) async throws {
        let members = Sample.transaction.with("environment", "\"\(environment.rawValue)\"")
        let jws = try xcode.sign(payload: Sample.json(members))
        let app = ExpectedApp(bundleId: "com.example.tenure", appAppleId: 4711, environments: [environment, .xcode])
        #expect(await verifier.transaction(jws, for: app, at: World.now).refusal == .wrongEnvironment)
    }

    @Test func `T03 its certificate at the head of a chain of three is not a root`() async throws {
        let world = try World.shared.get()
        let chain = [world.authority.chainDER[0], world.authority.chainDER[1], xcode.certificateDER]
        let jws = try world.authority.sign(
            payload: Sample.json(transaction), header: SigningAuthority.header(x5c: chain))
        #expect(await verifier.transaction(jws, for: Self.app, at: World.now).refusal == .rootNotTrusted)
    }

    @Test func `a receipt of Xcode's is accepted where its certificate is configured, and nowhere else`() async throws {
        let authority = try ReceiptAuthority(xcodeNamed: "StoreKit Testing in Xcode", validity: World.year)
        let content = ReceiptWorld.content(
            leavingOut: [0, 4, 12, 21],
            adding: [
                (0, DERWriter.utf8("Xcode")), (4, [1, 2, 3, 4, 5, 6, 7, 8]), (12, DERWriter.ia5("2026-05-28T22:26:40+0200")),
                (21, DERWriter.ia5("4001-01-01T00:00:00Z")),
            ])
        var purchased = content
        purchased.purchase(ReceiptWorld.purchase(leavingOut: [1705, 1711]))
        let der = try authority.sign(content: DERWriter.octets(purchased.der))
        let trusting = AppStoreVerifier(roots: TrustRoots.apple.adding(xcodeCertificate: authority.rootDER))
        let verified = try await trusting.appReceipt(der, for: Self.app, at: World.now).get()
        #expect(verified.environment == .xcode && verified.signer?.authority == .xcode)
        #expect(verified.payload.inApp.first?.originalTransactionId == nil)
        #expect(verified.payload.inApp.first?.webOrderLineItemId == nil)
        #expect(verified.payload.receiptCreationDate == World.signed)
        #expect(await verifier.appReceipt(der, for: Self.app, at: World.now).refusal == .rootNotTrusted)
        #expect(await AppStoreVerifier(roots: .apple).appReceipt(der, for: Self.app, at: World.now).refusal == .rootNotTrusted)
        let production = try authority.sign(content: ReceiptWorld.content.der)
        let app = ExpectedApp(bundleId: "com.example.tenure", appAppleId: 4711, environments: [.production, .xcode])
        #expect(await trusting.appReceipt(production, for: app, at: World.now).refusal == .wrongEnvironment)
    }
}
