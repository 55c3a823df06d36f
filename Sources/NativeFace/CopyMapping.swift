import APIContract
import Backend
import Ledger
import Primitives

extension ListedSubscriptionItem {
    init(_ listed: ListedSubscription) {
        self.init(originalTransactionId: listed.originalTransactionId.rawValue)
        changedAt = listed.changedAt
        period = listed.period.map { LastPeriod($0) }
        autoRenewStatus = listed.autoRenewStatus
        autoRenewProductId = listed.autoRenewProductId?.rawValue
        expirationIntent = listed.expirationIntent
        isInBillingRetryPeriod = listed.isInBillingRetryPeriod
        service = listed.service.map {
            Service(until: $0.until, kind: $0.kind.rawValue, endsBecause: $0.endsBecause.rawValue)
        }
        owners = listed.owners.map { Owner(customer: $0.customer?.rawValue, from: $0.from) }
    }
}

extension ListedSubscriptionItem.LastPeriod {
    fileprivate init(_ period: ListedSubscription.LastPeriod) {
        self.init(
            productId: period.productId.rawValue, transactionId: period.transactionId.rawValue,
            purchaseDate: period.purchaseDate)
        (expiresDate, revocationDate) = (period.expiresDate, period.revocationDate)
        inAppOwnershipType = period.inAppOwnershipType
    }
}

extension ListedCustomerItem {
    init(_ listed: ListedCustomer) {
        self.init(
            number: "\(listed.number)", customer: listed.customer.rawValue, isErased: Backend.isErased(listed.customer),
            subscriptions: listed.holdings.map { Held($0) })
    }
}

extension ListedCustomerItem.Held {
    fileprivate init(_ holding: Holding) {
        self.init(
            originalTransactionId: holding.originalTransactionId.rawValue,
            spans: holding.spans.map { span in
                .init(
                    from: span.from, until: span.until, productId: span.productId.rawValue, kind: span.kind.rawValue,
                    endsBecause: span.endsBecause.rawValue)
            }, credited: holding.credited.map { .init($0) })
        autoRenewStatus = holding.autoRenewStatus
        autoRenewProductId = holding.autoRenewProductId?.rawValue
    }
}

extension ListedCustomerItem.Credit {
    fileprivate init(_ period: CreditedPeriod) {
        self.init(
            productId: period.productId.rawValue, transactionId: period.transactionId.rawValue,
            purchaseDate: period.purchaseDate, quantity: period.quantity)
        (expiresDate, takenBackAt, refundedUnits) = (period.expiresDate, period.takenBackAt, period.refundedUnits)
    }
}

extension ExportedPeriodItem {
    /// Every purchase of a subscription.
    static func all(of listed: ListedPeriods, in environment: Environment) -> [ExportedPeriodItem] {
        listed.transactions.map { fact in
            var item = ExportedPeriodItem(
                of: listed.originalTransactionId.rawValue, in: environment, fact.transactionId.rawValue,
                productId: fact.productId.rawValue, type: fact.type.rawValue)
            item.customer = listed.owner(at: fact.purchaseDate)?.rawValue
            item.take(fact)
            return item
        }
    }

    private mutating func take(_ fact: TransactionFact) {
        webOrderLineItemId = fact.webOrderLineItemId
        (purchaseDate, expiresDate, signedDate) = (fact.purchaseDate, fact.expiresDate, fact.signedDate)
        isUpgraded = fact.isUpgraded
        revocation = fact.revocation.map {
            Revocation(
                date: $0.revocationDate, reason: $0.revocationReason, type: $0.revocationType,
                percentage: $0.revocationPercentage)
        }
        transactionReason = fact.transactionReason?.rawValue
        previousOriginalTransactionId = fact.previousOriginalTransactionId?.rawValue
        let details = fact.details
        (price, currency, storefront) = (details.price?.count, details.currency, details.storefront)
        (quantity, inAppOwnershipType) = (details.quantity, details.inAppOwnershipType)
        (offerType, offerIdentifier) = (details.offerType, details.offerIdentifier)
        offerDiscountType = details.offerDiscountType
    }
}
