import AppStoreWire
import Foundation
import Primitives
import SimulatorPKI
import Testing

/// Transaction receipts from before iOS 7.
@Suite struct `Transaction receipts` {
    static let app = ExpectedApp(bundleId: "com.example.tenure", appAppleId: nil, environments: [.production, .sandbox])
    let authority: TransactionReceiptAuthority
    let verifier: AppStoreVerifier

    init() throws {
        authority = try TransactionReceiptAuthority(validity: World.year)
        verifier = AppStoreVerifier(
            roots: TrustRoots.apple.adding(transactionReceiptIssuer: authority.issuerDER))
    }

    static let purchaseInfo = """
        {
        	"original-transaction-id" = "2000000900000001";
        	"transaction-id" = "2000000900000002";
        	"product-id" = "com.example.tenure.gold.monthly";
        	"quantity" = "1";
        	"purchase-date-ms" = "1779999990000";
        	"original-purchase-date" = "2026-04-28 20:26:30 Etc/GMT";
        	"expires-date" = "1782591990000";
        	"web-order-line-item-id" = "2000000090000001";
        	"bid" = "com.example.tenure";
        	"bvrs" = "42";
        	"item-id" = "998877";
        	"is-trial-period" = "true";
        	"is-in-intro-offer-period" = "false";
        }
        """

    func signed(_ purchaseInfo: String = purchaseInfo, environment: String? = nil) throws -> [UInt8] {
        Array(try authority.sign(purchaseInfo: purchaseInfo, environment: environment).utf8)
    }

    func verify(_ bytes: [UInt8], for app: ExpectedApp = app) -> Result<TransactionReceipt, ReceiptRefusal> {
        verifier.transactionReceipt(bytes, for: app, at: World.now)
    }

    /// From 2050 certificates write the year with four digits (RFC 5280, section 4.1.2.5), as the local App Store's do.
    @Test func `a certificate that is valid beyond 2049 is read`() throws {
        let end = try #require(Timestamp(rfc3339: "2085-01-01T00:00:00Z"))
        let authority = try TransactionReceiptAuthority(validity: World.year.lowerBound...end)
        let verifier = AppStoreVerifier(roots: TrustRoots.apple.adding(transactionReceiptIssuer: authority.issuerDER))
        let receipt = try authority.sign(purchaseInfo: Self.purchaseInfo, environment: nil)
        guard case .proved = try verifier.transactionReceipt(Array(receipt.utf8), for: Self.app, at: World.now).get() else {
            Issue.record("the issuer is configured")
            return
        }
    }

    @Test func `every name is read`() throws {
        guard case .proved(let verified) = try verify(signed(environment: "Sandbox")).get() else {
            Issue.record("the issuer is configured")
            return
        }
        let receipt = verified.payload
        #expect(receipt.transactionId == "2000000900000002" && receipt.originalTransactionId == "2000000900000001")
        #expect(receipt.productId == "com.example.tenure.gold.monthly" && receipt.bundleId == "com.example.tenure")
        #expect(receipt.quantity == 1 && receipt.bundleVersion == "42" && receipt.itemId == "998877")
        #expect(receipt.purchaseDate.millisecondsSince1970 == 1_779_999_990_000)
        #expect(receipt.originalPurchaseDate == Timestamp(rfc3339: "2026-04-28T20:26:30Z"))
        #expect(receipt.expiresDate?.millisecondsSince1970 == 1_782_591_990_000)
        #expect(receipt.webOrderLineItemId == "2000000090000001")
        #expect(receipt.isTrialPeriod == true && receipt.isInIntroOfferPeriod == false)
        #expect(receipt.unsignedEnvironment == .sandbox && receipt.purchaseInfo == Array(Self.purchaseInfo.utf8))
        #expect(verified.signer?.authority == .configured && verified.signer?.leafName == "PurchaseReceiptCertificate")
    }

