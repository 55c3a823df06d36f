import Foundation
import Primitives
import SimulatorPKI
import Testing

@testable import AppStoreWire

/// What Xcode itself signed, compared with the fixtures' own description. The certificate of the receipts is inside them, at the
/// place that `openssl asn1parse` shows: the only sequence of 884 bytes.
@Suite(.needsFixtures) struct `What Xcode signed` {
    private static let app = ExpectedApp(
        bundleId: "com.example.naturelab.backyardbirds.example", appAppleId: nil, environments: [.xcode])
    /// Later than all of them.
    private let now = World.instant(1_784_000_000_000)

    private func receipt(_ name: String) throws -> [UInt8] {
        let text = try Fixtures.text("apple-library/xcode/\(name)").filter { !$0.isWhitespace }
        return Array(try #require(Data(base64Encoded: text)))
    }

    private func certificate(in receipt: [UInt8]) throws -> [UInt8] {
        let start = try #require(receipt.firstRange(of: [0x30, 0x82, 0x03, 0x74])).lowerBound
        return Array(receipt[start..<start + 888])
    }

    private func verifier(trusting certificate: [UInt8]) -> AppStoreVerifier {
        AppStoreVerifier(roots: TrustRoots.apple.adding(xcodeCertificate: certificate))
    }

    @Test func `FACT-3 T01 an empty app receipt of Xcode's verifies with its certificate, in BER as it is`() async throws {
        let bytes = try receipt("xcode-app-receipt-empty")
        let verified = try await verifier(trusting: certificate(in: bytes)).appReceipt(bytes, for: Self.app, at: now).get()
        #expect(verified.payload.bundleId == Self.app.bundleId && verified.environment == .xcode)
        #expect(verified.payload.inApp.isEmpty)
        #expect(verified.evidence == bytes, "what is kept is what Xcode wrote")
        #expect("\(verified.payload.receiptCreationDate)" == "2023-10-19T01:18:54Z")
    }

    @Test func `FACT-3 T01 an app receipt of Xcode's with a purchase shows it`() async throws {
        let bytes = try receipt("xcode-app-receipt-with-transaction")
        let verified = try await verifier(trusting: certificate(in: bytes)).appReceipt(bytes, for: Self.app, at: now).get()
        let purchase = try #require(verified.payload.inApp.first)
        #expect(verified.payload.inApp.count == 1)
        #expect(purchase.productId == "pass.premium" && purchase.transactionId == "0")
        #expect("\(purchase.purchaseDate)" == "2023-10-19T01:45:36Z")
        #expect(purchase.expiresDate.map { "\($0)" } == "2023-11-19T01:45:36Z")
    }

    @Test(arguments: ["xcode-app-receipt-empty", "xcode-app-receipt-with-transaction"])
    func `T01 a receipt of Xcode's is refused without its certificate, as another environment, and with a bit changed`(
        _ name: String
    ) async throws {
        let bytes = try receipt(name)
        let trusted = verifier(trusting: try certificate(in: bytes))
        func refusal(_ verifier: AppStoreVerifier, _ bytes: [UInt8], _ app: ExpectedApp) async -> ReceiptRefusal.Code? {
            if case .failure(let refusal) = await verifier.appReceipt(bytes, for: app, at: now) { refusal.code } else { nil }
        }
        #expect(await refusal(AppStoreVerifier(roots: .apple), bytes, Self.app) == .notDER)
        let other = try XcodeAuthority(validity: World.year).certificateDER
        #expect(await refusal(verifier(trusting: other), bytes, Self.app) == .rootNotTrusted)
        let production = ExpectedApp(bundleId: Self.app.bundleId, appAppleId: nil, environments: [.sandbox, .production])
        #expect(await refusal(trusted, bytes, production) == .wrongEnvironment)
        // A byte of the bundle id: the content is signed.
        var changed = bytes
        let place = try #require(bytes.firstRange(of: Array("naturelab".utf8))).lowerBound
        changed[place] ^= 1
        #expect(await refusal(trusted, changed, Self.app) == .signatureInvalid)
        for cut in [1, 2, 20, bytes.count / 2, bytes.count - 1] {
            #expect(await refusal(trusted, Array(bytes.prefix(cut)), Self.app) != nil)
        }
    }

    /// Its `originalPurchaseDate` is −62135769600000, the first day of the year 1 as Swift's `Date.distantPast` has it.
    @Test func `FACT-3 an app transaction of Xcode's verifies, with a date before the year 1`() async throws {
        let jws = try Fixtures.text("apple-library/xcode/xcode-signed-app-transaction").filter { !$0.isWhitespace }
        let head = try #require(jws.split(separator: ".").first.map(String.init))
        let padded = head.replacing("-", with: "+").replacing("_", with: "/")
        let data = try #require(Data(base64Encoded: padded + String(repeating: "=", count: (4 - padded.count % 4) % 4)))
        let header = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        let chain = header?["x5c"] as? [String]
        let leaf = try #require(chain?.first.flatMap { Data(base64Encoded: $0) })
        let verified = try await verifier(trusting: Array(leaf)).appTransaction(jws, for: Self.app, at: now).get()
        #expect(verified.payload.bundleId == Self.app.bundleId && verified.environment == .xcode)
        #expect(verified.payload.originalPurchaseDate?.millisecondsSince1970 == -62_135_769_600_000)
    }
}

@Suite struct `BER as DER` {
    /// Pairs after ITU-T X.690, 8.1.3.6, 8.7.3 and 10.1.
    @Test func `indefinite and long lengths become definite and short, and split strings become one`() {
        #expect(BasicEncoding.distinguished([0x30, 0x80, 0x02, 0x01, 0x05, 0x00, 0x00]) == [0x30, 0x03, 0x02, 0x01, 0x05])
        #expect(BasicEncoding.distinguished([0x30, 0x81, 0x03, 0x02, 0x01, 0x05]) == [0x30, 0x03, 0x02, 0x01, 0x05])
        #expect(
            BasicEncoding.distinguished([0x24, 0x80, 0x04, 0x01, 0xAA, 0x04, 0x02, 0xBB, 0xCC, 0x00, 0x00])
                == [0x04, 0x03, 0xAA, 0xBB, 0xCC])
        let long = [UInt8](repeating: 7, count: 300)
        #expect(BasicEncoding.distinguished([0x04, 0x84, 0x00, 0x00, 0x01, 0x2C] + long) == [0x04, 0x82, 0x01, 0x2C] + long)
        #expect(BasicEncoding.distinguished([0x05, 0x00]) == [0x05, 0x00])
    }

    @Test(
        arguments: [
            [], [0x30], [0x30, 0x80], [0x30, 0x80, 0x00], [0x04, 0x80, 0x00, 0x00], [0x30, 0x02, 0x02, 0x01], [0x30, 0x01, 0x02],
            [0x30, 0x03, 0x02, 0x01, 0x05, 0x00], [0x3F, 0x81, 0x00], [0x30, 0xFF],
            [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF],
            [0x24, 0x80, 0x02, 0x01, 0x05, 0x00, 0x00], [0x2C, 0x80, 0x0C, 0x01, 0x41, 0x00, 0x00],
            [UInt8](repeating: 0x30, count: 2000).flatMap { [$0, 0x80] as [UInt8] },
        ] as [[UInt8]])
    func `T30 input that is not an element, or is nested too deep, is refused`(_ bytes: [UInt8]) {
        #expect(BasicEncoding.distinguished(bytes) == nil)
    }
}
