package import Primitives

/// What one app has chosen where the rules leave a choice. Of each choice the default is the first that the rules name.
///
/// A policy is a value; since when it holds says the ``PolicyTimeline``.
package struct AppPolicy: Sendable, Hashable, Codable {
    /// Raised with each change.
    package var version: Int64
    /// OWN-5: who becomes owner when another customer buys.
    package var onPurchase: PurchasePolicy
    /// OWN-4: what shows who bought.
    package var purchaseEvidence = PurchaseEvidencePolicy.claims
    /// OWN-4 (b): how long after its `purchaseDate` a `purchase` upload is prompt; 5 minutes unless changed.
    package var promptWindow = Milliseconds.minutes(5)
    /// OWN-4 (d): how long after its `purchaseDate` an upload is evidence of a purchase at all; 7 days unless changed.
    package var purchaseWindow = Milliseconds.days(7)
    /// OWN-9: what a restore by another customer does.
    package var onRestore: RestorePolicy
    /// OWN-2: whether a registered token that names the owner protects the subscription from restores by others. No unless
    /// changed.
    package var tokenLocks = false
    /// OWN-10: whether an anonymous customer may take from an identified owner, where `onRestore` is `transfer`. No unless
    /// changed.
    package var anonymousMayTake = false
    /// OWN-10: whether an identified customer's claim on what an anonymous one owns makes them one customer, rather than move
    /// that one subscription. No unless changed.
    package var mergeOnClaim = false
    /// OWN-11: how many restores by others one subscription may see within `restoreWindow`; 3 unless changed. Nil: any number.
    package var restoreLimit: Int? = 3
    /// OWN-11: 30 days unless changed.
    package var restoreWindow = Milliseconds.days(30)
    /// OWN-11: how many customers one Apple Account may serve at once; nil, and so any number, unless changed.
    package var customersPerAppleAccount: Int?
    /// OWN-13: whether what is shared by a family gives access.
    package var familySharing = FamilySharingPolicy.serve
    /// PER-11: what a partial refund of an auto-renewable subscription does.
    package var partialRefunds: PartialRefundPolicy
    /// PER-11: what a partial refund of anything else does to access, where it has no units that could be counted.
    package var partialRefundsOfOthers = PartialRefundOfOthersPolicy.keep
    /// ENT-6: how long a subscription that was set to renew stays active past `expiresDate` in Production; one hour unless
    /// changed.
    package var productionLeeway = Milliseconds.hours(1)
    /// ENT-6: the same in Sandbox, where an hour is twelve months of the fastest clock; none unless changed.
    package var sandboxLeeway = Milliseconds(0)
    /// ENT-7: the billing grace period that the app chose in App Store Connect, in days: 3, 16 or 28; 28 unless changed. It
    /// counts only where Apple signed that a grace period runs, and not until when.
    package var billingGracePeriodDays: Int64 = 28
    /// What is chosen otherwise for one subscription group; by group.
    package var groups: [GroupPolicy] = []
    /// ENT-3: the entitlements whose time adds up, each once and sorted; all others follow the subscription's own periods. A
    /// period counts as the version says that held at its `purchaseDate`. None unless changed.
    package var balanced: [EntitlementID] = []

    package init(
        version: Int64 = 1, onPurchase: PurchasePolicy = .followPurchase, onRestore: RestorePolicy = .keep,
        partialRefunds: PartialRefundPolicy = .endSubscriptions
    ) {
        self.version = version
        self.onPurchase = onPurchase
        self.onRestore = onRestore
        self.partialRefunds = partialRefunds
    }

    /// Reads also what was stored before a choice was known: it was the default then.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            version: try container.decode(Int64.self, forKey: .version),
            onPurchase: try container.decode(PurchasePolicy.self, forKey: .onPurchase),
            onRestore: try container.decode(RestorePolicy.self, forKey: .onRestore),
            partialRefunds: try container.decode(PartialRefundPolicy.self, forKey: .partialRefunds))
        // Until decision 0075 one word was for everything.
        let word = try container.decode(String.self, forKey: .partialRefunds)
        partialRefundsOfOthers = word == PartialRefundPolicy.endingAll ? .end : .keep
        func read<Value: Decodable>(_ key: CodingKeys, into value: inout Value) throws {
            if let read = try container.decodeIfPresent(Value.self, forKey: key) { value = read }
        }
        try read(.purchaseEvidence, into: &purchaseEvidence)
        try read(.promptWindow, into: &promptWindow)
        try read(.purchaseWindow, into: &purchaseWindow)
        try read(.tokenLocks, into: &tokenLocks)
        try read(.anonymousMayTake, into: &anonymousMayTake)
        try read(.mergeOnClaim, into: &mergeOnClaim)
        // Nil is not written, and means that there is no limit.
        restoreLimit = try container.decodeIfPresent(Int.self, forKey: .restoreLimit)
        try read(.restoreWindow, into: &restoreWindow)
        customersPerAppleAccount = try container.decodeIfPresent(Int.self, forKey: .customersPerAppleAccount)
        try read(.partialRefundsOfOthers, into: &partialRefundsOfOthers)
        try read(.familySharing, into: &familySharing)
        try read(.productionLeeway, into: &productionLeeway)
        try read(.sandboxLeeway, into: &sandboxLeeway)
        try read(.billingGracePeriodDays, into: &billingGracePeriodDays)
        try read(.groups, into: &groups)
        try read(.balanced, into: &balanced)
    }

    /// OWN-10: whether an anonymous customer may take from an identified owner.
    var letsAnonymousTake: Bool { onRestore == .transfer && anonymousMayTake }

    /// The policy for one subscription group: what the group's own says, and else what the app's says.
    func applied(to group: String?) -> AppPolicy {
        guard let own = groups.first(where: { $0.subscriptionGroupIdentifier == group }) else { return self }
        var policy = self
        policy.onPurchase = own.onPurchase ?? onPurchase
        policy.onRestore = own.onRestore ?? onRestore
        policy.partialRefunds = own.partialRefunds ?? partialRefunds
        policy.familySharing = own.familySharing ?? familySharing
        return policy
    }

    /// The leeway for late news in one environment (ENT-6).
    func leeway(in environment: Environment) -> Milliseconds {
        environment == .production ? productionLeeway : sandboxLeeway
    }

    /// ENT-7: the longest that a grace period can last of which Apple signed no end. For a weekly product it is six days, and in
    /// Sandbox, where a month is minutes, one.
    ///
    /// Source: Apple, App Store Connect Help, "Enable Billing Grace Period for auto-renewable subscriptions".
    ///
    /// - Parameter length: of the product's periods; nil where it is not known.
    func longestGrace(after length: Milliseconds?, in environment: Environment) -> Milliseconds {
        guard environment == .production else { return .days(1) }
        let isWeekly = length.map { $0 < .days(8) } ?? false
        return .days(isWeekly ? min(billingGracePeriodDays, 6) : billingGracePeriodDays)
    }

    /// The most that failed questions to Apple can prolong a provisional answer past `expiresDate` (ENT-6).
    static let longestProvision = Milliseconds.hours(24)
}

/// Where one subscription group differs from the app's policy; nil leaves the app's choice.
package struct GroupPolicy: Sendable, Hashable, Codable {
    /// Apple's `subscriptionGroupIdentifier`.
    package let subscriptionGroupIdentifier: String
    package var onPurchase: PurchasePolicy?
    package var onRestore: RestorePolicy?
    package var partialRefunds: PartialRefundPolicy?
    package var familySharing: FamilySharingPolicy?

    package init(_ subscriptionGroupIdentifier: String) { self.subscriptionGroupIdentifier = subscriptionGroupIdentifier }
}
