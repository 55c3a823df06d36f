import AppStoreWire
import Primitives
import SimulatorPKI
import Testing

/// App receipts that our own authority signed: what is read, what is refused, and why.
@Suite struct `App receipts` {
    let world: ReceiptWorld

    init() throws { world = try ReceiptWorld.sha256.get() }

    @Test func `every attribute is read and unknown ones are kept`() async throws {
        let verified = try await world.verify(world.signed { $0.purchase(ReceiptWorld.purchase()) }).get()
        let receipt = verified.payload
        #expect(receipt.receiptType == .production && receipt.environment == .production && verified.environment == .production)
        #expect(receipt.adamId == 4711 && receipt.bundleId == "com.example.tenure" && receipt.applicationVersion == "42")
        #expect(receipt.opaqueValue == ReceiptWorld.opaque && receipt.ageRating == "4+")
        #expect(receipt.receiptCreationDate == World.signed && verified.signedDate == World.signed)
        #expect(receipt.downloadId == 512_000_000_001 && receipt.versionExternalIdentifier == 889)
        #expect(receipt.originalPurchaseDate == Timestamp(rfc3339: "2026-01-02T03:04:05Z"))
        #expect(receipt.originalApplicationVersion == "1.0" && receipt.expirationDate == nil)
        #expect(receipt.unknownAttributes.map(\.type) == [8, 25] && receipt.unknownAttributes[1].value == [1, 2, 3])
        let purchase = try #require(receipt.inApp.first)
        #expect(purchase.quantity == 1 && purchase.productId == "com.example.tenure.gold.monthly")
        #expect(purchase.transactionId == "2000000900000002" && purchase.originalTransactionId == "2000000900000001")
        #expect(purchase.purchaseDate == Timestamp(rfc3339: "2026-05-28T20:26:30Z"))
        #expect(purchase.originalPurchaseDate == Timestamp(rfc3339: "2026-04-28T20:26:30Z"))
        #expect(purchase.expiresDate == Timestamp(rfc3339: "2026-06-28T20:26:30Z"))
        #expect(purchase.productType == .autoRenewableSubscription && purchase.productAdamId == 998_877)
        #expect(purchase.webOrderLineItemId == 2_000_000_090_000_001 && purchase.cancellationDate == nil)
        #expect(purchase.isTrialPeriod == false && purchase.isInIntroOfferPeriod == true)
        #expect(purchase.promotionalOfferId == "winter" && purchase.unknownAttributes.map(\.type) == [1714])
    }

