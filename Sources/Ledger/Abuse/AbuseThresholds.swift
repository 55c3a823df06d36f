package import Primitives

/// The count from which something is a signal, and the time window (ABUSE-1). The defaults leave families, new phones and a
/// mistaken purchase alone.
package struct AbuseThresholds: Sendable, Hashable {
    /// Customers on one Apple Account: 6, since a family has up to six members who may share a device.
    package var customersOfOneAccount = 6
    /// Apple Accounts of one customer, and of one token, which stands for one customer: 4; a private one, one of the firm and one
    /// of another country are three.
    package var accountsOfOneCustomer = 4
    /// Introductory offers of one subscription group had by one customer: 2, since Apple gives one.
    package var introductoryOffers = 2
    /// Refunds of one customer: 3.
    package var refunds = 3
    /// Refunds of what was used up: 2.
    package var refundsAfterConsumption = 2
    /// What counts as used up, in thousandths of a percent of the period or of what was consumed: 80 000.
    package var consumed: Int64 = 80_000
    /// Subscriptions of others that one customer claimed and was refused: 3.
    package var refusedClaims = 3
    /// Immediate changes of plan in one subscription: 4 within `loopWindow`.
    package var crossgrades = 4
    /// 30 days.
    package var loopWindow = Milliseconds.days(30)
    /// How far back everything else is counted: 365 days.
    package var window = Milliseconds.days(365)

    package init() {}
}

/// How much of a purchase was used, as the app's backend says; for what is not time.
package struct Consumption: Sendable, Hashable {
    package let transactionId: TransactionID
    /// Thousandths of a percent: 100 000 is all of it.
    package let percentage: Int64
    package let consumedAt: Timestamp

    package init(transactionId: TransactionID, percentage: Int64, consumedAt: Timestamp) {
        self.transactionId = transactionId
        self.percentage = percentage
        self.consumedAt = consumedAt
    }
}
