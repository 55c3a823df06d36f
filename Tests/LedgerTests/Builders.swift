import Ledger
import Primitives

/// Midnight of a day in UTC, such as `day(2026, 2, 8)`.
func day(_ year: Int64, _ month: Int64, _ day: Int64) -> Timestamp {
    Timestamp(millisecondsSince1970: Milliseconds.days(CivilDate(year: year, month: month, day: day)?.daysSince1970 ?? 0).count)
}

extension Timestamp {
    static func + (instant: Timestamp, duration: Milliseconds) -> Timestamp { instant.adding(duration) }
    static func - (instant: Timestamp, duration: Milliseconds) -> Timestamp { instant.adding(Milliseconds(-duration.count)) }
}

let key = SubscriptionKey(app: AppID("app"), environment: .production, originalTransactionId: OriginalTransactionID("1000"))
let plus = ProductID("plus.monthly")
let pro = ProductID("pro.monthly")
let alice = CustomerID("alice")
let bob = CustomerID("bob")
let carol = CustomerID("carol")
let aliceToken = AppAccountToken("a11ce000-0000-4000-8000-000000000001")
let bobToken = AppAccountToken("b0b00000-0000-4000-8000-000000000002")

/// A transaction of subscription 1000. It has its own web order line item unless a change says otherwise; it is signed at its
/// purchase.
func transaction(
    _ id: String, _ product: ProductID = plus, from purchaseDate: Timestamp, to expiresDate: Timestamp?,
    _ change: (inout TransactionFact) -> Void = { _ in }
) -> TransactionFact {
    var fact = TransactionFact(
        originalTransactionId: key.originalTransactionId, transactionId: TransactionID(id), productId: product,
        purchaseDate: purchaseDate, signedDate: purchaseDate)
    fact.expiresDate = expiresDate
    fact.webOrderLineItemId = "9" + id
    fact.transactionReason = .purchase
    change(&fact)
    return fact
}

/// A copy of a transaction that Apple signed later.
func copy(
    _ fact: TransactionFact, signed: Timestamp, _ change: (inout TransactionFact) -> Void = { _ in }
) -> TransactionFact {
    var copy = fact
    copy.signedDate = signed
    change(&copy)
    return copy
}

func renewal(
    _ id: String, _ product: ProductID = plus, from purchaseDate: Timestamp, to expiresDate: Timestamp,
    _ change: (inout TransactionFact) -> Void = { _ in }
) -> TransactionFact {
    transaction(id, product, from: purchaseDate, to: expiresDate) {
        $0.transactionReason = .renewal
        change(&$0)
    }
}

func renewalInfo(signed signedDate: Timestamp, renews: Bool = true, _ change: (inout RenewalFact) -> Void = { _ in })
    -> RenewalFact
{
    var fact = RenewalFact(originalTransactionId: key.originalTransactionId, signedDate: signedDate)
    fact.autoRenewStatus = renews
    change(&fact)
    return fact
}

func claim(
    _ customer: CustomerID, _ kind: Claim.Kind, _ transaction: TransactionFact, naming product: ProductID? = nil,
    at claimedAt: Timestamp
) -> Claim {
    Claim(
        id: .init("\(customer)/\(kind.rawValue)/\(transaction.transactionId)/\(claimedAt.millisecondsSince1970)"),
        customer: customer,
        kind: kind, transaction: transaction, productId: product ?? transaction.productId, claimedAt: claimedAt)
}

/// The app registered the token for the customer: before everything else here, unless an instant is given.
func registered(_ token: AppAccountToken, _ customer: CustomerID, at instant: Timestamp = day(2020, 1, 1)) -> TokenRegistration {
    TokenRegistration(token: token, customer: customer, registeredAt: instant)
}

/// A ledger of one subscription that gets its inputs one after the other.
struct Book {
    private(set) var history: SubscriptionHistory
    private(set) var audit: [AuditRow] = []
    private(set) var events: [LedgerEvent] = []
    var policy: AppPolicy

    init(_ policy: AppPolicy = AppPolicy(), key: SubscriptionKey = key) {
        history = SubscriptionHistory(key: key)
        self.policy = policy
    }

    @discardableResult
    mutating func tell(_ inputs: LedgerInput..., at learnedAt: Timestamp = day(2030, 1, 1)) -> Decision {
        tell(inputs, at: learnedAt)
    }

    @discardableResult
    mutating func tell(_ inputs: [LedgerInput], at learnedAt: Timestamp) -> Decision {
        let decision = Decision(on: inputs, history: history, policy: policy, learnedAt: learnedAt)
        history = decision.history
        audit += decision.auditRows
        events += decision.events
        return decision
    }

    @discardableResult
    mutating func tell(_ facts: TransactionFact...) -> Decision {
        let decision = Decision(
            on: facts.map { .fact(.transaction($0)) }, history: history, policy: policy, learnedAt: day(2030, 1, 1))
        history = decision.history
        audit += decision.auditRows
        events += decision.events
        return decision
    }

    @discardableResult
    mutating func tell(_ fact: RenewalFact) -> Decision { tell(.fact(.renewal(fact))) }

    /// The claim's outcome.
    mutating func hear(_ claim: Claim) -> ClaimOutcome? {
        tell(.claim(claim), at: claim.claimedAt).outcomes.first
    }

    /// Applies what is due by then.
    @discardableResult
    mutating func passTime(to now: Timestamp) -> Decision {
        let decision = Decision(tellingAt: now, history: history, state: state)
        history = decision.history
        events += decision.events
        return decision
    }

    var state: SubscriptionState { SubscriptionState(folding: history, under: policy) }

    /// Whether the customer has access from this subscription, by an entitlement that every product here gives.
    func isActive(_ customer: CustomerID, at instant: Timestamp) -> Bool { answer(customer, at: instant).isActive }

    func answer(_ customer: CustomerID, at instant: Timestamp) -> EntitlementAnswer {
        let products = Set(state.periods.map(\.productId)).sorted()
        let map = EntitlementMap(
            entries: products.map { .init(productId: $0, validFrom: day(2000, 1, 1), entitlements: [EntitlementID("access")]) })
        return CustomerAnswer(at: instant, holdings: [Holding(of: customer, in: state)], map: map).overall
    }
}

/// Each tenure's customer and beginning.
func owners(_ book: Book) -> [String] {
    book.state.tenures.map { "\($0.customer?.rawValue ?? "nobody") \($0.from)" }
}

/// The book of the same inputs in every order that is a rotation of one, forwards and backwards.
func books(_ inputs: [LedgerInput], _ policy: AppPolicy = AppPolicy()) -> [Book] {
    inputs.indices.flatMap { start in
        [inputs, inputs.reversed()].map { inputs in
            var book = Book(policy)
            for input in inputs[start...] + inputs[..<start] { book.tell(input) }
            return book
        }
    }
}

extension SubscriptionHistory {
    /// The history, taken apart as a store keeps it and put together again.
    var rebuilt: SubscriptionHistory {
        var parts = parts
        parts.lines = parts.lines.compactMap {
            PeriodBook.Line(
                aliases: $0.aliases, kept: $0.kept, tokens: $0.tokens, signedFirst: $0.signedFirst)
        }
        return SubscriptionHistory(parts)
    }
}
