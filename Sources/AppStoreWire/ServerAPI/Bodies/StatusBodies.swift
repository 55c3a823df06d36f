/// The state of all of a customer's subscriptions in an app.
///
/// Source: Apple, App Store Server API, Get All Subscription Statuses, `StatusResponse`.
public struct StatusResponse: Codable, Sendable, Hashable {
    /// Where the subscriptions are.
    public var environment: ReportedEnvironment?
    /// The app.
    public var bundleId: String?
    /// The app's Apple id; absent in Sandbox.
    public var appAppleId: Int64?
    /// One entry for each subscription group, in no order.
    public var data: [SubscriptionGroupIdentifierItem]

    /// Every field as Apple names it; nil leaves it out.
    public init(
        environment: ReportedEnvironment? = nil, bundleId: String? = nil, appAppleId: Int64? = nil,
        data: [SubscriptionGroupIdentifierItem]
    ) {
        self.environment = environment
        self.bundleId = bundleId
        self.appAppleId = appAppleId
        self.data = data
    }
}

/// A customer's subscriptions in one group.
///
/// Source: Apple, App Store Server API, `SubscriptionGroupIdentifierItem`.
public struct SubscriptionGroupIdentifierItem: Codable, Sendable, Hashable {
    /// The group.
    public var subscriptionGroupIdentifier: String?
    /// Usually one entry; more where the customer has both an own subscription and a shared one.
    public var lastTransactions: [LastTransactionsItem]

    /// Every field as Apple names it; nil leaves it out.
    public init(subscriptionGroupIdentifier: String? = nil, lastTransactions: [LastTransactionsItem]) {
        self.subscriptionGroupIdentifier = subscriptionGroupIdentifier
        self.lastTransactions = lastTransactions
    }
}

/// The state of one subscription.
///
/// Source: Apple, App Store Server API, `LastTransactionsItem`.
public struct LastTransactionsItem: Codable, Sendable, Hashable {
    /// The state when Apple answered; the dates inside say how long it is valid.
    public var status: AutoRenewableSubscriptionStatus
    /// The subscription. Compare it with the signed one before it is used for anything.
    public var originalTransactionId: String
    /// The last transaction, a compact JWS: not verified; the verifier looks into it.
    public var signedTransactionInfo: String
    /// The renewal info, a compact JWS: not verified; the verifier looks into it.
    public var signedRenewalInfo: String

    /// Every field as Apple names it.
    public init(
        status: AutoRenewableSubscriptionStatus, originalTransactionId: String, signedTransactionInfo: String,
        signedRenewalInfo: String
    ) {
        self.status = status
        self.originalTransactionId = originalTransactionId
        self.signedTransactionInfo = signedTransactionInfo
        self.signedRenewalInfo = signedRenewalInfo
    }
}