    @Test func `FACT-3 without its issuer only the signature is verified, and the result says so`() throws {
        let unconfigured = AppStoreVerifier(roots: .apple)
        let result = try unconfigured.transactionReceipt(signed(), for: Self.app, at: World.now).get()
        guard case .signatureOnly(let receipt) = result else {
            Issue.record("the issuer is not proved")
            return
        }
        #expect(receipt.leafName == "PurchaseReceiptCertificate" && receipt.payload.unsignedEnvironment == .production)
        let namesake = try TransactionReceiptAuthority(validity: World.year)
        let other = AppStoreVerifier(roots: TrustRoots.apple.adding(transactionReceiptIssuer: namesake.issuerDER))
        #expect(other.transactionReceipt(try signed(), for: Self.app, at: World.now).refusal == .chainInvalid)
    }

    @Test func `a change after the signature is refused`() throws {
        let text = String(decoding: try signed(), as: UTF8.self)
        let other = Data(Self.purchaseInfo.replacing("\"1\"", with: "\"9\"").utf8).base64EncodedString()
        let mine = Data(Self.purchaseInfo.utf8).base64EncodedString()
        #expect(verify(Array(text.replacing(mine, with: other).utf8)).refusal == .signatureInvalid)
    }

    @Test func `a signature of another layout is refused`() throws {
        let info = Array(Self.purchaseInfo.utf8)
        let good = authority.signatureField(signature: [UInt8](repeating: 1, count: 128))
        let fields: [([UInt8], ReceiptRefusal.Code)] = [
            (good, .signatureInvalid), ([], .attributeInvalid), ([2], .signatureMalformed),
            (Array(good.dropLast()), .signatureMalformed), (good + [0], .signatureMalformed),
            (authority.signatureField(version: 1, signature: [UInt8](repeating: 1, count: 128)), .signatureMalformed),
            (authority.signatureField(version: 3, signature: [UInt8](repeating: 1, count: 128)), .signatureMalformed),
            (authority.signatureField(version: 3, signature: [UInt8](repeating: 1, count: 256)), .signatureInvalid),
            ([2] + [UInt8](repeating: 1, count: 128) + [0xFF, 0xFF, 0xFF, 0xFF], .signatureMalformed),
            ([2] + [UInt8](repeating: 1, count: 128) + [0, 0, 0, 0], .certificateMalformed),
        ]
        for (field, code) in fields {
            let text = TransactionReceiptAuthority.propertyList(signature: field, purchaseInfo: info, environment: nil)
            #expect(verify(Array(text.utf8)).refusal == code, "\(field.prefix(4)) of \(field.count)")
        }
    }

    @Test(arguments: ["transaction-id", "original-transaction-id", "product-id", "bid", "purchase-date-ms"])
    func `a missing required name is reported`(name: String) throws {
        let lines = Self.purchaseInfo.split(separator: "\n").filter { !$0.contains("\"\(name)\"") }
        #expect(verify(try signed(lines.joined(separator: "\n"))).refusal == .attributeMissing)
    }

    @Test func `impossible values are refused and named`() throws {
        let changes = [
            ("\"1779999990000\"", "\"yesterday\""), ("\"1782591990000\"", "\"99999999999999999999\""), ("\"true\"", "\"yes\""),
            ("\"1779999990000\"", "\"-1\""), ("2026-04-28 20:26:30 Etc/GMT", "2026-04-28"), ("\"2000000900000002\"", "\"\""),
        ]
        for (old, new) in changes {
            #expect(verify(try signed(Self.purchaseInfo.replacing(old, with: new))).refusal == .attributeInvalid, "\(new)")
        }
    }

    @Test func `FACT-4 app and environment are compared, and dates checked against the chain and the clock`() throws {
        let other = ExpectedApp(bundleId: "com.example.other", appAppleId: nil, environments: [.production])
        #expect(verify(try signed(), for: other).refusal == .wrongBundleId)
        let sandbox = ExpectedApp(bundleId: "com.example.tenure", appAppleId: nil, environments: [.sandbox])
        #expect(verify(try signed(), for: sandbox).refusal == .wrongEnvironment)
        #expect(verify(try signed(environment: "PROD")).refusal == .wrongEnvironment)
        let xcode = ExpectedApp(bundleId: "com.example.tenure", appAppleId: nil, environments: [.xcode])
        #expect(verify(try signed(environment: "Xcode"), for: xcode).refusal == .wrongEnvironment)
        let numbered = Self.purchaseInfo.replacing("\"bvrs\"", with: "\"app-item-id\" = \"4712\"; \"bvrs\"")
        let mine = ExpectedApp(bundleId: "com.example.tenure", appAppleId: 4711, environments: [.production])
        #expect(verify(try signed(numbered), for: mine).refusal == .wrongAppAppleId)
        let old = Self.purchaseInfo.replacing("1779999990000", with: "1335798355868")
        #expect(verify(try signed(old)).refusal == .creationDateOutsideChain)
        let future = Self.purchaseInfo.replacing("1779999990000", with: "1790000000000")
        #expect(verify(try signed(future)).refusal == .creationDateInFuture)
    }

