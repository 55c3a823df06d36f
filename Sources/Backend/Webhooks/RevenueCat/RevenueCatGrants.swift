import Ledger
import Primitives
import Storage

/// From what operators grant a customer to RevenueCat's webhooks, where a grant is a purchase in a store of its own; as pure as
/// ``RevenueCatTranslation``.
struct RevenueCatGrants: Sendable {
    let event: CustomerEvent
    let scope: Scope
    let toldAt: Timestamp
    /// What was said about the customer; nil where it cannot be read.
    let account: CustomerAccount?

    /// Whether anything may be sent of the event.
    static func concerns(_ event: CustomerEvent) -> Bool { !RevenueCatEvent.events(for: event).isEmpty }

    var bodies: [RevenueCatBody] {
        guard let entitlement = event.entitlement else { return [] }
        return RevenueCatEvent.events(for: event).compactMap { told in
            let isWithdrawn = told.type == .expiration
            let grant = isWithdrawn ? withdrawn : Grant(id: event.id, window: event.window)
            // What was over before it was withdrawn ended by itself.
            if isWithdrawn, let end = grant?.window?.until, end <= event.effectiveAt { return nil }
            var lifecycle = lifecycle(of: grant, giving: entitlement)
            if isWithdrawn { lifecycle.expirationAt = event.effectiveAt }
            if let reason = told.reason { lifecycle.own = .expirationReason(reason) }
            return RevenueCatBody(told.type, in: scope, from: .promotional, toldAt: toldAt, .lifecycle(lifecycle))
        }
    }

    private struct Grant {
        let id: String
        let window: TimeWindow?
    }

    /// What the vote withdraws that the event tells of; nil where it is not known.
    private var withdrawn: Grant? {
        guard let account, let vote = account.votes.first(where: { $0.id.rawValue == event.id }),
            case .withdraw(let id) = vote.kind, let withdrawn = account.votes.first(where: { $0.id == id }),
            case .grant(_, let window) = withdrawn.kind
        else { return nil }
        return Grant(id: id.rawValue, window: window)
    }

    private func lifecycle(of grant: Grant?, giving entitlement: EntitlementID) -> RevenueCatBody.Lifecycle {
        let isForEver = grant?.window.map { $0.until == nil } ?? false
        var lifecycle = RevenueCatBody.Lifecycle(
            customer: event.customer.rawValue, product: "rc_promo_\(entitlement.rawValue)_\(isForEver ? "lifetime" : "custom")",
            original: grant?.id, transaction: grant?.id)
        let aliases = CustomerAliases(of: event.customer, in: account, at: toldAt)
        (lifecycle.original, lifecycle.aliases) = (aliases.first.rawValue, aliases.all.map(\.rawValue))
        (lifecycle.entitlements, lifecycle.periodType) = ([entitlement], .promotional)
        (lifecycle.purchasedAt, lifecycle.expirationAt) = (grant?.window?.from, grant?.window?.until)
        (lifecycle.isFamilyShare, lifecycle.price) = (false, Milliunits(0))
        return lifecycle
    }
}
