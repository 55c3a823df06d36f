package import Primitives

/// Names an app inside the store.
package struct AppNumber: Sendable, Hashable, Comparable, SavedAsOne, SavedAsKey {
    let place: Int32

    /// Its place in the order in which apps were added.
    package var index: Int { Int(place) }

    package static func < (left: Self, right: Self) -> Bool { left.place < right.place }
}

/// An app whose products the store sells, in both environments.
package struct StoreApp: Sendable, Hashable, Codable {
    package let bundleId: String
    package let appAppleId: Int64
    package let bundleVersion: String
    package let catalogue: Catalogue
    package internal(set) var terms = Terms()
    /// Current prices that differ from the catalogue's.
    var prices: [ProductNumber: Milliunits] = [:]
    /// Products that are no longer sold.
    @SavedInOrder var withdrawn: Set<ProductNumber> = []

    /// - Parameter catalogue: its settings say whether there is a billing grace period; then it is 16 days.
    package init(bundleId: String, appAppleId: Int64, bundleVersion: String = "1", catalogue: Catalogue) {
        self.bundleId = bundleId
        self.appAppleId = appAppleId
        self.bundleVersion = bundleVersion
        self.catalogue = catalogue
        if catalogue.settings.isBillingGracePeriodEnabled { terms.billingGracePeriodDays = 16 }
    }

    /// What the app's owner and the App Store agreed on.
    package struct Terms: Sendable, Hashable, Codable {
        /// Nil: no grace period. In App Store Connect it is 3, 16 or 28.
        package var billingGracePeriodDays: Int64?
        /// How long before a period's end the next one is charged and notified, at most; the actual time is random. Apple: up to
        /// 24 hours.
        package var earlyCharge = Milliseconds(0)
        /// How subscriptions of Sandbox renew.
        package var sandboxRate = SandboxRate.realTime
        package var tokenOfPlanChange = TokenOfPlanChange.new

        package init() {}

        /// A state that an earlier version saved has no `tokenOfPlanChange`.
        package init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            billingGracePeriodDays = try container.decodeIfPresent(Int64.self, forKey: .billingGracePeriodDays)
            earlyCharge = try container.decode(Milliseconds.self, forKey: .earlyCharge)
            sandboxRate = try container.decode(SandboxRate.self, forKey: .sandboxRate)
            tokenOfPlanChange = try container.decodeIfPresent(TokenOfPlanChange.self, forKey: .tokenOfPlanChange) ?? .new
        }
    }

    /// What a product costs now.
    package func price(of product: ProductNumber) -> Milliunits { prices[product] ?? catalogue[product].price }
}

/// Which `appAccountToken` a subscription carries when its plan changes. Apple's pages state both.
package enum TokenOfPlanChange: String, Sendable, Hashable, Codable, CaseIterable {
    /// The token of the change; after an upgrade without a token, none. Source: Apple, JWSRenewalInfo, `appAccountToken`: "when
    /// the customer purchases or changes the subscription".
    case new
    /// The token that the subscription had; where it had none, the token of the change. Source: Apple, Set App Account Token.
    case kept
}

/// How fast time passes for subscriptions of Sandbox, as testers set it for an account.
///
/// Source: Apple, "Testing In-App Purchases with sandbox": a month in 3, 5, 15, 30 or 60 minutes, other periods in proportion; at
/// most twelve renewals.
package enum SandboxRate: Sendable, Hashable, Codable {
    case realTime
    /// A month passes in this many minutes.
    case monthly(minutes: Int64)

    static let choices: Set<Int64> = [3, 5, 15, 30, 60]
    /// After this many renewals auto-renew is turned off.
    static let maximumRenewals: Int32 = 12

    /// When a period that starts at `start` ends.
    func end(of period: SubscriptionPeriod, from start: Timestamp) -> Timestamp {
        guard case .monthly(let minutes) = self else { return period.end(from: start) }
        return start.adding(Self.length(of: period, month: .minutes(minutes)))
    }

    /// A number of days, such as those of a grace period.
    func days(_ count: Int64) -> Milliseconds {
        guard case .monthly(let minutes) = self else { return .days(count) }
        return Milliseconds(max(60_000, Milliseconds.minutes(minutes).count * count / 30))
    }

    /// At the usual five minutes a week takes three, two months ten, a year an hour.
    private static func length(of period: SubscriptionPeriod, month: Milliseconds) -> Milliseconds {
        switch period.unit {
        case .day, .week:
            let days = period.unit == .week ? period.count * 7 : period.count
            return Milliseconds(max(60_000, month.count * 3 / 5 * max(1, days / 7)))
        case .month: return Milliseconds(month.count * period.count)
        case .year: return Milliseconds(month.count * 12 * period.count)
        }
    }
}
