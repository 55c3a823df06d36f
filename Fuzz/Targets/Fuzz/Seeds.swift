import Foundation
import Primitives
import SimulatorPKI

/// Initial inputs of the right shape: without them the fuzzer would never get past the signature.
enum Seeds {
    /// Writes them to a folder per target; called with TENURE_FUZZ=seeds.
    static func write(to folder: String) throws {
        for (target, seeds) in try all() {
            let directory = URL(fileURLWithPath: folder).appending(path: target.rawValue)
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            for (name, bytes) in seeds { try Data(bytes).write(to: directory.appending(path: "seed-\(name)")) }
        }
    }

    static func all() throws -> [(FuzzTarget, [(String, [UInt8])])] {
        let harness = Harness.shared
        let jws = [
            ("transaction", Array(try harness.authority.sign(payload: transaction).utf8)),
            ("xcode", Array(try harness.xcode.sign(payload: transaction).utf8)),
        ]
        let chain = harness.authority.chainDER
        func prefixed(_ certificates: [[UInt8]]) -> [UInt8] {
            certificates.flatMap { [UInt8($0.count >> 8), UInt8($0.count & 0xFF)] + $0 }
        }
        let year = Timestamp(millisecondsSince1970: 1_767_225_600_000)...Timestamp(millisecondsSince1970: 1_798_761_599_000)
        let receipts = try ReceiptAuthority(validity: year)
        let old = try TransactionReceiptAuthority(validity: year)
        return [
            (.jws, jws),
            (
                .x5c,
                [
                    ("chain", prefixed(chain)), ("two", prefixed(Array(chain.prefix(2)))),
                    ("xcode", prefixed([harness.xcode.certificateDER])),
                ]
            ),
            (
                .payload,
                [("transaction", transaction), ("renewal", renewal), ("download", download), ("notification", notification)]
            ),
            (.receipt, [("signed", try receipts.sign(content: content)), ("bare", content)]),
            (.receiptContent, [("content", content)]),
            (
                .plist,
                [
                    ("signed", Array(try old.sign(purchaseInfo: purchaseInfo, environment: "Sandbox").utf8)),
                    ("info", Array(purchaseInfo.utf8)),
                ]
            ),
            (
                .verifyReceipt,
                [("answer", answer), ("ios6", oldAnswer), ("retry", Array(#"{"status":21199,"is-retryable":1}"#.utf8))]
            ),
            (.notificationV1, [("unified", hint)]),
            (
                .serverAPI,
                [("statuses", [0] + statuses), ("error", [1] + Array(#"{"errorCode":4290000,"errorMessage":"Rate"}"#.utf8))]
            ),
            (
                .recognition,
                [
                    ("jws", jws[0].1), ("answer", answer), ("receipt", try receipts.sign(content: content)),
                    ("statuses", statuses),
                    ("plist", Array(try old.sign(purchaseInfo: purchaseInfo, environment: nil).utf8)), ("hint", hint),
                ]
            ),
            (
                .json,
                [
                    ("transaction", transaction), ("answer", answer),
                    ("escapes", Array(#"["\u00e9\ud83d\ude00\n",-0,1e5,0.5,true,null,{"":[]}]"#.utf8)),
                ]
            ),
        ]
    }

    static let transaction = Array(
        """
        {"transactionId":"2000000900000002","originalTransactionId":"2000000900000001","webOrderLineItemId":"2000000090000001",\
        "bundleId":"com.example.tenure","productId":"gold","purchaseDate":1779999990000,"expiresDate":1782591990000,\
        "quantity":1,\
        "type":"Auto-Renewable Subscription","signedDate":1780000000000,"environment":"Production","price":9990,\
        "isUpgraded":true,\
        "commitmentInfo":{"billingPeriodNumber":1},"advancedCommerceInfo":{"items":[]},"revocationPercentage":50000}
        """.utf8)
    static let renewal = Array(
        """
        {"originalTransactionId":"2000000900000001","autoRenewStatus":1,"environment":"Production","signedDate":1780000000000,\
        "eligibleWinBackOfferIds":["a","b"],"gracePeriodExpiresDate":null,"isInBillingRetryPeriod":false}
        """.utf8)
    static let download = Array(
        """
        {"receiptType":"Production","appAppleId":4711,"bundleId":"com.example.tenure","receiptCreationDate":1780000000000,\
        "deviceVerificationNonce":"48ccfa42-7431-4f22-9908-7e88983e105a","originalPlatform":"iOS"}
        """.utf8)
    static let notification = Array(
        """
        {"notificationType":"REFUND","subtype":"SEATS","notificationUUID":"u","version":"2.0","signedDate":1780000000000,\
        "data":{"bundleId":"com.example.tenure","environment":"Sandbox","status":5,"signedTransactionInfo":"e30.e30.AA"}}
        """.utf8)

    static let content: [UInt8] = {
        var purchase = ReceiptContent()
        purchase.integer(1701, 1)
        purchase.text(1702, "gold")
        purchase.text(1703, "2000000900000002")
        purchase.date(1704, "2026-05-28T20:26:30Z")
        purchase.date(1712, "")
        purchase.integer(1711, 2_000_000_090_000_001)
        var content = ReceiptContent()
        content.text(0, "Production")
        content.integer(1, 4711)
        content.text(2, "com.example.tenure")
        content.attribute(4, [1, 2, 3, 4])
        content.attribute(5, [UInt8](repeating: 9, count: 20))
        content.date(12, "2026-05-28T20:26:40+02:00")
        content.purchase(purchase)
        content.attribute(99, [1])
        return content.der
    }()

    static let purchaseInfo = """
        { "transaction-id" = "1"; "original-transaction-id" = "1"; "product-id" = "gold"; "bid" = "com.example.tenure";
          "purchase-date-ms" = "1779999990000"; "expires-date-formatted" = "2026-06-28 20:26:30 Etc/GMT"; "quantity" = "1"; }
        """
    static let answer = Array(
        """
        {"status":0,"environment":"Sandbox","receipt":{"receipt_type":"ProductionSandbox","adam_id":0,\
        "bundle_id":"com.example.tenure",\
        "request_date_ms":"1780000000000","in_app":[{"quantity":"1","product_id":"gold","transaction_id":"2",\
        "original_transaction_id":"1",\
        "purchase_date":"2026-05-28 20:26:30 Etc/GMT","expires_date_ms":"1782591990000","is_trial_period":"true"}]},\
        "latest_receipt_info":[{"product_id":"gold","transaction_id":"2","original_transaction_id":"1",\
        "purchase_date_ms":1779999990000,\
        "is_upgraded":true}],"pending_renewal_info":[{"product_id":"gold","original_transaction_id":"1",\
        "auto_renew_status":"1"}]}
        """.utf8)
    static let oldAnswer = Array(
        """
        {"status":21006,"receipt":{"bid":"com.example.tenure","product_id":"gold","transaction_id":"1",\
        "original_transaction_id":"1",\
        "purchase_date_ms":"1335798355868","expires_date":"1338476755868"},"latest_expired_receipt_info":{"product_id":"gold",\
        "transaction_id":"1","original_transaction_id":"1","purchase_date_ms":"1335798355868"},"auto_renew_status":0}
        """.utf8)
    static let statuses = Array(
        """
        {"environment":"Sandbox","bundleId":"com.example.tenure","appAppleId":4711,"data":[{"subscriptionGroupIdentifier":"1",\
        "lastTransactions":[\
        {"status":1,"originalTransactionId":"1","signedTransactionInfo":"a.b.c","signedRenewalInfo":"d.e.f"}]}]}
        """.utf8)
    static let hint = Array(
        """
        {"notification_type":"CANCEL","environment":"PROD","password":"secret","bid":"com.example.tenure",\
        "auto_renew_status":"false",\
        "auto_renew_status_change_date_ms":"1780000000000","unified_receipt":{"environment":"Production","status":0,\
        "latest_receipt_info":[{"product_id":"gold","transaction_id":"2","original_transaction_id":"1",\
        "purchase_date_ms":"1779999990000",\
        "cancellation_date":"2026-05-28 20:26:30 Etc/GMT"}],"pending_renewal_info":[{"product_id":"gold",\
        "auto_renew_status":"0"}]}}
        """.utf8)
}