    @Test(arguments: [ReceiptAuthority.Digest.sha1, .sha256])
    func `FACT-3 both of Apple's digests verify and name the signer`(digest: ReceiptAuthority.Digest) async throws {
        let world = try (digest == .sha1 ? ReceiptWorld.sha1 : ReceiptWorld.sha256).get()
        let der = try world.signed()
        let verified = try await world.verify(der).get()
        let signer = try #require(verified.signer)
        #expect(
            signer.authority == .configured
                && signer.rootFingerprint
                    == TrustRoots(fingerprints: [])
                    .adding(der: world.authority.rootDER).receiptFingerprints.first
        )
        #expect(signer.leafName.contains("Simulator") && verified.evidence == der)
        #expect(
            await AppStoreVerifier(roots: .apple).appReceipt(der, for: ReceiptWorld.app, at: World.now).refusal == .rootNotTrusted
        )
    }

    @Test func `the device's hash distinguishes devices`() async throws {
        let receipt = try await world.verify(world.signed()).get().payload
        #expect(receipt.isMadeFor(device: ReceiptWorld.device))
        #expect(!receipt.isMadeFor(device: ReceiptWorld.device.reversed()))
        #expect(!receipt.isMadeFor(device: []))
    }

    @Test(arguments: [0, 2, 4, 5, 12] as [Int64])
    func `a missing required attribute is reported`(type: Int64) async throws {
        let content = ReceiptWorld.content(leavingOut: [type])
        #expect(await world.refusal(try world.authority.sign(content: content.der)) == .attributeMissing)
    }

    @Test(arguments: [0, 1, 2, 3, 4, 5, 10, 12, 15, 16, 18, 19, 21] as [Int64])
    func `a second copy of an attribute that is allowed once is refused`(type: Int64) async throws {
        let value = try #require(ReceiptWorld.attributes.first { $0.0 == type }).1
        let content = ReceiptWorld.content(leavingOut: [], adding: [(type, value)])
        #expect(await world.refusal(try world.authority.sign(content: content.der)) == .attributeDuplicated)
    }

    @Test(arguments: [1701, 1702, 1703, 1704, 1705, 1706, 1707, 1708, 1710, 1711, 1712, 1713, 1719, 1721] as [Int64])
    func `so is a second copy of a purchase's attribute`(type: Int64) async throws {
        let purchase = ReceiptWorld.purchase(adding: [(type, DERWriter.integer(1))])
        let der = try world.signed { $0.purchase(purchase) }
        #expect(await world.refusal(der) == .attributeDuplicated)
    }

    @Test(arguments: [1702, 1703, 1704] as [Int64])
    func `a purchase without product, transaction or date is refused`(type: Int64) async throws {
        let der = try world.signed { $0.purchase(ReceiptWorld.purchase(leavingOut: [type])) }
        #expect(await world.refusal(der) == .attributeMissing)
    }

    @Test func `attributes of another type than Apple's are refused and named`() async throws {
        let wrong: [(Int64, [UInt8])] = [
            (0, DERWriter.integer(1)), (1, DERWriter.utf8("4711")), (1, DERWriter.value(tag: 2, [])),
            (1, DERWriter.value(tag: 2, [UInt8](repeating: 0x7F, count: 9))), (2, DERWriter.octets([0x61])),
            (2, DERWriter.value(tag: 0x0C, [0xFF, 0xFE])), (2, DERWriter.value(tag: 0x0C, [0x61, 0])), (2, DERWriter.utf8("")),
            (12, DERWriter.ia5("yesterday")), (12, DERWriter.ia5("2026-02-30T00:00:00Z")), (12, DERWriter.utf8("") + [0]),
            (12, []), (18, DERWriter.ia5("1780000000000")), (21, DERWriter.integer(0)),
        ]
        for (type, value) in wrong {
            let content = ReceiptWorld.content(leavingOut: [type], adding: [(type, value)])
            guard case .failure(let refusal) = await world.verify(try world.authority.sign(content: content.der)) else {
                Issue.record("accepted \(type) \(value)")
                continue
            }
            #expect(refusal.code == .attributeInvalid && refusal.detail == "\(type)", "\(type) \(value)")
        }
    }

    @Test func `empty dates are nil`() async throws {
        let empty = DERWriter.ia5("")
        let purchase = ReceiptWorld.purchase(
            adding: [(1706, empty), (1708, empty), (1712, empty)], leavingOut: [1706, 1708, 1712])
        let read = try #require(try await world.verify(world.signed { $0.purchase(purchase) }).get().payload.inApp.first)
        #expect(read.originalPurchaseDate == nil && read.expiresDate == nil && read.cancellationDate == nil)
        let without = ReceiptWorld.content(leavingOut: [12], adding: [(12, empty)])
        #expect(await world.refusal(try world.authority.sign(content: without.der)) == .attributeMissing)
    }

    @Test func `FACT-4 app, Apple id and environment are compared`() async throws {
        let der = try world.signed()
        func app(_ bundleId: String, _ id: Int64?, _ environments: Set<Environment>) -> ExpectedApp {
            ExpectedApp(bundleId: bundleId, appAppleId: id, environments: environments)
        }
        #expect(await world.refusal(der, for: app("com.example.Tenure", 4711, [.production])) == .wrongBundleId)
        #expect(await world.refusal(der, for: app("com.example.tenure", 4712, [.production])) == .wrongAppAppleId)
        #expect(await world.refusal(der, for: app("com.example.tenure", nil, [.production])) == .wrongAppAppleId)
        #expect(await world.refusal(der, for: app("com.example.tenure", 4711, [.sandbox, .xcode])) == .wrongEnvironment)
        for (type, environment) in [
            ("ProductionVPP", Environment.production), ("ProductionSandbox", .sandbox), ("ProductionVPPSandbox", .sandbox),
        ] {
            let content = ReceiptWorld.content(leavingOut: [0], adding: [(0, DERWriter.utf8(type))])
            let verified = try await world.verify(try world.authority.sign(content: content.der)).get()
            #expect(verified.environment == environment, "\(type)")
        }
        let unknown = ReceiptWorld.content(leavingOut: [0], adding: [(0, DERWriter.utf8("Productions"))])
        #expect(await world.refusal(try world.authority.sign(content: unknown.der)) == .wrongEnvironment)
    }

    @Test func `the chain must have been valid when the receipt was created, and need not be today`() async throws {
        let late = Timestamp(millisecondsSince1970: 2_000_000_000_000)
        let verified = await world.verifier.appReceipt(try world.signed(), for: ReceiptWorld.app, at: late)
        #expect(verified.refusal == nil)
        let old = ReceiptWorld.content(leavingOut: [12], adding: [(12, DERWriter.ia5("2025-12-31T23:59:59Z"))])
        #expect(await world.refusal(try world.authority.sign(content: old.der)) == .creationDateOutsideChain)
        let future = ReceiptWorld.content(leavingOut: [12], adding: [(12, DERWriter.ia5("2026-05-28T20:32:41Z"))])
        let refused = await world.verify(try world.authority.sign(content: future.der))
        #expect(refused.refusal == .creationDateInFuture)
        let within = ReceiptWorld.content(leavingOut: [12], adding: [(12, DERWriter.ia5("2026-05-28T20:32:40Z"))])
        #expect(await world.refusal(try world.authority.sign(content: within.der)) == nil)
    }
}
