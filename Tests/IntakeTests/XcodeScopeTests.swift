import AppStoreWire
import Foundation
import Intake
import Ledger
import Primitives
import SimulatorPKI
import Testing

/// Every copy of Xcode counts its ids from 0; what two of them signed never meets (FACT-4, decision 0076).
@Suite struct XcodeScopeTests {
    private static let signedAt = IntakeTests.signedAt
    private static let app = ExpectedApp(bundleId: "com.example", appAppleId: nil, environments: [.xcode])
    private let (one, other): (XcodeAuthority, XcodeAuthority)
    private let verifier: AppStoreVerifier

    init() throws {
        let validity = Self.signedAt.adding(.days(-1))...Self.signedAt.adding(.days(300))
        (one, other) = (try XcodeAuthority(validity: validity), try XcodeAuthority(validity: validity))
        verifier = AppStoreVerifier(
            roots: TrustRoots.apple.adding(xcodeCertificate: one.certificateDER).adding(xcodeCertificate: other.certificateDER))
    }

    private func transaction(by xcode: XcodeAuthority) async throws -> Verified<TransactionPayload> {
        let members: [String: Any] = [
            "transactionId": "1", "originalTransactionId": "0", "webOrderLineItemId": "0", "bundleId": "com.example",
            "productId": "plus.monthly", "purchaseDate": 1_767_225_600_000.25, "expiresDate": 1_769_904_000_000,
            "type": "Auto-Renewable Subscription", "signedDate": 1_767_225_600_000, "environment": "Xcode",
            "appTransactionId": "0",
        ]
        let jws = try xcode.sign(payload: Array(try JSONSerialization.data(withJSONObject: members)))
        return try await verifier.transaction(jws, for: Self.app, at: Self.signedAt).get()
    }

    private func translated(_ type: String, by xcode: XcodeAuthority) async throws -> TranslatedNotification {
        let bought = try await transaction(by: xcode)
        let members: [String: Any] = [
            "notificationType": type, "notificationUUID": "5e09dcfc-205e-4ea1-9883-96676f394992", "version": "2.0",
            "signedDate": 1_767_225_600_000,
            "data": [
                "bundleId": "com.example", "environment": "Xcode",
                "signedTransactionInfo": String(decoding: Intake.translate(bought).evidence, as: UTF8.self),
            ],
        ]
        let jws = try xcode.sign(payload: Array(try JSONSerialization.data(withJSONObject: members)))
        return Intake.translate(try await verifier.notification(jws, for: Self.app, at: Self.signedAt).get())
    }

    @Test func `FACT-4 a notification of a copy of Xcode is about what that copy signed`() async throws {
        let refund = try await translated("REFUND", by: one)
        let prefix = prefix(of: one)
        #expect(refund.notice.transactionId == TransactionID(prefix + "1"))
        #expect(refund.facts.map(\.fact.originalTransactionId) == Array(repeating: OriginalTransactionID(prefix + "0"), count: 2))
    }

    private func renewalInfo(by xcode: XcodeAuthority) async throws -> UnboundRenewalInfo {
        let members: [String: Any] = [
            "originalTransactionId": "0", "productId": "plus.monthly", "autoRenewProductId": "plus.monthly", "autoRenewStatus": 1,
            "signedDate": 1_767_225_600_000, "environment": "Xcode",
        ]
        let jws = try xcode.sign(payload: Array(try JSONSerialization.data(withJSONObject: members)))
        return try await verifier.renewalInfo(jws, for: Self.app, at: Self.signedAt).get()
    }

    private func prefix(of xcode: XcodeAuthority) -> String {
        let fingerprints = TrustRoots.apple.adding(xcodeCertificate: xcode.certificateDER).xcodeFingerprints
        return "xcode-\(Hexadecimal.encode(fingerprints.first?.prefix(4) ?? []))-"
    }

    @Test func `FACT-4 the ids of a copy of Xcode begin with its certificate, those of another one with its own`() async throws {
        for xcode in [one, other] {
            let bought = try await transaction(by: xcode)
            let renewal = try await renewalInfo(by: xcode).bound(to: bought).get()
            guard case .transaction(let fact) = Intake.translate(bought).fact,
                case .renewal(let word) = Intake.translate(renewal, beside: bought).fact
            else { throw CancellationError() }
            let prefix = prefix(of: xcode)
            #expect(fact.originalTransactionId == OriginalTransactionID(prefix + "0"))
            #expect(fact.transactionId == TransactionID(prefix + "1") && fact.webOrderLineItemId == nil)
            #expect(fact.appTransactionId == prefix + "0")
            #expect(word.originalTransactionId == fact.originalTransactionId)
        }
        #expect(prefix(of: one) != prefix(of: other))
    }

    @Test func `FACT-4 a renewal info of one copy of Xcode says nothing of what another one signed`() async throws {
        let refused = try await renewalInfo(by: other).bound(to: transaction(by: one))
        guard case .failure(let refusal) = refused else { throw CancellationError() }
        #expect(refusal.code == .renewalInfoNotOfTransaction)
    }
}
