import Ledger
import Primitives
import Storage
import Testing

@Suite struct `Who waits for Apple` {
    private static let start = Timestamp(millisecondsSince1970: 1_767_225_600_000)
    private static let end = start.adding(.days(30))

    /// What is decided on a month that was bought, and on what Apple signed of its renewal.
    private func decision(_ change: ((inout RenewalFact) -> Void)? = nil) -> Decision {
        let key = SubscriptionKey(
            app: AppID("app"), environment: .production, originalTransactionId: OriginalTransactionID("1000"))
        var month = TransactionFact(
            originalTransactionId: key.originalTransactionId, transactionId: TransactionID("1000"),
            productId: ProductID("plus.monthly"), purchaseDate: Self.start, signedDate: Self.start)
        month.expiresDate = Self.end
        var inputs: [LedgerInput] = [.fact(.transaction(month))]
        if let change {
            var renewal = RenewalFact(originalTransactionId: key.originalTransactionId, signedDate: Self.start.adding(.hours(1)))
            (renewal.productId, renewal.autoRenewProductId) = (month.productId, month.productId)
            change(&renewal)
            inputs.append(.fact(.renewal(renewal)))
        }
        return Decision(
            on: inputs, history: SubscriptionHistory(key: key), state: nil, policy: AppPolicy(), learnedAt: Self.start)
    }

    @Test func `RECON-6 whoever shows a month that is over waits for Apple, and nobody else`() {
        let renewing = decision { $0.autoRenewStatus = true }
        #expect(![renewing].waitForApple(at: Self.end.adding(.days(-1))), "it runs")
        #expect([renewing].waitForApple(at: Self.end.adding(.days(35))), "it is over, and was set to renew")
        #expect([decision()].waitForApple(at: Self.end.adding(.days(35))), "nobody knows whether it was")
        let ended = decision { renewal in
            (renewal.autoRenewStatus, renewal.expirationIntent) = (false, 1)
            renewal.signedDate = Self.end.adding(.minutes(1))
        }
        #expect(![ended].waitForApple(at: Self.end.adding(.days(35))), "Apple has said that it is over")
        #expect(![Decision]().waitForApple(at: Self.end), "nothing was shown")
    }
}
