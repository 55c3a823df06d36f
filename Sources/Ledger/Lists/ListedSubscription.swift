package import Primitives

/// A subscription as lists have it: small, and kept beside its row so that no history is folded to list it.
package struct ListedSubscription: Sendable, Hashable {
    package let originalTransactionId: OriginalTransactionID
    /// When what is listed became known; nil where it was put together anew since.
    package var changedAt: Timestamp?
    /// The last period; nil before there is one.
    package var period: LastPeriod?
    /// Whether it renews; nil where Apple has not said.
    package var autoRenewStatus: Bool?
    package var autoRenewProductId: ProductID?
    package var expirationIntent: Int64?
    package var isInBillingRetryPeriod: Bool
    /// The last stretch in which it gives service to whoever owns it; nil where it gives none.
    package var service: Service?
    /// Whose it was, from the first known period on, and is.
    package var owners: [Owner]

    package struct LastPeriod: Sendable, Hashable {
        package let productId: ProductID
        package let transactionId: TransactionID
        package let purchaseDate: Timestamp
        package let expiresDate: Timestamp?
        package let revocationDate: Timestamp?
        package let inAppOwnershipType: String?

        package init(_ fact: TransactionFact) {
            (productId, transactionId) = (fact.productId, fact.transactionId)
            (purchaseDate, expiresDate) = (fact.purchaseDate, fact.expiresDate)
            (revocationDate, inAppOwnershipType) = (fact.revocation?.revocationDate, fact.details.inAppOwnershipType)
        }

        package init(
            productId: ProductID, transactionId: TransactionID, purchaseDate: Timestamp, expiresDate: Timestamp?,
            revocationDate: Timestamp?, inAppOwnershipType: String?
        ) {
            (self.productId, self.transactionId) = (productId, transactionId)
            (self.purchaseDate, self.expiresDate) = (purchaseDate, expiresDate)
            (self.revocationDate, self.inAppOwnershipType) = (revocationDate, inAppOwnershipType)
        }
    }

    package struct Service: Sendable, Hashable {
        /// Nil for what does not end.
        package let until: Timestamp?
        package let kind: AccessSpan.Kind
        package let endsBecause: AccessSpan.End

        package init(until: Timestamp?, kind: AccessSpan.Kind, endsBecause: AccessSpan.End) {
            (self.until, self.kind, self.endsBecause) = (until, kind, endsBecause)
        }
    }

    /// Who had it from when on, until the next one.
    package struct Owner: Sendable, Hashable {
        /// Nil while nobody has claimed it.
        package let customer: CustomerID?
        package let from: Timestamp

        package init(customer: CustomerID?, from: Timestamp) { (self.customer, self.from) = (customer, from) }
    }

    /// Of which nothing else is known yet.
    package init(originalTransactionId: OriginalTransactionID) {
        self.originalTransactionId = originalTransactionId
        (isInBillingRetryPeriod, owners) = (false, [])
    }

    /// - Parameter instant: when it became known; nil where that is not known any more.
    package init(of state: SubscriptionState, changedAt instant: Timestamp?) {
        originalTransactionId = state.key.originalTransactionId
        changedAt = instant
        period = state.periods.last { !$0.neverServes }.map { LastPeriod($0.transaction) }
        autoRenewStatus = state.renewal?.autoRenewStatus
        autoRenewProductId = state.renewal?.autoRenewProductId
        expirationIntent = state.renewal?.expirationIntent
        isInBillingRetryPeriod = state.renewal?.isInBillingRetryPeriod ?? false
        service = state.spans.last.map { Service(until: $0.until, kind: $0.kind, endsBecause: $0.endsBecause) }
        owners = state.tenures.map { Owner(customer: $0.customer, from: $0.from) }
    }
}

/// What Apple said of each purchase of a subscription, and whose it was.
package struct ListedPeriods: Sendable, Hashable {
    package let originalTransactionId: OriginalTransactionID
    /// Of each period the word that prevails; by purchase date.
    package let transactions: [TransactionFact]
    package let owners: [ListedSubscription.Owner]

    package init(of book: PeriodBook, _ id: OriginalTransactionID, owners: [ListedSubscription.Owner]) {
        originalTransactionId = id
        transactions = book.entries().map(\.latest).sorted {
            ($0.purchaseDate, $0.transactionId) < ($1.purchaseDate, $1.transactionId)
        }
        self.owners = owners
    }

    /// Whose it was at the instant; before the first known period it is the first owner's.
    package func owner(at instant: Timestamp) -> CustomerID? {
        (owners.last { $0.from <= instant } ?? owners.first)?.customer
    }
}

/// A customer as lists have them.
package struct ListedCustomer: Sendable, Hashable {
    /// Stands for the customer in rows that are never changed, and stays where the customer is erased (I45).
    package let number: Int64
    /// A pseudonym where the customer was erased.
    package let customer: CustomerID
    /// What the customer has or had from each subscription; by subscription.
    package var holdings: [Holding]

    package init(number: Int64, customer: CustomerID, holdings: [Holding]) {
        (self.number, self.customer, self.holdings) = (number, customer, holdings)
    }
}
