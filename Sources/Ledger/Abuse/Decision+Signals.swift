package import Primitives

extension Decision {
    /// Without one of these a decision shows no sign of abuse, so that a renewal asks nothing.
    private static let signs: Set<LedgerEvent.Kind> = [
        .purchaseRefunded, .subscriptionChanged, .ownerChanged, .claimRefused, .claimWaiting, .offerRedeemed,
    ]

    /// The signs of abuse that the subscription shows by itself since this decision (ABUSE-1); what only several subscriptions
    /// show together is not among them.
    ///
    /// Before and after are looked at as of one instant: a signal is found once, however much more shows it later.
    package func signals(at instant: Timestamp) -> [AbuseSignal] {
        guard state.contested != before.contested || events.contains(where: { Self.signs.contains($0.kind) }) else { return [] }
        let (known, found) = (Self.signals(of: before, at: instant), Self.signals(of: state, at: instant))
        return found.filter { signal in !known.contains { $0.kind == signal.kind && $0.subject == signal.subject } }
    }

    private static func signals(of state: SubscriptionState, at instant: Timestamp) -> [AbuseSignal] {
        AbuseReview([state], accounts: AppleAccounts([state]), at: instant).signals
    }
}
