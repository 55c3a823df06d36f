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
        }
    }
}

extension SubscriptionState {
    /// The status at the instant; nil while no period is known.
    package func status(at instant: Timestamp) -> SubscriptionStatus? {
        guard let first = periods.first else { return nil }
        if let span = spans.last(where: { $0.contains(instant) }) { return running(span) }
        guard let last = periods.last(where: { $0.purchaseDate <= instant }) else { return .notBegun(from: first.purchaseDate) }
        let end = last.end ?? last.purchaseDate
        if case .revoked(let revocation) = last.endReason { return .revoked(at: revocation.revocationDate) }
        // Apple's last word is about the last period; of an earlier one it is only known that it ended.
        let outlook = last.aliases == periods.last?.aliases ? RenewalOutlook(of: self) : nil
        if let retry = outlook?.retry, retry.signedDate <= instant, instant < end.adding(last.longestBillingRetry) {
            return .billingRetry(since: end)
        }
        return .expired(at: end, expirationIntent: outlook?.word?.expirationIntent)
    }

    private func running(_ span: AccessSpan) -> SubscriptionStatus {
        switch span.kind {
        case .paid: .active(until: span.until, renewal: nextRenewal(of: span))
        case .gracePeriod: .billingGracePeriod(until: span.until)
        case .provisional: .provisional(until: span.until)
        }
    }

    private func nextRenewal(of span: AccessSpan) -> SubscriptionStatus.Renewal {
        guard span.until != nil else { return .never }
        guard let word = RenewalOutlook(of: self)?.word, let renews = word.autoRenewStatus else { return .unknown }
        return renews ? .renews(into: word.autoRenewProductId ?? span.productId) : .ends
    }
}

extension Period {
    /// How long Apple tries to charge after the end (PER-10).
    var longestBillingRetry: Milliseconds {
        transaction.details.isMonthlyCommitment ? BillingRetry.ofCommitment : BillingRetry.usual
    }
}
