import AppStoreWire
import Foundation
import Intake
import Ledger
import Primitives
import SimulatorPKI
import Testing

/// Payloads signed by our own chain, verified, and translated.
@Suite struct IntakeTests {
    static let signedAt = Timestamp(millisecondsSince1970: 1_767_225_600_000)
    static let app = ExpectedApp(bundleId: "com.example", appAppleId: 42, environments: [.production, .sandbox])
    let authority: SigningAuthority
    let verifier: AppStoreVerifier

    init() throws {
        authority = try SigningAuthority(validity: Self.signedAt.adding(.days(-1))...Self.signedAt.adding(.days(300)))
        verifier = AppStoreVerifier(roots: TrustRoots(fingerprints: [authority.rootFingerprint]))
    }

    private func signed(_ members: [String: Any]) throws -> String {
        try authority.sign(payload: Array(try JSONSerialization.data(withJSONObject: members)))
    }

    private var transaction: [String: Any] {
        [
            "transactionId": "2", "originalTransactionId": "1", "webOrderLineItemId": "77", "bundleId": "com.example",
            "productId": "plus.monthly", "purchaseDate": 1_767_225_600_000, "expiresDate": 1_769_904_000_000,
            "type": "Auto-Renewable Subscription", "signedDate": 1_767_225_600_000, "environment": "Production",
            "transactionReason": "PURCHASE", "inAppOwnershipType": "PURCHASED", "price": 9990, "currency": "USD",
            "storefront": "USA",
            "offerType": 1, "offerDiscountType": "FREE_TRIAL", "appTransactionId": "704",
            "appAccountToken": "A11CE000-0000-4000-8000-000000000001", "neverHeardOf": ["kept": true],
        ]
    }

    private var renewalInfo: [String: Any] {
        [
            "originalTransactionId": "1", "productId": "plus.monthly", "autoRenewProductId": "pro.monthly", "autoRenewStatus": 1,
            "signedDate": 1_767_225_600_000, "environment": "Production", "isInBillingRetryPeriod": true,
            "gracePeriodExpiresDate": 1_770_000_000_000, "expirationIntent": 2, "renewalDate": 1_769_904_000_000,
            "renewalPrice": 12_990, "currency": "USD",
        ]
    }

    private func translated(_ members: [String: Any]) async throws -> TransactionFact {
        let verified = try await verifier.transaction(try signed(members), for: Self.app, at: Self.signedAt).get()
        guard case .transaction(let fact) = Intake.translate(verified).fact else { throw CancellationError() }
        return fact
    }

    private func notification(
        _ data: [String: Any], type: String = "DID_RENEW", subtype: String = "BILLING_RECOVERY"
    ) async throws -> TranslatedNotification {
        let body: [String: Any] = [
            "notificationType": type, "subtype": subtype, "notificationUUID": "5e09dcfc-205e-4ea1-9883-96676f394992",
            "version": "2.0", "signedDate": 1_767_225_600_000,
            "data": data.merging(["bundleId": "com.example", "appAppleId": 42, "environment": "Production"]) { first, _ in first
            },
        ]
        return Intake.translate(try await verifier.notification(try signed(body), for: Self.app, at: Self.signedAt).get())
    }

    @Test func `FACT-6 the bytes that prove a fact are kept with it exactly as they arrived, including unknown fields`()
        async throws
    {
        let jws = try signed(transaction)
        let verified = try await verifier.transaction(jws, for: Self.app, at: Self.signedAt).get()
        let proven = Intake.translate(verified)
        #expect(proven.evidence == Array(jws.utf8))
        let again = try await verifier.transaction(proven.evidence, for: Self.app, at: Self.signedAt).get()
        #expect(String(decoding: again.payloadJSON, as: UTF8.self).contains("neverHeardOf"))
    }

