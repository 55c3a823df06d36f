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

/// What a version would change, counted.
package struct WhatIfSummary: Sendable, Hashable {
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

    fileprivate mutating func count(_ row: WhatIfRow) {
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
        let kept = try await settingsVersions(of: id)
        let present = try chosen.learn(kept, of: app)
        let proposed = present.adding(content, from: from ?? clock.now())
        var summary = WhatIfSummary()
        summary.newest = kept.last?.number ?? 0
        summary.code = try ConfirmationCode.of(content, app: id, newest: summary.newest, from: from)
        summary.policyDiffers = present.policies != proposed.policies
        summary.productsDiffer = present.entitlements != proposed.entitlements
        for scope in app.scopes {
            if summary.policyDiffers {
                let question = WhatIf(present: present.policies, proposed: proposed.policies)
                try await compare(question, in: scope, &summary, row, progress)
            }
            if summary.productsDiffer {
                let maps = ComparedMaps(present: present.entitlements, proposed: proposed.entitlements)
                try await compare(maps, in: scope, &summary, row, progress)
            }
        }
        return summary
    }

    /// How many subscriptions or holdings are read at once.
    private static let page = 512

    /// The next page is read while one is folded, in two halves.
    private func compare(
        _ question: WhatIf, in scope: Scope, _ summary: inout WhatIfSummary, _ row: (WhatIfRow) throws -> Void,
        _ progress: (WhatIfSummary) -> Void
    ) async throws {
        var page = try await subscriptions(in: scope, after: nil)
        while let last = page.last {
            let histories = page.map(\.history)
            async let following = subscriptions(in: scope, after: last.history.key.originalTransactionId)
            async let second = Self.differences(question, Array(histories[(histories.count / 2)...]))
            let first = await Self.differences(question, Array(histories[..<(histories.count / 2)]))
            let differences = await first + second
            for difference in differences {
                let told = WhatIfRow(
                    customer: difference.customer, environment: scope.environment,
                    subscription: difference.subscription.originalTransactionId, effect: difference.effect,
                    window: difference.window, entitlement: nil, rule: difference.rule.rawValue)
                summary.count(told)
                try row(told)
            }
            summary.subscriptionsThatDiffer += Int64(Set(differences.map(\.subscription)).count)
            summary.subscriptions += Int64(page.count)
            progress(summary)
            page = try await following
        }
    }

    /// The next subscriptions of a ledger, for reports over all of them; empty after the last.
    func subscriptions(in scope: Scope, after id: OriginalTransactionID?) async throws -> [StoredSubscription] {
        try await translatingStorageErrors { try await store.subscriptions(in: scope, after: id, limit: Self.page) }
    }

    @concurrent private static func differences(_ question: WhatIf, _ histories: [SubscriptionHistory]) async
        -> [AccessDifference]
    {
        histories.flatMap { question.differences(in: $0) }
    }

    private struct ComparedMaps {
        let present: EntitlementMap
        let proposed: EntitlementMap
    }

    private func compare(
        _ maps: ComparedMaps, in scope: Scope, _ summary: inout WhatIfSummary,
        _ row: (WhatIfRow) throws -> Void, _ progress: (WhatIfSummary) -> Void
    ) async throws {
        var place: HeldByCustomer.Place?
        var (customer, holdings) = (CustomerID?.none, [Holding]())
        func close() throws {
            guard let customer else { return }
            summary.customers += 1
            let differences = maps.present.differences(to: maps.proposed, for: holdings)
            if !differences.isEmpty { summary.customersWhoseEntitlementsDiffer += 1 }
            for difference in differences {
                let told = WhatIfRow(
                    customer: customer, environment: scope.environment, subscription: nil, effect: difference.effect,
                    window: difference.window, entitlement: difference.entitlement, rule: "ENT-2")
                summary.count(told)
                try row(told)
            }
        }
        while true {
            let after = place
            let page = try await translatingStorageErrors {
                try await store.holdings(in: scope, after: after, limit: Self.page)
            }
            for held in page {
                if held.customer != customer {
                    try close()
                    (customer, holdings) = (held.customer, [])
                }
                holdings.append(held.holding)
            }
            guard let last = page.last else { break }
            place = last.place
            progress(summary)
        }
        try close()
    }
}
