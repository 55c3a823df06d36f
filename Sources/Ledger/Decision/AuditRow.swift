package import Primitives

/// One change in one customer's access: when it took effect, when we learned it, by which rule, on what evidence (AUDIT-1).
package struct AuditRow: Sendable, Hashable {
    package let subscription: SubscriptionKey
    package let customer: CustomerID
    /// The first instant at which the customer's access differs from what we thought before.
    package let effectiveAt: Timestamp
    package let learnedAt: Timestamp
    package let rule: Rule
    /// What made the difference; empty where a newer version of Tenure did.
    package let evidence: [Evidence]
    package let before: Extent
    package let after: Extent
    package let actor: Actor
    /// What upgrades or refunds took back of periods credited to the customer (ENT-4); by purchase date, mostly none or
    /// one.
    package let takeBacks: [TakeBack]
    /// The name of the key with which the request came that brought it about; nil where none was shown.
    package var keyName: String?

    /// How far a customer's access from this subscription reaches.
    package struct Extent: Sendable, Hashable, Codable {
        /// Whether there is any.
        package let exists: Bool
        /// Its last end that rests on what Apple signed; nil if there is none, or it does not end.
        package let until: Timestamp?
        /// Its last end with late news counted in (ENT-6), where that is later.
        package let provisionalUntil: Timestamp?

        init(of spans: [AccessSpan]) {
            var (signed, provisional): (Timestamp?, Timestamp?)
            var isOpen = false
            for span in spans {
                guard let end = span.until else {
                    isOpen = isOpen || span.kind != .provisional
                    continue
                }
                if span.kind == .provisional {
                    provisional = max(provisional ?? end, end)
                } else {
                    signed = max(signed ?? end, end)
                }
            }
            exists = !spans.isEmpty
            until = isOpen ? nil : signed
            provisionalUntil = isOpen ? nil : provisional.flatMap { end in signed.map { end > $0 } ?? true ? end : nil }
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
        case vote(String)
        case merge(CustomerID)
        case intent(String)
        case reservation(String)
        /// What another subscription's books say of a charge, by its id.
        case chargeElsewhere(String)
        /// Who owned the subscription that this one continues, by that one's id (PER-14).
        case predecessor(String)
        /// Another subscription continues this one, by its id.
        case continuation(String)
        /// A version of what the app chose (OWN-17), by its number.
        case settingsVersion(Int64)

        init(of input: LedgerInput) {
            self =
                switch input {
                case .fact(let fact): .fact(fact.key)
                case .claim(let claim): .claim(claim.id.rawValue)
                case .registration(let registration): .registration(registration.token)
                case .vote(let vote): .vote(vote.id.rawValue)
                case .merge(let merge): .merge(merge.anonymous)
                case .intent(let intent): .intent(intent.id.rawValue)
                case .reservation(let reservation): .reservation(reservation.id.rawValue)
                case .join(let join): .vote(join.id.rawValue)
                case .separation(let separation): .vote(separation.id.rawValue)
                case .chargeElsewhere(let charge): .chargeElsewhere(charge.id)
                case .predecessor(let word): .predecessor(word.originalTransactionId.rawValue)
                case .continuation(let word): .continuation(word.originalTransactionId.rawValue)
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
        /// The operator who applied a version of the policy.
        case operatorOfTenure
        /// A newer version of Tenure, whose rules make something else of the same history; such a row has no evidence.
        case tenure
    }
}

extension AuditRow {
    /// A row as it was kept.
    package init(of subscription: SubscriptionKey, _ customer: CustomerID, because cause: Cause, change: Change) {
        self.init(
            subscription: subscription, customer: customer, effectiveAt: change.effectiveAt, learnedAt: cause.learnedAt,
            rule: cause.rule, evidence: cause.evidence, before: change.before, after: change.after, actor: cause.actor,
            takeBacks: change.takeBacks, keyName: cause.keyName)
    }

    /// What made the difference, and when we learned it.
    package struct Cause: Sendable {
        let learnedAt: Timestamp
        let rule: Rule
        let evidence: [Evidence]
        let actor: Actor
        package var keyName: String?

        package init(learnedAt: Timestamp, rule: Rule, evidence: [Evidence], actor: Actor) {
            (self.learnedAt, self.rule, self.evidence, self.actor) = (learnedAt, rule, evidence, actor)
        }
    }

    /// The difference, and from when on.
    package struct Change: Sendable {
        let effectiveAt: Timestamp
        let before: Extent
        let after: Extent
        let takeBacks: [TakeBack]

        package init(effectiveAt: Timestamp, before: Extent, after: Extent, takeBacks: [TakeBack]) {
            (self.effectiveAt, self.before, self.after, self.takeBacks) = (effectiveAt, before, after, takeBacks)
        }
    }
}