    @Test func `a transaction becomes a fact with every value that a rule or the accounts need`() async throws {
        let fact = try await translated(transaction)
        #expect(fact.originalTransactionId == OriginalTransactionID("1") && fact.transactionId == TransactionID("2"))
        #expect(fact.webOrderLineItemId == "77" && fact.productId == ProductID("plus.monthly"))
        #expect(fact.type == .autoRenewableSubscription && fact.transactionReason == .purchase && !fact.isUpgraded)
        #expect(fact.purchaseDate == Self.signedAt && fact.expiresDate == Timestamp(millisecondsSince1970: 1_769_904_000_000))
        #expect(fact.appAccountToken?.rawValue == "a11ce000-0000-4000-8000-000000000001" && fact.appTransactionId == "704")
        #expect(
            fact.details.price == Milliunits(9990) && fact.details.currency == "USD"
                && fact.details.offerDiscountType == "FREE_TRIAL")
        #expect(fact.revocation == nil)
    }

    @Test func `PER-1 a web order line item of zero is no key at all`() async throws {
        #expect(try await translated(transaction.merging(["webOrderLineItemId": "0"]) { $1 }).webOrderLineItemId == nil)
    }

    @Test func `a revocation and an upgrade are carried over`() async throws {
        let fact = try await translated(
            transaction.merging([
                "revocationDate": 1_768_000_000_000, "revocationReason": 1, "revocationType": "REFUND_PRORATED",
                "revocationPercentage": 40_000, "isUpgraded": true,
            ]) { $1 })
        #expect(fact.revocation?.revocationDate == Timestamp(millisecondsSince1970: 1_768_000_000_000))
        #expect(fact.revocation?.isPartial == true && fact.revocation?.revocationReason == 1 && fact.isUpgraded)
    }

    @Test func `a notification becomes its own fact, its transaction and its renewal info`() async throws {
        let translated = try await notification([
            "signedTransactionInfo": try signed(transaction), "signedRenewalInfo": try signed(renewalInfo), "status": 4,
        ])
        #expect(translated.facts.count == 3)
        #expect(
            translated.notice.notificationType == "DID_RENEW" && translated.notice.subtype == "BILLING_RECOVERY"
                && translated.notice.status == 4)
        guard case .renewal(let renewal) = translated.facts.last?.fact else {
            Issue.record("no renewal info")
            return
        }
        #expect(
            renewal.autoRenewProductId == ProductID("pro.monthly") && renewal.autoRenewStatus == true
                && renewal.isInBillingRetryPeriod)
        #expect(
            renewal.gracePeriodExpiresDate == Timestamp(millisecondsSince1970: 1_770_000_000_000) && renewal.expirationIntent == 2
        )
        #expect(renewal.renewalPrice == Milliunits(12_990) && renewal.currency == "USD")
    }

    @Test func `a REFUND keeps its details of the refund, which the transaction no longer shows once it is reversed`()
        async throws
    {
        let refunded = transaction.merging(["revocationDate": 1_768_000_000_000, "revocationPercentage": 40_000]) { $1 }
        let refund = try await notification(["signedTransactionInfo": try signed(refunded)], type: "REFUND")
        #expect(
            refund.notice.revocation
                == Revocation(
                    revocationDate: Timestamp(millisecondsSince1970: 1_768_000_000_000), revocationPercentage: 40_000))
        let declined = try await notification(["signedTransactionInfo": try signed(refunded)], type: "REFUND_DECLINED")
        #expect(declined.notice.transactionId == TransactionID("2") && declined.notice.revocation == nil)
    }

    @Test func `PER-12 a refund is of seats where Apple says of how many, or calls it so`() async throws {
        func seats(_ info: [String: Any]?, _ subtype: String) async throws -> Int64? {
            var members: [String: Any] = ["revocationDate": 1_768_000_000_000, "quantity": 5]
            members["multiSeatInfo"] = info
            let jws = try signed(transaction.merging(members) { $1 })
            let translated = try await notification(["signedTransactionInfo": jws], type: "REFUND", subtype: subtype)
            guard case .transaction(let fact) = translated.facts[1].fact else { throw CancellationError() }
            #expect(translated.notice.revocation == fact.revocation && fact.revocation != nil)
            return fact.revocation?.revokedSeatQuantity
        }
        for subtype in ["", "SEATS"] { #expect(try await seats(["revokedSeatQuantity": 2], subtype) == 2) }
        for unsaid in [nil, ["revokedSeatQuantity": 0], ["revokedSeatQuantity": -1], ["revokedSeatQuantity": "two"]] {
            #expect(try await seats(unsaid, "") == nil)
            #expect(try await seats(unsaid, "SEATS") == 0, "of seats, and of how many is not known")
        }
    }

    @Test func `FACT-4 a renewal info without a transaction is not a fact`() async throws {
        let translated = try await notification(["signedRenewalInfo": try signed(renewalInfo)])
        #expect(translated.facts.isEmpty)
    }

    @Test func `FACT-5 a notification of an unknown type is translated with its spelling kept`() async throws {
        let translated = try await notification(["signedTransactionInfo": try signed(transaction)], type: "NEVER_HEARD_OF")
        #expect(translated.notice.notificationType == "NEVER_HEARD_OF" && translated.facts.count == 2)
    }

    @Test func `a TEST notification is about no subscription and gives no facts`() async throws {
        #expect(try await notification([:], type: "TEST").facts.isEmpty)
    }
}
