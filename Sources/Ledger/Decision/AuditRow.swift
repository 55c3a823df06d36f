package import Primitives

/// One change in one customer's access: when it took effect, when we learned it, by which rule, on what evidence (AUDIT-1).
package struct AuditRow: Sendable, Hashable, Codable {
    package let subscription: SubscriptionKey
    package let customer: CustomerID
    /// The first instant at which his access differs from what we thought before.
    package let effectiveAt: Timestamp
    package let learnedAt: Timestamp
    package let rule: Rule
    /// What made the difference; empty where a changed policy did.
    package let evidence: [Evidence]
    package let before: Extent
    package let after: Extent
    package let actor: Actor
    /// What an upgrade or a refund took back of the period he was credited with (ENT-4).
    package let takeBack: TakeBack?

    /// How far a customer's access from this subscription reaches.
    package struct Extent: Sendable, Hashable, Codable {
        /// Whether there is any.
        package let exists: Bool
        /// Its last end that rests on what Apple signed; nil if there is none, or it does not end.
        package let until: Timestamp?
        /// Its last end with late news counted in (ENT-6), where that is later.
        package let provisionalUntil: Timestamp?

        init(of spans: [AccessSpan]) {
            let signed = spans.filter { $0.kind != .provisional }
            exists = !spans.isEmpty
            let isOpen = signed.contains { $0.until == nil }
            let lastSigned = isOpen ? nil : signed.compactMap(\.until).max()
            until = lastSigned
            let provisional = spans.filter { $0.kind == .provisional }.compactMap(\.until).max()
            provisionalUntil = provisional.flatMap { end in !isOpen && lastSigned.map({ end > $0 }) ?? true ? end : nil }
        }
    }

    /// The unused part of one period, taken from the customer who was credited with it.
    package struct TakeBack: Sendable, Hashable, Codable {
        package let transactionId: TransactionID
        package let productId: ProductID
        /// max(0, expiresDate − max(purchaseDate, effective instant)), on Apple's clock.
        package let amount: Milliseconds
        package let periodEndBefore: Timestamp
        package let periodEndAfter: Timestamp
    }

    package enum Evidence: Sendable, Hashable, Codable {
        /// A fact, by its key.
        case fact(String)
        case claim(String)
        case registration(AppAccountToken)

        init(of input: LedgerInput) {
            self =
                switch input {
                case .fact(let fact): .fact(fact.key)
                case .claim(let claim): .claim(claim.id.rawValue)
                case .registration(let registration): .registration(registration.token)
                }
        }
    }

    /// Who brought it about.
    package enum Actor: String, Sendable, Hashable, Codable {
        /// The App Store, by something it signed.
        case appStore
        /// A customer, by a claim.
        case customer
        /// The app's own backend, by registering a token.
        case appBackend
        /// Whoever changed the policy.
        case operatorOfTenure
    }
}
