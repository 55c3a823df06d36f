import AppStoreWire
import Foundation
import Primitives
import SimulatorPKI
import Testing

/// App receipts that Apple itself signed, compared with the values in the fixtures' own description and with `openssl`.
@Suite(.needsFixtures) struct `App receipts that Apple signed` {
    let apple = AppStoreVerifier(roots: .apple)
    let now = World.instant(1_784_000_000_000)
    let gridDiary = ExpectedApp(bundleId: "com.sumiapp.GridDiary", appAppleId: nil, environments: [.sandbox])

    func receipt(_ name: String) throws -> [UInt8] {
        try ReceiptEncoding.bytes(base64: Fixtures.bytes("real/\(name).b64")).get()
    }

    func verify(_ name: String) async throws -> Verified<AppReceiptPayload> {
        try await apple.appReceipt(receipt(name), for: gridDiary, at: now).get()
    }

    @Test func `FACT-3 a receipt signed by Apple verifies at its creation date against Apple Root CA`() async throws {
        let verified = try await verify("app-receipt-griddiary")
        let payload = verified.payload
        #expect(payload.bundleId == "com.sumiapp.GridDiary")
        #expect(payload.applicationVersion == "1241")
        #expect(payload.receiptType == .productionSandbox && verified.environment == .sandbox)
        #expect(payload.inApp.count == 2)
        #expect(payload.inApp.allSatisfy { $0.productType == .nonConsumable && $0.expiresDate == nil })
        #expect(verified.evidence == (try receipt("app-receipt-griddiary")))
        let signer = try #require(verified.signer)
        #expect(signer.authority == .apple)
        #expect(signer.leafName == "Mac App Store Receipt Signing" && signer.rootName == "Apple Root CA")
        #expect(verified.signedDate == payload.receiptCreationDate)
    }

    @Test func `a restored purchase has the same id twice, with two dates`() async throws {
        let restored = try await verify("app-receipt-griddiary").payload.inApp.filter {
            $0.transactionId == $0.originalTransactionId && $0.purchaseDate != $0.originalPurchaseDate
        }
        #expect(!restored.isEmpty)
    }

    @Test func `a receipt of 120 purchases is read whole`() async throws {
        let payload = try await verify("app-receipt-120-purchases").payload
        #expect(payload.inApp.count == 120)
        #expect(Set(payload.inApp.map(\.transactionId)).count > 1)
        #expect(payload.inApp.allSatisfy { $0.quantity == 1 && !$0.productId.isEmpty })
    }

    @Test func `FACT-4 a receipt is refused for every other app and environment`() async throws {
        let der = try receipt("app-receipt-griddiary")
        let other = ExpectedApp(bundleId: "com.sumiapp.griddiary", appAppleId: nil, environments: [.sandbox])
        #expect(await apple.appReceipt(der, for: other, at: now).refusal == .wrongBundleId)
        for environment in Environment.allCases where environment != .sandbox {
            let app = ExpectedApp(bundleId: "com.sumiapp.GridDiary", appAppleId: 1, environments: [environment])
            #expect(await apple.appReceipt(der, for: app, at: now).refusal == .wrongEnvironment)
        }
    }

    @Test func `T01 a receipt signed by Apple is refused where only another root is trusted`() async throws {
        let g3 = TrustRoots(fingerprints: []).adding(der: try Fixtures.bytes("real/AppleRootCA-G3.cer"))
        let der = try receipt("app-receipt-griddiary")
        #expect(await AppStoreVerifier(roots: g3).appReceipt(der, for: gridDiary, at: now).refusal == .rootNotTrusted)
        let own = TrustRoots(fingerprints: []).adding(der: try Fixtures.bytes("real/AppleIncRootCertificate.cer"))
        #expect(await AppStoreVerifier(roots: own).appReceipt(der, for: gridDiary, at: now).refusal == nil)
    }

    @Test func `no change of one byte of the content or the signature is accepted`() async throws {
        let der = try receipt("app-receipt-griddiary")
        for position in stride(from: 58, to: der.count, by: 7) {
            var changed = der
            changed[position] ^= 0x01
            let result = await apple.appReceipt(changed, for: gridDiary, at: now)
            // Not covered by the signature are the certificates' own bytes (each is covered by its issuer's signature) and the
            // frame.
            if case .success(let verified) = result {
                #expect(verified.payload == (try await verify("app-receipt-griddiary").payload), "byte \(position)")
            }
        }
    }

    @Test func `the pinned root of receipts is Apple Root CA byte for byte`() throws {
        let roots = TrustRoots(fingerprints: []).adding(der: try Fixtures.bytes("real/AppleIncRootCertificate.cer"))
        #expect(roots.receiptFingerprints == TrustRoots.apple.receiptFingerprints)
    }
}

extension Result where Failure == ReceiptRefusal {
    var refusal: ReceiptRefusal.Code? {
        if case .failure(let refusal) = self { return refusal.code }
        return nil
    }
}
