package import Primitives

/// Apple asks what became of a purchase that a customer wants refunded; to be answered within twelve hours (ABUSE-2).
///
/// Source: Apple, App Store Server Notifications, `CONSUMPTION_REQUEST`.
package struct ConsumptionQuestion: Sendable, Hashable {
    /// What Apple must be answered about.
    package let transactionId: TransactionID
    package let originalTransactionId: OriginalTransactionID
    /// The names of the period, since a restore mints another `transactionId` for the same charge (PER-1).
    package let aliases: [PeriodAlias]
    /// When Apple signed the request.
    package let requestedAt: Timestamp
    /// `consumptionRequestReason` in Apple's spelling, such as `UNINTENDED_PURCHASE`; nil where it gave none.
    package let consumptionRequestReason: String?

    /// - Parameter transaction: as the notification carries it.
    package init(about transaction: TransactionFact, requestedAt: Timestamp, consumptionRequestReason: String? = nil) {
        transactionId = transaction.transactionId
        originalTransactionId = transaction.originalTransactionId
        aliases = PeriodAlias.aliases(of: transaction)
        self.requestedAt = requestedAt
        self.consumptionRequestReason = consumptionRequestReason
    }

    /// After this instant Apple decides without us.
    package var deadline: Timestamp { requestedAt.adding(.hours(12)) }

    /// The purchase that it is about, among everything that the customer was credited with; by the strongest name that is known.
    func purchase(among purchases: [CustomerPeriod]) -> CustomerPeriod? {
        let own = purchases.filter { $0.originalTransactionId == originalTransactionId }
        return own.map(\.period).firstIndex(named: aliases).map { own[$0] }
    }
}

/// Whose consent lets the app tell Apple about a customer (ABUSE-2). The first is the default.
package enum ConsumptionConsentPolicy: String, Sendable, Hashable, CaseIterable {
    /// Each customer's own, as the app's backend recorded it.
    case perCustomer
    /// No customer is reported on.
    case never
}

/// What an app has chosen about the answers to consumption requests (ABUSE-2).
package struct ConsumptionPolicy: Sendable, Hashable {
    package var consent: ConsumptionConsentPolicy
    /// What to ask of Apple; nil, and so no preference, unless changed.
    package var refundPreference: ConsumptionReport.RefundPreference?
    /// From how much consumption on, in thousandths of a percent, the app would rather decline; nil, and so never, unless
    /// changed.
    package var declineFrom: Int64?
    /// Whether one can try the app's content before buying it.
    package var sampleContentProvided: Bool

    package init(
        consent: ConsumptionConsentPolicy = .perCustomer, refundPreference: ConsumptionReport.RefundPreference? = nil,
        declineFrom: Int64? = nil, sampleContentProvided: Bool = false
    ) {
        self.consent = consent
        self.refundPreference = refundPreference
        self.declineFrom = declineFrom
        self.sampleContentProvided = sampleContentProvided
    }
}

/// What the app's backend knows of the customer and the purchase; what it does not know stays undeclared (ABUSE-2).
package struct ConsumptionKnowledge: Sendable, Hashable {
    /// Whether the customer consented to the report; false where they were not asked.
    package var customerConsented: Bool
    package var deliveryStatus: ConsumptionReport.DeliveryStatus
    /// How much was consumed, in thousandths of a percent; nil where it is not known.
    package var consumptionPercentage: Int64?
    /// How long they have used the app.
    package var playTime: Milliseconds?
    /// When their account with the app was made.
    package var accountCreatedAt: Timestamp?
    package var userStatus: ConsumptionReport.UserStatus

    package init(customerConsented: Bool, deliveryStatus: ConsumptionReport.DeliveryStatus = .delivered) {
        self.customerConsented = customerConsented
        self.deliveryStatus = deliveryStatus
        userStatus = .undeclared
    }
}
