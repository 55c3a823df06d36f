import Ledger
import Primitives

/// A subscription that was bought once and has renewed every month since, in the ledger's types.
struct Life: Sendable {
    let number: Int
    let periods: Int
    /// The end of its last period.
    let lastEnds: Timestamp

    static let app = AppID("bench")

    /// As most apps name their users: a UUID.
    static func customer(_ number: Int) -> String { SignedSamples.Charge.uuid(number) }

    var customer: CustomerID { CustomerID(Self.customer(number)) }
    var originalTransactionId: OriginalTransactionID { OriginalTransactionID(charge(0).originalTransactionId) }
    var key: SubscriptionKey {
        SubscriptionKey(app: Self.app, environment: .production, originalTransactionId: originalTransactionId)
    }

    /// The charge of a period, counted from 0; one beyond the last is the next renewal.
    func charge(_ index: Int) -> SignedSamples.Charge {
        SignedSamples.Charge(
            subscription: number, number: index,
            purchaseDate: lastEnds.adding(Milliseconds(SignedSamples.month.count * Int64(index - periods))))
    }

    var transactions: [TransactionFact] {
        (0..<periods).map { index in
            let charge = charge(index)
            var fact = TransactionFact(
                originalTransactionId: originalTransactionId, transactionId: TransactionID(charge.transactionId),
                productId: ProductID(SignedSamples.monthly), purchaseDate: charge.purchaseDate, signedDate: charge.purchaseDate)
            fact.expiresDate = charge.expiresDate
            fact.appAccountToken = AppAccountToken(charge.appAccountToken)
            fact.webOrderLineItemId = charge.webOrderLineItemId
            fact.transactionReason = index == 0 ? .purchase : .renewal
            return fact
        }
    }

    var renewal: RenewalFact {
        var fact = RenewalFact(originalTransactionId: originalTransactionId, signedDate: charge(periods - 1).purchaseDate)
        fact.autoRenewStatus = true
        fact.productId = ProductID(SignedSamples.monthly)
        fact.autoRenewProductId = fact.productId
        return fact
    }

    /// The customer's upload of the first purchase.
    var claim: Claim {
        let bought = transactions[0]
        let digits = String(number)
        return Claim(
            id: .init("claim-" + String(repeating: "0", count: max(0, 8 - digits.count)) + digits), customer: customer,
            kind: .purchase, transaction: bought, productId: bought.productId,
            claimedAt: bought.purchaseDate.adding(.minutes(1)))
    }

    var facts: [Fact] { transactions.map { .transaction($0) } + [.renewal(renewal)] }
    var inputs: [LedgerInput] { facts.map { .fact($0) } + [.claim(claim)] }

    func decision(on inputs: [LedgerInput]) -> Decision {
        Decision(on: inputs, history: SubscriptionHistory(key: key), policy: AppPolicy(), learnedAt: lastEnds)
    }
}
