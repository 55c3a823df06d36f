package import Primitives

/// A sign of abuse with its evidence: shown to operators, sent by webhook, and never a punishment by itself (ABUSE-1). No
/// rule here checks signals before serving a customer (WALL-3).
package struct AbuseSignal: Sendable, Hashable {
    package let kind: Kind
    package let subject: Subject
    /// 0 to 100; 50 at the threshold, 100 at twice that.
    package let score: Int
    /// How many customers, accounts, offers, refunds, claims or changes there were.
    package let count: Int
    /// What shows it: in the order of instants, the newest where there are more than ``mostEvidence``.
    package let evidence: [Evidence]
    package var rule: Rule { .abuseSignal }

    /// How much evidence one signal carries at the most.
    package static let mostEvidence = 100

    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// One Apple Account serves many customers.
        case accountOfManyCustomers
        /// One customer has many Apple Accounts.
        case customerOfManyAccounts
        /// Introductory offers of one group had again and again, as one can by changing Apple Accounts (WALL-3).
        case introductoryOfferAgain
        case repeatedRefunds
        /// Refunded when it was used up.
        case refundAfterConsumption
        /// Claims that were refused because the purchase is another's.
        case claimsWithOthersReceipts
        /// Upgrades and crossgrades one after another, each of which gives back the rest of the last.
        case crossgradeLoop
        /// Several customers have evidence of one purchase (OWN-4).
        case contestedPurchase
        /// A consumable was to be delivered to a second customer (PER-9).
        case secondDelivery
        /// Purchases of many Apple Accounts carry one `appAccountToken`, which is to name one customer: a constant, or one
        /// that is shared (OWN-2).
        case tokenOfManyAccounts
    }

    package enum Subject: Sendable, Hashable {
        case customer(CustomerID)
        /// An Apple Account, by the first of its subscriptions.
        case appleAccount(OriginalTransactionID)
        case subscription(OriginalTransactionID)
        case token(AppAccountToken)

        /// Tells subjects apart and orders them.
        package var name: String {
            switch self {
            case .customer(let id): "customer/\(id)"
            case .appleAccount(let id): "appleAccount/\(id)"
            case .subscription(let id): "subscription/\(id)"
            case .token(let token): "token/\(token.rawValue)"
            }
        }
    }

    /// One thing that shows it.
    package struct Evidence: Sendable, Hashable {
        package let at: Timestamp
        package let what: What

        package init(at: Timestamp, what: What) {
            self.at = at
            self.what = what
        }

        package enum What: Sendable, Hashable {
            /// A customer was served by, or claimed, the subscription.
            case customer(CustomerID, OriginalTransactionID)
            case transaction(OriginalTransactionID, TransactionID)
            /// A claim about the subscription, by its id.
            case claim(OriginalTransactionID, ID<ClaimEvidence>)
        }

        /// The subscription that it is about.
        package var subscription: OriginalTransactionID {
            switch what {
            case .customer(_, let id), .transaction(let id, _), .claim(let id, _): id
            }
        }

        /// The customer whom it names; nil for a transaction or a claim.
        package var customer: CustomerID? { if case .customer(let customer, _) = what { customer } else { nil } }

        fileprivate var name: String {
            switch what {
            case .customer(let customer, let id): "customer/\(customer)/\(id)"
            case .transaction(let id, let transaction): "transaction/\(id)/\(transaction)"
            case .claim(let id, let claim): "claim/\(id)/\(claim)"
            }
        }

        static func inOrder(_ left: Evidence, _ right: Evidence) -> Bool { (left.at, left.name) < (right.at, right.name) }
    }

    /// A signal as it was kept.
    package init(_ kind: Kind, _ subject: Subject, score: Int, count: Int, evidence: [Evidence]) {
        self.kind = kind
        self.subject = subject
        self.score = score
        self.count = count
        self.evidence = evidence
    }

    /// Nil while the count is below the threshold.
    init?(_ kind: Kind, _ subject: Subject, count: Int, threshold: Int, evidence: [Evidence]) {
        let threshold = max(threshold, 1)
        guard count >= threshold else { return nil }
        self.kind = kind
        self.subject = subject
        self.count = count
        // The share first, so that no count is too great to be multiplied.
        score = count / 2 >= threshold ? 100 : min(100, count * 50 / threshold)
        self.evidence = Array(evidence.sorted(by: Evidence.inOrder).suffix(Self.mostEvidence))
    }

    /// PER-9: the customer who has a consumable, and those who were to have it too.
    ///
    /// - Parameter known: what showed it before.
    package static func secondDelivery(
        of subscription: OriginalTransactionID, to customer: CustomerID, _ refused: RefusedDelivery,
        having first: CustomerDelivery, beside known: [Evidence] = []
    ) -> AbuseSignal {
        let new = [
            Evidence(at: first.delivery.deliveredAt, what: .customer(first.customer, subscription)),
            Evidence(at: refused.refusedAt, what: .customer(customer, subscription)),
        ]
        let all = known + new.filter { piece in !known.contains { $0.customer == piece.customer } }
        let evidence = Array(all.sorted(by: Evidence.inOrder).suffix(mostEvidence))
        return AbuseSignal(.secondDelivery, .subscription(subscription), score: 50, count: evidence.count, evidence: evidence)
    }

    static func inOrder(_ left: AbuseSignal, _ right: AbuseSignal) -> Bool {
        if left.score != right.score { return left.score > right.score }
        return (left.kind.rawValue, left.subject.name) < (right.kind.rawValue, right.subject.name)
    }
}
