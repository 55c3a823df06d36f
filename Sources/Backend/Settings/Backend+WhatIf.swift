package import Ledger
package import Primitives
import Storage

/// One stretch of time in which a customer would gain or lose an entitlement if a version were applied (OWN-16).
package struct WhatIfRow: Sendable, Hashable {
    package let customer: CustomerID
    package let environment: Environment
    /// The subscription that would give it or give it no more; nil for an entitlement, which several may give together.
    package let subscription: OriginalTransactionID?
    package let effect: AccessDifference.Effect
    package let window: TimeWindow
    /// Nil for access to a subscription, whatever its products give.
    package let entitlement: EntitlementID?
    /// The rule by its id.
    package let rule: String
}

extension WhatIfRow {
    /// As a job keeps it.
    private struct Kept: Codable {
        let customer, environment: String
        let subscription: String?
        let effect: String
        let from: Int64
        let until: Int64?
        let entitlement: String?
        let rule: String
    }

    var json: String {
        get throws {
            try StateCoding.encode(
                Kept(
                    customer: customer.rawValue, environment: environment.rawValue, subscription: subscription?.rawValue,
                    effect: effect.rawValue, from: window.from.millisecondsSince1970,
                    until: window.until?.millisecondsSince1970, entitlement: entitlement?.rawValue, rule: rule))
        }
    }

    /// - Throws: `StorageError` with `corrupt` for anything that ``json`` is not.
    init(json: String) throws {
        let kept = try StateCoding.decode(Kept.self, from: json)
        guard let environment = Environment(rawValue: kept.environment),
            let effect = AccessDifference.Effect(rawValue: kept.effect)
        else { throw StorageError(.corrupt, "a difference has an unknown environment or effect") }
        self.init(
            customer: CustomerID(kept.customer), environment: environment,
            subscription: kept.subscription.map { OriginalTransactionID($0) }, effect: effect,
            window: TimeWindow(
                from: Timestamp(millisecondsSince1970: kept.from),
                until: kept.until.map { Timestamp(millisecondsSince1970: $0) }),
            entitlement: kept.entitlement.map { EntitlementID($0) }, rule: kept.rule)
    }
}

/// What a version would change, counted.
package struct WhatIfSummary: Sendable, Hashable, Codable {
    /// Whether the policy would be another at any instant; if not, no subscription is looked at.
    package var policyDiffers = false
    /// Whether products or durations would be; if not, no customer's entitlements are looked at.
    package var productsDiffer = false
    package var subscriptions: Int64 = 0
    package var subscriptionsThatDiffer: Int64 = 0
    package var customers: Int64 = 0
    package var customersWhoseEntitlementsDiffer: Int64 = 0
    package var rows: Int64 = 0
    package var losses: Int64 = 0
    /// The number of the newest version it was compared with; 0 where none is kept.
    package var newest: Int64 = 0
    /// What `apply` with the same file and instant wants to be shown.
    package var code = ""

    mutating func count(_ row: WhatIfRow) {
        rows += 1
        if row.effect == .loses { losses += 1 }
    }
}

extension Backend {
    /// Tries a version on everything that is kept of an app, and keeps nothing (OWN-16). First every subscription is folded under
    /// the present versions and with the proposed one among them; then, where products would give something else, every
    /// customer's entitlements are compared, with the customer's present holdings. What it holds in memory are a few pages.
    ///
    /// - Parameters:
    ///   - from: from when the version would hold; nil: from now.
    ///   - row: told of each difference, by subscription, then by customer.
    ///   - progress: told after each page.
    /// - Throws: `BackendError`, and what `row` throws.
    package func whatIf(
        _ content: SettingsContent, app id: AppID, from: Timestamp?, row: (WhatIfRow) throws -> Void,
        progress: (WhatIfSummary) -> Void
    ) async throws -> WhatIfSummary {
        let app = try settings(of: id)
        let trial = WhatIfTrial(
            content, from: from, newest: try await settingsVersions(of: id).last?.number ?? 0, at: clock.now())
        var run = try await WhatIfRun(trial, of: app, by: self)
        while !run.progress.isDone {
            for found in try await run.step() { try row(found) }
            progress(run.progress.summary)
        }
        return run.progress.summary
    }

    /// The next subscriptions of a ledger, for reports over all of them; empty after the last.
    func subscriptions(in scope: Scope, after id: OriginalTransactionID?) async throws -> [StoredSubscription] {
        try await translatingStorageErrors { try await store.subscriptions(in: scope, after: id, limit: WhatIfRun.page) }
    }
}
