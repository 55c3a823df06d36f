package import Primitives

/// What a subscription is at one instant; asked for, never stored.
///
/// Source: Apple, App Store Server API, `status` (1 active, 2 expired, 3 billing retry, 4 billing grace period, 5 revoked).
package enum SubscriptionStatus: Sendable, Hashable {
    case active(until: Timestamp?, renewal: Renewal)
    /// Past `expiresDate` with no word from Apple yet (ENT-6): access is kept and marked provisional.
    case provisional(until: Timestamp?)
    /// Access is kept (ENT-7).
    case billingGracePeriod(until: Timestamp?)
    /// Access is lost; Apple still tries to charge.
    case billingRetry(since: Timestamp)
    /// `expirationIntent` as Apple gave it; nil where it gave none.
    case expired(at: Timestamp, expirationIntent: Int64?)
    case revoked(at: Timestamp)
    /// The first period has not begun.
    case notBegun(from: Timestamp)
    /// Bought, and without a time of its own: a consumable, which is counted, a non-renewing subscription, whose time the app's
    /// configuration says, or what Apple did not say the kind of (PER-9).
    case purchased(at: Timestamp)

    package enum Renewal: Sendable, Hashable {
        case renews(into: ProductID)
        /// Auto-renew is off.
        case ends
        /// Apple has not said.
        case unknown
        /// It does not expire.
        case never
    }

    /// A word of ours for each, used in answers; stable.
    package var name: String {
        switch self {
        case .active: "active"
        case .provisional: "provisional"
        case .billingGracePeriod: "billingGracePeriod"
        case .billingRetry: "billingRetry"
        case .expired: "expired"
        case .revoked: "revoked"
        case .notBegun: "notBegun"
        case .purchased: "purchased"
        }
    }
}

extension SubscriptionState {
    /// The status at the instant, by what Apple had signed by then (ENT-11); nil while no period is known.
    package func status(at instant: Timestamp) -> SubscriptionStatus? {
        guard let first = periods.first else { return nil }
        if let span = spans.last(where: { $0.contains(instant) }) { return running(span, RenewalOutlook(of: self, at: instant)) }
        guard let last = periods.lastServing(by: instant) else { return .notBegun(from: first.purchaseDate) }
        let end = last.end ?? last.purchaseDate
        if case .revoked(let revocation) = last.endReason { return .revoked(at: revocation.revocationDate) }
        if let takenBackAt = spanTakenBack(after: last)?.until { return .revoked(at: takenBackAt) }
        // A purchase that gives no time by itself does not expire (PER-9).
        guard last.isSubscriptionPeriod || last.givesAccess else { return .purchased(at: last.purchaseDate) }
        let words = RenewalOutlook(after: last, renewals, until: instant)
        if words.retry != nil, instant < end.adding(last.longestBillingRetry) { return .billingRetry(since: end) }
        return .expired(at: end, expirationIntent: words.word?.expirationIntent)
    }

    /// The span after a period's own end (a grace period, or no news from Apple), where it ended because Apple took the period
    /// back (ENT-4, ENT-7).
    func spanTakenBack(after period: Period) -> AccessSpan? {
        guard period.ranOut, period.takenBack != nil else { return nil }
        return spans.last { $0.kind != .paid && $0.from == period.end && $0.endsBecause.isTakenBack }
    }

    private func running(_ span: AccessSpan, _ outlook: RenewalOutlook?) -> SubscriptionStatus {
        switch span.kind {
        case .paid: .active(until: span.until, renewal: Self.nextRenewal(of: span, outlook))
        case .gracePeriod: .billingGracePeriod(until: span.until)
        case .provisional: .provisional(until: span.until)
        }
    }

    private static func nextRenewal(of span: AccessSpan, _ outlook: RenewalOutlook?) -> SubscriptionStatus.Renewal {
        guard span.until != nil else { return .never }
        guard let word = outlook?.word, let renews = word.autoRenewStatus else { return .unknown }
        return renews ? .renews(into: word.autoRenewProductId ?? span.productId) : .ends
    }
}