    @Test func `malformed lists are refused without a trap`() throws {
        let wrong = [
            "", "{", "}", "{}", "{\"a\"", "{\"a\"=", "{\"a\"=\"b\"", "{\"a\"=\"b\"}", "{\"a\"=\"b\";\"a\"=\"b\";}",
            "{\"a\"=(\"b\");}",
            "{\"a\"={\"b\"=\"c\";};}", "{\"a\"=\"b\";} x", "{\"a\"=\"\\", "{\"a\"=\"\\101\";}", "{\"a\"=<00>;}", "{=b;}", "\0",
            "{\"a\"=\"\0\";}", "{\"a\"=\"\u{7F}", String(repeating: "{\"a\"=", count: 5000),
        ]
        for text in wrong {
            let refusal = verify(Array(text.utf8)).refusal
            #expect(refusal == (text == "{}" ? .attributeMissing : .notPropertyList), "\(text.prefix(20))")
        }
        #expect(verify([UInt8](repeating: 0x20, count: 65_537)).refusal == .tooLong)
        #expect(verify(Array("{ signature = QUJD; pod = 100; }".utf8)).refusal == .attributeMissing, "plain words are read")
    }

    @Test(.needsFixtures) func `a receipt that Apple signed in 2012 holds, and its issuer is not proved`() throws {
        let list = try ReceiptEncoding.bytes(base64: Fixtures.bytes("real/transaction-receipt-pre-ios7.b64")).get()
        let app = ExpectedApp(bundleId: "com.mindmobapp.MindMob", appAppleId: nil, environments: [.sandbox])
        guard case .signatureOnly(let receipt) = try verify(list, for: app).get() else {
            Issue.record("Apple iTunes Store CA is not configured")
            return
        }
        #expect(
            receipt.payload.transactionId == "1000000046178817" && receipt.payload.originalTransactionId == "1000000046178817")
        #expect(receipt.payload.productId == "com.mindmobapp.download" && receipt.payload.unsignedEnvironment == .sandbox)
        #expect(receipt.payload.purchaseDate.millisecondsSince1970 == 1_335_798_355_868)
        #expect(receipt.leafName == "PurchaseReceiptCertificate")
        #expect(receipt.issuerName == "Apple iTunes Store Certification Authority")
        var changed = list
        let position = try #require(changed.firstRange(of: Array("purchase-info".utf8))).upperBound + 60
        changed[position] = changed[position] == 0x41 ? 0x42 : 0x41
        #expect(verify(changed, for: app).refusal == .signatureInvalid)
    }

    @Test(.needsFixtures) func `the purchase info of a renewal of 2017 is read`() throws {
        let text = try Fixtures.text("mission/purchase-info-pre-ios7.plist.txt")
        let app = ExpectedApp(bundleId: "com.denachina.pickle", appAppleId: nil, environments: [.sandbox])
        let unconfigured = AppStoreVerifier(roots: .apple)
        let receipt = try unconfigured.transactionReceipt(signed(text, environment: "Sandbox"), for: app, at: World.now).get()
            .payload
        #expect(receipt.transactionId == "1000000329310742" && receipt.originalTransactionId == "1000000328915948")
        #expect(receipt.purchaseDate.millisecondsSince1970 == 1_504_144_439_749)
        #expect(receipt.expiresDate?.millisecondsSince1970 == 1_504_144_739_749)
        #expect(receipt.uniqueVendorIdentifier == "B78549AC-58D4-4750-8E6F-F4CCE6138A5A")
    }
}
