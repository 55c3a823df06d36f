package import Ledger
package import Primitives

/// A subscription that was bought once and has renewed every month since, in the ledger's types.
package struct Life: Sendable {
    package let number: Int
    package let periods: Int
    /// The end of its last period.
    package let lastEnds: Timestamp
    /// Which Apple Account bought it; nil for one of its own.
    package let account: Int?
    /// Whether its customer uploaded the first purchase.
    package let isClaimed: Bool

    package static let app = AppID("bench")

    package init(number: Int, periods: Int, lastEnds: Timestamp, account: Int? = nil, isClaimed: Bool = true) {
        (self.number, self.periods, self.lastEnds) = (number, periods, lastEnds)
        (self.account, self.isClaimed) = (account, isClaimed)
    }

    /// As most apps name their users: a UUID.
    package static func customer(_ number: Int) -> String { SignedSamples.Charge.uuid(number) }

    package var customer: CustomerID { CustomerID(Self.customer(number)) }
    package var originalTransactionId: OriginalTransactionID { OriginalTransactionID(charge(0).originalTransactionId) }
    package var key: SubscriptionKey {
        SubscriptionKey(app: Self.app, environment: .production, originalTransactionId: originalTransactionId)
    }

    /// The charge of a period, counted from 0; one beyond the last is the next renewal.
    package func charge(_ index: Int) -> SignedSamples.Charge {
        SignedSamples.Charge(
            subscription: number, account: account, number: index,
            purchaseDate: lastEnds.adding(Milliseconds(SignedSamples.month.count * Int64(index - periods))))
    }

    package var transactions: [TransactionFact] {
        (0..<periods).map { index in
            let charge = charge(index)
            var fact = TransactionFact(
                originalTransactionId: originalTransactionId, transactionId: TransactionID(charge.transactionId),
                productId: ProductID(SignedSamples.monthly), purchaseDate: charge.purchaseDate, signedDate: charge.purchaseDate)
            fact.expiresDate = charge.expiresDate
            fact.appAccountToken = AppAccountToken(charge.appAccountToken)
            fact.webOrderLineItemId = charge.webOrderLineItemId
            fact.appTransactionId = charge.appTransactionId
            fact.transactionReason = index == 0 ? .purchase : .renewal
            return fact
        }
    }

    package var renewal: RenewalFact {
        var fact = RenewalFact(originalTransactionId: originalTransactionId, signedDate: charge(periods - 1).purchaseDate)
        fact.autoRenewStatus = true
        fact.productId = ProductID(SignedSamples.monthly)
        fact.autoRenewProductId = fact.productId
        return fact
    }

    /// The customer's upload of the first purchase.
    package var claim: Claim {
        let bought = transactions[0]
        let digits = String(number)
        return Claim(
            id: .init("claim-" + String(repeating: "0", count: max(0, 8 - digits.count)) + digits), customer: customer,
            kind: .purchase, transaction: bought, productId: bought.productId,
            claimedAt: bought.purchaseDate.adding(.minutes(1)))
    }

    package var facts: [Fact] { transactions.map { .transaction($0) } + [.renewal(renewal)] }
    package var inputs: [LedgerInput] { facts.map { .fact($0) } + (isClaimed ? [.claim(claim)] : []) }

    package func decision(on inputs: [LedgerInput]) -> Decision {
        Decision(on: inputs, history: SubscriptionHistory(key: key), policy: AppPolicy(), learnedAt: lastEnds)
    }
}
