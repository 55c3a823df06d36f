package import Primitives

/// How a consumption request is answered: with a report, or not at all and why (ABUSE-2).
package enum ConsumptionAnswer: Sendable, Hashable {
    case report(ConsumptionReport)
    case refused(Refusal)

    /// In order of precedence.
    package enum Refusal: Sendable, Hashable {
        /// The transaction is not among what the customer was credited with.
        case unknownTransaction
        /// The customer has not consented, or the app reports on no customer. The answer holds nothing about the
        /// customer.
        case noConsent
        /// Apple accepts no report about a family-shared purchase (4000185).
        case familyShared
        /// Apple takes no report about a seat (PER-12).
        case assigned
        /// Twelve hours have passed.
        case tooLate(deadline: Timestamp)
    }

    /// Answers from what is known.
    ///
    /// - Parameters:
    ///   - purchases: everything that the customer was credited with, in this app and environment.
    ///   - instant: when it is answered.
    package init(
        to request: ConsumptionQuestion, purchases: [CustomerPeriod], knowledge: ConsumptionKnowledge, policy: ConsumptionPolicy,
        at instant: Timestamp
    ) {
        guard let purchase = request.purchase(among: purchases) else {
            self = .refused(.unknownTransaction)
            return
        }
        guard policy.consent != .never, knowledge.customerConsented else {
            self = .refused(.noConsent)
            return
        }
        guard !purchase.isPaidByAnother else {
            self = .refused(purchase.period.transaction.details.isAssigned ? .assigned : .familyShared)
            return
        }
        guard instant < request.deadline else {
            self = .refused(.tooLate(deadline: request.deadline))
            return
        }
        self = .report(
            ConsumptionReport(
                about: purchase, request: request, money: LifetimeMoney(purchases, until: instant), knowledge: knowledge,
                policy: policy, at: instant))
    }
}

/// What a customer spent and was given back, in thousandths of a dollar (ABUSE-2).
package struct LifetimeMoney: Sendable, Hashable {
    /// Nil where anything was paid in another currency, or its price is not known: then it is undeclared, and not guessed.
    package let purchased: Milliunits?
    package let refunded: Milliunits?

    /// Over everything bought by the instant.
    package init(_ purchases: [CustomerPeriod], until instant: Timestamp) {
        let bought = purchases.filter { $0.purchaseDate <= instant && !$0.isPaidByAnother }
        purchased = Self.sum(bought.map(\.dollars))
        refunded = Self.sum(bought.filter { ($0.refund?.revocationDate ?? .latestAccepted) <= instant }.map(\.refundedDollars))
    }

    private static func sum(_ amounts: [Int64?]) -> Milliunits? {
        var sum: Int64 = 0
        for amount in amounts {
            guard let amount else { return nil }
            let (next, overflow) = sum.addingReportingOverflow(amount)
            sum = overflow ? .max : next
        }
        return Milliunits(sum)
    }
}

extension CustomerPeriod {
    /// Nil where it was not paid in dollars, or the price is not known.
    fileprivate var dollars: Int64? {
        let details = period.transaction.details
        guard details.currency == "USD", let price = details.price?.count, price >= 0 else { return nil }
        return price
    }

    fileprivate var refundedDollars: Int64? {
        guard let dollars, let refund else { return nil }
        guard refund.isPartial else { return dollars }
        // A part that Apple did not state is not known (`REFUND_PRORATED` without a percentage).
        guard let percentage = refund.revocationPercentage else { return nil }
        let (product, overflow) = dollars.multipliedReportingOverflow(by: min(max(percentage, 0), 100_000))
        return overflow ? dollars : product / 100_000
    }
}

extension ConsumptionReport {
    fileprivate init(
        about purchase: CustomerPeriod, request: ConsumptionQuestion, money: LifetimeMoney, knowledge: ConsumptionKnowledge,
        policy: ConsumptionPolicy, at instant: Timestamp
    ) {
        transactionId = request.transactionId
        deadline = request.deadline
        customerConsented = true
        deliveryStatus = knowledge.deliveryStatus
        sampleContentProvided = policy.sampleContentProvided
        appAccountToken = purchase.period.purchaseToken
        let isRenewing = purchase.period.transaction.type == .autoRenewableSubscription
        let told = knowledge.consumptionPercentage.map { min(max($0, 0), 100_000) }
        // What was not delivered was not consumed; Apple refuses a report that says otherwise.
        let consumed: Int64? = knowledge.deliveryStatus == .delivered ? told : 0
        consumptionPercentage = isRenewing ? nil : consumed.map { Int32($0) }
        // Of a subscription it is the time that was used up by the request.
        let used = isRenewing ? max(consumed ?? 0, purchase.usedTime(at: request.requestedAt)) : consumed
        let usedIfDelivered = knowledge.deliveryStatus == .delivered ? used : 0
        consumptionStatus = ConsumptionStatus(usedIfDelivered)
        let isUsedUp = policy.declineFrom.map { (usedIfDelivered ?? 0) >= $0 } ?? false
        refundPreference = isUsedUp && knowledge.deliveryStatus == .delivered ? .decline : policy.refundPreference
        accountTenure = AccountTenure(knowledge.accountCreatedAt.map { instant.since($0) })
        playTime = PlayTime(knowledge.playTime)
        lifetimeDollarsPurchased = LifetimeDollars(money.purchased)
        lifetimeDollarsRefunded = LifetimeDollars(money.refunded)
        userStatus = knowledge.userStatus
    }
}
